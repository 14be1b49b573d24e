// The planner's layouts against all others: `bench_layouts [GRAPHS [CONTRACTIONS [FIRST [MACHINE]]]]` prints JSON, one line a graph.
#include <cstdio>
#include <cstdlib>

#include "compile/compile.h"
#include "device/device.h"
#include "import/import.h"
#include "layouts/search.h"
#include "machine/machine.h"

using namespace openneuron;

int main(int argc, char** argv) {
  const int graphs = argc > 1 ? std::atoi(argv[1]) : 200, most = argc > 2 ? std::atoi(argv[2]) : 8, first = argc > 3 ? std::atoi(argv[3]) : 0;
  auto machine = load_machine(argc > 4 ? argv[4] : "trn2");
  if (!machine) return 1;
  std::printf("[\n");
  for (int i = 0; i < graphs; ++i) {
    const auto seed = static_cast<std::uint32_t>(first + i);
    const layouts::Found found = layouts::Search(layouts::RandomGraph(seed, 1 + static_cast<int>(seed) % most).text(), **machine).all(4096);
    std::printf("  {\"seed\": %u, \"tried\": %zu, \"chosen_ns\": %.0f, \"best_ns\": %.0f, \"ratio\": %.4f, \"groups\": [", seed, found.tried,
                found.chosen_ns, found.best_ns, found.chosen_ns / found.best_ns);
    for (std::size_t g = 0; g < found.made.size(); ++g)
      std::printf("%s[%d, %d, %d]", g ? ", " : "", found.made[g].candidates, found.made[g].chosen, found.best.empty() ? -1 : found.best[g]);
    std::printf("]}%s\n", i + 1 < graphs ? "," : "");
    std::fflush(stdout);
  }
  std::printf("]\n");
}
