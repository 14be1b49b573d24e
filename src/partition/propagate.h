// How results lie that the user left open: what arguments and constraints say, carried forward through the ops.
#pragma once
#include <vector>

#include "partition/mesh.h"

namespace openneuron::partition {

/// By result of the entry. Only dimensions that their parts divide are cut; what nothing says is whole.
std::vector<AxisSharding> propagate(const graph::Module& module, const Meshes& meshes, const std::vector<AxisSharding>& parameters);

}  // namespace openneuron::partition
