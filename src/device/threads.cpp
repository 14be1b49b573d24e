#include "device/threads.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "device/float_mode.h"

namespace openneuron::device {
namespace {

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// A ticket is (generation << 32) + (first piece left << 16) + end of those left. Taking a piece is a compare-exchange on
// the ticket; the work of the next generation is written only while no piece is left, so whoever takes a piece finds the
// work that it belongs to. The caller takes the first and helpers the last: pieces that stand for parts of memory stay
// with the same processors from one generation to the next. The caller leaves when the pieces are done, not when the
// helpers are.
class Pool {
 public:
  // Never destroyed: a core's thread may still run while the process ends. A forked child has none of the helpers and
  // begins with a new pool.
  static Pool& instance() {
    static const int once = pthread_atfork(nullptr, nullptr, [] { current() = new Pool; });
    (void)once;
    return *current();
  }

  void grow(int helpers) {
    std::lock_guard lock(mutex_);
    while (static_cast<int>(helpers_.size()) < helpers && helpers_.size() < kMostHelpers) {
      const int index = static_cast<int>(helpers_.size());
      helpers_.emplace_back([this, index] { help(index); });
    }
  }

  bool awake() const { return parked_.load(std::memory_order_relaxed) == 0; }

  // False when the pool is busy. Until `finish`, it belongs to the caller.
  bool start(int helpers, std::size_t pieces, void (*work)(void*, std::size_t), void* context) {
    if (pieces > kMostPieces || busy_.test_and_set(std::memory_order_acquire)) return false;
    pieces_ = pieces;
    work_.store(work, std::memory_order_relaxed);
    context_.store(context, std::memory_order_relaxed);
    limit_.store(helpers, std::memory_order_relaxed);
    done_.store(0, std::memory_order_relaxed);
    const std::uint64_t generation = (ticket_.load(std::memory_order_relaxed) >> 32) + 1;
    bool sleeping;
    {
      std::lock_guard lock(mutex_);
      ticket_.store((generation << 32) + pieces, std::memory_order_release);
      sleeping = parked_ > 0;
    }
    if (sleeping) wake_.notify_all();
    return true;
  }

  bool finished() const { return done_.load(std::memory_order_acquire) == pieces_; }

  void finish() {
    take(ticket_.load(std::memory_order_relaxed) >> 32, End::First);
    while (!finished()) relax();
    busy_.clear(std::memory_order_release);
  }

 private:
  static constexpr std::size_t kMostHelpers = 255, kMostPieces = 0xFFFF;
  enum class End { First, Last };

  static Pool*& current() {
    static Pool* pool = new Pool;
    return pool;
  }

  void take(std::uint64_t generation, End end) {
    for (std::uint64_t ticket = ticket_.load(std::memory_order_acquire);;) {
      if (ticket >> 32 != generation) return;
      const std::uint64_t first = ticket >> 16 & 0xFFFF, last = ticket & 0xFFFF;
      if (first == last) return;
      const std::uint64_t rest = end == End::First ? ticket + (std::uint64_t{1} << 16) : ticket - 1;
      if (!ticket_.compare_exchange_weak(ticket, rest, std::memory_order_acq_rel, std::memory_order_acquire)) continue;
      work_.load(std::memory_order_relaxed)(context_.load(std::memory_order_relaxed), end == End::First ? first : last - 1);
      done_.fetch_add(1, std::memory_order_release);
      ticket = ticket_.load(std::memory_order_acquire);
    }
  }

  // The generation that is not `seen`.
  std::uint64_t wait(std::uint64_t seen) {
    using Clock = std::chrono::steady_clock;
    const auto until = Clock::now() + std::chrono::microseconds(50);
    for (int i = 0;; ++i) {
      const std::uint64_t now = ticket_.load(std::memory_order_acquire) >> 32;
      if (now != seen) return now;
      if (i % 64 == 63 && Clock::now() > until) break;
      relax();
    }
    std::unique_lock lock(mutex_);
    ++parked_;
    wake_.wait(lock, [&] { return ticket_.load(std::memory_order_acquire) >> 32 != seen; });
    --parked_;
    return ticket_.load(std::memory_order_acquire) >> 32;
  }

  void help(int index) {
    const FloatMode mode;
    for (std::uint64_t seen = 0;;) {
      seen = wait(seen);
      if (index < limit_.load(std::memory_order_relaxed)) take(seen, End::Last);
    }
  }

  std::vector<std::thread> helpers_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<int> parked_{0};  // changes under the mutex
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
  std::atomic<std::uint64_t> ticket_{0};
  std::size_t pieces_ = 0;  // of the present generation; the caller's
  std::atomic<std::size_t> done_{0};
  std::atomic<int> limit_{0};
  std::atomic<void (*)(void*, std::size_t)> work_{nullptr};
  std::atomic<void*> context_{nullptr};
};

}  // namespace

Threads::Threads(int count) : count_(count < 1 ? 1 : count > 256 ? 256 : count) {
  if (count_ > 1) Pool::instance().grow(count_ - 1);
}

bool Threads::awake() const { return count_ > 1 && Pool::instance().awake(); }

void Threads::run(std::size_t pieces, void (*work)(void*, std::size_t), void* context) const {
  if (count_ > 1 && pieces > 1 && Pool::instance().start(count_ - 1, pieces, work, context))
    return Pool::instance().finish();
  for (std::size_t piece = 0; piece < pieces; ++piece) work(context, piece);
}

bool Threads::start(std::size_t pieces, void (*work)(void*, std::size_t), void* context) const {
  return count_ > 1 && Pool::instance().start(count_ - 1, pieces, work, context);
}
bool Threads::finished() const { return Pool::instance().finished(); }
void Threads::finish() const { Pool::instance().finish(); }

}  // namespace openneuron::device
