// The ops of a nest group on one tile.
#include <cmath>

#include "graph/op_info.h"
#include "lower/group.h"
#include "lower/op_tables.h"

namespace openneuron::lower {

using graph::OpKind;
using isa::AluOp;
using isa::Opcode;
using isa::Operand;
using isa::OperandKind;
using isa::Space;

namespace {

// Gives `o` the counts of `like`: where the result does not vary, one element is enough.
Operand shaped(Operand o, const Operand& like) {
  if (o.kind != OperandKind::Memory) return o;
  for (std::size_t i = 0; i < like.dims.size(); ++i) o.dims[i].count = like.dims[i].count;
  return o;
}

// One element per partition: usable as a [P, 1] scalar operand.
bool is_row_scalar(const Operand& o) {
  for (const isa::Dim& d : o.dims)
    if (d.count > 1 && d.stride != 0) return false;
  return true;
}

Operand row_scalar(Operand o) {
  o.dims.clear();
  return o;
}

std::int32_t code(AluOp op) { return static_cast<std::int32_t>(op); }

AluOp compare_alu(std::string_view direction) {
  if (direction == "EQ") return AluOp::Equal;
  if (direction == "NE") return AluOp::NotEqual;
  if (direction == "GT") return AluOp::Greater;
  if (direction == "GE") return AluOp::GreaterEqual;
  if (direction == "LT") return AluOp::Less;
  return AluOp::LessEqual;
}

// a op b == b swapped(op) a, for ops without a reversed form.
bool exact_reciprocal(double x) {
  int exponent;
  return x != 0 && std::isfinite(x) && std::abs(std::frexp(x, &exponent)) == 0.5 && exponent > -120 && exponent < 120;
}

}  // namespace

std::vector<bool> GroupEmitter::varies(ValueId value) const {
  std::vector<bool> v(roles_.free.size(), false);
  for (std::int8_t a : c_.plan.values[value.index].axes) {
    if (a == kAnyAxis) continue;
    const int axis = merged_into_[static_cast<std::size_t>(a)];
    for (std::size_t i = 0; i < roles_.free.size(); ++i)
      if (roles_.free[i] == axis) v[i] = true;
  }
  if (c_.function.kind(c_.function.definition(value)) == OpKind::Reshape) v.assign(v.size(), true);
  return v;
}

// Where the value's tile is written: its home when that is in SBUF, else a tile buffer.
Operand GroupEmitter::destination_for(ValueId value) {
  const std::vector<bool> has = varies(value);
  const ElementType type = c_.module.value_type(c_.function, value).element;
  Operand o;
  bool placed = false;
  for (const Output& out : outputs_)
    if (out.value == value && out.on_chip)
      if (auto target = nest_.target(out.home, *out.on_chip, out.view, roles_)) {
        o = *target;
        placed = true;
      }
  if (!placed) o = nest_.tile_buffer(Space::Sbuf, "tile", type, roles_, has);
  for (std::size_t i = 0; i < has.size(); ++i)
    if (!has[i]) o.dims[i].count = 1;
  return o;
}

// Records the tile for later ops of the group and stores it when the home lies in HBM.
Result<void> GroupEmitter::finish_value(ValueId value, const Operand& tile) {
  TileValue made;
  made.operand = tile;
  for (std::size_t i = 0; i < roles_.free.size(); ++i) {
    made.operand.dims[i].count = nest_.axes[static_cast<std::size_t>(roles_.free[i])].extent;
    if (tile.dims[i].count == 1 && made.operand.dims[i].count > 1) made.operand.dims[i].stride = 0;
  }
  tiles_[value.index] = made;
  for (const Output& out : outputs_) {
    if (out.value != value) continue;
    if (out.on_chip && tile.space != Space::Psum) continue;
    if (out.on_chip) {  // a contraction's result leaves PSUM
      Operand to = destination_for(value), from = shaped(made.operand, to);
      merge_dims({&to, &from});
      nest_.emitter().emit(Opcode::Copy, {to, from});
      continue;
    }
    Operand source = tile;
    if (tile.space == Space::Psum) {
      Operand copy = destination_for(value), from = shaped(made.operand, copy);
      source = copy;
      merge_dims({&copy, &from});
      nest_.emitter().emit(Opcode::Copy, {copy, from});
    }
    Roles roles = roles_;
    const bool one_row = roles_.partition < 0 || out.view.strides[static_cast<std::size_t>(roles_.partition)] == 0;
    if (one_row) {
      roles.partition = -1;
      roles.rows = 1;
      source.partition_count = 1;
    }
    auto to = nest_.target(out.home, *out.in_hbm, out.view, roles);
    if (!to) return fail(Code::Internal, "a tile of " + store_.home(out.home).name + " cannot be stored");
    *to = shaped(*to, source);
    merge_dims({&*to, &source});
    nest_.emitter().emit(Opcode::Dma, {*to, source, no_operand()}, {0, 0});
  }
  return {};
}

Result<TileValue> GroupEmitter::input(OpId op, std::size_t operand) {
  const ValueId v = c_.function.operand(op, operand);
  if (inside(v)) return as_read(v);
  for (const External& e : externals_) {
    if (e.op != op || e.operand != operand) continue;
    TileValue t;
    if (e.view.kind == ViewKind::Splat) {
      t.is_immediate = true;
      t.immediate = e.view.splat;
      t.operand = immediate(e.view.splat, is_float(e.view.type) ? ElementType::F32 : ElementType::I32);
      return t;
    }
    auto read = nest_.read(e.view, roles_, true);
    if (!read) return read.failure();
    t.operand = *read;
    return t;
  }
  return fail(Code::Internal, "an operand was not planned");
}

// A tile of the group as `v` reads it, bitcasts between included.
TileValue GroupEmitter::as_read(ValueId v) {
  TileValue tile = tiles_.at(base(v).index);
  std::vector<ValueId> casts;
  for (ValueId at = v; !c_.plan.values[at.index].computed;) {
    const OpId made_by = c_.function.definition(at);
    if (c_.function.kind(made_by) == OpKind::BitcastConvert) casts.push_back(at);
    at = c_.function.operand(made_by, 0);
  }
  if (casts.empty()) return tile;
  const ValueId first = c_.function.operand(c_.function.definition(casts.back()), 0);
  tile.operand = memory(tile, c_.module.value_type(c_.function, first).element);  // PSUM holds sums wider than the value
  tile.is_immediate = false;
  tile.operand.type = c_.module.value_type(c_.function, casts.front()).element;
  return tile;
}

// The value in memory, of exactly `type`.
Operand GroupEmitter::memory(const TileValue& value, ElementType type) {
  if (value.is_immediate) return nest_.filled(value.immediate, type, roles_);
  if (value.operand.type == type) return value.operand;
  return on_chip_copy(value.operand, type);
}

Operand GroupEmitter::on_chip_copy(const Operand& source, ElementType type) {
  std::vector<bool> has(roles_.free.size());
  for (std::size_t i = 0; i < has.size(); ++i) has[i] = source.dims[i].stride != 0;
  const Operand made = nest_.tile_buffer(Space::Sbuf, "copy", type, roles_, has);
  Operand to = made, from = source;
  for (std::size_t i = 0; i < has.size(); ++i)
    if (!has[i]) to.dims[i].count = from.dims[i].count = 1;
  merge_dims({&to, &from});
  nest_.emitter().emit(Opcode::Copy, {to, from});
  return made;
}

Result<void> GroupEmitter::emit_tile() {
  if (group_.accumulates) return emit_accumulating();
  tiles_.clear();
  for (OpId op : group_.ops) {
    set_location(op);
    ON_TRY(emit_op(op));
  }
  return {};
}

void GroupEmitter::set_location(OpId op) {
  const std::uint32_t location = nest_.emitter().location_index(location_text(c_.module, c_.function.location_of(op)));
  if (c_.located) c_.located->push_back({nest_.emitter().position(), op, location});
  nest_.emitter().set_location(location);
}

Result<void> GroupEmitter::emit_op(OpId op) {
  if (op == group_.contraction) return emit_contraction(op);
  if (is_reduction(op)) return emit_reduce(op);
  const ValueId result = c_.function.result(op);
  const std::size_t count = c_.function.kind(op) == OpKind::Reshape ? 1 : c_.function.operands(op).size();
  std::vector<TileValue> inputs;
  for (std::size_t i = 0; i < count; ++i) {
    auto in = input(op, i);
    if (!in) return in.failure();
    inputs.push_back(*in);
  }
  const Operand destination = destination_for(result);
  ON_TRY(emit_elementwise(op, inputs, destination));
  return finish_value(result, destination);
}

Result<void> GroupEmitter::emit_select(std::vector<TileValue>& inputs, const Operand& destination) {
  Operand to = destination;
  Operand predicate = shaped(memory(inputs[0], ElementType::I1), to);
  Operand on_true = shaped(memory(inputs[1], to.type), to), on_false = shaped(memory(inputs[2], to.type), to);
  merge_dims({&to, &predicate, &on_true, &on_false});
  nest_.emitter().emit(Opcode::Select, {to, predicate, on_true, on_false});
  return {};
}

Result<void> GroupEmitter::emit_elementwise(OpId op, std::vector<TileValue>& in, const Operand& destination) {
  Emitter& e = nest_.emitter();
  Operand to = destination;
  const OpKind kind = c_.function.kind(op);
  const OpRow& row = op_row(kind);
  const ElementType type = c_.module.value_type(c_.function, c_.function.operand(op, 0)).element;
  const bool flag = type == ElementType::I1;
  const ElementType number = is_float(type) ? ElementType::F32 : ElementType::I32;

  auto scalar_op = [&](const TileValue& data, AluOp op0, const Operand& operand0, bool reverse0, AluOp op1, const Operand& operand1) {
    Operand source = shaped(memory(data, data.is_immediate ? type : data.operand.type), to);
    merge_dims({&to, &source});
    e.emit(Opcode::TensorScalar, {to, source, operand0, operand1}, {code(op0), reverse0 ? 1 : 0, code(op1), 0});
    return Result<void>();
  };
  // One instruction reads PSUM through one operand at most.
  if (in.size() == 2 && !in[0].is_immediate && !in[1].is_immediate && in[0].operand.space == Space::Psum && in[1].operand.space == Space::Psum)
    in[1].operand = on_chip_copy(in[1].operand, in[1].operand.type);
  auto binary = [&](AluOp alu) -> Result<void> {
    const bool gpsimd = alu == AluOp::Power;  // runs on GpSimd, which never touches PSUM
    for (TileValue& v : in)
      if (gpsimd && !v.is_immediate && v.operand.space == Space::Psum)
        v.operand = on_chip_copy(v.operand, v.operand.type);
    const bool b_scalar = in[1].is_immediate || is_row_scalar(shaped(in[1].operand, to));
    const bool a_scalar = in[0].is_immediate || is_row_scalar(shaped(in[0].operand, to));
    if (!gpsimd && b_scalar && (!in[0].is_immediate))
      return scalar_op(in[0], alu, in[1].is_immediate ? in[1].operand : row_scalar(in[1].operand), false, AluOp::Bypass, immediate(0, number));
    if (!gpsimd && a_scalar)
      return scalar_op(in[1], alu, in[0].is_immediate ? in[0].operand : row_scalar(in[0].operand), true, AluOp::Bypass, immediate(0, number));
    Operand a = shaped(memory(in[0], in[0].is_immediate ? type : in[0].operand.type), to);
    Operand b = shaped(memory(in[1], in[1].is_immediate ? type : in[1].operand.type), to);
    merge_dims({&to, &a, &b});
    e.emit(Opcode::TensorTensor, {to, a, b}, {code(alu)});
    return {};
  };

  if (kind == OpKind::Reshape) {  // a copy into another order
    Operand source = shaped(memory(in[0], to.type), to);
    merge_dims({&to, &source});
    e.emit(Opcode::Copy, {to, source});
    return {};
  }
  switch (row.recipe) {
    case Recipe::Alu:
      return binary(row.alu);
    case Recipe::Bitwise:  // the same op has a logical twin on i1
      return binary(flag ? (kind == OpKind::Xor                                  ? AluOp::LogicalXor
                            : kind == OpKind::Add || kind == OpKind::Maximum || kind == OpKind::Or ? AluOp::LogicalOr
                                                                                 : AluOp::LogicalAnd)
                         : row.alu);
    case Recipe::Compare: {
      if (is_float(type) && c_.module.text(c_.function, op, "compare_type") == "TOTALORDER")
        return fail(Code::NoLowering, op_place(c_.module, c_.function, op), "compare with TOTALORDER on floats has no lowering yet");
      return binary(compare_alu(c_.module.text(c_.function, op, "comparison_direction")));
    }
    case Recipe::Divide: {
      if (in[1].is_immediate && is_float(type) && exact_reciprocal(in[1].immediate))
        return scalar_op(in[0], AluOp::Multiply, immediate(1.0 / in[1].immediate), false, AluOp::Bypass, immediate(0, number));
      Operand a = shaped(memory(in[0], in[0].is_immediate ? type : in[0].operand.type), to);
      Operand b = shaped(memory(in[1], in[1].is_immediate ? type : in[1].operand.type), to);
      merge_dims({&to, &a, &b});
      e.emit(Opcode::Divide, {to, a, b});
      return {};
    }
    case Recipe::Remainder: {
      for (TileValue& v : in)
        if (!v.is_immediate && v.operand.space == Space::Psum) v.operand = on_chip_copy(v.operand, v.operand.type);
      Operand a = shaped(memory(in[0], in[0].is_immediate ? type : in[0].operand.type), to);
      Operand b = shaped(memory(in[1], in[1].is_immediate ? type : in[1].operand.type), to);
      merge_dims({&to, &a, &b});
      e.emit(Opcode::Remainder, {to, a, b});
      return {};
    }
    case Recipe::Select:
      return emit_select(in, destination);
    case Recipe::Convert: {
      Operand source = shaped(memory(in[0], in[0].is_immediate ? type : in[0].operand.type), to);
      merge_dims({&to, &source});
      e.emit(Opcode::Copy, {to, source});
      return {};
    }
    case Recipe::Not:
      return flag ? scalar_op(in[0], AluOp::Equal, immediate(0, number), false, AluOp::Bypass, immediate(0, number))
                  : scalar_op(in[0], AluOp::BitXor, immediate(-1, number), false, AluOp::Bypass, immediate(0, number));
    case Recipe::Negate:
      return scalar_op(in[0], AluOp::Multiply, immediate(-1, number), false, AluOp::Bypass, immediate(0, number));
    case Recipe::IsFinite:
      return scalar_op(in[0], AluOp::AbsMax, immediate(0), false, AluOp::Less, immediate(INFINITY));
    case Recipe::Abs:
      if (!is_float(type)) {
        Operand source = shaped(memory(in[0], type), to), negated = to;
        Operand flat = source;
        merge_dims({&negated, &flat});
        e.emit(Opcode::TensorScalar, {negated, flat, immediate(-1, number), immediate(0, number)}, {code(AluOp::Multiply), 0, code(AluOp::Bypass), 0});
        Operand again = to;
        merge_dims({&to, &source, &again});
        e.emit(Opcode::TensorTensor, {to, source, again}, {code(AluOp::Max)});
        return {};
      }
      break;
    default:
      break;
  }
  Operand source = shaped(memory(in[0], in[0].is_immediate ? type : in[0].operand.type), to);
  merge_dims({&to, &source});
  const isa::Function function = row.recipe == Recipe::Abs ? isa::Function::Abs : row.function;
  e.emit(Opcode::Activation, {to, source, immediate(1), immediate(0)}, {static_cast<std::int32_t>(function)});
  return {};
}

}  // namespace openneuron::lower
