// A tensor in the memory of a core, or of the host: the memory, and when it holds what it should.
#pragma once
#include <memory>
#include <mutex>

#include "runtime/core.h"
#include "runtime/event.h"

namespace openneuron::runtime {

/// Somebody reads the memory outside of the core's queue: until it ends, no program writes there in place.
class Reader {
 public:
  explicit Reader(std::shared_ptr<Allocation> memory) : memory_(std::move(memory)) {
    if (memory_) memory_->readers.fetch_add(1, std::memory_order_relaxed);
  }
  ~Reader() {
    if (memory_) memory_->readers.fetch_sub(1, std::memory_order_release);
  }
  Reader(Reader&&) noexcept = default;
  Reader& operator=(Reader&&) = delete;
  /// Null: the buffer is deleted.
  const Allocation* memory() const { return memory_.get(); }

 private:
  std::shared_ptr<Allocation> memory_;
};

class Buffer {
 public:
  /// `memory` null: a buffer that holds nothing but the error of `ready`.
  Buffer(std::shared_ptr<Allocation> memory, std::shared_ptr<Event> ready)
      : memory_(std::move(memory)), ready_(std::move(ready)) {}

  const std::shared_ptr<Event>& ready() const { return ready_; }
  bool deleted() const {
    std::lock_guard lock(mutex_);
    return deleted_;
  }
  /// For work in the core's queue. Null once deleted or donated.
  std::shared_ptr<Allocation> memory() const {
    std::lock_guard lock(mutex_);
    return memory_;
  }
  Reader read() const {
    std::lock_guard lock(mutex_);
    return Reader(memory_);
  }
  struct Taken {
    std::shared_ptr<Allocation> memory;
    bool alone = false;  ///< it may be written: it is a core's own, and nobody reads it outside of the queue
  };
  /// Gives the memory away, once; null when there is none to give.
  Taken take() {
    std::lock_guard lock(mutex_);
    deleted_ = true;
    const bool alone = memory_ && !memory_->is_view() && memory_->readers.load(std::memory_order_acquire) == 0;
    return {std::move(memory_), alone};
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<Allocation> memory_;
  std::shared_ptr<Event> ready_;
  bool deleted_ = false;
};

}  // namespace openneuron::runtime
