#include "graph/op_kind.h"

#include <array>
#include <cstddef>

namespace openneuron::graph {
namespace {

constexpr std::string_view kNames[] = {
#define OP(name, text, ...) text,
#include "graph/ops.def"
#undef OP
};
constexpr std::size_t kCount = sizeof(kNames) / sizeof(kNames[0]);
constexpr std::size_t kSlots = 1024;  // power of two, at least four times the number of ops
static_assert(kCount * 4 < kSlots + 1, "grow kSlots");

constexpr std::uint32_t hash(std::string_view text) {
  std::uint32_t h = 2166136261u;
  for (char c : text) h = (h ^ static_cast<unsigned char>(c)) * 16777619u;
  return h ^ (h >> 15);
}

// Open addressing; 0 is empty, else 1 + op index.
constexpr std::array<std::uint16_t, kSlots> make_slots() {
  std::array<std::uint16_t, kSlots> slots{};
  for (std::size_t i = 0; i < kCount; ++i) {
    std::size_t at = hash(kNames[i]) % kSlots;
    while (slots[at] != 0) at = (at + 1) % kSlots;
    slots[at] = static_cast<std::uint16_t>(i + 1);
  }
  return slots;
}
constexpr std::array<std::uint16_t, kSlots> kTable = make_slots();

}  // namespace

std::string_view op_name(OpKind kind) {
  const std::size_t i = static_cast<std::size_t>(kind);
  return i < kCount ? kNames[i] : "unknown";
}

std::size_t op_kind_count() { return kCount; }

bool op_from_name(std::string_view name, OpKind& kind) {
  // Three ops share one enumerator: all end a function or region.
  if (name == "func.return" || name == "sdy.return" || name == "chlo.return") name = "stablehlo.return";
  for (std::size_t at = hash(name) % kSlots; kTable[at] != 0; at = (at + 1) % kSlots) {
    if (kNames[kTable[at] - 1] == name) {
      kind = static_cast<OpKind>(kTable[at] - 1);
      return true;
    }
  }
  return false;
}

}  // namespace openneuron::graph
