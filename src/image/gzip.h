// gzip (RFC 1952) with a zero time stamp.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace openneuron::image {

bool is_gzip(std::span<const std::byte> bytes);
/// Below 4 GiB only: the format states the size modulo 2^32.
Result<std::vector<std::byte>> compress(std::span<const std::byte> bytes);
/// Expands to the size that the last four bytes state, which is at most the larger of 1 GiB and 100 times the input.
/// Errors ON-E1806.
Result<std::vector<std::byte>> decompress(std::span<const std::byte> bytes, const std::string& file);

}  // namespace openneuron::image
