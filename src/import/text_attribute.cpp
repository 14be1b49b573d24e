// Attributes that any dialect may hold: numbers, strings, lists, dictionaries, types, symbols.
#include <charconv>
#include <cstring>

#include "import/text_parser.h"
#include "num/convert.h"

namespace openneuron::import {

using graph::Attribute;
using graph::AttrKind;

bool TextParser::parse_attribute(AttrId& out) {
  Depth depth(*this);
  if (!depth.ok()) return false;
  const char c = c_.peek();
  if (c == '"') {
    std::string text;
    if (!c_.string(text)) return false;
    if (c_.accept(':')) {  // a typed string: the type says nothing more
      TypeId type;
      if (!parse_type(type)) return false;
    }
    out = m_.string_attr(text);
    return true;
  }
  if (c == '[') return parse_array_attribute(out);
  if (c == '{') {
    graph::NamedAttributes pairs;
    c_.accept('{');
    if (!parse_dictionary(pairs, '}')) return false;
    out = m_.dictionary(std::move(pairs));
    return true;
  }
  if (c == '@') {
    std::string name;
    if (!c_.symbol(name)) return false;
    while (c_.accept("::")) {
      std::string nested;
      if (!c_.symbol(nested)) return false;
      name += "::@" + nested;
    }
    out = m_.symbol_attr(name);
    return true;
  }
  if (c == '#') return parse_hash_attribute(out);
  if (c == '-' || (c >= '0' && c <= '9')) return parse_number_attribute(out);
  const std::string_view word = c_.peek_word();
  if (word == "true" || word == "false") {
    c_.accept_word(word);
    if (c_.accept(':')) {
      TypeId type;
      if (!parse_type(type)) return false;
    }
    out = m_.bool_attr(word == "true");
    return true;
  }
  if (word == "unit") {
    c_.accept_word(word);
    out = m_.unit_attr();
    return true;
  }
  if (word == "dense") return parse_dense(out);
  if (word == "dense_resource") return parse_dense_resource(out);
  if (word == "array") return parse_typed_array(out);
  if (word == "loc" || word == "affine_map" || word == "affine_set" || word == "strided") return parse_opaque(out);
  if (looks_like_type()) {
    const ElementType element = type_from_name(word);
    if (element != ElementType::None && c_.raw() + word.size() <= c_.end()) {
      c_.accept_word(word);
      out = m_.element_type_attr(element);
      return true;
    }
    TypeId type;
    if (!parse_type(type)) return false;
    out = m_.type_attr(type);
    return true;
  }
  return c_.expected("an attribute");
}

bool TextParser::parse_opaque(AttrId& out) {
  const char* start = c_.position();
  std::string_view word;
  if (!c_.word(word, "an attribute") || !c_.skip_balanced()) return false;
  out = m_.opaque_attr({start, static_cast<std::size_t>(c_.raw() - start)});
  return true;
}

bool TextParser::parse_array_attribute(AttrId& out) {
  if (!c_.expect('[')) return false;
  std::vector<AttrId> items;
  if (c_.peek() != ']') {
    do {
      AttrId item;
      if (!parse_attribute(item)) return false;
      items.push_back(item);
    } while (c_.accept(','));
  }
  if (!c_.expect(']')) return false;
  out = m_.array_attr(std::move(items));
  return true;
}

// `key = value`, `key` alone (a unit); the opening bracket is read already.
bool TextParser::parse_dictionary(graph::NamedAttributes& out, char close) {
  if (c_.accept(close)) return true;
  do {
    std::string key;
    const char* start = c_.position();
    if (c_.peek() == '"') {
      if (!c_.string(key)) return false;
    } else {
      std::string_view word;
      if (!c_.word(word, "an attribute name")) return false;
      key = word;
    }
    AttrId value;
    if (c_.accept('=')) {
      if (!parse_attribute(value)) return false;
    } else {
      value = m_.unit_attr();
    }
    for (const auto& [name, ignored] : out) {
      if (name == key && out.size() < 64) {
        return c_.fail_at(start, Code::TextSyntax, "attribute '" + key + "' occurs twice.");
      }
    }
    out.emplace_back(std::move(key), value);
  } while (c_.accept(','));
  return c_.expect(close);
}

bool TextParser::parse_number_attribute(AttrId& out) {
  std::string_view text;
  bool is_float = false, is_hex = false;
  const char* start = c_.position();
  if (!c_.number(text, is_float, is_hex)) return false;
  ElementType element = is_float ? ElementType::F64 : ElementType::I64;
  if (c_.accept(':')) {
    const char* type_start = c_.position();
    if (!parse_element(element)) return false;
    if (is_complex(element)) return c_.fail_at(type_start, Code::TextType, "a number cannot be complex here.");
  }
  if (openneuron::is_float(element)) {
    std::byte bytes[16] = {};
    if (is_hex) {
      std::int64_t bits = 0;
      if (!parse_int64(text, bits)) return c_.fail_at(start, Code::TextLiteral, "this does not fit 64 bits.");
      std::memcpy(bytes, &bits, 8);
    } else {
      double value = 0;
      std::from_chars(text.data(), text.data() + text.size(), value);
      store_double(element, bytes, 0, value);
    }
    out = m_.float_attr(load_double(element, bytes, 0), element);
    return true;
  }
  std::int64_t value = 0;
  if (is_float || !parse_int64(text, value)) {
    return c_.fail_at(start, Code::TextLiteral,
                      "'" + std::string(text.substr(0, 40)) + "' is not an integer that fits.");
  }
  if (element == ElementType::I1) {
    out = m_.bool_attr(value != 0);
    return true;
  }
  out = m_.int_attr(value, element);
  return true;
}

// array<i64: 1, 2>
bool TextParser::parse_typed_array(AttrId& out) {
  if (!c_.expect_word("array") || !c_.expect('<')) return false;
  ElementType element = ElementType::None;
  const char* start = c_.position();
  if (!parse_element(element)) return false;
  if (is_complex(element)) return c_.fail_at(start, Code::TextType, "an array attribute cannot hold complex numbers.");
  Attribute array;
  array.kind = element == ElementType::I1 ? AttrKind::Bools : AttrKind::Ints;
  array.element = element;
  std::vector<AttrId> reals;
  if (c_.accept(':')) {
    do {
      if (c_.accept_word("true")) {
        array.integers.push_back(1);
        continue;
      }
      if (c_.accept_word("false")) {
        array.integers.push_back(0);
        continue;
      }
      const char* at = c_.position();
      std::string_view text;
      bool fraction = false, is_hex = false;
      if (!c_.number(text, fraction, is_hex)) return false;
      if (is_float(element)) {
        double value = 0;
        std::int64_t bits = 0;
        std::byte bytes[16] = {};
        if (is_hex && parse_int64(text, bits)) {
          std::memcpy(bytes, &bits, 8);
          value = load_double(element, bytes, 0);
        } else {
          std::from_chars(text.data(), text.data() + text.size(), value);
        }
        reals.push_back(m_.float_attr(round_to(element, value), element));
        continue;
      }
      std::int64_t value = 0;
      if (fraction || !parse_int64(text, value))
        return c_.fail_at(at, Code::TextLiteral, "an integer that fits is expected.");
      array.integers.push_back(value);
    } while (c_.accept(','));
  }
  if (!c_.expect('>')) return false;
  out = is_float(element) ? m_.array_attr(std::move(reals)) : m_.intern(std::move(array));
  return true;
}

}  // namespace openneuron::import
