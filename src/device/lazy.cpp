#include "device/lazy.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "device/strips.h"

namespace openneuron::device {
namespace {

constexpr std::int64_t kWorthwhileBytes = 2048;  // smaller pieces are copied in less time than they are managed
constexpr std::int64_t kMostPieces = 32;         // of a load
constexpr std::int64_t kParallelBytes = 256 * 1024;  // less is copied before a second thread has started

bool is_indirect_side(const HostOp& op, std::size_t i) {
  return isa::indirect_operand(op) == static_cast<int>(i);
}

bool dense(const HostOperand& o) {
  return o.walk.rank == 0 || (o.walk.rank == 1 && o.walk.strides[0] == byte_width(o.type));
}

// Whether a write leaves nothing of what was in its box.
bool replaces(const HostOp& op, const HostOperand* operands, std::size_t i) {
  return dense(operands[i]) && !is_indirect_side(op, i) && !(op.opcode == isa::Opcode::Dma && op.params[1] != 0);
}

}  // namespace

void LazyLoads::clear() {
  if (live_ > 0)
    for (auto& bucket : buckets_) bucket.clear();
  entries_.clear();
  free_.clear();
  marked_.clear();
  live_ = 0;
}

// An indirect side may reach anywhere in its partitions.
LazyLoads::Box LazyLoads::box(const HostOp& op, const HostOperand* operands, std::size_t i, const View& view) {
  const HostOperand& o = operands[i];
  const std::int64_t rows = o.broadcast ? 1 : o.partitions;
  if (is_indirect_side(op, i)) return {view.partition, view.partition + rows, 0, o.limit};
  return {view.partition, view.partition + rows, view.byte + o.low, view.byte + o.high};
}

std::size_t LazyLoads::end_bucket(std::int64_t last_byte) const {
  return std::min(buckets_.size(), static_cast<std::size_t>((last_byte + kBucketBytes - 1) / kBucketBytes));
}

void LazyLoads::mark(std::uint32_t id) {
  if (entries_[id].marked) return;
  entries_[id].marked = true;
  marked_.push_back(id);
}

void LazyLoads::erase(std::uint32_t id) {
  Entry& e = entries_[id];
  for (std::size_t b = first_bucket(e.first_byte); b < end_bucket(e.last_byte); ++b) {
    auto& bucket = buckets_[b];
    bucket.erase(std::find(bucket.begin(), bucket.end(), id));
  }
  e.live = false;
  free_.push_back(id);
  --live_;
}

// What a write leaves of an entry.
void LazyLoads::carve(std::uint32_t id, const Box& b) {
  const Entry e = entries_[id];
  erase(id);
  const auto keep = [&](std::int64_t first_partition, std::int64_t last_partition, std::int64_t first_byte,
                        std::int64_t last_byte) {
    if (first_partition >= last_partition || first_byte >= last_byte) return;
    Entry part = e;
    part.first_partition = first_partition;
    part.last_partition = last_partition;
    part.first_byte = first_byte;
    part.last_byte = last_byte;
    part.source += (first_partition - e.first_partition) * e.pitch + (first_byte - e.first_byte);
    enter(part);
  };
  const std::int64_t first = std::max(e.first_partition, b.first_partition),
                     last = std::min(e.last_partition, b.last_partition);
  keep(e.first_partition, first, e.first_byte, e.last_byte);
  keep(last, e.last_partition, e.first_byte, e.last_byte);
  keep(first, last, e.first_byte, b.first_byte);
  keep(first, last, b.last_byte, e.last_byte);
}

bool LazyLoads::redirect(const Core& core, const HostOp& op, const HostOperand* operands, View* views,
                         std::size_t count) {
  if (live_ == 0) return true;
  for (std::size_t i = 0; i < count; ++i) {
    const HostOperand& o = operands[i];
    if (o.kind != isa::OperandKind::Memory || o.base == kBasePsum) continue;
    const bool writes = writes_operand(op, i);
    if (!o.chip) {
      if (!writes) continue;
      const bool anywhere = is_indirect_side(op, i);
      const std::byte* start = core.bases[o.base];
      const std::byte* low = anywhere ? start : views[i].data + o.low;
      const std::byte* high = anywhere ? start + o.limit : views[i].data + o.high;
      for (std::uint32_t id = 0; id < entries_.size(); ++id)
        if (entries_[id].live && entries_[id].source_low < high && low < entries_[id].source_high) mark(id);
      continue;
    }
    const Box b = box(op, operands, i, views[i]);
    bool redirected = false;
    for (std::size_t at = first_bucket(b.first_byte); at < end_bucket(b.last_byte) && !redirected; ++at)
      for (const std::uint32_t id : buckets_[at]) {
        const Entry& e = entries_[id];
        if (!b.meets(e)) continue;
        if (writes) {
          if (!replaces(op, operands, i)) mark(id);
        } else if (!is_indirect_side(op, i) && b.first_partition >= e.first_partition &&
                   b.last_partition <= e.last_partition && b.first_byte >= e.first_byte && b.last_byte <= e.last_byte) {
          // Entries never overlap, so this is the only one that the operand meets.
          views[i].data = const_cast<std::byte*>(e.source) + (views[i].partition - e.first_partition) * e.pitch +
                          (views[i].byte - e.first_byte);
          if (!o.broadcast) views[i].pitch = e.pitch;
          redirected = true;
          break;
        } else {
          mark(id);
          copied_.insert(e.load);
        }
      }
  }
  return marked_.empty();
}

// Entries never overlap, so threads copy in any order.
void LazyLoads::copy_marked(const Threads& threads, const Core& core, std::int64_t pitch) {
  std::int64_t bytes = 0;
  for (const std::uint32_t id : marked_) {
    const Entry& e = entries_[id];
    bytes += (e.last_partition - e.first_partition) * (e.last_byte - e.first_byte);
  }
  const std::int64_t parts = threads.count() > 1 && bytes >= kParallelBytes ? 2 * threads.count() : 1;
  const auto part = [&](std::size_t index) {
    const Entry& e = entries_[marked_[index / static_cast<std::size_t>(parts)]];
    const std::int64_t i = static_cast<std::int64_t>(index) % parts, rows = e.last_partition - e.first_partition;
    for (std::int64_t p = rows * i / parts; p < rows * (i + 1) / parts; ++p)
      std::memcpy(core.bases[kBaseSbuf] + (e.first_partition + p) * pitch + e.first_byte, e.source + p * e.pitch,
                  static_cast<std::size_t>(e.last_byte - e.first_byte));
  };
  const std::size_t count = marked_.size() * static_cast<std::size_t>(parts);
  if (parts > 1)
    threads.run(count, part);
  else
    for (std::size_t i = 0; i < count; ++i) part(i);
  for (const std::uint32_t id : marked_) erase(id);
  marked_.clear();
}

void LazyLoads::overwrite(const HostOp& op, const HostOperand* operands, const View* views, std::size_t count) {
  if (live_ == 0) return;
  for (std::size_t i = 0; i < count; ++i) {
    if (operands[i].kind != isa::OperandKind::Memory || operands[i].base != kBaseSbuf || !writes_operand(op, i))
      continue;
    const Box b = box(op, operands, i, views[i]);
    scratch_.clear();
    for (std::size_t at = first_bucket(b.first_byte); at < end_bucket(b.last_byte); ++at)
      for (const std::uint32_t id : buckets_[at])
        if (b.meets(entries_[id])) scratch_.push_back(id);
    for (const std::uint32_t id : scratch_)
      if (entries_[id].live) carve(id, b);
  }
}

bool LazyLoads::add(const HostOp& op, const HostOperand* operands, const View* views) {
  const HostOperand& to = operands[0];
  const HostOperand& from = operands[1];
  if (op.opcode != isa::Opcode::Dma || op.params[0] != 0 || to.base != kBaseSbuf || from.chip || to.type != from.type ||
      to.partitions != from.partitions || to.walk.count != from.walk.count || copied_.count(&op) != 0)
    return false;
  // Each piece that lies together on both sides becomes an entry.
  const std::int64_t width = byte_width(to.type);
  std::int64_t pieces = 0, end = std::numeric_limits<std::int64_t>::min();
  bool fits = true;
  for_paired_runs(to.walk, from.walk,
                  [&](std::int64_t d, std::int64_t d_stride, std::int64_t, std::int64_t s_stride, std::int64_t n) {
                    fits = fits && ++pieces <= kMostPieces && d >= end && n * width * to.partitions >= kWorthwhileBytes &&
                           ((d_stride == width && s_stride == width) || n == 1);
                    end = d + n * width;
                  });
  if (!fits) return false;
  const std::int64_t reach = views[1].pitch * (to.partitions - 1);
  for_paired_runs(to.walk, from.walk,
                  [&](std::int64_t d, std::int64_t, std::int64_t s, std::int64_t, std::int64_t n) {
                    const std::byte* source = views[1].data + s;
                    const std::int64_t first = views[0].byte + d, bytes = n * width;
                    enter({views[0].partition, views[0].partition + to.partitions, first, first + bytes, source,
                           views[1].pitch, source + std::min<std::int64_t>(0, reach),
                           source + bytes + std::max<std::int64_t>(0, reach), &op, true, false});
                  });
  return true;
}

void LazyLoads::enter(const Entry& entry) {
  std::uint32_t id = static_cast<std::uint32_t>(entries_.size());
  if (free_.empty()) {
    entries_.push_back(entry);
  } else {
    id = free_.back();
    free_.pop_back();
    entries_[id] = entry;
  }
  ++live_;
  const auto end = static_cast<std::size_t>((entry.last_byte + kBucketBytes - 1) / kBucketBytes);
  if (buckets_.size() < end) buckets_.resize(end);
  for (std::size_t b = first_bucket(entry.first_byte); b < end; ++b) buckets_[b].push_back(id);
}

}  // namespace openneuron::device
