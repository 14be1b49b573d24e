// Tensors of the graph oracle: elements, and movement by lists of positions.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "ref/ref.h"
#include "ref/scalar.h"

namespace openneuron::ref {

using Shape = std::vector<std::int64_t>;

/// All zero; the caller has checked that the count is sane.
Tensor make_tensor(ElementType type, Shape shape);
Scalar get(const Tensor& tensor, std::int64_t position);
void set(Tensor& tensor, std::int64_t position, const Scalar& value);

std::int64_t count_of(std::span<const std::int64_t> shape);
Shape row_major_strides(std::span<const std::int64_t> shape);

/// Steps `index` through `shape` in row-major order; false (and all zero) after the last one.
bool next_index(std::span<const std::int64_t> shape, std::span<std::int64_t> index);

/// start + sum of index[d] * strides[d] for each index of `shape` in row-major order.
std::vector<std::int64_t> strided_positions(std::span<const std::int64_t> shape, std::int64_t start,
                                            std::span<const std::int64_t> strides);

/// result[i] = source[positions[i]]; where the position is negative, the one element of `fill`.
Tensor take(const Tensor& source, Shape shape, const std::vector<std::int64_t>& positions, const Tensor* fill = nullptr);
/// destination[positions[i]] = source[i]; negative positions are left out.
void put(Tensor& destination, const std::vector<std::int64_t>& positions, const Tensor& source);

}  // namespace openneuron::ref
