// Copies between a row-major tensor and one of any strides.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace openneuron::pjrt {

using Dims = std::vector<std::int64_t>;

/// Bytes from element to element of each dim, row-major.
Dims dense_strides(std::span<const std::int64_t> dims, std::int64_t element_bytes);
/// With the dims in this order, the fastest first.
Dims ordered_strides(std::span<const std::int64_t> dims, std::int64_t element_bytes,
                     std::span<const std::int64_t> minor_to_major);
/// Whether elements lie as in a row-major tensor; dims of size 1 may have any stride.
bool is_dense(std::span<const std::int64_t> dims, std::span<const std::int64_t> strides, std::int64_t element_bytes);
/// Between tensors of the same dims.
void copy_strided(std::byte* to, std::span<const std::int64_t> to_strides, const std::byte* from,
                  std::span<const std::int64_t> from_strides, std::span<const std::int64_t> dims,
                  std::int64_t element_bytes);

}  // namespace openneuron::pjrt
