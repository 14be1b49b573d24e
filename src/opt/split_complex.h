// Complex numbers become pairs of fp32 planes, their real and imaginary parts.
// needs    calls inlined, 64-bit integers split
// ensures  no op makes or takes a complex<f32>; ON-E1703 for one that cannot be split
// placed   after split_words, whose conversions may lead here; before legalise, which folds what the split leaves
// tests    tests/golden/graph/split_complex, tests/python/test_wide_types.py
#pragma once
#include "base/result.h"

namespace openneuron::graph { class Module; }

namespace openneuron::opt {
Result<void> split_complex(graph::Module& module);
}
