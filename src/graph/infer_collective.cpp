// Shape rules of collectives. Constraints: the StableHLO specification's section of each op; collective_reduce and
// cross-replica-sum: StablehloOps.td.
#include <unordered_set>

#include "graph/rule.h"

namespace openneuron::graph {
namespace {

enum class Groups { AnySize, SameSize, SomeDevices };

// Ids are unique, and 0..n-1 but for SomeDevices; where groups may differ in size, -1 fills short ones. `size` gets the
// group size, kDynamic when not known from the attribute.
bool groups(Rule& r, std::int64_t& size, Groups sizes = Groups::AnySize) {
  size = kDynamic;
  const AttrId id = r.attribute("replica_groups");
  if (!id.valid()) return true;
  const Attribute& a = r.module().attribute(id);
  if (a.kind != AttrKind::Ints) return true;  // mesh and axes
  if (!r.require(a.shape.size() == 2, "'replica_groups' must be a matrix.")) return false;
  std::unordered_set<std::int64_t> seen;
  for (std::int64_t device : a.integers) {
    if (device == -1 && sizes == Groups::AnySize) continue;
    if (device < 0 || !seen.insert(device).second)
      return r.fail(Code::GraphAttribute, "'replica_groups' holds " + std::to_string(device) +
                                              (device < 0 ? ", which is no device." : " twice."));
  }
  for (std::int64_t device : seen) {
    if (sizes != Groups::SomeDevices && device >= static_cast<std::int64_t>(seen.size()))
      return r.fail(Code::GraphAttribute, "'replica_groups' must name devices 0 to " + std::to_string(seen.size() - 1) +
                                              "; it holds " + std::to_string(device) + ".");
  }
  if (!a.integers.empty()) size = a.shape[1];
  return true;
}

// A region (E, E) -> E for the element types of operand i.
bool computation(Rule& r, std::size_t operand) {
  const std::vector<Type> returned = r.region_results(0);
  if (returned.size() != 1 || returned[0].rank() != 0)
    return r.fail(Code::GraphRegion, "the computation must return one scalar.");
  const Type pair[] = {returned[0], returned[0]};
  if (returned[0].kind == TypeKind::Tensor && r.operand(operand).kind == TypeKind::Tensor &&
      type_class(returned[0].element) != type_class(r.operand(operand).element)) {
    return r.fail(Code::GraphRegion, "the computation returns another class of element type than the operand has.");
  }
  return r.region_arguments(0, pair);
}

bool like_operands(Rule& r, bool reduces) {
  for (std::size_t i = 0; i < r.operand_count(); ++i) {
    if (reduces && !computation(r, i)) return false;
    Type t = r.operand(i);
    if (reduces) t.element = r.region_results(0)[0].element;
    if (!r.result_type(t)) return false;
  }
  return true;
}

}  // namespace

bool infer_all_reduce(Rule& r) {
  std::int64_t size = 0;
  return r.tensors() && groups(r, size) && like_operands(r, true);
}
bool infer_collective_reduce(Rule& r) {
  std::int64_t size = 0;
  return r.tensors() && groups(r, size) && like_operands(r, true);
}
bool infer_collective_broadcast(Rule& r) {
  std::int64_t size = 0;
  if (!groups(r, size, Groups::SomeDevices)) return false;
  // With a dynamic root the last operand is the root's id.
  const std::size_t data = r.operand_count() - (r.integer("has_dynamic_root") != 0 && r.operand_count() > 1 ? 1 : 0);
  for (std::size_t i = 0; i < data; ++i) {
    if (!r.tensor(i) || !r.result_like(i)) return false;
  }
  return true;
}
bool infer_cross_replica_sum(Rule& r) { return r.tensors() && r.result_like(0); }

// all_gather: the dimension grows by the group size.
bool infer_all_gather(Rule& r) {
  std::int64_t size = 0;
  if (!r.tensors() || !groups(r, size, Groups::SameSize)) return false;
  const std::int64_t d = r.integer("all_gather_dim");
  for (std::size_t i = 0; i < r.operand_count(); ++i) {
    Type t = r.operand(i);
    if (!r.dimension_in("all_gather_dim", d, t.shape.size())) return false;
    std::int64_t& extent = t.shape[static_cast<std::size_t>(d)];
    std::int64_t grown = 0;
    if (extent == kDynamic || size == kDynamic)
      extent = kDynamic;
    else if (__builtin_mul_overflow(extent, size, &grown))
      return r.fail(Code::GraphResult, "the result is too large.");
    else
      extent = grown;
    if (!r.result_type(t)) return false;
  }
  return true;
}

// all_to_all: one dimension is split, another grows.
bool infer_all_to_all(Rule& r) {
  std::int64_t size = 0;
  if (!r.tensors() || !groups(r, size, Groups::SameSize)) return false;
  const std::int64_t split = r.integer("split_dimension"), concat = r.integer("concat_dimension"),
                     count = r.integer("split_count");
  if (!r.require(count >= 1 && count < std::int64_t{1} << 40, "'split_count' must be 1 or more.")) return false;
  for (std::size_t i = 0; i < r.operand_count(); ++i) {
    Type t = r.operand(i);
    if (!r.dimension_in("split_dimension", split, t.shape.size()) ||
        !r.dimension_in("concat_dimension", concat, t.shape.size()))
      return false;
    std::int64_t& from = t.shape[static_cast<std::size_t>(split)];
    if (from != kDynamic) {
      if (!r.operands_must(from % count == 0, "'split_count' must divide the split dimension.")) return false;
      from /= count;
    }
    std::int64_t& to = t.shape[static_cast<std::size_t>(concat)];
    std::int64_t grown = 0;
    if (to != kDynamic && __builtin_mul_overflow(to, count, &grown))
      return r.fail(Code::GraphResult, "the result is too large.");
    if (to != kDynamic) to = grown;
    if (!r.result_type(t)) return false;
  }
  return true;
}

// reduce_scatter: the dimension shrinks by the group size.
bool infer_reduce_scatter(Rule& r) {
  std::int64_t size = 0;
  if (!r.tensors() || !groups(r, size, Groups::SameSize) || !computation(r, 0)) return false;
  const std::int64_t d = r.integer("scatter_dimension");
  Type t = r.operand(0);
  if (!r.dimension_in("scatter_dimension", d, t.shape.size())) return false;
  std::int64_t& extent = t.shape[static_cast<std::size_t>(d)];
  if (size == kDynamic || extent == kDynamic || size == 0) {
    extent = kDynamic;
  } else {
    if (!r.operands_must(extent % size == 0, "the group size must divide the scattered dimension.")) return false;
    extent /= size;
  }
  t.element = r.region_results(0)[0].element;
  return r.result_type(t);
}

// neuron.collective: x and the groups [G, S] as a tensor; what is gathered or scattered is a first dimension of S.
bool infer_neuron_collective(Rule& r) {
  if (!r.tensors() || !r.operands_must(r.operand(1).rank() == 2, "the groups must be a matrix.")) return false;
  Type t = r.operand(0);
  const std::int64_t size = r.operand(1).shape[1];
  const std::string_view kind = r.text("kind");
  if (kind == "all_gather") {
    t.shape.insert(t.shape.begin(), size);
  } else if (kind == "reduce_scatter" || kind == "all_to_all") {
    if (!r.operands_must(!t.shape.empty() && t.shape[0] == size, "the first dimension must be the group's.")) return false;
    if (kind == "reduce_scatter") t.shape.erase(t.shape.begin());
  }
  t.bounds.clear();
  return r.result_type(t);
}

// collective_permute: sources and targets are unique.
bool infer_collective_permute(Rule& r) {
  if (!r.tensors()) return false;
  const auto pairs = r.ints("source_target_pairs");
  std::unordered_set<std::int64_t> sources, targets;
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
    if (pairs[i] < 0 || pairs[i + 1] < 0)
      return r.fail(Code::GraphAttribute, "'source_target_pairs' holds a negative id.");
    if (!sources.insert(pairs[i]).second || !targets.insert(pairs[i + 1]).second)
      return r.fail(Code::GraphAttribute, "'source_target_pairs' names a device twice.");
  }
  return r.result_like(0);
}

}  // namespace openneuron::graph
