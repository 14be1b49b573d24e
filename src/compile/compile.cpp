#include "compile/compile.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/deep_stack.h"
#include "compile/passes.h"
#include "graph/print.h"
#include "graph/verify.h"
#include "lower/fuse.h"
#include "lower/lower.h"
#include "sched/interleave.h"
#include "sched/sched.h"
#include "stream/text.h"
#include "tile/text.h"

namespace openneuron::compile {
namespace {

bool contains(const std::vector<std::string>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

// Times a pass, reports progress, dumps after it, and says whether the pipeline is to stop there.
class Runner {
 public:
  Runner(const Options& options, Outcome& outcome) : options_(options), outcome_(outcome) {}

  template <class Work, class Print>
  Result<bool> run(std::string_view name, double fraction, Work work, Print print) {
    if (options_.on_progress) options_.on_progress(name, fraction);
    parts_ = PartTimes();
    const auto start = std::chrono::steady_clock::now();
    ON_TRY(work());
    const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
    outcome_.times.push_back({name, spent.count(), parts_.rows()});
    if (options_.on_dump && contains(options_.dump_after, name)) options_.on_dump(name, print());
    if (options_.stop_after != name) return true;
    outcome_.stopped = true;
    return false;
  }
  bool enabled(std::string_view name) const { return !contains(options_.disabled, name); }
  /// -O1: code that does not grow with the tensors.
  bool small_code() const { return options_.optlevel == 1; }
  /// Of the pass that runs.
  PartTimes* parts() { return &parts_; }

 private:
  const Options& options_;
  Outcome& outcome_;
  PartTimes parts_;
};

// What to try: when the addresses do not fit, fewer values stay in SBUF, and at last every tile has one copy only.
struct Attempt {
  double residency;
  bool rotate;
};
constexpr Attempt kAttempts[] = {{0.6, true}, {0.35, true}, {0.15, true}, {0.0, true}, {0.0, false}};
constexpr std::size_t kWithoutResidency = 3;

// Told and judged before the work on streams begins.
Result<void> count_instructions(const tile::Module& tiles, const Options& options) {
  std::uint64_t count = 0;
  for (const tile::Program& program : tiles.programs) count += program.instructions.size();
  if (options.on_count) options.on_count(count);
  if (count <= options.instruction_limit) return {};
  return fail(Code::TooManyInstructions, "the program lowers to " + std::to_string(count) + " instructions; the limit is " +
                                             std::to_string(options.instruction_limit));
}

Result<void> check_options(const Options& options) {
  auto known = [](std::string_view name) -> Result<void> {
    if (name.empty() || find_pass(name)) return {};
    return fail(Code::PassUnknown, "there is no pass \"" + std::string(name) + "\"");
  };
  for (const std::string& name : options.disabled) {
    ON_TRY(known(name));
    if (!find_pass(name)->info.optional) return fail(Code::PassUnknown, "pass \"" + name + "\" cannot be disabled");
  }
  for (const std::string& name : options.dump_after) ON_TRY(known(name));
  return known(options.stop_after);
}

Result<void> run_graph(graph::Module& module, Runner& runner, bool& go_on) {
  double fraction = 0.05;
  for (const Pass& pass : pass_table()) {
    if (!pass.graph) continue;
    auto more = runner.run(pass.info.name, fraction, [&]() { return pass.graph(module); }, [&]() { return graph::print(module); });
    if (!more) return more.failure();
    fraction += 0.1;
    go_on = *more;
    if (!go_on) return {};
  }
  return {};
}

// Order and addresses. What runs far ahead needs more memory: the freest order that fits, and none is tried where the
// tiles do not fit as they stand. `fits` false: none does, and this is not the `last` attempt.
Result<bool> run_addresses(tile::Module& tiles, const Machine& machine, Runner& runner, bool last, bool& fits) {
  Result<void> done;
  const auto allocate = [&]() -> Result<void> {
    done = sched::allocate(tiles, machine, runner.enabled("add_copies"));
    return {};
  };
  const auto print = [&]() { return tile::print(tiles); };
  const bool reorder = runner.enabled("interleave") && !runner.small_code();
  for (sched::Moves moves : {sched::Moves::All, sched::Moves::InLoops}) {
    if (!reorder) break;
    sched::Original original;
    auto more = runner.run("interleave", 0.55, [&]() -> Result<void> {
      if (!last && moves == sched::Moves::All) done = sched::fits(tiles, machine);
      if (done) original = sched::interleave(tiles, machine, moves, runner.enabled("rebalance_engines"));
      return {};
    }, print);
    fits = static_cast<bool>(done);
    if (!more || !*more || !fits) return more;
    more = runner.run("allocate", 0.6, allocate, print);
    if (!more || done) return more;
    sched::undo(tiles, std::move(original));
    done = Result<void>();
  }
  auto more = runner.run("allocate", 0.6, allocate, print);
  fits = static_cast<bool>(done);
  if (more && !fits && last) return done.failure();
  return more;
}

Result<bool> run_stream(tile::Module& tiles, const Machine& machine, Runner& runner, Outcome& outcome) {
  sched::Options options;
  options.rebalance_engines = runner.enabled("rebalance_engines");
  options.prune_waits = runner.enabled("prune_waits");
  options.parts = runner.parts();
  auto more = runner.run("assign_engines", 0.7, [&]() { sched::assign_engines(tiles, machine, options); return Result<void>(); },
                         [&]() { return tile::print(tiles); });
  if (!more || !*more) return more;
  return runner.run("emit_streams", 0.8, [&]() -> Result<void> {
    auto code = sched::emit_streams(std::move(tiles), machine, options);
    if (!code) return code.failure();
    outcome.code = std::move(*code);
    outcome.code.facts.layouts = outcome.layout_report;
    return {};
  }, [&]() { return stream::print(outcome.code); });
}

}  // namespace

namespace {

Result<Outcome> compile_graph(graph::Module module, const Machine& machine, const Options& options) {
  ON_TRY(check_options(options));
  Outcome outcome;
  Runner runner(options, outcome);
  bool go_on = true;
  ON_TRY(run_graph(module, runner, go_on));
  if (!go_on) return outcome;

  tile::Module tiles;
  std::size_t attempt = runner.enabled("residency") ? 0 : kWithoutResidency;
  for (;; ++attempt) {
    tiles = tile::Module();  // of the attempt before
    auto more = runner.run("lower", 0.3, [&]() -> Result<void> {
      lower::Options lowering;
      lowering.residency = kAttempts[attempt].residency;
      lowering.rotate = kAttempts[attempt].rotate;
      lowering.parts = runner.parts();
      lowering.layouts = options.layouts;
      lowering.stamp = runner.enabled("stamp");
      outcome.layout_report.clear();
      auto lowered = lower::lower(module, machine, lowering, outcome.layout_report);
      if (!lowered) return lowered.failure();
      tiles = std::move(*lowered);
      return {};
    }, [&]() { return tile::print(tiles); });
    if (!more) return more.failure();
    if (!*more) return outcome;
    more = runner.run("fuse", 0.5, [&]() -> Result<void> {
      if (runner.enabled("fuse")) lower::fuse(tiles);
      return {};
    }, [&]() { return tile::print(tiles); });
    if (!more) return more.failure();
    if (!*more) return outcome;
    bool fits = true;
    more = run_addresses(tiles, machine, runner, attempt + 1 == std::size(kAttempts), fits);
    if (!more) return more.failure();
    if (!fits) continue;
    if (!*more) return outcome;
    break;
  }
  ON_TRY(count_instructions(tiles, options));
  tiles.owners.push_back(module.take_constant_bytes());
  auto more = run_stream(tiles, machine, runner, outcome);
  if (!more) return more.failure();
  return outcome;
}

}  // namespace

Result<Outcome> compile(graph::Module module, const Machine& machine, const Options& options) {
  std::optional<Result<Outcome>> outcome;
  on_deep_stack([&]() { outcome.emplace(compile_graph(std::move(module), machine, options)); });
  return std::move(*outcome);
}

Result<Outcome> compile(tile::Module tiles, const Machine& machine, const Options& options) {
  ON_TRY(check_options(options));
  ON_TRY(tile::verify(tiles, machine));
  Outcome outcome;
  Runner runner(options, outcome);
  auto more = runner.run("allocate", 0.3, [&]() { return sched::allocate(tiles, machine); }, [&]() { return tile::print(tiles); });
  if (!more) return more.failure();
  if (!*more) return outcome;
  ON_TRY(count_instructions(tiles, options));
  more = run_stream(tiles, machine, runner, outcome);
  if (!more) return more.failure();
  return outcome;
}

Result<graph::Module> run_graph_passes(graph::Module module, std::span<const std::string> names) {
  for (const std::string& name : names) {
    const Pass* pass = find_pass(name);
    if (!pass || !pass->graph) return fail(Code::PassUnknown, "there is no graph pass \"" + name + "\"");
    ON_TRY(pass->graph(module));
  }
  return module;
}

Result<tile::Module> to_tile(graph::Module module, const Machine& machine, const Options& options, std::string* report) {
  ON_TRY(check_options(options));
  Outcome outcome;
  Runner runner(options, outcome);
  bool go_on = true;
  ON_TRY(run_graph(module, runner, go_on));
  lower::Options lowering;
  if (!runner.enabled("residency")) lowering.residency = 0;
  lowering.stamp = runner.enabled("stamp");
  auto tiles = lower::lower(module, machine, lowering, outcome.layout_report);
  if (!tiles) return tiles.failure();
  if (report) *report = outcome.layout_report;
  tiles->owners.push_back(std::make_shared<graph::Module>(std::move(module)));
  return tiles;
}

}  // namespace openneuron::compile
