// Shardings: what is read, what a partition holds, and the bytes of the OpSharding.
#include <doctest/doctest.h>

#include "partition/sharding.h"

using namespace openneuron;
using namespace openneuron::partition;

namespace {
Sharding read(std::string_view text) {
  auto s = read_hlo_sharding(text);
  INFO(std::string(text));
  REQUIRE(bool(s));
  return *s;
}
using Numbers = std::vector<std::int64_t>;
std::vector<int> bytes(const Sharding& s) {
  std::vector<int> out;
  for (std::byte b : s.proto()) out.push_back(static_cast<int>(b));
  return out;
}
}  // namespace

TEST_CASE("hlo shardings are read in each of their forms") {
  CHECK(read("{replicated}").replicated());
  CHECK(read("{devices=[1,1]<=[1]}").replicated());
  CHECK(read("{manual}").replicated());
  CHECK(read("{maximal device=2}").holders == Numbers{2});
  CHECK(read("{devices=[4]<=[4]}").holders == Numbers{0, 1, 2, 3});
  CHECK(read("{devices=[2,1,2]0,2,1,3 last_tile_dim_replicate}").holders == Numbers{0, 2, 1, 3});
  // iota(8) as 2x4, transposed: columns first.
  CHECK(read("{devices=[4,2]<=[2,4]T(1,0)}").holders == Numbers{0, 4, 1, 5, 2, 6, 3, 7});
  const Sharding rest = read("{devices=[2,1,4]<=[8] last_tile_dims={replicated}}");
  CHECK(rest.replicate_on_last);
  CHECK(rest.rank() == 2);
}

TEST_CASE("what is no sharding is refused") {
  for (const char* text : {"", "{", "{devices=[2]}", "{devices=[2]0}", "{devices=[2]0,1", "{devices=[2,2]<=[2]}", "{devices=[4]<=[2,2]T(0,0)}",
                           "{devices=[4]<=[2,2]T(1)}", "{devices=[2]0,1 strange}", "{maximal}", "{devices=[-2]0,1}", "{devices=[99999999]<=[99999999]}"}) {
    INFO(text);
    auto s = read_hlo_sharding(text);
    REQUIRE_FALSE(bool(s));
    CHECK(s.diagnostic().code == Code::PartitionSharding);
  }
}

TEST_CASE("a partition holds the tile that lists it") {
  // 2x2 tiles, listed column by column: partition 1 is the lower left one.
  const Sharding s = read("{devices=[2,2]<=[2,2]T(1,0)}");
  const Numbers shape = {6, 10};
  CHECK(*s.shard_shape(shape) == Numbers{3, 5});
  CHECK(s.shard_start(shape, 0) == Numbers{0, 0});
  CHECK(s.shard_start(shape, 1) == Numbers{3, 0});
  CHECK(s.shard_start(shape, 2) == Numbers{0, 5});
  CHECK(s.shard_start(shape, 3) == Numbers{3, 5});
  const Sharding copies = read("{devices=[1,2,2]0,1,2,3 last_tile_dim_replicate}");
  CHECK(copies.shard_start(shape, 1) == Numbers{0, 0});
  CHECK(copies.shard_start(shape, 2) == Numbers{0, 5});
}

TEST_CASE("a dimension that the parts do not divide is refused") {
  auto shape = read("{devices=[2]<=[2]}").shard_shape(Numbers{7});
  REQUIRE_FALSE(bool(shape));
  CHECK(shape.diagnostic().code == Code::PartitionSharding);
}

TEST_CASE("the proto is OpSharding's") {
  CHECK(bytes(read("{replicated}")).empty());
  // type: OTHER; tile_assignment_dimensions: 2, 1, 2; tile_assignment_devices: 0..3; replicate_on_last_tile_dim
  CHECK(bytes(read("{devices=[2,1,2]<=[4] last_tile_dim_replicate}")) ==
        std::vector<int>{8, 3, 26, 3, 2, 1, 2, 34, 4, 0, 1, 2, 3, 48, 1});
  CHECK(bytes(read("{maximal device=3}")) == std::vector<int>{8, 1, 26, 1, 1, 34, 1, 3});
  // Two bytes for a device above 127.
  const auto large = bytes(read("{devices=[2]<=[2]}"));
  CHECK(large.size() == 9);
}
