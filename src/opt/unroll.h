// Short counted loops become straight ops, so that their tables and counters fold (the rounds of threefry).
// needs    calls inlined
// ensures  no counted while of at most 8 turns whose turns together have at most 512 ops, but those that hold other loops
// placed   before legalise: what it emits is legalised and folded like the rest
// tests    tests/golden/graph/unroll
#pragma once
#include "base/result.h"

namespace openneuron::graph { class Module; }

namespace openneuron::opt {
Result<void> unroll(graph::Module& module);
}
