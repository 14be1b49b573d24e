// Machine files: no text crashes the reader, and a machine that is accepted prices an instruction.
#include <cstdint>
#include <string_view>

#include "machine/machine.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto machine = openneuron::parse_machine(text, "fuzz.toml");
  if (machine && machine->partitions % machine->quadrant != 0) __builtin_trap();
  return 0;
}
