// Errors at the boundary: our diagnostics with the status codes of the PJRT C API.
#pragma once
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "base/result.h"
#include "pjrt/pjrt_c_api.h"

namespace openneuron::pjrt {

PJRT_Error* make_error(PJRT_Error_Code code, std::string message);
/// With the status code that fits, and the text that format_diagnostic gives.
PJRT_Error* make_error(const Diagnostic& diagnostic);
PJRT_Error* make_error(Failure failure);
PJRT_Error_Code status_of(Code code);
/// "PJRT_X is not supported: why".
PJRT_Error* unsupported(std::string_view function, std::string_view why);

/// A function of the table: nothing is thrown at the caller.
template <auto function, class Args>
PJRT_Error* guarded(Args* args) noexcept {
  try {
    return function(*args);
  } catch (const std::bad_alloc&) {
    return make_error(PJRT_Error_Code_RESOURCE_EXHAUSTED, "the host is out of memory");
  } catch (const std::exception& e) {
    return make_error(PJRT_Error_Code_INTERNAL, e.what());
  }
}

/// Whether the caller's struct, which tells its size, has the field.
#define ON_HAS_FIELD(args, field) \
  ((args).struct_size >= offsetof(std::remove_reference_t<decltype(args)>, field) + sizeof((args).field))

/// `if (auto failed = f()) return failed;` for functions that return PJRT_Error*.
#define ON_PJRT_TRY(expression)                                     \
  do {                                                              \
    if (PJRT_Error* on_pjrt_error = (expression)) return on_pjrt_error; \
  } while (false)

}  // namespace openneuron::pjrt
