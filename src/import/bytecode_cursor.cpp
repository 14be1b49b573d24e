#include "import/bytecode_cursor.h"

#include <cstring>

namespace openneuron::import::bytecode {

void Cursor::fail(Code code, std::string message) {
  if (problem_->set) return;
  problem_->set = true;
  problem_->code = code;
  problem_->offset = at_;
  problem_->message = std::move(message);
}

std::uint8_t Cursor::byte() {
  if (!ok()) return 0;
  if (at_ == end_) {
    fail(Code::BytecodeTruncated, "one more byte is needed");
    return 0;
  }
  return std::to_integer<std::uint8_t>(file_[at_++]);
}

std::uint64_t Cursor::varint() {
  if (!ok()) return 0;
  if (at_ == end_) {
    fail(Code::BytecodeTruncated, "a number is missing");
    return 0;
  }
  // The number of trailing zero bits of the first byte is the number of extra bytes; a zero byte announces eight.
  const auto first = std::to_integer<std::uint8_t>(file_[at_]);
  std::size_t extra = 8;
  if (first != 0) {
    extra = 0;
    while (((first >> extra) & 1u) == 0) ++extra;
  }
  if (remaining() <= extra) {
    fail(Code::BytecodeTruncated, "a number of " + std::to_string(extra + 1) + " bytes is cut off");
    return 0;
  }
  const std::size_t skip = extra == 8 ? 1 : 0;  // the zero byte itself carries nothing
  std::uint64_t value = 0;
  for (std::size_t i = extra + 1; i-- > skip;)
    value = (value << 8) | std::to_integer<std::uint8_t>(file_[at_ + i]);
  at_ += extra + 1;
  return extra == 8 ? value : value >> (extra + 1);
}

std::int64_t Cursor::svarint() {
  const std::uint64_t v = varint();
  return static_cast<std::int64_t>((v >> 1) ^ (0 - (v & 1)));
}

std::uint32_t Cursor::index(std::size_t limit, const char* what) {
  const std::size_t start = at_;
  const std::uint64_t v = varint();
  if (!ok()) return 0;
  if (v >= limit) {
    at_ = start;
    malformed(std::string(what) + " " + std::to_string(v) + " does not exist; there are " + std::to_string(limit));
    return 0;
  }
  return static_cast<std::uint32_t>(v);
}

std::uint32_t Cursor::count(std::size_t item_bytes, const char* what) {
  const std::size_t start = at_;
  const std::uint64_t v = varint();
  if (!ok()) return 0;
  if (v > remaining() / item_bytes || v >= 0xFFFFFFFFu) {
    at_ = start;
    fail(Code::BytecodeTruncated,
         std::to_string(v) + " " + what + " cannot lie in the " + std::to_string(remaining()) + " bytes that are left");
    return 0;
  }
  return static_cast<std::uint32_t>(v);
}

std::uint32_t Cursor::clamped32() {
  const std::uint64_t v = varint();
  return v > 0xFFFFFFFFu ? 0xFFFFFFFFu : static_cast<std::uint32_t>(v);
}

Bytes Cursor::take(std::uint64_t size, const char* what) {
  if (!ok()) return {};
  if (size > remaining()) {
    fail(Code::BytecodeTruncated, std::string(what) + " of " + std::to_string(size) + " bytes does not fit into the " +
                                      std::to_string(remaining()) + " bytes that are left");
    return {};
  }
  const Bytes result = file_.subspan(at_, static_cast<std::size_t>(size));
  at_ += static_cast<std::size_t>(size);
  return result;
}

std::string_view Cursor::c_string(const char* what) {
  if (!ok() || at_ == end_) {
    fail(Code::BytecodeTruncated, std::string(what) + " is missing");
    return {};
  }
  const char* start = reinterpret_cast<const char*>(file_.data() + at_);
  const void* nul = std::memchr(start, 0, remaining());
  if (nul == nullptr) {
    fail(Code::BytecodeTruncated, std::string(what) + " has no end");
    return {};
  }
  const auto size = static_cast<std::size_t>(static_cast<const char*>(nul) - start);
  at_ += size + 1;
  return {start, size};
}

void Cursor::align(std::uint64_t alignment) {
  if (!ok()) return;
  if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
    malformed("alignment " + std::to_string(alignment) + " is no power of two");
    return;
  }
  const std::uint64_t filler = (alignment - at_ % alignment) % alignment;
  for (Bytes bytes = take(filler, "alignment filler"); const std::byte b : bytes) {
    if (b != std::byte{0xCB}) {
      malformed("alignment filler holds a byte other than 0xCB");
      return;
    }
  }
}

std::uint64_t Cursor::word(int width) {
  if (width <= 8) return byte() & ((1u << width) - 1);
  const auto v = static_cast<std::uint64_t>(svarint());
  return width >= 64 ? v : v & ((std::uint64_t{1} << width) - 1);
}

std::int64_t sign_extend(std::uint64_t word, int width) {
  if (width >= 64) return static_cast<std::int64_t>(word);
  const std::uint64_t sign = std::uint64_t{1} << (width - 1);
  const std::uint64_t low = word & ((sign << 1) - 1);
  return static_cast<std::int64_t>((low ^ sign) - sign);
}

}  // namespace openneuron::import::bytecode
