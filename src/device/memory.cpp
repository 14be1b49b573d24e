#include "device/memory.h"

#include <sys/mman.h>

#include <mutex>
#include <utility>
#include <vector>

namespace openneuron::device {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

}  // namespace

Mapping::Mapping(std::size_t bytes) : bytes_(bytes == 0 ? 1 : bytes) {
  if (bytes_ > SIZE_MAX - kHugePage) {
    bytes_ = 0;
    return;
  }
  void* mapped = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) {
    bytes_ = 0;
    return;
  }
  data_ = static_cast<std::byte*>(mapped);
#if defined(MADV_HUGEPAGE)
  if (bytes_ >= kHugePage) madvise(mapped, bytes_, MADV_HUGEPAGE);  // a wish; refusal costs speed only
#endif
}

Mapping::~Mapping() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

Mapping::Mapping(Mapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

namespace {

constexpr std::size_t kStock = 32;  // SBUF and PSUM of as many cores as ever ran at a time, within reason
struct Stock {
  std::mutex mutex;
  std::vector<Mapping> free;
};
Stock& stock() {
  static Stock& all = *new Stock;  // a core's thread may still run while the process ends
  return all;
}

}  // namespace

Mapping take_mapping(std::size_t bytes) {
  {
    std::lock_guard lock(stock().mutex);
    auto& free = stock().free;
    for (std::size_t i = free.size(); i-- > 0;)  // the last given is the warmest
      if (free[i].size() >= bytes && free[i].size() - bytes < kHugePage) {
        Mapping found = std::move(free[i]);
        free.erase(free.begin() + static_cast<std::ptrdiff_t>(i));
        return found;
      }
  }
  return Mapping(bytes);
}

void give_back(Mapping mapping) {
  if (mapping.data() == nullptr) return;
  std::lock_guard lock(stock().mutex);
  auto& free = stock().free;
  if (free.size() >= kStock) free.erase(free.begin());
  free.push_back(std::move(mapping));
}

}  // namespace openneuron::device
