#include "graph/constant_hash.h"

#include "base/hash.h"
#include "graph/types.h"

namespace openneuron::graph {

std::uint64_t constant_hash(const Type& type, bool splat, std::span<const std::byte> bytes) {
  std::uint64_t seed = static_cast<std::uint64_t>(type.element) << 1 | (splat ? 1u : 0u);
  seed = hash64(std::as_bytes(std::span(type.shape)), seed);
  if (!type.text.empty()) seed = hash64(std::as_bytes(std::span(type.text)), seed);
  return hash64(bytes, seed);
}

}  // namespace openneuron::graph
