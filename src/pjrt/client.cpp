// PJRT_Client: the cores of this process.
#include <cstdlib>
#include <thread>

#include "pjrt/api.h"
#include "pjrt/error.h"
#include "pjrt/memory.h"
#include "pjrt/objects.h"

namespace openneuron::pjrt {
namespace {

// Processes that jax.distributed joins, or the launcher's variable.
Result<void> check_processes(const PJRT_Client_Create_Args& args) {
  std::string asks;
  for (std::size_t i = 0; i < args.num_options; ++i) {
    const PJRT_NamedValue& option = args.create_options[i];
    if (std::string_view(option.name, option.name_size) != "num_nodes") continue;
    const std::string nodes = option.type == PJRT_NamedValue_kString ? std::string(option.string_value, option.value_size)
                              : option.type == PJRT_NamedValue_kInt64 ? std::to_string(option.int64_value) : "1";
    if (nodes != "1") asks = "jax.distributed joins " + nodes + " processes";
  }
  const char* list = std::getenv("NEURON_PJRT_PROCESSES_NUM_DEVICES");
  if (list != nullptr && std::string_view(list).find(',') != std::string_view::npos)
    asks = "NEURON_PJRT_PROCESSES_NUM_DEVICES is \"" + std::string(list) + "\"";
  if (asks.empty()) return {};
  return fail(Code::PjrtUnsupported, asks + ": cores of several processes form no mesh here. One process has all cores of the "
                                            "instance (OPENNEURON_INSTANCE_TYPE, up to 128); run the program in one, without "
                                            "jax.distributed.initialize or the variable");
}

PJRT_Error* create(PJRT_Client_Create_Args& args) {
  if (auto alone = check_processes(args); !alone) return make_error(alone.failure());
  auto topology = make_topology({}, false);
  if (!topology) return make_error(topology.failure());
  auto client = std::make_unique<PJRT_Client>();
  client->topology = std::move(**topology);
  client->threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  for (PJRT_DeviceDescription* description : client->topology.list) {
    auto device = std::make_unique<PJRT_Device>();
    device->client = client.get();
    device->description = description;
    device->local_id = description->id;
    device->core = std::make_unique<runtime::Core>(description->id, client->topology.instance->hbm_bytes_per_core);
    for (MemoryKind kind : {MemoryKind::Device, MemoryKind::PinnedHost, MemoryKind::UnpinnedHost}) {
      auto memory = std::make_unique<Memory>();
      memory->vtable = memory_functions();
      memory->id = static_cast<int>(client->memories.size());
      memory->kind = kind;
      memory->device = device.get();
      memory->text = std::string(kMemoryKinds[static_cast<std::size_t>(kind)]) + " of " + description->text;
      memory->debug = memory->text;
      device->memories.push_back(memory.get());
      client->memory_list.push_back(memory.get());
      client->memories.push_back(std::move(memory));
    }
    client->device_list.push_back(device.get());
    client->devices.push_back(std::move(device));
  }
  args.client = client.release();
  return nullptr;
}

// What runs is waited for; what the client's user attached goes now, the rest with the last buffer.
PJRT_Error* destroy(PJRT_Client_Destroy_Args& args) {
  for (const auto& device : args.client->devices) device->core->queue().drain();
  args.client->transfers.drain();
  for (const auto& memory : args.client->memories) memory->forget();
  ClientHold::let_go(args.client);
  return nullptr;
}

PJRT_Error* find_device(PJRT_Client* client, int id, PJRT_Device** found) {
  for (PJRT_Device* device : client->device_list)
    if (device->description->id == id) {
      *found = device;
      return nullptr;
    }
  return make_error(fail(Code::PjrtArgument, "there is no device " + std::to_string(id) + " among the " +
                                                 std::to_string(client->device_list.size())));
}

PJRT_Error* default_assignment(PJRT_Client_DefaultDeviceAssignment_Args& args) {
  const std::size_t wanted = static_cast<std::size_t>(std::max(0, args.num_replicas)) *
                             static_cast<std::size_t>(std::max(0, args.num_partitions));
  if (wanted > args.client->device_list.size() || wanted > args.default_assignment_size)
    return make_error(fail(Code::PjrtArgument, std::to_string(wanted) + " devices are asked for; there are " +
                                                   std::to_string(args.client->device_list.size())));
  for (std::size_t i = 0; i < wanted; ++i) args.default_assignment[i] = args.client->device_list[i]->description->id;
  return nullptr;
}

}  // namespace

void ClientHold::let_go(PJRT_Client* client) {
  if (client->handles.fetch_sub(1, std::memory_order_acq_rel) == 1) delete client;
}

void fill_client(PJRT_Api& api) {
  api.PJRT_Client_Create = [](PJRT_Client_Create_Args* args) { return guarded<create>(args); };
  api.PJRT_Client_Destroy = [](PJRT_Client_Destroy_Args* args) { return guarded<destroy>(args); };
  api.PJRT_Client_PlatformName = [](PJRT_Client_PlatformName_Args* args) -> PJRT_Error* {
    args->platform_name = kPlatform.data();
    args->platform_name_size = kPlatform.size();
    return nullptr;
  };
  api.PJRT_Client_ProcessIndex = [](PJRT_Client_ProcessIndex_Args* args) -> PJRT_Error* {
    args->process_index = 0;
    return nullptr;
  };
  api.PJRT_Client_PlatformVersion = [](PJRT_Client_PlatformVersion_Args* args) -> PJRT_Error* {
    args->platform_version = args->client->topology.platform_version.data();
    args->platform_version_size = args->client->topology.platform_version.size();
    return nullptr;
  };
  api.PJRT_Client_TopologyDescription = [](PJRT_Client_TopologyDescription_Args* args) -> PJRT_Error* {
    args->topology = &args->client->topology;
    return nullptr;
  };
  api.PJRT_Client_Devices = [](PJRT_Client_Devices_Args* args) -> PJRT_Error* {
    args->devices = args->client->device_list.data();
    args->num_devices = args->client->device_list.size();
    return nullptr;
  };
  api.PJRT_Client_AddressableDevices = [](PJRT_Client_AddressableDevices_Args* args) -> PJRT_Error* {
    args->addressable_devices = args->client->device_list.data();
    args->num_addressable_devices = args->client->device_list.size();
    return nullptr;
  };
  api.PJRT_Client_LookupDevice = [](PJRT_Client_LookupDevice_Args* args) {
    return find_device(args->client, args->id, &args->device);
  };
  api.PJRT_Client_LookupAddressableDevice = [](PJRT_Client_LookupAddressableDevice_Args* args) {
    return find_device(args->client, args->local_hardware_id, &args->addressable_device);
  };
  api.PJRT_Client_AddressableMemories = [](PJRT_Client_AddressableMemories_Args* args) -> PJRT_Error* {
    args->addressable_memories = args->client->memory_list.data();
    args->num_addressable_memories = args->client->memory_list.size();
    return nullptr;
  };
  api.PJRT_Client_DefaultDeviceAssignment = [](PJRT_Client_DefaultDeviceAssignment_Args* args) {
    return guarded<default_assignment>(args);
  };
  // Called whenever jax.distributed is on; an error here would end the process.
  api.PJRT_Client_UpdateGlobalProcessInfo = [](PJRT_Client_UpdateGlobalProcessInfo_Args*) -> PJRT_Error* {
    return nullptr;
  };
}

}  // namespace openneuron::pjrt
