// Whether a value may be written over one that it is computed from, tile by tile.
#pragma once
#include <vector>

#include "lower/plan.h"

namespace openneuron::lower {

/// What ops of the plan's groups read of each home, in the program's order.
struct Read {
  OpId op;
  ValueId operand;
};
using Reads = std::vector<std::vector<Read>>;  // by home
Reads reads_of_homes(const graph::Function& function, const Plan& plan);

/// True when the nest that computes `value` may store each tile where the same elements of `source` lie:
///   - nothing reads `source` after that nest, and no other kind of group reads it at all: that one might keep its
///     result in the memory of `source`, whose later readers are not known here;
///   - the nest reads `source` only element by element, at the place that it writes, and not after it wrote;
///   - it visits each element once: no axis is reduced, or repeated.
/// `first_group`: the number of the plan's first group, as in Home::last_use.
bool may_overwrite(const graph::Module& module, const graph::Function& function, const Store& store, const Plan& plan,
                   const Reads& reads, std::uint32_t first_group, ValueId value, HomeId source);

}  // namespace openneuron::lower
