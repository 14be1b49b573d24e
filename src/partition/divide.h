// A program with manual computations as the program of one core: what is outside of them is computed whole on every core,
// their bodies on shards; shards are sliced out by the partition's number and gathered again where the whole is read.
#pragma once
#include "partition/mesh.h"
#include "partition/partition.h"

namespace openneuron::partition {

/// Whether any op of the module depends on which core runs it.
bool has_manual_parts(const graph::Module& module);

/// `out` holds the shardings of parameters and results; the passing of each and the module are set.
Result<void> divide(graph::Module module, const Meshes& meshes, Partitioned& out);

}  // namespace openneuron::partition
