// How a tensor lies over the partitions of a program: the meaning of XLA's OpSharding.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace openneuron::partition {

enum class ShardingKind : std::uint8_t { Replicated, Maximal, Tiled };

/// One tensor.
///   Replicated  every partition holds the whole
///   Maximal     partition `holders[0]` alone holds the whole
///   Tiled       dimension d is cut into tiles[d] equal parts. `holders` lists partition numbers in row-major order of the
///               tiles; with `replicate_on_last`, `tiles` has one dimension more than the tensor, over copies of a tile.
struct Sharding {
  ShardingKind kind = ShardingKind::Replicated;
  std::vector<std::int64_t> tiles;
  std::vector<std::int64_t> holders;
  bool replicate_on_last = false;
  bool operator==(const Sharding&) const = default;

  bool replicated() const { return kind == ShardingKind::Replicated; }
  /// Dimensions of the tensor that `tiles` speaks of.
  std::size_t rank() const { return tiles.size() - (replicate_on_last ? 1 : 0); }

  /// Shape of one partition's part of a tensor of `shape`.
  /// errors  ON-E2401: ranks differ, or a dimension is not divisible by its parts
  Result<std::vector<std::int64_t>> shard_shape(std::span<const std::int64_t> shape) const;
  /// Where partition `partition`'s part starts in a tensor of `shape`, by dimension.
  std::vector<std::int64_t> shard_start(std::span<const std::int64_t> shape, std::int64_t partition) const;

  /// A serialised OpSharding; empty for Replicated.
  std::vector<std::byte> proto() const;
  /// "{replicated}", "{devices=[2,2]0,1,2,3 last_tile_dim_replicate}"
  std::string text() const;
};

/// Tiles of which one or more are cut, else Replicated.
Sharding tiled(std::vector<std::int64_t> tiles, std::vector<std::int64_t> holders, bool replicate_on_last);

/// An HLO sharding as it is printed: "{replicated}", "{maximal device=1}", "{devices=[2,1,2]0,1,2,3 last_tile_dim_replicate}",
/// "{devices=[4,2]<=[2,4]T(1,0) last_tile_dims={replicated}}", "{manual}" (read as Replicated).
/// errors  ON-E2401
Result<Sharding> read_hlo_sharding(std::string_view text);

}  // namespace openneuron::partition
