// Stationary tiles and the Matmuls that use them, resolved and kept until something else executes: over the turns of
// loops and the loads that are not carried out. Then threads divide the rows or columns of all destinations, and each
// takes its part of one destination through all of its products, with one barrier for the whole run.
//
// PE reads SBUF and writes PSUM, so products of one run never read each other's results. Destinations of a run are equal
// or disjoint.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/product.h"

namespace openneuron::device {

class PeRun {
 public:
  explicit PeRun(const Context& context) : context_(context) {}
  void clear();

  /// The tile for the Matmuls to come. It is read where it lies until `flush`.
  void load(Core& core, const HostOperand& source, const View& view);
  /// errors  ON-E1905
  Result<void> multiply(Core& core, const HostOp& op, const HostOperand* operands, const View* views);
  /// Before anything else is written: computes what waits, and copies the loaded tile.
  void flush(Core& core);
  /// Of every other operation, in program order: after `flush` if it is executed, before anything reads what it writes.
  void overwrite(const Core& core, const HostOp& op, const HostOperand* operands, const View* views) {
    panels_.overwrite(core, op, operands, views);
  }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  static constexpr std::size_t kMostProducts = 1024;
  struct Entry {
    Product product;
    std::uint32_t next;  ///< of the same sum
  };
  struct Sum {
    const HostOperand* to;
    View view;
    std::uint32_t first, last;  ///< entries
    std::size_t work;           ///< multiply-adds
  };
  struct Piece {
    std::uint32_t sum;
    Block block;
  };
  void set_apart(const HostOperand& to, const View& view);
  std::uint32_t sum_of(const HostOperand& to, const View& view);
  std::size_t width_of(const Product& product) const;
  void pack(bool parallel);
  void divide(std::uint32_t sum, std::size_t pieces);
  void execute();
  void forget();

  const Context& context_;
  std::vector<Entry> entries_;
  std::vector<Sum> sums_;
  std::vector<Piece> pieces_;
  Panels panels_;
  std::vector<std::uint32_t> unpacked_;  ///< slots
  std::size_t work_ = 0;
};

}  // namespace openneuron::device
