// The matrix kernels of the PE. Included inside the namespace of one set, after vector_template.h; the including file
// defines the register tiles: kWide32 and kWide16 (vectors of N), kRows32 and kRows16 (M beside that many vectors).
// Nothing is padded; rows may lie anywhere, though those that many register tiles read are best near each other.

#ifndef PAIRED_CHAINS
// Rows of 32 k, and a step along a chain of the 16-bit sum order.
inline constexpr std::size_t kChainRows = kSmallBlock;
inline Vf step_16(Vf a, Vf b, Vf c) { return FLUSH(fma(a, b, c)); }
#endif

// The panel to come, of which each register tile asks some lines for the second-level cache.
struct Asked {
  const float* line;
  std::size_t lines;  // by each tile, one beside a k
};
inline void ask(Asked& asked, std::size_t i) {
  if (i >= asked.lines) return;
  __builtin_prefetch(asked.line, 0, 2);
  asked.line += 16;
}

// One register tile: rows m.. of columns n.., whose b begins at `b`. `last` masks the last vector when Tail.
template <int Rows, int Vectors, bool Tail>
struct Tile32 {
  static void run(const MatmulBlock& x, const float* b, std::size_t m, std::size_t n, Mask last, Asked& asked) {
    const std::size_t c_pitch = x.c_pitch;
    const bool accumulate = x.accumulate;
    float* const c = x.c + m * c_pitch + n;
    const float* a = x.a + m;
    Vf chain[Rows][Vectors];
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v) {
        chain[r][v] = Vf{};
        __builtin_prefetch(c + static_cast<std::size_t>(r) * c_pitch + static_cast<std::size_t>(v * kWidth), 1);
      }
    for (std::size_t i = 0; i < x.k; ++i, a += x.a_pitch, b += x.b_pitch) {
      ask(asked, i);
      Vf row[Vectors];
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v)
        row[v] = Tail && v == Vectors - 1 ? load_masked(b + v * kWidth, last) : load(b + v * kWidth);
#pragma GCC unroll 16
      for (int r = 0; r < Rows; ++r) {
        const Vf one = splat(a[r]);
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v) chain[r][v] = fma(one, row[v], chain[r][v]);
      }
    }
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v) {
        float* out = c + static_cast<std::size_t>(r) * c_pitch + static_cast<std::size_t>(v * kWidth);
        if (Tail && v == Vectors - 1)
          store_masked(out, (accumulate ? load_masked(out, last) : Vf{}) + chain[r][v], last);
        else
          store(out, (accumulate ? load(out) : Vf{}) + chain[r][v]);
      }
  }
};

// Per 32 k: c + (even + odd), each an FMA chain from zero; step_16 goes one row further in a chain. Subnormals are flushed
// by the processor's mode.
template <int Rows, int Vectors, bool Tail>
struct Tile16 {
  static void run(const MatmulBlock& x, const float* b, std::size_t m, std::size_t n, Mask last, Asked& asked) {
    const std::size_t c_pitch = x.c_pitch;
    float* const c = x.c + m * c_pitch + n;
    const float* a = x.a + m;
    // The sums stay in registers where these suffice.
    constexpr bool held = 3 * Rows * Vectors + Vectors + 1 <= kRegisters;
    const auto out = [&](int r, int v) { return c + static_cast<std::size_t>(r) * c_pitch + static_cast<std::size_t>(v * kWidth); };
    const auto load_sum = [&](int r, int v) { return Tail && v == Vectors - 1 ? load_masked(out(r, v), last) : load(out(r, v)); };
    const auto store_sum = [&](int r, int v, Vf sum) {
      if (Tail && v == Vectors - 1)
        store_masked(out(r, v), sum, last);
      else
        store(out(r, v), sum);
    };
    bool accumulate = x.accumulate;
    Vf sum[Rows][Vectors];
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v)
        if constexpr (held)
          sum[r][v] = accumulate ? FLUSH(load_sum(r, v)) : Vf{};
        else
          __builtin_prefetch(out(r, v), 1);
    for (std::size_t block = 0; block < x.k; block += kChainRows) {
      Vf even[Rows][Vectors], odd[Rows][Vectors];
#pragma GCC unroll 16
      for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v) even[r][v] = odd[r][v] = Vf{};
      const auto step = [&](Vf(&chain)[Rows][Vectors]) __attribute__((always_inline)) {
        Vf row[Vectors];
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v)
          row[v] = Tail && v == Vectors - 1 ? load_masked(b + v * kWidth, last) : load(b + v * kWidth);
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r) {
          const Vf one = splat(a[r]);
#pragma GCC unroll 4
          for (int v = 0; v < Vectors; ++v) chain[r][v] = step_16(one, row[v], chain[r][v]);
        }
        a += x.a_pitch;
        b += x.b_pitch;
      };
      for (std::size_t i = 0; i < kChainRows; i += 2) {
        ask(asked, block + i);
        ask(asked, block + i + 1);
        step(even);
        step(odd);
      }
#pragma GCC unroll 16
      for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v) {
          const Vf both = FLUSH(even[r][v] + odd[r][v]);
          if constexpr (held) {
            sum[r][v] = FLUSH(sum[r][v] + both);
          } else {
            const Vf old = accumulate ? FLUSH(load_sum(r, v)) : Vf{};
            store_sum(r, v, FLUSH(old + both));
          }
        }
      accumulate = true;
    }
    if constexpr (held)
#pragma GCC unroll 16
      for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v) store_sum(r, v, sum[r][v]);
  }
};

template <template <int, int, bool> class Tile, int Rows, int Vectors, bool Tail>
inline void tile_of(std::size_t rows, const MatmulBlock& x, const float* b, std::size_t m, std::size_t n, Mask last, Asked& asked) {
  if (rows == Rows) return Tile<Rows, Vectors, Tail>::run(x, b, m, n, last, asked);
  if constexpr (Rows > 1) tile_of<Tile, Rows - 1, Vectors, Tail>(rows, x, b, m, n, last, asked);
}
// Columns n.. of all rows. What is left after whole tiles is halved, not left over: a tile of few rows waits for its FMAs.
template <template <int, int, bool> class Tile, int Rows, int Vectors, bool Tail>
inline void columns_of(const MatmulBlock& x, const float* b, const float* next, std::size_t n, Mask last) {
  Asked asked{next, 0};
  if (next != nullptr) {
    const std::size_t tiles = (x.m + Rows - 1) / Rows;
    asked.lines = (x.b_panel / 16 + tiles - 1) / tiles;
  }
  for (std::size_t m = 0; m < x.m;) {
    const std::size_t left = x.m - m, rows = left <= Rows ? left : left < 2 * Rows ? (left + 1) / 2 : Rows;
    tile_of<Tile, Rows, Vectors, Tail>(rows, x, b, m, n, last, asked);
    m += rows;
  }
}
// Panels of Wide vectors, whose rows stay in the first-level cache while all of M passes; then of two and of one.
template <template <int, int, bool> class Tile, int Wide, int Rows, int NarrowRows>
inline void matmul(const MatmulBlock& x) {
  constexpr std::size_t width = kWidth;
  const std::size_t panel = x.b_panel != 0 ? x.b_panel : Wide * width;
  const float* b = x.b;
  std::size_t n = 0;
  for (; n + Wide * width <= x.n; n += Wide * width, b += panel) {
    const float* next = x.b_panel == 0 ? nullptr : n + Wide * width < x.n ? b + panel : x.b_next;
    columns_of<Tile, Rows, Wide, false>(x, b, next, n, Mask{});
  }
  while (n < x.n) {
    const std::size_t left = x.n - n, here = left > 2 * width ? 2 * width : left;
    if (here > width)
      columns_of<Tile, Wide == 2 ? Rows : NarrowRows, 2, true>(x, b, nullptr, n, first_lanes(here - width));
    else
      columns_of<Tile, NarrowRows, 1, true>(x, b, nullptr, n, first_lanes(here));
    n += here;
    b += here;
  }
}
inline void matmul_32(const MatmulBlock& x) { matmul<Tile32, kWide32, kRows32, 2 * kRows32>(x); }
inline void matmul_16(const MatmulBlock& x) { matmul<Tile16, kWide16, kRows16, 2 * kRows16>(x); }

// Eight vectors of m at a time; rows lie far apart and are asked for ahead.
template <int Vectors>
inline void matvec_block(const std::byte* rows, std::ptrdiff_t pitch, const float* x, std::size_t k, float* out) {
  Vf chain[Vectors];
#pragma GCC unroll 8
  for (int v = 0; v < Vectors; ++v) chain[v] = Vf{};
  for (std::size_t i = 0; i < k; ++i, rows += pitch) {
    for (int line = 0; line < Vectors * kWidth * 4; line += 64) __builtin_prefetch(rows + 6 * pitch + line);
    const Vf one = splat(x[i]);
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) {
      Vf row;
      __builtin_memcpy(&row, rows + v * kWidth * 4, sizeof row);
      chain[v] = fma(one, row, chain[v]);
    }
  }
#pragma GCC unroll 8
  for (int v = 0; v < Vectors; ++v) store(out + v * kWidth, chain[v]);
}
inline void matvec_32(const std::byte* rows, std::ptrdiff_t pitch, const float* x, std::size_t k, std::size_t m, float* out) {
  std::size_t at = 0;
  for (; at + 8 * kWidth <= m; at += 8 * kWidth) matvec_block<8>(rows + 4 * at, pitch, x, k, out + at);
  for (; at + kWidth <= m; at += kWidth) matvec_block<1>(rows + 4 * at, pitch, x, k, out + at);
  if (at == m) return;
  Vf chain{};
  const std::size_t rest = m - at;
  for (std::size_t i = 0; i < k; ++i) {
    Vf row{};
    __builtin_memcpy(&row, rows + static_cast<std::ptrdiff_t>(i) * pitch + 4 * at, 4 * rest);
    chain = fma(splat(x[i]), row, chain);
  }
  __builtin_memcpy(out + at, &chain, 4 * rest);
}
