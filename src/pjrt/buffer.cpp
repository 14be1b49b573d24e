// PJRT_Buffer: what it is, and its end. Copies are in transfer.cpp.
#include "pjrt/api.h"
#include "pjrt/error.h"
#include "pjrt/objects.h"

namespace openneuron::pjrt {
namespace {

PJRT_Error* memory_layout(PJRT_Buffer_GetMemoryLayout_Args& args) {
  // Row-major, as lists that outlive the call: 7, 6, ... 0; a buffer of rank n uses the last n.
  static constexpr int kMost = 64;
  static const auto& order = *new std::vector<std::int64_t>([] {
    std::vector<std::int64_t> list;
    for (int d = kMost; d-- > 0;) list.push_back(d);
    return list;
  }());
  const std::size_t rank = args.buffer->dims.size();
  if (rank > kMost) return make_error(fail(Code::PjrtArgument, "the buffer has " + std::to_string(rank) + " dims"));
  args.layout = {};
  args.layout.struct_size = sizeof args.layout;
  args.layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  args.layout.tiled.struct_size = sizeof args.layout.tiled;
  args.layout.tiled.minor_to_major = order.data() + (kMost - rank);
  args.layout.tiled.minor_to_major_size = rank;
  return nullptr;
}

PJRT_Error* unsafe_pointer(PJRT_Buffer_UnsafePointer_Args& args) {
  const auto memory = args.buffer->data.memory();
  if (!memory) return make_error(fail(Code::BufferDeleted, "the buffer is deleted"));
  args.buffer_pointer = reinterpret_cast<std::uintptr_t>(memory->data());
  return nullptr;
}

PJRT_Error* opaque_pointer(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args& args) {
  const auto memory = args.buffer->data.memory();
  if (!memory) return make_error(fail(Code::BufferDeleted, "the buffer is deleted"));
  args.device_memory_ptr = memory->data();
  return nullptr;
}

// The memory, once taken, is let go in the order of the core's work only by those who still use it.
PJRT_Error* forget(PJRT_Buffer_Delete_Args& args) {
  (void)args.buffer->data.take();
  return nullptr;
}

PJRT_Error* hold_outside(PJRT_Buffer* buffer, int change) {
  const auto memory = buffer->data.memory();
  if (memory) memory->readers.fetch_add(change, std::memory_order_acq_rel);
  return nullptr;
}

PJRT_Error* ready_event(PJRT_Buffer_ReadyEvent_Args& args) {
  args.event = new PJRT_Event{args.buffer->data.ready()};
  return nullptr;
}

}  // namespace

void fill_buffer(PJRT_Api& api) {
  api.PJRT_Buffer_Destroy = [](PJRT_Buffer_Destroy_Args* args) -> PJRT_Error* {
    delete args->buffer;
    return nullptr;
  };
  api.PJRT_Buffer_ElementType = [](PJRT_Buffer_ElementType_Args* args) -> PJRT_Error* {
    args->type = buffer_type(args->buffer->type);
    return nullptr;
  };
  api.PJRT_Buffer_Dimensions = [](PJRT_Buffer_Dimensions_Args* args) -> PJRT_Error* {
    args->dims = args->buffer->dims.data();
    args->num_dims = args->buffer->dims.size();
    return nullptr;
  };
  api.PJRT_Buffer_UnpaddedDimensions = [](PJRT_Buffer_UnpaddedDimensions_Args* args) -> PJRT_Error* {
    args->unpadded_dims = args->buffer->dims.data();
    args->num_dims = args->buffer->dims.size();
    return nullptr;
  };
  api.PJRT_Buffer_DynamicDimensionIndices = [](PJRT_Buffer_DynamicDimensionIndices_Args* args) -> PJRT_Error* {
    args->dynamic_dim_indices = nullptr;
    args->num_dynamic_dims = 0;
    return nullptr;
  };
  api.PJRT_Buffer_GetMemoryLayout = [](PJRT_Buffer_GetMemoryLayout_Args* args) { return guarded<memory_layout>(args); };
  api.PJRT_Buffer_OnDeviceSizeInBytes = [](PJRT_Buffer_OnDeviceSizeInBytes_Args* args) -> PJRT_Error* {
    args->on_device_size_in_bytes = bytes_of(args->buffer->type, args->buffer->dims);
    return nullptr;
  };
  api.PJRT_Buffer_Device = [](PJRT_Buffer_Device_Args* args) -> PJRT_Error* {
    args->device = args->buffer->memory->device;
    return nullptr;
  };
  api.PJRT_Buffer_Memory = [](PJRT_Buffer_Memory_Args* args) -> PJRT_Error* {
    args->memory = args->buffer->memory;
    return nullptr;
  };
  api.PJRT_Buffer_Delete = [](PJRT_Buffer_Delete_Args* args) { return guarded<forget>(args); };
  api.PJRT_Buffer_IsDeleted = [](PJRT_Buffer_IsDeleted_Args* args) -> PJRT_Error* {
    args->is_deleted = args->buffer->data.deleted();
    return nullptr;
  };
  api.PJRT_Buffer_IsOnCpu = [](PJRT_Buffer_IsOnCpu_Args* args) -> PJRT_Error* {
    args->is_on_cpu = false;
    return nullptr;
  };
  api.PJRT_Buffer_ReadyEvent = [](PJRT_Buffer_ReadyEvent_Args* args) { return guarded<ready_event>(args); };
  api.PJRT_Buffer_UnsafePointer = [](PJRT_Buffer_UnsafePointer_Args* args) { return guarded<unsafe_pointer>(args); };
  api.PJRT_Buffer_OpaqueDeviceMemoryDataPointer = [](PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args* args) {
    return guarded<opaque_pointer>(args);
  };
  api.PJRT_Buffer_IncreaseExternalReferenceCount = [](PJRT_Buffer_IncreaseExternalReferenceCount_Args* args) {
    return hold_outside(args->buffer, 1);
  };
  api.PJRT_Buffer_DecreaseExternalReferenceCount = [](PJRT_Buffer_DecreaseExternalReferenceCount_Args* args) {
    return hold_outside(args->buffer, -1);
  };
}

}  // namespace openneuron::pjrt
