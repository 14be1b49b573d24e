// The Profiler extension: what the core and the compiler did between start and stop, as an XSpace.
#include <cstring>
#include <memory>
#include <string>

#include "pjrt/api.h"
#include "pjrt/error.h"
#include "pjrt/xspace.h"

struct PLUGIN_Profiler {
  bool listening = false;
  std::string data;
};

struct PLUGIN_Profiler_Error {
  PJRT_Error_Code code = PJRT_Error_Code_INTERNAL;
  std::string message;
};

namespace openneuron::pjrt {
namespace {

namespace trace = runtime::trace;

void end(PLUGIN_Profiler& profiler) {
  if (!profiler.listening) return;
  profiler.listening = false;
  profiler.data = write_xspace(trace::stop());
}

PLUGIN_Profiler_Error* create(PLUGIN_Profiler_Create_Args& args) {
  args.profiler = new PLUGIN_Profiler;
  return nullptr;
}

PLUGIN_Profiler_Error* destroy(PLUGIN_Profiler_Destroy_Args& args) {
  const std::unique_ptr<PLUGIN_Profiler> profiler(args.profiler);
  if (profiler && profiler->listening) trace::stop();
  return nullptr;
}

PLUGIN_Profiler_Error* start(PLUGIN_Profiler_Start_Args& args) {
  if (!trace::start())
    return new PLUGIN_Profiler_Error{PJRT_Error_Code_FAILED_PRECONDITION, "another profiler listens to the NeuronCores of this process: stop it first"};
  args.profiler->listening = true;
  return nullptr;
}

PLUGIN_Profiler_Error* stop(PLUGIN_Profiler_Stop_Args& args) {
  end(*args.profiler);
  return nullptr;
}

// jaxlib 0.10.2 calls it once, without a buffer, and reads what the plugin then points to; a caller with a buffer of its own
// asks for the size first.
PLUGIN_Profiler_Error* collect(PLUGIN_Profiler_CollectData_Args& args) {
  end(*args.profiler);
  std::string& data = args.profiler->data;
  if (args.buffer != nullptr)
    std::memcpy(args.buffer, data.data(), data.size());
  else
    args.buffer = reinterpret_cast<std::uint8_t*>(data.data());
  args.buffer_size_in_bytes = data.size();
  return nullptr;
}

// Nothing is thrown at the caller.
template <auto function, class Args>
PLUGIN_Profiler_Error* caught(Args* args) noexcept {
  try {
    return function(*args);
  } catch (const std::bad_alloc&) {
    return new PLUGIN_Profiler_Error{PJRT_Error_Code_RESOURCE_EXHAUSTED, "the host is out of memory for the trace"};
  } catch (const std::exception& e) {
    return new PLUGIN_Profiler_Error{PJRT_Error_Code_INTERNAL, e.what()};
  }
}

PLUGIN_Profiler_Api make_table() {
  PLUGIN_Profiler_Api api{};
  // As far as the functions below: later ones hand the data over in another way.
  api.struct_size = offsetof(PLUGIN_Profiler_Api, collect_data) + sizeof api.collect_data;
  api.error_destroy = [](PLUGIN_Profiler_Error_Destroy_Args* args) { delete args->error; };
  api.error_message = [](PLUGIN_Profiler_Error_Message_Args* args) {
    args->message = args->error->message.data();
    args->message_size = args->error->message.size();
  };
  api.error_get_code = [](PLUGIN_Profiler_Error_GetCode_Args* args) -> PLUGIN_Profiler_Error* {
    args->code = args->error->code;
    return nullptr;
  };
  api.create = [](PLUGIN_Profiler_Create_Args* args) { return caught<create>(args); };
  api.destroy = [](PLUGIN_Profiler_Destroy_Args* args) { return caught<destroy>(args); };
  api.start = [](PLUGIN_Profiler_Start_Args* args) { return caught<start>(args); };
  api.stop = [](PLUGIN_Profiler_Stop_Args* args) { return caught<stop>(args); };
  api.collect_data = [](PLUGIN_Profiler_CollectData_Args* args) { return caught<collect>(args); };
  return api;
}

}  // namespace

PJRT_Profiler_Extension make_profiler(PJRT_Extension_Base* next) {
  static PLUGIN_Profiler_Api& table = *new PLUGIN_Profiler_Api(make_table());
  PJRT_Profiler_Extension profiler{};
  profiler.base.struct_size = sizeof profiler;
  profiler.base.type = PJRT_Extension_Type_Profiler;
  profiler.base.next = next;
  profiler.profiler_api = &table;
  return profiler;
}

}  // namespace openneuron::pjrt
