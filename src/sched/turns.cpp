#include "sched/turns.h"

#include <algorithm>

namespace openneuron::sched {

using isa::Opcode;
using isa::Operand;
using isa::OperandKind;

void put_in_turn(isa::Instruction& i, const Version& v) {
  if (isa::opens_region(i.opcode)) i.operands[0].immediate = static_cast<double>(v.left);
  for (Operand& o : i.operands) {
    for (std::size_t n = 0; n < o.terms.size(); ++n) {
      isa::Term& t = o.terms[n];
      if (t.loop != v.loop) continue;
      o.start += v.which * t.bytes;
      o.partition_start = static_cast<std::uint16_t>(o.partition_start + v.which * t.partitions);
      t.bytes *= v.turns;
      t.partitions = static_cast<std::int32_t>(t.partitions * v.turns);
      if (v.left == 1) o.terms.erase(n--);
    }
    if (o.kind != OperandKind::Memory) continue;
    const auto at = std::lower_bound(v.tiles.begin(), v.tiles.end(), o.buffer, [](const auto& a, BufferId b) { return a.first < b; });
    if (at == v.tiles.end() || at->first != o.buffer) continue;
    o.buffer = at->second;
    o.copies = v.copies;
    o.rotate_loop = v.copies > 1 ? v.rotates : LoopId();
  }
}

isa::InstructionList without_single_turns(tile::Module& module, const tile::Program& program, const RegionTree& tree) {
  std::vector<bool> single(program.loop_count, false);
  bool any = false;
  for (const Region& r : tree.regions)
    if (r.kind == Opcode::LoopBegin && r.trips == 1) single[r.loop.index] = any = true;
  if (!any) return program.instructions;
  const auto is_single = [&](LoopId loop) { return loop.index < single.size() && single[loop.index]; };
  isa::InstructionList out;
  out.reserve(program.instructions.size());
  for (const isa::Instruction& in : program.instructions) {
    if (is_single(in.loop)) continue;
    isa::Instruction i = in;
    for (Operand& o : i.operands) {
      for (std::size_t n = 0; n < o.terms.size(); ++n)
        if (is_single(o.terms[n].loop)) o.terms.erase(n--);
      if (!is_single(o.rotate_loop)) continue;
      o.rotate_loop = LoopId();
      o.copies = 1;
      module.buffers[o.buffer].copies = 1;
    }
    i.order = static_cast<std::uint32_t>(out.size());
    out.push_back(i);
  }
  return out;
}

}  // namespace openneuron::sched
