// Ops that run a scalar region per element: reduce, reduce_window, select_and_scatter, scatter, sort, map.
#include <algorithm>
#include <numeric>

#include "ref/interpreter.h"

namespace openneuron::ref {
namespace {

using graph::OpKind;

// Results of the op with every element set to its initial value, operand first + i.
std::vector<Tensor> initialised(const OpContext& c, std::size_t first) {
  std::vector<Tensor> results;
  for (std::size_t i = 0; i < c.result_count(); ++i) {
    Tensor t = c.new_result(i);
    const Scalar value = get(c.tensor(first + i), 0);
    for (std::int64_t at = 0; at < t.count(); ++at) set(t, at, value);
    results.push_back(std::move(t));
  }
  return results;
}

std::vector<Value> as_values(std::vector<Tensor> tensors) {
  std::vector<Value> values;
  for (Tensor& t : tensors) values.emplace_back(std::move(t));
  return values;
}

// accumulator[i] = body(accumulator, elements), for n operands at once.
struct Combiner {
  Body body;
  std::vector<Scalar> arguments, results;

  Combiner(const OpContext& c, std::size_t region, std::size_t n) : body(c, region), arguments(2 * n), results(n) {}
  Result<void> combine(std::vector<Tensor>& accumulators, std::int64_t at) {
    const std::size_t n = results.size();
    for (std::size_t i = 0; i < n; ++i) arguments[i] = get(accumulators[i], at);
    ON_TRY(body.run(arguments, results));
    for (std::size_t i = 0; i < n; ++i) set(accumulators[i], at, results[i]);
    return {};
  }
};

// From the initial values, element by element in ascending row-major order.
Values reduce(const OpContext& c) {
  const std::size_t n = c.result_count();
  const Shape& shape = c.tensor(0).shape;
  const auto dims = c.ints("dimensions");
  std::vector<Tensor> results = initialised(c, n);
  // Stride of each input dimension in the result; reduced ones do not move.
  Shape strides(shape.size(), 0);
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (std::find(dims.begin(), dims.end(), static_cast<std::int64_t>(d)) != dims.end()) continue;
    strides[d] = stride;
    stride *= shape[d];
  }
  ON_TRY(c.charge(static_cast<double>(c.tensor(0).count())));
  const std::vector<std::int64_t> targets = strided_positions(shape, 0, strides);
  Combiner combiner(c, 0, n);
  for (std::size_t at = 0; at < targets.size(); ++at) {
    for (std::size_t i = 0; i < n; ++i) combiner.arguments[n + i] = get(c.tensor(i), static_cast<std::int64_t>(at));
    ON_TRY(combiner.combine(results, targets[at]));
  }
  return as_values(std::move(results));
}

// Padding cells and holes of a dilated base hold the initial value and take part.
Values reduce_window(const OpContext& c) {
  const std::size_t n = c.result_count();
  const Shape& shape = c.tensor(0).shape;
  const Shape own = row_major_strides(shape);
  const auto window_ints = c.ints("window_dimensions");
  const Shape window(window_ints.begin(), window_ints.end());
  const auto strides = c.ints("window_strides"), base = c.ints("base_dilations"), spread = c.ints("window_dilations");
  const auto padding = c.ints("padding");
  std::vector<Tensor> results = initialised(c, n);
  const Shape result_shape = results[0].shape;
  const std::int64_t count = results[0].count();
  double visits = static_cast<double>(count);
  for (const std::int64_t w : window) visits *= static_cast<double>(w);
  ON_TRY(c.charge(visits));

  Combiner combiner(c, 0, n);
  Shape index(shape.size()), offset(shape.size());
  const std::int64_t cells = count == 0 ? 0 : count_of(window);
  for (std::int64_t at = 0; at < count; ++at, next_index(result_shape, index)) {
    std::fill(offset.begin(), offset.end(), 0);
    for (std::int64_t cell = 0; cell < cells; ++cell, next_index(window, offset)) {
      std::int64_t from = 0;
      bool inside = true;
      for (std::size_t d = 0; d < shape.size(); ++d) {
        const std::int64_t position = index[d] * strides[d] + offset[d] * spread[d] - padding[2 * d];
        inside &= position >= 0 && position % base[d] == 0 && position / base[d] < shape[d];
        from += position / base[d] * own[d];
      }
      for (std::size_t i = 0; i < n; ++i)
        combiner.arguments[n + i] = inside ? get(c.tensor(i), from) : get(c.tensor(n + i), 0);
      ON_TRY(combiner.combine(results, at));
    }
  }
  return as_values(std::move(results));
}

Values select_and_scatter(const OpContext& c) {
  const Tensor& operand = c.tensor(0);
  const Tensor& source = c.tensor(1);
  const Shape own = row_major_strides(operand.shape);
  const auto window_ints = c.ints("window_dimensions");
  const Shape window(window_ints.begin(), window_ints.end());
  const auto strides = c.ints("window_strides"), padding = c.ints("padding");
  std::vector<Tensor> results = initialised(c, 2);
  double visits = static_cast<double>(source.count());
  for (const std::int64_t w : window) visits *= static_cast<double>(w);
  ON_TRY(c.charge(visits));

  Body select(c, 0);
  Combiner scatter(c, 1, 1);
  Shape index(source.shape.size()), offset(source.shape.size());
  const std::int64_t count = source.count(), cells = count == 0 ? 0 : count_of(window);
  for (std::int64_t at = 0; at < count; ++at, next_index(source.shape, index)) {
    std::int64_t chosen = -1;
    std::fill(offset.begin(), offset.end(), 0);
    for (std::int64_t cell = 0; cell < cells; ++cell, next_index(window, offset)) {
      std::int64_t from = 0;
      bool inside = true;
      for (std::size_t d = 0; d < operand.shape.size(); ++d) {
        const std::int64_t position = index[d] * strides[d] + offset[d] - padding[2 * d];
        inside &= position >= 0 && position < operand.shape[d];
        from += position * own[d];
      }
      if (!inside) continue;
      if (chosen < 0) {
        chosen = from;
        continue;
      }
      const Scalar pair[2] = {get(operand, chosen), get(operand, from)};
      Scalar keep[1];
      ON_TRY(select.run(pair, keep));
      if (!keep[0].integer) chosen = from;
    }
    if (chosen < 0) continue;
    scatter.arguments[1] = get(source, at);
    ON_TRY(scatter.combine(results, chosen));
  }
  return as_values(std::move(results));
}

// XLA's rule: a window that reaches out of the operand anywhere is left out as a whole. Updates run in row-major order.
Values scatter(const OpContext& c) {
  const std::size_t n = c.result_count();
  std::vector<Tensor> results;
  for (std::size_t i = 0; i < n; ++i) results.push_back(c.tensor(i));
  const Tensor& indices = c.tensor(n);
  const Shape& shape = results[0].shape;
  const Shape& update_shape = c.tensor(n + 1).shape;
  const auto window_dims = c.ints("update_window_dims"), inserted = c.ints("inserted_window_dims");
  const auto batching = c.ints("input_batching_dims"), index_batching = c.ints("scatter_indices_batching_dims");
  const auto dims_map = c.ints("scatter_dims_to_operand_dims");
  const std::size_t vector_dim = static_cast<std::size_t>(c.integer("index_vector_dim"));
  const Shape own = row_major_strides(shape), index_strides = row_major_strides(indices.shape);
  const std::int64_t vector_stride = vector_dim < index_strides.size() ? index_strides[vector_dim] : 0;
  const auto holds = [](std::span<const std::int64_t> list, std::size_t d) {
    return std::find(list.begin(), list.end(), static_cast<std::int64_t>(d)) != list.end();
  };
  std::vector<std::size_t> scatter_dims, index_dims, operand_window_dims;
  for (std::size_t d = 0; d < update_shape.size(); ++d)
    if (!holds(window_dims, d)) scatter_dims.push_back(d);
  for (std::size_t d = 0; d < indices.shape.size(); ++d)
    if (d != vector_dim) index_dims.push_back(d);
  Shape window(shape.size(), 1);
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (!holds(inserted, d) && !holds(batching, d)) operand_window_dims.push_back(d);
  for (std::size_t i = 0; i < operand_window_dims.size(); ++i)
    window[operand_window_dims[i]] = update_shape[static_cast<std::size_t>(window_dims[i])];

  const std::int64_t count = count_of(update_shape);
  ON_TRY(c.charge(static_cast<double>(count)));
  Combiner combiner(c, 0, n);
  Shape index(update_shape.size()), start(shape.size());
  for (std::int64_t at = 0; at < count; ++at, next_index(update_shape, index)) {
    std::fill(start.begin(), start.end(), 0);
    std::int64_t from = 0;
    for (std::size_t i = 0; i < scatter_dims.size(); ++i) from += index[scatter_dims[i]] * index_strides[index_dims[i]];
    for (std::size_t i = 0; i < dims_map.size(); ++i) {
      const std::int64_t value = get(indices, from + static_cast<std::int64_t>(i) * vector_stride).integer;
      // An unsigned index beyond 2^63 is outside whatever the operand's size.
      start[static_cast<std::size_t>(dims_map[i])] = indices.type == ElementType::U64 && value < 0 ? INT64_MAX : value;
    }
    for (std::size_t i = 0; i < batching.size(); ++i) {
      const std::size_t which = static_cast<std::size_t>(index_batching[i]);
      const auto place = std::find(index_dims.begin(), index_dims.end(), which) - index_dims.begin();
      start[static_cast<std::size_t>(batching[i])] = index[scatter_dims[static_cast<std::size_t>(place)]];
    }
    std::int64_t target = 0;
    bool inside = true;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const bool fits = start[d] >= 0 && start[d] <= shape[d] - window[d];
      inside &= fits;
      if (fits) target += start[d] * own[d];
    }
    if (!inside) continue;
    for (std::size_t i = 0; i < operand_window_dims.size(); ++i)
      target += index[static_cast<std::size_t>(window_dims[i])] * own[operand_window_dims[i]];
    for (std::size_t i = 0; i < n; ++i) combiner.arguments[n + i] = get(c.tensor(n + 1 + i), at);
    ON_TRY(combiner.combine(results, target));
  }
  return as_values(std::move(results));
}

// A bottom-up merge sort: stable, and it ends whatever the comparator answers.
Values sort(const OpContext& c) {
  const std::size_t n = c.operands.size() - c.function.capture_count(c.op);
  const Shape& shape = c.tensor(0).shape;
  const std::int64_t dimension = c.integer("dimension", -1);
  std::vector<Tensor> results;
  for (std::size_t i = 0; i < n; ++i) results.push_back(c.tensor(i));
  if (shape.empty()) return as_values(std::move(results));
  const std::size_t dim = static_cast<std::size_t>(dimension < 0 ? dimension + static_cast<std::int64_t>(shape.size()) : dimension);
  const Shape own = row_major_strides(shape);
  const std::int64_t length = shape[dim], stride = own[dim];
  Shape outer = shape;
  outer[dim] = 1;
  const std::vector<std::int64_t> starts = strided_positions(outer, 0, own);
  Body comparator(c, 0);
  std::vector<Scalar> pair(2 * n);
  std::vector<std::int64_t> order(static_cast<std::size_t>(length)), merged(order.size());
  const std::size_t size = order.size();
  for (const std::int64_t start : starts) {
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t width = 1; width < size; width *= 2) {
      for (std::size_t low = 0; low < size; low += 2 * width) {
        const std::size_t middle = std::min(low + width, size), high = std::min(low + 2 * width, size);
        std::size_t a = low, b = middle;
        for (std::size_t out = low; out < high; ++out) {
          bool second = a == middle;
          if (a < middle && b < high) {
            for (std::size_t i = 0; i < n; ++i) {
              pair[2 * i] = get(c.tensor(i), start + order[b] * stride);
              pair[2 * i + 1] = get(c.tensor(i), start + order[a] * stride);
            }
            Scalar before[1];
            ON_TRY(comparator.run(pair, before));
            second = before[0].integer != 0;  // only a strictly smaller later element overtakes
          }
          merged[out] = second ? order[b++] : order[a++];
        }
      }
      order.swap(merged);
    }
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < size; ++k)
        set(results[i], start + static_cast<std::int64_t>(k) * stride, get(c.tensor(i), start + order[k] * stride));
  }
  return as_values(std::move(results));
}

Values map(const OpContext& c) {
  Body body(c, 0);
  Tensor result = c.new_result();
  std::vector<Scalar> arguments(c.own_operand_count());
  for (std::int64_t at = 0; at < result.count(); ++at) {
    for (std::size_t i = 0; i < arguments.size(); ++i) arguments[i] = get(c.tensor(i), at);
    Scalar value[1];
    ON_TRY(body.run(arguments, value));
    set(result, at, value[0]);
  }
  std::vector<Value> values;
  values.emplace_back(std::move(result));
  return values;
}

}  // namespace

bool is_region_op(OpKind kind) {
  switch (kind) {
    case OpKind::Reduce: case OpKind::ReduceWindow: case OpKind::SelectAndScatter: case OpKind::Scatter:
    case OpKind::Sort: case OpKind::Map: return true;
    default: return false;
  }
}

Values run_region_op(const OpContext& c) {
  switch (c.kind()) {
    case OpKind::Reduce: return reduce(c);
    case OpKind::ReduceWindow: return reduce_window(c);
    case OpKind::SelectAndScatter: return select_and_scatter(c);
    case OpKind::Scatter: return scatter(c);
    case OpKind::Sort: return sort(c);
    case OpKind::Map: return map(c);
    default: return c.unsupported();
  }
}

}  // namespace openneuron::ref
