// Shape rules of ops whose result shape is an operand, and of retired ops. Constraints: the StableHLO specification;
// ops that it leaves out: StablehloOps.td.
#include "graph/rule.h"

namespace openneuron::graph {
namespace {

// Operand i: integers of rank 1 (a shape, indices or paddings) with `rank` entries.
bool shape_operand(Rule& r, std::size_t i, std::size_t rank) {
  if (!r.tensor(i) || !r.element(i, "iu")) return false;
  const Type& t = r.operand(i);
  return r.operands_must(t.shape.size() == 1 && sizes_agree(t.shape[0], static_cast<std::int64_t>(rank)),
                         "an operand that holds sizes needs rank 1 and one entry a dimension.");
}

bool same_element_as_operand(Rule& r, const Type& result) {
  const Type& t = r.operand(0);
  return t.kind == TypeKind::Quantized || result.kind == TypeKind::Quantized || t.element == result.element ||
         r.fail(Code::GraphResult, "the result must have the operand's element type.");
}

}  // namespace

bool infer_dynamic_reshape(Rule& r) {
  if (!r.tensors()) return false;
  const Type* result = r.stated_tensor();
  if (result == nullptr || !shape_operand(r, 1, result->shape.size()) || !same_element_as_operand(r, *result))
    return false;
  for (const Type* type : {&r.operand(0), result}) {
    for (std::int64_t d : type->shape) {
      if (d == kDynamic) return true;
    }
  }
  return r.operand(0).element_count() == result->element_count() ||
         r.fail(Code::GraphResult, "the result must have as many elements as the operand.");
}

bool infer_dynamic_broadcast_in_dim(Rule& r) {
  if (!r.tensors()) return false;
  const Type* result = r.stated_tensor();
  const auto dims = r.ints("broadcast_dimensions");
  if (result == nullptr || !shape_operand(r, 1, result->shape.size()) || !same_element_as_operand(r, *result) ||
      !r.length("broadcast_dimensions", dims, r.operand(0).shape.size()) ||
      !r.dimensions("broadcast_dimensions", dims, result->shape.size())) {
    return false;
  }
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const std::int64_t from = r.operand(0).shape[i];
    if (from != 1 && !sizes_agree(from, result->shape[static_cast<std::size_t>(dims[i])])) {
      return r.fail(Code::GraphResult, "operand dimension " + std::to_string(i) + " does not fit the result.");
    }
  }
  return r.dimensions("known_expanding_dimensions", r.ints("known_expanding_dimensions"), dims.size()) &&
         r.dimensions("known_nonexpanding_dimensions", r.ints("known_nonexpanding_dimensions"), dims.size());
}

bool infer_dynamic_iota(Rule& r) {
  if (!r.tensors()) return false;
  const Type* result = r.stated_tensor();
  return result != nullptr && shape_operand(r, 0, result->shape.size()) &&
         r.dimension_in("iota_dimension", r.integer("iota_dimension"), result->shape.size());
}

bool infer_dynamic_pad(Rule& r) {
  if (!r.tensors() || !r.scalar(1) || !r.same_element(0, 1)) return false;
  const std::size_t rank = r.operand(0).shape.size();
  const Type* result = r.stated_tensor();
  if (result == nullptr || !same_element_as_operand(r, *result)) return false;
  for (std::size_t i = 2; i < 5; ++i) {
    if (!shape_operand(r, i, rank)) return false;
  }
  return result->shape.size() == rank || r.fail(Code::GraphResult, "the result must have the operand's rank.");
}

bool infer_real_dynamic_slice(Rule& r) {
  if (!r.tensors()) return false;
  const std::size_t rank = r.operand(0).shape.size();
  for (std::size_t i = 1; i < 4; ++i) {
    if (!shape_operand(r, i, rank)) return false;
  }
  const Type* result = r.stated_tensor();
  if (result == nullptr || !same_element_as_operand(r, *result)) return false;
  return result->shape.size() == rank || r.fail(Code::GraphResult, "the result must have the operand's rank.");
}

// torch_index_select: operand[:dim] + index[batch_dims:] + operand[dim + 1:].
bool infer_torch_index_select(Rule& r) {
  if (!r.tensors() || !r.element(1, "iu")) return false;
  const auto &t = r.operand(0).shape, &index = r.operand(1).shape;
  const std::int64_t dim = r.integer("dim"), batch = r.integer("batch_dims");
  if (!r.dimension_in("dim", dim, t.size())) return false;
  if (!r.require(batch >= 0 && batch <= dim && batch <= static_cast<std::int64_t>(index.size()),
                 "'batch_dims' must lie between 0 and 'dim'."))
    return false;
  Shape shape(t.begin(), t.begin() + dim);
  shape.insert(shape.end(), index.begin() + batch, index.end());
  shape.insert(shape.end(), t.begin() + dim + 1, t.end());
  return r.require(shape.size() <= kMaxRank, "the result has more than 32 dimensions.") &&
         r.result(r.operand(0).element, std::move(shape));
}

namespace {

// Sizes of the letters of an einsum term; false when the term does not fit the operand.
bool read_term(Rule& r, std::string_view term, std::size_t i, std::int64_t (&sizes)[128]) {
  const auto& shape = r.operand(i).shape;
  if (term.size() != shape.size())
    return r.fail(Code::GraphAttribute, "'einsum_config' does not fit the rank of operand " + std::to_string(i) + ".");
  for (std::size_t k = 0; k < term.size(); ++k) {
    const unsigned char c = static_cast<unsigned char>(term[k]);
    if (c >= 128 || !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')))
      return r.fail(Code::GraphAttribute, "'einsum_config' holds a character that is no letter.");
    if (sizes[c] == -1)
      sizes[c] = shape[k];
    else if (!sizes_agree(sizes[c], shape[k]))
      return r.fail(Code::GraphOperands, "'einsum_config' gives one letter two sizes.");
  }
  return true;
}

bool einsum(Rule& r, std::size_t operands) {
  if (!r.tensors()) return false;
  const std::string_view config = r.text("einsum_config");
  const std::size_t arrow = config.find("->");
  if (arrow == std::string_view::npos) return r.fail(Code::GraphAttribute, "'einsum_config' has no '->'.");
  std::int64_t sizes[128];
  for (std::int64_t& s : sizes) s = -1;
  std::string_view left = config.substr(0, arrow), result = config.substr(arrow + 2);
  for (std::size_t i = 0; i < operands; ++i) {
    const std::size_t comma = left.find(',');
    if ((comma == std::string_view::npos) != (i + 1 == operands))
      return r.fail(Code::GraphAttribute, "'einsum_config' has another number of terms.");
    if (!read_term(r, left.substr(0, comma), i, sizes)) return false;
    left = comma == std::string_view::npos ? std::string_view() : left.substr(comma + 1);
  }
  Shape shape;
  for (char c : result) {
    const unsigned char u = static_cast<unsigned char>(c);
    if (u >= 128 || sizes[u] == -1)
      return r.fail(Code::GraphAttribute, "'einsum_config' has a result letter that no operand has.");
    shape.push_back(sizes[u]);
  }
  return r.require(shape.size() <= kMaxRank, "the result has more than 32 dimensions.") &&
         r.result(r.operand(0).element, std::move(shape));
}

}  // namespace

bool infer_einsum(Rule& r) { return r.tensors() && r.same_element(0, 1) && einsum(r, 2); }
bool infer_unary_einsum(Rule& r) { return einsum(r, 1); }

// dot: vectors and matrices; the last dimension of lhs against the first of rhs.
bool infer_dot(Rule& r) {
  if (!r.tensors()) return false;
  const auto &a = r.operand(0).shape, &b = r.operand(1).shape;
  if (!r.operands_must(!a.empty() && a.size() <= 2 && !b.empty() && b.size() <= 2, "operands must have rank 1 or 2."))
    return false;
  if (!r.operands_must(sizes_agree(a.back(), b.front()), "the contracted sizes differ.")) return false;
  Shape shape(a.begin(), a.end() - 1);
  shape.insert(shape.end(), b.begin() + 1, b.end());
  if (r.deriving()) return r.result(r.operand(0).element, std::move(shape));
  const Type* result = r.stated_tensor();
  if (result == nullptr) return false;
  return shapes_agree(shape, result->shape) ||
         r.fail(Code::GraphResult, "the result must be " + show(r.module(), tensor_type(result->element, shape)) + ".");
}

// replica_id, partition_id: a ui32 scalar.
bool infer_replica_id(Rule& r) { return r.result(ElementType::U32, {}); }

}  // namespace openneuron::graph
