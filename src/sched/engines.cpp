#include "sched/engines.h"

#include "isa/table.h"

namespace openneuron::sched {
namespace {

using isa::Engine;

bool touches_psum(const isa::Instruction& i) {
  for (const isa::Operand& o : i.operands)
    if (o.kind == isa::OperandKind::Memory && o.space == isa::Space::Psum) return true;
  return false;
}

// 32-bit integer arithmetic is native on GpSimd only.
bool integer_arithmetic(const isa::Instruction& i) {
  const isa::Row& row = isa::row(i.opcode);
  for (int p = 0; p < row.param_count; ++p) {
    if (isa::param_field(row, static_cast<std::size_t>(p)).kind != isa::FieldKind::Alu) continue;
    const isa::AluOp op = i.alu(static_cast<std::size_t>(p));
    const bool arithmetic = op == isa::AluOp::Add || op == isa::AluOp::Subtract || op == isa::AluOp::Multiply;
    if (arithmetic && isa::compute_domain(i) != isa::Domain::F32) return true;
  }
  return false;
}

}  // namespace

SmallVector<Engine, 4> engine_choices(const isa::Instruction& i) {
  SmallVector<Engine, 4> out;
  const isa::Row& row = isa::row(i.opcode);
  const auto only = [&](Engine e) {
    out.push_back(e);
    return out;
  };
  if (row.engines == isa::E_ALL) return out;
  if (i.engine != Engine::Any) return only(i.engine);
  for (Engine e : {Engine::Dma, Engine::PE, Engine::Sync})
    if (isa::engine_allowed(row, e)) return only(e);
  const bool psum = touches_psum(i);
  if (isa::engine_allowed(row, Engine::GpSimd) && !psum && integer_arithmetic(i)) return only(Engine::GpSimd);
  for (Engine e : {Engine::Vector, Engine::Scalar, Engine::GpSimd})
    if (isa::engine_allowed(row, e) && !(psum && e == Engine::GpSimd)) out.push_back(e);
  if (out.empty()) out.push_back(Engine::Vector);
  return out;
}

}  // namespace openneuron::sched
