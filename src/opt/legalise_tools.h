// What the rules of legalise share: small emitters on the builder of a visit.
#pragma once
#include <cstdint>
#include <vector>

#include "opt/formula.h"
#include "opt/rewrite.h"

namespace openneuron::opt {

/// The type of `type`'s shape with another element.
TypeId with_element(graph::Module& module, TypeId type, ElementType element);
/// `value` as broadcast_in_dim to `to`; itself when it has that type.
ValueId broadcast(Visit& visit, ValueId value, TypeId to, std::span<const std::int64_t> dims = {});
ValueId convert(Visit& visit, ValueId value, ElementType to);

/// The op of a region of the form (a, b) -> op(a, b) or op(b, a); false when it has another form.
bool single_op_region(const graph::Function& region, graph::OpKind& kind);
bool reduces(graph::OpKind kind);  ///< the engines reduce with it
/// What a reduction with `kind` starts from: add, multiply, maximum, minimum, and, or, xor.
Splat identity_of(graph::OpKind kind, ElementType element);
/// Whether reducing with `kind` from `value` starts from the identity; false for ops that do not reduce.
bool is_identity(graph::OpKind kind, const Splat& value);

}  // namespace openneuron::opt
