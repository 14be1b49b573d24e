// A region on scalars, emitted over arrays: element i of its results comes from element i of its arguments.
#pragma once
#include "opt/moves.h"

namespace openneuron::opt {

/// `arguments`: all parameters of the region, captured values last; scalars among them are repeated.
/// errors  ON-E1702 when the region holds an op that is not elementwise
Result<std::vector<ValueId>> vectorise(Rewriter& rewriter, Visit& visit, const graph::Function& region,
                                       std::span<const ValueId> arguments, const Shape& shape);

}  // namespace openneuron::opt
