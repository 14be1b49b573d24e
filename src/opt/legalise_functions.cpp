// Functions that no engine has: formulas in fp32 over those that one has. 16-bit floats are widened for the formula and
// rounded once at its end. Errors in ulp are measured by tests/python/test_functions.py.
#include <cmath>

#include "opt/legalise_rules.h"
#include "opt/legalise_tools.h"

namespace openneuron::opt::rules {
namespace {

using graph::OpKind;

constexpr double kPi = 3.14159265358979323846;

bool takes(ElementType t) { return t == ElementType::F32 || t == ElementType::BF16 || t == ElementType::F16; }

// formula(f, x) of the operands in fp32.
template <class F>
Result<bool> in_f32(Visit& v, F formula) {
  Formula f(v);
  const ElementType type = f.element(v.operands[0]);
  if (!takes(type)) return false;
  return v.replace(f.to(formula(f, f.to(v.operands[0], ElementType::F32)), type));
}

Term sign_of(Formula& f, const Term& x) { return f.op(OpKind::Sign, x); }
Term arctan(Formula& f, const Term& x) { return f.op(OpKind::ChloAtan, x); }
Term log1p(Formula& f, const Term& x) { return f.op(OpKind::LogPlusOne, x); }

// a / 2 at the cost of no accuracy where exp(a) is out of range: the square of exp(a / 2), halved between the factors.
ValueId half_exp(Formula& f, ValueId a) {
  const ValueId root = f.exp(f.mul(a, 0.5));
  return f.mul(f.mul(root, 0.5), root);
}

// sqrt(1 - x^2) keeps its digits near 1.
Term other_leg(Formula& f, const Term& x) { return f.sqrt(f.mul(f.sub(1.0, x), f.add(x, 1.0))); }

}  // namespace

Result<bool> sinh(Rewriter&, Visit& v) {
  return in_f32(v, [](Formula& f, ValueId x) {
    const ValueId a = f.abs(x), e = f.op(OpKind::ExponentialMinusOne, a);
    const ValueId near = f.mul(f.add(e, f.div(e, f.add(e, 1.0))), 0.5);
    return f.mul(f.select(f.compare(a, "GT", 80), half_exp(f, a), near), sign_of(f, x));
  });
}

Result<bool> cosh(Rewriter&, Visit& v) {
  return in_f32(v, [](Formula& f, ValueId x) {
    const ValueId a = f.abs(x), e = f.exp(a);
    const ValueId near = f.add(f.mul(e, 0.5), f.div(0.5, e));
    return f.select(f.compare(a, "GT", 80), half_exp(f, a), near);
  });
}

Result<bool> asin(Rewriter&, Visit& v) {
  return in_f32(v, [](Formula& f, ValueId x) {
    return f.mul(arctan(f, f.div(x, f.add(other_leg(f, x), 1.0))), 2.0);
  });
}

Result<bool> acos(Rewriter&, Visit& v) {
  return in_f32(v, [](Formula& f, ValueId x) {
    const ValueId angle = f.mul(arctan(f, f.div(other_leg(f, x), f.add(x, 1.0))), 2.0);
    return f.select(f.compare(x, "EQ", -1), kPi, angle);  // there the quotient is 0 / 0
  });
}

Result<bool> asinh(Rewriter&, Visit& v) {
  return in_f32(v, [](Formula& f, ValueId x) {
    const ValueId a = f.abs(x), square = f.mul(a, a);
    const ValueId near = log1p(f, f.add(a, f.div(square, f.add(f.sqrt(f.add(square, 1.0)), 1.0))));
    const ValueId far = f.add(f.log(a), std::log(2.0));
    return f.mul(f.select(f.compare(a, "GT", 1e9), far, near), sign_of(f, x));
  });
}

Result<bool> acosh(Rewriter&, Visit& v) {
  return in_f32(v, [](Formula& f, ValueId x) {
    const ValueId t = f.sub(x, 1.0);
    const ValueId near = log1p(f, f.add(t, f.sqrt(f.mul(t, f.add(t, 2.0)))));
    const ValueId far = f.add(f.log(x), std::log(2.0));
    const ValueId inside = f.select(f.compare(x, "GT", 1e9), far, near);
    return f.select(f.compare(x, "LT", 1.0), std::nan(""), inside);
  });
}

Result<bool> atanh(Rewriter&, Visit& v) {
  return in_f32(v, [](Formula& f, ValueId x) { return f.mul(f.sub(log1p(f, x), log1p(f, f.neg(x))), 0.5); });
}

// |x|^(1/3) from Power, whose exponent is a rounded third, and one Newton step; 0 and inf stay.
Result<bool> cbrt(Rewriter&, Visit& v) {
  return in_f32(v, [](Formula& f, ValueId x) {
    const ValueId a = f.abs(x), r = f.op(OpKind::Power, a, 1.0 / 3);
    const ValueId better = f.sub(r, f.mul(f.sub(r, f.div(a, f.mul(r, r))), 1.0 / 3));
    const ValueId edge = f.bit_or(f.compare(a, "EQ", 0), f.compare(a, "EQ", INFINITY));
    return f.select(edge, x, f.mul(better, sign_of(f, x)));
  });
}

// The arctan of the smaller side over the larger one, turned into the right octant; signs by their bits, so that zeros
// and infinities follow C.
Result<bool> atan2(Rewriter&, Visit& v) {
  Formula f(v);
  const ElementType type = f.element(v.operands[0]);
  if (!takes(type)) return false;
  const ValueId y = f.to(v.operands[0], ElementType::F32), x = f.to(v.operands[1], ElementType::F32);
  const ValueId a = f.abs(y), b = f.abs(x), larger = f.max(a, b), smaller = f.min(a, b);
  ValueId ratio = f.div(smaller, larger);
  ratio = f.select(f.compare(larger, "EQ", 0), 0.0, ratio);
  ratio = f.select(f.compare(smaller, "EQ", INFINITY), 1.0, ratio);
  ValueId angle = arctan(f, ratio);
  const double half = static_cast<double>(static_cast<float>(kPi / 2)), half_rest = kPi / 2 - half;
  angle = f.select(f.compare(a, "GT", b), f.sub(half, f.sub(angle, half_rest)), angle);
  const double whole = static_cast<double>(static_cast<float>(kPi)), whole_rest = kPi - whole;
  const ValueId left = f.compare(f.bits(x, ElementType::I32), "LT", 0);
  angle = f.select(left, f.sub(whole, f.sub(angle, whole_rest)), angle);
  const ValueId is_nan = f.compare(larger, "NE", larger);
  return v.replace(f.to(f.select(is_nan, larger, f.with_sign(angle, y)), type));
}

// Below 0.5: 1 - erf. Above: exp(-x^2) p(t) / (1 + 2 x), t = (x - 2) / (x + 2), p a Chebyshev fit of (1 + 2 x) exp(x^2)
// erfc(x) on 0.45..11; x^2 is split so that its exponential keeps its digits.
Result<bool> erfc(Rewriter&, Visit& v) {
  return in_f32(v, [](Formula& f, ValueId x) {
    const ValueId center = f.sub(1.0, f.op(OpKind::ChloErf, x));
    const ValueId a = f.min(x, 11.0);
    const ValueId t = f.div(f.sub(a, 2.0), f.add(a, 2.0));
    const ValueId high = f.bits(f.bit_and(f.bits(a, ElementType::U32), 0xFFFFF000), ElementType::F32);
    const ValueId power = f.mul(f.exp(f.neg(f.mul(high, high))), f.exp(f.mul(f.sub(high, a), f.add(a, high))));
    const ValueId p = f.polynomial(t, {1.2769783735275269, -0.09276376664638519, -0.16603107750415802, 0.16404879093170166,
                                        -0.054207585752010345, -0.008007120341062546, 0.008642356842756271,
                                        0.001155836507678032, -0.0012417674297466874, -0.0002420634700683877});
    const ValueId tail = f.div(f.mul(power, p), f.add(f.mul(a, 2.0), 1.0));
    return f.select(f.compare(x, "GT", 0.5), tail, center);
  });
}

// x p(w), w = -log(1 - x^2); two Chebyshev fits: in w up to 5, in sqrt(w) beyond. At +-1: infinite.
Result<bool> erf_inv(Rewriter&, Visit& v) {
  return in_f32(v, [](Formula& f, ValueId x) {
    const ValueId w = f.neg(f.add(log1p(f, x), log1p(f, f.neg(x))));
    const ValueId near = f.polynomial(f.sub(w, 2.5), {1.5014094114303589, 0.24664029479026794, -0.004177389666438103,
                                                      -0.0012527484213933349, 0.0002183469187002629, -4.959743364452152e-06,
                                                      -3.4633562790986616e-06, 4.654287408811797e-07, 2.3285844363840624e-08,
                                                      -8.73983108107268e-09});
    const ValueId far = f.polynomial(f.sub(f.sqrt(w), 3.0), {2.832976818084717, 1.001675009727478, 0.009445486590266228,
                                                             -0.007638602517545223, 0.005684883799403906, -0.0035909884609282017,
                                                             0.0014912602491676807, -6.887240306241438e-05, -0.0003149308613501489,
                                                             0.00012371021148283035});
    const ValueId p = f.select(f.compare(w, "LT", 5), near, far);
    return f.mul(x, f.select(f.compare(f.abs(x), "EQ", 1), INFINITY, p));
  });
}

}  // namespace openneuron::opt::rules
