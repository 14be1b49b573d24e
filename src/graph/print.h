// Prints a module as StableHLO text: pretty where the dialect has a pretty form, generic elsewhere.
#pragma once
#include <string>

#include "graph/module.h"

namespace openneuron::graph {

struct PrintOptions {
  bool locations = false;         ///< append loc(...)
  std::int64_t elide_above = -1;  ///< dense literals with more elements print as dense_resource<__elided__>; -1 never
};

std::string print(const Module& module, const PrintOptions& options = {});

}  // namespace openneuron::graph
