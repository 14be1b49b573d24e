// Which bytes an access can reach, and when two accesses of one core can meet.
#pragma once
#include <cstdint>
#include <vector>

#include "machine/machine.h"
#include "sched/regions.h"
#include "tile/module.h"

namespace openneuron::sched {

/// What a loop around adds to an access.
struct Step {
  std::int32_t region = -1;     ///< of the loop; -1: no loop of the program
  std::int32_t partitions = 0;  ///< an iteration
  std::int64_t bytes = 0;       ///< an iteration
  std::int64_t most = -1;       ///< of the iteration's number; -1: depends on data
  bool operator==(const Step&) const = default;
};

/// One memory operand of one item (an instruction on one stream).
struct Access {
  std::uint32_t item = 0;
  std::uint32_t order = 0;            ///< of its instruction
  std::int32_t block = 0;
  std::uint32_t memory = 0;           ///< kSbufMemory, kPsumMemory, or kHbmMemory + the buffer whose memory it is
  std::uint8_t stream = 0;
  bool write = false;
  bool whole = false;                 ///< a register or an offset vector decides: all of the buffer
  bool dense = true;                  ///< every byte of [base + low, base + high) is reached
  std::int32_t partition_begin = 0, partition_end = 1;  ///< terms at 0; 0..1 in HBM
  std::int64_t base = 0;              ///< bytes of its memory, terms and rotation at 0
  std::int64_t low = 0, high = 0;     ///< reach of dims (and rows, in HBM) around base
  std::int64_t first = 0, last = 0;   ///< [first, last): everything over all loop values
  BufferId buffer;
  bool exact = false;                 ///< what follows says which bytes; else no steps, no rotation, no strides
  std::uint8_t width = 1;             ///< bytes of an element
  std::uint16_t rows = 1;             ///< partition_count of the operand
  std::uint16_t copies = 1;           ///< that it rotates over
  std::int32_t rotate_region = -1;
  std::int64_t row_stride = 1;        ///< partition_stride of the operand
  std::int64_t pitch = 0;             ///< of the copies, when it rotates
  SmallVector<isa::Dim, 2> dims;
  SmallVector<Step, 2> steps;         ///< loops of several iterations, each once
  bool moves = false;                 ///< terms or rotation shift its bytes
  bool moves_rows = false;            ///< terms shift its partitions
};

inline constexpr std::uint32_t kSbufMemory = 0, kPsumMemory = 1, kHbmMemory = 2;

/// What two accesses have in common: the loops around [begin, end] have the same value for both; `carried`, when it is
/// a region, has a later iteration for the second; all other loops run freely.
struct Frame {
  std::uint32_t begin = 0, end = 0;
  std::int32_t carried = -1;
};

/// Makes `a` meet all that it or `b` meets: the bytes between both, in step with the loops and the rotation that they share.
/// It covers nothing any more. False when they share no such thing.
bool widen(Access& a, const Access& b);
/// Whether they may share such a thing: accesses of one buffer that rotate alike.
bool move_alike(const Access& a, const Access& b);

class Footprints {
 public:
  Footprints(const tile::Module& module, const RegionTree& tree, const Machine& machine);

  Access access(const isa::Operand& operand, std::int32_t block, bool write, bool indirect) const;
  /// All of an HBM buffer.
  Access all_of(BufferId buffer, bool write) const;
  BufferId memory_owner(BufferId buffer) const;

  /// The least distance (iterations of `frame.carried`; 0 without) at which the later access can meet the earlier one;
  /// -1: never.
  std::int64_t meets(const Access& earlier, const Access& later, const Frame& frame) const;
  /// Whether, inside the bytes from `cover.first` to `cover.last`, whatever conflicts with `other` conflicts with `cover`
  /// too.
  bool supersedes(const Access& cover, const Access& other, const Frame& frame) const;
  /// Supersedes nothing that comes before this instruction, the begin of a loop in which the cover moves by all its reach.
  std::uint32_t supersedes_from(const Access& cover) const;

 private:
  struct Spread;  // where the second access lies relative to the first
  bool equal_loop(std::int32_t region, const Frame& frame) const;
  Spread spread(const Access& a, const Access& b, const Frame& frame, bool bytes) const;
  bool rows_apart(const Access& a, const Access& b, const Frame& frame, std::int64_t distance) const;
  bool residues_apart(const Access& a, const Access& b, const Frame& frame, std::int64_t distance, std::int64_t modulus) const;
  std::int32_t region(LoopId loop) const;

  const tile::Module& module_;
  const RegionTree& tree_;
  const Machine& machine_;
};

}  // namespace openneuron::sched
