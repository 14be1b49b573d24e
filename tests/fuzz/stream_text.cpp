// Any bytes as stream text: refused with a code, or code that prints back to what it reads as, and that the checkers
// survive.
#include <cstdlib>
#include <string_view>

#include "check/check.h"
#include "machine/machine.h"
#include "stream/text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace openneuron;
  static const std::shared_ptr<const Machine> machine = *load_machine("trn2");
  auto code = stream::parse({reinterpret_cast<const char*>(data), size}, "fuzz.stream");
  if (!code) return 0;
  const std::string text = stream::print(*code);
  auto again = stream::parse(text, "again.stream");
  if (!again || stream::print(*again) != text) std::abort();
  (void)check::check_all(*code, *machine);
  return 0;
}
