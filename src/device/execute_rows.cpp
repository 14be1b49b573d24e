// Rows found by offsets and added to (DmaCompute), and rows judged by their contents (Max8, FindIndex8, Sort).
#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

#include "device/core.h"
#include "device/strips.h"

namespace openneuron::device {
namespace {

__extension__ typedef __int128 Wide;  // an offset times any stride

constexpr std::size_t kEight = 8;

Walk dense_walk(std::int64_t count, std::int64_t width) {
  Walk w;
  w.rank = 1;
  w.counts[0] = w.count = count;
  w.strides[0] = width;
  return w;
}

// Elements of a row, one after the other.
void gather_row(std::byte* to, const std::byte* row, const Walk& walk, std::int64_t width) {
  WalkCursor cursor(walk, 0);
  for (std::int64_t done = 0; done < walk.count;) {
    const auto run = cursor.next(walk.count - done);
    copy_elements(to + done * width, width, row + run.offset, run.stride, width, run.count);
    done += run.count;
  }
}
void scatter_row(std::byte* row, const Walk& walk, const std::byte* from, std::int64_t width) {
  WalkCursor cursor(walk, 0);
  for (std::int64_t done = 0; done < walk.count;) {
    const auto run = cursor.next(walk.count - done);
    copy_elements(row + run.offset, run.stride, from + done * width, width, width, run.count);
    done += run.count;
  }
}

// Grows with the total order of floats: -NaN < -inf < ... < -0 < +0 < ... < inf < NaN.
std::uint32_t total_order(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}

template <class F>
void for_strips(std::int64_t total, F f) {
  for (std::int64_t first = 0; first < total; first += static_cast<std::int64_t>(kStrip))
    f(first, static_cast<std::size_t>(std::min<std::int64_t>(static_cast<std::int64_t>(kStrip), total - first)));
}

void add_row(const Kernels& kernels, std::byte* to, const HostOperand& destination, const std::byte* from,
             const HostOperand& source, const Walk& source_walk) {
  const Strip strip{kernels};
  if (is_float(destination.type) || is_float(source.type)) {
    float a[kStrip], b[kStrip], sum[kStrip];
    for_strips(destination.walk.count, [&](std::int64_t first, std::size_t n) {
      const float* x = strip.load(to, destination.walk, destination.type, first, n, a);
      const float* y = strip.load(from, source_walk, source.type, first, n, b);
      kernels.alu_f32(isa::AluOp::Add, x, 1, y, 1, sum, n);
      strip.store(to, destination.walk, destination.type, first, n, sum);
    });
    return;
  }
  std::int32_t a[kStrip], b[kStrip], sum[kStrip];
  const bool is_unsigned = type_class(destination.type) == TypeClass::Unsigned;
  for_strips(destination.walk.count, [&](std::int64_t first, std::size_t n) {
    const std::int32_t* x = strip.load_int(to, destination.walk, destination.type, first, n, a);
    const std::int32_t* y = strip.load_int(from, source_walk, source.type, first, n, b);
    kernels.alu_i32(isa::AluOp::Add, is_unsigned, x, 1, y, 1, sum, n);
    strip.store_int(to, destination.walk, destination.type, first, n, sum, is_unsigned);
  });
}

// Numbers that sort as the keys do.
void sort_keys(const Kernels& kernels, const std::byte* keys, ElementType type, std::int64_t n, bool total,
               std::vector<std::uint64_t>& out) {
  std::vector<std::uint32_t> words(static_cast<std::size_t>(n));
  const ElementType wide = is_float(type)                                  ? ElementType::F32
                           : type_class(type) == TypeClass::Unsigned       ? ElementType::U32
                                                                           : ElementType::I32;
  convert_run(kernels, reinterpret_cast<std::byte*>(words.data()), 4, wide, keys, byte_width(type), type, n);
  out.resize(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::uint32_t key = words[i];
    if (wide == ElementType::F32) {
      const float x = std::bit_cast<float>(key);
      if (total)
        key = total_order(x);
      else
        key = x != x ? ~0u : total_order(x == 0 ? 0.0f : x);
    } else if (wide == ElementType::I32) {
      key ^= 0x80000000u;
    }
    out[i] = key;
  }
}

}  // namespace

Result<void> execute_dma_compute(const Context& context, const Core& core, const HostOp& op,
                                 const HostOperand* operands, const View* views) {
  const HostOperand& to = operands[0];
  const HostOperand& from = operands[1];
  const HostOperand& offsets = operands[2];
  std::vector<std::byte> staged;  // a source in the same memory may overlap the row it is added to
  const bool stages = from.base == to.base;
  const Walk dense = dense_walk(from.walk.count, byte_width(from.type));
  for (std::int64_t p = 0; p < to.partitions; ++p) {
    std::int32_t raw;
    std::memcpy(&raw, views[2].data + p * views[2].pitch, sizeof raw);
    const std::int64_t offset =
        offsets.type == ElementType::U32 ? static_cast<std::int64_t>(static_cast<std::uint32_t>(raw)) : raw;
    if (offset < 0 || offset >= to.indirect_limit) {
      if (isa::skips_rows(op)) continue;
      return fail(Code::DeviceOffset, place_of(*context.code, *op.source),
                  "offset " + std::to_string(p) + " is " + std::to_string(offset) + "; the limit is " +
                      std::to_string(to.indirect_limit));
    }
    const Wide byte = views[0].byte + static_cast<Wide>(offset) * to.indirect_stride;
    if (byte + to.low < 0 || byte + to.high > to.limit)
      return fail(Code::DeviceAddress, place_of(*context.code, *op.source),
                  "offset " + std::to_string(p) + ", which is " + std::to_string(offset) +
                      ", leads outside the memory of " + std::to_string(to.limit) + " bytes");
    std::byte* row = core.bases[to.base] + (to.chip ? (views[0].partition + p) * to.pitch : 0) +
                     static_cast<std::int64_t>(byte);
    const std::byte* source = views[1].data + p * views[1].pitch;
    if (stages) {
      staged.resize(static_cast<std::size_t>(from.walk.count * byte_width(from.type)));
      gather_row(staged.data(), source, from.walk, byte_width(from.type));
      source = staged.data();
    }
    add_row(*context.kernels, row, to, source, from, stages ? dense : from.walk);
  }
  return {};
}

void execute_max8(const Context& context, const HostOperand* operands, const View* views) {
  const HostOperand& data = operands[1];
  const std::int64_t width = byte_width(data.type);
  const Strip strip{*context.kernels};
  std::vector<std::byte> row(static_cast<std::size_t>(data.walk.count * width));
  const Walk dense = dense_walk(data.walk.count, width);
  for (std::int64_t p = 0; p < data.partitions; ++p) {
    gather_row(row.data(), views[1].data + p * views[1].pitch, data.walk, width);
    std::uint32_t best[kEight];
    std::int64_t at[kEight];
    std::size_t found = 0;
    float buffer[kStrip];
    for_strips(data.walk.count, [&](std::int64_t first, std::size_t n) {
      const float* x = strip.load(row.data(), dense, data.type, first, n, buffer);
      for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t key = total_order(x[i]);
        if (found == kEight && key <= best[kEight - 1]) continue;
        std::size_t place = found < kEight ? found++ : kEight - 1;
        for (; place > 0 && best[place - 1] < key; --place) {
          best[place] = best[place - 1];
          at[place] = at[place - 1];
        }
        best[place] = key;
        at[place] = first + static_cast<std::int64_t>(i);
      }
    });
    std::byte eight[kEight * 4];
    for (std::size_t i = 0; i < kEight; ++i)
      std::memcpy(eight + i * static_cast<std::size_t>(width), row.data() + at[i] * width,
                  static_cast<std::size_t>(width));
    scatter_row(views[0].data + p * views[0].pitch, operands[0].walk, eight, width);
  }
}

void execute_find_index8(const Context& context, const HostOperand* operands, const View* views) {
  const HostOperand& data = operands[1];
  const HostOperand& values = operands[2];
  const Strip strip{*context.kernels};
  const std::int64_t width = byte_width(operands[0].type);
  for (std::int64_t p = 0; p < data.partitions; ++p) {
    float wanted_buffer[kStrip], buffer[kStrip];
    const float* wanted =
        strip.load(views[2].data + p * views[2].pitch, values.walk, values.type, 0, kEight, wanted_buffer);
    std::uint32_t bits[kEight];
    int before[kEight] = {};  // equal elements that belong to earlier ones of the eight
    for (std::size_t j = 0; j < kEight; ++j) {
      bits[j] = std::bit_cast<std::uint32_t>(wanted[j]);
      for (std::size_t i = 0; i < j; ++i) before[j] += bits[i] == bits[j];
    }
    std::uint32_t lowest = ~0u, highest = 0;  // of the eight, in total order: what lies outside equals none
    for (float x : std::span(wanted, kEight)) {
      lowest = std::min(lowest, total_order(x));
      highest = std::max(highest, total_order(x));
    }
    std::uint32_t index[kEight];
    std::fill_n(index, kEight, ~0u);
    for_strips(data.walk.count, [&](std::int64_t first, std::size_t n) {
      const float* x = strip.load(views[1].data + p * views[1].pitch, data.walk, data.type, first, n, buffer);
      for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t order = total_order(x[i]);
        if (order < lowest || order > highest) continue;
        const auto b = std::bit_cast<std::uint32_t>(x[i]);
        for (std::size_t j = 0; j < kEight; ++j)
          if (b == bits[j] && index[j] == ~0u && before[j]-- == 0)
            index[j] = static_cast<std::uint32_t>(first + static_cast<std::int64_t>(i));
      }
    });
    std::byte eight[kEight * 4];
    for (std::size_t j = 0; j < kEight; ++j)  // little-endian: the low bytes come first
      std::memcpy(eight + j * static_cast<std::size_t>(width), &index[j], static_cast<std::size_t>(width));
    scatter_row(views[0].data + p * views[0].pitch, operands[0].walk, eight, width);
  }
}

void execute_sort(const Context& context, const HostOp& op, const HostOperand* operands, const View* views) {
  const HostOperand& keys = operands[2];
  const bool carries = operands[3].kind == isa::OperandKind::Memory;
  const auto n = static_cast<std::size_t>(keys.walk.count);
  std::vector<std::uint64_t> order;
  std::vector<std::uint32_t> at(n);
  std::vector<std::byte> rows[2], sorted;
  for (std::int64_t p = 0; p < keys.partitions; ++p) {
    for (std::size_t side = 0; side < (carries ? 2u : 1u); ++side) {
      const HostOperand& o = operands[2 + side];
      rows[side].resize(n * static_cast<std::size_t>(byte_width(o.type)));
      gather_row(rows[side].data(), views[2 + side].data + p * views[2 + side].pitch, o.walk, byte_width(o.type));
    }
    sort_keys(*context.kernels, rows[0].data(), keys.type, keys.walk.count, op.params[1] != 0, order);
    std::iota(at.begin(), at.end(), 0u);
    const bool descending = op.params[0] != 0;
    std::stable_sort(at.begin(), at.end(), [&](std::uint32_t a, std::uint32_t b) {
      return descending ? order[a] > order[b] : order[a] < order[b];
    });
    for (std::size_t side = 0; side < (carries ? 2u : 1u); ++side) {
      const HostOperand& o = operands[side];
      const auto width = static_cast<std::size_t>(byte_width(o.type));
      sorted.resize(rows[side].size());
      for (std::size_t i = 0; i < n; ++i)
        std::memcpy(sorted.data() + i * width, rows[side].data() + at[i] * width, width);
      scatter_row(views[side].data + p * views[side].pitch, o.walk, sorted.data(), static_cast<std::int64_t>(width));
    }
  }
}

}  // namespace openneuron::device
