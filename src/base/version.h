// The version of this build, once.
#pragma once

namespace openneuron {

const char* version();  ///< "0.1.0"

}  // namespace openneuron
