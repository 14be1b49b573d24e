// A contraction as products and a sum, for values that the PE does not multiply.
#pragma once
#include "opt/moves.h"

namespace openneuron::opt {

/// How the operands of the visited dot_general lie side by side: batch dims, the rest of the left, the rest of the
/// right, and one last dim of all that is contracted. All but the last are the dims of the result.
struct DotTerms {
  Shape shape;
  Shape order[2];   ///< per side: its transpose to batch, rest, contracted
  Shape merged[2];  ///< its shape then, with the contracted dims as one
  Shape dims[2];    ///< where those dims stand in `shape`

  /// The dot's operand `side`, as an array of `shape`.
  ValueId lay(Visit& visit, ValueId operand, std::size_t side) const;
};
DotTerms dot_terms(const Visit& visit);

}  // namespace openneuron::opt
