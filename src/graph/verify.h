// Shape rules and the verifier of the graph level; each rule cites the StableHLO specification's constraint.
#pragma once
#include "base/result.h"
#include "graph/module.h"

namespace openneuron::graph {

/// Checks operands, attributes, regions and result types of every op, the order of definitions, call signatures,
/// and that calls do not recurse. Linear in the module. Errors carry the op's name and, when its location names a file,
/// the place there.
Result<void> verify(const Module& module);

/// The place that a location names: its first file, searched callee first; empty when it names none.
Place place_of(const Module& module, LocationId location);

/// Result types that the shape rule of `kind` derives, for builders that do not state them. Attributes as in a verified
/// op; the last `capture_count` operands are captured values.
Result<std::vector<TypeId>> infer_types(Module& module, const Function& function, OpKind kind,
                                        std::span<const ValueId> operands, AttrId attributes,
                                        std::span<const FunctionId> regions, std::uint32_t capture_count = 0);

}  // namespace openneuron::graph
