// .npy files, format 1.0: what constants are stored as.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "num/element_type.h"

namespace openneuron::image {

/// "<f4" and the like; empty for types that npy does not know.
std::string npy_type(ElementType type);
/// Magic, version, dictionary, padding to a multiple of 64 bytes.
std::vector<std::byte> npy_header(ElementType type, std::span<const std::int64_t> shape);
/// The elements behind the header; empty `data` when it is no .npy file.
bool npy_data(std::span<const std::byte> file, std::span<const std::byte>& data);

}  // namespace openneuron::image
