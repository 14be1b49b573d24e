#include "runtime/trace.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <utility>

namespace openneuron::runtime::trace {
namespace {

constexpr std::size_t kMostSteps = 1'000'000;

std::atomic<bool> listening{false};
// Neither is destroyed: cores may still run when the process ends.
std::mutex& mutex() {
  static auto& m = *new std::mutex;
  return m;
}
Recording& recording() {
  static auto& r = *new Recording;
  return r;
}

}  // namespace

bool on() { return listening.load(std::memory_order_relaxed); }

std::int64_t wall_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

void add(Compile compile) {
  const std::lock_guard lock(mutex());
  if (on()) recording().compiles.push_back(std::move(compile));
}

void add(Step step) {
  const std::lock_guard lock(mutex());
  if (!on()) return;
  if (recording().steps.size() < kMostSteps)
    recording().steps.push_back(std::move(step));
  else
    ++recording().steps_left_out;
}

bool start() {
  const std::lock_guard lock(mutex());
  if (on()) return false;
  recording() = Recording();
  recording().start_ns = wall_ns();
  listening = true;
  return true;
}

Recording stop() {
  const std::lock_guard lock(mutex());
  listening = false;
  return std::exchange(recording(), Recording());
}

}  // namespace openneuron::runtime::trace
