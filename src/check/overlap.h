// Concrete accesses (loop variables and registers have values) and whether two of them share a byte.
#pragma once
#include <cstdint>

#include "isa/instruction.h"

namespace openneuron::check {

struct Reach {
  std::uint32_t memory = 0;            ///< a number per memory
  std::int32_t first_partition = 0, end_partition = 1;
  std::int64_t begin = 0, end = 0;     ///< every byte lies in [begin, end)
  std::int64_t base = 0;               ///< where element 0 lies
  bool dense = true;                   ///< every byte of [begin, end) is reached
  const isa::Operand* operand = nullptr;
  bool hbm = false;
};

/// Exact up to 65,536 pieces on a side; beyond that true when the bounds overlap.
bool overlap(const Reach& a, const Reach& b);
/// Fills begin, end and dense from base and the operand's dims.
void measure(Reach& reach);

}  // namespace openneuron::check
