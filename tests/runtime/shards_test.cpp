// Shards: assembled and cut against index arithmetic.
#include <doctest/doctest.h>

#include <cstring>

#include "runtime/shards.h"

using namespace openneuron::runtime;

namespace {
// A [3 x 4 x 6] array of 16-bit numbers, each its own position, in 1x2x3 tiles.
Shards tiles() {
  Shards s;
  s.element_bytes = 2;
  s.shape = {3, 4, 6};
  s.shard_shape = {3, 2, 2};
  for (std::int64_t i = 0; i < 2; ++i)
    for (std::int64_t j = 0; j < 3; ++j) s.starts.push_back({0, i * 2, j * 2});
  return s;
}
std::byte* bytes(std::vector<std::uint16_t>& v) { return reinterpret_cast<std::byte*>(v.data()); }
}  // namespace

TEST_CASE("cut takes the elements of the tile, assemble puts them back") {
  const Shards s = tiles();
  std::vector<std::uint16_t> whole(72);
  for (std::size_t i = 0; i < whole.size(); ++i) whole[i] = static_cast<std::uint16_t>(i);
  std::vector<std::vector<std::uint16_t>> parts(6, std::vector<std::uint16_t>(12));
  std::vector<const std::byte*> pointers;
  for (std::size_t c = 0; c < 6; ++c) {
    cut(s, bytes(whole), c, bytes(parts[c]));
    pointers.push_back(bytes(parts[c]));
    for (std::size_t i = 0; i < 12; ++i) {
      const std::size_t a = i / 4, b = i / 2 % 2 + c / 3 * 2, d = i % 2 + c % 3 * 2;
      CHECK(parts[c][i] == a * 24 + b * 6 + d);
    }
  }
  std::vector<std::uint16_t> again(72, 9999);
  assemble(s, pointers, bytes(again));
  CHECK(again == whole);
}

TEST_CASE("a shard cut along leading dimensions lies in one piece") {
  Shards s;
  s.element_bytes = 4;
  s.shape = {4, 6};
  s.shard_shape = {2, 6};
  s.starts = {{0, 0}, {2, 0}};
  CHECK(s.offset_in_whole(1) == 48);
  CHECK_FALSE(s.whole());
  CHECK_FALSE(tiles().offset_in_whole(1).has_value());
  Shards row;  // one row of a matrix, cut again
  row.element_bytes = 1;
  row.shape = {2, 8};
  row.shard_shape = {1, 4};
  row.starts = {{0, 0}, {0, 4}, {1, 0}, {1, 4}};
  CHECK(row.offset_in_whole(3) == 12);
}

TEST_CASE("scalars, empty arrays and whole arrays are copied once") {
  Shards scalar;
  scalar.element_bytes = 2;
  scalar.starts = {{}, {}};
  CHECK(scalar.whole());
  std::vector<std::uint16_t> a = {5}, b = {7}, whole = {0};
  const std::vector<const std::byte*> parts = {bytes(a), bytes(b)};
  assemble(scalar, parts, bytes(whole));
  CHECK(whole[0] == 5);
  Shards empty;
  empty.shape = {0, 4};
  empty.shard_shape = {0, 2};
  empty.starts = {{0, 0}, {0, 2}};
  const std::vector<const std::byte*> none = {nullptr, nullptr};
  assemble(empty, none, nullptr);
  CHECK(empty.bytes() == 0);
}
