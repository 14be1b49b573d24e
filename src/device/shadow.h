// What check mode knows about each few bytes of memory: who wrote them last and who has read them since.
#pragma once
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "device/memory.h"
#include "isa/instruction.h"

namespace openneuron::device {

/// One executed instruction: the clock-th of its stream (streams of all cores are numbered through).
struct Event {
  std::uint32_t stream = 0;
  std::uint32_t clock = 0;
  const isa::Instruction* instruction = nullptr;
};
/// Index into History::events; 0 is "nobody".
using EventId = std::uint32_t;

/// The executed instructions, and what each stream is ordered after.
struct History {
  std::vector<Event> events{Event{}};
  std::vector<std::vector<std::uint32_t>> known;  ///< [stream][other]: so many of other's instructions come before it

  bool before(EventId earlier, std::uint32_t stream) const {
    const Event& e = events[earlier];
    return e.stream == stream || known[stream][e.stream] >= e.clock;
  }
};

/// What an access found wrong.
struct Conflict {
  EventId other = 0;  ///< 0: nothing has written the bytes
  std::int64_t byte = 0;
};

/// Sets of readers: an event by itself, or an interned set of the latest reader of each stream.
class ReaderSets {
 public:
  std::uint32_t add(const History& history, std::uint32_t set, EventId reader);
  /// The members of a set; `one` is room for a set of one.
  const EventId* members(std::uint32_t set, EventId& one, std::size_t& count) const;

 private:
  static constexpr std::uint32_t kInterned = 0x80000000u;
  std::vector<std::vector<EventId>> sets_;
  std::unordered_map<std::uint64_t, std::uint32_t> next_;  ///< (set, reader) -> set
};

/// The shadow of one memory: SBUF or PSUM of a core, or a variable. Starts empty; mapped, so untouched parts cost
/// nothing.
class Shadow {
 public:
  Shadow() = default;
  /// `granule`: bytes of a cell, 1, 2 or 4; every access starts and ends at multiples of it.
  Shadow(std::int64_t bytes, std::int64_t granule, bool initialised);
  bool valid() const { return cells_.data() != nullptr; }

  /// The event reads or writes bytes [first, first + count).
  std::optional<Conflict> read(const History& history, ReaderSets& sets, EventId event, std::int64_t first,
                               std::int64_t count);
  std::optional<Conflict> write(const History& history, const ReaderSets& sets, EventId event, std::int64_t first,
                                std::int64_t count);
  /// The first byte below `bytes` that nothing wrote, or -1.
  std::int64_t unwritten(std::int64_t bytes) const;

 private:
  struct Cell {
    EventId writer;
    std::uint32_t readers;
  };
  Mapping cells_;
  std::int64_t granule_ = 4;
  bool initialised_ = false;
};

}  // namespace openneuron::device
