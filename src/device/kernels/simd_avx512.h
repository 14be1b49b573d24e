// Vectors of AVX-512: sixteen floats. Included by kernels_avx512.cpp and kernels_amx.cpp inside their namespaces, after
// <immintrin.h>. The masked forms do the same as the plain ones, whose headers leave a value uninitialised.
inline constexpr int kWidth = 16;
inline constexpr int kRegisters = 32;
typedef float Vf __attribute__((vector_size(64)));
typedef std::int32_t Vi __attribute__((vector_size(64)));
typedef std::uint32_t Vu __attribute__((vector_size(64)));
typedef double Vd __attribute__((vector_size(64)));
typedef std::int64_t Vl __attribute__((vector_size(64)));
inline constexpr int kDoubles = 8;

inline Vf splat(float x) { return (Vf)_mm512_set1_ps(x); }
inline Vd splat_d(double x) { return (Vd)_mm512_set1_pd(x); }
inline Vf fma(Vf a, Vf b, Vf c) { return (Vf)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c); }
// The first n lanes; the others read as zero and are not written.
typedef __mmask16 Mask;
inline Mask first_lanes(std::size_t n) { return static_cast<Mask>((1u << n) - 1); }
inline Vf load_masked(const float* p, Mask m) { return (Vf)_mm512_maskz_loadu_ps(m, p); }
inline void store_masked(float* p, Vf v, Mask m) { _mm512_mask_storeu_ps(p, m, (__m512)v); }
inline Vf square_root(Vf a) { return (Vf)_mm512_maskz_sqrt_ps(0xFFFF, (__m512)a); }
inline Vd widen(const float* x) { return (Vd)_mm512_maskz_cvtps_pd(0xFF, _mm256_loadu_ps(x)); }
inline void narrow(Vd v, float* d) { _mm256_storeu_ps(d, _mm512_maskz_cvtpd_ps(0xFF, (__m512d)v)); }
