// Ops that move data by themselves: concatenate, pad, dynamic slices and updates. All by DMA, in place where the operand
// dies.
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
    case OpKind::Scatter: return scatter(op);
    case OpKind::Sort: return sort(op);
    case OpKind::ChloTopK: return top_k(op);
    case OpKind::NeuronCollective: return collective(op);
    case OpKind::PartitionId: return partition_id(op);
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
  const Home& home = store_.home(v.home);
  return home.writable && home.last_use <= now_ && home.scope == store_.scope() && store_.hbm(v.home);
}

bool FunctionLowerer::shares_home(OpId op, std::size_t i) const {
  const auto operands = function_.operands(op);
  const View& one = view(operands[i]);
  for (std::size_t j = 0; j < operands.size(); ++j)
    if (j != i && view(operands[j]).kind == ViewKind::Memory && view(operands[j]).home == one.home) return true;
  return false;
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
  if (can_reuse(base) && !shares_home(op, 0)) {
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

}  // namespace openneuron::lower
