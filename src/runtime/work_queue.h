// Work in order, on a thread that starts with the first piece of it and parks between them, or on a caller's thread.
#pragma once
#include <functional>
#include <memory>

namespace openneuron::runtime {

class WorkQueue {
 public:
  WorkQueue();
  /// Runs what waits, then ends the thread.
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  /// For the queue's thread. Work must not throw.
  void submit(std::function<void()> work);
  /// Runs `work` here and now when nothing waits and nothing runs; false: nothing was done.
  template <class Work>
  bool run_if_idle(const Work& work) {
    if (!begin()) return false;
    work();
    end();
    return true;
  }
  /// Returns when everything submitted before is done.
  void drain();

 private:
  struct State;
  friend struct ForkHandlers;
  bool begin();
  void end();

  std::unique_ptr<State> state_;
};

}  // namespace openneuron::runtime
