// Which host instruction set the kernels use.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

namespace openneuron::device {

/// Which host kernels run; Auto takes the best that CPUID, XGETBV and, for AMX, arch_prctl allow. All give the same
/// bits.
enum class HostIsa : std::uint8_t { Auto, Baseline, Avx2, Avx512, Avx512Bf16, Amx };
std::vector<HostIsa> available_host_isas();
const char* host_isa_name(HostIsa isa);
/// By name ("auto", "baseline", "avx2", "avx512", "avx512_bf16", "amx"); false when unknown.
bool host_isa_from_name(std::string_view name, HostIsa& isa);

}  // namespace openneuron::device
