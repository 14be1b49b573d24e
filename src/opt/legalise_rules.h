// The rules of legalise, one per op kind, in families: each returns true when it has recorded the op's results, false to
// have the op copied. What a rule emits is not legalised again: a rule emits ops that lowering knows, or calls another.
#pragma once
#include "opt/rewrite.h"

namespace openneuron::opt::rules {

using Rule = Result<bool> (*)(Rewriter&, Visit&);

// -- legalise_shapes.cpp: barriers, broadcasts, dots
Result<bool> optimization_barrier(Rewriter&, Visit&);
Result<bool> broadcast_op(Rewriter&, Visit&);
Result<bool> dot(Rewriter&, Visit&);
Result<bool> dot_types(Rewriter&, Visit&);

// -- legalise_numbers.cpp: elementwise ops
Result<bool> square(Rewriter&, Visit&);
Result<bool> clamp(Rewriter&, Visit&);

// -- legalise_reduce.cpp: reductions
Result<bool> reduce(Rewriter&, Visit&);

// -- legalise_windows.cpp: convolutions and window reductions
Result<bool> convolution(Rewriter&, Visit&);
Result<bool> reduce_window(Rewriter&, Visit&);

}  // namespace openneuron::opt::rules
