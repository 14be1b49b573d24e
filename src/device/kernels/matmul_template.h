// The register tiles of the PE. Included inside the namespace of one set, after vector_template.h; the including file
// defines kRows32, kRows16 (M of a tile) and kVectors (N of a tile in vectors).

// (accumulate ? c : 0) + chain, chain[m][n] = fma over k of a[k][m] b[k][n] from zero, in order.
inline void matmul_32(const float* a, const float* b, std::size_t k, float* c, std::size_t c_pitch, bool accumulate) {
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

// Panels of `width` columns; widths are those of the tiles above, so the inner loops are short and known.
template <class Load, class LoadSome>
inline void pack(const std::byte* rows, std::ptrdiff_t pitch, std::size_t k, std::size_t n, std::size_t k_padded,
                 std::size_t width, std::size_t element, float* panels, Load load_vector, LoadSome load_rest) {
  for (std::size_t first = 0; first < n; first += width, panels += k_padded * width) {
    const std::size_t here = n - first < width ? n - first : width;
    const std::byte* row = rows + first * element;
    float* to = panels;
    for (std::size_t i = 0; i < k; ++i, row += pitch, to += width) {
      std::size_t j = 0;
      for (; j + kWidth <= here; j += kWidth) store(to + j, load_vector(row + j * element));
      if (j < width) {
        const Vf rest = j < here ? load_rest(row + j * element, here - j) : Vf{};
        const std::size_t left = width - j;
        if (left >= kWidth) store(to + j, rest);
        else store_some(to + j, rest, left);
        for (j += kWidth; j < width; ++j) to[j] = 0.0f;
      }
    }
  }
}
inline void pack_f32(const std::byte* rows, std::ptrdiff_t pitch, std::size_t k, std::size_t n, std::size_t k_padded,
                     std::size_t width, float* panels) {
  pack(rows, pitch, k, n, k_padded, width, 4, panels,
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
inline void pack_bf16(const std::byte* rows, std::ptrdiff_t pitch, std::size_t k, std::size_t n, std::size_t k_padded,
                      std::size_t width, float* panels) {
  pack(rows, pitch, k, n, k_padded, width, 2, panels, [](const std::byte* p) { return load_bf16(p); },
       [](const std::byte* p, std::size_t m) { return load_some_bf16(p, m); });
}
