#include "device/shadow.h"

#include <algorithm>

namespace openneuron::device {

std::uint32_t ReaderSets::add(const History& history, std::uint32_t set, EventId reader) {
  if (set == 0) return reader;
  const std::uint64_t key = (std::uint64_t{set} << 32) | reader;
  if (const auto found = next_.find(key); found != next_.end()) return found->second;
  EventId one;
  std::size_t count;
  const EventId* old = members(set, one, count);
  const std::uint32_t stream = history.events[reader].stream;
  std::vector<EventId> members_now;
  for (std::size_t i = 0; i < count; ++i)
    if (history.events[old[i]].stream != stream) members_now.push_back(old[i]);
  members_now.push_back(reader);
  std::uint32_t result = reader;
  if (members_now.size() > 1) {
    result = kInterned | static_cast<std::uint32_t>(sets_.size());
    sets_.push_back(std::move(members_now));
  }
  next_.emplace(key, result);
  return result;
}

const EventId* ReaderSets::members(std::uint32_t set, EventId& one, std::size_t& count) const {
  if (set & kInterned) {
    const auto& members = sets_[set & ~kInterned];
    count = members.size();
    return members.data();
  }
  one = set;
  count = set == 0 ? 0 : 1;
  return &one;
}

Shadow::Shadow(std::int64_t bytes, std::int64_t granule, bool initialised)
    : cells_(static_cast<std::size_t>((bytes + granule - 1) / granule) * sizeof(Cell)),
      granule_(granule),
      initialised_(initialised) {}

std::optional<Conflict> Shadow::read(const History& history, ReaderSets& sets, EventId event, std::int64_t first,
                                     std::int64_t count) {
  Cell* cell = reinterpret_cast<Cell*>(cells_.data()) + first / granule_;
  Cell* const end = cell + (count + granule_ - 1) / granule_;
  const std::uint32_t stream = history.events[event].stream;
  // Neighbours mostly look the same: what was found for one holds for the next.
  Cell last{0, 0};
  std::uint32_t readers = 0;
  bool valid = false;
  for (; cell != end; ++cell) {
    if (!valid || cell->writer != last.writer || cell->readers != last.readers) {
      const bool unknown = cell->writer == 0 && !initialised_;
      if (unknown || (cell->writer != 0 && !history.before(cell->writer, stream)))
        return Conflict{cell->writer, (cell - reinterpret_cast<Cell*>(cells_.data())) * granule_};
      last = *cell;
      readers = sets.add(history, cell->readers, event);
      valid = true;
    }
    cell->readers = readers;
  }
  return std::nullopt;
}

std::optional<Conflict> Shadow::write(const History& history, const ReaderSets& sets, EventId event, std::int64_t first,
                                      std::int64_t count) {
  Cell* cell = reinterpret_cast<Cell*>(cells_.data()) + first / granule_;
  Cell* const end = cell + (count + granule_ - 1) / granule_;
  const std::uint32_t stream = history.events[event].stream;
  Cell last{0, 0};
  bool valid = false;
  for (; cell != end; ++cell) {
    if (!valid || cell->writer != last.writer || cell->readers != last.readers) {
      EventId other = 0;
      if (cell->writer != 0 && !history.before(cell->writer, stream)) other = cell->writer;
      EventId one;
      std::size_t members;
      const EventId* readers = sets.members(cell->readers, one, members);
      for (std::size_t i = 0; i < members && other == 0; ++i)
        if (!history.before(readers[i], stream)) other = readers[i];
      if (other != 0) return Conflict{other, (cell - reinterpret_cast<Cell*>(cells_.data())) * granule_};
      last = *cell;
      valid = true;
    }
    *cell = {event, 0};
  }
  return std::nullopt;
}

std::int64_t Shadow::unwritten(std::int64_t bytes) const {
  if (initialised_) return -1;
  const Cell* cells = reinterpret_cast<const Cell*>(cells_.data());
  for (std::int64_t i = 0; i * granule_ < bytes; ++i)
    if (cells[i].writer == 0) return i * granule_;
  return -1;
}

}  // namespace openneuron::device
