// Vectors of the portable baseline: four floats, and an FMA that is the library's.
// Included by kernels_baseline.cpp inside its namespace.
inline constexpr int kWidth = 4;
typedef float Vf __attribute__((vector_size(16)));
typedef std::int32_t Vi __attribute__((vector_size(16)));
typedef std::uint32_t Vu __attribute__((vector_size(16)));
typedef double Vd __attribute__((vector_size(16)));
typedef std::int64_t Vl __attribute__((vector_size(16)));
inline constexpr int kDoubles = 2;

inline Vf splat(float x) { return Vf{x, x, x, x}; }
inline Vd splat_d(double x) { return Vd{x, x}; }
inline Vf fma(Vf a, Vf b, Vf c) {
  Vf r;
  for (int i = 0; i < kWidth; ++i) r[i] = __builtin_fmaf(a[i], b[i], c[i]);
  return r;
}
inline Vf square_root(Vf a) {
  Vf r;
  for (int i = 0; i < kWidth; ++i) r[i] = __builtin_sqrtf(a[i]);
  return r;
}
inline Vd widen(const float* x) { return Vd{x[0], x[1]}; }
inline void narrow(Vd v, float* d) {
  d[0] = static_cast<float>(v[0]);
  d[1] = static_cast<float>(v[1]);
}
