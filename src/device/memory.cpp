#include "device/memory.h"

#include <sys/mman.h>

#include <utility>

namespace openneuron::device {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

}  // namespace

Mapping::Mapping(std::size_t bytes) : bytes_(bytes == 0 ? 1 : bytes) {
  if (bytes_ > SIZE_MAX - kHugePage) {
    bytes_ = 0;
    return;
  }
  if (bytes_ >= kHugePage) bytes_ = (bytes_ + kHugePage - 1) / kHugePage * kHugePage;
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

}  // namespace openneuron::device
