// One loop nest under emission: axes with roles, the loops over their tiles, and the reading of values tile by tile.
#pragma once
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "lower/store.h"

namespace openneuron::lower {

/// One axis of a nest. `tile` elements at a time are on partitions or in the free dims; tile 1 = looped.
struct Axis {
  std::int64_t size = 1;
  std::int64_t tile = 1;
  // the current tile
  std::int64_t start = 0;
  std::int64_t extent = 1;
  LoopId loop;                ///< steps by `tile`; none: `start` says all
  std::int64_t trips = 1;
  bool unrolled = false;      ///< emitted once for each index instead of looped: see GroupEmitter::unroll_stacked
};

/// An affine reading over the axes of a nest.
struct AxisView {
  ViewKind kind = ViewKind::Memory;
  ElementType type = ElementType::F32;
  HomeId home;
  double splat = 0;
  std::int64_t offset = 0;
  std::vector<std::int64_t> strides;  ///< per axis
  bool operator==(const AxisView& o) const {
    return kind == o.kind && type == o.type && home == o.home && splat == o.splat && offset == o.offset && strides == o.strides;
  }
};

/// Which axis lies on partitions and which are free dims, in this order; the others are looped.
struct Roles {
  int partition = -1;           ///< -1: none (one row, or `rows` equal rows)
  std::vector<int> free;
  std::int64_t rows = 1;        ///< partitions when there is no partition axis
  /// Axes stacked outside of the partition axis, outermost first: row (a, b, p) of the tile lies at partition
  /// (a * |b| + b) * |p| + p. Such tiles are streamed from HBM.
  std::vector<int> stacked;
};

class Nest {
 public:
  Nest(Store& store, std::vector<Axis> axes) : axes(std::move(axes)), store_(store), emitter_(store.emitter()) {}

  std::vector<Axis> axes;
  Emitter& emitter() { return emitter_; }
  Store& store() { return store_; }

  /// Opens the loops over the tiles of `order` (outermost first) and calls `body` for every combination of full and
  /// rest tiles. A single full tile has its loop as well: code size does not depend on the sizes.
  Result<void> over(std::span<const int> order, const std::function<Result<void>()>& body);

  /// Before the loops: makes the forms that reads in these roles will want, as far as SBUF has room. A home that no
  /// on-chip form serves is left in HBM (or is stored there) and streamed.
  /// `blocks`: the reader streams in blocks, which may be turned as they are loaded.
  void prepare(const AxisView& view, const Roles& roles, bool keep, bool blocks = false);
  /// After `prepare`, when nothing reads the home later and nothing but this view reads it now: forms that the view does
  /// not use give their room back.
  void drop_unused(const AxisView& view, const Roles& roles);
  /// True when some on-chip form serves the view for every tile.
  bool on_chip(const AxisView& view, const Roles& roles);
  /// True when the form serves the view for every tile.
  bool serves(const AxisView& view, const Form& form, const Roles& roles) { return fits(view, form, roles, 0); }
  /// The block of the view's home that starts at the current tile: the rows of the partition axis and those stacked on it,
  /// and `dims` (strides of the home, counts) in place of the free axes. From HBM, where the runs are longest.
  std::optional<isa::Operand> block(const AxisView& view, const Roles& roles, std::span<const isa::Dim> dims);
  /// The form in HBM that gives the longest runs; null when none can be read.
  const Form* streamed_from(const AxisView& view, const Roles& roles);
  /// The current tile of the view: dims are the free axes in order (stride 0 where it does not vary). Streams from HBM
  /// when needed. Splats give an immediate unless `as_memory`.
  Result<isa::Operand> read(const AxisView& view, const Roles& roles, bool as_memory);
  /// The current tile of a form that is being written.
  std::optional<isa::Operand> target(HomeId home, const Form& form, const AxisView& view, const Roles& roles) const;

  std::int64_t rows(const Roles& roles) const {
    std::int64_t n = roles.partition >= 0 ? axes[static_cast<std::size_t>(roles.partition)].extent : roles.rows;
    for (int a : roles.stacked) n *= axes[static_cast<std::size_t>(a)].extent;
    return n;
  }
  /// Whether the view is best loaded in rows of its one free axis, as it lies in HBM, and turned on the PE: the contracted
  /// axis runs along the rows, so that columns would come element by element.
  bool turns_rows(const AxisView& view, const Roles& roles);
  /// Whether reads turn tiles on the PE.
  bool turns(const AxisView& view, const Roles& roles) { return turned_from(view, roles) != nullptr; }
  /// Whether SBUF has room for a form with the partition axis' elements one a row, which would serve every tile of the view.
  bool keepable(const AxisView& view, const Roles& roles);
  /// A dense tile buffer over the free axes that `varies` marks; dims of the others have stride 0.
  isa::Operand tile_buffer(isa::Space space, std::string_view name, ElementType type, const Roles& roles,
                           const std::vector<bool>& varies, bool rotate = true);
  /// A [rows, 1] buffer of one repeated value, filled once, outside of the loops when made there.
  isa::Operand filled(double value, ElementType type, const Roles& roles);
  /// Forgets tiles read so far: called where a new tile begins.
  void begin_tile() { cache_.clear(); }

 private:
  std::vector<Use> uses(const AxisView& view, const Roles& roles) const;
  std::int64_t start(const AxisView& view) const;
  std::optional<isa::Operand> in_form(const AxisView& view, const Form& form, const Roles& roles) const;
  /// The form on chip whose rows are the view's one free axis: tiles of it can be turned on the PE as they are read. Null
  /// when there is none, or when tiles would be turned again and again.
  const Form* turned_from(const AxisView& view, const Roles& roles);
  isa::Operand turn_tile(const AxisView& view, const Form& form, const Roles& roles);
  std::int64_t run_bytes(const AxisView& view, const Form& form, const Roles& roles);
  static std::int64_t run_bytes(const isa::Operand& o, std::int64_t width);
  void make_streamed(const AxisView& view, const Roles& roles);
  bool fits(const AxisView& view, const Form& form, const Roles& roles, std::size_t from);
  Result<isa::Operand> generate_iota(const AxisView& view, const Roles& roles);

  Store& store_;
  Emitter& emitter_;
  struct Cached {
    AxisView view;
    std::vector<int> roles;
    isa::Operand operand;
  };
  std::vector<Cached> cache_;
};

}  // namespace openneuron::lower
