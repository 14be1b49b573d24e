// Moving tiles as the matrix kernels like them: fp32 or pairs of bf16, in panels of a register tile's columns, one row of a panel next to
// the other. Rows of SBUF lie a partition apart, each in a page of its own, and one tile serves many stationary ones: it is
// packed once and kept until something writes its source.
//
// The stock is bounded (kSlots tiles), belongs to a run, and is told of every write in program order.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "device/core.h"

namespace openneuron::device {

/// 16 or 8 bits: the sum order of isa.def with even and odd chains.
inline bool is_small(ElementType type) { return byte_width(type) < 4; }

/// How a tile's rows are packed: an fp32 for each k, or a word for two (pairs.h).
enum class RowForm : std::uint8_t { Floats, Pairs };
RowForm row_form(const Kernels& kernels, ElementType stationary, ElementType moving);

class Panels {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  ~Panels() { clear(); }
  /// Forgets all tiles and gives the memory back.
  void clear();

  /// The slot for a tile, which stays until `release`. kNone when all are taken or the tile is too large for any.
  std::uint32_t take(const Core& core, const HostOperand& operand, const View& view, std::size_t width, RowForm form);
  bool fits(const HostOperand& operand, std::size_t width, RowForm form) const;
  bool packed(std::uint32_t slot) const { return slots_[slot].packed; }
  /// Rows first..last-1 of the rows that the kernel reads (`rows` of them); different rows on any thread.
  void pack(const Kernels& kernels, std::uint32_t slot, std::size_t first, std::size_t last) const;
  std::size_t rows(std::uint32_t slot) const { return slots_[slot].rows; }
  void set_packed(std::uint32_t slot) { slots_[slot].packed = true; }
  /// Panel `index`; the next one lies `panel_floats` on.
  const float* panel(std::uint32_t slot, std::size_t index) const {
    return place(slot) + index * panel_floats(slot);
  }
  std::size_t panel_floats(std::uint32_t slot) const { return slots_[slot].rows * slots_[slot].width; }
  /// Slots may be given to other tiles.
  void release();

  /// What an operation writes is not what was packed. Tiles that were taken before it and are not released yet are
  /// packed from what stood there before.
  void overwrite(const Core& core, const HostOp& op, const HostOperand* operands, const View* views);

 private:
  static constexpr std::size_t kSlots = 36, kSlotFloats = std::size_t{64} << 10;  // 128 x 512
  struct Slot {
    const HostOperand* operand = nullptr;
    View view;
    RowForm form = RowForm::Floats;
    std::size_t width = 0, rows = 0;
    bool valid = false;   // what it holds, or is to hold, is what its source holds
    bool taken = false, packed = false;
    bool in_hbm = false;
    std::uint64_t used = 0;
    const std::byte *low = nullptr, *high = nullptr;  // in HBM: what it reads
    std::int64_t first_partition = 0, last_partition = 0, first_byte = 0, last_byte = 0;  // in SBUF
  };
  float* place(std::uint32_t slot) const { return reinterpret_cast<float*>(memory_.data()) + slot * kSlotFloats; }

  std::array<Slot, kSlots> slots_;
  Mapping memory_;
  std::uint64_t uses_ = 0;
};

}  // namespace openneuron::device
