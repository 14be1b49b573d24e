// Linear scan. A buffer lives from its first to its last access in program order; where accesses lie in several blocks,
// over the whole of the outermost regions that hold some of them. Preferably a rotating buffer lives over its whole loop
// and freed memory is reused late, so that loads can run ahead; when that does not fit, memory is packed tighter.
#include <algorithm>
#include <array>
#include <map>
#include <queue>
#include <vector>

#include "sched/copies.h"
#include "sched/intervals.h"
#include "sched/memory.h"
#include "sched/regions.h"
#include "sched/sched.h"

namespace openneuron::sched {
namespace {

enum class Fit { Next, First, Split };
struct Plan {
  Fit fit;
  bool wide;
};
constexpr Plan kPlans[] = {{Fit::Next, true}, {Fit::First, true}, {Fit::Split, true}, {Fit::Split, false}, {Fit::First, false}};

// Free memory as disjoint pieces by address.
class FreeList {
 public:
  explicit FreeList(std::int64_t bytes) {
    if (bytes > 0) pieces_[0] = bytes;
  }
  std::int64_t take(std::int64_t bytes, Fit fit, bool from_top) {
    if (fit == Fit::Split && from_top) {
      for (auto piece = pieces_.rbegin(); piece != pieces_.rend(); ++piece)
        if (piece->second >= bytes) return cut(std::prev(piece.base()), piece->first + piece->second - bytes, bytes);
      return -1;
    }
    auto piece = pieces_.begin();
    if (fit == Fit::Next && !pieces_.empty()) {
      piece = pieces_.upper_bound(next_);
      if (piece != pieces_.begin()) {  // the piece around the place where the last search ended
        const auto around = std::prev(piece);
        if (around->first + around->second - next_ >= bytes) {
          const std::int64_t begin = next_;
          next_ += bytes;
          return cut(around, begin, bytes);
        }
      }
    }
    for (std::size_t tries = pieces_.size(); tries > 0; --tries, ++piece) {
      if (piece == pieces_.end()) piece = pieces_.begin();
      if (piece->second < bytes) continue;
      next_ = piece->first + bytes;
      return cut(piece, piece->first, bytes);
    }
    return -1;
  }
  void reserve(std::int64_t begin, std::int64_t end) {
    auto piece = pieces_.upper_bound(begin);
    if (piece != pieces_.begin()) --piece;
    while (piece != pieces_.end() && piece->first < end) {
      const auto at = piece++;
      const std::int64_t from = std::max(begin, at->first), to = std::min(end, at->first + at->second);
      if (from < to) cut(at, from, to - from);
    }
  }
  void give(std::int64_t begin, std::int64_t bytes) {
    auto after = pieces_.lower_bound(begin);
    if (after != pieces_.begin()) {
      const auto before = std::prev(after);
      if (before->first + before->second == begin) {
        begin = before->first;
        bytes += before->second;
        pieces_.erase(before);
      }
    }
    if (after != pieces_.end() && begin + bytes == after->first) {
      bytes += after->second;
      pieces_.erase(after);
    }
    pieces_[begin] = bytes;
  }
  std::int64_t largest() const {
    std::int64_t out = 0;
    for (const auto& piece : pieces_) out = std::max(out, piece.second);
    return out;
  }

 private:
  std::int64_t cut(std::map<std::int64_t, std::int64_t>::iterator piece, std::int64_t begin, std::int64_t bytes) {
    const std::int64_t first = piece->first, end = first + piece->second;
    if (begin > first)
      piece->second = begin - first;
    else
      pieces_.erase(piece);
    if (begin + bytes < end) pieces_[begin + bytes] = end - begin - bytes;
    return begin;
  }
  std::map<std::int64_t, std::int64_t> pieces_;
  std::int64_t next_ = 0;
};

class Scan {
 public:
  Scan(tile::Module& module, const Machine& machine, isa::Space space, std::vector<Interval> intervals, std::uint32_t length)
      : module_(module), limit_(space_bytes(space, machine)), space_(space), intervals_(std::move(intervals)), length_(length) {}

  /// `keep`: the buffers get their addresses.
  Result<void> run(bool keep = true) {
    std::vector<Interval> fixed;
    for (const Interval& i : intervals_)
      if (module_.buffers[i.buffer].address >= 0) fixed.push_back(i);
    ON_TRY(fixed_apart(fixed));
    if (fixed.size() == intervals_.size()) return {};
    for (const Plan& plan : kPlans)
      if (place(plan, fixed, keep)) return {};
    return full();
  }
  /// With more copies, when these fit without packing tighter.
  bool run_deeper(const std::vector<Interval>& deeper) {
    std::vector<Interval> fewer = std::move(intervals_);
    intervals_ = deeper;
    std::vector<Interval> fixed;
    for (const Interval& i : intervals_)
      if (module_.buffers[i.buffer].address >= 0) fixed.push_back(i);
    if (fixed_apart(fixed) && (place(kPlans[0], fixed, true) || place(kPlans[1], fixed, true))) return true;
    intervals_ = std::move(fewer);
    return false;
  }

 private:
  bool place(const Plan& plan, const std::vector<Interval>& fixed, bool keep) {
    FreeList free(limit_);
    for (const Interval& i : fixed) {
      const std::int64_t address = module_.buffers[i.buffer].address;
      free.reserve(address, address + i.bytes());
    }
    const auto begin = [&](const Interval& i) { return plan.wide ? i.wide_begin : i.begin; };
    const auto end = [&](const Interval& i) { return plan.wide ? i.wide_end : i.end; };
    std::vector<std::uint32_t>& order = orders_[plan.wide];
    if (order.empty()) {
      for (std::uint32_t n = 0; n < intervals_.size(); ++n)
        if (module_.buffers[intervals_[n].buffer].address < 0) order.push_back(n);
      std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        const Interval &x = intervals_[a], &y = intervals_[b];
        return begin(x) != begin(y) ? begin(x) < begin(y) : x.buffer < y.buffer;
      });
    }
    struct Live {
      std::uint32_t end;
      std::int64_t address;
      const Interval* interval;
    };
    const auto later = [](const Live& a, const Live& b) {
      return a.end != b.end ? a.end > b.end : a.interval->buffer.index > b.interval->buffer.index;
    };
    std::priority_queue<Live, std::vector<Live>, decltype(later)> live(later);
    std::vector<std::int64_t> addresses;
    addresses.reserve(order.size());
    for (std::uint32_t n : order) {
      const Interval* i = &intervals_[n];
      while (!live.empty() && live.top().end < begin(*i)) {
        free.give(live.top().address, live.top().interval->bytes());
        live.pop();
      }
      const bool from_top = end(*i) - begin(*i) > length_ / 8;
      const std::int64_t address = free.take(i->bytes(), plan.fit, from_top);
      if (address < 0) {
        wanted_ = i;
        free_ = free.largest();
        live_.clear();
        for (; !live.empty(); live.pop()) live_.push_back(live.top().interval);
        for (const Interval& f : fixed) live_.push_back(&f);
        sort_live();
        return false;
      }
      addresses.push_back(address);
      live.push({end(*i), address, i});
    }
    for (std::size_t n = 0; keep && n < order.size(); ++n) module_.buffers[intervals_[order[n]].buffer].address = addresses[n];
    return true;
  }

  void sort_live() {
    std::sort(live_.begin(), live_.end(), [](const Interval* a, const Interval* b) {
      return a->bytes() != b->bytes() ? a->bytes() > b->bytes() : a->buffer < b->buffer;
    });
    largest_.clear();
    total_ = 0;
    for (const Interval* i : live_) {
      total_ += i->bytes();
      if (largest_.size() < 3) largest_.push_back(*i);
    }
  }

  std::string name(BufferId id) const {
    const std::string& text = module_.buffers[id].name;
    return "%" + (text.empty() ? "#" + std::to_string(id.index) : text);
  }

  Failure full() const {
    std::string message = std::string(space_ == isa::Space::Psum ? "PSUM" : "SBUF") + " is full at instruction " +
                          std::to_string(wanted_->begin) + ": " + name(wanted_->buffer) + " needs " +
                          std::to_string(wanted_->bytes()) + " bytes per partition, " + std::to_string(total_) + " of " +
                          std::to_string(limit_) + " are taken and the largest free piece has " + std::to_string(free_);
    if (!largest_.empty()) {
      message += "; the largest live buffers are";
      for (std::size_t n = 0; n < largest_.size(); ++n)
        message += (n ? ", " : " ") + name(largest_[n].buffer) + " (" + std::to_string(largest_[n].bytes()) + ")";
    }
    return fail(Code::MemoryFull, message);
  }

  // Fixed addresses that overlap while both buffers are live would change the program's meaning.
  Result<void> fixed_apart(std::vector<Interval> fixed) const {
    std::sort(fixed.begin(), fixed.end(), [](const Interval& a, const Interval& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.buffer < b.buffer;
    });
    const auto address = [&](const Interval& i) { return module_.buffers[i.buffer].address; };
    std::map<std::int64_t, Interval> live;  // by address; disjoint
    std::priority_queue<std::pair<std::uint32_t, std::int64_t>, std::vector<std::pair<std::uint32_t, std::int64_t>>, std::greater<>> ends;
    for (const Interval& i : fixed) {
      if (address(i) + i.bytes() > limit_)
        return fail(Code::AddressTaken, name(i.buffer) + " at address " + std::to_string(address(i)) + " with " +
                                            std::to_string(i.bytes()) + " bytes ends beyond " + std::to_string(limit_));
      for (; !ends.empty() && ends.top().first < i.begin; ends.pop()) live.erase(ends.top().second);
      auto next = live.lower_bound(address(i));
      const Interval* other = nullptr;
      if (next != live.end() && next->first < address(i) + i.bytes()) other = &next->second;
      if (!other && next != live.begin() && std::prev(next)->first + std::prev(next)->second.bytes() > address(i)) other = &std::prev(next)->second;
      if (other)
        return fail(Code::AddressTaken, name(other->buffer) + " at address " + std::to_string(address(*other)) + " and " +
                                            name(i.buffer) + " at " + std::to_string(address(i)) + " overlap while both are live");
      live[address(i)] = i;
      ends.push({i.end, address(i)});
    }
    return {};
  }

  tile::Module& module_;
  std::int64_t limit_;
  isa::Space space_;
  std::vector<Interval> intervals_;
  std::uint32_t length_;
  std::array<std::vector<std::uint32_t>, 2> orders_;  // of the intervals without address, by their begin: narrow, wide
  const Interval* wanted_ = nullptr;
  std::int64_t free_ = 0, total_ = 0;
  std::vector<const Interval*> live_;
  std::vector<Interval> largest_;
};

// Shares of a memory that more copies may fill; what is left lets the pieces fit.
constexpr double kFill[] = {1.0, 0.8, 0.6};

constexpr isa::Space kSpaces[] = {isa::Space::Sbuf, isa::Space::Psum};

std::vector<Interval> of_space(const tile::Module& module, const std::vector<Interval>& all, isa::Space space) {
  std::vector<Interval> out;
  for (const Interval& i : all)
    if (module.buffers[i.buffer].space == space) out.push_back(i);
  return out;
}

}  // namespace

Result<void> fits(tile::Module& module, const Machine& machine) {
  for (const tile::Program& program : module.programs) {
    auto tree = build_regions(program);
    if (!tree) return tree.failure();
    std::vector<RotatingOperand> rotating;
    const std::vector<Interval> all = live_intervals(module, program, *tree, machine, rotating);
    for (isa::Space space : kSpaces)
      ON_TRY(Scan(module, machine, space, of_space(module, all, space), static_cast<std::uint32_t>(program.instructions.size())).run(false));
  }
  return {};
}

Result<void> allocate(tile::Module& module, const Machine& machine, bool deepen) {
  for (tile::Program& program : module.programs) {
    auto tree = build_regions(program);
    if (!tree) return tree.failure();
    std::vector<RotatingOperand> rotating;
    const std::vector<Interval> all = live_intervals(module, program, *tree, machine, rotating);
    for (isa::Space space : kSpaces) {
      const std::vector<Interval> own = of_space(module, all, space);
      Scan scan(module, machine, space, own, static_cast<std::uint32_t>(program.instructions.size()));
      bool done = false;
      for (double fill : kFill) {
        if (!deepen || done) break;
        const auto limit = static_cast<std::int64_t>(fill * static_cast<double>(space_bytes(space, machine)));
        std::vector<Interval> deeper = own;
        if (!add_copies(deeper, limit)) break;
        done = scan.run_deeper(deeper);
        for (const Interval& i : deeper)
          if (done) module.buffers[i.buffer].copies = i.copies;
      }
      if (!done) ON_TRY(scan.run());
    }
    for (const RotatingOperand& r : rotating)
      program.instructions.set_copies(r.instruction, r.operand, module.buffers[r.buffer].copies);
  }
  return {};
}

}  // namespace openneuron::sched
