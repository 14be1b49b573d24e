#include "runtime/program.h"

#include <chrono>

#include "runtime/first_guess.h"
#include "runtime/trace.h"

namespace openneuron::runtime {

Result<std::shared_ptr<Program>> Program::make(std::shared_ptr<const isa::Code> code,
                                               std::shared_ptr<const Machine> machine,
                                               const device::Options& options) {
  auto made = std::make_shared<Program>();
  std::vector<int> input_of(code->variables.size(), -1);
  for (std::size_t v = 0; v < code->variables.size(); ++v) {
    const isa::Variable& variable = code->variables[v];
    if (variable.kind == isa::VariableKind::Constant || variable.kind == isa::VariableKind::Scratch) {
      made->own_bytes_ += variable.bytes;
      continue;
    }
    Port port{v, static_cast<std::size_t>(variable.bytes), -1, label(variable.name + " of " + code->name)};
    if (variable.kind == isa::VariableKind::Input) {
      input_of[v] = static_cast<int>(made->inputs_.size());
      made->inputs_.push_back(std::move(port));
    } else {
      made->outputs_.push_back(std::move(port));
    }
  }
  for (Port& port : made->outputs_) {
    const std::int32_t alias = code->variables[port.variable].aliases;
    if (alias < 0) continue;
    const auto to = static_cast<std::size_t>(alias);
    if (to >= input_of.size() || input_of[to] < 0 || code->variables[to].bytes != code->variables[port.variable].bytes)
      return fail(Code::Internal, *port.label + " aliases no input of its size");
    port.input = input_of[to];
  }
  // A program of several cores that meet in collectives runs on the cores' threads anyway.
  made->typical_ns_ = options.collective != nullptr ? kShortNs + 1 : guess_host_ns(*code, *machine, kShortNs);
  made->code_ = std::move(code);
  made->machine_ = std::move(machine);
  made->options_ = options;
  return made;
}

Result<Program::Loaded*> Program::loaded(Core& core) {
  {
    std::lock_guard lock(mutex_);
    if (const auto found = loaded_.find(&core); found != loaded_.end()) return found->second.get();
  }
  auto made = std::make_unique<Loaded>();
  auto own = core.reserve(static_cast<std::size_t>(own_bytes_), label("constants and scratch of " + code_->name));
  if (!own) return own.failure();
  made->own = std::move(*own);
  auto model = device::Model::load(*code_, machine_, options_);
  if (!model) return model.failure();
  made->model = std::move(*model);
  made->pointers.assign(code_->variables.size(), nullptr);
  std::lock_guard lock(mutex_);
  return (loaded_[&core] = std::move(made)).get();
}

Result<void> Program::run(Core& core, std::span<std::byte* const> inputs, std::span<std::byte* const> outputs) {
  auto found = loaded(core);
  if (!found) return found.failure();
  Loaded& here = **found;
  for (std::size_t i = 0; i < inputs_.size(); ++i) here.pointers[inputs_[i].variable] = inputs[i];
  for (std::size_t i = 0; i < outputs_.size(); ++i) here.pointers[outputs_[i].variable] = outputs[i];
  const std::int64_t heard = trace::on() ? trace::wall_ns() : 0;
  const auto start = std::chrono::steady_clock::now();
  auto done = here.model->run(here.pointers);
  const std::chrono::nanoseconds spent = std::chrono::steady_clock::now() - start;
  typical_ns_.store(spent.count(), std::memory_order_relaxed);
  if (heard != 0) trace::add(trace::Step{code_, machine_, core.index(), heard, heard + spent.count(), here.model->trips()});
  return done;
}

}  // namespace openneuron::runtime
