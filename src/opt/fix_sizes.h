// Ops that take sizes as operands become those that have them as attributes where the result's type knows its sizes or
// the operands are constants; sizes that are asked for become numbers.
// needs    calls inlined
// ensures  no dynamic_reshape, dynamic_broadcast_in_dim, dynamic_iota with results of known sizes, no get_dimension_size
//          of one; no dynamic_pad, real_dynamic_slice with constant operands
// placed   before split_words: sizes are 64-bit integers
// tests    tests/golden/graph/fix_sizes
#pragma once
#include "base/result.h"

namespace openneuron::graph { class Module; }

namespace openneuron::opt {
Result<void> fix_sizes(graph::Module& module);
}
