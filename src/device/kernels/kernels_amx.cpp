// Kernels for AMX: the bf16 matmul as TDPBF16PS, which sums even and odd k apart, flushes subnormals and adds
// (even + odd) to the accumulator exactly as isa.def says; everything else is AVX-512's.
#include "device/kernels/kernels.h"

#if defined(__AMX_TILE__) && defined(__AMX_BF16__)
#include <immintrin.h>

namespace openneuron::device {
namespace {

struct alignas(64) TileConfig {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};
};

// Tile 0: c[16][16] fp32; tile 1: a[16][32] bf16; tile 2: b[16 pairs][16][2] bf16.
void configure() {
  TileConfig config;
  for (int t = 0; t < 3; ++t) {
    config.row_bytes[t] = 64;
    config.rows[t] = 16;
  }
  _tile_loadconfig(&config);
}

void matmul_bf16_pairs(const std::uint16_t* a, const std::uint16_t* b, std::size_t k, float* c, std::size_t c_pitch,
                       bool accumulate) {
  configure();
  if (accumulate)
    _tile_loadd(0, c, c_pitch * sizeof(float));
  else
    _tile_zero(0);
  for (std::size_t i = 0; i < k; i += kSmallBlock) {
    _tile_loadd(1, a + i, k * sizeof(std::uint16_t));
    _tile_loadd(2, b + i * 16, 64);
    _tile_dpbf16ps(0, 1, 2);
  }
  _tile_stored(0, c, c_pitch * sizeof(float));
  _tile_release();
}

}  // namespace

const Kernels* kernels_amx() {
  const Kernels* base = kernels_avx512();
  if (base == nullptr) return nullptr;
  static const Kernels table = [base] {
    Kernels k = *base;
    k.isa = HostIsa::Amx;
    k.matmul_bf16_pairs = matmul_bf16_pairs;
    return k;
  }();
  return &table;
}

}  // namespace openneuron::device
#else
namespace openneuron::device {
const Kernels* kernels_amx() { return nullptr; }
}  // namespace openneuron::device
#endif
