// Typed 32-bit ids and the columns they index. An id of one kind never converts to another.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

namespace openneuron {

/// A distinct 32-bit index; `Tag` makes the kind. The default value is "none".
template <class Tag>
struct Id {
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  std::uint32_t index = kNone;

  constexpr Id() = default;
  constexpr explicit Id(std::size_t i) : index(static_cast<std::uint32_t>(i)) {}
  constexpr bool valid() const { return index != kNone; }
  constexpr bool operator==(const Id& other) const { return index == other.index; }
  constexpr bool operator!=(const Id& other) const { return index != other.index; }
  constexpr bool operator<(const Id& other) const { return index < other.index; }
};

using OpId = Id<struct OpTag>;
using ValueId = Id<struct ValueTag>;
using TypeId = Id<struct TypeTag>;
using AttrId = Id<struct AttrTag>;
using LocationId = Id<struct LocationTag>;
using FunctionId = Id<struct FunctionTag>;
using ConstantId = Id<struct ConstantTag>;
using StringId = Id<struct StringTag>;
using BufferId = Id<struct BufferTag>;
using LoopId = Id<struct LoopTag>;

/// A vector indexed by one kind of id.
template <class IdType, class T, class Rows = std::vector<T>>
class Column {
 public:
  Column() = default;
  explicit Column(std::size_t n, T value = T()) : rows_(n, std::move(value)) {}
  IdType push(T value) {
    rows_.push_back(std::move(value));
    return IdType(rows_.size() - 1);
  }
  typename Rows::reference operator[](IdType id) { return rows_[id.index]; }
  typename Rows::const_reference operator[](IdType id) const { return rows_[id.index]; }
  std::size_t size() const { return rows_.size(); }
  void resize(std::size_t n, T value = T()) { rows_.resize(n, std::move(value)); }
  void reserve(std::size_t n) { rows_.reserve(n); }
  auto begin() { return rows_.begin(); }
  auto end() { return rows_.end(); }
  auto begin() const { return rows_.begin(); }
  auto end() const { return rows_.end(); }

 private:
  Rows rows_;
};

/// For wide rows: grows without copying, and rows stay where they are.
template <class IdType, class T>
using StableColumn = Column<IdType, T, std::deque<T>>;

/// Iterates the ids first, first+1, ... first+count-1.
template <class IdType>
class IdRange {
 public:
  class Iterator {
   public:
    explicit Iterator(std::uint32_t i) : i_(i) {}
    IdType operator*() const { return IdType(i_); }
    Iterator& operator++() {
      ++i_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return i_ != other.i_; }

   private:
    std::uint32_t i_;
  };
  IdRange(std::uint32_t first, std::uint32_t count) : first_(first), count_(count) {}
  Iterator begin() const { return Iterator(first_); }
  Iterator end() const { return Iterator(first_ + count_); }
  std::uint32_t size() const { return count_; }
  IdType operator[](std::size_t i) const { return IdType(first_ + i); }

 private:
  std::uint32_t first_, count_;
};

}  // namespace openneuron

template <class Tag>
struct std::hash<openneuron::Id<Tag>> {
  std::size_t operator()(const openneuron::Id<Tag>& id) const { return id.index; }
};
