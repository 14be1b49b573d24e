// A while that counts, made at the place of a visited op.
#pragma once
#include <functional>
#include <vector>

#include "opt/rewrite.h"

namespace openneuron::opt {

using Values = std::vector<ValueId>;
/// One turn: `inside` emits into the loop's body; what is carried next, in order.
using Turn = std::function<Values(Visit& inside, ValueId number, std::span<const ValueId> carried, std::span<const ValueId> captured)>;

/// `trips` turns, numbered from 0 (i32); returns what is carried in the end.
Values counted_while(Visit& visit, std::int64_t trips, const Values& carried, const Values& captured, const Turn& turn);

}  // namespace openneuron::opt
