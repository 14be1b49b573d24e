#include "pjrt/error.h"

#include "pjrt/api.h"

namespace openneuron::pjrt {
namespace {

struct ErrorObject : PJRT_Error {
  PJRT_Error_Code code;
  std::string message;
};

const ErrorObject& object(const PJRT_Error* error) { return *static_cast<const ErrorObject*>(error); }

void destroy(PJRT_Error* error) { delete static_cast<ErrorObject*>(error); }
void message(const PJRT_Error* error, const char** text, std::size_t* size) {
  *text = object(error).message.data();
  *size = object(error).message.size();
}
PJRT_Error_Code code(const PJRT_Error* error) { return object(error).code; }
void for_each_payload(const PJRT_Error*, PJRT_Error_PayloadVisitor, void*) {}

const PJRT_Error_FunctionTable& table() {
  static const PJRT_Error_FunctionTable functions = [] {
    PJRT_Error_FunctionTable t{};
    t.struct_size = sizeof t;
    t.instance_size = sizeof(PJRT_Error);
    t.destroy = destroy;
    t.message = message;
    t.get_code = code;
    t.for_each_payload = for_each_payload;
    return t;
  }();
  return functions;
}

}  // namespace

PJRT_Error* make_error(PJRT_Error_Code code, std::string message) {
  auto* error = new ErrorObject;
  error->vtable = &table();
  error->code = code;
  error->message = std::move(message);
  return error;
}

PJRT_Error_Code status_of(Code code) {
  switch (code) {
    case Code::NoLowering:
    case Code::NoTypeLowering:
    case Code::DynamicShape:
    case Code::PjrtUnsupported: return PJRT_Error_Code_UNIMPLEMENTED;
    case Code::HbmFull:
    case Code::MemoryFull:
    case Code::RegistersFull:
    case Code::ScheduleTooLarge:
    case Code::TooManyInstructions:
    case Code::DeviceMemory: return PJRT_Error_Code_RESOURCE_EXHAUSTED;
    case Code::PayloadForeign: return PJRT_Error_Code_FAILED_PRECONDITION;
    case Code::Internal: return PJRT_Error_Code_INTERNAL;
    default: break;
  }
  // What the device meets while it runs is no fault of the call; the rest is in what the caller gave.
  const std::string_view text = code_text(code);
  return text.starts_with("ON-E19") || text.starts_with("ON-E22") ? PJRT_Error_Code_INTERNAL
                                                                  : PJRT_Error_Code_INVALID_ARGUMENT;
}

PJRT_Error* make_error(const Diagnostic& diagnostic) {
  return make_error(status_of(diagnostic.code), format_diagnostic(diagnostic));
}
PJRT_Error* make_error(Failure failure) { return make_error(failure.diagnostic()); }

PJRT_Error* unsupported(std::string_view function, std::string_view why) {
  return make_error(fail(Code::PjrtUnsupported, std::string(function) + " is not supported: " + std::string(why)));
}

void fill_error(PJRT_Api& api) {
  api.PJRT_Error_Destroy = [](PJRT_Error_Destroy_Args* args) { destroy(args->error); };  // null is normal
  api.PJRT_Error_Message = [](PJRT_Error_Message_Args* args) {
    args->message = object(args->error).message.data();
    args->message_size = object(args->error).message.size();
  };
  api.PJRT_Error_GetCode = [](PJRT_Error_GetCode_Args* args) -> PJRT_Error* {
    args->code = object(args->error).code;
    return nullptr;
  };
  api.PJRT_Error_ForEachPayload = [](PJRT_Error_ForEachPayload_Args*) -> PJRT_Error* { return nullptr; };
}

}  // namespace openneuron::pjrt
