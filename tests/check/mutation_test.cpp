#include <doctest/doctest.h>

#include <cstdlib>

#include "base/files.h"
#include "check/check.h"
#include "machine/machine.h"
#include "sched/random_tile.h"
#include "sched/sched.h"
#include "stream/text.h"
#include "tile/text.h"

using namespace openneuron;

namespace {

struct Tally {
  int waits = 0, implied = 0, reported = 0, silent = 0, wrong = 0;
};

// Deletes each wait in turn.
Tally delete_each_wait(isa::Code& code, const Machine& machine) {
  Tally tally;
  for (std::size_t c = 0; c < code.cores.size(); ++c)
    for (std::size_t s = 0; s < code.cores[c].streams.size(); ++s)
      for (std::size_t i = 0; i < code.cores[c].streams[s].instructions.size(); ++i) {
        isa::Instruction& instruction = code.cores[c].streams[s].instructions[i];
        for (std::size_t w = 0; w < instruction.waits.size(); ++w) {
          ++tally.waits;
          const bool implied = check::wait_is_implied(code, machine, static_cast<int>(c), static_cast<int>(s), static_cast<int>(i), static_cast<int>(w));
          const auto saved = instruction.waits;
          instruction.waits.erase(w);
          const bool reported = !check::check_races(code, machine);
          instruction.waits = saved;
          if (implied && reported) ++tally.wrong;
          if (implied) ++tally.implied;
          if (reported) ++tally.reported;
          if (!implied && !reported) {
            ++tally.silent;
            if (std::getenv("ON_SHOW")) MESSAGE("silent: core ", c, " stream ", s, " instruction ", instruction.order, " sem", instruction.waits[w].semaphore);
          }
        }
      }
  return tally;
}

}  // namespace

TEST_CASE("deleting any wait is reported unless others imply it") {
  auto machine = load_machine("trn2");
  REQUIRE(machine);
  Tally all;
  const char* only = std::getenv("ON_SEED");
  const unsigned from = only ? static_cast<unsigned>(std::atoi(only)) : 1, to = only ? from : 40;
  for (unsigned seed = from; seed <= to; ++seed) {
    CAPTURE(seed);
    tile::Module module = test::RandomTile(seed, seed % 3 != 0).make(6);
    auto code = sched::schedule(module, **machine, {});
    REQUIRE(code);
    if (only) MESSAGE(stream::print(*code));
    const Tally t = delete_each_wait(*code, **machine);
    CHECK(t.wrong == 0);
    all.waits += t.waits, all.implied += t.implied, all.reported += t.reported, all.silent += t.silent;
    if (t.silent && std::getenv("ON_SHOW")) MESSAGE("seed ", seed, " silent ", t.silent);
  }
  MESSAGE("waits ", all.waits, ", implied ", all.implied, ", reported ", all.reported, ", order nothing ", all.silent);
}
