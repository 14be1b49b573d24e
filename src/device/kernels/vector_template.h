// What the kernels of every instruction set share: loads, stores, masks. Included inside the namespace of one set.
inline Vi splat_i(std::int32_t x) { return Vi{} + x; }

inline Vf load(const float* p) {
  Vf v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
inline Vi load_i(const void* p) {
  Vi v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
inline void store(float* p, Vf v) { __builtin_memcpy(p, &v, sizeof v); }
inline void store_i(void* p, Vi v) { __builtin_memcpy(p, &v, sizeof v); }
// The last n < kWidth elements run through the same vector code; the other lanes hold zeros.
inline Vf load_some(const float* p, std::size_t n) {
  return load_masked(p, first_lanes(n));
}
inline Vi load_some_i(const void* p, std::size_t n) {
  Vi v{};
  __builtin_memcpy(&v, p, n * sizeof(float));
  return v;
}
inline void store_some(float* p, Vf v, std::size_t n) { store_masked(p, v, first_lanes(n)); }
inline void store_some_i(void* p, Vi v, std::size_t n) { __builtin_memcpy(p, &v, n * sizeof(float)); }

typedef std::uint8_t Vb __attribute__((vector_size(kWidth)));
typedef std::uint16_t Vh __attribute__((vector_size(2 * kWidth)));
inline Vf load_bf16(const std::byte* p) {
  Vh h;
  __builtin_memcpy(&h, p, sizeof h);
  return (Vf)(__builtin_convertvector(h, Vu) << 16);
}
inline Vf load_some_bf16(const std::byte* p, std::size_t n) {
  Vh h{};
  __builtin_memcpy(&h, p, 2 * n);
  return (Vf)(__builtin_convertvector(h, Vu) << 16);
}

inline Vi bits(Vf v) { return (Vi)v; }
inline Vf real(Vi v) { return (Vf)v; }
inline Vf pick(Vi mask, Vf a, Vf b) { return mask ? a : b; }
inline Vi pick_i(Vi mask, Vi a, Vi b) { return mask ? a : b; }
inline Vd pick_d(Vl mask, Vd a, Vd b) { return mask ? a : b; }
inline Vf one_or_zero(Vi mask) { return real(mask & bits(splat(1.0f))); }
inline Vf magnitude(Vf v) { return real(bits(v) & 0x7FFFFFFF); }
inline Vd magnitude_d(Vd v) { return (Vd)((Vl)v & 0x7FFFFFFFFFFFFFFFLL); }
inline Vf with_sign(Vf value, Vf sign) {
  return real(bits(value) | (bits(sign) & static_cast<std::int32_t>(0x80000000u)));
}
inline Vd with_sign_d(Vd value, Vd sign) {
  return (Vd)((Vl)value | ((Vl)sign & static_cast<std::int64_t>(0x8000000000000000ull)));
}

// Lane i gets lane i + Distance, as far as there is one.
template <int... Lane>
struct Lanes {};
template <int Count, int... Lane>
struct FirstLanes : FirstLanes<Count - 1, Count - 1, Lane...> {};
template <int... Lane>
struct FirstLanes<0, Lane...> : Lanes<Lane...> {};
template <int Distance, int... Lane>
inline Vf from_above(Vf v, Lanes<Lane...>) {
  return __builtin_shufflevector(v, v, ((Lane + Distance) % kWidth)...);
}
template <int Distance>
inline Vf from_above(Vf v) {
  return from_above<Distance>(v, FirstLanes<kWidth>{});
}

// NaN wins (the first operand's, if both are); -0 < +0.
inline Vf maximum(Vf a, Vf b) {
  const Vf larger = pick(a > b, a, b);
  const Vf ordered = pick(a == b, real(bits(a) & bits(b)), larger);
  return pick(a != a, a, pick(b != b, b, ordered));
}
inline Vf minimum(Vf a, Vf b) {
  const Vf smaller = pick(a < b, a, b);
  const Vf ordered = pick(a == b, real(bits(a) | bits(b)), smaller);
  return pick(a != a, a, pick(b != b, b, ordered));
}
