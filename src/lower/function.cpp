#include "lower/function.h"

#include <algorithm>

#include "lower/stamp.h"

namespace openneuron::lower {

using graph::OpKind;

Result<std::vector<View>> FunctionLowerer::run(const std::function<void(const Plan&)>& planned,
                                               const std::function<Result<void>(const Plan&, std::int32_t)>& after_group) {
  auto plan = make_plan({module_, function_, store_, parameters_, first_group_});
  if (!plan) return plan.failure();
  plan_ = std::move(*plan);
  if (planned) planned(plan_);
  demands_ = make_demands();
  Context context{module_, function_, store_, plan_, demands_, report_, first_group_, layouts};
  Stamper stamper(context);
  inner_groups_ = first_group_ + static_cast<std::uint32_t>(plan_.groups.size());
  for (std::size_t g = 0; g < plan_.groups.size(); ++g) {
    now_ = first_group_ + static_cast<std::uint32_t>(g);
    store_.begin_group(now_);
    const Group& group = plan_.groups[g];
    if (group.kind == GroupKind::Nest) {
      if (!stamps || !stamper.stamp(static_cast<std::int32_t>(g))) {
        ON_TRY(GroupEmitter(context, static_cast<std::int32_t>(g)).run());
        if (stamps) stamper.record();
      }
    } else {
      emitter().set_location(emitter().location_index(location_text(module_, function_.location_of(group.ops[0]))));
      ON_TRY(special(group.ops[0]));
    }
    if (after_group) ON_TRY(after_group(plan_, static_cast<std::int32_t>(g)));
  }
  std::vector<View> results;
  for (ValueId v : function_.operands(function_.terminator())) results.push_back(view(v));
  return results;
}

// Walks the groups backwards: a contraction wants its contracted axes on partitions; other groups hand on to their
// operands what their readers want of them.
Demands FunctionLowerer::make_demands() const {
  Demands demands(store_.home_count());
  auto add = [&](HomeId home, std::int64_t stride, double weight) {
    if (stride <= 0 || weight <= 0) return;
    for (Demand& d : demands[home])
      if (d.stride == stride) {
        d.weight += weight;
        return;
      }
    if (demands[home].size() < 6) demands[home].push_back({stride, weight});
  };
  for (std::size_t g = plan_.groups.size(); g-- > 0;) {
    const Group& group = plan_.groups[g];
    if (group.kind != GroupKind::Nest) {
      const OpId op = group.ops[0];
      if (function_.kind(op) != OpKind::Pad) continue;
      const View& in = view(function_.operand(op, 0));  // what its readers want, where dims are not padded
      const View& out = view(function_.result(op));
      if (in.kind != ViewKind::Memory) continue;
      for (const Demand& d : std::vector<Demand>(demands[out.home]))
        for (std::size_t i = 0; i < in.dims.size(); ++i)
          if (in.dims[i].size > 1 && in.dims[i].size == out.dims[i].size && out.dims[i].stride == d.stride) add(in.home, in.dims[i].stride, d.weight * 0.5);
      continue;
    }
    if (group.contraction.valid()) {
      const OpId op = group.contraction;
      if (function_.kind(op) == OpKind::Convolution) {  // channels on partitions
        const View& in = view(function_.operand(op, 0));
        const View& kernel = view(function_.operand(op, 1));
        const ViewDim& channels = in.dims[static_cast<std::size_t>(module_.integer(function_, op, "input_feature_dimension", 0))];
        const ViewDim& rows = kernel.dims[static_cast<std::size_t>(module_.integer(function_, op, "kernel_input_feature_dimension", 0))];
        if (in.kind == ViewKind::Memory && channels.size > 1) add(in.home, channels.stride, static_cast<double>(in.count()));
        if (kernel.kind == ViewKind::Memory && rows.size > 1) add(kernel.home, rows.stride, static_cast<double>(kernel.count()));
      }
      const bool convolution = function_.kind(op) == OpKind::Convolution, dot = function_.kind(op) == OpKind::DotGeneral;
      for (std::size_t side = 0; side < (convolution ? 0u : dot ? 2u : 1u); ++side) {
        const View& v = view(function_.operand(op, side));
        if (v.kind != ViewKind::Memory) continue;
        const auto dims = module_.ints(function_, op, !dot ? "dimensions" : side == 0 ? "lhs_contracting_dimensions" : "rhs_contracting_dimensions");
        if (!dims.empty()) add(v.home, v.dims[static_cast<std::size_t>(dims.back())].stride, static_cast<double>(v.count()));
      }
    }
    if (function_.kind(group.ops[0]) == OpKind::ReduceWindow) {  // an axis without a window on partitions
      const View& in = view(function_.operand(group.ops[0], 0));
      const auto sizes = module_.ints(function_, group.ops[0], "window_dimensions");
      for (std::size_t d = 0; d < in.dims.size() && in.kind == ViewKind::Memory; ++d)
        if (sizes[d] == 1 && in.dims[d].size >= kManyRows) add(in.home, in.dims[d].stride, static_cast<double>(in.count()) * 0.25);
    }
    // A reduction wants its own axes free, and so one of the others on partitions.
    if (function_.kind(group.ops[0]) == OpKind::Reduce && group.ops[0] != group.contraction) {
      const View& in = view(function_.operand(group.ops[0], 0));
      for (std::size_t d = 0; d < in.dims.size() && in.kind == ViewKind::Memory; ++d)
        if (!group.reduced[d] && in.dims[d].size >= kManyRows) add(in.home, in.dims[d].stride, static_cast<double>(in.count()) * 0.5);
    }
    // What readers want of each axis of the domain.
    std::vector<double> wanted(group.domain.size(), 0.0);
    for (OpId op : group.ops) {
      const ValuePlan& p = plan_.values[function_.result(op).index];
      if (p.axes.size() != p.view.dims.size()) continue;
      for (const Demand& d : demands[p.view.home])
        for (std::size_t i = 0; i < p.axes.size(); ++i)
          if (p.axes[i] != kAnyAxis && p.view.dims[i].stride == d.stride) wanted[static_cast<std::size_t>(p.axes[i])] += d.weight;
    }
    for (OpId op : group.ops) {
      if (op == group.contraction) continue;
      const ValuePlan& p = plan_.values[function_.result(op).index];
      for (ValueId v : function_.operands(op)) {
        const ValuePlan& in = plan_.values[v.index];
        if (in.view.kind != ViewKind::Memory || in.view.dims.size() != p.axes.size()) continue;
        if (in.group == static_cast<std::int32_t>(g) && in.in_group) continue;
        for (std::size_t i = 0; i < p.axes.size(); ++i)
          if (p.axes[i] != kAnyAxis && in.view.dims[i].size > 1)
            add(in.view.home, in.view.dims[i].stride, wanted[static_cast<std::size_t>(p.axes[i])] * 0.5);
      }
    }
  }
  return demands;
}

}  // namespace openneuron::lower
