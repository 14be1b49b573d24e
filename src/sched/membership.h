// Which streams a core has, and which instructions and region markers each of them holds.
#pragma once
#include <cstdint>
#include <vector>

#include "machine/machine.h"
#include "sched/regions.h"
#include "tile/module.h"

namespace openneuron::sched {

struct StreamName {
  isa::Engine engine = isa::Engine::PE;
  std::uint8_t queue = 0;
};

using StreamMask = std::uint64_t;
inline constexpr std::size_t kMaxStreams = 64;

/// A stream holds its instructions, the markers of the regions around them, and its own copy of every register that
/// they or the markers use, with the instructions that set it.
class Membership {
 public:
  /// `program`: of registers that assign_registers has accepted.
  static Result<Membership> build(const tile::Program& program, const RegionTree& tree);

  const std::vector<StreamName>& streams() const { return streams_; }
  StreamMask holders(std::uint32_t instruction) const { return holders_[instruction]; }          ///< not of markers
  StreamMask region_holders(std::int32_t region) const { return regions_[static_cast<std::size_t>(region)]; }

  /// Makes `streams` hold the region and all that follows from it; true when that is new.
  bool hold(std::int32_t region, StreamMask streams);

 private:
  Membership(const tile::Program& program, const RegionTree& tree) : program_(&program), tree_(&tree) {}
  void hold_block(std::int32_t block, StreamMask streams);
  void need(std::int32_t reg, StreamMask streams);
  void need_registers_of(const isa::Instruction& instruction, StreamMask streams);
  void settle();

  const tile::Program* program_;
  const RegionTree* tree_;
  std::vector<StreamName> streams_;
  std::vector<StreamMask> holders_, regions_, registers_;
  std::vector<std::vector<std::uint32_t>> setters_;  // per register
  struct Work {
    std::int32_t region, reg;  // one of them is -1
    StreamMask streams;
  };
  std::vector<Work> work_;
};

/// The machine's register for each virtual one (-1: never used). errors  ON-E1502: one beyond the program's count; ON-E1704
Result<std::vector<std::int16_t>> assign_registers(const tile::Program& program, const RegionTree& tree, const Machine& machine);

}  // namespace openneuron::sched
