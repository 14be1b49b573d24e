// Which engines may run an instruction.
#pragma once
#include "base/small_vector.h"
#include "isa/instruction.h"

namespace openneuron::sched {

/// In order of preference. An instruction that names its engine has that one; one for all engines has none.
SmallVector<isa::Engine, 4> engine_choices(const isa::Instruction& instruction);

}  // namespace openneuron::sched
