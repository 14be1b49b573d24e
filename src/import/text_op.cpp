// One op: results, name, generic or pretty body, location; then its types are checked and it is added.
#include <algorithm>

#include "import/text_parser.h"

namespace openneuron::import {

using graph::Function;
using graph::OpForm;
using graph::OpKind;

void OpDraft::clear() {
  text_location = {};
  broadcasts = false;
  operands.clear();
  attributes.clear();
  operand_types.clear();
  result_types.clear();
  regions.clear();
  region_captures.clear();
}

// Drafts are kept from op to op for their memory; nested ops use the next one.
OpDraft& TextParser::push_draft() {
  if (drafts_used_ == drafts_.size()) drafts_.emplace_back();
  OpDraft& draft = drafts_[drafts_used_++];
  draft.clear();
  return draft;
}

bool TextParser::known_op(std::string_view name, const char* where, OpKind& kind) {
  if (graph::op_from_name(name, kind)) return true;
  std::string spelled(name);
  const std::size_t dot = name.find('.');
  const std::string_view dialect = name.substr(0, dot);
  if (dot == std::string_view::npos) {
    spelled = name == "return"     ? "stablehlo.return"
              : name == "call"     ? "func.call"
              : name == "constant" ? "stablehlo.constant"
                                   : spelled;
  } else if (dialect == "mhlo") {
    spelled = "stablehlo" + spelled.substr(4);
    if (!graph::op_from_name(spelled, kind)) spelled = "chlo" + std::string(name.substr(4));
  } else if (name == "chlo.tan") {
    spelled = "stablehlo.tan";
  } else if (name == "std.return") {
    spelled = "stablehlo.return";
  }
  if (graph::op_from_name(spelled, kind)) return true;
  return c_.fail_at(where, Code::TextUnknownOp, "op '" + std::string(name.substr(0, 80)) + "' is not known.");
}

bool TextParser::named_op(std::string_view name, OpDraft& draft) {
  constexpr std::string_view kBroadcast = "chlo.broadcast_";
  if (name.substr(0, kBroadcast.size()) != kBroadcast) return known_op(name, draft.start, draft.kind);
  const std::string_view rest = name.substr(kBroadcast.size());
  for (std::string_view dialect : {"stablehlo.", "chlo."}) {
    if (!graph::op_from_name(std::string(dialect) + std::string(rest), draft.kind)) continue;
    const graph::OpInfo& info = graph::op_info(draft.kind);
    if (!info.has(graph::kElementwise) || info.operands.min < 2) break;
    draft.broadcasts = true;
    return true;
  }
  return known_op(name, draft.start, draft.kind);
}

// chlo.broadcast_*: `broadcast_dimensions` says where the dimensions of the operand of lower rank go; without it they
// are the last ones. A scalar predicate of select stays as it is.
bool TextParser::broadcast_operands(OpDraft& draft, LocationId location) {
  AttrId given;
  for (std::size_t i = 0; i < draft.attributes.size(); ++i) {
    if (draft.attributes[i].first != "broadcast_dimensions") continue;
    given = draft.attributes[i].second;
    draft.attributes.erase(draft.attributes.begin() + static_cast<std::ptrdiff_t>(i));
    break;
  }
  if (draft.result_types.size() != 1) return c_.fail_at(draft.start, Code::TextType, "one result is expected.");
  const graph::Type& result = m_.type(draft.result_types[0]);
  for (std::size_t i = 0; i < draft.operands.size(); ++i) {
    const graph::Type& type = m_.type(draft.operand_types[i]);
    if (type.shape == result.shape) continue;
    if (draft.kind == OpKind::Select && i == 0 && type.shape.empty()) continue;
    bool fixed = type.shape.size() <= result.shape.size();
    for (const graph::Type* t : {&type, &result}) {
      for (std::int64_t d : t->shape) fixed &= d >= 0;
    }
    if (!fixed) return c_.fail_at(draft.start, Code::TextType, "broadcasting needs static shapes that fit the result.");
    std::vector<std::int64_t> dims;
    for (std::size_t d = 0; d < type.shape.size(); ++d) {
      dims.push_back(static_cast<std::int64_t>(d + result.shape.size() - type.shape.size()));
    }
    if (given.valid() && m_.attribute(given).integers.size() == dims.size() &&
        type.shape.size() < result.shape.size()) {
      dims = m_.attribute(given).integers;
    }
    graph::Type wide = type;
    wide.shape = result.shape;
    const TypeId wide_type = m_.intern(std::move(wide));
    const OpId op = level().function.add_op(OpKind::BroadcastInDim, {&draft.operands[i], 1}, {&wide_type, 1},
                                            m_.dictionary({{"broadcast_dimensions", m_.ints_attr(dims)}}), location);
    draft.operands[i] = level().function.result(op);
    draft.operand_types[i] = wide_type;
  }
  return true;
}

bool TextParser::parse_op() {
  const char* start = c_.position();
  std::vector<Result> results;
  if (c_.peek() == '%') {
    do {
      if (!c_.accept('%')) return c_.expected("a result name");
      const std::string_view name = c_.suffix_id();
      if (name.empty()) return c_.expected("a result name");
      std::int64_t count = 1;
      if (c_.accept(':')) {
        const char* at = c_.position();
        if (!c_.integer(count)) return false;
        if (count < 1 || count > 1 << 24)
          return c_.fail_at(at, Code::TextSyntax, "this number of results is out of range.");
      }
      results.push_back({name, static_cast<std::uint32_t>(count)});
    } while (c_.accept(','));
    if (!c_.expect('=')) return false;
  }
  OpDraft& draft = push_draft();
  draft.start = c_.position();
  if (positions_ == Positions::OfText) draft.text_location = location_in_text(draft.start);
  bool good;
  if (c_.peek() == '"') {
    std::string name;
    good = c_.string(name) && named_op(name, draft) && parse_generic_op(draft);
  } else {
    std::string_view name;
    good = c_.word(name, "an op") && named_op(name, draft) &&
           (draft.broadcasts ? parse_elementwise(draft) : parse_pretty_op(draft));
  }
  good = good && finish_op(draft, results, start);
  pop_draft();
  return good;
}

// (%0, %1) <{...}> ({...}, {...}) {...} : (T, T) -> T
bool TextParser::parse_generic_op(OpDraft& draft) {
  if (!c_.expect('(')) return false;
  if (!c_.accept(')') && !(parse_operand_list(draft.operands) && c_.expect(')'))) return false;
  if (c_.peek() == '[') return c_.fail(Code::TextSyntax, "successor blocks do not occur in StableHLO.");
  keep_literals_ = draft.kind == OpKind::Constant || draft.kind == OpKind::ChloConstant;
  if (c_.accept("<{") && !(parse_dictionary(draft.attributes, '}') && c_.expect('>'))) return false;
  if (c_.peek() == '(') {
    c_.accept('(');
    keep_literals_ = false;
    do {
      if (!parse_region(draft, {}, {})) return false;
    } while (c_.accept(','));
    if (!c_.expect(')')) return false;
    keep_literals_ = draft.kind == OpKind::Constant || draft.kind == OpKind::ChloConstant;
  }
  if (!parse_attributes(draft.attributes)) return false;
  keep_literals_ = false;
  return parse_functional_type(draft);
}

bool TextParser::parse_attributes(graph::NamedAttributes& out) {
  if (!c_.accept('{')) return true;
  return parse_dictionary(out, '}');
}

bool TextParser::parse_functional_type(OpDraft& draft) {
  return c_.expect(':') && parse_function_type(draft.operand_types, draft.result_types);
}

bool TextParser::check_types(OpDraft& draft, const char* start) {
  if (draft.operand_types.empty() && !draft.operands.empty()) {
    for (ValueId value : draft.operands) draft.operand_types.push_back(type_of(value));
    return true;
  }
  if (draft.operand_types.size() != draft.operands.size()) {
    return c_.fail_at(start, Code::TextType,
                      std::to_string(draft.operands.size()) + " operands, but " +
                          std::to_string(draft.operand_types.size()) + " operand types.");
  }
  for (std::size_t i = 0; i < draft.operands.size(); ++i) {
    if (type_of(draft.operands[i]) != draft.operand_types[i]) {
      return c_.fail_at(start, Code::TextType,
                        "operand " + std::to_string(i) + " was defined with another type than the one stated here.");
    }
  }
  return true;
}

bool TextParser::finish_op(OpDraft& draft, const std::vector<Result>& results, const char* start) {
  const auto name_op = [&] {
    if (c_.failed() && c_.error().place.op.empty()) c_.error().place.op = std::string(graph::op_name(draft.kind));
    return false;
  };
  LocationId location;
  if (!parse_trailing_location(location)) return false;
  if (!location.valid()) location = draft.text_location;
  if (!check_types(draft, draft.start)) return name_op();
  std::uint64_t named = 0;
  for (const Result& r : results) named += r.count;
  if (!results.empty() && named != draft.result_types.size()) {
    return c_.fail_at(start, Code::TextType,
                      std::to_string(named) + " results are named, the op has " +
                          std::to_string(draft.result_types.size()) + "."),
           name_op();
  }
  Level& here = level();
  if (draft.kind == OpKind::UnrealizedConversionCast && draft.operands.size() == 1 &&
      draft.operand_types == draft.result_types) {
    // Between dialects only: the value itself.
    const ValueId value = draft.operands[0];
    if (!results.empty() && !names_.define(results[0].name, value, 1, static_cast<std::uint32_t>(levels_.size() - 1))) {
      return c_.fail_at(start, Code::TextSyntax, "a name is defined twice.");
    }
    return true;
  }
  if (draft.broadcasts && !broadcast_operands(draft, location)) return name_op();
  auto attributes = graph::normalise(m_, draft.kind, std::move(draft.attributes), draft.operand_types);
  draft.attributes = {};
  if (!attributes) {
    return c_.fail_at(draft.start, attributes.diagnostic().code, attributes.diagnostic().message), name_op();
  }
  // Regions of one op share one list of captures: the union in order of first use.
  std::vector<FunctionId> regions;
  std::uint32_t capture_count = 0;
  if (!draft.regions.empty()) {
    std::vector<ValueId> all;
    std::vector<TypeId> types;
    std::unordered_map<ValueId, std::uint32_t> index;
    std::vector<std::vector<std::uint32_t>> slots(draft.regions.size());
    for (std::size_t r = 0; r < draft.regions.size(); ++r) {
      for (ValueId value : draft.region_captures[r]) {
        const auto [entry, added] = index.try_emplace(value, static_cast<std::uint32_t>(all.size()));
        if (added) {
          all.push_back(value);
          types.push_back(type_of(value));
        }
        slots[r].push_back(entry->second);
      }
    }
    for (std::size_t r = 0; r < draft.regions.size(); ++r) {
      draft.regions[r].location = location;
      draft.regions[r].finish_captures(types, slots[r]);
      regions.push_back(m_.add_function(std::move(draft.regions[r])));
    }
    draft.operands.insert(draft.operands.end(), all.begin(), all.end());
    capture_count = static_cast<std::uint32_t>(all.size());
  }
  const OpId op = here.function.add_op(draft.kind, draft.operands, draft.result_types, attributes->inherent, location,
                                       regions, capture_count, attributes->extra);
  std::uint32_t first = draft.result_types.empty() ? 0 : here.function.result(op).index;
  for (const Result& r : results) {
    if (!names_.define(r.name, ValueId(std::size_t{first}), r.count, static_cast<std::uint32_t>(levels_.size() - 1))) {
      return c_.fail_at(start, Code::TextSyntax, "'%" + std::string(r.name.substr(0, 80)) + "' is defined twice.");
    }
    first += r.count;
  }
  return true;
}

}  // namespace openneuron::import
