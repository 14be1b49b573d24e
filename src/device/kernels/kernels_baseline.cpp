// The portable kernels: right on every processor, slow where an FMA is a library call.
#include "device/kernels/kernels.h"

namespace openneuron::device {
namespace baseline {
// Each file uses the ones before it.
// clang-format off
#include "device/kernels/simd_baseline.h"
#include "device/kernels/vector_template.h"
#if defined(__x86_64__)
#include "device/kernels/flush_x86.h"
#else
// A software flush. It differs from x86 only for a result that rounds up to 2^-126 from below by less than half an ulp.
inline Vf flush(Vf v) { return pick(magnitude(v) < splat(0x1p-126f), real(bits(v) & static_cast<std::int32_t>(0x80000000u)), v); }
#define FLUSH(v) flush(v)
inline unsigned small_begin() { return 0; }
inline void small_end(unsigned) {}
#endif
inline constexpr int kWide32 = 2, kRows32 = 4, kWide16 = 2, kRows16 = 4;
#include "device/kernels/math_template.h"
#include "device/kernels/element_template.h"
#include "device/kernels/matmul_template.h"
#include "device/kernels/transpose_template.h"
inline void f16_to_f32(const std::byte* s, float* d, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    std::uint16_t raw;
    __builtin_memcpy(&raw, s + 2 * i, 2);
    d[i] = widen_f16(raw);
  }
}
inline void f32_to_f16(const float* s, std::byte* d, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint16_t raw = narrow_f16(s[i]);
    __builtin_memcpy(d + 2 * i, &raw, 2);
  }
}
#include "device/kernels/table_template.h"
// clang-format on
}  // namespace baseline

const Kernels& kernels_baseline() {
  static const Kernels table = baseline::make_table(HostIsa::Baseline);
  return table;
}

}  // namespace openneuron::device
