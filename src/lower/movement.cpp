// Ops that move data by themselves: concatenate, pad, dynamic slices and updates, gather. All by DMA, in place where the
// operand dies.
#include <algorithm>

#include "graph/op_info.h"
#include "lower/function.h"
#include "lower/op_tables.h"

namespace openneuron::lower {

using graph::OpKind;
using isa::AluOp;
using isa::Opcode;
using isa::Operand;
using isa::Space;

Result<void> FunctionLowerer::special(OpId op) {
  for (ValueId r : function_.results(op))
    if (module_.value_type(function_, r).element_count() == 0 && function_.regions(op).empty()) return {};
  switch (function_.kind(op)) {
    case OpKind::Concatenate: return concatenate(op);
    case OpKind::Pad: return pad(op);
    case OpKind::DynamicSlice: return dynamic_slice(op);
    case OpKind::DynamicUpdateSlice: return dynamic_update_slice(op);
    case OpKind::Gather: return gather(op);
    case OpKind::While: return lower_while(op);
    default: return lower_case(op);
  }
}

Form FunctionLowerer::result_in_hbm(OpId op, std::size_t i) {
  const HomeId home = view(function_.result(op, i)).home;
  const Form form = store_.new_hbm(home);
  store_.add_form(home, form);
  return form;
}

bool FunctionLowerer::can_reuse(const View& v) const {
  if (!is_whole(v, store_)) return false;
  const Home& home = const_cast<Store&>(store_).home(v.home);
  return home.writable && home.last_use <= now_ && home.scope == const_cast<Store&>(store_).scope() && store_.hbm(v.home);
}

Result<View> FunctionLowerer::addressable(const View& v) {
  bool plain = v.kind == ViewKind::Memory;
  for (const ViewDim& d : v.dims) plain = plain && d.stride >= 0;
  if (plain) return v;
  std::vector<std::int64_t> shape;
  for (const ViewDim& d : v.dims) shape.push_back(d.size);
  const HomeId home = store_.add("copy", v.type, shape, now_);
  const Form form = store_.new_hbm(home);
  const View copy = whole(home, v.type, shape);
  ON_TRY(copy_view(store_, v, copy, form));
  store_.add_form(home, form);
  return copy;
}

Result<void> FunctionLowerer::concatenate(OpId op) {
  const Form form = result_in_hbm(op);
  const View& all = view(function_.result(op));
  const auto dim = static_cast<std::size_t>(module_.integer(function_, op, "dimension", 0));
  std::int64_t at = 0;
  for (ValueId v : function_.operands(op)) {
    View part = all;
    part.offset += at * all.dims[dim].stride;
    part.dims[dim].size = view(v).dims[dim].size;
    at += part.dims[dim].size;
    ON_TRY(copy_view(store_, view(v), part, form));
  }
  return {};
}

// sum_k min(max(index_k, 0), limit_k) * scale_k per partition, as a [rows, 1] i32 tile.
Result<Operand> FunctionLowerer::clamped_offset(OpId op, std::span<const AxisView> indices,
                                                std::span<const std::int64_t> limits, std::span<const std::int64_t> scales,
                                                Nest& nest, const Roles& roles) {
  Operand total;
  const auto number = [](std::int64_t x) { return immediate(static_cast<double>(x), ElementType::I32); };
  const auto alu = [](AluOp a) { return static_cast<std::int32_t>(a); };
  for (std::size_t k = 0; k < indices.size(); ++k) {
    auto index = nest.read(indices[k], roles, true);
    if (!index) return index.failure();
    if (!is_integer(index->type)) return fail(Code::NoTypeLowering, op_place(module_, function_, op), "the index type has no lowering yet");
    Operand term = nest.tile_buffer(Space::Sbuf, "offset", ElementType::I32, roles, {});
    emitter().emit(Opcode::TensorScalar, {term, *index, number(0), number(limits[k])}, {alu(AluOp::Max), 0, alu(AluOp::Min), 0});
    if (scales[k] != 1) {
      const Operand scaled = nest.tile_buffer(Space::Sbuf, "offset", ElementType::I32, roles, {});
      emitter().emit(Opcode::TensorScalar, {scaled, term, number(scales[k]), number(0)}, {alu(AluOp::Multiply), 0, alu(AluOp::Bypass), 0});
      term = scaled;
    }
    if (k == 0) {
      total = term;
      continue;
    }
    const Operand sum = nest.tile_buffer(Space::Sbuf, "offset", ElementType::I32, roles, {});
    emitter().emit(Opcode::TensorTensor, {sum, total, term}, {alu(AluOp::Add)});
    total = sum;
  }
  return total;
}

// Start indices of a dynamic slice: constants go into `constant`, the others are clamped, combined and loaded into a register.
Result<DynamicOffset> FunctionLowerer::dynamic_offset(OpId op, std::span<const ValueId> indices, const View& base,
                                                      std::span<const std::int64_t> sizes, std::int64_t& constant) {
  std::vector<AxisView> dynamic;
  std::vector<std::int64_t> limits, scales;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    const View& index = view(indices[d]);
    const std::int64_t limit = base.dims[d].size - sizes[d];
    if (limit == 0) continue;
    if (index.kind == ViewKind::Splat) {
      constant += std::clamp<std::int64_t>(static_cast<std::int64_t>(index.splat), 0, limit) * base.dims[d].stride;
      continue;
    }
    dynamic.push_back(over_dims(index));
    limits.push_back(limit);
    scales.push_back(base.dims[d].stride);
  }
  if (dynamic.empty()) return DynamicOffset{};
  Nest nest(store_, {});
  const Roles roles;
  for (const AxisView& v : dynamic)
    if (v.kind == ViewKind::Memory) nest.prepare(v, roles, false);
  auto offset = clamped_offset(op, dynamic, limits, scales, nest, roles);
  if (!offset) return offset.failure();
  const std::int16_t reg = emitter().new_register();
  emitter().emit(Opcode::RegisterLoad, {register_operand(reg), *offset});
  return DynamicOffset{reg, byte_width(base.type)};
}

Result<void> FunctionLowerer::dynamic_slice(OpId op) {
  const auto operands = function_.operands(op);
  auto addressed = addressable(view(operands[0]));
  if (!addressed) return addressed.failure();
  const View& base = *addressed;
  const auto sizes = module_.ints(function_, op, "slice_sizes");
  View source = base;
  for (std::size_t i = 0; i < sizes.size(); ++i) source.dims[i].size = sizes[i];
  auto offset = dynamic_offset(op, operands.subspan(1), base, sizes, source.offset);
  if (!offset) return offset.failure();
  store_.make_hbm(base.home);
  const Form form = result_in_hbm(op);
  return copy_view(store_, source, view(function_.result(op)), form, {}, *offset);
}

Result<void> FunctionLowerer::dynamic_update_slice(OpId op) {
  const auto operands = function_.operands(op);
  const View& base = view(operands[0]);
  const View& update = view(operands[1]);
  const View& result = view(function_.result(op));
  Form form;
  if (can_reuse(base)) {
    form = *store_.hbm(base.home);  // the operand dies here: its memory becomes the result's
    store_.add_form(result.home, form);
  } else {
    form = result_in_hbm(op);
    ON_TRY(copy_view(store_, base, result, form));
  }
  std::vector<std::int64_t> sizes;
  View target = result;
  for (std::size_t i = 0; i < update.dims.size(); ++i) {
    sizes.push_back(update.dims[i].size);
    target.dims[i].size = update.dims[i].size;
  }
  auto offset = dynamic_offset(op, operands.subspan(2), result, sizes, target.offset);
  if (!offset) return offset.failure();
  return copy_view(store_, update, target, form, *offset);
}

// Rows by DMA with one offset per partition: the batch of indices lies on partitions, the window in the free dims.
Result<void> FunctionLowerer::gather(OpId op) {
  auto addressed = addressable(view(function_.operand(op, 0)));
  if (!addressed) return addressed.failure();
  const View& base = *addressed;
  const View& indices = view(function_.operand(op, 1));
  const View& result = view(function_.result(op));
  const auto list = [&](std::string_view name) { return module_.ints(function_, op, name); };
  const auto has = [](std::span<const std::int64_t> l, std::int64_t x) { return std::find(l.begin(), l.end(), x) != l.end(); };
  const auto vector_dim = static_cast<std::size_t>(module_.integer(function_, op, "index_vector_dim", 0));
  const auto offset_dims = list("offset_dims"), collapsed = list("collapsed_slice_dims"), batching = list("operand_batching_dims"),
             index_batching = list("start_indices_batching_dims"), map = list("start_index_map"), sizes = list("slice_sizes");
  // Axes: batch dims of the result in order, then window dims.
  std::vector<std::int64_t> axis_sizes;
  std::vector<std::int64_t> result_strides, base_strides;
  std::vector<AxisView> index_views(map.size());
  std::vector<std::size_t> batch_dims, window_dims;
  for (std::size_t d = 0; d < result.dims.size(); ++d)
    (has(offset_dims, static_cast<std::int64_t>(d)) ? window_dims : batch_dims).push_back(d);
  std::vector<std::size_t> index_dims;
  for (std::size_t d = 0; d < indices.dims.size(); ++d)
    if (d != vector_dim) index_dims.push_back(d);
  std::vector<std::int64_t> batch_base(batch_dims.size(), 0);  // operand stride of batching dims
  for (std::size_t b = 0; b < batching.size(); ++b) {
    const auto at = static_cast<std::size_t>(std::find(index_dims.begin(), index_dims.end(), static_cast<std::size_t>(index_batching[b])) - index_dims.begin());
    batch_base[at] = base.dims[static_cast<std::size_t>(batching[b])].stride;
  }
  for (std::size_t i = 0; i < batch_dims.size(); ++i) {
    axis_sizes.push_back(result.dims[batch_dims[i]].size);
    result_strides.push_back(result.dims[batch_dims[i]].stride);
    base_strides.push_back(batch_base[i]);
  }
  std::size_t w = 0;
  for (std::size_t d = 0; d < base.dims.size(); ++d) {
    if (has(collapsed, static_cast<std::int64_t>(d)) || has(batching, static_cast<std::int64_t>(d))) continue;
    axis_sizes.push_back(sizes[d]);
    result_strides.push_back(result.dims[window_dims[w++]].stride);
    base_strides.push_back(base.dims[d].stride);
  }
  std::vector<std::int64_t> limits, scales;
  std::int64_t largest = 0;
  std::vector<std::vector<std::int64_t>*> merged = {&result_strides, &base_strides};
  for (std::size_t k = 0; k < map.size(); ++k) {
    AxisView v = over_dims(indices);
    v.strides.clear();
    for (std::size_t d : index_dims) v.strides.push_back(indices.dims[d].size > 1 ? indices.dims[d].stride : 0);
    v.strides.resize(axis_sizes.size(), 0);
    if (vector_dim < indices.dims.size()) v.offset += static_cast<std::int64_t>(k) * indices.dims[vector_dim].stride;
    index_views[k] = v;
    const auto d = static_cast<std::size_t>(map[k]);
    limits.push_back(base.dims[d].size - sizes[d]);
    scales.push_back(base.dims[d].stride);
    largest += limits.back() * scales.back();
  }
  for (AxisView& v : index_views) merged.push_back(&v.strides);
  merge_neighbours(axis_sizes, merged);

  Nest nest(store_, {});
  for (std::int64_t n : axis_sizes) {
    Axis a;
    a.size = n;
    nest.axes.push_back(a);
  }
  Roles roles, index_roles;
  std::vector<int> order;
  // The largest batch axis lies on partitions; not one that moves the operand's rows, which the offsets do not say.
  for (std::size_t a = 0; a < batch_dims.size(); ++a)
    if (axis_sizes[a] > 1 && base_strides[a] == 0 && (roles.partition < 0 || axis_sizes[a] > axis_sizes[static_cast<std::size_t>(roles.partition)]))
      roles.partition = static_cast<int>(a);
  if (roles.partition >= 0) {
    Axis& p = nest.axes[static_cast<std::size_t>(roles.partition)];
    p.tile = p.extent = tile_of(p.size, tile_limit(emitter().machine()));
  }
  index_roles.partition = roles.partition;
  std::int64_t room = std::clamp<std::int64_t>(emitter().machine().sbuf_partition_bytes / 16, 64, 4096);
  for (std::size_t a = axis_sizes.size(); a-- > batch_dims.size() && roles.free.size() < 3;) {
    if (axis_sizes[a] == 1) continue;
    Axis& x = nest.axes[a];
    x.tile = x.extent = tile_of(x.size, std::max<std::int64_t>(room, 1));
    room /= x.tile;
    roles.free.insert(roles.free.begin(), static_cast<int>(a));
    if (x.tile < x.size) break;
  }
  for (std::size_t a = 0; a < axis_sizes.size(); ++a)
    if (static_cast<int>(a) == roles.partition || nest.axes[a].size > nest.axes[a].tile) order.push_back(static_cast<int>(a));
  for (const AxisView& v : index_views)
    if (v.kind == ViewKind::Memory) nest.prepare(v, index_roles, false);
  store_.make_hbm(base.home);

  AxisView from, to;
  from.home = base.home;
  from.type = to.type = base.type;
  from.offset = base.offset;
  from.strides = base_strides;
  to.home = result.home;
  to.strides = result_strides;
  std::optional<Form> on_chip;
  if (roles.partition >= 0) {
    const auto p = static_cast<std::size_t>(roles.partition);
    const Home& home = store_.home(result.home);
    const std::int64_t s = result_strides[p], n = axis_sizes[p];
    if (s > 0 && home.count % (s * n) == 0) {
      const Form probe{FormKind::Tiled, s, n, nest.axes[p].tile, BufferId()};
      if (nest.target(result.home, probe, to, roles)) on_chip = store_.new_tiled(result.home, s, n, nest.axes[p].tile);
    }
  }
  const Form form = on_chip ? *on_chip : store_.new_hbm(result.home);
  ON_TRY(nest.over(order, [&]() -> Result<void> {
    Operand source = *nest.target(base.home, *store_.hbm(base.home), from, roles);
    std::int32_t indirect = 0;
    Operand offsets = no_operand();
    if (!index_views.empty()) {
      auto total = clamped_offset(op, index_views, limits, scales, nest, index_roles);
      if (!total) return total.failure();
      offsets = *total;
      indirect = 1;
      source.indirect_stride = byte_width(base.type);
      source.indirect_limit = largest + 1;
    }
    Operand target;
    if (on_chip) {
      target = *nest.target(result.home, form, to, roles);
    } else {
      target = nest.tile_buffer(Space::Sbuf, "rows", base.type, roles, std::vector<bool>(roles.free.size(), true));
    }
    const Operand kept = target;
    merge_dims({&target, &source});
    emitter().emit(Opcode::Dma, {target, source, offsets}, {indirect, 0});
    if (!on_chip) {
      Operand out = *nest.target(result.home, form, to, roles), in = kept;
      merge_dims({&out, &in});
      emitter().emit(Opcode::Dma, {out, in, no_operand()}, {0, 0});
    }
    return {};
  }));
  store_.add_form(result.home, form);
  return {};
}

}  // namespace openneuron::lower
