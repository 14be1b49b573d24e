// Fourier transforms as contractions with constant matrices, which the PE multiplies.
#pragma once
#include "opt/planes.h"

namespace openneuron::opt {

/// The visited fft of `in`, fp32 planes (`high` invalid: real input). `high` of the result is invalid for IRFFT, which
/// makes real numbers; `low` is invalid when the transform has no rule.
Planes fourier(Visit& visit, const Planes& in);

}  // namespace openneuron::opt
