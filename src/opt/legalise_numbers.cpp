// Numbers bit by bit: shifts, counts of bits, rounding, orders of floats; and what single ops say in other words.
#include <algorithm>
#include <cmath>

#include "num/float_format.h"
#include "opt/legalise_rules.h"
#include "opt/legalise_tools.h"
#include "opt/moves.h"

namespace openneuron::opt::rules {

using graph::OpKind;

Result<bool> square(Rewriter&, Visit& v) {
  return v.replace(v.out.emit(OpKind::Multiply, {v.operands[0], v.operands[0]}, v.result_type(), {}, v.location()));
}

Result<bool> same(Rewriter&, Visit& v) { return v.replace(v.operands[0]); }

Result<bool> clamp(Rewriter&, Visit& v) {
  const TypeId type = v.result_type();
  const ValueId low = broadcast(v, v.operands[0], type), high = broadcast(v, v.operands[2], type);
  const ValueId raised = v.out.emit(OpKind::Maximum, {v.operands[1], low}, type, {}, v.location());
  return v.replace(v.out.emit(OpKind::Minimum, {raised, high}, type, {}, v.location()));
}

namespace {

bool is_narrow_integer(ElementType t) { return is_integer(t) && bit_width(t) >= 8 && bit_width(t) <= 32; }

// Bits of every byte, added up: sums of neighbouring bits, pairs, nibbles, then bytes by one product.
ValueId count_bits(Formula& f, ValueId word) {
  ValueId x = f.sub(word, f.bit_and(f.right(word, 1), 0x55555555));
  x = f.add(f.bit_and(x, 0x33333333), f.bit_and(f.right(x, 2), 0x33333333));
  x = f.bit_and(f.add(x, f.right(x, 4)), 0x0F0F0F0F);
  return f.right(f.mul(x, 0x01010101), 24);
}

// An integer of up to 32 bits as a word, without its sign.
ValueId as_word(Formula& f, ValueId x) {
  return f.to(f.to(x, unsigned_of(bit_width(f.element(x)))), ElementType::U32);
}

}  // namespace

Result<bool> popcnt(Rewriter&, Visit& v) {
  Formula f(v);
  const ElementType type = f.element(v.operands[0]);
  if (!is_narrow_integer(type)) return false;
  return v.replace(f.to(count_bits(f, as_word(f, v.operands[0])), type));
}

// The highest 1 is smeared down: what is left above it is counted.
Result<bool> count_leading_zeros(Rewriter&, Visit& v) {
  Formula f(v);
  const ElementType type = f.element(v.operands[0]);
  if (!is_narrow_integer(type)) return false;
  ValueId x = as_word(f, v.operands[0]);
  for (int step = 1; step < bit_width(type); step *= 2) x = f.bit_or(x, f.right(x, step));
  return v.replace(f.to(f.sub(bit_width(type), count_bits(f, x)), type));
}

// In 32 bits, of the sign extended value: a negative one is complemented before and after a logical shift. Amounts at or
// above 32, negative ones among them, leave the sign everywhere.
Result<bool> shift_right_arithmetic(Rewriter&, Visit& v) {
  Formula f(v);
  const ElementType type = f.element(v.operands[0]);
  if (!is_narrow_integer(type)) return false;
  const ValueId x = f.to(f.to(v.operands[0], signed_of(bit_width(type))), ElementType::I32);
  const ValueId amount = f.to(v.operands[1], ElementType::I32);
  const ValueId mask = f.select(f.compare(x, "LT", 0), f.splat(x, -1), f.splat(x, 0));
  return v.replace(f.to(f.bit_xor(f.right(f.bit_xor(x, mask), amount), mask), type));
}

// The engines shift 32 bits: a narrow signed number loses its sign first.
Result<bool> shift_right_logical(Rewriter&, Visit& v) {
  Formula f(v);
  const ElementType type = f.element(v.operands[0]);
  if (!is_narrow_integer(type) || bit_width(type) == 32 || type_class(type) != TypeClass::Signed) return false;
  const ElementType word = unsigned_of(bit_width(type));
  return v.replace(f.to(f.right(f.to(v.operands[0], word), f.to(v.operands[1], word)), type));
}

// Signs of integers; those of floats are a function of Scalar.
Result<bool> sign(Rewriter&, Visit& v) {
  Formula f(v);
  const ElementType type = f.element(v.operands[0]);
  if (!is_integer(type)) return false;
  const ValueId positive = f.to(f.compare(v.operands[0], "GT", 0), type);
  if (type_class(type) != TypeClass::Signed) return v.replace(positive);
  return v.replace(f.sub(positive, f.to(f.compare(v.operands[0], "LT", 0), type)));
}

// Integers only (floats have a routine): x - x / y * y wraps to the right remainder for y = 0 (x) and for MIN % -1 (0) as well.
Result<bool> remainder(Rewriter&, Visit& v) {
  Formula f(v);
  if (!is_integer(f.element(v.operands[0]))) return false;
  const ValueId whole = f.mul(f.div(v.operands[0], v.operands[1]), v.operands[1]);
  return v.replace(f.sub(v.operands[0], whole));
}

// floor(|x|), one more where the rest is at least a half (exact: the difference of neighbours), with the sign of x.
Result<bool> round_nearest_afz(Rewriter&, Visit& v) {
  Formula f(v);
  const ValueId size = f.abs(v.operands[0]), whole = f.op(OpKind::Floor, size);
  const ValueId rounded = f.select(f.compare(f.sub(size, whole), "GE", 0.5), f.add(whole, 1), whole);
  return v.replace(f.mul(rounded, f.op(OpKind::Sign, v.operands[0])));
}

// TOTALORDER is the order of the bits as signed integers once those below zero are turned around.
Result<bool> compare(Rewriter&, Visit& v) {
  Formula f(v);
  const ElementType type = f.element(v.operands[0]);
  const AttrId kind = v.attr("compare_type");
  if (!is_float(type) || !kind.valid() || v.out.module().attribute(kind).text != "TOTALORDER") return false;
  const int width = bit_width(type);
  if (width < 8 || width > 32) return false;
  const double most = std::ldexp(1.0, width - 1) - 1;
  const auto key = [&](ValueId x) {
    const Term bits = f.bits(x, signed_of(width));
    return f.select(f.compare(bits, "LT", 0), f.bit_xor(bits, most), bits);
  };
  const std::string direction = v.out.module().attribute(v.attr("comparison_direction")).text;
  return v.replace(f.compare(key(v.operands[0]), direction, key(v.operands[1])));
}

// Rounds the mantissa to nearest even by adding half a unit, then sends exponents beyond the reduced range to infinity
// and to zero; the reduced format has no subnormals. A NaN stays one unless no mantissa bit is left to say so.
Result<bool> reduce_precision(Rewriter&, Visit& v) {
  Formula f(v);
  const graph::Module& m = v.out.module();
  const ElementType type = f.element(v.operands[0]);
  if (type != ElementType::F32 && type != ElementType::BF16 && type != ElementType::F16) return false;
  const auto exponent_bits = m.attribute(v.attr("exponent_bits")).integer;
  const auto mantissa_bits = m.attribute(v.attr("mantissa_bits")).integer;
  const FloatFormat* format = float_format(type);  // none for f32
  const int mantissa = format ? format->mantissa_bits : 23, exponent = format ? format->exponent_bits : 8;
  const ElementType word = unsigned_of(bit_width(type));
  const double sign_bit = std::ldexp(1.0, bit_width(type) - 1), infinity = std::ldexp(1.0, mantissa + exponent) - std::ldexp(1.0, mantissa);
  const ValueId x = f.bits(v.operands[0], word);
  ValueId r = x;
  if (mantissa_bits < mantissa) {
    const int dropped = mantissa - static_cast<int>(mantissa_bits);
    const ValueId last = f.bit_and(f.right(x, dropped), 1);
    r = f.add(x, f.add(last, std::ldexp(1.0, dropped - 1) - 1));
    r = f.bit_and(r, std::ldexp(1.0, bit_width(type)) - std::ldexp(1.0, dropped));
  }
  if (exponent_bits < exponent) {
    const double bias = std::ldexp(1.0, exponent - 1) - 1, reduced = std::ldexp(1.0, static_cast<int>(exponent_bits) - 1) - 1;
    const ValueId place = f.bit_and(r, infinity), sign = f.bit_and(r, sign_bit);
    const double unit = std::ldexp(1.0, mantissa);
    r = f.select(f.compare(place, "GT", (bias + reduced) * unit), f.bit_or(sign, infinity), r);
    r = f.select(f.compare(place, "LE", (bias - reduced) * unit), sign, r);
  }
  const ValueId is_nan = f.compare(f.bit_and(x, sign_bit - 1), "GT", infinity);
  r = f.select(is_nan, mantissa_bits > 0 ? Term(x) : f.bit_or(f.bit_and(x, sign_bit), infinity), r);
  return v.replace(f.bits(r, type));
}

Result<bool> is_inf(Rewriter&, Visit& v) {
  Formula f(v);
  return v.replace(f.compare(f.abs(v.operands[0]), "EQ", INFINITY));
}
Result<bool> is_pos_inf(Rewriter&, Visit& v) { return v.replace(Formula(v).compare(v.operands[0], "EQ", INFINITY)); }
Result<bool> is_neg_inf(Rewriter&, Visit& v) { return v.replace(Formula(v).compare(v.operands[0], "EQ", -INFINITY)); }

// One step of the bits toward y: away from zero when y lies beyond x, else toward it; from zero to the smallest subnormal.
Result<bool> next_after(Rewriter&, Visit& v) {
  Formula f(v);
  const ValueId x = v.operands[0], y = v.operands[1];
  const ElementType type = f.element(x);
  if (type != ElementType::F32 && type != ElementType::BF16 && type != ElementType::F16) return false;
  const int width = bit_width(type);
  const ElementType word = signed_of(width);
  const double top = -std::ldexp(1.0, width - 1);
  const ValueId bits = f.bits(x, word), size = f.bit_and(bits, -top - 1);
  const ValueId toward = f.bits(y, word);
  const ValueId toward_size = f.bit_and(toward, -top - 1), toward_sign = f.bit_and(toward, top);
  const ValueId smallest = f.bit_or(toward_sign, 1);
  const ValueId other_sign = f.compare(f.bit_and(f.bit_xor(bits, toward), top), "NE", 0);
  const ValueId inward = f.bit_or(f.compare(size, "GT", toward_size), other_sign);
  ValueId next = f.add(bits, f.select(inward, f.splat(bits, -1), f.splat(bits, 1)));
  next = f.select(f.compare(size, "EQ", 0), smallest, next);
  next = f.select(f.compare(x, "EQ", y), toward, next);  // -0 and 0 are equal
  const ValueId is_nan = f.bit_or(f.compare(x, "NE", x), f.compare(y, "NE", y));
  return v.replace(f.select(is_nan, f.add(x, y), f.bits(next, type)));
}

// Between types of one width it is a view. A wider element is cut into, or put together from, a trailing dim of narrower
// ones by shifts, the lowest bits first.
Result<bool> bitcast_convert(Rewriter&, Visit& v) {
  Formula f(v);
  Moves m(v);
  const ValueId x = v.operands[0];
  const ElementType from = f.element(x), to = v.out.module().type(v.result_type()).element;
  const int wide = std::max(bit_width(from), bit_width(to)), narrow = std::min(bit_width(from), bit_width(to));
  if (wide == narrow || wide > 32 || narrow < 8) return false;
  const Shape shape = v.out.type(x).shape;
  if (bit_width(from) > bit_width(to)) {
    const ValueId word = f.to(f.bits(x, unsigned_of(wide)), ElementType::U32);
    Shape one = shape;
    one.push_back(1);
    std::vector<ValueId> parts;
    for (int at = 0; at < wide; at += narrow) parts.push_back(m.reshape(f.to(f.right(word, at), unsigned_of(narrow)), one));
    return v.replace(f.bits(m.concatenate(parts, static_cast<std::int64_t>(shape.size())), to));
  }
  const ValueId pieces = f.bits(x, unsigned_of(narrow));
  const std::size_t last = shape.size() - 1;
  const Shape kept(shape.begin(), shape.end() - 1);
  ValueId word;
  for (std::int64_t i = 0; i < wide / narrow; ++i) {
    const ValueId piece = f.to(m.reshape(m.slice(pieces, last, i, i + 1), kept), ElementType::U32);
    const ValueId placed = f.left(piece, static_cast<double>(i * narrow));
    word = word.valid() ? ValueId(f.bit_or(word, placed)) : placed;
  }
  return v.replace(f.bits(f.to(word, unsigned_of(wide)), to));
}

// The upper half of a product.
Result<bool> mulhi(Rewriter&, Visit& v) {
  Formula f(v);
  const ElementType type = f.element(v.operands[0]);
  if (!is_narrow_integer(type)) return false;
  const bool is_signed = type_class(type) == TypeClass::Signed;
  const int width = bit_width(type);
  if (width < 32) {  // the whole product fits into 32 bits
    const ElementType wide = is_signed ? ElementType::I32 : ElementType::U32;
    const ValueId product = f.mul(f.to(v.operands[0], wide), f.to(v.operands[1], wide));
    return v.replace(f.to(f.right(product, width), type));
  }
  return v.replace(f.high_product(v.operands[0], v.operands[1]));
}

// chlo.constant_like: a splat in the operand's shape.
Result<bool> constant_like(Rewriter&, Visit& v) {
  const graph::Attribute& value = v.out.module().attribute(v.attr("value"));
  const ElementType e = v.out.module().type(v.result_type()).element;
  if (is_complex(e) || (value.kind != graph::AttrKind::Float && value.kind != graph::AttrKind::Int)) return false;
  Splat s{e, is_float(e), value.kind == graph::AttrKind::Float ? value.real : static_cast<double>(value.integer), value.integer};
  if (!s.is_float && value.kind == graph::AttrKind::Float) s.integer = static_cast<std::int64_t>(value.real);
  return v.replace(v.out.splat_constant(v.result_type(), s, v.location()));
}

}  // namespace openneuron::opt::rules
