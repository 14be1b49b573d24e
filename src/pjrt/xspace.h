// A profiler's recording as an XSpace message, which TensorBoard, xprof and jax.profiler read.
#pragma once
#include <cstddef>
#include <string>

#include "runtime/trace.h"

namespace openneuron::pjrt {

/// Executed instructions that a trace shows, over all its runs: the first runs whole, later ones as steps only.
inline constexpr std::size_t kMostTraceEvents = 1'000'000;

/// One plane for the compiler, with the stages of each compile in host time; one for each core, with a line of the
/// emulation in host time, one of steps and one for each engine and queue in estimated time of the chip: a step begins
/// when its emulation does, or when the core's step before it has ended. The planes' names begin as those of any
/// accelerator, so that viewers show them.
std::string write_xspace(const runtime::trace::Recording& recording);

}  // namespace openneuron::pjrt
