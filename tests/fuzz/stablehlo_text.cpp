// Any bytes as StableHLO text: refused with a code, or a module that the verifier and the printer can walk, and whose
// text reads back.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "graph/equal.h"
#include "graph/print.h"
#include "graph/verify.h"
#include "import/import.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace openneuron;
  auto module =
      import::read_text({reinterpret_cast<const std::byte*>(data), size}, "fuzz", {}, import::Positions::OfText);
  if (!module || !graph::verify(*module)) return 0;
  graph::PrintOptions options;
  options.locations = true;
  const std::string text = graph::print(*module, options);
  auto again = import::read_text(std::as_bytes(std::span(text)), "printed");
  if (!again || !graph::equal(*module, *again)) std::abort();
  return 0;
}
