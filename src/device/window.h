// Operations of a core that are resolved and wait to be executed together, over the turns of loops:
// - those that stay within their partitions;
// - products of tiles that were not packed with a few columns (HostOp::once).
//
// A window is executed in two steps: first the products of its tiles, each into sums of its own, in any order and on all
// threads, of which helpers begin as soon as there are some tiles; then everything else block by block of partitions, blocks on all threads, each in program order; the part of a
// product there is to add its sums up in PSUM. So a tile must not read what the window writes, and the window must not
// touch bytes of HBM that it stores.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "device/core.h"

namespace openneuron::device {

class Window {
 public:
  explicit Window(const Context& context) : context_(context) {}
  ~Window() { clear(); }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  void clear();
  bool empty() const { return items_.empty(); }

  /// An operation that stays within its partitions.
  void add(const Core& core, const HostOp& op, const HostOperand* operands, const View* views);
  /// A LoadStationary (HostOp::once) and the Matmul that follows it.
  void add_product(const Core& core, const HostOperand& stationary, const View& rows, const HostOp& matmul,
                   const HostOperand* operands, const View* views);
  /// A loop turns: what came before is another pass over the same memory.
  void turn() { ++turn_; }
  void flush();

 private:
  struct Item {
    const HostOp* op;
    const HostOperand* operands;
    View views[isa::kMaxOperands];
    std::size_t first_tile, tile_count;  // Matmul: consecutive tiles whose sums go to the same place
    std::uint32_t turn;                  // of a loop, counted from the window's start
    std::int64_t row_bytes;              // that it moves in each partition
    bool summed = false;                 // products that only the next item reads, and that computes them (summed_products.h)
  };
  struct Tile {
    const std::byte* rows;
    std::ptrdiff_t pitch;
    bool repeated;  // one column of the stationary tile stands for all
    std::size_t k, m;
    const HostOperand* moving;
    View view;
    std::size_t sums;  // where its m sums of each column begin
  };
  struct Range {
    const std::byte *low, *high;
  };
  static constexpr std::size_t kMostItems = 512, kMostTiles = 512;

  bool admits(const Core& core, const HostOp& op, const HostOperand* operands, const View* views) const;
  bool written(const Core& core, const HostOperand& operand, const View& view) const;
  void note(const Core& core, const HostOp& op, const HostOperand* operands, const View* views);
  void multiply(const Tile& tile) const;
  static void multiply_tile(void* window, std::size_t tile);
  void start_products();
  void finish_products();
  void add_sums(const Item& item, std::int64_t first, std::int64_t last) const;
  void execute_products();
  bool overwritten(std::size_t index) const;
  void find_summed_products();
  void execute_rows(std::size_t index, std::int64_t first, std::int64_t last) const;
  std::size_t execute_chunks(std::size_t index, std::int64_t first, std::int64_t last) const;
  void execute_local_part();

  const Context& context_;
  std::vector<Item> items_;
  std::vector<Tile> tiles_;         // never moves: helpers read it
  std::unique_ptr<float[]> sums_;   // room for kMostTiles
  std::size_t sum_count_ = 0;
  std::size_t started_ = 0;         // tiles that helpers have been given
  std::size_t batch_ = 0;           // the first of those that they may still be at
  bool running_ = false;            // helpers are at tiles batch_..started_-1
  std::int64_t waiting_bytes_ = 0;  // of the tiles after those
  std::uint32_t turn_ = 0;
  std::vector<Range> reads_, writes_;                // of HBM
  std::vector<std::uint64_t> words_;                 // a bit per 4 bytes of a partition of SBUF: written
  std::size_t first_word_ = SIZE_MAX, last_word_ = 0;
};

}  // namespace openneuron::device
