// What the rules of legalise share: small emitters on the builder of a visit.
#pragma once
#include <cstdint>
#include <vector>

#include "graph/combiner.h"
#include "opt/formula.h"
#include "opt/rewrite.h"

namespace openneuron::opt {

/// The type of `type`'s shape with another element.
TypeId with_element(graph::Module& module, TypeId type, ElementType element);
/// `value` as broadcast_in_dim to `to`; itself when it has that type.
ValueId broadcast(Visit& visit, ValueId value, TypeId to, std::span<const std::int64_t> dims = {});
ValueId convert(Visit& visit, ValueId value, ElementType to);

using graph::reduces;
using graph::single_op_region;
/// What a reduction with `kind` starts from: add, multiply, maximum, minimum, and, or, xor.
Splat identity_of(graph::OpKind kind, ElementType element);
/// Whether reducing with `kind` from `value` starts from the identity; false for ops that do not reduce.
bool is_identity(graph::OpKind kind, const Splat& value);

}  // namespace openneuron::opt
