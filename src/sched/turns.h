// Loops with fewer turns or none: what happens to the instructions inside.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "sched/regions.h"
#include "tile/module.h"

namespace openneuron::sched {

// Several turns of a loop in one: this is turn `which` of `turns`, of which there are `left`, so that the loop's variable
// counts by `turns` from `which`. With one left there is no loop.
struct Version {
  LoopId loop;
  std::int64_t left = 1, turns = 1, which = 0;
  std::vector<std::pair<BufferId, BufferId>> tiles;  ///< a turn's own instead of the loop's, sorted
  std::uint16_t copies = 1;                          ///< of each
  LoopId rotates;
};

void put_in_turn(isa::Instruction& i, const Version& v);

/// The program without the markers of loops of one turn, whose variable is always 0.
isa::InstructionList without_single_turns(tile::Module& module, const tile::Program& program, const RegionTree& tree);

}  // namespace openneuron::sched
