#include "base/deep_stack.h"

#include <pthread.h>

#include <cstddef>

namespace openneuron {
namespace {

// Touched as far as it is used only.
constexpr std::size_t kStackBytes = std::size_t{64} << 20;

void* start(void* work) {
  (*static_cast<const std::function<void()>*>(work))();
  return nullptr;
}

}  // namespace

void on_deep_stack(const std::function<void()>& work) {
  pthread_attr_t attributes;
  pthread_t thread;
  bool started = false;
  if (pthread_attr_init(&attributes) == 0) {
    started = pthread_attr_setstacksize(&attributes, kStackBytes) == 0 &&
              pthread_create(&thread, &attributes, start, const_cast<std::function<void()>*>(&work)) == 0;
    pthread_attr_destroy(&attributes);
  }
  if (started)
    pthread_join(thread, nullptr);
  else
    work();
}

}  // namespace openneuron
