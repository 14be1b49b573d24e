// Elementary functions against long double libm, and the same bits from every instruction set.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "device/kernels/kernels.h"
#include "num/convert.h"

using namespace openneuron;
using device::Kernels;
using isa::AluOp;
using isa::Function;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

float from_bits(std::uint32_t bits) {
  float f;
  std::memcpy(&f, &bits, 4);
  return f;
}
std::uint32_t to_bits(float f) {
  std::uint32_t b;
  std::memcpy(&b, &f, 4);
  return b;
}

std::vector<const Kernels*> all_kernels() {
  std::vector<const Kernels*> found;
  for (device::HostIsa isa : device::available_host_isas()) found.push_back(device::find_kernels(isa));
  return found;
}

long double exact(Function f, float xf) {
  const long double x = xf;
  const long double pi = 3.14159265358979323846264338327950288L;
  switch (f) {
    case Function::Exp: return std::exp(x);
    case Function::Log: return std::log(x);
    case Function::Tanh: return std::tanh(x);
    case Function::Sigmoid: return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
    case Function::Sqrt: return std::sqrt(x);
    case Function::Rsqrt: return 1 / std::sqrt(x);
    case Function::Reciprocal: return 1 / x;
    case Function::Sin: return std::sin(x);
    case Function::Cos: return std::cos(x);
    case Function::Tan: return std::tan(x);
    case Function::Log1p: return std::log1p(x);
    case Function::Expm1: return std::expm1(x);
    case Function::Floor: return std::floor(x);
    case Function::Ceil: return std::ceil(x);
    case Function::Trunc: return std::trunc(x);
    case Function::Round: return std::nearbyint(x);
    case Function::Arctan: return std::atan(x);
    case Function::Erf: return std::erf(x);
    case Function::Gelu: return x * std::erfc(-x / std::sqrt(2.0L)) / 2;
    case Function::GeluTanh: return x / (1 + std::exp(-2 * std::sqrt(2 / pi) * (x + 0.044715L * x * x * x)));
    case Function::Silu: return x / (1 + std::exp(-x));
    case Function::Softplus: return std::max(x, 0.0L) + std::log1p(std::exp(-std::fabs(x)));
    default: return x;
  }
}

// Distance in units of the last place of the right result (of the smallest subnormal below 2^-126).
double ulps(float got, long double want) {
  const float rounded = static_cast<float>(want);
  if (std::isnan(got) || std::isnan(rounded)) return std::isnan(got) == std::isnan(rounded) ? 0 : 1e9;
  if (std::isinf(got) || std::isinf(rounded)) return got == rounded ? 0 : 1e9;
  const int e = std::max(std::ilogb(rounded == 0 ? 1e-45f : rounded), -126) - 23;
  return static_cast<double>(std::fabs(got - want) / std::ldexp(1.0L, e));
}

// Every 997th float (about 4.3 million), and all near the given points.
std::vector<float> samples() {
  std::vector<float> x;
  for (std::uint64_t b = 0; b < (std::uint64_t{1} << 32); b += 9973)
    x.push_back(from_bits(static_cast<std::uint32_t>(b)));
  for (float center : {0.0f, 0.6f, 1.0f, 1.25f, -1.25f, 0.41421356f, 2.4142135f, 88.72f, -103.9f, 89.0f, 3.1415927f,
                       6.2831855f, 0.70710678f, 1.4142135f, 1048576.0f, 9.5f})
    for (std::uint32_t i = 0; i < 2000; ++i)
      x.push_back(from_bits(to_bits(center) + i)), x.push_back(from_bits(to_bits(center) - i));
  std::mt19937 random(7);
  std::normal_distribution<float> normal(0, 4);
  for (int i = 0; i < 100000; ++i) x.push_back(normal(random));
  return x;
}

struct Bound {
  Function f;
  const char* name;
  double ulps;
};
// The bounds that docs/device.md states.
constexpr Bound kBounds[] = {{Function::Exp, "exp", 1.0},
                             {Function::Log, "log", 1.0},
                             {Function::Tanh, "tanh", 1.6},
                             {Function::Sigmoid, "sigmoid", 2.2},
                             {Function::Sqrt, "sqrt", 0.5},
                             {Function::Rsqrt, "rsqrt", 1.5},
                             {Function::Reciprocal, "reciprocal", 0.5},
                             {Function::Sin, "sin", 0.51},
                             {Function::Arctan, "arctan", 0.51},
                             {Function::Erf, "erf", 0.51},
                             {Function::Gelu, "gelu", 0.51},
                             {Function::GeluTanh, "gelu_tanh", 0.51},
                             {Function::Silu, "silu", 0.51},
                             {Function::Softplus, "softplus", 0.51},
                             {Function::Floor, "floor", 0},
                             {Function::Ceil, "ceil", 0},
                             {Function::Trunc, "trunc", 0},
                             {Function::Round, "round", 0},
                             {Function::Log1p, "log1p", 0.51},
                             {Function::Expm1, "expm1", 0.51},
                             {Function::Cos, "cos", 0.51},
                             {Function::Tan, "tan", 0.51}};

}  // namespace

TEST_CASE("functions_stay_within_their_bounds") {
  const std::vector<float> x = samples();
  std::vector<float> y(x.size());
  const Kernels& k = *all_kernels().back();
  for (const Bound& bound : kBounds) {
    k.function_f32(bound.f, x.data(), y.data(), x.size());
    double worst = 0;
    float at = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double error = ulps(y[i], exact(bound.f, x[i]));
      if (error > worst) {
        worst = error;
        at = x[i];
      }
    }
    CAPTURE(std::string(bound.name));
    CAPTURE(at);
    CHECK(worst <= bound.ulps);
    MESSAGE(std::string(bound.name) << ": " << worst << " ulp at " << at);
  }
}

TEST_CASE("functions_at_special_values") {
  const Kernels& k = *all_kernels().back();
  const auto value = [&](Function f, float x) {
    float y;
    k.function_f32(f, &x, &y, 1);
    return y;
  };
  CHECK(value(Function::Exp, 89.0f) == kInf);
  CHECK(value(Function::Exp, 88.0f) == doctest::Approx(1.6516363e38f));
  CHECK(value(Function::Exp, -kInf) == 0.0f);
  CHECK(to_bits(value(Function::Exp, -kInf)) == 0);
  CHECK(value(Function::Exp, kInf) == kInf);
  CHECK(value(Function::Exp, -103.0f) == from_bits(1));  // the smallest subnormal: e^-103 is 1.4e-45
  CHECK(value(Function::Log, -0.0f) == -kInf);
  CHECK(value(Function::Log, 0.0f) == -kInf);
  CHECK(std::isnan(value(Function::Log, -1.0f)));
  CHECK(std::isnan(value(Function::Log, -kInf)));
  CHECK(value(Function::Log, kInf) == kInf);
  CHECK(value(Function::Log, 1.0f) == 0.0f);
  CHECK(value(Function::Tanh, kInf) == 1.0f);
  CHECK(value(Function::Tanh, -30.0f) == -1.0f);
  CHECK(to_bits(value(Function::Tanh, -0.0f)) == 0x80000000u);
  CHECK(value(Function::Sigmoid, -kInf) == 0.0f);
  CHECK(value(Function::Sigmoid, kInf) == 1.0f);
  CHECK(value(Function::Sigmoid, 0.0f) == 0.5f);
  CHECK(value(Function::Rsqrt, 0.0f) == kInf);
  CHECK(value(Function::Rsqrt, -0.0f) == -kInf);
  CHECK(value(Function::Rsqrt, kInf) == 0.0f);
  CHECK(std::isnan(value(Function::Rsqrt, -1.0f)));
  CHECK(to_bits(value(Function::Sqrt, -0.0f)) == 0x80000000u);
  CHECK(std::isnan(value(Function::Sin, kInf)));
  CHECK(to_bits(value(Function::Sin, -0.0f)) == 0x80000000u);
  CHECK(value(Function::Arctan, -kInf) == static_cast<float>(-1.5707963267948966));
  CHECK(to_bits(value(Function::Arctan, -0.0f)) == 0x80000000u);
  CHECK(value(Function::Erf, kInf) == 1.0f);
  CHECK(to_bits(value(Function::Erf, -0.0f)) == 0x80000000u);
  CHECK(value(Function::Softplus, -kInf) == 0.0f);
  CHECK(value(Function::Softplus, kInf) == kInf);
  CHECK(to_bits(value(Function::Sign, -0.0f)) == 0x80000000u);
  CHECK(value(Function::Sign, -kInf) == -1.0f);
  CHECK(to_bits(value(Function::Relu, -0.0f)) == 0);
  CHECK(std::isnan(value(Function::Relu, from_bits(0x7FC00000u))));
  for (Function f : {Function::Floor, Function::Trunc, Function::Round, Function::Ceil, Function::Log1p, Function::Expm1, Function::Tan})
    CHECK(to_bits(value(f, -0.0f)) == 0x80000000u);
  for (Function f : {Function::Ceil, Function::Trunc, Function::Round}) CHECK(to_bits(value(f, -0.3f)) == 0x80000000u);
  CHECK(value(Function::Floor, -0.3f) == -1.0f);
  CHECK(value(Function::Round, 2.5f) == 2.0f);
  CHECK(value(Function::Round, -3.5f) == -4.0f);
  CHECK(value(Function::Round, 0.49999997f) == 0.0f);
  CHECK(value(Function::Floor, 8388607.5f) == 8388607.0f);
  CHECK(value(Function::Ceil, kInf) == kInf);
  CHECK(value(Function::Trunc, -kInf) == -kInf);
  CHECK(value(Function::Log1p, -1.0f) == -kInf);
  CHECK(std::isnan(value(Function::Log1p, -1.5f)));
  CHECK(value(Function::Log1p, kInf) == kInf);
  CHECK(value(Function::Expm1, -kInf) == -1.0f);
  CHECK(value(Function::Expm1, kInf) == kInf);
  CHECK(value(Function::Expm1, from_bits(1)) == from_bits(1));
  CHECK(value(Function::Cos, -0.0f) == 1.0f);
  CHECK(std::isnan(value(Function::Cos, kInf)));
  CHECK(std::isnan(value(Function::Tan, -kInf)));
  for (const Bound& bound : kBounds) CHECK(std::isnan(value(bound.f, from_bits(0x7FC00000u))));
}

TEST_CASE("power_is_that_of_c") {
  const Kernels& k = *all_kernels().back();
  const float special[] = {0.0f,  -0.0f,  1.0f,        -1.0f,       2.0f,  -2.0f, 0.5f,
                           -0.5f, 3.0f,   -3.0f,       2.5f,        kInf,  -kInf, from_bits(0x7FC00000u),
                           1e30f, -1e30f, 16777216.0f, 16777217.0f, 1e-40f};
  for (float x : special)
    for (float y : special) {
      float z;
      k.alu_f32(AluOp::Power, &x, 1, &y, 1, &z, 1);
      CAPTURE(x);
      CAPTURE(y);
      const double want = std::pow(static_cast<double>(x), static_cast<double>(y));
      CHECK(ulps(z, want) <= 0.51);
      if (z == 0) CHECK(std::signbit(z) == std::signbit(want));
    }
  std::mt19937 random(3);
  std::uniform_real_distribution<float> base(0, 8), exponent(-20, 20);
  for (int i = 0; i < 100000; ++i) {
    const float x = base(random), y = exponent(random);
    float z;
    k.alu_f32(AluOp::Power, &x, 1, &y, 1, &z, 1);
    REQUIRE(ulps(z, std::pow(static_cast<long double>(x), static_cast<long double>(y))) <= 0.51);
  }
}

TEST_CASE("every_set_gives_the_same_bits") {
  const auto kernels = all_kernels();
  std::vector<float> x = samples();
  x.resize(400003);  // not a multiple of any vector
  std::mt19937 random(11);
  std::vector<float> other(x.size());
  for (float& v : other) v = from_bits(static_cast<std::uint32_t>(random()));
  for (std::size_t i = 0; i < x.size(); i += 3) x[i] = from_bits(static_cast<std::uint32_t>(random()));
  // Payloads of NaN are unspecified where two of them meet.
  const auto same = [](const std::vector<float>& a, const std::vector<float>& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
      if (to_bits(a[i]) != to_bits(b[i]) && !(std::isnan(a[i]) && std::isnan(b[i]))) return false;
    return true;
  };
  for (const Kernels* k : kernels) {
    CAPTURE(device::host_isa_name(k->isa));
    std::vector<float> want(x.size()), got(x.size());
    for (int f = 0; f < isa::kFunctionCount; ++f) {
      CAPTURE(f);
      kernels[0]->function_f32(static_cast<Function>(f), x.data(), want.data(), x.size());
      k->function_f32(static_cast<Function>(f), x.data(), got.data(), x.size());
      CHECK(same(want, got));
    }
    std::vector<std::int32_t> xi(x.size()), oi(x.size()), wanti(x.size()), goti(x.size());
    std::memcpy(xi.data(), x.data(), 4 * x.size());
    std::memcpy(oi.data(), other.data(), 4 * x.size());
    for (std::size_t i = 0; i < oi.size(); i += 2) oi[i] &= 63;
    for (int op = 0; op < isa::kAluOpCount; ++op) {
      CAPTURE(op);
      const auto alu = static_cast<AluOp>(op);
      for (int step : {0, 1}) {
        kernels[0]->alu_f32(alu, x.data(), 1, other.data(), step, want.data(), x.size());
        k->alu_f32(alu, x.data(), 1, other.data(), step, got.data(), x.size());
        CHECK(same(want, got));
        for (bool is_unsigned : {false, true}) {
          kernels[0]->alu_i32(alu, is_unsigned, xi.data(), 1, oi.data(), step, wanti.data(), x.size());
          k->alu_i32(alu, is_unsigned, xi.data(), 1, oi.data(), step, goti.data(), x.size());
          CHECK(wanti == goti);
        }
      }
    }
    for (AluOp op : {AluOp::Add, AluOp::Multiply, AluOp::Max, AluOp::Min, AluOp::LogicalXor})
      for (std::size_t n : {1u, 31u, 32u, 33u, 1000u}) {
        float a[32] = {}, b[32] = {};
        kernels[0]->reduce_f32(op, a, other.data(), n);
        k->reduce_f32(op, b, other.data(), n);
        CHECK(same({a, a + 32}, {b, b + 32}));
      }
  }
}

TEST_CASE("conversions_agree_with_the_scalar_ones") {
  std::mt19937 random(5);
  std::vector<float> x;
  for (int i = 0; i < 200001; ++i) x.push_back(from_bits(static_cast<std::uint32_t>(random())));
  for (float v : {0.0f, -0.0f, kInf, -kInf, 2147483648.0f, -2147483648.0f, 4294967296.0f, 4294967040.0f, -0.5f,
                  0.99999994f, 65504.0f, 65519.99f, 65520.0f, 5.9604645e-8f, 2.9802322e-8f, 1e-7f})
    x.push_back(v);
  for (const Kernels* k : all_kernels()) {
    CAPTURE(device::host_isa_name(k->isa));
    std::vector<std::byte> half(2 * x.size());
    std::vector<std::int32_t> whole(x.size());
    k->f32_to_bf16(x.data(), half.data(), x.size());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      std::uint16_t got;
      std::memcpy(&got, half.data() + 2 * i, 2);
      wrong += got != float_to_bf16(x[i]);
    }
    CHECK(wrong == 0);
    k->f32_to_f16(x.data(), half.data(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      std::uint16_t got;
      std::memcpy(&got, half.data() + 2 * i, 2);
      wrong += got != float_to_fp16(x[i]) && !std::isnan(x[i]);
    }
    CHECK(wrong == 0);
    for (bool is_unsigned : {false, true}) {
      k->f32_to_i32(x.data(), is_unsigned, whole.data(), x.size());
      for (std::size_t i = 0; i < x.size(); ++i) {
        std::int32_t want;
        store_double(is_unsigned ? ElementType::U32 : ElementType::I32, &want, 0, x[i]);
        wrong += whole[i] != want;
      }
      CHECK(wrong == 0);
      std::vector<float> back(x.size());
      std::memcpy(whole.data(), x.data(), 4 * x.size());
      k->i32_to_f32(whole.data(), is_unsigned, back.data(), x.size());
      for (std::size_t i = 0; i < x.size(); ++i)
        wrong += back[i] != (is_unsigned ? static_cast<float>(static_cast<std::uint32_t>(whole[i]))
                                         : static_cast<float>(whole[i]));
      CHECK(wrong == 0);
    }
    std::vector<std::byte> all(2 * 65536);
    std::vector<float> wide(65536);
    for (std::uint32_t i = 0; i < 65536; ++i) {
      const auto raw = static_cast<std::uint16_t>(i);
      std::memcpy(all.data() + 2 * i, &raw, 2);
    }
    k->bf16_to_f32(all.data(), wide.data(), 65536);
    for (std::uint32_t i = 0; i < 65536; ++i) wrong += to_bits(wide[i]) != i << 16;
    CHECK(wrong == 0);
    k->f16_to_f32(all.data(), wide.data(), 65536);
    for (std::uint32_t i = 0; i < 65536; ++i) {
      const float want = fp16_to_float(static_cast<std::uint16_t>(i));
      wrong += to_bits(wide[i]) != to_bits(want) && !std::isnan(want);
    }
    CHECK(wrong == 0);
  }
}

// Rows of the source hold `f` elements, `step` apart, and three more; those of the destination one more.
template <class T, class Transpose>
std::size_t wrongly_transposed(std::size_t p, std::size_t f, std::size_t step, Transpose transpose) {
  const std::size_t row = f * step + 3;
  std::vector<T> s(p * row), d(f * (p + 1), 7);
  for (std::size_t i = 0; i < s.size(); ++i) s[i] = static_cast<T>(i * 2654435761u);
  transpose(reinterpret_cast<const std::byte*>(s.data()), static_cast<std::ptrdiff_t>(sizeof(T) * row),
            reinterpret_cast<std::byte*>(d.data()), static_cast<std::ptrdiff_t>(sizeof(T) * (p + 1)));
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < f; ++i) {
    for (std::size_t j = 0; j < p; ++j) wrong += d[i * (p + 1) + j] != s[j * row + i * step];
    wrong += d[i * (p + 1) + p] != 7;
  }
  return wrong;
}

TEST_CASE("transpose_of_odd_sizes") {
  for (const Kernels* k : all_kernels())
    for (std::size_t p : {1u, 3u, 4u, 5u, 8u, 17u, 128u})
      for (std::size_t f : {1u, 2u, 4u, 8u, 15u, 16u, 19u, 33u, 128u}) {
        for (std::size_t step : {1u, 2u, 4u, 7u})
          CHECK(wrongly_transposed<std::uint32_t>(p, f, step, [&](auto* s, auto s_pitch, auto* d, auto d_pitch) {
                  k->transpose_32(s, s_pitch, static_cast<std::ptrdiff_t>(4 * step), p, f, d, d_pitch);
                }) == 0);
        CHECK(wrongly_transposed<std::uint16_t>(p, f, 1, [&](auto* s, auto s_pitch, auto* d, auto d_pitch) {
                k->transpose_16(s, s_pitch, p, f, d, d_pitch);
              }) == 0);
      }
}

TEST_CASE("whole_reductions_equal_partials_and_tree") {
  std::mt19937 random(8);
  std::normal_distribution<float> normal;
  for (const Kernels* k : all_kernels())
    for (std::size_t n : {1u, 7u, 31u, 32u, 33u, 100u, 1024u}) {
      std::vector<float> x(n);
      for (float& v : x) v = normal(random);
      for (AluOp op : {AluOp::Add, AluOp::Multiply, AluOp::Max, AluOp::Min}) {
        const float identity = op == AluOp::Multiply ? 1.0f : op == AluOp::Max ? -kInf : op == AluOp::Min ? kInf : 0.0f;
        float partials[32];
        for (float& v : partials) v = identity;
        const auto apply = [op](float a, float b) {
          return op == AluOp::Add        ? a + b
                 : op == AluOp::Multiply ? a * b
                 : op == AluOp::Max      ? std::max(a, b)
                                         : std::min(a, b);
        };
        for (std::size_t i = 0; i < n; ++i) partials[i % 32] = apply(partials[i % 32], x[i]);
        for (int w = 16; w > 0; w /= 2)
          for (int j = 0; j < w; ++j) partials[j] = apply(partials[j], partials[j + w]);
        CHECK(to_bits(k->reduce_row_f32(op, identity, x.data(), n)) == to_bits(partials[0]));
      }
    }
}
