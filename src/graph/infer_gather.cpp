// Shape rules of gather and scatter. Constraints: the StableHLO specification's sections gather, dynamic_gather,
// scatter.
#include <algorithm>

#include "graph/rule.h"

namespace openneuron::graph {
namespace {

bool holds(std::span<const std::int64_t> list, std::int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// The dimensions of the indices without index_vector_dim (which may be the rank: each index a scalar).
bool index_dims(Rule& r, const Type& indices, std::size_t coordinates, Shape& batch) {
  const std::int64_t vector_dim = r.integer("index_vector_dim");
  const std::int64_t rank = static_cast<std::int64_t>(indices.shape.size());
  if (vector_dim < 0 || vector_dim > rank)
    return r.fail(Code::GraphAttribute, "'index_vector_dim' is " + std::to_string(vector_dim) +
                                            ", the indices have rank " + std::to_string(rank) + ".");
  const std::int64_t length = vector_dim == rank ? 1 : indices.shape[static_cast<std::size_t>(vector_dim)];
  if (!sizes_agree(length, static_cast<std::int64_t>(coordinates))) {
    return r.fail(Code::GraphAttribute, "each index has " + std::to_string(length) +
                                            " coordinates, the attribute maps " + std::to_string(coordinates) + ".");
  }
  for (std::int64_t d = 0; d < rank; ++d) {
    if (d != vector_dim) batch.push_back(indices.shape[static_cast<std::size_t>(d)]);
  }
  return true;
}

// Batching dimensions of operand and indices: as many, of the same sizes, index_vector_dim not among them.
bool batching(Rule& r, const Type& operand, const Type& indices, std::string_view operand_name,
              std::string_view indices_name) {
  const auto ob = r.ints(operand_name), ib = r.ints(indices_name);
  if (!r.dimensions(operand_name, ob, operand.shape.size()) || !r.sorted(operand_name, ob) ||
      !r.dimensions(indices_name, ib, indices.shape.size()) || !r.length(indices_name, ib, ob.size()))
    return false;
  if (!r.require(!holds(ib, r.integer("index_vector_dim")), "'index_vector_dim' is a batching dimension."))
    return false;
  for (std::size_t i = 0; i < ob.size(); ++i) {
    if (!sizes_agree(operand.shape[static_cast<std::size_t>(ob[i])], indices.shape[static_cast<std::size_t>(ib[i])])) {
      return r.fail(Code::GraphOperands, "the batching dimensions of operand and indices differ in size.");
    }
  }
  return true;
}

bool apart(Rule& r, std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  for (std::int64_t v : a) {
    if (holds(b, v))
      return r.fail(Code::GraphAttribute,
                    "dimension " + std::to_string(v) + " is batching and also collapsed, inserted or mapped.");
  }
  return true;
}

// `sizes` empty with `known` false: dynamic_gather.
bool gather(Rule& r, std::span<const std::int64_t> sizes, bool known) {
  if (!r.tensors() || !r.element(1, "iu")) return false;
  const Type &operand = r.operand(0), &indices = r.operand(1);
  const std::size_t rank = operand.shape.size();
  const auto offset = r.ints("offset_dims"), collapsed = r.ints("collapsed_slice_dims"),
             batch_dims = r.ints("operand_batching_dims"), map = r.ints("start_index_map");
  if (!r.dimensions("collapsed_slice_dims", collapsed, rank) || !r.sorted("collapsed_slice_dims", collapsed) ||
      !batching(r, operand, indices, "operand_batching_dims", "start_indices_batching_dims") ||
      !r.dimensions("start_index_map", map, rank) || !apart(r, batch_dims, collapsed) || !apart(r, batch_dims, map)) {
    return false;
  }
  if (!r.require(offset.size() + collapsed.size() + batch_dims.size() == rank,
                 "offset, collapsed and batching dimensions must add up to the operand's rank."))
    return false;
  if (known) {
    if (!r.length("slice_sizes", sizes, rank)) return false;
    for (std::size_t d = 0; d < rank; ++d) {
      if (sizes[d] < 0 || (operand.shape[d] != kDynamic && sizes[d] > operand.shape[d]))
        return r.fail(Code::GraphAttribute, "'slice_sizes' " + std::to_string(sizes[d]) + " does not fit dimension " +
                                                std::to_string(d) + ".");
    }
    for (std::int64_t d : collapsed) {
      if (!r.require(sizes[static_cast<std::size_t>(d)] <= 1, "a collapsed dimension has a slice size above 1."))
        return false;
    }
    for (std::int64_t d : batch_dims) {
      if (!r.require(sizes[static_cast<std::size_t>(d)] <= 1, "a batching dimension has a slice size above 1."))
        return false;
    }
  }
  Shape batch;
  if (!index_dims(r, indices, map.size(), batch)) return false;
  const std::size_t result_rank = batch.size() + offset.size();
  if (!r.require(result_rank <= kMaxRank, "the result has more than 32 dimensions.") ||
      !r.dimensions("offset_dims", offset, result_rank) || !r.sorted("offset_dims", offset))
    return false;
  Shape window;
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t at = static_cast<std::int64_t>(d);
    if (!holds(collapsed, at) && !holds(batch_dims, at)) window.push_back(known ? sizes[d] : kDynamic);
  }
  Shape shape;
  std::size_t next_batch = 0, next_window = 0;
  for (std::size_t d = 0; d < result_rank; ++d) {
    shape.push_back(holds(offset, static_cast<std::int64_t>(d)) ? window[next_window++] : batch[next_batch++]);
  }
  Type result = operand;
  result.bounds.clear();
  result.shape = std::move(shape);
  return r.result_type(result);
}

}  // namespace

bool infer_gather(Rule& r) { return gather(r, r.ints("slice_sizes"), true); }
bool infer_dynamic_gather(Rule& r) {
  return r.tensor(2) && r.element(2, "iu") && r.operands_must(r.operand(2).rank() == 1, "slice_sizes needs rank 1.") &&
         gather(r, {}, false);
}

bool infer_scatter(Rule& r) {
  if (!r.tensors() || !r.operands_must(r.operand_count() % 2 == 1, "N inputs, indices and N updates are needed."))
    return false;
  const std::size_t inputs = r.operand_count() / 2;
  if (!r.element(inputs, "iu")) return false;
  const Type &operand = r.operand(0), &indices = r.operand(inputs), &updates = r.operand(inputs + 1);
  const std::size_t rank = operand.shape.size();
  for (std::size_t i = 0; i < inputs; ++i) {
    if (!r.same_shape(0, i) || !r.same_shape(inputs + 1, inputs + 1 + i) || !r.same_element(i, inputs + 1 + i))
      return false;
  }
  const auto window = r.ints("update_window_dims"), inserted = r.ints("inserted_window_dims"),
             batch_dims = r.ints("input_batching_dims"), map = r.ints("scatter_dims_to_operand_dims");
  if (!r.dimensions("update_window_dims", window, updates.shape.size()) || !r.sorted("update_window_dims", window) ||
      !r.dimensions("inserted_window_dims", inserted, rank) || !r.sorted("inserted_window_dims", inserted) ||
      !batching(r, operand, indices, "input_batching_dims", "scatter_indices_batching_dims") ||
      !r.dimensions("scatter_dims_to_operand_dims", map, rank) || !apart(r, batch_dims, inserted) ||
      !apart(r, batch_dims, map)) {
    return false;
  }
  if (!r.require(window.size() + inserted.size() + batch_dims.size() == rank,
                 "window, inserted and batching dimensions must add up to the input's rank."))
    return false;
  Shape batch;
  if (!index_dims(r, indices, map.size(), batch)) return false;
  if (!r.operands_must(updates.shape.size() == batch.size() + window.size(), "the updates have the wrong rank."))
    return false;
  Shape limits;
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t at = static_cast<std::int64_t>(d);
    if (!holds(inserted, at) && !holds(batch_dims, at)) limits.push_back(operand.shape[d]);
  }
  std::size_t next_batch = 0, next_window = 0;
  for (std::size_t d = 0; d < updates.shape.size(); ++d) {
    const std::int64_t have = updates.shape[d];
    if (holds(window, static_cast<std::int64_t>(d))) {
      const std::int64_t limit = limits[next_window++];
      if (have != kDynamic && limit != kDynamic && have > limit)
        return r.fail(Code::GraphOperands,
                      "the update window is larger than the input in update dimension " + std::to_string(d) + ".");
    } else if (!sizes_agree(have, batch[next_batch++])) {
      return r.fail(Code::GraphOperands, "update dimension " + std::to_string(d) + " and the indices differ in size.");
    }
  }
  std::vector<Type> arguments;
  for (int side = 0; side < 2; ++side) {
    for (std::size_t i = 0; i < inputs; ++i) arguments.push_back(scalar_of(r.operand(i)));
  }
  // The body may compute in a wider type; its arguments are then of that type.
  const std::vector<Type> returned = r.region_results(0);
  if (returned.size() != inputs) return r.fail(Code::GraphRegion, "the body must return one scalar an input.");
  for (std::size_t i = 0; i < inputs; ++i) {
    if (returned[i].kind == TypeKind::Tensor && r.operand(i).kind == TypeKind::Tensor &&
        type_class(returned[i].element) == type_class(operand.element) && inputs == 1) {
      arguments[0] = arguments[1] = returned[0];
    }
  }
  if (!r.region_arguments(0, arguments)) return false;
  for (std::size_t i = 0; i < inputs; ++i) {
    if (returned[i].rank() != 0) return r.fail(Code::GraphRegion, "the body must return scalars.");
    Type result = returned[i];
    result.shape = r.operand(i).shape;
    if (!r.result_type(result)) return false;
  }
  return true;
}

}  // namespace openneuron::graph
