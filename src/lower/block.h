// A block of a streamed operand: what the loops inside of one level of a nest read of it, moved by one DMA. The taps of a
// convolution read it at their offsets; a weight's tiles lie in it one after the other.
#pragma once
#include <memory>
#include <vector>

#include "lower/nest.h"

namespace openneuron::lower {

class Block {
 public:
  /// Whether what the axes marked `inside` read of `view` fits a block of `room` bytes a partition. An axis that is not
  /// inside takes part with its current tile.
  bool plan(Nest& nest, const AxisView& view, const Roles& roles, const std::vector<bool>& inside, std::int64_t room);
  bool planned() const { return planned_; }
  /// Moves the block; the axes inside stand at their first element, the others at their current tile.
  Result<void> load(Nest& nest);
  /// The current tile of the block: dims are the roles' free axes.
  isa::Operand tile(const Nest& nest) const;

 private:
  bool plan_part(Nest& nest, const AxisView& view, const Roles& roles, const std::vector<bool>& inside, std::int64_t room);
  Result<void> load_part(Nest& nest);
  /// Loads rows of the free axis as they lie in HBM and turns them on the PE.
  Result<void> load_turned(Nest& nest);
  bool readable(Nest& nest, std::size_t from) const;
  std::vector<isa::Dim> extents(const Nest& nest) const;
  /// An axis that walks through a dim of the block: `unit` of its elements are `step` elements of the dim.
  struct Walk {
    int axis = -1;
    std::int64_t unit = 1, step = 1, count = 1;
    bool inside = false;
  };
  struct Dim {
    std::int64_t stride = 0;               ///< of the home, per element of the dim
    std::int64_t count = 1, pitch = 0;     ///< elements; bytes in the block
    std::vector<Walk> walks;
  };
  AxisView view_;
  Roles roles_;
  std::vector<bool> inside_;
  std::vector<Dim> dims_;
  isa::Operand block_;
  std::int64_t bytes_ = 0;
  bool planned_ = false, turned_ = false;
  // What lies in rows may leave a rest tile: it is a block of its own, of `rest_axis_` from `rest_from_` on.
  std::unique_ptr<Block> rest_;
  int rest_axis_ = -1;
  std::int64_t rest_from_ = 0;
};

}  // namespace openneuron::lower
