// When each on-chip buffer of a program is alive.
#pragma once
#include <cstdint>
#include <vector>

#include "machine/machine.h"
#include "sched/regions.h"
#include "tile/module.h"

namespace openneuron::sched {

/// A buffer's life: from its first to its last access in program order; where accesses lie in several blocks, over the
/// whole of the outermost regions that hold some of them.
struct Interval {
  BufferId buffer;
  std::uint32_t begin = 0, end = 0;            ///< instruction numbers, both included
  std::uint32_t wide_begin = 0, wide_end = 0;  ///< with the loops that it rotates in
  std::int64_t pitch = 0;                      ///< bytes of a copy
  std::uint16_t copies = 1;
  std::uint16_t most_copies = 1;               ///< more would never be used, or are not the scheduler's to add
  bool loaded = false;                         ///< a DMA fills it
  std::int64_t bytes() const { return copies * pitch; }
};

/// An operand that names a copy of a rotating buffer.
struct RotatingOperand {
  std::uint32_t instruction = 0;
  std::uint8_t operand = 0;
  BufferId buffer;
};

/// By buffer; notes first and last access in the buffers.
std::vector<Interval> live_intervals(tile::Module& module, const tile::Program& program, const RegionTree& tree,
                                     const Machine& machine, std::vector<RotatingOperand>& rotating);

}  // namespace openneuron::sched
