#include "image/tar.h"

#include <algorithm>
#include <cstring>

namespace openneuron::image {
namespace {

constexpr std::size_t kBlock = 512, kNameBytes = 100, kMostMembers = 100'000;
// Fields of a header: POSIX.1-1988, ustar.
constexpr std::size_t kModeAt = 100, kSizeAt = 124, kTimeAt = 136, kSumAt = 148, kTypeAt = 156, kMagicAt = 257,
                      kPrefixAt = 345, kPrefixBytes = 155;

void octal(char* field, std::size_t digits, std::uint64_t value) {
  for (std::size_t i = digits; i-- > 0; value >>= 3) field[i] = static_cast<char>('0' + (value & 7));
}

// The sum over the header's bytes with the sum itself taken as spaces.
std::uint64_t checksum(const unsigned char* header) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kBlock; ++i) sum += i >= kSumAt && i < kSumAt + 8 ? ' ' : header[i];
  return sum;
}

// Octal digits with spaces around them; sizes from 8 GiB on are binary (top bit set), as GNU tar writes them.
bool number(const unsigned char* field, std::size_t bytes, std::uint64_t& value) {
  value = 0;
  if (field[0] & 0x80) {
    for (std::size_t i = bytes - 8; i < bytes; ++i) value = value << 8 | field[i];
    return field[0] == 0x80 && std::all_of(field + 1, field + bytes - 8, [](unsigned char b) { return b == 0; });
  }
  std::size_t i = 0;
  while (i < bytes && field[i] == ' ') ++i;
  const std::size_t first = i;
  for (; i < bytes && field[i] >= '0' && field[i] <= '7'; ++i)
    value = value << 3 | static_cast<std::uint64_t>(field[i] - '0');
  return i > first && std::all_of(field + i, field + bytes, [](unsigned char b) { return b == ' ' || b == 0; });
}

std::string text(const unsigned char* field, std::size_t bytes) {
  const unsigned char* end = std::find(field, field + bytes, 0);
  return {reinterpret_cast<const char*>(field), reinterpret_cast<const char*>(end)};
}

void header(char* block, const std::string& name, std::uint64_t size) {
  std::memcpy(block, name.data(), std::min(name.size(), kNameBytes));
  octal(block + kModeAt, 7, 0644);
  octal(block + kModeAt + 8, 7, 0);   // user
  octal(block + kModeAt + 16, 7, 0);  // group
  if (size >> 33) {
    block[kSizeAt] = static_cast<char>(0x80);
    for (std::size_t i = 0; i < 8; ++i) block[kSizeAt + 11 - i] = static_cast<char>(size >> 8 * i & 255);
  } else {
    octal(block + kSizeAt, 11, size);
  }
  octal(block + kTimeAt, 11, 0);
  block[kTypeAt] = '0';
  std::memcpy(block + kMagicAt,
              "ustar\0"
              "00",
              8);
  octal(block + kSumAt, 6, checksum(reinterpret_cast<const unsigned char*>(block)));
  block[kSumAt + 7] = ' ';
}

}  // namespace

std::vector<std::byte> write_tar(const Members& members) {
  std::size_t total = 2 * kBlock;
  for (const auto& [name, content] : members) total += kBlock + (content.size() + kBlock - 1) / kBlock * kBlock;
  std::vector<std::byte> out(total);
  std::size_t at = 0;
  for (const auto& [name, content] : members) {
    header(reinterpret_cast<char*>(out.data() + at), name, content.size());
    at += kBlock;
    if (!content.empty()) std::memcpy(out.data() + at, content.data(), content.size());
    at += (content.size() + kBlock - 1) / kBlock * kBlock;
  }
  return out;
}

Result<Members> read_tar(std::span<const std::byte> archive, const std::string& file) {
  Members members;
  Place place;
  place.file = file;
  std::size_t at = 0;
  const auto broken = [&](const std::string& what) {
    place.byte_offset = static_cast<std::int64_t>(at);
    return fail(Code::NeffArchive, place, "in the archive: " + what);
  };
  for (;;) {
    if (archive.size() - at < kBlock) return broken("it ends without an end mark");
    const auto* block = reinterpret_cast<const unsigned char*>(archive.data() + at);
    if (std::all_of(block, block + kBlock, [](unsigned char b) { return b == 0; })) return members;
    std::uint64_t sum = 0, size = 0;
    if (!number(block + kSumAt, 8, sum) || sum != checksum(block)) return broken("a header has the wrong checksum");
    if (std::memcmp(block + kMagicAt, "ustar", 5) != 0) return broken("a header is not of the ustar kind");
    if (!number(block + kSizeAt, 12, size)) return broken("a member's size is no number");
    at += kBlock;
    if (size > archive.size() - at) return broken("a member of " + std::to_string(size) + " bytes runs past the end");
    const unsigned char type = block[kTypeAt];
    if (type == '0' || type == 0) {
      std::string name = text(block + kPrefixAt, kPrefixBytes);
      if (!name.empty()) name += '/';
      name += text(block, kNameBytes);
      if (name.compare(0, 2, "./") == 0) name.erase(0, 2);
      if (name.empty()) return broken("a member has no name");
      if (members.size() >= kMostMembers)
        return broken("it has more than " + std::to_string(kMostMembers) + " members");
      if (!members.emplace(name, archive.subspan(at, size)).second) return broken("two members have one name");
    } else if (type != '5' && type != 'x' && type != 'g') {
      return broken("a member is neither a file nor a directory");
    }
    const std::uint64_t padded = (size + kBlock - 1) / kBlock * kBlock;
    if (padded > archive.size() - at) return broken("the last member is cut");
    at += padded;
  }
}

}  // namespace openneuron::image
