#include "opt/legalise_rules.h"
#include "opt/legalise_tools.h"

namespace openneuron::opt::rules {

using graph::OpKind;

Result<bool> square(Rewriter&, Visit& v) {
  return v.replace(v.out.emit(OpKind::Multiply, {v.operands[0], v.operands[0]}, v.result_type(), {}, v.location()));
}

Result<bool> clamp(Rewriter&, Visit& v) {
  const TypeId type = v.result_type();
  const ValueId low = broadcast(v, v.operands[0], type), high = broadcast(v, v.operands[2], type);
  const ValueId raised = v.out.emit(OpKind::Maximum, {v.operands[1], low}, type, {}, v.location());
  return v.replace(v.out.emit(OpKind::Minimum, {raised, high}, type, {}, v.location()));
}

}  // namespace openneuron::opt::rules
