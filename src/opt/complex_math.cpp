#include "opt/complex_math.h"

#include <cmath>

namespace openneuron::opt {

using graph::OpKind;

namespace {
Planes parts(ValueId real, ValueId imaginary) { return {real, imaginary, UINT64_MAX, {}}; }
}  // namespace

Planes ComplexMath::real(const Planes& like, double x) {
  const ValueId a = f_.splat(like.low, x);
  return parts(a, f_.splat(like.low, 0));
}

Planes ComplexMath::choose(const Term& condition, const Planes& a, const Planes& b) {
  const ValueId c = condition, low = f_.select(c, a.low, b.low);
  return parts(low, f_.select(c, a.high, b.high));
}

Planes ComplexMath::add(const Planes& a, const Planes& b) {
  const ValueId low = f_.add(a.low, b.low);
  return parts(low, f_.add(a.high, b.high));
}

Planes ComplexMath::subtract(const Planes& a, const Planes& b) {
  const ValueId low = f_.sub(a.low, b.low);
  return parts(low, f_.sub(a.high, b.high));
}

Planes ComplexMath::multiply(const Planes& a, const Planes& b) {
  const ValueId low = f_.sub(f_.mul(a.low, b.low), f_.mul(a.high, b.high));
  return parts(low, f_.add(f_.mul(a.low, b.high), f_.mul(a.high, b.low)));
}

// Smith: the smaller part of the divisor over the larger one, so that no square leaves the range.
Planes ComplexMath::divide(const Planes& a, const Planes& b) {
  const ValueId wide = f_.compare(f_.abs(b.low), "GE", f_.abs(b.high));
  const ValueId large = f_.select(wide, b.low, b.high), little = f_.select(wide, b.high, b.low);
  const ValueId nothing = f_.compare(large, "EQ", 0);
  const ValueId ratio = f_.select(nothing, 0.0, f_.div(little, large));
  const ValueId divisor = f_.add(large, f_.mul(little, ratio));
  const ValueId first = f_.select(wide, a.low, a.high), second = f_.select(wide, a.high, a.low);
  const ValueId low = f_.div(f_.add(first, f_.mul(second, ratio)), divisor);
  const ValueId high = f_.div(f_.sub(second, f_.mul(first, ratio)), divisor);
  return parts(low, f_.select(wide, high, f_.neg(high)));
}

Planes ComplexMath::negate(const Planes& a) {
  const ValueId low = f_.neg(a.low);
  return parts(low, f_.neg(a.high));
}

Planes ComplexMath::scale(const Planes& a, double by) {
  const ValueId low = f_.mul(a.low, by);
  return parts(low, f_.mul(a.high, by));
}

Planes ComplexMath::times_i(const Planes& a) {
  const ValueId low = f_.neg(a.high);
  return parts(low, a.low);
}

Planes ComplexMath::over_i(const Planes& a) {
  const ValueId high = f_.neg(a.low);
  return parts(a.high, high);
}

ValueId ComplexMath::magnitude(const Planes& a) {
  const ValueId x = f_.abs(a.low), y = f_.abs(a.high), large = f_.max(x, y), little = f_.min(x, y);
  const ValueId ratio = f_.div(little, large);
  const ValueId size = f_.mul(large, f_.sqrt(f_.add(f_.mul(ratio, ratio), 1.0)));
  const ValueId plain = f_.bit_or(f_.compare(large, "EQ", 0), f_.compare(large, "EQ", INFINITY));
  return f_.select(plain, large, size);
}

Planes ComplexMath::sign(const Planes& a) {
  const ValueId size = magnitude(a), nothing = f_.compare(size, "EQ", 0);
  const ValueId low = f_.select(nothing, 0.0, f_.div(a.low, size));
  return parts(low, f_.select(nothing, 0.0, f_.div(a.high, size)));
}

Planes ComplexMath::exp(const Planes& a) {
  const ValueId size = f_.exp(a.low), low = f_.mul(size, f_.op(OpKind::Cosine, a.high));
  const ValueId high = f_.mul(size, f_.op(OpKind::Sine, a.high));
  return parts(low, f_.select(f_.compare(a.high, "EQ", 0), a.high, high));
}

Planes ComplexMath::expm1(const Planes& a) {
  const ValueId half = f_.op(OpKind::Sine, f_.mul(a.high, 0.5));
  const ValueId low = f_.sub(f_.mul(f_.op(OpKind::ExponentialMinusOne, a.low), f_.op(OpKind::Cosine, a.high)), f_.mul(f_.mul(half, half), 2.0));
  return parts(low, f_.mul(f_.exp(a.low), f_.op(OpKind::Sine, a.high)));
}

Planes ComplexMath::log(const Planes& a) {
  const ValueId x = f_.abs(a.low), y = f_.abs(a.high), large = f_.max(x, y), little = f_.min(x, y);
  const ValueId over = f_.add(f_.mul(f_.sub(large, 1.0), f_.add(large, 1.0)), f_.mul(little, little));
  const ValueId near = f_.bit_and(f_.compare(large, "GT", 0.5), f_.compare(large, "LT", 2.0));
  const ValueId close = f_.mul(f_.op(OpKind::LogPlusOne, over), 0.5);
  const ValueId low = f_.select(near, close, f_.log(magnitude(a)));
  return parts(low, f_.op(OpKind::Atan2, a.high, a.low));
}

Planes ComplexMath::log1p(const Planes& a) {
  const ValueId over = f_.add(f_.mul(a.low, f_.add(a.low, 2.0)), f_.mul(a.high, a.high));
  const ValueId shifted = f_.add(a.low, 1.0);
  const Planes whole = log(parts(shifted, a.high));
  const ValueId low = f_.select(f_.compare(f_.abs(over), "LT", 0.5), f_.mul(f_.op(OpKind::LogPlusOne, over), 0.5), whole.low);
  return parts(low, whole.high);
}

Planes ComplexMath::sqrt(const Planes& a) {
  const ValueId size = magnitude(a);
  const ValueId t = f_.sqrt(f_.add(f_.mul(size, 0.5), f_.mul(f_.abs(a.low), 0.5)));
  const ValueId other = f_.select(f_.compare(t, "EQ", 0), 0.0, f_.mul(f_.div(f_.abs(a.high), t), 0.5));
  const ValueId right = f_.compare(a.low, "GE", 0), low = f_.select(right, t, other);
  return parts(low, f_.with_sign(f_.select(right, other, t), a.high));
}

Planes ComplexMath::rsqrt(const Planes& a) {
  const Planes root = sqrt(a);
  return divide(real(a, 1), root);
}

Planes ComplexMath::power(const Planes& a, const Planes& b) {
  const Planes whole = exp(multiply(b, log(a)));
  const ValueId base_zero = f_.bit_and(f_.compare(a.low, "EQ", 0), f_.compare(a.high, "EQ", 0));
  const ValueId exponent_zero = f_.bit_and(f_.compare(b.low, "EQ", 0), f_.compare(b.high, "EQ", 0));
  const Planes none = real(a, 0), one = real(a, 1);
  return choose(base_zero, choose(exponent_zero, one, none), whole);
}

Planes ComplexMath::tanh(const Planes& a) {
  const ValueId t = f_.op(OpKind::Tanh, a.low), u = f_.op(OpKind::Tan, a.high), square = f_.mul(u, u);
  const ValueId c = f_.op(OpKind::ChloCosh, f_.min(f_.abs(a.low), 40.0)), rest = f_.div(1.0, f_.mul(c, c));  // 1 - t^2 with its digits
  const ValueId divisor = f_.add(f_.mul(f_.mul(t, t), square), 1.0);
  const ValueId low = f_.div(f_.mul(t, f_.add(square, 1.0)), divisor);
  return parts(low, f_.div(f_.mul(u, rest), divisor));
}

Planes ComplexMath::logistic(const Planes& a) {
  const Planes size = exp(negate(a)), one = real(a, 1);
  return divide(one, add(size, one));
}

Planes ComplexMath::sinh(const Planes& a) {
  const ValueId low = f_.mul(f_.op(OpKind::ChloSinh, a.low), f_.op(OpKind::Cosine, a.high));
  return parts(low, f_.mul(f_.op(OpKind::ChloCosh, a.low), f_.op(OpKind::Sine, a.high)));
}

Planes ComplexMath::cosh(const Planes& a) {
  const ValueId low = f_.mul(f_.op(OpKind::ChloCosh, a.low), f_.op(OpKind::Cosine, a.high));
  return parts(low, f_.mul(f_.op(OpKind::ChloSinh, a.low), f_.op(OpKind::Sine, a.high)));
}

// log(z + sqrt(z^2 + 1)) on the right half plane, where nothing cancels; odd.
Planes ComplexMath::asinh(const Planes& a) {
  const ValueId low = f_.abs(a.low), left = f_.compare(f_.bits(a.low, ElementType::I32), "LT", 0);
  const ValueId high = f_.select(left, f_.neg(a.high), a.high);
  const Planes z = parts(low, high), one = real(a, 1);
  // (1 + iz)(1 - iz) keeps the sign of the part that decides on which side of the cut z lies.
  const Planes turned = times_i(z);
  const Planes plus = sqrt(add(one, turned)), minus = sqrt(subtract(one, turned));
  const Planes whole = log(add(z, multiply(plus, minus)));
  return choose(left, negate(whole), whole);
}

Planes ComplexMath::acosh(const Planes& a) {
  const Planes one = real(a, 1);
  const Planes plus = sqrt(add(a, one)), minus = sqrt(subtract(a, one));
  return log(add(a, multiply(plus, minus)));
}

Planes ComplexMath::atanh(const Planes& a) {
  const Planes plus = log1p(a), minus = log1p(negate(a));
  return scale(subtract(plus, minus), 0.5);
}

}  // namespace openneuron::opt
