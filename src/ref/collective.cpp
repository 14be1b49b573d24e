// Collectives as partition 0 of one sees them: a group holds it alone.
#include <algorithm>

#include "ref/interpreter.h"

namespace openneuron::ref {

using graph::OpKind;

bool is_collective(OpKind kind) {
  switch (kind) {
    case OpKind::AllReduce: case OpKind::AllGather: case OpKind::AllToAll: case OpKind::ReduceScatter:
    case OpKind::CollectivePermute: case OpKind::CollectiveBroadcast: case OpKind::NeuronCollective: return true;
    default: return false;
  }
}

Values run_collective(const OpContext& c) {
  std::vector<std::int64_t> groups;
  std::string_view kind = c.text("kind");
  std::size_t data = c.own_operand_count();
  if (c.kind() == OpKind::NeuronCollective) {
    data = 1;
    for (std::int64_t i = 0; i < c.tensor(1).count(); ++i) groups.push_back(get(c.tensor(1), i).integer);
  } else {
    const auto ids = c.ints(c.kind() == OpKind::CollectivePermute ? "source_target_pairs" : "replica_groups");
    groups.assign(ids.begin(), ids.end());
    if (c.kind() == OpKind::CollectivePermute) kind = "collective_permute";
    if (c.kind() == OpKind::CollectiveBroadcast) kind = "broadcast";
    if (c.integer("has_dynamic_root") != 0) return c.unsupported("the root is not known before the program runs");
  }
  if (std::any_of(groups.begin(), groups.end(), [](std::int64_t p) { return p > 0; }))
    return c.unsupported("the oracle is one core, and the collective meets others");
  const bool moves = kind == "collective_permute" || kind == "broadcast";
  const bool filled = !moves || !groups.empty();
  std::vector<Value> results;
  for (std::size_t i = 0; i < data; ++i) {
    Tensor result = c.new_result(i);
    if (result.count() != c.tensor(i).count()) return c.unsupported("the collective changes the number of elements");
    for (std::int64_t e = 0; filled && e < result.count(); ++e) set(result, e, get(c.tensor(i), e));
    results.emplace_back(std::move(result));
  }
  return results;
}

}  // namespace openneuron::ref
