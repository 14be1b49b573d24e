#include "sched/membership.h"

#include <algorithm>

#include "isa/table.h"

namespace openneuron::sched {
namespace {

template <class HeadOrInstruction>
bool sets_register(const HeadOrInstruction& i) {
  return i.opcode == isa::Opcode::RegisterMove || i.opcode == isa::Opcode::RegisterLoad;
}
bool is_marker(const isa::Head& i) {
  return isa::opens_region(i.opcode) || isa::closes_region(i.opcode) || isa::divides_region(i.opcode);
}
int rank(const StreamName& s) { return static_cast<int>(s.engine) * 256 + s.queue; }

}  // namespace

Result<Membership> Membership::build(const tile::Program& program, const RegionTree& tree) {
  Membership m(program, tree);
  const auto count = program.instructions.size();
  m.holders_.assign(count, 0);
  m.regions_.assign(tree.regions.size(), 0);
  m.registers_.assign(program.register_count, 0);
  m.setters_.resize(program.register_count);
  std::vector<bool> used(7 * 256, false);
  const auto stream_of = [](const isa::Head& i) {
    return StreamName{i.engine, i.engine == isa::Engine::Dma ? i.queue : std::uint8_t{0}};
  };
  isa::Instruction instruction;  // read only where registers matter
  for (std::size_t i = 0; i < count; ++i) {
    const isa::Head head = program.instructions.head(i);
    if (is_marker(head)) continue;
    if (sets_register(head)) {
      program.instructions.read(i, instruction);
      if (instruction.operands[0].reg >= 0)
        m.setters_[static_cast<std::size_t>(instruction.operands[0].reg)].push_back(static_cast<std::uint32_t>(i));
      continue;
    }
    if (head.engine == isa::Engine::Any)
      return fail(Code::Internal, "instruction " + std::to_string(i) + " has no engine");
    used[static_cast<std::size_t>(rank(stream_of(head)))] = true;
  }
  std::vector<int> index(used.size(), -1);
  for (std::size_t r = 0; r < used.size(); ++r) {
    if (!used[r]) continue;
    index[r] = static_cast<int>(m.streams_.size());
    m.streams_.push_back({static_cast<isa::Engine>(r / 256), static_cast<std::uint8_t>(r % 256)});
  }
  if (m.streams_.size() > kMaxStreams)
    return fail(Code::ScheduleTooLarge, "the program uses " + std::to_string(m.streams_.size()) + " engines and DMA queues; at most " +
                                            std::to_string(kMaxStreams) + " are scheduled");
  for (std::size_t i = 0; i < count; ++i) {
    const isa::Head head = program.instructions.head(i);
    if (is_marker(head) || sets_register(head)) continue;
    const StreamMask mask = StreamMask{1} << index[static_cast<std::size_t>(rank(stream_of(head)))];
    m.holders_[i] = mask;
    m.hold_block(tree.block_of[i], mask);
    if (program.register_count == 0) continue;
    program.instructions.read(i, instruction);
    m.need_registers_of(instruction, mask);
  }
  m.settle();
  return m;
}

bool Membership::hold(std::int32_t region, StreamMask streams) {
  if ((regions_[static_cast<std::size_t>(region)] & streams) == streams) return false;
  work_.push_back({region, -1, streams});
  settle();
  return true;
}

void Membership::hold_block(std::int32_t block, StreamMask streams) {
  const std::int32_t region = tree_->blocks[static_cast<std::size_t>(block)].region;
  if (region >= 0 && (regions_[static_cast<std::size_t>(region)] & streams) != streams) work_.push_back({region, -1, streams});
}

void Membership::need(std::int32_t reg, StreamMask streams) {
  if ((registers_[static_cast<std::size_t>(reg)] & streams) != streams) work_.push_back({-1, reg, streams});
}

void Membership::need_registers_of(const isa::Instruction& i, StreamMask streams) {
  const std::size_t first = sets_register(i) ? 1 : 0;  // operand 0 of these is what they set
  for (std::size_t n = first; n < i.operands.size(); ++n)
    if (i.operands[n].reg >= 0) need(i.operands[n].reg, streams);
}

void Membership::settle() {
  while (!work_.empty()) {
    const Work work = work_.back();
    work_.pop_back();
    if (work.region >= 0) {
      StreamMask& held = regions_[static_cast<std::size_t>(work.region)];
      const StreamMask fresh = work.streams & ~held;
      if (!fresh) continue;
      held |= fresh;
      const Region& r = tree_->regions[static_cast<std::size_t>(work.region)];
      hold_block(r.parent, fresh);
      for (std::int32_t block : r.blocks) need_registers_of(program_->instructions[tree_->blocks[static_cast<std::size_t>(block)].begin], fresh);
    } else {
      StreamMask& held = registers_[static_cast<std::size_t>(work.reg)];
      const StreamMask fresh = work.streams & ~held;
      if (!fresh) continue;
      held |= fresh;
      for (std::uint32_t setter : setters_[static_cast<std::size_t>(work.reg)]) {
        holders_[setter] |= fresh;
        hold_block(tree_->block_of[setter], fresh);
        need_registers_of(program_->instructions[setter], fresh);
      }
    }
  }
}

Result<std::vector<std::int16_t>> assign_registers(const tile::Program& program, const RegionTree& tree, const Machine& machine) {
  struct Use {
    std::int32_t block = -1, first_block = -1, last_block = -1;
    std::uint32_t first = 0, last = 0;
  };
  std::vector<Use> uses(program.register_count);
  std::uint32_t i = 0;
  for (const isa::Instruction& instruction : program.instructions) {
    for (const isa::Operand& o : instruction.operands) {
      if (o.reg < 0) continue;
      if (static_cast<std::uint32_t>(o.reg) >= program.register_count)
        return fail(Code::TileRegions, "instruction " + std::to_string(i) + " names R" + std::to_string(o.reg) + ", beyond the program's registers");
      Use& use = uses[static_cast<std::size_t>(o.reg)];
      if (use.block < 0) {
        use.block = use.first_block = tree.block_of[i];
        use.first = i;
      }
      use.block = tree.common_block(use.block, tree.block_of[i]);
      use.last_block = tree.block_of[i];
      use.last = i;
    }
    ++i;
  }
  struct Live {
    std::uint32_t begin, end;
    std::size_t reg;
  };
  std::vector<Live> order;
  for (std::size_t r = 0; r < uses.size(); ++r) {
    Use& use = uses[r];
    if (use.block < 0) continue;
    if (const std::int32_t region = tree.child_region(use.block, use.first_block); region >= 0)
      use.first = tree.regions[static_cast<std::size_t>(region)].begin;
    if (const std::int32_t region = tree.child_region(use.block, use.last_block); region >= 0)
      use.last = tree.regions[static_cast<std::size_t>(region)].end;
    // A marker belongs to the block around its region; what it reads at the end of a part lives through the region.
    const isa::Head last = program.instructions.head(use.last);
    if (isa::divides_region(last.opcode) && last.loop.index < tree.region_of_loop.size()) {
      const Region& region = tree.regions[static_cast<std::size_t>(tree.region_of_loop[last.loop.index])];
      use.first = std::min(use.first, region.begin);
      use.last = std::max(use.last, region.end);
    }
    order.push_back({use.first, use.last, r});
  }
  std::sort(order.begin(), order.end(), [](const Live& a, const Live& b) { return a.begin != b.begin ? a.begin < b.begin : a.reg < b.reg; });
  std::vector<std::int16_t> out(program.register_count, -1);
  const int limit = std::min(machine.registers, 32767);
  std::vector<std::int64_t> busy_until(static_cast<std::size_t>(std::max(limit, 0)), -1);
  for (const Live& live : order) {
    std::size_t p = 0;
    while (p < busy_until.size() && busy_until[p] >= live.begin) ++p;
    if (p == busy_until.size())
      return fail(Code::RegistersFull, "at instruction " + std::to_string(live.begin) + " more than " + std::to_string(limit) +
                                           " registers are live; " + machine.name + " has " + std::to_string(machine.registers));
    busy_until[p] = live.end;
    out[live.reg] = static_cast<std::int16_t>(p);
  }
  return out;
}

}  // namespace openneuron::sched
