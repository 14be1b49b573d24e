// The one implementation of device::Model.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "device/core.h"
#include "device/device.h"

namespace openneuron::device {

class LoadedModel final : public Model {
 public:
  LoadedModel(const isa::Code& code, std::shared_ptr<const Machine> machine, const Options& options);
  Result<void> prepare();
  Result<void> run(std::span<std::byte* const> memory) override;
  Result<void> run_checked(std::span<std::byte* const> memory, std::uint64_t seed) override;

 private:
  static constexpr std::int64_t kRunning = -1, kFinished = -2;

  Result<void> prepare_variables();
  Result<void> bind(std::span<std::byte* const> memory);
  Result<std::int64_t> run_core(const Program& program, Core& core, Sequencer& sequencer);
  Result<void> count_steps(const HostOp& op, std::uint64_t steps);

  const isa::Code& code_;
  std::shared_ptr<const Machine> machine_;
  Options options_;
  Threads threads_;
  const Kernels* kernels_ = nullptr;
  Context context_;
  std::vector<Program> programs_;  ///< one per core, in program order
  std::vector<Mapping> owned_;     ///< constants and scratch, by variable
  std::vector<Core> cores_;        ///< mapped by the first run
  std::uint64_t steps_ = 0;
};

}  // namespace openneuron::device
