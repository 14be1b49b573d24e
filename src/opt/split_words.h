// 64-bit integers, which no engine has, become pairs of 32-bit words; the upper word goes where ranges prove it zero.
// needs    calls inlined
// ensures  no op makes or takes an i64 or ui64; ON-E1703 for one that cannot be split
// placed   before legalise, which folds what the split leaves
// tests    tests/golden/graph/split_words
#pragma once
#include "base/result.h"

namespace openneuron::graph { class Module; }

namespace openneuron::opt {
Result<void> split_words(graph::Module& module);
}
