// Regions on scalars applied to whole tensors: the combining functions of reduce, reduce_window, select_and_scatter, map.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "opt/rewrite.h"

namespace openneuron::opt {

/// The old region `region` on tensors: parameter i stands for arguments[i], all of one shape, and what it captures for
/// the last operands of the visited op. Arguments are converted to the parameters' element types first. Nothing when
/// the region holds ops that are not elementwise.
Result<std::optional<std::vector<ValueId>>> apply_region(Rewriter& rewriter, Visit& visit, FunctionId region,
                                                         std::span<const ValueId> arguments);

/// Folds dim `dim` of the operands with the region: neighbours in pairs, log2(n) times. Slices are views, so that
/// nothing moves; what an odd count leaves over is folded in at the end, in order. The dim keeps size 1. It must not be
/// empty. Nothing as above.
Result<std::optional<std::vector<ValueId>>> fold_by_region(Rewriter& rewriter, Visit& visit, FunctionId region,
                                                           std::vector<ValueId> operands, std::int64_t dim);

/// value[start : limit : stride] of one dim.
ValueId slice_dim(Visit& visit, ValueId value, std::int64_t dim, std::int64_t start, std::int64_t limit, std::int64_t stride = 1);
/// A reduction of one operand over `dims` with an op that reduces, from its identity; the dims disappear.
ValueId reduce_with(Visit& visit, graph::OpKind kind, ValueId operand, std::span<const std::int64_t> dims);

}  // namespace openneuron::opt
