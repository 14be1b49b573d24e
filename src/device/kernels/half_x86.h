// fp16 by F16C, eight at a time. Included inside the namespace of one set.
inline void f16_to_f32(const std::byte* s, float* d, std::size_t n) {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    __m128i raw;
    __builtin_memcpy(&raw, s + 2 * i, 16);
    _mm256_storeu_ps(d + i, _mm256_cvtph_ps(raw));
  }
  if (i < n) {
    __m128i raw = _mm_setzero_si128();
    float out[8];
    __builtin_memcpy(&raw, s + 2 * i, 2 * (n - i));
    _mm256_storeu_ps(out, _mm256_cvtph_ps(raw));
    __builtin_memcpy(d + i, out, 4 * (n - i));
  }
}
inline void f32_to_f16(const float* s, std::byte* d, std::size_t n) {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m128i raw = _mm256_cvtps_ph(_mm256_loadu_ps(s + i), _MM_FROUND_TO_NEAREST_INT);
    __builtin_memcpy(d + 2 * i, &raw, 16);
  }
  if (i < n) {
    float in[8] = {};
    __builtin_memcpy(in, s + i, 4 * (n - i));
    const __m128i raw = _mm256_cvtps_ph(_mm256_loadu_ps(in), _MM_FROUND_TO_NEAREST_INT);
    __builtin_memcpy(d + 2 * i, &raw, 2 * (n - i));
  }
}
