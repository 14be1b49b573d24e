// OpKind: one enumerator per row of graph/ops.def, the graph level's single op table.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace openneuron::graph {

enum class OpKind : std::uint16_t {
#define OP(name, ...) name,
#include "graph/ops.def"
#undef OP
};

/// Number of rows of the table.
std::size_t op_kind_count();
/// "stablehlo.add", "chlo.erf", "func.call", ... Return is "stablehlo.return", whichever dialect's it was.
std::string_view op_name(OpKind kind);
/// By full name; returns false when unknown.
bool op_from_name(std::string_view name, OpKind& kind);

}  // namespace openneuron::graph
