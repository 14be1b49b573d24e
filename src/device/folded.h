// Rows of few elements go through the kernels many partitions at a time, as one strip.
#pragma once
#include <cstdint>

#include "device/core.h"

namespace openneuron::device {

/// Whether one partition may be read before another is written, rows are short, and the operation knows rows that stand
/// for some partitions. `most` receives the elements of the longest row.
bool folds(const HostOp& op, const HostOperand* operands, std::int64_t& most);

/// The walk of an operand over some partitions. `row`: elements that a [P, 1] scalar is repeated to.
void fold_partitions(Walk& w, const HostOperand& o, const View& view, std::int64_t partitions, std::int64_t row);

}  // namespace openneuron::device
