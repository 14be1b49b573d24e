// Dense literals: splat, nested lists, hexadecimal blobs, resources. Elements go straight into the constant's bytes.
#include <charconv>
#include <cmath>
#include <cstring>

#include "import/text_parser.h"
#include "num/convert.h"

namespace openneuron::import {

using graph::Type;
using graph::TypeKind;

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool decode_hex(std::string_view hex, std::vector<std::byte>& out) {
  if (hex.size() % 2 != 0) return false;
  out.resize(hex.size() / 2);
  int bad = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const int high = hex_digit(hex[2 * i]), low = hex_digit(hex[2 * i + 1]);
    bad |= high | low;
    out[i] = static_cast<std::byte>(high << 4 | low);
  }
  return bad >= 0;
}

std::string count_text(std::int64_t n) { return std::to_string(n) + (n == 1 ? " element" : " elements"); }

}  // namespace

bool TextParser::make_dense(TypeId type, bool splat, std::vector<std::byte> bytes, AttrId& out) {
  out = keep_literals_ ? m_.constant_attr(m_.own_constant(type, splat, std::move(bytes)))
                       : graph::dense_attribute(m_, type, splat, bytes);
  return true;
}

// The type stands behind the literal, so the body is passed over first.
bool TextParser::parse_dense(AttrId& out) {
  const char* start = c_.position();
  if (!c_.expect_word("dense")) return false;
  if (!c_.starts_with("<")) return c_.expected("'<'");
  const char* body_start = c_.raw() + 1;
  if (!c_.skip_balanced()) return false;
  const char* body_end = c_.raw() - 1;
  TypeId type_id;
  if (!c_.expect(':') || !parse_type(type_id)) return false;
  const Type& type = m_.type(type_id);
  if ((type.kind != TypeKind::Tensor && type.kind != TypeKind::Quantized) || type.element == ElementType::None) {
    return c_.fail_at(start, Code::TextType, "a dense literal needs a tensor type.");
  }
  for (std::int64_t d : type.shape) {
    if (d < 0) return c_.fail_at(start, Code::TextType, "a dense literal needs a static shape.");
  }
  bool splat = false;
  std::vector<std::byte> bytes;
  if (!parse_dense_body({body_start, static_cast<std::size_t>(body_end - body_start)}, type_id, splat, bytes))
    return false;
  return make_dense(type_id, splat, std::move(bytes), out);
}

bool TextParser::parse_dense_body(std::string_view text, TypeId type_id, bool& splat, std::vector<std::byte>& bytes) {
  const Type& type = m_.type(type_id);
  const char* resume = c_.raw();
  const char* full_end = c_.end();
  c_.seek(text.data());
  c_.limit(text.data() + text.size());  // what runs out here runs out inside the literal
  const std::int64_t count = type.element_count();
  bool good = true;
  if (c_.at_end()) {
    if (count != 0) good = c_.fail(Code::TextLiteral, "the literal is empty, its type has " + count_text(count) + ".");
  } else if (c_.peek() == '"') {
    const char* at = c_.raw() + 1;
    const void* quote = std::memchr(at, '"', static_cast<std::size_t>(c_.end() - at));
    if (quote == nullptr) {
      good = c_.fail(Code::TextTruncated, "the literal has no closing quote.");
    } else {
      std::string_view hex(at, static_cast<std::size_t>(static_cast<const char*>(quote) - at));
      if (hex.substr(0, 2) != "0x") {
        good = c_.fail(Code::TextLiteral, "string tensors are not supported.");
      } else {
        hex.remove_prefix(2);
        good = parse_hex_blob(hex, type, 0, splat, bytes);
        c_.seek(static_cast<const char*>(quote) + 1);
      }
    }
  } else if (c_.peek() == '[') {
    good = parse_dense_list(c_, type, bytes);
  } else {
    splat = true;
    good = parse_element_value(c_, type.element, bytes);
  }
  if (good && !c_.at_end()) good = c_.expected("the end of the literal");
  c_.limit(full_end);
  if (good) c_.seek(resume);
  return good;
}

// Lists nest as the shape says; no recursion, the counts of open lists are a stack bounded by the rank.
bool TextParser::parse_dense_list(Cursor& c, const Type& type, std::vector<std::byte>& bytes) {
  const std::size_t rank = type.shape.size();
  std::vector<std::int64_t> seen;
  const auto reserve = static_cast<std::size_t>(c.end() - c.raw()) / 2;  // an element takes two characters or more
  const auto wanted = static_cast<std::size_t>(type.element_count());
  bytes.reserve(std::min(reserve, wanted) * static_cast<std::size_t>(byte_width(type.element)));
  for (;;) {
    if (c.accept('[')) {
      if (seen.size() >= rank) return c.fail(Code::TextLiteral, "the literal nests deeper than its type.");
      seen.push_back(0);
      if (!c.accept(']')) continue;
      if (type.shape[seen.size() - 1] != 0) {
        return c.fail(Code::TextLiteral,
                      "an empty list where " + count_text(type.shape[seen.size() - 1]) + " must stand.");
      }
      seen.pop_back();
    } else {
      if (seen.size() != rank) return c.fail(Code::TextLiteral, "an element stands where a list must stand.");
      if (!parse_element_value(c, type.element, bytes)) return false;
    }
    // One item of the innermost open list is complete.
    for (;;) {
      if (seen.empty()) return true;
      ++seen.back();
      if (c.accept(',')) break;
      const std::int64_t size = type.shape[seen.size() - 1];
      if (seen.back() != size) {
        return c.fail(Code::TextLiteral,
                      "a list has " + count_text(seen.back()) + ", its type says " + std::to_string(size) + ".");
      }
      if (!c.expect(']')) return false;
      seen.pop_back();
    }
    if (seen.back() >= type.shape[seen.size() - 1]) {
      return c.fail(Code::TextLiteral,
                    "a list has more than the " + count_text(type.shape[seen.size() - 1]) + " of its type.");
    }
  }
}

bool TextParser::parse_element_value(Cursor& c, ElementType element, std::vector<std::byte>& bytes) {
  const std::size_t width = static_cast<std::size_t>(byte_width(element));
  if (is_complex(element)) {
    const ElementType part = element == ElementType::C64 ? ElementType::F32 : ElementType::F64;
    return c.expect('(') && parse_element_value(c, part, bytes) && c.expect(',') &&
           parse_element_value(c, part, bytes) && c.expect(')');
  }
  const std::size_t at = bytes.size();
  bytes.resize(at + width);
  std::byte* target = bytes.data() + at;
  if (element == ElementType::I1) {
    if (c.accept_word("true")) {
      *target = std::byte{1};
      return true;
    }
    if (c.accept_word("false")) return true;
  }
  const char* start = c.position();
  std::string_view text;
  bool fraction = false, is_hex = false;
  if (!c.number(text, fraction, is_hex)) return false;
  if (is_float(element)) {
    if (is_hex) {  // the bits of the format
      std::int64_t bits = 0;
      const int limit = bit_width(element);
      if (!parse_int64(text, bits) || (limit < 64 && (static_cast<std::uint64_t>(bits) >> limit) != 0)) {
        return c.fail_at(start, Code::TextLiteral, "these bits do not fit " + std::string(type_name(element)) + ".");
      }
      std::memcpy(target, &bits, width);
      return true;
    }
    double value = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    if (parsed.ec == std::errc::result_out_of_range) {
      // from_chars leaves the value alone: tiny becomes zero, huge infinity.
      const std::size_t e = text.find_first_of("eE");
      const bool tiny = e != std::string_view::npos && e + 1 < text.size() && text[e + 1] == '-';
      value = tiny ? 0.0 : HUGE_VAL;
      if (text[0] == '-') value = -value;
    }
    if (element == ElementType::F64) {
      std::memcpy(target, &value, 8);
    } else if (element == ElementType::F32) {
      const float narrow = static_cast<float>(value);
      std::memcpy(target, &narrow, 4);
    } else {
      store_double(element, target, 0, value);
    }
    return true;
  }
  std::int64_t value = 0;
  bool fits = !fraction && parse_int64(text, value);
  const int bits = bit_width(element);
  if (fits && bits < 64) {
    // Signless integers may be written signed or unsigned.
    const std::int64_t low = type_class(element) == TypeClass::Unsigned ? 0 : -(std::int64_t{1} << (bits - 1));
    fits = value >= low && value < (std::int64_t{1} << bits);
  } else if (fits && type_class(element) == TypeClass::Unsigned && text[0] == '-') {
    fits = value == 0;
  }
  if (!fits) {
    return c.fail_at(start, Code::TextLiteral,
                     "'" + std::string(text.substr(0, 40)) + "' does not fit " + std::string(type_name(element)) + ".");
  }
  store_int(element, target, 0, value);
  return true;
}

// Raw little-endian elements. i1 comes one byte an element or packed eight to a byte.
bool TextParser::parse_hex_blob(std::string_view hex, const Type& type, std::size_t skip, bool& splat,
                                std::vector<std::byte>& bytes) {
  if (!decode_hex(hex, bytes) || bytes.size() < skip)
    return c_.fail(Code::TextLiteral, "the blob is no hexadecimal text.");
  if (skip != 0) bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(skip));
  const std::size_t count = static_cast<std::size_t>(type.element_count());
  const std::size_t width = static_cast<std::size_t>(byte_width(type.element));
  if (type.element == ElementType::I1) {
    if (bytes.size() == 1 && bytes[0] == std::byte{0xFF}) {
      bytes[0] = std::byte{1};
      splat = true;
      return true;
    }
    if (bytes.size() == (count + 7) / 8 && bytes.size() != count) {
      std::vector<std::byte> unpacked(count);
      for (std::size_t i = 0; i < count; ++i) unpacked[i] = (bytes[i / 8] >> (i % 8)) & std::byte{1};
      bytes = std::move(unpacked);
      return true;
    }
    for (std::byte& b : bytes) b = b == std::byte{0} ? b : std::byte{1};
  }
  if (bytes.size() == width && count > 1) {
    splat = true;
    return true;
  }
  if (bytes.size() / width != count || bytes.size() % width != 0) {
    return c_.fail(Code::TextLiteral, "the blob has " + std::to_string(bytes.size()) + " bytes, its type " +
                                          count_text(type.element_count()) + " of " + std::to_string(width) + ".");
  }
  return true;
}

// {-# dialect_resources: { builtin: { name: "0x04000000..." } } #-} at the end of the file.
bool TextParser::find_resources() {
  resources_found_ = true;
  const std::string_view rest(c_.raw(), static_cast<std::size_t>(c_.end() - c_.raw()));
  const std::size_t at = rest.find("{-#");
  if (at == std::string_view::npos) return true;
  const char* back = c_.raw();
  c_.seek(rest.data() + at + 3);
  std::string_view section, dialect;
  while (!c_.accept("#-}")) {
    if (!c_.word(section, "a resource section") || !c_.expect(':') || !c_.expect('{')) return false;
    while (!c_.accept('}')) {
      if (!c_.word(dialect, "a dialect") || !c_.expect(':') || !c_.expect('{')) return false;
      while (!c_.accept('}')) {
        std::string name;
        if (c_.peek() == '"') {
          if (!c_.string(name)) return false;
        } else {
          name = c_.suffix_id();
          if (name.empty()) return c_.expected("a resource name");
        }
        if (!c_.expect(':')) return false;
        if (c_.peek() == '"') {
          const char* digits = c_.raw() + 1;
          const void* quote = std::memchr(digits, '"', static_cast<std::size_t>(c_.end() - digits));
          if (quote == nullptr) return c_.fail(Code::TextTruncated, "the resource has no closing quote.");
          resources_[name] = {digits, static_cast<std::size_t>(static_cast<const char*>(quote) - digits)};
          c_.seek(static_cast<const char*>(quote) + 1);
        } else {
          AttrId ignored;
          if (!parse_attribute(ignored)) return false;
        }
        c_.accept(',');
      }
      c_.accept(',');
    }
    c_.accept(',');
  }
  c_.seek(back);
  return true;
}

bool TextParser::parse_dense_resource(AttrId& out) {
  const char* start = c_.position();
  if (!c_.expect_word("dense_resource") || !c_.expect('<')) return false;
  std::string name;
  if (c_.peek() == '"') {
    if (!c_.string(name)) return false;
  } else {
    name = c_.suffix_id();
  }
  TypeId type_id;
  if (!c_.expect('>') || !c_.expect(':') || !parse_type(type_id)) return false;
  const Type& type = m_.type(type_id);
  bool good = type.kind == TypeKind::Tensor && type.element != ElementType::None;
  for (std::int64_t d : type.shape) good &= d >= 0;
  if (!good) return c_.fail_at(start, Code::TextType, "a resource needs a static tensor type.");
  if (name == "__elided__") {
    m_.notes.push_back("A constant was elided when the text was printed; it reads as zeros.");
    const bool empty = type.element_count() == 0;
    return make_dense(type_id, !empty,
                      std::vector<std::byte>(empty ? 0 : static_cast<std::size_t>(byte_width(type.element))), out);
  }
  if (!resources_found_ && !find_resources()) return false;
  const auto found = resources_.find(name);
  if (found == resources_.end()) {
    return c_.fail_at(start, Code::TextUndefined, "no resource '" + name + "' is in the file.");
  }
  std::string_view hex = found->second;
  if (hex.substr(0, 2) != "0x") return c_.fail_at(start, Code::TextLiteral, "the blob is no hexadecimal text.");
  hex.remove_prefix(2);
  bool splat = false;
  std::vector<std::byte> bytes;
  const char* back = c_.raw();
  c_.seek(start);
  if (!parse_hex_blob(hex, type, 4, splat, bytes)) return false;  // four bytes of alignment come first
  c_.seek(back);
  return make_dense(type_id, splat, std::move(bytes), out);
}

}  // namespace openneuron::import
