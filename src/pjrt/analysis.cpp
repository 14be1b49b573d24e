// What a program costs: bytes, and time by the clock of the emulated device.
#include "device/device.h"
#include "pjrt/api.h"
#include "pjrt/error.h"
#include "pjrt/executable.h"

namespace openneuron::pjrt {
namespace {

std::int64_t code_bytes(const Compiled& compiled) {
  std::int64_t bytes = 0;
  for (const isa::CoreCode& core : compiled.code->cores)
    for (const isa::Stream& stream : core.streams)
      bytes += static_cast<std::int64_t>(stream.instructions.size() * sizeof(isa::Instruction));
  return bytes;
}

PJRT_Error* cost_analysis(PJRT_Executable_GetCostAnalysis_Args& args) {
  PJRT_Executable& executable = *args.executable;
  std::lock_guard lock(executable.mutex);
  if (!executable.costs) {
    const device::Estimate estimate = device::estimate(*executable.compiled->code, *executable.compiled->machine);
    auto costs = std::make_unique<NamedValues>();
    costs->add("flops", static_cast<float>(estimate.flops));
    costs->add("bytes accessed", static_cast<float>(estimate.hbm_read_bytes + estimate.hbm_written_bytes));
    costs->add("optimal_seconds", static_cast<float>(estimate.total_ns * 1e-9));
    for (const device::EngineTime& engine : estimate.engines)
      if (engine.instructions > 0) costs->add("busy seconds " + engine.name, static_cast<float>(engine.busy_ns * 1e-9));
    executable.costs = std::move(costs);
  }
  args.properties = executable.costs->data();
  args.num_properties = executable.costs->size();
  return nullptr;
}

PJRT_Error* memory_stats(PJRT_Executable_GetCompiledMemoryStats_Args& args) {
  const Compiled& compiled = *args.executable->compiled;
  std::int64_t inputs = 0, outputs = 0, aliases = 0, own = 0;
  for (const isa::Variable& variable : compiled.code->variables) switch (variable.kind) {
      case isa::VariableKind::Input: inputs += variable.bytes; break;
      case isa::VariableKind::Output:
        outputs += variable.bytes;
        if (variable.aliases >= 0) aliases += variable.bytes;
        break;
      default: own += variable.bytes;
    }
  args.generated_code_size_in_bytes = code_bytes(compiled);
  args.argument_size_in_bytes = inputs;
  args.output_size_in_bytes = outputs;
  args.alias_size_in_bytes = aliases;
  args.temp_size_in_bytes = own;
  args.host_generated_code_size_in_bytes = args.host_argument_size_in_bytes = args.host_output_size_in_bytes =
      args.host_alias_size_in_bytes = args.host_temp_size_in_bytes = 0;
  const std::int64_t peak = inputs + outputs - aliases + own;
  if (ON_HAS_FIELD(args, peak_memory_in_bytes)) args.peak_memory_in_bytes = peak;
  if (ON_HAS_FIELD(args, total_size_in_bytes)) args.total_size_in_bytes = peak;
  if (ON_HAS_FIELD(args, total_allocation_bytes)) args.total_allocation_bytes = peak;
  if (ON_HAS_FIELD(args, indefinite_allocations)) args.indefinite_allocations = 0;
  if (ON_HAS_FIELD(args, peak_unpadded_heap_bytes)) args.peak_unpadded_heap_bytes = peak;
  return nullptr;
}

PJRT_Error* code_size(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args& args) {
  args.size_in_bytes = code_bytes(*args.executable->compiled);
  return nullptr;
}

}  // namespace

void fill_analysis(PJRT_Api& api) {
  api.PJRT_Executable_GetCostAnalysis = [](PJRT_Executable_GetCostAnalysis_Args* args) {
    return guarded<cost_analysis>(args);
  };
  api.PJRT_Executable_GetCompiledMemoryStats = [](PJRT_Executable_GetCompiledMemoryStats_Args* args) {
    return guarded<memory_stats>(args);
  };
  api.PJRT_Executable_SizeOfGeneratedCodeInBytes = [](PJRT_Executable_SizeOfGeneratedCodeInBytes_Args* args) {
    return guarded<code_size>(args);
  };
}

}  // namespace openneuron::pjrt
