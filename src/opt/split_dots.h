// Graph -> graph: contractions whose result is only read in parts become one contraction a part.
#pragma once
#include "base/result.h"
#include "graph/module.h"

namespace openneuron::opt {

/// needs    calls inlined
/// ensures  slice(dot(x, w) + b) along one free dim of x or w is dot(x, slice(w)) + slice(b), where all readers of the sum
///          are such slices and no two of them overlap: no product is computed twice
/// why here one matmul for queries, keys and values gives the three one layout; attention wants the first two with the
///          head's dims on partitions and the third with the positions there. Before groups and layouts are chosen.
Result<void> split_dots(graph::Module& module);

}  // namespace openneuron::opt
