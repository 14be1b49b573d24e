// `neuronx-cc`: the drop-in compiler. Console, log file and exit status are AWS's.
#pragma once

namespace openneuron::tools {

/// 0, 70 on a diagnosed error, 2 on an incomplete command line.
int neuronx_cc(int argc, const char* const* argv);

}  // namespace openneuron::tools
