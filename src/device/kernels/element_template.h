// Kernels of the element engines over contiguous strips. Included inside the namespace of one set.
template <class Op>
inline void map_unary(const float* x, float* d, std::size_t n, Op op) {
  std::size_t i = 0;
  for (; i + kWidth <= n; i += kWidth) store(d + i, op(load(x + i)));
  if (i < n) store_some(d + i, op(load_some(x + i, n - i)), n - i);
}
template <class Op>
inline void map_unary_double(const float* x, float* d, std::size_t n, Op op) {
  std::size_t i = 0;
  for (; i + kDoubles <= n; i += kDoubles) narrow(op(widen(x + i)), d + i);
  if (i < n) {
    float in[kDoubles] = {}, out[kDoubles];
    __builtin_memcpy(in, x + i, (n - i) * sizeof(float));
    narrow(op(widen(in)), out);
    __builtin_memcpy(d + i, out, (n - i) * sizeof(float));
  }
}
template <class Op>
inline void map_row(const float* a, int a_step, const float* b, int b_step, float* d, std::size_t n, Op op) {
  if (n == 0) return;
  const Vf a0 = splat(*a), b0 = splat(*b);
  std::size_t i = 0;
  if (a_step && b_step)
    for (; i + kWidth <= n; i += kWidth) store(d + i, op(load(a + i), load(b + i)));
  else if (a_step)
    for (; i + kWidth <= n; i += kWidth) store(d + i, op(load(a + i), b0));
  else if (b_step)
    for (; i + kWidth <= n; i += kWidth) store(d + i, op(a0, load(b + i)));
  else
    for (; i + kWidth <= n; i += kWidth) store(d + i, op(a0, b0));
  if (i < n) store_some(d + i, op(a_step ? load_some(a + i, n - i) : a0, b_step ? load_some(b + i, n - i) : b0), n - i);
}
inline const float* next_row(const float* row, std::ptrdiff_t pitch) {
  return reinterpret_cast<const float*>(reinterpret_cast<const std::byte*>(row) + pitch);
}
// Rows lie too far apart for the processor to guess: what comes is asked for a row ahead.
inline void prefetch_row(const float* row, std::size_t n) {
  const auto* at = reinterpret_cast<const std::byte*>(row);
  for (std::size_t byte = 0; byte < 4 * n && byte < 2048; byte += 64) __builtin_prefetch(at + byte);
}
template <class Op>
inline void map_binary(FloatRows a, FloatRows b, float* d, std::ptrdiff_t d_pitch, std::size_t rows, std::size_t n, Op op) {
  for (std::size_t r = 0; r < rows; ++r) {
    const float *next_a = next_row(a.data, a.pitch), *next_b = next_row(b.data, b.pitch);
    if (r + 1 < rows) {
      prefetch_row(next_a, a.step ? n : 1);
      prefetch_row(next_b, b.step ? n : 1);
    }
    map_row(a.data, a.step, b.data, b.step, d, n, op);
    a.data = next_a;
    b.data = next_b;
    d = const_cast<float*>(next_row(d, d_pitch));
  }
}
template <class Op>
inline void map_binary_i(const std::int32_t* a, int a_step, const std::int32_t* b, int b_step, std::int32_t* d,
                         std::size_t n, Op op) {
  if (n == 0) return;
  const Vi a0 = splat_i(*a), b0 = splat_i(*b);
  std::size_t i = 0;
  for (; i + kWidth <= n; i += kWidth) store_i(d + i, op(a_step ? load_i(a + i) : a0, b_step ? load_i(b + i) : b0));
  if (i < n)
    store_some_i(d + i, op(a_step ? load_some_i(a + i, n - i) : a0, b_step ? load_some_i(b + i, n - i) : b0), n - i);
}

inline void power_f32(const float* a, int a_step, const float* b, int b_step, float* d, std::size_t n) {
  float x[kDoubles] = {}, y[kDoubles] = {}, out[kDoubles];
  for (std::size_t i = 0; i < n; i += kDoubles) {
    const std::size_t m = n - i < kDoubles ? n - i : kDoubles;
    for (std::size_t j = 0; j < m; ++j) {
      x[j] = a[a_step ? i + j : 0];
      y[j] = b[b_step ? i + j : 0];
    }
    narrow(power_d(widen(x), widen(y)), out);
    __builtin_memcpy(d + i, out, m * sizeof(float));
  }
}

inline void alu_rows_f32(isa::AluOp op, const FloatRows& a, const FloatRows& b, float* d, std::ptrdiff_t pitch,
                         std::size_t rows, std::size_t n) {
  using isa::AluOp;
  switch (op) {
    case AluOp::Bypass: return map_binary(a, b, d, pitch, rows, n, [](Vf x, Vf) { return x; });
    case AluOp::Add: return map_binary(a, b, d, pitch, rows, n, [](Vf x, Vf y) { return x + y; });
    case AluOp::Subtract: return map_binary(a, b, d, pitch, rows, n, [](Vf x, Vf y) { return x - y; });
    case AluOp::Multiply: return map_binary(a, b, d, pitch, rows, n, [](Vf x, Vf y) { return x * y; });
    case AluOp::Max: return map_binary(a, b, d, pitch, rows, n, [](Vf x, Vf y) { return maximum(x, y); });
    case AluOp::Min: return map_binary(a, b, d, pitch, rows, n, [](Vf x, Vf y) { return minimum(x, y); });
    case AluOp::Equal: return map_binary(a, b, d, pitch, rows, n, [](Vf x, Vf y) { return one_or_zero(x == y); });
    case AluOp::NotEqual: return map_binary(a, b, d, pitch, rows, n, [](Vf x, Vf y) { return one_or_zero(x != y); });
    case AluOp::Greater: return map_binary(a, b, d, pitch, rows, n, [](Vf x, Vf y) { return one_or_zero(x > y); });
    case AluOp::GreaterEqual: return map_binary(a, b, d, pitch, rows, n, [](Vf x, Vf y) { return one_or_zero(x >= y); });
    case AluOp::Less: return map_binary(a, b, d, pitch, rows, n, [](Vf x, Vf y) { return one_or_zero(x < y); });
    case AluOp::LessEqual: return map_binary(a, b, d, pitch, rows, n, [](Vf x, Vf y) { return one_or_zero(x <= y); });
    case AluOp::LogicalAnd:
      return map_binary(a, b, d, pitch, rows, n, [](Vf x, Vf y) { return one_or_zero((x != Vf{}) & (y != Vf{})); });
    case AluOp::LogicalOr:
      return map_binary(a, b, d, pitch, rows, n, [](Vf x, Vf y) { return one_or_zero((x != Vf{}) | (y != Vf{})); });
    case AluOp::LogicalXor:
      return map_binary(a, b, d, pitch, rows, n, [](Vf x, Vf y) { return one_or_zero((x != Vf{}) ^ (y != Vf{})); });
    case AluOp::Power:
      for (std::size_t r = 0; r < rows; ++r) {
        const auto row = static_cast<std::ptrdiff_t>(r);
        power_f32(next_row(a.data, row * a.pitch), a.step, next_row(b.data, row * b.pitch), b.step,
                  const_cast<float*>(next_row(d, row * pitch)), n);
      }
      return;
    case AluOp::AbsMax:
      return map_binary(a, b, d, pitch, rows, n, [](Vf x, Vf y) { return maximum(magnitude(x), magnitude(y)); });
    case AluOp::BitAnd:
    case AluOp::BitOr:
    case AluOp::BitXor:
    case AluOp::ShiftLeft:
    case AluOp::ShiftRight: return;  // integers only; refused when the program is loaded
  }
}

inline void alu_f32(isa::AluOp op, const float* a, int as, const float* b, int bs, float* d, std::size_t n) {
  alu_rows_f32(op, {a, 0, as}, {b, 0, bs}, d, 0, 1, n);
}

inline std::int32_t power_of_int(std::int32_t base, std::int32_t exponent, bool is_unsigned) {
  if (!is_unsigned && exponent < 0) return base == 1 ? 1 : base == -1 ? ((exponent & 1) ? -1 : 1) : 0;
  std::uint32_t result = 1, square = static_cast<std::uint32_t>(base), rest = static_cast<std::uint32_t>(exponent);
  for (; rest; rest >>= 1, square *= square)
    if (rest & 1) result *= square;
  return static_cast<std::int32_t>(result);
}

inline void alu_i32(isa::AluOp op, bool is_unsigned, const std::int32_t* a, int as, const std::int32_t* b, int bs,
                    std::int32_t* d, std::size_t n) {
  using isa::AluOp;
  // Order of unsigned numbers is that of signed ones with the top bit flipped.
  const Vi flip = splat_i(is_unsigned ? static_cast<std::int32_t>(0x80000000u) : 0);
  switch (op) {
    case AluOp::Bypass: return map_binary_i(a, as, b, bs, d, n, [](Vi x, Vi) { return x; });
    case AluOp::Add: return map_binary_i(a, as, b, bs, d, n, [](Vi x, Vi y) { return (Vi)((Vu)x + (Vu)y); });
    case AluOp::Subtract: return map_binary_i(a, as, b, bs, d, n, [](Vi x, Vi y) { return (Vi)((Vu)x - (Vu)y); });
    case AluOp::Multiply: return map_binary_i(a, as, b, bs, d, n, [](Vi x, Vi y) { return (Vi)((Vu)x * (Vu)y); });
    case AluOp::Max:
      return map_binary_i(a, as, b, bs, d, n, [flip](Vi x, Vi y) { return pick_i((x ^ flip) > (y ^ flip), x, y); });
    case AluOp::Min:
      return map_binary_i(a, as, b, bs, d, n, [flip](Vi x, Vi y) { return pick_i((x ^ flip) < (y ^ flip), x, y); });
    case AluOp::Equal: return map_binary_i(a, as, b, bs, d, n, [](Vi x, Vi y) { return (x == y) & 1; });
    case AluOp::NotEqual: return map_binary_i(a, as, b, bs, d, n, [](Vi x, Vi y) { return (x != y) & 1; });
    case AluOp::Greater:
      return map_binary_i(a, as, b, bs, d, n, [flip](Vi x, Vi y) { return ((x ^ flip) > (y ^ flip)) & 1; });
    case AluOp::GreaterEqual:
      return map_binary_i(a, as, b, bs, d, n, [flip](Vi x, Vi y) { return ((x ^ flip) >= (y ^ flip)) & 1; });
    case AluOp::Less:
      return map_binary_i(a, as, b, bs, d, n, [flip](Vi x, Vi y) { return ((x ^ flip) < (y ^ flip)) & 1; });
    case AluOp::LessEqual:
      return map_binary_i(a, as, b, bs, d, n, [flip](Vi x, Vi y) { return ((x ^ flip) <= (y ^ flip)) & 1; });
    case AluOp::LogicalAnd: return map_binary_i(a, as, b, bs, d, n, [](Vi x, Vi y) { return (x != 0) & (y != 0) & 1; });
    case AluOp::LogicalOr:
      return map_binary_i(a, as, b, bs, d, n, [](Vi x, Vi y) { return ((x != 0) | (y != 0)) & 1; });
    case AluOp::LogicalXor:
      return map_binary_i(a, as, b, bs, d, n, [](Vi x, Vi y) { return ((x != 0) ^ (y != 0)) & 1; });
    case AluOp::BitAnd: return map_binary_i(a, as, b, bs, d, n, [](Vi x, Vi y) { return x & y; });
    case AluOp::BitOr: return map_binary_i(a, as, b, bs, d, n, [](Vi x, Vi y) { return x | y; });
    case AluOp::BitXor: return map_binary_i(a, as, b, bs, d, n, [](Vi x, Vi y) { return x ^ y; });
    case AluOp::ShiftLeft:
      return map_binary_i(a, as, b, bs, d, n, [](Vi x, Vi y) {
        const Vi fits = (Vi)((Vu)y < 32u);
        return (Vi)((Vu)x << ((Vu)y & 31u)) & fits;
      });
    case AluOp::ShiftRight:
      return map_binary_i(a, as, b, bs, d, n, [](Vi x, Vi y) {
        const Vi fits = (Vi)((Vu)y < 32u);
        return (Vi)((Vu)x >> ((Vu)y & 31u)) & fits;
      });
    case AluOp::AbsMax:
      return map_binary_i(a, as, b, bs, d, n, [flip, is_unsigned](Vi x, Vi y) {
        const Vi ax = is_unsigned ? x : pick_i(x < 0, (Vi)(0u - (Vu)x), x);
        const Vi ay = is_unsigned ? y : pick_i(y < 0, (Vi)(0u - (Vu)y), y);
        return pick_i((ax ^ flip) > (ay ^ flip), ax, ay);
      });
    case AluOp::Power:
      for (std::size_t i = 0; i < n; ++i) d[i] = power_of_int(a[as ? i : 0], b[bs ? i : 0], is_unsigned);
      return;
  }
}

inline void divide_f32(const float* a, int as, const float* b, int bs, float* d, std::size_t n) {
  map_row(a, as, b, bs, d, n, [](Vf x, Vf y) { return x / y; });
}

// A scale of 1 with a bias of 0 leaves x as it is: adding 0 would turn -0 into 0.
inline void affine_f32(const float* x, const float* scale, int scale_step, const float* bias, int bias_step, float* d,
                       std::size_t n) {
  if (n == 0) return;
  const Vf scale0 = splat(*scale), bias0 = splat(*bias);
  const auto affine = [](Vf v, Vf s, Vf t) { return pick((s == splat(1.0f)) & (t == Vf{}), v, v * s + t); };
  std::size_t i = 0;
  for (; i + kWidth <= n; i += kWidth)
    store(d + i, affine(load(x + i), scale_step ? load(scale + i) : scale0, bias_step ? load(bias + i) : bias0));
  if (i == n) return;
  const std::size_t m = n - i;
  store_some(d + i, affine(load_some(x + i, m), scale_step ? load_some(scale + i, m) : scale0,
                           bias_step ? load_some(bias + i, m) : bias0), m);
}

// A function of an angle: in vectors below 2^20, else one by one.
template <class Op>
inline void map_angle(const float* x, float* d, std::size_t n, double (*of_large)(float), Op op) {
  for (std::size_t i = 0; i < n; i += kStrip) {  // d may be x: the large ones are done from a copy
    const std::size_t m = n - i < kStrip ? n - i : kStrip;
    float large[kStrip];
    bool any = false;
    for (std::size_t j = 0; j < m; ++j) {
      large[j] = x[i + j];
      any |= !(__builtin_fabsf(large[j]) < 1048576.0f);
    }
    map_unary_double(large, d + i, m, [op](Vd v) {
      const Vl in_range = magnitude_d(v) < splat_d(1048576.0);
      return pick_d(in_range, op(pick_d(in_range, v, Vd{})), v - v);
    });
    if (any)
      for (std::size_t j = 0; j < m; ++j) {
        const float size = __builtin_fabsf(large[j]);
        if (size >= 1048576.0f && size < __builtin_inff()) d[i + j] = static_cast<float>(of_large(large[j]));
      }
  }
}

inline void function_f32(isa::Function f, const float* x, float* d, std::size_t n) {
  using isa::Function;
  switch (f) {
    case Function::Copy:
      if (x != d) __builtin_memmove(d, x, n * sizeof(float));
      return;
    case Function::Exp: return map_unary(x, d, n, [](Vf v) { return exp_f(v); });
    case Function::Log: return map_unary(x, d, n, [](Vf v) { return log_f(v); });
    case Function::Tanh: return map_unary(x, d, n, [](Vf v) { return tanh_f(v); });
    case Function::Sigmoid: return map_unary(x, d, n, [](Vf v) { return sigmoid_f(v); });
    case Function::Sqrt: return map_unary(x, d, n, [](Vf v) { return square_root(v); });
    case Function::Rsqrt: return map_unary(x, d, n, [](Vf v) { return splat(1.0f) / square_root(v); });
    case Function::Reciprocal: return map_unary(x, d, n, [](Vf v) { return splat(1.0f) / v; });
    case Function::Square: return map_unary(x, d, n, [](Vf v) { return v * v; });
    case Function::Abs: return map_unary(x, d, n, [](Vf v) { return magnitude(v); });
    case Function::Sign:  // NaN and zeros stay
      return map_unary(x, d, n, [](Vf v) { return pick((v > Vf{}) | (v < Vf{}), with_sign(splat(1.0f), v), v); });
    case Function::Relu: return map_unary(x, d, n, [](Vf v) { return maximum(v, Vf{}); });
    case Function::Sin:
      return map_angle(x, d, n, sine_of_large, [](Vd v) { return sin_d(v); });
    case Function::Cos:
      return map_angle(x, d, n, cosine_of_large, [](Vd v) { return cos_d(v); });
    case Function::Tan:
      return map_angle(x, d, n, tangent_of_large, [](Vd v) { return tan_d(v); });
    case Function::Arctan: return map_unary_double(x, d, n, [](Vd v) { return arctan_d(v); });
    case Function::Erf: return map_unary_double(x, d, n, [](Vd v) { return erf_d(v); });
    case Function::Gelu:
      return map_unary_double(x, d, n, [](Vd v) { return v * 0.5 * erfc_d(v * -0.70710678118654752); });
    case Function::GeluTanh:  // v sigmoid(2 u), u = sqrt(2 / pi) (v + 0.044715 v^3)
      return map_unary_double(x, d, n, [](Vd v) {
        const Vd u = (v + v * v * v * 0.044715) * -1.5957691216057308;
        return v / (exp_d(u) + 1.0);
      });
    case Function::Silu: return map_unary_double(x, d, n, [](Vd v) { return v / (exp_d(-v) + 1.0); });
    case Function::Softplus: return map_unary_double(x, d, n, [](Vd v) { return softplus_d(v); });
    case Function::Floor: return map_unary(x, d, n, [](Vf v) { return floor_f(v); });
    case Function::Ceil: return map_unary(x, d, n, [](Vf v) { return ceil_f(v); });
    case Function::Trunc: return map_unary(x, d, n, [](Vf v) { return trunc_f(v); });
    case Function::Round: return map_unary(x, d, n, [](Vf v) { return round_f(v); });
    case Function::Log1p: return map_unary_double(x, d, n, [](Vd v) { return log1p_d(v); });
    case Function::Expm1: return map_unary_double(x, d, n, [](Vd v) { return expm1_d(v); });
  }
}

template <class Op>
inline void fold(float* partials, const float* x, std::size_t n, Op op) {
  constexpr int kVectors = static_cast<int>(kPartials) / kWidth;
  Vf p[kVectors];
#pragma GCC unroll 8
  for (int j = 0; j < kVectors; ++j) p[j] = load(partials + j * kWidth);
  std::size_t i = 0;
  for (; i + kPartials <= n; i += kPartials)
#pragma GCC unroll 8
    for (int j = 0; j < kVectors; ++j) p[j] = op(p[j], load(x + i + static_cast<std::size_t>(j * kWidth)));
#pragma GCC unroll 8
  for (int j = 0; j < kVectors; ++j) store(partials + j * kWidth, p[j]);
  for (int j = 0; i < n; i += kWidth, ++j) {  // the other lanes keep their partials
    const std::size_t m = n - i < kWidth ? n - i : kWidth;
    store_some(partials + j * kWidth, op(p[j], load_some(x + i, m)), m);
  }
}
inline void reduce_f32(isa::AluOp op, float* partials, const float* x, std::size_t n) {
  using isa::AluOp;
  switch (op) {
    case AluOp::Add: return fold(partials, x, n, [](Vf a, Vf b) { return a + b; });
    case AluOp::Multiply: return fold(partials, x, n, [](Vf a, Vf b) { return a * b; });
    case AluOp::Max: return fold(partials, x, n, [](Vf a, Vf b) { return maximum(a, b); });
    case AluOp::Min: return fold(partials, x, n, [](Vf a, Vf b) { return minimum(a, b); });
    default:
      for (std::size_t i = 0; i < n; ++i)
        alu_f32(op, partials + i % kPartials, 1, x + i, 1, partials + i % kPartials, 1);
  }
}
inline void reduce_i32(isa::AluOp op, bool is_unsigned, std::int32_t* partials, const std::int32_t* x, std::size_t n) {
  for (std::size_t i = 0; i < n; i += kPartials) {
    const std::size_t m = n - i < kPartials ? n - i : kPartials;
    alu_i32(op, is_unsigned, partials, 1, x + i, 1, partials, m);
  }
}

// `at(i)` are elements i.. of the row, `some(i, n)` the first n of them.
template <class Op, class At, class Some>
inline float fold_row(float identity, std::size_t n, Op op, At at, Some some) {
  constexpr int kVectors = static_cast<int>(kPartials) / kWidth;
  Vf p[kVectors];
#pragma GCC unroll 8
  for (int j = 0; j < kVectors; ++j) p[j] = splat(identity);
  std::size_t i = 0;
  for (; i + kPartials <= n; i += kPartials)
#pragma GCC unroll 8
    for (int j = 0; j < kVectors; ++j) p[j] = op(p[j], at(i + static_cast<std::size_t>(j * kWidth)));
#pragma GCC unroll 8
  for (int j = 0; j < kVectors && i < n; i += kWidth, ++j) {
    if (n - i >= kWidth) {
      p[j] = op(p[j], at(i));
    } else {  // the other lanes keep their partials
      float lanes[kWidth];
      store(lanes, p[j]);
      store_some(lanes, op(p[j], some(i, n - i)), n - i);
      p[j] = load(lanes);
    }
  }
  // The tree: partial j op= partial j + w for w = 16, 8, 4, 2, 1. Lanes beyond w hold what nobody reads.
#pragma GCC unroll 8
  for (int w = kVectors / 2; w > 0; w /= 2)
#pragma GCC unroll 8
    for (int j = 0; j < w; ++j) p[j] = op(p[j], p[j + w]);
  Vf v = p[0];
  if constexpr (kWidth >= 16) v = op(v, from_above<8>(v));
  if constexpr (kWidth >= 8) v = op(v, from_above<4>(v));
  v = op(v, from_above<2>(v));
  v = op(v, from_above<1>(v));
  return v[0];
}
template <class Op>
inline float fold_row(float identity, const float* x, std::size_t n, Op op) {
  return fold_row(
      identity, n, op, [x](std::size_t i) { return load(x + i); },
      [x](std::size_t i, std::size_t m) { return load_some(x + i, m); });
}
inline float sum_products_f32(const float* a, const float* b, std::size_t n) {
  return fold_row(
      0.0f, n, [](Vf x, Vf y) { return x + y; }, [a, b](std::size_t i) { return load(a + i) * load(b + i); },
      [a, b](std::size_t i, std::size_t m) { return load_some(a + i, m) * load_some(b + i, m); });
}
inline float reduce_row_f32(isa::AluOp op, float identity, const float* x, std::size_t n) {
  using isa::AluOp;
  switch (op) {
    case AluOp::Add: return fold_row(identity, x, n, [](Vf a, Vf b) { return a + b; });
    case AluOp::Multiply: return fold_row(identity, x, n, [](Vf a, Vf b) { return a * b; });
    case AluOp::Max: return fold_row(identity, x, n, [](Vf a, Vf b) { return maximum(a, b); });
    case AluOp::Min: return fold_row(identity, x, n, [](Vf a, Vf b) { return minimum(a, b); });
    case AluOp::LogicalAnd:
      return fold_row(identity, x, n, [](Vf a, Vf b) { return one_or_zero((a != Vf{}) & (b != Vf{})); });
    case AluOp::LogicalOr:
      return fold_row(identity, x, n, [](Vf a, Vf b) { return one_or_zero((a != Vf{}) | (b != Vf{})); });
    default: return fold_row(identity, x, n, [](Vf a, Vf b) { return one_or_zero((a != Vf{}) ^ (b != Vf{})); });
  }
}

inline void select_32(const std::uint8_t* p, const std::uint32_t* a, int a_step, const std::uint32_t* b, int b_step,
                      std::uint32_t* d, std::size_t n) {
  if (n == 0) return;
  const Vi a0 = splat_i(static_cast<std::int32_t>(*a)), b0 = splat_i(static_cast<std::int32_t>(*b));
  std::size_t i = 0;
  for (; i + kWidth <= n; i += kWidth) {
    Vb narrow_mask;
    __builtin_memcpy(&narrow_mask, p + i, sizeof narrow_mask);
    const Vi mask = __builtin_convertvector(narrow_mask, Vi);
    store_i(d + i, pick_i(mask != 0, a_step ? load_i(a + i) : a0, b_step ? load_i(b + i) : b0));
  }
  for (; i < n; ++i) d[i] = p[i] ? a[a_step ? i : 0] : b[b_step ? i : 0];
}

inline void copy_rows_32(const std::byte* s, std::ptrdiff_t s_pitch, std::byte* d, std::ptrdiff_t d_pitch,
                         std::size_t rows, std::size_t words) {
  const Mask rest = first_lanes(words % kWidth);
  for (std::size_t r = 0; r < rows; ++r, s += s_pitch, d += d_pitch) {
    std::size_t i = 0;
    for (; i + kWidth <= words; i += kWidth) store_i(d + 4 * i, load_i(s + 4 * i));
    if (i < words)
      store_masked(reinterpret_cast<float*>(d + 4 * i), load_masked(reinterpret_cast<const float*>(s + 4 * i), rest), rest);
  }
}

inline void bf16_to_f32(const std::byte* s, float* d, std::size_t n) {
  std::size_t i = 0;
  for (; i + kWidth <= n; i += kWidth) store(d + i, load_bf16(s + 2 * i));
  if (i < n) store_some(d + i, load_some_bf16(s + 2 * i, n - i), n - i);
}
inline Vh narrow_to_bf16(Vi v) {
  const Vu u = (Vu)v;
  const Vi nan = (v & 0x7FFFFFFF) > 0x7F800000;
  const Vi rounded = (Vi)((u + (0x7FFFu + ((u >> 16) & 1u))) >> 16);
  const Vi quiet = (Vi)((u >> 16) | 0x40u);
  return __builtin_convertvector((Vu)pick_i(nan, quiet, rounded), Vh);
}
inline void f32_to_bf16(const float* s, std::byte* d, std::size_t n) {
  std::size_t i = 0;
  for (; i + kWidth <= n; i += kWidth) {
    const Vh h = narrow_to_bf16(load_i(s + i));
    __builtin_memcpy(d + 2 * i, &h, sizeof h);
  }
  if (i < n) {
    const Vh h = narrow_to_bf16(load_some_i(s + i, n - i));
    __builtin_memcpy(d + 2 * i, &h, 2 * (n - i));
  }
}

inline void bytes_to_f32(const std::byte* s, bool truth, float* d, std::size_t n) {
  const Vi all = splat_i(truth ? 0 : -1);
  for (std::size_t i = 0; i < n; i += kWidth) {
    const std::size_t m = n - i < kWidth ? n - i : kWidth;
    Vb raw{};
    if (m == kWidth)
      __builtin_memcpy(&raw, s + i, kWidth);
    else
      __builtin_memcpy(&raw, s + i, m);
    const Vi wide = __builtin_convertvector(raw, Vi);
    const Vf v = __builtin_convertvector((wide & all) | ((Vi)(wide != 0) & ~all & 1), Vf);
    if (m == kWidth)
      store(d + i, v);
    else
      store_some(d + i, v, m);
  }
}
inline void f32_to_truth(const float* s, std::byte* d, std::size_t n) {
  for (std::size_t i = 0; i < n; i += kWidth) {
    const std::size_t m = n - i < kWidth ? n - i : kWidth;
    const Vf v = m == kWidth ? load(s + i) : load_some(s + i, m);
    const Vb raw = __builtin_convertvector((Vi)(v != Vf{}) & 1, Vb);
    if (m == kWidth)
      __builtin_memcpy(d + i, &raw, kWidth);
    else
      __builtin_memcpy(d + i, &raw, m);
  }
}
inline void i32_to_f32(const std::int32_t* s, bool is_unsigned, float* d, std::size_t n) {
  for (std::size_t i = 0; i < n; i += kWidth) {
    const std::size_t m = n - i < kWidth ? n - i : kWidth;
    const Vi v = m == kWidth ? load_i(s + i) : load_some_i(s + i, m);
    Vf r = __builtin_convertvector(v, Vf);
    if (is_unsigned) {  // halved with a sticky low bit, so that it is rounded once
      const Vi half = (Vi)(((Vu)v >> 1) | ((Vu)v & 1u));
      const Vf big = __builtin_convertvector(half, Vf);
      r = pick(v < 0, big + big, r);
    }
    if (m == kWidth)
      store(d + i, r);
    else
      store_some(d + i, r, m);
  }
}
// Truncates, saturates, NaN -> 0.
inline void f32_to_i32(const float* s, bool is_unsigned, std::int32_t* d, std::size_t n) {
  for (std::size_t i = 0; i < n; i += kWidth) {
    const std::size_t m = n - i < kWidth ? n - i : kWidth;
    const Vf v = m == kWidth ? load(s + i) : load_some(s + i, m);
    const Vf half = splat(2147483648.0f);
    const Vi high = v >= half;
    const Vi in_range = (v > splat(-2147483648.0f)) & (v < half);
    const Vi low = __builtin_convertvector(pick(in_range, v, Vf{}), Vi);
    Vi r;
    if (is_unsigned) {
      const Vi top = v >= splat(4294967296.0f);
      const Vi upper =
          __builtin_convertvector(pick(high & ~top, v - half, Vf{}), Vi) ^ static_cast<std::int32_t>(0x80000000u);
      r = pick_i(top, splat_i(-1), pick_i(high, upper, pick_i(v > Vf{}, low, Vi{})));
    } else {
      r = pick_i(high, splat_i(0x7FFFFFFF),
                 pick_i(v <= splat(-2147483648.0f), splat_i(static_cast<std::int32_t>(0x80000000u)), low));
    }
    if (m == kWidth)
      store_i(d + i, r);
    else
      store_some_i(d + i, r, m);
  }
}
