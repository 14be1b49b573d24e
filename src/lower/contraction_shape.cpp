// How a contraction's operands come to the PE: which contracted axes share the partitions, and what is streamed in blocks.
#include <algorithm>
#include <cstdlib>

#include "graph/op_info.h"
#include "lower/group.h"

namespace openneuron::lower {

using graph::OpKind;

namespace {
constexpr std::int64_t kFewChannels = 32;  // of a convolution: a quadrant of the PE
}  // namespace

// A convolution whose contracted axis is short stacks further contracted axes on the partitions: taps beside few channels;
// rows of pixels of a weight gradient, whose taps shift the partitions so that no tile in SBUF could serve them.
void GroupEmitter::stack_contracted() {
  if (c_.function.kind(group_.contraction) != OpKind::Convolution || k_axes_.size() < 2) return;
  if (lhs_.kind == ViewKind::Iota || rhs_.kind == ViewKind::Iota) return;
  const std::int64_t limit = tile_limit(store_.emitter().machine());
  const int partition = k_axes_.back();
  std::int64_t rows = nest_.axes[static_cast<std::size_t>(partition)].size;
  if (rows * 2 > limit) return;
  const Roles& left = stationary_is_lhs_ ? stationary_roles_ : moving_roles_;
  const Roles& right = stationary_is_lhs_ ? moving_roles_ : stationary_roles_;
  // Half of the PE's rows are worth keeping the operands on chip; a quarter is not.
  const auto stays = [&](const AxisView& view, const Roles& roles) { return nest_.on_chip(view, roles) || nest_.keepable(view, roles); };
  if (rows > kFewChannels && stays(lhs_, left) && stays(rhs_, right)) return;
  // The outermost axes first: those inside lie in a block, which their taps share.
  std::vector<int> outer(k_axes_.begin(), k_axes_.end() - 1);
  std::stable_sort(outer.begin(), outer.end(), [&](int x, int y) {
    return std::abs(lhs_.strides[static_cast<std::size_t>(x)]) > std::abs(lhs_.strides[static_cast<std::size_t>(y)]);
  });
  // An access has few dims: the source's are the stacked axes but one, the partition axis and the free ones.
  const std::size_t most = static_cast<std::size_t>(store_.emitter().machine().access_dims) - 1 - std::max(moving_roles_.free.size(), stationary_roles_.free.size());
  std::vector<int> stacked;
  for (int a : outer) {
    Axis& k = nest_.axes[static_cast<std::size_t>(a)];
    if (k.size == 1 || stacked.size() == most) continue;
    const std::int64_t fit = std::min(k.size, limit / rows);
    if (fit < 2) break;
    const std::int64_t tiles = (k.size + fit - 1) / fit;
    k.tile = k.extent = (k.size + tiles - 1) / tiles;
    rows *= k.tile;
    stacked.insert(stacked.begin(), a);
    if (k.tile < k.size) break;
  }
  stationary_roles_.stacked = moving_roles_.stacked = stacked;
}

// What is not on chip is streamed: of each operand, what the loops inside of some level read, by one DMA. The level is the
// outermost whose block fits.
void GroupEmitter::plan_blocks() {
  if (!group_.contraction.valid()) return;
  const Roles& left = stationary_is_lhs_ ? stationary_roles_ : moving_roles_;
  const Roles& right = stationary_is_lhs_ ? moving_roles_ : stationary_roles_;
  const auto streams = [&](const AxisView& view, const Roles& roles) {
    return view.kind == ViewKind::Memory && roles.partition >= 0 && !nest_.on_chip(view, roles) && (!roles.stacked.empty() || !nest_.turns(view, roles));
  };
  const bool lhs = streams(lhs_, left), rhs = streams(rhs_, right);
  if (!lhs && !rhs) return;
  // Loops in which the one that streams stands still go inside: it is read once.
  if (lhs != rhs) {
    const AxisView& streamed = lhs ? lhs_ : rhs_;
    std::stable_partition(loop_order_.begin(), loop_order_.end(), [&](int a) { return streamed.strides[static_cast<std::size_t>(a)] != 0; });
  }
  // Tiles of channels outside of the taps, and the stacked ones next: a block then holds the taps of its channels.
  std::vector<int> order = {left.partition};
  for (int a : left.stacked) order.push_back(a);
  for (int a : k_axes_)
    if (std::find(order.begin(), order.end(), a) == order.end()) order.push_back(a);
  k_axes_ = order;
  order.insert(order.begin(), loop_order_.begin(), loop_order_.end());
  const std::int64_t room = store_.emitter().machine().sbuf_partition_bytes / 10;
  const auto plan = [&](const AxisView& view, const Roles& roles, Streamed& operand) {
    std::vector<bool> inside(nest_.axes.size(), false);
    for (int a : order) inside[static_cast<std::size_t>(a)] = true;
    for (operand.level = 0; operand.level <= order.size(); ++operand.level) {
      if (operand.block.plan(nest_, view, roles, inside, room)) return;
      if (operand.level < order.size()) inside[static_cast<std::size_t>(order[operand.level])] = false;
    }
  };
  if (lhs) plan(lhs_, left, left_);
  if (rhs) plan(rhs_, right, right_);
}

Result<void> GroupEmitter::load_blocks(std::size_t level) {
  for (Streamed* operand : {&left_, &right_})
    if (operand->block.planned() && operand->level == level) ON_TRY(operand->block.load(nest_));
  return {};
}

// Loops from `level` of loop_order_ on; those of contracted axes are emit_k's.
Result<void> GroupEmitter::emit_loops(std::size_t level) {
  if (level == loop_order_.size()) return nest_.over({}, [&]() { return emit_tile(); });
  ON_TRY(load_blocks(level));
  const int axis[] = {loop_order_[level]};
  return nest_.over(axis, [&]() { return emit_loops(level + 1); });
}

}  // namespace openneuron::lower
