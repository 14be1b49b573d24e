// The 1024-byte header: little-endian fields at the documented offsets (docs/neff.md).
#include "image/header.h"

#include <algorithm>
#include <cstring>

#include "base/hash.h"

namespace openneuron::image {
namespace {

constexpr std::size_t kPackageVersionAt = 0, kHeaderSizeAt = 8, kDataSizeAt = 16, kMajorAt = 24, kMinorAt = 32,
                      kBuildAt = 40, kBuildBytes = 128, kCoresAt = 168, kHashAt = 172, kHashBytes = 32, kUuidAt = 204,
                      kUuidBytes = 16, kNameAt = 220, kNameBytes = 256, kRequestedAt = 476, kPerNodeAt = 480,
                      kFeaturesAt = 544, kLncAt = 552, kPadAt = 556;
static_assert(kBuildAt + kBuildBytes == kCoresAt && kHashAt + kHashBytes == kUuidAt && kUuidAt + kUuidBytes == kNameAt);
static_assert(kNameAt + kNameBytes == kRequestedAt && kPerNodeAt + 64 == kFeaturesAt && kPadAt + 468 == kHeaderBytes);

std::uint64_t number(std::span<const std::byte> bytes, std::size_t at, std::size_t size) {
  std::uint64_t n = 0;
  for (std::size_t i = size; i-- > 0;) n = n << 8 | static_cast<std::uint64_t>(bytes[at + i]);
  return n;
}
void put_number(std::span<std::byte> bytes, std::size_t at, std::size_t size, std::uint64_t n) {
  for (std::size_t i = 0; i < size; ++i, n >>= 8) bytes[at + i] = static_cast<std::byte>(n & 255);
}
std::string text(std::span<const std::byte> bytes, std::size_t at, std::size_t size) {
  const auto* first = reinterpret_cast<const char*>(bytes.data()) + at;
  return {first, std::find(first, first + size, '\0')};
}
// Always ends with a zero where the field is longer than the hash.
void put_text(std::span<std::byte> bytes, std::size_t at, std::size_t size, std::string_view value) {
  std::memcpy(bytes.data() + at, value.data(), std::min(value.size(), size));
}

std::string version_text(std::uint64_t major, std::uint64_t minor) {
  return std::to_string(major) + "." + std::to_string(minor);
}

}  // namespace

Checksums checksums(std::span<const std::byte> data) {
  const Sha256 sha = sha256(data);
  return {hex(md5(data)), hex(std::span(sha).first(kUuidBytes))};
}

void write_header(const Header& header, std::span<std::byte> out) {
  std::fill(out.begin(), out.begin() + kHeaderBytes, std::byte{0});
  put_number(out, kPackageVersionAt, 8, header.package_version);
  put_number(out, kHeaderSizeAt, 8, header.header_bytes);
  put_number(out, kDataSizeAt, 8, header.data_bytes);
  put_number(out, kMajorAt, 8, header.neff_major);
  put_number(out, kMinorAt, 8, header.neff_minor);
  put_text(out, kBuildAt, kBuildBytes - 1, header.build_version);
  put_number(out, kCoresAt, 4, header.core_count);
  put_text(out, kHashAt, kHashBytes, header.hash);
  for (std::size_t i = 0; i < kUuidBytes && 2 * i + 1 < header.uuid.size(); ++i)
    out[kUuidAt + i] = static_cast<std::byte>(std::stoi(header.uuid.substr(2 * i, 2), nullptr, 16));
  put_text(out, kNameAt, kNameBytes - 1, header.name);
  put_number(out, kRequestedAt, 4, header.core_count);
  put_number(out, kPerNodeAt, 4, header.core_count);
  put_number(out, kFeaturesAt, 8, header.feature_bits);
  put_number(out, kLncAt, 4, header.lnc_size);
}

bool is_neff(std::span<const std::byte> bytes) {
  if (bytes.size() < 16) return false;
  const std::uint64_t package = number(bytes, kPackageVersionAt, 8);
  return package >= 1 && package <= 255 && number(bytes, kHeaderSizeAt, 8) == kHeaderBytes;
}

Result<Header> read_header(std::span<const std::byte> bytes, const std::string& file) {
  Place place;
  place.file = file;
  if (!is_neff(bytes)) return fail(Code::NeffForeign, place, "the file does not start with a NEFF header");
  if (bytes.size() < kHeaderBytes)
    return fail(Code::NeffTruncated, place,
                "the file has " + std::to_string(bytes.size()) + " bytes; the header alone has " +
                    std::to_string(kHeaderBytes));
  Header h;
  h.package_version = number(bytes, kPackageVersionAt, 8);
  h.data_bytes = number(bytes, kDataSizeAt, 8);
  h.neff_major = number(bytes, kMajorAt, 8);
  h.neff_minor = number(bytes, kMinorAt, 8);
  h.build_version = text(bytes, kBuildAt, kBuildBytes);
  h.core_count = static_cast<std::uint32_t>(number(bytes, kCoresAt, 4));
  h.hash = text(bytes, kHashAt, kHashBytes);
  for (std::size_t i = 0; i < kUuidBytes; ++i) {
    const auto b = static_cast<std::uint8_t>(bytes[kUuidAt + i]);
    h.uuid += hex(std::span(&b, 1));
  }
  h.name = text(bytes, kNameAt, kNameBytes);
  h.feature_bits = number(bytes, kFeaturesAt, 8);
  h.lnc_size = static_cast<std::uint32_t>(number(bytes, kLncAt, 4));
  if (h.package_version > 2)
    return fail(Code::NeffTooNew, place,
                "package version " + std::to_string(h.package_version) + "; the newest that is read is 2");
  if (h.neff_major > 2)
    return fail(Code::NeffTooNew, place,
                "NEFF version mismatch supported: 2.0 received: " + version_text(h.neff_major, h.neff_minor));
  if (h.feature_bits != 0)
    return fail(Code::NeffFeature, place, "unknown feature bits in " + std::to_string(h.feature_bits));
  const std::uint64_t there = bytes.size() - kHeaderBytes;
  if (h.data_bytes != there)
    return fail(
        Code::NeffTruncated, place,
        "the header promises " + std::to_string(h.data_bytes) + " bytes of data; there are " + std::to_string(there));
  return h;
}

Result<void> check_header(const Header& header, std::span<const std::byte> bytes, const Checksums& sums,
                          std::size_t cores, const std::string& file) {
  Place place;
  place.file = file;
  Header expected = header;
  expected.package_version = 2;
  expected.neff_major = 2;
  expected.core_count = 1;
  expected.uuid = sums.uuid;
  expected.lnc_size = static_cast<std::uint32_t>(cores);
  std::vector<std::byte> rebuilt(kHeaderBytes);
  write_header(expected, rebuilt);
  const auto mismatch = std::mismatch(rebuilt.begin(), rebuilt.end(), bytes.begin());
  if (mismatch.first == rebuilt.end()) return {};
  place.byte_offset = mismatch.first - rebuilt.begin();
  return fail(Code::NeffCorrupt, place, "the header does not describe the content");
}

}  // namespace openneuron::image
