// PJRT_TopologyDescription: the emulated instance, with or without cores of this process.
#include <cstdlib>

#include "base/hash.h"
#include "base/version.h"
#include "pjrt/api.h"
#include "pjrt/error.h"
#include "pjrt/objects.h"
#include "pjrt/options.h"

namespace openneuron::pjrt {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

void describe(PJRT_TopologyDescription& topology, int core, int id) {
  const runtime::InstanceType& instance = *topology.instance;
  auto d = std::make_unique<PJRT_DeviceDescription>();
  const int chip = core / instance.cores_per_chip, within = core % instance.cores_per_chip;
  d->id = id;
  d->kind = std::string(instance.device_kind);
  d->text = "NeuronCore(id=" + std::to_string(id) + ")";
  d->debug = d->text + " of " + std::string(instance.name) + ": chip " + std::to_string(chip) + ", core " +
             std::to_string(within) + ", emulated";
  d->attributes.add("instance_type", instance.name);
  d->attributes.add("core_on_chip", std::int64_t{within});
  d->attributes.add("coords", std::int64_t{chip});
  topology.list.push_back(d.get());
  topology.descriptions.push_back(std::move(d));
}

PJRT_Error* create(PJRT_TopologyDescription_Create_Args& args) {
  auto made = make_topology({args.topology_name, args.topology_name_size}, true);
  if (!made) return make_error(made.failure());
  args.topology = made->release();
  return nullptr;
}

// "neuron <instance> <cores>": all that a topology is made of.
PJRT_Error* serialize(PJRT_TopologyDescription_Serialize_Args& args) {
  const auto& topology = *args.topology;
  auto* text = new std::string(topology.instance->name);
  args.serialized_bytes = text->data();
  args.serialized_bytes_size = text->size();
  args.serialized_topology = reinterpret_cast<PJRT_SerializedTopology*>(text);
  args.serialized_topology_deleter = [](PJRT_SerializedTopology* t) { delete reinterpret_cast<std::string*>(t); };
  return nullptr;
}

PJRT_Error* deserialize(PJRT_TopologyDescription_Deserialize_Args& args) {
  auto made = make_topology({args.serialized_topology, args.serialized_topology_size}, true);
  if (!made) return make_error(made.failure());
  args.topology = made->release();
  return nullptr;
}

PJRT_Error* fingerprint(PJRT_TopologyDescription_Fingerprint_Args& args) {
  std::string text = args.topology->platform_version + "|" + std::string(args.topology->instance->machine) + "|" +
                     std::to_string(args.topology->list.size()) + "|" + environment_options();  // a key of the client's cache
  args.fingerprint = hash64(std::as_bytes(std::span(text)));
  return nullptr;
}

}  // namespace

std::string platform_version() { return std::string("openneuron ") + version(); }

Result<std::unique_ptr<PJRT_TopologyDescription>> make_topology(std::string_view name, bool all_cores) {
  if (name.empty()) name = environment("OPENNEURON_INSTANCE_TYPE");
  if (name.empty()) name = runtime::kDefaultInstance;
  auto instance = runtime::find_instance(name);
  if (!instance) return instance.failure();
  auto machine = load_machine(std::string((*instance)->machine));
  if (!machine) return machine.failure();
  auto cores = all_cores ? runtime::choose_cores(**instance, {}, {})
                         : runtime::choose_cores(**instance, environment("NEURON_RT_VISIBLE_CORES"),
                                                 environment("NEURON_RT_NUM_CORES"));
  if (!cores) return cores.failure();
  auto made = std::make_unique<PJRT_TopologyDescription>();
  made->instance = *instance;
  made->machine = *machine;
  made->platform_version = platform_version();
  for (int core : *cores) describe(*made, core, static_cast<int>(made->list.size()));
  made->attributes.add("instance_type", (*instance)->name);
  made->attributes.add("machine", (*instance)->machine);
  made->attributes.add("num_cores", static_cast<std::int64_t>(made->list.size()));
  return made;
}

void fill_topology(PJRT_Api& api) {
  api.PJRT_TopologyDescription_Create = [](PJRT_TopologyDescription_Create_Args* args) { return guarded<create>(args); };
  api.PJRT_TopologyDescription_Destroy = [](PJRT_TopologyDescription_Destroy_Args* args) -> PJRT_Error* {
    delete args->topology;
    return nullptr;
  };
  api.PJRT_TopologyDescription_PlatformName = [](PJRT_TopologyDescription_PlatformName_Args* args) -> PJRT_Error* {
    args->platform_name = kPlatform.data();
    args->platform_name_size = kPlatform.size();
    return nullptr;
  };
  api.PJRT_TopologyDescription_PlatformVersion =
      [](PJRT_TopologyDescription_PlatformVersion_Args* args) -> PJRT_Error* {
    args->platform_version = args->topology->platform_version.data();
    args->platform_version_size = args->topology->platform_version.size();
    return nullptr;
  };
  api.PJRT_TopologyDescription_GetDeviceDescriptions =
      [](PJRT_TopologyDescription_GetDeviceDescriptions_Args* args) -> PJRT_Error* {
    args->descriptions = args->topology->list.data();
    args->num_descriptions = args->topology->list.size();
    return nullptr;
  };
  api.PJRT_TopologyDescription_Attributes = [](PJRT_TopologyDescription_Attributes_Args* args) -> PJRT_Error* {
    args->attributes = args->topology->attributes.data();
    args->num_attributes = args->topology->attributes.size();
    return nullptr;
  };
  api.PJRT_TopologyDescription_Serialize = [](PJRT_TopologyDescription_Serialize_Args* args) {
    return guarded<serialize>(args);
  };
  api.PJRT_TopologyDescription_Deserialize = [](PJRT_TopologyDescription_Deserialize_Args* args) {
    return guarded<deserialize>(args);
  };
  api.PJRT_TopologyDescription_Fingerprint = [](PJRT_TopologyDescription_Fingerprint_Args* args) {
    return guarded<fingerprint>(args);
  };
  api.PJRT_TopologyDescription_GetMemorySpaceKindIds =
      [](PJRT_TopologyDescription_GetMemorySpaceKindIds_Args* args) -> PJRT_Error* {
    static constexpr int kKinds[] = {0, 1, 2};
    args->memory_space_kind_ids = kKinds;
    args->num_memory_space_kind_ids = 3;
    return nullptr;
  };
}

}  // namespace openneuron::pjrt
