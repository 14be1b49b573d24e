// The process's pool of threads: work is split into pieces whose results do not depend on who runs them.
#pragma once
#include <cstddef>

namespace openneuron::device {

/// A view on the pool that uses up to `count` threads, the caller among them. The pool grows to the largest count asked
/// for and belongs to the process; its helpers spin at most 50 us for the next piece of work, then park. While another
/// view runs, the caller does its work alone.
class Threads {
 public:
  explicit Threads(int count);
  int count() const { return count_; }
  /// Whether the helpers look for work now: waking them takes longer than much work does.
  bool awake() const;

  /// Calls work(context, piece) for every piece below `pieces`, on any thread; returns when all are done.
  void run(std::size_t pieces, void (*work)(void* context, std::size_t piece), void* context) const;
  template <class Work>
  void run(std::size_t pieces, const Work& work) const {
    run(
        pieces, [](void* w, std::size_t piece) { (*static_cast<const Work*>(w))(piece); },
        const_cast<void*>(static_cast<const void*>(&work)));
  }

  /// Lets the helpers begin with such work while the caller goes on; `finish` is due before the next `start` or `run`.
  /// False when there is no helper, or another view runs.
  bool start(std::size_t pieces, void (*work)(void* context, std::size_t piece), void* context) const;
  /// Whether what `start` began is done.
  bool finished() const;
  /// Helps with what `start` began and returns when it is done.
  void finish() const;

 private:
  int count_;
};

}  // namespace openneuron::device
