// What an instruction reaches, as a unit of a block.
#pragma once
#include <cstdint>

#include "sched/regions.h"
#include "sched/turns.h"
#include "sched/units.h"
#include "tile/module.h"

namespace openneuron::sched {

class Reaches {
 public:
  Reaches(const tile::Module& module, const RegionTree& tree) : module_(module), tree_(tree) {}

  /// Adds to a unit of `block` what the instruction reaches, and its tiles; sets its barrier. `version`: what has been done
  /// to the instruction, or none.
  void add(const isa::Instruction& instruction, std::int32_t block, const Version* version, Unit& unit) const;

 private:
  const Region& region_of(LoopId loop) const { return tree_.regions[static_cast<std::size_t>(tree_.region_of_loop[loop.index])]; }
  bool around(const Region& region, std::int32_t block) const;
  std::uint32_t memory_owner(BufferId buffer) const;
  Reach reach(const isa::Operand& operand, bool write, bool whole, std::int32_t block, const Version* version) const;

  const tile::Module& module_;
  const RegionTree& tree_;
};

}  // namespace openneuron::sched
