// Reductions of a few elements each, as of pooling windows: many results side by side.
#pragma once
#include "device/kernels/kernels.h"
#include "device/program.h"

namespace openneuron::device {

/// Whether results of `reduced` neighbouring elements of `walk` are better computed side by side.
bool reduces_side_by_side(isa::AluOp op, const Walk& walk, std::int64_t reduced);

/// Results first..first+n-1, in the order that isa.def states: with no more elements than partial results, each of those
/// holds one, and the tree is all there is.
void reduce_side_by_side(const Kernels& kernels, isa::AluOp op, float identity, const std::byte* row, const Walk& walk,
                         ElementType type, std::int64_t reduced, std::int64_t first, std::size_t n, float* out);

}  // namespace openneuron::device
