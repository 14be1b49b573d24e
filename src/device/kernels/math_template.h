// Elementary functions. Included inside the namespace of one set, after vector_template.h.
//
// Exp, Log, Tanh, Sigmoid run in fp32 with every FMA written out; the others run in double without any FMA and are
// rounded once at the end. Polynomials are minimax fits on the reduced interval. Errors, measured over all or dense
// samples of fp32 by tests/device/functions_test.cpp, stand in docs/device.md.

// 2^n p, n in -252..254: two exact factors, so that a subnormal result is rounded once.
inline Vf scale_by_power(Vf p, Vi n) {
  const Vi half = n >> 1;
  const Vi rest = n - half;
  return p * real((half + 127) << 23) * real((rest + 127) << 23);
}

inline Vf exp_f(Vf x) {
  const Vf magic = splat(12582912.0f);  // 1.5 * 2^23: adding it rounds to an integer in the low mantissa bits
  Vf v = pick(x > splat(89.0f), splat(89.0f), x);
  v = pick(v < splat(-104.5f), splat(-104.5f), v);
  const Vf t = fma(v, splat(0x1.715476p+0f), magic);
  const Vf n = t - magic;
  Vf r = fma(n, splat(-0x1.62e400p-1f), v);  // ln 2, 17 bits: n times it is exact
  r = fma(n, splat(-0x1.7f7d1cp-20f), r);
  Vf q = splat(0x1.a1b5cep-13f);
  q = fma(q, r, splat(0x1.6d974cp-10f));
  q = fma(q, r, splat(0x1.11107ep-7f));
  q = fma(q, r, splat(0x1.55548p-5f));
  q = fma(q, r, splat(0x1.555556p-3f));
  q = fma(q, r, splat(0.5f));
  // Below -104 the result is under half of the smallest subnormal. Zero from the start: an underflow costs 100 cycles.
  const Vf p = pick(x < splat(-104.0f), Vf{}, fma(r * r, q, r) + splat(1.0f));
  return scale_by_power(p, (Vi)((Vu)bits(t) - (Vu)bits(magic)));
}

inline Vf log_f(Vf x) {
  const Vi tiny = x < splat(0x1p-126f);
  const Vf v = pick(tiny, x * splat(0x1p23f), x);
  // m in [sqrt(1/2), sqrt(2)), v = m 2^e
  const Vi offset = (Vi)((Vu)bits(v) - 0x3F3504F3u);
  const Vi e = offset >> 23;
  const Vf m = real((offset & 0x007FFFFF) + 0x3F3504F3);
  const Vf n = __builtin_convertvector(e - (tiny & 23), Vf);
  const Vf f = m - splat(1.0f);
  Vf q = splat(0x1.1b3e92p-4f);
  q = fma(q, f, splat(-0x1.e2e7ecp-4f));
  q = fma(q, f, splat(0x1.e6519ap-4f));
  q = fma(q, f, splat(-0x1.fb4388p-4f));
  q = fma(q, f, splat(0x1.2332b4p-3f));
  q = fma(q, f, splat(-0x1.5562ep-3f));
  q = fma(q, f, splat(0x1.99a546p-3f));
  q = fma(q, f, splat(-0x1.ffffeep-3f));
  q = fma(q, f, splat(0x1.555546p-2f));
  const Vf square = f * f;
  Vf y = fma(q * f, square, n * splat(-0x1.bd0106p-13f));  // ln 2 = 0x1.63p-1 - 0x1.bd0106p-13
  y = fma(square, splat(-0.5f), y);
  const Vf whole = n * splat(0x1.63p-1f), high = whole + f;
  Vf result = high + ((f - (high - whole)) + y);  // |whole| > |f|, or whole is 0: what `high` lost comes back
  result = pick(x == splat(__builtin_inff()), x, result);
  result = pick(x == Vf{}, splat(-__builtin_inff()), result);
  result = pick(x < Vf{}, splat(__builtin_nanf("")), result);
  return pick(x != x, x, result);
}

inline Vf sigmoid_f(Vf x) {
  const Vf e = exp_f(real(bits(x) | static_cast<std::int32_t>(0x80000000u)));  // exp(-|x|)
  return pick(x < Vf{}, e, splat(1.0f)) / (splat(1.0f) + e);
}

inline Vf tanh_f(Vf x) {
  const Vf a = magnitude(x);
  const Vf z = x * x;
  Vf q = splat(-0x1.ba0104p-11f);
  q = fma(q, z, splat(0x1.ad90ap-9f));
  q = fma(q, z, splat(-0x1.1f864p-7f));
  q = fma(q, z, splat(0x1.66145ep-6f));
  q = fma(q, z, splat(-0x1.ba191cp-5f));
  q = fma(q, z, splat(0x1.11110ap-3f));
  q = fma(q, z, splat(-0x1.555556p-2f));
  const Vf small = fma(x * z, q, x);
  const Vf large = splat(1.0f) - splat(2.0f) / (exp_f(a + a) + splat(1.0f));
  return with_sign(pick(a < splat(0.6f), small, large), x);
}

// Toward zero; the sign of zero stays.
inline Vf trunc_f(Vf x) {
  const Vi small = magnitude(x) < splat(8388608.0f);  // larger floats are integers; NaN is not small
  const Vf whole = __builtin_convertvector(__builtin_convertvector(pick(small, x, Vf{}), Vi), Vf);
  return pick(small, with_sign(whole, x), x);
}
inline Vf floor_f(Vf x) {
  const Vf t = trunc_f(x);
  return pick(t > x, t - splat(1.0f), t);
}
inline Vf ceil_f(Vf x) {
  const Vf t = trunc_f(x);
  return pick(t < x, t + splat(1.0f), t);
}
inline Vf round_f(Vf x) {
  const Vf a = magnitude(x);
  const Vf magic = splat(8388608.0f);  // 2^23: adding it rounds to an integer
  return pick(a < magic, with_sign((a + magic) - magic, x), x);
}

// ---- in double
inline Vd poly_d(Vd, double c) { return splat_d(c); }
template <class... Rest>
inline Vd poly_d(Vd x, double c, Rest... rest) {
  return poly_d(x, rest...) * x + c;
}

inline Vd exp_d(Vd x) {
  const Vd magic = splat_d(6755399441055744.0);  // 1.5 * 2^52
  Vd v = pick_d(x > splat_d(709.0), splat_d(709.0), x);
  v = pick_d(v < splat_d(-708.0), splat_d(-708.0), v);
  const Vd t = v * 0x1.71547652b82fep+0 + magic;
  const Vd n = t - magic;
  const Vd r = (v - n * 0x1.62e42fee00000p-1) - n * 0x1.a39ef35793c76p-33;
  const Vd q = poly_d(r, 0x1.0000000000019p-1, 0x1.5555555555117p-3, 0x1.555555554d096p-5, 0x1.11111111f2e57p-7,
                      0x1.6c16c18bd9facp-10, 0x1.a019fd659881ep-13, 0x1.a0198cf7ad601p-16, 0x1.71e6ea29205fbp-19,
                      0x1.28b4cb7d7dec5p-22, 0x1.a1c2bbb7ace4ep-26);
  Vd result = (r * r * q + r + 1.0) * (Vd)((((Vl)t - (Vl)magic) + 1023) << 52);
  result = pick_d(x > splat_d(709.0), splat_d(__builtin_inf()), result);
  return pick_d(x < splat_d(-708.0), Vd{}, result);
}

// x >= 0, not subnormal.
inline Vd log_d(Vd x) {
  const std::int64_t root = 0x3FE6A09E667F3BCDLL;  // sqrt(1/2)
  const Vl offset = (Vl)x - root;
  const Vl e = offset >> 52;
  const Vd m = (Vd)((offset & 0x000FFFFFFFFFFFFFLL) + root);
  const Vd magic = splat_d(6755399441055744.0);
  const Vd n = (Vd)((Vl)magic + e) - magic;
  const Vd f = m - 1.0;
  const Vd s = f / (f + 2.0);
  const Vd z = s * s;
  const Vd q = poly_d(z, 0x1.5555555555554p-1, 0x1.9999999999a1ep-2, 0x1.2492492478917p-2, 0x1.c71c71fee3ed5p-3,
                      0x1.745cfa018d4b5p-3, 0x1.3b1bf6f330a60p-3, 0x1.0fc6b8608f745p-3, 0x1.0b9956edfea5fp-3);
  Vd result = n * 0x1.62e42fefa39efp-1 + (s * 2.0 + s * z * q);
  result = pick_d(x == splat_d(__builtin_inf()), x, result);
  result = pick_d(x == Vd{}, splat_d(-__builtin_inf()), result);
  return pick_d(x != x, x, result);
}

// exp(x^2) erfc(x) for x >= 1.
inline Vd scaled_erfc(Vd x) {
  const Vd t = 1.0 / (x + 2.0);
  return t * poly_d(t, 0x1.20dd75361c959p-1, 0x1.20dd69dbcd046p+0, 0x1.f985d2fc899aap+0, 0x1.68f0ea51ec3e8p+1,
                    0x1.5a06199be0326p+1, -0x1.47e02d18b9f54p-1, -0x1.9aef77f98ed6ep+1, -0x1.810515e060afap+5,
                    0x1.b59701fd52aa0p+7, -0x1.f78b050a0fefdp+9, 0x1.dc52924e0fe76p+11, -0x1.18e248f0bf34fp+13,
                    0x1.8b61fe3fcb7c6p+13, -0x1.36db3e876e616p+13, 0x1.a9c86342858cdp+11);
}
inline Vd erf_center(Vd x) {  // |x| < 1.25
  const Vd z = x * x;
  return x * poly_d(z, 0x1.20dd750429b6ap+0, -0x1.812746b0379c2p-2, 0x1.ce2f21a041071p-4, -0x1.b82ce312114fdp-6,
                    0x1.565bccfe83a3fp-8, -0x1.c02db18e568adp-11, 0x1.f9a2ea1c8f26ap-14, -0x1.f4ce6d7c32cb1p-17,
                    0x1.b9ba7b86efa04p-20, -0x1.5e1de922e4604p-23, 0x1.eec131bc9da86p-27, -0x1.218ee76584e98p-30,
                    0x1.a35cf6ed6134fp-35);
}
inline Vd erf_d(Vd x) {
  const Vd a = magnitude_d(x);
  const Vd tail = with_sign_d(1.0 - exp_d(-(a * a)) * scaled_erfc(a), x);
  return pick_d(a < splat_d(1.25), erf_center(x), tail);
}
inline Vd erfc_d(Vd x) {
  const Vd a = magnitude_d(x);
  const Vd tail = exp_d(-(a * a)) * scaled_erfc(a);
  return pick_d(a < splat_d(1.25), 1.0 - erf_center(x), pick_d(x < Vd{}, 2.0 - tail, tail));
}

// sin and cos of |x| < 2^20; larger ones are done by sine_of_large and cosine_of_large.
struct Turn {
  Vd sine, cosine;  // of the angle within its quadrant
  Vl quadrant;
};
inline Turn turn_d(Vd x) {
  const Vd magic = splat_d(6755399441055744.0);
  const Vd t = x * 0x1.45f306dc9c883p-1 + magic;
  const Vd n = t - magic;
  const Vd r = (x - n * 0x1.921fb54400000p+0) - n * 0x1.0b4611a626331p-34;  // pi/2; n times its 33 high bits is exact
  const Vd z = r * r;
  const Vd sine = r + r * z *
                          poly_d(z, -0x1.5555555555553p-3, 0x1.11111111108a5p-7, -0x1.a01a019e48bf3p-13,
                                 0x1.71de3791d2a51p-19, -0x1.ae602c4c3d2b2p-26, 0x1.5e1ea4bbd3a91p-33);
  const Vd cosine = 1.0 - z * 0.5 +
                    z * z *
                        poly_d(z, 0x1.5555555555555p-5, -0x1.6c16c16c16984p-10, 0x1.a01a019f5aecdp-16,
                               -0x1.27e4fa2d8f0a7p-22, 0x1.1eeb84a34937ep-29, -0x1.90946bf24ae77p-37);
  return {sine, cosine, (Vl)t - (Vl)magic};
}
inline Vd sin_d(Vd x) {
  const Turn t = turn_d(x);
  const Vd value = pick_d((t.quadrant & 1) != 0, t.cosine, t.sine);
  return pick_d(x == Vd{}, x, pick_d((t.quadrant & 2) != 0, -value, value));
}
inline Vd cos_d(Vd x) {
  const Turn t = turn_d(x);
  const Vd value = pick_d((t.quadrant & 1) != 0, t.sine, t.cosine);
  return pick_d(((t.quadrant + 1) & 2) != 0, -value, value);
}
inline Vd tan_d(Vd x) {
  const Turn t = turn_d(x);
  return pick_d(x == Vd{}, x, pick_d((t.quadrant & 1) != 0, -(t.cosine / t.sine), t.sine / t.cosine));
}

inline Vd arctan_d(Vd x) {
  const Vd a = magnitude_d(x);
  const Vl outer = a > splat_d(2.414213562373095);  // tan(3 pi / 8)
  const Vl middle = (a > splat_d(0.41421356237309503)) & ~outer;
  Vd t = pick_d(outer, -1.0 / a, pick_d(middle, (a - 1.0) / (a + 1.0), a));
  const Vd base = pick_d(outer, splat_d(1.5707963267948966), pick_d(middle, splat_d(0.78539816339744831), Vd{}));
  const Vd z = t * t;
  t = t + t * z *
              poly_d(z, -0x1.5555555555545p-2, 0x1.9999999990bcep-3, -0x1.2492491ddedaep-3, 0x1.c71c6dd598995p-4,
                     -0x1.745c7fd62480bp-4, 0x1.3b0692283a514p-4, -0x1.105e49d697607p-4, 0x1.d5eb001a554c8p-5,
                     -0x1.6f41583c471c8p-5, 0x1.74a9aeb6fbfaap-6);
  return pick_d(x != x, x, with_sign_d(magnitude_d(base + t), x));
}

inline Vd log1p_d(Vd x) {
  const Vd u = x + 1.0;
  Vd result = log_d(pick_d(u > Vd{}, u, Vd{})) * (x / (u - 1.0));  // what rounding u lost comes back as a factor
  result = pick_d(u == splat_d(1.0), x, result);
  result = pick_d(x == splat_d(__builtin_inf()), x, result);
  result = pick_d(u < Vd{}, splat_d(__builtin_nan("")), result);
  return pick_d(x != x, x, result);
}
inline Vd expm1_d(Vd x) {
  // Below 2^-8 the series up to x^6 leaves 2^-60; above, exp has digits to spare for the subtraction.
  const Vd small = x + x * x * poly_d(x, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720);
  const Vd result = pick_d(magnitude_d(x) < splat_d(0.00390625), small, exp_d(x) - 1.0);
  return pick_d((x == Vd{}) | (x != x), x, result);
}

inline Vd softplus_d(Vd x) {  // max(x, 0) + log1p(exp(-|x|))
  const Vd e = exp_d(-magnitude_d(x));
  const Vd u = e + 1.0;
  const Vd log1p = pick_d(u == splat_d(1.0), e, log_d(u) * (e / (u - 1.0)));
  return pick_d(x != x, x, pick_d(x > Vd{}, x, Vd{}) + log1p);
}

// C's pow on fp32 values held in double.
inline Vd power_d(Vd x, Vd y) {
  const Vd magic = splat_d(6755399441055744.0);
  const Vd ay = magnitude_d(y);
  const Vl small = ay < splat_d(16777216.0);  // larger floats are even integers
  const Vd kept = pick_d(small, ay, Vd{});
  const Vd whole = kept + magic;
  const Vl integer = (~small) | ((whole - magic) == kept);
  const Vl odd = small & integer & ((((Vl)whole - (Vl)magic) & 1) != 0);
  const Vl negative = (Vl)x < 0;
  const Vd size = exp_d(y * log_d(magnitude_d(x)));
  Vd result = pick_d(odd & negative, -size, size);
  const Vl below = (x < Vd{}) & (x != splat_d(-__builtin_inf()));
  result = pick_d(below & ~integer, splat_d(__builtin_nan("")), result);
  result = pick_d((x == splat_d(-1.0)) & (ay == splat_d(__builtin_inf())), splat_d(1.0), result);
  result = pick_d(y != y, y, result);
  result = pick_d(x != x, x, result);
  return pick_d((y == Vd{}) | (x == splat_d(1.0)), splat_d(1.0), result);
}
