// Module's conveniences: making and reading attributes.
#include <algorithm>
#include <limits>

#include "graph/module.h"
#include "num/convert.h"

namespace openneuron::graph {

TypeId Module::tensor(ElementType element, std::span<const std::int64_t> shape) {
  Type t;
  t.element = element;
  t.shape.assign(shape.begin(), shape.end());
  return intern(std::move(t));
}

AttrId Module::lookup(AttrId dictionary_id, std::string_view wanted) const {
  if (!dictionary_id.valid()) return {};
  const Attribute& d = attribute(dictionary_id);
  const auto it = std::lower_bound(d.names.begin(), d.names.end(), wanted);
  if (it == d.names.end() || *it != wanted) return {};
  return d.items[static_cast<std::size_t>(it - d.names.begin())];
}

std::span<const std::int64_t> Module::ints(const Function& f, OpId op, std::string_view wanted) const {
  const AttrId id = attr(f, op, wanted);
  if (!id.valid()) return {};
  return attribute(id).integers;
}

std::int64_t Module::integer(const Function& f, OpId op, std::string_view wanted, std::int64_t otherwise) const {
  const AttrId id = attr(f, op, wanted);
  if (!id.valid()) return otherwise;
  const Attribute& a = attribute(id);
  return a.kind == AttrKind::Int || a.kind == AttrKind::Bool ? a.integer : otherwise;
}

std::string_view Module::text(const Function& f, OpId op, std::string_view wanted) const {
  const AttrId id = attr(f, op, wanted);
  if (!id.valid()) return {};
  return attribute(id).text;
}

AttrId Module::dictionary(std::vector<std::pair<std::string, AttrId>> pairs) {
  std::sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  Attribute d;
  d.kind = AttrKind::Dictionary;
  d.names.reserve(pairs.size());
  d.items.reserve(pairs.size());
  for (auto& [key, value] : pairs) {
    d.names.push_back(std::move(key));
    d.items.push_back(value);
  }
  return intern(std::move(d));
}

AttrId Module::ints_attr(std::span<const std::int64_t> values) {
  Attribute a;
  a.kind = AttrKind::Ints;
  a.element = ElementType::I64;
  a.integers.assign(values.begin(), values.end());
  return intern(std::move(a));
}

AttrId Module::bools_attr(std::span<const std::int64_t> values) {
  Attribute a;
  a.kind = AttrKind::Bools;
  a.element = ElementType::I1;
  a.integers.assign(values.begin(), values.end());
  return intern(std::move(a));
}

AttrId Module::matrix_attr(std::span<const std::int64_t> values, std::int64_t rows, std::int64_t columns) {
  Attribute a;
  a.kind = AttrKind::Ints;
  a.element = ElementType::I64;
  a.integers.assign(values.begin(), values.end());
  a.shape = {rows, columns};
  return intern(std::move(a));
}

AttrId Module::int_attr(std::int64_t value, ElementType type) {
  Attribute a;
  a.kind = AttrKind::Int;
  a.element = type;
  a.integer = value;
  return intern(std::move(a));
}

AttrId Module::bool_attr(bool value) {
  Attribute a;
  a.kind = AttrKind::Bool;
  a.element = ElementType::I1;
  a.integer = value ? 1 : 0;
  return intern(std::move(a));
}

AttrId Module::float_attr(double value, ElementType type) {
  Attribute a;
  a.kind = AttrKind::Float;
  a.element = type;
  // All NaNs are one: attributes are compared by bits.
  a.real = value == value ? round_to(type, value) : std::numeric_limits<double>::quiet_NaN();
  return intern(std::move(a));
}

AttrId Module::enum_attr(std::string_view dialect, std::string_view keyword) {
  Attribute a;
  a.kind = AttrKind::Enum;
  a.dialect_name = dialect;
  a.text = keyword;
  return intern(std::move(a));
}

AttrId Module::unit_attr() { return intern(Attribute()); }

AttrId Module::string_attr(std::string_view value) {
  Attribute a;
  a.kind = AttrKind::String;
  a.text = value;
  return intern(std::move(a));
}

AttrId Module::symbol_attr(std::string_view symbol) {
  Attribute a;
  a.kind = AttrKind::Symbol;
  a.text = symbol;
  return intern(std::move(a));
}

AttrId Module::array_attr(std::vector<AttrId> items) {
  Attribute a;
  a.kind = AttrKind::Array;
  a.items = std::move(items);
  return intern(std::move(a));
}

AttrId Module::type_attr(TypeId type_id) {
  Attribute a;
  a.kind = AttrKind::Type;
  a.type = type_id;
  return intern(std::move(a));
}

AttrId Module::element_type_attr(ElementType element) {
  Attribute a;
  a.kind = AttrKind::Type;
  a.element = element;
  return intern(std::move(a));
}

AttrId Module::constant_attr(ConstantId id) {
  Attribute a;
  a.kind = AttrKind::Constant;
  a.constant = id;
  return intern(std::move(a));
}

AttrId Module::opaque_attr(std::string_view value) {
  Attribute a;
  a.kind = AttrKind::Opaque;
  a.text = value;
  return intern(std::move(a));
}

}  // namespace openneuron::graph
