#include "sched/intervals.h"

#include <algorithm>

#include "sched/memory.h"

namespace openneuron::sched {

std::vector<Interval> live_intervals(tile::Module& module, const tile::Program& program, const RegionTree& tree,
                                     const Machine& machine, std::vector<RotatingOperand>& rotating) {
  struct Use {
    std::int32_t block = -1, first_block = -1, last_block = -1;
    std::uint32_t first = 0, last = 0, wide_first = 0xFFFFFFFFu, wide_last = 0;
    std::int64_t most_copies = isa::InstructionList::kMostCopies;
    bool loaded = false;
  };
  Column<BufferId, Use> uses(module.buffers.size());
  std::uint32_t i = 0;
  for (const isa::Instruction& instruction : program.instructions) {
    for (std::size_t n = 0; n < instruction.operands.size(); ++n) {
      const isa::Operand& o = instruction.operands[n];
      if (o.kind != isa::OperandKind::Memory || o.buffer.index >= module.buffers.size() || isa::is_hbm(o.space)) continue;
      Use& use = uses[o.buffer];
      const std::int32_t block = tree.block_of[i];
      if (use.block < 0) {
        use.block = use.first_block = block;
        use.first = i;
      }
      use.block = tree.common_block(use.block, block);
      use.last_block = block;
      use.last = i;
      use.loaded |= n == 0 && instruction.opcode == isa::Opcode::Dma;
      if (o.copies > 1 && o.rotate_loop.index < tree.region_of_loop.size() && tree.region_of_loop[o.rotate_loop.index] >= 0) {
        const Region& loop = tree.regions[static_cast<std::size_t>(tree.region_of_loop[o.rotate_loop.index])];
        use.wide_first = std::min(use.wide_first, loop.begin);
        use.wide_last = std::max(use.wide_last, loop.end);
        if (loop.trips >= 0) use.most_copies = std::min(use.most_copies, loop.trips);
        rotating.push_back({i, static_cast<std::uint8_t>(n), o.buffer});
      }
    }
    ++i;
  }
  std::vector<Interval> out;
  for (std::uint32_t b = 0; b < module.buffers.size(); ++b) {
    const Use& use = uses[BufferId(b)];
    if (use.block < 0) continue;
    tile::Buffer& buffer = module.buffers[BufferId(b)];
    buffer.first = use.first;
    buffer.last = use.last;
    Interval interval;
    interval.buffer = BufferId(b);
    interval.begin = use.first;
    interval.end = use.last;
    interval.pitch = copy_pitch(buffer, machine);
    interval.copies = buffer.copies;
    interval.loaded = use.loaded;
    const bool may_grow = buffer.copies > 1 && buffer.address < 0;
    interval.most_copies = may_grow ? static_cast<std::uint16_t>(std::max<std::int64_t>(use.most_copies, buffer.copies)) : buffer.copies;
    if (const std::int32_t r = tree.child_region(use.block, use.first_block); r >= 0)
      interval.begin = tree.regions[static_cast<std::size_t>(r)].begin;
    if (const std::int32_t r = tree.child_region(use.block, use.last_block); r >= 0)
      interval.end = tree.regions[static_cast<std::size_t>(r)].end;
    interval.wide_begin = std::min(interval.begin, use.wide_first);
    interval.wide_end = std::max(interval.end, use.wide_last);
    out.push_back(interval);
  }
  return out;
}

}  // namespace openneuron::sched
