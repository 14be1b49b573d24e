// isa::Code -> Program: instructions checked against the table, regions matched, addresses proven inside their memories
// for all values of the loop counters, or marked to be checked when they run.
#include <algorithm>
#include <unordered_map>

#include "device/program.h"

namespace openneuron::device {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::OperandKind;

// Enumerators that no table row covers are refused: bytes of a file may hold any number.
bool known(const Instruction& i) {
  if (static_cast<std::size_t>(i.opcode) >= isa::rows().size() || i.engine > isa::Engine::Any) return false;
  return std::all_of(i.operands.begin(), i.operands.end(), [](const isa::Operand& o) {
    return o.kind <= OperandKind::Pattern && o.space <= isa::Space::SharedHbm &&
           (o.type < ElementType::None || (o.type == ElementType::None && o.kind != OperandKind::Memory));
  });
}
Failure unknown(const Instruction& i) {
  return fail(Code::DeviceProgram,
              "an instruction (order " + std::to_string(i.order) + ") holds a number that names nothing");
}

struct Frame {
  Opcode begin;
  std::uint32_t at;  // the opening operation
  LoopId loop;
  std::uint32_t slot;
  std::int64_t trips;                   // -1: known only when it runs
  std::uint32_t test = 0;               // WhileTest
  std::vector<std::uint32_t> ends;      // Case: the CaseNext of each finished branch
  std::vector<std::uint32_t> branches;  // Case: first operation of each branch
};

class Decoder {
 public:
  Decoder(const isa::Code& code, const Machine& machine)
      : code_(code), machine_(machine), geometry_(geometry(machine)) {}

  Result<Program> run(const std::vector<const Instruction*>& list) {
    program_.ops.reserve(list.size());
    for (const Instruction* instruction : list) ON_TRY(add(*instruction));
    if (!frames_.empty()) return wrong(*program_.ops[frames_.back().at].source, "its region is never closed");
    return std::move(program_);
  }

 private:
  Failure wrong(const Instruction& i, const std::string& what) const {
    return fail(Code::DeviceProgram, place_of(code_, i), what);
  }
  Failure outside(const Instruction& i, std::size_t operand, const std::string& what) const {
    return fail(Code::DeviceAddress, place_of(code_, i),
                "operand " + std::string(isa::operand_field(isa::row(i.opcode), operand).name) + ": " + what);
  }

  Result<void> add(const Instruction& i) {
    if (!known(i)) return unknown(i);
    if (auto checked = isa::check_instruction(i, machine_); !checked) {
      Failure failure = checked.failure();
      failure.diagnostic().place = place_of(code_, i);
      return failure;
    }
    ON_TRY(isa::check_registers(i, machine_));
    HostOp op;
    op.opcode = i.opcode;
    op.source = &i;
    op.operand_count = static_cast<std::uint8_t>(i.operands.size());
    op.first_operand = static_cast<std::uint32_t>(program_.operands.size());
    for (std::size_t p = 0; p < i.params.size() && p < op.params.size(); ++p) op.params[p] = i.params[p];
    const auto at = static_cast<std::uint32_t>(program_.ops.size());
    switch (i.opcode) {
      case Opcode::LoopBegin:
      case Opcode::WhileBegin:
      case Opcode::CaseBegin: ON_TRY(open(i, op, at)); break;
      case Opcode::LoopEnd:
      case Opcode::WhileTest:
      case Opcode::WhileEnd:
      case Opcode::CaseNext:
      case Opcode::CaseEnd: ON_TRY(close(i, op, at)); break;
      case Opcode::RegisterMove:
      case Opcode::RegisterLoad: op.register_index = static_cast<std::uint16_t>(i.operands[0].reg); break;
      default: break;
    }
    for (std::size_t o = 0; o < i.operands.size(); ++o) ON_TRY(add_operand(i, o));
    derive(i, op);
    program_.ops.push_back(op);
    return {};
  }

  Result<void> open(const Instruction& i, HostOp& op, std::uint32_t at) {
    Frame frame{i.opcode, at, i.loop, program_.slots++, -1, 0, {}, {}};
    op.slot = frame.slot;
    if (i.opcode == Opcode::LoopBegin) {
      if (i.operands[0].kind == OperandKind::Immediate)
        frame.trips = std::max<std::int64_t>(0, static_cast<std::int64_t>(i.operands[0].immediate));
    } else if (i.opcode == Opcode::CaseBegin) {
      op.register_index = static_cast<std::uint16_t>(i.operands[0].reg);
      frame.branches.push_back(at + 1);
    }
    if (i.loop.valid()) {
      if (!open_loops_.emplace(i.loop.index, frames_.size()).second) return wrong(i, "its region is open already");
    } else {
      return wrong(i, "it names no region");
    }
    frames_.push_back(std::move(frame));
    return {};
  }

  Result<void> close(const Instruction& i, HostOp& op, std::uint32_t at) {
    const Opcode wanted = i.opcode == Opcode::LoopEnd                                   ? Opcode::LoopBegin
                          : i.opcode == Opcode::CaseNext || i.opcode == Opcode::CaseEnd ? Opcode::CaseBegin
                                                                                        : Opcode::WhileBegin;
    if (frames_.empty() || frames_.back().begin != wanted || !(frames_.back().loop == i.loop))
      return wrong(i, "it does not belong to the innermost open region");
    Frame& frame = frames_.back();
    HostOp& begin = program_.ops[frame.at];
    op.slot = frame.slot;
    switch (i.opcode) {
      case Opcode::LoopEnd:
        begin.jump = at + 1;
        op.jump = frame.at + 1;
        break;
      case Opcode::WhileTest:
        if (frame.test) return wrong(i, "its while has a test already");
        frame.test = at;
        op.register_index = static_cast<std::uint16_t>(i.operands[0].reg);
        return {};
      case Opcode::WhileEnd:
        if (!frame.test) return wrong(i, "its while has no test");
        program_.ops[frame.test].jump = at + 1;
        op.jump = frame.at + 1;
        break;
      case Opcode::CaseNext:
        frame.ends.push_back(at);
        frame.branches.push_back(at + 1);
        return {};
      default: {  // CaseEnd. A branch that ends goes to it, so that it counts as executed once.
        const auto branches = static_cast<std::size_t>(begin.params[0]);
        if (frame.branches.size() != branches)
          return wrong(i, "its case has " + std::to_string(frame.branches.size()) + " branches, not " +
                              std::to_string(branches));
        begin.targets = static_cast<std::uint32_t>(program_.targets.size());
        program_.targets.insert(program_.targets.end(), frame.branches.begin(), frame.branches.end());
        for (std::uint32_t end : frame.ends) program_.ops[end].jump = at + 1;
      }
    }
    open_loops_.erase(frame.loop.index);
    frames_.pop_back();
    return {};
  }

  Result<const Frame*> enclosing(const Instruction& i, LoopId loop) const {
    const auto found = open_loops_.find(loop.index);
    if (found == open_loops_.end() || frames_[found->second].begin != Opcode::LoopBegin)
      return wrong(i, "an operand follows loop " + std::to_string(loop.index) + ", which does not enclose it");
    return &frames_[found->second];
  }

  Result<void> add_operand(const Instruction& i, std::size_t index) {
    const isa::Operand& o = i.operands[index];
    HostOperand h;
    h.kind = o.kind;
    h.type = o.type;
    h.reg = o.kind == OperandKind::Memory || o.kind == OperandKind::Register || o.kind == OperandKind::Pattern
                ? o.reg
                : std::int16_t{-1};
    if (h.reg >= static_cast<std::int16_t>(kSequencerRegisters))
      return wrong(i, "register " + std::to_string(h.reg) + " is beyond what the device emulates");
    h.reg_bytes = o.reg_bytes;
    h.immediate = o.immediate;
    h.partitions = o.partition_count;
    h.start = o.start;
    if (o.kind == OperandKind::Memory || o.kind == OperandKind::Pattern) {
      for (const isa::Dim& dim : isa::canonical_dims(o)) {
        h.walk.counts[static_cast<std::size_t>(h.walk.rank)] = dim.count;
        h.walk.strides[static_cast<std::size_t>(h.walk.rank)] = dim.stride;
        ++h.walk.rank;
        h.walk.count *= dim.count;
      }
      for (const isa::Term& term : o.terms) {
        auto frame = enclosing(i, term.loop);
        if (!frame) return frame.failure();
        h.terms.push_back({(*frame)->slot, term.partitions, term.bytes});
      }
    }
    if (o.kind == OperandKind::Pattern) h.pitch = o.partition_stride;
    if (o.kind == OperandKind::Memory) ON_TRY(memory(i, index, h));
    program_.operands.push_back(h);
    return {};
  }

  Result<void> memory(const Instruction& i, std::size_t index, HostOperand& h) {
    const isa::Operand& o = i.operands[index];
    const isa::ByteRange range = isa::free_range(o);
    h.low = range.begin;
    h.high = range.end;
    h.indirect_stride = o.indirect_stride;
    h.indirect_limit = o.indirect_limit;
    if (isa::is_hbm(o.space)) {
      if (o.buffer.index >= code_.variables.size()) return wrong(i, "it names no variable");
      const isa::Variable& variable = code_.variables[o.buffer.index];
      if (variable.space != o.space) return wrong(i, "it names a variable of another memory");
      const isa::Use use = isa::operand_field(isa::row(i.opcode), index).use;
      if (variable.kind == isa::VariableKind::Constant && (use == isa::Use::Writes || use == isa::Use::ReadsWrites))
        return wrong(i, "it writes constant " + variable.name);
      h.base = kBaseVariables + o.buffer.index;
      h.pitch = o.partition_stride;
      h.limit = variable.bytes;
      h.partition_limit = o.partition_count;
      if (!indirect(i, index)) {
        const std::int64_t reach = o.partition_stride * (o.partition_count - 1);
        h.low += std::min<std::int64_t>(0, reach);
        h.high += std::max<std::int64_t>(0, reach);
      }
    } else {
      h.chip = true;
      h.broadcast = o.partition_stride == 0;
      h.partition_start = o.partition_start;
      h.partition_limit = geometry_.partitions;
      const bool psum = o.space == isa::Space::Psum;
      h.base = psum ? kBasePsum : kBaseSbuf;
      h.limit = psum ? geometry_.psum_bytes : geometry_.sbuf_bytes;
      h.pitch = psum ? geometry_.psum_pitch : geometry_.sbuf_pitch;
    }
    h.copies = o.copies;
    std::int64_t low = h.start + h.low, high = h.start + h.high;
    std::int64_t first = h.partition_start, last = h.partition_start + (h.broadcast ? 1 : h.partitions);
    if (o.copies > 1) {
      auto frame = enclosing(i, o.rotate_loop);
      if (!frame) return frame.failure();
      h.rotate_slot = (*frame)->slot;
      h.rotate_bytes = o.rotate_bytes;
      const std::int64_t reach = o.rotate_bytes * (o.copies - 1);
      low += std::min<std::int64_t>(0, reach);
      high += std::max<std::int64_t>(0, reach);
    }
    // An indirect side moves by offsets: each row is checked when it runs.
    h.dynamic = h.reg >= 0 || indirect(i, index);
    for (const isa::Term& term : o.terms) {
      const std::int64_t trips = frames_[open_loops_.at(term.loop.index)].trips;
      if (trips < 0 || trips > kLargestTrips) {
        h.dynamic = h.dynamic || term.bytes != 0 || term.partitions != 0;
        continue;
      }
      if (trips == 0) return {};  // never runs
      const std::int64_t bytes = term.bytes * (trips - 1), partitions = term.partitions * (trips - 1);
      if (bytes > kLargestReach || bytes < -kLargestReach) return outside(i, index, "a loop term reaches too far");
      low += std::min<std::int64_t>(0, bytes);
      high += std::max<std::int64_t>(0, bytes);
      first += std::min<std::int64_t>(0, partitions);
      last += std::max<std::int64_t>(0, partitions);
    }
    if (h.dynamic) return {};
    if (low < 0 || high > h.limit)
      return outside(
          i, index,
          "bytes " + std::to_string(low) + " to " + std::to_string(high - 1) + " of " + std::to_string(h.limit));
    if (h.chip && (first < 0 || last > h.partition_limit))
      return outside(i, index,
                     "partitions " + std::to_string(first) + " to " + std::to_string(last - 1) + " of " +
                         std::to_string(h.partition_limit));
    return {};
  }

  static bool indirect(const Instruction& i, std::size_t index) {
    return isa::indirect_operand(i) == static_cast<int>(index);
  }

  // What the executor would otherwise work out each time.
  void derive(const Instruction& i, HostOp& op) {
    if (i.opcode == Opcode::TensorReduce) {
      const auto axes = static_cast<std::size_t>(op.params[1]);
      const auto& dims = i.operands[1].dims;
      for (std::size_t d = dims.size() - axes; d < dims.size(); ++d) op.reduced *= dims[d].count;
    }
    switch (i.opcode) {
      case Opcode::Memset:
      case Opcode::Copy:
      case Opcode::TensorTensor:
      case Opcode::TensorScalar:
      case Opcode::ScalarTensorTensor:
      case Opcode::TensorReduce:
      case Opcode::Activation:
      case Opcode::ActivationReduce:
      case Opcode::Reciprocal:
      case Opcode::Divide:
      case Opcode::Remainder:
      case Opcode::Select:
      case Opcode::SelectReduce:
      case Opcode::Iota: op.domain = isa::compute_domain(i); break;
      case Opcode::Dma: {
        // Between HBM and SBUF, row p of one side being row p of the other.
        const HostOperand* sides = &program_.operands[op.first_operand];
        if (i.params[0] != 0 || sides[0].chip == sides[1].chip || sides[0].broadcast || sides[1].broadcast ||
            sides[0].partitions != sides[1].partitions)
          return;
        op.local = true;
        op.turns = (!sides[0].chip && sides[0].pitch == byte_width(sides[0].type)) ||
                   (!sides[1].chip && sides[1].pitch == byte_width(sides[1].type));
        op.row_bytes = sides[0].walk.count * (byte_width(sides[0].type) + byte_width(sides[1].type));
        return;
      }
      default: return;
    }
    op.local = true;
    const HostOperand* to = &program_.operands[op.first_operand];
    for (std::size_t o = 0; o < i.operands.size(); ++o)
      if (to[o].kind == OperandKind::Memory) op.row_bytes += to[o].walk.count * byte_width(to[o].type);
    for (std::size_t o = 1; o < i.operands.size(); ++o) {
      const HostOperand& h = to[o];
      if (h.kind != OperandKind::Memory) continue;
      op.local = op.local && h.partition_start == to->partition_start && same_partition_terms(h, *to);
    }
  }

  static bool same_partition_terms(const HostOperand& a, const HostOperand& b) {
    const auto moves = [](const HostOperand& x, const HostOperand& y) {
      for (const LoopTerm& t : x.terms) {
        if (t.partitions == 0) continue;
        const bool found = std::any_of(y.terms.begin(), y.terms.end(), [&](const LoopTerm& u) {
          return u.slot == t.slot && u.partitions == t.partitions;
        });
        if (!found) return false;
      }
      return true;
    };
    return moves(a, b) && moves(b, a);
  }

  // With these, sums of a few terms fit in 63 bits.
  static constexpr std::int64_t kLargestTrips = std::int64_t{1} << 31;
  static constexpr std::int64_t kLargestReach = std::int64_t{1} << 50;

  const isa::Code& code_;
  const Machine& machine_;
  Geometry geometry_;
  Program program_;
  std::vector<Frame> frames_;
  std::unordered_map<std::uint32_t, std::size_t> open_loops_;  // region id -> frame
};

bool same_apart_from_waits(const Instruction& a, const Instruction& b) {
  return a.opcode == b.opcode && a.loop == b.loop && a.operands == b.operands && a.params == b.params;
}

}  // namespace

Geometry geometry(const Machine& machine) {
  // Rows start at a cache line, an odd number of lines apart: then they use all sets of a cache before any twice.
  const auto pitch = [](std::int64_t bytes) { return ((bytes + 191) / 64 | 1) * 64; };
  Geometry g;
  g.partitions = machine.partitions;
  g.sbuf_bytes = machine.sbuf_partition_bytes;
  g.sbuf_pitch = pitch(g.sbuf_bytes);
  g.psum_bytes = machine.psum_banks * machine.psum_bank_bytes;
  g.psum_pitch = pitch(g.psum_bytes);
  return g;
}

Place place_of(const isa::Code& code, const Instruction& instruction) {
  Place place;
  place.op = std::string(isa::opcode_name(instruction.opcode)) + ", order " + std::to_string(instruction.order);
  if (instruction.location > 0 && instruction.location < code.locations.size())
    place.op += ", at " + code.locations[instruction.location];
  return place;
}

Result<std::vector<const Instruction*>> merge_streams(const isa::Code& code, const std::vector<isa::OpenedList>& streams) {
  std::vector<const Instruction*> merged;
  std::size_t total = 0;
  for (const isa::OpenedList& stream : streams) total += stream.size();
  merged.reserve(total);
  for (const isa::OpenedList& stream : streams)
    for (const Instruction& i : stream) {
      if (!known(i) || (i.opcode == Opcode::Advance && !(i.operands.empty() && i.params.empty()))) return unknown(i);
      if (i.opcode != Opcode::Advance) merged.push_back(&i);
    }
  std::stable_sort(merged.begin(), merged.end(),
                   [](const Instruction* a, const Instruction* b) { return a->order < b->order; });
  std::size_t kept = 0;
  for (const Instruction* i : merged) {
    if (kept > 0 && merged[kept - 1]->order == i->order) {
      if (!same_apart_from_waits(*merged[kept - 1], *i))
        return fail(Code::DeviceProgram, place_of(code, *i), "two different instructions have its order number");
      const bool replicated = i->opcode == Opcode::RegisterLoad || i->opcode == Opcode::RegisterMove ||
                              isa::opens_region(i->opcode) || isa::closes_region(i->opcode) ||
                              isa::divides_region(i->opcode);
      if (!replicated)
        return fail(Code::DeviceProgram, place_of(code, *i), "it stands twice, and is no marker or register load");
      continue;
    }
    merged[kept++] = i;
  }
  merged.resize(kept);
  return merged;
}

Result<Program> decode_program(const isa::Code& code, const std::vector<const Instruction*>& list,
                               const Machine& machine) {
  return Decoder(code, machine).run(list);
}

}  // namespace openneuron::device
