#include "sched/units.h"

#include <algorithm>
#include <unordered_map>

namespace openneuron::sched {
namespace {

constexpr double kNever = 1e30;

std::size_t lane(isa::Engine e) { return static_cast<std::size_t>(e); }

// Engines in order, each with a result time per unit.
class Simulation {
 public:
  Simulation(const std::vector<Unit>& units, const std::vector<std::vector<std::uint32_t>>& before, double hop_ns)
      : units_(units), before_(before), hop_ns_(hop_ns), done_(units.size(), 0), on_(units.size(), isa::Engine::Any), loads_(units.size(), false) {}

  /// When the unit could start, with its inputs there.
  double start(std::uint32_t u, const Choice& choice) const {
    const isa::Engine engine = choice.engine;
    double at = engine == isa::Engine::Any ? 0 : free_[lane(engine)];
    if (choice.background) at = std::max(loaded_, multiplied_);  // beside the multiply before it
    for (std::uint32_t b : before_[u]) {
      if (engine == isa::Engine::PE && on_[b] == engine && !(loads_[b] && !choice.background)) continue;  // in order; adds in PSUM
      at = std::max(at, done_[b] + (on_[b] == engine ? 0 : hop_ns_));
    }
    return at;
  }
  /// The engine that has the result first.
  Choice best(std::uint32_t u, double& starts) const {
    Choice out;
    double best_end = kNever;
    starts = 0;
    for (const Choice& c : units_[u].choices) {
      const double at = start(u, c), end = at + c.issue_ns + c.latency_ns;
      if (end >= best_end) continue;
      best_end = end;
      starts = at;
      out = c;
    }
    if (units_[u].choices.empty()) starts = region_start(u);
    return out;
  }
  void run(std::uint32_t u, const Choice& choice) {
    const Unit& unit = units_[u];
    if (unit.choices.empty()) {
      const double at = region_start(u);
      double end = at + unit.span_ns;
      for (std::size_t e = 0; e < kEngines; ++e) {
        if (unit.busy_ns[e] <= 0) continue;
        free_[e] = std::max(free_[e], at) + unit.busy_ns[e];
        end = std::max(end, free_[e]);
        busy_[e] += unit.busy_ns[e];
      }
      done_[u] = end;
      on_[u] = isa::Engine::Any;
    } else {
      const double at = start(u, choice);
      if (choice.background)
        loaded_ = at + choice.issue_ns;
      else
        free_[lane(choice.engine)] = at + choice.issue_ns;
      if (choice.engine == isa::Engine::PE && !choice.background) multiplied_ = at;
      loads_[u] = choice.background;
      if (!choice.background) busy_[lane(choice.engine)] += choice.issue_ns;
      done_[u] = at + choice.issue_ns + choice.latency_ns;
      on_[u] = choice.engine;
    }
    last_ = std::max(last_, done_[u]);
  }
  void end_turn(const std::array<double, kEngines>& marker_ns) {
    for (std::size_t e = 0; e < kEngines; ++e)
      if (busy_[e] > 0) free_[e] += marker_ns[e];
    last_ = std::max(last_, *std::max_element(free_.begin(), free_.end()));
  }
  double last() const { return last_; }
  const std::array<double, kEngines>& busy() const { return busy_; }

 private:
  // A region starts when its inputs are there and one of its engines is free.
  double region_start(std::uint32_t u) const {
    double inputs = start(u, Choice()), first = kNever;
    for (std::size_t e = 0; e < kEngines; ++e)
      if (units_[u].busy_ns[e] > 0) first = std::min(first, free_[e]);
    return first == kNever ? inputs : std::max(inputs, first);
  }

  const std::vector<Unit>& units_;
  const std::vector<std::vector<std::uint32_t>>& before_;
  double hop_ns_;
  std::array<double, kEngines> free_{}, busy_{};
  std::vector<double> done_;
  std::vector<isa::Engine> on_;
  std::vector<bool> loads_;  // a stationary tile
  double loaded_ = 0, multiplied_ = 0;
  double last_ = 0;
};

// The time from a unit's start to the end of all that hangs on it.
std::vector<double> heights(const std::vector<Unit>& units, const std::vector<std::vector<std::uint32_t>>& before) {
  std::vector<double> out(units.size(), 0);
  for (std::size_t u = units.size(); u-- > 0;) {
    const Unit& unit = units[u];
    out[u] += unit.choices.empty() ? unit.span_ns : unit.choices[0].issue_ns + unit.choices[0].latency_ns;
    for (std::uint32_t b : before[u]) out[b] = std::max(out[b], out[u]);
  }
  return out;
}

// The tiles between their first and last use.
class Memory {
 public:
  Memory(const std::vector<Unit>& units, const Freedom& freedom) : units_(units), freedom_(freedom) {
    if (!freedom_.bytes_of) return;
    for (const Unit& unit : units)
      for (std::uint32_t t : unit.tiles) ++uses_[t].left;
  }
  bool room_for(std::uint32_t u) {
    if (!freedom_.bytes_of) return true;
    std::int64_t more = 0;
    for (std::uint32_t t : units_[u].tiles)
      if (const Tile& tile = uses_[t]; !tile.open) more += freedom_.bytes_of(t);
    return more == 0 || taken_ + more <= freedom_.limit;
  }
  void run(std::uint32_t u) {
    if (!freedom_.bytes_of) return;
    for (std::uint32_t t : units_[u].tiles) {
      Tile& tile = uses_[t];
      if (!tile.open) taken_ += freedom_.bytes_of(t);
      tile.open = true;
      if (--tile.left == 0) taken_ -= freedom_.bytes_of(t);
    }
  }

 private:
  struct Tile {
    std::uint32_t left = 0;
    bool open = false;
  };
  const std::vector<Unit>& units_;
  const Freedom& freedom_;
  std::unordered_map<std::uint32_t, Tile> uses_;
  std::int64_t taken_ = 0;
};

}  // namespace

double Order::busiest_ns() const { return *std::max_element(busy_ns.begin(), busy_ns.end()); }

std::vector<std::vector<std::uint32_t>> units_before(const std::vector<Unit>& units, std::size_t reach) {
  struct Seen {
    std::uint32_t unit;
    const Reach* reach;
  };
  std::unordered_map<std::uint32_t, std::vector<Seen>> seen;  // per buffer; looked up, never walked
  std::vector<std::vector<std::uint32_t>> out(units.size());
  std::uint32_t barrier = 0;
  bool any_barrier = false;
  for (std::uint32_t u = 0; u < units.size(); ++u) {
    std::vector<std::uint32_t>& before = out[u];
    if (any_barrier) before.push_back(barrier);
    if (units[u].barrier)
      for (std::uint32_t b = any_barrier ? barrier + 1 : 0; b < u; ++b) before.push_back(b);
    for (const Reach& r : units[u].reaches) {
      std::vector<Seen>& list = seen[r.buffer];
      if (list.size() > 2 * reach)
        list.erase(std::remove_if(list.begin(), list.end(), [&](const Seen& s) { return s.unit + reach < u; }), list.end());
      for (const Seen& s : list)
        if (s.unit != u && s.unit + reach >= u && r.meets(*s.reach)) before.push_back(s.unit);
      list.push_back({u, &r});
    }
    std::sort(before.begin(), before.end());
    before.erase(std::unique(before.begin(), before.end()), before.end());
    if (units[u].barrier) {
      barrier = u;
      any_barrier = true;
    }
  }
  return out;
}

Order list_order(const std::vector<Unit>& units, const std::vector<std::vector<std::uint32_t>>& before, double hop_ns,
                 const Freedom& freedom) {
  constexpr double kSame = 60;  // ns: about one small instruction; starts this close count as one
  Simulation simulation(units, before, hop_ns);
  Memory memory(units, freedom);
  const std::vector<double> height = heights(units, before);
  std::vector<std::uint32_t> missing(units.size(), 0);
  std::vector<std::vector<std::uint32_t>> after(units.size());
  for (std::uint32_t u = 0; u < units.size(); ++u) {
    missing[u] = static_cast<std::uint32_t>(before[u].size());
    for (std::uint32_t b : before[u]) after[b].push_back(u);
  }
  Order out;
  out.engines.assign(units.size(), isa::Engine::Any);
  std::vector<bool> placed(units.size(), false);
  struct Ready {
    std::uint32_t unit;
    double start;
    Choice choice;
  };
  std::vector<Ready> ready;
  for (std::uint32_t first = 0; first < units.size();) {
    if (placed[first]) {
      ++first;
      continue;
    }
    ready.clear();
    double earliest = kNever;
    for (std::uint32_t u = first; u < units.size() && u < first + freedom.window; ++u) {
      if (placed[u] || missing[u] > 0 || (u > first && !memory.room_for(u))) continue;
      Ready r{u, 0, {}};
      r.choice = simulation.best(u, r.start);
      earliest = std::min(earliest, r.start);
      ready.push_back(r);
    }
    const Ready* taken = nullptr;
    for (const Ready& r : ready)
      if (r.start <= earliest + kSame && (!taken || height[r.unit] > height[taken->unit] + 1e-6)) taken = &r;
    simulation.run(taken->unit, taken->choice);
    memory.run(taken->unit);
    out.sequence.push_back(taken->unit);
    out.engines[taken->unit] = taken->choice.engine;
    placed[taken->unit] = true;
    for (std::uint32_t a : after[taken->unit]) --missing[a];
  }
  out.busy_ns = simulation.busy();
  out.span_ns = simulation.last();
  return out;
}

double turn_ns(const std::vector<Unit>& units, const std::vector<std::vector<std::uint32_t>>& before, const Order& order,
               double hop_ns, const std::array<double, kEngines>& marker_ns) {
  constexpr int kWarm = 2, kMeasured = 3;
  Simulation simulation(units, before, hop_ns);
  double from = 0;
  for (int turn = 0; turn < kWarm + kMeasured; ++turn) {
    for (std::uint32_t u : order.sequence) {
      const Unit& unit = units[u];
      Choice choice;
      for (const Choice& c : unit.choices)
        if (c.engine == order.engines[u]) choice = c;
      simulation.run(u, choice);
    }
    simulation.end_turn(marker_ns);
    if (turn + 1 == kWarm) from = simulation.last();
  }
  return (simulation.last() - from) / kMeasured;
}

}  // namespace openneuron::sched
