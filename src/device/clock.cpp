// The clock: one max-plus sweep. Engines run until they need a signal that is not given yet; then the DMA transfer that
// can start first takes its turn on the shared DMA engines. What time each rule stands for: docs/device.md, "Clock".
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <unordered_map>

#include "device/device.h"
#include "isa/table.h"
#include "isa/track_name.h"

namespace openneuron::device {
namespace {

using isa::Engine;
using isa::Instruction;
using isa::Opcode;
using isa::OperandKind;

// What an instruction costs each time it runs; worked out once.
struct Timing {
  double issue_ns = 0, latency_ns = 0;
  bool background = false, routine = false;
  int table = 0;
  double flops = 0;
  std::uint64_t read_bytes = 0, written_bytes = 0;
  std::uint32_t jump = 0;               ///< as in run.h
  std::vector<std::uint32_t> branches;  ///< CaseBegin
  std::uint32_t boxes = 0;              ///< first in Sweep::boxes_: what it reads, then what it writes
  std::uint8_t read_count = 0, write_count = 0;
};

// A box of bytes of one memory, for results that a later instruction of the same list reads.
struct Box {
  isa::Space space = isa::Space::None;
  std::uint32_t buffer = 0;
  std::int64_t first_byte = 0, last_byte = 0, first_partition = 0, last_partition = 0;
  double ready_ns = 0;
  std::uint32_t span = Span::kNoSpan;
  bool meets(const Box& o) const {
    return space == o.space && buffer == o.buffer && first_byte < o.last_byte && o.first_byte < last_byte &&
           first_partition < o.last_partition && o.first_partition < last_partition;
  }
};

// What a span gives at a time.
struct Signal {
  double at = 0;
  std::uint32_t span = Span::kNoSpan;
};
// A moment, and the span that brings it about.
struct Moment {
  double at = 0;
  Wait wait = Wait::Nothing;
  std::uint32_t cause = Span::kNoSpan;
  void no_earlier_than(double other, Wait why, std::uint32_t span) {
    if (other <= at) return;
    *this = {other, why, span};
  }
};

constexpr std::size_t kRememberedWrites = 4;  // deeper pipelines than that hide any result latency
constexpr std::uint64_t kMostSteps = 200'000'000;
constexpr double kNever = std::numeric_limits<double>::infinity();

struct StreamState {
  explicit StreamState(const isa::Stream& s) : stream(&s), list(s.instructions) {}
  const isa::Stream* stream;
  isa::OpenedList list;
  std::size_t core = 0, index = 0;
  std::vector<Timing> timings;
  std::uint32_t pc = 0;
  double free_ns = 0;  // may start the next instruction
  double done_ns = 0;  // everything so far has completed
  std::uint32_t free_span = Span::kNoSpan, done_span = Span::kNoSpan;
  std::vector<std::int64_t> bases;
  std::unordered_map<std::uint32_t, std::int64_t> left;    // open loops: iterations to go, this one included
  std::unordered_map<std::uint32_t, std::size_t> entered;  // regions that data decides: how often so far
  std::array<std::int64_t, 256> registers{};
  std::array<bool, 256> known{};
  std::array<Box, kRememberedWrites> writes;
  std::size_t next_write = 0;
  int table = 0;
  std::size_t barriers = 0;
  bool at_barrier = false;
  double busy_ns = 0;
  std::uint64_t executed = 0;
  std::uint64_t served = 0;  // DMA: the step in which its last transfer started
  // PE
  double load_done_ns = 0, multiply_start_ns = 0;
  std::uint32_t load_span = Span::kNoSpan, multiply_span = Span::kNoSpan;
  bool finished() const { return pc >= list.size(); }
};

class Sweep {
 public:
  Sweep(const isa::Code& code, const Machine& machine, std::vector<Span>* timeline, const Trips* trips)
      : machine_(machine),
        timeline_(timeline),
        trips_(trips),
        hop_ns_(machine.figure("semaphore_hop_ns")),
        hop_to_pe_ns_(machine.figure("semaphore_hop_to_pe_ns")),
        hbm_rate_(machine.figure("hbm_bytes_per_ns")),
        table_ns_(machine.figure("activation_table_load_ns")),
        warmup_ns_(machine.figure("pe_warmup_ns")),
        cold_factor_(std::max(1.0, machine.figure("pe_cold_factor"))),
        pool_(code.cores.size()),
        warmth_(code.cores.size()),
        arrivals_(code.cores.size()) {
    signals_.resize(code.cores.size());
    for (std::size_t c = 0; c < code.cores.size(); ++c)
      for (const isa::Stream& stream : code.cores[c].streams) {
        StreamState s(stream);
        s.core = c;
        s.index = streams_.size();
        prepare(s);
        streams_.push_back(std::move(s));
        const std::size_t semaphore = stream.semaphore;
        if (signals_[c].size() <= semaphore) signals_[c].resize(semaphore + 1);
      }
  }

  Estimate run() {
    while (steps_ < kMostSteps) {
      bool moved = false;
      for (StreamState& s : streams_)
        if (s.stream->engine != Engine::Dma)
          while (!s.finished() && steps_ < kMostSteps) {
            const Moment start = start_time(s);
            if (start.at == kNever) break;
            step(s, start);
            moved = true;
          }
      if (moved) continue;
      StreamState* first = nullptr;
      Moment first_start{kNever};
      for (StreamState& s : streams_) {
        if (s.stream->engine != Engine::Dma || s.finished()) continue;
        const Moment start = start_time(s);
        const bool waited_longer = first != nullptr && start.at == first_start.at && s.served < first->served;
        if (start.at < first_start.at || waited_longer) {  // the engines take the queues in turn (DMAO)
          first_start = start;
          first = &s;
        }
      }
      if (first == nullptr) break;
      step(*first, first_start);
    }
    result_.truncated = steps_ >= kMostSteps;
    return report();
  }

 private:
  static bool valid_register(int r) { return r >= 0 && r < 256; }

  void prepare(StreamState& s) {
    const auto& list = s.list;
    s.timings.resize(list.size());
    std::vector<std::uint32_t> open;
    std::vector<std::vector<std::uint32_t>> ends;
    std::vector<std::uint32_t> tests;
    for (std::uint32_t i = 0; i < list.size(); ++i) {
      const Instruction& in = list[i];
      Timing& t = s.timings[i];
      const isa::Cost cost = isa::cost(in, machine_);
      t.issue_ns = cost.issue_ns;
      t.latency_ns = cost.latency_ns;
      t.background = cost.background;
      t.routine = isa::row(in.opcode).equals == "routine";
      count(in, t);
      add_boxes(in, t);
      if (isa::opens_region(in.opcode)) {
        open.push_back(i);
        ends.emplace_back();
        tests.push_back(i);
        if (in.opcode == Opcode::CaseBegin) t.branches.push_back(i + 1);
      } else if (open.empty()) {
        continue;
      } else if (in.opcode == Opcode::WhileTest) {
        tests.back() = i;
      } else if (in.opcode == Opcode::CaseNext) {
        ends.back().push_back(i);
        s.timings[open.back()].branches.push_back(i + 1);
      } else if (isa::closes_region(in.opcode)) {
        s.timings[open.back()].jump = i + 1;
        s.timings[tests.back()].jump = i + 1;
        for (std::uint32_t end : ends.back()) s.timings[end].jump = i + 1;
        t.jump = open.back() + 1;
        open.pop_back();
        ends.pop_back();
        tests.pop_back();
      }
    }
  }

  void count(const Instruction& in, Timing& t) const {
    const isa::Work work = isa::work(in);
    t.flops = work.flops;
    t.read_bytes = work.hbm_read_bytes;
    t.written_bytes = work.hbm_written_bytes;
    if ((in.opcode == Opcode::Activation || in.opcode == Opcode::ActivationReduce) && !in.params.empty())
      t.table = isa::activation_table(in.function());
    if (isa::row(in.opcode).engines == isa::E_DMA && hbm_rate_ > 0)
      t.issue_ns = std::max(t.issue_ns, static_cast<double>(t.read_bytes + t.written_bytes) / hbm_rate_);
  }

  // The signals come when an instruction may start. False: one is not given yet.
  bool await_signals(StreamState& s, const Instruction& in, Moment& start) const {
    const double hop = s.stream->engine == Engine::PE ? hop_to_pe_ns_ : hop_ns_;
    for (const isa::Wait& wait : in.waits) {
      const std::int64_t target = base(s, wait.semaphore) + wait.count;
      if (target <= 0) continue;
      const auto& given = signals_[s.core];
      if (wait.semaphore >= given.size() || static_cast<std::size_t>(target) > given[wait.semaphore].size()) return false;
      const Signal& signal = given[wait.semaphore][static_cast<std::size_t>(target) - 1];
      start.no_earlier_than(signal.at + hop, Wait::Signal, signal.span);
    }
    return true;
  }
  std::int64_t& base(StreamState& s, std::size_t semaphore) const {
    if (s.bases.size() <= semaphore) s.bases.resize(semaphore + 1, 0);
    return s.bases[semaphore];
  }

  Moment start_time(StreamState& s) {
    const Instruction& in = s.list[s.pc];
    const Timing& t = s.timings[s.pc];
    Moment start{s.free_ns, s.free_span == Span::kNoSpan ? Wait::Nothing : Wait::Engine, s.free_span};
    if (!await_signals(s, in, start)) return {kNever};
    if (in.opcode == Opcode::CoreBarrier && arrivals_.size() > 1) {
      if (!s.at_barrier) {
        const bool done_later = s.done_ns > start.at;
        arrivals_[s.core].push_back({std::max(start.at, s.done_ns), done_later ? s.done_span : start.cause});
        s.at_barrier = true;
      }
      for (const auto& arrived : arrivals_) {
        if (arrived.size() <= s.barriers) return {kNever};
        start.no_earlier_than(arrived[s.barriers].at, Wait::Barrier, arrived[s.barriers].span);
      }
    }
    if (isa::row(in.opcode).engines == isa::E_DMA)
      start.no_earlier_than(pool_[s.core].at, Wait::Dma, pool_[s.core].span);
    if (s.stream->engine != Engine::PE)
      for (std::size_t r = 0; r < t.read_count; ++r)
        for (const Box& write : s.writes)
          if (write.ready_ns > start.at && write.meets(boxes_[t.boxes + r]))
            start.no_earlier_than(write.ready_ns, Wait::Result, write.span);
    return start;
  }

  static Box box(const isa::Operand& o) {
    Box b;
    b.space = o.space;
    b.buffer = isa::is_hbm(o.space) ? o.buffer.index : 0;
    const isa::ByteRange range = isa::free_range(o);
    b.first_byte = o.start + range.begin;
    b.last_byte = o.start + range.end;
    b.first_partition = o.partition_start;
    b.last_partition = o.partition_start + o.partition_count;
    if (isa::is_hbm(o.space)) {
      const std::int64_t reach = o.partition_stride * (o.partition_count - 1);
      b.first_byte += std::min<std::int64_t>(0, reach);
      b.last_byte += std::max<std::int64_t>(0, reach);
      b.last_partition = b.first_partition + 1;
    }
    return b;
  }
  void add_boxes(const Instruction& in, Timing& t) {
    t.boxes = static_cast<std::uint32_t>(boxes_.size());
    const isa::Row& row = isa::row(in.opcode);
    for (bool writes : {false, true})
      for (std::size_t o = 0; o < in.operands.size(); ++o) {
        const isa::Use use = isa::operand_field(row, o).use;
        const bool wanted = writes ? use == isa::Use::Writes || use == isa::Use::ReadsWrites : use != isa::Use::Writes;
        if (in.operands[o].kind != OperandKind::Memory || !wanted) continue;
        boxes_.push_back(box(in.operands[o]));
        ++(writes ? t.write_count : t.read_count);
      }
  }
  void remember(StreamState& s, const Timing& t, double ready, std::uint32_t span) {
    if (s.stream->engine == Engine::PE) return;  // PSUM adds next to the memory
    for (std::size_t w = 0; w < t.write_count; ++w) {
      Box& slot = s.writes[s.next_write++ % kRememberedWrites];
      slot = boxes_[t.boxes + t.read_count + w];
      slot.ready_ns = ready;
      slot.span = span;
    }
  }

  // PE runs at half speed until a window of full use (docs/device.md).
  struct Warmth {
    bool warm = false;
    std::int64_t window = 0;
    double busy_ns = 0;
  };
  void enter_window(Warmth& w, double at) const {
    const auto window = static_cast<std::int64_t>(at / warmup_ns_);
    if (window <= w.window) return;
    w.warm = window == w.window + 1 && w.busy_ns >= 0.5 * warmup_ns_;
    w.window = window;
    w.busy_ns = 0;
  }
  double pe_time(std::size_t core, double start, double issue) {
    if (warmup_ns_ <= 0) return issue;
    Warmth& w = warmth_[core];
    enter_window(w, start);
    const double taken = w.warm ? issue : issue * cold_factor_;
    const double window_end = static_cast<double>(w.window + 1) * warmup_ns_;
    const double inside = std::min(taken, window_end - start);
    w.busy_ns += inside;
    if (taken > inside) {
      enter_window(w, window_end);
      w.busy_ns += std::min(taken - inside, warmup_ns_);
    }
    return taken;
  }

  void step(StreamState& s, Moment from) {
    ++steps_;
    const std::uint32_t span = timeline_ ? static_cast<std::uint32_t>(timeline_->size()) : Span::kNoSpan;
    const Instruction& in = s.list[s.pc];
    const Timing& t = s.timings[s.pc];
    double issue = t.issue_ns, end, overlapped = 0;
    if (in.opcode == Opcode::LoadStationary && t.background) {
      // The PE holds the next weights while it multiplies by the present ones.
      from = {};
      await_signals(s, in, from);
      from.no_earlier_than(s.load_done_ns, Wait::Engine, s.load_span);
      from.no_earlier_than(s.multiply_start_ns, Wait::Started, s.multiply_span);
      end = s.load_done_ns = from.at + issue;
      s.load_span = span;
      // Busy once while it loads and multiplies: the next multiply starts behind this load, so only the last one overlaps.
      overlapped = std::clamp(s.free_ns - from.at, 0.0, issue);
    } else if (s.stream->engine == Engine::PE && (in.opcode == Opcode::Matmul || in.opcode == Opcode::Transpose)) {
      from.no_earlier_than(s.load_done_ns, Wait::Engine, s.load_span);
      issue = pe_time(s.core, from.at, issue);
      s.multiply_start_ns = from.at;
      s.multiply_span = s.free_span = span;
      s.free_ns = from.at + issue;
      end = s.free_ns + t.latency_ns;
    } else {
      if (t.table > 0 && t.table != s.table) {
        issue += table_ns_;
        s.table = t.table;
      }
      s.free_ns = from.at + issue;
      s.free_span = span;
      end = s.free_ns + t.latency_ns;
      if (isa::row(in.opcode).engines == isa::E_DMA) {
        pool_[s.core] = {s.free_ns, span};
        s.served = steps_;
      }
      remember(s, t, end, span);
    }
    if (in.opcode == Opcode::CoreBarrier) {
      ++s.barriers;
      s.at_barrier = false;
    }
    if (end >= s.done_ns) {
      s.done_ns = end;
      s.done_span = span;
    }
    s.busy_ns += issue - overlapped;
    busy_ns_ += issue - overlapped;
    if (t.routine) {
      routine_ns_ += issue;
      ++result_.routine_instructions;
    }
    ++s.executed;
    result_.flops += t.flops;
    result_.hbm_read_bytes += t.read_bytes;
    result_.hbm_written_bytes += t.written_bytes;
    if (timeline_)
      timeline_->push_back({static_cast<std::uint16_t>(s.index), from.wait, in.order, from.cause, from.at, from.at + issue, end});
    if (in.signal) signals_[s.core][s.stream->semaphore].push_back({s.done_ns, s.done_span});
    move(s, in, t);
  }

  void move(StreamState& s, const Instruction& in, const Timing& t) {
    for (const isa::Wait& advance : in.advances) base(s, advance.semaphore) += advance.count;
    const auto known = [&](const isa::Operand& o) {
      if (o.kind == OperandKind::Immediate) return static_cast<std::int64_t>(o.immediate);
      return s.registers[static_cast<std::size_t>(o.reg)];
    };
    const auto value = [&](const isa::Operand& o, std::int64_t otherwise) {
      if (o.kind == OperandKind::Immediate) return known(o);
      const std::int64_t noted = decision(s, in.loop, otherwise);
      if (valid_register(o.reg) && s.known[static_cast<std::size_t>(o.reg)]) return known(o);
      result_.data_dependent = true;
      return noted;
    };
    switch (in.opcode) {
      case Opcode::RegisterMove:
      case Opcode::RegisterLoad: {
        const int r = in.operands[0].reg;
        if (valid_register(r)) {
          const isa::Operand& from = in.operands[1];
          const bool is_known = in.opcode == Opcode::RegisterMove &&
                                (from.kind == OperandKind::Immediate ||
                                 (valid_register(from.reg) && s.known[static_cast<std::size_t>(from.reg)]));
          s.known[static_cast<std::size_t>(r)] = is_known;
          if (is_known) s.registers[static_cast<std::size_t>(r)] = known(from);
        }
        ++s.pc;
        return;
      }
      case Opcode::LoopBegin: {
        const std::int64_t trips = value(in.operands[0], 1);
        s.left[in.loop.index] = trips;
        s.pc = trips > 0 ? s.pc + 1 : t.jump;
        return;
      }
      case Opcode::LoopEnd: s.pc = --s.left[in.loop.index] > 0 ? t.jump : s.pc + 1; return;
      case Opcode::WhileBegin:
        s.left[in.loop.index] = decision(s, in.loop, 1);  // bodies to run
        result_.data_dependent = true;
        ++s.pc;
        return;
      case Opcode::WhileTest: s.pc = s.left[in.loop.index]-- > 0 ? s.pc + 1 : t.jump; return;
      case Opcode::WhileEnd: s.pc = t.jump; return;
      case Opcode::CaseBegin: {
        const auto branches = static_cast<std::int64_t>(t.branches.size());
        const std::int64_t selector = value(in.operands[0], 0);
        const std::int64_t branch = selector >= 0 && selector < branches ? selector : branches - 1;
        s.pc = t.branches[static_cast<std::size_t>(branch)];
        return;
      }
      case Opcode::CaseNext: s.pc = t.jump; return;
      default: ++s.pc; return;
    }
  }

  // What the run decided when it entered the region as often as this stream now has.
  std::int64_t decision(StreamState& s, LoopId region, std::int64_t otherwise) const {
    if (trips_ == nullptr || s.core >= trips_->cores.size()) return otherwise;
    const auto found = trips_->cores[s.core].find(region.index);
    const std::size_t entry = s.entered[region.index]++;
    return found == trips_->cores[s.core].end() || entry >= found->second.size() ? otherwise : found->second[entry];
  }

  Estimate report() {
    double last = 0;
    std::vector<const StreamState*> sorted;
    for (const StreamState& s : streams_) sorted.push_back(&s);
    std::stable_sort(sorted.begin(), sorted.end(), [](const StreamState* a, const StreamState* b) {
      return std::tuple(a->core, a->stream->engine, a->stream->queue) <
             std::tuple(b->core, b->stream->engine, b->stream->queue);
    });
    for (const StreamState* s : sorted) {
      last = std::max(last, s->done_ns);
      EngineTime time;
      if (arrivals_.size() > 1) time.name = "core " + std::to_string(s->core) + " ";
      time.name += isa::track_name(*s->stream);
      time.busy_ns = s->busy_ns;
      time.instructions = s->executed;
      result_.instructions += s->executed;
      result_.engines.push_back(std::move(time));
    }
    result_.total_ns = machine_.figure("launch_before_ns") + last + machine_.figure("launch_after_ns");
    result_.routine_share = busy_ns_ > 0 ? routine_ns_ / busy_ns_ : 0;
    return std::move(result_);
  }

  const Machine& machine_;
  std::vector<Span>* timeline_;
  const Trips* trips_;
  double hop_ns_, hop_to_pe_ns_, hbm_rate_, table_ns_, warmup_ns_, cold_factor_;
  std::vector<StreamState> streams_;
  std::vector<Box> boxes_;
  std::vector<std::vector<std::vector<Signal>>> signals_;  ///< core, semaphore: each signal
  std::vector<Signal> pool_;                               ///< per core: the DMA engines are free
  std::vector<Warmth> warmth_;
  std::vector<std::vector<Signal>> arrivals_;  ///< per core: at its n-th barrier
  double busy_ns_ = 0, routine_ns_ = 0;
  std::uint64_t steps_ = 0;
  Estimate result_;
};

}  // namespace

Estimate estimate(const isa::Code& code, const Machine& machine, std::vector<Span>* timeline, const Trips* trips) {
  return Sweep(code, machine, timeline, trips).run();
}

}  // namespace openneuron::device
