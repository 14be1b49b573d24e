// Words of the tile text, shared by its printer, parser and verifier.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "isa/text.h"
#include "tile/module.h"

namespace openneuron::tile {

/// Buffers above this many bytes are refused: addresses and their products stay far from 64-bit limits.
inline constexpr std::int64_t kLargestBuffer = std::int64_t{1} << 48;

isa::MemoryNames memory_names(const Module& module);
std::string_view space_name(isa::Space space);
/// Bytes of a dense tensor; -1 when negative or above kLargestBuffer.
std::int64_t packed_bytes(ElementType type, const std::vector<std::int64_t>& shape);

}  // namespace openneuron::tile
