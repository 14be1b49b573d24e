// A loaded program in functional mode: each core follows its program order as a resumable state machine that runs until
// it must wait at a CoreBarrier.
#include <algorithm>
#include <cstring>

#include "device/check_mode.h"
#include "device/float_mode.h"
#include "device/model.h"
#include "device/run.h"
#include "device/scratch.h"

namespace openneuron::device {
namespace {

// Copies `element` through `bytes` bytes.
void splat(std::byte* to, std::size_t bytes, std::span<const std::byte> element) {
  if (element.empty() || bytes == 0) return;
  std::size_t filled = std::min(bytes, element.size());
  std::memcpy(to, element.data(), filled);
  while (filled < bytes) {
    const std::size_t more = std::min(filled, bytes - filled);
    std::memcpy(to + filled, to, more);
    filled += more;
  }
}

Failure no_memory(std::int64_t bytes, const std::string& what) {
  return fail(Code::DeviceMemory, "the host has no " + std::to_string(bytes) + " bytes for " + what);
}

}  // namespace

Result<std::unique_ptr<Model>> Model::load(const isa::Code& code, std::shared_ptr<const Machine> machine,
                                           const Options& options) {
  auto model = std::make_unique<LoadedModel>(code, std::move(machine), options);
  if (auto loaded = model->prepare(); !loaded) return loaded.failure();
  return std::unique_ptr<Model>(std::move(model));
}

LoadedModel::LoadedModel(const isa::Code& code, std::shared_ptr<const Machine> machine, const Options& options)
    : code_(code), machine_(std::move(machine)), options_(options), threads_(options.threads) {}

LoadedModel::~LoadedModel() { unbind(); }

// A model that rests holds no SBUF: thousands of them may be loaded.
void LoadedModel::unbind() {
  for (Core& core : cores_) {
    give_back(std::move(core.psum));
    give_back(std::move(core.sbuf));
  }
}

Result<void> LoadedModel::prepare() {
  kernels_ = find_kernels(options_.host_isa);
  if (kernels_ == nullptr)
    return fail(Code::DeviceHostIsa, std::string("this host has no ") + host_isa_name(options_.host_isa));
  sbuf_pitch_ = geometry(*machine_).sbuf_pitch;
  context_ = {&code_, machine_.get(), kernels_, &threads_, &lists_, options_.collective};
  if (code_.cores.empty() || code_.cores.size() > static_cast<std::size_t>(std::max(1, machine_->cores)))
    return fail(Code::DeviceProgram, "it is for " + std::to_string(code_.cores.size()) + " cores; " + machine_->name +
                                         " has " + std::to_string(machine_->cores));
  for (const isa::CoreCode& core : code_.cores) {
    auto& lists = lists_.emplace_back();
    for (const isa::Stream& stream : core.streams) lists.emplace_back(stream.instructions);
    auto merged = merge_streams(code_, lists);
    if (!merged) return merged.failure();
    auto program = decode_program(code_, *merged, *machine_);
    if (!program) return program.failure();
    mark_single_uses(*program);
    programs_.push_back(std::move(*program));
  }
  return prepare_variables();
}

Result<void> LoadedModel::prepare_variables() {
  owned_.resize(code_.variables.size());
  fixed_.assign(code_.variables.size(), nullptr);
  std::int64_t total = 0;
  for (std::size_t v = 0; v < code_.variables.size(); ++v) {
    const isa::Variable& variable = code_.variables[v];
    if (variable.bytes < 0 || !isa::is_hbm(variable.space))
      return fail(Code::DeviceProgram, "variable " + variable.name + " has no place in HBM");
    if (variable.bytes > machine_->hbm_bytes - total)
      return fail(Code::DeviceMemory,
                  "variable " + variable.name + " of " + std::to_string(variable.bytes) + " bytes does not fit in HBM");
    if (variable.aliases < 0) total += variable.bytes;
    const bool constant = variable.kind == isa::VariableKind::Constant;
    if (!constant && variable.kind != isa::VariableKind::Scratch) continue;
    const auto bytes = static_cast<std::size_t>(variable.bytes);
    if (constant && (variable.splat ? variable.data.empty() && bytes > 0 : variable.data.size() != bytes))
      return fail(Code::DeviceProgram, "constant " + variable.name + " has " + std::to_string(variable.data.size()) +
                                           " bytes of data, not " + std::to_string(bytes));
    if (!constant) continue;
    if (!variable.splat) {
      // Used where it lies: no instruction that is loaded writes a constant.
      fixed_[v] = const_cast<std::byte*>(variable.data.data());
      continue;
    }
    owned_[v] = Mapping(bytes);
    fixed_[v] = owned_[v].data();
    if (fixed_[v] == nullptr) return no_memory(variable.bytes, "variable " + variable.name);
    splat(owned_[v].data(), bytes, variable.data);
  }
  const ScratchPlan plan = plan_scratch(code_, programs_);
  scratch_ = Mapping(static_cast<std::size_t>(plan.bytes));
  if (scratch_.data() == nullptr) return no_memory(plan.bytes, "scratch");
  for (std::size_t v = 0; v < code_.variables.size(); ++v)
    if (code_.variables[v].kind == isa::VariableKind::Scratch) fixed_[v] = scratch_.data() + plan.offsets[v];
  return {};
}

Result<void> LoadedModel::bind(std::span<std::byte* const> memory) {
  if (memory.size() != code_.variables.size())
    return fail(Code::DeviceVariable, std::to_string(memory.size()) + " pointers for " +
                                          std::to_string(code_.variables.size()) + " variables");
  const Geometry g = geometry(*machine_);
  cores_.resize(code_.cores.size());
  for (Core& core : cores_) {
    if (core.sbuf.data() == nullptr) core.sbuf = take_mapping(static_cast<std::size_t>(g.partitions * g.sbuf_pitch));
    if (core.psum.data() == nullptr) core.psum = take_mapping(static_cast<std::size_t>(g.partitions * g.psum_pitch));
    if (core.sbuf.data() == nullptr || core.psum.data() == nullptr)
      return fail(Code::DeviceMemory, "the host has no memory for SBUF and PSUM");
    core.psum_pitch = g.psum_pitch;
    core.bases = {core.sbuf.data(), core.psum.data()};
    core.stationary.loaded = false;
    for (std::size_t v = 0; v < memory.size(); ++v) {
      std::byte* data = is_ours(v) ? fixed_[v] : memory[v];
      if (data == nullptr && code_.variables[v].bytes > 0)
        return fail(Code::DeviceVariable, "variable " + code_.variables[v].name + " has no memory");
      core.bases.push_back(data);
    }
  }
  return {};
}

Result<void> LoadedModel::run(std::span<std::byte* const> memory) {
  const FloatMode mode;
  auto done = run_bound(memory);
  unbind();
  return done;
}

Result<void> LoadedModel::run_bound(std::span<std::byte* const> memory) {
  ON_TRY(bind(memory));
  auto done = execute();
  window_.clear();  // after a failure: helpers may still be at its tiles
  products_.clear();
  return done;
}

Result<void> LoadedModel::execute() {
  steps_ = 0;
  lazy_.clear();
  const std::size_t count = cores_.size();
  trips_.cores.assign(count, {});
  std::vector<Sequencer> sequencers(count);
  for (std::size_t c = 0; c < count; ++c) {
    sequencers[c].counters.assign(programs_[c].slots, 0);
    sequencers[c].trips.assign(programs_[c].slots, 0);
  }
  std::vector<std::int64_t> barrier(count, kRunning);
  for (;;) {
    for (std::size_t c = 0; c < count; ++c) {
      auto reached = run_core(programs_[c], c, sequencers[c]);
      if (!reached) return reached.failure();
      barrier[c] = *reached;
    }
    if (std::all_of(barrier.begin(), barrier.end(), [](std::int64_t b) { return b == kFinished; })) return {};
    if (std::any_of(barrier.begin(), barrier.end(), [&](std::int64_t b) { return b != barrier[0]; }))
      return fail(Code::DeviceDeadlock, "the cores wait at different barriers, or one of them has finished");
  }
}

// Until a barrier, whose number it gives, or the end.
Result<std::int64_t> LoadedModel::run_core(const Program& program, std::size_t core_index, Sequencer& s) {
  Core& core = cores_[core_index];
  while (s.pc < program.ops.size()) {
    const HostOp& op = program.ops[s.pc];
    if (is_marker(op.opcode)) {
      ON_TRY(count_steps(op, 1));
      if (op.opcode == isa::Opcode::LoopEnd) window_.turn();
      execute_marker(program, op, s);
      note_decision(program, op, core_index, s);
    } else if (op.opcode == isa::Opcode::CoreBarrier) {
      ON_TRY(count_steps(op, 1));
      ++s.pc;
      if (cores_.size() == 1) continue;
      flush(core);
      return static_cast<std::int64_t>(op.params[0]);
    } else if (op.local) {
      ON_TRY(run_local(program, core, s));
    } else if (op.once) {
      ON_TRY(run_product(program, core, s));
    } else if (op.opcode == isa::Opcode::LoadStationary || op.opcode == isa::Opcode::Matmul) {
      ON_TRY(run_pe(program, core, s));
    } else {
      ON_TRY(run_single(program, core, s));
    }
  }
  flush(core);
  return kFinished;
}

// For the clock: what a marker that depends on data decided.
void LoadedModel::note_decision(const Program& program, const HostOp& op, std::size_t core_index,
                                const Sequencer& after) {
  using isa::Opcode;
  const auto list = [&]() -> std::vector<std::int32_t>& { return trips_.cores[core_index][op.source->loop.index]; };
  constexpr std::size_t kMost = 1 << 20;  // entries of one region that are worth remembering
  switch (op.opcode) {
    case Opcode::LoopBegin: {
      const HostOperand& count = program.operands[op.first_operand];
      if (count.kind != isa::OperandKind::Register) return;
      if (auto& entries = list(); entries.size() < kMost)
        entries.push_back(after.registers[static_cast<std::size_t>(count.reg)]);
      return;
    }
    case Opcode::WhileBegin:
      if (auto& entries = list(); entries.size() < kMost) entries.push_back(0);
      return;
    case Opcode::WhileTest:
      if (after.registers[op.register_index] != 0) ++list().back();
      return;
    case Opcode::CaseBegin: {
      const std::int32_t selector = after.registers[op.register_index];
      if (auto& entries = list(); entries.size() < kMost)
        entries.push_back(selector >= 0 && selector < op.params[0] ? selector : op.params[0] - 1);
      return;
    }
    default: return;
  }
}

// Resolves the operands of an operation, reads of loads that were not carried out included; carries those out first that
// the operation needs in SBUF.
Result<void> LoadedModel::prepare_operands(const Program& program, Core& core, const Sequencer& s, const HostOp& op,
                                           View* views) {
  ON_TRY(count_steps(op, 1));
  const HostOperand* operands = program.operands.data() + op.first_operand;
  ON_TRY(resolve_operands(context_, core, s, op, operands, views));
  if (!lazy_.redirect(core, op, operands, views, op.operand_count)) {
    flush(core);
    lazy_.copy_marked(*context_.threads, core, sbuf_pitch_);
    ON_TRY(resolve_operands(context_, core, s, op, operands, views));
    (void)lazy_.redirect(core, op, operands, views, op.operand_count);
  }
  lazy_.overwrite(op, operands, views, op.operand_count);
  return {};
}

Result<void> LoadedModel::run_single(const Program& program, Core& core, Sequencer& s) {
  const HostOp& op = program.ops[s.pc];
  flush(core);
  View views[isa::kMaxOperands];
  ON_TRY(prepare_operands(program, core, s, op, views));
  ON_TRY(execute_resolved(context_, core, s, op, program.operands.data() + op.first_operand, views));
  products_.overwrite(core, op, program.operands.data() + op.first_operand, views);
  ++s.pc;
  return {};
}

// An operation that stays within its partitions waits in the window.
Result<void> LoadedModel::run_local(const Program& program, Core& core, Sequencer& s) {
  const HostOp& op = program.ops[s.pc];
  const HostOperand* operands = program.operands.data() + op.first_operand;
  View views[isa::kMaxOperands];
  ON_TRY(prepare_operands(program, core, s, op, views));
  if (cores_.size() > 1 || !lazy_.add(op, operands, views)) {
    products_.flush(core);
    window_.add(core, op, operands, views);
  }
  products_.overwrite(core, op, operands, views);
  ++s.pc;
  return {};
}

// So does a LoadStationary whose tile only the next Matmul uses, with that.
Result<void> LoadedModel::run_product(const Program& program, Core& core, Sequencer& s) {
  const HostOp &load = program.ops[s.pc], &matmul = program.ops[s.pc + 1];
  const HostOperand* operands = program.operands.data() + matmul.first_operand;
  View rows[isa::kMaxOperands], views[isa::kMaxOperands];
  ON_TRY(prepare_operands(program, core, s, load, rows));
  ON_TRY(prepare_operands(program, core, s, matmul, views));
  const HostOperand& stationary = program.operands[load.first_operand];
  ON_TRY(check_stationary(context_, matmul, static_cast<std::size_t>(stationary.partitions),
                          static_cast<std::size_t>(stationary.walk.count), false, operands));
  products_.flush(core);
  window_.add_product(core, stationary, rows[0], matmul, operands, views);
  s.pc += 2;
  return {};
}

// Other products wait by themselves.
Result<void> LoadedModel::run_pe(const Program& program, Core& core, Sequencer& s) {
  const HostOp& op = program.ops[s.pc];
  const HostOperand* operands = program.operands.data() + op.first_operand;
  View views[isa::kMaxOperands];
  ON_TRY(prepare_operands(program, core, s, op, views));
  window_.flush();
  if (op.opcode == isa::Opcode::LoadStationary)
    products_.load(core, operands[0], views[0]);
  else
    ON_TRY(products_.multiply(core, op, operands, views));
  ++s.pc;
  return {};
}

// At most one of the two holds something.
void LoadedModel::flush(Core& core) {
  window_.flush();
  products_.flush(core);
}

Result<void> LoadedModel::count_steps(const HostOp& op, std::uint64_t steps) {
  steps_ += steps;
  if (options_.step_limit != 0 && steps_ > options_.step_limit)
    return fail(Code::DeviceStepLimit, place_of(code_, *op.source),
                "the limit is " + std::to_string(options_.step_limit) + " instructions");
  return {};
}

// Program order first, on a copy of the caller's memory: what the streams must give.
Result<void> LoadedModel::run_checked(std::span<std::byte* const> memory, std::uint64_t seed) {
  const FloatMode mode;
  if (memory.size() != code_.variables.size())
    return fail(Code::DeviceVariable, std::to_string(memory.size()) + " pointers for " +
                                          std::to_string(code_.variables.size()) + " variables");
  std::vector<std::vector<std::byte>> copies(memory.size());
  std::vector<std::byte*> pointers(memory.begin(), memory.end());
  const auto aliased = [this](std::size_t v) {
    return code_.variables[v].aliases >= 0 &&
           static_cast<std::size_t>(code_.variables[v].aliases) < code_.variables.size();
  };
  for (std::size_t v = 0; v < memory.size(); ++v) {
    if (is_ours(v) || memory[v] == nullptr || aliased(v)) continue;
    copies[v].assign(memory[v], memory[v] + code_.variables[v].bytes);
    pointers[v] = copies[v].data();
  }
  for (std::size_t v = 0; v < memory.size(); ++v)
    if (aliased(v)) pointers[v] = pointers[static_cast<std::size_t>(code_.variables[v].aliases)];
  ON_TRY(run_bound(pointers));
  // Nothing shares memory where streams run ahead of each other.
  const std::vector<std::byte*> shared = fixed_;
  std::vector<Mapping> apart;
  for (std::size_t v = 0; v < memory.size(); ++v) {
    if (code_.variables[v].kind != isa::VariableKind::Scratch) continue;
    fixed_[v] = apart.emplace_back(static_cast<std::size_t>(code_.variables[v].bytes)).data();
    if (fixed_[v] == nullptr) return no_memory(code_.variables[v].bytes, "variable " + code_.variables[v].name);
  }
  auto bound = bind(memory);
  fixed_ = shared;
  if (!bound) return bound.failure();
  CheckedRun checked(context_, cores_, options_.step_limit, seed);
  ON_TRY(checked.run());
  for (std::size_t v = 0; v < memory.size(); ++v)
    if (!is_ours(v) && memory[v] != nullptr && code_.variables[v].bytes > 0 &&
        std::memcmp(memory[v], pointers[v], static_cast<std::size_t>(code_.variables[v].bytes)) != 0)
      return fail(Code::DeviceRace,
                  "variable " + code_.variables[v].name + " ends with other bytes than in program order",
                  "The semaphores order two instructions against their program order.");
  return {};
}

}  // namespace openneuron::device
