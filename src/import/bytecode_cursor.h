// Bounds-checked reading of MLIR bytecode. A cursor never reads outside of its range: the first problem sticks, later
// reads give zeros and `ok()` stays false, so that a caller may check once per record. Loops over a count that was read
// check `ok()` in their condition, or take the count from `count()`, which the remaining bytes bound.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace openneuron::import::bytecode {

using Bytes = std::span<const std::byte>;

/// First problem met in a file; shared by all cursors over it.
struct Problem {
  bool set = false;
  Code code = Code::BytecodeMalformed;
  std::size_t offset = 0;
  std::string message;
  std::string op;
};

class Cursor {
 public:
  /// Reads file[begin, end). `end` must not exceed file.size(); `problem` outlives the cursor.
  Cursor(Bytes file, std::size_t begin, std::size_t end, Problem& problem)
      : file_(file), at_(begin), end_(end), problem_(&problem) {}

  bool ok() const { return !problem_->set; }
  std::size_t offset() const { return at_; }
  std::size_t remaining() const { return end_ - at_; }
  bool at_end() const { return at_ == end_; }

  std::uint8_t byte();
  std::uint64_t varint();
  std::int64_t svarint();
  /// varint that must be below `limit`; `what` names the table it indexes.
  std::uint32_t index(std::size_t limit, const char* what);
  /// A number of items of at least `item_bytes` (> 0) each, still to be read from this cursor.
  std::uint32_t count(std::size_t item_bytes, const char* what);
  /// varint that fits 32 bits (line and column numbers); larger ones are cut to the maximum.
  std::uint32_t clamped32();
  /// The next `size` bytes, in place.
  Bytes take(std::uint64_t size, const char* what);
  /// varint length, then that many bytes.
  Bytes blob(const char* what) { return take(varint(), what); }
  /// Bytes up to a NUL, which is consumed and not returned.
  std::string_view c_string(const char* what);
  /// Filler bytes up to a multiple of `alignment`, counted from the start of the file.
  void align(std::uint64_t alignment);
  /// Integer of `width` bits: zero-extended word, `width` in 1..64.
  std::uint64_t word(int width);

  /// Records a problem at the cursor's place unless one is known already.
  void fail(Code code, std::string message);
  void malformed(std::string message) { fail(Code::BytecodeMalformed, std::move(message)); }

 private:
  Bytes file_;
  std::size_t at_;
  std::size_t end_;
  Problem* problem_;
};

/// The low `width` bits of `word` as a two's complement number.
std::int64_t sign_extend(std::uint64_t word, int width);

}  // namespace openneuron::import::bytecode
