// Blocks of products of a stationary and a moving tile: what Matmul computes for some rows and columns of its
// destination. Blocks do not depend on each other, so threads may take them in any order.
#pragma once
#include <cstddef>

#include "device/core.h"
#include "device/panels.h"

namespace openneuron::device {

/// stationary^T moving, added to the destination or put in place of it.
struct Product {
  const HostOperand* stationary = nullptr;  ///< [K, M]
  View stationary_view;
  const HostOperand* moving = nullptr;  ///< [K, N]
  View moving_view;
  bool accumulate = false;
  RowForm form = RowForm::Floats;
  std::uint32_t slot = Panels::kNone;  ///< of the moving tile, packed
};

/// Rows and columns of a destination [M, N].
struct Block {
  std::size_t row = 0, rows = 0;
  std::size_t column = 0, columns = 0;
};

/// Whether a moving tile is best packed: many rows of a destination read it.
bool worth_packing(const Kernels& kernels, const Product& product);

/// One block of a destination, to which products are added in order. `finish` writes what is not written yet.
class BlockSum {
 public:
  BlockSum(const Kernels& kernels, const Panels& panels, const HostOperand& to, const View& view, const Block& block);
  /// `next` comes after it, if it is known.
  void add(const Product& product, const Product* next);
  void finish();

 private:
  void load_sums();

  const Kernels& kernels_;
  const Panels& panels_;
  const HostOperand& to_;
  const View& view_;
  Block block_;
  bool in_place_;
  bool loaded_ = false;  ///< not in place: the block's sums are in the thread's buffer
  float* sums_ = nullptr;
  std::size_t pitch_ = 0;  ///< floats
};

/// The block for a set with matmul_bf16_pairs (both operands bf16), into rows of `pitch` floats.
void multiply_pairs(const Kernels& kernels, const Product& product, const Block& block, float* sums,
                    std::size_t pitch);

}  // namespace openneuron::device
