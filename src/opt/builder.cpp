#include "opt/builder.h"

#include <cmath>
#include <cstring>

#include "graph/op_info.h"
#include "num/convert.h"

namespace openneuron::opt {
namespace {

using graph::OpKind;

std::uint64_t mix(std::uint64_t h, std::uint64_t v) { return (h ^ v) * 0x9E3779B97F4A7C15ull + (h >> 29); }

bool identity_order(std::span<const std::int64_t> order) {
  for (std::size_t i = 0; i < order.size(); ++i)
    if (order[i] != static_cast<std::int64_t>(i)) return false;
  return true;
}

// The fold of one fp32 or integer operation, when it is exact to the bit.
std::optional<Splat> evaluate(OpKind kind, const Splat& a, const Splat* b) {
  Splat r = a;
  if (a.type == ElementType::F32) {
    const float x = static_cast<float>(a.real), y = b ? static_cast<float>(b->real) : 0.0f;
    float z = 0;
    switch (kind) {
      case OpKind::Add: z = x + y; break;
      case OpKind::Subtract: z = x - y; break;
      case OpKind::Multiply: z = x * y; break;
      case OpKind::Divide: z = x / y; break;
      case OpKind::Negate: z = -x; break;
      case OpKind::Sqrt: z = std::sqrt(x); break;
      default: return std::nullopt;
    }
    if (std::isnan(z)) return std::nullopt;
    r.real = static_cast<double>(z);
    return r;
  }
  if (a.type == ElementType::I32 && b) {
    const auto x = static_cast<std::uint32_t>(a.integer), y = static_cast<std::uint32_t>(b->integer);
    std::uint32_t z = 0;
    switch (kind) {
      case OpKind::Add: z = x + y; break;
      case OpKind::Subtract: z = x - y; break;
      case OpKind::Multiply: z = x * y; break;
      default: return std::nullopt;
    }
    r.integer = static_cast<std::int32_t>(z);
    return r;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Splat> Builder::splat(ValueId value) const {
  const OpId op = out_.definition(value);
  if (!op.valid() || out_.kind(op) != OpKind::Constant) return std::nullopt;
  const AttrId attr = module_.attr(out_, op, "value");
  if (!attr.valid()) return std::nullopt;
  const graph::Attribute& a = module_.attribute(attr);
  if (a.kind != graph::AttrKind::Constant) return std::nullopt;
  const graph::Constant& c = module_.constant(a.constant);
  const graph::Type& t = module_.type(c.type);
  if (!c.splat && t.element_count() != 1) return std::nullopt;
  if (is_complex(t.element)) return std::nullopt;
  Splat s{t.element, is_float(t.element), 0, 0};
  if (s.is_float)
    s.real = load_double(t.element, c.bytes.data(), 0);
  else
    s.integer = load_int(t.element, c.bytes.data(), 0);
  return s;
}

std::optional<Splat> Builder::element(ValueId value, std::span<const std::int64_t> at) const {
  const OpId op = out_.definition(value);
  if (!op.valid() || out_.kind(op) != OpKind::Constant) return std::nullopt;
  const AttrId attr = module_.attr(out_, op, "value");
  if (!attr.valid() || module_.attribute(attr).kind != graph::AttrKind::Constant) return std::nullopt;
  const graph::Constant& c = module_.constant(module_.attribute(attr).constant);
  const graph::Type& t = module_.type(c.type);
  if (is_complex(t.element)) return std::nullopt;
  std::int64_t index = 0;
  for (std::size_t d = 0; d < at.size(); ++d) index = index * t.shape[d] + at[d];
  Splat s{t.element, is_float(t.element), 0, 0};
  if (s.is_float)
    s.real = load_double(t.element, c.bytes.data(), c.splat ? 0 : static_cast<std::size_t>(index));
  else
    s.integer = load_int(t.element, c.bytes.data(), c.splat ? 0 : static_cast<std::size_t>(index));
  return s;
}

ValueId Builder::splat_constant(TypeId type, const Splat& value, LocationId location) {
  const graph::Type& t = module_.type(type);
  std::vector<std::byte> bytes(static_cast<std::size_t>(byte_width(t.element)));
  if (is_float(t.element))
    store_double(t.element, bytes.data(), 0, value.real);
  else
    store_int(t.element, bytes.data(), 0, value.integer);
  graph::Attribute literal;
  literal.kind = graph::AttrKind::Constant;
  literal.constant = module_.own_constant(type, true, std::move(bytes));
  const AttrId dict = module_.dictionary({{"value", module_.intern(std::move(literal))}});
  return emit(OpKind::Constant, {}, type, dict, location);
}

ValueId Builder::constant(TypeId type, double real, LocationId location) {
  const ElementType e = module_.type(type).element;
  return splat_constant(type, Splat{e, is_float(e), real, static_cast<std::int64_t>(real)}, location);
}

ValueId Builder::emit(OpKind kind, std::span<const ValueId> operands, TypeId result, AttrId attributes,
                      LocationId location) {
  if (auto folded = fold(kind, operands, result, attributes, location)) return *folded;
  const bool pure = graph::op_info(kind).has(graph::kPure);
  std::uint64_t h = 0;
  if (pure) {
    h = mix(mix(mix(17, static_cast<std::uint64_t>(kind)), result.index), attributes.index);
    for (ValueId v : operands) h = mix(h, v.index);
    const auto range = made_.equal_range(h);
    for (auto it = range.first; it != range.second; ++it) {
      const OpId op = it->second;
      const auto old = out_.operands(op);
      if (out_.kind(op) == kind && out_.attributes_of(op) == attributes && out_.type(out_.result(op)) == result &&
          std::equal(old.begin(), old.end(), operands.begin(), operands.end()))
        return out_.result(op);
    }
  }
  const TypeId types[] = {result};
  const OpId op = out_.add_op(kind, operands, types, attributes, location);
  if (pure) made_.emplace(h, op);
  return out_.result(op);
}

OpId Builder::emit_op(OpKind kind, std::span<const ValueId> operands, std::span<const TypeId> results,
                      AttrId attributes, LocationId location, std::span<const FunctionId> regions,
                      std::uint32_t captures, AttrId extra) {
  return out_.add_op(kind, operands, results, attributes, location, regions, captures, extra);
}

std::optional<ValueId> Builder::fold(OpKind kind, std::span<const ValueId> operands, TypeId result, AttrId attributes,
                                     LocationId location) {
  switch (kind) {
    case OpKind::Reshape:
    case OpKind::Transpose:
    case OpKind::BroadcastInDim:
    case OpKind::Slice:
    case OpKind::Convert:
    case OpKind::BitcastConvert:
    case OpKind::Reverse:
      return fold_movement(kind, operands, result, attributes, location);
    case OpKind::Compare:
      return fold_compare(operands, result, attributes, location);
    case OpKind::Select:
      if (auto chosen = splat(operands[0]); chosen && out_.type(operands[1]) == result) return operands[chosen->integer != 0 ? 1 : 2];
      return std::nullopt;
    default:
      return fold_arithmetic(kind, operands, result, location);
  }
}

std::optional<ValueId> Builder::fold_movement(OpKind kind, std::span<const ValueId> operands, TypeId result,
                                              AttrId attributes, LocationId location) {
  const ValueId source = operands[0];
  if (kind == OpKind::Convert) {
    if (out_.type(source) == result) return source;
  } else if (kind == OpKind::BitcastConvert) {
    if (out_.type(source) == result) return source;
    const OpId inner = out_.definition(source);
    if (inner.valid() && out_.kind(inner) == OpKind::BitcastConvert)  // only the last type matters
      return emit(OpKind::BitcastConvert, {out_.operand(inner, 0)}, result, {}, location);
    return std::nullopt;
  } else {
    if (auto s = splat(source)) return splat_constant(result, *s, location);  // a splat stays one
    if (kind == OpKind::Slice && module_.type(result).element_count() == 1)
      if (auto s = element(source, module_.attribute(module_.lookup(attributes, "start_indices")).integers)) return splat_constant(result, *s, location);
  }
  if (kind == OpKind::Convert || out_.type(source) != result) {
    const OpId inner = out_.definition(source);
    if (kind == OpKind::Reshape && inner.valid() && out_.kind(inner) == OpKind::Reshape) {
      const ValueId first = out_.operand(inner, 0);  // only the last shape matters
      return emit(OpKind::Reshape, {first}, result, {}, location);
    }
    return std::nullopt;
  }
  switch (kind) {
    case OpKind::Reshape:
    case OpKind::Slice:  // same type: the whole
      return source;
    case OpKind::Transpose:
      if (identity_order(std::span(module_.attribute(module_.lookup(attributes, "permutation")).integers)))
        return source;
      return std::nullopt;
    case OpKind::BroadcastInDim:
      if (identity_order(std::span(module_.attribute(module_.lookup(attributes, "broadcast_dimensions")).integers)))
        return source;
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

// Of integers: counters of loops that were unrolled.
std::optional<ValueId> Builder::fold_compare(std::span<const ValueId> operands, TypeId result, AttrId attributes, LocationId location) {
  const auto a = splat(operands[0]), b = splat(operands[1]);
  if (!a || !b || a->is_float || a->type == ElementType::U64) return std::nullopt;
  const AttrId direction = module_.lookup(attributes, "comparison_direction");
  if (!direction.valid()) return std::nullopt;
  const std::string_view d = module_.attribute(direction).text;
  const std::int64_t x = a->integer, y = b->integer;
  const bool holds = d == "EQ" ? x == y : d == "NE" ? x != y : d == "LT" ? x < y : d == "LE" ? x <= y : d == "GT" ? x > y : x >= y;
  return splat_constant(result, Splat{ElementType::I1, false, 0, holds}, location);
}

std::optional<ValueId> Builder::fold_arithmetic(OpKind kind, std::span<const ValueId> operands, TypeId result,
                                                LocationId location) {
  if (operands.empty() || operands.size() > 2) return std::nullopt;
  const auto a = splat(operands[0]);
  const auto b = operands.size() == 2 ? splat(operands[1]) : std::nullopt;
  if (a && (operands.size() == 1 || b) && out_.type(operands[0]) == result) {
    if (auto r = evaluate(kind, *a, b ? &*b : nullptr)) return splat_constant(result, *r, location);
  }
  if (operands.size() == 2 && graph::op_info(kind).has(graph::kCommutative)) {
    // One order for a constant and a value, whichever the front end writes: the constant last.
    const auto is_constant = [&](ValueId v) { return out_.definition(v).valid() && out_.kind(out_.definition(v)) == OpKind::Constant; };
    if (is_constant(operands[0]) && !is_constant(operands[1])) return emit(kind, {operands[1], operands[0]}, result, {}, location);
    if (kind == OpKind::Add && b && is_integer(b->type) && b->integer == 0) return operands[0];
  }
  // max(-inf, x) is x for every x, NaN included.
  if (kind == OpKind::Maximum && operands.size() == 2) {
    const double lowest = -INFINITY;
    if (a && a->is_float && a->real == lowest) return operands[1];
    if (b && b->is_float && b->real == lowest) return operands[0];
  }
  return std::nullopt;
}

}  // namespace openneuron::opt
