// Transitive reduction by vector clocks. What a stream knows, per other stream: up to which place everything there is
// complete. Waiting for an instruction adds what its stream knew when it started. Knowledge from something that may not
// have run is not used: the result keeps a wait too many at times, never one too few.
#include <algorithm>

#include "sched/dependences.h"

namespace openneuron::sched {
namespace {

// Loops carry dependences over more iterations than this only with many copies; those stay.
constexpr std::int64_t kMostIterations = 4;

class Reducer {
 public:
  Reducer(Dependences& dependences, const tile::Program& program, const RegionTree& tree, std::size_t streams)
      : dependences_(dependences), program_(program), tree_(tree), streams_(streams), dropped_(dependences.list.size(), false),
        first_(dependences.items.size() + 1, 0) {
    for (const Dependence& d : dependences.list) ++first_[d.to + 1];
    for (std::size_t n = 1; n < first_.size(); ++n) first_[n] += first_[n - 1];
    item_of_.assign(program.instructions.size() + 1, 0);
    for (const Item& i : dependences.items) ++item_of_[i.instruction + 1];
    for (std::size_t n = 1; n < item_of_.size(); ++n) item_of_[n] += item_of_[n - 1];
  }

  void run() {
    must_signal_ = std::move(dependences_.must_signal);
    sources_.resize(streams_);
    const auto add_source = [&](std::uint32_t item) {
      const Item& from = dependences_.items[item];
      sources_[from.stream].push_back(from.instruction);
    };
    for (const Dependence& d : dependences_.list) add_source(d.from);
    for (std::uint32_t item = 0; item < must_signal_.size(); ++item)
      if (must_signal_[item]) add_source(item);
    for (auto& list : sources_) std::sort(list.begin(), list.end());
    std::vector<std::int64_t> farthest(tree_.regions.size(), 0);
    for (const Dependence& d : dependences_.list)
      if (d.loop >= 0 && d.distance < kMostIterations)
        farthest[static_cast<std::size_t>(d.loop)] = std::max(farthest[static_cast<std::size_t>(d.loop)], d.distance);
    // First the loops, whose arguments hold for every iteration; what remains of them then helps within one iteration.
    for (std::size_t r = 0; r < farthest.size(); ++r)
      if (farthest[r] > 0) across_iterations(static_cast<std::int32_t>(r), farthest[r] + 1);
    within_iteration();
    std::size_t kept = 0;
    for (std::size_t n = 0; n < dropped_.size(); ++n)
      if (!dropped_[n]) dependences_.list[kept++] = dependences_.list[n];
    dependences_.list.resize(kept);
    dependences_.must_signal = std::move(must_signal_);
  }

 private:
  std::int32_t block(std::uint32_t item) const { return tree_.block_of[dependences_.items[item].instruction]; }
  // Whether `from` ran for certain when the program stands at `to`.
  bool ran(std::uint32_t from, std::uint32_t to) const {
    const Block &outer = tree_.blocks[static_cast<std::size_t>(conditional_block(tree_, block(from)))],
                &inner = tree_.blocks[static_cast<std::size_t>(block(to))];
    return outer.begin <= inner.begin && inner.end <= outer.end;
  }
  // Whether `from` runs in every iteration of the region.
  bool runs_always(std::uint32_t from, std::int32_t region) const {
    const std::int32_t branch = conditional_block(tree_, block(from));
    if (tree_.blocks[static_cast<std::size_t>(branch)].region == region) return true;
    const Block& outer = tree_.blocks[static_cast<std::size_t>(branch)];
    const Region& r = tree_.regions[static_cast<std::size_t>(region)];
    return outer.begin <= r.begin && r.end <= outer.end && tree_.blocks[static_cast<std::size_t>(branch)].region != region;
  }

  bool inside(std::int32_t inner, std::int32_t outer) const {
    const Region &i = tree_.regions[static_cast<std::size_t>(inner)], &o = tree_.regions[static_cast<std::size_t>(outer)];
    return o.begin < i.begin && i.end < o.end;
  }

  // [stream * streams + other]. `certain`: everything there up to this place is complete. `signals`: everything there
  // up to this place that signals; what is dropped by it signals although nothing waits for it.
  struct Knowledge {
    std::vector<std::uint64_t> certain, signals;
  };
  void join(Knowledge& known, std::size_t mine, const Knowledge& at_start, std::size_t row) const {
    for (std::size_t s = 0; s < streams_; ++s) {
      known.certain[mine + s] = std::max(known.certain[mine + s], at_start.certain[row * streams_ + s]);
      known.signals[mine + s] = std::max(known.signals[mine + s], at_start.signals[row * streams_ + s]);
    }
  }
  void store(Knowledge& at_start, std::size_t row, const Knowledge& known, std::size_t mine) const {
    std::copy_n(known.certain.begin() + static_cast<std::ptrdiff_t>(mine), streams_, at_start.certain.begin() + static_cast<std::ptrdiff_t>(row * streams_));
    std::copy_n(known.signals.begin() + static_cast<std::ptrdiff_t>(mine), streams_, at_start.signals.begin() + static_cast<std::ptrdiff_t>(row * streams_));
  }

  // What each item's stream knew when the item started, as long as a dependence that starts there is to come.
  struct Starts {
    static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
    Knowledge rows;
    std::vector<std::uint32_t> row;       // per item
    std::vector<std::uint32_t> last_use;  // per item: an instruction; 0: none uses it
    std::vector<std::uint32_t> free;
  };
  void keep_start(Starts& starts, std::uint32_t item, const Knowledge& known, std::size_t mine) const {
    if (starts.last_use[item] == 0) return;
    std::uint32_t& row = starts.row[item];
    if (!starts.free.empty()) {
      row = starts.free.back();
      starts.free.pop_back();
    } else {
      row = static_cast<std::uint32_t>(starts.rows.certain.size() / streams_);
      starts.rows.certain.resize(starts.rows.certain.size() + streams_);
      starts.rows.signals.resize(starts.rows.signals.size() + streams_);
    }
    store(starts.rows, row, known, mine);
  }
  static void drop_start(Starts& starts, std::uint32_t item, std::uint32_t instruction) {
    if (starts.last_use[item] != instruction || starts.row[item] == Starts::kNone) return;
    starts.free.push_back(starts.row[item]);
    starts.row[item] = Starts::kNone;
  }
  Starts prepare_starts() const {
    const std::size_t count = dependences_.items.size();
    Starts starts{{}, std::vector<std::uint32_t>(count, Starts::kNone), std::vector<std::uint32_t>(count, 0), {}};
    for (std::size_t n = 0; n < dependences_.list.size(); ++n) {
      const Dependence& d = dependences_.list[n];
      const std::uint32_t use = d.loop < 0 ? dependences_.items[d.to].instruction : tree_.regions[static_cast<std::size_t>(d.loop)].end;
      starts.last_use[d.from] = std::max(starts.last_use[d.from], use);
    }
    return starts;
  }
  Knowledge nothing(std::size_t rows) const { return {std::vector<std::uint64_t>(rows * streams_, 0), std::vector<std::uint64_t>(rows * streams_, 0)}; }

  // Regions that may be skipped leave no knowledge behind. `saved` has one row per open region.
  void cross(const isa::Head& marker, Knowledge& known, std::vector<Knowledge>& saved) const {
    if (isa::opens_region(marker.opcode)) {
      const Region& r = tree_.regions[static_cast<std::size_t>(tree_.region_of_loop[marker.loop.index])];
      const bool certain = r.kind == isa::Opcode::LoopBegin && r.trips >= 1;
      saved.push_back(certain ? Knowledge() : known);
    } else if (marker.opcode == isa::Opcode::CaseNext) {
      known = saved.back();
    } else if (isa::closes_region(marker.opcode)) {
      if (!saved.back().certain.empty()) known = std::move(saved.back());
      saved.pop_back();
    }
  }

  void within_iteration() {
    Knowledge known = nothing(streams_);
    Starts starts = prepare_starts();
    std::vector<Knowledge> saved;
    std::vector<std::vector<std::size_t>> carried(tree_.regions.size());
    for (std::size_t n = 0; n < dependences_.list.size(); ++n)
      if (dependences_.list[n].loop >= 0) carried[static_cast<std::size_t>(dependences_.list[n].loop)].push_back(n);
    for (std::uint32_t i = 0; i < program_.instructions.size(); ++i) {
      cross(program_.instructions.head(i), known, saved);
      if (const isa::Head marker = program_.instructions.head(i); isa::closes_region(marker.opcode)) {
        const std::int32_t region = tree_.region_of_loop[marker.loop.index];
        const auto& list = carried[static_cast<std::size_t>(region)];
        if (marker.opcode == isa::Opcode::LoopEnd) leave_loop(region, list, known, starts);
        for (std::size_t n : list) drop_start(starts, dependences_.list[n].from, i);
      }
      for (std::uint32_t item = item_of_[i]; item < item_of_[i + 1]; ++item) {
        const std::size_t mine = dependences_.items[item].stream * streams_;
        // In the first iteration a wait for the one before counts back to before the loop: when it is for the last
        // signal of an iteration, it is for all that signalled before.
        for (std::size_t n = first_[item]; n < first_[item + 1]; ++n) {
          const Dependence& d = dependences_.list[n];
          if (dropped_[n] || d.loop < 0 || d.distance != 1 || !last_source(d.from, d.loop)) continue;
          std::uint64_t& k = known.signals[mine + dependences_.items[d.from].stream];
          k = std::max<std::uint64_t>(k, tree_.regions[static_cast<std::size_t>(d.loop)].begin);
        }
        for (std::size_t n = first_[item]; n < first_[item + 1]; ++n) {
          const Dependence& d = dependences_.list[n];
          if (dropped_[n] || d.loop >= 0) continue;
          const Item& from = dependences_.items[d.from];
          const std::size_t cell = mine + from.stream;
          if (known.certain[cell] > from.instruction) {
            dropped_[n] = true;
          } else if (known.signals[cell] > from.instruction) {
            dropped_[n] = must_signal_[d.from] = true;
          } else if (ran(d.from, item)) {
            join(known, mine, starts.rows, starts.row[d.from]);
            for (auto* k : {&known.certain, &known.signals}) (*k)[cell] = std::max<std::uint64_t>((*k)[cell], from.instruction + 1);
          } else {
            // The wait is for the end of the region, directly in the common block, that holds the source, when its
            // trips depend on data (counts.h).
            const Meeting m = meeting(tree_, block(d.from), block(item));
            const std::int32_t region = m.while_region >= 0 ? -1 : tree_.child_region(m.block, block(d.from));
            const bool whole = region >= 0 && !tree_.regions[static_cast<std::size_t>(region)].fixed_trips;
            const std::uint32_t reach = whole ? tree_.regions[static_cast<std::size_t>(region)].end : from.instruction;
            known.signals[cell] = std::max<std::uint64_t>(known.signals[cell], reach + 1);
          }
        }
        keep_start(starts, item, known, mine);
      }
      for (std::size_t n = first_[item_of_[i]]; n < first_[item_of_[i + 1]]; ++n) drop_start(starts, dependences_.list[n].from, i);
    }
  }

  // Whether nothing of its stream that others wait for comes after `from` in the region.
  bool last_source(std::uint32_t from, std::int32_t region) const {
    const Item& item = dependences_.items[from];
    const auto& list = sources_[item.stream];
    const auto next = std::upper_bound(list.begin(), list.end(), item.instruction);
    return next == list.end() || *next > tree_.regions[static_cast<std::size_t>(region)].end;
  }

  // What a loop carries brings, by its last iteration, knowledge of what stands before the loop.
  void leave_loop(std::int32_t region, const std::vector<std::size_t>& carried, Knowledge& known, const Starts& starts) const {
    const Region& r = tree_.regions[static_cast<std::size_t>(region)];
    for (std::size_t n : carried) {
      const Dependence& d = dependences_.list[n];
      if (d.distance >= r.trips || !runs_always(d.from, region) || !runs_always(d.to, region)) continue;
      const std::size_t mine = dependences_.items[d.to].stream * streams_;
      for (std::size_t s = 0; s < streams_; ++s) {
        const auto before = [&](std::uint64_t place) { return std::min<std::uint64_t>(place, r.begin); };
        known.certain[mine + s] = std::max(known.certain[mine + s], before(starts.rows.certain[starts.row[d.from] * streams_ + s]));
        known.signals[mine + s] = std::max(known.signals[mine + s], before(starts.rows.signals[starts.row[d.from] * streams_ + s]));
      }
    }
  }

  // Runs the region a few times, inner loops once, and drops what the loop carries when the last iteration knows it.
  // Places are counted from the first iteration: iteration * length + instruction.
  void across_iterations(std::int32_t region, std::int64_t iterations) {
    const Region& r = tree_.regions[static_cast<std::size_t>(region)];
    const std::uint32_t first = item_of_[r.begin], last = item_of_[r.end];
    const std::size_t count = last - first;
    const std::uint64_t length = r.end - r.begin + 1;
    Knowledge known = nothing(streams_);
    std::vector<Knowledge> at_start(static_cast<std::size_t>(iterations), nothing(count));
    std::vector<Knowledge> saved;
    for (std::int64_t k = 0; k < iterations; ++k) {
      const auto place = [&](std::int64_t iteration, std::uint32_t instruction) {
        return static_cast<std::uint64_t>(iteration) * length + (instruction - r.begin) + 1;
      };
      for (std::uint32_t i = r.begin + 1; i < r.end; ++i) {
        const isa::Head instruction = program_.instructions.head(i);
        if (!(instruction.opcode == isa::Opcode::WhileTest && instruction.loop == r.loop)) cross(instruction, known, saved);
        for (std::uint32_t item = item_of_[i]; item < item_of_[i + 1]; ++item) {
          const std::size_t mine = dependences_.items[item].stream * streams_;
          for (std::size_t n = first_[item]; n < first_[item + 1]; ++n) {
            const Dependence& d = dependences_.list[n];
            if (dropped_[n] || d.from < first || d.from >= last) continue;
            std::int64_t source = k - d.distance;
            if (d.loop >= 0 && d.loop != region) {
              // An inner loop's wait counts on through the iterations of the outer one: at the first inner iteration it
              // is for the last one of the time before. Further back is not told apart here.
              // A while leaves after its condition part, so its iterations do not follow on like that.
              if (d.distance != 1 || !inside(d.loop, region) || !runs_always(d.from, region)) continue;
              if (tree_.regions[static_cast<std::size_t>(d.loop)].kind != isa::Opcode::LoopBegin) continue;
              source = k - 1;
            }
            if (source < 0) continue;
            const Item& from = dependences_.items[d.from];
            const std::uint64_t reach = place(source, from.instruction);
            if (known.certain[mine + from.stream] >= reach) {
              if (d.loop == region && k == iterations - 1) dropped_[n] = true;
              continue;
            }
            if (d.loop >= 0 ? !runs_always(d.from, region) : !ran(d.from, item)) continue;
            join(known, mine, at_start[static_cast<std::size_t>(source)], d.from - first);
            known.certain[mine + from.stream] = std::max(known.certain[mine + from.stream], reach);
          }
          store(at_start[static_cast<std::size_t>(k)], item - first, known, mine);
        }
      }
    }
  }

  Dependences& dependences_;
  const tile::Program& program_;
  const RegionTree& tree_;
  std::size_t streams_;
  std::vector<bool> dropped_, must_signal_;
  std::vector<std::vector<std::uint32_t>> sources_;  // per stream: instructions that are waited for, in order
  std::vector<std::uint32_t> first_;    // per item: its dependences in the list
  std::vector<std::uint32_t> item_of_;  // per instruction: its first item
};

}  // namespace

void drop_implied(Dependences& dependences, const tile::Program& program, const RegionTree& tree, std::size_t streams) {
  Reducer(dependences, program, tree, streams).run();
}

}  // namespace openneuron::sched
