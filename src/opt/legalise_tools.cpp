#include "opt/legalise_tools.h"

#include <cmath>

namespace openneuron::opt {

using graph::OpKind;

TypeId with_element(graph::Module& m, TypeId type, ElementType element) {
  const std::vector<std::int64_t> shape = m.type(type).shape;  // a copy: interning may move the table
  return m.tensor(element, shape);
}

ValueId broadcast(Visit& v, ValueId value, TypeId to, std::span<const std::int64_t> dims) {
  if (v.out.function().type(value) == to) return value;
  graph::Module& m = v.out.module();
  const AttrId attrs = m.dictionary({{"broadcast_dimensions", m.ints_attr(dims)}});
  return v.out.emit(OpKind::BroadcastInDim, {value}, to, attrs, v.location());
}

ValueId convert(Visit& v, ValueId value, ElementType to) {
  const TypeId type = with_element(v.out.module(), v.out.function().type(value), to);
  return v.out.emit(OpKind::Convert, {value}, type, {}, v.location());
}

ValueId Formula::compare(ValueId x, std::string_view direction, ValueId y) {
  graph::Module& m = v_.out.module();
  const ElementType e = element(x);
  const TypeId truth = with_element(m, type(x), ElementType::I1);
  const std::string_view kind = is_float(e) ? "FLOAT" : type_class(e) == TypeClass::Signed ? "SIGNED" : "UNSIGNED";
  const AttrId attributes = m.dictionary({{"comparison_direction", m.enum_attr("comparison_direction", direction)},
                                          {"compare_type", m.enum_attr("comparison_type", kind)}});
  return v_.out.emit(OpKind::Compare, {x, y}, truth, attributes, v_.location());
}

ValueId Formula::select(ValueId condition, ValueId x, ValueId y) {
  return v_.out.emit(OpKind::Select, {condition, x, y}, type(x), {}, v_.location());
}

ValueId Formula::polynomial(ValueId x, std::span<const double> c) {
  ValueId sum = splat(x, c.back());
  for (std::size_t i = c.size() - 1; i-- > 0;) sum = add(mul(sum, x), c[i]);
  return sum;
}

ValueId Formula::to(ValueId x, ElementType to) {
  if (is_integer(element(x)) && is_integer(to) && bit_width(element(x)) == bit_width(to)) return bits(x, to);
  return convert(v_, x, to);
}

ValueId Formula::bits(ValueId x, ElementType to) {
  if (element(x) == to) return x;
  const TypeId result = with_element(v_.out.module(), type(x), to);
  return v_.out.emit(OpKind::BitcastConvert, {x}, result, {}, v_.location());
}

ValueId Formula::with_sign(ValueId x, ValueId sign) {
  const ElementType e = element(x), word = unsigned_of(bit_width(e));
  const double top = std::ldexp(1.0, bit_width(e) - 1);
  return bits(bit_or(bit_and(bits(x, word), top - 1), bit_and(bits(sign, word), top)), e);
}

// By halves: the engines multiply 32 bits into the lower 32. The signed product's upper word is the unsigned one's less
// y where x is negative and less x where y is.
ValueId high_product(Formula& f, ValueId x, ValueId y) {
  const ElementType type = f.element(x);
  const ValueId a = f.to(x, ElementType::U32), b = f.to(y, ElementType::U32);
  const ValueId a0 = f.bit_and(a, 0xFFFF), a1 = f.right(a, 16), b0 = f.bit_and(b, 0xFFFF), b1 = f.right(b, 16);
  const ValueId middle = f.add(f.mul(a1, b0), f.right(f.mul(a0, b0), 16));
  const ValueId other = f.add(f.mul(a0, b1), f.bit_and(middle, 0xFFFF));
  ValueId high = f.add(f.add(f.mul(a1, b1), f.right(middle, 16)), f.right(other, 16));
  if (type_class(type) == TypeClass::Signed) {
    high = f.sub(high, f.select(f.compare(x, "LT", 0), b, 0.0));
    high = f.sub(high, f.select(f.compare(y, "LT", 0), a, 0.0));
  }
  return f.to(high, type);
}

ElementType unsigned_of(int bits) { return bits == 8 ? ElementType::U8 : bits == 16 ? ElementType::U16 : ElementType::U32; }
ElementType signed_of(int bits) { return bits == 8 ? ElementType::I8 : bits == 16 ? ElementType::I16 : ElementType::I32; }

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

Splat identity_of(OpKind kind, ElementType e) {
  Splat s{e, is_float(e), 0, 0};
  const int width = bit_width(e);
  const bool is_signed = type_class(e) == TypeClass::Signed;
  const std::int64_t most = e == ElementType::I1 ? 1 : is_signed ? (std::int64_t{1} << (width - 1)) - 1 : width >= 64 ? -1 : (std::int64_t{1} << width) - 1;
  switch (kind) {
    case OpKind::Multiply:
      s.real = 1;
      s.integer = 1;
      break;
    case OpKind::Maximum:
      s.real = -INFINITY;
      s.integer = is_signed ? -most - 1 : 0;
      break;
    case OpKind::Minimum:
      s.real = INFINITY;
      s.integer = most;
      break;
    case OpKind::And: s.integer = is_signed ? -1 : most; break;
    default: break;
  }
  return s;
}

bool is_identity(OpKind kind, const Splat& s) {
  if (!reduces(kind)) return false;
  const Splat identity = identity_of(kind, s.type);
  return s.is_float ? s.real == identity.real : s.integer == identity.integer;
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

}  // namespace openneuron::opt
