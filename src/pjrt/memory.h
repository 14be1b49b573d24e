// The table of functions that every PJRT_Memory begins with.
#pragma once
#include "pjrt/pjrt_c_api.h"

namespace openneuron::pjrt {

const PJRT_Memory_FunctionTable* memory_functions();

}  // namespace openneuron::pjrt
