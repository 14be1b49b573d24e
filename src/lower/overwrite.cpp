#include "lower/overwrite.h"

#include <algorithm>

namespace openneuron::lower {

Reads reads_of_homes(const graph::Function& function, const Plan& plan) {
  Reads reads;
  for (OpId op : function.ops()) {
    if (plan.op_group[op.index] < 0) continue;
    for (ValueId operand : function.operands(op)) {
      const View& read = plan.values[operand.index].view;
      if (read.kind != ViewKind::Memory) continue;
      if (reads.size() <= read.home.index) reads.resize(read.home.index + 1);
      reads[read.home.index].push_back({op, operand});
    }
  }
  return reads;
}

bool may_overwrite(const graph::Module& module, const graph::Function& function, const Store& store, const Plan& plan,
                   const Reads& reads, std::uint32_t first_group, ValueId value, HomeId source) {
  const ValuePlan& made = plan.values[value.index];
  if (made.group < 0 || !made.in_group || !made.computed || !is_whole(made.view, store) || made.view.home == source) return false;
  const Group& group = plan.groups[static_cast<std::size_t>(made.group)];
  const Home &to = store.home(made.view.home), &from = store.home(source);
  if (group.kind != GroupKind::Nest || to.fill || to.type != from.type || to.count != from.count) return false;
  if (from.last_use > first_group + static_cast<std::uint32_t>(made.group)) return false;
  std::int64_t visited = 1;
  for (std::size_t a = 0; a < group.domain.size(); ++a) {
    if (group.reduced[a] && group.domain[a] > 1) return false;
    visited *= group.domain[a];
  }
  if (visited != to.count) return false;

  const std::vector<std::int64_t>& shape = module.value_type(function, value).shape;
  const auto place = [&](OpId op) { return std::find(group.ops.begin(), group.ops.end(), op); };
  if (source.index >= reads.size()) return true;
  for (const Read& read : reads[source.index]) {
    const std::int32_t g = plan.op_group[read.op.index];
    if (plan.groups[static_cast<std::size_t>(g)].kind != GroupKind::Nest) return false;
    if (g != made.group) continue;  // an earlier one: it has read all when this one begins
    const ValueId result = function.result(read.op);
    const bool same_place = read.op != group.contraction && is_whole(plan.values[read.operand.index].view, store) &&
                            module.value_type(function, read.operand).shape == shape && module.value_type(function, result).shape == shape &&
                            plan.values[result.index].axes == made.axes;
    if (!same_place || place(read.op) > place(function.definition(value))) return false;
  }
  return true;
}

}  // namespace openneuron::lower
