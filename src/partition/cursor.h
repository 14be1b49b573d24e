// Reads short attribute texts from left to right; blanks before a piece are skipped.
#pragma once
#include <cctype>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

namespace openneuron::partition {

class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  bool accept(std::string_view piece) {
    skip();
    if (!text_.starts_with(piece)) return false;
    text_.remove_prefix(piece.size());
    return true;
  }
  bool integer(std::int64_t& value) {
    skip();
    const auto end = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (end.ec != std::errc()) return false;
    text_.remove_prefix(static_cast<std::size_t>(end.ptr - text_.data()));
    return true;
  }
  /// "name", without its quotes. Escapes stay as they are: names are compared only with each other.
  bool quoted(std::string& value) {
    skip();
    if (text_.empty() || text_[0] != '"') return false;
    std::size_t end = 1;
    while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2 : 1;
    if (end >= text_.size()) return false;
    value = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return true;
  }
  /// Letters, digits and the signs of a symbol's name.
  std::string word() {
    skip();
    std::size_t end = 0;
    while (end < text_.size() && (std::string_view("_$.-").find(text_[end]) != std::string_view::npos || std::isalnum(static_cast<unsigned char>(text_[end])) != 0))
      ++end;
    std::string value(text_.substr(0, end));
    text_.remove_prefix(end);
    return value;
  }
  bool done() {
    skip();
    return text_.empty();
  }

 private:
  void skip() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n')) text_.remove_prefix(1);
  }
  std::string_view text_;
};

}  // namespace openneuron::partition
