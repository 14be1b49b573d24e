// Replaces ops that others express: clamp, dot, broadcast, square, reductions over dims of size 1, dots of mixed types,
// barriers; folds constants and merges equal ops on the way.
// needs    calls inlined
// ensures  only ops that lowering knows, or that have no lowering at all
// placed   after inlining, which brings constants next to their uses
// tests    tests/golden/graph/legalise
#pragma once
#include "base/result.h"

namespace openneuron::graph { class Module; }

namespace openneuron::opt {
Result<void> legalise(graph::Module& module);
}
