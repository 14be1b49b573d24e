// The content hash of a dense literal.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace openneuron::graph {
struct Type;

/// xxh3 of element type, shape, splat flag and bytes: the same in every module and every run.
std::uint64_t constant_hash(const Type& type, bool splat, std::span<const std::byte> bytes);

}  // namespace openneuron::graph
