#include "runtime/group.h"

#include <cstring>
#include <string>

namespace openneuron::runtime {

Result<std::shared_ptr<GroupProgram>> GroupProgram::make(std::shared_ptr<const isa::Code> code, std::shared_ptr<const Machine> machine,
                                                         const device::Options& options, GroupPlan plan) {
  auto made = std::make_shared<GroupProgram>();
  for (std::size_t c = 0; c < (plan.everywhere ? plan.cores : 1); ++c) {
    device::Options own = options;
    if (plan.everywhere) own.collective = made->links_.emplace_back(std::make_unique<Link>()).get();
    auto program = Program::make(code, machine, own);
    if (!program) return program.failure();
    made->programs_.push_back(std::move(*program));
  }
  const Program& first = *made->programs_[0];
  if (first.inputs().size() != plan.parameters.size() || first.outputs().size() != plan.results.size())
    return fail(Code::Internal, "the code of " + code->name + " has other arguments or results than its plan");
  made->plan_ = std::move(plan);
  return made;
}

Result<std::shared_ptr<Allocation>> GroupProgram::borrow(std::size_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    for (auto& memory : spare_)
      if (memory->bytes() == bytes) {
        std::swap(memory, spare_.back());
        std::shared_ptr<Allocation> found = std::move(spare_.back());
        spare_.pop_back();
        return found;
      }
  }
  return allocate_host(bytes);
}

void GroupProgram::give_back(std::shared_ptr<Allocation> memory) {
  const std::lock_guard lock(mutex_);
  spare_.push_back(std::move(memory));
}

// One run, with all that it needs kept alive.
struct GroupRun {
  std::shared_ptr<GroupProgram> program;
  std::vector<Core*> cores;
  std::vector<std::vector<Argument>> arguments;                   // [core][i]
  std::vector<std::vector<std::shared_ptr<Allocation>>> outputs;  // [core][i]
  CollectiveGroup group;
  std::once_flag assembled;
  std::vector<std::shared_ptr<Allocation>> wholes;  // of parameters that are assembled; null where one is used as it lies
  Error error;                                      // of an argument, or of assembling
  std::mutex mutex;
  Error root;  // of the core that failed first

  GroupRun(std::shared_ptr<GroupProgram> p, std::vector<Core*> c, std::vector<std::vector<Argument>> a)
      : program(std::move(p)), cores(std::move(c)), arguments(std::move(a)), group(cores.size(), program->plan().timeout) {}
  ~GroupRun() {
    for (auto& whole : wholes)
      if (whole) program->give_back(std::move(whole));
  }

  const GroupPlan& plan() const { return program->plan(); }

  void assemble_all() {
    for (const auto& list : arguments)
      for (const Argument& argument : list)
        if (error = argument.ready->wait(); error) return;
    wholes.resize(plan().parameters.size());
    for (std::size_t i = 0; i < wholes.size(); ++i) {
      const GroupTensor& tensor = plan().parameters[i];
      if (tensor.passed_as_shard || tensor.shards.whole()) continue;
      auto memory = program->borrow(static_cast<std::size_t>(tensor.shards.bytes()));
      if (!memory) {
        error = error_of(memory.failure());
        return;
      }
      std::vector<const std::byte*> parts;
      for (const auto& list : arguments) parts.push_back(list[i].memory->data());
      assemble(tensor.shards, parts, (*memory)->data());
      wholes[i] = std::move(*memory);
    }
  }

  // A core's part is over. What a core says that was only waiting for one that failed is that one's error.
  Error finish(std::size_t core, Error own) {
    const bool waited = own && own->code == Code::CollectiveAborted;
    if (own && !waited) {
      const std::lock_guard lock(mutex);
      if (!root) root = own;
    }
    group.leave(core, own != nullptr);
    const std::lock_guard lock(mutex);
    return waited && root ? root : own;
  }

  // The part of one core; of the first for all when the program runs once.
  Error run(std::size_t core) {
    std::call_once(assembled, [this] { assemble_all(); });
    if (error) return error;
    const Program& first = *program->programs()[0];
    std::vector<std::byte*> ins, outs;
    std::vector<std::shared_ptr<Allocation>> borrowed(plan().results.size());
    for (std::size_t i = 0; i < wholes.size(); ++i) ins.push_back((wholes[i] ? wholes[i] : arguments[core][i].memory)->data());
    for (std::size_t i = 0; i < borrowed.size(); ++i) {
      const GroupTensor& tensor = plan().results[i];
      std::byte* to = outputs[core][i]->data();
      if (!tensor.passed_as_shard && !tensor.shards.whole()) {
        auto memory = program->borrow(static_cast<std::size_t>(tensor.shards.bytes()));
        if (!memory) return error_of(memory.failure());
        borrowed[i] = std::move(*memory);
        to = borrowed[i]->data();
      }
      // An output that takes over an input's memory: in that memory when the result does not lie elsewhere.
      if (const int input = first.outputs()[i].input; input >= 0) {
        std::byte*& from = ins[static_cast<std::size_t>(input)];
        const bool own = wholes[static_cast<std::size_t>(input)] && borrowed[i];
        if (own) to = from;
        if (from != to) std::memcpy(to, from, first.outputs()[i].bytes);
        from = to;
      }
      outs.push_back(to);
    }
    if (plan().everywhere) program->links_[core]->target = group.core(core);
    auto ran = program->programs()[plan().everywhere ? core : 0]->run(*cores[core], ins, outs);
    if (!ran) return error_of(ran.failure());
    const std::size_t last = plan().everywhere ? core + 1 : cores.size();
    for (std::size_t i = 0; i < borrowed.size(); ++i) {
      const GroupTensor& tensor = plan().results[i];
      for (std::size_t c = core; c < last; ++c)
        if (!tensor.passed_as_shard && outputs[c][i]->data() != outs[i]) cut(tensor.shards, outs[i], c, outputs[c][i]->data());
      if (borrowed[i]) program->give_back(std::move(borrowed[i]));
    }
    return {};
  }
};

namespace {

Result<void> check_arguments(const GroupProgram& program, const std::vector<std::vector<Argument>>& arguments) {
  const GroupPlan& plan = program.plan();
  const std::string& name = program.programs()[0]->code().name;
  for (const auto& list : arguments) {
    if (list.size() != plan.parameters.size())
      return fail(Code::ArgumentsUnfit, std::to_string(list.size()) + " arguments for the " + std::to_string(plan.parameters.size()) + " of " + name);
    for (std::size_t i = 0; i < list.size(); ++i)
      if (static_cast<std::int64_t>(list[i].memory->bytes()) != plan.parameters[i].shards.shard_bytes())
        return fail(Code::ArgumentsUnfit, "a shard of argument " + std::to_string(i) + " of " + name + " has " + std::to_string(list[i].memory->bytes()) +
                                              " bytes, not " + std::to_string(plan.parameters[i].shards.shard_bytes()));
  }
  return {};
}

}  // namespace

Result<std::vector<Execution>> execute(const std::shared_ptr<GroupProgram>& program, const std::vector<Core*>& cores,
                                       std::vector<std::vector<Argument>> arguments) {
  ON_TRY(check_arguments(*program, arguments));
  auto run = std::make_shared<GroupRun>(program, cores, std::move(arguments));
  std::vector<Execution> out(cores.size());
  const Program& first = *program->programs()[0];
  bool ready = !program->plan().everywhere && first.is_short();
  for (std::size_t c = 0; c < cores.size(); ++c) {
    auto& outputs = run->outputs.emplace_back();
    for (std::size_t i = 0; i < program->plan().results.size(); ++i) {
      const auto bytes = static_cast<std::size_t>(program->plan().results[i].shards.shard_bytes());
      const int input = first.outputs()[i].input;
      const Argument* donated = input >= 0 ? &run->arguments[c][static_cast<std::size_t>(input)] : nullptr;
      if (donated != nullptr && donated->donated && donated->memory->bytes() == bytes) {
        outputs.push_back(donated->memory);
        continue;
      }
      auto made = cores[c]->allocate(bytes, first.outputs()[i].label);
      if (!made) return made.failure();
      outputs.push_back(std::move(*made));
    }
    for (const Argument& argument : run->arguments[c]) ready = ready && argument.ready->ready();
    out[c].outputs = outputs;
  }
  if (ready) {
    Error error;
    if (cores[0]->queue().run_if_idle([&] { error = run->run(0); })) {
      for (Execution& e : out) e.done = error ? Event::failed(error) : Event::done();
      return out;
    }
  }
  std::vector<std::shared_ptr<Event>> done;
  for (Execution& e : out) done.push_back(e.done = Event::pending());
  static std::mutex order;
  const std::lock_guard lock(order);
  if (!program->plan().everywhere) {
    cores[0]->queue().submit([run = std::move(run), done]() mutable {
      const Error error = run->run(0);
      run = nullptr;  // arguments go before anybody hears that the run is over
      for (const auto& event : done) event->set(error);
    });
    return out;
  }
  for (std::size_t c = 0; c < cores.size(); ++c)
    cores[c]->queue().submit([run, c, event = done[c]]() mutable {
      const Error error = run->finish(c, run->run(c));
      run = nullptr;
      event->set(error);
    });
  return out;
}

}  // namespace openneuron::runtime
