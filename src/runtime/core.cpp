#include "runtime/core.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace openneuron::runtime {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kLarge = std::size_t{1} << 20;  // from here on mapped, and kept for the next of its size

// Large blocks that were given back: the first touch of new memory costs more than copying it.
constexpr std::size_t kStockBytes = std::size_t{1} << 30, kStockBlocks = 64;
struct Stock {
  std::mutex mutex;
  std::vector<device::Mapping> blocks;
  std::size_t bytes = 0;

  device::Mapping take(std::size_t bytes_wanted) {
    {
      std::lock_guard lock(mutex);
      for (std::size_t i = blocks.size(); i-- > 0;)
        if (blocks[i].size() >= bytes_wanted && blocks[i].size() - bytes_wanted <= bytes_wanted / 8) {
          device::Mapping found = std::move(blocks[i]);
          blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(i));
          bytes -= found.size();
          return found;
        }
    }
    return device::Mapping(bytes_wanted);
  }
  void give(device::Mapping block) {
    if (block.size() > kStockBytes) return;
    std::vector<device::Mapping> dropped;  // unmapped without the lock
    std::lock_guard lock(mutex);
    bytes += block.size();
    blocks.push_back(std::move(block));
    while (bytes > kStockBytes || blocks.size() > kStockBlocks) {
      bytes -= blocks.front().size();
      dropped.push_back(std::move(blocks.front()));
      blocks.erase(blocks.begin());
    }
  }
};
Stock& stock() {
  static Stock& all = *new Stock;  // outlives every thread
  return all;
}

std::string size_text(std::int64_t bytes) {
  char text[32];
  if (bytes >= (1 << 30))
    std::snprintf(text, sizeof text, "%.2f GiB", static_cast<double>(bytes) / (1 << 30));
  else if (bytes >= (1 << 20))
    std::snprintf(text, sizeof text, "%.1f MiB", static_cast<double>(bytes) / (1 << 20));
  else
    std::snprintf(text, sizeof text, "%lld bytes", static_cast<long long>(bytes));
  return text;
}

}  // namespace

Allocation::~Allocation() {
  if (core_ != nullptr) core_->uncount(*this);
  if (release_) {
    release_();
  } else if (mapping_.data() != nullptr) {
    stock().give(std::move(mapping_));
  } else {
    std::free(data_);
  }
}

bool Allocation::take_memory() {
  if (bytes_ >= kLarge) {
    mapping_ = stock().take(bytes_);
    data_ = mapping_.data();
  } else {
    data_ = static_cast<std::byte*>(std::aligned_alloc(kAlignment, (bytes_ / kAlignment + 1) * kAlignment));
  }
  return data_ != nullptr;
}

Result<std::shared_ptr<Allocation>> allocate_host(std::size_t bytes) {
  auto made = std::make_shared<Allocation>(nullptr, bytes, label("host memory"));
  if (!made->take_memory()) return fail(Code::DeviceMemory, "the host has no " + std::to_string(bytes) + " bytes");
  return made;
}

Result<void> Core::count(Allocation& allocation) {
  const auto bytes = static_cast<std::int64_t>(allocation.bytes());
  std::lock_guard lock(hbm_mutex_);
  if (bytes > hbm_.limit - hbm_.used) {
    std::vector<const Allocation*> largest(allocations_.begin(), allocations_.end());
    const std::size_t shown = std::min<std::size_t>(5, largest.size());
    std::partial_sort(largest.begin(), largest.begin() + static_cast<std::ptrdiff_t>(shown), largest.end(),
                      [](const Allocation* a, const Allocation* b) { return a->bytes() > b->bytes(); });
    std::string text = "core " + std::to_string(index_) + " has no room for " + size_text(bytes) + " (" +
                       allocation.what() + "): " + size_text(hbm_.used) + " of its " + size_text(hbm_.limit) +
                       " of HBM are in use";
    for (std::size_t i = 0; i < shown; ++i)
      text += (i == 0 ? ". The largest: " : ", ") + largest[i]->what() + " (" +
              size_text(static_cast<std::int64_t>(largest[i]->bytes())) + ")";
    allocation.core_ = nullptr;
    return fail(Code::HbmFull, text);
  }
  allocations_.insert(&allocation);
  hbm_.used += bytes;
  hbm_.peak = std::max(hbm_.peak, hbm_.used);
  hbm_.largest = std::max(hbm_.largest, bytes);
  ++hbm_.count;
  return {};
}

void Core::uncount(Allocation& allocation) {
  std::lock_guard lock(hbm_mutex_);
  allocations_.erase(&allocation);
  hbm_.used -= static_cast<std::int64_t>(allocation.bytes());
}

Result<std::shared_ptr<Allocation>> Core::reserve(std::size_t bytes, Label what) {
  auto made = std::make_shared<Allocation>(this, bytes, std::move(what));
  ON_TRY(count(*made));
  return made;
}

Result<std::shared_ptr<Allocation>> Core::allocate(std::size_t bytes, Label what) {
  auto made = reserve(bytes, std::move(what));
  if (made && !(*made)->take_memory())
    return fail(Code::DeviceMemory, "the host has no " + std::to_string(bytes) + " bytes for " + (*made)->what());
  return made;
}

Result<std::shared_ptr<Allocation>> Core::view(std::byte* data, std::size_t bytes, Label what,
                                               std::function<void()> release) {
  auto made = reserve(bytes, std::move(what));
  if (!made) return made;
  (*made)->data_ = data;
  (*made)->release_ = std::move(release);
  return made;
}

HbmStats Core::hbm() const {
  std::lock_guard lock(hbm_mutex_);
  return hbm_;
}

void Core::clear_peak() {
  std::lock_guard lock(hbm_mutex_);
  hbm_.peak = hbm_.used;
}

}  // namespace openneuron::runtime
