#include "runtime/work_queue.h"

#include <pthread.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace openneuron::runtime {

// A forked child has none of its parent's threads: its queues get new ones of these.
struct WorkQueue::State {
  std::mutex mutex;
  std::condition_variable work_came, rests;
  std::deque<std::function<void()>> waiting;
  bool running = false;  // on the queue's thread or on a caller's
  bool stop = false;
  std::thread worker;

  void work() {
    std::unique_lock lock(mutex);
    for (;;) {
      work_came.wait(lock, [this] { return !running && (stop || !waiting.empty()); });
      if (waiting.empty()) return;
      auto next = std::move(waiting.front());
      waiting.pop_front();
      running = true;
      lock.unlock();
      next();
      next = nullptr;  // what it held goes without the lock
      lock.lock();
      running = false;
      if (waiting.empty()) rests.notify_all();
    }
  }
};

// fork() waits until the queues rest, so that the child finds memory in order.
struct ForkHandlers {
  std::mutex mutex;
  std::vector<WorkQueue*> queues;

  static ForkHandlers& instance() {
    static ForkHandlers& all = *new ForkHandlers;  // outlives every thread
    return all;
  }
  ForkHandlers() {
    pthread_atfork([] { instance().prepare(); }, [] { instance().parent(); }, [] { instance().child(); });
  }
  void prepare() {
    mutex.lock();
    for (WorkQueue* queue : queues) {
      WorkQueue::State& state = *queue->state_;
      std::unique_lock lock(state.mutex);
      state.rests.wait(lock, [&] { return !state.running && state.waiting.empty(); });
      lock.release();  // held over the fork
    }
  }
  void parent() {
    for (WorkQueue* queue : queues) queue->state_->mutex.unlock();
    mutex.unlock();
  }
  void child() {
    for (WorkQueue* queue : queues) {
      (void)queue->state_.release();  // its thread is the parent's
      queue->state_ = std::make_unique<WorkQueue::State>();
    }
    mutex.unlock();
  }
};

WorkQueue::WorkQueue() : state_(std::make_unique<State>()) {
  ForkHandlers& all = ForkHandlers::instance();
  std::lock_guard lock(all.mutex);
  all.queues.push_back(this);
}

WorkQueue::~WorkQueue() {
  {
    ForkHandlers& all = ForkHandlers::instance();
    std::lock_guard lock(all.mutex);
    all.queues.erase(std::find(all.queues.begin(), all.queues.end(), this));
  }
  {
    std::lock_guard lock(state_->mutex);
    state_->stop = true;
  }
  state_->work_came.notify_all();
  if (state_->worker.joinable()) state_->worker.join();
}

void WorkQueue::submit(std::function<void()> work) {
  State& state = *state_;
  {
    std::lock_guard lock(state.mutex);
    state.waiting.push_back(std::move(work));
    if (!state.worker.joinable()) state.worker = std::thread([&state] { state.work(); });
  }
  state.work_came.notify_one();
}

bool WorkQueue::begin() {
  std::lock_guard lock(state_->mutex);
  if (state_->running || !state_->waiting.empty()) return false;
  return state_->running = true;
}

void WorkQueue::end() {
  bool more;
  {
    std::lock_guard lock(state_->mutex);
    state_->running = false;
    more = !state_->waiting.empty() || state_->stop;
    if (!more) state_->rests.notify_all();
  }
  if (more) state_->work_came.notify_one();
}

void WorkQueue::drain() {
  std::unique_lock lock(state_->mutex);
  state_->rests.wait(lock, [this] { return !state_->running && state_->waiting.empty(); });
}

}  // namespace openneuron::runtime
