// A list of instructions kept packed: some fifty bytes each instead of the thousand of an isa::Instruction. Programs of
// hundreds of thousands of instructions stay small, and a pass that reads them in order streams through little memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "isa/instruction.h"

namespace openneuron::isa {

/// Everything of an instruction but its operands, parameters, waits and advances.
struct Head {
  LoopId loop;
  std::uint32_t order = 0;
  std::uint32_t location = 0;
  Opcode opcode = Opcode::Memset;
  Engine engine = Engine::Any;
  std::uint8_t queue = 0;
  bool signal = false;
};

/// Packed, or opened: a plain vector, for those that change instructions or keep pointers to them.
class InstructionList {
 public:
  std::size_t size() const { return is_open_ ? open_.size() : heads_.size(); }
  bool empty() const { return size() == 0; }
  void push_back(const Instruction& instruction);
  void reserve(std::size_t count);
  /// Room for as many, of as many bytes, as `other` has: what is made of a long list must not grow by doubling.
  void reserve_like(const InstructionList& other);

  Head head(std::size_t i) const {
    if (!is_open_) return heads_[i];
    const Instruction& in = open_[i];
    return {in.loop, in.order, in.location, in.opcode, in.engine, in.queue, in.signal};
  }
  void set_engine(std::size_t i, Engine engine, std::uint8_t queue);
  /// Of an operand that rotates already; below 128.
  void set_copies(std::size_t i, std::size_t operand, std::uint16_t copies);
  static constexpr std::uint16_t kMostCopies = 127;
  /// A copy of instruction i.
  Instruction operator[](std::size_t i) const;
  /// The same into `out`, whose memory is used again.
  void read(std::size_t i, Instruction& out) const;

  /// Turns the list into a vector for good.
  std::vector<Instruction>& open();
  bool is_open() const { return is_open_; }

  /// In order. On a packed list what `*` refers to holds until `++`.
  class Iterator {
   public:
    Iterator(const InstructionList& list, std::size_t at) : list_(&list), at_(at) {}
    const Instruction& operator*() {
      if (list_->is_open_) return list_->open_[at_];
      list_->read(at_, item_);
      return item_;
    }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    const InstructionList* list_;
    std::size_t at_;
    Instruction item_;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }
  bool operator==(const InstructionList& other) const;

 private:
  friend class OpenedList;
  std::vector<Head> heads_;
  std::vector<std::uint64_t> offsets_;  // of each instruction's fields in bytes_
  std::vector<std::uint8_t> bytes_;
  std::vector<Instruction> open_;
  bool is_open_ = false;
};

/// A list to be read in any order, by reference: the list's own vector when it is open, else a copy.
class OpenedList {
 public:
  explicit OpenedList(const InstructionList& list);
  OpenedList(const OpenedList&) = delete;
  OpenedList& operator=(const OpenedList&) = delete;
  OpenedList(OpenedList&&) = default;
  OpenedList& operator=(OpenedList&&) = default;

  std::size_t size() const { return list_ ? list_->size() : copy_.size(); }
  const Instruction* data() const { return list_ ? list_->data() : copy_.data(); }
  const Instruction& operator[](std::size_t i) const { return data()[i]; }
  const Instruction* begin() const { return data(); }
  const Instruction* end() const { return data() + size(); }

 private:
  const std::vector<Instruction>* list_ = nullptr;
  std::vector<Instruction> copy_;
};

}  // namespace openneuron::isa
