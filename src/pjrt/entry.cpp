// The one symbol of libneuronpjrt.so.
#include "pjrt/api.h"

extern "C" __attribute__((visibility("default"))) const PJRT_Api* GetPjrtApi() { return openneuron::pjrt::api(); }
