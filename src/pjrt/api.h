// The families of functions; each file puts its own into the table.
#pragma once
#include "pjrt/pjrt_c_api.h"

namespace openneuron::pjrt {

void fill_error(PJRT_Api& api);
void fill_event(PJRT_Api& api);
void fill_client(PJRT_Api& api);
void fill_device(PJRT_Api& api);
void fill_memory(PJRT_Api& api);
void fill_topology(PJRT_Api& api);
void fill_compile(PJRT_Api& api);
void fill_executable(PJRT_Api& api);
void fill_analysis(PJRT_Api& api);
void fill_execute(PJRT_Api& api);
void fill_buffer(PJRT_Api& api);
void fill_transfer(PJRT_Api& api);
/// The finished table; it lives as long as the process.
const PJRT_Api* api();
/// The chain of extensions.
PJRT_Extension_Base* extensions();
PJRT_Profiler_Extension make_profiler(PJRT_Extension_Base* next);

}  // namespace openneuron::pjrt
