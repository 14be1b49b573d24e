// Cuts a function into groups. A nest group becomes one loop nest: an optional contraction, then elementwise ops and
// reductions over one iteration space (its domain); every other op that computes is a group of its own. Ops that only
// move data become views and are in no group.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "graph/combiner.h"
#include "graph/module.h"
#include "lower/store.h"
#include "lower/view.h"

namespace openneuron::lower {

enum class GroupKind : std::uint8_t { Nest, Special };

inline constexpr std::int64_t kManyRows = 32;  ///< a quadrant: fewer rows would leave most partitions idle
inline constexpr int kAnyAxis = -1;  ///< a value does not vary along this dim (or the dim has size 1)

struct Group {
  GroupKind kind = GroupKind::Nest;
  std::vector<OpId> ops;               ///< program order
  std::vector<std::int64_t> domain;    ///< sizes of the axes
  std::vector<bool> reduced;           ///< axes that a reduction inside the group consumes: never on partitions
  OpId contraction;                    ///< dot_general, or a sum that runs on the PE; the first op
  std::vector<std::uint8_t> side;      ///< contraction: per axis 0 batch, 1 lhs (M), 2 rhs (N)
  bool accumulates = false;            ///< its reductions are too large for a tile: their axes are looped, tiles accumulate
  bool closed = false;
  std::vector<HomeId> reads;           ///< homes read from outside
};

/// What the plan knows of a value.
struct ValuePlan {
  View view;                    ///< how others read it, its base being materialised in view.home
  std::int32_t group = -1;      ///< the group that computes its data; -1: none (inputs, constants)
  bool in_group = false;        ///< `axes` is meaningful inside `group`
  bool computed = false;        ///< an op of `group` makes it (else it is a view of one that is)
  std::vector<std::int8_t> axes;  ///< per dim: the group's axis or kAnyAxis
};

struct Plan {
  std::vector<Group> groups;
  std::vector<ValuePlan> values;      ///< by ValueId
  std::vector<std::int32_t> op_group; ///< by OpId; -1: view or constant
  std::vector<bool> home_needed;      ///< by HomeId: some other group (or the end) reads it
};

struct PlanInput {
  const graph::Module& module;
  const graph::Function& function;
  Store& store;
  std::vector<View> parameters;  ///< how to read each parameter
  std::uint32_t first_group;     ///< group numbers start here (regions continue the caller's count)
};

/// Homes are made for everything computed (without forms). Errors: ON-E1702/1703 with op and location.
Result<Plan> make_plan(const PlanInput& input);

/// "file.py:3:5 (name)" of a location, empty when unknown.
std::string location_text(const graph::Module& module, LocationId location);
/// The place of an op for diagnostics.
Place op_place(const graph::Module& module, const graph::Function& function, OpId op);
/// Largest number of elements per partition that a reduction may run over within one tile.
std::int64_t reduce_limit(const Machine& machine);

}  // namespace openneuron::lower
