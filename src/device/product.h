// Blocks of products of a stationary and a moving tile: what Matmul computes for some rows and columns of its
// destination. Blocks do not depend on each other, so threads may take them in any order.
#pragma once
#include <cstddef>

#include "device/core.h"

namespace openneuron::device {

/// 16 or 8 bits: the sum order of isa.def with even and odd chains.
inline bool is_small(ElementType type) { return byte_width(type) < 4; }

/// stationary^T moving, added to the destination or put in place of it.
struct Product {
  const HostOperand* stationary = nullptr;  ///< [K, M]
  View stationary_view;
  const HostOperand* moving = nullptr;  ///< [K, N]
  View moving_view;
  bool accumulate = false;
};

/// Rows and columns of a destination [M, N].
struct Block {
  std::size_t row = 0, rows = 0;
  std::size_t column = 0, columns = 0;
};

/// Whether an operand must be copied, converted or gathered before the kernels can read it.
bool needs_copy(const HostOperand& operand, const View& view);

/// One block of a destination, to which products are added in order. `finish` writes what is not written yet.
class BlockSum {
 public:
  BlockSum(const Kernels& kernels, const HostOperand& to, const View& view, const Block& block);
  void add(const Product& product);
  void finish();

 private:
  void load_sums();

  const Kernels& kernels_;
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
