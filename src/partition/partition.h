// The seam between one program for a whole mesh and the program of each core.
#pragma once
#include <vector>

#include "base/result.h"
#include "graph/module.h"
#include "partition/sharding.h"

namespace openneuron::partition {

struct Request {
  int partitions = 1;
  int replicas = 1;
};

/// How a core gets a parameter or gives a result.
enum class Passing : std::uint8_t {
  Whole,  ///< the program's tensor has the global shape: the host assembles the shards, and cuts the result
  Shard   ///< the program's tensor has the shard's shape: each core's own buffer is passed as it lies
};

struct Partitioned {
  graph::Module module;  ///< one entry function; shardings, manual computations and calls are gone
  int partitions = 1;
  /// true: every core runs the program, with its own partition number, at the same time (collectives meet).
  /// false: the program runs once for the whole group, and every tensor is Whole.
  bool everywhere = false;
  /// By parameter and by result: how the user's arrays lie, reported as it was asked, whatever the passing.
  std::vector<Sharding> parameters, results;
  std::vector<Passing> parameter_passing, result_passing;
};

/// Reads the shardings that the module states and divides it.
/// A donated parameter keeps its tf.aliasing_output only where the program may write into the memory that it is given:
/// everywhere for Shard and for what is replicated, argument and result, and for Whole when the program runs once. All cores
/// may then read one copy of a Whole parameter that is not replicated.
/// errors  ON-E2401 a sharding that cannot be read or does not fit its tensor; ON-E2402 a division that is not done
Result<Partitioned> partition(graph::Module module, const Request& request);

}  // namespace openneuron::partition
