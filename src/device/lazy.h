// Loads that are not carried out: while a tile in SBUF is only read, its readers read HBM instead.
//
// A load from HBM becomes an entry. Later reads that lie inside an entry are redirected to its source; anything else
// that meets it (a write with gaps, a read across its edge, a write to its source) has it copied first; of what a write
// covers, only the rest stays. So every instruction sees the bytes that program order gives it.
#pragma once
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "device/core.h"

namespace openneuron::device {

class LazyLoads {
 public:
  void clear();

  /// Redirects the reads of an operation. False when entries must be copied before it: execute everything before the
  /// operation, call copy_marked, resolve the operands again and come back.
  bool redirect(const Core& core, const HostOp& op, const HostOperand* operands, View* views, std::size_t count);
  void copy_marked(const Threads& threads, const Core& core, std::int64_t pitch);
  /// After redirect: what the operation writes is no longer a load's.
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
    const HostOp* load;
    bool live, marked;
  };
  struct Box {
    std::int64_t first_partition, last_partition, first_byte, last_byte;
    bool meets(const Entry& e) const {
      return first_partition < e.last_partition && e.first_partition < last_partition && first_byte < e.last_byte &&
             e.first_byte < last_byte;
    }
  };
  static constexpr std::int64_t kBucketBytes = 1024;
  static Box box(const HostOp& op, const HostOperand* operands, std::size_t i, const View& view);
  std::size_t first_bucket(std::int64_t byte) const { return static_cast<std::size_t>(byte / kBucketBytes); }
  std::size_t end_bucket(std::int64_t last_byte) const;
  void enter(const Entry& entry);
  void carve(std::uint32_t id, const Box& box);
  void mark(std::uint32_t id);
  void erase(std::uint32_t id);

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_, marked_, scratch_;  ///< ids of entries
  std::unordered_set<const HostOp*> copied_;            ///< loads whose pieces do not serve what reads them: carried out at once
  std::size_t live_ = 0;
  std::vector<std::vector<std::uint32_t>> buckets_;  ///< per kBucketBytes of a partition: the entries that lie there
};

}  // namespace openneuron::device
