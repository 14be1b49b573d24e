// One emulated NeuronCore as programs see it: its HBM, counted, and its queue of work, in order.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>

#include "base/result.h"
#include "device/memory.h"
#include "runtime/work_queue.h"

namespace openneuron::runtime {

class Core;

/// What a message calls an allocation: "f32[512,512], result 0 of jit_step".
using Label = std::shared_ptr<const std::string>;
inline Label label(std::string text) { return std::make_shared<const std::string>(std::move(text)); }

/// Bytes of a core's HBM, or of host memory when `core` is null. Counted while it lives; outlives no core.
class Allocation {
 public:
  Allocation(Core* core, std::size_t bytes, Label what) : core_(core), bytes_(bytes), what_(std::move(what)) {}
  ~Allocation();
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;

  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  Core* core() const { return core_; }
  const std::string& what() const { return *what_; }
  /// Memory of the caller's that nobody may write.
  bool is_view() const { return static_cast<bool>(release_); }
  /// Who reads it outside of the core's queue.
  std::atomic<int> readers{0};

 private:
  friend class Core;
  friend Result<std::shared_ptr<Allocation>> allocate_host(std::size_t bytes);
  bool take_memory();

  Core* core_;
  std::size_t bytes_;
  Label what_;
  std::byte* data_ = nullptr;
  device::Mapping mapping_;         // large ones
  std::function<void()> release_;   // of a view: its owner is told
};

/// Memory of the host that belongs to no core.  errors  ON-E1909
Result<std::shared_ptr<Allocation>> allocate_host(std::size_t bytes);

struct HbmStats {
  std::int64_t used = 0, peak = 0, limit = 0, largest = 0, count = 0;
};

class Core {
 public:
  Core(int index, std::int64_t hbm_bytes) : index_(index) { hbm_.limit = hbm_bytes; }
  int index() const { return index_; }

  /// Aligned to 64 bytes.  errors  ON-E2304, with the largest allocations; ON-E1909
  Result<std::shared_ptr<Allocation>> allocate(std::size_t bytes, Label what);
  /// Counts memory that lies elsewhere.  errors  ON-E2304
  Result<std::shared_ptr<Allocation>> reserve(std::size_t bytes, Label what);
  /// Host memory used where it lies; `release` is called when nothing uses it any more.  errors  ON-E2304
  Result<std::shared_ptr<Allocation>> view(std::byte* data, std::size_t bytes, Label what,
                                           std::function<void()> release);
  HbmStats hbm() const;
  void clear_peak();

  /// Programs, in order.
  WorkQueue& queue() { return queue_; }

 private:
  friend class Allocation;
  Result<void> count(Allocation& allocation);
  void uncount(Allocation& allocation);

  int index_;
  mutable std::mutex hbm_mutex_;
  HbmStats hbm_;
  std::unordered_set<const Allocation*> allocations_;
  WorkQueue queue_;  // ends first
};

}  // namespace openneuron::runtime
