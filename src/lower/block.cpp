#include "lower/block.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace openneuron::lower {

using isa::Operand;

bool Block::plan(Nest& nest, const AxisView& view, const Roles& roles, const std::vector<bool>& inside, std::int64_t room) {
  planned_ = false;
  if (view.kind != ViewKind::Memory || roles.partition < 0) return false;
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

Result<void> Block::load(Nest& nest) {
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
