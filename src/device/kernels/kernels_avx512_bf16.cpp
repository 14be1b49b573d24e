// Kernels for AVX512_BF16: the bf16 matmul by VDPBF16PS, everything else is AVX-512's.
//
// VDPBF16PS is two FMAs one after the other, first of the high halves, then of the low ones; each flushes subnormals and
// rounds to nearest even, whatever MXCSR says (Intel's manual; measured equal on AMD's family 26 too, 6,400,000 results,
// a quarter of them near 2^-126). So two k that follow each other in a chain of isa.def take one instruction.
#include "device/kernels/kernels.h"

#if defined(__AVX512F__) && defined(__AVX512BF16__)
#include <immintrin.h>

namespace openneuron::device {
namespace avx512_bf16 {
// Each file uses the ones before it.
// clang-format off
#include "device/kernels/simd_avx512.h"
#include "device/kernels/vector_template.h"
#include "device/kernels/flush_x86.h"
inline constexpr int kWide32 = 4, kRows32 = 6, kWide16 = 2, kRows16 = 4;
#define PAIRED_CHAINS  // the 16-bit kernel's rows and steps are these
inline constexpr std::size_t kChainRows = kSmallBlock / 2;
inline Vf step_16(Vf a, Vf b, Vf c) { return (Vf)_mm512_dpbf16_ps((__m512)c, (__m512bh)a, (__m512bh)b); }
#include "device/kernels/matmul_template.h"
// clang-format on

// Lane i: the high half from `first`, the low one from `second`.
inline Vf pairs(__m256i first, __m256i second) {
  return (Vf)((Vu)_mm512_maskz_cvtepu16_epi32(0xFFFF, first) << 16 | (Vu)_mm512_maskz_cvtepu16_epi32(0xFFFF, second));
}
template <bool First, bool Second>
inline void pair_row(const std::byte* first, const std::byte* second, float* d, std::size_t width, std::size_t panel,
                     std::size_t n) {
  const __m256i zero = _mm256_setzero_si256();
  for (std::size_t at = 0; at < n; at += width, d += panel) {
    const std::size_t here = n - at < width ? n - at : width;
    std::size_t i = 0;
    for (; i + kWidth <= here; i += kWidth)
      store(d + i, pairs(First ? _mm256_loadu_si256(reinterpret_cast<const __m256i*>(first + 2 * (at + i))) : zero,
                         Second ? _mm256_loadu_si256(reinterpret_cast<const __m256i*>(second + 2 * (at + i))) : zero));
    if (i == here) continue;
    const Mask rest = first_lanes(here - i);
    store_masked(d + i,
                 pairs(First ? _mm256_maskz_loadu_epi16(rest, first + 2 * (at + i)) : zero,
                       Second ? _mm256_maskz_loadu_epi16(rest, second + 2 * (at + i)) : zero),
                 rest);
  }
}
inline void pair_bf16(const std::byte* first, const std::byte* second, float* d, std::size_t width, std::size_t panel,
                      std::size_t n) {
  if (second != nullptr)
    pair_row<true, true>(first, second, d, width, panel, n);
  else if (first != nullptr)
    pair_row<true, false>(first, second, d, width, panel, n);
  else
    pair_row<false, false>(first, second, d, width, panel, n);
}
}  // namespace avx512_bf16

const Kernels* kernels_avx512_bf16() {
  const Kernels* base = kernels_avx512();
  if (base == nullptr) return nullptr;
  static const Kernels table = [base] {
    Kernels k = *base;
    k.isa = HostIsa::Avx512Bf16;
    k.matmul_bf16 = avx512_bf16::matmul_16;
    k.pair_bf16 = avx512_bf16::pair_bf16;
    return k;
  }();
  return &table;
}

}  // namespace openneuron::device
#else
namespace openneuron::device {
const Kernels* kernels_avx512_bf16() { return nullptr; }
}  // namespace openneuron::device
#endif
