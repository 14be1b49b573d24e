// Kernels for AVX-512 (F, BW, DQ, VL).
#include "device/kernels/kernels.h"

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__F16C__)
#include <immintrin.h>

namespace openneuron::device {
namespace avx512 {
// Each file uses the ones before it.
// clang-format off
#include "device/kernels/simd_avx512.h"
#include "device/kernels/vector_template.h"
#include "device/kernels/flush_x86.h"
inline constexpr int kWide32 = 4, kRows32 = 6, kWide16 = 2, kRows16 = 6;
#include "device/kernels/math_template.h"
#include "device/kernels/element_template.h"
#include "device/kernels/matmul_template.h"
#include "device/kernels/transpose_template.h"
#include "device/kernels/half_x86.h"
#include "device/kernels/table_template.h"
// clang-format on
}  // namespace avx512

const Kernels* kernels_avx512() {
  static const Kernels table = avx512::make_table(HostIsa::Avx512);
  return &table;
}

}  // namespace openneuron::device
#else
namespace openneuron::device {
const Kernels* kernels_avx512() { return nullptr; }
}  // namespace openneuron::device
#endif
