// Runs finished streams with nothing but their semaphores and keeps, per stream, a vector clock: which instructions of
// which other stream are certainly complete. A semaphore has one signalling stream that completes in order, so this
// order does not depend on the interleaving; one run finds every race and every deadlock of the chosen path.
//
// Data decides nothing here: a scenario gives every value that is loaded into a register, every while its trips and
// every case its branches. Programs without them have one scenario.
#pragma once
#include <cstdint>

#include "base/result.h"
#include "isa/code.h"
#include "machine/machine.h"

namespace openneuron::check {

/// Executed instructions, markers included, after which a run stops and counts as clean.
inline constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 21;
/// Scenario n: loaded registers hold n, whiles run n times, cases take branch (n + visits) mod branches.
inline constexpr int kScenarios = 4;

struct Watched {  ///< a wait that is not obeyed
  int core = -1, stream = -1, instruction = -1, wait = -1;
};

struct Outcome {
  bool data_dependent = false;  ///< other scenarios run other paths
};

/// errors  ON-E2202 (when `races`), ON-E2203
Result<Outcome> simulate(const isa::Code& code, const Machine& machine, int scenario, bool races, const Watched& watched = {});

}  // namespace openneuron::check
