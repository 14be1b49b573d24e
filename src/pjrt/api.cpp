// The table of the PJRT C API: every slot is filled; what is not supported says so.
#include "pjrt/api.h"

#include "import/bytecode_vhlo.h"
#include "pjrt/error.h"
#include "pjrt/named_values.h"

namespace openneuron::pjrt {
namespace {

// Why functions are missing; others are parts of other clients' devices.
std::string_view reason(std::string_view function) {
  struct Row {
    std::string_view part, why;
  };
  constexpr Row kRows[] = {
      {"CopyToDeviceStream", "streams of chunks feed send and receive ops, which a NeuronCore does not have"},
      {"ExecuteContext", "it carries handlers of foreign functions, which run on hosts only"},
      {"DmaMap", "memory of the host needs no registration here"},
      {"DmaUnmap", "memory of the host needs no registration here"},
      {"PoisonExecution", "executions are not cancelled from outside"},
      {"AsyncTrackingEvent", "nothing reads tracking events here"},
      {"CopyRawToHostFuture", "copies are never asked for before their source exists here"},
      {"DonateWithControlDependency", "donation happens in execution"},
      {"Bitcast", "the bytes of a buffer keep their type"},
      {"MakeCanonicalShape", "layouts are row-major; there are no other shapes"},
      {"AliasBuffer", "buffers are made with their contents"},
  };
  for (const Row& row : kRows)
    if (function.find(row.part) != std::string_view::npos) return row.why;
  return "this plugin has no use for it";
}

PJRT_Error* plugin_attributes(PJRT_Plugin_Attributes_Args& args) {
  static const NamedValues& values = *new NamedValues([] {
    NamedValues v;
    const import::bytecode::VhloVersion newest = import::bytecode::newest_vhlo_version();
    v.add("stablehlo_current_version", {newest.major, newest.minor, newest.patch});
    v.add("stablehlo_minimum_version", {std::int64_t{0}, std::int64_t{9}, std::int64_t{0}});
    v.add("xla_version", std::int64_t{2});
    return v;
  }());
  args.attributes = values.data();
  args.num_attributes = values.size();
  return nullptr;
}

PJRT_Api make_table() {
  PJRT_Api api{};
  api.struct_size = sizeof api;
  api.pjrt_api_version.struct_size = sizeof api.pjrt_api_version;
  api.pjrt_api_version.major_version = PJRT_API_MAJOR;
  api.pjrt_api_version.minor_version = PJRT_API_MINOR;
#define PJRT_FUNCTION(name) \
  api.PJRT_##name = [](PJRT_##name##_Args*) -> PJRT_Error* { return unsupported("PJRT_" #name, reason(#name)); };
  PJRT_FUNCTIONS(PJRT_FUNCTION)
#undef PJRT_FUNCTION
  fill_error(api);
  fill_event(api);
  fill_client(api);
  fill_device(api);
  fill_memory(api);
  fill_topology(api);
  fill_compile(api);
  fill_executable(api);
  fill_analysis(api);
  fill_execute(api);
  fill_buffer(api);
  fill_transfer(api);
  api.PJRT_Plugin_Initialize = [](PJRT_Plugin_Initialize_Args*) -> PJRT_Error* { return nullptr; };
  api.PJRT_Plugin_Attributes = [](PJRT_Plugin_Attributes_Args* args) { return guarded<plugin_attributes>(args); };
  api.extension_start = extensions();
  return api;
}

}  // namespace

const PJRT_Api* api() {
  static const PJRT_Api& table = *new PJRT_Api(make_table());
  return &table;
}

}  // namespace openneuron::pjrt
