// Any bytes as an HloModuleProto: refused with a code, or a module that the verifier and the printer can walk.
#include <cstddef>
#include <cstdint>
#include <span>

#include "graph/print.h"
#include "graph/verify.h"
#include "import/import.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace openneuron;
  auto module = import::read_hlo({reinterpret_cast<const std::byte*>(data), size}, "fuzz");
  if (module && graph::verify(*module)) {
    graph::PrintOptions options;
    options.locations = true;
    options.elide_above = 1 << 12;
    if (graph::print(*module, options).empty()) __builtin_trap();
  }
  return 0;
}
