// Control flow of one sequencer, shared by functional and check mode.
#pragma once
#include "device/core.h"

namespace openneuron::device {

/// Executes the marker at sequencer.pc and moves pc on.
inline void execute_marker(const Program& program, const HostOp& op, Sequencer& s) {
  using isa::Opcode;
  switch (op.opcode) {
    case Opcode::LoopBegin: {
      const HostOperand& count = program.operands[op.first_operand];
      const std::int64_t trips = count.kind == isa::OperandKind::Register
                                     ? s.registers[static_cast<std::size_t>(count.reg)]
                                     : static_cast<std::int64_t>(count.immediate);
      s.counters[op.slot] = 0;
      s.trips[op.slot] = trips;
      s.pc = trips > 0 ? s.pc + 1 : op.jump;
      return;
    }
    case Opcode::LoopEnd: s.pc = ++s.counters[op.slot] < s.trips[op.slot] ? op.jump : s.pc + 1; return;
    case Opcode::WhileTest: s.pc = s.registers[op.register_index] != 0 ? s.pc + 1 : op.jump; return;
    case Opcode::WhileEnd: s.pc = op.jump; return;
    case Opcode::CaseBegin: {
      const std::int32_t branches = op.params[0], selector = s.registers[op.register_index];
      const std::int32_t branch = selector >= 0 && selector < branches ? selector : branches - 1;
      s.pc = program.targets[op.targets + static_cast<std::uint32_t>(branch)];
      return;
    }
    case Opcode::CaseNext: s.pc = op.jump; return;
    default: ++s.pc; return;  // WhileBegin, CaseEnd, Advance
  }
}

inline bool is_marker(isa::Opcode opcode) {
  return isa::opens_region(opcode) || isa::closes_region(opcode) || isa::divides_region(opcode) ||
         opcode == isa::Opcode::Advance;
}

}  // namespace openneuron::device
