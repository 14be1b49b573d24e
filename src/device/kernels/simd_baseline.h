// Vectors of the portable baseline: four floats, and an FMA that is the library's.
// Included by kernels_baseline.cpp inside its namespace.
inline constexpr int kWidth = 4;
inline constexpr int kRegisters = 16;
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
// The first n lanes; the others read as zero and are not written.
typedef std::size_t Mask;
inline Mask first_lanes(std::size_t n) { return n; }
inline Vf load_masked(const float* p, Mask m) {
  Vf v{};
  __builtin_memcpy(&v, p, m * sizeof(float));
  return v;
}
inline void store_masked(float* p, Vf v, Mask m) { __builtin_memcpy(p, &v, m * sizeof(float)); }
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
