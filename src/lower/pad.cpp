// pad: a fill and a copy into its middle. In tiles when the axis that readers want on partitions is not padded: then one
// memset and a copy within partitions, or the same in HBM in the tiles' order; else row-major in HBM.
#include <algorithm>

#include "lower/function.h"

namespace openneuron::lower {

using isa::Opcode;
using isa::Operand;

Result<void> FunctionLowerer::pad(OpId op) {
  const View& all = view(function_.result(op));
  const View& value = view(function_.operand(op, 1));
  const auto low = module_.ints(function_, op, "edge_padding_low"), interior = module_.ints(function_, op, "interior_padding");
  View source = view(function_.operand(op, 0)), target = all;
  bool empty = false;
  for (std::size_t i = 0; i < all.dims.size(); ++i) {
    // Element k goes to low + k*(interior+1); those that fall outside are cut off.
    const std::int64_t step = interior[i] + 1, n = source.dims[i].size, size = all.dims[i].size;
    std::int64_t first = 0, last = n - 1;
    if (low[i] < 0) first = std::min(n, (-low[i] + step - 1) / step);
    if (low[i] + last * step >= size) last = size - 1 < low[i] ? -1 : (size - 1 - low[i]) / step;
    if (last < first) {
      empty = true;
      break;
    }
    source.offset += first * source.dims[i].stride;
    target.offset += (low[i] + first * step) * all.dims[i].stride;
    source.dims[i].size = target.dims[i].size = last - first + 1;
    target.dims[i].stride = all.dims[i].stride * step;
  }
  if (!empty && value.kind == ViewKind::Splat) {
    auto done = pad_in_tiles(value, source, target);
    if (!done || *done) return done ? Result<void>() : done.failure();
  }
  const Form form = result_in_hbm(op);
  if (value.kind == ViewKind::Splat && store_.home(all.home).count > 0) {
    fill_form(store_, all.home, form, value.splat);
    return empty ? Result<void>() : copy_view(store_, source, target, form);
  }
  View fill = value;
  fill.dims.assign(all.dims.size(), {});
  for (std::size_t i = 0; i < all.dims.size(); ++i) fill.dims[i] = {all.dims[i].size, 0};
  ON_TRY(copy_view(store_, fill, all, form));
  return empty ? Result<void>() : copy_view(store_, source, target, form);
}

// The partition axis is a dim that is copied whole; among those the one that readers want most, else the one that the
// source has on partitions.
Result<bool> FunctionLowerer::pad_in_tiles(const View& value, const View& source, const View& target) {
  const Home& home = store_.home(target.home);
  const std::int64_t limit = tile_limit(emitter().machine());
  std::size_t axis = target.dims.size();
  double best = 0;
  for (std::size_t i = 0; i < target.dims.size(); ++i) {
    const ViewDim& d = target.dims[i];
    if (d.size <= 1 || d.stride <= 0 || home.count % (d.size * d.stride) != 0 || target.offset % (d.size * d.stride) / d.stride != 0) continue;
    double score = 0;
    for (const Demand& want : demands_[target.home])
      if (want.stride == d.stride) score += want.weight;
    if (source.kind == ViewKind::Memory)
      for (const Form& f : store_.home(source.home).forms)
        if (f.kind == FormKind::Tiled && f.s == source.dims[i].stride) score += static_cast<double>(source.count()) * 0.5;
    if (score > best) {
      best = score;
      axis = i;
    }
  }
  if (axis == target.dims.size()) return false;
  const ViewDim partition = target.dims[axis];
  // Few channels of an image in HBM stay there: rows of pixels are what is long.
  if (source.kind == ViewKind::Memory && partition.size < emitter().machine().quadrant && partition.stride * byte_width(home.type) < kShortRun) {
    bool in_hbm = true;
    for (const Form& f : store_.home(source.home).forms) in_hbm = in_hbm && !f.on_chip();
    if (in_hbm) return false;
  }
  AxisView from = over_dims(source), to = over_dims(target);
  std::vector<std::int64_t> sizes;
  for (const ViewDim& d : target.dims) sizes.push_back(d.size);
  Nest nest(store_, {});
  for (std::int64_t n : sizes) {
    Axis a;
    a.size = n;
    nest.axes.push_back(a);
  }
  Axis& p = nest.axes[axis];
  p.tile = p.extent = tile_of(p.size, limit);
  Roles roles;
  roles.partition = static_cast<int>(axis);
  std::vector<int> order = {static_cast<int>(axis)};
  std::int64_t room = emitter().machine().sbuf_partition_bytes / 16;  // of a streamed tile
  for (std::size_t i = sizes.size(); i-- > 0;) {
    if (i == axis || sizes[i] == 1) continue;
    Axis& a = nest.axes[i];
    if (roles.free.size() < 3 && room > 1) {
      a.tile = a.extent = tile_of(a.size, std::max<std::int64_t>(room, 1));
      room /= a.tile;
      roles.free.insert(roles.free.begin(), static_cast<int>(i));
    }
  }
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (i != axis && nest.axes[i].size > nest.axes[i].tile) order.push_back(static_cast<int>(i));
  const Form probe{FormKind::Tiled, partition.stride, partition.size, p.tile, BufferId()};
  if (!nest.target(target.home, probe, to, roles)) return false;
  auto form = store_.new_tiled(target.home, partition.stride, partition.size, p.tile);
  if (!form && partition.stride * byte_width(home.type) < kShortRun && home.last_use != UINT32_MAX &&
      nest.target(target.home, Form{FormKind::Spilled, partition.stride, partition.size, p.tile, BufferId()}, to, roles))
    form = store_.new_spilled(target.home, partition.stride, partition.size);
  if (!form) return false;
  if (from.kind == ViewKind::Memory) nest.prepare(from, roles, false);
  fill_form(store_, target.home, *form, value.splat);
  const bool direct = from.kind == ViewKind::Memory && !nest.on_chip(from, roles);
  ON_TRY(nest.over(order, [&]() -> Result<void> {
    auto written = nest.target(target.home, *form, to, roles);
    if (!written) return fail(Code::Internal, "a padded value cannot be written");
    Operand read;
    if (direct) {  // from HBM straight to its place
      const Form* at = nest.streamed_from(from, roles);
      auto o = at ? nest.target(from.home, *at, from, roles) : std::nullopt;
      if (!o) return fail(Code::Internal, "a padded value cannot be read");
      read = *o;
    } else {
      auto o = nest.read(from, roles, true);
      if (!o) return o.failure();
      read = *o;
    }
    merge_dims({&*written, &read});
    if (direct || !form->on_chip())
      emitter().emit(Opcode::Dma, {*written, read, no_operand()}, {0, 0});
    else
      emitter().emit(Opcode::Copy, {*written, read});
    return {};
  }));
  store_.add_form(target.home, *form);
  return true;
}

}  // namespace openneuron::lower
