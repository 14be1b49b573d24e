// Values of the frames: leaves, and how a branch reaches those around it.
#include "import/hlo_build.h"

namespace openneuron::import::hlo {

const Builder::Value& Builder::operand(std::size_t i) {
  return frame().values[structure_.operands[head_->first_operand + i]];
}

ValueId Builder::use(Frame& f, ValueId leaf) {
  if ((leaf.index & kOuter) == 0) return leaf;
  const ValueId outer = f.argument[leaf.index & ~kOuter];
  const auto [found, is_new] = f.slot_of.emplace(outer.index, static_cast<std::uint32_t>(f.captures.size()));
  if (is_new) f.captures.push_back(outer);
  return graph::Function::provisional_capture(found->second);
}

TypeId Builder::type_of(std::size_t depth, ValueId leaf) {
  while ((leaf.index & kOuter) != 0) leaf = frames_[depth--].argument[leaf.index & ~kOuter];
  return frames_[depth].function.type(leaf);
}

void Builder::define(const Value& value) {
  Frame& f = frame();
  Value& mine = f.values[f.computation->order[f.next]];
  if (value.count != shape_->leaves.size()) return fail(Code::HloType, "its shape does not fit its operands");
  for (std::uint32_t i = 0; i < value.count; ++i) {
    if (type_of(frames_.size() - 1, f.pool[value.first + i]) != shape_->leaves[i])
      return fail(Code::HloType, "its shape does not fit its operands");
  }
  mine = value;
  mine.shape = shape_;
}

void Builder::define(std::span<const ValueId> leaves) {
  Frame& f = frame();
  const Value value{static_cast<std::uint32_t>(f.pool.size()), static_cast<std::uint32_t>(leaves.size()), shape_};
  f.pool.insert(f.pool.end(), leaves.begin(), leaves.end());
  define(value);
}

// Leaves of the operands from one on, as the frame's function names them.
std::vector<ValueId> Builder::operand_leaves(std::size_t from) {
  Frame& f = frame();
  std::vector<ValueId> result;
  for (std::size_t i = from; i < head_->operand_count; ++i) {
    for (const ValueId leaf : leaves(operand(i))) result.push_back(use(f, leaf));
  }
  return result;
}

std::vector<TypeId> Builder::operand_types(std::size_t from) {
  std::vector<TypeId> result;
  for (std::size_t i = from; i < head_->operand_count; ++i) {
    for (const ValueId leaf : leaves(operand(i))) result.push_back(type_of(frames_.size() - 1, leaf));
  }
  return result;
}

}  // namespace openneuron::import::hlo
