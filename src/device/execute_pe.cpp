// PE: packing of the stationary tile, matmul in register tiles, transpose.
#include <algorithm>
#include <cstring>

#include "device/core.h"
#include "device/strips.h"

namespace openneuron::device {
namespace {

// Below this many multiply-adds a matmul is not worth a barrier between threads.
constexpr std::size_t kSmallMatmul = std::size_t{1} << 18;

// Columns of the moving operand that one thread packs together: long enough pieces of a row to be fetched ahead.
constexpr std::size_t kMovingColumns = 128;

std::size_t round_up(std::size_t n, std::size_t unit) { return (n + unit - 1) / unit * unit; }

bool is_small(ElementType type) { return byte_width(type) < 4; }

// fp32 or bf16, the elements of a row one after the other.
bool packs_directly(const HostOperand& o) {
  return (o.type == ElementType::F32 || o.type == ElementType::BF16) &&
         (o.walk.rank == 0 || (o.walk.rank == 1 && o.walk.strides[0] == byte_width(o.type)));
}

// Columns first..first+n-1 of every partition of `operand` into panels [n / columns][k_padded][columns], zeros beyond n
// and k.
void pack_columns(const Kernels& kernels, const HostOperand& operand, const View& view, std::int64_t first,
                  std::size_t n, std::size_t k, std::size_t k_padded, std::size_t columns, float* panels) {
  const std::size_t n_padded = round_up(n, columns);
  for (std::size_t panel = 0; panel < n_padded; panel += columns)
    std::fill(panels + panel * k_padded + k * columns, panels + (panel + columns) * k_padded, 0.0f);
  if (packs_directly(operand)) {
    const auto pack = operand.type == ElementType::F32 ? kernels.pack_moving_f32 : kernels.pack_moving_bf16;
    pack(view.data + first * byte_width(operand.type), static_cast<std::ptrdiff_t>(view.pitch), k, n, k_padded, panels);
    return;
  }
  const Strip strip{kernels};
  float line[kMovingColumns];
  for (std::size_t i = 0; i < k; ++i) {
    const std::byte* row = view.data + static_cast<std::int64_t>(i) * view.pitch;
    const float* from = strip.load(row, operand.walk, operand.type, first, n, line);
    for (std::size_t panel = 0; panel < n_padded; panel += columns) {
      float* to = panels + panel * k_padded + i * columns;
      const std::size_t here = std::min(columns, n - panel);
      std::memcpy(to, from + panel, here * sizeof(float));
      std::fill(to + here, to + columns, 0.0f);
    }
  }
}

struct Panels {
  std::vector<float> moving;
  std::vector<float> tile;
  std::vector<std::uint16_t> pairs;
};
Panels& panels() {
  static thread_local Panels mine;
  return mine;
}

// ---- bf16 by pairs of k (AMX): tiles of 16 x 16, 32 k at a time.
constexpr std::size_t kPairTile = 16;

// f(index, bits) for elements first..first+n-1 of a row of bf16.
template <class F>
void for_halves(const std::byte* row, const Walk& walk, std::int64_t first, std::size_t n, F f) {
  WalkCursor cursor(walk, first);
  for (std::size_t done = 0; done < n;) {
    const auto run = cursor.next(static_cast<std::int64_t>(n - done));
    for (std::int64_t i = 0; i < run.count; ++i, ++done) {
      std::uint16_t raw;
      std::memcpy(&raw, row + run.offset + i * run.stride, 2);
      f(done, raw);
    }
  }
}

// [M / 16][16][k padded], zeros beyond M and K.
void pack_stationary_pairs(Stationary& s, const HostOperand& source, const View& view) {
  const std::size_t k_padded = round_up(s.k, kSmallBlock);
  s.pairs.assign(round_up(s.m, kPairTile) * k_padded, 0);
  for (std::size_t k = 0; k < s.k; ++k)
    for_halves(view.data + static_cast<std::int64_t>(k) * view.pitch, source.walk, 0, s.m,
               [&](std::size_t m, std::uint16_t raw) { s.pairs[m * k_padded + k] = raw; });
}

// Columns first..first+15: all of M against them.
void matmul_pairs(const Kernels& kernels, const Stationary& s, const HostOperand* operands, const View* views,
                  std::int64_t first, std::size_t n, bool accumulate) {
  const std::size_t k_padded = round_up(s.k, kSmallBlock);
  Panels& scratch = panels();
  scratch.pairs.assign(k_padded * kPairTile, 0);
  for (std::size_t k = 0; k < s.k; ++k)
    for_halves(views[1].data + static_cast<std::int64_t>(k) * views[1].pitch, operands[1].walk, first, n,
               [&](std::size_t j, std::uint16_t raw) { scratch.pairs[k / 2 * 2 * kPairTile + 2 * j + k % 2] = raw; });
  if (scratch.tile.size() < kPairTile * kPairTile) scratch.tile.resize(kPairTile * kPairTile);
  const Strip strip{kernels};
  const HostOperand& to = operands[0];
  float* tile = scratch.tile.data();
  for (std::size_t m = 0; m < s.m; m += kPairTile) {
    const std::size_t here = std::min(kPairTile, s.m - m);
    std::byte* out = views[0].data + static_cast<std::int64_t>(m) * views[0].pitch;
    std::fill_n(tile, kPairTile * kPairTile, 0.0f);
    if (accumulate)
      for (std::size_t r = 0; r < here; ++r) {
        float* line = tile + r * kPairTile;
        const float* from =
            strip.load(out + static_cast<std::int64_t>(r) * views[0].pitch, to.walk, to.type, first, n, line);
        if (from != line) std::memcpy(line, from, n * sizeof(float));
      }
    kernels.matmul_bf16_pairs(s.pairs.data() + m * k_padded, scratch.pairs.data(), k_padded, tile, kPairTile,
                              accumulate);
    for (std::size_t r = 0; r < here; ++r)
      strip.store(out + static_cast<std::int64_t>(r) * views[0].pitch, to.walk, to.type, first, n,
                  tile + r * kPairTile);
  }
}

// Up to kMovingColumns of N: rows m_first..m_last-1 of M against them.
void matmul_columns(const Kernels& kernels, const Stationary& stationary, const HostOperand* operands,
                    const View* views, std::int64_t first, std::size_t n, std::size_t m_first, std::size_t m_last,
                    bool accumulate) {
  const bool small = stationary.small;
  const TileShape shape = small ? kernels.tile_16 : kernels.tile_32;
  const auto rows = static_cast<std::size_t>(shape.rows), columns = static_cast<std::size_t>(shape.columns);
  const std::size_t k_padded = small ? round_up(stationary.k, kSmallBlock) : stationary.k;
  const auto multiply = small ? kernels.matmul_16 : kernels.matmul_32;
  Panels& scratch = panels();
  if (scratch.moving.size() < k_padded * kMovingColumns) scratch.moving.resize(k_padded * kMovingColumns);
  if (scratch.tile.size() < rows * columns) scratch.tile.resize(rows * columns);
  pack_columns(kernels, operands[1], views[1], first, n, stationary.k, k_padded, columns, scratch.moving.data());
  const Strip strip{kernels};
  const HostOperand& to = operands[0];
  const bool in_rows = in_place(views[0].data, to.walk, 4) && views[0].pitch % 4 == 0;
  for (std::size_t panel = 0; panel < n; panel += columns) {
    const float* moving = scratch.moving.data() + panel * k_padded;
    const std::size_t n_here = std::min(columns, n - panel);
    const std::int64_t at = first + static_cast<std::int64_t>(panel);
    for (std::size_t m = m_first; m < m_last; m += rows) {
      const float* held = stationary.panels.data() + m * k_padded;
      const std::size_t m_here = std::min(rows, stationary.m - m);
      std::byte* out = views[0].data + static_cast<std::int64_t>(m) * views[0].pitch;
      if (in_rows && n_here == columns && m_here == rows) {
        multiply(held, moving, k_padded, reinterpret_cast<float*>(out) + at,
                 static_cast<std::size_t>(views[0].pitch) / 4, accumulate);
        continue;
      }
      float* tile = scratch.tile.data();
      std::fill_n(tile, rows * columns, 0.0f);
      if (accumulate)
        for (std::size_t r = 0; r < m_here; ++r) {
          const float* from = strip.load(out + static_cast<std::int64_t>(r) * views[0].pitch, to.walk, to.type, at,
                                         n_here, tile + r * columns);
          if (from != tile + r * columns) std::memcpy(tile + r * columns, from, n_here * sizeof(float));
        }
      multiply(held, moving, k_padded, tile, columns, accumulate);
      for (std::size_t r = 0; r < m_here; ++r)
        strip.store(out + static_cast<std::int64_t>(r) * views[0].pitch, to.walk, to.type, at, n_here,
                    tile + r * columns);
    }
  }
}

}  // namespace

void execute_load_stationary(const Context& context, Core& core, const HostOperand* operands,
                             const View* views) {
  const Kernels& kernels = *context.kernels;
  const HostOperand& source = operands[0];
  Stationary& s = core.stationary;
  s.loaded = true;
  s.small = is_small(source.type);
  s.bf16 = source.type == ElementType::BF16;
  s.k = static_cast<std::size_t>(source.partitions);
  s.m = static_cast<std::size_t>(source.walk.count);
  if (s.bf16 && kernels.matmul_bf16_pairs != nullptr) pack_stationary_pairs(s, source, views[0]);
  const auto rows = static_cast<std::size_t>(s.small ? kernels.tile_16.rows : kernels.tile_32.rows);
  const std::size_t k_padded = s.small ? round_up(s.k, kSmallBlock) : s.k;
  const std::size_t m_padded = round_up(s.m, rows);
  if (s.panels.size() < m_padded * k_padded) s.panels.resize(m_padded * k_padded);
  if (packs_directly(source)) {
    const auto pack = source.type == ElementType::F32 ? kernels.pack_stationary_f32 : kernels.pack_stationary_bf16;
    pack(views[0].data, static_cast<std::ptrdiff_t>(views[0].pitch), s.k, s.m, k_padded, s.panels.data());
    for (std::size_t m = 0; m < m_padded; m += rows)
      std::fill_n(s.panels.data() + m * k_padded + s.k * rows, (k_padded - s.k) * rows, 0.0f);
    return;
  }
  const Strip strip{kernels};
  std::vector<float>& line = panels().tile;
  if (line.size() < m_padded) line.resize(m_padded);
  for (std::size_t k = 0; k < k_padded; ++k) {
    if (k < s.k) {
      const float* from = strip.load(views[0].data + static_cast<std::int64_t>(k) * views[0].pitch, source.walk,
                                     source.type, 0, s.m, line.data());
      if (from != line.data()) std::memcpy(line.data(), from, s.m * sizeof(float));
      std::fill(line.begin() + static_cast<std::ptrdiff_t>(s.m), line.begin() + static_cast<std::ptrdiff_t>(m_padded),
                0.0f);
    } else {
      std::fill_n(line.data(), m_padded, 0.0f);
    }
    for (std::size_t m = 0; m < m_padded; m += rows)
      std::memcpy(s.panels.data() + m * k_padded + k * rows, line.data() + m, rows * sizeof(float));
  }
}

Result<void> check_stationary(const Context& context, const HostOp& matmul, std::size_t k, std::size_t m, bool small,
                              const HostOperand* operands) {
  const HostOperand &to = operands[0], &moving = operands[1];
  if (k == static_cast<std::size_t>(moving.partitions) && m == static_cast<std::size_t>(to.partitions) &&
      small == is_small(moving.type))
    return {};
  return fail(Code::DeviceStationary, place_of(*context.code, *matmul.source),
              "the stationary tile is [" + std::to_string(k) + ", " + std::to_string(m) + "] of " +
                  (small ? "16 or 8" : "32") + " bits; the moving tile has K " + std::to_string(moving.partitions) +
                  ", the destination M " + std::to_string(to.partitions));
}

Result<void> execute_matmul(const Context& context, Core& core, const HostOp& op, const HostOperand* operands,
                            const View* views) {
  const Stationary& s = core.stationary;
  const HostOperand& to = operands[0];
  const HostOperand& moving = operands[1];
  if (!s.loaded)
    return fail(Code::DeviceStationary, place_of(*context.code, *op.source), "no stationary tile is loaded");
  ON_TRY(check_stationary(context, op, s.k, s.m, s.small, operands));
  const bool accumulate = op.params[0] != 0;
  const Kernels& kernels = *context.kernels;
  const TileShape shape = s.small ? kernels.tile_16 : kernels.tile_32;
  const auto n = static_cast<std::size_t>(to.walk.count);
  if (s.bf16 && moving.type == ElementType::BF16 && kernels.matmul_bf16_pairs != nullptr) {
    context.threads->run((n + kPairTile - 1) / kPairTile, [&](std::size_t index) {
      const std::size_t first = index * kPairTile;
      matmul_pairs(kernels, s, operands, views, static_cast<std::int64_t>(first), std::min(kPairTile, n - first),
                   accumulate);
    });
    return {};
  }
  const auto rows = static_cast<std::size_t>(shape.rows);
  const std::size_t groups = (n + kMovingColumns - 1) / kMovingColumns;
  const std::size_t row_panels = round_up(s.m, rows) / rows;
  const auto threads = static_cast<std::size_t>(context.threads->count());
  const bool parallel = threads > 1 && s.k * s.m * n >= kSmallMatmul;
  // Pieces: groups of N, and parts of M when there are too few groups for the threads.
  const std::size_t cuts = parallel && groups < threads ? std::min((threads + groups - 1) / groups, row_panels) : 1;
  const auto piece = [&](std::size_t index) {
    const std::size_t first = index / cuts * kMovingColumns, cut = index % cuts;
    const unsigned state = s.small ? kernels.small_begin() : 0;
    matmul_columns(kernels, s, operands, views, static_cast<std::int64_t>(first), std::min(kMovingColumns, n - first),
                   row_panels * cut / cuts * rows, row_panels * (cut + 1) / cuts * rows, accumulate);
    if (s.small) kernels.small_end(state);
  };
  if (parallel)
    context.threads->run(groups * cuts, piece);
  else
    for (std::size_t i = 0; i < groups; ++i) piece(i);
  return {};
}

void execute_transpose(const Context& context, const HostOperand* operands, const View* views) {
  const HostOperand& to = operands[0];
  const HostOperand& from = operands[1];
  const std::int64_t width = byte_width(to.type);
  const auto dense = [width](const Walk& w) { return w.rank == 0 || (w.rank == 1 && w.strides[0] == width); };
  if (width == 4 && dense(to.walk) && dense(from.walk)) {
    context.kernels->transpose_32(views[1].data, static_cast<std::ptrdiff_t>(views[1].pitch),
                                  static_cast<std::size_t>(from.partitions), static_cast<std::size_t>(from.walk.count),
                                  views[0].data, static_cast<std::ptrdiff_t>(views[0].pitch));
    return;
  }
  // Row f of the destination is column f of the source.
  WalkCursor column(from.walk, 0);
  std::int64_t f = 0;
  while (f < from.walk.count) {
    const auto run = column.next(from.walk.count - f);
    for (std::int64_t j = 0; j < run.count; ++j, ++f) {
      const std::byte* source = views[1].data + run.offset + j * run.stride;
      std::byte* row = views[0].data + f * views[0].pitch;
      WalkCursor out(to.walk, 0);
      for (std::int64_t p = 0; p < to.walk.count;) {
        const auto part = out.next(to.walk.count - p);
        copy_elements(row + part.offset, part.stride, source + p * views[1].pitch, views[1].pitch, width, part.count);
        p += part.count;
      }
    }
  }
}

}  // namespace openneuron::device
