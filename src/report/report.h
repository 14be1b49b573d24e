// What a compiled program's time, bytes and memory go into: computed from its code, the clock's spans and the compiler's
// facts. Times are nanoseconds, sizes bytes, unless a name says otherwise. Rows refer to source ops by their place in `ops`.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "device/device.h"
#include "isa/code.h"
#include "machine/machine.h"

namespace openneuron::report {

inline constexpr std::uint32_t kNone = 0xFFFFFFFFu;

/// A location "dir/file.py:12:3 (function) (jit(f)/.../op)", taken apart. What it lacks is empty.
struct Source {
  std::string text;      ///< whole
  std::string op;        ///< "dot_general"
  std::string place;     ///< "file.py:12"
  std::string function;  ///< "attend"
};
Source parse_source(const std::string& location);

/// What an engine stood still for.
enum class Pause : std::uint8_t { PE, Vector, Scalar, GpSimd, Sync, Dma, OwnResult, Barrier, Done };
inline constexpr std::size_t kPauses = 9;
const char* pause_name(Pause pause);

/// An engine's instructions or a DMA queue's; the PE's loads of stationary tiles run beside its multiplies.
struct Lane {
  std::string name;
  isa::Engine engine = isa::Engine::PE;
  std::uint32_t core = 0;
  bool loads = false;  ///< the PE's loads
  std::uint64_t instructions = 0;
  double busy_ns = 0;
  double path_ns = 0;                     ///< of the critical path, without latencies
  std::array<double, kPauses> pauses{};  ///< Done: after its last instruction
};

struct OpRow {
  Source source;
  std::uint64_t instructions = 0;
  double flops = 0;
  std::uint64_t hbm_read_bytes = 0, hbm_written_bytes = 0;
  std::array<double, 6> busy_ns{};  ///< by Engine
  double path_ns = 0;               ///< of the critical path: these add up to the time between the launches
  double total_busy_ns() const;
};

/// Variables of HBM that one row stands for: one by its name, several whose names differ in their last number as "name*".
struct Values {
  std::string name;
  std::uint32_t count = 0;
};

/// Transfers of one op and one family of HBM variables.
struct DmaRow {
  enum class Way : std::uint8_t { Reads, Writes, OnChip } way = Way::OnChip;
  std::uint32_t op = kNone;
  Values values;  ///< none when on chip
  std::uint64_t transfers = 0, descriptors = 0, bytes = 0;
  double busy_ns = 0, ideal_ns = 0;  ///< ideal: the same bytes at the peak rate
  double path_ns = 0;
};
/// Descriptors by size: this class holds those of up to `up_to` bytes that no class before it holds.
struct DescriptorClass {
  std::int64_t up_to = 0;
  std::uint64_t descriptors = 0, bytes = 0;
  double busy_ns = 0;
};
struct VariableRow {
  std::string name;
  isa::VariableKind kind = isa::VariableKind::Scratch;
  std::int64_t bytes = 0;
  std::uint64_t read = 0, written = 0;
  double first_ns = 0, last_ns = 0;  ///< of its accesses
};
struct DmaSummary {
  std::uint64_t transfers = 0, descriptors = 0, bytes = 0, hbm_bytes = 0;
  double busy_ns = 0;
  double peak_bytes_per_ns = 0;      ///< of HBM
  std::uint64_t lower_bound_bytes = 0;  ///< each input, constant and output once, at most what is moved of it
  std::uint32_t queues = 0;
  std::vector<DescriptorClass> classes;
  std::vector<DmaRow> rows;  ///< by busy_ns, most first
};

/// Where elements change places one by one.
struct TurnRow {
  enum class How : std::uint8_t { Pe, ElementDma } how = How::Pe;
  std::uint32_t op = kNone;
  std::string value, why;
  std::uint64_t instructions = 0, bytes = 0;
  double busy_ns = 0, path_ns = 0;
};
struct SpillRow {
  std::uint32_t op = kNone;
  Values values;
  std::string why;
  std::uint64_t written = 0, read = 0;
  double busy_ns = 0, path_ns = 0;
};
struct RoutineRow {
  std::string name;
  std::uint32_t op = kNone;
  std::uint64_t calls = 0;
  double busy_ns = 0, path_ns = 0;
};

struct Change {
  std::string title, detail;
  std::uint32_t op = kNone;
  double saves_ns = 0;   ///< at most: what of it lies on the critical path
  double engine_ns = 0;  ///< what all of it keeps engines busy
};

struct Roofline {
  double flops = 0, hbm_bytes = 0, time_ns = 0;  ///< time between the launches
  double peak_flops_per_ns = 0;   ///< of the matmul types used, weighted by their FLOPs
  double peak_bytes_per_ns = 0;
  double pe_ideal_ns = 0;         ///< the FLOPs at their types' peaks
  double bound_ns = 0;            ///< max of that and the bytes at the peak
  double intensity() const { return hbm_bytes > 0 ? flops / hbm_bytes : 0; }
};

struct Point {
  double at_ns = 0;
  std::int64_t bytes = 0;
};
/// Bytes in use, each point up to the next one; sampled to a bounded number of points, each the most of its stretch.
struct Occupancy {
  std::string space;          ///< "SBUF", "PSUM" (bytes of a partition), "HBM"
  std::uint32_t core = 0;
  std::int64_t capacity = 0, peak = 0;
  double peak_ns = 0;
  std::vector<Point> points;
};
/// A buffer's stay in on-chip memory.
struct Stay {
  std::uint32_t buffer = 0;  ///< in Facts::buffers
  std::uint32_t op = kNone;  ///< of its first access
  double begin_ns = 0, end_ns = 0;
};

/// What a lane does for a while: one instruction, or neighbours too short to draw.
struct Block {
  double begin_ns = 0, end_ns = 0, busy_ns = 0;
  std::uint32_t op = kNone, count = 0;
  isa::Opcode opcode = isa::Opcode::Memset;
  double pause_ns = 0;            ///< before it and inside
  Pause pause = Pause::Done;      ///< what most of that was for
  std::uint32_t cause_op = kNone;
};
struct Timeline {
  double resolution_ns = 0;                ///< blocks of more than one instruction are at most this long
  std::vector<std::vector<Block>> lanes;  ///< as Report::lanes
};

struct Report {
  std::string file, target;
  device::Estimate estimate;
  double launch_ns = 0, path_busy_ns = 0, path_latency_ns = 0;
  std::vector<Lane> lanes;
  std::vector<OpRow> ops;  ///< by path_ns, most first
  std::vector<VariableRow> variables;
  DmaSummary dma;
  std::vector<TurnRow> turns;
  std::vector<SpillRow> spills;
  std::vector<RoutineRow> routines;
  std::vector<Change> changes;
  Roofline roofline;
  std::vector<Occupancy> occupancy;
  std::vector<Stay> stays;  ///< the largest ones
  std::size_t stays_left_out = 0;
  Timeline timeline;
  isa::Facts facts;
};

/// `facts` are code.facts for a program just compiled, image::read_facts's for a file.
Report make_report(const std::string& file, const isa::Code& code, isa::Facts facts, const Machine& machine);

/// At most 100 columns.
std::string to_text(const Report& report);
/// What the process adds to the JSON. Below 0: left out.
struct ProcessFigures {
  double compile_ms = -1;
  std::int64_t peak_rss_bytes = -1;
};
/// docs/report.md has the schema.
std::string to_json(const Report& report, const ProcessFigures& process);
/// One self-contained page.
std::string to_html(const Report& report);

}  // namespace openneuron::report
