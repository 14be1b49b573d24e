// The arithmetic of one element: ALU operations in their domain, activation functions in double rounded once.
#include <cmath>
#include <limits>

#include "ref/tile_compute.h"

namespace openneuron::ref {
namespace {

using isa::AluOp;

float nan_wins_max(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<float>::quiet_NaN();
  if (a == b) return std::signbit(a) ? b : a;  // -0 < +0
  return a > b ? a : b;
}
float nan_wins_min(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<float>::quiet_NaN();
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

std::int64_t wrapped(Domain domain, std::int64_t value) {
  if (domain == Domain::Unsigned) return static_cast<std::int64_t>(static_cast<std::uint32_t>(value));
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
}

std::int64_t power(Domain domain, std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) {  // signed only
    if (base == 1) return 1;
    if (base == -1) return exponent % 2 == 0 ? 1 : -1;
    return 0;
  }
  std::uint32_t result = 1, factor = static_cast<std::uint32_t>(base);
  for (std::uint32_t e = static_cast<std::uint32_t>(exponent); e != 0; e >>= 1) {
    if (e & 1) result *= factor;
    factor *= factor;
  }
  return wrapped(domain, result);
}

Result<Word> combine_floats(AluOp op, float a, float b, const CoreState& core) {
  const auto truth = [](bool value) { return Word{value ? 1.0f : 0.0f, 0}; };
  switch (op) {
    case AluOp::Bypass: return Word{a, 0};
    case AluOp::Add: return Word{a + b, 0};
    case AluOp::Subtract: return Word{a - b, 0};
    case AluOp::Multiply: return Word{a * b, 0};
    case AluOp::Max: return Word{nan_wins_max(a, b), 0};
    case AluOp::Min: return Word{nan_wins_min(a, b), 0};
    case AluOp::AbsMax: return Word{nan_wins_max(std::fabs(a), std::fabs(b)), 0};
    case AluOp::Power: return Word{static_cast<float>(std::pow(static_cast<double>(a), static_cast<double>(b))), 0};
    case AluOp::Equal: return truth(a == b);
    case AluOp::NotEqual: return truth(a != b);
    case AluOp::Greater: return truth(a > b);
    case AluOp::GreaterEqual: return truth(a >= b);
    case AluOp::Less: return truth(a < b);
    case AluOp::LessEqual: return truth(a <= b);
    case AluOp::LogicalAnd: return truth(a != 0 && b != 0);
    case AluOp::LogicalOr: return truth(a != 0 || b != 0);
    case AluOp::LogicalXor: return truth((a != 0) != (b != 0));
    default: return tile_failure(Code::OracleTileUnsupported, core, "a bit operation on floats");
  }
}

}  // namespace

Result<Word> combine(AluOp op, Domain domain, Word x, Word y, const CoreState& core) {
  if (domain == Domain::Float) return combine_floats(op, x.real, y.real, core);
  const std::int64_t a = x.integer, b = y.integer;  // both fit in 33 bits, so plain 64-bit arithmetic is exact
  const std::uint32_t bits = static_cast<std::uint32_t>(a), amount = static_cast<std::uint32_t>(b);
  std::int64_t value = 0;
  switch (op) {
    case AluOp::Bypass: value = a; break;
    case AluOp::Add: value = a + b; break;
    case AluOp::Subtract: value = a - b; break;
    case AluOp::Multiply: value = static_cast<std::int64_t>(std::uint64_t{bits} * amount); break;
    case AluOp::Max: value = a > b ? a : b; break;
    case AluOp::Min: value = a < b ? a : b; break;
    case AluOp::AbsMax: value = std::max(std::abs(a), std::abs(b)); break;
    case AluOp::Power: value = power(domain, a, b); break;
    case AluOp::Equal: value = a == b; break;
    case AluOp::NotEqual: value = a != b; break;
    case AluOp::Greater: value = a > b; break;
    case AluOp::GreaterEqual: value = a >= b; break;
    case AluOp::Less: value = a < b; break;
    case AluOp::LessEqual: value = a <= b; break;
    case AluOp::LogicalAnd: value = a != 0 && b != 0; break;
    case AluOp::LogicalOr: value = a != 0 || b != 0; break;
    case AluOp::LogicalXor: value = (a != 0) != (b != 0); break;
    case AluOp::BitAnd: value = a & b; break;
    case AluOp::BitOr: value = a | b; break;
    case AluOp::BitXor: value = a ^ b; break;
    case AluOp::ShiftLeft: value = amount >= 32 ? 0 : static_cast<std::int64_t>(bits << amount); break;
    case AluOp::ShiftRight: value = amount >= 32 ? 0 : static_cast<std::int64_t>(bits >> amount); break;
    default: return tile_failure(Code::OracleTileUnsupported, core, "an unknown ALU operation");
  }
  return Word{0, wrapped(domain, value)};
}

float apply_function(isa::Function function, float argument) {
  using isa::Function;
  const double x = static_cast<double>(argument);
  const double half_root = std::sqrt(0.5);
  double y = std::numeric_limits<double>::quiet_NaN();
  switch (function) {
    case Function::Copy: return argument;
    case Function::Exp: y = std::exp(x); break;
    case Function::Log: y = std::log(x); break;
    case Function::Tanh: y = std::tanh(x); break;
    case Function::Sigmoid: y = 1 / (1 + std::exp(-x)); break;
    case Function::Sqrt: y = std::sqrt(x); break;
    case Function::Rsqrt: y = 1 / std::sqrt(x); break;
    case Function::Reciprocal: y = 1 / x; break;
    case Function::Square: y = x * x; break;
    case Function::Abs: return std::fabs(argument);
    case Function::Sign: return std::isnan(argument) || argument == 0 ? argument : std::copysign(1.0f, argument);
    case Function::Relu: return nan_wins_max(argument, 0.0f);
    case Function::Sin: y = std::sin(x); break;
    case Function::Arctan: y = std::atan(x); break;
    case Function::Erf: y = std::erf(x); break;
    case Function::Gelu: y = std::isinf(x) && x < 0 ? -0.0 : x * 0.5 * std::erfc(-x * half_root); break;
    case Function::GeluTanh: {
      const double inner = std::sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x);
      // 1 + tanh(t) = 2 / (1 + exp(-2 t)) keeps its digits where tanh is near -1.
      y = std::isinf(x) && x < 0 ? -0.0 : x / (1 + std::exp(-2 * inner));
      break;
    }
    case Function::Silu: y = std::isinf(x) && x < 0 ? -0.0 : x / (1 + std::exp(-x)); break;
    case Function::Floor: return std::floor(argument);
    case Function::Ceil: return std::ceil(argument);
    case Function::Trunc: return std::trunc(argument);
    case Function::Round: return std::nearbyint(argument);
    case Function::Log1p: y = std::log1p(x); break;
    case Function::Expm1: y = std::expm1(x); break;
    case Function::Cos: y = std::cos(x); break;
    case Function::Tan: y = std::tan(x); break;
    case Function::Softplus: y = std::fmax(x, 0) + std::log1p(std::exp(-std::fabs(x))); break;
  }
  if (function == Function::Softplus && std::isnan(x)) y = x;
  return static_cast<float>(y);
}

}  // namespace openneuron::ref
