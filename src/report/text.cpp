// The report for a terminal: at most 100 columns, tables line up.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "report/report.h"
#include "report/units.h"

namespace openneuron::report {
namespace {

constexpr std::size_t kColumns = 100, kRows = 15, kShortRows = 8;

double us(double ns) { return ns / 1000; }
double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

std::string fitted(std::string text, std::size_t width) {
  if (text.size() <= width) return text;
  text.resize(width > 3 ? width - 3 : 0);
  return text + "...";
}

// "dot_general  gpt.py:54 (attend)"
std::string name_of(const Source& s) {
  std::string out = s.op;
  if (!s.place.empty()) out += (out.empty() ? "" : "  ") + s.place;
  if (!s.function.empty()) out += " (" + s.function + ")";
  return out;
}

class Writer {
 public:
  explicit Writer(const Report& r) : r_(r), between_ns_(r.roofline.time_ns) {}

  std::string run() {
    summary();
    engines();
    ops();
    changes();
    transfers();
    turns();
    spills();
    routines();
    memory();
    roofline();
    layouts();
    return std::move(out_);
  }

 private:
  template <class... Values>
  void line(fmt::format_string<Values...> format, Values&&... values) {
    std::string text = fmt::format(format, std::forward<Values>(values)...);
    while (!text.empty() && text.back() == ' ') text.pop_back();
    out_ += fitted(std::move(text), kColumns) + "\n";
  }
  // Further lines of a paragraph, indented.
  void paragraph(const std::string& text, std::size_t indent) {
    std::string rest = text;
    while (!rest.empty()) {
      const std::size_t room = kColumns - indent;
      std::size_t end = rest.size();
      if (end > room) {
        end = rest.rfind(' ', room);
        if (end == std::string::npos || end == 0) end = room;
      }
      line("{:{}}{}", "", indent, rest.substr(0, end));
      rest.erase(0, std::min(rest.size(), end + 1));
    }
  }
  std::string op(std::uint32_t op) const { return op < r_.ops.size() ? name_of(r_.ops[op].source) : "the whole program"; }
  static std::string name(const Values& v) { return v.count > 1 ? fmt::format("{} ({})", fitted(v.name, 20), v.count) : fitted(v.name, 26); }
  void left_out(std::size_t all, std::size_t shown) {
    if (all > shown) line("  and {} more", all - shown);
  }

  void summary() {
    const device::Estimate& e = r_.estimate;
    line("{} on {}", r_.file.size() > 60 ? "..." + r_.file.substr(r_.file.size() - 57) : r_.file, r_.target);
    line("  estimated time    {:.2f} us{}", us(e.total_ns), e.data_dependent ? " (loops of unknown length counted once)" : "");
    line("                    {:.2f} us launch; critical path: {:.2f} us at work, {:.2f} us awaiting results", us(r_.launch_ns),
         us(r_.path_busy_ns), us(r_.path_latency_ns));
    line("  instructions      {} executed{}", e.instructions, e.truncated ? " (the rest is not counted)" : "");
    line("  floating point    {}, {:.3g} GFLOP/s", flops_text(e.flops), e.total_ns > 0 ? e.flops / e.total_ns : 0.0);
    line("  HBM               {} read, {} written", bytes_text(static_cast<double>(e.hbm_read_bytes)), bytes_text(static_cast<double>(e.hbm_written_bytes)));
    line("  routines          {:.1f} % of busy time, {} calls", 100 * e.routine_share, e.routine_instructions);
  }

  void engines() {
    line("\n  engine       instructions     busy us   busy   on path   stands still most for");
    for (const Lane& lane : r_.lanes) {
      if (lane.instructions == 0) continue;
      const auto most = std::max_element(lane.pauses.begin(), lane.pauses.end() - 1);  // all but Done
      const auto kind = static_cast<Pause>(most - lane.pauses.begin());
      std::string pause = fmt::format("{} {:.1f} %", pause_name(kind), percent(*most, between_ns_));
      if (*most < 0.01 * between_ns_) pause = "nothing";
      line("  {:<12} {:>12}  {:>10.2f}  {:>4.1f}%   {:>6.1f}%   {}", fitted(lane.name, 12), lane.instructions, us(lane.busy_ns),
           percent(lane.busy_ns, r_.estimate.total_ns), percent(lane.path_ns, r_.estimate.total_ns), pause);
    }
  }

  void ops() {
    line("\n  time us   share     busy us       FLOP   HBM bytes  source op (time: on the critical path)");
    for (std::size_t i = 0; i < std::min(r_.ops.size(), kRows); ++i) {
      const OpRow& o = r_.ops[i];
      line("{:>9.2f}  {:>5.1f}%  {:>10.2f} {:>10} {:>11}  {}", us(o.path_ns), percent(o.path_ns, between_ns_), us(o.total_busy_ns()),
           o.flops > 0 ? short_number(o.flops) : "-", o.hbm_read_bytes + o.hbm_written_bytes > 0 ? short_number(static_cast<double>(o.hbm_read_bytes + o.hbm_written_bytes)) : "-", name_of(o.source));
    }
    left_out(r_.ops.size(), kRows);
  }
  static std::string short_number(double value) {
    const char* units[] = {"", " k", " M", " G", " T"};
    std::size_t unit = 0;
    for (; value >= 1000 && unit + 1 < std::size(units); ++unit) value /= 1000;
    return fmt::format("{:.4g}{}", value, units[unit]);
  }

  void changes() {
    if (r_.changes.empty()) return;
    line("\nwhat would pay most (each bound: what of it lies on the critical path)");
    for (std::size_t i = 0; i < r_.changes.size(); ++i) {
      const Change& c = r_.changes[i];
      line("  {}. up to {:.2f} us: {}", i + 1, us(c.saves_ns), c.title);
      paragraph(op(c.op) + ": " + c.detail, 5);
    }
  }

  void transfers() {
    const DmaSummary& d = r_.dma;
    if (d.transfers == 0) return;
    const double mean = static_cast<double>(d.bytes) / static_cast<double>(std::max<std::uint64_t>(d.descriptors, 1));
    line("\nDMA");
    line("  {} transfers of {} descriptors, {:.1f} bytes each, on {} queues", d.transfers, d.descriptors, mean, d.queues);
    line("  {:.1f} % of the peak of {:.4g} GB/s while busy, {:.1f} % of it over the whole time",
         percent(static_cast<double>(d.hbm_bytes), d.busy_ns * d.peak_bytes_per_ns), d.peak_bytes_per_ns,
         percent(static_cast<double>(d.hbm_bytes), between_ns_ * d.peak_bytes_per_ns));
    const double ratio = d.lower_bound_bytes > 0 ? static_cast<double>(d.hbm_bytes) / static_cast<double>(d.lower_bound_bytes) : 0;
    line("  HBM traffic {}, {:.2f} times the lower bound of {} (each input and output once)", bytes_text(static_cast<double>(d.hbm_bytes)), ratio,
         bytes_text(static_cast<double>(d.lower_bound_bytes)));
    line("  descriptors of         number       bytes     busy us");
    std::int64_t from = 1;
    for (const DescriptorClass& c : d.classes) {
      const std::string range = c.up_to == INT64_MAX ? fmt::format("{} and more", from) : fmt::format("{} to {}", from, c.up_to);
      if (c.descriptors > 0) line("  {:<14}   {:>12} {:>11}  {:>10.2f}", range, c.descriptors, bytes_text(static_cast<double>(c.bytes)), us(c.busy_ns));
      from = c.up_to == INT64_MAX ? c.up_to : c.up_to + 1;
    }
    line("  busy us   at peak   bytes each  what moves, for which op");
    for (std::size_t i = 0; i < std::min(d.rows.size(), kShortRows); ++i) {
      const DmaRow& row = d.rows[i];
      line("{:>9.2f} {:>9.2f}   {:>10.1f}  {} {}, {}", us(row.busy_ns), us(row.ideal_ns),
           static_cast<double>(row.bytes) / static_cast<double>(std::max<std::uint64_t>(row.descriptors, 1)),
           row.way == DmaRow::Way::OnChip ? "on chip" : row.way == DmaRow::Way::Writes ? "to" : "from", name(row.values), op(row.op));
    }
    left_out(d.rows.size(), kShortRows);
  }

  void turns() {
    if (r_.turns.empty()) return;
    line("\ntransposes");
    line("  busy us  instructions  how           value, for which op: why");
    for (std::size_t i = 0; i < std::min(r_.turns.size(), kShortRows); ++i) {
      const TurnRow& t = r_.turns[i];
      line("{:>9.2f}  {:>12}  {:<12}  {}, {}", us(t.busy_ns), t.instructions, t.how == TurnRow::How::Pe ? "PE" : "DMA, element",
           t.value.empty() ? "?" : fitted(t.value, 24), op(t.op));
      if (!t.why.empty()) paragraph(t.why, 39);
    }
    left_out(r_.turns.size(), kShortRows);
  }

  void spills() {
    if (r_.spills.empty()) return;
    line("\nspilled to HBM");
    line("  busy us      written         read  value: why");
    for (std::size_t i = 0; i < std::min(r_.spills.size(), kShortRows); ++i) {
      const SpillRow& s = r_.spills[i];
      line("{:>9.2f} {:>12} {:>12}  {}, {}", us(s.busy_ns), bytes_text(static_cast<double>(s.written)), bytes_text(static_cast<double>(s.read)),
           name(s.values), op(s.op));
      if (!s.why.empty()) paragraph(s.why, 39);
    }
    left_out(r_.spills.size(), kShortRows);
  }

  void routines() {
    if (r_.routines.empty()) return;
    line("\nroutines");
    line("  busy us        calls  routine, for which op");
    for (std::size_t i = 0; i < std::min(r_.routines.size(), kShortRows); ++i) {
      const RoutineRow& row = r_.routines[i];
      line("{:>9.2f} {:>12}  {}, {}", us(row.busy_ns), row.calls, row.name, op(row.op));
    }
    left_out(r_.routines.size(), kShortRows);
  }

  void memory() {
    line("\nmemory            most        of             at us   over time");
    for (const Occupancy& o : r_.occupancy) {
      const std::string core = r_.lanes.empty() || r_.lanes.back().core == 0 || o.space == "HBM" ? "" : fmt::format(" {}", o.core);
      line("  {:<8} {:>12} {:>12}   {:>9.2f}   {}", o.space + core, bytes_text(static_cast<double>(o.peak)), bytes_text(static_cast<double>(o.capacity)),
           us(o.peak_ns), sketch(o));
    }
    if (r_.facts.buffers.empty()) line("  (the file holds no buffers: it is stripped, or was assembled from stream text)");
  }
  // The share of the memory in 40 steps of time, a digit each: tenths, '.' none.
  std::string sketch(const Occupancy& o) const {
    constexpr std::size_t kSteps = 40;
    std::string out;
    std::size_t next = 0;
    for (std::size_t step = 0; step < kSteps; ++step) {
      const double end = between_ns_ * static_cast<double>(step + 1) / kSteps;
      std::int64_t most = o.points.empty() ? 0 : o.points[next > 0 ? next - 1 : 0].bytes;
      for (; next < o.points.size() && o.points[next].at_ns < end; ++next) most = std::max(most, o.points[next].bytes);
      const int tenth = static_cast<int>(10.0 * static_cast<double>(most) / static_cast<double>(std::max<std::int64_t>(o.capacity, 1)));
      out += most == 0 ? '.' : static_cast<char>('0' + std::min(tenth, 9));
    }
    return out;
  }

  void roofline() {
    const Roofline& r = r_.roofline;
    if (r.bound_ns <= 0) return;
    line("\nroofline");
    line("  {:.4g} FLOP per HBM byte; the roof bends at {:.4g}: {} bounds", r.intensity(),
         r.peak_bytes_per_ns > 0 ? r.peak_flops_per_ns / r.peak_bytes_per_ns : 0, r.pe_ideal_ns >= r.bound_ns ? "the PE" : "HBM");
    line("  {:.4g} GFLOP/s of {:.4g} on full tiles of the types used: {:.1f} %", r.time_ns > 0 ? r.flops / r.time_ns : 0, r.peak_flops_per_ns,
         percent(r.pe_ideal_ns, r.time_ns));
    line("  no schedule is shorter than {:.2f} us; this one takes {:.2f} times that", us(r.bound_ns), r.time_ns / r.bound_ns);
  }

  void layouts() {
    if (r_.facts.layouts.empty()) return;
    constexpr std::size_t kLines = 12;
    line("\nlayouts");
    std::size_t lines = 0;
    for (std::size_t begin = 0; begin < r_.facts.layouts.size();) {
      const std::size_t end = std::min(r_.facts.layouts.find('\n', begin), r_.facts.layouts.size());
      if (lines++ < kLines) line("  {}", r_.facts.layouts.substr(begin, end - begin));
      begin = end + 1;
    }
    left_out(lines, kLines);
  }

  const Report& r_;
  double between_ns_;
  std::string out_;
};

}  // namespace

std::string to_text(const Report& report) { return Writer(report).run(); }

}  // namespace openneuron::report
