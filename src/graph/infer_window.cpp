// Shape rules of reductions, windows and sort. Constraints: the StableHLO specification's section of each op.
#include <algorithm>

#include "graph/rule.h"

namespace openneuron::graph {
namespace {

// reduce and reduce_window share it: N inputs of one shape, N scalar inits, a body (N lhs, N rhs) -> N scalars.
// `elements` gets the body's returned scalars, which may be wider than the inputs.
bool reduction(Rule& r, std::size_t& inputs, std::vector<Type>& elements) {
  if (!r.tensors() || !r.operands_must(r.operand_count() % 2 == 0, "as many init values as inputs are needed."))
    return false;
  inputs = r.operand_count() / 2;
  for (std::size_t i = 0; i < inputs; ++i) {
    if (!r.same_shape(0, i) || !r.scalar(inputs + i) || !r.same_element(i, inputs + i)) return false;
  }
  const Function& body = r.region(0);
  elements = r.region_results(0);
  if (elements.size() != inputs) return r.fail(Code::GraphRegion, "the body must return one scalar an input.");
  std::vector<Type> arguments;
  for (int side = 0; side < 2; ++side) arguments.insert(arguments.end(), elements.begin(), elements.end());
  if (!r.region_arguments(0, arguments)) return false;
  (void)body;
  for (std::size_t i = 0; i < inputs; ++i) {
    if (elements[i].rank() != 0 || elements[i].kind == TypeKind::Token)
      return r.fail(Code::GraphRegion, "the body must return scalars.");
    if (type_class(elements[i].element) != type_class(r.operand(i).element) && elements[i].kind == TypeKind::Tensor &&
        r.operand(i).kind == TypeKind::Tensor) {
      return r.fail(Code::GraphRegion,
                    "the body returns another class of element type than input " + std::to_string(i) + " has.");
    }
  }
  return true;
}

bool window(Rule& r, std::size_t rank, std::span<const std::int64_t>& dims, std::span<const std::int64_t>& strides) {
  dims = r.ints("window_dimensions");
  strides = r.ints("window_strides");
  return r.length("window_dimensions", dims, rank) && r.positive("window_dimensions", dims) &&
         r.length("window_strides", strides, rank) && r.positive("window_strides", strides) &&
         r.length("padding", r.ints("padding"), 2 * rank);
}

}  // namespace

bool infer_reduce(Rule& r) {
  std::size_t inputs = 0;
  std::vector<Type> elements;
  const auto dims = r.ints("dimensions");
  if (!reduction(r, inputs, elements) || !r.dimensions("dimensions", dims, r.operand(0).shape.size())) return false;
  Shape shape;
  for (std::size_t d = 0; d < r.operand(0).shape.size(); ++d) {
    if (std::find(dims.begin(), dims.end(), static_cast<std::int64_t>(d)) == dims.end())
      shape.push_back(r.operand(0).shape[d]);
  }
  for (std::size_t i = 0; i < inputs; ++i) {
    Type result = elements[i];
    result.shape = shape;
    if (!r.result_type(result)) return false;
  }
  return true;
}

bool infer_reduce_window(Rule& r) {
  std::size_t inputs = 0;
  std::vector<Type> elements;
  if (!reduction(r, inputs, elements)) return false;
  const Shape& in = r.operand(0).shape;
  std::span<const std::int64_t> dims, strides;
  const auto bd = r.ints("base_dilations"), wd = r.ints("window_dilations"), padding = r.ints("padding");
  if (!window(r, in.size(), dims, strides) || !r.length("base_dilations", bd, in.size()) ||
      !r.positive("base_dilations", bd) || !r.length("window_dilations", wd, in.size()) ||
      !r.positive("window_dilations", wd)) {
    return false;
  }
  Shape shape(in.size());
  for (std::size_t d = 0; d < in.size(); ++d) {
    shape[d] = window_count(in[d], bd[d], padding[2 * d], padding[2 * d + 1], dims[d], wd[d], strides[d]);
  }
  for (std::size_t i = 0; i < inputs; ++i) {
    Type result = elements[i];
    result.shape = shape;
    if (!r.result_type(result)) return false;
  }
  return true;
}

// select_and_scatter: the source has the shape that reduce_window would give.
bool infer_select_and_scatter(Rule& r) {
  if (!r.tensors() || !r.scalar(2) || !r.same_element(0, 1) || !r.same_element(0, 2)) return false;
  const Shape& in = r.operand(0).shape;
  std::span<const std::int64_t> dims, strides;
  if (!window(r, in.size(), dims, strides)) return false;
  const auto padding = r.ints("padding");
  Shape expected(in.size());
  for (std::size_t d = 0; d < in.size(); ++d)
    expected[d] = window_count(in[d], 1, padding[2 * d], padding[2 * d + 1], dims[d], 1, strides[d]);
  if (!shapes_agree(expected, r.operand(1).shape)) {
    return r.fail(Code::GraphOperands,
                  "the source must be " + show(r.module(), tensor_type(r.operand(1).element, expected)) + ".");
  }
  const Type scalar = scalar_of(r.operand(0));
  const Type pair[] = {scalar, scalar}, flag[] = {scalar_type(ElementType::I1)};
  if (!r.region_signature(0, pair, flag) || !r.region_arguments(1, pair)) return false;
  const std::vector<Type> scattered = r.region_results(1);
  if (scattered.size() != 1 || scattered[0].rank() != 0)
    return r.fail(Code::GraphRegion, "region 1 must return one scalar.");
  Type result = scattered[0];
  result.shape = in;
  return r.result_type(result);
}

// sort: "-R <= dimension < R"; the comparator takes pairs of scalars and returns i1.
bool infer_sort(Rule& r) {
  if (!r.tensors()) return false;
  const std::int64_t rank = static_cast<std::int64_t>(r.operand(0).shape.size()), dimension = r.integer("dimension");
  if (!r.require((dimension >= -rank && dimension < rank) || (rank == 0 && dimension == -1),
                 "'dimension' is out of range."))
    return false;
  std::vector<Type> arguments;
  for (std::size_t i = 0; i < r.operand_count(); ++i) {
    if (!r.same_shape(0, i)) return false;
    arguments.insert(arguments.end(), 2, scalar_of(r.operand(i)));
  }
  const Type flag[] = {scalar_type(ElementType::I1)};
  if (!r.region_signature(0, arguments, flag)) return false;
  for (std::size_t i = 0; i < r.operand_count(); ++i) {
    if (!r.result_like(i)) return false;
  }
  return true;
}

// chlo.top_k: the last dimension, clipped to its size; values and i32 indices.
bool infer_top_k(Rule& r) {
  if (!r.tensor(0) || !r.element(0, "biuf")) return false;
  Type result = r.operand(0);
  const std::int64_t k = r.integer("k");
  if (!r.operands_must(!result.shape.empty(), "the operand needs rank 1 or more.") ||
      !r.require(k >= 0, "'k' must not be negative."))
    return false;
  if (result.shape.back() == kDynamic || k < result.shape.back()) result.shape.back() = k;
  result.bounds.clear();
  return r.result_type(result) && r.result(ElementType::I32, result.shape);
}

// chlo.scan (ChloOps.td): inputs and inits in two segments; outputs, then one carry an init. Outputs have the inputs'
// scan length; their elements are what the body returns.
bool infer_scan(Rule& r) {
  if (!r.tensors()) return false;
  const auto segments = r.ints("operandSegmentSizes");
  if (!r.length("operandSegmentSizes", segments, 2)) return false;
  if (!r.require(segments[0] >= 0 && segments[1] >= 0 && segments[0] <= 1 << 20 && segments[1] <= 1 << 20 &&
                     static_cast<std::size_t>(segments[0] + segments[1]) == r.operand_count(),
                 "'operandSegmentSizes' does not fit the operands.")) {
    return false;
  }
  const std::size_t inputs = static_cast<std::size_t>(segments[0]);
  const std::int64_t dimension = r.integer("dimension");
  std::vector<Type> arguments;
  std::int64_t scan_length = kDynamic;
  for (std::size_t i = 0; i < r.operand_count(); ++i) {
    Type t = r.operand(i);
    if (i < inputs) {
      if (!r.dimension_in("dimension", dimension, t.shape.size())) return false;
      if (t.shape[static_cast<std::size_t>(dimension)] != kDynamic)
        scan_length = t.shape[static_cast<std::size_t>(dimension)];
      t.shape.erase(t.shape.begin() + dimension);
      t.bounds.clear();
    }
    arguments.push_back(std::move(t));
  }
  if (!r.region_arguments(0, arguments)) return false;
  std::vector<Type> returned = r.region_results(0);
  const std::size_t carries = r.operand_count() - inputs;
  if (returned.size() < carries) return r.fail(Code::GraphRegion, "the body must return one carry an init.");
  const std::size_t outputs = returned.size() - carries;
  const auto result_segments = r.ints("resultSegmentSizes");
  if (!r.length("resultSegmentSizes", result_segments, 2) ||
      !r.require(result_segments[0] == static_cast<std::int64_t>(outputs) &&
                     result_segments[1] == static_cast<std::int64_t>(carries),
                 "'resultSegmentSizes' does not fit the body.")) {
    return false;
  }
  for (std::size_t i = 0; i < returned.size(); ++i) {
    Type t = returned[i];
    if (i < outputs) {
      if (!r.dimension_in("dimension", dimension, t.shape.size() + 1)) return false;
      t.shape.insert(t.shape.begin() + dimension, scan_length);
    }
    if (!r.result_type(t)) return false;
  }
  return true;
}

}  // namespace openneuron::graph
