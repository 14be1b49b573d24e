// Transitive reduction by vector clocks. What a stream knows: per other stream, up to which program-order number
// everything there is complete. Waiting for an instruction adds what its stream knew when it started. Knowledge from
// something that may not have run, or from an earlier iteration, is not used: the result keeps a wait too many at times,
// never one too few.
#include <algorithm>

#include "sched/dependences.h"

namespace openneuron::sched {
namespace {

using Knowledge = std::vector<std::uint32_t>;  // [stream * streams + other]: order + 1

}  // namespace

void drop_implied(Dependences& dependences, const tile::Program& program, const RegionTree& tree, std::size_t streams) {
  Knowledge known(streams * streams, 0);
  std::vector<std::uint32_t> at_start(dependences.items.size() * streams, 0);  // per item what its stream knew
  std::vector<Knowledge> saved;  // per open region that may be skipped; empty: the region runs for certain
  const auto conditional_block = [&](std::int32_t block) {
    while (block > 0 && !tree.conditional(block)) block = tree.parent_block(block);
    return block;
  };
  const auto ran = [&](std::int32_t from, std::int32_t to) {
    const Block &outer = tree.blocks[static_cast<std::size_t>(conditional_block(from))], &inner = tree.blocks[static_cast<std::size_t>(to)];
    return outer.begin <= inner.begin && inner.end <= outer.end;
  };
  std::vector<Dependence> kept;
  kept.reserve(dependences.list.size());
  std::size_t item = 0, next = 0;
  for (std::uint32_t i = 0; i < program.instructions.size(); ++i) {
    const isa::Instruction& instruction = program.instructions[i];
    if (isa::opens_region(instruction.opcode)) {
      const Region& r = tree.regions[static_cast<std::size_t>(tree.region_of_loop[instruction.loop.index])];
      const bool certain = r.kind == isa::Opcode::LoopBegin && r.trips >= 1;
      saved.push_back(certain ? Knowledge() : known);
    } else if (instruction.opcode == isa::Opcode::CaseNext) {
      known = saved.back();
    } else if (isa::closes_region(instruction.opcode)) {
      if (!saved.back().empty()) known = std::move(saved.back());
      saved.pop_back();
    }
    for (; item < dependences.items.size() && dependences.items[item].instruction == i; ++item) {
      const std::size_t mine = dependences.items[item].stream * streams;
      for (; next < dependences.list.size() && dependences.list[next].to == item; ++next) {
        const Dependence& d = dependences.list[next];
        const Item& from = dependences.items[d.from];
        if (d.loop < 0) {
          if (known[mine + from.stream] > from.instruction) continue;
          if (ran(tree.block_of[from.instruction], tree.block_of[i])) {
            for (std::size_t s = 0; s < streams; ++s)
              known[mine + s] = std::max(known[mine + s], at_start[d.from * streams + s]);
            known[mine + from.stream] = std::max(known[mine + from.stream], from.instruction + 1);
          }
        }
        kept.push_back(d);
      }
      std::copy_n(known.begin() + static_cast<std::ptrdiff_t>(mine), streams, at_start.begin() + static_cast<std::ptrdiff_t>(item * streams));
    }
  }
  dependences.list = std::move(kept);
}

}  // namespace openneuron::sched
