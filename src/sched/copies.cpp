#include "sched/copies.h"

#include <algorithm>

namespace openneuron::sched {
namespace {

// Bytes alive over time: adds to a range, asks for the largest of a range, both in logarithmic time.
class Pressure {
 public:
  explicit Pressure(std::size_t points) {
    while (size_ < points) size_ *= 2;
    largest_.assign(2 * size_, 0);
    added_.assign(2 * size_, 0);
  }
  void add(std::size_t begin, std::size_t end, std::int64_t bytes) { add(1, 0, size_, begin, end, bytes); }
  std::int64_t largest(std::size_t begin, std::size_t end) const { return largest(1, 0, size_, begin, end); }

 private:
  void add(std::size_t node, std::size_t from, std::size_t to, std::size_t begin, std::size_t end, std::int64_t bytes) {
    if (end <= from || to <= begin) return;
    if (begin <= from && to <= end) {
      largest_[node] += bytes;
      added_[node] += bytes;
      return;
    }
    const std::size_t middle = (from + to) / 2;
    add(2 * node, from, middle, begin, end, bytes);
    add(2 * node + 1, middle, to, begin, end, bytes);
    largest_[node] = std::max(largest_[2 * node], largest_[2 * node + 1]) + added_[node];
  }
  std::int64_t largest(std::size_t node, std::size_t from, std::size_t to, std::size_t begin, std::size_t end) const {
    if (end <= from || to <= begin) return 0;
    if (begin <= from && to <= end) return largest_[node];
    const std::size_t middle = (from + to) / 2;
    return std::max(largest(2 * node, from, middle, begin, end), largest(2 * node + 1, middle, to, begin, end)) + added_[node];
  }
  std::size_t size_ = 1;
  std::vector<std::int64_t> largest_, added_;
};

// Copies beyond which no latency is left to hide: a transfer's is some ten instructions long, another engine's two or three.
constexpr std::uint16_t kMostOfLoads = 8, kMostOfResults = 4;

}  // namespace

bool add_copies(std::vector<Interval>& intervals, std::int64_t limit) {
  std::vector<std::uint32_t> begins;  // bytes alive are most where something begins
  for (const Interval& i : intervals) begins.push_back(i.wide_begin);
  std::sort(begins.begin(), begins.end());
  begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
  const auto point = [&](std::uint32_t at) {
    return static_cast<std::size_t>(std::lower_bound(begins.begin(), begins.end(), at) - begins.begin());
  };
  struct Growing {
    Interval* interval;
    std::size_t begin, end;  // points
    std::uint16_t most;
  };
  Pressure pressure(begins.size());
  std::vector<Growing> growing;
  for (Interval& i : intervals) {
    const std::size_t begin = point(i.wide_begin), end = point(i.wide_end + 1);
    pressure.add(begin, end, i.bytes());
    const std::uint16_t most = std::min(i.most_copies, i.loaded ? kMostOfLoads : kMostOfResults);
    if (most > i.copies) growing.push_back({&i, begin, end, most});
  }
  std::stable_sort(growing.begin(), growing.end(), [](const Growing& a, const Growing& b) { return a.interval->loaded > b.interval->loaded; });
  bool changed = false;
  while (!growing.empty()) {
    std::vector<Growing> again;
    for (const Growing& g : growing) {
      Interval& i = *g.interval;
      if (pressure.largest(g.begin, g.end) + i.pitch > limit) continue;
      pressure.add(g.begin, g.end, i.pitch);
      changed = true;
      if (++i.copies < g.most) again.push_back(g);
    }
    growing = std::move(again);
  }
  return changed;
}

}  // namespace openneuron::sched
