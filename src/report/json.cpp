// The report as JSON, for machines and for the page. docs/report.md states the schema.
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

#include "isa/table.h"
#include "report/page.h"
#include "report/report.h"

namespace openneuron::report {
namespace {

using Json = nlohmann::ordered_json;

// Names come from files: bytes that are no UTF-8 are replaced, not refused.
std::string dump(const Json& json, int indent) { return json.dump(indent, ' ', false, Json::error_handler_t::replace); }

double rounded(double value) { return std::round(value * 1000) / 1000; }
Json index_or_null(std::uint32_t index) { return index == kNone ? Json(nullptr) : Json(index); }

const char* way_name(DmaRow::Way way) {
  return way == DmaRow::Way::OnChip ? "on chip" : way == DmaRow::Way::Writes ? "write" : "read";
}

template <class Rows, class Make>
Json list(const Rows& rows, Make make) {
  Json out = Json::array();
  for (const auto& row : rows) out.push_back(make(row));
  return out;
}

Json engine_row(const Lane& lane) {
  Json pauses = Json::object();
  for (std::size_t p = 0; p < kPauses; ++p)
    if (lane.pauses[p] > 0) pauses[pause_name(static_cast<Pause>(p))] = rounded(lane.pauses[p]);
  return {{"name", lane.name}, {"instructions", lane.instructions}, {"busy_ns", rounded(lane.busy_ns)}, {"path_ns", rounded(lane.path_ns)}, {"pauses_ns", std::move(pauses)}};
}

Json op_row(const OpRow& op) {
  Json busy = Json::object();
  for (std::size_t e = 0; e < op.busy_ns.size(); ++e)
    if (op.busy_ns[e] > 0) busy[std::string(isa::engine_name(static_cast<isa::Engine>(e)))] = rounded(op.busy_ns[e]);
  return {{"op", op.source.op}, {"place", op.source.place}, {"function", op.source.function}, {"location", op.source.text},
          {"instructions", op.instructions}, {"flops", op.flops}, {"hbm_read_bytes", op.hbm_read_bytes},
          {"hbm_written_bytes", op.hbm_written_bytes}, {"path_ns", rounded(op.path_ns)}, {"busy_ns", std::move(busy)}};
}

Json dma(const DmaSummary& d) {
  Json out = {{"transfers", d.transfers}, {"descriptors", d.descriptors}, {"bytes", d.bytes}, {"hbm_bytes", d.hbm_bytes},
              {"busy_ns", rounded(d.busy_ns)}, {"peak_bytes_per_ns", d.peak_bytes_per_ns},
              {"lower_bound_bytes", d.lower_bound_bytes}, {"queues", d.queues}};
  out["classes"] = list(d.classes, [](const DescriptorClass& c) {
    return Json{{"up_to_bytes", c.up_to == INT64_MAX ? Json(nullptr) : Json(c.up_to)}, {"descriptors", c.descriptors}, {"bytes", c.bytes}, {"busy_ns", rounded(c.busy_ns)}};
  });
  out["rows"] = list(d.rows, [](const DmaRow& r) {
    return Json{{"op", index_or_null(r.op)}, {"value", r.values.name}, {"values", r.values.count}, {"direction", way_name(r.way)},
                {"transfers", r.transfers}, {"descriptors", r.descriptors}, {"bytes", r.bytes}, {"busy_ns", rounded(r.busy_ns)},
                {"ideal_ns", rounded(r.ideal_ns)}, {"path_ns", rounded(r.path_ns)}};
  });
  return out;
}

Json tables(const Report& r) {
  const device::Estimate& e = r.estimate;
  Json out;
  out["estimated_ns"] = rounded(e.total_ns);
  out["launch_ns"] = r.launch_ns;
  out["path_busy_ns"] = rounded(r.path_busy_ns);
  out["path_latency_ns"] = rounded(r.path_latency_ns);
  out["routine_share"] = e.routine_share;
  out["routine_instructions"] = e.routine_instructions;
  out["instructions"] = e.instructions;
  out["hbm_read_bytes"] = e.hbm_read_bytes;
  out["hbm_written_bytes"] = e.hbm_written_bytes;
  out["flops"] = e.flops;
  out["data_dependent"] = e.data_dependent;
  out["truncated"] = e.truncated;
  out["engines"] = list(r.lanes, engine_row);
  out["ops"] = list(r.ops, op_row);
  out["variables"] = list(r.variables, [](const VariableRow& v) {
    return Json{{"name", v.name}, {"kind", isa::variable_kind_name(v.kind)}, {"bytes", v.bytes}, {"read_bytes", v.read}, {"written_bytes", v.written}};
  });
  out["dma"] = dma(r.dma);
  out["transposes"] = list(r.turns, [](const TurnRow& t) {
    return Json{{"how", t.how == TurnRow::How::Pe ? "PE" : "DMA"}, {"op", index_or_null(t.op)}, {"value", t.value}, {"why", t.why},
                {"instructions", t.instructions}, {"bytes", t.bytes}, {"busy_ns", rounded(t.busy_ns)}, {"path_ns", rounded(t.path_ns)}};
  });
  out["spills"] = list(r.spills, [](const SpillRow& s) {
    return Json{{"value", s.values.name}, {"values", s.values.count}, {"op", index_or_null(s.op)}, {"why", s.why}, {"written_bytes", s.written},
                {"read_bytes", s.read}, {"busy_ns", rounded(s.busy_ns)}, {"path_ns", rounded(s.path_ns)}};
  });
  out["routines"] = list(r.routines, [](const RoutineRow& row) {
    return Json{{"name", row.name}, {"op", index_or_null(row.op)}, {"calls", row.calls}, {"busy_ns", rounded(row.busy_ns)}, {"path_ns", rounded(row.path_ns)}};
  });
  out["changes"] = list(r.changes, [](const Change& c) {
    return Json{{"title", c.title}, {"detail", c.detail}, {"op", index_or_null(c.op)}, {"saves_up_to_ns", rounded(c.saves_ns)}, {"engine_ns", rounded(c.engine_ns)}};
  });
  const Roofline& roof = r.roofline;
  out["roofline"] = {{"flops", roof.flops}, {"hbm_bytes", roof.hbm_bytes}, {"time_ns", rounded(roof.time_ns)}, {"flops_per_byte", roof.intensity()},
                     {"peak_flops_per_ns", roof.peak_flops_per_ns}, {"peak_bytes_per_ns", roof.peak_bytes_per_ns},
                     {"pe_ideal_ns", rounded(roof.pe_ideal_ns)}, {"bound_ns", rounded(roof.bound_ns)}};
  out["occupancy"] = list(r.occupancy, [](const Occupancy& o) {
    Json points = list(o.points, [](const Point& p) { return Json{rounded(p.at_ns), p.bytes}; });
    return Json{{"space", o.space}, {"core", o.core}, {"capacity_bytes", o.capacity}, {"peak_bytes", o.peak}, {"peak_ns", rounded(o.peak_ns)}, {"points", std::move(points)}};
  });
  return out;
}

// What the page draws, as rows of numbers: ns in tenths, so that most numbers are short.
Json drawings(const Report& r) {
  const auto tenths = [](double ns) { return std::llround(ns * 10); };
  Json out;
  out["resolution_ns"] = rounded(r.timeline.resolution_ns);
  Json opcodes = Json::array();
  for (const isa::Row& row : isa::rows()) opcodes.push_back(std::string(row.name));
  out["opcodes"] = std::move(opcodes);
  Json pauses = Json::array();
  for (std::size_t p = 0; p < kPauses; ++p) pauses.push_back(pause_name(static_cast<Pause>(p)));
  out["pauses"] = std::move(pauses);
  // Begin after the block before it, length, then what the fields are called.
  out["lanes"] = list(r.timeline.lanes, [&](const std::vector<Block>& blocks) {
    long long before = 0;
    return list(blocks, [&](const Block& b) {
      const long long begin = tenths(b.begin_ns), end = tenths(b.end_ns);
      Json row = {begin - before, end - begin, static_cast<std::int64_t>(b.op == kNone ? -1 : b.op), static_cast<int>(b.opcode), b.count,
                  tenths(b.busy_ns), tenths(b.pause_ns), static_cast<int>(b.pause), b.cause_op == kNone ? -1 : static_cast<std::int64_t>(b.cause_op)};
      before = begin;
      return row;
    });
  });
  out["stays_left_out"] = r.stays_left_out;
  out["stays"] = list(r.stays, [&](const Stay& s) {
    const isa::BufferNote& b = r.facts.buffers[s.buffer];
    return Json{b.space == isa::Space::Psum ? 1 : 0, b.core, b.address, b.bytes, b.partitions, tenths(s.begin_ns), tenths(s.end_ns),
                s.op == kNone ? -1 : static_cast<std::int64_t>(s.op), b.name};
  });
  return out;
}

// A page stays small: ops beyond these many become one row, other tables end there.
constexpr std::uint32_t kPageOps = 1500;
constexpr std::size_t kPageRows = 300;

Report bounded(Report r) {
  if (r.ops.size() > kPageOps + 1) {
    OpRow rest;
    for (std::size_t i = kPageOps; i < r.ops.size(); ++i) {
      const OpRow& op = r.ops[i];
      rest.instructions += op.instructions;
      rest.flops += op.flops;
      rest.hbm_read_bytes += op.hbm_read_bytes;
      rest.hbm_written_bytes += op.hbm_written_bytes;
      rest.path_ns += op.path_ns;
      for (std::size_t e = 0; e < op.busy_ns.size(); ++e) rest.busy_ns[e] += op.busy_ns[e];
    }
    rest.source.op = std::to_string(r.ops.size() - kPageOps) + " others";
    r.ops.resize(kPageOps);
    r.ops.push_back(std::move(rest));
  }
  const auto fit = [](auto& rows) {
    if (rows.size() > kPageRows) rows.resize(kPageRows);
  };
  fit(r.dma.rows);
  fit(r.turns);
  fit(r.spills);
  fit(r.routines);
  const auto cap = [](std::uint32_t& op) { op = op == kNone ? op : std::min(op, kPageOps); };
  for (DmaRow& row : r.dma.rows) cap(row.op);
  for (TurnRow& row : r.turns) cap(row.op);
  for (SpillRow& row : r.spills) cap(row.op);
  for (RoutineRow& row : r.routines) cap(row.op);
  for (Change& row : r.changes) cap(row.op);
  for (Stay& row : r.stays) cap(row.op);
  for (auto& lane : r.timeline.lanes)
    for (Block& block : lane) {
      cap(block.op);
      cap(block.cause_op);
    }
  fit(r.variables);
  return r;
}

}  // namespace

std::string to_json(const Report& report, const ProcessFigures& process) {
  Json out;
  out["file"] = report.file;
  out["target"] = report.target;
  if (process.compile_ms >= 0) out["compile_ms"] = process.compile_ms;
  if (process.peak_rss_bytes >= 0) out["peak_rss_bytes"] = process.peak_rss_bytes;
  const Json more = tables(report);
  for (const auto& [key, value] : more.items()) out[key] = value;
  out["layouts"] = report.facts.layouts;
  return dump(out, 1) + "\n";
}

std::string page_data(const Report& report) {
  const Report r = bounded(report);
  Json out;
  out["file"] = r.file;
  out["target"] = r.target;
  const Json more = tables(r);
  for (const auto& [key, value] : more.items()) out[key] = value;
  out["op_count"] = report.ops.size();
  out["draw"] = drawings(r);
  out["layouts"] = r.facts.layouts.substr(0, 200000);
  return dump(out, -1);
}

}  // namespace openneuron::report
