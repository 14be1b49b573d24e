#include "num/element_type.h"

#include <array>
#include <cstddef>

namespace openneuron {
namespace {

struct Row {
  std::string_view name;
  int bits;
  TypeClass kind;
  int bytes;
};
constexpr std::array kRows = {
#define TYPE(name, text, bits, kind, bytes) Row{text, bits, TypeClass::kind, bytes},
    ON_ELEMENT_TYPES(TYPE)
#undef TYPE
        Row{"none", 0, TypeClass::None, 0}};

const Row& row(ElementType type) { return kRows[static_cast<std::size_t>(type)]; }

}  // namespace

std::string_view type_name(ElementType type) { return row(type).name; }
int bit_width(ElementType type) { return row(type).bits; }
int byte_width(ElementType type) { return row(type).bytes; }
TypeClass type_class(ElementType type) { return row(type).kind; }

ElementType type_from_name(std::string_view name) {
  for (std::size_t i = 0; i + 1 < kRows.size(); ++i)
    if (kRows[i].name == name) return static_cast<ElementType>(i);
  return ElementType::None;
}

}  // namespace openneuron
