#include "opt/formula.h"

#include <cmath>

#include "opt/legalise_tools.h"

namespace openneuron::opt {

using graph::OpKind;

Term::operator ValueId() const { return formula_ ? formula_->emit(node_) : value_; }

Term Formula::constant(TypeId type, double number) {
  nodes_.push_back({OpKind::Constant, type, {}, {}, number, {}});
  return Term(*this, static_cast<std::uint32_t>(nodes_.size() - 1));
}

Term Formula::node(OpKind kind, TypeId type, AttrId attributes, std::vector<Term> operands) {
  nodes_.push_back({kind, type, attributes, std::move(operands), 0, {}});
  return Term(*this, static_cast<std::uint32_t>(nodes_.size() - 1));
}

ValueId Formula::emit(std::uint32_t index) {
  Node& node = nodes_[index];  // emitting adds no nodes
  if (node.emitted.valid()) return node.emitted;
  if (node.kind == OpKind::Constant) return node.emitted = v_.out.constant(node.type, node.number, v_.location());
  std::vector<ValueId> operands;
  for (const Term& t : node.operands) operands.push_back(t);
  return node.emitted = v_.out.emit(node.kind, operands, node.type, node.attributes, v_.location());
}

Term Formula::compare(const Term& x, std::string_view direction, const Term& y) {
  graph::Module& m = v_.out.module();
  const ElementType e = element(x);
  const TypeId truth = with_element(m, type(x), ElementType::I1);
  const std::string_view kind = is_float(e) ? "FLOAT" : type_class(e) == TypeClass::Signed ? "SIGNED" : "UNSIGNED";
  const AttrId attributes = m.dictionary({{"comparison_direction", m.enum_attr("comparison_direction", direction)},
                                          {"compare_type", m.enum_attr("comparison_type", kind)}});
  return node(OpKind::Compare, truth, attributes, {x, y});
}

Term Formula::select(const Term& condition, const Term& x, const Term& y) {
  return node(OpKind::Select, type(x), {}, {condition, x, y});
}

Term Formula::polynomial(const Term& x, std::span<const double> c) {
  const Term at = ValueId(x);
  Term sum = splat(at, c.back());
  for (std::size_t i = c.size() - 1; i-- > 0;) sum = add(mul(sum, at), c[i]);
  return sum;
}

Term Formula::to(const Term& x, ElementType to) {
  if (element(x) == to) return x;
  if (is_integer(element(x)) && is_integer(to) && bit_width(element(x)) == bit_width(to)) return bits(x, to);
  return node(OpKind::Convert, with_element(v_.out.module(), type(x), to), {}, {x});
}

Term Formula::bits(const Term& x, ElementType to) {
  if (element(x) == to) return x;
  return node(OpKind::BitcastConvert, with_element(v_.out.module(), type(x), to), {}, {x});
}

Term Formula::with_sign(const Term& x, const Term& sign) {
  const ElementType e = element(x), word = unsigned_of(bit_width(e));
  const double top = std::ldexp(1.0, bit_width(e) - 1);
  return bits(bit_or(bit_and(bits(x, word), top - 1), bit_and(bits(sign, word), top)), e);
}

// By halves: the engines multiply 32 bits into the lower 32. The signed product's upper word is the unsigned one's less
// y where x is negative and less x where y is.
Term Formula::high_product(const Term& x, const Term& y) {
  const ElementType type = element(x);
  const Term a = to(x, ElementType::U32), b = to(y, ElementType::U32);
  const Term a0 = bit_and(a, 0xFFFF), a1 = right(a, 16), b0 = bit_and(b, 0xFFFF), b1 = right(b, 16);
  const Term middle = add(mul(a1, b0), right(mul(a0, b0), 16));
  const Term other = add(mul(a0, b1), bit_and(middle, 0xFFFF));
  Term high = add(add(mul(a1, b1), right(middle, 16)), right(other, 16));
  if (type_class(type) == TypeClass::Signed) {
    high = sub(high, select(compare(x, "LT", 0), b, 0.0));
    high = sub(high, select(compare(y, "LT", 0), a, 0.0));
  }
  return to(high, type);
}

ElementType unsigned_of(int bits) { return bits == 8 ? ElementType::U8 : bits == 16 ? ElementType::U16 : ElementType::U32; }
ElementType signed_of(int bits) { return bits == 8 ? ElementType::I8 : bits == 16 ? ElementType::I16 : ElementType::I32; }

}  // namespace openneuron::opt
