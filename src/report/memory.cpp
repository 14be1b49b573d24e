// What lies in SBUF, PSUM and HBM when. A buffer of the chip is there from its first access to its last.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "report/run.h"

namespace openneuron::report {
namespace {

constexpr std::size_t kPoints = 512, kStays = 3000;

struct Event {
  double at_ns;
  bool comes;
  std::int64_t address, bytes;
};

// How many bytes of a memory are taken. Stays may share bytes: two buffers that take turns in a loop both stay all along.
class Taken {
 public:
  std::int64_t bytes() const { return bytes_; }
  void apply(const Event& change) {
    const std::int64_t end = change.address + change.bytes;
    const auto last = cut(end);
    for (auto piece = cut(change.address); piece != last;) {
      const auto here = piece++;
      const std::int64_t size = (piece == pieces_.end() ? end : piece->first) - here->first;
      if (change.comes && here->second++ == 0) bytes_ += size;
      if (!change.comes && --here->second == 0) bytes_ -= size;
    }
  }

 private:
  using Pieces = std::map<std::int64_t, std::int32_t>;  // where a piece begins: how many stays cover it
  Pieces::iterator cut(std::int64_t at) {
    auto piece = pieces_.lower_bound(at);
    if (piece != pieces_.end() && piece->first == at) return piece;
    const std::int32_t count = piece == pieces_.begin() ? 0 : std::prev(piece)->second;
    return pieces_.emplace_hint(piece, at, count);
  }
  Pieces pieces_;
  std::int64_t bytes_ = 0;
};

Occupancy sum_up(std::string space, std::uint32_t core, std::int64_t capacity, std::int64_t always, std::vector<Event> changes, double end_ns) {
  Occupancy out;
  out.space = std::move(space);
  out.core = core;
  out.capacity = capacity;
  std::stable_sort(changes.begin(), changes.end(), [](const Event& a, const Event& b) { return a.at_ns < b.at_ns; });
  Taken taken;
  std::int64_t now = always;
  out.peak = always;
  const double step = end_ns / kPoints;
  out.points.push_back({0, always});
  std::size_t next = 0;
  for (std::size_t bin = 0; bin < kPoints; ++bin) {
    const double begin = step * static_cast<double>(bin), end = begin + step;
    std::int64_t most = now;
    for (; next < changes.size() && (changes[next].at_ns < end || bin + 1 == kPoints);) {
      const double at = changes[next].at_ns;
      for (; next < changes.size() && changes[next].at_ns == at; ++next) taken.apply(changes[next]);
      now = always + taken.bytes();
      // What begins with this stretch counts for it alone.
      most = at <= begin ? now : std::max(most, now);
      if (now > out.peak) {
        out.peak = now;
        out.peak_ns = at;
      }
    }
    if (bin == 0)
      out.points[0].bytes = most;
    else if (most != out.points.back().bytes)
      out.points.push_back({begin, most});
  }
  return out;
}

// First start and last end of the executed instructions of each order, by core.
struct Times {
  std::vector<double> begin, end;
  explicit Times(std::size_t orders) : begin(orders, -1), end(orders, -1) {}
};

}  // namespace

void add_memory(const Run& run, Report& report) {
  std::size_t orders = 0;
  for (const auto& list : run.items)
    if (!list.empty()) orders = std::max<std::size_t>(orders, list.back().order + 1);
  std::vector<Times> times(run.code.cores.size(), Times(orders));
  std::vector<std::vector<std::uint32_t>> ops(run.code.cores.size(), std::vector<std::uint32_t>(orders, kNone));
  for (const device::Span& span : run.spans) {
    const Item& item = run.item(span);
    if (item.marker) continue;  // copies of a marker run at other times
    Times& t = times[run.core_of[span.stream]];
    if (t.begin[span.order] < 0 || span.start_ns < t.begin[span.order]) t.begin[span.order] = span.start_ns;
    t.end[span.order] = std::max(t.end[span.order], span.done_ns);
    ops[run.core_of[span.stream]][span.order] = item.op;
  }
  std::vector<std::vector<Event>> sbuf(times.size()), psum(times.size());
  for (std::uint32_t b = 0; b < run.facts.buffers.size(); ++b) {
    const isa::BufferNote& buffer = run.facts.buffers[b];
    if (buffer.core >= times.size() || buffer.first >= orders || buffer.last >= orders) continue;
    const Times& t = times[buffer.core];
    Stay stay{b, ops[buffer.core][buffer.first], t.begin[buffer.first], t.end[buffer.last]};
    if (stay.begin_ns < 0 || stay.end_ns < stay.begin_ns) continue;  // a branch that was not taken
    auto& changes = (buffer.space == isa::Space::Psum ? psum : sbuf)[buffer.core];
    changes.push_back({stay.begin_ns, true, buffer.address, buffer.bytes});
    changes.push_back({stay.end_ns, false, buffer.address, buffer.bytes});
    report.stays.push_back(stay);
  }
  for (std::size_t core = 0; core < times.size(); ++core) {
    const auto c = static_cast<std::uint32_t>(core);
    report.occupancy.push_back(sum_up("SBUF", c, run.machine.sbuf_partition_bytes, 0, std::move(sbuf[core]), run.done_ns));
    report.occupancy.push_back(sum_up("PSUM", c, run.machine.psum_banks * run.machine.psum_bank_bytes, 0, std::move(psum[core]), run.done_ns));
  }
  // Inputs, outputs and constants are there all the time; scratch while it is used.
  std::vector<Event> hbm;
  std::int64_t always = 0, next = 0;
  for (std::size_t v = 0; v < report.variables.size(); ++v) {
    const VariableRow& row = report.variables[v];
    if (row.kind == isa::VariableKind::Scratch) {
      if (row.last_ns <= row.first_ns) continue;
      hbm.push_back({row.first_ns, true, next, row.bytes});
      hbm.push_back({row.last_ns, false, next, row.bytes});
      next += row.bytes;
    } else if (run.code.variables[v].aliases < 0) {
      always += row.bytes;
    }
  }
  report.occupancy.push_back(sum_up("HBM", 0, run.machine.hbm_bytes, always, std::move(hbm), run.done_ns));

  const auto area = [&](const Stay& s) { return (s.end_ns - s.begin_ns) * static_cast<double>(run.facts.buffers[s.buffer].bytes); };
  std::stable_sort(report.stays.begin(), report.stays.end(), [&](const Stay& a, const Stay& b) { return area(a) > area(b); });
  if (report.stays.size() > kStays) {
    report.stays_left_out = report.stays.size() - kStays;
    report.stays.resize(kStays);
  }
}

}  // namespace openneuron::report
