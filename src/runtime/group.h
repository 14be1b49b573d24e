// A program on several cores at once, with arguments and results in shards.
#pragma once
#include <chrono>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/collective.h"
#include "runtime/program.h"
#include "runtime/shards.h"

namespace openneuron::runtime {

/// One argument or result: how it lies on the cores, and whether the program takes the whole or each core's own shard.
struct GroupTensor {
  Shards shards;
  bool passed_as_shard = false;
};
struct GroupPlan {
  std::size_t cores = 1;
  bool everywhere = false;  ///< each core runs the program; else it runs once, on the first core
  std::vector<GroupTensor> parameters, results;
  std::chrono::milliseconds timeout{0};  ///< of a core that waits for the others in a collective; 0: for ever
};

class GroupProgram {
 public:
  /// errors  those of Program::make; ON-E1099 when the plan and the code disagree
  static Result<std::shared_ptr<GroupProgram>> make(std::shared_ptr<const isa::Code> code, std::shared_ptr<const Machine> machine,
                                                    const device::Options& options, GroupPlan plan);

  const GroupPlan& plan() const { return plan_; }
  /// By core; one when it runs once.
  const std::vector<std::shared_ptr<Program>>& programs() const { return programs_; }

 private:
  friend struct GroupRun;
  /// What a core's model holds for all its runs; each run points it at its own group.
  class Link final : public device::Collective {
   public:
    std::int64_t partition() const override { return target->partition(); }
    Result<void> run(const device::CollectiveCall& call) override { return target->run(call); }
    device::Collective* target = nullptr;
  };
  /// Memory for a whole array, used again from run to run.  errors  ON-E1909
  Result<std::shared_ptr<Allocation>> borrow(std::size_t bytes);
  void give_back(std::shared_ptr<Allocation> memory);

  GroupPlan plan_;
  std::vector<std::unique_ptr<Link>> links_;
  std::vector<std::shared_ptr<Program>> programs_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<Allocation>> spare_;
};

/// Runs the program on the cores after what was submitted to them before; arguments[core][i] are shards. All groups of the
/// process go to their cores' queues in one order, so that no two wait for each other. Results are by core.
/// errors  ON-E2304, ON-E2307 arguments that do not fit
Result<std::vector<Execution>> execute(const std::shared_ptr<GroupProgram>& program, const std::vector<Core*>& cores,
                                       std::vector<std::vector<Argument>> arguments);

}  // namespace openneuron::runtime
