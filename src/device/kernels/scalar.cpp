// Scalar pieces that every instruction set shares, compiled once.
#include <bit>

#include "device/kernels/kernels.h"

namespace openneuron::device {

namespace {

struct Turn {
  double sine, cosine;  // of the angle within its quadrant
  unsigned quadrant;
};

// Payne and Hanek: |x| = m 2^e; the fraction of m 2^e (2/pi) / 4 from the 96 bits of 2/pi that decide it.
Turn turn_of_large(float x) {
  static constexpr std::uint32_t kTwoOverPi[] = {0,           0xA2F9836Eu, 0x4E441529u, 0xFC2757D1u, 0xF534DDC0u,
                                                 0xDB629599u, 0x3C439041u, 0xFE5163ABu, 0xDEBBC561u, 0xB7246E3Au};
  const std::uint32_t raw = std::bit_cast<std::uint32_t>(x);
  const std::uint64_t m = (raw & 0x007FFFFFu) | 0x00800000u;
  const int e = static_cast<int>((raw >> 23) & 255) - 150;   // -3 .. 104 for 2^20 <= |x|
  const unsigned first = static_cast<unsigned>(32 + e - 2);  // bit of the padded table with weight 2^(1 - e)
  const auto word = [first](unsigned i) -> std::uint64_t {
    const unsigned bit = first + 32 * i, at = bit / 32, shift = bit % 32;
    const std::uint64_t pair = (static_cast<std::uint64_t>(kTwoOverPi[at]) << 32) | kTwoOverPi[at + 1];
    return (pair >> (32 - shift)) & 0xFFFFFFFFu;
  };
  const std::uint64_t high = (word(0) << 32) | word(1);
  const std::uint64_t turn = m * high + ((m * word(2)) >> 32);  // quarter turns in the top two bits, then the fraction
  unsigned quadrant = static_cast<unsigned>(turn >> 62);
  const std::int64_t fraction = static_cast<std::int64_t>(turn << 2);
  if (fraction < 0) ++quadrant;
  const double r = static_cast<double>(fraction) * (0x1p-64 * 0x1.921fb54442d18p+0);
  const double z = r * r;
  const double cosine =
      1.0 - z * 0.5 +
      z * z *
          (0x1.5555555555555p-5 +
           z * (-0x1.6c16c16c16984p-10 +
                z * (0x1.a01a019f5aecdp-16 +
                     z * (-0x1.27e4fa2d8f0a7p-22 + z * (0x1.1eeb84a34937ep-29 + z * -0x1.90946bf24ae77p-37)))));
  const double sine =
      r + r * z *
              (-0x1.5555555555553p-3 +
               z * (0x1.11111111108a5p-7 +
                    z * (-0x1.a01a019e48bf3p-13 +
                         z * (0x1.71de3791d2a51p-19 + z * (-0x1.ae602c4c3d2b2p-26 + z * 0x1.5e1ea4bbd3a91p-33)))));
  return {sine, cosine, quadrant};
}

}  // namespace

double sine_of_large(float x) {
  const Turn t = turn_of_large(x);
  const double value = t.quadrant & 1 ? t.cosine : t.sine;
  return ((t.quadrant & 2) != 0) != (std::bit_cast<std::uint32_t>(x) >> 31 != 0) ? -value : value;
}
double cosine_of_large(float x) {
  const Turn t = turn_of_large(x);
  const double value = t.quadrant & 1 ? t.sine : t.cosine;
  return (t.quadrant + 1) & 2 ? -value : value;
}
double tangent_of_large(float x) {
  const Turn t = turn_of_large(x);
  const double value = t.quadrant & 1 ? -(t.cosine / t.sine) : t.sine / t.cosine;
  return std::bit_cast<std::uint32_t>(x) >> 31 ? -value : value;
}

float widen_f16(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  const std::uint32_t exponent = (bits >> 10) & 31u, mantissa = bits & 0x3FFu;
  if (exponent == 31)
    return std::bit_cast<float>(sign | 0x7F800000u | (mantissa << 13) | (mantissa ? 0x00400000u : 0u));
  if (exponent == 0) {
    const float size = static_cast<float>(mantissa) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(size));
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

std::uint16_t narrow_f16(float value) {
  const std::uint32_t raw = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (raw >> 16) & 0x8000u, size = raw & 0x7FFFFFFFu;
  if (size > 0x7F800000u) return static_cast<std::uint16_t>(sign | 0x7E00u | ((size >> 13) & 0x3FFu));
  if (size >= 0x477FF000u) return static_cast<std::uint16_t>(sign | 0x7C00u);  // rounds to 65536 or more
  if (size < 0x38800000u) {  // subnormal: adding 1/2 leaves the result in the low mantissa bits, rounded
    const float shifted = std::bit_cast<float>(size) + 0.5f;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3F000000u));
  }
  const std::uint32_t rounded = size - 0x38000000u + 0xFFFu + ((size >> 13) & 1u);
  return static_cast<std::uint16_t>(sign | (rounded >> 13));
}

}  // namespace openneuron::device
