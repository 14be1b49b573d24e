// What stands in one block, as pieces to be put in order: instructions, and nested regions as wholes.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/small_vector.h"
#include "isa/instruction.h"

namespace openneuron::sched {

/// Bytes that an operand reaches. Loops around the block are at one value: `frame` says how they move the bytes.
struct Reach {
  std::uint32_t buffer = 0;
  std::uint64_t frame = 0;
  std::int32_t first_row = 0, last_row = 1;
  std::int64_t first = 0, last = 0;
  bool write = false;
  bool whole = false;  ///< anywhere in the buffer
  bool meets(const Reach& o) const {
    if (buffer != o.buffer || !(write || o.write)) return false;
    if (whole || o.whole || frame != o.frame) return true;
    return first < o.last && o.first < last && first_row < o.last_row && o.first_row < last_row;
  }
};

inline constexpr std::size_t kEngines = 6;  // PE, Vector, Scalar, GpSimd, Sync, all DMA

/// An instruction on an engine that may run it.
struct Choice {
  isa::Engine engine = isa::Engine::Any;
  double issue_ns = 0, latency_ns = 0;
  bool background = false;  ///< as isa::Cost
};

struct Unit {
  SmallVector<Reach, 4> reaches;
  SmallVector<std::uint32_t, 4> tiles;     ///< on-chip buffers that it touches, each once
  SmallVector<Choice, 3> choices;          ///< none: a region, or an instruction of all engines
  std::array<double, kEngines> busy_ns{};  ///< of a region
  double span_ns = 0;                      ///< of a region, from its first start to its last result
  bool barrier = false;                    ///< nothing moves across it
};

/// A list of units for each unit, all in one piece of memory.
class UnitLists {
 public:
  std::span<const std::uint32_t> operator[](std::uint32_t u) const { return {items_.data() + ends_[u], items_.data() + ends_[u + 1]}; }
  /// Sorted, each once.
  void push_back(std::vector<std::uint32_t>& list);

 private:
  std::vector<std::uint32_t> ends_{0}, items_;
};

/// [u]: the units of the block that must come before unit u, each once, in rising order. Units farther than `reach` before
/// u are left out.
UnitLists units_before(const std::vector<Unit>& units, std::size_t reach);

/// An order of a block's units, and what it promises.
struct Order {
  std::vector<std::uint32_t> sequence;
  std::vector<isa::Engine> engines;  ///< per unit; Any: none chosen
  std::array<double, kEngines> busy_ns{};
  double span_ns = 0;
  double busiest_ns() const;
};

/// The tiles between their first and last use, as units are placed.
class TilesInUse {
 public:
  /// Of the bytes of all in SBUF, and in PSUM.
  TilesInUse(std::int64_t sbuf_limit, std::int64_t psum_limit) : limit_{sbuf_limit, psum_limit} {}
  void set_bytes(std::uint32_t tile, std::int64_t bytes, bool psum) {
    if (tile >= tiles_.size()) tiles_.resize(tile + 1);
    tiles_[tile].bytes = bytes;
    tiles_[tile].psum = psum;
  }
  /// That the unit is going to be placed.
  void expect(const Unit& unit) {
    for (std::uint32_t t : unit.tiles) ++tiles_[t].uses_left;
  }
  bool room_for(const Unit& unit) const;
  void place(const Unit& unit);

 private:
  struct Tile {
    std::int64_t bytes = 0;
    std::uint32_t uses_left = 0;
    bool open = false, psum = false;
  };
  std::array<std::int64_t, 2> limit_, taken_{};
  std::vector<Tile> tiles_;
};

/// How far units may move up: not past more than `window` others, and while there is room for the tiles in use. A window of
/// 1 keeps the order.
struct Freedom {
  std::size_t window = 1;
  TilesInUse* tiles = nullptr;  ///< expects the units; none: memory does not matter
};

/// Takes whatever can start first, and of those the unit that most time depends on.
Order list_order(const std::vector<Unit>& units, const UnitLists& before, double hop_ns,
                 const Freedom& freedom);

/// Nanoseconds from turn to turn when the units, in this order and on these engines, are a loop's body of many turns;
/// `marker_ns` per engine: the loop's end.
double turn_ns(const std::vector<Unit>& units, const UnitLists& before, const Order& order,
               double hop_ns, const std::array<double, kEngines>& marker_ns);

}  // namespace openneuron::sched
