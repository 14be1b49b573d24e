// Where a home's elements lie. The blueprint's layout (partition, tile-loop and free factors) of a row-major home of N
// elements is said by three numbers: linear = o*(n*s) + p*s + i, with p cut into tiles of T: p = t*T + r. Then
//   partition r,   byte ((t*O + o)*s + i) * element bytes,   O = N / (n*s)
// so t is the tile-loop factor, r the partition factor, o and i the free factors.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/ids.h"
#include "machine/machine.h"

namespace openneuron::lower {

// Spilled is the tiled order in HBM, a partition's elements one after the other: byte ((p*O + o)*s + i) * element bytes, so
// that tiles go out and come back in long runs.
enum class FormKind : std::uint8_t { Hbm, Tiled, Replicated, Spilled };

struct Form {
  FormKind kind = FormKind::Hbm;
  std::int64_t s = 1, n = 1, tile = 1;  ///< Tiled; Spilled, whose tile is how rows are moved
  BufferId buffer;
  bool on_chip() const { return kind == FormKind::Tiled || kind == FormKind::Replicated; }
  bool same_layout(const Form& other) const {
    return kind == other.kind && (kind == FormKind::Hbm || kind == FormKind::Replicated || (s == other.s && n == other.n && tile == other.tile));
  }
  std::int64_t tiles() const { return (n + tile - 1) / tile; }
  /// Bytes per partition of a home of `count` elements (Hbm: in all).
  std::int64_t bytes(std::int64_t count, std::int64_t element_bytes) const {
    return kind == FormKind::Tiled ? tiles() * (count / n) * element_bytes : count * element_bytes;
  }
};

/// A step of `step` home elements taken up to `count` times, and where it leads in a form.
struct Step {
  std::int64_t step = 0;
  std::int64_t count = 1;
  std::int64_t bytes = 0;       // out
  std::int64_t partitions = 0;  // out
};
struct FormPlace {
  std::int64_t bytes = 0;
  std::int64_t partition = 0;
};

/// Maps an affine set of home elements (start + every combination of the steps) into the form; false when a combination
/// would carry from one factor into another, or runs backwards over partitions.
bool map_steps(const Form& form, std::int64_t count, std::int64_t element_bytes, std::int64_t start,
               std::span<Step> steps, FormPlace& place);

/// Whether `partitions` rows may start at `start`: quadrant rule of the machine file.
bool legal_start(std::int64_t start, std::int64_t partitions, const Machine& machine);

/// Runs of fewer bytes than this are slow to move by DMA: rows are moved, and turned on the PE.
inline constexpr std::int64_t kShortRun = 64;

/// Largest tile on partitions: fits SBUF's rows and both sides of the PE.
std::int64_t tile_limit(const Machine& machine);
/// How an axis of `n` is cut: the largest tile up to the limit that leaves no rest if one of at least half of the limit
/// does, else the limit.
std::int64_t tile_of(std::int64_t n, std::int64_t limit);

}  // namespace openneuron::lower
