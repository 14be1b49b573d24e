#include "num/float_format.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace openneuron {
namespace {

constexpr FloatFormat kF4E2M1FN{2, 1, 1, Specials::None};
constexpr FloatFormat kF6E2M3FN{2, 3, 1, Specials::None};
constexpr FloatFormat kF6E3M2FN{3, 2, 3, Specials::None};
constexpr FloatFormat kF8E3M4{3, 4, 3, Specials::Ieee};
constexpr FloatFormat kF8E4M3{4, 3, 7, Specials::Ieee};
constexpr FloatFormat kF8E4M3FN{4, 3, 7, Specials::NanOnly};
constexpr FloatFormat kF8E4M3B11FNUZ{4, 3, 11, Specials::Unsigned0};
constexpr FloatFormat kF8E4M3FNUZ{4, 3, 8, Specials::Unsigned0};
constexpr FloatFormat kF8E5M2{5, 2, 15, Specials::Ieee};
constexpr FloatFormat kF8E5M2FNUZ{5, 2, 16, Specials::Unsigned0};
constexpr FloatFormat kF8E8M0FNU{8, 0, 127, Specials::PowerOf2};
constexpr FloatFormat kBF16{8, 7, 127, Specials::Ieee};
constexpr FloatFormat kF16{5, 10, 15, Specials::Ieee};

std::uint32_t ones(int bits) { return (1u << bits) - 1; }

std::uint32_t nan_bits(const FloatFormat& f, bool negative) {
  const std::uint32_t sign = negative ? 1u << (f.exponent_bits + f.mantissa_bits) : 0;
  switch (f.specials) {
    case Specials::Ieee: return sign | ones(f.exponent_bits) << f.mantissa_bits | 1u << (f.mantissa_bits - 1);
    case Specials::NanOnly: return sign | ones(f.exponent_bits + f.mantissa_bits);
    case Specials::Unsigned0: return 1u << (f.exponent_bits + f.mantissa_bits);
    case Specials::None: return 1u << (f.exponent_bits + f.mantissa_bits);  // no NaN: -0, as ml_dtypes has it
    case Specials::PowerOf2: return ones(8);
  }
  return 0;
}

std::uint32_t largest_finite(const FloatFormat& f) {
  switch (f.specials) {
    case Specials::Ieee: return ones(f.exponent_bits + f.mantissa_bits) - (1u << f.mantissa_bits);
    case Specials::NanOnly: return ones(f.exponent_bits + f.mantissa_bits) - 1;
    default: return ones(f.exponent_bits + f.mantissa_bits);
  }
}

std::uint32_t overflow_bits(const FloatFormat& f, bool negative) {
  const std::uint32_t sign = negative ? 1u << (f.exponent_bits + f.mantissa_bits) : 0;
  if (f.specials == Specials::Ieee) return sign | ones(f.exponent_bits) << f.mantissa_bits;
  if (f.specials == Specials::None) return sign | largest_finite(f);
  return nan_bits(f, negative);
}

// E8M0: the nearest power of two; halfway goes up, since the one significant bit is always odd (LLVM, ml_dtypes).
std::uint32_t encode_power(double value) {
  if (!(value >= 0) || std::isinf(value)) return ones(8);
  if (value == 0) return 0;
  int exponent;
  const double fraction = std::frexp(value, &exponent) * 2;  // value = fraction * 2^(exponent - 1), fraction in [1, 2)
  int code = exponent - 1 + 127;
  if (code >= 0 && fraction >= 1.5) ++code;
  if (code < 0) return 0;
  return code > 254 ? ones(8) : static_cast<std::uint32_t>(code);
}

}  // namespace

const FloatFormat* float_format(ElementType type) {
  switch (type) {
#define FORMAT(name) \
  case ElementType::name: return &k##name;
    FORMAT(F4E2M1FN)
    FORMAT(F6E2M3FN) FORMAT(F6E3M2FN) FORMAT(F8E3M4) FORMAT(F8E4M3) FORMAT(F8E4M3FN) FORMAT(F8E4M3B11FNUZ)
        FORMAT(F8E4M3FNUZ) FORMAT(F8E5M2) FORMAT(F8E5M2FNUZ) FORMAT(F8E8M0FNU) FORMAT(BF16) FORMAT(F16)
#undef FORMAT
            default : return nullptr;
  }
}

double decode_float(const FloatFormat& f, std::uint32_t bits) {
  bits &= ones(f.bits());
  if (f.specials == Specials::PowerOf2)
    return bits == ones(8) ? std::numeric_limits<double>::quiet_NaN()
                           : std::ldexp(1.0, static_cast<int>(bits) - f.bias);
  const std::uint32_t magnitude = bits & ones(f.exponent_bits + f.mantissa_bits);
  const bool negative = bits != magnitude;
  const std::uint32_t exponent = magnitude >> f.mantissa_bits, mantissa = magnitude & ones(f.mantissa_bits);
  const double sign = negative ? -1 : 1;
  bool nan = false;
  if (f.specials == Specials::Ieee && exponent == ones(f.exponent_bits)) {
    if (mantissa == 0) return sign * std::numeric_limits<double>::infinity();
    nan = true;
  }
  nan = nan || (f.specials == Specials::NanOnly && magnitude == ones(f.exponent_bits + f.mantissa_bits)) ||
        (f.specials == Specials::Unsigned0 && negative && magnitude == 0);
  if (nan) return std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - f.bias - f.mantissa_bits);
  return sign * std::ldexp(mantissa | 1u << f.mantissa_bits, static_cast<int>(exponent) - f.bias - f.mantissa_bits);
}

std::uint32_t encode_float(const FloatFormat& f, double value) {
  if (f.specials == Specials::PowerOf2) return encode_power(value);
  const bool negative = std::signbit(value);
  if (std::isnan(value)) return nan_bits(f, negative);
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) return overflow_bits(f, negative);
  std::uint32_t bits = 0;
  if (magnitude != 0) {
    // In units of the last place the value lies in [2^m, 2^(m+1)), or below 2^m for subnormals; scaling is exact.
    const int exponent = std::max(std::ilogb(magnitude), 1 - f.bias);
    const double units = std::nearbyint(std::ldexp(magnitude, f.mantissa_bits - exponent));
    // A carry out of the mantissa lands in the exponent field by itself.
    const double code =
        units + (static_cast<double>(exponent + f.bias) - 1) * static_cast<double>(1u << f.mantissa_bits);
    if (code > largest_finite(f)) return overflow_bits(f, negative);
    bits = static_cast<std::uint32_t>(code);
  }
  if (!negative || (f.specials == Specials::Unsigned0 && bits == 0)) return bits;
  return bits | 1u << (f.exponent_bits + f.mantissa_bits);
}

}  // namespace openneuron
