// What a core hands out when it meets a collective instruction. The device knows no other cores: who runs several gives
// each a Collective through device::Options.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "isa/instruction.h"

namespace openneuron::device {

/// One core's part in one collective. Source and destination are dense and do not overlap.
struct CollectiveCall {
  isa::CollectiveKind kind = isa::CollectiveKind::AllReduce;
  isa::AluOp op = isa::AluOp::Bypass;      ///< of AllReduce and ReduceScatter
  ElementType type = ElementType::F32;
  std::span<const std::int32_t> groups;    ///< row-major [groups, group_size] partition numbers, -1 where a group is shorter
  std::int64_t group_size = 1;             ///< CollectivePermute: 2, rows are [source, target]
  std::span<const std::byte> source;
  std::span<std::byte> destination;
  std::string place;                       ///< the source op, for messages
};

class Collective {
 public:
  virtual ~Collective() = default;
  /// This core's number, 0 to partitions - 1.
  virtual std::int64_t partition() const = 0;
  /// Blocks until every core of this core's group has called it and the destination is filled.
  virtual Result<void> run(const CollectiveCall& call) = 0;
};

}  // namespace openneuron::device
