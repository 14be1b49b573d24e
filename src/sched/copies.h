// More copies of rotating buffers: with two, a load starts only when the tile before the last is used up, and its latency
// is exposed in every turn.
#pragma once
#include <cstdint>
#include <vector>

#include "sched/intervals.h"

namespace openneuron::sched {

/// Raises `copies` of rotating buffers of one memory, in rounds of one more each, while what is alive at a time fits in
/// `limit` bytes. False: nothing changed.
bool add_copies(std::vector<Interval>& intervals, std::int64_t limit);

}  // namespace openneuron::sched
