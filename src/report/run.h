// The executed program as the parts of a report see it: what each instruction is, once, and the clock's spans over them.
#pragma once
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "report/report.h"

namespace openneuron::report {

/// One instruction of a stream.
struct Item {
  isa::Opcode opcode = isa::Opcode::Memset;
  isa::Engine engine = isa::Engine::PE;
  bool marker = false, routine = false, dma = false, writes_variable = false;
  bool wide = false;                ///< a Matmul of 32-bit operands
  std::uint32_t order = 0;
  std::uint32_t op = kNone;         ///< in Run::ops
  std::uint32_t variable = kNone;   ///< the HBM variable that a transfer reads or writes
  std::uint32_t buffer = kNone;     ///< in Facts::buffers: the on-chip one that is read first
  double issue_ns = 0, ideal_ns = 0;  ///< ideal: a transfer at the peak rate; others without the floor of short ones
  double flops = 0;
  std::uint64_t read = 0, written = 0;
  std::int64_t descriptors = 0, descriptor_bytes = 0, element_bytes = 0;
  std::int64_t rows = 0, columns = 0;  ///< K and M of a Matmul
  std::int64_t elements = 0;           ///< of a partition
};

/// A span of the critical path: the parts of its time that lie there.
struct PathPart {
  std::uint32_t span = 0;
  double busy_ns = 0, latency_ns = 0;
};

struct Run {
  const isa::Code& code;
  const isa::Facts& facts;
  const Machine& machine;
  std::vector<std::vector<Item>> items;  ///< by stream, as spans number them; by order
  std::vector<std::uint32_t> core_of;    ///< by stream
  std::vector<OpRow> ops;
  std::vector<device::Span> spans;
  std::vector<PathPart> path;
  device::Estimate estimate;
  double peak_dma_bytes_per_ns = 0, peak_hbm_bytes_per_ns = 0;

  double done_ns = 0;  ///< of the last span
  std::vector<std::uint32_t> family;  ///< by variable: one number for those whose names differ in their last number

  const Item& item(const device::Span& span) const;
  bool is_scratch(const Item& item) const {
    return item.variable < code.variables.size() && code.variables[item.variable].kind == isa::VariableKind::Scratch;
  }
  std::uint32_t family_of(const Item& item) const { return item.variable < family.size() ? family[item.variable] : kNone; }
};

/// Which variables of a family a row has seen.
class Seen {
 public:
  void add(std::uint32_t variable) {
    if (variable != kNone) variables_.insert(variable);
  }
  Values values(const Run& run) const;

 private:
  std::set<std::uint32_t> variables_;
};

Run run_clock(const isa::Code& code, const isa::Facts& facts, const Machine& machine);

/// Adds the spans up by op and puts the ops in order, most of the critical path first.
void count_ops(Run& run);

// The parts, each in the .cpp of its name.
void add_tables(const Run& run, Report& report);    ///< lanes, ops, roofline
void add_dma(const Run& run, Report& report);       ///< dma, variables
void add_origins(const Run& run, Report& report);   ///< turns, spills, routines
void add_memory(const Run& run, Report& report);    ///< occupancy, stays
void add_timeline(const Run& run, Report& report);  ///< timeline, and the lanes' pauses
void add_changes(const Run& run, Report& report);   ///< changes; after the others

/// The lane of each stream, then of its stationary loads (kNone: it has none).
std::vector<std::pair<std::uint32_t, std::uint32_t>> lanes_of_streams(const Run& run, std::vector<Lane>* lanes);
std::uint32_t lane_of(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& lanes, const device::Span& span, const Item& item);

}  // namespace openneuron::report
