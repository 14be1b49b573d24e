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

Result<Plan> Planner::run() {
  plan_.values.resize(f_.value_count());
  plan_.op_group.assign(f_.op_count(), -1);
  for (ValueId p : f_.parameters()) plan_.values[p.index].view = in_.parameters[p.index];
  const std::vector<bool> fixed = fixed_ops();
  find_pads();
  find_readings();
  // What depends on no input (masks, positions) first: a group never waits for it, so that what follows can join.
  for (const bool first : {true, false})
    for (OpId op : f_.ops()) {
      if (op == f_.terminator()) break;
      if (fixed[op.index] != first) continue;
      for (ValueId r : f_.results(op)) ON_TRY(check_type(op, r));
      ON_TRY(place(op));
    }
  find_reads();
  return std::move(plan_);
}

std::vector<bool> Planner::fixed_ops() const {
  std::vector<bool> fixed(f_.op_count(), false);
  for (OpId op : f_.ops()) {
    bool all = graph::op_info(f_.kind(op)).has(graph::kPure) && f_.regions(op).empty();
    for (ValueId v : f_.operands(op)) all = all && f_.definition(v).valid() && fixed[f_.definition(v).index];
    fixed[op.index] = all;
  }
  return fixed;
}

Result<void> Planner::check_type(OpId op, ValueId v) {
  const graph::Type& t = m_.type(f_.type(v));
  if (t.kind != graph::TypeKind::Tensor)
    return fail(Code::NoTypeLowering, op_place(m_, f_, op), "a result is no tensor");
  for (std::int64_t n : t.shape)
    if (n < 0) return fail(Code::DynamicShape, op_place(m_, f_, op), "a result has a dynamic dimension");
  if (!lowerable_type(t.element))
    return fail(Code::NoTypeLowering, op_place(m_, f_, op),
                "element type " + std::string(type_name(t.element)) + " has no lowering yet");
  return {};
}

Result<void> Planner::place(OpId op) {
  switch (f_.kind(op)) {
    case OpKind::Constant:
      return place_constant(op);
    case OpKind::Iota:
      set_view(f_.result(op), iota_view(element(f_.result(op)), shape(f_.result(op)), m_.integer(f_, op, "iota_dimension", 0)), -1);
      return {};
    case OpKind::BroadcastInDim:
    case OpKind::Transpose:
    case OpKind::Reshape:
    case OpKind::Slice:
    case OpKind::Reverse:
      return place_view(op);
    case OpKind::BitcastConvert:
      return place_bitcast(op);
    case OpKind::Reduce:
      return place_reduce(op);
    case OpKind::ReduceWindow:
      return place_reduce_window(op);
    case OpKind::DotGeneral:
      return place_dot(op);
    case OpKind::Convolution:
      return place_convolution(op);
    default:
      break;
  }
  if (f_.kind(op) == OpKind::Pad && place_pad(op)) return {};
  if (f_.kind(op) == OpKind::Convert && place_widening(op)) return {};
  if (is_elementwise(f_.kind(op))) {
    for (ValueId v : f_.operands(op))
      if (!elementwise_type(f_.kind(op), element(v)))
        return fail(Code::NoTypeLowering, op_place(m_, f_, op),
                    std::string(graph::op_name(f_.kind(op))) + " on " + std::string(type_name(element(v))) + " has no lowering yet");
    place_elementwise(op);
    return {};
  }
  if (is_special(f_.kind(op))) {
    place_special(op);
    return {};
  }
  std::string what(graph::op_name(f_.kind(op)));
  if (const std::string_view target = m_.text(f_, op, "call_target_name"); !target.empty()) what += " of " + std::string(target);
  return fail(Code::NoLowering, op_place(m_, f_, op), what + " has no lowering yet");
}

void Planner::find_pads() {
  pad_of_.assign(f_.value_count(), OpId());
  for (OpId op : f_.ops()) {
    if (f_.kind(op) != OpKind::Pad) continue;
    const ValueId operand = f_.operand(op, 0);
    const OpId fill = f_.definition(f_.operand(op, 1));
    bool inside = fill.valid() && f_.kind(fill) == OpKind::Constant && !pad_of_[operand.index].valid() &&
                  m_.type(f_.type(operand)).element_count() > 0;
    for (std::string_view side : {"edge_padding_low", "edge_padding_high"})
      for (std::int64_t n : ints(op, side)) inside = inside && n >= 0;
    if (inside) pad_of_[operand.index] = op;
  }
}

void Planner::find_readings() {
  any_type_.assign(f_.value_count(), true);
  const auto ops = f_.ops();
  for (std::size_t i = ops.size(); i-- > 0;) {
    const OpId op = ops[i];
    const OpKind kind = f_.kind(op);
    bool any = false;
    switch (kind) {
      case OpKind::BroadcastInDim:
      case OpKind::Transpose:
      case OpKind::Reshape:
      case OpKind::Slice:
      case OpKind::Reverse:
        any = any_type_[f_.result(op).index];
        break;
      case OpKind::Reduce:
        any = f_.operands(op).size() == 2;
        break;
      default:
        any = is_elementwise(kind) && kind != OpKind::Select;
        break;
    }
    if (any) continue;
    for (ValueId v : f_.operands(op)) any_type_[v.index] = false;
  }
}

void Planner::find_reads() {
  plan_.home_needed.assign(in_.store.home_count(), false);
  auto read = [&](const View& view, std::int32_t g) {
    if (view.kind != ViewKind::Memory) return;
    plan_.home_needed[view.home.index] = true;
    Home& home = in_.store.home(view.home);
    if (g >= 0) home.last_read = std::max(home.last_read, in_.first_group + static_cast<std::uint32_t>(g));
    home.last_use = std::max(home.last_use, g < 0 ? UINT32_MAX : in_.first_group + static_cast<std::uint32_t>(g));
    if (g >= 0) plan_.groups[static_cast<std::size_t>(g)].reads.push_back(view.home);
  };
  for (OpId op : f_.ops()) {
    if (op == f_.terminator()) {
      for (ValueId v : f_.operands(op)) read(value(v).view, -1);
      break;
    }
    const std::int32_t g = plan_.op_group[op.index];
    if (g < 0) continue;
    for (ValueId v : f_.operands(op)) {
      const ValuePlan& p = value(v);
      if (p.group == g && p.in_group) continue;
      read(p.view, g);
    }
  }
}

Result<Plan> make_plan(const PlanInput& input) { return Planner(input).run(); }

std::string location_text(const graph::Module& module, LocationId id) {
  for (int depth = 0; id.valid() && depth < 64; ++depth) {
    const graph::Location& l = module.location(id);
    if (l.kind == graph::LocationKind::File) return l.text + ":" + std::to_string(l.line) + ":" + std::to_string(l.column);
    if (l.kind == graph::LocationKind::Name) {
      const std::string inner = l.children.empty() ? std::string() : location_text(module, l.children[0]);
      return inner.empty() ? l.text : inner + " (" + l.text + ")";
    }
    if (l.children.empty()) return {};
    id = l.children[0];
  }
  return {};
}

Place op_place(const graph::Module& module, const graph::Function& function, OpId op) {
  Place place = graph::place_of(module, function.location_of(op));
  for (OpId reader : function.ops()) {  // a literal has no line of its own: that of the first op which reads it
    if (!place.file.empty()) break;
    for (ValueId v : function.operands(reader))
      if (function.definition(v) == op) place = graph::place_of(module, function.location_of(reader));
  }
  place.op = std::string(graph::op_name(function.kind(op)));
  return place;
}

std::int64_t reduce_limit(const Machine& machine) {
  return std::max<std::int64_t>(64, std::min<std::int64_t>(4096, machine.sbuf_partition_bytes / 4 / 16));
}

}  // namespace openneuron::lower
