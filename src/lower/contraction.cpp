// Contractions on the PE: K on partitions of both operands, the stationary one's free dim on the partitions of the
// result, accumulation over the tiles of K in PSUM. A sum of a whole axis is a contraction with ones.
#include "lower/group.h"

namespace openneuron::lower {

using isa::Opcode;
using isa::Operand;
using isa::Space;

Result<void> GroupEmitter::emit_contraction(OpId op) {
  const ValueId result = c_.function.result(op);
  std::vector<bool> all(roles_.free.size(), true);
  accumulator_ = nest_.tile_buffer(Space::Psum, "sum", ElementType::F32, roles_, all);
  ON_TRY(emit_k(0, true, accumulator_));
  return finish_value(result, accumulator_);
}

// Runs the tiles of contracted axis `level` and those inside it. The very first tile overwrites PSUM, the others add.
Result<void> GroupEmitter::emit_k(std::size_t level, bool first, const Operand& accumulator) {
  ON_TRY(load_blocks(loop_order_.size() + level));
  if (level == k_axes_.size()) return emit_matmul(first, accumulator);
  const auto index = static_cast<std::size_t>(k_axes_[level]);
  const std::int64_t tile = nest_.axes[index].tile, full = nest_.axes[index].size / tile, rest = nest_.axes[index].size % tile;
  auto run = [&](std::int64_t start, std::int64_t extent, LoopId loop, std::int64_t trips, bool is_first) {
    Axis& a = nest_.axes[index];
    a.start = start;
    a.extent = extent;
    a.loop = loop;
    a.trips = trips;
    return emit_k(level + 1, is_first, accumulator);
  };
  const std::int64_t peeled = first && full > 0 ? 1 : 0, looped = full - peeled;
  if (peeled > 0) ON_TRY(run(0, tile, LoopId(), 1, true));
  const bool started = full > 0 ? false : first;
  if (looped == 1) ON_TRY(run(peeled * tile, tile, LoopId(), 1, false));
  if (looped > 1) {
    const OpenLoop loop = nest_.emitter().begin_loop(looped);
    ON_TRY(run(peeled * tile, tile, loop.loop, looped, false));
    nest_.emitter().end_loop();
  }
  if (rest > 0) ON_TRY(run(full * tile, rest, LoopId(), 1, started));
  Axis& a = nest_.axes[index];
  a.start = 0;
  a.extent = tile;
  a.loop = LoopId();
  a.trips = 1;
  return {};
}

Result<void> GroupEmitter::emit_matmul(bool first, const Operand& accumulator) {
  nest_.begin_tile();
  const auto left = [&]() -> Result<Operand> {
    if (left_.block.planned()) return left_.block.tile(nest_);
    return nest_.read(lhs_, stationary_is_lhs_ ? stationary_roles_ : moving_roles_, true);
  };
  const auto right = [&]() -> Result<Operand> {
    if (right_.block.planned()) return right_.block.tile(nest_);
    return nest_.read(rhs_, stationary_is_lhs_ ? moving_roles_ : stationary_roles_, true);
  };
  auto stationary = stationary_is_lhs_ ? left() : right();
  if (!stationary) return stationary.failure();
  auto moving = stationary_is_lhs_ ? right() : left();
  if (!moving) return moving.failure();
  // Row p of the stationary tile meets row p of the moving one: both must start at the same partition.
  auto moves = [](const Operand& o) {
    for (const isa::Term& t : o.terms)
      if (t.partitions != 0) return true;
    return false;
  };
  const bool st_moves = moves(*stationary), mv_moves = moves(*moving);
  bool same = stationary->partition_start == moving->partition_start && st_moves == mv_moves;
  if (same && st_moves) {
    for (const isa::Term& s : stationary->terms) {
      std::int32_t other = 0;
      for (const isa::Term& t : moving->terms)
        if (t.loop == s.loop) other = t.partitions;
      same = same && other == s.partitions;
    }
    for (const isa::Term& t : moving->terms) {
      std::int32_t other = 0;
      for (const isa::Term& s : stationary->terms)
        if (s.loop == t.loop) other = s.partitions;
      same = same && other == t.partitions;
    }
  }
  auto to_row_zero = [&](Operand& o, const Roles& roles) {
    std::vector<bool> varies(roles.free.size());
    for (std::size_t i = 0; i < varies.size(); ++i) varies[i] = o.dims[i].stride != 0;
    const Operand made = nest_.tile_buffer(Space::Sbuf, "aligned", o.type, roles, varies);
    Operand to = made, from = o;
    for (std::size_t i = 0; i < varies.size(); ++i)
      if (!varies[i]) to.dims[i].count = from.dims[i].count = 1;
    merge_dims({&to, &from});
    nest_.emitter().emit(Opcode::Copy, {to, from});
    o = made;
  };
  if (!same) {
    if (stationary->partition_start != 0 || st_moves) to_row_zero(*stationary, stationary_roles_);
    if (moving->partition_start != 0 || mv_moves) to_row_zero(*moving, moving_roles_);
  }
  Operand packed = *stationary, streamed = *moving, sums = accumulator;
  if (stationary_roles_.free.empty()) packed.dims.push_back({0, nest_.rows(roles_)});  // the same column for every row
  merge_dims({&packed});
  merge_dims({&sums, &streamed});
  nest_.emitter().emit(Opcode::LoadStationary, {packed});
  nest_.emitter().emit(Opcode::Matmul, {sums, streamed}, {first ? 0 : 1});
  return {};
}

}  // namespace openneuron::lower
