// Engine code: what decodes encodes back to the same bytes, and every instruction can be checked and, when legal,
// priced.
#include <algorithm>
#include <cstdlib>

#include "isa/table.h"
#include "machine/machine.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace openneuron;
  static const std::shared_ptr<const Machine> machine = *load_machine("trn2");
  const auto bytes = std::as_bytes(std::span(data, size));
  auto stream = isa::decode(bytes);
  if (!stream) return 0;
  const auto again = isa::encode(*stream);
  if (again.size() != size || !std::equal(again.begin(), again.end(), bytes.begin())) std::abort();
  for (const isa::Instruction& i : stream->instructions)
    if (isa::check_instruction(i, *machine) && !(isa::cost(i, *machine).issue_ns >= 0)) std::abort();
  return 0;
}
