// Where scratch variables lie when a program executes in program order: those that are never in use at the same time
// share memory.
#pragma once
#include <cstdint>
#include <vector>

#include "device/program.h"

namespace openneuron::device {

struct ScratchPlan {
  std::vector<std::int64_t> offsets;  ///< per variable, in bytes; only those of scratch mean anything
  std::int64_t bytes = 0;
};

/// A variable is in use from its first access, or the start of the outermost loop or branch around it, to its last. With
/// more than one core all are in use always.
ScratchPlan plan_scratch(const isa::Code& code, const std::vector<Program>& programs);

}  // namespace openneuron::device
