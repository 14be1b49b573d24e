#include "opt/apply_region.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/op_info.h"
#include "opt/legalise_tools.h"

namespace openneuron::opt {
namespace {

using graph::OpKind;

TypeId reshaped(graph::Module& m, TypeId scalar, std::span<const std::int64_t> shape) {
  return m.tensor(m.type(scalar).element, shape);
}

// A constant of one element as a splat of `type`.
AttrId splat_of(graph::Module& m, AttrId attributes, TypeId type) {
  const graph::Constant& c = m.constant(m.attribute(m.lookup(attributes, "value")).constant);
  const auto width = static_cast<std::size_t>(byte_width(m.type(c.type).element));
  std::vector<std::byte> bytes(c.bytes.begin(), c.bytes.begin() + static_cast<std::ptrdiff_t>(width));
  return m.dictionary({{"value", m.constant_attr(m.own_constant(type, true, std::move(bytes)))}});
}

// The region's ops with `shape` in place of every scalar; nothing when some op does not work element by element.
std::optional<graph::Function> widened(graph::Module& m, const graph::Function& region, std::span<const std::int64_t> shape) {
  graph::Function made;
  Column<ValueId, ValueId> map(region.value_count());
  const auto scalar = [&](ValueId v) {
    const graph::Type& t = m.type(region.type(v));
    return t.kind == graph::TypeKind::Tensor && t.rank() == 0;
  };
  for (ValueId p : region.parameters()) {
    if (!scalar(p)) return std::nullopt;
    map[p] = made.add_parameter(reshaped(m, region.type(p), shape));
  }
  for (OpId op : region.ops()) {
    std::vector<ValueId> operands;
    for (ValueId v : region.operands(op)) operands.push_back(map[v]);
    if (op == region.terminator()) {
      made.add_op(OpKind::Return, operands, {}, {}, region.location_of(op));
      return made;
    }
    const OpKind kind = region.kind(op);
    const bool same = kind == OpKind::BroadcastInDim || kind == OpKind::Reshape || kind == OpKind::OptimizationBarrier;
    if (!region.regions(op).empty()) return std::nullopt;
    if (!graph::op_info(kind).has(graph::kElementwise) && kind != OpKind::BitcastConvert && kind != OpKind::Constant && !same) return std::nullopt;
    for (ValueId r : region.results(op))
      if (!scalar(r)) return std::nullopt;
    if (same) {  // between scalars they say nothing
      std::size_t i = 0;
      for (ValueId r : region.results(op)) map[r] = operands[i++];
      continue;
    }
    const ValueId result = region.result(op);
    const TypeId type = reshaped(m, region.type(result), shape);
    const AttrId attributes = kind == OpKind::Constant ? splat_of(m, region.attributes_of(op), type) : region.attributes_of(op);
    const TypeId types[] = {type};
    map[result] = made.result(made.add_op(kind, operands, types, attributes, region.location_of(op)));
  }
  return std::nullopt;
}

}  // namespace

Result<std::optional<std::vector<ValueId>>> apply_region(Rewriter& rewriter, Visit& v, FunctionId region,
                                                         std::span<const ValueId> arguments) {
  graph::Module& m = v.out.module();
  const graph::Function& old = rewriter.old_function(region);
  const std::vector<std::int64_t> shape = v.out.type(arguments[0]).shape;
  auto body = widened(m, old, shape);
  if (!body) return std::optional<std::vector<ValueId>>();
  std::vector<ValueId> given;
  for (std::size_t i = 0; i < arguments.size(); ++i) given.push_back(Formula(v).to(arguments[i], m.type(body->type(ValueId(i))).element));
  const std::size_t captured = old.parameter_count() - arguments.size();
  for (std::size_t i = 0; i < captured; ++i) {
    const ValueId outer = v.operands[v.operands.size() - captured + i];
    given.push_back(broadcast(v, outer, body->type(ValueId(arguments.size() + i))));
  }
  auto results = rewriter.inline_function(v.out, *body, given);
  if (!results) return results.failure();
  return std::optional(std::move(*results));
}

ValueId slice_dim(Visit& v, ValueId value, std::int64_t dim, std::int64_t start, std::int64_t limit, std::int64_t stride) {
  graph::Module& m = v.out.module();
  const graph::Type t = v.out.type(value);
  std::vector<std::int64_t> from(t.shape.size(), 0), to = t.shape, by(t.shape.size(), 1), shape = t.shape;
  const auto d = static_cast<std::size_t>(dim);
  from[d] = start;
  to[d] = limit;
  by[d] = stride;
  shape[d] = (limit - start + stride - 1) / stride;
  const AttrId attributes = m.dictionary({{"start_indices", m.ints_attr(from)}, {"limit_indices", m.ints_attr(to)}, {"strides", m.ints_attr(by)}});
  return v.out.emit(OpKind::Slice, {value}, m.tensor(t.element, shape), attributes, v.location());
}

Result<std::optional<std::vector<ValueId>>> fold_by_region(Rewriter& rewriter, Visit& v, FunctionId region,
                                                           std::vector<ValueId> operands, std::int64_t dim) {
  const auto size = [&] { return v.out.type(operands[0]).shape[static_cast<std::size_t>(dim)]; };
  std::vector<std::vector<ValueId>> over;  // what odd counts leave over; later ones lie before earlier ones
  while (size() > 1) {
    const std::int64_t n = size(), even = n / 2 * 2;
    if (n != even) {
      over.emplace_back();
      for (ValueId x : operands) over.back().push_back(slice_dim(v, x, dim, even, n));
    }
    std::vector<ValueId> pairs;
    for (std::int64_t first : {0, 1})
      for (ValueId x : operands) pairs.push_back(slice_dim(v, x, dim, first, even, 2));
    auto folded = apply_region(rewriter, v, region, pairs);
    if (!folded || !*folded) return folded;
    operands = std::move(**folded);
  }
  while (!over.empty()) {
    std::vector<ValueId> both = operands;
    both.insert(both.end(), over.back().begin(), over.back().end());
    over.pop_back();
    auto folded = apply_region(rewriter, v, region, both);
    if (!folded || !*folded) return folded;
    operands = std::move(**folded);
  }
  return std::optional(std::move(operands));
}

ValueId reduce_with(Visit& v, OpKind kind, ValueId operand, std::span<const std::int64_t> dims) {
  graph::Module& m = v.out.module();
  const graph::Type t = v.out.type(operand);
  const TypeId scalar = m.tensor(t.element, {});
  graph::Function region;
  region.is_region = true;
  const ValueId a = region.add_parameter(scalar), b = region.add_parameter(scalar);
  const TypeId types[] = {scalar};
  const ValueId pair[] = {a, b};
  const ValueId sum[] = {region.result(region.add_op(kind, pair, types))};
  region.add_op(OpKind::Return, sum, {});
  const FunctionId regions[] = {m.add_function(std::move(region))};
  std::vector<std::int64_t> shape;
  for (std::size_t i = 0; i < t.shape.size(); ++i)
    if (std::find(dims.begin(), dims.end(), static_cast<std::int64_t>(i)) == dims.end()) shape.push_back(t.shape[i]);
  const ValueId operands[] = {operand, v.out.splat_constant(scalar, identity_of(kind, t.element), v.location())};
  const TypeId result[] = {m.tensor(t.element, shape)};
  const OpId made = v.out.emit_op(OpKind::Reduce, operands, result, m.dictionary({{"dimensions", m.ints_attr(dims)}}), v.location(), regions, 0, {});
  return v.out.function().result(made);
}

}  // namespace openneuron::opt
