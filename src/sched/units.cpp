#include "sched/units.h"

#include <algorithm>

namespace openneuron::sched {
namespace {

constexpr double kNever = 1e30;

std::size_t lane(isa::Engine e) { return static_cast<std::size_t>(e); }

// Engines in order, each with a result time per unit.
class Simulation {
 public:
  Simulation(const std::vector<Unit>& units, const UnitLists& before, double hop_ns)
      : units_(units), before_(before), hop_ns_(hop_ns), done_(units.size()) {}

  /// When what the unit reads is there.
  double inputs(std::uint32_t u, const Choice& choice) const {
    double at = 0;
    for (std::uint32_t b : before_[u]) {
      const Done& d = done_[b];
      if (choice.engine == isa::Engine::PE && d.on == choice.engine && !(d.loads && !choice.background)) continue;  // in order; adds in PSUM
      at = std::max(at, d.at + (d.on == choice.engine ? 0 : hop_ns_));
    }
    return at;
  }
  /// When its engine takes it, with its inputs there at `inputs`.
  double start(const Choice& choice, double inputs) const {
    if (choice.background) return std::max({loaded_, multiplied_, inputs});  // beside the multiply before it
    return std::max(free_[lane(choice.engine)], inputs);
  }
  // A region starts when its inputs are there and one of its engines is free.
  double region_start(const Unit& unit, double inputs) const {
    double first = kNever;
    for (std::size_t e = 0; e < kEngines; ++e)
      if (unit.busy_ns[e] > 0) first = std::min(first, free_[e]);
    return first == kNever ? inputs : std::max(inputs, first);
  }
  void run(std::uint32_t u, const Choice& choice, double at) {
    const Unit& unit = units_[u];
    Done& done = done_[u];
    if (unit.choices.empty()) {
      done = {at + unit.span_ns, isa::Engine::Any, false};
      for (std::size_t e = 0; e < kEngines; ++e) {
        if (unit.busy_ns[e] <= 0) continue;
        free_[e] = std::max(free_[e], at) + unit.busy_ns[e];
        done.at = std::max(done.at, free_[e]);
        busy_[e] += unit.busy_ns[e];
      }
    } else {
      if (choice.background)
        loaded_ = at + choice.issue_ns;
      else
        free_[lane(choice.engine)] = at + choice.issue_ns;
      if (choice.engine == isa::Engine::PE && !choice.background) multiplied_ = at;
      if (!choice.background) busy_[lane(choice.engine)] += choice.issue_ns;
      done = {at + choice.issue_ns + choice.latency_ns, choice.engine, choice.background};
    }
    last_ = std::max(last_, done.at);
  }
  void end_turn(const std::array<double, kEngines>& marker_ns) {
    for (std::size_t e = 0; e < kEngines; ++e)
      if (busy_[e] > 0) free_[e] += marker_ns[e];
    last_ = std::max(last_, *std::max_element(free_.begin(), free_.end()));
  }
  double last() const { return last_; }
  const std::array<double, kEngines>& busy() const { return busy_; }

 private:
  struct Done {
    double at = 0;
    isa::Engine on = isa::Engine::Any;
    bool loads = false;  ///< a stationary tile
  };
  const std::vector<Unit>& units_;
  const UnitLists& before_;
  double hop_ns_;
  std::array<double, kEngines> free_{}, busy_{};
  std::vector<Done> done_;
  double loaded_ = 0, multiplied_ = 0;
  double last_ = 0;
};

// The time from a unit's start to the end of all that hangs on it.
std::vector<double> heights(const std::vector<Unit>& units, const UnitLists& before) {
  std::vector<double> out(units.size(), 0);
  for (auto u = static_cast<std::uint32_t>(units.size()); u-- > 0;) {
    const Unit& unit = units[u];
    out[u] += unit.choices.empty() ? unit.span_ns : unit.choices[0].issue_ns + unit.choices[0].latency_ns;
    for (std::uint32_t b : before[u]) out[b] = std::max(out[b], out[u]);
  }
  return out;
}

// Numbers that few of all numbers stand for: a table with open addresses.
class LastOf {
 public:
  explicit LastOf(std::size_t most) {
    while (size_ < 2 * most) size_ *= 2;
    rows_.resize(size_, {0, kNone});
  }
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  /// kNone before it is set.
  std::uint32_t& operator[](std::uint32_t key) {
    std::size_t at = key * 0x9E3779B1u & (size_ - 1);
    while (rows_[at].last != kNone && rows_[at].key != key) at = (at + 1) & (size_ - 1);
    rows_[at].key = key;
    return rows_[at].last;
  }

 private:
  struct Row {
    std::uint32_t key, last;
  };
  std::size_t size_ = 16;
  std::vector<Row> rows_;
};

}  // namespace

double Order::busiest_ns() const { return *std::max_element(busy_ns.begin(), busy_ns.end()); }

void UnitLists::push_back(std::vector<std::uint32_t>& list) {
  std::sort(list.begin(), list.end());
  items_.insert(items_.end(), list.begin(), std::unique(list.begin(), list.end()));
  ends_.push_back(static_cast<std::uint32_t>(items_.size()));
}

bool TilesInUse::room_for(const Unit& unit) const {
  std::array<std::int64_t, 2> more{};
  for (std::uint32_t t : unit.tiles)
    if (!tiles_[t].open) more[tiles_[t].psum] += tiles_[t].bytes;
  const auto fits = [&](std::size_t space) { return more[space] == 0 || taken_[space] + more[space] <= limit_[space]; };
  return fits(0) && fits(1);
}

void TilesInUse::place(const Unit& unit) {
  for (std::uint32_t t : unit.tiles) {
    Tile& tile = tiles_[t];
    if (!tile.open) taken_[tile.psum] += tile.bytes;
    tile.open = --tile.uses_left > 0;
    if (!tile.open) taken_[tile.psum] -= tile.bytes;
  }
}

UnitLists units_before(const std::vector<Unit>& units, std::size_t reach) {
  struct Seen {
    const Reach* reach;
    std::uint32_t unit, before;  // the one before it of the same buffer
  };
  std::vector<Seen> seen;
  std::size_t count = 0;
  for (const Unit& unit : units) count += unit.reaches.size();
  seen.reserve(count);
  LastOf last(count);
  UnitLists out;
  std::vector<std::uint32_t> before;
  std::uint32_t barrier = 0;
  bool any_barrier = false;
  for (std::uint32_t u = 0; u < units.size(); ++u) {
    before.clear();
    if (any_barrier) before.push_back(barrier);
    if (units[u].barrier)
      for (std::uint32_t b = any_barrier ? barrier + 1 : 0; b < u; ++b) before.push_back(b);
    for (const Reach& r : units[u].reaches) {
      std::uint32_t& newest = last[r.buffer];
      for (std::uint32_t n = newest; n != LastOf::kNone && seen[n].unit + reach >= u; n = seen[n].before)
        if (seen[n].unit != u && r.meets(*seen[n].reach)) before.push_back(seen[n].unit);
      seen.push_back({&r, u, newest});
      newest = static_cast<std::uint32_t>(seen.size() - 1);
    }
    out.push_back(before);
    if (units[u].barrier) {
      barrier = u;
      any_barrier = true;
    }
  }
  return out;
}

Order list_order(const std::vector<Unit>& units, const UnitLists& before, double hop_ns, const Freedom& freedom) {
  constexpr double kSame = 60;  // ns: about one small instruction; starts this close count as one
  Simulation simulation(units, before, hop_ns);
  const std::vector<double> height = heights(units, before);
  const auto size = static_cast<std::uint32_t>(units.size());
  // What waits for each unit: lists that run through one array, the newest first.
  struct After {
    std::uint32_t unit, next;
  };
  constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  std::vector<After> after;
  std::vector<std::uint32_t> newest_after(size, kNone);
  struct State {
    std::uint32_t missing = 0;
    bool placed = false, known = false;
    std::array<double, 3> inputs{};  // per choice, once all that it waits for is placed
  };
  std::vector<State> states(size);
  for (std::uint32_t u = 0; u < size; ++u)
    for (std::uint32_t b : before[u]) {
      ++states[u].missing;
      after.push_back({u, newest_after[b]});
      newest_after[b] = static_cast<std::uint32_t>(after.size() - 1);
    }
  Order out;
  out.engines.assign(size, isa::Engine::Any);
  out.sequence.reserve(size);
  struct Ready {
    std::uint32_t unit = 0;
    double start = 0;
    Choice choice;
  };
  // The engine that has the result first.
  const auto best = [&](std::uint32_t u) {
    const Unit& unit = units[u];
    State& state = states[u];
    if (!state.known) {
      state.known = true;
      for (std::size_t n = 0; n < unit.choices.size(); ++n) state.inputs[n] = simulation.inputs(u, unit.choices[n]);
      if (unit.choices.empty()) state.inputs[0] = simulation.inputs(u, Choice());
    }
    Ready out_ready{u, 0, {}};
    double best_end = kNever;
    for (std::size_t n = 0; n < unit.choices.size(); ++n) {
      const Choice& c = unit.choices[n];
      const double at = simulation.start(c, state.inputs[n]), end = at + c.issue_ns + c.latency_ns;
      if (end >= best_end) continue;
      best_end = end;
      out_ready.start = at;
      out_ready.choice = c;
    }
    if (unit.choices.empty()) out_ready.start = simulation.region_start(unit, state.inputs[0]);
    return out_ready;
  };
  std::vector<Ready> ready;
  for (std::uint32_t first = 0; first < size;) {
    if (states[first].placed) {
      ++first;
      continue;
    }
    ready.clear();
    double earliest = kNever;
    for (std::uint32_t u = first; u < size && u < first + freedom.window; ++u) {
      if (states[u].placed || states[u].missing > 0 || (u > first && freedom.tiles && !freedom.tiles->room_for(units[u]))) continue;
      ready.push_back(best(u));
      earliest = std::min(earliest, ready.back().start);
    }
    const Ready* taken = nullptr;
    for (const Ready& r : ready)
      if (r.start <= earliest + kSame && (!taken || height[r.unit] > height[taken->unit] + 1e-6)) taken = &r;
    simulation.run(taken->unit, taken->choice, taken->start);
    if (freedom.tiles) freedom.tiles->place(units[taken->unit]);
    out.sequence.push_back(taken->unit);
    out.engines[taken->unit] = taken->choice.engine;
    states[taken->unit].placed = true;
    for (std::uint32_t n = newest_after[taken->unit]; n != kNone; n = after[n].next) --states[after[n].unit].missing;
  }
  out.busy_ns = simulation.busy();
  out.span_ns = simulation.last();
  return out;
}

double turn_ns(const std::vector<Unit>& units, const UnitLists& before, const Order& order, double hop_ns,
               const std::array<double, kEngines>& marker_ns) {
  constexpr int kWarm = 2, kMeasured = 3;
  Simulation simulation(units, before, hop_ns);
  double from = 0;
  for (int turn = 0; turn < kWarm + kMeasured; ++turn) {
    for (std::uint32_t u : order.sequence) {
      const Unit& unit = units[u];
      Choice choice;
      for (const Choice& c : unit.choices)
        if (c.engine == order.engines[u]) choice = c;
      const double inputs = simulation.inputs(u, choice);
      simulation.run(u, choice, unit.choices.empty() ? simulation.region_start(unit, inputs) : simulation.start(choice, inputs));
    }
    simulation.end_turn(marker_ns);
    if (turn + 1 == kWarm) from = simulation.last();
  }
  return (simulation.last() - from) / kMeasured;
}

}  // namespace openneuron::sched
