#include "check/simulate.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <vector>

#include "check/history.h"
#include "check/overlap.h"
#include "isa/table.h"
#include "isa/text.h"

namespace openneuron::check {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::Operand;
using isa::OperandKind;

struct OpenRegion {
  Opcode opcode;
  LoopId loop;
  std::size_t begin = 0;        // position of the opening marker in the stream
  std::int64_t iteration = 0, trips = 0;
  std::uint32_t outer_moment = 0;
};

struct StreamState {
  explicit StreamState(const isa::Stream& s) : stream(&s), list(s.instructions) {}
  const isa::Stream* stream;
  isa::OpenedList list;
  int core = 0;
  std::size_t at = 0;
  bool done = false, at_barrier = false;
  std::uint32_t executed = 0;              // instructions completed: the stream's own clock
  std::uint32_t moment = 0;                // iteration that it stands in
  std::vector<std::uint32_t> known;        // per stream: instructions certainly complete
  std::vector<std::int64_t> bases;         // per semaphore
  std::vector<std::int64_t> registers;
  std::vector<bool> from_data;             // the register's value is the scenario's
  std::vector<OpenRegion> regions;
  std::unordered_map<std::uint32_t, std::int64_t> visits;       // of cases
  std::vector<std::size_t> partner;        // per marker: the next marker of its region
  struct Signal {
    std::uint32_t executed;                // own clock with it
    std::vector<std::uint32_t> known;
  };
  std::vector<Signal> signals;
};

class Simulator {
 public:
  Simulator(const isa::Code& code, const Machine& machine, int scenario, bool races, const Watched& watched)
      : code_(code), machine_(machine), scenario_(scenario), races_(races), watched_(watched) {}

  Result<Outcome> run() {
    for (std::size_t c = 0; c < code_.cores.size(); ++c) {
      const isa::CoreCode& core = code_.cores[c];
      std::size_t highest = 0;
      for (const isa::Stream& s : core.streams) highest = std::max<std::size_t>(highest, s.semaphore + 1u);
      signaller_.emplace_back(highest, -1);
      for (const isa::Stream& s : core.streams) {
        signaller_.back()[s.semaphore] = static_cast<int>(states_.size());
        StreamState state(s);
        state.core = static_cast<int>(c);
        state.bases.assign(highest, 0);
        state.registers.assign(static_cast<std::size_t>(std::max(machine_.registers, 1)), 0);
        state.from_data.assign(state.registers.size(), false);
        ON_TRY(match(state));
        states_.push_back(std::move(state));
      }
    }
    for (StreamState& s : states_) s.known.assign(states_.size(), 0);
    history_ = History(states_.size());
    for (;;) {
      bool moved = false, all_done = true;
      for (std::size_t s = 0; s < states_.size(); ++s) {
        while (!states_[s].done) {
          auto stepped = step(s);
          if (!stepped) return stepped.failure();
          if (!*stepped) break;
          moved = true;
          if (++steps_ > kMostSteps) return outcome_;
        }
        all_done = all_done && states_[s].done;
      }
      if (all_done) return outcome_;
      if (barrier()) moved = true;
      if (!moved) return stuck();
    }
  }

 private:
  std::string describe(std::size_t s, const Instruction& i) const {
    const StreamState& state = states_[s];
    std::string out = isa::mnemonic(i.opcode) + " (instruction " + std::to_string(i.order) + ", core " + std::to_string(state.core) + ", " +
                      std::string(isa::engine_name(state.stream->engine));
    if (state.stream->engine == isa::Engine::Dma) out += " queue " + std::to_string(state.stream->queue);
    if (i.location > 0 && i.location < code_.locations.size()) out += ", " + code_.locations[i.location];
    return out + ")";
  }

  // For each marker the position of the next marker of the same region.
  Result<void> match(StreamState& state) const {
    const auto& list = state.list;
    state.partner.assign(list.size(), 0);
    std::vector<std::size_t> open;  // last marker of each open region
    for (std::size_t n = 0; n < list.size(); ++n) {
      if (isa::opens_region(list[n].opcode)) {
        open.push_back(n);
      } else if (isa::closes_region(list[n].opcode) || isa::divides_region(list[n].opcode)) {
        if (open.empty()) return fail(Code::StreamRegions, "a region is closed that was not opened");
        state.partner[open.back()] = n;
        if (isa::divides_region(list[n].opcode))
          open.back() = n;
        else
          open.pop_back();
      }
    }
    if (!open.empty()) return fail(Code::StreamRegions, "a region is not closed at the end of its stream");
    return {};
  }

  // True when an instruction was executed.
  Result<bool> step(std::size_t s) {
    StreamState& state = states_[s];
    if (state.at == state.list.size()) {
      state.done = true;
      return true;
    }
    if (state.at_barrier) return false;
    const Instruction& i = state.list[state.at];
    // What the instruction waits for.
    for (std::size_t w = 0; w < i.waits.size(); ++w)
      if (!is_watched(s, state.at, w) && !reached(s, i.waits[w])) return false;
    for (std::size_t w = 0; w < i.waits.size(); ++w)
      if (!is_watched(s, state.at, w)) learn(s, i.waits[w]);
    if (i.opcode == Opcode::CoreBarrier && !state.at_barrier) {
      state.at_barrier = true;  // barrier() goes on when all cores have come
      return true;
    }
    ON_TRY(execute(s, i));
    return true;
  }

  bool is_watched(std::size_t s, std::size_t at, std::size_t wait) const {
    if (watched_.core < 0) return false;
    const StreamState& state = states_[s];
    return state.core == watched_.core && static_cast<int>(at) == watched_.instruction && static_cast<int>(wait) == watched_.wait &&
           state.stream == &code_.cores[static_cast<std::size_t>(watched_.core)].streams[static_cast<std::size_t>(watched_.stream)];
  }

  // The number of the signal that a wait asks for, and its stream.
  std::int64_t wanted(std::size_t s, const isa::Wait& w) const {
    return w.semaphore < states_[s].bases.size() ? states_[s].bases[w.semaphore] + w.count : w.count;
  }
  StreamState* source(std::size_t s, const isa::Wait& w) {
    const auto& table = signaller_[static_cast<std::size_t>(states_[s].core)];
    const int from = w.semaphore < table.size() ? table[w.semaphore] : -1;
    return from < 0 ? nullptr : &states_[static_cast<std::size_t>(from)];
  }
  bool reached(std::size_t s, const isa::Wait& w) {
    const std::int64_t n = wanted(s, w);
    if (n <= 0) return true;
    const StreamState* from = source(s, w);
    return from && static_cast<std::int64_t>(from->signals.size()) >= n;
  }
  void learn(std::size_t s, const isa::Wait& w) {
    const std::int64_t n = wanted(s, w);
    if (n <= 0) return;
    const StreamState* from = source(s, w);
    const StreamState::Signal& signal = from->signals[static_cast<std::size_t>(n - 1)];
    auto& known = states_[s].known;
    for (std::size_t t = 0; t < known.size(); ++t) known[t] = std::max(known[t], signal.known[t]);
    std::uint32_t& own = known[static_cast<std::size_t>(from - states_.data())];
    own = std::max(own, signal.executed);
  }
  // All cores stand at their barrier: everybody learns what everybody knows.
  bool barrier() {
    std::vector<std::size_t> waiting;
    std::vector<bool> cores(code_.cores.size(), false);
    for (std::size_t s = 0; s < states_.size(); ++s)
      if (states_[s].at_barrier) {
        waiting.push_back(s);
        cores[static_cast<std::size_t>(states_[s].core)] = true;
      }
    if (waiting.empty() || std::count(cores.begin(), cores.end(), true) != static_cast<std::ptrdiff_t>(cores.size())) return false;
    const auto number = [&](std::size_t s) { return states_[s].list[states_[s].at].params[0]; };
    for (std::size_t s : waiting)
      if (number(s) != number(waiting[0])) return false;
    std::vector<std::uint32_t> all(states_.size(), 0);
    for (std::size_t s : waiting) {
      for (std::size_t t = 0; t < all.size(); ++t) all[t] = std::max(all[t], states_[s].known[t]);
      all[s] = std::max(all[s], states_[s].executed);
    }
    for (std::size_t s : waiting) {
      states_[s].known = all;
      states_[s].at_barrier = false;
      finish(s, states_[s].list[states_[s].at]);
      ++states_[s].at;
    }
    return true;
  }

  void finish(std::size_t s, const Instruction& i) {
    StreamState& state = states_[s];
    ++state.executed;
    state.known[s] = state.executed;
    if (i.signal) state.signals.push_back({state.executed, state.known});
  }

  std::int64_t loop_value(const StreamState& state, LoopId loop) const {
    for (const OpenRegion& r : state.regions)
      if (r.loop == loop) return r.iteration;
    return 0;
  }

  Result<void> execute(std::size_t s, const Instruction& i) {
    StreamState& state = states_[s];
    if (isa::opens_region(i.opcode) || isa::closes_region(i.opcode) || isa::divides_region(i.opcode)) {
      finish(s, i);
      return marker(state, i);
    }
    if (i.opcode == Opcode::Advance)
      advance(state, i);
    else
      ON_TRY(access(s, i));
    if (i.opcode == Opcode::RegisterMove || i.opcode == Opcode::RegisterLoad) set_register(state, i);
    finish(s, i);
    ++state.at;
    return {};
  }

  void set_register(StreamState& state, const Instruction& i) {
    const auto to = static_cast<std::size_t>(i.operands[0].reg);
    if (to >= state.registers.size()) return;
    const Operand& value = i.operands[1];
    state.from_data[to] = i.opcode == Opcode::RegisterLoad;
    if (value.kind == OperandKind::Immediate) {
      state.registers[to] = static_cast<std::int64_t>(value.immediate);
    } else if (value.kind == OperandKind::Register && static_cast<std::size_t>(value.reg) < state.registers.size()) {
      state.registers[to] = state.registers[static_cast<std::size_t>(value.reg)];
      state.from_data[to] = state.from_data[static_cast<std::size_t>(value.reg)];
    } else {
      state.registers[to] = scenario_;
      outcome_.data_dependent = true;
    }
  }

  std::int64_t register_value(const StreamState& state, std::int16_t reg) const {
    return reg >= 0 && static_cast<std::size_t>(reg) < state.registers.size() ? state.registers[static_cast<std::size_t>(reg)] : 0;
  }

  void advance(StreamState& state, const Instruction& i) {
    for (const isa::Wait& w : i.advances)
      if (w.semaphore < state.bases.size()) state.bases[w.semaphore] += w.count;
  }

  Result<void> marker(StreamState& state, const Instruction& i) {
    const std::size_t here = state.at;
    const auto enter = [&](std::int64_t iteration) {
      state.moment = moments_.inside(state.regions.back().outer_moment, state.list[state.regions.back().begin].order, iteration);
    };
    const auto leave = [&](std::size_t end) {
      state.moment = state.regions.back().outer_moment;
      state.regions.pop_back();
      state.at = end + 1;
    };
    switch (i.opcode) {
      case Opcode::LoopBegin: {
        const Operand& count = i.operands[0];
        const std::int64_t trips = count.kind == OperandKind::Register ? register_value(state, count.reg) : static_cast<std::int64_t>(count.immediate);
        if (trips <= 0) {
          state.at = state.partner[here] + 1;
          return {};
        }
        state.regions.push_back({i.opcode, i.loop, here, 0, trips, state.moment});
        enter(0);
        break;
      }
      case Opcode::LoopEnd:
        advance(state, i);
        if (++state.regions.back().iteration == state.regions.back().trips) {
          leave(here);
          return {};
        }
        enter(state.regions.back().iteration);
        state.at = state.regions.back().begin + 1;
        return {};
      case Opcode::WhileBegin:
        outcome_.data_dependent = true;
        state.regions.push_back({i.opcode, i.loop, here, 0, scenario_, state.moment});
        enter(0);
        break;
      case Opcode::WhileTest:
        advance(state, i);
        if (state.regions.back().iteration == state.regions.back().trips) {
          leave(state.partner[here]);
          return {};
        }
        enter(2 * state.regions.back().iteration + 1);
        break;
      case Opcode::WhileEnd:
        advance(state, i);
        enter(2 * ++state.regions.back().iteration);
        state.at = state.regions.back().begin + 1;
        return {};
      case Opcode::CaseBegin: {
        outcome_.data_dependent = true;
        const std::int64_t branches = std::max(i.params[0], 1);
        const std::int64_t branch = (scenario_ + state.visits[i.loop.index]++) % branches;
        state.regions.push_back({i.opcode, i.loop, here, branch, 0, state.moment});
        enter(branch);
        std::size_t to = here;
        for (std::int64_t n = 0; n < branch && isa::divides_region(state.list[state.partner[to]].opcode); ++n) to = state.partner[to];
        state.at = to + 1;
        return {};
      }
      case Opcode::CaseNext:
      case Opcode::CaseEnd: {
        advance(state, i);
        std::size_t end = here;
        while (state.list[end].opcode != Opcode::CaseEnd) end = state.partner[end];
        leave(end);
        return {};
      }
      default: break;
    }
    ++state.at;
    return {};
  }

  Result<void> access(std::size_t s, const Instruction& i) {
    if (!races_) return {};
    StreamState& state = states_[s];
    const isa::Row& row = isa::row(i.opcode);
    const Event event{static_cast<std::uint32_t>(s), state.executed + 1, state.moment, &i, state.core};
    for (std::size_t n = 0; n < i.operands.size(); ++n) {
      const Operand& o = i.operands[n];
      if (o.kind != OperandKind::Memory) continue;
      const isa::Use use = isa::operand_field(row, n).use;
      const bool write = use == isa::Use::Writes || use == isa::Use::ReadsWrites;
      const Conflict c = history_.add(event, reach(state, i, n), write, state.known, moments_);
      if (c.kind == Conflict::None) continue;
      const std::string what = describe(s, i) + " operand " + std::string(isa::operand_field(row, n).name);
      const std::string other = describe(c.other.stream, *c.other.instruction);
      return fail(Code::Race, c.kind == Conflict::Unordered
                                  ? what + " and " + other + " reach the same bytes, and no semaphore orders them"
                                  : what + " comes after " + other + ", which program order puts behind it");
    }
    return {};
  }

  Reach reach(const StreamState& state, const Instruction& i, std::size_t n) {
    const Operand& o = i.operands[n];
    Reach r;
    r.operand = &o;
    r.hbm = isa::is_hbm(o.space);
    r.base = o.start;
    std::int64_t partition = o.partition_start;
    for (const isa::Term& t : o.terms) {
      const std::int64_t v = loop_value(state, t.loop);
      r.base += v * t.bytes;
      partition += v * t.partitions;
    }
    if (o.copies > 1) r.base += (loop_value(state, o.rotate_loop) % o.copies) * o.rotate_bytes;
    const bool indirect = isa::indirect_operand(i) == static_cast<int>(n);
    if (r.hbm) {
      std::size_t variable = o.buffer.index < code_.variables.size() ? o.buffer.index : 0;
      if (code_.variables[variable].aliases >= 0) variable = static_cast<std::size_t>(code_.variables[variable].aliases);
      const bool shared = o.space == isa::Space::SharedHbm;
      r.memory = static_cast<std::uint32_t>((variable + 2) * (code_.cores.size() + 1) + (shared ? code_.cores.size() : static_cast<std::size_t>(state.core)));
    } else {
      const std::size_t space = o.space == isa::Space::Psum ? 1 : 0;
      r.memory = static_cast<std::uint32_t>(space * (code_.cores.size() + 1) + static_cast<std::size_t>(state.core));
      r.first_partition = static_cast<std::int32_t>(partition);
      r.end_partition = static_cast<std::int32_t>(partition + (o.partition_stride == 0 ? 1 : o.partition_count));
    }
    if (o.reg >= 0 && r.hbm) {  // the register may hold anything
      r.operand = nullptr;
      r.begin = 0;
      r.end = o.buffer.index < code_.variables.size() ? code_.variables[o.buffer.index].bytes : 0;
      return r;
    }
    if (o.reg >= 0) r.base += register_value(state, o.reg) * o.reg_bytes;
    measure(r);
    if (indirect) {  // rows anywhere below the limit
      const std::int64_t far = o.indirect_stride * std::max<std::int64_t>(o.indirect_limit - 1, 0);
      (far < 0 ? r.begin : r.end) += far;
      r.dense = true;
      r.operand = nullptr;
    }
    return r;
  }

  // Of the blocked instructions the first in program order is the one to blame: what it waits for comes after it.
  Failure stuck() const {
    const Instruction* blamed = nullptr;
    std::size_t blamed_stream = 0;
    for (std::size_t s = 0; s < states_.size(); ++s) {
      const StreamState& state = states_[s];
      if (state.done || state.at_barrier) continue;
      const Instruction& i = state.list[state.at];
      if (blamed && !moments_.before(state.moment, i.order, states_[blamed_stream].moment, blamed->order)) continue;
      blamed = &i;
      blamed_stream = s;
    }
    if (blamed)
      for (const isa::Wait& w : blamed->waits) {
        const auto& table = signaller_[static_cast<std::size_t>(states_[blamed_stream].core)];
        const int from = w.semaphore < table.size() ? table[w.semaphore] : -1;
        const std::int64_t have = from < 0 ? 0 : static_cast<std::int64_t>(states_[static_cast<std::size_t>(from)].signals.size());
        if (wanted(blamed_stream, w) > have)
          return fail(Code::Deadlock, describe(blamed_stream, *blamed) + " waits for sem" + std::to_string(w.semaphore) + " >= " +
                                          std::to_string(wanted(blamed_stream, w)) + ", which stays at " + std::to_string(have));
      }
    return fail(Code::Deadlock, "a core waits at a barrier that another core never reaches");
  }

  const isa::Code& code_;
  const Machine& machine_;
  int scenario_;
  bool races_;
  Watched watched_;
  std::vector<StreamState> states_;
  std::vector<std::vector<int>> signaller_;  // per core and semaphore: index in states_
  Moments moments_;
  History history_{0};
  Outcome outcome_;
  std::uint64_t steps_ = 0;
};

}  // namespace

Result<Outcome> simulate(const isa::Code& code, const Machine& machine, int scenario, bool races, const Watched& watched) {
  return Simulator(code, machine, scenario, races, watched).run();
}

}  // namespace openneuron::check
