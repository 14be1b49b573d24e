// Rows of bf16 tiles as matmul_bf16 (kernels.h) reads them: two k that follow each other in a chain in one word.
#pragma once
#include <cstddef>

#include "device/core.h"

namespace openneuron::device {

/// Such rows of a tile of `k` partitions, those of zeros beyond K among them.
inline std::size_t pair_rows(std::size_t k) { return (k + kSmallBlock - 1) / kSmallBlock * (kSmallBlock / 2); }

/// Elements first..first+n-1 of row `row`, into panels of `width` words, `panel` words apart.
void pair_row(const Kernels& kernels, const HostOperand& operand, const View& view, std::size_t row, std::size_t first,
              std::size_t n, float* out, std::size_t width, std::size_t panel);

}  // namespace openneuron::device
