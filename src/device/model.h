// The one implementation of device::Model.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "device/core.h"
#include "device/device.h"
#include "device/lazy.h"
#include "device/pe_run.h"
#include "device/window.h"

namespace openneuron::device {

class LoadedModel final : public Model {
 public:
  LoadedModel(const isa::Code& code, std::shared_ptr<const Machine> machine, const Options& options);
  ~LoadedModel() override;
  Result<void> prepare();
  Result<void> run(std::span<std::byte* const> memory) override;
  Result<void> run_checked(std::span<std::byte* const> memory, std::uint64_t seed) override;
  const Trips& trips() const override { return trips_; }

 private:
  static constexpr std::int64_t kRunning = -1, kFinished = -2;

  Result<void> prepare_variables();
  bool is_ours(std::size_t v) const {
    const isa::VariableKind kind = code_.variables[v].kind;
    return kind == isa::VariableKind::Constant || kind == isa::VariableKind::Scratch;
  }
  Result<void> bind(std::span<std::byte* const> memory);
  Result<void> execute();
  void unbind();
  Result<void> run_bound(std::span<std::byte* const> memory);
  Result<std::int64_t> run_core(const Program& program, std::size_t core_index, Sequencer& sequencer);
  void note_decision(const Program& program, const HostOp& op, std::size_t core_index, const Sequencer& after);
  Result<void> run_local(const Program& program, Core& core, Sequencer& sequencer);
  Result<void> run_single(const Program& program, Core& core, Sequencer& sequencer);
  Result<void> run_pe(const Program& program, Core& core, Sequencer& sequencer);
  void flush(Core& core);
  Result<void> run_product(const Program& program, Core& core, Sequencer& sequencer);
  Result<void> prepare_operands(const Program& program, Core& core, const Sequencer& sequencer, const HostOp& op,
                                View* views);
  Result<void> count_steps(const HostOp& op, std::uint64_t steps);

  const isa::Code& code_;
  std::shared_ptr<const Machine> machine_;
  Options options_;
  Threads threads_;
  const Kernels* kernels_ = nullptr;
  Context context_;
  std::vector<std::vector<isa::OpenedList>> lists_;  ///< [core][stream]: the programs point into them
  std::vector<Program> programs_;  ///< one per core, in program order
  std::vector<Mapping> owned_;     ///< repeated constants, by variable
  Mapping scratch_;                ///< all scratch variables
  std::vector<std::byte*> fixed_;  ///< where each constant and scratch variable lies
  std::vector<Core> cores_;        ///< their memories: while a run lasts
  std::int64_t sbuf_pitch_ = 0;
  std::uint64_t steps_ = 0;
  Trips trips_;
  Window window_{context_};    ///< operations that wait
  PeRun products_{context_};   ///< LoadStationary and Matmul that wait
  LazyLoads lazy_;             ///< one core only: another core's writes to shared HBM would pass unseen
};

}  // namespace openneuron::device
