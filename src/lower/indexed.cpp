#include "lower/indexed.h"

#include <algorithm>

namespace openneuron::lower {

using isa::AluOp;
using isa::Opcode;
using isa::Operand;
using isa::Space;

namespace {

bool has(std::span<const std::int64_t> list, std::size_t x) {
  return std::find(list.begin(), list.end(), static_cast<std::int64_t>(x)) != list.end();
}

Operand number(std::int64_t x) { return immediate(static_cast<double>(x), ElementType::I32); }
std::int32_t alu(AluOp op) { return static_cast<std::int32_t>(op); }

// Numbers 0, 1, ... along one axis.
AxisView counting(std::size_t axes, std::size_t axis) {
  AxisView v;
  v.kind = ViewKind::Iota;
  v.type = ElementType::I32;
  v.strides.assign(axes, 0);
  v.strides[axis] = 1;
  return v;
}

}  // namespace

IndexedRows indexed_rows(const View& operand, const View& indices, const View& rows, const IndexedDims& dims) {
  IndexedRows out;
  std::vector<std::size_t> batch_dims, window_dims, index_dims;
  for (std::size_t d = 0; d < rows.dims.size(); ++d) (has(dims.window_dims, d) ? window_dims : batch_dims).push_back(d);
  for (std::size_t d = 0; d < indices.dims.size(); ++d)
    if (d != dims.vector_dim) index_dims.push_back(d);
  out.batch = batch_dims.size();
  std::vector<std::int64_t> row_strides, operand_strides;
  for (std::size_t d : batch_dims) {
    out.sizes.push_back(rows.dims[d].size);
    row_strides.push_back(rows.dims[d].stride);
    operand_strides.push_back(0);
  }
  std::size_t w = 0;
  for (std::size_t d = 0; d < operand.dims.size(); ++d) {
    if (has(dims.dropped, d) || has(dims.batching, d)) continue;
    out.sizes.push_back(dims.sizes[d]);
    row_strides.push_back(rows.dims[window_dims[w++]].stride);
    operand_strides.push_back(operand.dims[d].stride);
  }
  const std::size_t axes = out.sizes.size();
  for (std::size_t a = 0; a < axes; ++a)
    if (out.sizes[a] == 1) row_strides[a] = operand_strides[a] = 0;
  for (std::size_t k = 0; k < dims.map.size(); ++k) {
    RowMove move;
    move.index = over_dims(indices);
    move.index.strides.clear();
    for (std::size_t d : index_dims) move.index.strides.push_back(indices.dims[d].size > 1 ? indices.dims[d].stride : 0);
    move.index.strides.resize(axes, 0);
    if (dims.vector_dim < indices.dims.size())
      move.index.offset += static_cast<std::int64_t>(k) * indices.dims[dims.vector_dim].stride;
    const auto d = static_cast<std::size_t>(dims.map[k]);
    move.limit = operand.dims[d].size - dims.sizes[d];
    move.scale = operand.dims[d].stride;
    out.offsets += move.limit * move.scale;
    out.moves.push_back(move);
  }
  for (std::size_t b = 0; b < dims.batching.size(); ++b) {
    const auto at = static_cast<std::size_t>(
        std::find(index_dims.begin(), index_dims.end(), static_cast<std::size_t>(dims.index_batching[b])) - index_dims.begin());
    const ViewDim& d = operand.dims[static_cast<std::size_t>(dims.batching[b])];
    if (d.size > 1) {
      out.moves.push_back({counting(axes, at), -1, d.stride});
      out.offsets += (d.size - 1) * d.stride;
    }
  }
  if (out.moves.empty()) {  // every row lies at the start
    AxisView zero;
    zero.kind = ViewKind::Splat;
    zero.type = ElementType::I32;
    zero.strides.assign(axes, 0);
    out.moves.push_back({zero, -1, 1});
  }
  std::vector<std::vector<std::int64_t>*> merged = {&row_strides, &operand_strides};
  for (RowMove& m : out.moves) merged.push_back(&m.index.strides);
  merge_neighbours(out.sizes, merged);
  out.rows = over_dims(rows);
  out.rows.strides = row_strides;
  out.operand = over_dims(operand);
  out.operand.strides = operand_strides;
  return out;
}

IndexedLayout lay_out(IndexedRows& rows, Nest& nest, bool ordered) {
  const Machine& machine = nest.emitter().machine();
  IndexedLayout layout;
  nest.axes.clear();
  for (std::int64_t n : rows.sizes) {
    Axis a;
    a.size = n;
    nest.axes.push_back(a);
  }
  int innermost_batch = -1, innermost = -1;
  for (std::size_t a = 0; a < rows.sizes.size(); ++a) {
    if (rows.sizes[a] == 1) continue;
    if (a < rows.batch) innermost_batch = static_cast<int>(a);
    innermost = static_cast<int>(a);
  }
  const std::int64_t limit = tile_limit(machine);
  int chosen = -1;
  std::int64_t filled = 1;
  for (std::size_t a = 0; a < rows.sizes.size(); ++a) {
    const int axis = static_cast<int>(a);
    if (rows.sizes[a] == 1 || (a < rows.batch && ordered && axis != innermost_batch)) continue;
    // A window's innermost axis stays free: its elements lie side by side.
    if (a >= rows.batch && axis == innermost) continue;
    const std::int64_t fills = std::min(rows.sizes[a], limit);
    if (fills <= filled) continue;
    chosen = axis;
    filled = fills;
  }
  if (chosen >= 0) {
    const auto p = static_cast<std::size_t>(chosen);
    nest.axes[p].tile = nest.axes[p].extent = tile_of(rows.sizes[p], limit);
    if (rows.operand.strides[p] != 0) {  // a window axis on partitions: its steps are part of the offsets
      rows.moves.push_back({counting(rows.sizes.size(), p), -1, rows.operand.strides[p]});
      rows.offsets += (rows.sizes[p] - 1) * rows.operand.strides[p];
      rows.operand.strides[p] = 0;
    }
  }
  layout.roles.partition = layout.index_roles.partition = chosen;
  std::int64_t room = std::clamp<std::int64_t>(machine.sbuf_partition_bytes / 16, 64, 4096);
  for (std::size_t a = rows.sizes.size(); a-- > rows.batch && layout.roles.free.size() < 3;) {
    if (rows.sizes[a] == 1 || static_cast<int>(a) == chosen) continue;
    Axis& x = nest.axes[a];
    x.tile = x.extent = tile_of(x.size, std::max<std::int64_t>(room, 1));
    room /= x.tile;
    layout.roles.free.insert(layout.roles.free.begin(), static_cast<int>(a));
    if (x.tile < x.size) break;
  }
  for (std::size_t a = 0; a < rows.sizes.size(); ++a)
    if (static_cast<int>(a) == chosen || nest.axes[a].size > nest.axes[a].tile) layout.order.push_back(static_cast<int>(a));
  for (const RowMove& m : rows.moves)
    if (m.index.kind == ViewKind::Memory) nest.prepare(m.index, layout.index_roles, false);
  return layout;
}

Result<Operand> row_offsets(const IndexedRows& rows, Nest& nest, const Roles& index_roles, bool skip) {
  Emitter& emitter = nest.emitter();
  const auto fresh = [&](std::string_view name) {
    return nest.tile_buffer(Space::Sbuf, name, ElementType::I32, index_roles, {});
  };
  const auto scalar = [&](const Operand& data, AluOp op0, std::int64_t x, AluOp op1, std::int64_t y, std::string_view name) {
    const Operand to = fresh(name);
    emitter.emit(Opcode::TensorScalar, {to, data, number(x), number(y)}, {alu(op0), 0, alu(op1), 0});
    return to;
  };
  const auto pair = [&](const Operand& a, const Operand& b, AluOp op, std::string_view name) {
    const Operand to = fresh(name);
    emitter.emit(Opcode::TensorTensor, {to, a, b}, {alu(op)});
    return to;
  };
  Operand total, inside;
  bool any = false, checked = false;
  for (const RowMove& m : rows.moves) {
    if (!skip && m.limit == 0) continue;  // clamped to 0
    auto index = nest.read(m.index, index_roles, true);
    if (!index) return index.failure();
    Operand term = *index;
    if (m.limit >= 0) {
      term = scalar(*index, AluOp::Max, 0, AluOp::Min, m.limit, "offset");
      if (skip) {
        const Operand same = pair(term, *index, AluOp::Equal, "inside");
        inside = checked ? pair(inside, same, AluOp::Multiply, "inside") : same;
        checked = true;
      }
    }
    if (m.scale != 1) term = scalar(term, AluOp::Multiply, m.scale, AluOp::Bypass, 0, "offset");
    total = any ? pair(total, term, AluOp::Add, "offset") : term;
    any = true;
  }
  if (!any) return nest.filled(0, ElementType::I32, index_roles);
  if (!checked) return total;
  // (total + 1) * inside - 1
  const Operand above = scalar(total, AluOp::Add, 1, AluOp::Bypass, 0, "offset");
  const Operand kept = pair(above, inside, AluOp::Multiply, "offset");
  return scalar(kept, AluOp::Subtract, 1, AluOp::Bypass, 0, "offset");
}

RowAxes row_axes(Nest& nest, std::span<const std::int64_t> batch, std::span<const std::int64_t> free) {
  RowAxes out;
  nest.axes.clear();
  for (std::size_t a = 0; a < batch.size(); ++a) {
    Axis axis;
    axis.size = batch[a];
    nest.axes.push_back(axis);
    if (batch[a] > 1 && (out.roles.partition < 0 || batch[a] > batch[static_cast<std::size_t>(out.roles.partition)]))
      out.roles.partition = static_cast<int>(a);
    if (batch[a] > 1) out.order.push_back(static_cast<int>(a));
  }
  for (std::int64_t n : free) {
    Axis axis;
    axis.size = axis.tile = axis.extent = n;
    nest.axes.push_back(axis);
  }
  if (out.roles.partition >= 0) {
    Axis& p = nest.axes[static_cast<std::size_t>(out.roles.partition)];
    p.tile = p.extent = tile_of(p.size, tile_limit(nest.emitter().machine()));
  }
  return out;
}

Operand row_buffer(Nest& nest, const Roles& roles, std::string_view name, ElementType type, std::int64_t count) {
  const std::int64_t width = byte_width(type);
  const BufferId id = nest.emitter().buffer(Space::Sbuf, name, nest.rows(roles), count * width, true);
  Operand o = nest.emitter().whole(id, type, nest.rows(roles));
  o.dims.push_back({width, count});
  return o;
}

RowResult RowResult::make(Nest& nest, HomeId home, const AxisView& view, const Roles& roles, bool may_stay) {
  RowResult out;
  out.home = home;
  out.view = view;
  if (may_stay && roles.partition >= 0) {
    const auto p = static_cast<std::size_t>(roles.partition);
    const std::int64_t s = view.strides[p], n = nest.axes[p].size;
    if (s > 0 && nest.store().home(home).count % (s * n) == 0) {
      const Form probe{FormKind::Tiled, s, n, nest.axes[p].tile, BufferId()};
      if (nest.serves(view, probe, roles))
        if (auto made = nest.store().new_tiled(home, s, n, nest.axes[p].tile)) {
          out.form = *made;
          out.on_chip = true;
          return out;
        }
    }
  }
  out.form = nest.store().new_hbm(home);
  return out;
}

Result<Operand> RowResult::open(Nest& nest, const Roles& roles) const {
  if (!on_chip)
    return nest.tile_buffer(Space::Sbuf, "rows", view.type, roles, std::vector<bool>(roles.free.size(), true));
  auto target = nest.target(home, form, view, roles);
  if (!target) return fail(Code::Internal, "rows cannot be written on chip");
  return *target;
}

Result<void> RowResult::close(Nest& nest, const Roles& roles, const Operand& tile) const {
  return on_chip ? Result<void>() : copy(nest, roles, tile);
}

Result<void> RowResult::copy(Nest& nest, const Roles& roles, const Operand& tile) const {
  auto target = nest.target(home, form, view, roles);
  if (!target) return fail(Code::Internal, "rows cannot be stored");
  Operand out = *target, in = tile;
  merge_dims({&out, &in});
  if (on_chip)
    nest.emitter().emit(Opcode::Copy, {out, in});
  else
    nest.emitter().emit(Opcode::Dma, {out, in, no_operand()}, {0, 0});
  return {};
}

}  // namespace openneuron::lower
