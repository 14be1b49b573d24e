// Kernels for AVX2 with FMA and F16C.
#include "device/kernels/kernels.h"

#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#include <immintrin.h>

namespace openneuron::device {
namespace avx2 {
// Each file uses the ones before it.
// clang-format off
#include "device/kernels/simd_avx2.h"
#include "device/kernels/vector_template.h"
#include "device/kernels/flush_x86.h"
inline constexpr int kWide32 = 2, kRows32 = 6, kWide16 = 2, kRows16 = 3;
#include "device/kernels/math_template.h"
#include "device/kernels/element_template.h"
#include "device/kernels/matmul_template.h"
#include "device/kernels/transpose_template.h"
#include "device/kernels/half_x86.h"
#include "device/kernels/table_template.h"
// clang-format on
}  // namespace avx2

const Kernels* kernels_avx2() {
  static const Kernels table = avx2::make_table(HostIsa::Avx2);
  return &table;
}

}  // namespace openneuron::device
#else
namespace openneuron::device {
const Kernels* kernels_avx2() { return nullptr; }
}  // namespace openneuron::device
#endif
