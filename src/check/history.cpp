#include "check/history.h"

#include <algorithm>

namespace openneuron::check {

std::uint32_t Moments::inside(std::uint32_t outer, std::uint32_t region, std::int64_t iteration) {
  const auto key = std::make_pair(static_cast<std::uint64_t>(outer) << 32 | region, iteration);
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  const auto id = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({outer, region, iteration, nodes_[outer].depth + 1});
  known_.emplace(key, id);
  return id;
}

bool Moments::before(std::uint32_t a, std::uint32_t order_a, std::uint32_t b, std::uint32_t order_b) const {
  // Climb to a common node; the last region climbed out of takes the place of the instruction.
  std::int64_t iteration_a = -1, iteration_b = -1;
  const auto climb = [&](std::uint32_t& node, std::uint32_t& order, std::int64_t& iteration) {
    order = nodes_[node].region;
    iteration = nodes_[node].iteration;
    node = nodes_[node].outer;
  };
  while (a != b) {
    const std::uint32_t da = nodes_[a].depth, db = nodes_[b].depth;
    if (da >= db) climb(a, order_a, iteration_a);
    if (db >= da) climb(b, order_b, iteration_b);
  }
  return order_a != order_b ? order_a < order_b : iteration_a < iteration_b;
}

Conflict History::add(const Event& event, const Reach& reach, bool write, const std::vector<std::uint32_t>& known, const Moments& moments) {
  if (reach.end <= reach.begin) return {};
  Pieces& pieces = memories_[reach.memory];
  if (pieces.empty()) pieces[INT64_MIN].lists.resize(2 * streams_);
  const auto cut = [&](std::int64_t at) {
    const auto next = pieces.lower_bound(at);
    if (next != pieces.end() && next->first == at) return next;
    return pieces.emplace_hint(next, at, std::prev(next)->second);
  };
  const auto id = static_cast<std::uint32_t>(entries_.size());
  entries_.push_back({event, reach});
  const auto first = cut(reach.begin), last = cut(reach.end);
  for (auto piece = first; piece != last; ++piece) {
    for (std::size_t s = 0; s < streams_; ++s) {
      if (s == event.stream) continue;
      for (int kind = write ? 0 : 1; kind < 2; ++kind) {
        const auto& list = piece->second.lists[2 * s + static_cast<std::size_t>(kind)];
        // Streams run in order: once an entry is known and comes before, so do all older ones.
        for (std::size_t n = list.size(); n-- > 0;) {
          const Entry& e = entries_[list[n]];
          const bool complete = e.event.number <= known[s];
          const bool before = e.event.core != event.core || moments.before(e.event.moment, e.event.instruction->order, event.moment, event.instruction->order);
          if (complete && before) break;
          if (!overlap(e.reach, reach)) continue;
          return {complete ? Conflict::Backwards : Conflict::Unordered, e.event};
        }
      }
    }
    auto& own = piece->second.lists[2 * event.stream + (write ? 1 : 0)];
    // Where this access reaches every byte of the piece in at least their partitions, older ones of its stream and kind
    // say nothing more.
    if (reach.dense)
      while (!own.empty() && entries_[own.back()].reach.first_partition >= reach.first_partition &&
             entries_[own.back()].reach.end_partition <= reach.end_partition)
        own.pop_back();
    own.push_back(id);
  }
  return {};
}

}  // namespace openneuron::check
