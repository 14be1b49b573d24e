// Reading and writing of the header's fields; for neff.cpp.
#pragma once
#include "image/neff.h"

namespace openneuron::image {

inline constexpr std::size_t kHeaderBytes = 1024;

struct Checksums {
  std::string hash, uuid;
};
Checksums checksums(std::span<const std::byte> data);
/// `out` has at least kHeaderBytes.
void write_header(const Header& header, std::span<std::byte> out);
/// For files of our own: every byte of the header is what write_header makes for `cores` cores. ON-E1803.
Result<void> check_header(const Header& header, std::span<const std::byte> bytes, const Checksums& sums,
                          std::size_t cores, const std::string& file);

}  // namespace openneuron::image
