#include "num/convert.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "num/float_format.h"

namespace openneuron {
namespace {

template <class T>
T read(const void* data, std::size_t index) {
  T value;
  std::memcpy(&value, static_cast<const char*>(data) + index * sizeof(T), sizeof(T));
  return value;
}
template <class T>
void write(void* data, std::size_t index, T value) {
  std::memcpy(static_cast<char*>(data) + index * sizeof(T), &value, sizeof(T));
}

// All values of one 8-bit or narrower format.
std::array<double, 256> decoded(ElementType type) {
  std::array<double, 256> values;
  for (std::uint32_t bits = 0; bits < 256; ++bits) values[bits] = decode_float(*float_format(type), bits);
  return values;
}
const std::array<double, 256>& small_values(ElementType type) {
  static_assert(static_cast<int>(ElementType::F8E8M0FNU) - static_cast<int>(ElementType::F4E2M1FN) == 10);
  static const auto tables = [] {
    std::array<std::array<double, 256>, 11> all;
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = decoded(static_cast<ElementType>(static_cast<std::size_t>(ElementType::F4E2M1FN) + i));
    return all;
  }();
  return tables[static_cast<std::size_t>(type) - static_cast<std::size_t>(ElementType::F4E2M1FN)];
}

bool is_small_float(ElementType type) { return type >= ElementType::F4E2M1FN && type <= ElementType::F8E8M0FNU; }

float tf32(double value) {
  // Through double the rounding to 10 bits is the only one.
  const FloatFormat format{8, 10, 127, Specials::Ieee};
  return static_cast<float>(decode_float(format, encode_float(format, value)));
}

std::int64_t truncated(double value, double low, double above) {
  // `above` is one past the largest value, a power of two, so that the comparison is exact for 64 bits too.
  if (std::isnan(value)) return 0;
  value = std::trunc(value);
  if (value < low) return static_cast<std::int64_t>(low);
  if (value >= above)
    return above == 0x1p63 ? std::numeric_limits<std::int64_t>::max() : static_cast<std::int64_t>(above) - 1;
  return static_cast<std::int64_t>(value);
}

// A double that rounds to any format of up to 51 bits as the integer itself does: the bits that double cannot hold
// are or-ed into its last one (round to odd).
double odd_rounded(std::uint64_t magnitude) {
  const int drop = 64 - std::countl_zero(magnitude) - 53;
  if (drop <= 0) return static_cast<double>(magnitude);
  const std::uint64_t lost = magnitude & ((std::uint64_t{1} << drop) - 1);
  std::uint64_t kept = magnitude - lost;
  if (lost) kept |= std::uint64_t{1} << drop;
  return static_cast<double>(kept);
}

void store_integer_as_float(ElementType from, ElementType to, void* data, std::size_t index, std::int64_t value) {
  const bool negative = value < 0 && type_class(from) != TypeClass::Unsigned;
  const std::uint64_t magnitude = negative ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  const double sign = negative ? -1 : 1;
  // f64 itself is rounded to nearest even.
  const bool wide = to == ElementType::F64 || to == ElementType::C128;
  store_double(to, data, index, sign * (wide ? static_cast<double>(magnitude) : odd_rounded(magnitude)));
}

}  // namespace

std::uint16_t float_to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFF) > 0x7F800000)
    return static_cast<std::uint16_t>(bits >> 16 | 0x40);  // quiet; payload may vanish
  return static_cast<std::uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

float bf16_to_float(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

std::uint16_t float_to_fp16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000);
  std::uint32_t magnitude = bits & 0x7FFFFFFF;
  if (magnitude > 0x7F800000) return static_cast<std::uint16_t>(sign | 0x7E00 | (magnitude >> 13 & 0x1FF));
  if (magnitude >= 0x47800000) return static_cast<std::uint16_t>(sign | 0x7C00);  // 2^16 and up, inf
  if (magnitude < 0x38800000) {  // below 2^-14: subnormal; adding 1/2 rounds at 2^-24, the last place of such a float
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3F000000));
  }
  magnitude += 0xFFF + (magnitude >> 13 & 1);  // may carry into the exponent, up to inf
  return static_cast<std::uint16_t>(sign | (magnitude - 0x38000000) >> 13);
}

float fp16_to_float(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16, magnitude = bits & 0x7FFF;
  if (magnitude >= 0x7C00) {  // inf, NaN (quiet)
    const std::uint32_t quiet = magnitude > 0x7C00 ? 0x400000 : 0;
    return std::bit_cast<float>(sign | 0x7F800000 | quiet | (magnitude & 0x3FF) << 13);
  }
  if (magnitude < 0x400) {
    const float value = static_cast<float>(magnitude) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(value));
  }
  return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000));
}

double round_to(ElementType type, double value) {
  switch (type) {
    case ElementType::F64: return value;
    case ElementType::F32: return static_cast<double>(static_cast<float>(value));
    case ElementType::TF32: return static_cast<double>(tf32(value));
    default: break;
  }
  const FloatFormat* format = float_format(type);
  return format ? decode_float(*format, encode_float(*format, value)) : value;
}

double load_double(ElementType type, const void* data, std::size_t index) {
  switch (type) {
    case ElementType::F64: return read<double>(data, index);
    case ElementType::F32:
    case ElementType::TF32: return static_cast<double>(read<float>(data, index));
    case ElementType::BF16: return static_cast<double>(bf16_to_float(read<std::uint16_t>(data, index)));
    case ElementType::F16: return static_cast<double>(fp16_to_float(read<std::uint16_t>(data, index)));
    case ElementType::C64: return static_cast<double>(read<float>(data, 2 * index));
    case ElementType::C128: return read<double>(data, 2 * index);
    case ElementType::U64: return static_cast<double>(read<std::uint64_t>(data, index));
    case ElementType::None: return 0;
    default: break;
  }
  if (is_small_float(type)) return small_values(type)[read<std::uint8_t>(data, index)];
  return static_cast<double>(load_int(type, data, index));
}

void store_double(ElementType type, void* data, std::size_t index, double value) {
  switch (type) {
    case ElementType::F64: return write(data, index, value);
    case ElementType::F32: return write(data, index, static_cast<float>(value));
    case ElementType::TF32: return write(data, index, tf32(value));
    case ElementType::C64: write(data, 2 * index, static_cast<float>(value)); return write(data, 2 * index + 1, 0.0f);
    case ElementType::C128: write(data, 2 * index, value); return write(data, 2 * index + 1, 0.0);
    case ElementType::I1: return write<std::uint8_t>(data, index, value != 0);  // NaN is true
    case ElementType::None: return;
    default: break;
  }
  if (const FloatFormat* format = float_format(type)) {
    const std::uint32_t bits = encode_float(*format, value);
    if (byte_width(type) == 1)
      write(data, index, static_cast<std::uint8_t>(bits));
    else
      write(data, index, static_cast<std::uint16_t>(bits));
    return;
  }
  const int bits = bit_width(type);
  if (type_class(type) == TypeClass::Signed)
    return store_int(type, data, index, truncated(value, -std::ldexp(1.0, bits - 1), std::ldexp(1.0, bits - 1)));
  if (type == ElementType::U64) {
    if (value >= 0x1p64) return write(data, index, ~std::uint64_t{0});
    return write(data, index, value > 0 ? static_cast<std::uint64_t>(value) : 0);  // NaN fails the comparison
  }
  store_int(type, data, index, truncated(value, 0, std::ldexp(1.0, bits)));
}

std::int64_t load_int(ElementType type, const void* data, std::size_t index) {
  switch (type) {
    case ElementType::I1: return read<std::uint8_t>(data, index) != 0;
    // A narrow integer's byte holds it in the low bits.
    case ElementType::I2:
      return static_cast<std::int8_t>(static_cast<std::uint8_t>(read<std::uint8_t>(data, index) << 6)) >> 6;
    case ElementType::I4:
      return static_cast<std::int8_t>(static_cast<std::uint8_t>(read<std::uint8_t>(data, index) << 4)) >> 4;
    case ElementType::U2: return read<std::uint8_t>(data, index) & 3;
    case ElementType::U4: return read<std::uint8_t>(data, index) & 15;
    case ElementType::I8: return read<std::int8_t>(data, index);
    case ElementType::I16: return read<std::int16_t>(data, index);
    case ElementType::I32: return read<std::int32_t>(data, index);
    case ElementType::I64:
    case ElementType::Index: return read<std::int64_t>(data, index);
    case ElementType::U8: return read<std::uint8_t>(data, index);
    case ElementType::U16: return read<std::uint16_t>(data, index);
    case ElementType::U32: return read<std::uint32_t>(data, index);
    case ElementType::U64: return static_cast<std::int64_t>(read<std::uint64_t>(data, index));
    case ElementType::None: return 0;
    default: return truncated(load_double(type, data, index), -0x1p63, 0x1p63);
  }
}

void store_int(ElementType type, void* data, std::size_t index, std::int64_t value) {
  switch (type) {
    case ElementType::I1: return write<std::uint8_t>(data, index, value != 0);
    // Sign-extended to the byte, as ml_dtypes keeps int2 and int4.
    case ElementType::I2:
      return write(data, index,
                   static_cast<std::int8_t>(static_cast<std::int8_t>(static_cast<std::uint8_t>(value << 6)) >> 6));
    case ElementType::I4:
      return write(data, index,
                   static_cast<std::int8_t>(static_cast<std::int8_t>(static_cast<std::uint8_t>(value << 4)) >> 4));
    case ElementType::U2: return write(data, index, static_cast<std::uint8_t>(value & 3));
    case ElementType::U4: return write(data, index, static_cast<std::uint8_t>(value & 15));
    case ElementType::None: return;
    default: break;
  }
  if (!is_integer(type)) return store_integer_as_float(ElementType::I64, type, data, index, value);
  switch (byte_width(type)) {
    case 1: return write(data, index, static_cast<std::uint8_t>(value));
    case 2: return write(data, index, static_cast<std::uint16_t>(value));
    case 4: return write(data, index, static_cast<std::uint32_t>(value));
    default: return write(data, index, value);
  }
}

void convert_elements(ElementType from, const void* source, ElementType to, void* destination, std::size_t count) {
  if (from == ElementType::None || to == ElementType::None || count == 0) return;
  if (from == to) {
    std::memcpy(destination, source, count * static_cast<std::size_t>(byte_width(from)));
    return;
  }
  const bool integral = is_integer(from) || from == ElementType::I1;
  for (std::size_t i = 0; i < count; ++i) {
    if (integral) {
      const std::int64_t value = load_int(from, source, i);
      if (is_integer(to) || to == ElementType::I1)
        store_int(to, destination, i, value);
      else
        store_integer_as_float(from, to, destination, i, value);
    } else if (is_complex(from) && is_complex(to)) {
      const bool narrow = from == ElementType::C64;
      for (std::size_t part = 2 * i; part < 2 * i + 2; ++part) {
        const double value = narrow ? static_cast<double>(read<float>(source, part)) : read<double>(source, part);
        if (narrow)
          write(destination, part, value);
        else
          write(destination, part, static_cast<float>(value));
      }
    } else if (from == ElementType::F32 && to == ElementType::BF16) {
      write(destination, i, float_to_bf16(read<float>(source, i)));
    } else if (from == ElementType::F32 && to == ElementType::F16) {
      write(destination, i, float_to_fp16(read<float>(source, i)));
    } else {
      store_double(to, destination, i, load_double(from, source, i));
    }
  }
}

}  // namespace openneuron
