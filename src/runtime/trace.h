// What a profiler hears of compiles and runs while it listens. One listens at a time; nothing is kept while none does.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "device/device.h"
#include "isa/code.h"
#include "machine/machine.h"

namespace openneuron::runtime::trace {

/// A piece of work on the host, in nanoseconds of its wall clock.
struct Stage {
  std::string name;
  std::int64_t start_ns = 0, end_ns = 0;
};
struct Compile {
  Stage whole;  ///< by the program's name
  std::vector<Stage> stages;
  std::vector<Stage> passes;  ///< of the compiler, within the stage "compile"
};
/// One run of a program on a core.
struct Step {
  std::shared_ptr<const isa::Code> code;
  std::shared_ptr<const Machine> machine;
  int core = 0;
  std::int64_t start_ns = 0, end_ns = 0;  ///< of the emulation
  device::Trips trips;                    ///< how data decided
};
struct Recording {
  std::int64_t start_ns = 0;
  std::vector<Compile> compiles;
  std::vector<Step> steps;
  std::uint64_t steps_left_out = 0;  ///< behind the first million
};

/// Whether a profiler listens. Costs one relaxed load.
bool on();
/// Nanoseconds since 1970.
std::int64_t wall_ns();
void add(Compile compile);
void add(Step step);

/// False when one listens already.
bool start();
/// What was heard since start.
Recording stop();

}  // namespace openneuron::runtime::trace
