// Which kernels this host can run: CPUID, the state that the system saves (XGETBV), and permission for AMX's tiles.

#include "device/host_isa.h"

#include <iterator>

#include "device/kernels/kernels.h"

#if defined(__x86_64__)
#include <cpuid.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif
#endif

namespace openneuron::device {
namespace {

struct Host {
  bool avx2 = false, avx512 = false, avx512_bf16 = false, amx = false;
};

#if defined(__x86_64__)
std::uint64_t saved_state() {
  std::uint32_t low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (static_cast<std::uint64_t>(high) << 32) | low;
}

bool tiles_permitted() {
#if defined(__linux__) && defined(SYS_arch_prctl)
  constexpr int kRequestPermission = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

Host probe() {
  Host host;
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d)) return host;
  const bool fma = c >> 12 & 1u, xsave = c >> 27 & 1u, f16c = c >> 29 & 1u;
  if (!xsave) return host;
  const std::uint64_t state = saved_state();
  const bool ymm = (state & 0x6) == 0x6, zmm = (state & 0xE6) == 0xE6, tiles = (state & 0x60000) == 0x60000;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return host;
  host.avx2 = ymm && fma && f16c && (b >> 5 & 1u);
  const bool f = b >> 16 & 1u, dq = b >> 17 & 1u, bw = b >> 30 & 1u, vl = b >> 31 & 1u;
  host.avx512 = host.avx2 && zmm && f && dq && bw && vl;
  const bool amx_bf16 = d >> 22 & 1u, amx_tile = d >> 24 & 1u;
  host.amx = host.avx512 && tiles && amx_bf16 && amx_tile && tiles_permitted();
  if (a >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d)) host.avx512_bf16 = host.avx512 && (a >> 5 & 1u);
  return host;
}
#else
Host probe() { return {}; }
#endif

const Host& host() {
  static const Host found = probe();
  return found;
}

constexpr const char* kNames[] = {"auto", "baseline", "avx2", "avx512", "avx512_bf16", "amx"};

}  // namespace

const Kernels* find_kernels(HostIsa isa) {
  switch (isa) {
    case HostIsa::Baseline: return &kernels_baseline();
    case HostIsa::Avx2: return host().avx2 ? kernels_avx2() : nullptr;
    case HostIsa::Avx512: return host().avx512 ? kernels_avx512() : nullptr;
    case HostIsa::Avx512Bf16: return host().avx512_bf16 ? kernels_avx512_bf16() : nullptr;
    case HostIsa::Amx: return host().amx ? kernels_amx() : nullptr;
    case HostIsa::Auto: break;
  }
  for (HostIsa better : {HostIsa::Amx, HostIsa::Avx512Bf16, HostIsa::Avx512, HostIsa::Avx2})
    if (const Kernels* found = find_kernels(better)) return found;
  return &kernels_baseline();
}

std::vector<HostIsa> available_host_isas() {
  std::vector<HostIsa> found;
  for (HostIsa isa : {HostIsa::Baseline, HostIsa::Avx2, HostIsa::Avx512, HostIsa::Avx512Bf16, HostIsa::Amx})
    if (find_kernels(isa)) found.push_back(isa);
  return found;
}

const char* host_isa_name(HostIsa isa) { return kNames[static_cast<int>(isa)]; }

bool host_isa_from_name(std::string_view name, HostIsa& isa) {
  for (int i = 0; i < static_cast<int>(std::size(kNames)); ++i)
    if (name == kNames[i]) {
      isa = static_cast<HostIsa>(i);
      return true;
    }
  return false;
}

}  // namespace openneuron::device
