// A TensorTensor that multiplies and the TensorReduce that adds up its rows, as one: where nobody else reads the products,
// they are never stored. A contraction on the Vector engine is made of these.
#pragma once
#include "device/core.h"

namespace openneuron::device {

/// Two operations, one after the other: products of fp32 rows, and the sum of each row of exactly those.
bool sums_products(const HostOp& product, const HostOperand* factors, const View* factor_views, const HostOp& sum,
                   const HostOperand* operands, const View* views);
/// Both on partitions first..last-1, but for the products themselves.
void execute_summed_products(const Context& context, const HostOperand* factors, const View* factor_views,
                             const View* sum_views, std::int64_t first, std::int64_t last);

}  // namespace openneuron::device
