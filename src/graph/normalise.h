// The normal form of attributes: one spelling for every way in which a format may write the same thing, so that all
// importers give equal graphs. docs/graph.md states the rules for people.
#pragma once
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "graph/module.h"

namespace openneuron::graph {

struct OpAttributes {
  AttrId inherent;  ///< Dictionary, or none when the op has no attribute
  AttrId extra;     ///< Dictionary of what the table does not list (mhlo.*, jax.*, sdy.*), or none
};

using NamedAttributes = std::vector<std::pair<std::string, AttrId>>;

/// Sorts `attributes` into inherent and extra by the op table and brings the inherent ones into the normal form:
///   - structs are flattened (dimension_numbers, dot_dimension_numbers, scatter_dimension_numbers, channel_handle given
///     as Dictionary); dot_general's seven VHLO algorithm attributes are gathered into `algorithm`
///   - every attribute with a default in the table is present; `result_accuracy` and `algorithm` only when they say
///     something
///   - lists of integers are Ints of element I64 and rank 1, padding and pairs Ints of shape [n, 2], flags Bool,
///     keywords Enum, callees Symbol, epsilon f32, layouts arrays of Ints of element Index
/// `operand_types` size the defaults of select_and_scatter. Errors: ON-E1102, without a place (the caller knows it).
Result<OpAttributes> normalise(Module& module, OpKind kind, NamedAttributes attributes,
                               std::span<const TypeId> operand_types);

/// The attribute of a dense literal that is not the value of a constant: integers of rank 1 or 2 become Ints (with
/// the element type, and a shape for rank 2), i1 of rank 1 Bools, everything else a Constant. Bytes as in Constant.
AttrId dense_attribute(Module& module, TypeId type, bool splat, std::span<const std::byte> bytes);

}  // namespace openneuron::graph
