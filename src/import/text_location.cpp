// Locations and aliases. An alias may stand before or behind its use, so definitions are found by a scan for lines that
// start with '#' or '!'.
#include <cstring>

#include "import/text_parser.h"

namespace openneuron::import {

using graph::Location;
using graph::LocationKind;

void TextParser::scan_aliases() {
  const char* p = c_.begin();
  const char* end = c_.end();
  while (p < end) {
    if (*p == '#' || *p == '!') {
      const char* back = c_.raw();
      c_.seek(p + 1);
      const std::string_view id = c_.suffix_id();
      if (!id.empty() && c_.accept('=')) {
        Alias alias;
        alias.definition = c_.position();
        aliases_.emplace(std::string_view(p, id.size() + 1), alias);
      }
      c_.seek(back);
    }
    const void* newline = std::memchr(p, '\n', static_cast<std::size_t>(end - p));
    if (newline == nullptr) return;
    p = static_cast<const char*>(newline) + 1;
  }
}

TextParser::Alias* TextParser::find_alias(std::string_view name, const char* where) {
  const auto found = aliases_.find(name);
  if (found == aliases_.end()) {
    c_.fail_at(where, Code::TextUndefined, "nothing defines the alias '" + std::string(name.substr(0, 80)) + "'.");
    return nullptr;
  }
  if (found->second.open) {
    c_.fail_at(where, Code::TextUndefined, "the alias '" + std::string(name.substr(0, 80)) + "' is defined by itself.");
    return nullptr;
  }
  return &found->second;
}

LocationId TextParser::location_in_text(const char* where) {
  if (counted_ == nullptr) counted_ = line_start_ = c_.begin();
  while (counted_ < where) {
    const void* newline = std::memchr(counted_, '\n', static_cast<std::size_t>(where - counted_));
    if (newline == nullptr) break;
    counted_ = line_start_ = static_cast<const char*>(newline) + 1;
    ++line_;
  }
  if (counted_ < where) counted_ = where;
  Location location;
  location.kind = LocationKind::File;
  location.text = file_;
  location.line = line_;
  location.column = static_cast<std::uint32_t>(where >= line_start_ ? where - line_start_ : 0) + 1;
  return m_.intern(std::move(location));
}

bool TextParser::parse_location(LocationId& out) {
  return c_.expect_word("loc") && c_.expect('(') && parse_location_body(out) && c_.expect(')');
}

bool TextParser::parse_trailing_location(LocationId& out) {
  if (c_.peek() != 'l' || c_.peek_word() != "loc") return true;
  return parse_location(out);
}

bool TextParser::parse_location_body(LocationId& out) {
  Depth depth(*this);
  if (!depth.ok()) return false;
  const char* start = c_.position();
  out = {};
  if (c_.accept('#')) {
    const std::string_view id = c_.suffix_id();
    const char* after = c_.raw();
    Alias* alias = find_alias({start, id.size() + 1}, start);
    if (alias == nullptr) return false;
    if (!alias->has_location) {
      alias->open = true;
      c_.seek(alias->definition);
      if (!parse_location(alias->location)) return false;
      alias->open = false;
      alias->has_location = true;
      c_.seek(after);
    }
    out = alias->location;
    return true;
  }
  if (c_.peek() == '"') {
    Location location;
    if (!c_.string(location.text)) return false;
    if (c_.accept(':')) {
      std::int64_t line = 0, column = 0, end_line = 0, end_column = 0;
      if (!c_.integer(line)) return false;
      if (c_.accept(':') && !c_.integer(column)) return false;
      if (c_.accept_word("to")) {
        end_line = line;
        if (c_.peek() != ':' && !c_.integer(end_line)) return false;
        if (c_.accept(':') && !c_.integer(end_column)) return false;
      }
      location.kind = LocationKind::File;
      location.line = static_cast<std::uint32_t>(line);
      location.column = static_cast<std::uint32_t>(column);
      location.end_line = static_cast<std::uint32_t>(end_line);
      location.end_column = static_cast<std::uint32_t>(end_column);
    } else {
      location.kind = LocationKind::Name;
      if (c_.accept('(')) {
        LocationId child;
        if (!parse_location_body(child) || !c_.expect(')')) return false;
        if (child.valid()) location.children.push_back(child);
      }
    }
    out = m_.intern(std::move(location));
    return true;
  }
  std::string_view word;
  if (!c_.word(word, "a location")) return false;
  if (word == "unknown" || word == "?") return true;
  if (word == "callsite") {
    Location location;
    location.kind = LocationKind::CallSite;
    LocationId callee, caller;
    if (!c_.expect('(') || !parse_location_body(callee) || !c_.expect_word("at") || !parse_location_body(caller) ||
        !c_.expect(')')) {
      return false;
    }
    location.children = {callee, caller};
    out = m_.intern(std::move(location));
    return true;
  }
  if (word == "fused") {
    Location location;
    location.kind = LocationKind::Fused;
    if (c_.accept('<')) {  // metadata says nothing about places
      AttrId metadata;
      if (!parse_attribute(metadata) || !c_.expect('>')) return false;
    }
    if (!c_.expect('[')) return false;
    if (c_.peek() != ']') {
      do {
        LocationId child;
        if (!parse_location_body(child)) return false;
        location.children.push_back(child);
      } while (c_.accept(','));
    }
    if (!c_.expect(']')) return false;
    out = m_.intern(std::move(location));
    return true;
  }
  if (word == "loc") {  // loc(...) inside loc(...)
    return c_.expect('(') && parse_location_body(out) && c_.expect(')');
  }
  return c_.fail_at(start, Code::TextSyntax, "'" + std::string(word.substr(0, 60)) + "' is no location.");
}

}  // namespace openneuron::import
