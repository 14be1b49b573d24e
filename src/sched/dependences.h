// Which instruction must wait for which: by bytes and partitions, in program order and across iterations.
#pragma once
#include <cstdint>
#include <vector>

#include "machine/machine.h"
#include "sched/membership.h"
#include "sched/regions.h"
#include "tile/module.h"

namespace openneuron::sched {

/// An instruction on one stream: what starts, completes and signals. In program order; a register_load that several
/// streams hold is several items.
struct Item {
  std::uint32_t instruction = 0;
  std::uint8_t stream = 0;
};

/// `to` starts after `from` has completed: in the same iteration of all loops around both, or, with a `loop` (a region),
/// `from` of `distance` or more iterations ago.
struct Dependence {
  std::uint32_t from = 0, to = 0;  ///< items, of different streams
  std::int32_t loop = -1;
  std::int64_t distance = 0;
};

struct Dependences {
  std::vector<Item> items;
  std::vector<Dependence> list;  ///< by `to`; per `to` in falling order of what they make wait for
  std::vector<bool> must_signal;  ///< per item: signals although no dependence is left that starts there
};

Dependences find_dependences(const tile::Module& module, const tile::Program& program, const RegionTree& tree,
                             const Membership& membership, const Machine& machine);

/// Drops dependences that others imply: `to`'s stream has already waited for something that came after `from`, by
/// whatever way.
void drop_implied(Dependences& dependences, const tile::Program& program, const RegionTree& tree, std::size_t streams);

/// Per block the begin of the innermost branch, body or loop around it that may be skipped; 0 at the top.
std::vector<std::uint32_t> conditional_begins(const RegionTree& tree);

/// The innermost branch, body or loop around `block` (or itself) that may be skipped; 0, the program, when none may.
std::int32_t conditional_block(const RegionTree& tree, std::int32_t block);

/// What `a` and `b` share when `a` comes first: the innermost block around both, or the while region when one is in its
/// condition part and the other in its body. `exclusive`: they are in different branches of a case.
struct Meeting {
  std::int32_t block = 0;        ///< the common block (of the while: the one around it)
  std::int32_t while_region = -1;
  bool exclusive = false;
};
Meeting meeting(const RegionTree& tree, std::int32_t a, std::int32_t b);

}  // namespace openneuron::sched
