// Something that is done once, well or with an error, and whom it tells then.
#pragma once
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/result.h"

namespace openneuron::runtime {

/// Null: all is well.
using Error = std::shared_ptr<const Diagnostic>;
Error error_of(Failure failure);

class Event : public std::enable_shared_from_this<Event> {
 public:
  static std::shared_ptr<Event> pending() { return std::make_shared<Event>(); }
  /// The one event that is done already, without an error.
  static const std::shared_ptr<Event>& done();
  static std::shared_ptr<Event> failed(Error error);

  bool ready() const { return ready_.load(std::memory_order_acquire); }
  /// Meaningful once ready.
  const Error& error() const { return error_; }
  const Error& wait();
  /// Called once. Callbacks run on this thread, without a lock, while the event holds a reference to itself: a callback
  /// may drop the last one of anybody else.
  void set(Error error = {});
  /// At once when the event is ready, else on the thread that sets it.
  void on_ready(std::function<void(const Error&)> callback);

 private:
  std::atomic<bool> ready_{false};
  Error error_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::function<void(const Error&)>> callbacks_;
};

}  // namespace openneuron::runtime
