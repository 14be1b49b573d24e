// A position in MLIR text: tokens are read where they stand, nothing is copied. The first error sticks.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace openneuron::import {

/// Functions that read return false after an error; error() then holds it. accept* consume only what they match.
class Cursor {
 public:
  Cursor(std::string_view text, std::string file)
      : begin_(text.data()), end_(begin_ + text.size()), p_(begin_), file_(std::move(file)) {}

  // -- errors
  bool fail(Code code, std::string message) { return fail_at(p_, code, std::move(message)); }
  bool fail_at(const char* where, Code code, std::string message);
  /// TextSyntax "expected X, found Y", or TextTruncated at the end.
  bool expected(std::string_view what);
  bool failed() const { return failed_; }
  Diagnostic& error() { return error_; }
  Place place(const char* where) const;

  // -- characters
  void skip_space() {
    while (p_ < end_) {
      const char c = *p_;
      if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
        ++p_;
      } else if (c == '/' && p_ + 1 < end_ && p_[1] == '/') {
        skip_line();
      } else {
        return;
      }
    }
  }
  /// The next character that is no space; 0 at the end.
  char peek() {
    skip_space();
    return p_ < end_ ? *p_ : '\0';
  }
  bool at_end() { return skip_space(), p_ >= end_; }
  const char* position() {
    skip_space();
    return p_;
  }
  const char* raw() const { return p_; }
  const char* end() const { return end_; }
  const char* begin() const { return begin_; }
  void seek(const char* p) { p_ = p; }
  void limit(const char* end) { end_ = end; }
  bool starts_with(std::string_view text) {
    skip_space();
    return static_cast<std::size_t>(end_ - p_) >= text.size() && std::string_view(p_, text.size()) == text;
  }

  // -- tokens
  bool accept(char c) {
    if (peek() != c) return false;
    ++p_;
    return true;
  }
  bool accept(std::string_view symbol) {
    if (!starts_with(symbol)) return false;
    p_ += symbol.size();
    return true;
  }
  /// A whole identifier.
  bool accept_word(std::string_view word);
  bool expect(char c);
  bool expect(std::string_view symbol);
  bool expect_word(std::string_view word);
  /// [A-Za-z_][A-Za-z0-9_$.]* or empty.
  std::string_view peek_word();
  bool word(std::string_view& out, std::string_view what);
  /// The rest of a `%` or `#` name (letters, digits, $ . _ -), or empty.
  std::string_view suffix_id();
  /// "..." with escapes.
  bool string(std::string& out);
  /// @name or @"name".
  bool symbol(std::string& out);
  /// [-]digits or 0x...; wraps at 64 bits only for hex.
  bool integer(std::int64_t& out);
  /// The same, from what starts at the present place without space; sets `is_float` and consumes nothing else than the
  /// number.
  bool number(std::string_view& text, bool& is_float, bool& is_hex);

  /// Past a balanced group that starts here: (), [], {}, <> and strings; `->` is no bracket. Nesting is not limited:
  /// no recursion.
  bool skip_balanced();

 private:
  void skip_line();

  const char* begin_;
  const char* end_;
  const char* p_;
  std::string file_;
  bool failed_ = false;
  Diagnostic error_;
};

/// Decimal or 0x text as a 64-bit pattern; false when it does not fit.
bool parse_int64(std::string_view text, std::int64_t& out);

}  // namespace openneuron::import
