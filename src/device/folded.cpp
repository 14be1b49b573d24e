#include "device/folded.h"

#include <algorithm>

namespace openneuron::device {
namespace {

using isa::Opcode;
using isa::OperandKind;

// Longer rows are worth a call each.
constexpr std::int64_t kFewElements = 32;

}  // namespace

bool folds(const HostOp& op, const HostOperand* operands, std::int64_t& most) {
  switch (op.opcode) {
    case Opcode::Memset:
    case Opcode::Copy:
    case Opcode::TensorTensor:
    case Opcode::TensorScalar:
    case Opcode::ScalarTensorTensor:
    case Opcode::TensorReduce:
    case Opcode::Reciprocal:
    case Opcode::Divide:
    case Opcode::Remainder:
    case Opcode::Select:
    case Opcode::Activation: break;
    default: return false;
  }
  most = 1;
  for (std::size_t i = 0; i < op.operand_count; ++i) {
    const HostOperand& o = operands[i];
    if (o.kind != OperandKind::Memory) continue;
    if (o.walk.rank == static_cast<int>(o.walk.counts.size()) || (!op.local && i > 0 && o.base == operands[0].base))
      return false;
    most = std::max(most, o.walk.count);
  }
  return most <= kFewElements;
}

void fold_partitions(Walk& w, const HostOperand& o, const View& view, std::int64_t partitions, std::int64_t row) {
  w.rank = 0;
  w.count = 1;
  const auto add = [&w](std::int64_t count, std::int64_t stride) {
    w.counts[static_cast<std::size_t>(w.rank)] = count;
    w.strides[static_cast<std::size_t>(w.rank++)] = stride;
    w.count *= count;
  };
  add(partitions, view.pitch);
  for (int d = 0; d < o.walk.rank; ++d)
    add(o.walk.counts[static_cast<std::size_t>(d)], o.walk.strides[static_cast<std::size_t>(d)]);
  if (o.walk.count < row) add(row, 0);  // a [P, 1] scalar
}

}  // namespace openneuron::device
