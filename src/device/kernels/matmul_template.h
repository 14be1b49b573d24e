// The register tiles of the PE. Included inside the namespace of one set, after vector_template.h; the including file
// defines kRows32, kRows16 (M of a tile) and kVectors (N of a tile in vectors).

// (accumulate ? c : 0) + chain, chain[m][n] = fma over k of a[k][m] b[k][n] from zero, in order.
inline void matmul_32(const float* a, const float* b, std::size_t k, float* c, std::size_t c_pitch, bool accumulate) {
  if (accumulate)
    for (int r = 0; r < kRows32; ++r)
      for (int v = 0; v < kVectors; ++v)
        __builtin_prefetch(c + static_cast<std::size_t>(r) * c_pitch + static_cast<std::size_t>(v * kWidth), 1);
  Vf chain[kRows32][kVectors];
#pragma GCC unroll 16
  for (int r = 0; r < kRows32; ++r)
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) chain[r][v] = Vf{};
  for (std::size_t i = 0; i < k; ++i) {
    Vf row[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) row[v] = load(b + v * kWidth);
#pragma GCC unroll 16
    for (int r = 0; r < kRows32; ++r) {
      const Vf x = splat(a[r]);
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) chain[r][v] = fma(x, row[v], chain[r][v]);
    }
    a += kRows32;
    b += kVectors * kWidth;
  }
#pragma GCC unroll 16
  for (int r = 0; r < kRows32; ++r)
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      float* out = c + static_cast<std::size_t>(r) * c_pitch + static_cast<std::size_t>(v * kWidth);
      store(out, (accumulate ? load(out) : Vf{}) + chain[r][v]);
    }
}

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

// Per 32 k: c + (even + odd), each an FMA chain from zero. Subnormals are flushed by the processor's mode.
inline void matmul_16(const float* a, const float* b, std::size_t k, float* c, std::size_t c_pitch, bool accumulate) {
  for (std::size_t block = 0; block < k; block += kSmallBlock) {
    Vf even[kRows16][kVectors], odd[kRows16][kVectors];
#pragma GCC unroll 16
    for (int r = 0; r < kRows16; ++r)
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) even[r][v] = odd[r][v] = Vf{};
    for (std::size_t i = 0; i < kSmallBlock; i += 2) {
      Vf row[kVectors];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) row[v] = load(b + v * kWidth);
#pragma GCC unroll 16
      for (int r = 0; r < kRows16; ++r) {
        const Vf x = splat(a[r]);
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) even[r][v] = FLUSH(fma(x, row[v], even[r][v]));
      }
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) row[v] = load(b + (kVectors + v) * kWidth);
#pragma GCC unroll 16
      for (int r = 0; r < kRows16; ++r) {
        const Vf x = splat(a[kRows16 + r]);
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) odd[r][v] = FLUSH(fma(x, row[v], odd[r][v]));
      }
      a += 2 * kRows16;
      b += 2 * kVectors * kWidth;
    }
#pragma GCC unroll 16
    for (int r = 0; r < kRows16; ++r)
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        float* out = c + static_cast<std::size_t>(r) * c_pitch + static_cast<std::size_t>(v * kWidth);
        const Vf old = accumulate ? FLUSH(load(out)) : Vf{};
        store(out, FLUSH(old + FLUSH(even[r][v] + odd[r][v])));
      }
    accumulate = true;
  }
}

// Row by row, so that the processor fetches ahead along a row and we ask for the rows to come: rows lie far apart.
inline constexpr std::size_t kRowsAhead = 2;
inline constexpr std::size_t kPackColumns = 512;  // of a row at a time

template <std::size_t Width, std::size_t Element, class Load, class LoadSome>
inline void pack(const std::byte* rows, std::ptrdiff_t pitch, std::size_t k, std::size_t n, std::size_t k_padded,
                 float* panels, Load load_vector, LoadSome load_rest) {
  alignas(64) float line[kPackColumns + Width];
  constexpr std::size_t kStep = kPackColumns / Width * Width;
  for (std::size_t first = 0; first < n; first += kStep) {
    const std::size_t here = n - first < kStep ? n - first : kStep;
    const std::byte* row = rows + first * Element;
    float* const out = panels + first * k_padded;
    for (std::size_t i = 0; i < k; ++i, row += pitch) {
      if (i + kRowsAhead < k)
        for (std::size_t byte = 0; byte < here * Element; byte += 64)
          __builtin_prefetch(row + static_cast<std::ptrdiff_t>(kRowsAhead) * pitch + byte);
      std::size_t j = 0;
      if constexpr (Width % kWidth == 0) {  // whole vectors make a panel's row: no detour through `line`
        float* to = out + i * Width;
        for (; j + Width <= here; j += Width, to += Width * k_padded)
#pragma GCC unroll 4
          for (std::size_t v = 0; v < Width; v += kWidth) store(to + v, load_vector(row + (j + v) * Element));
        if (j == here) continue;
      }
      const std::size_t rest = j;
      for (; j + kWidth <= here; j += kWidth) store(line + j, load_vector(row + j * Element));
      if (j < here) {
        store_some(line + j, load_rest(row + j * Element, here - j), here - j);
        j = here;
      }
      for (; j % Width; ++j) line[j] = 0.0f;
      for (std::size_t m = rest; m < here; m += Width)
        __builtin_memcpy(out + m * k_padded + i * Width, line + m, Width * sizeof(float));
    }
  }
}
template <std::size_t Width>
inline void pack_f32(const std::byte* rows, std::ptrdiff_t pitch, std::size_t k, std::size_t n, std::size_t k_padded,
                     float* panels) {
  pack<Width, 4>(
      rows, pitch, k, n, k_padded, panels,
      [](const std::byte* p) {
        Vf v;
        __builtin_memcpy(&v, p, sizeof v);
        return v;
      },
      [](const std::byte* p, std::size_t m) {
        Vf v{};
        __builtin_memcpy(&v, p, 4 * m);
        return v;
      });
}
template <std::size_t Width>
inline void pack_bf16(const std::byte* rows, std::ptrdiff_t pitch, std::size_t k, std::size_t n, std::size_t k_padded,
                      float* panels) {
  pack<Width, 2>(
      rows, pitch, k, n, k_padded, panels, [](const std::byte* p) { return load_bf16(p); },
      [](const std::byte* p, std::size_t m) { return load_some_bf16(p, m); });
}

// Blocks of 4 x 4 in registers; sixteen columns, one line of each source row, at a time.
typedef std::uint32_t V4 __attribute__((vector_size(16)));
inline void transpose_4x4(const std::byte* s, std::ptrdiff_t s_pitch, std::byte* d, std::ptrdiff_t d_pitch) {
  V4 r0, r1, r2, r3;
  __builtin_memcpy(&r0, s, 16);
  __builtin_memcpy(&r1, s + s_pitch, 16);
  __builtin_memcpy(&r2, s + 2 * s_pitch, 16);
  __builtin_memcpy(&r3, s + 3 * s_pitch, 16);
  const V4 low01 = __builtin_shufflevector(r0, r1, 0, 4, 1, 5), high01 = __builtin_shufflevector(r0, r1, 2, 6, 3, 7);
  const V4 low23 = __builtin_shufflevector(r2, r3, 0, 4, 1, 5), high23 = __builtin_shufflevector(r2, r3, 2, 6, 3, 7);
  const V4 c0 = __builtin_shufflevector(low01, low23, 0, 1, 4, 5),
           c1 = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
  const V4 c2 = __builtin_shufflevector(high01, high23, 0, 1, 4, 5),
           c3 = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
  __builtin_memcpy(d, &c0, 16);
  __builtin_memcpy(d + d_pitch, &c1, 16);
  __builtin_memcpy(d + 2 * d_pitch, &c2, 16);
  __builtin_memcpy(d + 3 * d_pitch, &c3, 16);
}
inline void transpose_32(const std::byte* s, std::ptrdiff_t s_pitch, std::size_t p, std::size_t f, std::byte* d,
                         std::ptrdiff_t d_pitch) {
  for (std::size_t first = 0; first < f; first += 16) {
    const std::size_t here = f - first < 16 ? f - first : 16;
    const std::byte* row = s + 4 * first;
    std::byte* const out = d + static_cast<std::ptrdiff_t>(first) * d_pitch;
    std::size_t i = 0;
    for (; i + 4 <= p; i += 4, row += 4 * s_pitch) {
      for (int ahead = 8; ahead < 12; ++ahead) __builtin_prefetch(row + ahead * s_pitch);
      std::size_t j = 0;
      for (; j + 4 <= here; j += 4)
        transpose_4x4(row + 4 * j, s_pitch, out + static_cast<std::ptrdiff_t>(j) * d_pitch + 4 * i, d_pitch);
      for (; j < here; ++j)
        for (std::size_t r = 0; r < 4; ++r)
          __builtin_memcpy(out + static_cast<std::ptrdiff_t>(j) * d_pitch + 4 * (i + r),
                           row + static_cast<std::ptrdiff_t>(r) * s_pitch + 4 * j, 4);
    }
    for (; i < p; ++i, row += s_pitch)
      for (std::size_t j = 0; j < here; ++j)
        __builtin_memcpy(out + static_cast<std::ptrdiff_t>(j) * d_pitch + 4 * i, row + 4 * j, 4);
  }
}
