// Elementwise ops on one type class each: floats, integers, complex numbers.
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "ref/scalar.h"
#include "ref/special.h"

namespace openneuron::ref {
namespace {

using graph::OpKind;
using Number = std::complex<double>;

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 WideUnsigned;

Number multiply(Number a, Number b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// Smith's division: scaled by the larger part, so that it neither overflows nor vanishes early.
Number divide(Number a, Number b) {
  if (std::fabs(b.real()) >= std::fabs(b.imag())) {
    if (b.real() == 0 && b.imag() == 0) return {a.real() / b.real(), a.imag() / b.real()};
    const double ratio = b.imag() / b.real(), scale = b.real() + b.imag() * ratio;
    return {(a.real() + a.imag() * ratio) / scale, (a.imag() - a.real() * ratio) / scale};
  }
  const double ratio = b.real() / b.imag(), scale = b.real() * ratio + b.imag();
  return {(a.real() * ratio + a.imag()) / scale, (a.imag() * ratio - a.real()) / scale};
}

Number exp_minus_one(Number z) {
  // exp(x) cos y - 1 = expm1(x) cos y - 2 sin^2(y / 2)
  const double half = std::sin(z.imag() / 2);
  return {std::expm1(z.real()) * std::cos(z.imag()) - 2 * half * half, std::exp(z.real()) * std::sin(z.imag())};
}

Number log_plus_one(Number z) {
  const double x = z.real(), y = z.imag();
  const double angle = std::atan2(y, 1 + x);
  if (std::fabs(x) < 0.5 && std::fabs(y) < 0.5) return {0.5 * std::log1p(x * (2 + x) + y * y), angle};
  return {std::log(std::hypot(1 + x, y)), angle};
}

bool before(Number a, Number b) { return a.real() != b.real() ? a.real() < b.real() : a.imag() < b.imag(); }

std::int64_t power_integer(ElementType type, std::int64_t base, std::int64_t exponent) {
  const bool is_signed = type_class(type) == TypeClass::Signed;
  if (is_signed && exponent < 0) {
    if (base == 1) return 1;
    if (base == -1) return exponent % 2 == 0 ? 1 : -1;
    return 0;
  }
  std::uint64_t result = 1, factor = static_cast<std::uint64_t>(base);
  for (std::uint64_t e = static_cast<std::uint64_t>(exponent); e != 0; e >>= 1) {
    if (e & 1) result *= factor;
    factor *= factor;
  }
  return static_cast<std::int64_t>(result);
}

}  // namespace

double evaluate_float(const ElementOp& op, std::span<const Scalar> operands) {
  const double x = operands[0].real;
  const double y = operands.size() > 1 ? operands[1].real : 0;
  switch (op.kind) {
    case OpKind::Abs: return std::fabs(x);
    case OpKind::Negate: return -x;
    case OpKind::Cbrt: return std::cbrt(x);
    case OpKind::Exponential: return std::exp(x);
    case OpKind::ExponentialMinusOne: return std::expm1(x);
    case OpKind::Log: return std::log(x);
    case OpKind::LogPlusOne: return std::log1p(x);
    case OpKind::Rsqrt: return 1 / std::sqrt(x);
    case OpKind::Sqrt: return std::sqrt(x);
    case OpKind::Tanh: return std::tanh(x);
    case OpKind::Cosine: return std::cos(x);
    case OpKind::Sine: return std::sin(x);
    case OpKind::Tan: return std::tan(x);
    case OpKind::Ceil: return std::ceil(x);
    case OpKind::Floor: return std::floor(x);
    case OpKind::RoundNearestAfz: return std::round(x);
    case OpKind::RoundNearestEven: return std::nearbyint(x);
    case OpKind::Add: return x + y;
    case OpKind::Subtract: return x - y;
    case OpKind::Multiply: return x * y;
    case OpKind::Divide: return x / y;
    case OpKind::Remainder: return std::fmod(x, y);
    case OpKind::Power: return std::pow(x, y);
    case OpKind::Atan2: return std::atan2(x, y);
    case OpKind::ChloAcos: return std::acos(x);
    case OpKind::ChloAcosh: return std::acosh(x);
    case OpKind::ChloAsin: return std::asin(x);
    case OpKind::ChloAsinh: return std::asinh(x);
    case OpKind::ChloAtan: return std::atan(x);
    case OpKind::ChloAtanh: return std::atanh(x);
    case OpKind::ChloCosh: return std::cosh(x);
    case OpKind::ChloSinh: return std::sinh(x);
    case OpKind::ChloErf: return std::erf(x);
    case OpKind::ChloErfc: return std::erfc(x);
    case OpKind::ChloErfInv: return erf_inv(x);
    case OpKind::ChloConj: return x;
    case OpKind::ChloSquare: return x * x;
    case OpKind::ChloLgamma: return std::lgamma(x);
    case OpKind::ChloDigamma: return digamma(x);
    case OpKind::ChloPolygamma: return polygamma(x, y);
    case OpKind::ChloZeta: return zeta(x, y);
    case OpKind::ChloBesselI1e: return bessel_i1e(x);
    case OpKind::NeuronGelu: return 0.5 * x * std::erfc(-x * std::sqrt(0.5));
    case OpKind::NeuronGeluTanh: return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
    case OpKind::NeuronSilu: return x / (1 + std::exp(-x));
    default: return std::numeric_limits<double>::quiet_NaN();
  }
}

std::int64_t evaluate_integer(const ElementOp& op, std::span<const Scalar> operands) {
  const ElementType type = op.operand;
  const bool boolean = type == ElementType::I1;
  const bool is_signed = type_class(type) == TypeClass::Signed;
  const int bits = bit_width(type);
  const std::int64_t x = operands[0].integer;
  const std::int64_t y = operands.size() > 1 ? operands[1].integer : 0;
  const std::uint64_t ux = static_cast<std::uint64_t>(x), uy = static_cast<std::uint64_t>(y);
  const bool too_far = uy >= static_cast<std::uint64_t>(bits);  // shifts: a negative amount is a huge unsigned one
  switch (op.kind) {
    case OpKind::Abs: return is_signed && x < 0 ? static_cast<std::int64_t>(0 - ux) : x;
    case OpKind::Negate: return static_cast<std::int64_t>(0 - ux);
    case OpKind::Sign: return is_signed && x < 0 ? -1 : x != 0;
    case OpKind::Not: return boolean ? x == 0 : ~x;
    case OpKind::Add: return boolean ? x | y : static_cast<std::int64_t>(ux + uy);
    case OpKind::Subtract: return static_cast<std::int64_t>(ux - uy);
    case OpKind::Multiply: return boolean ? x & y : static_cast<std::int64_t>(ux * uy);
    case OpKind::Divide:
      if (y == 0) return -1;  // all bits set
      if (is_signed) return y == -1 ? static_cast<std::int64_t>(0 - ux) : x / y;
      return static_cast<std::int64_t>(ux / uy);
    case OpKind::Remainder:
      if (y == 0) return x;
      if (is_signed) return y == -1 ? 0 : x % y;
      return static_cast<std::int64_t>(ux % uy);
    case OpKind::Maximum: return ordered_before(type, operands[0], operands[1]) ? y : x;
    case OpKind::Minimum: return ordered_before(type, operands[1], operands[0]) ? y : x;
    case OpKind::Power: return power_integer(type, x, y);
    case OpKind::And: return x & y;
    case OpKind::Or: return x | y;
    case OpKind::Xor: return x ^ y;
    case OpKind::ShiftLeft: return too_far ? 0 : static_cast<std::int64_t>(ux << uy);
    case OpKind::ShiftRightLogical: {
      const std::uint64_t mask = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
      return too_far ? 0 : static_cast<std::int64_t>((ux & mask) >> uy);
    }
    case OpKind::ShiftRightArithmetic: {
      // The sign bit is the type's top bit, for unsigned types too.
      const int unused = 64 - bits;
      const std::int64_t extended = static_cast<std::int64_t>(ux << unused) >> unused;
      return extended >> (too_far ? 63 : static_cast<int>(uy));
    }
    case OpKind::ChloConj: return x;
    case OpKind::ChloSquare: return static_cast<std::int64_t>(ux * ux);
    case OpKind::ChloMulhi: {
      if (is_signed) return static_cast<std::int64_t>((static_cast<Wide>(x) * y) >> bits);
      return static_cast<std::int64_t>((static_cast<WideUnsigned>(ux) * uy) >> bits);
    }
    default: return 0;
  }
}

Scalar evaluate_complex(const ElementOp& op, std::span<const Scalar> operands) {
  const Number x(operands[0].real, operands[0].imaginary);
  const Number y = operands.size() > 1 ? Number(operands[1].real, operands[1].imaginary) : Number();
  Number value;
  switch (op.kind) {
    case OpKind::Abs: return {std::hypot(x.real(), x.imag()), 0, 0};
    case OpKind::Negate: value = -x; break;
    case OpKind::Cbrt: value = std::pow(x, 1.0 / 3); break;
    case OpKind::Exponential: value = std::exp(x); break;
    case OpKind::ExponentialMinusOne: value = exp_minus_one(x); break;
    case OpKind::Log: value = std::log(x); break;
    case OpKind::LogPlusOne: value = log_plus_one(x); break;
    case OpKind::Logistic: value = divide(1, 1.0 + std::exp(-x)); break;
    case OpKind::Rsqrt: value = divide(1, std::sqrt(x)); break;
    case OpKind::Sqrt: value = std::sqrt(x); break;
    case OpKind::Tanh: value = std::tanh(x); break;
    case OpKind::Cosine: value = std::cos(x); break;
    case OpKind::Sine: value = std::sin(x); break;
    case OpKind::Tan: value = std::tan(x); break;
    case OpKind::Sign: {
      const double magnitude = std::hypot(x.real(), x.imag());
      if (std::isnan(x.real()) || std::isnan(x.imag())) {
        value = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
      } else {
        value = magnitude == 0 ? Number() : Number(x.real() / magnitude, x.imag() / magnitude);
      }
      break;
    }
    case OpKind::Add: value = x + y; break;
    case OpKind::Subtract: value = x - y; break;
    case OpKind::Multiply: value = multiply(x, y); break;
    case OpKind::Divide: value = divide(x, y); break;
    case OpKind::Maximum: value = before(x, y) ? y : x; break;
    case OpKind::Minimum: value = before(y, x) ? y : x; break;
    case OpKind::Clamp: {
      const Number high(operands[2].real, operands[2].imaginary);
      value = before(y, x) ? x : y;
      if (before(high, value)) value = high;
      break;
    }
    case OpKind::Power: value = x == Number() && y == Number() ? Number(1) : std::pow(x, y); break;
    case OpKind::Atan2: {
      const Number i(0, 1);
      value = multiply(-i, std::log(divide(y + multiply(i, x), std::sqrt(multiply(x, x) + multiply(y, y)))));
      break;
    }
    case OpKind::ChloAcos: value = std::acos(x); break;
    case OpKind::ChloAcosh: value = std::acosh(x); break;
    case OpKind::ChloAsin: value = std::asin(x); break;
    case OpKind::ChloAsinh: value = std::asinh(x); break;
    case OpKind::ChloAtan: value = std::atan(x); break;
    case OpKind::ChloAtanh: value = std::atanh(x); break;
    case OpKind::ChloCosh: value = std::cosh(x); break;
    case OpKind::ChloSinh: value = std::sinh(x); break;
    case OpKind::ChloConj: value = std::conj(x); break;
    case OpKind::ChloSquare: value = multiply(x, x); break;
    default: value = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()}; break;
  }
  return {value.real(), value.imag(), 0};
}

}  // namespace openneuron::ref
