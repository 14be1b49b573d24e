// Struct-like attributes in normal form; used by normalise.cpp only.
#pragma once
#include "graph/module.h"

namespace openneuron::graph {

/// Each rebuilds the attribute from the fields it may have, with their one spelling; none when it does not hold them.
AttrId normal_mesh_groups(Module& module, AttrId id);     ///< {mesh, axes} of replica_groups
AttrId normal_dot_algorithm(Module& module, AttrId id);   ///< the seven fields of `algorithm`
AttrId normal_operand_alias(Module& module, AttrId id);   ///< one entry of output_operand_aliases
AttrId normal_ragged_numbers(Module& module, AttrId id);  ///< the six lists of chlo.ragged_dot
AttrId normal_result_accuracy(Module& module, AttrId id);

}  // namespace openneuron::graph
