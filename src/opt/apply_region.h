// The combining functions of reduce, reduce_window, select_and_scatter and map, regions on scalars, at work on arrays.
#pragma once
#include <span>
#include <vector>

#include "opt/rewrite.h"

namespace openneuron::opt {

/// The old region `region` of the visited op on arrays: parameter i stands for arguments[i], all of one shape, and what
/// it captures for the last operands of the op. Arguments are converted to the parameters' element types first.
/// errors  ON-E1702 when the region holds an op that is not elementwise
Result<std::vector<ValueId>> apply_region(Rewriter& rewriter, Visit& visit, FunctionId region, std::span<const ValueId> arguments);

/// Folds dim `dim` of the operands with the region: neighbours in pairs, log2(n) times. Slices are views, so that
/// nothing moves; what an odd count leaves over is folded in at the end, in order. The dim keeps size 1. It must not be
/// empty. Errors as above.
Result<std::vector<ValueId>> fold_by_region(Rewriter& rewriter, Visit& visit, FunctionId region, std::vector<ValueId> operands,
                                            std::int64_t dim);

/// A reduction of one operand over `dims` with an op that reduces, from its identity; the dims disappear.
ValueId reduce_with(Visit& visit, graph::OpKind kind, ValueId operand, std::span<const std::int64_t> dims);

}  // namespace openneuron::opt
