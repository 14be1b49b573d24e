// What a client asks of a compilation: CompileOptionsProto, read from the wire, and the environment.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "compile/compile.h"

namespace openneuron::pjrt {

using OptionValue = std::variant<std::string, bool, std::int64_t, double>;

struct CompileOptions {
  int replicas = 1, partitions = 1;
  std::vector<int> devices;  ///< ids, partition by partition; empty: no assignment
  bool portable = false;     ///< for any one device, told when it runs
  bool shardy = true;
  std::vector<bool> propagate_to_parameters, propagate_to_results;
  std::map<std::string, OptionValue> overrides;  ///< compiler_options of jax.jit
  std::string bytes;                             ///< as they came
};

/// errors  ON-E2602
Result<CompileOptions> read_options(std::span<const std::byte> bytes);
/// What NEURON_CC_FLAGS, OPENNEURON_NUMERICS, OPENNEURON_STRICT and `overrides`, which win, mean to the compiler for this
/// machine.  errors  ON-E2603; NCC_EARG001
Result<compile::Options> compiler_options(const CompileOptions& options, std::string_view machine);
/// Those variables as they are set, for keys of caches.
std::string environment_options();

/// DeviceAssignmentProto of one replica and these partitions.
std::string write_assignment(std::span<const int> devices);

}  // namespace openneuron::pjrt
