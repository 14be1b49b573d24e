// Element types of the C API and ours.
#include "pjrt/objects.h"

namespace openneuron::pjrt {
namespace {

struct Row {
  PJRT_Buffer_Type theirs;
  ElementType ours;
};
constexpr Row kRows[] = {
    {PJRT_Buffer_Type_PRED, ElementType::I1},
    {PJRT_Buffer_Type_S2, ElementType::I2},
    {PJRT_Buffer_Type_S4, ElementType::I4},
    {PJRT_Buffer_Type_S8, ElementType::I8},
    {PJRT_Buffer_Type_S16, ElementType::I16},
    {PJRT_Buffer_Type_S32, ElementType::I32},
    {PJRT_Buffer_Type_S64, ElementType::I64},
    {PJRT_Buffer_Type_U2, ElementType::U2},
    {PJRT_Buffer_Type_U4, ElementType::U4},
    {PJRT_Buffer_Type_U8, ElementType::U8},
    {PJRT_Buffer_Type_U16, ElementType::U16},
    {PJRT_Buffer_Type_U32, ElementType::U32},
    {PJRT_Buffer_Type_U64, ElementType::U64},
    {PJRT_Buffer_Type_F16, ElementType::F16},
    {PJRT_Buffer_Type_F32, ElementType::F32},
    {PJRT_Buffer_Type_F64, ElementType::F64},
    {PJRT_Buffer_Type_BF16, ElementType::BF16},
    {PJRT_Buffer_Type_C64, ElementType::C64},
    {PJRT_Buffer_Type_C128, ElementType::C128},
    {PJRT_Buffer_Type_F8E5M2, ElementType::F8E5M2},
    {PJRT_Buffer_Type_F8E4M3FN, ElementType::F8E4M3FN},
    {PJRT_Buffer_Type_F8E4M3B11FNUZ, ElementType::F8E4M3B11FNUZ},
    {PJRT_Buffer_Type_F8E5M2FNUZ, ElementType::F8E5M2FNUZ},
    {PJRT_Buffer_Type_F8E4M3FNUZ, ElementType::F8E4M3FNUZ},
    {PJRT_Buffer_Type_F8E4M3, ElementType::F8E4M3},
    {PJRT_Buffer_Type_F8E3M4, ElementType::F8E3M4},
    {PJRT_Buffer_Type_F8E8M0FNU, ElementType::F8E8M0FNU},
    {PJRT_Buffer_Type_F4E2M1FN, ElementType::F4E2M1FN},
    {PJRT_Buffer_Type_F6E2M3FN, ElementType::F6E2M3FN},
    {PJRT_Buffer_Type_F6E3M2FN, ElementType::F6E3M2FN},
};

}  // namespace

ElementType element_type(PJRT_Buffer_Type type) {
  for (const Row& row : kRows)
    if (row.theirs == type) return row.ours;
  return ElementType::None;
}

PJRT_Buffer_Type buffer_type(ElementType type) {
  for (const Row& row : kRows)
    if (row.ours == type) return row.theirs;
  return PJRT_Buffer_Type_INVALID;
}

std::string type_text(ElementType type, std::span<const std::int64_t> dims) {
  std::string text(type_name(type));
  text += '[';
  for (std::size_t i = 0; i < dims.size(); ++i) text += (i == 0 ? "" : ",") + std::to_string(dims[i]);
  return text + ']';
}

std::size_t bytes_of(ElementType type, std::span<const std::int64_t> dims) {
  std::size_t bytes = static_cast<std::size_t>(byte_width(type));
  for (std::int64_t dim : dims) bytes *= static_cast<std::size_t>(dim);
  return bytes;
}

}  // namespace openneuron::pjrt
