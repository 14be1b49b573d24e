#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include "check/check.h"
#include "device/device.h"
#include "tools/commands.h"
#include "tools/json_files.h"
#include "tools/program.h"

namespace openneuron::tools {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds(Clock::time_point start, Clock::time_point end) {
  return std::chrono::duration<double, std::milli>(end - start).count();
}

// One program on the device with its memory.
struct Execution {
  device::Model& model;
  Memory& memory;
  std::vector<std::byte*> pointers;  // per variable
  const Arguments& arguments;

  Result<void> once(std::uint64_t number) {
    if (!arguments.check) return model.run(pointers);
    return model.run_checked(pointers, arguments.seed + number);
  }
};

Result<std::vector<double>> execute(Execution& e, Progress& progress) {
  std::vector<double> times;
  const std::int64_t steps = std::max<std::int64_t>(e.arguments.steps, 1);
  for (std::int64_t step = 0; step < steps; ++step) {
    progress.update("run", static_cast<double>(step) / static_cast<double>(steps));
    e.memory.begin_step(step);
    const auto start = Clock::now();
    ON_TRY(e.once(static_cast<std::uint64_t>(step)));
    times.push_back(milliseconds(start, Clock::now()));
    e.memory.end_step(step);
  }
  // The first run warms caches up and is not counted when there are more.
  if (e.arguments.repeat > 0) times.clear();
  for (std::int64_t i = 0; i < e.arguments.repeat; ++i) {
    progress.update("repeat", static_cast<double>(i) / static_cast<double>(e.arguments.repeat));
    e.memory.begin_step(0, Memory::Restore::Yes);
    const auto start = Clock::now();
    ON_TRY(e.once(0));
    times.push_back(milliseconds(start, Clock::now()));
  }
  return times;
}

double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const std::size_t half = times.size() / 2;
  return times.size() % 2 ? times[half] : (times[half - 1] + times[half]) / 2;
}

Result<device::Options> device_options(const Arguments& a) {
  device::Options options;
  options.threads = a.threads > 0 ? a.threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  options.chip_numerics = a.chip_numerics;
  options.step_limit = a.step_limit;
  std::string names = "auto";
  const auto available = device::available_host_isas();
  for (device::HostIsa isa : available) names += std::string(", ") + device::host_isa_name(isa);
  const bool known = device::host_isa_from_name(a.host_isa, options.host_isa);
  if (!known || (options.host_isa != device::HostIsa::Auto &&
                 std::find(available.begin(), available.end(), options.host_isa) == available.end()))
    return fail(Code::Usage, "--host-isa " + a.host_isa + ": this computer has " + names);
  if (options.host_isa == device::HostIsa::Auto && !available.empty()) options.host_isa = available.back();
  return options;
}

}  // namespace

std::int64_t peak_rss_bytes() {
  // The kernel's ru_maxrss begins with the peak of the process that started this one; VmHWM is this program's alone.
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::strtoll(line.c_str() + 6, nullptr, 10) * 1024;
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
}

Result<void> run(const Arguments& a) {
  auto options = device_options(a);
  if (!options) return options.failure();
  auto source = open_source(a.file);
  if (!source) return source.failure();

  std::string text;
  {
    Progress progress;
    auto program = make_program(*source, a, progress);
    if (!program) return program.failure();
    if (!a.stop_after.empty()) return print(program->stopped_text);
    const isa::Code& code = *program->code;
    if (a.check) ON_TRY(check::check_all(code, *program->machine));

    auto ports = ports_of(code);
    if (!ports) return ports.failure();
    auto feeds = feeds_for(ports->signature, a);
    if (!feeds) return feeds.failure();
    auto memory = Memory::allocate(ports->signature, std::move(*feeds), a.steps, program->machine->hbm_bytes);
    if (!memory) return memory.failure();

    const auto load_start = Clock::now();
    progress.update("load", -1);
    auto model = device::Model::load(code, program->machine, *options);
    if (!model) return model.failure();
    const double load_ms = milliseconds(load_start, Clock::now());

    Execution execution{**model, *memory, std::vector<std::byte*>(code.variables.size(), nullptr), a};
    for (std::size_t i = 0; i < ports->inputs.size(); ++i) execution.pointers[ports->inputs[i]] = memory->input(i);
    for (std::size_t i = 0; i < ports->outputs.size(); ++i) execution.pointers[ports->outputs[i]] = memory->output(i);
    auto times = execute(execution, progress);
    if (!times) return times.failure();
    const double best = *std::min_element(times->begin(), times->end()), middle = median(*times);

    const auto arrays = memory->results();
    if (!a.outputs.empty()) {
      progress.update("write", -1);
      ON_TRY(write_npz(a.outputs, arrays));
    } else {
      text += summary(arrays, ports->signature);
    }
    if (!a.report.empty() || !a.timeline.empty()) {
      std::vector<device::Span> spans;
      progress.update("estimate", -1);
      const device::Estimate estimate =
          device::estimate(code, *program->machine, a.timeline.empty() ? nullptr : &spans, &(*model)->trips());
      if (!a.timeline.empty()) ON_TRY(write_timeline(a.timeline, code, spans));
      if (!a.report.empty()) {
        RunReport report;
        report.target = program->machine->name;
        report.host_isa = device::host_isa_name(options->host_isa);
        report.threads = options->threads;
        if (a.steps) report.steps = a.steps;
        report.compile_ms = program->compile_ms;
        report.load_ms = load_ms;
        report.run_ms_best = best;
        report.run_ms_median = middle;
        report.peak_rss_bytes = peak_rss_bytes();
        report.estimate = &estimate;
        ON_TRY(write_file_atomically(a.report, std::string_view(report_json(report))));
      }
    }
    if (a.repeat > 0) {
      char line[160];
      std::snprintf(line, sizeof line, "%lld runs: best %.3f ms, median %.3f ms\n", static_cast<long long>(a.repeat),
                    best, middle);
      text += line;
    }
  }
  return print(text);
}

}  // namespace openneuron::tools
