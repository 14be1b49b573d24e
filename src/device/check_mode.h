// Check mode: the streams of all cores with only their semaphores for order.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "device/core.h"
#include "device/device.h"
#include "device/run.h"
#include "device/shadow.h"

namespace openneuron::device {

class CheckedRun {
 public:
  CheckedRun(const Context& context, std::vector<Core>& cores, std::uint64_t step_limit, std::uint64_t seed);
  /// errors  ON-E1902 .. ON-E1908
  Result<void> run();

 private:
  struct Runner {
    const isa::Stream* stream = nullptr;
    std::size_t core = 0;
    std::uint32_t index = 0;  ///< among the streams of all cores
    Program program;
    Sequencer sequencer;
    std::vector<std::int64_t> bases;  ///< by semaphore
    std::array<bool, 256> known{};    ///< registers
    std::size_t barriers = 0;         ///< passed
    bool waits_at_barrier = false;
    bool finished() const { return sequencer.pc >= program.ops.size(); }
  };
  /// One semaphore: the clocks that each signal carries.
  struct Semaphore {
    std::vector<std::uint32_t> clocks;  ///< [signal][stream]
    std::int64_t value = 0;
  };

  Result<void> prepare();
  Result<void> prepare_shadows();
  bool ready(Runner& runner);
  bool barrier_open(Runner& runner);
  Result<void> step(Runner& runner);
  Result<void> touch(Runner& runner, const HostOp& op, EventId event);
  Result<void> touch_operand(Runner& runner, const HostOp& op, std::size_t index, const View& view, EventId event);
  Result<void> touch_rows(Runner& runner, const HostOp& op, std::size_t index, const View& view, EventId event);
  Result<void> touch_walk(Runner& runner, const HostOp& op, std::size_t index, std::int64_t base, EventId event,
                          bool writes);
  Result<void> registers(Runner& runner, const HostOp& op);
  Failure conflict(const HostOp& op, std::size_t index, bool writes, const Conflict& found) const;
  Failure deadlock() const;
  Result<void> check_outputs() const;
  Shadow& shadow_of(const Runner& runner, const HostOperand& operand);
  std::uint64_t random();

  const Context& context_;
  std::vector<Core>& cores_;
  std::uint64_t step_limit_, steps_ = 0, state_;
  std::vector<Runner> runners_;
  std::vector<std::vector<Semaphore>> semaphores_;  ///< by core
  History history_;
  ReaderSets readers_;
  std::vector<Shadow> chip_;  ///< per core SBUF, PSUM
  std::vector<Shadow> variables_;
  std::vector<std::size_t> variable_shadow_;  ///< an output shares its input's
  Geometry geometry_;
};

}  // namespace openneuron::device
