// The bf16 matmul by pairs of k (AMX): register tiles of 16 x 16, 32 k at a time.
#include <algorithm>
#include <cstring>
#include <vector>

#include "device/product.h"
#include "device/strips.h"

namespace openneuron::device {
namespace {

constexpr std::size_t kTile = 16;

std::size_t round_up(std::size_t n, std::size_t unit) { return (n + unit - 1) / unit * unit; }

// f(index, bits) for elements first..first+n-1 of a row of bf16.
template <class F>
void for_halves(const std::byte* row, const Walk& walk, std::size_t first, std::size_t n, F f) {
  WalkCursor cursor(walk, static_cast<std::int64_t>(first));
  for (std::size_t done = 0; done < n;) {
    const auto run = cursor.next(static_cast<std::int64_t>(n - done));
    for (std::int64_t i = 0; i < run.count; ++i, ++done) {
      std::uint16_t raw;
      std::memcpy(&raw, row + run.offset + i * run.stride, 2);
      f(done, raw);
    }
  }
}

struct Buffers {
  std::vector<std::uint16_t> stationary;  // [m][k padded], zeros beyond M and K
  std::vector<std::uint16_t> moving;      // [n / 16][k padded / 2][16][2], zeros beyond N and K
};

}  // namespace

void multiply_pairs(const Kernels& kernels, const Product& p, const Block& block, float* sums, std::size_t pitch) {
  static thread_local Buffers mine;
  const auto k = static_cast<std::size_t>(p.moving->partitions);
  const std::size_t k_padded = round_up(k, kSmallBlock);
  mine.stationary.assign(round_up(block.rows, kTile) * k_padded, 0);
  mine.moving.assign(round_up(block.columns, kTile) * k_padded, 0);
  for (std::size_t i = 0; i < k; ++i) {
    const auto at = static_cast<std::int64_t>(i);
    for_halves(p.stationary_view.data + at * p.stationary_view.pitch, p.stationary->walk, block.row, block.rows,
               [&](std::size_t m, std::uint16_t raw) { mine.stationary[m * k_padded + i] = raw; });
    std::uint16_t* const pair = mine.moving.data() + i / 2 * 2 * kTile + i % 2;
    for_halves(p.moving_view.data + at * p.moving_view.pitch, p.moving->walk, block.column, block.columns,
               [&](std::size_t n, std::uint16_t raw) { pair[n / kTile * kTile * k_padded + 2 * (n % kTile)] = raw; });
  }
  for (std::size_t n = 0; n < block.columns; n += kTile)
    for (std::size_t m = 0; m < block.rows; m += kTile) {
      const std::size_t rows = std::min(kTile, block.rows - m), columns = std::min(kTile, block.columns - n);
      const std::uint16_t *a = mine.stationary.data() + m * k_padded, *b = mine.moving.data() + n * k_padded;
      float* const out = sums + m * pitch + n;
      if (rows == kTile && columns == kTile) {
        kernels.matmul_bf16_pairs(a, b, k_padded, out, pitch, p.accumulate);
        continue;
      }
      float tile[kTile * kTile] = {};
      if (p.accumulate)
        for (std::size_t r = 0; r < rows; ++r) std::memcpy(tile + r * kTile, out + r * pitch, columns * sizeof(float));
      kernels.matmul_bf16_pairs(a, b, k_padded, tile, kTile, p.accumulate);
      for (std::size_t r = 0; r < rows; ++r) std::memcpy(out + r * pitch, tile + r * kTile, columns * sizeof(float));
    }
}

}  // namespace openneuron::device
