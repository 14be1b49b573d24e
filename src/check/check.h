// Independent checkers of finished streams: they see isa::Code only, never a pass.
#pragma once
#include <vector>

#include "base/result.h"
#include "isa/code.h"
#include "machine/machine.h"

namespace openneuron::check {

/// Limits: every instruction against the table and machine, addresses in range for all loop values. ON-E2201.
Result<void> check_limits(const isa::Code& code, const Machine& machine);
/// Overlap/races: any two accesses to overlapping bytes, one of them a write, on different streams, must be ordered by
/// semaphores as program order (`order`) says; including across loop iterations. ON-E2202 names both instructions.
Result<void> check_races(const isa::Code& code, const Machine& machine);
/// Deadlock: the streams, run symbolically, always reach their ends (data-dependent regions: for every trip count and branch tried). ON-E2203.
Result<void> check_deadlock(const isa::Code& code, const Machine& machine);
/// All of them.
Result<void> check_all(const isa::Code& code, const Machine& machine);

/// Whether deleting wait `w` of instruction `i` in stream `s` of core `c` changes nothing: the other waits still order
/// every two accesses that share a byte.
bool wait_is_implied(const isa::Code& code, const Machine& machine, int core, int stream, int instruction, int wait);

}  // namespace openneuron::check
