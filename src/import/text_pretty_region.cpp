// Pretty forms of ops with regions: reduce, while, manual_computation.
#include "import/text_parser.h"

namespace openneuron::import {

using graph::Function;
using graph::OpKind;

// reduce(%x init: %c), (%y init: %d) across dimensions = [0] : types reducer(%a: T, %b: T) (...) {...}
// reduce(%x init: %c) applies stablehlo.add across dimensions = [0] : types
bool TextParser::parse_reduce(OpDraft& draft) {
  std::vector<ValueId> inits;
  do {
    ValueId input, init;
    if (!c_.expect('(') || !use(input) || !c_.expect_word("init") || !c_.expect(':') || !use(init) || !c_.expect(')'))
      return false;
    draft.operands.push_back(input);
    inits.push_back(init);
  } while (c_.accept(','));
  const std::size_t inputs = inits.size();
  draft.operands.insert(draft.operands.end(), inits.begin(), inits.end());
  OpKind body_kind{};
  const char* body_start = c_.position();
  const bool compact = c_.accept_word("applies");
  if (compact) {
    std::string_view name;
    body_start = c_.position();
    if (!c_.word(name, "an op") || !known_op(name, body_start, body_kind)) return false;
    const graph::OpInfo& info = graph::op_info(body_kind);
    if (inputs != 1 || !info.operands.admits(2) || info.operands.max != 2 || info.regions.max != 0 ||
        !info.attributes.empty()) {
      return c_.fail_at(body_start, Code::TextSyntax,
                        "the short form of reduce takes one input and an op of two operands.");
    }
  }
  AttrId dimensions;
  if (!c_.expect_word("across") || !c_.expect_word("dimensions") || !c_.expect('=') || !parse_int_list(dimensions))
    return false;
  draft.attributes.emplace_back("dimensions", dimensions);
  if (!parse_attributes(draft.attributes) || !parse_functional_type(draft)) return false;
  if (compact) {
    if (draft.result_types.size() != 1)
      return c_.fail_at(body_start, Code::TextType, "a reduce with one input has one result.");
    const graph::Type& result = m_.type(draft.result_types[0]);
    if (result.kind != graph::TypeKind::Tensor && result.kind != graph::TypeKind::Quantized) {
      return c_.fail_at(body_start, Code::TextType, "a reduce gives a tensor.");
    }
    graph::Type scalar = result;
    scalar.shape.clear();
    scalar.bounds.clear();
    const TypeId type = m_.intern(std::move(scalar));
    Function body;
    body.is_region = true;
    const ValueId arguments[] = {body.add_parameter(type), body.add_parameter(type)};
    const OpId op = body.add_op(body_kind, arguments, {&type, 1});
    const ValueId value = body.result(op);
    body.add_op(OpKind::Return, {&value, 1}, {});
    draft.regions.push_back(std::move(body));
    draft.region_captures.emplace_back();
    return true;
  }
  if (!c_.expect_word("reducer")) return false;
  // Group i holds arguments i and inputs + i of the body.
  std::vector<std::string_view> names(2 * inputs);
  std::vector<TypeId> types(2 * inputs);
  for (std::size_t group = 0; group < inputs; ++group) {
    if (!c_.expect('(')) return false;
    for (std::size_t side = 0; side < 2; ++side) {
      if (side == 1 && !c_.expect(',')) return false;
      if (!c_.accept('%')) return c_.expected("a block argument");
      const std::size_t at = side * inputs + group;
      names[at] = c_.suffix_id();
      LocationId ignored;
      if (!c_.expect(':') || !parse_type(types[at]) || !parse_trailing_location(ignored)) return false;
    }
    if (!c_.expect(')')) return false;
  }
  LocationId ignored;
  return parse_trailing_location(ignored) && parse_region(draft, names, types);
}

// scan(%inputs) inits (%carries) dimension=0 attributes {...} {...} : (T, T) -> (T, T)
bool TextParser::parse_scan(OpDraft& draft) {
  std::int64_t dimension = 0;
  if (!c_.expect('(')) return false;
  if (!c_.accept(')') && !(parse_operand_list(draft.operands) && c_.expect(')'))) return false;
  const std::size_t inputs = draft.operands.size();
  if (!c_.expect_word("inits") || !c_.expect('(')) return false;
  if (!c_.accept(')') && !(parse_operand_list(draft.operands) && c_.expect(')'))) return false;
  if (!c_.expect_word("dimension") || !c_.expect('=') || !c_.integer(dimension)) return false;
  draft.attributes.emplace_back("dimension", m_.int_attr(dimension));
  if (c_.accept_word("attributes") && !parse_attributes(draft.attributes)) return false;
  if (!parse_region(draft, {}, {}) || !parse_functional_type(draft)) return false;
  const std::int64_t carries = static_cast<std::int64_t>(draft.operands.size() - inputs);
  const std::int64_t outputs = static_cast<std::int64_t>(draft.result_types.size()) - carries;
  draft.attributes.emplace_back("operandSegmentSizes",
                                m_.ints_attr(std::vector<std::int64_t>{static_cast<std::int64_t>(inputs), carries}));
  draft.attributes.emplace_back("resultSegmentSizes", m_.ints_attr(std::vector<std::int64_t>{outputs, carries}));
  return true;
}

// while(%iterArg = %0, %iterArg_0 = %1) : T, T attributes {...} cond {...} do {...}
bool TextParser::parse_while(OpDraft& draft) {
  std::vector<std::string_view> names;
  if (!c_.expect('(')) return false;
  if (!c_.accept(')')) {
    do {
      if (!c_.accept('%')) return c_.expected("a loop variable");
      names.push_back(c_.suffix_id());
      ValueId value;
      if (!c_.expect('=') || !use(value)) return false;
      draft.operands.push_back(value);
    } while (c_.accept(','));
    if (!c_.expect(')')) return false;
  }
  if (c_.accept(':')) {
    do {
      TypeId type;
      if (!parse_type(type)) return false;
      draft.operand_types.push_back(type);
    } while (c_.accept(','));
  }
  if (draft.operand_types.size() != names.size()) {
    return c_.fail_at(draft.start, Code::TextType, "each loop variable needs one type.");
  }
  draft.result_types = draft.operand_types;
  if (c_.accept_word("attributes") && !parse_attributes(draft.attributes)) return false;
  return c_.expect_word("cond") && parse_region(draft, names, draft.operand_types) && c_.expect_word("do") &&
         parse_region(draft, names, draft.operand_types);
}

// manual_computation(%0) in_shardings=[...] out_shardings=[...] manual_axes={"x"} (%arg: T) {...} : (T) -> T
bool TextParser::parse_manual_computation(OpDraft& draft) {
  if (!c_.expect('(')) return false;
  if (!c_.accept(')') && !(parse_operand_list(draft.operands) && c_.expect(')'))) return false;
  for (const char* key : {"in_shardings", "out_shardings", "manual_axes"}) {
    if (!c_.expect_word(key) || !c_.expect('=')) return false;
    const char bracket = c_.peek();
    const char* start = c_.position();
    if (bracket != '[' && bracket != '{') return c_.expected("a list");
    if (!c_.skip_balanced()) return false;
    const std::string text(start, c_.raw());
    const std::string whole =
        bracket == '[' ? "#sdy.sharding_per_value<" + text + ">" : "#sdy<manual_axes" + text + ">";
    draft.attributes.emplace_back(key, m_.opaque_attr(whole));
  }
  std::vector<std::string_view> names;
  std::vector<TypeId> types;
  if (c_.accept('(') && !c_.accept(')')) {
    do {
      if (!c_.accept('%')) return c_.expected("an argument");
      names.push_back(c_.suffix_id());
      TypeId type;
      LocationId ignored;
      if (!c_.expect(':') || !parse_type(type) || !parse_trailing_location(ignored)) return false;
      types.push_back(type);
    } while (c_.accept(','));
    if (!c_.expect(')')) return false;
  }
  return parse_region(draft, names, types) && parse_attributes(draft.attributes) && parse_functional_type(draft);
}

}  // namespace openneuron::import
