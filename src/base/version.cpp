#include "base/version.h"

namespace openneuron {

const char* version() { return OPENNEURON_VERSION; }

}  // namespace openneuron
