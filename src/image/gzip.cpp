#include "image/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace openneuron::image {
namespace {

constexpr int kGzipWindow = 15 + 16;  // the largest window, gzip framing
constexpr std::uint64_t kAlwaysAllowed = std::uint64_t{1} << 30, kMostTimes = 100;
// zlib counts in 32 bits.
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;

Bytef* pointer(std::span<const std::byte> bytes) {
  return const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));  // zlib reads only
}

}  // namespace

bool is_gzip(std::span<const std::byte> bytes) {
  return bytes.size() >= 18 && bytes[0] == std::byte{0x1F} && bytes[1] == std::byte{0x8B};
}

Result<std::vector<std::byte>> compress(std::span<const std::byte> bytes) {
  if (bytes.size() > std::numeric_limits<std::uint32_t>::max())
    return fail(Code::NeffUnwritable, "an archive of " + std::to_string(bytes.size()) + " bytes is too large for gzip");
  z_stream z{};
  // Fast: constants hardly shrink, and code is small.
  if (deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    return fail(Code::Internal, "zlib does not start");
  gz_header header{};  // time 0, no name
  header.os = 255;     // unknown, so that hosts agree
  deflateSetHeader(&z, &header);
  std::vector<std::byte> out(deflateBound(&z, static_cast<uLong>(bytes.size())) + 64);
  int state = Z_OK;
  std::size_t taken = 0;
  while (state == Z_OK) {
    const std::size_t now = std::min(kMostAtOnce, bytes.size() - taken);
    const std::size_t room = std::min(kMostAtOnce, out.size() - static_cast<std::size_t>(z.total_out));
    z.next_in = pointer(bytes.subspan(taken));
    z.avail_in = static_cast<uInt>(now);
    z.next_out = reinterpret_cast<Bytef*>(out.data() + z.total_out);
    z.avail_out = static_cast<uInt>(room);
    state = deflate(&z, taken + now == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
    taken += now - z.avail_in;
  }
  out.resize(z.total_out);
  deflateEnd(&z);
  if (state != Z_STREAM_END) return fail(Code::Internal, "zlib stops with state " + std::to_string(state));
  return out;
}

Result<std::vector<std::byte>> decompress(std::span<const std::byte> bytes, const std::string& file) {
  Place place;
  place.file = file;
  std::uint64_t stated = 0;
  for (std::size_t i = 4; i > 0; --i) stated = stated << 8 | static_cast<std::uint64_t>(bytes[bytes.size() - 5 + i]);
  const std::uint64_t allowed = std::max(kAlwaysAllowed, kMostTimes * bytes.size());
  if (stated > allowed)
    return fail(Code::NeffArchive, place,
                "the archive expands from " + std::to_string(bytes.size()) + " to " + std::to_string(stated) +
                    " bytes; the limit is " + std::to_string(allowed));
  z_stream z{};
  if (inflateInit2(&z, kGzipWindow) != Z_OK) return fail(Code::Internal, "zlib does not start");
  // Grows as data comes, so that a wrong size costs little.
  std::vector<std::byte> out;
  int state = Z_OK;
  std::size_t taken = 0;
  while (state == Z_OK) {
    const std::size_t done = z.total_out;
    if (done == out.size()) {
      // One byte more than stated shows content that goes on.
      const std::uint64_t wanted =
          std::min<std::uint64_t>(std::max<std::uint64_t>(2 * out.size(), 1 << 16), stated + 1);
      if (wanted == out.size()) break;
      out.resize(wanted);
    }
    const std::size_t now = std::min(kMostAtOnce, bytes.size() - taken);
    z.next_in = pointer(bytes.subspan(taken));
    z.avail_in = static_cast<uInt>(now);
    z.next_out = reinterpret_cast<Bytef*>(out.data() + done);
    z.avail_out = static_cast<uInt>(std::min(kMostAtOnce, out.size() - done));
    state = inflate(&z, Z_NO_FLUSH);
    taken += now - z.avail_in;
  }
  const std::uint64_t size = z.total_out;
  inflateEnd(&z);
  if (state != Z_STREAM_END || size != stated || taken != bytes.size()) {
    place.byte_offset = static_cast<std::int64_t>(taken);
    return fail(Code::NeffArchive, place, "the compressed archive is damaged");
  }
  out.resize(size);
  return out;
}

}  // namespace openneuron::image
