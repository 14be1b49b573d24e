// Collectives between the cores of one process: each core runs on a thread of its own, and they meet here.
#pragma once
#include <chrono>
#include <cstddef>
#include <memory>

#include "base/result.h"
#include "device/collective.h"

namespace openneuron::runtime {

/// One execution of a program on several cores; a new one for each execution, shared by its threads.
/// Reductions combine in the element type, in order of partition numbers from the lowest: the bits do not depend on who
/// comes first. A core blocks its thread and holds no lock of the device's thread pool while it waits, so that every
/// core of a group needs a thread that is running at the same time: never run them as tasks of a smaller pool.
class CollectiveGroup {
 public:
  /// `timeout`: how long a core waits for the others; zero: for ever.
  CollectiveGroup(std::size_t cores, std::chrono::milliseconds timeout);
  ~CollectiveGroup();

  /// What core `partition` meets the others through; lives as long as the group.
  device::Collective* core(std::size_t partition);
  /// A core has ended, well or not: it comes to no further collective. Those that wait for it get ON-E2502, or
  /// ON-E2503 when it failed (its own error says why).
  void leave(std::size_t partition, bool failed);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace openneuron::runtime
