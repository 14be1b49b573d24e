#include "import/text_cursor.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace openneuron::import {
namespace {

bool is_word_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_word_start(c) || is_digit(c) || c == '$' || c == '.'; }
int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

bool parse_int64(std::string_view text, std::int64_t& out) {
  bool negative = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  std::uint64_t value = 0;
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    text.remove_prefix(2);
    if (text.size() > 16) {
      const std::size_t zeros = std::min(text.find_first_not_of('0'), text.size() - 1);
      text.remove_prefix(zeros);
      if (text.size() > 16) return false;
    }
    for (char c : text) {
      if (hex_value(c) < 0) return false;
      value = value << 4 | static_cast<std::uint64_t>(hex_value(c));
    }
  } else {
    if (text.empty()) return false;
    for (char c : text) {
      if (!is_digit(c)) return false;
      const std::uint64_t digit = static_cast<std::uint64_t>(c - '0');
      if (value > (UINT64_MAX - digit) / 10) return false;
      value = value * 10 + digit;
    }
    if (negative && value > 0x8000000000000000ull) return false;
  }
  out = static_cast<std::int64_t>(negative ? 0 - value : value);
  return true;
}

bool Cursor::fail_at(const char* where, Code code, std::string message) {
  if (!failed_) {
    failed_ = true;
    error_.code = code;
    error_.message = std::move(message);
    error_.place = place(where);
  }
  return false;
}

Place Cursor::place(const char* where) const {
  Place place;
  place.file = file_;
  where = std::min(where, end_);
  const char* line_start = begin_;
  place.line = 1;
  for (const char* p = begin_; p < where; ++p) {
    p = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(where - p)));
    if (p == nullptr) break;
    ++place.line;
    line_start = p + 1;
  }
  place.column = static_cast<std::uint32_t>(where - line_start) + 1;
  return place;
}

bool Cursor::expected(std::string_view what) {
  skip_space();
  if (p_ >= end_) return fail(Code::TextTruncated, "The text ends where " + std::string(what) + " is expected.");
  std::string found;
  const std::string_view next = peek_word();
  if (!next.empty()) {
    found = std::string(next.substr(0, 60));
  } else {
    for (const char* p = p_; p < end_ && p < p_ + 12 && *p > ' ' && *p < 127; ++p) found += *p;
    if (found.empty()) found = "a byte " + std::to_string(static_cast<unsigned char>(*p_));
  }
  return fail(Code::TextSyntax, "expected " + std::string(what) + ", found '" + found + "'.");
}

void Cursor::skip_line() {
  const void* newline = std::memchr(p_, '\n', static_cast<std::size_t>(end_ - p_));
  p_ = newline == nullptr ? end_ : static_cast<const char*>(newline) + 1;
}

std::string_view Cursor::peek_word() {
  skip_space();
  if (p_ >= end_ || !is_word_start(*p_)) return {};
  const char* p = p_ + 1;
  while (p < end_ && is_word(*p)) ++p;
  return {p_, static_cast<std::size_t>(p - p_)};
}

bool Cursor::accept_word(std::string_view wanted) {
  if (peek_word() != wanted) return false;
  p_ += wanted.size();
  return true;
}

bool Cursor::expect(char c) {
  if (accept(c)) return true;
  return expected(std::string("'") + c + "'");
}
bool Cursor::expect(std::string_view symbol) {
  if (accept(symbol)) return true;
  return expected("'" + std::string(symbol) + "'");
}
bool Cursor::expect_word(std::string_view wanted) {
  if (accept_word(wanted)) return true;
  return expected("'" + std::string(wanted) + "'");
}

bool Cursor::word(std::string_view& out, std::string_view what) {
  out = peek_word();
  if (out.empty()) return expected(what);
  p_ += out.size();
  return true;
}

std::string_view Cursor::suffix_id() {
  const char* start = p_;
  while (p_ < end_ && (is_word(*p_) || *p_ == '-')) ++p_;
  return {start, static_cast<std::size_t>(p_ - start)};
}

bool Cursor::string(std::string& out) {
  out.clear();
  if (!accept('"')) return expected("a string");
  const char* start = p_ - 1;
  while (p_ < end_) {
    const char* stop = p_;
    while (stop < end_ && *stop != '"' && *stop != '\\' && *stop != '\n') ++stop;
    out.append(p_, stop);
    p_ = stop;
    if (p_ >= end_ || *p_ == '\n') break;
    if (*p_ == '"') {
      ++p_;
      return true;
    }
    if (end_ - p_ < 2) break;
    const char c = p_[1];
    if (c == 'n' || c == 't' || c == '\\' || c == '"') {
      out += c == 'n' ? '\n' : c == 't' ? '\t' : c;
      p_ += 2;
    } else if (end_ - p_ >= 3 && hex_value(c) >= 0 && hex_value(p_[2]) >= 0) {
      out += static_cast<char>(hex_value(c) * 16 + hex_value(p_[2]));
      p_ += 3;
    } else {
      return fail(Code::TextSyntax, "unknown escape in a string.");
    }
  }
  return fail_at(start, p_ >= end_ ? Code::TextTruncated : Code::TextSyntax, "the string has no closing quote.");
}

bool Cursor::symbol(std::string& out) {
  if (!accept('@')) return expected("a symbol such as @main");
  if (p_ < end_ && *p_ == '"') return string(out);
  const std::string_view name = suffix_id();
  if (name.empty()) return expected("a symbol such as @main");
  out = name;
  return true;
}

bool Cursor::number(std::string_view& text, bool& is_float, bool& is_hex) {
  skip_space();
  const char* start = p_;
  const char* p = p_;
  is_float = is_hex = false;
  if (p < end_ && (*p == '-' || *p == '+')) ++p;
  if (p >= end_ || !is_digit(*p)) return expected("a number");
  if (*p == '0' && p + 2 < end_ && p[1] == 'x' && hex_value(p[2]) >= 0) {
    is_hex = true;
    p += 2;
    while (p < end_ && hex_value(*p) >= 0) ++p;
  } else {
    while (p < end_ && is_digit(*p)) ++p;
    if (p < end_ && *p == '.') {
      is_float = true;
      ++p;
      while (p < end_ && is_digit(*p)) ++p;
    }
    if (p < end_ && (*p == 'e' || *p == 'E')) {
      const char* e = p + 1;
      if (e < end_ && (*e == '-' || *e == '+')) ++e;
      if (e < end_ && is_digit(*e)) {
        is_float = true;
        p = e;
        while (p < end_ && is_digit(*p)) ++p;
      }
    }
  }
  text = {start, static_cast<std::size_t>(p - start)};
  p_ = p;
  return true;
}

bool Cursor::integer(std::int64_t& out) {
  std::string_view text;
  bool is_float, is_hex;
  const char* start = position();
  if (!number(text, is_float, is_hex)) return false;
  if (is_float || !parse_int64(text, out)) {
    return fail_at(start, Code::TextLiteral, "'" + std::string(text.substr(0, 40)) + "' is not a 64-bit integer.");
  }
  return true;
}

bool Cursor::skip_balanced() {
  std::vector<char> open;
  const char* start = position();
  while (p_ < end_) {
    const char c = *p_;
    if (c == '"') {
      ++p_;
      while (p_ < end_ && *p_ != '"' && *p_ != '\n') p_ += *p_ == '\\' && end_ - p_ > 1 ? 2 : 1;
      if (p_ >= end_) break;
      if (*p_ == '\n') return fail(Code::TextSyntax, "the string has no closing quote.");
    } else if (c == '(' || c == '[' || c == '{' || c == '<') {
      open.push_back(c == '(' ? ')' : c == '[' ? ']' : c == '{' ? '}' : '>');
    } else if (c == '/' && end_ - p_ > 1 && p_[1] == '/') {
      skip_line();
      continue;
    } else if (c == '-' && end_ - p_ > 1 && p_[1] == '>') {
      ++p_;
    } else if (c == ')' || c == ']' || c == '}' || c == '>') {
      if (open.empty() || open.back() != c) return fail(Code::TextSyntax, std::string("unmatched '") + c + "'.");
      open.pop_back();
    }
    ++p_;
    if (open.empty()) return true;
  }
  return fail_at(start, Code::TextTruncated, "the text ends inside these brackets.");
}

}  // namespace openneuron::import
