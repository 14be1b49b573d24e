// Greedy and deterministic: within a block every engine has a load in nanoseconds; an instruction goes to the engine
// that would finish it first, with a penalty for taking its input from another engine.
#include <algorithm>
#include <array>
#include <vector>

#include "isa/table.h"
#include "sched/sched.h"

namespace openneuron::sched {
namespace {

using isa::Engine;

constexpr std::array kCompute = {Engine::Vector, Engine::Scalar, Engine::GpSimd};

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

class Assigner {
 public:
  Assigner(tile::Module& module, const Machine& machine, const Options& options)
      : machine_(machine), options_(options), writer_(module.buffers.size(), Engine::Any) {
    hop_ns_ = machine.figure("semaphore_hop_ns");
    // Queues: up to four for loads, two for stores, one for copies within a memory.
    const int queues = std::max(1, std::min(machine.dma_queues, 256));
    loads_ = std::clamp(queues - 3, 1, 4);
    stores_ = queues < 3 ? 1 : queues < 7 ? 1 : 2;
    first_store_ = queues == 1 ? 0 : std::min(loads_, queues - 1);
    copy_ = std::min(first_store_ + stores_, queues - 1);
  }

  void run(tile::Program& program) {
    load_.fill(0);
    isa::Instruction i;
    for (std::size_t at = 0; at < program.instructions.size(); ++at) {
      program.instructions.read(at, i);
      if (isa::opens_region(i.opcode) || isa::closes_region(i.opcode) || isa::divides_region(i.opcode)) {
        load_.fill(0);  // engines meet at the ends of a block
        continue;
      }
      const isa::Row& row = isa::row(i.opcode);
      if (row.engines == isa::E_ALL) continue;  // goes to every engine that needs it
      if (i.engine == Engine::Any) {
        choose(i, row);
        program.instructions.set_engine(at, i.engine, i.queue);
      }
      if (i.engine == Engine::Vector || i.engine == Engine::Scalar || i.engine == Engine::GpSimd)
        load_[static_cast<std::size_t>(i.engine)] += isa::cost(i, machine_).issue_ns;
      for (std::size_t n = 0; n < i.operands.size(); ++n) {
        const isa::Operand& o = i.operands[n];
        const isa::Use use = isa::operand_field(row, n).use;
        if (o.kind == isa::OperandKind::Memory && o.buffer.index < writer_.size() && (use == isa::Use::Writes || use == isa::Use::ReadsWrites))
          writer_[o.buffer] = i.engine;
      }
    }
  }

 private:
  void choose(isa::Instruction& i, const isa::Row& row) {
    if (row.engines == isa::E_DMA) {
      i.engine = Engine::Dma;
      i.queue = queue(i);
      return;
    }
    for (Engine only : {Engine::PE, Engine::Sync})
      if (isa::engine_allowed(row, only)) {
        i.engine = only;
        return;
      }
    const bool psum = touches_psum(i);
    const auto allowed = [&](Engine e) { return isa::engine_allowed(row, e) && !(psum && e == Engine::GpSimd); };
    if (allowed(Engine::GpSimd) && integer_arithmetic(i)) {
      i.engine = Engine::GpSimd;
      return;
    }
    Engine best = Engine::Any;
    double best_ns = 0;
    for (Engine e : kCompute) {
      if (!allowed(e)) continue;
      i.engine = e;
      double ns = 0;
      if (options_.rebalance_engines) {
        ns = load_[static_cast<std::size_t>(e)] + isa::cost(i, machine_).issue_ns;
        for (const isa::Operand& o : i.operands)
          if (o.kind == isa::OperandKind::Memory && o.buffer.index < writer_.size()) {
            const Engine from = writer_[o.buffer];
            if (from != Engine::Any && from != e) ns += hop_ns_;
          }
      }
      if (best == Engine::Any || ns < best_ns) {
        best = e;
        best_ns = ns;
      }
      if (!options_.rebalance_engines) break;
    }
    i.engine = best == Engine::Any ? Engine::Vector : best;
  }

  std::uint8_t queue(const isa::Instruction& i) {
    const bool from_hbm = isa::is_hbm(i.operands[1].space), to_hbm = isa::is_hbm(i.operands[0].space);
    int q = copy_;
    if (from_hbm && !to_hbm) q = next_load_++ % loads_;
    if (!from_hbm && to_hbm) q = first_store_ + next_store_++ % stores_;
    return static_cast<std::uint8_t>(q);
  }

  const Machine& machine_;
  const Options& options_;
  Column<BufferId, Engine> writer_;
  std::array<double, 8> load_{};
  double hop_ns_ = 0;
  int loads_ = 1, stores_ = 1, first_store_ = 0, copy_ = 0;
  int next_load_ = 0, next_store_ = 0;
};

}  // namespace

void assign_engines(tile::Module& module, const Machine& machine, const Options& options) {
  for (tile::Program& program : module.programs) Assigner(module, machine, options).run(program);
}

}  // namespace openneuron::sched
