// Shardy's meshes and shardings, read from the texts that the graph level keeps of them.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "graph/module.h"
#include "partition/sharding.h"

namespace openneuron::partition {

struct Axis {
  std::string name;
  std::int64_t size = 1;
};

/// Partitions in row-major order of the axes; `order[i]` is the partition at place i when it is not i.
struct Mesh {
  std::string name;
  std::vector<Axis> axes;
  std::vector<std::int64_t> order;

  std::int64_t size() const;
  /// Place of `axis` in `axes`; none when it has no such axis.
  std::optional<std::size_t> find(std::string_view axis) const;
};

/// A part of a mesh axis: of size `size`, inside of `before` times as many larger steps. The whole axis: before 1.
struct AxisPart {
  std::size_t axis = 0;
  std::int64_t before = 1, size = 1;
  bool operator==(const AxisPart&) const = default;
};

/// The axes that cut each dimension, major first.
struct AxisSharding {
  const Mesh* mesh = nullptr;
  std::vector<std::vector<AxisPart>> dims;
  bool unreduced = false;  ///< values are partial sums along some axis

  bool empty() const;  ///< nothing is cut
  std::int64_t parts(std::size_t dim) const;
};

/// The meshes of a module by name.
class Meshes {
 public:
  /// errors  ON-E2401
  static Result<Meshes> read(const graph::Module& module, std::int64_t partitions);

  const Mesh* find(std::string_view name) const;
  /// "#sdy.sharding<@mesh, [{"a"}, {?}]>", with or without "#sdy.sharding". Errors ON-E2401.
  Result<AxisSharding> sharding(std::string_view text) const;
  /// "#sdy.sharding_per_value<[<...>, <...>]>"
  Result<std::vector<AxisSharding>> per_value(std::string_view text) const;

 private:
  Result<AxisSharding> sharding_at(class Cursor& cursor, std::string_view text) const;
  std::vector<Mesh> meshes_;
  std::int64_t partitions_ = 1;
};

/// The names in "#sdy<manual_axes{"a", "b"}>".
std::vector<std::string> manual_axes(std::string_view text);

/// As tiles. Dimensions are those of the sharding.
Sharding to_tiles(const AxisSharding& sharding);
/// What is left when only `axes` cut.
AxisSharding only_axes(const AxisSharding& sharding, const std::vector<std::string>& axes);
/// Partition numbers by group: one group for each place on the other axes, its members along `axes`, the first major.
std::vector<std::vector<std::int64_t>> groups_along(const Mesh& mesh, const std::vector<AxisPart>& axes);

}  // namespace openneuron::partition
