// Gamma's family and Bessel's I1 as formulas in fp32: series of Stirling and of Euler and Maclaurin where arguments are
// large, recurrences and reflections that make them so, Chebyshev fits.
#include <cmath>

#include "opt/legalise_rules.h"
#include "opt/legalise_tools.h"

namespace openneuron::opt::rules {
namespace {

using graph::OpKind;

constexpr double kPi = 3.14159265358979323846;
constexpr double kFar = 8;  // from here on the series' terms fall fast enough

bool takes(ElementType t) { return t == ElementType::F32 || t == ElementType::BF16 || t == ElementType::F16; }
bool takes(Visit& v) { return takes(v.out.type(v.operands[0]).element); }
Result<bool> finish(Visit& v, Formula& f, ValueId result) { return v.replace(f.to(result, v.out.module().type(v.result_type()).element)); }

// x where it is at least 1/2, else 1 - x.
ValueId reflected(Formula& f, ValueId x) { return f.select(f.compare(x, "LT", 0.5), f.sub(1.0, x), x); }

ValueId lgamma_of(Formula& f, ValueId x) {
  constexpr int kShift = 5;  // little, as what the series gives is taken away again
  const ValueId right = reflected(f, x), near = f.compare(right, "LT", kShift), y = f.select(near, f.add(right, kShift), right);
  ValueId product = right;  // right (right + 1) ... (right + 4)
  for (int k = 1; k < kShift; ++k) product = f.mul(product, f.add(right, static_cast<double>(k)));
  const ValueId inverse = f.div(1.0, y), square = f.mul(inverse, inverse);
  const ValueId rest = f.mul(f.polynomial(square, {1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680}), inverse);
  // The product of y - 1/2 and log y - 1 stays infinite for infinite y.
  const ValueId series = f.add(f.add(f.mul(f.sub(y, 0.5), f.sub(f.log(y), 1.0)), 0.5 * std::log(2 * kPi) - 0.5), rest);
  const ValueId value = f.select(near, f.sub(series, f.log(product)), series);
  const ValueId size = f.abs(x), part = f.sub(size, f.op(OpKind::Floor, size));
  const ValueId angle = f.mul(f.min(part, f.sub(1.0, part)), kPi);
  const ValueId left = f.sub(f.sub(std::log(kPi), f.log(f.op(OpKind::Sine, angle))), value);
  const ValueId finite = f.select(f.compare(x, "LT", 0.5), left, value);
  return f.select(f.compare(size, "EQ", INFINITY), INFINITY, finite);
}

ValueId digamma_of(Formula& f, ValueId x) {
  const ValueId right = reflected(f, x), near = f.compare(right, "LT", kFar), y = f.select(near, f.add(right, kFar), right);
  ValueId sum = f.div(1.0, right);
  for (int k = 1; k < static_cast<int>(kFar); ++k) sum = f.add(sum, f.div(1.0, f.add(right, static_cast<double>(k))));
  const ValueId inverse = f.div(1.0, y), square = f.mul(inverse, inverse);
  const ValueId rest = f.mul(f.polynomial(square, {1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240}), square);
  const ValueId series = f.sub(f.sub(f.log(y), f.mul(inverse, 0.5)), rest);
  const ValueId value = f.select(near, f.sub(series, sum), series);
  const ValueId part = f.sub(x, f.op(OpKind::RoundNearestEven, x));  // tan has period pi
  const ValueId left = f.sub(value, f.div(kPi, f.op(OpKind::Tan, f.mul(part, kPi))));
  const ValueId pole = f.bit_and(f.compare(x, "LE", 0.0), f.compare(x, "EQ", f.op(OpKind::Floor, x)));
  return f.select(pole, std::nan(""), f.select(f.compare(x, "LT", 0.5), left, value));
}

// The first terms, then the integral from there, half a term and Bernoulli's corrections.
ValueId zeta_of(Formula& f, ValueId s, ValueId q) {
  constexpr int kTerms = 10;
  constexpr double kBernoulli[] = {1.0 / 12, -1.0 / 720, 1.0 / 30240, -1.0 / 1209600, 1.0 / 47900160};  // B(2j) / (2j)!
  const ValueId down = f.neg(s);
  ValueId sum = f.op(OpKind::Power, q, down);
  for (int k = 1; k < kTerms; ++k) sum = f.add(sum, f.op(OpKind::Power, f.add(q, static_cast<double>(k)), down));
  const ValueId a = f.add(q, static_cast<double>(kTerms)), last = f.op(OpKind::Power, a, down);
  const ValueId square = f.mul(a, a);
  ValueId rest = f.add(f.div(a, f.sub(s, 1.0)), 0.5), factor = f.div(s, a);  // in units of `last`
  for (int j = 0; j < 5; ++j) {
    rest = f.add(rest, f.mul(factor, kBernoulli[j]));
    const ValueId rising = f.mul(f.add(s, 2.0 * j + 1), f.add(s, 2.0 * j + 2));
    factor = f.mul(factor, f.div(rising, square));
  }
  // Terms that vanish leave nothing to correct; `rest` may be infinite there.
  const ValueId all = f.add(sum, f.select(f.compare(last, "EQ", 0.0), 0.0, f.mul(last, rest)));
  const ValueId below = f.compare(q, "LE", 0.0);
  const ValueId pole = f.bit_and(below, f.compare(q, "EQ", f.op(OpKind::Floor, q)));
  const ValueId undefined = f.bit_and(below, f.compare(s, "NE", f.op(OpKind::Floor, s)));
  ValueId value = f.select(undefined, std::nan(""), all);
  value = f.select(pole, INFINITY, value);
  value = f.select(f.compare(s, "LT", 1.0), std::nan(""), value);
  return f.select(f.compare(s, "EQ", 1.0), INFINITY, value);
}

}  // namespace

Result<bool> lgamma(Rewriter&, Visit& v) {
  if (!takes(v)) return false;
  Formula f(v);
  return finish(v, f, lgamma_of(f, f.to(v.operands[0], ElementType::F32)));
}

Result<bool> digamma(Rewriter&, Visit& v) {
  if (!takes(v)) return false;
  Formula f(v);
  return finish(v, f, digamma_of(f, f.to(v.operands[0], ElementType::F32)));
}

Result<bool> zeta(Rewriter&, Visit& v) {
  if (!takes(v)) return false;
  Formula f(v);
  const ValueId s = f.to(v.operands[0], ElementType::F32), q = f.to(v.operands[1], ElementType::F32);
  return finish(v, f, zeta_of(f, s, q));
}

// (-1)^(n + 1) n! zeta(n + 1, x); digamma for n = 0.
Result<bool> polygamma(Rewriter&, Visit& v) {
  if (!takes(v)) return false;
  Formula f(v);
  const ValueId n = f.to(v.operands[0], ElementType::F32), x = f.to(v.operands[1], ElementType::F32);
  const ValueId next = f.add(n, 1.0), factorial = f.exp(lgamma_of(f, next));
  const ValueId size = f.mul(factorial, zeta_of(f, next, x));
  const ValueId half = f.mul(n, 0.5), even = f.compare(half, "EQ", f.op(OpKind::Floor, half));
  ValueId value = f.select(even, f.neg(size), size);
  value = f.select(f.compare(n, "EQ", 0.0), digamma_of(f, x), value);
  const ValueId undefined = f.bit_or(f.compare(n, "LT", 0.0), f.compare(n, "NE", f.op(OpKind::Floor, n)));
  return finish(v, f, f.select(undefined, std::nan(""), value));
}

// exp(-|x|) I1(x): x p(x / 4 - 1) up to 8, p(16 / x - 1) / sqrt(x) beyond.
Result<bool> bessel_i1e(Rewriter&, Visit& v) {
  if (!takes(v)) return false;
  Formula f(v);
  const ValueId x = f.to(v.operands[0], ElementType::F32), a = f.abs(x);
  const ValueId near = f.mul(
      f.polynomial(f.sub(f.mul(a, 0.25), 1.0),
                   {0.04468771070241928, -0.06112430617213249, 0.06805754452943802, -0.06848407536745071, 0.0637688934803009,
                    -0.05525975301861763, 0.044659435749053955, -0.033796802163124084, 0.023762641474604607,
                    -0.015162568539381027, 0.009367400780320168, -0.006281605456024408, 0.00336142024025321,
                    -0.0007787034846842289, 0.00041144221904687583, -0.0007282784790731966, 0.0003074142150580883}),
      a);
  const ValueId far = f.div(f.polynomial(f.sub(f.div(16.0, a), 1.0),
                                         {0.389398455619812, -0.009749578312039375, -0.00021923841268289834,
                                          -1.5030988834041636e-05, -1.8214108195024892e-06, -3.6870068242933485e-07,
                                          -1.261562090348889e-07, -2.892696038259146e-08}),
                            f.sqrt(a));
  return finish(v, f, f.mul(f.select(f.compare(a, "LE", 8.0), near, far), f.op(OpKind::Sign, x)));
}

}  // namespace openneuron::opt::rules
