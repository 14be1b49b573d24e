// Loads that are not carried out: while a tile in SBUF is only read, its readers read HBM instead.
//
// A load from HBM becomes an entry. Later reads that lie inside an entry are redirected to its source; anything else
// that meets it (a partial write, a read across its edge, a write to its source) has it copied first; a write that
// covers it drops it. So every instruction sees the bytes that program order gives it.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "device/core.h"

namespace openneuron::device {

class LazyLoads {
 public:
  void clear();
  bool empty() const { return entries_.empty(); }

  /// Redirects the reads of an operation. False when entries must be copied before it: execute everything before the
  /// operation, call copy_marked, resolve the operands again and come back.
  bool redirect(const Core& core, const HostOp& op, const HostOperand* operands, View* views, std::size_t count);
  void copy_marked(const Core& core, std::int64_t pitch);
  /// After redirect: drops what the operation covers with new bytes.
  void overwrite(const HostOp& op, const HostOperand* operands, const View* views, std::size_t count);
  /// Takes a load as an entry, if its shape allows; then it must not be executed.
  bool add(const HostOp& op, const HostOperand* operands, const View* views);

 private:
  struct Entry {
    std::int64_t first_partition, last_partition;  ///< [first, last)
    std::int64_t first_byte, last_byte;
    const std::byte* source;
    std::int64_t pitch;
    const std::byte *source_low, *source_high;
    bool marked;
  };
  struct Box {
    std::int64_t first_partition, last_partition, first_byte, last_byte;
  };
  static constexpr std::int64_t kBucketBytes = 1024;
  static Box box(const HostOp& op, const HostOperand* operands, std::size_t i, const View& view);
  bool may_meet(const Box& box) const;
  void mark_buckets(const Entry& entry);

  std::vector<Entry> entries_;
  std::array<std::uint64_t, 16>
      buckets_{};  ///< a bit per kBucketBytes of a partition (modulo 1024): some entry may lie there
};

}  // namespace openneuron::device
