// dot, dot_general and convolution as plain loops over contiguous copies. Sums run in order of the contracted index.
#include <algorithm>
#include <numeric>

#include "ref/interpreter.h"

namespace openneuron::ref {
namespace {

using graph::OpKind;

bool contains(std::span<const std::int64_t> list, std::size_t dim) {
  return std::find(list.begin(), list.end(), static_cast<std::int64_t>(dim)) != list.end();
}

// An operand as its products are taken: in the result's type where that is of another class (integers added up as floats).
Tensor operand(const OpContext& c, std::size_t i, ElementType result) {
  const Tensor& t = c.tensor(i);
  if (type_class(t.type) == type_class(result)) return t;
  Tensor made = make_tensor(result, t.shape);
  for (std::int64_t at = 0; at < t.count(); ++at) set(made, at, convert_scalar(t.type, result, get(t, at), c.round()));
  return made;
}

struct Grouped {
  Shape batch, free, contracted;
  Tensor matrix;  // [batch, first, second], either free or contracted first
};

// Copies `t` with its dimensions in the order batch, then free and contracted (or contracted and free).
Grouped group(const Tensor& t, std::span<const std::int64_t> batch, std::span<const std::int64_t> contracted,
              bool free_first) {
  std::vector<std::size_t> order_batch, order_free, order_contracted;
  for (const std::int64_t d : batch) order_batch.push_back(static_cast<std::size_t>(d));
  for (const std::int64_t d : contracted) order_contracted.push_back(static_cast<std::size_t>(d));
  for (std::size_t d = 0; d < t.shape.size(); ++d)
    if (!contains(batch, d) && !contains(contracted, d)) order_free.push_back(d);
  Grouped g;
  const Shape own = row_major_strides(t.shape);
  Shape shape, strides;
  const auto append = [&](const std::vector<std::size_t>& dims, Shape& part) {
    for (const std::size_t d : dims) {
      part.push_back(t.shape[d]);
      shape.push_back(t.shape[d]);
      strides.push_back(own[d]);
    }
  };
  append(order_batch, g.batch);
  if (free_first) append(order_free, g.free);
  append(order_contracted, g.contracted);
  if (!free_first) append(order_free, g.free);
  g.matrix = take(t, shape, strided_positions(shape, 0, strides));
  return g;
}

// c[m, n] += a[m, k] * b[k, n] for one batch, k in order; a few rows at a time, so that a row of b serves them all.
void multiply_add(const double* a, const double* b, double* c, std::int64_t m_count, std::int64_t n_count,
                  std::int64_t k_count) {
  constexpr std::int64_t kRows = 8;
  for (std::int64_t m = 0; m < m_count; m += kRows)
    for (std::int64_t k = 0; k < k_count; ++k)
      for (std::int64_t r = m; r < std::min(m + kRows, m_count); ++r) {
        const double factor = a[r * k_count + k];
        const double* row = b + k * n_count;
        double* sums = c + r * n_count;
        for (std::int64_t n = 0; n < n_count; ++n) sums[n] += factor * row[n];
      }
}

Result<Tensor> dot_general(const OpContext& c, std::span<const std::int64_t> lhs_batch,
                           std::span<const std::int64_t> rhs_batch, std::span<const std::int64_t> lhs_contracted,
                           std::span<const std::int64_t> rhs_contracted) {
  Tensor result = c.new_result();
  const Grouped lhs = group(operand(c, 0, result.type), lhs_batch, lhs_contracted, true);
  const Grouped rhs = group(operand(c, 1, result.type), rhs_batch, rhs_contracted, false);
  const std::int64_t batch = count_of(lhs.batch), m = count_of(lhs.free), n = count_of(rhs.free);
  const std::int64_t k = count_of(lhs.contracted);
  ON_TRY(c.charge(static_cast<double>(batch) * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k)));
  if (result.count() == 0) return result;
  if (is_float(result.type)) {
    for (std::int64_t b = 0; b < batch; ++b)
      multiply_add(lhs.matrix.real.data() + b * m * k, rhs.matrix.real.data() + b * k * n, result.real.data() + b * m * n,
                   m, n, k);
    if (c.round())
      for (double& value : result.real) value = rounded(result.type, {value, 0, 0}).real;
    return result;
  }
  // Integers, booleans (or of ands) and complex numbers, one element at a time.
  ElementOp multiply{OpKind::Multiply, result.type, result.type}, add{OpKind::Add, result.type, result.type};
  for (std::int64_t b = 0; b < batch; ++b)
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j) {
        Scalar sum;
        for (std::int64_t l = 0; l < k; ++l) {
          const Scalar factors[2] = {get(lhs.matrix, (b * m + i) * k + l), get(rhs.matrix, (b * k + l) * n + j)};
          const Scalar terms[2] = {sum, evaluate(multiply, factors)};
          sum = evaluate(add, terms);
        }
        set(result, (b * m + i) * n + j, c.round() ? rounded(result.type, sum) : sum);
      }
  return result;
}

Result<Tensor> dot(const OpContext& c) {
  // Contracts the last dimension of lhs with the first of rhs.
  const std::int64_t lhs[1] = {static_cast<std::int64_t>(c.tensor(0).shape.size()) - 1}, rhs[1] = {0};
  return dot_general(c, {}, {}, lhs, rhs);
}

Result<Tensor> convolution(const OpContext& c) {
  Tensor result = c.new_result();
  const Tensor input = operand(c, 0, result.type), kernel = operand(c, 1, result.type);
  const auto input_spatial = c.ints("input_spatial_dimensions"), kernel_spatial = c.ints("kernel_spatial_dimensions");
  const auto output_spatial = c.ints("output_spatial_dimensions");
  const auto strides = c.ints("window_strides"), padding = c.ints("padding");
  const auto lhs_dilation = c.ints("lhs_dilation"), rhs_dilation = c.ints("rhs_dilation");
  const auto reversal = c.ints("window_reversal");
  const auto dim = [&](std::string_view name) { return static_cast<std::size_t>(c.integer(name)); };
  const std::size_t input_batch = dim("input_batch_dimension"), input_feature = dim("input_feature_dimension");
  const std::size_t kernel_input = dim("kernel_input_feature_dimension");
  const std::size_t kernel_output = dim("kernel_output_feature_dimension");
  const std::size_t output_batch = dim("output_batch_dimension"), output_feature = dim("output_feature_dimension");
  const std::int64_t feature_groups = c.integer("feature_group_count", 1), batch_groups = c.integer("batch_group_count", 1);
  const std::size_t rank = input_spatial.size();

  const std::int64_t kernel_features = kernel.shape[kernel_input];
  const std::int64_t output_features = kernel.shape[kernel_output];
  const std::int64_t group_features = output_features / (feature_groups * batch_groups);
  const std::int64_t output_batches = result.shape[output_batch];
  Shape window;
  for (const std::int64_t d : kernel_spatial) window.push_back(kernel.shape[static_cast<std::size_t>(d)]);
  const Shape input_strides = row_major_strides(input.shape), kernel_strides = row_major_strides(kernel.shape);
  ON_TRY(c.charge(static_cast<double>(result.count()) * static_cast<double>(count_of(window)) *
                  static_cast<double>(kernel_features)));

  const ElementOp multiply{OpKind::Multiply, result.type, result.type}, add{OpKind::Add, result.type, result.type};
  const bool floats = is_float(result.type);
  Shape index(result.shape.size()), tap(rank);
  const std::int64_t count = result.count(), taps = count_of(window);
  for (std::int64_t at = 0; at < count; ++at, next_index(result.shape, index)) {
    const std::int64_t feature = index[output_feature];
    const std::int64_t group = group_features > 0 ? feature / group_features : 0;
    // A batch group's output features see only its share of the input batch; a feature group's only its features.
    const std::int64_t batch = index[output_batch] + (batch_groups > 1 ? group * output_batches : 0);
    const std::int64_t first_feature = feature_groups > 1 ? group * kernel_features : 0;
    Scalar sum;
    std::fill(tap.begin(), tap.end(), 0);
    for (std::int64_t t = 0; t < taps; ++t, next_index(window, tap)) {
      std::int64_t from = batch * input_strides[input_batch] + first_feature * input_strides[input_feature];
      std::int64_t weight = feature * kernel_strides[kernel_output];
      bool inside = true;
      for (std::size_t d = 0; d < rank; ++d) {
        const std::int64_t position = index[static_cast<std::size_t>(output_spatial[d])] * strides[d] - padding[2 * d] +
                                      tap[d] * rhs_dilation[d];
        const std::size_t input_dim = static_cast<std::size_t>(input_spatial[d]);
        inside &= position >= 0 && position % lhs_dilation[d] == 0 && position / lhs_dilation[d] < input.shape[input_dim];
        from += position / lhs_dilation[d] * input_strides[input_dim];
        const std::int64_t k = reversal.empty() || !reversal[d] ? tap[d] : window[d] - 1 - tap[d];
        weight += k * kernel_strides[static_cast<std::size_t>(kernel_spatial[d])];
      }
      if (!inside) continue;
      for (std::int64_t f = 0; f < kernel_features; ++f) {
        const std::int64_t i = from + f * input_strides[input_feature], k = weight + f * kernel_strides[kernel_input];
        if (floats) {
          sum.real += input.real[static_cast<std::size_t>(i)] * kernel.real[static_cast<std::size_t>(k)];
          continue;
        }
        const Scalar factors[2] = {get(input, i), get(kernel, k)};
        const Scalar terms[2] = {sum, evaluate(multiply, factors)};
        sum = evaluate(add, terms);
      }
    }
    set(result, at, c.round() ? rounded(result.type, sum) : sum);
  }
  return result;
}

}  // namespace

bool is_contraction(OpKind kind) {
  return kind == OpKind::DotGeneral || kind == OpKind::Dot || kind == OpKind::Convolution;
}

Values run_contraction(const OpContext& c) {
  auto result = c.kind() == OpKind::Dot           ? dot(c)
                : c.kind() == OpKind::Convolution ? convolution(c)
                                                  : dot_general(c, c.ints("lhs_batching_dimensions"),
                                                                c.ints("rhs_batching_dimensions"),
                                                                c.ints("lhs_contracting_dimensions"),
                                                                c.ints("rhs_contracting_dimensions"));
  if (!result) return result.failure();
  std::vector<Value> values;
  values.emplace_back(std::move(*result));
  return values;
}

}  // namespace openneuron::ref
