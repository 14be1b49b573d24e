// The tree of regions and blocks of one core's program.
#pragma once
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "isa/instruction.h"
#include "tile/module.h"

namespace openneuron::sched {

/// A straight list of instructions and nested regions: the whole program, a loop's body, a while's condition part or
/// body, a branch of a case.
struct Block {
  std::int32_t region = -1;       ///< -1: the program
  std::int32_t depth = 0;         ///< of the program: 0
  std::uint32_t begin = 0;        ///< index of the marker before it
  std::uint32_t end = 0;          ///< index of the marker after it
};

struct Region {
  isa::Opcode kind = isa::Opcode::LoopBegin;  ///< LoopBegin, WhileBegin or CaseBegin
  LoopId loop;
  std::int32_t parent = 0;        ///< block that it stands in
  std::int32_t first_block = 0;   ///< its blocks, in order; not consecutive when nested regions lie between
  std::uint32_t begin = 0, end = 0;
  std::int64_t trips = -1;        ///< of a loop; -1: depends on data
  bool fixed_trips = false;       ///< it and every region inside run a constant number of times
  std::vector<std::int32_t> blocks;
};

struct RegionTree {
  std::vector<Block> blocks;                ///< 0 is the program
  std::vector<Region> regions;              ///< in program order of their begin
  std::vector<std::int32_t> block_of;       ///< per instruction; markers belong to the block around their region
  std::vector<std::int32_t> region_of_loop; ///< per LoopId

  std::int32_t parent_block(std::int32_t block) const {
    return blocks[static_cast<std::size_t>(block)].region < 0 ? -1
               : regions[static_cast<std::size_t>(blocks[static_cast<std::size_t>(block)].region)].parent;
  }
  std::int32_t common_block(std::int32_t a, std::int32_t b) const;
  /// The block of `block`'s ancestors (or itself) that stands directly in `ancestor`'s region list; `block` must lie in it.
  std::int32_t child_region(std::int32_t ancestor, std::int32_t block) const;
  /// Whether everything in the block may be skipped although the program runs: branches, bodies of whiles, loops with
  /// data-dependent or zero counts.
  bool conditional(std::int32_t block) const;
};

/// errors  ON-E1502: regions are not nested
Result<RegionTree> build_regions(const tile::Program& program);

}  // namespace openneuron::sched
