// Combining functions of reductions: regions that are one op.
#pragma once
#include "graph/module.h"

namespace openneuron::graph {

/// The op of a region of the form (a, b) -> op(a, b), or op(b, a) of a commutative op; false when it has another form.
bool single_op_region(const Function& region, OpKind& kind);
/// Whether the engines reduce with it: add, multiply, maximum, minimum, and, or, xor.
bool reduces(OpKind kind);

}  // namespace openneuron::graph
