// Groups that repeat, as those of a model's layers do, are lowered once and stamped: the tile instructions of a group that
// was alike in all that lowering reads (ops, plan, forms of its homes, room in SBUF) are copied, with buffers, loops,
// registers and locations renamed, and the store's books are kept as the first one kept them. What comes out is the same,
// byte for byte, as without; `--disable stamp` is for the test of that.
#pragma once
#include <bit>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "lower/group.h"

namespace openneuron::lower {

class Stamper {
 public:
  explicit Stamper(Context& context) : c_(context) {}

  /// Lowers group `index` by copying one that was alike; false when there was none. Then the caller lowers it, and calls
  /// record when that is done.
  bool stamp(std::int32_t index);
  void record();

 private:
  // Homes and buffers in the order in which the group names them: their places are their numbers in the key.
  struct Names {
    std::vector<HomeId> homes;
    std::vector<BufferId> buffers;  // that there are before the group
  };
  // How much there is of what groups add to.
  struct Marks {
    std::size_t instructions = 0, buffers = 0, homes = 0, notes = 0, report = 0;
    std::uint32_t loops = 0, registers = 0;
  };
  struct Stem {  // a name, of a buffer's before the buffer's number
    std::int32_t home = -1;  // whose name comes first
    std::string rest;
  };
  struct NoteCopy {
    Stem value;
    std::size_t located = 0;  // the op that it is about
  };
  struct Record {
    std::vector<std::uint64_t> key;
    Names names;
    std::vector<OpId> ops;
    Marks from, to;
    std::vector<Located> located;
    std::vector<Booking> bookings;
    std::vector<std::vector<Form>> forms;  // afterwards, of each home
    std::vector<Stem> stems;               // of the new buffers
    std::vector<NoteCopy> notes;
    bool usable = false;
  };

  void describe(const Group& group);
  void describe_value(ValueId value);
  void describe_home(HomeId home);
  void describe_region(FunctionId region);
  std::uint64_t number_of(BufferId buffer);
  template <class... Words>
  void put(Words... words) {
    (key_.push_back(static_cast<std::uint64_t>(words)), ...);
  }
  void put_real(double number) { put(std::bit_cast<std::uint64_t>(number)); }
  template <class List>
  void put_all(const List& list) {
    put(list.size());
    for (auto item : list) put(item);
  }
  Marks marks();
  bool can_copy(Record& record);
  bool stem_of(std::string name, const Names& names, Stem& stem) const;
  std::string name_of(const Stem& stem) const;
  void copy(const Record& record);

  Context& c_;
  std::int32_t index_ = 0;
  std::vector<std::uint64_t> key_;
  Names names_;
  std::vector<ValueId> values_;
  std::uint64_t hash_ = 0;
  bool recording_ = false;
  Marks from_;
  std::vector<Located> located_;
  std::vector<Booking> bookings_;
  std::unordered_map<std::uint64_t, Record> records_;
};

}  // namespace openneuron::lower
