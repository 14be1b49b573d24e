// While loops that count: a carried integer starts at a constant, grows by a constant and is compared with a constant.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>

#include "graph/module.h"

namespace openneuron::graph {

struct CountedLoop {
  std::size_t counter = 0;  ///< which carried value
  std::int64_t start = 0, step = 1;
  std::int64_t trips = 0;
};

/// Nothing when `op` (a while of `function`) does not count or its end is not known. `region` gives a region's function.
std::optional<CountedLoop> counted_loop(const Module& module, const Function& function, OpId op,
                                        const std::function<const Function&(FunctionId)>& region);

}  // namespace openneuron::graph
