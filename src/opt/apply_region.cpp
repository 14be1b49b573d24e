#include "opt/apply_region.h"

#include <algorithm>

#include "opt/legalise_tools.h"
#include "opt/vectorise.h"

namespace openneuron::opt {

using graph::OpKind;

Result<std::vector<ValueId>> apply_region(Rewriter& rewriter, Visit& v, FunctionId region, std::span<const ValueId> arguments) {
  const graph::Function& scalar = rewriter.old_function(region);
  const Shape shape = v.out.type(arguments[0]).shape;
  std::vector<ValueId> given;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    given.push_back(Formula(v).to(arguments[i], v.out.module().type(scalar.type(ValueId(i))).element));
  const auto captured = v.operands.last(scalar.parameter_count() - arguments.size());
  given.insert(given.end(), captured.begin(), captured.end());
  return vectorise(rewriter, v, scalar, given, shape);
}

namespace {

// Every second element of a dim, from `start` to below `limit`.
ValueId every_second(Visit& v, ValueId value, std::size_t dim, std::int64_t start, std::int64_t limit) {
  graph::Module& m = v.out.module();
  const graph::Type t = v.out.type(value);
  Shape from(t.shape.size(), 0), to = t.shape, by(t.shape.size(), 1), shape = t.shape;
  from[dim] = start;
  to[dim] = limit;
  by[dim] = 2;
  shape[dim] = (limit - start + 1) / 2;
  const AttrId attributes = m.dictionary({{"start_indices", m.ints_attr(from)}, {"limit_indices", m.ints_attr(to)}, {"strides", m.ints_attr(by)}});
  return v.out.emit(OpKind::Slice, {value}, m.tensor(t.element, shape), attributes, v.location());
}

}  // namespace

Result<std::vector<ValueId>> fold_by_region(Rewriter& rewriter, Visit& v, FunctionId region, std::vector<ValueId> operands,
                                            std::int64_t dim) {
  const auto d = static_cast<std::size_t>(dim);
  std::vector<std::vector<ValueId>> over;  // what odd counts leave over; later ones lie before earlier ones
  for (std::int64_t n; (n = v.out.type(operands[0]).shape[d]) > 1;) {
    const std::int64_t even = n / 2 * 2;
    if (n != even) {
      over.emplace_back();
      for (ValueId x : operands) over.back().push_back(Moves(v).slice(x, d, even, n));
    }
    std::vector<ValueId> pairs;
    for (std::int64_t first : {0, 1})
      for (ValueId x : operands) pairs.push_back(every_second(v, x, d, first, even));
    auto folded = apply_region(rewriter, v, region, pairs);
    if (!folded) return folded;
    operands = std::move(*folded);
  }
  for (; !over.empty(); over.pop_back()) {
    std::vector<ValueId> both = operands;
    both.insert(both.end(), over.back().begin(), over.back().end());
    auto folded = apply_region(rewriter, v, region, both);
    if (!folded) return folded;
    operands = std::move(*folded);
  }
  return operands;
}

ValueId reduce_with(Visit& v, OpKind kind, ValueId operand, std::span<const std::int64_t> dims) {
  graph::Module& m = v.out.module();
  const graph::Type t = v.out.type(operand);
  const AttrId dimensions = m.ints_attr(dims);
  ValueId& known = v.out.reduction(kind, operand, dimensions);
  if (known.valid()) return known;
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
  const OpId made = v.out.emit_op(OpKind::Reduce, operands, result, m.dictionary({{"dimensions", dimensions}}), v.location(), regions, 0, {});
  return known = v.out.function().result(made);
}

}  // namespace openneuron::opt
