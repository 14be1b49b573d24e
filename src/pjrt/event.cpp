// PJRT_Event: a handle of a runtime event.
#include "pjrt/api.h"
#include "pjrt/error.h"
#include "pjrt/objects.h"

namespace openneuron::pjrt {
namespace {

PJRT_Error* error_or_null(const runtime::Error& error) { return error ? make_error(*error) : nullptr; }

PJRT_Error* on_ready(PJRT_Event_OnReady_Args& args) {
  // The callback owns its error and may destroy the handle: nothing here looks at the handle again.
  const auto event = args.event->event;
  event->on_ready([callback = args.callback, user = args.user_arg](const runtime::Error& error) {
    callback(error_or_null(error), user);
  });
  return nullptr;
}

PJRT_Error* error(PJRT_Event_Error_Args& args) {
  const runtime::Event& event = *args.event->event;
  if (!event.ready()) return make_error(fail(Code::PjrtArgument, "the event is asked for its error before it is ready"));
  return error_or_null(event.error());
}

PJRT_Error* await(PJRT_Event_Await_Args& args) {
  const auto event = args.event->event;  // the handle may be destroyed meanwhile
  return error_or_null(event->wait());
}

PJRT_Error* create(PJRT_Event_Create_Args& args) {
  args.event = new PJRT_Event{runtime::Event::pending()};
  return nullptr;
}

PJRT_Error* set(PJRT_Event_Set_Args& args) {
  const auto event = args.event->event;
  if (event->ready()) return make_error(fail(Code::PjrtArgument, "the event is set already"));
  if (args.error_code == PJRT_Error_Code_OK) {
    event->set();
  } else {
    Diagnostic diagnostic;
    diagnostic.code = Code::PjrtArgument;
    diagnostic.message.assign(args.error_message, args.error_message_size);
    event->set(std::make_shared<const Diagnostic>(std::move(diagnostic)));
  }
  return nullptr;
}

}  // namespace

void fill_event(PJRT_Api& api) {
  api.PJRT_Event_Destroy = [](PJRT_Event_Destroy_Args* args) -> PJRT_Error* {
    delete args->event;
    return nullptr;
  };
  api.PJRT_Event_IsReady = [](PJRT_Event_IsReady_Args* args) -> PJRT_Error* {
    args->is_ready = args->event->event->ready();
    return nullptr;
  };
  api.PJRT_Event_Error = [](PJRT_Event_Error_Args* args) { return guarded<error>(args); };
  api.PJRT_Event_Await = [](PJRT_Event_Await_Args* args) { return guarded<await>(args); };
  api.PJRT_Event_OnReady = [](PJRT_Event_OnReady_Args* args) { return guarded<on_ready>(args); };
  api.PJRT_Event_Create = [](PJRT_Event_Create_Args* args) { return guarded<create>(args); };
  api.PJRT_Event_Set = [](PJRT_Event_Set_Args* args) { return guarded<set>(args); };
}

}  // namespace openneuron::pjrt
