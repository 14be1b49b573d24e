#include "lower/block.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace openneuron::lower {

using isa::Operand;

bool Block::plan(Nest& nest, const AxisView& view, const Roles& roles, const std::vector<bool>& inside, std::int64_t room) {
  rest_.reset();
  if (view.kind != ViewKind::Memory || roles.partition < 0) return planned_ = false;
  std::vector<int> rows = roles.stacked;
  rows.push_back(roles.partition);
  for (int a : rows) {
    const auto i = static_cast<std::size_t>(a);
    const Axis whole = nest.axes[i];
    const std::int64_t rest = whole.size % whole.tile;
    if (!inside[i] || rest == 0 || view.strides[i] == 0) continue;
    if (rest_) return planned_ = false;  // two axes with rests
    rest_axis_ = a;
    rest_from_ = whole.size - rest;
    rest_ = std::make_unique<Block>();
    AxisView beyond = view;
    beyond.offset += view.strides[i] * rest_from_;
    nest.axes[i].size = nest.axes[i].tile = nest.axes[i].extent = rest;
    const bool fits = rest_->plan_part(nest, beyond, roles, inside, room);
    nest.axes[i] = whole;
    if (!fits || rest_->turned_) return planned_ = false;
  }
  if (!rest_) return plan_part(nest, view, roles, inside, room);
  const auto i = static_cast<std::size_t>(rest_axis_);
  const Axis whole = nest.axes[i];
  nest.axes[i].size = rest_from_;
  const bool fits = plan_part(nest, view, roles, inside, room - rest_->bytes_);
  nest.axes[i] = whole;
  return planned_ = fits && !turned_;
}

bool Block::plan_part(Nest& nest, const AxisView& view, const Roles& roles, const std::vector<bool>& inside, std::int64_t room) {
  planned_ = false;
  std::vector<Dim> dims;
  for (std::size_t a = 0; a < nest.axes.size(); ++a) {
    const Axis& axis = nest.axes[a];
    const std::int64_t stride = view.strides[a];
    const int number = static_cast<int>(a);
    if (stride == 0 || axis.size == 1) continue;
    const bool free = std::find(roles.free.begin(), roles.free.end(), number) != roles.free.end();
    const bool rows = number == roles.partition || std::find(roles.stacked.begin(), roles.stacked.end(), number) != roles.stacked.end();
    Walk walk{number, 1, 1, 1, inside[a]};
    if (rows) {  // its tiles lie side by side
      if (!inside[a] || axis.size == axis.tile) continue;
      if (axis.size % axis.tile != 0) return false;
      walk.unit = axis.tile;
      walk.count = axis.size / axis.tile;
    } else {
      walk.count = inside[a] ? axis.size : free ? axis.tile : 1;
    }
    if (walk.count == 1) continue;
    dims.push_back({stride * walk.unit, walk.count, 0, {walk}});
  }
  // Axes whose readings overlap, as those of outputs and taps do, walk through one dim.
  std::stable_sort(dims.begin(), dims.end(), [](const Dim& a, const Dim& b) { return std::abs(a.stride) > std::abs(b.stride); });
  for (std::size_t i = dims.size(); i-- > 1;) {
    Dim &outer = dims[i - 1], &inner = dims[i];
    if (std::abs(outer.stride) >= std::abs(inner.stride) * inner.count) continue;
    if (outer.stride < 0 || inner.stride < 0) return false;
    const std::int64_t unit = std::gcd(outer.stride, inner.stride), outer_step = outer.stride / unit, inner_step = inner.stride / unit;
    for (Walk& w : outer.walks) w.step *= outer_step;
    for (Walk& w : inner.walks) w.step *= inner_step;
    outer.walks.insert(outer.walks.end(), inner.walks.begin(), inner.walks.end());
    outer.count = 1;
    for (const Walk& w : outer.walks) outer.count += (w.count - 1) * w.step;
    outer.stride = unit;
    dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(i));
  }
  // Tiles of rows come from places far apart, so that their elements do not lie next to each other.
  std::stable_partition(dims.begin(), dims.end(), [](const Dim& d) { return d.walks.size() == 1 && d.walks[0].unit > 1; });
  turned_ = nest.turns_rows(view, roles);
  for (const Dim& d : dims)  // tiles of rows are turned one by one: each axis has a dim of its own, and all columns lie in it
    if (turned_ && (d.walks.size() != 1 || (d.walks[0].axis == roles.free[0]) == d.walks[0].inside)) return false;
  if (turned_)  // columns of what is turned lie side by side
    std::stable_partition(dims.begin(), dims.end(), [&](const Dim& d) { return d.walks[0].axis != roles.free[0]; });
  bytes_ = byte_width(view.type);
  for (std::size_t i = dims.size(); i-- > 0;) {
    dims[i].pitch = bytes_;
    bytes_ *= dims[i].count;
  }
  const auto most = static_cast<std::size_t>(nest.emitter().machine().access_dims);
  if (bytes_ > room || dims.size() + roles.stacked.size() > most) return false;
  view_ = view;
  roles_ = roles;
  inside_ = inside;
  dims_ = std::move(dims);
  planned_ = readable(nest, 0);
  return planned_;
}

// Whether some form in HBM gives the block of every tile of the axes outside.
bool Block::readable(Nest& nest, std::size_t from) const {
  while (from < nest.axes.size() && inside_[from]) ++from;
  if (from == nest.axes.size()) return nest.block(view_, roles_, extents(nest)).has_value();
  Axis& a = nest.axes[from];
  const Axis saved = a;
  const std::int64_t full = a.size / a.tile, rest = a.size % a.tile;
  bool good = true;
  for (const bool last : {false, true}) {
    if (!good || (last ? rest : full) == 0) continue;
    a.start = last ? full * a.tile : 0;
    a.extent = last ? rest : a.tile;
    a.loop = !last && full > 1 ? LoopId(std::size_t{0}) : LoopId();
    a.trips = last ? 1 : full;
    good = readable(nest, from + 1);
  }
  a = saved;
  return good;
}

std::vector<isa::Dim> Block::extents(const Nest& nest) const {
  std::vector<isa::Dim> counts;
  for (const Dim& d : dims_) {
    std::int64_t count = d.count;
    for (const Walk& w : d.walks) {  // a rest tile reads less
      const Axis& axis = nest.axes[static_cast<std::size_t>(w.axis)];
      if (!w.inside) count -= (w.count - axis.extent) * w.step;
    }
    counts.push_back({d.stride, count});
  }
  return counts;
}

// Rows of the free axis come as they lie in HBM, all taps and tiles of the contracted axis in them, and are turned on the PE.
Result<void> Block::load_turned(Nest& nest) {
  const int free = roles_.free[0], partition = roles_.partition;
  Axis& f = nest.axes[static_cast<std::size_t>(free)];
  const Axis& k = nest.axes[static_cast<std::size_t>(partition)];
  const bool inside = inside_[static_cast<std::size_t>(partition)];
  const std::int64_t width = byte_width(view_.type), columns = inside ? k.size : k.extent;
  std::vector<isa::Dim> counts;         // of a row: taps, then the columns that are turned
  std::vector<const Dim*> taps;
  std::int64_t pitch = 0, elements = columns;  // pitch: of a tile of the contracted axis in the block
  for (const Dim& d : dims_) {
    if (d.walks[0].axis == partition) pitch = d.pitch;
    if (d.walks[0].axis == partition || d.walks[0].axis == free) continue;
    counts.push_back({d.stride, d.count});
    taps.push_back(&d);
    elements *= d.count;
  }
  counts.push_back({view_.strides[static_cast<std::size_t>(partition)], columns});
  Emitter& e = nest.emitter();
  const std::string& name = nest.store().home(view_.home).name;
  block_ = e.whole(e.buffer(isa::Space::Sbuf, name + "_block", nest.rows(roles_), bytes_, true), view_.type, nest.rows(roles_));
  Roles swapped;
  swapped.partition = free;
  const Axis saved = f;
  const std::int64_t limit = tile_limit(e.machine());
  e.note(isa::NoteKind::Turned, name, saved.extent * elements * width, "the contraction wants the contracted axis on partitions and the rows lie along it in HBM");
  // All rows first: the next block's come in while these are turned. Tiles of `limit` rows come side by side, by one DMA
  // where an access has a dim left for them.
  struct Rows {
    std::int64_t at = 0, tiles = 1, here = 0;
    Operand loaded;
  };
  std::vector<Rows> parts;
  const bool together = counts.size() + 2 <= static_cast<std::size_t>(e.machine().access_dims);
  for (std::int64_t at = 0; at < saved.extent;) {
    const std::int64_t here = std::min(limit, saved.extent - at), tiles = together && here == limit ? (saved.extent - at) / limit : 1;
    parts.push_back({at, tiles, here, {}});
    at += tiles * here;
  }
  for (Rows& r : parts) {
    f.start = saved.start + r.at;
    f.extent = r.here;
    std::vector<isa::Dim> dims = counts;
    dims.insert(dims.begin(), {view_.strides[static_cast<std::size_t>(free)] * limit, r.tiles});
    auto source = nest.block(view_, swapped, dims);
    if (!source) {
      f = saved;
      return fail(Code::Internal, "rows of " + name + " cannot be read");
    }
    r.loaded = e.whole(e.buffer(isa::Space::Sbuf, name + "_rows", r.here, r.tiles * elements * width, true), view_.type, r.here);
    Operand to = r.loaded;
    std::int64_t row_pitch = r.tiles * elements * width;
    for (const isa::Dim& d : dims) to.dims.push_back({row_pitch /= d.count, d.count});
    merge_dims({&to, &*source});
    e.emit(isa::Opcode::Dma, {to, *source, no_operand()}, {0, 0});
  }
  for (const Rows& r : parts) {
    const std::int64_t here = r.here;
    const auto turn = [&](auto& self, std::size_t tap, Operand from, Operand part, std::int64_t tap_pitch) -> void {
      if (tap < taps.size()) {
        tap_pitch /= taps[tap]->count;
        return over_tiles(e, taps[tap]->count, 1, [&](std::int64_t, std::int64_t, LoopId loop, std::int64_t) {
          Operand inner = from, target = part;
          inner.terms.push_back({loop, 0, tap_pitch});
          target.terms.push_back({loop, 0, taps[tap]->pitch});
          self(self, tap + 1, inner, target, tap_pitch);
        });
      }
      over_tiles(e, columns, inside ? k.tile : k.extent, [&](std::int64_t start, std::int64_t extent, LoopId loop, std::int64_t) {
        Operand source_tile = from, target = part;
        source_tile.start += start * width;
        source_tile.dims.push_back({width, extent});
        target.partition_count = static_cast<std::uint16_t>(extent);
        target.start += start / k.tile * pitch;
        target.dims.push_back({width, here});
        if (loop.valid()) {
          source_tile.terms.push_back({loop, 0, k.tile * width});
          target.terms.push_back({loop, 0, pitch});
        }
        Operand bank = e.whole(e.buffer(isa::Space::Psum, "turned", extent, here * width, true), view_.type, extent);
        bank.dims.push_back({width, here});
        e.emit(isa::Opcode::Transpose, {bank, source_tile});
        e.emit(isa::Opcode::Copy, {target, bank});
      });
    };
    over_tiles(e, r.tiles, 1, [&](std::int64_t, std::int64_t, LoopId loop, std::int64_t) {
      Operand from = r.loaded, first = block_;
      first.start += r.at * width;
      if (loop.valid()) {
        from.terms.push_back({loop, 0, elements * width});
        first.terms.push_back({loop, 0, limit * width});
      }
      turn(turn, 0, from, first, elements * width);
    });
  }
  f = saved;
  return {};
}

Result<void> Block::load(Nest& nest) {
  ON_TRY(load_part(nest));
  if (!rest_) return {};
  Axis& axis = nest.axes[static_cast<std::size_t>(rest_axis_)];
  const Axis saved = axis;
  axis.extent = axis.size - rest_from_;
  auto loaded = rest_->load_part(nest);
  axis = saved;
  return loaded;
}

Result<void> Block::load_part(Nest& nest) {
  if (turned_) return load_turned(nest);
  const std::vector<isa::Dim> counts = extents(nest);
  auto source = nest.block(view_, roles_, counts);
  const std::string& name = nest.store().home(view_.home).name;
  if (!source) return fail(Code::Internal, "a block of " + name + " cannot be read");
  const std::int64_t rows = nest.rows(roles_);
  const BufferId id = nest.emitter().buffer(isa::Space::Sbuf, name + "_block", rows, bytes_, true);
  block_ = nest.emitter().whole(id, view_.type, rows);
  Operand to = block_;
  for (std::size_t i = 0; i < dims_.size(); ++i) to.dims.push_back({dims_[i].pitch, counts[i].count});
  if (roles_.stacked.empty()) {
    merge_dims({&to, &*source});
  } else {  // the same elements in the same order, in other shapes
    merge_dims({&to});
    merge_dims({&*source});
  }
  nest.emitter().emit(isa::Opcode::Dma, {to, *source, no_operand()}, {0, 0});
  return {};
}

Operand Block::tile(const Nest& nest) const {
  if (rest_ && nest.axes[static_cast<std::size_t>(rest_axis_)].start >= rest_from_) return rest_->tile(nest);
  Operand o = block_;
  o.partition_count = static_cast<std::uint16_t>(nest.rows(roles_));
  for (int f : roles_.free) o.dims.push_back({0, nest.axes[static_cast<std::size_t>(f)].extent});
  for (const Dim& d : dims_)
    for (const Walk& w : d.walks) {
      const Axis& axis = nest.axes[static_cast<std::size_t>(w.axis)];
      const std::int64_t step = w.step * d.pitch;
      for (std::size_t i = 0; i < roles_.free.size(); ++i)
        if (roles_.free[i] == w.axis) o.dims[i].stride = step;
      if (!w.inside) continue;
      o.start += axis.start / w.unit * step;
      if (axis.loop.valid() && axis.trips > 1) o.terms.push_back({axis.loop, 0, axis.tile / w.unit * step});
    }
  return o;
}

}  // namespace openneuron::lower
