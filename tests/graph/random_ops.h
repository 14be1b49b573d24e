// Random well-typed instances of every op of the table, each in a module of its own.
#pragma once
#include <cstdint>
#include <random>

#include "graph/module.h"

namespace openneuron::graph::test {

/// A module whose function @main holds one op of `kind` (and what it needs around it). The same seed gives the same
/// one.
Module random_op(OpKind kind, std::uint32_t seed);

}  // namespace openneuron::graph::test
