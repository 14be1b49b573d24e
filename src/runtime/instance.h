// Which machine this process pretends to be on, and which of its cores it takes.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace openneuron::runtime {

struct InstanceType {
  std::string_view name;
  std::string_view machine;      ///< of data/machines
  std::string_view device_kind;  ///< as the framework shows it
  int chips = 1;
  int cores_per_chip = 2;  ///< physical cores; one device each
  std::int64_t hbm_bytes_per_core = 0;

  int cores() const { return chips * cores_per_chip; }
};

std::span<const InstanceType> instance_types();
inline constexpr std::string_view kDefaultInstance = "trn2.3xlarge";

/// errors  ON-E2301
Result<const InstanceType*> find_instance(std::string_view name);

/// The cores that a process takes, as indices into the instance's: `visible` is a list of numbers and ranges
/// ("1-3,5"), else `count` how many from 0 on (0, like both empty: all).
/// errors  ON-E2302 not understood, or a core twice; ON-E2303 more than the instance has
Result<std::vector<int>> choose_cores(const InstanceType& instance, std::string_view visible, std::string_view count);

}  // namespace openneuron::runtime
