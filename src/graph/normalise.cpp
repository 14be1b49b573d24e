#include "graph/normalise.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "graph/normalise_structs.h"
#include "graph/op_info.h"
#include "num/convert.h"

namespace openneuron::graph {
namespace {

// A longer splat stays a Constant: an attribute must not grow far beyond its text.
constexpr std::int64_t kMaxExpandedSplat = 1 << 16;

Failure wrong(const AttrInfo& info, std::string_view expected) {
  return fail(Code::GraphAttribute,
              "attribute '" + std::string(info.name) + "' must be " + std::string(expected) + ".");
}

// Integers of Ints, Bools, an Array of Int, or an empty Array.
bool read_integers(const Module& m, const Attribute& a, std::vector<std::int64_t>& out) {
  if (a.kind == AttrKind::Ints || a.kind == AttrKind::Bools) {
    out = a.integers;
    return true;
  }
  if (a.kind != AttrKind::Array) return false;
  for (AttrId item : a.items) {
    const Attribute& i = m.attribute(item);
    if (i.kind != AttrKind::Int && i.kind != AttrKind::Bool) return false;
    out.push_back(i.integer);
  }
  return true;
}

Result<AttrId> normal_pairs(Module& m, const AttrInfo& info, AttrId id) {
  const Attribute& a = m.attribute(id);
  if (a.kind == AttrKind::Constant) {  // an empty literal of a rank that is not 1 or 2, or a large splat
    const Constant& c = m.constant(a.constant);
    if (m.type(c.type).element_count() == 0) return m.matrix_attr({}, 0, 2);
    return wrong(info, "a list of pairs");
  }
  std::vector<std::int64_t> values;
  if (!read_integers(m, a, values) || values.size() % 2 != 0) return wrong(info, "a list of pairs");
  if (a.shape.size() == 2 && a.shape[1] != 2 && !values.empty()) return wrong(info, "a list of pairs");
  return m.matrix_attr(values, static_cast<std::int64_t>(values.size() / 2), 2);
}

Result<AttrId> normal_groups(Module& m, const AttrInfo& info, AttrId id) {
  const Attribute& a = m.attribute(id);
  if (a.kind == AttrKind::Dictionary) {
    const AttrId made = normal_mesh_groups(m, id);
    if (!made.valid()) return wrong(info, "made of 'mesh' and 'axes'");
    return made;
  }
  if (a.kind == AttrKind::Constant && m.type(m.constant(a.constant).type).element_count() == 0) {
    return m.matrix_attr({}, 0, 0);
  }
  if (a.kind != AttrKind::Ints) return wrong(info, "a matrix of device ids or mesh axes");
  const std::vector<std::int64_t> values = a.integers;
  if (values.empty()) return m.matrix_attr({}, 0, 0);
  if (a.shape.size() == 2) return m.matrix_attr(values, a.shape[0], a.shape[1]);
  return m.matrix_attr(values, 1, static_cast<std::int64_t>(values.size()));
}

Result<AttrId> normal_array(Module& m, const AttrInfo& info, AttrId id) {
  const Attribute& a = m.attribute(id);
  if (a.kind == AttrKind::Ints && a.integers.empty()) return m.array_attr({});
  if (a.kind != AttrKind::Array) return wrong(info, "a list");
  if (info.name == "output_operand_aliases") {
    std::vector<AttrId> items = a.items;
    for (AttrId& item : items) {
      item = normal_operand_alias(m, item);
      if (!item.valid()) return wrong(info, "a list of output_operand_alias");
    }
    return m.array_attr(std::move(items));
  }
  if (info.name != "operand_layouts" && info.name != "result_layouts" && info.name != "layout") return id;
  std::vector<AttrId> items = a.items;
  for (AttrId& item : items) {
    Attribute layout = m.attribute(item);
    if (layout.kind == AttrKind::Constant && m.type(m.constant(layout.constant).type).element_count() == 0) {
      layout = Attribute();
      layout.kind = AttrKind::Ints;
    }
    if (layout.kind != AttrKind::Ints) continue;  // infeed's layout may nest
    layout.element = ElementType::Index;
    layout.shape.clear();
    item = m.intern(std::move(layout));
  }
  return m.array_attr(std::move(items));
}

// None when all are zero and DEFAULT.
Result<AttrId> normal_accuracy(Module& m, const AttrInfo& info, AttrId id) {
  const AttrId full = normal_result_accuracy(m, id);
  if (!full.valid()) return wrong(info, "a result_accuracy with atol, rtol, ulps and mode");
  const bool zero = m.attribute(m.lookup(full, "atol")).real == 0 && m.attribute(m.lookup(full, "rtol")).real == 0 &&
                    m.attribute(m.lookup(full, "ulps")).integer == 0;
  if (zero && m.attribute(m.lookup(full, "mode")).text == "DEFAULT") return AttrId();
  return full;
}

Result<AttrId> normal_enum(Module& m, const AttrInfo& info, std::string_view enumeration, AttrId id) {
  const Attribute& a = m.attribute(id);
  if (a.kind == AttrKind::Enum || a.kind == AttrKind::String) {
    const std::string keyword = a.text;
    for (std::string_view known : enum_keywords(enumeration)) {
      if (known == keyword) return m.enum_attr(enumeration, keyword);
    }
    return fail(Code::GraphAttribute, "attribute '" + std::string(info.name) + "' has no value '" + keyword + "'.");
  }
  return wrong(info, "a keyword of " + std::string(enumeration));
}

Result<AttrId> normal_list(Module& m, const AttrInfo& info, AttrId id) {
  std::vector<AttrId> items = m.attribute(id).kind == AttrKind::Array ? m.attribute(id).items : std::vector<AttrId>();
  if (m.attribute(id).kind != AttrKind::Array &&
      !(m.attribute(id).kind == AttrKind::Ints && m.attribute(id).integers.empty())) {
    return wrong(info, "a list");
  }
  if (items.empty() && info.default_value == "DEFAULT:2") {  // no precision and the default precision mean the same
    items.assign(2, m.enum_attr("precision", "DEFAULT"));
  }
  for (AttrId& item : items) {
    if (info.rule == AttrRule::Symbols) {
      const Attribute& s = m.attribute(item);
      if (s.kind != AttrKind::Symbol && s.kind != AttrKind::String) return wrong(info, "a list of function names");
      item = m.symbol_attr(std::string(s.text));
    } else {
      auto normal = normal_enum(m, info, "precision", item);
      if (!normal) return normal.failure();
      item = *normal;
    }
  }
  return m.array_attr(std::move(items));
}

Result<AttrId> normal_value(Module& m, const AttrInfo& info, AttrId id) {
  const Attribute& a = m.attribute(id);
  switch (info.rule) {
    case AttrRule::I64:
    case AttrRule::I32: {
      if (a.kind != AttrKind::Int && a.kind != AttrKind::Bool) return wrong(info, "an integer");
      return m.int_attr(a.integer, info.rule == AttrRule::I64 ? ElementType::I64 : ElementType::I32);
    }
    case AttrRule::Bool:
      if (a.kind == AttrKind::Unit) return m.bool_attr(true);
      if (a.kind != AttrKind::Bool && a.kind != AttrKind::Int) return wrong(info, "true or false");
      return m.bool_attr(a.integer != 0);
    case AttrRule::F32:
      if (a.kind != AttrKind::Float) return wrong(info, "a number");
      return m.float_attr(static_cast<double>(static_cast<float>(a.real)), ElementType::F32);
    case AttrRule::String:
      if (a.kind != AttrKind::String && a.kind != AttrKind::Symbol) return wrong(info, "a string");
      return m.string_attr(std::string(a.text));
    case AttrRule::Symbol:
      if (a.kind != AttrKind::String && a.kind != AttrKind::Symbol) return wrong(info, "a function name");
      return m.symbol_attr(std::string(a.text));
    case AttrRule::Ints: {
      std::vector<std::int64_t> values;
      if (a.kind == AttrKind::Constant && m.type(m.constant(a.constant).type).element_count() == 0) {
        return m.ints_attr({});
      }
      if (!read_integers(m, a, values)) return wrong(info, "a list of integers");
      return m.ints_attr(values);
    }
    case AttrRule::Bools: {
      std::vector<std::int64_t> values;
      if (!read_integers(m, a, values)) return wrong(info, "a list of true and false");
      for (std::int64_t& v : values) v = v != 0;
      return m.bools_attr(values);
    }
    case AttrRule::Pairs: return normal_pairs(m, info, id);
    case AttrRule::Groups: return normal_groups(m, info, id);
    case AttrRule::Enum: return normal_enum(m, info, info.enumeration, id);
    case AttrRule::Symbols:
    case AttrRule::Precisions: return normal_list(m, info, id);
    case AttrRule::Dict: {
      if (a.kind != AttrKind::Dictionary) return wrong(info, "a dictionary");
      AttrId made = id;
      if (info.name == "ragged_dot_dimension_numbers") made = normal_ragged_numbers(m, id);
      if (info.name == "algorithm") made = normal_dot_algorithm(m, id);
      if (!made.valid()) return wrong(info, "made of its fields, each of its kind");
      return made;
    }
    case AttrRule::Array: return normal_array(m, info, id);
    case AttrRule::Constant: {
      if (a.kind == AttrKind::Constant) return id;
      return wrong(info, "a dense literal");
    }
    case AttrRule::Config:
      if (a.kind != AttrKind::String && a.kind != AttrKind::Dictionary) return wrong(info, "a string or a dictionary");
      return id;
    case AttrRule::Version: {
      if (a.kind == AttrKind::Int) return m.int_attr(a.integer, ElementType::I32);
      const auto keywords = enum_keywords("custom_call_api_version");
      for (std::size_t i = 0; i < keywords.size(); ++i) {
        if (a.text == keywords[i] || "API_VERSION_" + a.text == keywords[i]) {
          return m.int_attr(static_cast<std::int64_t>(i), ElementType::I32);
        }
      }
      return wrong(info, "a version number");
    }
    case AttrRule::Accuracy: return normal_accuracy(m, info, id);
    case AttrRule::Opaque:
    case AttrRule::Any: return id;
  }
  return id;
}

// Structs become their fields. Returns true when `pairs` may hold such a struct under `name`.
bool is_struct(OpKind kind, std::string_view name) {
  switch (kind) {
    case OpKind::Gather:
    case OpKind::DynamicGather:
    case OpKind::Convolution:
    case OpKind::DynamicConv: return name == "dimension_numbers";
    case OpKind::DotGeneral: return name == "dot_dimension_numbers";
    case OpKind::Scatter: return name == "scatter_dimension_numbers";
    default: return false;
  }
}

bool is_algorithm_part(std::string_view name) {
  return name == "lhs_precision_type" || name == "rhs_precision_type" || name == "accumulation_type" ||
         name == "lhs_component_count" || name == "rhs_component_count" || name == "num_primitive_operations" ||
         name == "allow_imprecise_accumulation";
}

std::size_t default_length(const Module& m, const NamedAttributes& done, std::string_view of,
                           std::span<const TypeId> operand_types) {
  if (of == "rank") {
    return operand_types.empty() ? 0 : m.type(operand_types[0]).shape.size();
  }
  for (const auto& [name, value] : done) {
    if (name == of) return m.attribute(value).integers.size();
  }
  return 0;
}

AttrId default_value(Module& m, const AttrInfo& info, const NamedAttributes& done,
                     std::span<const TypeId> operand_types) {
  const std::string_view text = info.default_value;
  const std::size_t colon = text.find(':');
  const std::string_view of = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  switch (info.rule) {
    case AttrRule::I64:
    case AttrRule::I32:
    case AttrRule::Version: {
      std::int64_t value = 0;
      std::from_chars(text.data(), text.data() + text.size(), value);
      return m.int_attr(value, info.rule == AttrRule::I64 ? ElementType::I64 : ElementType::I32);
    }
    case AttrRule::Bool: return m.bool_attr(text == "true");
    case AttrRule::Ints: {
      const std::size_t n = of.empty() ? 0 : default_length(m, done, of, operand_types);
      return m.ints_attr(std::vector<std::int64_t>(n, 1));
    }
    case AttrRule::Bools: return m.bools_attr(std::vector<std::int64_t>(default_length(m, done, of, operand_types), 0));
    case AttrRule::Pairs: {
      const std::size_t n = default_length(m, done, of, operand_types);
      return m.matrix_attr(std::vector<std::int64_t>(2 * n, 0), static_cast<std::int64_t>(n), 2);
    }
    case AttrRule::Enum: return m.enum_attr(info.enumeration, text);
    case AttrRule::Precisions:
      if (of.empty()) return m.array_attr({});
      return m.array_attr({m.enum_attr("precision", "DEFAULT"), m.enum_attr("precision", "DEFAULT")});
    case AttrRule::Dict: return m.dictionary({});
    case AttrRule::Config:
    case AttrRule::String: return m.string_attr("");
    default: return m.array_attr({});
  }
}

void flatten(Module& m, OpKind kind, NamedAttributes& pairs) {
  NamedAttributes algorithm;
  for (std::size_t i = 0; i < pairs.size();) {
    const std::string& name = pairs[i].first;
    const bool channel = name == "channel_handle";
    if ((channel || is_struct(kind, name)) && m.attribute(pairs[i].second).kind == AttrKind::Dictionary) {
      const Attribute& fields = m.attribute(pairs[i].second);
      pairs.erase(pairs.begin() + static_cast<std::ptrdiff_t>(i));
      for (std::size_t f = 0; f < fields.names.size(); ++f) {
        std::string field = fields.names[f];
        if (channel) field = field == "handle" ? "channel_id" : "channel_type";
        if (op_info(kind).attribute(field) != nullptr) pairs.emplace_back(std::move(field), fields.items[f]);
      }
      continue;
    }
    if (kind == OpKind::DotGeneral && is_algorithm_part(name)) {
      algorithm.push_back(pairs[i]);
      pairs.erase(pairs.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    ++i;
  }
  if (!algorithm.empty()) pairs.emplace_back("algorithm", m.dictionary(std::move(algorithm)));
}

}  // namespace

Result<OpAttributes> normalise(Module& m, OpKind kind, NamedAttributes pairs, std::span<const TypeId> operand_types) {
  const OpInfo& op = op_info(kind);
  if (pairs.empty() && op.attributes.empty()) return OpAttributes{};
  if (!pairs.empty()) flatten(m, kind, pairs);
  NamedAttributes done, extra;
  done.reserve(op.attributes.size());
  std::size_t used = 0;
  for (const AttrInfo& info : op.attributes) {
    AttrId given;
    for (const auto& [name, value] : pairs) {
      if (name != info.name) continue;
      given = value;
      ++used;
    }
    if (given.valid()) {
      auto normal = normal_value(m, info, given);
      if (!normal) return normal.failure();
      if (normal->valid()) done.emplace_back(std::string(info.name), *normal);
    } else if (info.has_default) {
      done.emplace_back(std::string(info.name), default_value(m, info, done, operand_types));
    } else if (!info.optional) {
      return fail(Code::GraphAttribute, "attribute '" + std::string(info.name) + "' is missing.");
    }
  }
  if (used < pairs.size()) {
    for (const auto& [name, value] : pairs) {
      // VHLO and old text say segment sizes, which the operands' own count implies.
      if (op.attribute(name) == nullptr && name != "operand_segment_sizes" && name != "operandSegmentSizes" &&
          name != "result_segment_sizes" && name != "resultSegmentSizes") {
        extra.emplace_back(name, value);
      }
    }
  }
  OpAttributes result;
  if (!done.empty()) result.inherent = m.dictionary(std::move(done));
  if (!extra.empty()) result.extra = m.dictionary(std::move(extra));
  return result;
}

AttrId dense_attribute(Module& m, TypeId type_id, bool splat, std::span<const std::byte> bytes) {
  const Type& t = m.type(type_id);
  const TypeClass c = type_class(t.element);
  const bool integers = c == TypeClass::Signed || c == TypeClass::Unsigned;
  const bool flags = t.element == ElementType::I1 && t.rank() == 1;
  if (t.kind == TypeKind::Tensor && (flags || (integers && (t.rank() == 1 || t.rank() == 2)))) {
    const std::int64_t count = t.element_count();
    const std::int64_t stored = static_cast<std::int64_t>(bytes.size()) / byte_width(t.element);
    if (count >= 0 && (splat ? stored >= 1 && count <= kMaxExpandedSplat : stored == count)) {
      Attribute a;
      a.kind = flags ? AttrKind::Bools : AttrKind::Ints;
      a.element = t.element;
      if (t.rank() == 2) a.shape = t.shape;
      a.integers.resize(static_cast<std::size_t>(count));
      for (std::size_t i = 0; i < a.integers.size(); ++i) {
        a.integers[i] = load_int(t.element, bytes.data(), splat ? 0 : i);
      }
      return m.intern(std::move(a));
    }
  }
  const std::vector<std::byte> copy(bytes.begin(), bytes.end());
  return m.constant_attr(m.own_constant(type_id, splat, copy));
}

}  // namespace openneuron::graph
