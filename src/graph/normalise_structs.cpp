#include "graph/normalise_structs.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "graph/normalise.h"
#include "graph/op_info.h"

namespace openneuron::graph {
namespace {

// Takes fields out of a dictionary one by one; `good` turns false when one is missing, of another kind, or left over.
class Fields {
 public:
  Fields(Module& m, AttrId id) : m_(m), good_(id.valid() && m.attribute(id).kind == AttrKind::Dictionary), id_(id) {
    if (good_) left_ = m.attribute(id).names.size();
  }
  bool has(std::string_view name) const { return good_ && m_.lookup(id_, name).valid(); }
  const Attribute* take(std::string_view name, AttrKind kind) {
    const AttrId value = good_ ? m_.lookup(id_, name) : AttrId();
    if (!value.valid() || m_.attribute(value).kind != kind) return good_ = false, nullptr;
    --left_;
    return &m_.attribute(value);
  }
  void integer(std::string_view name) {
    if (const Attribute* a = take(name, AttrKind::Int)) put(name, m_.int_attr(a->integer));
  }
  void integers(std::string_view name, bool optional) {
    if (optional && !has(name)) return put(name, m_.ints_attr({}));
    // An empty list may have come as an empty Array.
    const AttrId value = good_ ? m_.lookup(id_, name) : AttrId();
    if (value.valid() && m_.attribute(value).kind == AttrKind::Array && m_.attribute(value).items.empty()) {
      --left_;
      return put(name, m_.ints_attr({}));
    }
    if (const Attribute* a = take(name, AttrKind::Ints)) put(name, m_.ints_attr(a->integers));
  }
  void string(std::string_view name) {
    if (const Attribute* a = take(name, AttrKind::String)) put(name, m_.string_attr(std::string(a->text)));
  }
  void put(std::string_view name, AttrId value) {
    if (value.valid())
      made_.emplace_back(std::string(name), value);
    else
      good_ = false;
  }
  void fail() { good_ = false; }
  AttrId finish() { return good_ && left_ == 0 ? m_.dictionary(std::move(made_)) : AttrId(); }

 private:
  Module& m_;
  bool good_;
  AttrId id_;
  std::size_t left_ = 0;
  NamedAttributes made_;
};

template <class Each>
AttrId rebuilt_list(Module& m, const Attribute* list, Each each) {
  if (list == nullptr) return {};
  std::vector<AttrId> items;
  for (AttrId item : list->items) {
    const AttrId made = each(item);
    if (!made.valid()) return {};
    items.push_back(made);
  }
  return m.array_attr(std::move(items));
}

}  // namespace

AttrId normal_mesh_groups(Module& m, AttrId id) {
  Fields f(m, id);
  const AttrId mesh = m.lookup(id, "mesh");
  if (mesh.valid() && m.attribute(mesh).kind == AttrKind::Symbol) {
    f.take("mesh", AttrKind::Symbol);
    f.put("mesh", mesh);
  } else {
    f.take("mesh", AttrKind::Dictionary);
    Fields parts(m, mesh);
    parts.put("axes", rebuilt_list(m, parts.take("axes", AttrKind::Array), [&](AttrId item) {
                Fields axis(m, item);
                axis.string("name");
                axis.integer("size");
                return axis.finish();
              }));
    if (parts.has("device_ids")) parts.integers("device_ids", false);
    f.put("mesh", parts.finish());
  }
  f.put("axes", rebuilt_list(m, f.take("axes", AttrKind::Array), [&](AttrId item) {
          Fields axis(m, item);
          axis.string("name");
          if (axis.has("sub_axis")) {
            axis.take("sub_axis", AttrKind::Dictionary);
            Fields part(m, m.lookup(item, "sub_axis"));
            part.integer("pre_size");
            part.integer("size");
            axis.put("sub_axis", part.finish());
          }
          return axis.finish();
        }));
  return f.finish();
}

AttrId normal_dot_algorithm(Module& m, AttrId id) {
  Fields f(m, id);
  for (std::string_view name : {"lhs_precision_type", "rhs_precision_type", "accumulation_type"}) {
    const Attribute* type = f.take(name, AttrKind::Type);
    if (type == nullptr || type->element == ElementType::None) return {};
    f.put(name, m.element_type_attr(type->element));
  }
  for (std::string_view name : {"lhs_component_count", "rhs_component_count", "num_primitive_operations"})
    f.integer(name);
  if (const Attribute* flag = f.take("allow_imprecise_accumulation", AttrKind::Bool)) {
    f.put("allow_imprecise_accumulation", m.bool_attr(flag->integer != 0));
  }
  return f.finish();
}

AttrId normal_operand_alias(Module& m, AttrId id) {
  Fields f(m, id);
  f.integers("output_tuple_indices", true);
  f.integer("operand_index");
  f.integers("operand_tuple_indices", true);
  return f.finish();
}

AttrId normal_ragged_numbers(Module& m, AttrId id) {
  Fields f(m, id);
  for (std::string_view name : {"lhs_batching_dimensions", "rhs_batching_dimensions", "lhs_contracting_dimensions",
                                "rhs_contracting_dimensions", "lhs_ragged_dimensions", "rhs_group_dimensions"}) {
    f.integers(name, true);
  }
  return f.finish();
}

AttrId normal_result_accuracy(Module& m, AttrId id) {
  Fields f(m, id);
  for (std::string_view name : {"atol", "rtol"}) {
    const Attribute* value = f.has(name) ? f.take(name, AttrKind::Float) : nullptr;
    f.put(name, m.float_attr(value == nullptr ? 0 : value->real));
  }
  if (f.has("ulps"))
    f.integer("ulps");
  else
    f.put("ulps", m.int_attr(0));
  const Attribute* mode = f.has("mode") ? f.take("mode", AttrKind::Enum) : nullptr;
  const std::string keyword = mode == nullptr ? "DEFAULT" : mode->text;
  const auto known = enum_keywords("result_accuracy_mode");
  if (std::find(known.begin(), known.end(), std::string_view(keyword)) == known.end()) return {};
  f.put("mode", m.enum_attr("result_accuracy_mode", keyword));
  return f.finish();
}

}  // namespace openneuron::graph
