#include <numeric>

#include "opt/legalise_rules.h"
#include "opt/legalise_tools.h"

namespace openneuron::opt::rules {

using graph::OpKind;

Result<bool> optimization_barrier(Rewriter&, Visit& v) {
  std::size_t i = 0;
  for (ValueId r : v.old.results(v.op)) v.map[r] = v.operands[i++];
  return true;
}

// broadcast prepends dims.
Result<bool> broadcast_op(Rewriter&, Visit& v) {
  const auto rank = v.out.type(v.operands[0]).rank();
  const auto added = v.out.module().type(v.result_type()).rank() - rank;
  std::vector<std::int64_t> dims(static_cast<std::size_t>(rank));
  std::iota(dims.begin(), dims.end(), added);
  return v.replace(broadcast(v, v.operands[0], v.result_type(), dims));
}

// dot contracts the last dim of lhs with the first of rhs.
Result<bool> dot(Rewriter&, Visit& v) {
  graph::Module& m = v.out.module();
  const std::int64_t last = v.out.type(v.operands[0]).rank() - 1;
  const std::int64_t lhs[] = {last}, rhs[] = {0};
  std::vector<std::pair<std::string, AttrId>> pairs = {{"lhs_contracting_dimensions", m.ints_attr(lhs)},
                                                       {"rhs_contracting_dimensions", m.ints_attr(rhs)},
                                                       {"lhs_batching_dimensions", m.ints_attr({})},
                                                       {"rhs_batching_dimensions", m.ints_attr({})}};
  if (v.attr("precision_config").valid()) pairs.push_back({"precision_config", v.attr("precision_config")});
  return v.replace(v.out.emit(OpKind::DotGeneral, v.operands, v.result_type(), m.dictionary(std::move(pairs)), v.location()));
}

// The PE multiplies 32-bit floats with 32-bit floats and small ones with small ones: the narrower operand is widened.
Result<bool> dot_types(Rewriter&, Visit& v) {
  const ElementType a = v.out.type(v.operands[0]).element, b = v.out.type(v.operands[1]).element;
  if (a == b || !is_float(a) || !is_float(b)) return false;
  const ElementType wide = bit_width(a) > bit_width(b) ? a : bit_width(b) > bit_width(a) ? b : ElementType::F32;
  const ValueId operands[] = {convert(v, v.operands[0], wide), convert(v, v.operands[1], wide)};
  return v.replace(v.out.emit(OpKind::DotGeneral, operands, v.result_type(), v.old.attributes_of(v.op), v.location()));
}

}  // namespace openneuron::opt::rules
