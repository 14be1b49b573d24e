// Tile -> tile: neighbouring instructions of one block that one documented instruction does as well.
#pragma once
#include "tile/module.h"

namespace openneuron::lower {

/// needs    tile code as lowering emits it: engines open, buffers without addresses
/// ensures  the same bits in every buffer that is still written; fewer instructions, each with the same or a cheaper price:
///            TensorScalar, TensorScalar            -> TensorScalar of two ops
///            TensorScalar, TensorTensor            -> ScalarTensorTensor
///            TensorScalar, Activation              -> Activation with scale or bias
///            Activation or x * x, a sum of all     -> ActivationReduce
///            any of these, Copy into another type  -> written in that type
/// why here lowering emits op by op; what only the next instruction reads needs no buffer, so this comes before addresses
/// One walk; linear in instructions.
void fuse(tile::Module& module);

}  // namespace openneuron::lower
