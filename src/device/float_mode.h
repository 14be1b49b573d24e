// The processor's floating-point mode: the device computes with round-to-nearest and subnormals kept, whatever its
// caller set.
#pragma once

namespace openneuron::device {

class FloatMode {
 public:
#if defined(__x86_64__)
  FloatMode() : old_(__builtin_ia32_stmxcsr()) { __builtin_ia32_ldmxcsr(kDefault); }
  ~FloatMode() { __builtin_ia32_ldmxcsr(old_); }
#else
  FloatMode() = default;
  ~FloatMode() {}
#endif
  FloatMode(const FloatMode&) = delete;
  FloatMode& operator=(const FloatMode&) = delete;

 private:
#if defined(__x86_64__)
  static constexpr unsigned kDefault = 0x1F80;  // exceptions masked, nearest even, no flushing
  unsigned old_;
#endif
};

}  // namespace openneuron::device
