#include <cstring>

#include "runtime/program.h"

namespace openneuron::runtime {
namespace {

// One run, with all that it needs kept alive.
struct Run {
  std::shared_ptr<Program> program;
  Core* core;
  std::vector<Argument> arguments;
  std::vector<std::shared_ptr<Allocation>> outputs;

  // What is copied first: an input that an output overwrites and that is not the output's to take.
  Error now() {
    for (const Argument& argument : arguments)
      if (const Error& error = argument.ready->wait()) return error;
    std::vector<std::byte*> ins, outs;
    ins.reserve(arguments.size());
    outs.reserve(outputs.size());
    for (const Argument& argument : arguments) ins.push_back(argument.memory->data());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      outs.push_back(outputs[i]->data());
      const int input = program->outputs()[i].input;
      if (input < 0) continue;
      std::byte*& from = ins[static_cast<std::size_t>(input)];
      if (from != outs[i]) std::memcpy(outs[i], from, outputs[i]->bytes());
      from = outs[i];
    }
    auto ran = program->run(*core, ins, outs);
    return ran ? Error() : error_of(ran.failure());
  }
};

Result<void> check_arguments(const Program& program, std::span<const Argument> arguments) {
  if (arguments.size() != program.inputs().size())
    return fail(Code::ArgumentsUnfit, std::to_string(arguments.size()) + " arguments for the " +
                                          std::to_string(program.inputs().size()) + " of " + program.code().name);
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].memory->bytes() != program.inputs()[i].bytes)
      return fail(Code::ArgumentsUnfit, "argument " + std::to_string(i) + " of " + program.code().name + " has " +
                                            std::to_string(arguments[i].memory->bytes()) + " bytes, not " +
                                            std::to_string(program.inputs()[i].bytes));
  return {};
}

}  // namespace

Result<Execution> execute(const std::shared_ptr<Program>& program, Core& core, std::vector<Argument> arguments) {
  ON_TRY(check_arguments(*program, arguments));
  Execution out;
  out.outputs.reserve(program->outputs().size());
  for (const Program::Port& port : program->outputs()) {
    if (port.input >= 0 && arguments[static_cast<std::size_t>(port.input)].donated) {
      out.outputs.push_back(arguments[static_cast<std::size_t>(port.input)].memory);
      continue;
    }
    auto made = core.allocate(port.bytes, port.label);
    if (!made) return made.failure();
    out.outputs.push_back(std::move(*made));
  }
  bool ready = program->is_short();
  for (const Argument& argument : arguments) ready = ready && argument.ready->ready();
  Run run{program, &core, std::move(arguments), out.outputs};
  if (ready) {
    Error error;
    if (core.queue().run_if_idle([&] { error = run.now(); })) {
      out.done = error ? Event::failed(std::move(error)) : Event::done();
      return out;
    }
  }
  out.done = Event::pending();
  core.queue().submit([run = std::make_shared<Run>(std::move(run)), done = out.done]() mutable {
    Error error = run->now();
    run = nullptr;  // arguments go before anybody hears that the run is over
    done->set(std::move(error));
  });
  return out;
}

}  // namespace openneuron::runtime
