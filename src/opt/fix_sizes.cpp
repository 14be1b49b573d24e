#include "opt/fix_sizes.h"

#include <algorithm>
#include <optional>

#include "num/convert.h"
#include "opt/moves.h"

namespace openneuron::opt {
namespace {

using graph::OpKind;

bool takes_sizes(OpKind kind) {
  switch (kind) {
    case OpKind::GetDimensionSize:
    case OpKind::DynamicReshape:
    case OpKind::DynamicBroadcastInDim:
    case OpKind::DynamicIota:
    case OpKind::DynamicPad:
    case OpKind::RealDynamicSlice: return true;
    default: return false;
  }
}

// The numbers of a constant of rank 1.
std::optional<Shape> numbers(const Visit& v, ValueId value) {
  const graph::Module& m = v.out.module();
  const OpId op = v.out.function().definition(value);
  if (!op.valid() || v.out.function().kind(op) != OpKind::Constant) return std::nullopt;
  const graph::Constant& c = m.constant(m.attribute(m.attr(v.out.function(), op, "value")).constant);
  const graph::Type& t = m.type(c.type);
  if (!is_integer(t.element)) return std::nullopt;
  Shape all;
  for (std::int64_t i = 0; i < t.element_count(); ++i)
    all.push_back(load_int(t.element, c.bytes.data(), c.splat ? 0 : static_cast<std::size_t>(i)));
  return all;
}

Result<bool> visit(Rewriter&, Visit& v) {
  if (!takes_sizes(v.kind())) return false;
  graph::Module& m = v.out.module();
  const auto known = [](const Shape& shape) { return std::all_of(shape.begin(), shape.end(), [](std::int64_t n) { return n >= 0; }); };
  if (v.kind() == OpKind::GetDimensionSize) {
    const std::int64_t d = m.attribute(v.attr("dimension")).integer;
    const std::int64_t size = v.out.type(v.operands[0]).shape[static_cast<std::size_t>(d)];
    if (size < 0) return false;
    return v.replace(v.out.constant(v.result_type(), static_cast<double>(size), v.location()));
  }
  const auto emit = [&](OpKind kind, std::initializer_list<ValueId> operands, std::vector<std::pair<std::string, AttrId>> attributes) {
    return v.replace(v.out.emit(kind, operands, v.result_type(), attributes.empty() ? AttrId() : m.dictionary(std::move(attributes)), v.location()));
  };
  const Shape result = m.type(v.result_type()).shape;
  if (!known(result)) return false;
  if (v.kind() == OpKind::DynamicIota) return emit(OpKind::Iota, {}, {{"iota_dimension", v.attr("iota_dimension")}});
  if (!known(v.out.type(v.operands[0]).shape)) return false;
  if (v.kind() == OpKind::DynamicReshape) return emit(OpKind::Reshape, {v.operands[0]}, {});
  if (v.kind() == OpKind::DynamicBroadcastInDim)
    return emit(OpKind::BroadcastInDim, {v.operands[0]}, {{"broadcast_dimensions", v.attr("broadcast_dimensions")}});
  std::vector<Shape> given;
  for (std::size_t i = v.operands.size() - 3; i < v.operands.size(); ++i) {
    auto n = numbers(v, v.operands[i]);
    if (!n || n->size() != result.size()) return false;
    given.push_back(std::move(*n));
  }
  // What the operands say has to agree with the types: they were not compared when the program was read.
  const Shape from = v.out.type(v.operands[0]).shape;
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  for (std::size_t d = 0; d < from.size(); ++d) {
    const std::int64_t a = given[0][d], b = given[1][d], c = given[2][d];
    if (std::max({a, b, c}) > kMost || std::min({a, b, c}) < -kMost) return false;
    if (v.kind() == OpKind::DynamicPad) {
      if (c < 0 || a + b + from[d] + std::max<std::int64_t>(from[d] - 1, 0) * c != result[d]) return false;
    } else if (a < 0 || b < a || b > from[d] || c <= 0 || (b - a + c - 1) / c != result[d]) {
      return false;
    }
  }
  if (v.kind() == OpKind::DynamicPad)
    return emit(OpKind::Pad, {v.operands[0], v.operands[1]},
                {{"edge_padding_low", m.ints_attr(given[0])}, {"edge_padding_high", m.ints_attr(given[1])}, {"interior_padding", m.ints_attr(given[2])}});
  return emit(OpKind::Slice, {v.operands[0]},
              {{"start_indices", m.ints_attr(given[0])}, {"limit_indices", m.ints_attr(given[1])}, {"strides", m.ints_attr(given[2])}});
}

}  // namespace

Result<void> fix_sizes(graph::Module& module) {
  bool any = false;
  for (FunctionId f : module.functions())
    for (OpId op : module.function(f).ops()) any = any || takes_sizes(module.function(f).kind(op));
  if (!any) return {};
  return Rewriter(module, visit).run();
}

}  // namespace openneuron::opt
