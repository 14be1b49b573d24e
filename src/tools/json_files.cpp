#include "tools/json_files.h"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/files.h"
#include "isa/table.h"
#include "isa/track_name.h"

namespace openneuron::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLoadTrack = 100000;  // above every stream's number

// Names come from files: bytes that are no UTF-8 are replaced, not refused.
std::string dump(const Json& json, int indent) { return json.dump(indent, ' ', false, Json::error_handler_t::replace); }

std::string stream_name(const isa::Stream& stream) {
  std::string name(isa::engine_name(stream.engine));
  if (stream.engine == isa::Engine::Dma) name += std::to_string(stream.queue);
  return name;
}

}  // namespace

std::vector<std::string> routines_of(const isa::Code& code) {
  std::set<std::string> names;
  for (const auto& core : code.cores)
    for (const auto& stream : core.streams)
      for (const auto& instruction : stream.instructions)
        if (const isa::Row& r = isa::row(instruction.opcode); r.equals == "routine") names.emplace(r.name);
  return {names.begin(), names.end()};
}

std::string report_json(const RunReport& r) {
  Json json;
  const auto put = [&json](const char* key, double value) {
    if (value >= 0) json[key] = value;
  };
  if (!r.target.empty()) json["target"] = r.target;
  if (!r.host_isa.empty()) json["host_isa"] = r.host_isa;
  if (r.threads >= 0) json["threads"] = r.threads;
  if (r.steps >= 0) json["steps"] = r.steps;
  put("compile_ms", r.compile_ms);
  put("load_ms", r.load_ms);
  put("run_ms_best", r.run_ms_best);
  put("run_ms_median", r.run_ms_median);
  json["peak_rss_bytes"] = r.peak_rss_bytes;
  if (const device::Estimate* e = r.estimate) {
    json["estimated_ns"] = e->total_ns;
    json["routine_share"] = e->routine_share;
    json["routine_instructions"] = e->routine_instructions;
    json["instructions"] = e->instructions;
    json["hbm_read_bytes"] = e->hbm_read_bytes;
    json["hbm_written_bytes"] = e->hbm_written_bytes;
    json["flops"] = e->flops;
    json["data_dependent"] = e->data_dependent;
    Json engines = Json::array();
    for (const auto& engine : e->engines)
      engines.push_back({{"name", engine.name}, {"busy_ns", engine.busy_ns}, {"instructions", engine.instructions}});
    json["engines"] = std::move(engines);
  }
  return dump(json, 2) + "\n";
}

Result<void> write_timeline(const std::string& path, const isa::Code& code, std::span<const device::Span> spans) {
  auto file = AtomicFile::create(path);
  if (!file) return file.failure();
  std::string text = "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n";
  const auto flush = [&]() -> Result<void> {
    auto written = file->write(std::as_bytes(std::span(text.data(), text.size())));
    text.clear();
    return written;
  };
  // Streams are numbered over all cores; a core is a process of the trace, a stream a thread.
  std::vector<const isa::Stream*> streams;
  std::vector<int> core_of;
  std::vector<std::map<std::uint32_t, isa::Head>> by_order;
  bool first = true;
  const auto add = [&](const Json& event) {
    if (!first) text += ",\n";
    first = false;
    text += dump(event, -1);
  };
  for (std::size_t c = 0; c < code.cores.size(); ++c)
    for (const auto& stream : code.cores[c].streams) {
      const auto id = streams.size();
      add({{"ph", "M"}, {"name", "thread_name"}, {"pid", c}, {"tid", id}, {"args", {{"name", isa::track_name(stream)}}}});
      // The PE loads a stationary tile while it multiplies with the one before: a track of its own.
      if (stream.engine == isa::Engine::PE)
        add({{"ph", "M"},
             {"name", "thread_name"},
             {"pid", c},
             {"tid", id + kLoadTrack},
             {"args", {{"name", "PE load"}}}});
      streams.push_back(&stream);
      core_of.push_back(static_cast<int>(c));
      auto& orders = by_order.emplace_back();
      for (std::size_t i = 0; i < stream.instructions.size(); ++i) orders.emplace(stream.instructions.head(i).order, stream.instructions.head(i));
    }
  for (const auto& span : spans) {
    if (span.stream >= streams.size()) continue;
    const auto found = by_order[span.stream].find(span.order);
    const isa::Head* instruction = found == by_order[span.stream].end() ? nullptr : &found->second;
    const bool load = instruction && instruction->opcode == isa::Opcode::LoadStationary;
    // Readers keep whole nanoseconds: both ends are rounded here, so that neighbours never overlap.
    const long long begin = std::llround(span.start_ns);
    Json args = {{"order", span.order}};
    if (instruction && instruction->location > 0 && instruction->location < code.locations.size())
      args["source"] = code.locations[instruction->location];
    if (span.cause < spans.size() && span.wait != device::Wait::Nothing) {
      constexpr const char* kWaits[] = {"nothing", "engine", "signal", "started", "result", "dma", "barrier"};
      args["waited_for"] = kWaits[static_cast<std::size_t>(span.wait)];
      args["waited_for_order"] = spans[span.cause].order;
    }
    add({{"ph", "X"},
         {"name", instruction ? std::string(isa::opcode_name(instruction->opcode)) : "?"},
         {"pid", core_of[span.stream]},
         {"tid", span.stream + (load ? kLoadTrack : 0)},
         {"ts", static_cast<double>(begin) / 1000},
         {"dur", static_cast<double>(std::llround(span.end_ns) - begin) / 1000},
         {"args", std::move(args)}});
    if (text.size() > (1u << 20)) ON_TRY(flush());
  }
  text += "\n]}\n";
  ON_TRY(flush());
  return file->commit();
}

std::string show_json(const image::Header& h, const isa::Code& code) {
  Json json;
  json["header"] = {{"package_version", h.package_version},
                    {"neff_version", std::to_string(h.neff_major) + "." + std::to_string(h.neff_minor)},
                    {"data_bytes", h.data_bytes},
                    {"build_version", h.build_version},
                    {"cores", h.core_count},
                    {"hash", h.hash},
                    {"uuid", h.uuid},
                    {"name", h.name},
                    {"feature_bits", h.feature_bits},
                    {"lnc_size", h.lnc_size}};
  json["target"] = code.target;
  Json variables = Json::array();
  for (const auto& v : code.variables) {
    Json row = {{"name", v.name},
                {"kind", isa::variable_kind_name(v.kind)},
                {"type", std::string(type_name(v.type))},
                {"shape", v.shape},
                {"bytes", v.bytes}};
    if (v.aliases >= 0 && static_cast<std::size_t>(v.aliases) < code.variables.size())
      row["aliases"] = code.variables[static_cast<std::size_t>(v.aliases)].name;
    variables.push_back(std::move(row));
  }
  json["variables"] = std::move(variables);
  std::size_t code_bytes = 0;
  Json streams = Json::array();
  for (std::size_t c = 0; c < code.cores.size(); ++c)
    for (const auto& stream : code.cores[c].streams) {
      const std::size_t bytes = isa::encode(stream).size();
      code_bytes += bytes;
      streams.push_back({{"core", c},
                         {"engine", stream_name(stream)},
                         {"instructions", stream.instructions.size()},
                         {"bytes", bytes}});
    }
  json["streams"] = std::move(streams);
  json["engine_code_bytes"] = code_bytes;
  json["routines"] = routines_of(code);
  return dump(json, 2) + "\n";
}

}  // namespace openneuron::tools
