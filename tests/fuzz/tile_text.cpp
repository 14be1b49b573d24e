// Any bytes as tile text: refused with a code, or a module that prints back to what it reads as, and that verifier and
// scheduler survive.
#include <cstdlib>
#include <string_view>

#include "machine/machine.h"
#include "sched/sched.h"
#include "stream/text.h"
#include "tile/text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace openneuron;
  static const std::shared_ptr<const Machine> machine = *load_machine("trn2");
  auto module = tile::parse({reinterpret_cast<const char*>(data), size}, "fuzz.tile");
  if (!module) return 0;
  const std::string text = tile::print(*module);
  auto again = tile::parse(text, "again.tile");
  if (!again || tile::print(*again) != text) std::abort();
  if (!tile::verify(*module, *machine)) return 0;
  auto code = sched::schedule(*module, *machine, {});
  if (code && !stream::verify(*code, *machine)) std::abort();
  return 0;
}
