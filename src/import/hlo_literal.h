// LiteralProto -> constants of the graph level.
#pragma once
#include <vector>

#include "graph/module.h"
#include "import/hlo_wire.h"

namespace openneuron::import::hlo {

struct Shape;
class ShapeTable;

/// The leaves of a literal, which is to be of the given shape; the problem, if any, is in `source`.
std::vector<ConstantId> read_literal(Bytes literal, const Shape& shape, ShapeTable& shapes, graph::Module& module,
                                     Source& source);

}  // namespace openneuron::import::hlo
