// Cholesky factors, triangular systems and QR (LAPACK's geqrf and orgqr, the custom calls that XLA knows) become loops
// over columns; contractions of integers become some of floats. 16-bit floats are computed in fp32. select_and_scatter of
// elements of two parts becomes choices and sums, which can be split.
// needs    calls inlined
// ensures  no cholesky, no triangular_solve, no custom call Qr or ProductOfElementaryHouseholderReflectors, no
//          contraction of integers but those of many terms and dots into 64 bits, no select_and_scatter of 64-bit elements
// placed   before split_complex, which the loops' ops need for complex matrices, and legalise, for the convolutions
// tests    tests/python/test_wide_types.py
#pragma once
#include "base/result.h"

namespace openneuron::graph { class Module; }

namespace openneuron::opt {
Result<void> expand_linear_algebra(graph::Module& module);
}
