// The attributes of one op as text: structs as StableHLO writes them, defaults left out where its text leaves them out.
#include <algorithm>
#include <bit>

#include "graph/printer.h"

namespace openneuron::graph {
namespace {

bool is_default_omitted(const Module& m, const AttrInfo& info, AttrId id) {
  const Attribute& a = m.attribute(id);
  const std::string_view n = info.name;
  if (n == "compare_type") return a.text == "NOTYPE";
  if (n == "known_expanding_dimensions" || n == "known_nonexpanding_dimensions") return a.integers.empty();
  if (n == "source_target_pairs") return a.integers.empty() && info.has_default;
  if (n == "called_computations" || n == "operand_layouts" || n == "result_layouts" || n == "output_operand_aliases" ||
      n == "result_tilings" || n == "layout") {
    return a.items.empty();
  }
  if (n == "backend_config" || n == "infeed_config" || n == "outfeed_config")
    return a.kind == AttrKind::String && a.text.empty();
  if (n == "api_version") return a.integer == 1;
  if (n == "version") return a.integer == 0;
  if (n == "composite_attributes") return a.names.empty();
  if (n == "has_side_effect" || n == "has_dynamic_root" || n == "use_global_device_ids" || n == "is_reverse")
    return a.integer == 0;
  if (n == "precision_config") return a.items.empty();
  return false;
}

bool is_dimension_number(OpKind kind, std::string_view n) {
  switch (kind) {
    case OpKind::Gather:
    case OpKind::DynamicGather:
      return n == "offset_dims" || n == "collapsed_slice_dims" || n == "operand_batching_dims" ||
             n == "start_indices_batching_dims" || n == "start_index_map" || n == "index_vector_dim";
    case OpKind::Scatter:
      return n == "update_window_dims" || n == "inserted_window_dims" || n == "input_batching_dims" ||
             n == "scatter_indices_batching_dims" || n == "scatter_dims_to_operand_dims" || n == "index_vector_dim";
    case OpKind::Convolution:
    case OpKind::DynamicConv:
      return n.size() > 10 && (n.substr(n.size() - 10) == "_dimension" || n.substr(n.size() - 11) == "_dimensions");
    case OpKind::DotGeneral: return n.size() > 11 && n.substr(n.size() - 11) == "_dimensions";
    default: return false;
  }
}

std::string_view struct_key(OpKind kind) {
  switch (kind) {
    case OpKind::Scatter: return "scatter_dimension_numbers = #stablehlo.scatter<";
    case OpKind::DotGeneral: return "dot_dimension_numbers = #stablehlo.dot<";
    default: return "dimension_numbers = #stablehlo.gather<";
  }
}

}  // namespace

// [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]; false when two names fall on one dimension.
bool Printer::dim_numbers(AttrId dictionary) {
  struct Part {
    const char *first, *second, *spatial;
    char first_letter, second_letter;
  };
  constexpr Part kParts[] = {
      {"input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions", 'b', 'f'},
      {"kernel_input_feature_dimension", "kernel_output_feature_dimension", "kernel_spatial_dimensions", 'i', 'o'},
      {"output_batch_dimension", "output_feature_dimension", "output_spatial_dimensions", 'b', 'f'},
  };
  for (int part = 0; part < 3; ++part) {
    const Part& p = kParts[part];
    const AttrId first = m_.lookup(dictionary, p.first), second = m_.lookup(dictionary, p.second),
                 spatial = m_.lookup(dictionary, p.spatial);
    if (!first.valid() || !second.valid() || !spatial.valid()) return false;
    std::vector<std::string> names;
    const auto put = [&](std::int64_t at, std::string text) {
      if (at < 0 || at >= kMaxRank) return false;
      if (names.size() <= static_cast<std::size_t>(at)) names.resize(static_cast<std::size_t>(at) + 1);
      if (!names[static_cast<std::size_t>(at)].empty()) return false;
      names[static_cast<std::size_t>(at)] = std::move(text);
      return true;
    };
    if (!put(m_.attribute(first).integer, std::string(1, p.first_letter)) ||
        !put(m_.attribute(second).integer, std::string(1, p.second_letter))) {
      return false;
    }
    const auto& dims = m_.attribute(spatial).integers;
    for (std::size_t i = 0; i < dims.size(); ++i) {
      if (!put(dims[i], std::to_string(i))) return false;
    }
    out_ += part == 0 ? "[" : part == 1 ? "x[" : "->[";
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (i != 0) out_ += ", ";
      out_ += names[i].empty() ? "?" : names[i];
    }
    out_ += ']';
  }
  return true;
}

namespace {

// Fields of structs stand in StableHLO's order, which its own parser wants.
constexpr std::string_view kFieldOrder[] = {"lhs_precision_type",
                                            "rhs_precision_type",
                                            "accumulation_type",
                                            "lhs_component_count",
                                            "rhs_component_count",
                                            "num_primitive_operations",
                                            "allow_imprecise_accumulation",
                                            "atol",
                                            "rtol",
                                            "ulps",
                                            "mode",
                                            "output_tuple_indices",
                                            "operand_index",
                                            "operand_tuple_indices",
                                            "lhs_batching_dimensions",
                                            "rhs_batching_dimensions",
                                            "lhs_contracting_dimensions",
                                            "rhs_contracting_dimensions",
                                            "lhs_ragged_dimensions",
                                            "rhs_group_dimensions"};

std::size_t field_rank(std::string_view name) {
  std::size_t rank = 0;
  for (std::string_view known : kFieldOrder) {
    if (known == name) break;
    ++rank;
  }
  return rank;
}

}  // namespace

// #stablehlo.replica_group_mesh_axes<mesh = ..., axes = [...]>; false when the dictionary holds something else.
bool Printer::mesh_groups(const Attribute& d) {
  const auto find = [&](const Attribute& in, std::string_view name) -> const Attribute* {
    for (std::size_t i = 0; i < in.names.size(); ++i) {
      if (in.names[i] == name) return &m_.attribute(in.items[i]);
    }
    return nullptr;
  };
  const Attribute *mesh = find(d, "mesh"), *axes = find(d, "axes");
  if (mesh == nullptr || axes == nullptr || axes->kind != AttrKind::Array || d.names.size() != 2) return false;
  out_ += "#stablehlo.replica_group_mesh_axes<mesh = ";
  if (mesh->kind == AttrKind::Symbol) {
    symbol(mesh->text);
  } else {
    const Attribute* sizes = find(*mesh, "axes");
    if (sizes == nullptr || sizes->kind != AttrKind::Array) return false;
    out_ += "#stablehlo.mesh<axes=[";
    for (std::size_t i = 0; i < sizes->items.size(); ++i) {
      const Attribute& axis = m_.attribute(sizes->items[i]);
      const Attribute *name = find(axis, "name"), *size = find(axis, "size");
      if (name == nullptr || size == nullptr) return false;
      out_ += i == 0 ? "<name = " : ", <name = ";
      quoted(name->text);
      out_ += ", size = ";
      integer(size->integer);
      out_ += '>';
    }
    out_ += ']';
    if (const Attribute* ids = find(*mesh, "device_ids")) {
      out_ += ", device_ids = ";
      Attribute dense = *ids;
      dense_ints(dense);
    }
    out_ += '>';
  }
  out_ += ", axes = [";
  for (std::size_t i = 0; i < axes->items.size(); ++i) {
    const Attribute& axis = m_.attribute(axes->items[i]);
    const Attribute *name = find(axis, "name"), *part = find(axis, "sub_axis");
    if (name == nullptr) return false;
    out_ += i == 0 ? "#stablehlo.axis_ref<name = " : ", #stablehlo.axis_ref<name = ";
    quoted(name->text);
    if (part != nullptr) {
      const Attribute *before = find(*part, "pre_size"), *size = find(*part, "size");
      if (before == nullptr || size == nullptr) return false;
      out_ += ", sub_axis_info = (";
      integer(before->integer);
      out_ += ')';
      integer(size->integer);
    }
    out_ += '>';
  }
  out_ += "]>";
  return true;
}

// key = value fields of a struct; lists without their type.
void Printer::struct_text(std::string_view head, const Attribute& d) {
  out_ += head;
  bool first = true;
  std::vector<std::size_t> order(d.names.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return field_rank(d.names[a]) < field_rank(d.names[b]); });
  for (std::size_t i : order) {
    const Attribute& a = m_.attribute(d.items[i]);
    if (!first) out_ += ", ";
    first = false;
    out_ += d.names[i];
    out_ += " = ";
    if (a.kind == AttrKind::Ints && a.shape.empty()) {
      list(a.integers);
    } else if (a.kind == AttrKind::Int) {
      integer(a.integer);
    } else if (a.kind == AttrKind::Enum && a.dialect_name == "result_accuracy_mode") {
      out_ += "#stablehlo.result_accuracy_mode<" + a.text + ">";
    } else if (a.kind == AttrKind::Float) {
      real(ElementType::F64, a.real, std::bit_cast<std::uint64_t>(a.real));
    } else {
      attribute(d.items[i]);
    }
  }
  out_ += '>';
}

// Attributes whose text is not the attribute's own; false: it is.
bool Printer::inherent_special(OpKind kind, const AttrInfo& info, AttrId id) {
  const Attribute& a = m_.attribute(id);
  const auto named = [&](std::string_view text) {
    out_ += info.name;
    out_ += " = ";
    out_ += text;
  };
  if (info.name == "channel_id" || info.name == "channel_type") return false;
  if (kind == OpKind::ChloRaggedDot && info.rule == AttrRule::Precisions) {
    named("[");
    for (std::size_t i = 0; i < a.items.size(); ++i) {
      out_ += i == 0 ? "#chlo<precision " : ", #chlo<precision ";
      out_ += m_.attribute(a.items[i]).text;
      out_ += '>';
    }
    out_ += ']';
    return true;
  }
  if (info.name == "use_global_device_ids") {
    out_ += info.name;  // a unit attribute
    return true;
  }
  if (info.rule == AttrRule::Accuracy) {
    named("");
    struct_text("#stablehlo.result_accuracy<", a);
    return true;
  }
  if (info.rule == AttrRule::Groups && a.kind == AttrKind::Dictionary) {
    named("");
    const std::size_t start = out_.size();
    if (!mesh_groups(a)) {
      out_.resize(start);
      dictionary(a);
    }
    return true;
  }
  if (info.name == "algorithm") {
    named("");
    struct_text("#stablehlo.dot_algorithm<", a);
    return true;
  }
  if (info.name == "ragged_dot_dimension_numbers") {
    named("");
    struct_text("#chlo.ragged_dot<", a);
    return true;
  }
  if (info.name == "operandSegmentSizes" || info.name == "resultSegmentSizes") {
    named("array<i32");
    for (std::size_t i = 0; i < a.integers.size(); ++i) {
      out_ += i == 0 ? ": " : ", ";
      integer(a.integers[i]);
    }
    out_ += '>';
    return true;
  }
  if (info.name == "output_operand_aliases") {
    named("[");
    for (std::size_t i = 0; i < a.items.size(); ++i) {
      if (i != 0) out_ += ", ";
      struct_text("#stablehlo.output_operand_alias<", m_.attribute(a.items[i]));
    }
    out_ += ']';
    return true;
  }
  return false;
}

// <{...}> of the generic form.
void Printer::inherent(const Scope& s, OpId op) {
  const OpKind kind = s.f->kind(op);
  const OpInfo& info = op_info(kind);
  const AttrId id = s.f->attributes_of(op);
  if (!id.valid()) return;
  const Attribute& d = m_.attribute(id);
  const std::size_t start = out_.size();
  bool first = true;
  const auto separate = [&] {
    out_ += first ? " <{" : ", ";
    first = false;
  };
  bool structs_done = false;
  for (std::size_t i = 0; i < d.names.size(); ++i) {
    const AttrInfo* a = info.attribute(d.names[i]);
    const Attribute& value = m_.attribute(d.items[i]);
    if (a != nullptr && is_dimension_number(kind, a->name)) {
      if (structs_done) continue;
      structs_done = true;
      if (kind == OpKind::Convolution || kind == OpKind::DynamicConv) {
        separate();
        out_ += "dimension_numbers = #stablehlo.conv<";
        const std::size_t before = out_.size();
        if (!dim_numbers(id)) {  // two names on one dimension: field by field
          out_.resize(before);
          Attribute fields;
          for (std::size_t f = 0; f < d.names.size(); ++f) {
            if (!is_dimension_number(kind, d.names[f])) continue;
            fields.names.push_back(d.names[f]);
            fields.items.push_back(d.items[f]);
          }
          out_ += "raw ";
          for (std::size_t f = 0; f < fields.names.size(); ++f) {
            if (f != 0) out_ += ", ";
            out_ += fields.names[f];
            out_ += " = ";
            attribute(fields.items[f]);
          }
        }
        out_ += '>';
        continue;
      }
      // Fields that are empty or zero are left out, as StableHLO does.
      separate();
      out_ += struct_key(kind);
      bool first_field = true;
      for (const AttrInfo& field : info.attributes) {
        if (!is_dimension_number(kind, field.name)) continue;
        const AttrId field_id = m_.lookup(id, field.name);
        if (!field_id.valid()) continue;
        const Attribute& f = m_.attribute(field_id);
        if (f.kind == AttrKind::Int ? f.integer == 0 : f.integers.empty()) continue;
        if (!first_field) out_ += ", ";
        first_field = false;
        out_ += field.name;
        out_ += " = ";
        if (f.kind == AttrKind::Int)
          integer(f.integer);
        else
          list(f.integers);
      }
      out_ += '>';
      continue;
    }
    if (a != nullptr && is_default_omitted(m_, *a, d.items[i])) continue;
    if (d.names[i] == "channel_id") {
      const AttrId type_id = m_.lookup(id, "channel_type");
      const std::int64_t channel_type = type_id.valid() ? m_.attribute(type_id).integer : 1;
      if (value.integer == 0 && channel_type == 1) continue;
      separate();
      out_ += "channel_handle = #stablehlo.channel_handle<handle = ";
      integer(value.integer);
      out_ += ", type = ";
      integer(channel_type);
      out_ += '>';
      continue;
    }
    if (d.names[i] == "channel_type") continue;
    separate();
    if (a != nullptr && inherent_special(kind, *a, d.items[i])) continue;
    key(d.names[i]);
    if (value.kind == AttrKind::Unit) continue;
    out_ += " = ";
    attribute(d.items[i]);
  }
  if (out_.size() != start) out_ += "}>";
}

// {...} of a pretty form: discardable attributes, with those inherent ones that the form's own clauses do not say.
void Printer::attribute_dictionary(const Scope& s, OpId op, bool with_inherent) {
  const OpKind kind = s.f->kind(op);
  const AttrId inherent_id = with_inherent ? s.f->attributes_of(op) : AttrId();
  const AttrId extra = s.f->extra_attributes(op);
  if (!inherent_id.valid() && !extra.valid()) return;
  bool first = true;
  const auto separate = [&] {
    out_ += first ? " {" : ", ";
    first = false;
  };
  if (inherent_id.valid()) {
    const Attribute& d = m_.attribute(inherent_id);
    for (std::size_t i = 0; i < d.names.size(); ++i) {
      const AttrInfo* a = op_info(kind).attribute(d.names[i]);
      if (a == nullptr || is_default_omitted(m_, *a, d.items[i]) || a->name == "call_target_name" || a->name == "name")
        continue;
      if (kind == OpKind::Convolution && a->name != "feature_group_count" && a->name != "batch_group_count" &&
          a->name != "precision_config")
        continue;
      separate();
      if (inherent_special(kind, *a, d.items[i])) continue;
      key(d.names[i]);
      out_ += " = ";
      attribute(d.items[i]);
    }
  }
  if (extra.valid()) {
    const Attribute& d = m_.attribute(extra);
    for (std::size_t i = 0; i < d.names.size(); ++i) {
      separate();
      key(d.names[i]);
      if (m_.attribute(d.items[i]).kind == AttrKind::Unit) continue;
      out_ += " = ";
      attribute(d.items[i]);
    }
  }
  if (!first) out_ += '}';
}

}  // namespace openneuron::graph
