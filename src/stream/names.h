// Words of the stream text, shared by its printer, parser and verifier.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "isa/code.h"
#include "isa/text.h"

namespace openneuron::stream {

/// Variables above this many bytes are refused: addresses and their products stay far from 64-bit limits.
inline constexpr std::int64_t kLargestVariable = std::int64_t{1} << 48;

isa::MemoryNames variable_names(const isa::Code& code);
std::string_view space_name(isa::Space space);
/// Bytes of a dense tensor; -1 when negative or above kLargestVariable.
std::int64_t packed_bytes(ElementType type, const std::vector<std::int64_t>& shape);

}  // namespace openneuron::stream
