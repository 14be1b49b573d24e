#include "graph/combiner.h"

#include "graph/op_info.h"

namespace openneuron::graph {

bool single_op_region(const Function& f, OpKind& kind) {
  if (f.op_count() != 2 || f.parameter_count() != 2) return false;
  const OpId op(std::size_t{0});
  const auto operands = f.operands(op), returned = f.operands(f.terminator());
  if (operands.size() != 2 || returned.size() != 1 || returned[0] != f.result(op)) return false;
  kind = f.kind(op);
  const ValueId a(std::size_t{0}), b(std::size_t{1});
  const bool straight = operands[0] == a && operands[1] == b, swapped = operands[0] == b && operands[1] == a;
  return straight || (swapped && op_info(kind).has(kCommutative));
}

bool reduces(OpKind kind) {
  switch (kind) {
    case OpKind::Add:
    case OpKind::Multiply:
    case OpKind::Maximum:
    case OpKind::Minimum:
    case OpKind::And:
    case OpKind::Or:
    case OpKind::Xor: return true;
    default: return false;
  }
}

}  // namespace openneuron::graph
