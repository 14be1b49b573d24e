// Pretty forms of ops without regions.
#include "import/text_parser.h"

namespace openneuron::import {

using graph::OpForm;
using graph::OpKind;

bool TextParser::parse_pretty_op(OpDraft& draft) {
  const graph::OpInfo& info = graph::op_info(draft.kind);
  switch (info.form) {
    case OpForm::Elementwise:
    case OpForm::Functional:
    case OpForm::Complex: return parse_elementwise(draft);
    case OpForm::Variadic:
    case OpForm::AfterAll: return parse_variadic(draft);
    case OpForm::Compare: return parse_compare(draft);
    case OpForm::Select: return parse_select(draft);
    case OpForm::Constant: return parse_constant(draft);
    case OpForm::Slice: return parse_slice(draft);
    case OpForm::Iota:
    case OpForm::Dims:
    case OpForm::Sizes:
    case OpForm::Concatenate:
    case OpForm::Pad:
    case OpForm::DynamicSlice:
    case OpForm::Einsum:
    case OpForm::DimensionSize:
    case OpForm::DynamicIota:
    case OpForm::ReducePrecision:
    case OpForm::Fft:
    case OpForm::Cholesky:
    case OpForm::Rng:
    case OpForm::RngBitGenerator: return parse_lists(draft);
    case OpForm::Dot:
    case OpForm::DotGeneral: return parse_dot(draft);
    case OpForm::Convolution: return parse_convolution(draft);
    case OpForm::Reduce: return parse_reduce(draft);
    case OpForm::While: return parse_while(draft);
    case OpForm::Return: return parse_return(draft);
    case OpForm::Tuple:
    case OpForm::GetTupleElement: return parse_tuple(draft);
    case OpForm::Call: return parse_call(draft);
    case OpForm::CustomCall: return parse_custom_call(draft);
    case OpForm::Composite: return parse_composite(draft);
    case OpForm::TopK: return parse_top_k(draft);
    case OpForm::ShardingConstraint: return parse_sharding_constraint(draft);
    case OpForm::ManualComputation: return parse_manual_computation(draft);
    case OpForm::Cast: return parse_cast(draft);
    case OpForm::Generic: break;
  }
  if (draft.kind == OpKind::ChloScan) return parse_scan(draft);
  return c_.fail_at(
      draft.start, Code::TextSyntax,
      "'" + std::string(info.name) + "' has no short form; write it quoted, \"" + std::string(info.name) + "\"(...).");
}

// `: T` (all operands and the result), `: (T, T) -> T`, `: T, T -> T`
bool TextParser::parse_types(OpDraft& draft, bool same_allowed) {
  if (!c_.expect(':')) return false;
  const char* start = c_.position();
  if (c_.peek() == '(') return parse_function_type(draft.operand_types, draft.result_types);
  do {
    TypeId type;
    if (!parse_type(type)) return false;
    draft.operand_types.push_back(type);
  } while (c_.accept(','));
  if (c_.accept("->")) return parse_type_list(draft.result_types);
  if (!same_allowed || draft.operand_types.size() != 1) {
    return c_.fail_at(start, Code::TextType, "types such as (T, T) -> T are expected.");
  }
  draft.result_types = draft.operand_types;
  draft.operand_types.assign(draft.operands.size(), draft.result_types[0]);
  return true;
}

bool TextParser::parse_elementwise(OpDraft& draft) {
  if (c_.peek() == '%' && !parse_operand_list(draft.operands)) return false;
  if (!parse_attributes(draft.attributes) || !parse_types(draft, true)) return false;
  const OpForm form = graph::op_info(draft.kind).form;
  if (form == OpForm::Complex && draft.operand_types == std::vector<TypeId>(2, draft.result_types[0])) {
    draft.operand_types.clear();  // one type: the result's
  }
  return true;
}

// optimization_barrier %0, %1 : T, T and after_all %0, %1 : T
bool TextParser::parse_variadic(OpDraft& draft) {
  if (!parse_attributes(draft.attributes)) return false;
  if (c_.accept('(')) {  // `()`: no operands
    if (!c_.expect(')')) return false;
  } else if (c_.peek() == '%' && !parse_operand_list(draft.operands)) {
    return false;
  }
  if (!parse_attributes(draft.attributes)) return false;
  const bool all_alike = draft.kind == OpKind::AfterAll;
  if (draft.operands.empty() && !all_alike && c_.peek() != ':') return true;
  if (!c_.expect(':')) return false;
  if (c_.peek() == '(') return parse_function_type(draft.operand_types, draft.result_types);
  do {
    TypeId type;
    if (!parse_type(type)) return false;
    draft.operand_types.push_back(type);
  } while (c_.accept(','));
  if (c_.accept("->")) return parse_type_list(draft.result_types);
  if (all_alike) {
    draft.result_types = {draft.operand_types[0]};
    if (draft.operand_types.size() == 1) draft.operand_types.assign(draft.operands.size(), draft.result_types[0]);
  } else {
    if (draft.operand_types.size() == 1) draft.operand_types.resize(draft.operands.size(), draft.operand_types[0]);
    draft.result_types = draft.operand_types;
  }
  return true;
}

// compare LT, %0, %1, SIGNED : (T, T) -> T
bool TextParser::parse_compare(OpDraft& draft) {
  std::string_view direction, type;
  if (!c_.word(direction, "a comparison direction") || !c_.expect(',')) return false;
  draft.attributes.emplace_back("comparison_direction", m_.enum_attr("comparison_direction", direction));
  for (int i = 0; i < 2; ++i) {
    ValueId value;
    if (i == 1 && !c_.expect(',')) return false;
    if (!use(value)) return false;
    draft.operands.push_back(value);
  }
  if (c_.accept(',')) {
    if (!c_.word(type, "a comparison type")) return false;
    draft.attributes.emplace_back("compare_type", m_.enum_attr("comparison_type", type));
  }
  return parse_attributes(draft.attributes) && parse_types(draft, false);
}

// select %p, %a, %b : Tp, T
bool TextParser::parse_select(OpDraft& draft) {
  if (!parse_operand_list(draft.operands) || !parse_attributes(draft.attributes) || !c_.expect(':')) return false;
  if (c_.peek() == '(') return parse_function_type(draft.operand_types, draft.result_types);
  TypeId predicate, type;
  if (!parse_type(predicate)) return false;
  if (c_.accept(',')) {
    if (!parse_type(type)) return false;
  } else {
    type = predicate;
  }
  draft.operand_types = {predicate, type, type};
  draft.result_types = {type};
  return true;
}

bool TextParser::parse_constant(OpDraft& draft) {
  if (!parse_attributes(draft.attributes)) return false;
  const char* start = c_.position();
  AttrId value;
  keep_literals_ = true;
  const bool good = parse_attribute(value);
  keep_literals_ = false;
  if (!good) return false;
  if (m_.attribute(value).kind != graph::AttrKind::Constant) {
    return c_.fail_at(start, Code::TextLiteral, "a dense literal is expected.");
  }
  draft.attributes.emplace_back("value", value);
  TypeId type = m_.constant(m_.attribute(value).constant).type;
  if (c_.accept("->") && !parse_type(type)) return false;
  draft.result_types = {type};
  return true;
}

// slice %0 [0:4, 1:8:2] : (T) -> T
bool TextParser::parse_slice(OpDraft& draft) {
  ValueId value;
  if (!use(value) || !c_.expect('[')) return false;
  draft.operands.push_back(value);
  std::vector<std::int64_t> starts, limits, strides;
  if (!c_.accept(']')) {
    do {
      std::int64_t start = 0, limit = 0, stride = 1;
      if (!c_.integer(start) || !c_.expect(':') || !c_.integer(limit)) return false;
      if (c_.accept(':') && !c_.integer(stride)) return false;
      starts.push_back(start);
      limits.push_back(limit);
      strides.push_back(stride);
    } while (c_.accept(','));
    if (!c_.expect(']')) return false;
  }
  draft.attributes.emplace_back("start_indices", m_.ints_attr(starts));
  draft.attributes.emplace_back("limit_indices", m_.ints_attr(limits));
  draft.attributes.emplace_back("strides", m_.ints_attr(strides));
  return parse_attributes(draft.attributes) && parse_types(draft, true);
}

bool TextParser::parse_int_list(AttrId& out) {
  if (!c_.expect('[')) return false;
  std::vector<std::int64_t> values;
  if (!c_.accept(']')) {
    do {
      std::int64_t value = 0;
      if (!c_.integer(value)) return false;
      values.push_back(value);
    } while (c_.accept(','));
    if (!c_.expect(']')) return false;
  }
  out = m_.ints_attr(values);
  return true;
}

namespace {

// What `key = ...` means in each op that has such clauses; `list` or one integer, keyword, flag, `e5m10`.
struct Clause {
  OpKind kind;
  std::string_view key, attribute;
  enum { List, Integer, Keyword, Flag, Text, Format } value;
};
constexpr Clause kClauses[] = {
    {OpKind::Iota, "dim", "iota_dimension", Clause::Integer},
    {OpKind::DynamicIota, "dim", "iota_dimension", Clause::Integer},
    {OpKind::BroadcastInDim, "dims", "broadcast_dimensions", Clause::List},
    {OpKind::DynamicBroadcastInDim, "dims", "broadcast_dimensions", Clause::List},
    {OpKind::Transpose, "dims", "permutation", Clause::List},
    {OpKind::Reverse, "dims", "dimensions", Clause::List},
    {OpKind::Broadcast, "sizes", "broadcast_sizes", Clause::List},
    {OpKind::Concatenate, "dim", "dimension", Clause::Integer},
    {OpKind::Pad, "low", "edge_padding_low", Clause::List},
    {OpKind::Pad, "high", "edge_padding_high", Clause::List},
    {OpKind::Pad, "interior", "interior_padding", Clause::List},
    {OpKind::DynamicSlice, "sizes", "slice_sizes", Clause::List},
    {OpKind::Einsum, "config", "einsum_config", Clause::Text},
    {OpKind::UnaryEinsum, "config", "einsum_config", Clause::Text},
    {OpKind::GetDimensionSize, "dim", "dimension", Clause::Integer},
    {OpKind::SetDimensionSize, "dim", "dimension", Clause::Integer},
    {OpKind::ReducePrecision, "format", "", Clause::Format},
    {OpKind::Fft, "type", "fft_type", Clause::Keyword},
    {OpKind::Fft, "length", "fft_length", Clause::List},
    {OpKind::Cholesky, "lower", "lower", Clause::Flag},
    {OpKind::Rng, "distribution", "rng_distribution", Clause::Keyword},
    {OpKind::RngBitGenerator, "algorithm", "rng_algorithm", Clause::Keyword},
};

}  // namespace

bool TextParser::parse_keyword_clause(OpDraft& draft, std::string_view key) {
  for (const Clause& clause : kClauses) {
    if (clause.kind != draft.kind || clause.key != key) continue;
    AttrId value;
    if (clause.value == Clause::List) {
      if (!parse_int_list(value)) return false;
    } else if (clause.value == Clause::Integer) {
      std::int64_t integer = 0;
      if (!c_.integer(integer)) return false;
      value = m_.int_attr(integer);
    } else if (clause.value == Clause::Text) {
      std::string text;
      if (!c_.string(text)) return false;
      value = m_.string_attr(text);
    } else if (clause.value == Clause::Flag) {
      const std::string_view word = c_.peek_word();
      if (word != "true" && word != "false") return c_.expected("true or false");
      c_.accept_word(word);
      value = m_.bool_attr(word == "true");
    } else if (clause.value == Clause::Keyword) {
      std::string_view word;
      if (!c_.word(word, "a keyword")) return false;
      value = m_.enum_attr(graph::op_info(draft.kind).attribute(clause.attribute)->enumeration, word);
    } else {  // e5m10
      std::string_view word;
      const char* start = c_.position();
      std::int64_t exponent = 0, mantissa = 0;
      if (!c_.word(word, "a format such as e5m10")) return false;
      const std::size_t m = word.find('m');
      if (word[0] != 'e' || m == std::string_view::npos || !parse_int64(word.substr(1, m - 1), exponent) ||
          !parse_int64(word.substr(m + 1), mantissa)) {
        return c_.fail_at(start, Code::TextSyntax, "a format such as e5m10 is expected.");
      }
      draft.attributes.emplace_back("exponent_bits", m_.int_attr(exponent, ElementType::I32));
      draft.attributes.emplace_back("mantissa_bits", m_.int_attr(mantissa, ElementType::I32));
      return true;
    }
    draft.attributes.emplace_back(std::string(clause.attribute), value);
    return true;
  }
  return c_.fail(Code::TextSyntax, "'" + std::string(key.substr(0, 60)) + "' is no clause of this op.");
}

// %0, %1, dims = [...], low = [...] : types
bool TextParser::parse_lists(OpDraft& draft) {
  bool more = c_.peek() != ':' && c_.peek() != '{';
  while (more) {
    if (c_.peek() == '%') {
      ValueId value;
      if (!use(value)) return false;
      draft.operands.push_back(value);
    } else {
      std::string_view key;
      if (!c_.word(key, "a value or a clause") || !c_.expect('=') || !parse_keyword_clause(draft, key)) return false;
    }
    more = c_.accept(',');
    if (more && c_.peek() == ',') c_.accept(',');  // MLIR writes `dynamic_slice %0, , sizes = []` for rank 0
  }
  return parse_attributes(draft.attributes) && parse_types(draft, true);
}

bool TextParser::parse_tuple(OpDraft& draft) {
  if (draft.kind == OpKind::Tuple) {
    if (c_.peek() == '%' && !parse_operand_list(draft.operands)) return false;
    if (!parse_attributes(draft.attributes) || !c_.expect(':')) return false;
    if (c_.peek() == '(') return parse_function_type(draft.operand_types, draft.result_types);
    TypeId type;
    if (!parse_type(type)) return false;
    draft.result_types = {type};
    return true;
  }
  // get_tuple_element %t[0] : (tuple<T>) -> T
  ValueId value;
  std::int64_t index = 0;
  if (!use(value) || !c_.expect('[') || !c_.integer(index) || !c_.expect(']')) return false;
  draft.operands.push_back(value);
  draft.attributes.emplace_back("index", m_.int_attr(index, ElementType::I32));
  return parse_attributes(draft.attributes) && parse_types(draft, false);
}

// top_k(%0, k = 5) : T -> (T, T)
bool TextParser::parse_top_k(OpDraft& draft) {
  ValueId value;
  if (!c_.expect('(') || !use(value)) return false;
  draft.operands.push_back(value);
  while (c_.accept(',')) {
    std::string_view key;
    AttrId attribute;
    if (!c_.word(key, "k") || !c_.expect('=') || !parse_attribute(attribute)) return false;
    draft.attributes.emplace_back(std::string(key), attribute);
  }
  return c_.expect(')') && parse_attributes(draft.attributes) && parse_types(draft, false);
}

// sharding_constraint %0 <@mesh, [{"x"}]> : T
bool TextParser::parse_sharding_constraint(OpDraft& draft) {
  ValueId value;
  if (!use(value)) return false;
  draft.operands.push_back(value);
  const char* start = c_.position();
  if (c_.peek() != '<') return c_.expected("a sharding such as <@mesh, [{}]>");
  if (!c_.skip_balanced()) return false;
  draft.attributes.emplace_back("sharding", m_.opaque_attr("#sdy.sharding" + std::string(start, c_.raw())));
  return parse_attributes(draft.attributes) && parse_types(draft, true);
}

// unrealized_conversion_cast %0 : T to T
bool TextParser::parse_cast(OpDraft& draft) {
  if (c_.peek() == '%' && !parse_operand_list(draft.operands)) return false;
  if (!c_.expect(':')) return false;
  do {
    TypeId type;
    if (!parse_type(type)) return false;
    draft.operand_types.push_back(type);
  } while (c_.accept(','));
  if (!c_.expect_word("to")) return false;
  do {
    TypeId type;
    if (!parse_type(type)) return false;
    draft.result_types.push_back(type);
  } while (c_.accept(','));
  return parse_attributes(draft.attributes);
}

}  // namespace openneuron::import
