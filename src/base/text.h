// A small kit for our own text forms (tile, stream): a reader that knows line and column, and a writer whose numbers
// read back to the same bits. Comments run from // to the end of the line.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace openneuron {

class TextReader {
 public:
  /// `text` must outlive the reader. `syntax` is the code of every error that the reader makes itself.
  TextReader(std::string_view text, std::string file, Code syntax);

  bool at_end();                            ///< only spaces and comments are left
  bool at_line_end();                       ///< the same up to the end of this line
  char peek();                              ///< next character that is no space; 0 at the end
  bool next_is(std::string_view symbol);    ///< the text goes on with `symbol`; consumes nothing but spaces
  bool accept(std::string_view symbol);     ///< consumes punctuation such as "->" or "[" if it is next
  bool accept_word(std::string_view word);  ///< consumes an identifier if it is exactly `word`
  Result<void> expect(std::string_view symbol);
  Result<void> expect_word(std::string_view word);

  /// [A-Za-z_][A-Za-z0-9_.$]*; `what` names it in messages: "a buffer name".
  Result<std::string_view> identifier(std::string_view what);
  /// The identifier that is next, or empty; consumes nothing but spaces.
  std::string_view peek_identifier();
  /// Decimal or 0x hexadecimal, with sign; an error when it does not fit.
  Result<std::int64_t> integer(std::string_view what);
  Result<std::int64_t> integer_between(std::string_view what, std::int64_t low, std::int64_t high);
  Result<std::uint64_t> unsigned_integer(std::string_view what);
  /// Decimal, 0x1.8p3, inf, -inf, nan, or nan:0x<bits of the double>.
  Result<double> number(std::string_view what);
  /// "..." with \" \\ \n \t and \XX (two hexadecimal digits).
  Result<std::string> quoted(std::string_view what);
  /// The rest of the line without the comment, trimmed; moves to the next line.
  std::string_view rest_of_line();

  Place place();  ///< of the next character that is no space
  Place place_at(std::size_t offset);
  std::size_t offset() const { return at_; }
  void rewind(std::size_t offset) { at_ = offset; }  ///< back to what offset() gave
  Failure error(std::string message, std::string hint = {});
  Failure error_at(std::size_t offset, std::string message, std::string hint = {});

 private:
  void skip_space();
  void skip_blank();
  std::string found();  // "found ','" or "found the end of the text"

  std::string_view text_;
  std::string file_;
  Code syntax_;
  std::size_t at_ = 0;
  // Line of the last place asked for: places are asked for in rising order, so a file is counted through once.
  std::size_t counted_ = 0, line_start_ = 0;
  std::uint32_t line_ = 1;
};

/// Appends to one string. `line` starts a new indented line.
class TextWriter {
 public:
  TextWriter& operator<<(std::string_view text) { return text_.append(text), *this; }
  TextWriter& operator<<(const char* text) { return text_.append(text), *this; }
  TextWriter& operator<<(const std::string& text) { return text_.append(text), *this; }
  TextWriter& operator<<(char c) { return text_.push_back(c), *this; }
  TextWriter& operator<<(std::int64_t value) { return integer(value); }
  TextWriter& operator<<(std::uint64_t value) { return unsigned_integer(value); }
  TextWriter& operator<<(int value) { return integer(value); }
  TextWriter& operator<<(unsigned value) { return unsigned_integer(value); }
  TextWriter& operator<<(long long value) { return integer(value); }
  TextWriter& operator<<(unsigned long long value) { return unsigned_integer(value); }
  TextWriter& operator<<(bool) = delete;
  TextWriter& operator<<(double) = delete;  // say how: number() or number_f32()

  TextWriter& number(double value);     ///< shortest text that TextReader::number reads back to the same bits
  TextWriter& number_f32(float value);  ///< shortest for a float
  TextWriter& quoted(std::string_view text);
  TextWriter& line();  ///< "\n" (not at the very start) and the indentation
  void indent() { ++depth_; }
  void outdent() { --depth_; }

  const std::string& text() const { return text_; }
  std::string take() { return std::move(text_); }

 private:
  TextWriter& integer(std::int64_t value);
  TextWriter& unsigned_integer(std::uint64_t value);

  std::string text_;
  int depth_ = 0;
};

}  // namespace openneuron
