// Greedy and deterministic: within a block every engine has a load in nanoseconds; an instruction goes to the engine
// that would finish it first, with a penalty for taking its input from another engine.
#include <algorithm>
#include <array>
#include <vector>

#include "isa/table.h"
#include "sched/engines.h"
#include "sched/sched.h"

namespace openneuron::sched {
namespace {

using isa::Engine;

class Assigner {
 public:
  Assigner(tile::Module& module, const Machine& machine, const Options& options)
      : machine_(machine), options_(options), writer_(module.buffers.size(), Engine::Any) {
    hop_ns_ = machine.figure("semaphore_hop_ns");
    // A queue is in order: a transfer that waits for a result holds up those behind it. So each kind has its own.
    constexpr std::array<int, kKinds> kWanted = {4, 2, 2, 2};
    const int queues = std::max(1, std::min(machine.dma_queues, 256));
    int first = 0;
    for (int kind = 0; kind < kKinds; ++kind) {
      const int left = queues - first, later = kKinds - 1 - kind;
      count_[kind] = std::clamp(left - later, 1, kWanted[kind]);
      first_[kind] = std::min(first, queues - 1);
      first = std::min(first + count_[kind], queues - 1);
    }
    written_.assign(module.buffers.size(), false);
    for (const tile::Buffer& b : module.buffers)
      if (b.alias.index < module.buffers.size()) written_[b.alias.index] = true;
    for (std::uint32_t b = 0; b < module.buffers.size(); ++b) {
      const isa::VariableKind kind = module.buffers[BufferId(b)].variable.kind;
      if (kind == isa::VariableKind::Scratch || kind == isa::VariableKind::Output) written_[b] = true;
    }
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
    Engine best = Engine::Any;
    double best_ns = 0;
    for (Engine e : engine_choices(i)) {
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

  // What a transfer may have to wait for.
  enum Kind { Fresh, Result, Store, Within, kKinds };  ///< a load of what nobody writes; of a result; a store; within a memory
  std::uint8_t queue(const isa::Instruction& i) {
    const isa::Operand& from = i.operands[1];
    const bool from_hbm = isa::is_hbm(from.space), to_hbm = isa::is_hbm(i.operands[0].space);
    int kind = from_hbm == to_hbm ? Within : to_hbm ? Store : Fresh;
    if (kind == Fresh && (from.buffer.index >= written_.size() || written_[from.buffer.index])) kind = Result;
    return static_cast<std::uint8_t>(first_[kind] + next_[kind]++ % count_[kind]);
  }

  const Machine& machine_;
  const Options& options_;
  Column<BufferId, Engine> writer_;
  std::array<double, 8> load_{};
  double hop_ns_ = 0;
  std::vector<bool> written_;  // HBM: somebody writes it
  std::array<int, kKinds> first_{}, count_{}, next_{};
};

}  // namespace

void assign_engines(tile::Module& module, const Machine& machine, const Options& options) {
  for (tile::Program& program : module.programs) Assigner(module, machine, options).run(program);
}

}  // namespace openneuron::sched
