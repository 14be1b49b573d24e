// Reorders a tile program so that engines need not wait for each other.
// needs    a verified tile program without addresses
// ensures  the same values: an instruction passes another only when no byte that one writes is the other's. Turns of an
//          innermost loop that wait for latencies run several side by side, on tiles of their own
// placed   after lower; before allocate, while every tile still has its own memory
#pragma once
#include <cstdint>
#include <vector>

#include "machine/machine.h"
#include "tile/module.h"

namespace openneuron::sched {

/// What may move: everything; only what stands in loops, which keeps the order of groups and so the memory they need.
enum class Moves { All, InLoops };

/// A module as it was, for when the new order needs more memory than there is.
struct Original {
  struct Place {
    std::uint16_t copies;
    std::int64_t address;
  };
  std::vector<isa::InstructionList> instructions;  ///< per program
  std::vector<std::uint32_t> loop_counts;          ///< per program
  std::vector<Place> places;                       ///< per buffer
};

/// `choose_engines`: fixes engines as well, as the order assumes them. `always`: turns run side by side wherever they fit,
/// gain or not; for tests.
Original interleave(tile::Module& module, const Machine& machine, Moves moves, bool choose_engines, bool always = false);
void undo(tile::Module& module, Original original);

}  // namespace openneuron::sched
