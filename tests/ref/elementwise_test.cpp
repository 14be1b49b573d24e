// Elementwise ops: values worked out by hand from the rules of docs/numerics.md.
#include <cmath>
#include <limits>

#include "import/import.h"
#include "ref/ref.h"
#include "ref/run_text.h"

using namespace openneuron;
using test::floats;
using test::integers;
using test::run_op;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kMin32 = std::numeric_limits<std::int32_t>::min();

std::vector<std::int64_t> ints_op(const std::string& op, std::vector<std::int64_t> a, std::vector<std::int64_t> b,
                                  ElementType type = ElementType::I32) {
  const std::int64_t n = static_cast<std::int64_t>(a.size());
  return run_op(op, {integers({n}, a, type), integers({n}, b, type)}).integer;
}
std::vector<double> floats_op(const std::string& op, std::vector<double> a, std::vector<double> b) {
  const std::int64_t n = static_cast<std::int64_t>(a.size());
  return run_op(op, {floats({n}, a), floats({n}, b)}).real;
}
std::vector<double> float_op(const std::string& op, std::vector<double> a) {
  return run_op(op, {floats({static_cast<std::int64_t>(a.size())}, a)}).real;
}

// Equal, with NaN equal to NaN and -0 apart from +0.
void same(const std::vector<double>& got, const std::vector<double>& want) {
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    CAPTURE(i);
    if (std::isnan(want[i])) {
      CHECK(std::isnan(got[i]));
    } else {
      CHECK(got[i] == want[i]);
      CHECK(std::signbit(got[i]) == std::signbit(want[i]));
    }
  }
}

ref::Tensor convert(const ref::Tensor& from, const std::string& to, const ref::Options& options = {}) {
  const std::string n = std::to_string(from.count());
  const std::string source = "tensor<" + n + "x" + std::string(type_name(from.type)) + ">", target = "tensor<" + n + "x" + to + ">";
  return test::run_text(test::main_function("%a: " + source, target,
                                            "%r = stablehlo.convert %a : (" + source + ") -> " + target + "\nreturn %r : " + target),
                        {from}, options)[0];
}

ref::Tensor compare(const std::string& how, const std::string& kind, const ref::Tensor& a, const ref::Tensor& b) {
  const std::string n = std::to_string(a.count()), type = "tensor<" + n + "x" + std::string(type_name(a.type)) + ">";
  const std::string result = "tensor<" + n + "xi1>";
  return test::run_text(test::main_function("%a: " + type + ", %b: " + type, result,
                                            "%r = stablehlo.compare " + how + ", %a, %b, " + kind + " : (" + type + ", " + type +
                                                ") -> " + result + "\nreturn %r : " + result),
                        {a, b})[0];
}

}  // namespace

TEST_CASE("integers wrap at their width") {
  CHECK(ints_op("stablehlo.add", {2147483647, -1}, {1, -2147483648}) == std::vector<std::int64_t>{kMin32, 2147483647});
  CHECK(ints_op("stablehlo.multiply", {65536, 3}, {65536, -5}) == std::vector<std::int64_t>{0, -15});
  CHECK(ints_op("stablehlo.subtract", {0}, {1}, ElementType::U8) == std::vector<std::int64_t>{255});
  CHECK(ints_op("stablehlo.add", {7, -8}, {1, -1}, ElementType::I4) == std::vector<std::int64_t>{-8, 7});
  CHECK(ints_op("stablehlo.multiply", {std::int64_t{1} << 62}, {4}, ElementType::I64) == std::vector<std::int64_t>{0});
}

TEST_CASE("integer division truncates, and dividing by zero sets all bits") {
  CHECK(ints_op("stablehlo.divide", {7, -7, 7, -7, 5, kMin32}, {2, 2, -2, -2, 0, -1}) ==
        std::vector<std::int64_t>{3, -3, -3, 3, -1, kMin32});
  CHECK(ints_op("stablehlo.divide", {200, 9}, {3, 0}, ElementType::U8) == std::vector<std::int64_t>{66, 255});
  CHECK(ints_op("stablehlo.remainder", {7, -7, 7, -7, 5, kMin32}, {3, 3, -3, -3, 0, -1}) ==
        std::vector<std::int64_t>{1, -1, 1, -1, 5, 0});
  // 2^64 - 2 over 3: (2^64 - 1) / 3 = 6148914691236517205, so 6148914691236517204 remains whole.
  CHECK(ints_op("stablehlo.divide", {-2}, {3}, ElementType::U64) == std::vector<std::int64_t>{6148914691236517204});
}

TEST_CASE("integer powers, shifts and bits") {
  CHECK(ints_op("stablehlo.power", {2, 2, 1, -1, -1, 0, 0}, {10, -1, -5, -2, -3, 0, -1}) ==
        std::vector<std::int64_t>{1024, 0, 1, 1, -1, 1, 0});
  CHECK(ints_op("stablehlo.shift_left", {1, 1, 1}, {31, 32, -1}) == std::vector<std::int64_t>{kMin32, 0, 0});
  CHECK(ints_op("stablehlo.shift_right_logical", {-1, -1, -1}, {28, 32, -1}) == std::vector<std::int64_t>{15, 0, 0});
  CHECK(ints_op("stablehlo.shift_right_arithmetic", {-8, -8, 8}, {1, 40, 40}) == std::vector<std::int64_t>{-4, -1, 0});
  CHECK(ints_op("stablehlo.shift_right_arithmetic", {128}, {3}, ElementType::U8) == std::vector<std::int64_t>{240});
  CHECK(run_op("stablehlo.popcnt", {integers({3}, {0, -1, 5}, ElementType::I16)}).integer == std::vector<std::int64_t>{0, 16, 2});
  CHECK(run_op("stablehlo.count_leading_zeros", {integers({3}, {0, -1, 5}, ElementType::I16)}).integer ==
        std::vector<std::int64_t>{16, 0, 13});
  CHECK(run_op("stablehlo.abs", {integers({3}, {kMin32, -4, 4})}).integer == std::vector<std::int64_t>{kMin32, 4, 4});
  CHECK(run_op("stablehlo.negate", {integers({2}, {1, 0}, ElementType::U8)}).integer == std::vector<std::int64_t>{255, 0});
  CHECK(run_op("stablehlo.not", {integers({2}, {5, 0}, ElementType::U8)}).integer == std::vector<std::int64_t>{250, 255});
  CHECK(run_op("stablehlo.sign", {integers({3}, {-9, 0, 9})}).integer == std::vector<std::int64_t>{-1, 0, 1});
}

TEST_CASE("booleans add as or and multiply as and") {
  const ElementType i1 = ElementType::I1;
  CHECK(ints_op("stablehlo.add", {0, 0, 1, 1}, {0, 1, 0, 1}, i1) == std::vector<std::int64_t>{0, 1, 1, 1});
  CHECK(ints_op("stablehlo.multiply", {0, 0, 1, 1}, {0, 1, 0, 1}, i1) == std::vector<std::int64_t>{0, 0, 0, 1});
  CHECK(ints_op("stablehlo.maximum", {0, 0, 1, 1}, {0, 1, 0, 1}, i1) == std::vector<std::int64_t>{0, 1, 1, 1});
  CHECK(ints_op("stablehlo.minimum", {0, 0, 1, 1}, {0, 1, 0, 1}, i1) == std::vector<std::int64_t>{0, 0, 0, 1});
  CHECK(ints_op("stablehlo.xor", {0, 0, 1, 1}, {0, 1, 0, 1}, i1) == std::vector<std::int64_t>{0, 1, 1, 0});
  CHECK(run_op("stablehlo.not", {integers({2}, {0, 1}, i1)}).integer == std::vector<std::int64_t>{1, 0});
}

TEST_CASE("maximum and minimum: NaN wins, -0 is below +0") {
  same(floats_op("stablehlo.maximum", {-0.0, 0.0, 1, kNaN, 2}, {0.0, -0.0, kNaN, 1, 3}), {0.0, 0.0, kNaN, kNaN, 3});
  same(floats_op("stablehlo.minimum", {-0.0, 0.0, 1, kNaN, 2}, {0.0, -0.0, kNaN, 1, 3}), {-0.0, -0.0, kNaN, kNaN, 2});
}

TEST_CASE("rounding keeps the sign of zero") {
  same(float_op("stablehlo.round_nearest_even", {0.5, 1.5, 2.5, -0.5, -2.5}), {0, 2, 2, -0.0, -2});
  same(float_op("stablehlo.round_nearest_afz", {0.5, 1.5, 2.5, -0.5, 0.49999997, -0.2}), {1, 2, 3, -1, 0, -0.0});
  same(float_op("stablehlo.ceil", {-0.3, 1.2, -0.0}), {-0.0, 2, -0.0});
  same(float_op("stablehlo.floor", {-0.3, 1.2, -0.0}), {-1, 1, -0.0});
  same(float_op("stablehlo.sign", {-3, 0.0, -0.0, kNaN, kInf}), {-1, 0.0, -0.0, kNaN, 1});
}

TEST_CASE("corner cases of float functions") {
  same(float_op("stablehlo.rsqrt", {0.0, -0.0, kInf, -1, 4}), {kInf, -kInf, 0, kNaN, 0.5});
  same(float_op("stablehlo.sqrt", {-0.0, 4, -1}), {-0.0, 2, kNaN});
  same(float_op("stablehlo.logistic", {-kInf, 0, kInf, -1000}), {0, 0.5, 1, 0});
  same(float_op("stablehlo.log", {-0.0, 1, -1}), {-kInf, 0, kNaN});
  same(float_op("stablehlo.log_plus_one", {-1, -0.0, 0}), {-kInf, -0.0, 0});
  same(float_op("stablehlo.exponential_minus_one", {-0.0, -kInf}), {-0.0, -1});
  same(float_op("stablehlo.cbrt", {-8, 1, -0.0}), {-2, 1, -0.0});
  same(floats_op("stablehlo.power", {kNaN, 1, -8, -2, 0}, {0, kNaN, 1.0 / 3, 3, -1}), {1, 1, kNaN, -8, kInf});
  same(floats_op("stablehlo.remainder", {5.5, -5.5, kInf, 3, 3}, {2, 2, 2, kInf, 0}), {1.5, -1.5, kNaN, 3, kNaN});
  same(floats_op("stablehlo.divide", {0, 1, -1}, {0, 0, 0}), {kNaN, kInf, -kInf});
  same(floats_op("stablehlo.atan2", {0.0, -0.0, 1}, {-1, -1, 0}), {std::acos(-1.0), -std::acos(-1.0), std::acos(0.0)});
}

TEST_CASE("clamp: NaN stays, and a high bound below the low one wins") {
  const auto clamp = [](double low, double x, double high) {
    return test::run_text(test::main_function("%l: tensor<f32>, %x: tensor<2xf32>, %h: tensor<f32>", "tensor<2xf32>",
                                              "%r = stablehlo.clamp %l, %x, %h : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> "
                                              "tensor<2xf32>\nreturn %r : tensor<2xf32>"),
                          {floats({}, {low}), floats({2}, {x, -x}), floats({}, {high})})[0].real;
  };
  CHECK(clamp(-1, 5, 2) == std::vector<double>{2, -1});
  CHECK(clamp(3, 5, 2) == std::vector<double>{2, 2});
  CHECK(std::isnan(clamp(0, kNaN, 1)[0]));
}

TEST_CASE("comparisons: NaN is unordered, TOTALORDER puts everything in its place") {
  const ref::Tensor a = floats({5}, {kNaN, -0.0, -kInf, 1, kNaN}), b = floats({5}, {kNaN, 0.0, 1, -kNaN, kInf});
  CHECK(compare("EQ", "FLOAT", a, b).integer == std::vector<std::int64_t>{0, 1, 0, 0, 0});
  CHECK(compare("NE", "FLOAT", a, b).integer == std::vector<std::int64_t>{1, 0, 1, 1, 1});
  CHECK(compare("LT", "FLOAT", a, b).integer == std::vector<std::int64_t>{0, 0, 1, 0, 0});
  // -NaN < -inf < -0 < +0 < 1 < inf < NaN
  CHECK(compare("LT", "TOTALORDER", a, b).integer == std::vector<std::int64_t>{0, 1, 1, 0, 0});
  CHECK(compare("GT", "TOTALORDER", a, b).integer == std::vector<std::int64_t>{0, 0, 0, 1, 1});
  CHECK(compare("EQ", "TOTALORDER", a, b).integer == std::vector<std::int64_t>{1, 0, 0, 0, 0});
  CHECK(compare("LT", "SIGNED", integers({1}, {-1}), integers({1}, {1})).integer == std::vector<std::int64_t>{1});
  CHECK(compare("LT", "UNSIGNED", integers({1}, {-1}, ElementType::U64), integers({1}, {1}, ElementType::U64)).integer ==
        std::vector<std::int64_t>{0});
}

TEST_CASE("converting floats to integers truncates and saturates") {
  const ref::Tensor x = floats({6}, {2.9, -2.9, kNaN, kInf, -kInf, 300});
  CHECK(convert(x, "i32").integer == std::vector<std::int64_t>{2, -2, 0, 2147483647, kMin32, 300});
  CHECK(convert(x, "i8").integer == std::vector<std::int64_t>{2, -2, 0, 127, -128, 127});
  CHECK(convert(x, "ui8").integer == std::vector<std::int64_t>{2, 0, 0, 255, 0, 255});
  CHECK(convert(x, "i4").integer == std::vector<std::int64_t>{2, -2, 0, 7, -8, 7});
  CHECK(convert(x, "ui64").integer == std::vector<std::int64_t>{2, 0, 0, -1, 0, 300});
  CHECK(convert(x, "i64").integer == std::vector<std::int64_t>{2, -2, 0, INT64_MAX, INT64_MIN, 300});
  CHECK(convert(floats({3}, {kNaN, -0.0, 0.5}), "i1").integer == std::vector<std::int64_t>{1, 0, 1});
}

TEST_CASE("integers extend by the source's sign and wrap; to floats they round once") {
  CHECK(convert(integers({2}, {-1, 200}, ElementType::I16), "ui8").integer == std::vector<std::int64_t>{255, 200});
  CHECK(convert(integers({1}, {255}, ElementType::U8), "i32").integer == std::vector<std::int64_t>{255});
  CHECK(convert(integers({1}, {-1}, ElementType::I8), "i64").integer == std::vector<std::int64_t>{-1});
  CHECK(convert(integers({3}, {0, 1, 1}, ElementType::I1), "f32").real == std::vector<double>{0, 1, 1});
  // 2^53 + 2^29 + 1 lies just above a midpoint of f32 (spacing 2^30): up. Through double it would tie to even: down.
  const std::int64_t hard = (std::int64_t{1} << 53) + (std::int64_t{1} << 29) + 1;
  ref::Options round;
  round.round_each_op = true;
  CHECK(convert(integers({1}, {hard}, ElementType::I64), "f32", round).real ==
        std::vector<double>{std::ldexp(1.0, 53) + std::ldexp(1.0, 30)});
  CHECK(convert(integers({1}, {-1}, ElementType::U64), "f32", round).real == std::vector<double>{std::ldexp(1.0, 64)});
}

TEST_CASE("floats are rounded to their type only when asked") {
  ref::Options round;
  round.round_each_op = true;
  CHECK(float_op("stablehlo.exponential", {1})[0] == std::exp(1.0));
  CHECK(run_op("stablehlo.exponential", {floats({1}, {1})}, round).real[0] == static_cast<double>(static_cast<float>(std::exp(1.0))));
  CHECK(convert(floats({1}, {1.00390625}), "bf16").real[0] == 1.00390625);         // 1 + 2^-8
  CHECK(convert(floats({2}, {1.00390625, 1.01171875}), "bf16", round).real == std::vector<double>{1, 1.015625});  // ties to even
}

TEST_CASE("reduce_precision rounds, overflows to inf and flushes to zero") {
  const auto reduce = [](const std::string& format, std::vector<double> x) {
    const std::string type = "tensor<" + std::to_string(x.size()) + "xf32>";
    return test::run_text(test::main_function("%a: " + type, type, "%r = stablehlo.reduce_precision %a, format = " + format +
                                                                      " : " + type + "\nreturn %r : " + type),
                          {floats({static_cast<std::int64_t>(x.size())}, x)})[0].real;
  };
  // e5m10: largest finite 65504 = (2 - 2^-10) * 2^15; from 65520 on it is inf; the smallest normal is 2^-14.
  same(reduce("e5m10", {65519, 65520, -1e6, std::ldexp(1, -14), std::ldexp(1, -15), -std::ldexp(1, -15)}),
       {65504, kInf, -kInf, std::ldexp(1, -14), 0, -0.0});
  // e8m7 is bf16.
  same(reduce("e8m7", {1.00390625, 1.01171875, kNaN}), {1, 1.015625, kNaN});
  same(reduce("e4m0", {1.5, 1.25, kNaN}), {2, 1, kInf});
}

TEST_CASE("is_finite, select and scalar predicates") {
  const auto results = test::run_text(
      test::main_function("%x: tensor<4xf32>, %p: tensor<i1>", "tensor<4xi1>, tensor<4xf32>", R"(
    %f = stablehlo.is_finite %x : (tensor<4xf32>) -> tensor<4xi1>
    %n = stablehlo.negate %x : tensor<4xf32>
    %s = stablehlo.select %p, %x, %n : tensor<i1>, tensor<4xf32>
    return %f, %s : tensor<4xi1>, tensor<4xf32>)"),
      {floats({4}, {1, kInf, kNaN, -2}), integers({}, {0}, ElementType::I1)});
  CHECK(results[0].integer == std::vector<std::int64_t>{1, 0, 0, 1});
  same(results[1].real, {-1, -kInf, kNaN, 2});
}

TEST_CASE("complex arithmetic") {
  const auto complex_op = [](const std::string& op, std::vector<double> re, std::vector<double> im) {
    ref::Tensor a = floats({1}, {re[0]}, ElementType::C64), b = floats({1}, {re[1]}, ElementType::C64);
    a.imaginary = {im[0]};
    b.imaginary = {im[1]};
    const ref::Tensor r = run_op(op, {a, b});
    return std::vector<double>{r.real[0], r.imaginary[0]};
  };
  CHECK(complex_op("stablehlo.multiply", {1, 3}, {2, 4}) == std::vector<double>{3 - 8, 4 + 6});
  // (1 + 2i) / (3 + 4i) = (1 + 2i)(3 - 4i) / 25 = (11 + 2i) / 25
  const std::vector<double> quotient = complex_op("stablehlo.divide", {1, 3}, {2, 4});
  CHECK(quotient[0] == doctest::Approx(0.44).epsilon(1e-15));
  CHECK(quotient[1] == doctest::Approx(0.08).epsilon(1e-15));
  CHECK(complex_op("stablehlo.maximum", {1, 1}, {2, 4}) == std::vector<double>{1, 4});  // lexicographic
}

TEST_CASE("chlo functions, against tabulated values") {
  // DLMF tables: erf(0.5), erfinv of it, psi(1) = -gamma, zeta(3), psi1(1) = pi^2 / 6, exp(-1) I1(1).
  const auto near = [](double got, double want) { CHECK(std::fabs(got - want) <= 4e-15 * std::fabs(want)); };
  near(float_op("chlo.erf", {0.5})[0], 0.52049987781304653768);
  near(run_op("chlo.erf_inv", {floats({1}, {0.52049987781304653768}, ElementType::F64)}).real[0], 0.5);
  near(float_op("chlo.erf_inv", {0.75})[0], 0.81341984759761845);
  near(float_op("chlo.digamma", {1})[0], -0.57721566490153286061);
  near(floats_op("chlo.zeta", {3}, {1})[0], 1.20205690315959428540);
  near(floats_op("chlo.polygamma", {1}, {1})[0], 1.64493406684822643647);
  near(float_op("chlo.bessel_i1e", {1})[0], 0.56515910399248502721 * std::exp(-1.0));
  near(float_op("chlo.lgamma", {5})[0], std::log(24.0));
  same(float_op("chlo.erf_inv", {1, -1, 2, -0.0}), {kInf, -kInf, kNaN, -0.0});
  same(float_op("chlo.digamma", {0, -1}), {kNaN, kNaN});
  same(float_op("chlo.square", {-3}), {9});
  // The neighbours of 1 and 0 in f32.
  same(floats_op("chlo.next_after", {1, 1, 0}, {2, 0, -1}), {1 + std::ldexp(1, -23), 1 - std::ldexp(1, -24), -std::ldexp(1, -149)});
  CHECK(ints_op("chlo.mulhi", {1 << 30, -1}, {8, 1}) == std::vector<std::int64_t>{2, -1});
}
