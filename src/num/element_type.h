// Element types of tensors: names, widths, classes. Conversions are in num/convert.h.
#pragma once
#include <cstdint>
#include <string_view>

namespace openneuron {

// TYPE(enumerator, StableHLO spelling, bits, class, bytes per element in memory)
#define ON_ELEMENT_TYPES(TYPE)                      \
  TYPE(I1, "i1", 1, Bool, 1)                        \
  TYPE(I2, "i2", 2, Signed, 1)                      \
  TYPE(I4, "i4", 4, Signed, 1)                      \
  TYPE(I8, "i8", 8, Signed, 1)                      \
  TYPE(I16, "i16", 16, Signed, 2)                   \
  TYPE(I32, "i32", 32, Signed, 4)                   \
  TYPE(I64, "i64", 64, Signed, 8)                   \
  TYPE(U2, "ui2", 2, Unsigned, 1)                   \
  TYPE(U4, "ui4", 4, Unsigned, 1)                   \
  TYPE(U8, "ui8", 8, Unsigned, 1)                   \
  TYPE(U16, "ui16", 16, Unsigned, 2)                \
  TYPE(U32, "ui32", 32, Unsigned, 4)                \
  TYPE(U64, "ui64", 64, Unsigned, 8)                \
  TYPE(F4E2M1FN, "f4E2M1FN", 4, Float, 1)           \
  TYPE(F6E2M3FN, "f6E2M3FN", 6, Float, 1)           \
  TYPE(F6E3M2FN, "f6E3M2FN", 6, Float, 1)           \
  TYPE(F8E3M4, "f8E3M4", 8, Float, 1)               \
  TYPE(F8E4M3, "f8E4M3", 8, Float, 1)               \
  TYPE(F8E4M3FN, "f8E4M3FN", 8, Float, 1)           \
  TYPE(F8E4M3B11FNUZ, "f8E4M3B11FNUZ", 8, Float, 1) \
  TYPE(F8E4M3FNUZ, "f8E4M3FNUZ", 8, Float, 1)       \
  TYPE(F8E5M2, "f8E5M2", 8, Float, 1)               \
  TYPE(F8E5M2FNUZ, "f8E5M2FNUZ", 8, Float, 1)       \
  TYPE(F8E8M0FNU, "f8E8M0FNU", 8, Float, 1)         \
  TYPE(BF16, "bf16", 16, Float, 2)                  \
  TYPE(F16, "f16", 16, Float, 2)                    \
  TYPE(F32, "f32", 32, Float, 4)                    \
  TYPE(F64, "f64", 64, Float, 8)                    \
  TYPE(TF32, "tf32", 19, Float, 4)                  \
  TYPE(C64, "complex<f32>", 64, Complex, 8)         \
  TYPE(C128, "complex<f64>", 128, Complex, 16)      \
  TYPE(Index, "index", 64, Signed, 8)

enum class ElementType : std::uint8_t {
#define TYPE(name, text, bits, kind, bytes) name,
  ON_ELEMENT_TYPES(TYPE)
#undef TYPE
      None
};

enum class TypeClass : std::uint8_t { Bool, Signed, Unsigned, Float, Complex, None };

std::string_view type_name(ElementType type);       ///< "f32"; "none" for None
ElementType type_from_name(std::string_view name);  ///< None when unknown
int bit_width(ElementType type);                    ///< bits of the value (i1: 1)
int byte_width(ElementType type);                   ///< bytes an element takes in memory (sub-byte types: 1)
TypeClass type_class(ElementType type);
inline bool is_float(ElementType type) { return type_class(type) == TypeClass::Float; }
inline bool is_complex(ElementType type) { return type_class(type) == TypeClass::Complex; }
inline bool is_integer(ElementType type) {
  const TypeClass c = type_class(type);
  return c == TypeClass::Signed || c == TypeClass::Unsigned;
}

}  // namespace openneuron
