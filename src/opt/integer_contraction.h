// Contractions of integers on the PE, which multiplies floats.
#pragma once
#include "opt/rewrite.h"

namespace openneuron::opt {

/// The visited convolution of integers, or dot_general into 32 bits at most, as fp32 contractions of digits of eight bits,
/// each of which is exact; with a float result, of its operands in that type. False when it has other types or more terms
/// than fp32 can add up exactly.
bool integer_contraction(Visit& visit);

}  // namespace openneuron::opt
