// Operations on fp32 rows that lie in one piece: a kernel call for many partitions.
#pragma once
#include "device/core.h"

namespace openneuron::device {

/// Executes partitions first..last-1 of such an operation, of which no operand overlaps the destination unless element for
/// element. False when it is another one: then nothing is done.
bool execute_whole_rows(const Context& context, const HostOp& op, const HostOperand* operands, const View* views,
                        std::int64_t first, std::int64_t last);

}  // namespace openneuron::device
