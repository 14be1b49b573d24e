// DMA: elements in row-major order of (partition, free dims) from one access to another, rows moved by offsets.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "device/core.h"
#include "device/strips.h"

namespace openneuron::device {
namespace {

// Goes through the rows of an access, each with its own start.
class Rows {
 public:
  Rows(const HostOperand& operand, const View& view) : operand_(operand), view_(view), cursor_(operand.walk, 0) {
    enter(0);
  }

  // The rest of the present run. Never empty before the last element was taken.
  std::byte* data() const { return row_ + run_.offset; }
  std::int64_t stride() const { return run_.stride; }
  std::int64_t count() const { return run_.count; }
  void take(std::int64_t n) {
    run_.offset += n * run_.stride;
    run_.count -= n;
    in_row_ += n;
    if (run_.count > 0) return;
    if (in_row_ < operand_.walk.count) {
      run_ = cursor_.next(operand_.walk.count);
    } else if (partition_ + 1 < operand_.partitions) {
      enter(partition_ + 1);
    }
  }
  void seek(std::int64_t element) {
    enter(element / operand_.walk.count);
    const std::int64_t within = element % operand_.walk.count;
    if (within == 0) return;
    cursor_ = WalkCursor(operand_.walk, within);
    in_row_ = within;
    run_ = cursor_.next(operand_.walk.count);
  }

 private:
  void enter(std::int64_t partition) {
    partition_ = partition;
    row_ = view_.data + partition * view_.pitch;
    cursor_ = WalkCursor(operand_.walk, 0);
    in_row_ = 0;
    run_ = cursor_.next(operand_.walk.count);
  }

  const HostOperand& operand_;
  const View& view_;
  WalkCursor cursor_;
  std::int64_t partition_ = 0, in_row_ = 0;
  std::byte* row_ = nullptr;
  WalkCursor::Run run_{};
};

void transfer(const Kernels& kernels, const HostOperand& to, const View& to_view, const HostOperand& from,
              const View& from_view, std::int64_t to_first, std::int64_t total, std::int64_t from_first = 0) {
  Rows out(to, to_view), in(from, from_view);
  if (to_first > 0) out.seek(to_first);
  if (from_first > 0) in.seek(from_first);
  for (std::int64_t done = 0; done < total;) {
    const std::int64_t n = std::min({out.count(), in.count(), total - done});
    convert_run(kernels, out.data(), out.stride(), to.type, in.data(), in.stride(), from.type, n);
    out.take(n);
    in.take(n);
    done += n;
  }
}

// Fewer bytes than this are not worth a barrier between threads.
constexpr std::int64_t kParallelBytes = 256 * 1024;

// Whether no two elements of an access share a place.
bool apart(const HostOperand& o, const View& v) {
  for (int d = 0; d < o.walk.rank; ++d)
    if (o.walk.strides[static_cast<std::size_t>(d)] == 0) return false;
  return o.partitions == 1 || v.pitch != 0;
}

// All elements of one access to the other, on all threads where that is worth it.
void transfer_all(const Context& context, const HostOperand& to, const View& to_view, const HostOperand& from,
                  const View& from_view) {
  const std::int64_t total = to.partitions * to.walk.count;
  const bool parallel = context.threads->count() > 1 && total * byte_width(to.type) >= kParallelBytes && apart(to, to_view);
  const std::int64_t pieces = parallel ? 2 * context.threads->count() : 1;
  const auto piece = [&](std::size_t index) {
    const auto i = static_cast<std::int64_t>(index);
    const std::int64_t first = total / pieces * i, last = i + 1 == pieces ? total : total / pieces * (i + 1);
    transfer(*context.kernels, to, to_view, from, from_view, first, last - first, first);
  };
  context.threads->run(static_cast<std::size_t>(pieces), piece);
}

// Whether each row of an access has its bytes to itself.
bool rows_apart(const HostOperand& o, const View& v) {
  return !o.broadcast && (o.chip || std::abs(v.pitch) >= o.high - o.low);
}

// The same for sides of equally many rows: threads divide rows.
void transfer_rows(const Context& context, const HostOperand* operands, const View* views) {
  const HostOperand& to = operands[0];
  const bool parallel = context.threads->count() > 1 && rows_apart(to, views[0]) &&
                        to.partitions * to.walk.count * byte_width(to.type) >= kParallelBytes;
  const std::int64_t pieces = parallel ? std::min<std::int64_t>(2 * context.threads->count(), to.partitions) : 1;
  const auto piece = [&](std::size_t index) {
    const auto i = static_cast<std::int64_t>(index);
    execute_dma_rows(context, operands, views, to.partitions * i / pieces, to.partitions * (i + 1) / pieces);
  };
  context.threads->run(static_cast<std::size_t>(pieces), piece);
}

// Whether the bytes from the first to the last that one side touches meet the other's.
bool overlap(const HostOperand& a, const View& va, const HostOperand& b, const View& vb) {
  if (a.base != b.base) return false;
  if (a.chip &&
      (va.partition >= vb.partition + (b.broadcast ? 1 : b.partitions) || vb.partition >= va.partition + a.partitions))
    return false;
  return va.byte + a.low < vb.byte + b.high && vb.byte + b.low < va.byte + a.high;
}

__extension__ typedef __int128 Wide;  // an offset times any stride

std::int64_t offset_at(const HostOperand& offsets, const View& view, std::int64_t p) {
  std::int32_t raw;
  std::memcpy(&raw, view.data + p * view.pitch, sizeof raw);
  return offsets.type == ElementType::U32 ? static_cast<std::int64_t>(static_cast<std::uint32_t>(raw)) : raw;
}

}  // namespace

namespace {

// A walk of A x B elements of 4 bytes whose A lie together: against a walk in one piece, it is a transpose.
bool turned(const Walk& w) { return w.rank == 2 && w.strides[0] == 4 && w.strides[1] != 4; }
// Several elements of 4 bytes at a time lie together.
bool in_pieces(const Walk& w) { return w.rank > 0 && w.strides[static_cast<std::size_t>(w.rank - 1)] == 4; }
bool in_one_piece(const Walk& w) { return w.rank == 1 && w.strides[0] == 4; }

// The elements of one row from one side to the other.
void copy_row(const Kernels& kernels, std::byte* out, const HostOperand& to, const std::byte* in,
              const HostOperand& from) {
  if (to.type == from.type && byte_width(to.type) == 4) {
    const auto first = [](const Walk& w) { return static_cast<std::size_t>(w.counts[0]); };
    const auto second = [](const Walk& w) { return static_cast<std::size_t>(w.counts[1]); };
    if (in_one_piece(to.walk) && turned(from.walk))
      return kernels.transpose_32(in, static_cast<std::ptrdiff_t>(from.walk.strides[1]), 4, second(from.walk),
                                  first(from.walk), out, static_cast<std::ptrdiff_t>(4 * second(from.walk)));
    if (turned(to.walk) && in_one_piece(from.walk))
      return kernels.transpose_32(in, static_cast<std::ptrdiff_t>(4 * second(to.walk)), 4, first(to.walk), second(to.walk),
                                  out, static_cast<std::ptrdiff_t>(to.walk.strides[1]));
  }
  for_paired_runs(to.walk, from.walk,
                  [&](std::int64_t d, std::int64_t ds, std::int64_t s, std::int64_t ss, std::int64_t n) {
                    convert_run(kernels, out + d, ds, to.type, in + s, ss, from.type, n);
                  });
}

}  // namespace

void execute_dma_rows(const Context& context, const HostOperand* operands, const View* views, std::int64_t first,
                      std::int64_t last) {
  const HostOperand& to = operands[0];
  const HostOperand& from = operands[1];
  const bool simple = to.type == from.type && to.walk.rank <= 1 && from.walk.rank <= 1;
  const std::int64_t width = byte_width(to.type);
  const std::int64_t to_stride = to.walk.rank ? to.walk.strides[0] : width,
                     from_stride = from.walk.rank ? from.walk.strides[0] : width;
  const std::int64_t count = to.walk.count;
  if (simple && width == 4 && count >= 4 && last - first >= 4) {
    // One side lies with its partitions next to each other: the transfer is a transpose.
    const auto rows = static_cast<std::size_t>(last - first), columns = static_cast<std::size_t>(count);
    if (from_stride != 4 && views[1].pitch == 4 && to_stride == 4)
      return context.kernels->transpose_32(views[1].data + 4 * first, static_cast<std::ptrdiff_t>(from_stride), 4, columns,
                                           rows, views[0].data + first * views[0].pitch,
                                           static_cast<std::ptrdiff_t>(views[0].pitch));
    if (to_stride != 4 && views[0].pitch == 4 && from_stride == 4)
      return context.kernels->transpose_32(views[1].data + first * views[1].pitch,
                                           static_cast<std::ptrdiff_t>(views[1].pitch), 4, rows, columns,
                                           views[0].data + 4 * first, static_cast<std::ptrdiff_t>(to_stride));
  }
  if (simple && count == 1)
    return copy_elements(views[0].data + first * views[0].pitch, views[0].pitch, views[1].data + first * views[1].pitch,
                         views[1].pitch, width, last - first);
  if (to.type == from.type && width == 4 && in_pieces(to.walk) && in_pieces(from.walk)) {
    // Piece by piece through all rows: those of neighbouring partitions often follow each other in HBM.
    for_paired_runs(to.walk, from.walk,
                    [&](std::int64_t d, std::int64_t, std::int64_t s, std::int64_t, std::int64_t n) {
                      context.kernels->copy_rows_32(views[1].data + first * views[1].pitch + s, views[1].pitch,
                                                    views[0].data + first * views[0].pitch + d, views[0].pitch,
                                                    static_cast<std::size_t>(last - first), static_cast<std::size_t>(n));
                    });
    return;
  }
  for (std::int64_t p = first; p < last; ++p) {
    std::byte* out = views[0].data + p * views[0].pitch;
    const std::byte* in = views[1].data + p * views[1].pitch;
    if (simple) {
      copy_elements(out, to_stride, in, from_stride, width, to.walk.count);
      continue;
    }
    copy_row(*context.kernels, out, to, in, from);
  }
}

Result<void> execute_dma(const Context& context, const Core& core, const HostOp& op, const HostOperand* operands,
                         const View* views) {
  const HostOperand& to = operands[0];
  const HostOperand& from = operands[1];
  const Kernels& kernels = *context.kernels;
  const int indirect = op.params[0];
  if (indirect == 0 && overlap(to, views[0], from, views[1])) {
    // Everything is read before anything is written.
    std::vector<std::byte> copy(static_cast<std::size_t>(from.partitions * from.walk.count * byte_width(from.type)));
    HostOperand dense = from;
    dense.walk = Walk{};
    dense.walk.rank = 1;
    dense.walk.counts[0] = dense.walk.count = from.walk.count;
    dense.walk.strides[0] = byte_width(from.type);
    const View row{copy.data(), from.walk.count * byte_width(from.type), 0, 0};
    transfer(kernels, dense, row, from, views[1], 0, from.partitions * from.walk.count);
    transfer(kernels, to, views[0], dense, row, 0, from.partitions * from.walk.count);
    return {};
  }
  if (indirect == 0) {
    if (to.partitions == from.partitions) {
      transfer_rows(context, operands, views);
      return {};
    }
    if (to.type == from.type && to.partitions == 1 && to.walk.rank <= 1 && from.walk.count == 1) {
      // A column becomes a row.
      const std::int64_t width = byte_width(to.type);
      copy_elements(views[0].data, to.walk.rank ? to.walk.strides[0] : width, views[1].data, views[1].pitch, width,
                    from.partitions);
      return {};
    }
    transfer_all(context, to, views[0], from, views[1]);
    return {};
  }
  const std::size_t side = indirect == 1 ? 1 : 0;  // the one whose rows are found by offsets
  const HostOperand& moved = operands[side];
  const HostOperand& offsets = operands[2];
  const bool skip = op.params[1] != 0;
  for (std::int64_t p = 0; p < moved.partitions; ++p) {
    const std::int64_t offset = offset_at(offsets, views[2], p);
    if (offset < 0 || offset >= moved.indirect_limit) {
      if (skip) continue;
      return fail(Code::DeviceOffset, place_of(*context.code, *op.source),
                  "offset " + std::to_string(p) + " is " + std::to_string(offset) + "; the limit is " +
                      std::to_string(moved.indirect_limit));
    }
    const Wide distance = static_cast<Wide>(offset) * moved.indirect_stride;
    const Wide byte = views[side].byte + distance;
    if (byte + moved.low < 0 || byte + moved.high > moved.limit)
      return fail(Code::DeviceAddress, place_of(*context.code, *op.source),
                  "offset " + std::to_string(p) + ", which is " + std::to_string(offset) +
                      ", leads outside the memory of " + std::to_string(moved.limit) + " bytes");
    // On chip, offsets move along the partition: row p stays in partition p. In HBM the row starts at the offset.
    const std::int64_t partition = moved.chip ? (views[side].partition + p) * moved.pitch : 0;
    const View row{core.bases[moved.base] + partition + static_cast<std::int64_t>(byte), views[side].pitch, 0, 0};
    HostOperand one = moved;
    one.partitions = 1;
    const std::int64_t n = moved.walk.count;
    if (indirect == 1) {
      transfer(kernels, to, views[0], one, row, p * n, n);
    } else {
      const HostOperand& source = from;
      Rows in(source, views[1]);
      in.seek(p * n);
      Rows out(one, row);
      for (std::int64_t done = 0; done < n;) {
        const std::int64_t m = std::min({out.count(), in.count(), n - done});
        convert_run(kernels, out.data(), out.stride(), to.type, in.data(), in.stride(), source.type, m);
        out.take(m);
        in.take(m);
        done += m;
      }
    }
  }
  return {};
}

}  // namespace openneuron::device
