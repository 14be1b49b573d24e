// Shape rules of data movement with static parameters. Constraints: the StableHLO specification's section of each op.
#include <algorithm>

#include "graph/rule.h"

namespace openneuron::graph {

// constant: the literal's type.
bool infer_constant(Rule& r) {
  const AttrId value = r.attribute("value");
  if (!value.valid() || r.module().attribute(value).kind != AttrKind::Constant)
    return r.fail(Code::GraphAttribute, "'value' must be a dense literal.");
  return r.result_type(r.module().type(r.module().constant(r.module().attribute(value).constant).type));
}

// iota: "0 <= iota_dimension < rank(output)"; integers, floats, complex.
bool infer_iota(Rule& r) {
  const Type* result = r.stated_tensor();
  if (result == nullptr) return false;
  if (type_class(result->element) == TypeClass::Bool) return r.fail(Code::GraphResult, "iota has no i1.");
  return r.dimension_in("iota_dimension", r.integer("iota_dimension"), result->shape.size());
}

// broadcast_in_dim: "size(broadcast_dimensions) = rank(operand)"; each operand dim is 1 or the result's.
bool infer_broadcast_in_dim(Rule& r) {
  if (!r.tensor(0)) return false;
  const auto dims = r.ints("broadcast_dimensions");
  const Type* result = r.stated_tensor();
  if (result == nullptr || !r.length("broadcast_dimensions", dims, r.operand(0).shape.size()) ||
      !r.dimensions("broadcast_dimensions", dims, result->shape.size())) {
    return false;
  }
  if (r.operand(0).kind == TypeKind::Tensor && result->kind == TypeKind::Tensor &&
      r.operand(0).element != result->element) {
    return r.fail(Code::GraphResult, "the result must have the operand's element type.");
  }
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const std::int64_t from = r.operand(0).shape[i], to = result->shape[static_cast<std::size_t>(dims[i])];
    if (from != 1 && !sizes_agree(from, to)) {
      return r.fail(Code::GraphResult, "operand dimension " + std::to_string(i) + " of size " + std::to_string(from) +
                                           " cannot become " + std::to_string(to) + ".");
    }
  }
  return true;
}

// broadcast: sizes are put in front.
bool infer_broadcast(Rule& r) {
  if (!r.tensor(0)) return false;
  const auto sizes = r.ints("broadcast_sizes");
  for (std::int64_t s : sizes) {
    if (!r.require(s >= 0, "'broadcast_sizes' must not be negative.")) return false;
  }
  Type result = r.operand(0);
  result.bounds.clear();
  result.shape.insert(result.shape.begin(), sizes.begin(), sizes.end());
  return r.require(result.shape.size() <= kMaxRank, "the result has more than 32 dimensions.") && r.result_type(result);
}

// reshape: "size(operand) = size(result)", one element type.
bool infer_reshape(Rule& r) {
  if (!r.tensor(0)) return false;
  const Type* result = r.stated_tensor();
  if (result == nullptr) return false;
  const Type& t = r.operand(0);
  if (t.kind == TypeKind::Tensor && result->kind == TypeKind::Tensor && t.element != result->element) {
    return r.fail(Code::GraphResult, "the result must have the operand's element type.");
  }
  for (const Type* type : {&t, result}) {
    for (std::int64_t d : type->shape) {
      if (d == kDynamic) return true;
    }
  }
  if (t.element_count() == result->element_count()) return true;
  return r.fail(Code::GraphResult, show(r.module(), t) + " has " + std::to_string(t.element_count()) + " elements, " +
                                       show(r.module(), *result) + " has " + std::to_string(result->element_count()) +
                                       ".");
}

// transpose: "permutation is a permutation of range(rank(operand))".
bool infer_transpose(Rule& r) {
  if (!r.tensor(0)) return false;
  const auto order = r.ints("permutation");
  const Type& t = r.operand(0);
  if (!r.length("permutation", order, t.shape.size()) || !r.dimensions("permutation", order, t.shape.size()))
    return false;
  Type result = t;
  for (std::size_t i = 0; i < order.size(); ++i) {
    result.shape[i] = t.shape[static_cast<std::size_t>(order[i])];
    if (!t.bounds.empty()) result.bounds[i] = t.bounds[static_cast<std::size_t>(order[i])];
  }
  return r.result_type(result);
}

// reverse: "dimensions" unique and in range.
bool infer_reverse(Rule& r) {
  return r.tensor(0) && r.dimensions("dimensions", r.ints("dimensions"), r.operand(0).shape.size()) && r.result_like(0);
}

// slice: "0 <= start <= limit <= shape(operand)", "0 < strides"; ceil((limit - start) / stride).
bool infer_slice(Rule& r) {
  if (!r.tensor(0)) return false;
  Type result = r.operand(0);
  result.bounds.clear();
  const auto starts = r.ints("start_indices"), limits = r.ints("limit_indices"), strides = r.ints("strides");
  const std::size_t rank = result.shape.size();
  if (!r.length("start_indices", starts, rank) || !r.length("limit_indices", limits, rank) ||
      !r.length("strides", strides, rank) || !r.positive("strides", strides)) {
    return false;
  }
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t size = result.shape[i];
    if (starts[i] < 0 || starts[i] > limits[i] || (size != kDynamic && limits[i] > size)) {
      return r.fail(Code::GraphAttribute, "slice [" + std::to_string(starts[i]) + ":" + std::to_string(limits[i]) +
                                              "] does not lie in dimension " + std::to_string(i) + " of " +
                                              show(r.module(), r.operand(0)) + ".");
    }
    result.shape[i] = (limits[i] - starts[i]) / strides[i] + ((limits[i] - starts[i]) % strides[i] != 0 ? 1 : 0);
  }
  return r.result_type(result);
}

// concatenate: operands agree but for the dimension, whose sizes add up.
bool infer_concatenate(Rule& r) {
  if (!r.tensors()) return false;
  Type result = r.operand(0);
  result.bounds.clear();
  const std::int64_t d = r.integer("dimension");
  if (!r.dimension_in("dimension", d, result.shape.size())) return false;
  for (std::size_t i = 1; i < r.operand_count(); ++i) {
    const Type& t = r.operand(i);
    if (!r.same_element(0, i)) return false;
    if (t.shape.size() != result.shape.size())
      return r.fail(Code::GraphOperands, "operand " + std::to_string(i) + " has another rank.");
    for (std::size_t k = 0; k < t.shape.size(); ++k) {
      if (static_cast<std::int64_t>(k) == d) {
        result.shape[k] = add_sizes(result.shape[k], t.shape[k]);
      } else if (!sizes_agree(result.shape[k], t.shape[k])) {
        return r.fail(Code::GraphOperands, "operand " + std::to_string(i) + ", " + show(r.module(), t) +
                                               ", differs from the first in dimension " + std::to_string(k) + ".");
      } else if (result.shape[k] == kDynamic) {
        result.shape[k] = t.shape[k];
      }
    }
  }
  return r.result_type(result);
}

// pad: "interior_padding >= 0"; low + d + max(d - 1, 0) * interior + high, not negative.
bool infer_pad(Rule& r) {
  if (!r.tensors() || !r.scalar(1) || !r.same_element(0, 1)) return false;
  Type result = r.operand(0);
  result.bounds.clear();
  const auto low = r.ints("edge_padding_low"), high = r.ints("edge_padding_high"),
             interior = r.ints("interior_padding");
  const std::size_t rank = result.shape.size();
  if (!r.length("edge_padding_low", low, rank) || !r.length("edge_padding_high", high, rank) ||
      !r.length("interior_padding", interior, rank))
    return false;
  for (std::size_t i = 0; i < rank; ++i) {
    if (!r.require(interior[i] >= 0, "'interior_padding' must not be negative.")) return false;
    if (result.shape[i] == kDynamic) continue;
    std::int64_t inside = 0;
    if (result.shape[i] > 0 && __builtin_mul_overflow(result.shape[i] - 1, interior[i], &inside)) inside = INT64_MAX;
    result.shape[i] = add_sizes(add_sizes(add_sizes(result.shape[i], inside), low[i]), high[i]);
    if (!r.require(result.shape[i] >= 0, "padding makes a dimension negative.")) return false;
    if (!r.require(result.shape[i] < std::int64_t{1} << 56, "padding makes a dimension too large.")) return false;
  }
  return r.result_type(result);
}

namespace {
// Start indices are integer scalars of one type, one a dimension.
bool start_indices(Rule& r, std::size_t first) {
  if (!r.operands_must(r.operand_count() - first == r.operand(0).shape.size(),
                       "one start index a dimension is needed."))
    return false;
  for (std::size_t i = first; i < r.operand_count(); ++i) {
    if (!r.scalar(i) || !r.element(i, "iu") || !r.same_element(first, i)) return false;
  }
  return true;
}
}  // namespace

// dynamic_slice: "0 <= slice_sizes <= shape(operand)".
bool infer_dynamic_slice(Rule& r) {
  if (!r.tensor(0) || !start_indices(r, 1)) return false;
  const auto sizes = r.ints("slice_sizes");
  Type result = r.operand(0);
  result.bounds.clear();
  if (!r.length("slice_sizes", sizes, result.shape.size())) return false;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 0 || (result.shape[i] != kDynamic && sizes[i] > result.shape[i])) {
      return r.fail(Code::GraphAttribute, "'slice_sizes' " + std::to_string(sizes[i]) + " is larger than dimension " +
                                              std::to_string(i) + ".");
    }
    result.shape[i] = sizes[i];
  }
  return r.result_type(result);
}

// dynamic_update_slice: "rank(update) = rank(operand)", "shape(update) <= shape(operand)".
bool infer_dynamic_update_slice(Rule& r) {
  if (!r.tensors() || !r.same_element(0, 1) || !start_indices(r, 2)) return false;
  const Type &t = r.operand(0), &u = r.operand(1);
  if (!r.operands_must(t.shape.size() == u.shape.size(), "operand and update must have one rank.")) return false;
  for (std::size_t i = 0; i < t.shape.size(); ++i) {
    if (t.shape[i] != kDynamic && u.shape[i] != kDynamic && u.shape[i] > t.shape[i]) {
      return r.fail(Code::GraphOperands,
                    "the update is larger than the operand in dimension " + std::to_string(i) + ".");
    }
  }
  return r.result_like(0);
}

// get_dimension_size: an i32 scalar.
bool infer_get_dimension_size(Rule& r) {
  return r.tensor(0) && r.dimension_in("dimension", r.integer("dimension"), r.operand(0).shape.size()) &&
         r.result(ElementType::I32, {});
}

// set_dimension_size (StablehloOps.td): an i32 scalar size; the dimension becomes dynamic or bounded.
bool infer_set_dimension_size(Rule& r) {
  if (!r.tensors() || !r.scalar(1) ||
      !r.operands_must(r.operand(1).element == ElementType::I32, "the size must be an i32 scalar."))
    return false;
  const std::int64_t d = r.integer("dimension");
  if (!r.dimension_in("dimension", d, r.operand(0).shape.size())) return false;
  Type result = r.operand(0);
  const std::size_t at = static_cast<std::size_t>(d);
  if (result.bounds.empty()) result.bounds.assign(result.shape.size(), kDynamic);
  if (result.shape[at] != kDynamic) result.bounds[at] = result.shape[at];
  result.shape[at] = kDynamic;
  return r.result_type(result);
}

// create_token, after_all: a token from tokens.
bool infer_create_token(Rule& r) {
  Type token;
  token.kind = TypeKind::Token;
  return r.result_type(token);
}
bool infer_after_all(Rule& r) {
  for (std::size_t i = 0; i < r.operand_count(); ++i) {
    if (!r.operands_must(r.operand(i).kind == TypeKind::Token, "operands must be tokens.")) return false;
  }
  return infer_create_token(r);
}

// tuple: the members' types in order; get_tuple_element: the member's.
bool infer_tuple(Rule& r) {
  Type tuple;
  tuple.kind = TypeKind::Tuple;
  for (std::size_t i = 0; i < r.operand_count(); ++i) tuple.members.push_back(r.operand_id(i));
  return r.result_type(tuple);
}
bool infer_get_tuple_element(Rule& r) {
  if (!r.operands_must(r.operand(0).kind == TypeKind::Tuple, "the operand must be a tuple.")) return false;
  const auto& members = r.operand(0).members;
  const std::int64_t index = r.integer("index");
  if (index < 0 || index >= static_cast<std::int64_t>(members.size()))
    return r.fail(Code::GraphAttribute, "the tuple has " + std::to_string(members.size()) + " members, 'index' is " +
                                            std::to_string(index) + ".");
  return r.result_type(r.module().type(members[static_cast<std::size_t>(index)]));
}

// builtin.unrealized_conversion_cast: any types.
bool infer_cast(Rule& r) {
  for (std::size_t i = 0; i < std::max<std::size_t>(1, r.stated_count()); ++i) {
    if (r.stated_any() == nullptr) return false;
  }
  return true;
}

}  // namespace openneuron::graph
