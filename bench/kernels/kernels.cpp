// Matrix kernels against the FMA peak that this process measures, one thread, per host instruction set:
//   fma_peak_gflops     sixteen independent FMA chains in registers (of the set's vectors)
//   tile_fp32_gflops    LoadStationary + Matmul 128x128x512 from SBUF tiles, PSUM and the stationary tile's copies included;
//                       the moving tile stays packed
//   tile_bf16_gflops
// `--json` prints {"isas": {"avx512": {...}, ...}}.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>

#include "device/core.h"
#include "device/pe_run.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace openneuron;
using namespace openneuron::device;

namespace {

double now() {  // processor time: other programs do not count
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

constexpr int kChains = 12, kSteps = 20000;

#if defined(__x86_64__)
// asm keeps the compiler from folding the chains; their values stay finite.
__attribute__((target("avx512f"))) void chains_avx512() {
  __m512 x[kChains], a = _mm512_set1_ps(0.5f), b = _mm512_set1_ps(0.25f);
  for (auto& y : x) y = _mm512_set1_ps(1.0f);
  asm volatile("" : "+v"(a), "+v"(b));
  for (int i = 0; i < kSteps; ++i) {
#pragma GCC unroll 12
    for (int j = 0; j < kChains; ++j) x[j] = _mm512_fmadd_ps(a, x[j], b);
    asm volatile("");
  }
#pragma GCC unroll 12
  for (int j = 0; j < kChains; ++j) asm volatile("" ::"v"(x[j]));
}
__attribute__((target("avx2,fma"))) void chains_avx2() {
  __m256 x[kChains], a = _mm256_set1_ps(0.5f), b = _mm256_set1_ps(0.25f);
  for (auto& y : x) y = _mm256_set1_ps(1.0f);
  asm volatile("" : "+x"(a), "+x"(b));
  for (int i = 0; i < kSteps; ++i) {
#pragma GCC unroll 12
    for (int j = 0; j < kChains; ++j) x[j] = _mm256_fmadd_ps(a, x[j], b);
    asm volatile("");
  }
#pragma GCC unroll 12
  for (int j = 0; j < kChains; ++j) asm volatile("" ::"x"(x[j]));
}
#endif

struct Peak {
  void (*run)() = nullptr;
  double flops = 0;
};
Peak peak_of(HostIsa isa) {
#if defined(__x86_64__)
  if (isa >= HostIsa::Avx512) return {chains_avx512, 32.0 * kChains * kSteps};
  if (isa == HostIsa::Avx2) return {chains_avx2, 16.0 * kChains * kSteps};
#endif
  return {};
}

// LoadStationary and Matmul of 128 x 128 x 512 as the functional mode runs them, `pairs` of them into one PSUM tile.
class Tiles {
 public:
  Tiles(const Context& context, Core& core, const Geometry& g, ElementType type) : core_(core), run_(context) {
    const auto set = [](HostOperand& o, ElementType t, std::int64_t count, std::int64_t pitch) {
      o.kind = isa::OperandKind::Memory;
      o.type = t;
      o.chip = true;
      o.partitions = 128;
      o.pitch = pitch;
      o.walk.rank = 1;
      o.walk.counts[0] = o.walk.count = count;
      o.walk.strides[0] = byte_width(t);
      o.high = count * byte_width(t);
    };
    set(stationary_, type, 128, g.sbuf_pitch);
    set(operands_[0], ElementType::F32, 512, g.psum_pitch);
    set(operands_[1], type, 512, g.sbuf_pitch);
    rows_ = {core.sbuf.data(), g.sbuf_pitch, 0, 0};
    views_[0] = {core.psum.data(), g.psum_pitch, 0, 0};
    views_[1] = {core.sbuf.data() + 16384, g.sbuf_pitch, 0, 16384};
    op_.opcode = isa::Opcode::Matmul;
    op_.params[0] = 1;
  }
  void run(int pairs) {
    for (int i = 0; i < pairs; ++i) {
      run_.load(core_, stationary_, rows_);
      (void)run_.multiply(core_, op_, operands_, views_);
    }
    run_.flush(core_);
  }

 private:
  Core& core_;
  PeRun run_;
  HostOperand stationary_, operands_[2];
  View rows_, views_[2];
  HostOp op_;
};

}  // namespace

int main(int argc, char** argv) {
  const bool json = argc > 1 && std::string(argv[1]) == "--json";
  auto machine = load_machine("trn2");
  if (!machine) return 1;
  const Geometry g = geometry(**machine);
  Core core;
  core.sbuf = Mapping(static_cast<std::size_t>(g.partitions * g.sbuf_pitch));
  core.psum = Mapping(static_cast<std::size_t>(g.partitions * g.psum_pitch));
  std::memset(core.sbuf.data(), 0, core.sbuf.size());
  std::memset(core.psum.data(), 0, core.psum.size());
  const Threads threads(1);
  const isa::Code code;
  bool first = true;
  if (json) std::printf("{\"isas\": {");
  for (HostIsa isa : available_host_isas()) {
    const Context context{&code, machine->get(), find_kernels(isa), &threads, nullptr};
    Tiles fp32(context, core, g, ElementType::F32), bf16(context, core, g, ElementType::BF16);
    const Peak peak = peak_of(isa);
    const bool slow = isa == HostIsa::Baseline;
    const int pairs = slow ? 1 : 6;
    const double flops = 2.0 * 128 * 128 * 512 * pairs;
    // In turns, many short ones: a shared host slows down and speeds up.
    double best[3] = {1e9, 1e9, 1e9};
    for (int round = 0; round < (slow ? 1 : 150); ++round) {
      const double start = now();
      if (peak.run != nullptr) peak.run();
      const double one = now();
      fp32.run(pairs);
      const double two = now();
      bf16.run(pairs);
      const double three = now();
      best[0] = std::min(best[0], one - start);
      best[1] = std::min(best[1], two - one);
      best[2] = std::min(best[2], three - two);
    }
    const double rate[3] = {peak.flops / best[0] * 1e-9, flops / best[1] * 1e-9, flops / best[2] * 1e-9};
    if (json) {
      std::printf("%s\"%s\": {", first ? "" : ", ", host_isa_name(isa));
      if (peak.run != nullptr) std::printf("\"fma_peak_gflops\": %.1f, ", rate[0]);
      std::printf("\"tile_fp32_gflops\": %.1f, \"tile_bf16_gflops\": %.1f}", rate[1], rate[2]);
    } else {
      std::printf("%-9s", host_isa_name(isa));
      if (peak.run != nullptr) std::printf(" FMA peak %6.1f GF/s", rate[0]);
      std::printf("  128x128x512 fp32 %6.1f GF/s  bf16 %6.1f GF/s", rate[1], rate[2]);
      if (peak.run != nullptr) std::printf("  (%.0f %%, %.0f %% of peak)", 100 * rate[1] / rate[0], 100 * rate[2] / rate[0]);
      std::printf("\n");
    }
    first = false;
  }
  if (json) std::printf("}}\n");
}
