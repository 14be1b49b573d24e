#include "lower/planner.h"

#include <algorithm>
#include <cmath>

#include "graph/op_info.h"
#include "graph/verify.h"
#include "lower/op_tables.h"
#include "lower/windows.h"
#include "num/convert.h"

namespace openneuron::lower {

using graph::OpKind;

Result<void> Planner::place_reduce(OpId op) {
  OpKind kind;
  if (f_.operands(op).size() != 2 || !graph::single_op_region(m_.function(f_.regions(op)[0]), kind) || !graph::reduces(kind) ||
      !reduce_type(kind, element(f_.operand(op, 0))) || !starts_from_identity(kind, value(f_.operand(op, 1)).view))
    return fail(Code::NoLowering, op_place(m_, f_, op),
                "reduce with this region, these operands or this initial value has no lowering yet");
  const ValueId source = f_.operand(op, 0);
  const auto& in_shape = shape(source);
  std::vector<bool> gone(in_shape.size(), false);
  for (std::int64_t d : ints(op, "dimensions")) gone[static_cast<std::size_t>(d)] = true;
  const ValuePlan& p = value(source);
  for (std::size_t i = 0; i < in_shape.size(); ++i)
    if (gone[i] && in_shape[i] == 0) {  // over nothing: the initial value
      set_view(f_.result(op), splat_view(element(source), value(f_.operand(op, 1)).view.splat, shape(f_.result(op))), -1);
      return {};
    }
  if (p.in_group && open(p.group) && join_reduce(op, p, gone)) return {};

  // Not inside a running group. Sums whose kept dims come last, and full sums, are matmuls with ones; the others start
  // a nest over the operand.
  std::int64_t over = 1, kept = 1, kept_dims = 0;
  for (std::size_t i = 0; i < in_shape.size(); ++i) {
    (gone[i] ? over : kept) *= in_shape[i];
    if (!gone[i] && in_shape[i] > 1) ++kept_dims;
  }
  const bool last_gone = !in_shape.empty() && gone.back();
  // Statistics over the pixels of an image (batch norm) stay on Vector: images have their channels on partitions.
  const bool image = in_shape.size() >= 4 && kept > 1 && kept_dims == 1;
  // Long rows stay where they are, many on partitions: their tiles are reduced and added up. Few long rows would leave
  // partitions idle.
  const std::int64_t limit = reduce_limit(in_.store.emitter().machine());
  const bool long_rows = last_gone && over > limit && kept >= kManyRows;
  const bool pe = kind == OpKind::Add && is_float(element(source)) && p.view.kind == ViewKind::Memory && over > 0 && !image;
  if ((image || long_rows) && p.in_group && open(p.group) && over > limit && join_accumulating(op, p, gone)) return {};
  if (pe && !long_rows && (!last_gone || kept == 1 || over > limit)) {
    const auto& out_shape = shape(f_.result(op));
    const std::int32_t g = new_group(GroupKind::Nest, out_shape);
    Group& group = plan_.groups.back();
    group.contraction = op;
    group.side.assign(out_shape.size(), 1);
    std::vector<std::int8_t> axes(out_shape.size());
    for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = out_shape[i] == 1 ? static_cast<std::int8_t>(kAnyAxis) : static_cast<std::int8_t>(i);
    finish(op, g, std::move(axes));
    return {};
  }
  const std::int32_t g = new_group(GroupKind::Nest, in_shape);
  Group& group = plan_.groups.back();
  group.accumulates = over > limit;
  group.closed = group.accumulates && !image;
  std::vector<std::int8_t> axes;
  for (std::size_t i = 0; i < in_shape.size(); ++i) {
    if (gone[i])
      group.reduced[i] = true;
    else
      axes.push_back(in_shape[i] == 1 ? static_cast<std::int8_t>(kAnyAxis) : static_cast<std::int8_t>(i));
  }
  finish(op, g, std::move(axes));
  return {};
}

bool Planner::join_reduce(OpId op, const ValuePlan& p, const std::vector<bool>& gone) {
  Group& group = plan_.groups[static_cast<std::size_t>(p.group)];
  std::vector<bool> reduced = group.reduced;
  std::int64_t over = 1;
  std::vector<std::int8_t> axes;
  const auto& in_shape = shape(f_.operand(op, 0));
  for (std::size_t i = 0; i < gone.size(); ++i) {
    if (!gone[i]) {
      axes.push_back(p.axes[i]);
      continue;
    }
    if (p.axes[i] == kAnyAxis) {
      if (in_shape[i] != 1) return false;
      continue;
    }
    reduced[static_cast<std::size_t>(p.axes[i])] = true;
  }
  bool partition_left = false;
  std::uint8_t reduced_side = 0;
  for (std::size_t a = 0; a < reduced.size(); ++a) {
    if (reduced[a]) {
      over *= group.domain[a];
      if (group.contraction.valid()) {
        if (group.side[a] == 0 || (reduced_side != 0 && reduced_side != group.side[a])) return false;
        reduced_side = group.side[a];
      }
    }
  }
  for (std::size_t a = 0; a < reduced.size(); ++a)
    if (!reduced[a] && group.domain[a] > 1 && (!group.contraction.valid() || (group.side[a] != 0 && group.side[a] != reduced_side)))
      partition_left = true;
  const Machine& machine = in_.store.emitter().machine();
  const std::int64_t limit = group.contraction.valid()
                                 ? std::min<std::int64_t>(machine.moving_max, machine.psum_bank_bytes / 4)
                                 : reduce_limit(machine);
  if (!partition_left || over > limit) return false;
  const std::int32_t g = p.group;
  group.reduced = std::move(reduced);
  finish(op, g, std::move(axes));
  return true;
}

bool Planner::join_accumulating(OpId op, const ValuePlan& p, const std::vector<bool>& gone) {
  Group& group = plan_.groups[static_cast<std::size_t>(p.group)];
  if (group.contraction.valid()) return false;
  std::vector<bool> reduced(group.domain.size(), false);
  std::vector<std::int8_t> axes;
  for (std::size_t i = 0; i < gone.size(); ++i) {
    if (!gone[i])
      axes.push_back(p.axes[i]);
    else if (p.axes[i] != kAnyAxis)
      reduced[static_cast<std::size_t>(p.axes[i])] = true;
    else if (shape(f_.operand(op, 0))[i] != 1)
      return false;
  }
  const bool fresh = std::find(group.reduced.begin(), group.reduced.end(), true) == group.reduced.end();
  if (!(group.accumulates ? reduced == group.reduced : fresh)) return false;
  bool partition_left = false;
  for (std::size_t a = 0; a < reduced.size(); ++a) partition_left = partition_left || (!reduced[a] && group.domain[a] > 1);
  if (!partition_left) return false;
  const std::int32_t g = p.group;
  group.accumulates = true;
  group.reduced = std::move(reduced);
  finish(op, g, std::move(axes));
  return true;
}

Result<void> Planner::place_dot(OpId op) {
  const ValueId lhs = f_.operand(op, 0), rhs = f_.operand(op, 1), out = f_.result(op);
  if (!matmul_type(element(lhs)) || element(lhs) != element(rhs))
    return fail(Code::NoTypeLowering, op_place(m_, f_, op),
                "dot_general on " + std::string(type_name(element(lhs))) + " and " + std::string(type_name(element(rhs))) + " has no lowering yet");
  const auto& out_shape = shape(out);
  for (std::int64_t d : ints(op, "lhs_contracting_dimensions"))
    if (shape(lhs)[static_cast<std::size_t>(d)] == 0) {  // a sum of nothing
      set_view(out, splat_view(element(out), 0.0, out_shape), -1);
      return {};
    }
  const std::size_t batch = ints(op, "lhs_batching_dimensions").size();
  const std::size_t m_dims = shape(lhs).size() - batch - ints(op, "lhs_contracting_dimensions").size();
  const std::int32_t g = new_group(GroupKind::Nest, out_shape);
  Group& group = plan_.groups.back();
  group.contraction = op;
  for (std::size_t i = 0; i < out_shape.size(); ++i)
    group.side.push_back(i < batch ? 0 : i < batch + m_dims ? 1 : 2);
  std::vector<std::int8_t> axes(out_shape.size());
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = out_shape[i] == 1 ? static_cast<std::int8_t>(kAnyAxis) : static_cast<std::int8_t>(i);
  finish(op, g, std::move(axes));
  return {};
}

Result<void> Planner::place_convolution(OpId op) {
  const ValueId lhs = f_.operand(op, 0), rhs = f_.operand(op, 1), out = f_.result(op);
  if (!matmul_type(element(lhs)) || element(lhs) != element(rhs))
    return fail(Code::NoTypeLowering, op_place(m_, f_, op),
                "convolution on " + std::string(type_name(element(lhs))) + " and " + std::string(type_name(element(rhs))) + " has no lowering yet");
  if (m_.type(f_.type(lhs)).element_count() == 0 || m_.type(f_.type(rhs)).element_count() == 0) {  // a sum of nothing
    set_view(out, splat_view(element(out), 0.0, shape(out)), -1);
    return {};
  }
  const ConvolutionAxes c = convolution_domain(m_, f_, op);
  const std::int32_t g = new_group(GroupKind::Nest, c.domain);
  Group& group = plan_.groups.back();
  group.contraction = op;
  group.side = c.side;
  std::vector<std::int8_t> axes(c.domain.size());
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = c.domain[i] == 1 ? static_cast<std::int8_t>(kAnyAxis) : static_cast<std::int8_t>(i);
  if (c.domain.size() == shape(out).size()) {
    finish(op, g, std::move(axes));
    return {};
  }
  // Groups are an axis of their own: what reads the result sees them merged with the channels.
  const HomeId home = in_.store.add(name(op), element(out), c.domain, 0);
  ValuePlan& p = value(out);
  p.view = *reshaped(whole(home, element(out), c.domain), shape(out));
  p.group = g;
  p.computed = true;
  p.axes = std::move(axes);
  plan_.op_group[op.index] = g;
  group.ops.push_back(op);
  group.closed = true;
  return {};
}

// A reduction over the taps of a window, which are axes behind the output's.
Result<void> Planner::place_reduce_window(OpId op) {
  OpKind kind;
  const ValueId source = f_.operand(op, 0), out = f_.result(op);
  if (f_.operands(op).size() != 2 || !graph::single_op_region(m_.function(f_.regions(op)[0]), kind) || !graph::reduces(kind) || !reduce_type(kind, element(source)) ||
      element(source) != element(out) || !starts_from_identity(kind, value(f_.operand(op, 1)).view))
    return fail(Code::NoLowering, op_place(m_, f_, op),
                "reduce_window with this region, these operands or this initial value has no lowering yet");
  const WindowAxes w = window_axes(m_, f_, op);
  std::vector<std::int64_t> domain = shape(out);
  std::vector<std::int8_t> axes(domain.size());
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = domain[i] == 1 ? static_cast<std::int8_t>(kAnyAxis) : static_cast<std::int8_t>(i);
  std::int64_t over = 1;
  for (std::int64_t n : w.taps) {
    domain.push_back(n);
    over *= n;
  }
  const std::int32_t g = new_group(GroupKind::Nest, domain);
  Group& group = plan_.groups.back();
  for (std::size_t i = shape(out).size(); i < domain.size(); ++i) group.reduced[i] = true;
  group.accumulates = group.closed = over > reduce_limit(in_.store.emitter().machine());
  finish(op, g, std::move(axes));
  return {};
}

}  // namespace openneuron::lower
