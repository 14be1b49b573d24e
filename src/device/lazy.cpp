#include "device/lazy.h"

#include <algorithm>
#include <cstring>

namespace openneuron::device {
namespace {

constexpr std::int64_t kWorthwhileBytes = 2048;  // smaller loads are copied in less time than they are managed

bool is_indirect_side(const HostOp& op, std::size_t i) {
  return isa::indirect_operand(op) == static_cast<int>(i);
}

bool dense(const HostOperand& o) {
  return o.walk.rank == 0 || (o.walk.rank == 1 && o.walk.strides[0] == byte_width(o.type));
}

}  // namespace

void LazyLoads::clear() {
  entries_.clear();
  buckets_.fill(0);
}

// An indirect side may reach anywhere in its partitions.
LazyLoads::Box LazyLoads::box(const HostOp& op, const HostOperand* operands, std::size_t i, const View& view) {
  const HostOperand& o = operands[i];
  const std::int64_t rows = o.broadcast ? 1 : o.partitions;
  if (is_indirect_side(op, i)) return {view.partition, view.partition + rows, 0, o.limit};
  return {view.partition, view.partition + rows, view.byte + o.low, view.byte + o.high};
}

bool LazyLoads::may_meet(const Box& box) const {
  const std::int64_t last = (box.last_byte - 1) / kBucketBytes;
  for (std::int64_t b = box.first_byte / kBucketBytes; b <= last; ++b)
    if (buckets_[static_cast<std::size_t>(b / 64 % 16)] >> (b % 64) & 1u) return true;
  return false;
}

void LazyLoads::mark_buckets(const Entry& entry) {
  const std::int64_t last = (entry.last_byte - 1) / kBucketBytes;
  for (std::int64_t b = entry.first_byte / kBucketBytes; b <= last; ++b)
    buckets_[static_cast<std::size_t>(b / 64 % 16)] |= std::uint64_t{1} << (b % 64);
}

bool LazyLoads::redirect(const Core& core, const HostOp& op, const HostOperand* operands, View* views,
                         std::size_t count) {
  if (entries_.empty()) return true;
  bool clean = true;
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
      for (Entry& e : entries_)
        if (e.source_low < high && low < e.source_high) {
          e.marked = true;
          clean = false;
        }
      continue;
    }
    const Box b = box(op, operands, i, views[i]);
    if (!may_meet(b)) continue;
    for (Entry& e : entries_) {
      if (b.first_partition >= e.last_partition || e.first_partition >= b.last_partition ||
          b.first_byte >= e.last_byte || e.first_byte >= b.last_byte)
        continue;
      if (writes) {
        const bool covers = dense(o) && !is_indirect_side(op, i) &&
                            !(op.opcode == isa::Opcode::Dma && op.params[1] != 0) &&
                            b.first_partition <= e.first_partition && b.last_partition >= e.last_partition &&
                            b.first_byte <= e.first_byte && b.last_byte >= e.last_byte;
        if (covers) continue;
      } else if (!is_indirect_side(op, i) && b.first_partition >= e.first_partition &&
                 b.last_partition <= e.last_partition && b.first_byte >= e.first_byte && b.last_byte <= e.last_byte) {
        // Entries never overlap, so this is the only one that the operand meets.
        views[i].data = const_cast<std::byte*>(e.source) + (views[i].partition - e.first_partition) * e.pitch +
                        (views[i].byte - e.first_byte);
        if (!o.broadcast) views[i].pitch = e.pitch;
        break;
      }
      e.marked = true;
      clean = false;
    }
  }
  return clean;
}

void LazyLoads::copy_marked(const Core& core, std::int64_t pitch) {
  for (const Entry& e : entries_)
    if (e.marked)
      for (std::int64_t p = e.first_partition; p < e.last_partition; ++p)
        std::memcpy(core.bases[kBaseSbuf] + p * pitch + e.first_byte, e.source + (p - e.first_partition) * e.pitch,
                    static_cast<std::size_t>(e.last_byte - e.first_byte));
  std::erase_if(entries_, [](const Entry& e) { return e.marked; });
}

void LazyLoads::overwrite(const HostOp& op, const HostOperand* operands, const View* views, std::size_t count) {
  if (entries_.empty()) return;
  for (std::size_t i = 0; i < count; ++i) {
    if (operands[i].kind != isa::OperandKind::Memory || operands[i].base != kBaseSbuf || !writes_operand(op, i))
      continue;
    const Box b = box(op, operands, i, views[i]);
    if (!may_meet(b)) continue;
    // What a write still meets after redirect, it covers.
    std::erase_if(entries_, [&](const Entry& e) {
      return b.first_partition < e.last_partition && e.first_partition < b.last_partition &&
             b.first_byte < e.last_byte && e.first_byte < b.last_byte;
    });
  }
  if (entries_.empty()) buckets_.fill(0);
}

bool LazyLoads::add(const HostOp& op, const HostOperand* operands, const View* views) {
  const HostOperand& to = operands[0];
  const HostOperand& from = operands[1];
  if (op.opcode != isa::Opcode::Dma || op.params[0] != 0 || to.base != kBaseSbuf || from.chip || to.type != from.type ||
      to.partitions != from.partitions || to.walk.count != from.walk.count || !dense(to) || !dense(from))
    return false;
  const std::int64_t bytes = to.walk.count * byte_width(to.type);
  if (bytes * to.partitions < kWorthwhileBytes) return false;
  const std::byte* source = views[1].data;
  entries_.push_back({views[0].partition, views[0].partition + to.partitions, views[0].byte, views[0].byte + bytes,
                      source, views[1].pitch, source + from.low, source + from.high, false});
  mark_buckets(entries_.back());
  return true;
}

}  // namespace openneuron::device
