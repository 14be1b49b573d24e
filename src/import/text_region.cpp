// Values and regions. A region is read into a function of its own; a value of an enclosing region that it uses becomes
// a provisional capture, level by level, and a parameter once the region is complete.
#include "import/text_parser.h"

namespace openneuron::import {

using graph::Function;

TypeId TextParser::type_at(std::size_t at, ValueId value) {
  const Level& l = *levels_[at];
  if (Function::is_provisional(value)) return l.capture_types[value.index & 0x7FFFFFFFu];
  return l.function.type(value);
}

TypeId TextParser::type_of(ValueId value) { return type_at(levels_.size() - 1, value); }

// The value by which level `at` knows `outer_value` of the level around it.
ValueId TextParser::capture(std::size_t at, ValueId outer_value) {
  Level& l = *levels_[at];
  const auto [entry, added] = l.capture_index.try_emplace(outer_value, static_cast<std::uint32_t>(l.captures.size()));
  if (added) {
    l.captures.push_back(outer_value);
    l.capture_types.push_back(type_at(at - 1, outer_value));
  }
  return Function::provisional_capture(entry->second);
}

bool TextParser::use_name(std::string_view name, const char* where, std::uint32_t index, ValueId& out) {
  const NameTable::Entry* entry = names_.find(name);
  if (entry == nullptr) {
    return c_.fail_at(where, Code::TextUndefined,
                      "nothing before this place defines '%" + std::string(name.substr(0, 80)) + "'.");
  }
  if (index >= entry->count) {
    return c_.fail_at(where, Code::TextUndefined,
                      "'%" + std::string(name.substr(0, 80)) + "' has " + std::to_string(entry->count) +
                          " values, number " + std::to_string(index) + " is used.");
  }
  out = ValueId(std::size_t{entry->first.index + index});
  for (std::size_t at = entry->level + 1; at < levels_.size(); ++at) out = capture(at, out);
  return true;
}

// %name or %name#1
bool TextParser::use(ValueId& out) {
  const char* start = c_.position();
  if (!c_.accept('%')) return c_.expected("a value such as %0");
  const std::string_view name = c_.suffix_id();
  if (name.empty()) return c_.expected("a value such as %0");
  std::uint32_t index = 0;
  if (c_.raw() < c_.end() && *c_.raw() == '#') {
    c_.seek(c_.raw() + 1);
    std::int64_t n = 0;
    if (!c_.integer(n)) return false;
    if (n < 0 || n > 0x7FFFFFFF) return c_.fail_at(start, Code::TextUndefined, "there is no result of this number.");
    index = static_cast<std::uint32_t>(n);
  }
  return use_name(name, start, index, out);
}

bool TextParser::parse_operand_list(std::vector<ValueId>& out) {
  do {
    ValueId value;
    if (!use(value)) return false;
    out.push_back(value);
  } while (c_.accept(','));
  return true;
}

bool TextParser::add_argument(std::string_view name, TypeId type, AttrId attributes, const char* where) {
  const ValueId value = level().function.add_parameter(type, attributes);
  if (name.empty()) return true;
  if (names_.define(name, value, 1, static_cast<std::uint32_t>(levels_.size() - 1))) return true;
  return c_.fail_at(where, Code::TextSyntax, "'%" + std::string(name.substr(0, 80)) + "' is defined twice.");
}

// ^bb0(%a: T loc(...), %b: T):
bool TextParser::parse_block_arguments() {
  if (c_.suffix_id().empty()) return c_.expected("a block name");
  if (c_.accept('(') && !c_.accept(')')) {
    do {
      const char* start = c_.position();
      if (!c_.accept('%')) return c_.expected("a block argument");
      const std::string_view name = c_.suffix_id();
      TypeId type;
      LocationId ignored;
      if (!c_.expect(':') || !parse_type(type) || !parse_trailing_location(ignored)) return false;
      if (!add_argument(name, type, {}, start)) return false;
    } while (c_.accept(','));
    if (!c_.expect(')')) return false;
  }
  return c_.expect(':');
}

bool TextParser::parse_ops_until_brace() {
  while (!c_.accept('}')) {
    if (c_.peek() == '^') {
      return c_.fail(Code::TextSyntax, "a second block: regions of StableHLO have one block.");
    }
    if (c_.at_end()) return c_.expected("an op or '}'");
    if (level().function.op_count() != 0 &&
        level().function.kind(level().function.terminator()) == graph::OpKind::Return) {
      return c_.fail(Code::GraphOrder, "an op stands behind the return.");
    }
    if (!parse_op()) return false;
  }
  return true;
}

// { ... }; `names` and `types` are arguments that the op itself writes (while, reduce, manual_computation).
bool TextParser::parse_region(OpDraft& draft, const std::vector<std::string_view>& names,
                              const std::vector<TypeId>& types, bool brace_open) {
  Depth depth(*this);
  if (!depth.ok()) return false;
  if (!brace_open && !c_.expect('{')) return false;
  levels_.push_back(std::make_unique<Level>());
  level().function.is_region = true;
  level().name_mark = names_.mark();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!add_argument(names[i], types[i], {}, c_.raw())) return false;
  }
  if (c_.accept('^') && !parse_block_arguments()) return false;
  if (!parse_ops_until_brace()) return false;
  names_.release(level().name_mark);
  draft.regions.push_back(std::move(level().function));
  draft.region_captures.push_back(std::move(level().captures));
  levels_.pop_back();
  return true;
}

}  // namespace openneuron::import
