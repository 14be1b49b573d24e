#include <algorithm>
#include <cstdio>
#include <map>
#include <string_view>

#include "device/device.h"
#include "isa/table.h"
#include "tools/commands.h"
#include "tools/json_files.h"
#include "tools/program.h"

namespace openneuron::tools {
namespace {

std::string bytes_text(double bytes) {
  char text[32];
  const char* unit = "B";
  for (const char* next : {"KiB", "MiB", "GiB"}) {
    if (bytes < 1024) break;
    bytes /= 1024;
    unit = next;
  }
  std::snprintf(text, sizeof text, "%.4g %s", bytes, unit);
  return text;
}

std::string flops_text(double flops) {
  char text[32];
  const char* unit = "FLOP";
  for (const char* next : {"kFLOP", "MFLOP", "GFLOP", "TFLOP"}) {
    if (flops < 1000) break;
    flops /= 1000;
    unit = next;
  }
  std::snprintf(text, sizeof text, "%.4g %s", flops, unit);
  return text;
}

template <class... Values>
void line(std::string& out, const char* format, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, format, values...);
  out += text;
}

// Busy time by source op: the executed instructions of the timeline, added up by location.
void by_source(std::string& out, const isa::Code& code, const std::vector<device::Span>& spans) {
  std::vector<std::map<std::uint32_t, std::uint32_t>> location;  // per stream: order -> location
  for (const auto& core : code.cores)
    for (const auto& stream : core.streams) {
      auto& orders = location.emplace_back();
      for (const auto& instruction : stream.instructions) orders.emplace(instruction.order, instruction.location);
    }
  std::map<std::string_view, double> busy;  // several locations may read the same
  double total = 0;
  for (const auto& span : spans) {
    if (span.stream >= location.size()) continue;
    const auto found = location[span.stream].find(span.order);
    if (found == location[span.stream].end()) continue;
    const std::uint32_t where = found->second;
    const bool known = where > 0 && where < code.locations.size();
    busy[known ? std::string_view(code.locations[where]) : "(no location)"] += span.end_ns - span.start_ns;
    total += span.end_ns - span.start_ns;
  }
  std::vector<std::pair<double, std::string_view>> order;
  for (const auto& [where, ns] : busy) order.push_back({-ns, where});
  std::sort(order.begin(), order.end());
  if (total <= 0) return;
  out += "\n  busy us   share  source\n";
  for (std::size_t i = 0; i < order.size() && i < 15; ++i) {
    const std::string name(order[i].second.substr(0, 200));
    line(out, "%9.2f  %5.1f%%  %s\n", -order[i].first / 1000, -100 * order[i].first / total, name.c_str());
  }
}

}  // namespace

Result<void> report(const Arguments& a) {
  auto source = open_source(a.file);
  if (!source) return source.failure();
  std::string out;
  {
    Progress progress;
    auto program = make_program(*source, a, progress);
    if (!program) return program.failure();
    const isa::Code& code = *program->code;
    std::vector<device::Span> spans;
    const device::Estimate e = device::estimate(code, *program->machine, &spans);
    if (a.json) {
      RunReport report;
      report.target = program->machine->name;
      report.compile_ms = program->compile_ms;
      report.peak_rss_bytes = peak_rss_bytes();
      report.estimate = &e;
      out = report_json(report);
    } else {
      line(out, "%s on %s\n", a.file.c_str(), program->machine->name.c_str());
      line(out, "  estimated time    %.2f us%s\n", e.total_ns / 1000,
           e.data_dependent ? " (loops of unknown length counted once)" : "");
      line(out, "  instructions      %llu executed\n", static_cast<unsigned long long>(e.instructions));
      line(out, "  floating point    %s, %.3g GFLOP/s\n", flops_text(e.flops).c_str(),
           e.total_ns > 0 ? e.flops / e.total_ns : 0.0);
      line(out, "  HBM               %s read, %s written\n", bytes_text(static_cast<double>(e.hbm_read_bytes)).c_str(),
           bytes_text(static_cast<double>(e.hbm_written_bytes)).c_str());
      line(out, "  routines          %.1f %% of busy time, %llu calls\n", 100 * e.routine_share,
           static_cast<unsigned long long>(e.routine_instructions));
      for (const std::string& name : routines_of(code)) out += "                    " + name + "\n";
      out += "\n  engine       instructions     busy us   busy\n";
      for (const auto& engine : e.engines) {
        if (engine.instructions == 0) continue;
        line(out, "  %-12s %12llu  %10.2f  %4.1f%%\n", engine.name.c_str(),
             static_cast<unsigned long long>(engine.instructions), engine.busy_ns / 1000,
             e.total_ns > 0 ? 100 * engine.busy_ns / e.total_ns : 0.0);
      }
      by_source(out, code, spans);
      if (!program->layout_report.empty()) out += "\nlayouts\n" + program->layout_report;
    }
  }
  return print(out);
}

}  // namespace openneuron::tools
