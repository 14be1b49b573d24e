#include "tools/zip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

namespace openneuron::tools {
namespace {

// PKWARE APPNOTE 6.3: sections 4.3.7 local header, 4.3.12 central directory, 4.3.14 to 4.3.16 the end records.
constexpr std::uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50;
constexpr std::uint32_t kEnd64 = 0x06064b50, kLocator64 = 0x07064b50;
constexpr std::uint32_t kLarge = 0xFFFFFFFFu;
constexpr std::size_t kEndBytes = 22, kCentralBytes = 46, kLocalBytes = 30, kLocatorBytes = 20, kEnd64Bytes = 56;
// Deflate's best ratio is 1032 : 1 (zlib's technical notes); some slack for tiny members.
constexpr std::uint64_t kMaxRatio = 1040, kRatioSlack = 4096;

std::uint64_t little(std::span<const std::byte> b, std::size_t at, int width) {
  std::uint64_t v = 0;
  for (int i = 0; i < width; ++i) v |= std::to_integer<std::uint64_t>(b[at + static_cast<std::size_t>(i)]) << (8 * i);
  return v;
}

Failure damaged(const std::string& file, std::size_t offset, const std::string& what) {
  Place place;
  place.file = file;
  place.byte_offset = static_cast<std::int64_t>(offset);
  return fail(Code::ArrayFileBroken, place, what);
}

std::uint32_t checksum(std::uint32_t crc, std::span<const std::byte> bytes) {
  const auto* data = reinterpret_cast<const Bytef*>(bytes.data());
  for (std::size_t left = bytes.size(); left;) {
    const std::size_t piece = std::min<std::size_t>(left, 1u << 30);
    crc = static_cast<std::uint32_t>(::crc32(crc, data, static_cast<uInt>(piece)));
    data += piece;
    left -= piece;
  }
  return crc;
}

// Raw deflate; false when the data is not exactly `out.size()` bytes.
bool inflate_into(std::span<const std::byte> in, std::span<std::byte> out) {
  z_stream s{};
  if (inflateInit2(&s, -MAX_WBITS) != Z_OK) return false;
  std::size_t read = 0, written = 0;
  Bytef nothing = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    const std::size_t piece_in = std::min<std::size_t>(in.size() - read, 1u << 30);
    const std::size_t piece_out = std::min<std::size_t>(out.size() - written, 1u << 30);
    s.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(in.data() + read));
    s.avail_in = static_cast<uInt>(piece_in);
    s.next_out = piece_out ? reinterpret_cast<Bytef*>(out.data() + written) : &nothing;
    s.avail_out = static_cast<uInt>(piece_out);
    status = ::inflate(&s, Z_NO_FLUSH);
    read += piece_in - s.avail_in;
    written += piece_out - s.avail_out;
    if (status == Z_OK && piece_in == s.avail_in && piece_out == s.avail_out) break;  // no progress
  }
  ::inflateEnd(&s);
  return status == Z_STREAM_END && written == out.size();
}

struct Directory {
  std::uint64_t offset = 0, size = 0, entries = 0;
};

Result<Directory> find_directory(std::span<const std::byte> b, const std::string& file) {
  if (b.size() < kEndBytes) return damaged(file, 0, "this is not a zip archive: it is too short");
  const std::size_t lowest = b.size() > kEndBytes + 65535 ? b.size() - kEndBytes - 65535 : 0;
  for (std::size_t at = b.size() - kEndBytes + 1; at-- > lowest;) {
    if (little(b, at, 4) != kEnd || at + kEndBytes + little(b, at + 20, 2) != b.size()) continue;
    Directory d{little(b, at + 16, 4), little(b, at + 12, 4), little(b, at + 10, 2)};
    if (at >= kLocatorBytes && little(b, at - kLocatorBytes, 4) == kLocator64) {
      const std::uint64_t end64 = little(b, at - kLocatorBytes + 8, 8);
      if (end64 > b.size() || b.size() - end64 < kEnd64Bytes || little(b, end64, 4) != kEnd64)
        return damaged(file, at - kLocatorBytes, "the ZIP64 end record lies outside of the archive");
      d = {little(b, end64 + 48, 8), little(b, end64 + 40, 8), little(b, end64 + 32, 8)};
    }
    if (d.offset > at || d.size > at - d.offset)
      return damaged(file, at, "the zip directory lies outside of the archive");
    if (d.entries > d.size / kCentralBytes) return damaged(file, at, "the zip directory is cut short");
    return d;
  }
  return damaged(file, 0, "this is not a zip archive, or its end is missing");
}

struct Sizes {
  std::uint64_t packed, plain, offset;
};

// The ZIP64 extra field holds, in this order, those of the three that are 0xFFFFFFFF in the directory (4.5.3).
bool apply_zip64(std::span<const std::byte> extra, Sizes& s) {
  while (extra.size() >= 4) {
    const std::uint64_t id = little(extra, 0, 2), size = little(extra, 2, 2);
    if (size > extra.size() - 4) return false;
    if (id == 1) {
      std::span<const std::byte> field = extra.subspan(4, size);
      for (std::uint64_t* value : {&s.plain, &s.packed, &s.offset}) {
        if (*value != kLarge) continue;
        if (field.size() < 8) return false;
        *value = little(field, 0, 8);
        field = field.subspan(8);
      }
      return true;
    }
    extra = extra.subspan(4 + size);
  }
  return s.packed != kLarge && s.plain != kLarge && s.offset != kLarge;
}

void append(std::string& out, std::uint64_t value, int width) {
  for (int i = 0; i < width; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
}

}  // namespace

Result<std::vector<ZipMember>> read_zip(const FileBytes& archive, const std::string& file) {
  const std::span<const std::byte> b = archive.bytes;
  auto directory = find_directory(b, file);
  if (!directory) return directory.failure();
  std::vector<ZipMember> members;
  std::uint64_t packed_total = 0;  // members that overlap could claim any amount of memory
  std::size_t at = directory->offset;
  const std::size_t end = directory->offset + directory->size;
  for (std::uint64_t i = 0; i < directory->entries; ++i) {
    if (end - at < kCentralBytes || little(b, at, 4) != kCentral)
      return damaged(file, at, "the zip directory is damaged");
    const std::uint64_t flags = little(b, at + 8, 2), method = little(b, at + 10, 2), crc = little(b, at + 16, 4);
    Sizes sizes{little(b, at + 20, 4), little(b, at + 24, 4), little(b, at + 42, 4)};
    const std::uint64_t name_bytes = little(b, at + 28, 2), extra_bytes = little(b, at + 30, 2),
                        comment_bytes = little(b, at + 32, 2);
    if (end - at - kCentralBytes < name_bytes + extra_bytes + comment_bytes)
      return damaged(file, at, "the zip directory is damaged");
    ZipMember member;
    member.name.assign(reinterpret_cast<const char*>(b.data()) + at + kCentralBytes, name_bytes);
    if (!apply_zip64(b.subspan(at + kCentralBytes + name_bytes, extra_bytes), sizes))
      return damaged(file, at, "the ZIP64 sizes of a member are damaged");
    if (flags & 1) return damaged(file, at, "a member is encrypted");
    if (method != 0 && method != 8)
      return damaged(
          file, at,
          "a member is compressed by method " + std::to_string(method) + "; 0 (stored) and 8 (deflate) are read");

    const std::uint64_t header = sizes.offset;
    if (header > b.size() || b.size() - header < kLocalBytes || little(b, header, 4) != kLocal)
      return damaged(file, at, "a member's header lies outside of the archive");
    const std::uint64_t start = header + kLocalBytes + little(b, header + 26, 2) + little(b, header + 28, 2);
    if (start > b.size() || sizes.packed > b.size() - start)
      return damaged(file, header, "a member's data lies outside of the archive");
    packed_total += sizes.packed;
    if (packed_total > b.size()) return damaged(file, header, "members of the archive overlap");
    const std::span<const std::byte> packed = b.subspan(start, sizes.packed);
    if (method == 0) {
      if (sizes.plain != sizes.packed) return damaged(file, header, "a stored member has two sizes");
      member.bytes = packed;
      member.owner = archive.owner;
    } else {
      if (sizes.plain > sizes.packed * kMaxRatio + kRatioSlack)
        return damaged(file, header, "a member claims more bytes than its data can hold");
      auto plain = std::make_shared<std::vector<std::byte>>(sizes.plain);
      if (!inflate_into(packed, *plain)) return damaged(file, start, "a member's compressed data is damaged");
      member.bytes = *plain;
      member.owner = std::move(plain);
    }
    if (checksum(0, member.bytes) != crc) return damaged(file, start, "a member's checksum does not fit its data");
    let_go(packed);
    members.push_back(std::move(member));
    at += kCentralBytes + name_bytes + extra_bytes + comment_bytes;
  }
  return members;
}

Result<void> ZipWriter::put(const std::string& bytes) {
  offset_ += bytes.size();
  return file_.write(std::as_bytes(std::span(bytes.data(), bytes.size())));
}

Result<void> ZipWriter::add(const std::string& name, std::span<const std::span<const std::byte>> parts) {
  Entry entry{name, 0, 0, offset_};
  for (auto part : parts) {
    entry.crc = checksum(entry.crc, part);
    entry.size += part.size();
  }
  const bool large = entry.size >= kLarge;
  std::string header;
  append(header, kLocal, 4);
  append(header, large ? 45 : 20, 2);  // version needed
  append(header, 0, 2 + 2 + 2);        // flags, stored, time
  append(header, 0x21, 2);             // 1 January 1980
  append(header, entry.crc, 4);
  append(header, large ? kLarge : entry.size, 4);
  append(header, large ? kLarge : entry.size, 4);
  append(header, name.size(), 2);
  append(header, large ? 20 : 0, 2);
  header += name;
  if (large) {
    append(header, 1, 2);
    append(header, 16, 2);
    append(header, entry.size, 8);
    append(header, entry.size, 8);
  }
  ON_TRY(put(header));
  for (auto part : parts) {
    ON_TRY(file_.write(part));
    offset_ += part.size();
  }
  entries_.push_back(std::move(entry));
  return {};
}

Result<void> ZipWriter::finish() {
  const std::uint64_t start = offset_;
  for (const Entry& e : entries_) {
    std::string extra;
    if (e.size >= kLarge) {
      append(extra, e.size, 8);
      append(extra, e.size, 8);
    }
    if (e.offset >= kLarge) append(extra, e.offset, 8);
    std::string row;
    append(row, kCentral, 4);
    append(row, extra.empty() ? 20 : 45, 2);
    append(row, extra.empty() ? 20 : 45, 2);
    append(row, 0, 2 + 2 + 2);
    append(row, 0x21, 2);
    append(row, e.crc, 4);
    append(row, std::min<std::uint64_t>(e.size, kLarge), 4);
    append(row, std::min<std::uint64_t>(e.size, kLarge), 4);
    append(row, e.name.size(), 2);
    append(row, extra.empty() ? 0 : extra.size() + 4, 2);
    append(row, 0, 2 + 2 + 2);  // comment, disk, internal attributes
    append(row, 0, 4);
    append(row, std::min<std::uint64_t>(e.offset, kLarge), 4);
    row += e.name;
    if (!extra.empty()) {
      append(row, 1, 2);
      append(row, extra.size(), 2);
      row += extra;
    }
    ON_TRY(put(row));
  }
  const std::uint64_t size = offset_ - start, count = entries_.size();
  std::string tail;
  if (start >= kLarge || size >= kLarge || count >= 0xFFFF) {
    append(tail, kEnd64, 4);
    append(tail, kEnd64Bytes - 12, 8);
    append(tail, 45, 2);
    append(tail, 45, 2);
    append(tail, 0, 8);
    append(tail, count, 8);
    append(tail, count, 8);
    append(tail, size, 8);
    append(tail, start, 8);
    append(tail, kLocator64, 4);
    append(tail, 0, 4);
    append(tail, start + size, 8);
    append(tail, 1, 4);
  }
  append(tail, kEnd, 4);
  append(tail, 0, 4);
  append(tail, std::min<std::uint64_t>(count, 0xFFFF), 2);
  append(tail, std::min<std::uint64_t>(count, 0xFFFF), 2);
  append(tail, std::min<std::uint64_t>(size, kLarge), 4);
  append(tail, std::min<std::uint64_t>(start, kLarge), 4);
  append(tail, 0, 2);
  return put(tail);
}

}  // namespace openneuron::tools
