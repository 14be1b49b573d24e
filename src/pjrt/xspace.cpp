// Field numbers: xplane.proto of the TSL profiler.
#include "pjrt/xspace.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <vector>

#include <protozero/pbf_writer.hpp>

#include "device/device.h"
#include "isa/table.h"
#include "isa/track_name.h"
#include "report/report.h"

namespace openneuron::pjrt {
namespace {

namespace trace = runtime::trace;
using protozero::pbf_writer;

constexpr std::int64_t kPicosecondsPerNs = 1000;
constexpr char kPlanePrefix[] = "/device:CUSTOM:";

struct Event {
  std::int64_t name = 0;  // metadata id
  std::int64_t start_ps = 0, duration_ps = 0;  // from the recording's start
  std::string stats;  // XStat messages as fields of an XEvent
};

struct Line {
  std::string name;
  std::vector<Event> events;
};

// A plane while it is made: names are written once and events refer to them.
class Plane {
 public:
  Plane(std::int64_t id, std::string name) : id_(id), name_(std::move(name)) {}

  std::int64_t stat(const std::string& name) {
    const auto [found, added] = stats_.emplace(name, static_cast<std::int64_t>(stats_.size()) + 1);
    return found->second;
  }
  /// `stats`: XStat messages as fields `kMetadataStats` of an XEventMetadata.
  std::int64_t event_name(const std::string& name, std::string stats = {}) {
    const auto [found, added] = names_.emplace(std::make_pair(name, std::move(stats)), static_cast<std::int64_t>(names_.size()) + 1);
    return found->second;
  }
  Line& line(const std::string& name) {
    for (Line& l : lines_)
      if (l.name == name) return l;
    lines_.push_back({name, {}});
    return lines_.back();
  }
  void add_stat(std::string stat) { own_stats_ += stat; }

  static constexpr protozero::pbf_tag_type kEventStats = 4, kMetadataStats = 5, kPlaneStats = 6;
  template <class Value>
  std::string stat_text(protozero::pbf_tag_type field, const std::string& name, const Value& value) {
    std::string inner, text;
    pbf_writer writer(inner);
    writer.add_int64(1, stat(name));
    if constexpr (std::is_same_v<Value, double>)
      writer.add_double(2, value);
    else if constexpr (std::is_integral_v<Value>)
      writer.add_uint64(3, static_cast<std::uint64_t>(value));
    else
      writer.add_string(5, value);
    pbf_writer(text).add_message(field, inner);
    return text;
  }

  std::string write(std::int64_t start_ns) {
    std::string text;
    pbf_writer plane(text);
    plane.add_int64(1, id_);
    plane.add_string(2, name_);
    std::int64_t id = 0;
    for (Line& line : lines_) {
      std::stable_sort(line.events.begin(), line.events.end(), [](const Event& a, const Event& b) { return a.start_ps < b.start_ps; });
      std::string inner;
      pbf_writer writer(inner);
      writer.add_int64(1, ++id);
      writer.add_string(2, line.name);
      writer.add_int64(3, start_ns);
      for (const Event& event : line.events) {
        std::string one;
        pbf_writer out(one);
        out.add_int64(1, event.name);
        out.add_int64(2, event.start_ps);
        out.add_int64(3, event.duration_ps);
        one += event.stats;
        writer.add_message(4, one);
      }
      plane.add_message(3, inner);
    }
    for (const auto& [key, number] : names_) {
      std::string inner;
      pbf_writer writer(inner);
      writer.add_int64(1, number);
      writer.add_string(2, key.first);
      inner += key.second;
      plane.add_message(4, entry(number, inner));
    }
    for (const auto& [name, number] : stats_) {
      std::string inner;
      pbf_writer writer(inner);
      writer.add_int64(1, number);
      writer.add_string(2, name);
      plane.add_message(5, entry(number, inner));
    }
    return text + own_stats_;
  }

 private:
  // Of a map<int64, message>.
  static std::string entry(std::int64_t key, const std::string& value) {
    std::string text;
    pbf_writer writer(text);
    writer.add_int64(1, key);
    writer.add_message(2, value);
    return text;
  }

  std::int64_t id_;
  std::string name_;
  std::vector<Line> lines_;
  std::map<std::pair<std::string, std::string>, std::int64_t> names_;
  std::map<std::string, std::int64_t> stats_;
  std::string own_stats_;
};

std::int64_t picoseconds(double ns) { return std::llround(ns * kPicosecondsPerNs); }

// A program by the clock, and what its instructions are called.
struct Timed {
  device::Estimate estimate;
  std::vector<device::Span> spans;
  struct Instruction {
    std::string name, source, opcode;
    bool load = false;
  };
  std::vector<std::string> lines;                                           // by stream
  std::vector<std::unordered_map<std::uint32_t, Instruction>> instructions;  // by stream; by order
};

Timed time_of(const trace::Step& step) {
  Timed timed;
  timed.estimate = device::estimate(*step.code, *step.machine, nullptr, &step.trips);
  if (timed.estimate.instructions > kMostTraceEvents) return timed;  // never shown
  device::estimate(*step.code, *step.machine, &timed.spans, &step.trips);
  for (const isa::CoreCode& core : step.code->cores)
    for (const isa::Stream& stream : core.streams) {
      timed.lines.push_back(isa::track_name(stream));
      auto& known = timed.instructions.emplace_back();
      for (std::size_t i = 0; i < stream.instructions.size(); ++i) {
        const isa::Head head = stream.instructions.head(i);
        Timed::Instruction out;
        out.opcode = isa::opcode_name(head.opcode);
        out.load = head.opcode == isa::Opcode::LoadStationary;
        if (head.location > 0 && head.location < step.code->locations.size()) {
          const report::Source source = report::parse_source(step.code->locations[head.location]);
          out.name = source.op;
          out.source = source.place;
          if (!source.function.empty()) out.source += " (" + source.function + ")";
        }
        if (out.name.empty()) out.name = out.opcode;
        known.emplace(head.order, std::move(out));
      }
    }
  return timed;
}

// Runs of one program that data decided alike take the same time.
using Key = std::pair<const isa::Code*, std::string>;
Key key_of(const trace::Step& step) {
  std::string trips;
  for (const auto& core : step.trips.cores) {
    const std::map<std::uint32_t, std::vector<std::int32_t>> regions(core.begin(), core.end());
    for (const auto& [region, numbers] : regions) {
      trips += std::to_string(region) + ":";
      for (std::int32_t n : numbers) trips += std::to_string(n) + ",";
    }
  }
  return {step.code.get(), std::move(trips)};
}

void add_compiles(Plane& plane, const trace::Recording& recording) {
  const auto put = [&](const std::string& line, const trace::Stage& stage) {
    plane.line(line).events.push_back({plane.event_name(stage.name), (stage.start_ns - recording.start_ns) * kPicosecondsPerNs,
                                       std::max<std::int64_t>(0, stage.end_ns - stage.start_ns) * kPicosecondsPerNs, {}});
  };
  for (const trace::Compile& compile : recording.compiles) {
    put("compiles", compile.whole);
    for (const trace::Stage& stage : compile.stages) put("stages", stage);
    for (const trace::Stage& pass : compile.passes) put("passes", pass);
  }
}

// The steps of one core. `room`: how many more instructions may be shown.
void add_steps(Plane& plane, const std::vector<const trace::Step*>& steps, std::int64_t start_ns,
               std::map<Key, Timed>& timed, std::size_t& room) {
  std::int64_t free_ps = 0;
  std::uint64_t left_out = 0;
  std::unordered_map<const Timed::Instruction*, std::int64_t> names;
  const auto name_of = [&](const Timed::Instruction& what) {
    const auto [at, added] = names.emplace(&what, 0);
    if (!added) return at->second;
    std::string facts = plane.stat_text(Plane::kMetadataStats, "instruction", what.opcode);
    if (!what.source.empty()) facts += plane.stat_text(Plane::kMetadataStats, "source", what.source);
    return at->second = plane.event_name(what.name, std::move(facts));
  };
  for (const trace::Step* step : steps) {
    const auto [found, added] = timed.try_emplace(key_of(*step));
    if (added) found->second = time_of(*step);
    const Timed& program = found->second;
    const std::int64_t host_ps = (step->start_ns - start_ns) * kPicosecondsPerNs;
    const std::int64_t begin = std::max(free_ps, host_ps);
    const std::int64_t duration = picoseconds(program.estimate.total_ns);
    free_ps = begin + duration;
    const std::int64_t name = plane.event_name(step->code->name);
    plane.line("emulation, in host time").events.push_back({name, host_ps, (step->end_ns - step->start_ns) * kPicosecondsPerNs, {}});
    std::string stats = plane.stat_text(Plane::kEventStats, "flops", static_cast<std::uint64_t>(program.estimate.flops)) +
                        plane.stat_text(Plane::kEventStats, "bytes_accessed", program.estimate.hbm_read_bytes + program.estimate.hbm_written_bytes) +
                        plane.stat_text(Plane::kEventStats, "instructions", program.estimate.instructions);
    const bool shown = program.estimate.instructions <= room;
    if (!shown) {
      stats += plane.stat_text(Plane::kEventStats, "instructions_not_shown", program.estimate.instructions);
      left_out += program.estimate.instructions;
    }
    plane.line("Steps").events.push_back({name, begin, duration, std::move(stats)});
    if (!shown) continue;
    room -= program.spans.size();
    for (const device::Span& span : program.spans) {
      const auto instruction = program.instructions[span.stream].find(span.order);
      if (instruction == program.instructions[span.stream].end()) continue;
      const Timed::Instruction& what = instruction->second;
      // Both ends are rounded, so that neighbours never overlap.
      const std::int64_t from = picoseconds(span.start_ns), to = picoseconds(span.end_ns);
      // The PE loads a stationary tile while it multiplies with the one before: a line of its own.
      plane.line(program.lines[span.stream] + (what.load ? " load" : ""))
          .events.push_back({name_of(what), begin + from, to - from, {}});
    }
  }
  if (left_out > 0) plane.add_stat(plane.stat_text(Plane::kPlaneStats, "instructions_not_shown", left_out));
}

}  // namespace

std::string write_xspace(const trace::Recording& recording) {
  std::string text;
  pbf_writer space(text);
  std::int64_t id = 0;
  if (!recording.compiles.empty()) {
    Plane plane(++id, std::string(kPlanePrefix) + "OpenNeuron compiler");
    add_compiles(plane, recording);
    space.add_message(1, plane.write(recording.start_ns));
  }
  std::map<int, std::vector<const trace::Step*>> by_core;
  for (const trace::Step& step : recording.steps) by_core[step.core].push_back(&step);
  std::map<Key, Timed> timed;
  std::size_t room = kMostTraceEvents;
  for (const auto& [core, steps] : by_core) {
    Plane plane(++id, kPlanePrefix + ("NeuronCore " + std::to_string(core)));
    add_steps(plane, steps, recording.start_ns, timed, room);
    if (recording.steps_left_out > 0) plane.add_stat(plane.stat_text(Plane::kPlaneStats, "steps_not_recorded", recording.steps_left_out));
    space.add_message(1, plane.write(recording.start_ns));
  }
  return text;
}

}  // namespace openneuron::pjrt
