// PJRT_DeviceDescription and PJRT_Device.
#include "pjrt/api.h"
#include "pjrt/error.h"
#include "pjrt/objects.h"

namespace openneuron::pjrt {
namespace {

PJRT_Error* memory_stats(PJRT_Device_MemoryStats_Args& args) {
  const runtime::HbmStats hbm = args.device->core->hbm();
  args.bytes_in_use = hbm.used;
  args.peak_bytes_in_use = hbm.peak;
  args.num_allocs = hbm.count;
  args.largest_alloc_size = hbm.largest;
  args.bytes_limit = hbm.limit;
  args.peak_bytes_in_use_is_set = args.num_allocs_is_set = args.largest_alloc_size_is_set = args.bytes_limit_is_set = true;
  args.bytes_reserved_is_set = args.peak_bytes_reserved_is_set = args.bytes_reservable_limit_is_set =
      args.largest_free_block_bytes_is_set = args.pool_bytes_is_set = args.peak_pool_bytes_is_set = false;
  // Older clients send a shorter struct, on their stack.
  if (ON_HAS_FIELD(args, peak_allocated_bytes_is_set)) {
    args.peak_allocated_bytes = hbm.peak;
    args.peak_allocated_bytes_is_set = true;
  }
  return nullptr;
}

}  // namespace

void fill_device(PJRT_Api& api) {
  api.PJRT_DeviceDescription_Id = [](PJRT_DeviceDescription_Id_Args* args) -> PJRT_Error* {
    args->id = args->device_description->id;
    return nullptr;
  };
  api.PJRT_DeviceDescription_ProcessIndex = [](PJRT_DeviceDescription_ProcessIndex_Args* args) -> PJRT_Error* {
    args->process_index = args->device_description->process;
    return nullptr;
  };
  api.PJRT_DeviceDescription_Attributes = [](PJRT_DeviceDescription_Attributes_Args* args) -> PJRT_Error* {
    args->attributes = args->device_description->attributes.data();
    args->num_attributes = args->device_description->attributes.size();
    return nullptr;
  };
  api.PJRT_DeviceDescription_Kind = [](PJRT_DeviceDescription_Kind_Args* args) -> PJRT_Error* {
    args->device_kind = args->device_description->kind.data();
    args->device_kind_size = args->device_description->kind.size();
    return nullptr;
  };
  api.PJRT_DeviceDescription_DebugString = [](PJRT_DeviceDescription_DebugString_Args* args) -> PJRT_Error* {
    args->debug_string = args->device_description->debug.data();
    args->debug_string_size = args->device_description->debug.size();
    return nullptr;
  };
  api.PJRT_DeviceDescription_ToString = [](PJRT_DeviceDescription_ToString_Args* args) -> PJRT_Error* {
    args->to_string = args->device_description->text.data();
    args->to_string_size = args->device_description->text.size();
    return nullptr;
  };
  api.PJRT_Device_GetDescription = [](PJRT_Device_GetDescription_Args* args) -> PJRT_Error* {
    args->device_description = args->device->description;
    return nullptr;
  };
  api.PJRT_Device_IsAddressable = [](PJRT_Device_IsAddressable_Args* args) -> PJRT_Error* {
    args->is_addressable = true;
    return nullptr;
  };
  api.PJRT_Device_LocalHardwareId = [](PJRT_Device_LocalHardwareId_Args* args) -> PJRT_Error* {
    args->local_hardware_id = args->device->local_id;
    return nullptr;
  };
  api.PJRT_Device_AddressableMemories = [](PJRT_Device_AddressableMemories_Args* args) -> PJRT_Error* {
    args->memories = args->device->memories.data();
    args->num_memories = args->device->memories.size();
    return nullptr;
  };
  api.PJRT_Device_DefaultMemory = [](PJRT_Device_DefaultMemory_Args* args) -> PJRT_Error* {
    args->memory = args->device->memories.front();
    return nullptr;
  };
  api.PJRT_Device_MemoryStats = [](PJRT_Device_MemoryStats_Args* args) { return guarded<memory_stats>(args); };
  api.PJRT_Device_ClearMemoryStats = [](PJRT_Device_ClearMemoryStats_Args* args) -> PJRT_Error* {
    args->device->core->clear_peak();
    return nullptr;
  };
  api.PJRT_Device_GetAttributes = [](PJRT_Device_GetAttributes_Args* args) -> PJRT_Error* {
    args->attributes = args->device->description->attributes.data();
    args->num_attributes = args->device->description->attributes.size();
    args->device_attributes = nullptr;
    args->attributes_deleter = [](PJRT_Device_Attributes*) {};
    return nullptr;
  };
}

}  // namespace openneuron::pjrt
