// PJRT_Executable and PJRT_LoadedExecutable: what is asked about a program.
#include "pjrt/executable.h"

#include <cstring>

#include "graph/print.h"
#include "import/import.h"
#include "pjrt/api.h"
#include "pjrt/error.h"

namespace openneuron::pjrt {
namespace {

// The lists that the C API hands out by pointer.
PJRT_Executable& listed(PJRT_Executable* executable) {
  std::lock_guard lock(executable->mutex);
  if (executable->listed) return *executable;
  const Compiled& compiled = *executable->compiled;
  const auto kind = [](const Port& port) { return kMemoryKinds[static_cast<std::size_t>(port.kind)]; };
  for (const Port& port : compiled.results) {
    executable->result_types.push_back(buffer_type(port.type));
    executable->result_dims.insert(executable->result_dims.end(), port.dims.begin(), port.dims.end());
    executable->result_ranks.push_back(port.dims.size());
    executable->result_kinds.push_back(kind(port).data());
    executable->result_kind_sizes.push_back(kind(port).size());
  }
  for (const Port& port : compiled.parameters) {
    executable->parameter_kinds.push_back(kind(port).data());
    executable->parameter_kind_sizes.push_back(kind(port).size());
  }
  executable->listed = true;
  return *executable;
}

// Two calls: the size, then the text.
PJRT_Error* optimized_program(PJRT_Executable_OptimizedProgram_Args& args) {
  static constexpr std::string_view kFormat = "mlir";
  PJRT_Executable& executable = *args.executable;
  std::lock_guard lock(executable.mutex);
  if (executable.text.empty()) {
    const auto source = executable.compiled->source;
    auto module = import::read(std::as_bytes(std::span(*source)), {}, source);
    if (!module) return make_error(module.failure());
    executable.text = graph::print(*module);
  }
  args.program->format = kFormat.data();
  args.program->format_size = kFormat.size();
  if (args.program->code == nullptr) {
    args.program->code_size = executable.text.size();
    return nullptr;
  }
  if (args.program->code_size < executable.text.size())
    return make_error(fail(Code::PjrtArgument, "the program needs " + std::to_string(executable.text.size()) + " bytes"));
  std::memcpy(args.program->code, executable.text.data(), executable.text.size());
  return nullptr;
}

// The bytes of the compilation, which live as long as the program.
PJRT_Error* compile_options(PJRT_Executable_GetCompileOptions_Args& args) {
  const std::string& bytes = args.executable->compiled->options.bytes;
  args.serialized_bytes = bytes.data();
  args.serialized_bytes_size = bytes.size();
  args.serialized_compile_options = nullptr;
  args.serialized_compile_options_deleter = [](PJRT_SerializedCompileOptions*) {};
  return nullptr;
}

PJRT_Error* serialise_executable(PJRT_Executable_Serialize_Args& args) {
  auto payload = serialise(*args.executable->compiled);
  if (!payload) return make_error(payload.failure());
  auto* kept = new std::string(std::move(*payload));
  args.serialized_bytes = kept->data();
  args.serialized_bytes_size = kept->size();
  args.serialized_executable = reinterpret_cast<PJRT_SerializedExecutable*>(kept);
  args.serialized_executable_deleter = [](PJRT_SerializedExecutable* e) { delete reinterpret_cast<std::string*>(e); };
  return nullptr;
}

PJRT_Error* get_executable(PJRT_LoadedExecutable_GetExecutable_Args& args) {
  args.executable = new PJRT_Executable;
  args.executable->compiled = args.loaded_executable->compiled;
  return nullptr;
}

void fill_loaded(PJRT_Api& api) {
  api.PJRT_LoadedExecutable_Destroy = [](PJRT_LoadedExecutable_Destroy_Args* args) -> PJRT_Error* {
    delete args->executable;
    return nullptr;
  };
  api.PJRT_LoadedExecutable_GetExecutable = [](PJRT_LoadedExecutable_GetExecutable_Args* args) {
    return guarded<get_executable>(args);
  };
  api.PJRT_LoadedExecutable_AddressableDevices =
      [](PJRT_LoadedExecutable_AddressableDevices_Args* args) -> PJRT_Error* {
    args->addressable_devices = args->executable->devices.data();
    args->num_addressable_devices = args->executable->devices.size();
    return nullptr;
  };
  api.PJRT_LoadedExecutable_AddressableDeviceLogicalIds =
      [](PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args* args) -> PJRT_Error* {
    args->addressable_device_logical_ids = args->executable->logical_ids.data();
    args->num_addressable_device_logical_ids = args->executable->logical_ids.size();
    return nullptr;
  };
  api.PJRT_LoadedExecutable_GetDeviceAssignment =
      [](PJRT_LoadedExecutable_GetDeviceAssignment_Args* args) -> PJRT_Error* {
    args->serialized_bytes = args->executable->assignment.data();
    args->serialized_bytes_size = args->executable->assignment.size();
    args->serialized_device_assignment = nullptr;  // the bytes are the program's
    args->serialized_device_assignment_deleter = [](PJRT_DeviceAssignmentSerialized*) {};
    return nullptr;
  };
  api.PJRT_LoadedExecutable_Delete = [](PJRT_LoadedExecutable_Delete_Args* args) -> PJRT_Error* {
    args->executable->deleted = true;
    return nullptr;
  };
  api.PJRT_LoadedExecutable_IsDeleted = [](PJRT_LoadedExecutable_IsDeleted_Args* args) -> PJRT_Error* {
    args->is_deleted = args->executable->deleted;
    return nullptr;
  };
  api.PJRT_LoadedExecutable_Fingerprint = [](PJRT_LoadedExecutable_Fingerprint_Args* args) -> PJRT_Error* {
    args->executable_fingerprint = args->executable->compiled->fingerprint.data();
    args->executable_fingerprint_size = args->executable->compiled->fingerprint.size();
    return nullptr;
  };
}

}  // namespace

void fill_executable(PJRT_Api& api) {
  fill_loaded(api);
  api.PJRT_Executable_Destroy = [](PJRT_Executable_Destroy_Args* args) -> PJRT_Error* {
    delete args->executable;
    return nullptr;
  };
  api.PJRT_Executable_Name = [](PJRT_Executable_Name_Args* args) -> PJRT_Error* {
    args->executable_name = args->executable->compiled->name.data();
    args->executable_name_size = args->executable->compiled->name.size();
    return nullptr;
  };
  api.PJRT_Executable_NumReplicas = [](PJRT_Executable_NumReplicas_Args* args) -> PJRT_Error* {
    args->num_replicas = static_cast<std::size_t>(args->executable->compiled->options.replicas);
    return nullptr;
  };
  api.PJRT_Executable_NumPartitions = [](PJRT_Executable_NumPartitions_Args* args) -> PJRT_Error* {
    args->num_partitions = static_cast<std::size_t>(args->executable->compiled->options.partitions);
    return nullptr;
  };
  api.PJRT_Executable_NumOutputs = [](PJRT_Executable_NumOutputs_Args* args) -> PJRT_Error* {
    args->num_outputs = args->executable->compiled->results.size();
    return nullptr;
  };
  api.PJRT_Executable_Fingerprint = [](PJRT_Executable_Fingerprint_Args* args) -> PJRT_Error* {
    args->executable_fingerprint = args->executable->compiled->fingerprint.data();
    args->executable_fingerprint_size = args->executable->compiled->fingerprint.size();
    return nullptr;
  };
  api.PJRT_Executable_OutputElementTypes = [](PJRT_Executable_OutputElementTypes_Args* args) -> PJRT_Error* {
    args->output_types = listed(args->executable).result_types.data();
    args->num_output_types = args->executable->result_types.size();
    return nullptr;
  };
  api.PJRT_Executable_OutputDimensions = [](PJRT_Executable_OutputDimensions_Args* args) -> PJRT_Error* {
    args->dims = listed(args->executable).result_dims.data();
    args->dim_sizes = args->executable->result_ranks.data();
    args->num_outputs = args->executable->result_ranks.size();
    return nullptr;
  };
  api.PJRT_Executable_OutputMemoryKinds = [](PJRT_Executable_OutputMemoryKinds_Args* args) -> PJRT_Error* {
    args->memory_kinds = listed(args->executable).result_kinds.data();
    args->memory_kind_sizes = args->executable->result_kind_sizes.data();
    args->num_outputs = args->executable->result_kinds.size();
    return nullptr;
  };
  api.PJRT_Executable_ParameterMemoryKinds = [](PJRT_Executable_ParameterMemoryKinds_Args* args) -> PJRT_Error* {
    args->memory_kinds = listed(args->executable).parameter_kinds.data();
    args->memory_kind_sizes = args->executable->parameter_kind_sizes.data();
    args->num_parameters = args->executable->parameter_kinds.size();
    return nullptr;
  };
  api.PJRT_Executable_OptimizedProgram = [](PJRT_Executable_OptimizedProgram_Args* args) {
    return guarded<optimized_program>(args);
  };
  api.PJRT_Executable_GetCompileOptions = [](PJRT_Executable_GetCompileOptions_Args* args) {
    return guarded<compile_options>(args);
  };
  api.PJRT_Executable_Serialize = [](PJRT_Executable_Serialize_Args* args) {
    return guarded<serialise_executable>(args);
  };
}

}  // namespace openneuron::pjrt
