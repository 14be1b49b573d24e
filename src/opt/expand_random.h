// Random bits as plain ops on 32-bit words: rng_bit_generator gives XLA's bits (Philox 4x32-10, which DEFAULT means, and
// Threefry 2x32), rng counts through Threefry under a key of its own.
// needs    calls inlined
// ensures  no rng_bit_generator of up to 32 bits an element, no rng of floats or integers up to 32 bits
// placed   before split_words: the state is 64-bit integers
// tests    tests/golden/graph/expand_random, tests/python/test_random_bits.py
#pragma once
#include "base/result.h"

namespace openneuron::graph { class Module; }

namespace openneuron::opt {
Result<void> expand_random(graph::Module& module);
}
