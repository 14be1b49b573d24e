// Homes: where values live. A home is a row-major run of elements with one or more forms, all holding the same values:
// in HBM, tiled over partitions, or replicated on every partition. The store keeps the books of SBUF residency (a budget
// in bytes per partition, released after a home's last use) and makes the forms that are asked for.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "lower/emitter.h"
#include "lower/form.h"
#include "lower/view.h"

namespace openneuron::lower {

struct Home {
  std::string name;
  ElementType type = ElementType::F32;
  std::int64_t count = 1;
  std::vector<std::int64_t> shape;
  std::vector<Form> forms;
  std::uint32_t last_use = 0;      ///< the group after which nothing reads it (returned values: never)
  std::uint32_t last_read = 0;     ///< the last group that reads it, returns aside
  std::uint32_t scratches = 0;     ///< variables in scratch HBM made for it so far
  std::size_t scope = 0;           ///< where it was made: only there may it be written in place
  bool writable = true;            ///< false: an input that is not donated
  std::optional<double> fill;      ///< what its first form holds before it is written: the home of a padded value
  BufferId hbm_target;             ///< where an HBM form is to lie (an output variable), if anywhere
  std::int64_t wanted = 0, left = 0;  ///< bytes per partition that SBUF last had no room for, and what it had
};

/// How one axis takes part in an access: as the partition axis, as a free dim, or through a loop.
struct Use {
  enum Kind : std::uint8_t { Partition, Dim, Loop } kind = Dim;
  std::int64_t step = 0;   ///< home elements
  std::int64_t count = 1;
  LoopId loop;
};

/// Room in SBUF that was asked for, or given back (below 0).
struct Booking {
  HomeId home;
  std::int64_t bytes = 0;  ///< per partition
};

class Store {
 public:
  /// `residency`: the share of SBUF that values may fill; the rest is for the tiles of the running nest.
  Store(Emitter& emitter, double residency);

  Emitter& emitter() { return emitter_; }
  HomeId add(std::string name, ElementType type, std::vector<std::int64_t> shape, std::uint32_t last_use);
  Home& home(HomeId id) { return homes_[id]; }
  const Home& home(HomeId id) const { return homes_[id]; }
  std::size_t home_count() const { return homes_.size(); }

  /// Group `now` begins: forms of homes that are dead by now give their bytes back.
  void begin_group(std::uint32_t now);
  std::uint32_t now() const { return now_; }
  /// Takes `bytes` per partition until the home's last use; false when the budget has no room.
  bool reserve(HomeId id, std::int64_t bytes);
  /// Gives back what was reserved for the home once; false when nothing of that size was.
  bool give_back(HomeId id, std::int64_t bytes);
  std::int64_t used() const { return used_; }
  /// From here on bookings are added to the list too; none: to no list.
  void note_bookings(std::vector<Booking>* list) { bookings_ = list; }
  bool has_room(std::int64_t bytes) const { return used_ + bytes + 64 <= budget_; }
  /// Forms made from here on are dropped at the matching pop (bodies of loops and branches run zero or many times).
  std::size_t scope() const { return scope_; }
  void push_scope();
  void pop_scope();

  /// The access in one form, or nothing when the form cannot express it. `partitions`: rows when no use is Partition.
  std::optional<isa::Operand> operand(HomeId id, const Form& form, std::int64_t start, std::span<const Use> uses,
                                      std::int64_t partitions) const;
  const Form* hbm(HomeId id) const;

  /// Makes the form (or finds it). False when there is no room or no way; nothing is emitted then.
  bool make_tiled(HomeId id, std::int64_t s, std::int64_t n, std::int64_t tile);
  bool make_replicated(HomeId id);
  /// A copy in HBM in the order of tiles (s, n), from such tiles or turned from rows; false when the home may not have one.
  bool make_spilled(HomeId id, std::int64_t s, std::int64_t n);
  /// Before the home is stored: turns it into rows when its tiles would go out in short runs.
  void make_rows(HomeId id);
  /// The HBM form, stored from another one when there is none yet.
  void make_hbm(HomeId id);
  /// A new SBUF form without contents, to be written by a nest; nothing when the budget has no room.
  std::optional<Form> new_tiled(HomeId id, std::int64_t s, std::int64_t n, std::int64_t tile);
  std::optional<Form> new_replicated(HomeId id);
  /// A new HBM form without contents: the home's output variable, else scratch.
  Form new_hbm(HomeId id);
  /// A new form in scratch HBM in the order of tiles (s, n).
  std::optional<Form> new_spilled(HomeId id, std::int64_t s, std::int64_t n);
  /// Nothing reads the home's forms on chip any more but the one in `kept`: the others give their bytes back.
  void keep_only(HomeId id, BufferId kept);
  void add_form(HomeId id, Form form) { homes_[id].forms.push_back(form); }
  /// Copies the contents into `to` (HBM), from whatever form there is.
  void copy_to_hbm(HomeId id, const Form& to);
  /// The home was written in place through its HBM form: its other forms are stale.
  void keep_only_hbm(HomeId id);

 private:
  std::int64_t element_bytes(HomeId id) const { return byte_width(homes_[id].type); }
  void transfer_tiled(HomeId id, const Form& tiled, const Form& hbm, bool to_hbm);
  Form scratch(HomeId id, const char* order);
  // store_turns.cpp
  bool can_turn(const Home& home, std::int64_t s, std::int64_t n) const;
  void turn(HomeId id, const Form& rows, const Form& tiles, bool to_rows);
  std::int64_t turn_together(HomeId id, const Form& rows, const Form& tiles, bool to_rows);
  bool turn_within(HomeId id, const Form& rows, const Form& spilled);
  bool copy_tiled(HomeId id, const Form& from, const Form& to);
  bool transpose_tiled(HomeId id, const Form& from, const Form& to);
  bool can_transpose(const Home& home, const Form& from, const Form& to) const;
  BufferId sbuf(const Home& home, std::int64_t partitions, std::int64_t bytes);

  Emitter& emitter_;
  StableColumn<HomeId, Home> homes_;
  std::int64_t budget_;
  std::int64_t used_ = 0;
  std::uint32_t now_ = 0;
  struct Reservation {
    HomeId home;
    std::int64_t bytes;
    std::size_t scope;
  };
  std::vector<Reservation> reservations_;
  std::vector<Booking>* bookings_ = nullptr;
  struct ScopedForm {
    HomeId home;
    BufferId buffer;
    std::size_t scope;
  };
  std::vector<ScopedForm> scoped_forms_;
  std::size_t scope_ = 0;
};

/// True when the view reads a whole home in row-major order.
bool is_whole(const View& view, const Store& store);

}  // namespace openneuron::lower
