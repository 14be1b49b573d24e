#include "opt/legalise.h"

#include <cmath>
#include <numeric>

#include "opt/rewrite.h"

namespace openneuron::opt {
namespace {

using graph::OpKind;

ValueId broadcast(Visit& v, ValueId value, TypeId to, std::vector<std::int64_t> dims) {
  if (v.out.function().type(value) == to) return value;
  graph::Module& m = v.out.module();
  const AttrId attrs = m.dictionary({{"broadcast_dimensions", m.ints_attr(dims)}});
  return v.out.emit(OpKind::BroadcastInDim, {value}, to, attrs, v.location());
}

TypeId with_element(graph::Module& m, const graph::Type& t, ElementType element) {
  const std::vector<std::int64_t> shape = t.shape;
  return m.tensor(element, shape);
}

ValueId convert(Visit& v, ValueId value, ElementType to) {
  const TypeId type = with_element(v.out.module(), v.out.type(value), to);
  return v.out.emit(OpKind::Convert, {value}, type, {}, v.location());
}

Result<bool> legalise_clamp(Visit& v) {
  const TypeId type = v.result_type();
  const ValueId low = broadcast(v, v.operands[0], type, {}), high = broadcast(v, v.operands[2], type, {});
  const ValueId raised = v.out.emit(OpKind::Maximum, {v.operands[1], low}, type, {}, v.location());
  return v.replace(v.out.emit(OpKind::Minimum, {raised, high}, type, {}, v.location()));
}

// dot contracts the last dim of lhs with the first of rhs.
Result<bool> legalise_dot(Visit& v) {
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
Result<bool> legalise_dot_types(Visit& v) {
  const ElementType a = v.out.type(v.operands[0]).element, b = v.out.type(v.operands[1]).element;
  if (a == b || !is_float(a) || !is_float(b)) return false;
  const ElementType wide = bit_width(a) > bit_width(b) ? a : bit_width(b) > bit_width(a) ? b : ElementType::F32;
  const ValueId operands[] = {convert(v, v.operands[0], wide), convert(v, v.operands[1], wide)};
  return v.replace(v.out.emit(OpKind::DotGeneral, operands, v.result_type(), v.old.attributes_of(v.op), v.location()));
}

// The op of a region of the form (a, b) -> op(a, b), else nothing.
bool single_op_region(const graph::Function& f, OpKind& kind) {
  if (f.op_count() != 2 || f.parameter_count() != 2) return false;
  const OpId op(0);
  if (f.operands(op).size() != 2 || f.operands(f.terminator()).size() != 1) return false;
  if (f.operand(f.terminator(), 0) != f.result(op)) return false;
  if (!(f.operand(op, 0) == ValueId(0) && f.operand(op, 1) == ValueId(1)) &&
      !(f.operand(op, 0) == ValueId(1) && f.operand(op, 1) == ValueId(0)))
    return false;
  kind = f.kind(op);
  return true;
}

bool is_identity(OpKind kind, const Splat& s) {
  switch (kind) {
    case OpKind::Add: return s.is_float ? s.real == 0 : s.integer == 0;
    case OpKind::Multiply: return s.is_float ? s.real == 1 : s.integer == 1;
    case OpKind::Maximum: return s.is_float && s.real == -INFINITY;
    case OpKind::Minimum: return s.is_float && s.real == INFINITY;
    default: return false;
  }
}

// A reduction over dims of size 1 from the identity is a reshape.
Result<bool> legalise_reduce(Rewriter& rewriter, Visit& v) {
  if (v.operands.size() != 2) return false;
  const graph::Type& in = v.out.type(v.operands[0]);
  for (std::int64_t d : v.ints("dimensions"))
    if (in.shape[static_cast<std::size_t>(d)] != 1) return false;
  OpKind kind;
  const auto init = v.out.splat(v.operands[1]);
  if (!init || !single_op_region(rewriter.old_function(v.old.regions(v.op)[0]), kind) || !is_identity(kind, *init)) return false;
  return v.replace(v.out.emit(OpKind::Reshape, {v.operands[0]}, v.result_type(), {}, v.location()));
}

Result<bool> visit(Rewriter& rewriter, Visit& v) {
  switch (v.kind()) {
    case OpKind::OptimizationBarrier: {
      std::size_t i = 0;
      for (ValueId r : v.old.results(v.op)) v.map[r] = v.operands[i++];
      return true;
    }
    case OpKind::ChloSquare:
      return v.replace(v.out.emit(OpKind::Multiply, {v.operands[0], v.operands[0]}, v.result_type(), {}, v.location()));
    case OpKind::Clamp:
      return legalise_clamp(v);
    case OpKind::Dot:
      return legalise_dot(v);
    case OpKind::DotGeneral:
      return legalise_dot_types(v);
    case OpKind::Reduce:
      return legalise_reduce(rewriter, v);
    case OpKind::Broadcast: {  // prepends dims
      const auto rank = v.out.type(v.operands[0]).rank();
      const auto added = v.out.module().type(v.result_type()).rank() - rank;
      std::vector<std::int64_t> dims(static_cast<std::size_t>(rank));
      std::iota(dims.begin(), dims.end(), added);
      return v.replace(broadcast(v, v.operands[0], v.result_type(), dims));
    }
    default:
      return false;
  }
}

}  // namespace

Result<void> legalise(graph::Module& module) { return Rewriter(module, visit).run(); }

}  // namespace openneuron::opt
