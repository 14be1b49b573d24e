// An append-only table of distinct rows: equal rows get one id. Rows never move, so references stay valid.
#pragma once
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace openneuron::graph {

/// `Traits` gives `static std::uint64_t hash(const T&)` and `static bool same(const T&, const T&)`.
template <class T, class Traits>
class InternTable {
 public:
  std::uint32_t intern(T row) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    const std::uint64_t h = Traits::hash(row);
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = static_cast<std::size_t>(h) & mask;
    for (; slots_[at].id != kEmpty; at = (at + 1) & mask) {
      if (slots_[at].hash == h && Traits::same((*this)[slots_[at].id], row)) return slots_[at].id;
    }
    const std::uint32_t id = static_cast<std::uint32_t>(size_);
    if ((size_ & kChunkMask) == 0) chunks_.push_back(std::make_unique<T[]>(kChunkMask + 1));
    chunks_[size_ >> kChunkShift][size_ & kChunkMask] = std::move(row);
    ++size_;
    slots_[at] = {h, id};
    return id;
  }
  const T& operator[](std::uint32_t id) const { return chunks_[id >> kChunkShift][id & kChunkMask]; }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::uint32_t kEmpty = 0xFFFFFFFFu;
  static constexpr std::size_t kChunkShift = 6, kChunkMask = 63;
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t id = kEmpty;
  };

  void grow() {
    std::vector<Slot> old = std::move(slots_);
    slots_.assign(old.empty() ? 64 : old.size() * 2, Slot());
    const std::size_t mask = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.id == kEmpty) continue;
      std::size_t at = static_cast<std::size_t>(slot.hash) & mask;
      while (slots_[at].id != kEmpty) at = (at + 1) & mask;
      slots_[at] = slot;
    }
  }

  std::vector<std::unique_ptr<T[]>> chunks_;
  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

/// Mixes words into a 64-bit hash; the finaliser is the splitmix64 step.
class HashMix {
 public:
  void word(std::uint64_t w) {
    state_ ^= w + 0x9E3779B97F4A7C15ull + (state_ << 6) + (state_ >> 2);
    state_ *= 0xBF58476D1CE4E5B9ull;
    state_ ^= state_ >> 29;
  }
  template <class Text>
  void text(const Text& t) {
    std::uint64_t h = 1469598103934665603ull;
    for (char c : t) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ull;
    word(h);
    word(t.size());
  }
  std::uint64_t result() const { return state_ ^ (state_ >> 31); }

 private:
  std::uint64_t state_ = 0x2545F4914F6CDD1Dull;
};

}  // namespace openneuron::graph
