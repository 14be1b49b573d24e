// Reductions of a nest group: of one tile, and over tiles.
#include "lower/group.h"
#include "lower/op_tables.h"

namespace openneuron::lower {

using graph::OpKind;
using isa::AluOp;
using isa::Opcode;
using isa::Operand;
using isa::Space;

bool GroupEmitter::is_reduction(OpId op) const {
  return op != group_.contraction && (c_.function.kind(op) == OpKind::Reduce || c_.function.kind(op) == OpKind::ReduceWindow);
}

Result<void> GroupEmitter::emit_reduce(OpId op) {
  auto in = input(op, 0);
  if (!in) return in.failure();
  const Operand to = destination_for(c_.function.result(op));
  reduce_tile(op, *in, to);
  return finish_value(c_.function.result(op), to);
}

// Reductions that no tile holds: an accumulator of the kept elements for each, combined with each tile's own reduction.
// The other ops of the group run tile by tile in the same loops.
Result<void> GroupEmitter::emit_accumulating() {
  struct Sum {
    OpId op;
    AluOp alu;
    Operand accumulator;  // of the kept elements
  };
  std::vector<Sum> sums;
  const auto kept_tile = [&](OpId op, const char* name) {
    const ValueId result = c_.function.result(op);
    const std::vector<bool> kept = varies(result);
    Operand o = nest_.tile_buffer(Space::Sbuf, name, c_.module.value_type(c_.function, result).element, roles_, kept);
    for (std::size_t i = 0; i < kept.size(); ++i)
      if (!kept[i]) o.dims[i].count = 1;
    return o;
  };
  for (OpId op : group_.ops) {
    if (!is_reduction(op)) continue;
    OpKind kind = OpKind::Add;
    graph::single_op_region(c_.module.function(c_.function.regions(op)[0]), kind);
    const ElementType type = c_.module.value_type(c_.function, c_.function.result(op)).element;
    const double start = c_.plan.values[c_.function.operand(op, 1).index].view.splat;
    set_location(op);
    sums.push_back({op, reduce_alu(kind, type), kept_tile(op, "accumulator")});
    Operand flat = sums.back().accumulator;
    merge_dims({&flat});
    nest_.emitter().emit(Opcode::Memset, {flat, immediate(start, is_float(type) ? ElementType::F32 : ElementType::I32)});
  }
  ON_TRY(nest_.over(inner_order_, [&]() -> Result<void> {
    tiles_.clear();
    std::size_t next = 0;
    for (OpId op : group_.ops) {
      set_location(op);
      if (!is_reduction(op)) {
        ON_TRY(emit_op(op));
        continue;
      }
      const Sum& sum = sums[next++];
      auto in = input(op, 0);
      if (!in) return in.failure();
      Operand part = kept_tile(op, "part");
      reduce_tile(op, *in, part);
      Operand a = sum.accumulator, b = sum.accumulator;
      merge_dims({&a, &b, &part});
      nest_.emitter().emit(Opcode::TensorTensor, {a, b, part}, {static_cast<std::int32_t>(sum.alu)});
    }
    return {};
  }));
  for (const Sum& sum : sums) {
    set_location(sum.op);
    Operand to = destination_for(c_.function.result(sum.op)), from = sum.accumulator;
    const Operand kept = to;
    merge_dims({&to, &from});
    nest_.emitter().emit(Opcode::Copy, {to, from});
    ON_TRY(finish_value(c_.function.result(sum.op), kept));
  }
  return {};
}

// to = the reduction of one tile.
void GroupEmitter::reduce_tile(OpId op, const TileValue& in, const Operand& to) {
  const ValueId result = c_.function.result(op), source = c_.function.operand(op, 0);
  OpKind kind = OpKind::Add;
  graph::single_op_region(c_.module.function(c_.function.regions(op)[0]), kind);
  const ElementType type = c_.module.value_type(c_.function, source).element;
  const Operand data = memory(in, in.is_immediate ? type : in.operand.type);
  // Kept dims first, reduced ones last; dims that neither has are dropped.
  const std::vector<bool> kept = varies(result);
  Operand ordered = data, written = to, reduced = data;
  ordered.dims.clear();
  written.dims.clear();
  reduced.dims.clear();
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i]) {
      ordered.dims.push_back(data.dims[i]);
      written.dims.push_back(to.dims[i]);
    } else if (reduces_axis(op, roles_.free[i])) {
      reduced.dims.push_back(data.dims[i]);
    }
  }
  merge_dims({&ordered, &written});
  merge_dims({&reduced});
  if (reduced.dims.empty()) reduced.dims.push_back({0, 1});
  for (const isa::Dim& d : reduced.dims) ordered.dims.push_back(d);
  nest_.emitter().emit(Opcode::TensorReduce, {written, ordered}, {static_cast<std::int32_t>(reduce_alu(kind, type)), static_cast<std::int32_t>(reduced.dims.size())});
}

// Whether the reduction consumes the (merged) axis: its operand varies along it and its result does not.
bool GroupEmitter::reduces_axis(OpId op, int axis) const {
  const ValueId source = c_.function.operand(op, 0);
  if (c_.function.kind(op) == OpKind::ReduceWindow) {  // the taps lie behind the output's dims
    const std::size_t rank = c_.module.value_type(c_.function, source).shape.size();
    for (std::size_t a = rank; a < group_.domain.size(); ++a)
      if (merged_into_[a] == axis) return true;
    return false;
  }
  const std::vector<std::int8_t> axes = inside(source) ? c_.plan.values[source.index].axes : operand_axes(op, source);
  const auto gone = c_.module.ints(c_.function, op, "dimensions");
  for (std::int64_t d : gone) {
    const std::int8_t a = axes[static_cast<std::size_t>(d)];
    if (a != kAnyAxis && merged_into_[static_cast<std::size_t>(a)] == axis) return true;
  }
  return false;
}

}  // namespace openneuron::lower
