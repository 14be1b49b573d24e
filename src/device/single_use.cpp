// Which stationary tiles are not worth packing: the next operation multiplies a few columns with it, and no later one does.
#include "device/program.h"

namespace openneuron::device {
namespace {

using isa::Opcode;

// What the PE does first from an operation on, as far as that is certain.
enum class Next : std::uint8_t { Load, Matmul, Unknown };

// Rows of fp32 that can be read where they lie: elements one after the other, or one that stands for all.
bool readable(const HostOperand& o) {
  return o.type == ElementType::F32 &&
         (o.walk.rank == 0 || (o.walk.rank == 1 && (o.walk.strides[0] == 4 || o.walk.strides[0] == 0)));
}

}  // namespace

void mark_single_uses(Program& program) {
  auto& ops = program.ops;
  const std::size_t n = ops.size();
  std::vector<Next> next(n + 2, Next::Load);  // at the end nothing multiplies any more
  for (std::size_t i = n; i-- > 0;) {
    switch (ops[i].opcode) {
      case Opcode::LoadStationary: next[i] = Next::Load; break;
      case Opcode::Matmul: next[i] = Next::Matmul; break;
      case Opcode::LoopBegin: {
        const HostOperand& count = program.operands[ops[i].first_operand];
        const bool turns = count.kind == isa::OperandKind::Immediate && count.immediate >= 1;
        next[i] = turns ? next[i + 1] : Next::Unknown;
        break;
      }
      case Opcode::LoopEnd: next[i] = next[i + 1]; break;
      case Opcode::WhileBegin:
      case Opcode::WhileTest:
      case Opcode::WhileEnd:
      case Opcode::CaseBegin:
      case Opcode::CaseNext:
      case Opcode::CaseEnd: next[i] = Next::Unknown; break;
      default: next[i] = next[i + 1]; break;
    }
  }
  // The loops around an operation go back to their first: each must begin with a load.
  std::vector<bool> around = {true};
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const Opcode opcode = ops[i].opcode;
    if (opcode == Opcode::LoopBegin || opcode == Opcode::WhileBegin)
      around.push_back(around.back() && next[i + 1] == Next::Load);
    else if ((opcode == Opcode::LoopEnd || opcode == Opcode::WhileEnd) && around.size() > 1)
      around.pop_back();
    if (opcode != Opcode::LoadStationary || ops[i + 1].opcode != Opcode::Matmul) continue;
    const HostOperand& columns = program.operands[ops[i + 1].first_operand];
    const HostOperand& moving = program.operands[ops[i + 1].first_operand + 1];
    ops[i].once = around.back() && next[i + 2] == Next::Load && columns.walk.count <= kFewColumns &&
                  moving.type == ElementType::F32 && readable(program.operands[ops[i].first_operand]);
  }
}

}  // namespace openneuron::device
