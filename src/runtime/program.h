// A program that cores can run: its code, and on each core that ran it a loaded model.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "device/device.h"
#include "isa/code.h"
#include "machine/machine.h"
#include "runtime/core.h"
#include "runtime/event.h"

namespace openneuron::runtime {

class Program {
 public:
  struct Port {
    std::size_t variable = 0;  ///< of the code
    std::size_t bytes = 0;
    int input = -1;            ///< output: the input whose memory it takes over
    Label label;
  };

  /// errors  ON-E1099 when outputs alias what is no input of their size
  static Result<std::shared_ptr<Program>> make(std::shared_ptr<const isa::Code> code,
                                               std::shared_ptr<const Machine> machine, const device::Options& options);

  const isa::Code& code() const { return *code_; }
  const Machine& machine() const { return *machine_; }
  const std::vector<Port>& inputs() const { return inputs_; }
  const std::vector<Port>& outputs() const { return outputs_; }
  /// HBM that the program itself takes on each core: constants and scratch.
  std::int64_t own_bytes() const { return own_bytes_; }
  /// Whether one run is so short that handing it to another thread costs more.
  bool is_short() const { return typical_ns_.load(std::memory_order_relaxed) <= kShortNs; }

  /// On the core's turn only. An output that takes over an input's memory is given that memory.
  Result<void> run(Core& core, std::span<std::byte* const> inputs, std::span<std::byte* const> outputs);

 private:
  struct Loaded {
    std::shared_ptr<Allocation> own;
    std::unique_ptr<device::Model> model;
    std::vector<std::byte*> pointers;
  };
  static constexpr std::int64_t kShortNs = 100'000;
  Result<Loaded*> loaded(Core& core);

  std::shared_ptr<const isa::Code> code_;
  std::shared_ptr<const Machine> machine_;
  device::Options options_;
  std::vector<Port> inputs_, outputs_;
  std::int64_t own_bytes_ = 0;
  std::atomic<std::int64_t> typical_ns_{0};  // of a run on this host; at first a guess
  std::mutex mutex_;
  std::unordered_map<const Core*, std::unique_ptr<Loaded>> loaded_;
};

struct Argument {
  std::shared_ptr<Allocation> memory;
  std::shared_ptr<Event> ready;
  bool donated = false;   ///< its memory may be written: nobody else looks at it
};
struct Execution {
  std::vector<std::shared_ptr<Allocation>> outputs;
  std::shared_ptr<Event> done;  ///< with the error, when it failed
};
/// Runs the program on the core after what was submitted before: at once on this thread when it is short, its inputs are
/// ready and the core rests. The memory of donated arguments is taken over by the outputs that alias them.
/// errors  ON-E2304, ON-E2307 arguments that do not fit
Result<Execution> execute(const std::shared_ptr<Program>& program, Core& core, std::vector<Argument> arguments);

}  // namespace openneuron::runtime
