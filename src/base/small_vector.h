// A vector whose first N items lie inside it. For trivially copyable items only.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <type_traits>

namespace openneuron {

template <class T, std::uint32_t N>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  SmallVector() = default;
  SmallVector(std::initializer_list<T> items) {
    for (const T& item : items) push_back(item);
  }
  SmallVector(const SmallVector& other) { assign(other); }
  SmallVector(SmallVector&& other) noexcept { steal(other); }
  SmallVector& operator=(const SmallVector& other) {
    if (this != &other) {
      clear();
      assign(other);
    }
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) noexcept {
    if (this != &other) steal(other);
    return *this;
  }

  void push_back(const T& item) {
    const T copy = item;  // `item` may lie in this vector
    if (size_ == capacity()) grow();
    data()[size_++] = copy;
  }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  void resize(std::size_t n) {
    while (size_ < n) push_back(T());
    size_ = static_cast<std::uint32_t>(n);
  }
  void erase(std::size_t at) {
    for (std::size_t i = at; i + 1 < size_; ++i) data()[i] = data()[i + 1];
    --size_;
  }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return heap_ ? heap_.get() : inline_; }
  const T* data() const { return heap_ ? heap_.get() : inline_; }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  T& back() { return data()[size_ - 1]; }
  const T& back() const { return data()[size_ - 1]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  bool operator==(const SmallVector& other) const {
    if (size_ != other.size_) return false;
    for (std::uint32_t i = 0; i < size_; ++i)
      if (!(data()[i] == other.data()[i])) return false;
    return true;
  }

 private:
  std::uint32_t capacity() const { return heap_ ? heap_capacity_ : N; }
  void grow() {
    const std::uint32_t wanted = capacity() * 2;
    auto bigger = std::make_unique<T[]>(wanted);
    for (std::uint32_t i = 0; i < size_; ++i) bigger[i] = data()[i];
    heap_ = std::move(bigger);
    heap_capacity_ = wanted;
  }
  void assign(const SmallVector& other) {
    for (const T& item : other) push_back(item);
  }
  void steal(SmallVector& other) {
    size_ = other.size_;
    heap_capacity_ = other.heap_capacity_;
    heap_ = std::move(other.heap_);
    if (!heap_)
      for (std::uint32_t i = 0; i < size_; ++i) inline_[i] = other.inline_[i];
    other.size_ = 0;
  }

  std::uint32_t size_ = 0;
  std::uint32_t heap_capacity_ = 0;
  std::unique_ptr<T[]> heap_;
  T inline_[N];
};

}  // namespace openneuron
