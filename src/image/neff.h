// The NEFF container: 1024-byte header and a tar of documented members around isa::Code. See docs/neff.md.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "isa/code.h"

namespace openneuron::image {

struct Header {
  std::uint64_t package_version = 2, header_bytes = 1024, data_bytes = 0, neff_major = 2, neff_minor = 0;
  std::string build_version;  ///< "openneuron <version>"
  std::uint32_t core_count = 1;
  std::string hash;  ///< 32 hex digits: MD5 of the data section
  std::string uuid;  ///< 16 bytes from the data section's SHA-256, as hex
  std::string name;  ///< base name of the output file
  std::uint64_t feature_bits = 0;
  std::uint32_t lnc_size = 1;
};

struct WriteOptions {
  std::string name = "file.neff";
  bool compress = true;  ///< gzip, with a zero time stamp
};

/// Bytes of a NEFF; equal code and options give equal bytes.
Result<std::vector<std::byte>> write_neff(const isa::Code& code, const WriteOptions& options);
/// Parses and checks everything; refuses corrupt, truncated, foreign and too new files (ON-E18xx).
/// `owner` keeps `bytes` alive when constants can stay where they lie.
Result<isa::Code> read_neff(std::span<const std::byte> bytes, const std::string& file,
                            std::shared_ptr<const void> owner = {});
Result<Header> read_header(std::span<const std::byte> bytes, const std::string& file);
/// What the compiler noted for reports; empty when the file is stripped. Apart, since nothing that runs needs it.
Result<isa::Facts> read_facts(std::span<const std::byte> bytes, const std::string& file);
/// Engine code and variables only.
Result<std::vector<std::byte>> strip_neff(std::span<const std::byte> bytes, const std::string& file);
/// Whether the bytes start like a NEFF header.
bool is_neff(std::span<const std::byte> bytes);

}  // namespace openneuron::image
