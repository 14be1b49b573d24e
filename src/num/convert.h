// Scalar conversions between element types; semantics of ../docs/numerics.md (round to nearest even, saturation,
// NaN kept). Vectorised forms live in the device; these are the slow, right ones that both sides test against.
#pragma once
#include <cstddef>
#include <cstdint>

#include "num/element_type.h"

namespace openneuron {

/// Rounds `value` to the float type `type` (nearest even) and returns it widened back.
double round_to(ElementType type, double value);

/// Element `index` of packed memory of `type` as double: exact for every float type and for integers below 2^53.
double load_double(ElementType type, const void* data, std::size_t index);
/// Stores with StableHLO convert's meaning for float -> type (RNE; ints truncate toward zero and saturate, NaN -> 0).
void store_double(ElementType type, void* data, std::size_t index, double value);

/// Integer element as int64 (zero- or sign-extended by the type; i1 0 or 1).
std::int64_t load_int(ElementType type, const void* data, std::size_t index);
/// Stores modulo 2^bits; i1 stores value != 0.
void store_int(ElementType type, void* data, std::size_t index, std::int64_t value);

/// bf16 and fp16 bits; RNE, NaN stays a quiet NaN.
std::uint16_t float_to_bf16(float value);
float bf16_to_float(std::uint16_t bits);
std::uint16_t float_to_fp16(float value);
float fp16_to_float(std::uint16_t bits);

/// StableHLO `convert` of `count` elements; any pair of types (complex as documented in numerics).
void convert_elements(ElementType from, const void* source, ElementType to, void* destination, std::size_t count);

}  // namespace openneuron
