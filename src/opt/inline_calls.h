// Puts the bodies of private functions in the place of their calls; composites become their decompositions, sharding
// ops of one device and type casts become their operands.
// needs    a verified graph
// ensures  one public function and regions; no call, composite, sdy op or unrealized cast
// placed   first: every later pass sees one straight program
// tests    tests/golden/graph/inline_calls
#pragma once
#include "opt/rewrite.h"

namespace openneuron::opt {
Result<void> inline_calls(graph::Module& module);
/// What it does with one op, for walks that do more.
Result<bool> inline_call(Rewriter& rewriter, Visit& visit);
}
