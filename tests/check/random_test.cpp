#include <doctest/doctest.h>

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
  const char* only = std::getenv("ON_SEED");
  const unsigned from = only ? static_cast<unsigned>(std::atoi(only)) : 1, to = only ? from : 300;
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
