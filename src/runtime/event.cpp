#include "runtime/event.h"

namespace openneuron::runtime {

Error error_of(Failure failure) { return Error(std::move(failure).take()); }

const std::shared_ptr<Event>& Event::done() {
  // Never destroyed: threads may still look at it while the process ends.
  static const auto& event = *new std::shared_ptr<Event>([] {
    auto made = pending();
    made->set();
    return made;
  }());
  return event;
}

std::shared_ptr<Event> Event::failed(Error error) {
  auto event = pending();
  event->set(std::move(error));
  return event;
}

const Error& Event::wait() {
  if (!ready()) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ready(); });
  }
  return error_;
}

void Event::set(Error error) {
  const auto self = shared_from_this();
  std::vector<std::function<void(const Error&)>> callbacks;
  {
    std::lock_guard lock(mutex_);
    error_ = std::move(error);
    ready_.store(true, std::memory_order_release);
    callbacks.swap(callbacks_);
  }
  changed_.notify_all();
  for (auto& callback : callbacks) callback(error_);
}

void Event::on_ready(std::function<void(const Error&)> callback) {
  const auto self = shared_from_this();
  if (!ready()) {
    std::lock_guard lock(mutex_);
    if (!ready()) {
      callbacks_.push_back(std::move(callback));
      return;
    }
  }
  callback(error_);
}

}  // namespace openneuron::runtime
