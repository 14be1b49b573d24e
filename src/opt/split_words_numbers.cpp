// 64-bit integers as numbers: division, conversion from and to floats and to other bits, contractions.
#include <cmath>

#include "opt/dot_terms.h"
#include "opt/word_splitter.h"

namespace openneuron::opt {

using graph::OpKind;

namespace {
constexpr double kWord = 4294967296.0;  // 2^32
}

Planes WordSplitter::magnitude(Visit& v, const Planes& a) {
  if (a.small()) return a;
  const Planes turned = subtract(v, zero(v), a);
  return choose(v, negative(v, a), turned, a);
}

// Four quotients from below by floats, each of some 19 bits of what the ones before left, then two trial subtractions.
std::pair<Planes, Planes> WordSplitter::divide_unsigned(Visit& v, const Planes& a, const Planes& b) {
  if (a.small() && b.small()) {
    const Planes quotient{op(v, OpKind::Divide, {a.low, b.low}), number(v, 0), a.most, {}};
    return {quotient, Planes{op(v, OpKind::Remainder, {a.low, b.low}), number(v, 0), a.most, {}}};
  }
  const auto real = [&](Formula& f, const Planes& x) -> ValueId {
    const ValueId high = f.mul(f.to(x.high, ElementType::F32), kWord);
    return f.add(high, f.to(x.low, ElementType::F32));
  };
  Formula f(v);
  const ValueId divisor = real(f, b);
  Planes quotient = zero(v), rest = a;
  for (int step = 0; step < 4; ++step) {
    constexpr double kBelow = 1.0 - 1.0 / (1 << 20);  // three roundings and the divisor's error are within it
    const ValueId estimate = f.mul(f.div(real(f, rest), divisor), kBelow);
    const ValueId high = f.op(OpKind::Floor, f.mul(estimate, 1 / kWord));
    const ValueId low = f.sub(estimate, f.mul(high, kWord));
    const ValueId low_word = f.to(low, ElementType::U32);
    const Planes part{low_word, f.to(high, ElementType::U32), UINT64_MAX, {}};
    quotient = add(v, quotient, part);
    rest = subtract(v, rest, multiply(v, part, b));
  }
  const Planes one{number(v, 1), number(v, 0), 1, {}};
  for (int step = 0; step < 2; ++step) {
    const ValueId over = less(v, rest, b, false, "GT", "GE");
    rest = choose(v, over, subtract(v, rest, b), rest);
    quotient = choose(v, over, add(v, quotient, one), quotient);
  }
  // Division by zero as XLA has it: all ones, and the dividend as the remainder.
  const ValueId nothing = compare(v, "EQ", {op(v, OpKind::Or, {b.low, b.high}), number(v, 0)});
  return {choose(v, nothing, all_ones(v), quotient), choose(v, nothing, a, rest)};
}

Planes WordSplitter::divide(Visit& v, ElementType e) {
  const Planes a = *inputs_[0], b = *inputs_[1];
  const bool quotient = v.kind() == OpKind::Divide;
  const bool is_signed = e == ElementType::I64 && !(a.most <= INT64_MAX && b.most <= INT64_MAX);
  const Planes dividend = is_signed ? magnitude(v, a) : a, divisor = is_signed ? magnitude(v, b) : b;
  const auto [q, r] = divide_unsigned(v, dividend, divisor);
  if (!is_signed) return quotient ? q : r;
  const ValueId turned = quotient ? op(v, OpKind::Xor, {a.high, b.high}) : a.high;
  const Planes& size = quotient ? q : r;
  const Planes other = subtract(v, zero(v), size);
  const Planes made = choose(v, negative(v, {turned, turned, UINT64_MAX, {}}), other, size);
  if (!quotient) return made;
  const ValueId nothing = compare(v, "EQ", {op(v, OpKind::Or, {b.low, b.high}), number(v, 0)});
  return choose(v, nothing, all_ones(v), made);
}

Planes WordSplitter::clamp(Visit& v, ElementType e) {
  Moves moves(v);
  const auto whole = [&](const Planes& x) {
    if (moves.shape(x.low) == shape_) return x;
    const ValueId low = moves.broadcast(x.low, shape_, {});
    return Planes{low, moves.broadcast(x.high, shape_, {}), x.most, {}};
  };
  const Planes low = whole(*inputs_[0]), high = whole(*inputs_[2]);
  return extreme(v, OpKind::Minimum, extreme(v, OpKind::Maximum, *inputs_[1], low, e), high, e);
}

Planes WordSplitter::dot(Visit& v, ElementType e) {
  const DotTerms terms = dot_terms(v);
  const std::vector<std::int64_t> result = shape_;
  Planes operands[2];
  for (std::size_t side = 0; side < 2; ++side) {
    shape_ = v.out.type(v.operands[side]).shape;
    operands[side] = inputs_[side] ? *inputs_[side] : widen(v, e, v.operands[side]);
    if (!operands[side].low.valid()) return {};
  }
  shape_ = result;
  const std::int64_t n = terms.shape.back();
  if (n == 0) return zero(v);
  const auto lay = [&](const Planes& x, std::size_t side) {
    const ValueId low = terms.lay(v, x.low, side);
    return Planes{low, terms.lay(v, x.high, side), x.most, {}};
  };
  const Planes a = lay(operands[0], 0), b = lay(operands[1], 1);
  shape_ = terms.shape;
  Planes sum = multiply(v, a, b);
  Moves moves(v);
  const std::size_t last = terms.shape.size() - 1;
  const auto part = [&](const Planes& x, std::int64_t from, std::int64_t to) {
    const ValueId low = moves.slice(x.low, last, from, to);
    return Planes{low, moves.slice(x.high, last, from, to), x.most, {}};
  };
  std::vector<Planes> over;  // what odd counts leave
  for (std::int64_t left = n; left > 1; left /= 2) {
    shape_.back() = 1;
    if (left % 2) over.push_back(part(sum, left - 1, left));
    shape_.back() = left / 2;
    sum = add(v, part(sum, 0, left / 2), part(sum, left / 2, left / 2 * 2));
  }
  shape_.back() = 1;
  for (const Planes& x : over) sum = add(v, sum, x);
  shape_ = result;
  const ValueId low = moves.reshape(sum.low, result);
  return {low, moves.reshape(sum.high, result), sum.most, {}};
}

// A stable sort by the upper word, then the lower one, largest first, that carries the places; the first k of it.
bool WordSplitter::top_k(Visit& v) {
  graph::Module& m = v.out.module();
  const Planes a = *inputs_[0];
  const bool is_signed = wide(v, v.old.operand(v.op, 0)) == ElementType::I64;
  const std::int64_t k = m.integer(v.old, v.op, "k", 0);
  shape_ = v.out.type(a.low).shape;
  const std::size_t last = shape_.size() - 1;
  const auto turned = [&](ValueId high) { return is_signed ? op(v, OpKind::Xor, {high, number(v, 0x80000000u)}) : high; };
  Moves moves(v);
  const ValueId high = turned(a.high), places = moves.iota(ElementType::I32, shape_, static_cast<std::int64_t>(last));
  const ValueId operands[] = {high, a.low, places};
  std::vector<TypeId> types;
  graph::Function region;
  region.is_region = true;
  std::vector<ValueId> sides;
  for (ValueId x : operands) {
    types.push_back(v.out.function().type(x));
    const TypeId scalar = m.tensor(v.out.type(x).element, {});
    for (int side = 0; side < 2; ++side) sides.push_back(region.add_parameter(scalar));
  }
  Builder out(m, region);
  const TypeId flag = m.tensor(ElementType::I1, {});
  const auto compared = [&](const char* direction, std::size_t i) {
    const AttrId dict = m.dictionary({{"comparison_direction", m.enum_attr("comparison_direction", direction)},
                                      {"compare_type", m.enum_attr("comparison_type", "UNSIGNED")}});
    return out.emit(OpKind::Compare, {sides[i], sides[i + 1]}, flag, dict, v.location());
  };
  const ValueId above = compared("GT", 0), same = compared("EQ", 0), below = compared("GT", 2);
  const ValueId tie = out.emit(OpKind::And, {same, below}, flag, {}, v.location());
  const ValueId returned[] = {out.emit(OpKind::Or, {above, tie}, flag, {}, v.location())};
  region.add_op(OpKind::Return, returned, {}, {}, v.location());
  const FunctionId regions[] = {m.add_function(std::move(region))};
  const AttrId attributes = m.dictionary({{"dimension", m.int_attr(static_cast<std::int64_t>(last))}, {"is_stable", m.bool_attr(true)}});
  const OpId sorted = v.out.emit_op(OpKind::Sort, operands, types, attributes, v.location(), regions, 0, {});
  const auto first = [&](std::size_t i) { return moves.slice(v.out.function().result(sorted, i), last, 0, k); };
  shape_.back() = k;
  const ValueId upper = turned(first(0)), lower = first(1);
  replace(v, {lower, upper, a.most, {}});
  v.map[v.old.result(v.op, 1)] = first(2);
  return true;
}

ValueId WordSplitter::leading_zeros(Visit& v, const Planes& a) {
  const ValueId low = op(v, OpKind::Add, {op(v, OpKind::CountLeadingZeros, {a.low}), number(v, 32)});
  if (a.small()) return low;
  return select(v, {compare(v, "EQ", {a.high, number(v, 0)}), low, op(v, OpKind::CountLeadingZeros, {a.high})});
}

// The upper 32 bits from the first set one on, the last of them also set when a lower one is: that rounds as the whole
// number does. Then a power of two.
ValueId WordSplitter::to_float(Visit& v, ElementType from, ElementType to) {
  const Planes a = *inputs_[0];
  const bool is_signed = from == ElementType::I64;
  const Planes size = is_signed ? magnitude(v, a) : a;
  const ValueId n = leading_zeros(v, size);
  const ValueId rest = op(v, OpKind::Subtract, {number(v, 32), n}), more = op(v, OpKind::Subtract, {n, number(v, 32)});
  const ValueId upper = op(v, OpKind::Or, {op(v, OpKind::Or, {op(v, OpKind::ShiftLeft, {size.high, n}), op(v, OpKind::ShiftRightLogical, {size.low, rest})}),
                                           op(v, OpKind::ShiftLeft, {size.low, more})});
  const ValueId lower = op(v, OpKind::ShiftLeft, {size.low, n});
  const ValueId sticky = v.out.emit(OpKind::Convert, {compare(v, "NE", {lower, number(v, 0)})}, type(v, ElementType::U32), {}, v.location());
  Formula f(v);
  const ValueId digits = f.bit_or(upper, sticky);
  // f16 ends below 2^17, which fp32 holds exactly.
  const ValueId rounded = f.to(f.to(digits, to == ElementType::BF16 ? to : ElementType::F32), ElementType::F32);
  const ValueId exponent = f.left(f.sub(f.splat(n, 127 + 32), n), 23);
  ValueId value = f.mul(rounded, f.bits(exponent, ElementType::F32));
  if (is_signed) value = f.select(negative(v, a), f.neg(value), value);
  return f.to(value, to);
}

// Truncates; what does not fit saturates, NaN is 0.
Planes WordSplitter::from_float(Visit& v, ElementType e, ValueId x) {
  Formula f(v);
  const bool is_signed = e == ElementType::I64;
  const ValueId size = is_signed ? f.abs(x) : f.max(x, 0.0);
  const ValueId high = f.op(OpKind::Floor, f.mul(size, 1 / kWord)), low = f.sub(size, f.mul(high, kWord));
  const ValueId low_word = f.to(low, ElementType::U32);
  Planes made{low_word, f.to(high, ElementType::U32), UINT64_MAX, {}};
  const ValueId below = f.compare(x, "LT", 0);
  if (is_signed) made = choose(v, below, subtract(v, zero(v), made), made);
  const ValueId over = f.compare(size, "GE", is_signed ? kWord * kWord / 2 : kWord * kWord);
  Planes most = all_ones(v);
  if (is_signed) {
    const ValueId top = select(v, {below, number(v, 0x80000000u), number(v, 0x7FFFFFFFu)});
    most = {select(v, {below, number(v, 0), number(v, 0xFFFFFFFFu)}), top, UINT64_MAX, {}};
  }
  made = choose(v, over, most, made);
  const ValueId is_nan = f.compare(x, "NE", x);
  return choose(v, is_nan, zero(v), made);
}

// bitcast_convert to 64 bits: of smaller elements, a trailing dim of which holds the parts of one; between i64 and ui64.
Planes WordSplitter::from_bits(Visit& v) {
  if (inputs_[0]) return *inputs_[0];
  const ElementType from = v.out.type(v.operands[0]).element;
  if (bit_width(from) < 8 || bit_width(from) > 32) return {};
  graph::Module& m = v.out.module();
  std::vector<std::int64_t> two = shape_;
  two.push_back(2);
  ValueId words = v.operands[0];
  if (bit_width(from) < 32) {
    std::vector<std::int64_t> parts = two;
    parts.push_back(32 / bit_width(from));
    words = v.out.emit(OpKind::BitcastConvert, {Moves(v).reshape(words, parts)}, m.tensor(ElementType::U32, two), {}, v.location());
  }
  return unpack(v, Formula(v).bits(words, ElementType::U32), shape_);
}

ValueId WordSplitter::to_bits(Visit& v, ElementType to) {
  if (bit_width(to) < 8 || bit_width(to) > 32) return {};
  const ValueId words = pack(v, *inputs_[0]);
  if (bit_width(to) == 32) return Formula(v).bits(words, to);
  std::vector<std::int64_t> parts = v.out.type(words).shape;
  parts.push_back(32 / bit_width(to));
  const ValueId small = v.out.emit(OpKind::BitcastConvert, {words}, v.out.module().tensor(to, parts), {}, v.location());
  return Moves(v).reshape(small, shape_);
}

}  // namespace openneuron::opt
