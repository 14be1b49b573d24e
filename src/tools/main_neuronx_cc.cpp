// `neuronx-cc`: HloModuleProto, StableHLO text or bytecode in, NEFF out.
#include <new>

#include "tools/console.h"
#include "tools/neuronx_cc.h"

int main(int argc, char** argv) {
  using namespace openneuron::tools;
  install_signal_handlers();
  try {
    return neuronx_cc(argc, argv);
  } catch (const std::bad_alloc&) {
    print_error("[F137] neuronx-cc was forcibly killed: the host has no memory left\n");
    return 70;
  }
}
