// Signals counted: where in its block each one stands, and how many a block or a region gives.
#pragma once
#include <cstdint>
#include <vector>

#include "sched/dependences.h"
#include "sched/regions.h"

namespace openneuron::sched {

/// Numbers of signals, per stream, as far as they are constants: a region whose trips depend on data counts as 0.
class SignalCounts {
 public:
  SignalCounts(const tile::Program& program, const RegionTree& tree, const Dependences& dependences, std::size_t streams);

  bool signals(std::uint32_t item) const { return signals_[item]; }
  /// In its block, up to and with the item.
  std::int64_t up_to(std::uint32_t item) const { return up_to_[item]; }
  std::int64_t before(std::int32_t region, std::size_t stream) const { return before_[at(region, stream)]; }
  std::int64_t total(std::int32_t region, std::size_t stream) const { return total_[at(region, stream)]; }
  std::int64_t block(std::int32_t block, std::size_t stream) const { return block_[at(block, stream)]; }
  bool any(std::int32_t region, std::size_t stream) const { return any_[at(region, stream)]; }

  /// In block `block`, up to the latest time that `item`, in it or in a region in it, can have completed; the signals
  /// that certainly follow in its region are left out.
  std::int64_t position(std::uint32_t item, std::int32_t block) const;

 private:
  std::size_t at(std::int32_t row, std::size_t stream) const { return static_cast<std::size_t>(row) * streams_ + stream; }

  const RegionTree& tree_;
  const Dependences& dependences_;
  std::size_t streams_;
  std::vector<bool> signals_, any_;
  std::vector<std::int64_t> up_to_, before_, total_, block_;
};

}  // namespace openneuron::sched
