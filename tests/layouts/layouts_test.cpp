// The planner's layouts of random graphs of contractions against exhaustive search, by the clock of trn2.
#include <doctest/doctest.h>

#include <cstdlib>

#include "compile/compile.h"
#include "device/device.h"
#include "import/import.h"
#include "layouts/search.h"
#include "machine/machine.h"

using namespace openneuron;

// 200 graphs of up to 8 contractions with OPENNEURON_TEST_ALL=1, else a sample.
TEST_CASE("layouts are within a tenth of exhaustive search") {
  const char* set = std::getenv("OPENNEURON_TEST_ALL");
  const bool full = set != nullptr && std::string(set) == "1";
  const std::uint32_t graphs = full ? 200 : 25;
  const int most = full ? 8 : 5;
  const auto machine = load_machine("trn2");
  REQUIRE(machine);
  std::uint32_t near = 0;
  for (std::uint32_t seed = 0; seed < graphs; ++seed) {
    CAPTURE(seed);
    const layouts::RandomGraph graph(seed, 1 + static_cast<int>(seed) % most);
    const layouts::Found found = layouts::Search(graph.text(), **machine).all(4096);
    REQUIRE_GT(found.chosen_ns, 0);
    REQUIRE_GT(found.tried, 0);
    const double ratio = found.chosen_ns / found.best_ns;
    CHECK_LT(ratio, 1.25);
    if (ratio <= 1.1) ++near;
  }
  CHECK_GE(near * 100, graphs * 92);  // what lies beyond a tenth: docs/fidelity.md
}

// The seam itself: a forced choice is made, and changes what is emitted.
TEST_CASE("a forced layout is the one that is made") {
  const auto machine = load_machine("trn2");
  REQUIRE(machine);
  const layouts::Search search(layouts::RandomGraph(2, 3).text(), **machine);
  lower::Layouts made;
  REQUIRE_GT(search.time({}, made), 0);
  REQUIRE_EQ(made.made.size(), 3);
  for (std::size_t g = 0; g < 3; ++g) {
    REQUIRE_EQ(made.made[g].candidates, 2);
    for (int choice : {0, 1}) {
      std::vector<int> forced(3, -1);
      forced[g] = choice;
      lower::Layouts result;
      REQUIRE_GT(search.time(forced, result), 0);
      CHECK_EQ(result.made[g].chosen, choice);
    }
  }
}
