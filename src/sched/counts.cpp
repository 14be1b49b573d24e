#include "sched/counts.h"

namespace openneuron::sched {
namespace {

// Counts stay below this; a program that gives more signals than that never ends.
constexpr std::int64_t kMost = std::int64_t{1} << 56;

std::int64_t times(std::int64_t trips, std::int64_t count) {
  if (trips == 0 || count == 0) return 0;
  return count > kMost / trips ? kMost : trips * count;
}

}  // namespace

SignalCounts::SignalCounts(const tile::Program& program, const RegionTree& tree, const Dependences& dependences, std::size_t streams)
    : tree_(tree), dependences_(dependences), streams_(streams), signals_(dependences.items.size(), false),
      any_(tree.regions.size() * streams, false), up_to_(dependences.items.size(), 0), before_(tree.regions.size() * streams, 0),
      total_(tree.regions.size() * streams, 0), block_(tree.blocks.size() * streams, 0) {
  if (!dependences.must_signal.empty()) signals_ = dependences.must_signal;
  for (const Dependence& d : dependences.list) signals_[d.from] = true;
  std::vector<std::int32_t> open{0};  // blocks
  std::size_t item = 0;
  for (std::uint32_t i = 0; i < program.instructions.size(); ++i) {
    const isa::Head instruction = program.instructions.head(i);
    const isa::Opcode opcode = instruction.opcode;
    if (isa::opens_region(opcode)) {
      const std::int32_t region = tree.region_of_loop[instruction.loop.index];
      for (std::size_t s = 0; s < streams; ++s) before_[at(region, s)] = block_[at(open.back(), s)];
      open.push_back(tree.regions[static_cast<std::size_t>(region)].first_block);
    } else if (isa::divides_region(opcode)) {
      const Region& r = tree.regions[static_cast<std::size_t>(tree.region_of_loop[instruction.loop.index])];
      for (std::size_t b = 0; b + 1 < r.blocks.size(); ++b)
        if (r.blocks[b] == open.back()) {
          open.back() = r.blocks[b + 1];
          break;
        }
    } else if (isa::closes_region(opcode)) {
      const std::int32_t region = tree.region_of_loop[instruction.loop.index];
      const Region& r = tree.regions[static_cast<std::size_t>(region)];
      open.pop_back();
      const std::int32_t around = tree.blocks[static_cast<std::size_t>(open.back())].region;
      for (std::size_t s = 0; s < streams; ++s) {
        if (r.fixed_trips) total_[at(region, s)] = times(r.trips, block_[at(r.first_block, s)]);
        block_[at(open.back(), s)] += total_[at(region, s)];
        if (around >= 0 && any_[at(region, s)]) any_[at(around, s)] = true;
      }
    }
    for (; item < dependences.items.size() && dependences.items[item].instruction == i; ++item) {
      const std::size_t s = dependences.items[item].stream;
      if (signals_[item]) {
        ++block_[at(open.back(), s)];
        const std::int32_t region = tree.blocks[static_cast<std::size_t>(open.back())].region;
        if (region >= 0) any_[at(region, s)] = true;
      }
      up_to_[item] = block_[at(open.back(), s)];
    }
  }
}

std::int64_t SignalCounts::position(std::uint32_t item, std::int32_t block) const {
  const std::size_t s = dependences_.items[item].stream;
  std::int32_t b = tree_.block_of[dependences_.items[item].instruction];
  if (b == block) return up_to_[item];
  const std::int32_t region = tree_.child_region(block, b);
  const Region& r = tree_.regions[static_cast<std::size_t>(region)];
  if (!r.fixed_trips) return before_[at(region, s)];
  std::int64_t rest = 0, done = up_to_[item];
  for (;;) {
    rest += block_[at(b, s)] - done;
    const std::int32_t inner = tree_.blocks[static_cast<std::size_t>(b)].region;
    if (tree_.regions[static_cast<std::size_t>(inner)].trips == 0) rest = 0;  // nothing in it runs
    if (inner == region) break;
    b = tree_.regions[static_cast<std::size_t>(inner)].parent;
    done = before_[at(inner, s)] + total_[at(inner, s)];
  }
  return before_[at(region, s)] + total_[at(region, s)] - rest;
}

}  // namespace openneuron::sched
