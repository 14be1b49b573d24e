// Flushing of fp32 subnormals by MXCSR: operands (DAZ) and results (FTZ). Included inside the namespace of one set.
inline unsigned small_begin() {
  const unsigned old = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(old | 0x8040u);
  return old;
}
inline void small_end(unsigned state) { __builtin_ia32_ldmxcsr(state); }
#define FLUSH(v) (v)
