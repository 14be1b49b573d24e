// The changes that would pay most. Each is a sum over executed instructions of the part of their time that the change
// would take away. What of it lies on the critical path bounds the saving: with the order of the instructions kept, the
// chain that made the program as long as it is stays a chain, shorter by that much, and another may be as long.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "isa/table.h"
#include "report/run.h"
#include "report/units.h"

namespace openneuron::report {
namespace {

constexpr std::size_t kChanges = 5;
constexpr std::int64_t kEfficientDescriptor = 512;  // bytes: docs/machine.md

enum class Kind : std::uint8_t {
  ShortDescriptors, Spill, Reread, DmaLatency, Handover, Fp32, PartTile, ColdPe, StationaryLoads, Turn, Tables, ShortRows, Routine,
};

// One change: all losses of a kind that share an op or a family of variables (kNone: the program's).
struct Key {
  Kind kind;
  std::uint32_t op, family;
  bool operator<(const Key& o) const { return std::tie(kind, op, family) < std::tie(o.kind, o.op, o.family); }
};
struct Sum {
  double saves_ns = 0, engine_ns = 0;
  std::uint64_t instructions = 0, on_path = 0, bytes = 0, descriptors = 0;
  double weight = 0, rows = 0, columns = 0, elements = 0, reread = 0, stores = 0;  // weighted by time
  const Item* example = nullptr;
  Seen seen;
};

std::string times(std::uint64_t count) { return count == 1 ? "once" : fmt::format("{} times", count); }

class Changes {
 public:
  Changes(const Run& run, const Report& report) : run_(run), report_(report) {
    const auto rate = [&](const char* key) {
      const auto row = run.machine.costs.find(key);
      return row == run.machine.costs.end() ? 1.0 : row->second.elements_per_cycle;
    };
    wide_ratio_ = rate("pe_matmul_16") > 0 ? rate("pe_matmul_32") / rate("pe_matmul_16") : 1;
    for (const VariableRow& v : report.variables)
      reread_.push_back(v.kind != isa::VariableKind::Scratch && v.read > static_cast<std::uint64_t>(v.bytes)
                            ? 1 - static_cast<double>(v.bytes) / static_cast<double>(v.read)
                            : 0);
  }

  std::vector<Change> run() {
    for (const device::Span& span : run_.spans) {
      on_path_ = false;
      losses(span, span.end_ns - span.start_ns, 0);
    }
    for (const PathPart& part : run_.path) {
      on_path_ = true;
      losses(run_.spans[part.span], part.busy_ns, part.latency_ns);
    }
    std::vector<std::pair<Key, Sum>> order(sums_.begin(), sums_.end());
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
      return std::tuple(a.second.saves_ns, a.second.engine_ns) > std::tuple(b.second.saves_ns, b.second.engine_ns);
    });
    std::vector<Change> out;
    for (const auto& [key, sum] : order) {
      if (out.size() == kChanges || sum.saves_ns <= 0) break;
      out.push_back(describe(key, sum));
    }
    return out;
  }

 private:
  // `busy` of the span's time and `latency` after it: which changes would take how much of it away.
  void losses(const device::Span& span, double busy, double latency) {
    const Item& item = run_.item(span);
    const double taken = span.end_ns - span.start_ns;
    const double share = taken > 0 ? busy / taken : 0;  // of the instruction that is looked at
    if (item.dma) {
      transfer(item, busy, latency, share);
    } else {
      if (latency > 0) add({Kind::Handover, item.op, kNone}, item, latency);
      if (item.engine == isa::Engine::PE) multiply(item, busy, latency, share, taken);
      const bool function = item.opcode == isa::Opcode::Activation || item.opcode == isa::Opcode::ActivationReduce;
      if (function && taken > item.issue_ns) add({Kind::Tables, kNone, kNone}, item, (taken - item.issue_ns) * share);
      if (item.routine)
        add({Kind::Routine, item.op, kNone}, item, busy);
      else if (item.ideal_ns < item.issue_ns)
        add({Kind::ShortRows, item.op, kNone}, item, (item.issue_ns - item.ideal_ns) * share);
      if (turns_out(item)) add({Kind::Turn, item.op, kNone}, item, busy);
    }
  }

  void transfer(const Item& item, double busy, double latency, double share) {
    const std::uint32_t family = run_.family_of(item);
    if (item.descriptor_bytes < kEfficientDescriptor)
      add({Kind::ShortDescriptors, item.op, family}, item, (item.issue_ns - item.ideal_ns) * share);
    if (run_.is_scratch(item)) add({Kind::Spill, kNone, family}, item, busy + latency);
    if (family != kNone && !item.writes_variable && reread_[item.variable] > 0)
      add({Kind::Reread, kNone, family}, item, busy * reread_[item.variable]);
    if (latency > 0) add({Kind::DmaLatency, item.op, kNone}, item, latency);
  }

  void multiply(const Item& item, double busy, double latency, double share, double taken) {
    if (item.opcode == isa::Opcode::Matmul) {
      if (item.wide) add({Kind::Fp32, kNone, kNone}, item, busy * (1 - wide_ratio_));
      const double used = static_cast<double>(item.rows * item.columns) / (run_.machine.pe_rows * run_.machine.pe_columns);
      if (used < 0.9) add({Kind::PartTile, item.op, kNone}, item, busy * (1 - used));
      if (taken > item.issue_ns) add({Kind::ColdPe, kNone, kNone}, item, (taken - item.issue_ns) * share);
    }
    if (item.opcode == isa::Opcode::LoadStationary) add({Kind::StationaryLoads, item.op, kNone}, item, busy);
    if (item.opcode == isa::Opcode::Transpose) add({Kind::Turn, item.op, kNone}, item, busy + latency);
  }

  // A copy of what the PE turned, out of PSUM.
  bool turns_out(const Item& item) const {
    return item.opcode == isa::Opcode::Copy && item.buffer != kNone && run_.facts.buffers[item.buffer].space == isa::Space::Psum &&
           run_.facts.buffers[item.buffer].name.compare(0, 6, "turned") == 0;
  }

  void add(const Key& key, const Item& item, double ns) {
    if (ns <= 0) return;
    Sum& sum = sums_[key];
    (on_path_ ? sum.saves_ns : sum.engine_ns) += ns;
    if (on_path_) ++sum.on_path;
    if (on_path_) return;
    ++sum.instructions;
    if (key.family != kNone) sum.seen.add(item.variable);
    sum.bytes += static_cast<std::uint64_t>(item.descriptors * item.descriptor_bytes);
    sum.descriptors += static_cast<std::uint64_t>(item.descriptors);
    sum.weight += ns;
    if (key.kind == Kind::Reread) sum.reread += ns * reread_[item.variable];
    sum.rows += ns * static_cast<double>(item.rows);
    sum.columns += ns * static_cast<double>(item.columns);
    sum.elements += ns * static_cast<double>(item.elements);
    sum.stores += item.writes_variable ? ns : 0;
    if (!sum.example) sum.example = &item;
  }

  std::string why_spilled(const Values& values) const {
    for (const SpillRow& row : report_.spills)
      if (row.values.name == values.name && !row.why.empty()) return " (" + row.why + ")";
    return {};
  }
  std::string turned_values(std::uint32_t op) const {
    std::string out;
    for (const TurnRow& row : report_.turns)
      if (row.op == op && row.how == TurnRow::How::Pe && !row.value.empty()) out += (out.empty() ? "" : ", ") + row.value + (row.why.empty() ? "" : ": " + row.why);
    return out.empty() ? "" : " (" + out + ")";
  }

  Change describe(const Key& key, const Sum& sum) const {
    Change out;
    out.op = key.op;
    out.saves_ns = sum.saves_ns;
    out.engine_ns = sum.engine_ns;
    const Values values = sum.seen.values(run_);
    const std::string variable = values.count > 1 ? fmt::format("{} ({} values)", values.name, values.count) : values.count == 1 ? values.name : "values between buffers";
    const double mean = sum.descriptors > 0 ? static_cast<double>(sum.bytes) / static_cast<double>(sum.descriptors) : 0;
    const auto weighted = [&](double value) { return sum.weight > 0 ? value / sum.weight : 0; };
    switch (key.kind) {
      case Kind::ShortDescriptors: {
        out.title = fmt::format("{} {} in runs of {} bytes or more", weighted(sum.stores) > 0.5 ? "Store" : "Load", variable, kEfficientDescriptor);
        out.detail = fmt::format("it moves {} in {} descriptors of {:.4g} bytes; rows of them, turned on the PE, would free the DMA engines {} earlier",
                                 bytes_text(static_cast<double>(sum.bytes)), sum.descriptors, mean, time_text(sum.engine_ns));
        break;
      }
      case Kind::Spill:
        out.title = fmt::format("Keep {} in SBUF", variable);
        if (sum.example) out.op = sum.example->op;
        out.detail = fmt::format("{} go to HBM and back{}", bytes_text(static_cast<double>(sum.bytes)), why_spilled(values));
        break;
      case Kind::Reread:
        out.title = fmt::format("Read {} once", variable);
        out.detail = fmt::format("{:.0f} % of its reads fetch again what was read before", 100 * weighted(sum.reread));
        break;
      case Kind::DmaLatency:
        out.title = "Start transfers earlier";
        out.detail = times(sum.on_path) + " the critical path waits for a transfer's fixed latency";
        break;
      case Kind::Handover:
        out.title = "Hand results from engine to engine less often";
        out.detail = times(sum.on_path) + " the critical path waits for a result's latency and its signal";
        break;
      case Kind::Fp32:
        out.title = "Multiply in bf16";
        out.detail = fmt::format("fp32 matmuls take {:.3g} times as long; results would change", 1 / wide_ratio_);
        break;
      case Kind::PartTile: {
        const double rows = weighted(sum.rows), columns = weighted(sum.columns);
        out.title = "Fill the PE's tiles";
        out.detail = fmt::format("tiles of K={:.4g} M={:.4g} use {:.0f} % of its {} x {}", rows, columns,
                                 100 * rows * columns / (run_.machine.pe_rows * run_.machine.pe_columns), run_.machine.pe_rows, run_.machine.pe_columns);
        break;
      }
      case Kind::ColdPe:
        out.title = "Keep the PE warm";
        out.detail = fmt::format("{} of its time passes at {:.3g} of its speed: it idles between bursts", time_text(2 * sum.engine_ns),
                                 1 / std::max(1.0, run_.machine.figure("pe_cold_factor")));
        break;
      case Kind::StationaryLoads:
        out.title = "Multiply longer by each stationary tile";
        out.detail = "the PE waits while stationary tiles load: few moving columns use each";
        break;
      case Kind::Turn:
        out.title = "Choose layouts that need no transpose here";
        out.detail = "the PE turns tiles, and they are copied out of PSUM" + turned_values(key.op);
        break;
      case Kind::Tables:
        out.title = "Group activations by function";
        out.detail = "Scalar loads function tables " + times(sum.instructions);
        break;
      case Kind::ShortRows:
        out.title = "Give engines longer rows";
        out.detail = fmt::format("instructions of {:.0f} elements a partition pay for the fixed part of their cost", weighted(sum.elements));
        break;
      case Kind::Routine:
        out.title = fmt::format("Replace the routine {}", sum.example ? std::string(isa::opcode_name(sum.example->opcode)) : "");
        out.detail = "GpSimd runs it element by element";
        break;
    }
    return out;
  }

  const Run& run_;
  const Report& report_;
  double wide_ratio_ = 1;
  bool on_path_ = false;
  std::vector<double> reread_;  // by variable: the share of reads that are not the first
  std::map<Key, Sum> sums_;
};

}  // namespace

void add_changes(const Run& run, Report& report) { report.changes = Changes(run, report).run(); }

}  // namespace openneuron::report
