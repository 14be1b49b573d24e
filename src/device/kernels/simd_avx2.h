// Vectors of AVX2 with FMA: eight floats. Included by kernels_avx2.cpp inside its namespace, after <immintrin.h>.
inline constexpr int kWidth = 8;
inline constexpr int kRegisters = 16;
typedef float Vf __attribute__((vector_size(32)));
typedef std::int32_t Vi __attribute__((vector_size(32)));
typedef std::uint32_t Vu __attribute__((vector_size(32)));
typedef double Vd __attribute__((vector_size(32)));
typedef std::int64_t Vl __attribute__((vector_size(32)));
inline constexpr int kDoubles = 4;

inline Vf splat(float x) { return (Vf)_mm256_set1_ps(x); }
inline Vd splat_d(double x) { return (Vd)_mm256_set1_pd(x); }
inline Vf fma(Vf a, Vf b, Vf c) { return (Vf)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c); }
// The first n lanes; the others read as zero and are not written.
typedef Vi Mask;
inline Mask first_lanes(std::size_t n) {
  return (Vi{0, 1, 2, 3, 4, 5, 6, 7} < static_cast<std::int32_t>(n)) ? Vi{} - 1 : Vi{};
}
inline Vf load_masked(const float* p, Mask m) { return (Vf)_mm256_maskload_ps(p, (__m256i)m); }
inline void store_masked(float* p, Vf v, Mask m) { _mm256_maskstore_ps(p, (__m256i)m, (__m256)v); }
inline Vf square_root(Vf a) { return (Vf)_mm256_sqrt_ps((__m256)a); }
inline Vd widen(const float* x) { return (Vd)_mm256_cvtps_pd(_mm_loadu_ps(x)); }
inline void narrow(Vd v, float* d) { _mm_storeu_ps(d, _mm256_cvtpd_ps((__m256d)v)); }
