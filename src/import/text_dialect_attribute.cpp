// Attributes of dialects: `#alias`, `#stablehlo<keyword VALUE>`, `#stablehlo.struct<...>`, and text kept as it stands.
#include "import/text_parser.h"

namespace openneuron::import {

namespace {

bool is_ours(std::string_view dialect) { return dialect == "stablehlo" || dialect == "mhlo" || dialect == "chlo"; }

// Structs whose fields are read; the rest of a dialect's attributes is kept as text.
bool is_struct(std::string_view name) {
  for (std::string_view known :
       {"dot", "gather", "scatter", "channel_handle", "output_operand_alias", "result_accuracy", "dot_algorithm",
        "ragged_dot", "replica_group_mesh_axes", "mesh", "mesh_axis", "axis_ref", "sub_axis_info"}) {
    if (known == name) return true;
  }
  return false;
}

}  // namespace

bool TextParser::parse_hash_attribute(AttrId& out) {
  const char* start = c_.position();
  if (!c_.expect('#')) return false;
  const std::string_view word = c_.suffix_id();
  const char* after = c_.raw();
  const std::size_t dot = word.find('.');
  const std::string_view dialect = word.substr(0, dot);
  const bool bracket = after < c_.end() && *after == '<';
  if (dot == std::string_view::npos && !(bracket && (is_ours(dialect) || dialect == "sdy"))) {
    if (word.empty()) return c_.expected("an attribute");
    Alias* alias = find_alias({start, word.size() + 1}, start);
    if (alias == nullptr) return false;
    if (!alias->has_attribute) {
      alias->open = true;
      c_.seek(alias->definition);
      if (!parse_attribute(alias->attribute)) return false;
      alias->open = false;
      alias->has_attribute = true;
      c_.seek(after);
    }
    out = alias->attribute;
    return true;
  }
  if (is_ours(dialect) && bracket) {
    if (dot == std::string_view::npos) {  // #stablehlo<precision DEFAULT>
      c_.accept('<');
      std::string quoted;
      std::string_view kind, keyword;
      if (c_.peek() == '"') {  // the oldest form: #mhlo<"precision DEFAULT">
        if (!c_.string(quoted)) return false;
        const std::size_t space = quoted.find(' ');
        if (space == std::string::npos) return c_.fail_at(start, Code::TextSyntax, "a keyword is expected.");
        kind = std::string_view(quoted).substr(0, space);
        keyword = std::string_view(quoted).substr(space + 1);
      } else {
        if (!c_.word(kind, "the kind of keyword")) return false;
        if (kind == "conv" || c_.peek() == '<') {
          return c_.fail_at(start, Code::TextSyntax, "this attribute form is not known.");
        }
        if (!c_.word(keyword, "a keyword")) return false;
      }
      if (!c_.expect('>')) return false;
      out = m_.enum_attr(kind, keyword);
      return true;
    }
    const std::string_view name = word.substr(dot + 1);
    if (name == "conv") {
      c_.accept('<');
      graph::NamedAttributes pairs;
      if (c_.peek() == '[') {
        if (!parse_dim_numbers(pairs) || !c_.expect('>')) return false;
      } else {
        c_.accept_word("raw");
        if (!parse_dictionary(pairs, '>')) return false;
      }
      out = m_.dictionary(std::move(pairs));
      return true;
    }
    if (!graph::enum_keywords(name).empty()) {  // #stablehlo.result_accuracy_mode<DEFAULT>
      c_.accept('<');
      std::string_view keyword;
      if (!c_.word(keyword, "a keyword") || !c_.expect('>')) return false;
      out = m_.enum_attr(name, keyword);
      return true;
    }
    if (is_struct(name)) {
      c_.accept('<');
      return parse_struct(name, out);
    }
  }
  // Kept as text.
  if (bracket && !c_.skip_balanced()) return false;
  out = m_.opaque_attr({start, static_cast<std::size_t>(c_.raw() - start)});
  return true;
}

// `key = value, ...>`; the '<' is read. Values are attributes, bare keywords, `[...]`, or `<...>` of a nested struct.
bool TextParser::parse_struct(std::string_view name, AttrId& out) {
  Depth depth(*this);
  if (!depth.ok()) return false;
  graph::NamedAttributes pairs;
  if (!c_.accept('>')) {
    do {
      std::string_view key;
      const char* start = c_.position();
      if (!c_.word(key, "a field name") || !c_.expect('=')) return false;
      for (const auto& [known, ignored] : pairs) {
        if (known == key) return c_.fail_at(start, Code::TextSyntax, "field '" + std::string(key) + "' occurs twice.");
      }
      AttrId value;
      if (key == "sub_axis_info") key = "sub_axis";
      if (!parse_struct_value(value)) return false;
      pairs.emplace_back(std::string(key), value);
    } while (c_.accept(','));
    if (!c_.expect('>')) return false;
  }
  if (name == "output_operand_alias") {
    const std::string keys[] = {"output_tuple_indices", "operand_tuple_indices"};
    for (const std::string& key : keys) {
      bool found = false;
      for (const auto& [known, ignored] : pairs) found |= known == key;
      if (!found) pairs.emplace_back(key, m_.ints_attr({}));
    }
  }
  out = m_.dictionary(std::move(pairs));
  return true;
}

bool TextParser::parse_struct_value(AttrId& out) {
  if (c_.peek() == '[') {
    // A list of integers is Ints; of anything else an Array.
    const char* start = c_.position();
    c_.accept('[');
    const char next = c_.peek();
    c_.seek(start);
    if (next == ']' || next == '-' || (next >= '0' && next <= '9')) return parse_int_list(out);
    if (next != '<') return parse_array_attribute(out);
    c_.accept('[');
    std::vector<AttrId> items;
    do {
      AttrId item;
      if (!c_.expect('<') || !parse_struct("", item)) return false;
      items.push_back(item);
    } while (c_.accept(','));
    if (!c_.expect(']')) return false;
    out = m_.array_attr(std::move(items));
    return true;
  }
  if (c_.accept('(')) {  // a part of a mesh axis: (pre_size)size
    std::int64_t before = 0, size = 0;
    if (!c_.integer(before) || !c_.expect(')') || !c_.integer(size)) return false;
    out = m_.dictionary({{"pre_size", m_.int_attr(before)}, {"size", m_.int_attr(size)}});
    return true;
  }
  if (c_.accept('<')) return parse_struct("", out);
  return parse_attribute(out);
}

}  // namespace openneuron::import
