#include <algorithm>
#include <vector>

#include "isa/table.h"
#include "tile/names.h"
#include "tile/text.h"

namespace openneuron::tile {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::Operand;
using isa::OperandKind;

constexpr std::size_t kMaxDepth = 64;

struct Region {
  Opcode opcode;
  LoopId loop;
  std::int64_t count = -1;     // trips of a loop; -1: a register says
  std::int64_t branches = 0;   // of a case
  bool tested = false;         // a while's WhileTest was met
};

class Verifier {
 public:
  Verifier(const Module& module, const Machine& machine) : module_(module), machine_(machine) {}

  Result<void> run() {
    if (module_.programs.empty()) return fail(Code::TileRegions, "the module has no core");
    if (module_.programs.size() > static_cast<std::size_t>(machine_.cores))
      return fail(Code::TileRegions, "the module has " + std::to_string(module_.programs.size()) + " cores; " +
                                         machine_.name + " has " + std::to_string(machine_.cores));
    for (std::uint32_t i = 0; i < module_.buffers.size(); ++i) ON_TRY(buffer(BufferId(i)));
    written_.assign(module_.buffers.size(), false);
    for (std::uint32_t i = 0; i < module_.buffers.size(); ++i) {
      const Buffer& b = module_.buffers[BufferId(i)];
      if (isa::is_hbm(b.space))
        written_[i] = b.variable.kind == isa::VariableKind::Input || b.variable.kind == isa::VariableKind::Constant ||
                      b.alias.valid();
      // What one core writes and another reads is ordered by barriers, not by the order of the lists.
      if (b.space == isa::Space::SharedHbm && module_.programs.size() > 1) written_[i] = true;
    }
    for (std::size_t core = 0; core < module_.programs.size(); ++core) ON_TRY(program(core));
    return {};
  }

 private:
  Failure wrong(Code code, std::string message) const {
    Place place;
    if (at_) {
      place.op = isa::mnemonic(at_->opcode);
      message = "instruction " + std::to_string(index_) + " of core " + std::to_string(core_) + ": " + message;
      if (at_->location > 0 && at_->location < module_.locations.size())
        message += " (" + module_.locations[at_->location] + ")";
    }
    return fail(code, place, std::move(message));
  }

  Result<void> buffer(BufferId id) const {
    const Buffer& b = module_.buffers[id];
    const auto bad = [&](const std::string& why) {
      return fail(Code::TileBuffer, "buffer '%" + b.name + "': " + why);
    };
    if (b.bytes < 0 || b.bytes > kLargestBuffer) return bad("its size is out of range");
    if (b.core >= module_.programs.size()) return bad("there is no core " + std::to_string(b.core));
    if (b.copies < 1 || b.partitions < 1) return bad("it has no copy or no partition");
    if (isa::is_hbm(b.space)) {
      if (b.partitions != 1 || b.copies != 1) return bad("HBM buffers have neither partitions nor copies");
      const isa::Variable& v = b.variable;
      if (v.kind == isa::VariableKind::Constant) {
        const std::int64_t want = v.splat ? byte_width(v.type) : b.bytes;
        if (static_cast<std::int64_t>(v.data.size()) != want)
          return bad("its data has " + std::to_string(v.data.size()) + " bytes, not " + std::to_string(want));
      }
      if (b.alias.valid()) {
        if (b.alias.index >= module_.buffers.size()) return bad("its alias does not exist");
        const Buffer& input = module_.buffers[b.alias];
        if (v.kind != isa::VariableKind::Output || !isa::is_hbm(input.space) ||
            input.variable.kind != isa::VariableKind::Input)
          return bad("an alias joins an output to an input");
        if (input.bytes != b.bytes) return bad("its alias has another size");
      }
      return {};
    }
    if (b.space != isa::Space::Sbuf && b.space != isa::Space::Psum) return bad("it has no space");
    if (b.partitions > machine_.partitions)
      return bad(std::to_string(b.partitions) + " partitions; " + machine_.name + " has " +
                 std::to_string(machine_.partitions));
    const std::int64_t limit = b.space == isa::Space::Psum ? machine_.psum_banks * machine_.psum_bank_bytes
                                                           : machine_.sbuf_partition_bytes;
    if (b.bytes < 1 || b.bytes > limit || b.bytes * b.copies > limit)
      return bad(std::to_string(b.copies) + " x " + std::to_string(b.bytes) + " bytes per partition; " +
                 std::string(space_name(b.space)) + " has " + std::to_string(limit));
    if (b.address >= 0) {
      const std::int64_t unit = b.space == isa::Space::Psum && b.bytes > machine_.psum_bank_bytes ? machine_.psum_bank_bytes : 4;
      if (b.address > limit - b.bytes || b.address % unit != 0)
        return bad("address " + std::to_string(b.address) + " is outside the memory or no multiple of " + std::to_string(unit));
    }
    return {};
  }

  Result<void> program(std::size_t core) {
    const Program& program = module_.programs[core];
    core_ = core;
    loops_.assign(std::min<std::size_t>(program.loop_count, 1 << 24), State::Unused);
    trips_.assign(loops_.size(), -1);
    registers_.assign(program.register_count, false);
    regions_.clear();
    loaded_ = false;
    index_ = 0;
    for (const Instruction& i : program.instructions) {
      at_ = &i;
      ON_TRY(instruction(i));
      ++index_;
    }
    at_ = nullptr;
    if (!regions_.empty()) return wrong(Code::TileRegions, "a region is not closed at the end of the program");
    return {};
  }

  Result<void> instruction(const Instruction& i) {
    if (static_cast<std::size_t>(i.opcode) >= isa::rows().size()) return wrong(Code::TileRegions, "unknown opcode");
    if (auto checked = isa::check_instruction(i, machine_); !checked) {
      Diagnostic d = checked.diagnostic();
      return wrong(d.code, d.message);
    }
    if (i.opcode == Opcode::Advance || !i.waits.empty() || !i.advances.empty() || i.signal)
      return wrong(Code::TileRegions, "semaphores belong to the stream level");
    if (i.location >= std::max<std::size_t>(module_.locations.size(), 1))
      return wrong(Code::TileRegions, "location " + std::to_string(i.location) + " is not declared");
    if (i.opcode == Opcode::LoadStationary) stationary_ = i, loaded_ = true;
    if (i.opcode == Opcode::Matmul) {
      if (!loaded_) return wrong(Code::TileRegions, "no load_stationary stands before it");
      if (auto checked = isa::check_pair(stationary_, i); !checked) {
        Diagnostic d = checked.diagnostic();
        return wrong(d.code, d.message);
      }
    }
    const isa::Row& row = isa::row(i.opcode);
    // Reads first: an instruction does not see what it writes.
    for (std::size_t n = 0; n < i.operands.size(); ++n) ON_TRY(operand(i, i.operands[n], isa::operand_field(row, n), false));
    for (std::size_t n = 0; n < i.operands.size(); ++n) ON_TRY(operand(i, i.operands[n], isa::operand_field(row, n), true));
    return region(i);
  }

  Result<void> register_is_there(int reg) const {
    if (reg >= 0 && static_cast<std::size_t>(reg) < registers_.size()) return {};
    return wrong(Code::TileRegions, "R" + std::to_string(reg) + " is beyond the program's registers=" + std::to_string(registers_.size()));
  }

  Result<void> operand(const Instruction& i, const Operand& o, const isa::Field& field, bool writes) {
    const bool is_write = field.use == isa::Use::Writes || field.use == isa::Use::ReadsWrites;
    if (o.kind == OperandKind::Register && is_write) {
      ON_TRY(register_is_there(o.reg));
      if (writes) registers_[static_cast<std::size_t>(o.reg)] = true;
      return {};
    }
    if (!writes && (o.kind == OperandKind::Register || o.reg >= 0)) {  // an access may add a register to its start
      ON_TRY(register_is_there(o.reg));
      if (!registers_[static_cast<std::size_t>(o.reg)]) return wrong(Code::TileRegions, "R" + std::to_string(o.reg) + " is used before it is set");
    }
    if (o.kind != OperandKind::Memory && o.kind != OperandKind::Pattern) return {};
    if (!writes) ON_TRY(access(o));
    if (o.kind != OperandKind::Memory) return {};
    const auto root = [&](BufferId id) { return module_.buffers[id].alias.valid() ? module_.buffers[id].alias : id; };
    if (is_write && writes) {
      written_[o.buffer.index] = true;
    } else if (!writes) {
      const bool reads = !is_write || i.opcode == Opcode::DmaCompute || (i.opcode == Opcode::Matmul && !i.params.empty() && i.params[0] != 0);
      if (reads && !written_[o.buffer.index] && !written_[root(o.buffer).index])
        return wrong(Code::TileNeverWritten, "it reads %" + module_.buffers[o.buffer].name + ", which nothing before it wrote");
    }
    return {};
  }

  // Bounds for all values of the loop variables. Registers are the device's to check.
  Result<void> access(const Operand& o) {
    std::int64_t low = o.start, high = o.start, first = o.partition_start, last = first + (o.partition_stride == 0 ? 1 : o.partition_count);
    bool known = o.reg < 0 && o.indirect_stride == 0;
    for (const isa::Term& term : o.terms) {
      if (term.loop.index >= loops_.size() || loops_[term.loop.index] != State::Open)
        return wrong(Code::TileRegions, "L" + std::to_string(term.loop.index) + " is no loop around it");
      const std::int64_t trips = trips_[term.loop.index];
      if (trips < 0) {
        if (term.bytes != 0) known = false;
        if (term.partitions != 0) return wrong(Code::TileAccess, "a loop whose count a register holds cannot move partitions");
        continue;
      }
      const std::int64_t steps = std::max<std::int64_t>(trips - 1, 0);
      if (steps > 0 && std::abs(term.bytes) > kLargestBuffer / steps) return wrong(Code::TileAccess, "a loop term is too large");
      (term.bytes < 0 ? low : high) += term.bytes * steps;
      (term.partitions < 0 ? first : last) += term.partitions * steps;
    }
    if (o.kind == OperandKind::Pattern) return {};
    if (!o.buffer.valid() || o.buffer.index >= module_.buffers.size()) return wrong(Code::TileAccess, "an operand names no buffer");
    const Buffer& b = module_.buffers[o.buffer];
    const auto bad = [&](const std::string& why) { return wrong(Code::TileAccess, "the access to %" + b.name + " " + why); };
    if (o.space != b.space) return bad("states another space than the buffer's");
    if (b.space != isa::Space::SharedHbm && b.core != core_) return bad("reaches into core " + std::to_string(b.core));
    if (o.copies != 1) {
      if (o.copies != b.copies) return bad("rotates over " + std::to_string(o.copies) + " copies; the buffer has " + std::to_string(b.copies));
      if (o.rotate_bytes != 0 && o.rotate_bytes != b.bytes) return bad("rotates by " + std::to_string(o.rotate_bytes) + " bytes; a copy has " + std::to_string(b.bytes));
      if (o.rotate_loop.index >= loops_.size() || loops_[o.rotate_loop.index] != State::Open) return bad("rotates with a loop that is not around it");
    }
    const isa::ByteRange range = isa::free_range(o);
    low += range.begin;
    high += range.end;
    if (isa::is_hbm(b.space)) {
      const std::int64_t rows = o.partition_stride * (o.partition_count - 1);
      (rows < 0 ? low : high) += rows;
    } else if (first < 0 || last > b.partitions) {
      return bad("reaches partitions " + std::to_string(first) + " to " + std::to_string(last - 1) + "; the buffer has " + std::to_string(b.partitions));
    }
    if (known && (low < 0 || high > b.bytes))
      return bad("reaches bytes " + std::to_string(low) + " to " + std::to_string(high - 1) + "; the buffer has " + std::to_string(b.bytes));
    return {};
  }

  Result<void> region(const Instruction& i) {
    const bool marker = isa::opens_region(i.opcode) || isa::closes_region(i.opcode) || isa::divides_region(i.opcode);
    if (!marker) return {};
    if (i.loop.index >= loops_.size())
      return wrong(Code::TileRegions, "its region is beyond the program's loops=" + std::to_string(loops_.size()));
    if (isa::opens_region(i.opcode)) {
      if (loops_[i.loop.index] != State::Unused) return wrong(Code::TileRegions, "L" + std::to_string(i.loop.index) + " names a second region");
      if (regions_.size() == kMaxDepth) return wrong(Code::TileRegions, "regions nest deeper than " + std::to_string(kMaxDepth));
      Region region{i.opcode, i.loop};
      loops_[i.loop.index] = i.opcode == Opcode::LoopBegin ? State::Open : State::Other;
      if (i.opcode == Opcode::LoopBegin && i.operands[0].kind == OperandKind::Immediate)
        trips_[i.loop.index] = region.count = std::max<std::int64_t>(0, static_cast<std::int64_t>(i.operands[0].immediate));
      if (i.opcode == Opcode::CaseBegin) region.branches = i.params[0] - 1;
      regions_.push_back(region);
      return {};
    }
    const Opcode wants = i.opcode == Opcode::LoopEnd ? Opcode::LoopBegin
                         : i.opcode == Opcode::WhileEnd || i.opcode == Opcode::WhileTest ? Opcode::WhileBegin
                                                                                         : Opcode::CaseBegin;
    if (regions_.empty() || regions_.back().opcode != wants || regions_.back().loop != i.loop)
      return wrong(Code::TileRegions, "it does not belong to the region that is open");
    Region& region = regions_.back();
    if (i.opcode == Opcode::WhileTest) {
      if (region.tested) return wrong(Code::TileRegions, "a while has one test");
      region.tested = true;
      return {};
    }
    if (i.opcode == Opcode::CaseNext) {
      if (--region.branches < 0) return wrong(Code::TileRegions, "the case has more branches than it says");
      return {};
    }
    if (wants == Opcode::WhileBegin && !region.tested) return wrong(Code::TileRegions, "the while has no while_test");
    if (wants == Opcode::CaseBegin && region.branches != 0) return wrong(Code::TileRegions, "the case has fewer branches than it says");
    loops_[i.loop.index] = State::Closed;
    regions_.pop_back();
    return {};
  }

  enum class State : std::uint8_t { Unused, Open, Other, Closed };  // Other: a while or case, which has no variable

  const Module& module_;
  const Machine& machine_;
  std::size_t core_ = 0, index_ = 0;
  const Instruction* at_ = nullptr;
  Instruction stationary_;
  bool loaded_ = false;
  std::vector<State> loops_;
  std::vector<std::int64_t> trips_;
  std::vector<bool> registers_;
  std::vector<bool> written_;
  std::vector<Region> regions_;
};

}  // namespace

Result<void> verify(const Module& module, const Machine& machine) { return Verifier(module, machine).run(); }

}  // namespace openneuron::tile
