// A tile of a convolution's input with its halo: read from HBM once for all taps, which then read it at their offsets.
#pragma once
#include <vector>

#include "lower/nest.h"

namespace openneuron::lower {

/// A spatial dim of a convolution as two axes of the nest: the output's and the taps'.
struct SpatialAxes {
  int out = -1, tap = -1;
};

class Halo {
 public:
  /// Whether `view`, which is streamed, can be read by way of a halo tile of at most `room` bytes a partition.
  bool plan(Nest& nest, const AxisView& view, const Roles& roles, std::span<const SpatialAxes> spatial, std::int64_t room);
  bool planned() const { return !dims_.empty(); }
  /// Reads the tile; the taps' axes stand at their first element, the others at their current tile.
  Result<void> load(Nest& nest);
  /// The current taps' part of the tile: dims are the roles' free axes.
  isa::Operand tap(const Nest& nest) const;

 private:
  struct Dim {
    int out, tap;                         // tap -1: an axis without taps
    std::int64_t stride;                  // of the view, per step of the tile
    std::int64_t out_step = 1, tap_step = 0;
    std::int64_t count = 1, pitch = 1;    // of the tile, elements
  };
  AxisView view_;
  Roles roles_;
  std::vector<Dim> dims_;
  isa::Operand tile_;
};

}  // namespace openneuron::lower
