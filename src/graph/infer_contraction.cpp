// Shape rules of contractions. Constraints: the StableHLO specification's sections dot_general and convolution;
// chlo.ragged_dot: ChloOps.td.
#include "graph/rule.h"

namespace openneuron::graph {
namespace {

std::uint64_t mask_of(std::span<const std::int64_t> dims) {
  std::uint64_t mask = 0;
  for (std::int64_t d : dims) mask |= std::uint64_t{1} << d;
  return mask;
}

// Result elements may be wider than the operands': the stated type decides.
bool result_shape(Rule& r, Shape shape, ElementType otherwise) {
  if (!r.require(shape.size() <= kMaxRank, "the result has more than 32 dimensions.")) return false;
  if (r.deriving()) return r.result(otherwise, std::move(shape));
  const Type* result = r.stated_tensor();
  if (result == nullptr) return false;
  if (shapes_agree(shape, result->shape)) return true;
  return r.fail(Code::GraphResult, "the result is stated as " + show(r.module(), *result) + ", the op gives " +
                                       show(r.module(), tensor_type(result->element, shape)) + ".");
}

bool same_sizes(Rule& r, std::string_view what, std::span<const std::int64_t> left,
                std::span<const std::int64_t> right) {
  if (left.size() != right.size())
    return r.fail(Code::GraphAttribute, "the " + std::string(what) + " dimensions of both sides differ in number.");
  for (std::size_t i = 0; i < left.size(); ++i) {
    const std::int64_t a = r.operand(0).shape[static_cast<std::size_t>(left[i])],
                       b = r.operand(1).shape[static_cast<std::size_t>(right[i])];
    if (!sizes_agree(a, b)) {
      return r.fail(Code::GraphOperands, std::string(what) + " dimensions " + std::to_string(left[i]) + " and " +
                                             std::to_string(right[i]) + " have sizes " + std::to_string(a) + " and " +
                                             std::to_string(b) + ".");
    }
  }
  return true;
}

bool precision(Rule& r) {
  const AttrId id = r.attribute("precision_config");
  const std::size_t n = id.valid() ? r.module().attribute(id).items.size() : 0;
  return r.require(n == 0 || n == 2, "'precision_config' needs one entry an operand.");
}

}  // namespace

// dot_general: result dims are the batch's, the rest of lhs, the rest of rhs.
bool infer_dot_general(Rule& r) {
  if (!r.tensors() || !precision(r)) return false;
  if (const AttrId algorithm = r.attribute("algorithm"); algorithm.valid()) {
    for (const char* name : {"lhs_component_count", "rhs_component_count", "num_primitive_operations"}) {
      const AttrId count = r.module().lookup(algorithm, name);
      if (!r.require(!count.valid() || r.module().attribute(count).integer >= 1,
                     "the counts of 'algorithm' must be 1 or more."))
        return false;
    }
  }
  const auto lb = r.ints("lhs_batching_dimensions"), rb = r.ints("rhs_batching_dimensions"),
             lc = r.ints("lhs_contracting_dimensions"), rc = r.ints("rhs_contracting_dimensions");
  const Shape &lhs = r.operand(0).shape, &rhs = r.operand(1).shape;
  const auto side = [&](std::string_view name, std::span<const std::int64_t> batch,
                        std::span<const std::int64_t> contracting, std::size_t rank) {
    if (!r.dimensions(std::string(name) + "_batching_dimensions", batch, rank) ||
        !r.dimensions(std::string(name) + "_contracting_dimensions", contracting, rank))
      return false;
    return r.require((mask_of(batch) & mask_of(contracting)) == 0, "a dimension is batching and contracting.");
  };
  if (!side("lhs", lb, lc, lhs.size()) || !side("rhs", rb, rc, rhs.size())) return false;
  if (!same_sizes(r, "batching", lb, rb) || !same_sizes(r, "contracting", lc, rc)) return false;
  Shape shape;
  for (std::int64_t d : lb) shape.push_back(lhs[static_cast<std::size_t>(d)]);
  const std::uint64_t left_used = mask_of(lb) | mask_of(lc), right_used = mask_of(rb) | mask_of(rc);
  for (std::size_t d = 0; d < lhs.size(); ++d) {
    if (!(left_used >> d & 1)) shape.push_back(lhs[d]);
  }
  for (std::size_t d = 0; d < rhs.size(); ++d) {
    if (!(right_used >> d & 1)) shape.push_back(rhs[d]);
  }
  return result_shape(r, std::move(shape), r.operand(0).element);
}

// chlo.ragged_dot: the ragged dimension of lhs is free (m), contracting (k) or batching (b).
bool infer_ragged_dot(Rule& r) {
  if (!r.tensors() || !precision(r) || !r.element(2, "iu")) return false;
  const AttrId numbers = r.attribute("ragged_dot_dimension_numbers");
  const auto field = [&](std::string_view name) {
    const AttrId id = r.module().lookup(numbers, name);
    return id.valid() ? std::span<const std::int64_t>(r.module().attribute(id).integers)
                      : std::span<const std::int64_t>();
  };
  const auto lb = field("lhs_batching_dimensions"), rb = field("rhs_batching_dimensions"),
             lc = field("lhs_contracting_dimensions"), rc = field("rhs_contracting_dimensions"),
             ragged = field("lhs_ragged_dimensions"), group = field("rhs_group_dimensions");
  const Shape &lhs = r.operand(0).shape, &rhs = r.operand(1).shape, &sizes = r.operand(2).shape;
  if (!r.dimensions("lhs_batching_dimensions", lb, lhs.size()) ||
      !r.dimensions("lhs_contracting_dimensions", lc, lhs.size()) ||
      !r.dimensions("rhs_batching_dimensions", rb, rhs.size()) ||
      !r.dimensions("rhs_contracting_dimensions", rc, rhs.size()) ||
      !r.dimensions("lhs_ragged_dimensions", ragged, lhs.size()) ||
      !r.dimensions("rhs_group_dimensions", group, rhs.size()) || !r.length("lhs_ragged_dimensions", ragged, 1) ||
      !r.require(group.size() <= 1, "at most one group dimension.")) {
    return false;
  }
  if (!r.operands_must(!sizes.empty(), "group_sizes needs rank 1 or more.")) return false;
  if (!same_sizes(r, "batching", lb, rb) || !same_sizes(r, "contracting", lc, rc)) return false;
  const std::uint64_t left_used = mask_of(lb) | mask_of(lc), right_used = mask_of(rb) | mask_of(rc) | mask_of(group);
  const bool contracting = (mask_of(lc) >> ragged[0] & 1) != 0;
  const bool free = !(left_used >> ragged[0] & 1);
  if (!r.require(group.size() == (free ? 1u : 0u),
                 "a group dimension belongs to a ragged dimension that is neither batching nor contracting."))
    return false;
  if (free && !r.operands_must(sizes_agree(rhs[static_cast<std::size_t>(group[0])], sizes.back()),
                               "the group dimension and group_sizes differ."))
    return false;
  Shape shape;
  if (contracting) shape.push_back(sizes.back());
  for (std::int64_t d : lb) shape.push_back(lhs[static_cast<std::size_t>(d)]);
  for (std::size_t d = 0; d < lhs.size(); ++d) {
    if (!(left_used >> d & 1)) shape.push_back(lhs[d]);
  }
  for (std::size_t d = 0; d < rhs.size(); ++d) {
    if (!(right_used >> d & 1)) shape.push_back(rhs[d]);
  }
  return result_shape(r, std::move(shape), r.operand(0).element);
}

namespace {

// [first, second, spatial...] names each dimension of an operand of this rank once.
bool names_all(Rule& r, std::string_view what, std::int64_t first, std::int64_t second,
               std::span<const std::int64_t> spatial, std::size_t rank) {
  std::vector<std::int64_t> all = {first, second};
  all.insert(all.end(), spatial.begin(), spatial.end());
  return r.length(what, all, rank) && r.dimensions(what, all, rank);
}

// `padding` empty: not known (dynamic_conv), spatial sizes are then dynamic.
bool convolution(Rule& r, bool has_padding) {
  if (!r.tensor(0) || !r.tensor(1) || !r.same_element(0, 1) || !precision(r)) return false;
  const Shape &lhs = r.operand(0).shape, &rhs = r.operand(1).shape;
  const std::size_t rank = lhs.size();
  if (!r.operands_must(rank == rhs.size() && rank >= 2, "both operands need one rank of 2 or more.")) return false;
  const auto in = r.ints("input_spatial_dimensions"), kernel = r.ints("kernel_spatial_dimensions"),
             out = r.ints("output_spatial_dimensions");
  const std::int64_t in_batch = r.integer("input_batch_dimension"), in_feature = r.integer("input_feature_dimension"),
                     k_in = r.integer("kernel_input_feature_dimension"),
                     k_out = r.integer("kernel_output_feature_dimension"),
                     out_batch = r.integer("output_batch_dimension"),
                     out_feature = r.integer("output_feature_dimension");
  if (!names_all(r, "input dimensions", in_batch, in_feature, in, rank) ||
      !names_all(r, "kernel dimensions", k_in, k_out, kernel, rank) ||
      !names_all(r, "output dimensions", out_batch, out_feature, out, rank)) {
    return false;
  }
  const std::size_t n = rank - 2;
  const auto strides = r.ints("window_strides"), ld = r.ints("lhs_dilation"), rd = r.ints("rhs_dilation"),
             padding = r.ints("padding");
  if (!r.length("window_strides", strides, n) || !r.length("lhs_dilation", ld, n) || !r.length("rhs_dilation", rd, n) ||
      !r.length("window_reversal", r.ints("window_reversal"), n) ||
      (has_padding && !r.length("padding", padding, 2 * n)) || !r.positive("window_strides", strides) ||
      !r.positive("lhs_dilation", ld) || !r.positive("rhs_dilation", rd)) {
    return false;
  }
  const std::int64_t fg = r.integer("feature_group_count"), bg = r.integer("batch_group_count");
  if (!r.require(fg >= 1 && bg >= 1 && (fg == 1 || bg == 1), "group counts are 1 or more, and one of them is 1."))
    return false;
  const auto at = [](const Shape& s, std::int64_t d) { return s[static_cast<std::size_t>(d)]; };
  const std::int64_t batch = at(lhs, in_batch), features = at(lhs, in_feature), kernel_in = at(rhs, k_in),
                     kernel_out = at(rhs, k_out);
  const auto divides = [](std::int64_t n_, std::int64_t by) { return n_ == kDynamic || n_ % by == 0; };
  if (!r.operands_must(divides(batch, bg), "'batch_group_count' must divide the batch.") ||
      !r.operands_must(divides(features, fg), "'feature_group_count' must divide the input features.") ||
      !r.operands_must(divides(kernel_out, fg) && divides(kernel_out, bg),
                       "the group count must divide the kernel's output features.") ||
      !r.operands_must(features == kDynamic || sizes_agree(features / fg, kernel_in),
                       "input features / 'feature_group_count' must be the kernel's input features.")) {
    return false;
  }
  Shape shape(rank);
  shape[static_cast<std::size_t>(out_batch)] = batch == kDynamic ? kDynamic : batch / bg;
  shape[static_cast<std::size_t>(out_feature)] = kernel_out;
  for (std::size_t i = 0; i < n; ++i) {
    shape[static_cast<std::size_t>(out[i])] =
        has_padding ? window_count(at(lhs, in[i]), ld[i], padding[2 * i], padding[2 * i + 1], at(rhs, kernel[i]), rd[i],
                                   strides[i])
                    : kDynamic;
  }
  return result_shape(r, std::move(shape), r.operand(0).element);
}

}  // namespace

bool infer_convolution(Rule& r) { return convolution(r, true); }
bool infer_dynamic_conv(Rule& r) { return r.tensor(2) && r.element(2, "iu") && convolution(r, false); }

}  // namespace openneuron::graph
