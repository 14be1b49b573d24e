// Global arrays and their shards on the cores: copies between the two.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace openneuron::runtime {

/// Where the shards of one dense row-major array lie. All shards have one shape.
struct Shards {
  std::int64_t element_bytes = 1;
  std::vector<std::int64_t> shape;                ///< of the whole
  std::vector<std::int64_t> shard_shape;          ///< of one shard
  std::vector<std::vector<std::int64_t>> starts;  ///< per core: its first element in the whole, by dimension

  std::int64_t bytes() const;        ///< of the whole
  std::int64_t shard_bytes() const;
  /// Every core holds the whole: no copy is needed either way.
  bool whole() const { return shape == shard_shape; }
  /// Byte offset of a shard that lies in one piece in the whole (cut along the leading dimensions only); none otherwise.
  std::optional<std::int64_t> offset_in_whole(std::size_t core) const;
};

/// Puts the shards together. `parts[core]` is that core's shard; of equal shards the first is read.
void assemble(const Shards& shards, std::span<const std::byte* const> parts, std::byte* whole);
/// Copies one core's shard out of the whole.
void cut(const Shards& shards, const std::byte* whole, std::size_t core, std::byte* part);

}  // namespace openneuron::runtime
