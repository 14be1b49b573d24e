#include "device/product.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "device/pairs.h"
#include "device/strips.h"

namespace openneuron::device {
namespace {

constexpr std::size_t kLine = 16;      // floats of a cache line
constexpr std::size_t kRowsAhead = 2;  // rows lie far apart: those to come are asked for while one is copied
// Rows far apart lie in a page each: from so many columns on, the kernel gains more by a copy of the stationary tile than
// it takes; from so many rows on, by panels of the moving one.
constexpr std::size_t kWorthCopying = 128, kWorthPacking = 64;

std::size_t round_up(std::size_t n, std::size_t unit) { return (n + unit - 1) / unit * unit; }
// Rows an odd number of lines apart share no cache set until all sets are used.
std::size_t odd_lines(std::size_t n) { return ((n + kLine - 1) / kLine | 1) * kLine; }

struct Buffers {
  std::vector<float> stationary, moving, sums;
};
Buffers& buffers() {
  static thread_local Buffers mine;
  return mine;
}
float* room(std::vector<float>& buffer, std::size_t n) {
  if (buffer.size() < n + kLine) buffer.resize(n + kLine);
  const auto at = reinterpret_cast<std::uintptr_t>(buffer.data());
  return buffer.data() + (round_up(at, 64) - at) / sizeof(float);
}

bool dense(const HostOperand& o) {
  return o.walk.rank == 0 || (o.walk.rank == 1 && o.walk.strides[0] == byte_width(o.type));
}

struct Rows {
  const float* data;
  std::size_t pitch;  // floats
};

// Whether the kernels cannot read it where it lies: rows of SBUF are on different cache sets; those of a load that was not
// carried out may not be.
bool needs_copy(const HostOperand& o, const View& view) {
  return o.type != ElementType::F32 || !o.chip || view.pitch != o.pitch || view.pitch % 4 != 0 ||
         !in_place(view.data, o.walk, 4);
}

// Elements first..first+n-1 of each partition as fp32, each read `uses` times; rows up to k_padded are zeros.
Rows rows_of(const Kernels& kernels, const HostOperand& o, const View& view, std::size_t first, std::size_t n,
             std::size_t k_padded, std::size_t uses, std::vector<float>& buffer) {
  if (uses < kWorthCopying && !needs_copy(o, view))
    return {reinterpret_cast<const float*>(view.data) + first, static_cast<std::size_t>(view.pitch) / sizeof(float)};
  const auto k = static_cast<std::size_t>(o.partitions), width = static_cast<std::size_t>(byte_width(o.type));
  const std::size_t pitch = odd_lines(n);
  float* const out = room(buffer, k_padded * pitch);
  const bool plain = dense(o) && (o.type == ElementType::F32 || o.type == ElementType::BF16);
  const Strip strip{kernels};
  const std::byte* row = view.data;
  float* to = out;
  for (std::size_t i = 0; i < k; ++i, row += view.pitch, to += pitch) {
    if (plain) {
      const std::byte* from = row + first * width;
      if (i + kRowsAhead < k)
        for (std::size_t byte = 0; byte < n * width; byte += 64)
          __builtin_prefetch(from + static_cast<std::int64_t>(kRowsAhead) * view.pitch + byte);
      if (o.type == ElementType::F32)
        std::memcpy(to, from, n * sizeof(float));
      else
        kernels.bf16_to_f32(from, to, n);
      continue;
    }
    const float* from = strip.load(row, o.walk, o.type, static_cast<std::int64_t>(first), n, to);
    if (from != to) std::memcpy(to, from, n * sizeof(float));
  }
  for (std::size_t i = k; i < k_padded; ++i, to += pitch) std::fill_n(to, n, 0.0f);
  return {out, pitch};
}

// The same as rows of pairs.
Rows paired_rows_of(const Kernels& kernels, const HostOperand& o, const View& view, std::size_t first, std::size_t n,
                    std::vector<float>& buffer) {
  const std::size_t rows = pair_rows(static_cast<std::size_t>(o.partitions)), pitch = odd_lines(n);
  float* const out = room(buffer, rows * pitch);
  for (std::size_t i = 0; i < rows; ++i) pair_row(kernels, o, view, i, first, n, out + i * pitch, n, 0);
  return {out, pitch};
}

}  // namespace

bool worth_packing(const Kernels& kernels, const Product& p) {
  const bool pairs = kernels.matmul_bf16_pairs != nullptr && p.stationary->type == ElementType::BF16 &&
                     p.moving->type == ElementType::BF16;
  return !pairs && static_cast<std::size_t>(p.stationary->walk.count) >= kWorthPacking;
}

BlockSum::BlockSum(const Kernels& kernels, const Panels& panels, const HostOperand& to, const View& view,
                   const Block& block)
    : kernels_(kernels), panels_(panels), to_(to), view_(view), block_(block) {
  in_place_ = in_place(view.data, to.walk, 4) && view.pitch % 4 == 0;
  if (in_place_) {
    pitch_ = static_cast<std::size_t>(view.pitch) / sizeof(float);
    sums_ = reinterpret_cast<float*>(view.data) + block.row * pitch_ + block.column;
  } else {
    pitch_ = odd_lines(block.columns);
    sums_ = room(buffers().sums, block.rows * pitch_);
  }
}

void BlockSum::load_sums() {
  if (in_place_ || loaded_) return;
  const Strip strip{kernels_};
  for (std::size_t r = 0; r < block_.rows; ++r) {
    float* line = sums_ + r * pitch_;
    const std::byte* row = view_.data + static_cast<std::int64_t>(block_.row + r) * view_.pitch;
    const float* from =
        strip.load(row, to_.walk, to_.type, static_cast<std::int64_t>(block_.column), block_.columns, line);
    if (from != line) std::memcpy(line, from, block_.columns * sizeof(float));
  }
}

void BlockSum::add(const Product& p, const Product* next) {
  if (p.accumulate) load_sums();
  loaded_ = true;
  const bool small = is_small(p.moving->type);
  if (kernels_.matmul_bf16_pairs != nullptr && p.stationary->type == ElementType::BF16 &&
      p.moving->type == ElementType::BF16) {
    multiply_pairs(kernels_, p, block_, sums_, pitch_);
    return;
  }
  const auto k = static_cast<std::size_t>(p.moving->partitions);
  const bool pairs = p.form == RowForm::Pairs;
  const std::size_t k_padded = pairs ? pair_rows(k) : small ? round_up(k, kSmallBlock) : k;
  const auto rows = [&](const HostOperand& o, const View& view, std::size_t first, std::size_t n, std::size_t uses,
                        std::vector<float>& buffer) {
    return pairs ? paired_rows_of(kernels_, o, view, first, n, buffer)
                 : rows_of(kernels_, o, view, first, n, k_padded, uses, buffer);
  };
  const Rows a = rows(*p.stationary, p.stationary_view, block_.row, block_.rows, block_.columns, buffers().stationary);
  Rows b;
  std::size_t panel = 0;
  const float* after = nullptr;
  if (p.slot != Panels::kNone) {
    // Blocks begin where panels do.
    const auto width = static_cast<std::size_t>((small ? kernels_.tile_16 : kernels_.tile_32).columns);
    b = {panels_.panel(p.slot, block_.column / width), width};
    panel = panels_.panel_floats(p.slot);
    if (next != nullptr && next->slot != Panels::kNone) after = panels_.panel(next->slot, block_.column / width);
  } else {
    b = rows(*p.moving, p.moving_view, block_.column, block_.columns, 0, buffers().moving);
  }
  const MatmulBlock block{a.data,         a.pitch, b.data, b.pitch,      k_padded, block_.rows,
                          block_.columns, sums_,   pitch_, p.accumulate, panel,    after};
  if (!small) return kernels_.matmul_32(block);
  const unsigned state = kernels_.small_begin();
  (pairs ? kernels_.matmul_bf16 : kernels_.matmul_16)(block);
  kernels_.small_end(state);
}

void BlockSum::finish() {
  if (in_place_ || !loaded_) return;
  const Strip strip{kernels_};
  for (std::size_t r = 0; r < block_.rows; ++r)
    strip.store(view_.data + static_cast<std::int64_t>(block_.row + r) * view_.pitch, to_.walk, to_.type,
                static_cast<std::int64_t>(block_.column), block_.columns, sums_ + r * pitch_);
}

}  // namespace openneuron::device
