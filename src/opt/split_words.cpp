#include "opt/split_words.h"

#include <algorithm>

#include "num/convert.h"
#include "opt/moves.h"
#include "opt/word_splitter.h"

namespace openneuron::opt {

using graph::OpKind;

namespace {
constexpr std::uint64_t kWord = 0xFFFFFFFFull;
}

Result<void> split_words(graph::Module& module) { return WordSplitter().run(module); }

Result<bool> WordSplitter::compute(Visit& v) {
  if (v.kind() == OpKind::ChloTopK) return top_k(v);
  if (v.old.results(v.op).size() != 1) return false;
  const ValueId result = v.old.result(v.op);
  if (v.kind() == OpKind::DynamicGather && wide(v, result) == ElementType::None)
    if (gather_of_constant_sizes(v, inputs_[1] ? index(v, 1) : v.operands[1])) return true;
  if (wide(v, result) == ElementType::None) {
    const ValueId made = narrow(v);
    return made.valid() && v.replace(made);
  }
  const Planes made = split(v, wide(v, result));
  return made.low.valid() && replace(v, made);
}

Planes WordSplitter::split(Visit& v, ElementType e) {
  const auto negated = [&]() { return subtract(v, zero(v), *inputs_[0]); };
  switch (v.kind()) {
    case OpKind::Iota: return iota(v);
    case OpKind::Convert: return inputs_[0] ? *inputs_[0] : widen(v, e, v.operands[0]);  // i64 <-> ui64
    case OpKind::BitcastConvert: return from_bits(v);
    case OpKind::And:
    case OpKind::Or:
    case OpKind::Xor: return bitwise(v);
    case OpKind::Not: return {op(v, OpKind::Not, {inputs_[0]->low}), op(v, OpKind::Not, {inputs_[0]->high}), UINT64_MAX, {}};
    case OpKind::Add: return add(v, *inputs_[0], *inputs_[1]);
    case OpKind::Subtract: return subtract(v, *inputs_[0], *inputs_[1]);
    case OpKind::Multiply: return multiply(v, *inputs_[0], *inputs_[1]);
    case OpKind::Maximum:
    case OpKind::Minimum: return extreme(v, v.kind(), *inputs_[0], *inputs_[1], e);
    case OpKind::Clamp: return clamp(v, e);
    case OpKind::ShiftLeft:
    case OpKind::ShiftRightLogical:
    case OpKind::ShiftRightArithmetic: return shift(v, e);
    case OpKind::Negate: return negated();
    case OpKind::Abs: return magnitude(v, *inputs_[0]);
    case OpKind::Sign: {
      const Planes& a = *inputs_[0];
      const ValueId any = compare(v, "NE", {op(v, OpKind::Or, {a.low, a.high}), number(v, 0)});
      const Planes one{number(v, 1), number(v, 0), 1, {}}, minus_one = all_ones(v);
      const Planes up = choose(v, any, one, zero(v));
      return choose(v, negative(v, a), minus_one, up);
    }
    case OpKind::Popcnt: {
      const ValueId low = op(v, OpKind::Popcnt, {inputs_[0]->low});
      return {op(v, OpKind::Add, {low, op(v, OpKind::Popcnt, {inputs_[0]->high})}), number(v, 0), 64, {}};
    }
    case OpKind::CountLeadingZeros: return {leading_zeros(v, *inputs_[0]), number(v, 0), 64, {}};
    case OpKind::Divide:
    case OpKind::Remainder: return divide(v, e);
    case OpKind::DotGeneral: return dot(v, e);
    default: return {};
  }
}

ValueId WordSplitter::narrow(Visit& v) {
  if (!inputs_[0]) return {};
  const ElementType to = v.out.module().type(v.result_type()).element;
  const ElementType from = wide(v, v.old.operand(v.op, 0));
  if (v.kind() == OpKind::BitcastConvert) return to_bits(v, to);
  if (v.kind() == OpKind::Convert) {
    const Planes& a = *inputs_[0];
    if (is_integer(to)) return v.out.emit(OpKind::Convert, {a.low}, v.result_type(), {}, v.location());
    if (to == ElementType::I1) return compare(v, "NE", {a.small() ? a.low : op(v, OpKind::Or, {a.low, a.high}), number(v, 0)});
    if (is_float(to) && a.small()) return v.out.emit(OpKind::Convert, {a.low}, v.result_type(), {}, v.location());
    if (is_float(to) && byte_width(to) <= 4) return to_float(v, from, to);
    if (to == ElementType::C64)
      return v.out.emit(OpKind::Convert, {to_float(v, from, ElementType::F32)}, v.result_type(), {}, v.location());
    return {};
  }
  if (v.kind() == OpKind::Compare) {
    const Planes &a = *inputs_[0], &b = *inputs_[1];
    const std::string direction(v.out.module().attribute(v.attr("comparison_direction")).text);
    if (direction == "EQ" || direction == "NE") {
      const ValueId low = compare(v, direction.c_str(), {a.low, b.low});
      if (a.small() && b.small()) return low;
      return v.out.emit(direction == "EQ" ? OpKind::And : OpKind::Or, {low, compare(v, direction.c_str(), {a.high, b.high})}, v.result_type(), {}, v.location());
    }
    const std::string strict = direction.substr(0, 1) == "L" ? "LT" : "GT";
    return less(v, a, b, from == ElementType::I64, strict.c_str(), direction.c_str());
  }
  return {};
}

Planes WordSplitter::choose(Visit& v, ValueId condition, const Planes& a, const Planes& b) const {
  const ValueId low = select(v, {condition, a.low, b.low});
  return {low, select(v, {condition, a.high, b.high}), std::max(a.most, b.most), {}};
}

ValueId WordSplitter::negative(Visit& v, const Planes& a) const {
  return compare(v, "LT", {as_signed(v, a.high), as_signed(v, number(v, 0))}, true);
}

// By an amount of its own for each element: a shift by the word's width or more leaves nothing.
Planes WordSplitter::shift_by(Visit& v, ElementType e) {
  const bool left = v.kind() == OpKind::ShiftLeft;
  const bool arithmetic = v.kind() == OpKind::ShiftRightArithmetic && e == ElementType::I64;
  Planes a = *inputs_[0];
  const Planes& by = *inputs_[1];
  const ValueId fill = arithmetic ? select(v, {negative(v, a), number(v, kWord), number(v, 0)}) : number(v, 0);
  if (arithmetic) a = {op(v, OpKind::Xor, {a.low, fill}), op(v, OpKind::Xor, {a.high, fill}), UINT64_MAX, {}};
  const ValueId n = by.low, rest = op(v, OpKind::Subtract, {number(v, 32), n}), more = op(v, OpKind::Subtract, {n, number(v, 32)});
  const OpKind along = left ? OpKind::ShiftLeft : OpKind::ShiftRightLogical, back = left ? OpKind::ShiftRightLogical : OpKind::ShiftLeft;
  const ValueId near = left ? a.low : a.high, far = left ? a.high : a.low;  // the word that only loses bits
  ValueId one = op(v, along, {near, n});
  ValueId other = op(v, OpKind::Or, {op(v, OpKind::Or, {op(v, along, {far, n}), op(v, back, {near, rest})}), op(v, along, {near, more})});
  if (!by.small()) {
    const ValueId too_far = compare(v, "NE", {by.high, number(v, 0)});
    one = select(v, {too_far, number(v, 0), one});
    other = select(v, {too_far, number(v, 0), other});
  }
  if (arithmetic) {
    one = op(v, OpKind::Xor, {one, fill});
    other = op(v, OpKind::Xor, {other, fill});
  }
  return left ? Planes{one, other, UINT64_MAX, {}} : Planes{other, one, UINT64_MAX, {}};
}

Planes WordSplitter::iota(Visit& v) {
  const auto dim = static_cast<std::size_t>(v.out.module().attribute(v.attr("iota_dimension")).integer);
  const std::int64_t n = shape_[dim];
  if (n > static_cast<std::int64_t>(kWord)) return {};
  const ValueId low = v.out.emit(OpKind::Iota, {}, type(v, ElementType::U32), v.old.attributes_of(v.op), v.location());
  return {low, number(v, 0), n > 0 ? static_cast<std::uint64_t>(n - 1) : 0, {}};
}

Planes WordSplitter::bitwise(Visit& v) {
  const Planes &a = *inputs_[0], &b = *inputs_[1];
  Planes made{op(v, v.kind(), {a.low, b.low}), {}, UINT64_MAX, {}};
  if (v.kind() == OpKind::And) made.most = std::min(a.most, b.most);
  else if (a.small() && b.small()) made.most = kWord;
  if (made.small())
    made.high = number(v, 0);
  else if (v.kind() != OpKind::And && (a.small() || b.small()))
    made.high = a.small() ? b.high : a.high;
  else
    made.high = op(v, v.kind(), {a.high, b.high});
  return made;
}

Planes WordSplitter::add(Visit& v, const Planes& a, const Planes& b) {
  Planes made{op(v, OpKind::Add, {a.low, b.low}), {}, UINT64_MAX, {}};
  if (a.most <= UINT64_MAX - b.most) made.most = a.most + b.most;
  if (made.small()) {
    made.high = number(v, 0);
    return made;
  }
  const ValueId carry = v.out.emit(OpKind::Convert, {compare(v, "LT", {made.low, a.low})}, type(v, ElementType::U32), {}, v.location());
  made.high = op(v, OpKind::Add, {op(v, OpKind::Add, {a.high, b.high}), carry});
  return made;
}

Planes WordSplitter::subtract(Visit& v, const Planes& a, const Planes& b) {
  const ValueId borrow = v.out.emit(OpKind::Convert, {compare(v, "LT", {a.low, b.low})}, type(v, ElementType::U32), {}, v.location());
  return {op(v, OpKind::Subtract, {a.low, b.low}), op(v, OpKind::Subtract, {op(v, OpKind::Subtract, {a.high, b.high}), borrow}), UINT64_MAX, {}};
}

// low * low in halves of 16 bits, then the cross products, which only reach the upper word.
Planes WordSplitter::multiply(Visit& v, const Planes& a, const Planes& b) {
  Planes made{op(v, OpKind::Multiply, {a.low, b.low}), {}, UINT64_MAX, {}};
  if (a.most == 0 || b.most <= UINT64_MAX / a.most) made.most = a.most * b.most;
  if (made.small()) {
    made.high = number(v, 0);
    return made;
  }
  const ValueId half = number(v, 0xFFFF), sixteen = number(v, 16);
  const auto lower = [&](ValueId x) { return op(v, OpKind::And, {x, half}); };
  const auto upper = [&](ValueId x) { return op(v, OpKind::ShiftRightLogical, {x, sixteen}); };
  const ValueId al = lower(a.low), ah = upper(a.low), bl = lower(b.low), bh = upper(b.low);
  const ValueId middle = op(v, OpKind::Add, {op(v, OpKind::Multiply, {ah, bl}), upper(op(v, OpKind::Multiply, {al, bl}))});
  const ValueId cross = op(v, OpKind::Add, {op(v, OpKind::Multiply, {al, bh}), lower(middle)});
  made.high = op(v, OpKind::Add, {op(v, OpKind::Add, {op(v, OpKind::Multiply, {ah, bh}), upper(middle)}), upper(cross)});
  if (!a.small()) made.high = op(v, OpKind::Add, {made.high, op(v, OpKind::Multiply, {a.high, b.low})});
  if (!b.small()) made.high = op(v, OpKind::Add, {made.high, op(v, OpKind::Multiply, {a.low, b.high})});
  return made;
}

ValueId WordSplitter::less(Visit& v, const Planes& a, const Planes& b, bool is_signed, const char* strict, const char* low) {
  const ValueId low_less = compare(v, low, {a.low, b.low});
  if (a.small() && b.small()) return low_less;
  const bool ready = is_signed && a.biased.valid() && b.biased.valid();
  const ValueId high_less = ready ? compare(v, strict, {a.biased, b.biased})
                            : is_signed ? compare(v, strict, {as_signed(v, a.high), as_signed(v, b.high)}, true) : compare(v, strict, {a.high, b.high});
  const TypeId flag = type(v, ElementType::I1);
  const ValueId tie = v.out.emit(OpKind::And, {ready ? compare(v, "EQ", {a.biased, b.biased}) : compare(v, "EQ", {a.high, b.high}), low_less}, flag, {}, v.location());
  return v.out.emit(OpKind::Or, {high_less, tie}, flag, {}, v.location());
}

Planes WordSplitter::extreme(Visit& v, OpKind kind, const Planes& a, const Planes& b, ElementType e) {
  const bool max = kind == OpKind::Maximum;
  const ValueId first = less(v, a, b, e == ElementType::I64, max ? "GT" : "LT", max ? "GE" : "LE");
  Planes made{select(v, {first, a.low, b.low}), select(v, {first, a.high, b.high}), std::max(a.most, b.most), {}};
  if (made.small()) made.high = number(v, 0);
  return made;
}

Planes WordSplitter::shift(Visit& v, ElementType e) {
  const Planes& a = *inputs_[0];
  const auto low = v.out.splat(inputs_[1]->low), high = v.out.splat(inputs_[1]->high);
  if (!low || !high) return shift_by(v, e);
  const bool left = v.kind() == OpKind::ShiftLeft, arithmetic = v.kind() == OpKind::ShiftRightArithmetic;
  const std::uint64_t by = high->integer != 0 ? 64 : std::min<std::uint64_t>(64, static_cast<std::uint64_t>(low->integer) & kWord);
  const auto shifted = [&](OpKind kind, ValueId x, std::uint64_t n) { return n == 0 ? x : n >= 32 ? number(v, 0) : op(v, kind, {x, number(v, n)}); };
  if (left) {
    Planes made;
    made.low = shifted(OpKind::ShiftLeft, a.low, by);
    made.most = by < 64 && a.most <= (UINT64_MAX >> by) ? a.most << by : UINT64_MAX;
    if (by >= 32)
      made.high = shifted(OpKind::ShiftLeft, a.low, by - 32);
    else if (by == 0)
      made.high = a.high;
    else
      made.high = op(v, OpKind::Or, {shifted(OpKind::ShiftLeft, a.high, by), shifted(OpKind::ShiftRightLogical, a.low, 32 - by)});
    return made;
  }
  ValueId fill = number(v, 0);
  const bool fills = arithmetic && e == ElementType::I64 && a.most > static_cast<std::uint64_t>(INT64_MAX);
  if (fills) fill = select(v, {compare(v, "LT", {as_signed(v, a.high), as_signed(v, number(v, 0))}, true), number(v, kWord), number(v, 0)});
  const auto right_in = [&](ValueId x, std::uint64_t n) {  // fills from above
    if (n == 0) return x;
    if (n >= 32) return fill;
    const ValueId moved = op(v, OpKind::ShiftRightLogical, {x, number(v, n)});
    return fills ? op(v, OpKind::Or, {moved, op(v, OpKind::ShiftLeft, {fill, number(v, 32 - n)})}) : moved;
  };
  Planes made;
  made.most = fills ? UINT64_MAX : by >= 64 ? 0 : a.most >> by;
  made.high = made.small() ? number(v, 0) : right_in(a.high, by);
  if (made.most == 0)
    made.low = number(v, 0);
  else if (by >= 32)
    made.low = right_in(a.high, by - 32);
  else if (by == 0 || a.small())
    made.low = shifted(OpKind::ShiftRightLogical, a.low, by);
  else
    made.low = op(v, OpKind::Or, {shifted(OpKind::ShiftRightLogical, a.low, by), shifted(OpKind::ShiftLeft, a.high, 32 - by)});
  return made;
}

Planes WordSplitter::widen(Visit& v, ElementType e, ValueId narrow) {
  const graph::Type from = v.out.type(narrow);
  if (!is_integer(from.element) && from.element != ElementType::I1) {
    const bool complex = is_complex(from.element);
    if (byte_width(from.element) > (complex ? 8 : 4)) return {};
    const TypeId f32 = type(v, ElementType::F32);
    return from_float(v, e, v.out.emit(complex ? OpKind::Real : OpKind::Convert, {narrow}, f32, {}, v.location()));
  }
  const int bits = bit_width(from.element);
  Planes made;
  if (type_class(from.element) == TypeClass::Signed) {
    const ValueId number32 = v.out.emit(OpKind::Convert, {narrow}, type(v, ElementType::I32), {}, v.location());
    const ValueId zero = v.out.constant(type(v, ElementType::I32), 0, v.location());
    made.low = v.out.emit(OpKind::Convert, {number32}, type(v, ElementType::U32), {}, v.location());
    made.high = select(v, {compare(v, "LT", {number32, zero}, true), number(v, kWord), number(v, 0)});
  } else {
    made.low = v.out.emit(OpKind::Convert, {narrow}, type(v, ElementType::U32), {}, v.location());
    made.high = number(v, 0);
    made.most = bits >= 32 ? kWord : (std::uint64_t{1} << bits) - 1;
  }
  return made;
}

ValueId WordSplitter::op(Visit& v, OpKind kind, Operands operands) const { return v.out.emit(kind, operands, type(v, ElementType::U32), {}, v.location()); }
ValueId WordSplitter::compare(Visit& v, const char* direction, Operands operands, bool is_signed) const {
  graph::Module& m = v.out.module();
  const AttrId dict = m.dictionary({{"comparison_direction", m.enum_attr("comparison_direction", direction)},
                                    {"compare_type", m.enum_attr("comparison_type", is_signed ? "SIGNED" : "UNSIGNED")}});
  return v.out.emit(OpKind::Compare, operands, type(v, ElementType::I1), dict, v.location());
}
ValueId WordSplitter::as_signed(Visit& v, ValueId word) const { return v.out.emit(OpKind::Convert, {word}, type(v, ElementType::I32), {}, v.location()); }
ValueId WordSplitter::select(Visit& v, Operands operands) const { return v.out.emit(OpKind::Select, operands, type(v, ElementType::U32), {}, v.location()); }

}  // namespace openneuron::opt
