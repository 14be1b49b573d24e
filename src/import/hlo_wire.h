// Bounds-checked reading of protobuf messages. The first problem met in a file sticks: later reads give nothing and
// `next` false, so that a caller may check once per message. Unknown fields are the caller's to ignore.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace openneuron::import::hlo {

using Bytes = std::span<const std::byte>;

/// The file being read, and the first problem met in it.
struct Source {
  explicit Source(Bytes bytes) : file(bytes) {}
  Bytes file;
  bool failed = false;
  Code code = Code::HloMalformed;
  std::size_t offset = 0;
  std::string message;
  std::string op;

  /// `where` lies in the file; what lies elsewhere counts as its start.
  void fail(Code what, Bytes where, std::string text);
};

/// The fields of one message, in the order of the file.
class Message {
 public:
  Message(Bytes bytes, Source& source) : left_(bytes), source_(&source) {}

  /// Moves to the next field; false at the end and after any problem of the file.
  bool next();
  std::uint32_t number() const { return number_; }
  /// Whether the present field carries a length: text, bytes, a message or a packed list.
  bool has_length() const { return kind_ == Kind::Length; }

  // The value of the present field; a field of another wire type is a problem.
  std::int64_t integer();  ///< of int32, int64, uint64, bool and enumerations
  bool flag() { return integer() != 0; }
  float real32();
  Bytes bytes();  ///< of strings, bytes and messages, in place
  std::string_view text();
  Bytes raw();  ///< numbers of fixed width as they lie: one, or a packed list
  /// Appends one integer, or all of a packed list.
  void integers(std::vector<std::int64_t>& out);

 private:
  enum class Kind : std::uint8_t { None, Varint, Fixed64, Fixed32, Length };
  void wrong(const char* expected);

  Bytes left_;
  Source* source_;
  std::uint32_t number_ = 0;
  Kind kind_ = Kind::None;
  std::uint64_t value_ = 0;
  Bytes bytes_;  // where the field's value lies
};

/// Appends the integers of a packed list; false when one is cut off.
bool read_varints(Bytes packed, std::vector<std::int64_t>& out);

/// All integer fields of a message whose field numbers are below 16: a message of numbers, as most of HLO's are.
class Numbers {
 public:
  Numbers(Bytes bytes, Source& source);
  const std::vector<std::int64_t>& list(std::uint32_t number) const { return fields_[number]; }
  /// The last value of a field, 0 when it is absent.
  std::int64_t value(std::uint32_t number) const { return fields_[number].empty() ? 0 : fields_[number].back(); }

 private:
  std::vector<std::int64_t> fields_[16];
};

std::string_view as_text(Bytes bytes);

}  // namespace openneuron::import::hlo
