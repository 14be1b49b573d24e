#include "report/run.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "isa/table.h"

namespace openneuron::report {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::Operand;
using isa::OperandKind;

// The buffers live at one place of the program: no two of them meet.
class LiveBuffers {
 public:
  LiveBuffers(const isa::Facts& facts, std::size_t core) : facts_(facts) {
    for (std::uint32_t b = 0; b < facts.buffers.size(); ++b)
      if (facts.buffers[b].core == core) waiting_.push_back(b);
    std::sort(waiting_.begin(), waiting_.end(), [&](std::uint32_t a, std::uint32_t b) { return facts.buffers[a].first < facts.buffers[b].first; });
  }
  /// Orders are asked for in rising order.
  std::uint32_t find(std::uint32_t order, const Operand& o) {
    for (; next_ < waiting_.size() && facts_.buffers[waiting_[next_]].first <= order; ++next_) {
      const isa::BufferNote& b = facts_.buffers[waiting_[next_]];
      live_[{b.space, b.address}] = waiting_[next_];
    }
    auto at = live_.upper_bound({o.space, o.start});
    if (at == live_.begin()) return kNone;
    --at;
    const isa::BufferNote& b = facts_.buffers[at->second];
    const bool inside = b.space == o.space && o.start < b.address + b.bytes && b.first <= order && order <= b.last;
    return inside ? at->second : kNone;
  }

 private:
  const isa::Facts& facts_;
  std::vector<std::uint32_t> waiting_;
  std::size_t next_ = 0;
  std::map<std::pair<isa::Space, std::int64_t>, std::uint32_t> live_;
};

class ItemMaker {
 public:
  explicit ItemMaker(Run& run) : run_(run) {}

  Item make(const Instruction& in) {
    const isa::Row& row = isa::row(in.opcode);
    Item item;
    item.opcode = in.opcode;
    item.engine = in.engine;
    item.order = in.order;
    item.marker = isa::opens_region(in.opcode) || isa::closes_region(in.opcode) || isa::divides_region(in.opcode) ||
                  in.opcode == Opcode::Advance;
    item.routine = row.equals == "routine";
    item.dma = row.engines == isa::E_DMA;
    item.op = op_of(in.location);
    const isa::Cost cost = isa::cost(in, run_.machine);
    item.issue_ns = item.ideal_ns = cost.issue_ns;
    const isa::Work work = isa::work(in);
    item.flops = work.flops;
    item.read = work.hbm_read_bytes;
    item.written = work.hbm_written_bytes;
    for (std::size_t o = 0; o < in.operands.size(); ++o) {
      const Operand& operand = in.operands[o];
      if (operand.kind != OperandKind::Memory || !isa::is_hbm(operand.space) || o > 1) continue;
      item.variable = operand.buffer.index;
      item.writes_variable = o == 0;
    }
    if (!in.operands.empty() && in.operands[0].kind == OperandKind::Memory) item.elements = in.operands[0].free_count();
    if (item.dma) add_transfer(in, item);
    if (in.opcode == Opcode::Matmul && in.operands.size() >= 2) {
      item.wide = bit_width(in.operands[1].type) == 32;
      item.rows = in.operands[1].partition_count;
      item.columns = in.operands[0].partition_count;
    }
    const bool engine = in.engine == isa::Engine::Vector || in.engine == isa::Engine::Scalar || in.engine == isa::Engine::GpSimd;
    if (engine && !item.marker && !item.routine) item.ideal_ns = std::min(item.issue_ns, long_row_ns(in));
    return item;
  }

 private:
  std::uint32_t op_of(std::uint32_t location) {
    if (location >= by_location_.size()) by_location_.resize(std::max<std::size_t>(run_.code.locations.size(), location + 1), kNone);
    std::uint32_t& op = by_location_[location];
    if (op != kNone) return op;
    static const std::string unknown = "(no location)";
    const bool known = location > 0 && location < run_.code.locations.size() && !run_.code.locations[location].empty();
    const std::string& text = known ? run_.code.locations[location] : unknown;
    const auto [at, added] = by_text_.try_emplace(text, static_cast<std::uint32_t>(run_.ops.size()));
    if (added) {
      run_.ops.emplace_back();
      run_.ops.back().source = parse_source(text);
      if (!known) run_.ops.back().source.op = unknown;
    }
    return op = at->second;
  }

  void add_transfer(const Instruction& in, Item& item) const {
    const isa::DmaPackets packets = isa::dma_packets(in, run_.machine);
    item.descriptors = packets.count;
    item.descriptor_bytes = packets.bytes;
    item.element_bytes = std::max(byte_width(in.operands[0].type), byte_width(in.operands[1].type));
    const auto hbm = static_cast<double>(item.read + item.written);
    if (run_.peak_hbm_bytes_per_ns > 0) item.issue_ns = std::max(item.issue_ns, hbm / run_.peak_hbm_bytes_per_ns);
    item.ideal_ns = std::max(run_.peak_dma_bytes_per_ns > 0 ? static_cast<double>(packets.count * packets.bytes) / run_.peak_dma_bytes_per_ns : 0,
                             run_.peak_hbm_bytes_per_ns > 0 ? hbm / run_.peak_hbm_bytes_per_ns : 0);
  }

  // The time of its elements as a part of a long row's.
  double long_row_ns(const Instruction& in) const {
    constexpr std::int64_t kMany = 1024;
    Instruction longer = in;
    for (Operand& o : longer.operands) {
      if (o.kind != OperandKind::Memory) continue;
      if (o.dims.empty()) o.dims.push_back({byte_width(o.type), 1});
      o.dims[o.dims.size() - 1].count *= kMany;
    }
    return isa::cost(longer, run_.machine).issue_ns / kMany;
  }

  Run& run_;
  std::vector<std::uint32_t> by_location_;
  std::unordered_map<std::string, std::uint32_t> by_text_;
};

std::string stem(const std::string& name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  return name.substr(0, last == std::string::npos ? 0 : last + 1);
}

}  // namespace

Values Seen::values(const Run& run) const {
  Values out;
  out.count = static_cast<std::uint32_t>(variables_.size());
  if (variables_.empty() || *variables_.begin() >= run.code.variables.size()) return out;
  const std::string& name = run.code.variables[*variables_.begin()].name;
  out.name = out.count == 1 ? name : stem(name) + "*";
  return out;
}

const Item& Run::item(const device::Span& span) const {
  const std::vector<Item>& list = items[span.stream];
  const auto at = std::lower_bound(list.begin(), list.end(), span.order, [](const Item& i, std::uint32_t order) { return i.order < order; });
  return at == list.end() ? list.back() : *at;
}

Run run_clock(const isa::Code& code, const isa::Facts& facts, const Machine& machine) {
  Run run{code, facts, machine, {}, {}, {}, {}, {}, {}, 0, 0, 0, {}};
  std::unordered_map<std::string, std::uint32_t> families;
  for (const isa::Variable& v : code.variables)
    run.family.push_back(families.try_emplace(stem(v.name), static_cast<std::uint32_t>(families.size())).first->second);
  run.peak_hbm_bytes_per_ns = machine.figure("hbm_bytes_per_ns");
  run.peak_dma_bytes_per_ns = machine.dma_engines * machine.figure("dma_engine_bytes_per_ns");
  ItemMaker maker(run);
  for (std::size_t core = 0; core < code.cores.size(); ++core)
    for (const isa::Stream& stream : code.cores[core].streams) {
      std::vector<Item> list;
      list.reserve(stream.instructions.size());
      std::vector<std::pair<std::uint32_t, Operand>> first_reads;
      for (const Instruction& in : stream.instructions) {
        Item item = maker.make(in);
        item.engine = stream.engine;
        for (std::size_t o = 1; o < in.operands.size(); ++o) {
          const Operand& operand = in.operands[o];
          if (operand.kind != OperandKind::Memory || isa::is_hbm(operand.space)) continue;
          if (in.opcode == Opcode::Transpose || in.opcode == Opcode::Copy || item.dma) first_reads.emplace_back(item.order, operand);
          break;
        }
        list.push_back(item);
      }
      const auto earlier = [](const auto& a, const auto& b) { return a.order < b.order; };
      std::stable_sort(list.begin(), list.end(), earlier);
      std::stable_sort(first_reads.begin(), first_reads.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      LiveBuffers live(facts, core);
      auto at = list.begin();
      for (const auto& [order, operand] : first_reads) {
        while (at != list.end() && at->order < order) ++at;
        if (at != list.end()) at->buffer = live.find(order, operand);
      }
      run.items.push_back(std::move(list));
      run.core_of.push_back(static_cast<std::uint32_t>(core));
    }
  run.estimate = device::estimate(code, machine, &run.spans);
  for (const device::PathPiece& piece : device::critical_path(run.spans)) run.path.push_back({piece.span, piece.busy_ns, piece.latency_ns});
  for (const device::Span& span : run.spans) run.done_ns = std::max(run.done_ns, span.done_ns);
  return run;
}

Report make_report(const std::string& file, const isa::Code& code, isa::Facts facts, const Machine& machine) {
  Report report;
  report.file = file;
  report.target = machine.name;
  report.facts = std::move(facts);
  Run run = run_clock(code, report.facts, machine);
  count_ops(run);
  report.estimate = run.estimate;
  report.launch_ns = machine.figure("launch_before_ns") + machine.figure("launch_after_ns");
  add_tables(run, report);
  add_dma(run, report);
  add_origins(run, report);
  add_memory(run, report);
  add_timeline(run, report);
  add_changes(run, report);
  return report;
}

}  // namespace openneuron::report
