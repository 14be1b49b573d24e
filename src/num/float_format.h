// Binary floating-point formats of up to 16 bits as data, with the generic conversion to and from double.
#pragma once
#include <cstdint>

#include "num/element_type.h"

namespace openneuron {

/// What a format does with its extreme encodings (docs/numerics.md).
enum class Specials : std::uint8_t {
  Ieee,       ///< inf and NaN at the largest exponent; overflow gives inf
  NanOnly,    ///< FN: NaN is all ones, no inf; overflow gives NaN
  Unsigned0,  ///< FNUZ: NaN is the pattern of -0, no inf, no -0; overflow gives NaN
  None,       ///< no inf, no NaN; overflow saturates
  PowerOf2,   ///< E8M0FNU: no sign, no zero; NaN is all ones
};

struct FloatFormat {
  int exponent_bits, mantissa_bits, bias;
  Specials specials;
  int bits() const { return exponent_bits + mantissa_bits + (specials == Specials::PowerOf2 ? 0 : 1); }
};

/// Null for f32, f64, tf32 and what is no float.
const FloatFormat* float_format(ElementType type);

double decode_float(const FloatFormat& format, std::uint32_t bits);
/// Round to nearest even, subnormals included. Exact doubles only: one rounding.
std::uint32_t encode_float(const FloatFormat& format, double value);

}  // namespace openneuron
