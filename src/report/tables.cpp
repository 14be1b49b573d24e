// Per lane and per op: instructions, FLOPs, bytes, time; and the roofline.
#include <algorithm>
#include <numeric>
#include <tuple>

#include "isa/table.h"
#include "isa/track_name.h"
#include "report/run.h"

namespace openneuron::report {
namespace {

double duration(const device::Span& span) { return span.end_ns - span.start_ns; }

// FLOPs a nanosecond of full tiles that never wait, for operands of the width.
double pe_peak(const Machine& machine, bool wide) {
  const auto row = machine.costs.find(wide ? "pe_matmul_32" : "pe_matmul_16");
  const double columns_per_cycle = row == machine.costs.end() ? 1 : row->second.elements_per_cycle;
  return 2.0 * machine.pe_rows * machine.pe_columns * columns_per_cycle * machine.pe_clock_hz / 1e9;
}

void add_roofline(const Run& run, Report& report) {
  double flops[2] = {0, 0};
  for (const device::Span& span : run.spans) {
    const Item& item = run.item(span);
    flops[item.wide] += item.flops;
  }
  Roofline& r = report.roofline;
  r.flops = flops[0] + flops[1];
  r.hbm_bytes = static_cast<double>(run.estimate.hbm_read_bytes + run.estimate.hbm_written_bytes);
  r.time_ns = run.done_ns;
  r.pe_ideal_ns = flops[0] / pe_peak(run.machine, false) + flops[1] / pe_peak(run.machine, true);
  r.peak_flops_per_ns = r.pe_ideal_ns > 0 ? r.flops / r.pe_ideal_ns : pe_peak(run.machine, false);
  r.peak_bytes_per_ns = run.peak_hbm_bytes_per_ns;
  r.bound_ns = std::max(r.pe_ideal_ns, r.peak_bytes_per_ns > 0 ? r.hbm_bytes / r.peak_bytes_per_ns : 0);
}

}  // namespace

double OpRow::total_busy_ns() const { return std::accumulate(busy_ns.begin(), busy_ns.end(), 0.0); }

void count_ops(Run& run) {
  for (const device::Span& span : run.spans) {
    const Item& item = run.item(span);
    OpRow& op = run.ops[item.op];
    ++op.instructions;
    op.flops += item.flops;
    op.hbm_read_bytes += item.read;
    op.hbm_written_bytes += item.written;
    op.busy_ns[static_cast<std::size_t>(item.engine)] += duration(span);
  }
  for (const PathPart& part : run.path) run.ops[run.item(run.spans[part.span]).op].path_ns += part.busy_ns + part.latency_ns;

  std::vector<std::uint32_t> order(run.ops.size()), place(run.ops.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(run.ops[a].path_ns, run.ops[a].total_busy_ns()) > std::tuple(run.ops[b].path_ns, run.ops[b].total_busy_ns());
  });
  std::vector<OpRow> sorted;
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    sorted.push_back(std::move(run.ops[order[i]]));
  }
  run.ops = std::move(sorted);
  for (auto& list : run.items)
    for (Item& item : list) item.op = place[item.op];
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> lanes_of_streams(const Run& run, std::vector<Lane>* lanes) {
  std::vector<const isa::Stream*> streams;
  for (const isa::CoreCode& core : run.code.cores)
    for (const isa::Stream& stream : core.streams) streams.push_back(&stream);
  std::vector<std::uint32_t> order(streams.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(run.core_of[a], streams[a]->engine, streams[a]->queue) < std::tuple(run.core_of[b], streams[b]->engine, streams[b]->queue);
  });
  std::vector<std::pair<std::uint32_t, std::uint32_t>> out(streams.size(), {kNone, kNone});
  std::uint32_t next = 0;
  for (std::uint32_t s : order) {
    const isa::Engine engine = streams[s]->engine;
    std::string name = run.code.cores.size() > 1 ? "core " + std::to_string(run.core_of[s]) + " " : "";
    name += isa::track_name(*streams[s]);
    const auto add = [&](const std::string& text, bool loads) {
      Lane lane;
      lane.name = text;
      lane.engine = engine;
      lane.core = run.core_of[s];
      lane.loads = loads;
      if (lanes) lanes->push_back(std::move(lane));
      return next++;
    };
    out[s].first = add(name, false);
    if (engine == isa::Engine::PE) out[s].second = add(name + " load", true);
  }
  return out;
}

std::uint32_t lane_of(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& lanes, const device::Span& span, const Item& item) {
  const auto& [own, loads] = lanes[span.stream];
  return item.opcode == isa::Opcode::LoadStationary && loads != kNone ? loads : own;
}

void add_tables(const Run& run, Report& report) {
  report.ops = run.ops;
  const auto lanes = lanes_of_streams(run, &report.lanes);
  for (const device::Span& span : run.spans) {
    Lane& lane = report.lanes[lane_of(lanes, span, run.item(span))];
    ++lane.instructions;
    lane.busy_ns += duration(span);
  }
  for (const PathPart& part : run.path) {
    const device::Span& span = run.spans[part.span];
    report.lanes[lane_of(lanes, span, run.item(span))].path_ns += part.busy_ns;
    report.path_busy_ns += part.busy_ns;
    report.path_latency_ns += part.latency_ns;
  }
  add_roofline(run, report);
}

}  // namespace openneuron::report
