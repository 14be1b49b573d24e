#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>

#include "check/check.h"
#include "machine/machine.h"
#include "sched/random_tile.h"
#include "sched/sched.h"
#include "stream/text.h"
#include "tile/text.h"

using namespace openneuron;

TEST_CASE("scheduled random programs have no race and no deadlock") {
  auto machine = load_machine("trn2");
  REQUIRE(machine);
  // OPENNEURON_SEEDS=first,last tries others; one seed alone prints its program.
  unsigned from = 1, to = 150;
  if (const char* seeds = std::getenv("OPENNEURON_SEEDS")) {
    from = to = static_cast<unsigned>(std::strtoul(seeds, nullptr, 10));
    if (const char* comma = std::strchr(seeds, ',')) to = static_cast<unsigned>(std::strtoul(comma + 1, nullptr, 10));
  }
  const bool only = from == to;
  for (unsigned seed = from; seed <= to; ++seed) {
    CAPTURE(seed);
    tile::Module module = test::RandomTile(seed, seed % 3 != 0).make(4 + static_cast<int>(seed % 20));
    auto verified = tile::verify(module, **machine);
    REQUIRE_MESSAGE(verified, format_diagnostic(verified.diagnostic()) << tile::print(module));
    for (bool prune : {true, false}) {
      tile::Module copy = module;
      sched::Options options;
      options.prune_waits = prune;
      auto code = sched::schedule(copy, **machine, options);
      REQUIRE_MESSAGE(code, format_diagnostic(code.diagnostic()));
      const std::string text = stream::print(*code);
      if (only) MESSAGE(tile::print(copy) << text);
      auto checked = check::check_all(*code, **machine);
      REQUIRE_MESSAGE(checked, format_diagnostic(checked.diagnostic()));
      auto again = stream::parse(text, "again.stream");
      REQUIRE_MESSAGE(again, format_diagnostic(again.diagnostic()));
      REQUIRE(stream::print(*again) == text);
    }
  }
}
