// Pretty forms of contractions and calls.
#include "import/text_parser.h"

namespace openneuron::import {

using graph::OpKind;

bool TextParser::parse_precision_list(AttrId& out) {
  if (!c_.expect('[')) return false;
  std::vector<AttrId> items;
  if (!c_.accept(']')) {
    do {
      if (c_.peek() == '#') {
        AttrId item;
        if (!parse_attribute(item)) return false;
        items.push_back(item);
        continue;
      }
      std::string_view word;
      if (!c_.word(word, "a precision")) return false;
      items.push_back(m_.enum_attr("precision", word));
    } while (c_.accept(','));
    if (!c_.expect(']')) return false;
  }
  out = m_.array_attr(std::move(items));
  return true;
}

// <lhs_precision_type = bf16, ...>
bool TextParser::parse_algorithm(AttrId& out) {
  if (c_.peek() == '#') return parse_attribute(out);
  return c_.expect('<') && parse_struct("dot_algorithm", out);
}

// dot_general %0, %1, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : ...
bool TextParser::parse_dot(OpDraft& draft) {
  for (int i = 0; i < 2; ++i) {
    ValueId value;
    if (i == 1 && !c_.expect(',')) return false;
    if (!use(value)) return false;
    draft.operands.push_back(value);
  }
  while (c_.accept(',')) {
    std::string_view key;
    const char* start = c_.position();
    if (!c_.word(key, "a clause such as contracting_dims") || !c_.expect('=')) return false;
    AttrId value;
    const bool batching = key == "batching_dims";
    if (draft.kind == OpKind::DotGeneral && (batching || key == "contracting_dims")) {
      AttrId right;
      if (!parse_int_list(value) || !c_.expect('x') || !parse_int_list(right)) return false;
      const std::string rest = batching ? "batching_dimensions" : "contracting_dimensions";
      draft.attributes.emplace_back("lhs_" + rest, value);
      draft.attributes.emplace_back("rhs_" + rest, right);
    } else if (key == "precision" || key == "precision_config") {
      if (!parse_precision_list(value)) return false;
      draft.attributes.emplace_back("precision_config", value);
    } else if (key == "algorithm") {
      if (!parse_algorithm(value)) return false;
      draft.attributes.emplace_back("algorithm", value);
    } else {
      return c_.fail_at(start, Code::TextSyntax, "'" + std::string(key.substr(0, 60)) + "' is no clause of this op.");
    }
  }
  return parse_attributes(draft.attributes) && parse_types(draft, false);
}

// [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]; '?' names a dimension that takes no part.
bool TextParser::parse_dim_numbers(graph::NamedAttributes& out) {
  struct Part {
    char first, second;  // letters of the two named dimensions
    const char* first_name;
    const char* second_name;
    const char* spatial_name;
  };
  constexpr Part kParts[] = {
      {'b', 'f', "input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions"},
      {'i', 'o', "kernel_input_feature_dimension", "kernel_output_feature_dimension", "kernel_spatial_dimensions"},
      {'b', 'f', "output_batch_dimension", "output_feature_dimension", "output_spatial_dimensions"},
  };
  for (int part = 0; part < 3; ++part) {
    const Part& p = kParts[part];
    if (part == 1 && !c_.expect('x')) return false;
    if (part == 2 && !c_.expect("->")) return false;
    const char* start = c_.position();
    if (!c_.expect('[')) return false;
    std::int64_t first = -1, second = -1, place = 0;
    std::vector<std::int64_t> spatial;
    do {
      const char c = c_.peek();
      if (place >= graph::kMaxRank) return c_.fail(Code::TextSyntax, "too many dimensions.");
      if (c == p.first || c == p.second) {
        c_.accept(c);
        (c == p.first ? first : second) = place;
      } else if (c != '?' || !c_.accept('?')) {
        std::int64_t index = 0;
        if (!c_.integer(index)) return false;
        if (index < 0 || index >= graph::kMaxRank)
          return c_.fail(Code::TextSyntax, "this dimension number is out of range.");
        if (spatial.size() <= static_cast<std::size_t>(index)) spatial.resize(static_cast<std::size_t>(index) + 1, -1);
        spatial[static_cast<std::size_t>(index)] = place;
      }
      ++place;
    } while (c_.accept(','));
    if (!c_.expect(']')) return false;
    bool complete = first >= 0 && second >= 0;
    for (std::int64_t s : spatial) complete &= s >= 0;
    if (!complete) return c_.fail_at(start, Code::TextSyntax, "these dimension numbers are not complete.");
    out.emplace_back(p.first_name, m_.int_attr(first));
    out.emplace_back(p.second_name, m_.int_attr(second));
    out.emplace_back(p.spatial_name, m_.ints_attr(spatial));
  }
  return true;
}

// {stride = [2, 2], pad = [[1, 2], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]}
bool TextParser::parse_window(graph::NamedAttributes& out) {
  if (!c_.expect('{')) return false;
  if (c_.accept('}')) return true;
  do {
    std::string_view key;
    const char* start = c_.position();
    if (!c_.word(key, "a window clause") || !c_.expect('=')) return false;
    if (key == "pad") {
      std::vector<std::int64_t> pairs;
      if (!c_.expect('[')) return false;
      if (!c_.accept(']')) {
        do {
          std::int64_t low = 0, high = 0;
          if (!c_.expect('[') || !c_.integer(low) || !c_.expect(',') || !c_.integer(high) || !c_.expect(']'))
            return false;
          pairs.push_back(low);
          pairs.push_back(high);
        } while (c_.accept(','));
        if (!c_.expect(']')) return false;
      }
      out.emplace_back("padding", m_.matrix_attr(pairs, static_cast<std::int64_t>(pairs.size() / 2), 2));
    } else if (key == "reverse") {
      std::vector<std::int64_t> flags;
      if (!c_.expect('[')) return false;
      if (!c_.accept(']')) {
        do {
          std::int64_t flag = 0;
          if (c_.accept_word("true"))
            flag = 1;
          else if (!c_.accept_word("false") && !c_.integer(flag))
            return false;
          flags.push_back(flag != 0);
        } while (c_.accept(','));
        if (!c_.expect(']')) return false;
      }
      out.emplace_back("window_reversal", m_.bools_attr(flags));
    } else {
      const char* name = key == "stride"       ? "window_strides"
                         : key == "lhs_dilate" ? "lhs_dilation"
                         : key == "rhs_dilate" ? "rhs_dilation"
                                               : nullptr;
      AttrId value;
      if (name == nullptr)
        return c_.fail_at(start, Code::TextSyntax, "'" + std::string(key.substr(0, 60)) + "' is no window clause.");
      if (!parse_int_list(value)) return false;
      out.emplace_back(name, value);
    }
  } while (c_.accept(','));
  return c_.expect('}');
}

// convolution(%0, %1) dim_numbers = ..., window = {...} {...} : (T, T) -> T
bool TextParser::parse_convolution(OpDraft& draft) {
  if (!c_.expect('(') || !parse_operand_list(draft.operands) || !c_.expect(')')) return false;
  if (!c_.expect_word("dim_numbers") || !c_.expect('=') || !parse_dim_numbers(draft.attributes)) return false;
  if (c_.accept(',')) {
    if (!c_.expect_word("window") || !c_.expect('=') || !parse_window(draft.attributes)) return false;
  }
  return parse_attributes(draft.attributes) && parse_types(draft, false);
}

// call @f(%0, %1) {...} : (T, T) -> T
bool TextParser::parse_call(OpDraft& draft) {
  std::string callee;
  if (!c_.symbol(callee) || !c_.expect('(')) return false;
  if (!c_.accept(')') && !(parse_operand_list(draft.operands) && c_.expect(')'))) return false;
  if (!parse_attributes(draft.attributes)) return false;
  draft.attributes.emplace_back("callee", m_.symbol_attr(callee));
  return parse_functional_type(draft);
}

// custom_call @name(%0) {...} : (T) -> T
bool TextParser::parse_custom_call(OpDraft& draft) {
  std::string target;
  if (!c_.symbol(target) || !c_.expect('(')) return false;
  if (!c_.accept(')') && !(parse_operand_list(draft.operands) && c_.expect(')'))) return false;
  if (!parse_attributes(draft.attributes)) return false;
  draft.attributes.emplace_back("call_target_name", m_.string_attr(target));
  return parse_functional_type(draft);
}

// composite "chlo.top_k" %0 {...} : (T) -> (T, T)
bool TextParser::parse_composite(OpDraft& draft) {
  std::string name;
  if (!c_.string(name)) return false;
  if (c_.peek() == '%' && !parse_operand_list(draft.operands)) return false;
  if (!parse_attributes(draft.attributes)) return false;
  if (c_.accept('(')) {
    do {
      if (!parse_region(draft, {}, {})) return false;
    } while (c_.accept(','));
    if (!c_.expect(')')) return false;
  }
  draft.attributes.emplace_back("name", m_.string_attr(name));
  return parse_functional_type(draft);
}

// return {attributes} %0, %1 : T, T
bool TextParser::parse_return(OpDraft& draft) {
  if (!parse_attributes(draft.attributes)) return false;
  if (c_.peek() != '%') return true;
  if (!parse_operand_list(draft.operands) || !parse_attributes(draft.attributes) || !c_.expect(':')) return false;
  do {
    TypeId type;
    if (!parse_type(type)) return false;
    draft.operand_types.push_back(type);
  } while (c_.accept(','));
  return true;
}

}  // namespace openneuron::import
