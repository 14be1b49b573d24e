#include "pjrt/strides.h"

#include <cstring>

namespace openneuron::pjrt {

Dims dense_strides(std::span<const std::int64_t> dims, std::int64_t element_bytes) {
  Dims strides(dims.size());
  for (std::size_t d = dims.size(); d-- > 0; element_bytes *= dims[d]) strides[d] = element_bytes;
  return strides;
}

Dims ordered_strides(std::span<const std::int64_t> dims, std::int64_t element_bytes,
                     std::span<const std::int64_t> minor_to_major) {
  Dims strides(dims.size());
  for (std::int64_t d : minor_to_major) {
    strides[static_cast<std::size_t>(d)] = element_bytes;
    element_bytes *= dims[static_cast<std::size_t>(d)];
  }
  return strides;
}

bool is_dense(std::span<const std::int64_t> dims, std::span<const std::int64_t> strides, std::int64_t element_bytes) {
  for (std::int64_t n : dims)
    if (n == 0) return true;
  for (std::size_t d = dims.size(); d-- > 0; element_bytes *= dims[d])
    if (dims[d] != 1 && strides[d] != element_bytes) return false;
  return true;
}

void copy_strided(std::byte* to, std::span<const std::int64_t> to_strides, const std::byte* from,
                  std::span<const std::int64_t> from_strides, std::span<const std::int64_t> dims,
                  std::int64_t element_bytes) {
  for (std::int64_t n : dims)
    if (n == 0) return;
  const auto bytes = static_cast<std::size_t>(element_bytes);
  if (dims.empty()) {
    std::memcpy(to, from, bytes);
    return;
  }
  const std::size_t last = dims.size() - 1;
  Dims at(dims.size(), 0);
  for (;;) {
    const std::byte* source = from;
    std::byte* target = to;
    for (std::size_t d = 0; d < last; ++d) {
      source += at[d] * from_strides[d];
      target += at[d] * to_strides[d];
    }
    for (std::int64_t i = 0; i < dims[last]; ++i)
      std::memcpy(target + i * to_strides[last], source + i * from_strides[last], bytes);
    std::size_t d = last;
    while (d > 0 && ++at[d - 1] == dims[d - 1]) at[--d] = 0;
    if (d == 0) return;
  }
}

}  // namespace openneuron::pjrt
