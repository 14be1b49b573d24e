// Transfers: descriptors and their sizes, rates, and each variable's traffic.
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "report/run.h"

namespace openneuron::report {
namespace {

constexpr std::int64_t kClasses[] = {8, 63, 255, 511, 2047, INT64_MAX};  // bytes; 512 is the documented efficient size

DescriptorClass& class_of(DmaSummary& dma, std::int64_t bytes) {
  for (DescriptorClass& c : dma.classes)
    if (bytes <= c.up_to) return c;
  return dma.classes.back();
}

void add_variables(const Run& run, Report& report) {
  for (const isa::Variable& v : run.code.variables) {
    VariableRow row;
    row.name = v.name;
    row.kind = v.kind;
    row.bytes = v.bytes;
    report.variables.push_back(std::move(row));
  }
  std::vector<bool> seen(report.variables.size());
  for (const device::Span& span : run.spans) {
    const Item& item = run.item(span);
    if (item.variable >= report.variables.size()) continue;
    VariableRow& row = report.variables[item.variable];
    row.read += item.writes_variable ? 0 : item.read;
    row.written += item.writes_variable ? item.written : 0;
    if (!seen[item.variable]) row.first_ns = span.start_ns;
    seen[item.variable] = true;
    row.first_ns = std::min(row.first_ns, span.start_ns);
    row.last_ns = std::max(row.last_ns, span.done_ns);
  }
}

// Each variable that the program is given or gives, once; no more than what the program moves of it.
std::uint64_t lower_bound_bytes(const Report& report) {
  std::uint64_t sum = 0;
  for (const VariableRow& v : report.variables) {
    const auto size = static_cast<std::uint64_t>(v.bytes);
    if (v.kind == isa::VariableKind::Input || v.kind == isa::VariableKind::Constant) sum += std::min(size, v.read);
    if (v.kind == isa::VariableKind::Output) sum += std::min(size, v.written);
  }
  return sum;
}

}  // namespace

void add_dma(const Run& run, Report& report) {
  add_variables(run, report);
  DmaSummary& dma = report.dma;
  for (std::int64_t up_to : kClasses) dma.classes.push_back({up_to, 0, 0, 0});
  struct Row {
    DmaRow row;
    Seen seen;
  };
  using Way = DmaRow::Way;
  std::map<std::tuple<std::uint32_t, std::uint32_t, Way>, Row> rows;
  const auto row_of = [&](const Item& item) -> DmaRow& {
    const Way way = item.variable == kNone ? Way::OnChip : item.writes_variable ? Way::Writes : Way::Reads;
    Row& made = rows[{item.op, run.family_of(item), way}];
    made.seen.add(item.variable);
    made.row.op = item.op;
    made.row.way = way;
    return made.row;
  };
  std::set<std::uint16_t> queues;
  for (const device::Span& span : run.spans) {
    const Item& item = run.item(span);
    if (!item.dma) continue;
    queues.insert(span.stream);
    const auto descriptors = static_cast<std::uint64_t>(item.descriptors);
    const auto bytes = static_cast<std::uint64_t>(item.descriptors * item.descriptor_bytes);
    const double busy = span.end_ns - span.start_ns;
    DmaRow& row = row_of(item);
    ++row.transfers;
    row.descriptors += descriptors;
    row.bytes += bytes;
    row.busy_ns += busy;
    row.ideal_ns += item.ideal_ns;
    DescriptorClass& c = class_of(dma, item.descriptor_bytes);
    c.descriptors += descriptors;
    c.bytes += bytes;
    c.busy_ns += busy;
    ++dma.transfers;
    dma.descriptors += descriptors;
    dma.bytes += bytes;
    dma.hbm_bytes += item.read + item.written;
    dma.busy_ns += busy;
  }
  for (const PathPart& part : run.path) {
    const Item& item = run.item(run.spans[part.span]);
    if (item.dma) row_of(item).path_ns += part.busy_ns + part.latency_ns;
  }
  for (auto& [key, made] : rows) {
    made.row.values = made.seen.values(run);
    dma.rows.push_back(std::move(made.row));
  }
  std::stable_sort(dma.rows.begin(), dma.rows.end(), [](const DmaRow& a, const DmaRow& b) { return a.busy_ns > b.busy_ns; });
  dma.peak_bytes_per_ns = std::min(run.peak_hbm_bytes_per_ns, run.peak_dma_bytes_per_ns);
  dma.lower_bound_bytes = lower_bound_bytes(report);
  dma.queues = static_cast<std::uint32_t>(queues.size());
}

}  // namespace openneuron::report
