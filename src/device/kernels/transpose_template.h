// Transposes: blocks in registers, one line of columns of each source row at a time. Included inside the namespace of one
// set.
typedef std::uint32_t V4 __attribute__((vector_size(16)));
typedef std::uint16_t V8 __attribute__((vector_size(16)));

// Elements of a row that lie `step` bytes apart; 0: one after the other.
struct Spaced4 {
  std::ptrdiff_t step;
  V4 operator()(const std::byte* s) const {
    std::uint32_t e[4];
    for (int i = 0; i < 4; ++i) __builtin_memcpy(e + i, s + i * step, 4);
    return V4{e[0], e[1], e[2], e[3]};
  }
};
struct Dense4 {
  V4 operator()(const std::byte* s) const {
    V4 v;
    __builtin_memcpy(&v, s, 16);
    return v;
  }
};

template <class Load>
inline void transpose_4x4(const std::byte* s, std::ptrdiff_t s_pitch, std::byte* d, std::ptrdiff_t d_pitch, Load load4) {
  const V4 r0 = load4(s), r1 = load4(s + s_pitch), r2 = load4(s + 2 * s_pitch), r3 = load4(s + 3 * s_pitch);
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
// Three rounds that put pairs, fours and eights of rows side by side.
inline void transpose_8x8(const std::byte* s, std::ptrdiff_t s_pitch, std::byte* d, std::ptrdiff_t d_pitch) {
  V8 r[8], pair[8];
  V4 four[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) __builtin_memcpy(r + i, s + i * s_pitch, 16);
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    pair[i] = __builtin_shufflevector(r[2 * i], r[2 * i + 1], 0, 8, 1, 9, 2, 10, 3, 11);
    pair[4 + i] = __builtin_shufflevector(r[2 * i], r[2 * i + 1], 4, 12, 5, 13, 6, 14, 7, 15);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {  // pairs 2 (i mod 2), columns 4 (i / 2)
    const V4 a = (V4)pair[4 * (i / 2) + 2 * (i % 2)], b = (V4)pair[4 * (i / 2) + 2 * (i % 2) + 1];
    four[2 * i] = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    four[2 * i + 1] = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {  // columns 2 i and 2 i + 1
    const V4 a = four[4 * (i / 2) + i % 2], b = four[4 * (i / 2) + 2 + i % 2];
    const V4 even = __builtin_shufflevector(a, b, 0, 1, 4, 5), odd = __builtin_shufflevector(a, b, 2, 3, 6, 7);
    __builtin_memcpy(d + 2 * i * d_pitch, &even, 16);
    __builtin_memcpy(d + (2 * i + 1) * d_pitch, &odd, 16);
  }
}

// Blocks of Side x Side by `block(source, destination)`; what is left element by element. The first lines of columns ask
// for the rest of their rows too, which are read again for every line.
template <int Bytes, int Side, class Block>
inline void transpose(const std::byte* s, std::ptrdiff_t s_pitch, std::ptrdiff_t s_step, std::size_t p, std::size_t f,
                      std::byte* d, std::ptrdiff_t d_pitch, Block block) {
  constexpr std::size_t line = 64 / Bytes, side = Side, most_bytes = 512;
  const std::size_t bytes = f * static_cast<std::size_t>(s_step), row_bytes = bytes < most_bytes ? bytes : most_bytes;
  const auto column = [&](const std::byte* row, std::size_t j) { return row + static_cast<std::ptrdiff_t>(j) * s_step; };
  for (std::size_t first = 0; first < f; first += line) {
    const std::size_t here = f - first < line ? f - first : line;
    const std::byte* row = column(s, first);
    std::byte* const out = d + static_cast<std::ptrdiff_t>(first) * d_pitch;
    std::size_t i = 0;
    for (; i + side <= p; i += side, row += Side * s_pitch) {
      for (std::size_t byte = 0; first == 0 && byte < row_bytes; byte += 64)
        for (int ahead = 2 * Side; ahead < 3 * Side; ++ahead) __builtin_prefetch(row + ahead * s_pitch + byte);
      std::size_t j = 0;
      for (; j + side <= here; j += side) block(column(row, j), out + static_cast<std::ptrdiff_t>(j) * d_pitch + Bytes * i);
      for (; j < here; ++j)
        for (std::size_t r = 0; r < side; ++r)
          __builtin_memcpy(out + static_cast<std::ptrdiff_t>(j) * d_pitch + Bytes * (i + r),
                           column(row + static_cast<std::ptrdiff_t>(r) * s_pitch, j), Bytes);
    }
    for (; i < p; ++i, row += s_pitch)
      for (std::size_t j = 0; j < here; ++j)
        __builtin_memcpy(out + static_cast<std::ptrdiff_t>(j) * d_pitch + Bytes * i, column(row, j), Bytes);
  }
}
inline void transpose_32(const std::byte* s, std::ptrdiff_t s_pitch, std::ptrdiff_t s_step, std::size_t p, std::size_t f,
                         std::byte* d, std::ptrdiff_t d_pitch) {
  const auto with = [&](auto load4) {
    transpose<4, 4>(s, s_pitch, s_step, p, f, d, d_pitch,
                    [&](const std::byte* from, std::byte* to) { transpose_4x4(from, s_pitch, to, d_pitch, load4); });
  };
  if (s_step == 4)
    with(Dense4{});
  else
    with(Spaced4{s_step});
}
inline void transpose_16(const std::byte* s, std::ptrdiff_t s_pitch, std::size_t p, std::size_t f, std::byte* d,
                         std::ptrdiff_t d_pitch) {
  transpose<2, 8>(s, s_pitch, 2, p, f, d, d_pitch,
                  [&](const std::byte* from, std::byte* to) { transpose_8x8(from, s_pitch, to, d_pitch); });
}
