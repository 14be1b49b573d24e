// Structural equality of modules from different files or passes.
#pragma once
#include <string>

#include "graph/module.h"

namespace openneuron::graph {

/// Whether both modules hold the same functions, ops, types, attributes and constants. Names of values and of the
/// module, locations and notes do not count; names of functions do. `difference` gets one sentence.
bool equal(const Module& a, const Module& b, std::string* difference = nullptr);

}  // namespace openneuron::graph
