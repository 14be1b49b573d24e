#include "base/text.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace openneuron {
namespace {

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool digit(char c) { return c >= '0' && c <= '9'; }
bool word_character(char c) { return letter(c) || digit(c) || c == '.' || c == '$'; }
bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

int hex_digit(char c) {
  if (digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

TextReader::TextReader(std::string_view text, std::string file, Code syntax)
    : text_(text), file_(std::move(file)), syntax_(syntax) {}

void TextReader::skip_blank() {
  while (at_ < text_.size() && blank(text_[at_])) ++at_;
  if (at_ + 1 < text_.size() && text_[at_] == '/' && text_[at_ + 1] == '/') {
    const std::size_t end = text_.find('\n', at_);
    at_ = end == std::string_view::npos ? text_.size() : end;
  }
}

void TextReader::skip_space() {
  for (skip_blank(); at_ < text_.size() && text_[at_] == '\n'; skip_blank()) ++at_;
}

bool TextReader::at_end() { return skip_space(), at_ == text_.size(); }

bool TextReader::at_line_end() {
  skip_blank();
  return at_ == text_.size() || text_[at_] == '\n';
}

char TextReader::peek() { return at_end() ? '\0' : text_[at_]; }

bool TextReader::next_is(std::string_view symbol) {
  skip_space();
  return text_.substr(at_, symbol.size()) == symbol;
}

bool TextReader::accept(std::string_view symbol) {
  if (!next_is(symbol)) return false;
  at_ += symbol.size();
  return true;
}

std::string_view TextReader::peek_identifier() {
  skip_space();
  std::size_t end = at_;
  if (end < text_.size() && letter(text_[end]))
    while (end < text_.size() && word_character(text_[end])) ++end;
  return text_.substr(at_, end - at_);
}

bool TextReader::accept_word(std::string_view word) {
  if (peek_identifier() != word) return false;
  at_ += word.size();
  return true;
}

std::string TextReader::found() {
  if (at_end()) return "found the end of the text";
  std::string_view word = peek_identifier();
  if (word.empty()) word = text_.substr(at_, 1);
  std::string out = "found '";
  for (char c : word.substr(0, 40)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      out.push_back(c);
    } else {
      static const char kDigits[] = "0123456789ABCDEF";
      out += {'\\', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return out + (word.size() > 40 ? "...'" : "'");
}

Result<void> TextReader::expect(std::string_view symbol) {
  if (accept(symbol)) return {};
  return error("expected '" + std::string(symbol) + "', " + found());
}

Result<void> TextReader::expect_word(std::string_view word) {
  if (accept_word(word)) return {};
  return error("expected '" + std::string(word) + "', " + found());
}

Result<std::string_view> TextReader::identifier(std::string_view what) {
  const std::string_view word = peek_identifier();
  if (word.empty()) return error("expected " + std::string(what) + ", " + found());
  at_ += word.size();
  return word;
}

Result<std::int64_t> TextReader::integer(std::string_view what) {
  skip_space();
  std::size_t at = at_;
  const bool negative = at < text_.size() && text_[at] == '-';
  if (negative) ++at;
  int base = 10;
  if (text_.substr(at, 2) == "0x") {
    base = 16;
    at += 2;
  }
  std::uint64_t magnitude = 0;
  const char* end = text_.data() + text_.size();
  const auto read = std::from_chars(text_.data() + at, end, magnitude, base);
  if (read.ec == std::errc::invalid_argument) return error("expected " + std::string(what) + ", " + found());
  const std::uint64_t limit = std::uint64_t{1} << 63;
  if (read.ec != std::errc() || (negative ? magnitude > limit : magnitude >= limit))
    return error(std::string(what) + " does not fit in 64 bits");
  at_ = static_cast<std::size_t>(read.ptr - text_.data());
  return negative ? static_cast<std::int64_t>(0 - magnitude) : static_cast<std::int64_t>(magnitude);
}

Result<std::int64_t> TextReader::integer_between(std::string_view what, std::int64_t low, std::int64_t high) {
  skip_space();
  const std::size_t start = at_;
  auto value = integer(what);
  if (!value) return value.failure();
  if (*value < low || *value > high)
    return error_at(start, std::string(what) + " is " + std::to_string(*value) + ", allowed are " +
                               std::to_string(low) + " to " + std::to_string(high));
  return *value;
}

Result<std::uint64_t> TextReader::unsigned_integer(std::string_view what) {
  skip_space();
  std::size_t at = at_;
  int base = 10;
  if (text_.substr(at, 2) == "0x") {
    base = 16;
    at += 2;
  }
  std::uint64_t value = 0;
  const auto read = std::from_chars(text_.data() + at, text_.data() + text_.size(), value, base);
  if (read.ec == std::errc::invalid_argument) return error("expected " + std::string(what) + ", " + found());
  if (read.ec != std::errc()) return error(std::string(what) + " does not fit in 64 bits");
  at_ = static_cast<std::size_t>(read.ptr - text_.data());
  return value;
}

Result<double> TextReader::number(std::string_view what) {
  skip_space();
  const std::size_t start = at_;
  const bool negative = accept("-");
  const double sign = negative ? -1.0 : 1.0;
  if (accept_word("inf")) return sign * std::numeric_limits<double>::infinity();
  if (accept_word("nan")) {
    std::uint64_t bits = 0x7ff8000000000000u;
    if (accept(":")) {
      auto given = unsigned_integer("the bits of a NaN");
      if (!given) return given.failure();
      bits = *given;
      const double value = std::bit_cast<double>(bits);
      if (!std::isnan(value)) return error_at(start, "these bits are not a NaN");
      return value;
    }
    return std::bit_cast<double>(bits | (negative ? std::uint64_t{1} << 63 : 0));
  }
  auto format = std::chars_format::general;
  std::size_t at = at_;
  if (text_.substr(at, 2) == "0x") {
    format = std::chars_format::hex;
    at += 2;
  }
  if (at >= text_.size() || !(hex_digit(text_[at]) >= 0 || text_[at] == '.')) {
    at_ = start;
    return error("expected " + std::string(what) + ", " + found());
  }
  double value = 0;
  const auto read = std::from_chars(text_.data() + at, text_.data() + text_.size(), value, format);
  if (read.ec == std::errc::invalid_argument) {
    at_ = start;
    return error("expected " + std::string(what) + ", " + found());
  }
  if (read.ec != std::errc()) return error_at(start, std::string(what) + " does not fit in a double");
  at_ = static_cast<std::size_t>(read.ptr - text_.data());
  return sign * value;
}

Result<std::string> TextReader::quoted(std::string_view what) {
  skip_space();
  const std::size_t start = at_;
  if (!accept("\"")) return error("expected " + std::string(what) + " in quotes, " + found());
  std::string out;
  while (at_ < text_.size()) {
    const char c = text_[at_++];
    if (c == '"') return out;
    if (c == '\n') break;
    if (c != '\\') {
      out.push_back(c);
      continue;
    }
    if (at_ == text_.size()) break;
    const char escaped = text_[at_++];
    if (escaped == 'n') {
      out.push_back('\n');
    } else if (escaped == 't') {
      out.push_back('\t');
    } else if (escaped == '"' || escaped == '\\') {
      out.push_back(escaped);
    } else {
      const int high = hex_digit(escaped);
      const int low = at_ < text_.size() ? hex_digit(text_[at_]) : -1;
      if (high < 0 || low < 0) return error_at(at_ - 2, "unknown escape in a string");
      ++at_;
      out.push_back(static_cast<char>(high * 16 + low));
    }
  }
  return error_at(start, "the string has no closing quote on its line");
}

std::string_view TextReader::rest_of_line() {
  while (at_ < text_.size() && blank(text_[at_])) ++at_;
  const std::size_t start = at_;
  std::size_t end = text_.find('\n', start);
  if (end == std::string_view::npos) end = text_.size();
  at_ = end == text_.size() ? end : end + 1;
  std::string_view line = text_.substr(start, end - start);
  line = line.substr(0, line.find("//"));
  while (!line.empty() && blank(line.back())) line.remove_suffix(1);
  return line;
}

Place TextReader::place_at(std::size_t offset) {
  if (offset < counted_) {
    counted_ = line_start_ = 0;
    line_ = 1;
  }
  for (std::size_t newline; (newline = text_.substr(0, offset).find('\n', counted_)) != std::string_view::npos;) {
    counted_ = line_start_ = newline + 1;
    ++line_;
  }
  counted_ = offset;
  Place place;
  place.file = file_;
  place.line = line_;
  place.column = static_cast<std::uint32_t>(offset - line_start_ + 1);
  return place;
}

Place TextReader::place() { return skip_space(), place_at(at_); }

Failure TextReader::error(std::string message, std::string hint) {
  return fail(syntax_, place(), std::move(message), std::move(hint));
}

Failure TextReader::error_at(std::size_t offset, std::string message, std::string hint) {
  return fail(syntax_, place_at(offset), std::move(message), std::move(hint));
}

TextWriter& TextWriter::integer(std::int64_t value) {
  char buffer[24];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  text_.append(buffer, end);
  return *this;
}

TextWriter& TextWriter::unsigned_integer(std::uint64_t value) {
  char buffer[24];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  text_.append(buffer, end);
  return *this;
}

TextWriter& TextWriter::number(double value) {
  if (std::isnan(value)) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    if (bits == 0x7ff8000000000000u) return *this << "nan";
    char buffer[24];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, bits, 16).ptr;
    *this << "nan:0x";
    text_.append(buffer, end);
    return *this;
  }
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;  // gives "inf" and "-inf" too
  text_.append(buffer, end);
  return *this;
}

TextWriter& TextWriter::number_f32(float value) {
  if (std::isnan(value)) return number(static_cast<double>(value));
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  text_.append(buffer, end);
  return *this;
}

TextWriter& TextWriter::quoted(std::string_view text) {
  static const char kDigits[] = "0123456789ABCDEF";
  text_.push_back('"');
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text_ += {'\\', c};
    } else if (c == '\n') {
      text_ += "\\n";
    } else if (c == '\t') {
      text_ += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      text_ += {'\\', kDigits[byte >> 4], kDigits[byte & 15]};
    } else {
      text_.push_back(c);
    }
  }
  text_.push_back('"');
  return *this;
}

TextWriter& TextWriter::line() {
  if (!text_.empty()) text_.push_back('\n');
  text_.append(static_cast<std::size_t>(2 * depth_), ' ');
  return *this;
}

}  // namespace openneuron
