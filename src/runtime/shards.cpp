#include "runtime/shards.h"

#include <algorithm>
#include <cstring>

namespace openneuron::runtime {
namespace {

std::int64_t product(std::span<const std::int64_t> values) {
  std::int64_t n = 1;
  for (std::int64_t v : values) n *= v;
  return n;
}

// Calls copy(byte in the whole, byte in the shard, bytes) for each piece of a shard that is contiguous in both.
template <class Copy>
void for_each_run(const Shards& s, std::size_t core, const Copy& copy) {
  if (s.shard_bytes() == 0) return;
  // Dimensions from `first` on are not cut: they and the one before them lie in one piece.
  std::size_t first = s.shape.size();
  while (first > 0 && s.shape[first - 1] == s.shard_shape[first - 1]) --first;
  const std::size_t outer = first > 0 ? first - 1 : 0;
  std::int64_t run = s.element_bytes;
  for (std::size_t d = outer; d < s.shape.size(); ++d) run *= s.shard_shape[d];
  std::vector<std::int64_t> stride(s.shape.size(), s.element_bytes);
  for (std::size_t d = s.shape.size(); d-- > 1;) stride[d - 1] = stride[d] * s.shape[d];
  std::int64_t at = 0;
  for (std::size_t d = 0; d < s.shape.size(); ++d) at += s.starts[core][d] * stride[d];
  std::vector<std::int64_t> index(outer, 0);
  for (std::int64_t part = 0;; part += run) {
    copy(at, part, run);
    std::size_t d = outer;
    for (; d > 0; --d) {
      at += stride[d - 1];
      if (++index[d - 1] < s.shard_shape[d - 1]) break;
      at -= index[d - 1] * stride[d - 1];
      index[d - 1] = 0;
    }
    if (d == 0) return;
  }
}

}  // namespace

std::int64_t Shards::bytes() const { return product(shape) * element_bytes; }
std::int64_t Shards::shard_bytes() const { return product(shard_shape) * element_bytes; }

std::optional<std::int64_t> Shards::offset_in_whole(std::size_t core) const {
  // In one piece: below the first dimension of which the shard holds more than one, nothing is cut.
  std::size_t d = 0;
  while (d < shape.size() && shard_shape[d] == 1) ++d;
  for (std::size_t inner = d + 1; inner < shape.size(); ++inner)
    if (shape[inner] != shard_shape[inner]) return std::nullopt;
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) offset = offset * shape[i] + starts[core][i];
  return offset * element_bytes;
}

void assemble(const Shards& s, std::span<const std::byte* const> parts, std::byte* whole) {
  for (std::size_t core = 0; core < parts.size(); ++core) {
    const bool again = std::find(s.starts.begin(), s.starts.begin() + static_cast<std::ptrdiff_t>(core), s.starts[core]) != s.starts.begin() + static_cast<std::ptrdiff_t>(core);
    if (again) continue;
    for_each_run(s, core, [&](std::int64_t at, std::int64_t part, std::int64_t bytes) {
      std::memcpy(whole + at, parts[core] + part, static_cast<std::size_t>(bytes));
    });
  }
}

void cut(const Shards& s, const std::byte* whole, std::size_t core, std::byte* part) {
  for_each_run(s, core, [&](std::int64_t at, std::int64_t piece, std::int64_t bytes) {
    std::memcpy(part + piece, whole + at, static_cast<std::size_t>(bytes));
  });
}

}  // namespace openneuron::runtime
