// Arrays to a program's inputs, a program's memory to arrays: shared by `run` and `ref`.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "device/memory.h"
#include "num/element_type.h"
#include "tools/npz.h"

namespace openneuron::tools {

/// An input or output.
struct Port {
  std::string name;
  ElementType type = ElementType::F32;
  std::vector<std::int64_t> shape;
  std::int64_t bytes = 0;
  int aliases = -1;  ///< output: the input whose memory it takes over (donation)
};

struct Signature {
  std::vector<Port> inputs, outputs;
};

/// The bytes of one input: one tensor, or one per step.
struct Feed {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
  bool stepped = false;
};

/// Finds each input's array by its name or as input<i>. `steps` 0: no array may have an extra dimension.
/// errors  ON-E2112 missing, ON-E2113 shape, ON-E2114 type, ON-E2115 an array that names no input
Result<std::vector<Feed>> bind_arrays(const Signature& signature, std::span<const Array> arrays, std::int64_t steps,
                                      const std::string& file);
/// Floats N(0,1), integers and booleans 0 or 1; the same for equal seeds.
Result<std::vector<Feed>> random_feeds(const Signature& signature, std::uint64_t seed);

/// The memory of all ports, the steps over it, and the outputs as arrays.
class Memory {
 public:
  /// `limit_bytes` 0: none.  errors  ON-E2116
  static Result<Memory> allocate(Signature signature, std::vector<Feed> feeds, std::int64_t steps,
                                 std::int64_t limit_bytes);

  std::byte* input(std::size_t i) { return inputs_[i]; }
  std::byte* output(std::size_t i);
  /// Brings the inputs in place for `step`: donated ones at step 0 only, or all with `Restore::Yes`.
  enum class Restore { No, Yes };
  void begin_step(std::int64_t step, Restore restore = Restore::No);
  /// Puts outputs that are not donated aside when there are several steps.
  void end_step(std::int64_t step);
  /// After the last step. The arrays point into this object.
  std::vector<Array> results() const;
  const Signature& signature() const { return signature_; }

 private:
  Signature signature_;
  std::vector<Feed> feeds_;
  device::Mapping bytes_;                              // all of them: large pages without waste
  std::vector<std::byte*> inputs_, outputs_, stacks_;  // outputs_: null where donated; stacks_: null for one step
  std::vector<bool> donated_;
  std::int64_t steps_ = 0;
};

/// "output0  f32[2,3]  mean 0.5, min -1, max 2: [0.1, 0.2, ...]", a line each.
std::string summary(std::span<const Array> arrays, const Signature& signature);

}  // namespace openneuron::tools
