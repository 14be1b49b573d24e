#include "lower/halo.h"

#include <algorithm>
#include <numeric>

namespace openneuron::lower {

using isa::Operand;

bool Halo::plan(Nest& nest, const AxisView& view, const Roles& roles, std::span<const SpatialAxes> spatial, std::int64_t room) {
  if (view.kind != ViewKind::Memory || !roles.stacked.empty() || roles.partition < 0) return false;
  const auto axis = [&](int a) -> const Axis& { return nest.axes[static_cast<std::size_t>(a)]; };
  const auto stride = [&](int a) { return view.strides[static_cast<std::size_t>(a)]; };
  std::vector<Dim> dims;
  std::vector<bool> placed(nest.axes.size(), false);
  bool taps = false;
  for (const SpatialAxes& s : spatial) {
    if (axis(s.tap).size == 1 && axis(s.out).size == 1) continue;
    if (stride(s.out) < 0 || stride(s.tap) <= 0) return false;
    if (s.tap == roles.partition || s.out == roles.partition) return false;
    Dim d{s.out, s.tap, std::gcd(stride(s.out), stride(s.tap))};
    d.out_step = stride(s.out) / d.stride;
    d.tap_step = stride(s.tap) / d.stride;
    d.count = (axis(s.out).tile - 1) * d.out_step + (axis(s.tap).size - 1) * d.tap_step + 1;
    taps = taps || axis(s.tap).size > 1;
    placed[static_cast<std::size_t>(s.out)] = true;
    dims.push_back(d);
  }
  for (int f : roles.free) {
    if (placed[static_cast<std::size_t>(f)] || stride(f) == 0) continue;
    dims.insert(dims.begin(), Dim{f, -1, stride(f), 1, 0, axis(f).tile, 1});
  }
  // The tile is written once, densely: the innermost dim last.
  std::stable_sort(dims.begin(), dims.end(), [](const Dim& a, const Dim& b) { return a.stride > b.stride; });
  std::int64_t bytes = byte_width(view.type);
  for (std::size_t i = dims.size(); i-- > 0;) {
    dims[i].pitch = bytes;
    bytes *= dims[i].count;
  }
  if (!taps || bytes > room || dims.size() > static_cast<std::size_t>(nest.emitter().machine().access_dims)) return false;
  view_ = view;
  roles_ = roles;
  dims_ = std::move(dims);
  return true;
}

Result<void> Halo::load(Nest& nest) {
  std::vector<isa::Dim> counts;
  for (const Dim& d : dims_) {
    // A rest tile has fewer outputs.
    const std::int64_t outputs = nest.axes[static_cast<std::size_t>(d.out)].extent, full = nest.axes[static_cast<std::size_t>(d.out)].tile;
    counts.push_back({d.stride, d.count - (full - outputs) * d.out_step});
  }
  auto source = nest.block(view_, roles_, counts);
  if (!source) return fail(Code::Internal, "a halo tile of " + nest.store().home(view_.home).name + " cannot be read");
  std::int64_t bytes = byte_width(view_.type);
  for (const Dim& d : dims_) bytes *= d.count;
  const std::int64_t rows = nest.rows(roles_);
  const BufferId id = nest.emitter().buffer(isa::Space::Sbuf, nest.store().home(view_.home).name + "_halo", rows, bytes, true);
  tile_ = nest.emitter().whole(id, view_.type, rows);
  Operand destination = tile_;
  for (std::size_t i = 0; i < dims_.size(); ++i) destination.dims.push_back({dims_[i].pitch, counts[i].count});
  merge_dims({&destination, &*source});
  nest.emitter().emit(isa::Opcode::Dma, {destination, *source, no_operand()}, {0, 0});
  return {};
}

Operand Halo::tap(const Nest& nest) const {
  Operand o = tile_;
  for (const Dim& d : dims_) {
    if (d.tap < 0) continue;
    const Axis& t = nest.axes[static_cast<std::size_t>(d.tap)];
    o.start += t.start * d.tap_step * d.pitch;
    if (t.loop.valid()) o.terms.push_back({t.loop, 0, t.tile * d.tap_step * d.pitch});
  }
  for (int f : roles_.free) {
    isa::Dim dim{0, nest.axes[static_cast<std::size_t>(f)].extent};
    for (const Dim& d : dims_)
      if (d.out == f) dim.stride = d.out_step * d.pitch;
    o.dims.push_back(dim);
  }
  return o;
}

}  // namespace openneuron::lower
