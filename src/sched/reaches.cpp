#include "sched/reaches.h"

#include <algorithm>

#include "isa/table.h"

namespace openneuron::sched {

using isa::Opcode;
using isa::Operand;
using isa::OperandKind;

constexpr std::uint32_t kStationary = 0xFFFFFFFEu;  // a buffer that is none: what the PE holds

bool Reaches::around(const Region& region, std::int32_t block) const {
  const Block& b = tree_.blocks[static_cast<std::size_t>(block)];
  return b.region >= 0 && region.begin <= b.begin && b.end <= region.end;
}

std::uint32_t Reaches::memory_owner(BufferId buffer) const {
  while (module_.buffers[buffer].alias.index < module_.buffers.size()) buffer = module_.buffers[buffer].alias;
  return buffer.index;
}

Reach Reaches::reach(const Operand& o, bool write, bool whole, std::int32_t block, const Version* version) const {
  Reach r;
  r.buffer = memory_owner(o.buffer);
  r.write = write;
  r.whole = whole || o.reg >= 0;
  const isa::ByteRange range = isa::free_range(o);
  r.first = o.start + range.begin;
  r.last = o.start + range.end;
  if (isa::is_hbm(o.space)) {
    const std::int64_t rows = o.partition_stride * (o.partition_count - 1);
    r.first += std::min<std::int64_t>(0, rows);
    r.last += std::max<std::int64_t>(0, rows);
  } else {
    r.first_row = o.partition_start;
    r.last_row = o.partition_start + (o.partition_stride == 0 ? 1 : o.partition_count);
  }
  const auto mix = [&](std::uint64_t n) { r.frame = (r.frame ^ n) * 0x9E3779B97F4A7C15u + 1; };
  for (const isa::Term& t : o.terms) {
    const Region& loop = region_of(t.loop);
    if (around(loop, block)) {
      mix(t.loop.index), mix(static_cast<std::uint64_t>(t.bytes)), mix(static_cast<std::uint64_t>(t.partitions));
      continue;
    }
    const bool own = version && version->loop == t.loop;
    const std::int64_t last = (own ? version->left : loop.trips) - 1;
    if (loop.trips < 0) r.whole = true;
    (t.bytes < 0 ? r.first : r.last) += t.bytes * std::max<std::int64_t>(last, 0);
    (t.partitions < 0 ? r.first_row : r.last_row) += static_cast<std::int32_t>(t.partitions * std::max<std::int64_t>(last, 0));
  }
  if (o.copies > 1) {
    if (o.rotate_loop.index < tree_.region_of_loop.size() && around(region_of(o.rotate_loop), block))
      mix(o.rotate_loop.index), mix(o.copies);
    else
      r.whole = true;
  }
  return r;
}

void Reaches::add(const isa::Instruction& i, std::int32_t block, const Version* version, Unit& unit) const {
  const isa::Row& row = isa::row(i.opcode);
  const int indirect = isa::indirect_operand(i);
  for (std::size_t n = 0; n < i.operands.size(); ++n) {
    const Operand& o = i.operands[n];
    if (o.kind == OperandKind::Register || o.reg >= 0) unit.barrier = true;
    if (o.kind != OperandKind::Memory || o.buffer.index >= module_.buffers.size()) continue;
    const isa::Use use = isa::operand_field(row, n).use;
    const bool writes = use == isa::Use::Writes || use == isa::Use::ReadsWrites;
    unit.reaches.push_back(reach(o, writes, static_cast<int>(n) == indirect, block, version));
    if (!isa::is_hbm(o.space)) unit.tiles.push_back(o.buffer.index);
  }
  if (i.opcode == Opcode::LoadStationary || i.opcode == Opcode::Matmul) {
    Reach r;
    r.buffer = kStationary;
    r.whole = true;
    r.write = i.opcode == Opcode::LoadStationary;
    unit.reaches.push_back(r);
  }
  if (row.engines == isa::E_ALL || i.opcode == Opcode::CoreBarrier) unit.barrier = true;
}

}  // namespace openneuron::sched
