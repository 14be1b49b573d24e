// Vectors of AVX2 with FMA: eight floats. Included by kernels_avx2.cpp inside its namespace, after <immintrin.h>.
inline constexpr int kWidth = 8;
typedef float Vf __attribute__((vector_size(32)));
typedef std::int32_t Vi __attribute__((vector_size(32)));
typedef std::uint32_t Vu __attribute__((vector_size(32)));
typedef double Vd __attribute__((vector_size(32)));
typedef std::int64_t Vl __attribute__((vector_size(32)));
inline constexpr int kDoubles = 4;

inline Vf splat(float x) { return (Vf)_mm256_set1_ps(x); }
inline Vd splat_d(double x) { return (Vd)_mm256_set1_pd(x); }
inline Vf fma(Vf a, Vf b, Vf c) { return (Vf)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c); }
inline Vf square_root(Vf a) { return (Vf)_mm256_sqrt_ps((__m256)a); }
inline Vd widen(const float* x) { return (Vd)_mm256_cvtps_pd(_mm_loadu_ps(x)); }
inline void narrow(Vd v, float* d) { _mm_storeu_ps(d, _mm256_cvtpd_ps((__m256d)v)); }
