#include "lower/fuse.h"

#include <algorithm>
#include <cmath>

#include "isa/table.h"
#include "lower/emitter.h"

namespace openneuron::lower {
namespace {

using isa::AluOp;
using isa::Function;
using isa::Instruction;
using isa::Opcode;
using isa::Operand;
using isa::OperandKind;
using isa::Use;

constexpr std::int32_t kNever = -1;

bool same_place(const Operand& a, const Operand& b) {
  return a.kind == OperandKind::Memory && b.kind == OperandKind::Memory && a.buffer == b.buffer && a.space == b.space && a.type == b.type &&
         a.reg < 0 && b.reg < 0 && a.partition_start == b.partition_start && a.partition_count == b.partition_count && a.start == b.start &&
         a.copies == b.copies && a.rotate_loop == b.rotate_loop && a.terms == b.terms && isa::canonical_dims(a) == isa::canonical_dims(b);
}

bool is_immediate(const Operand& o, double value) { return o.kind == OperandKind::Immediate && o.immediate == value; }

bool arithmetic(AluOp op) { return op != AluOp::Bypass && op != AluOp::Power && (op < AluOp::LogicalAnd || op == AluOp::AbsMax); }

bool writes(const isa::Row& row, std::size_t i) {
  const Use use = isa::operand_field(row, i).use;
  return use == Use::Writes || use == Use::ReadsWrites;
}

// Where f(+0) and f(-0) are the same bits: adding a bias of 0 to a scaled operand turns -0 into +0.
bool forgets_sign_of_zero(Function f) {
  return f == Function::Exp || f == Function::Sigmoid || f == Function::Softplus || f == Function::Cos || f == Function::Square || f == Function::Abs;
}

std::int32_t code(AluOp op) { return static_cast<std::int32_t>(op); }

class Fuser {
 public:
  explicit Fuser(tile::Module& module) : module_(module) {}

  void run() {
    for (const tile::Program& program : module_.programs)
      for (const Instruction& i : program.instructions) count(i);
    for (tile::Program& program : module_.programs) rewrite(program);
  }

 private:
  struct Uses {
    std::uint32_t readers = 0, writers = 0;           // operands in the whole module
    std::int32_t last_write = kNever, last_use = kNever;  // places in the running block
    std::uint32_t block = 0;                          // the block that these places belong to
  };

  void count(const Instruction& i) {
    const isa::Row& row = isa::row(i.opcode);
    for (std::size_t n = 0; n < i.operands.size(); ++n) {
      if (i.operands[n].kind != OperandKind::Memory) continue;
      Uses& u = uses(i.operands[n].buffer);
      const Use use = isa::operand_field(row, n).use;
      u.writers += use == Use::Writes || use == Use::ReadsWrites;
      u.readers += use != Use::Writes;
    }
  }

  Uses& uses(BufferId id) {
    if (uses_.size() <= id.index) uses_.resize(module_.buffers.size());
    Uses& u = uses_[id.index];
    if (u.block != block_number_) {
      u.block = block_number_;
      u.last_write = u.last_use = kNever;
    }
    return u;
  }

  void rewrite(tile::Program& program) {
    isa::InstructionList made;
    made.reserve_like(program.instructions);
    Instruction at;
    for (std::size_t n = 0; n < program.instructions.size(); ++n) {
      program.instructions.read(n, at);
      if (isa::opens_region(at.opcode) || isa::closes_region(at.opcode) || isa::divides_region(at.opcode)) {
        flush(made);
        append(made, at);
      } else {
        add(at);
      }
    }
    flush(made);
    program.instructions = std::move(made);
  }

  void append(isa::InstructionList& made, Instruction& i) {
    i.order = static_cast<std::uint32_t>(made.size());
    made.push_back(i);
  }

  void flush(isa::InstructionList& made) {
    for (std::size_t i = 0; i < size_; ++i)
      if (!dead_[i]) append(made, block_[i]);
    size_ = 0;
    ++block_number_;
  }

  // The block's instructions keep their memory from block to block.
  Instruction& push(const Instruction& i) {
    if (size_ == block_.size()) {
      block_.emplace_back();
      dead_.push_back(false);
    }
    dead_[size_] = false;
    block_[size_] = i;
    return block_[size_++];
  }

  void add(Instruction& i) {
    switch (i.opcode) {
      case Opcode::TensorScalar: scalar_after_scalar(i); break;
      case Opcode::TensorTensor: tensor_after_scalar(i); break;
      case Opcode::Activation: activation_after_scalar(i); break;
      case Opcode::TensorReduce:
        if (sum_after_activation(i) || maximum_after_select(i)) return;
        break;
      case Opcode::Copy:
        if (copy_into_producer(i)) return;
        break;
      default: break;
    }
    const auto place = static_cast<std::int32_t>(size_);
    note(push(i), place);
  }

  void note(const Instruction& i, std::int32_t place) {
    const isa::Row& row = isa::row(i.opcode);
    for (std::size_t n = 0; n < i.operands.size(); ++n) {
      if (i.operands[n].kind != OperandKind::Memory) continue;
      Uses& u = uses(i.operands[n].buffer);
      u.last_use = std::max(u.last_use, place);
      if (writes(row, n)) u.last_write = std::max(u.last_write, place);
    }
  }

  // The place of the instruction that wrote what `o` reads, all of it and nothing else; kNever when there is none in the block.
  std::int32_t writer(const Operand& o) {
    if (o.kind != OperandKind::Memory || isa::is_hbm(o.space)) return kNever;
    const std::int32_t place = uses(o.buffer).last_write;
    if (place == kNever || dead_[static_cast<std::size_t>(place)]) return kNever;
    const Instruction& w = block_[static_cast<std::size_t>(place)];
    return w.operands.size() > 0 && writes(isa::row(w.opcode), 0) && same_place(w.operands[0], o) ? place : kNever;
  }
  // The same, when nobody else reads or writes the buffer: then it need not be written.
  std::int32_t only_writer(const Operand& o) {
    const std::int32_t place = writer(o);
    if (place == kNever) return kNever;
    const Uses& u = uses(o.buffer);
    return u.readers == 1 && u.writers == 1 ? place : kNever;
  }

  // Whether the operands that the instruction at `place` reads still hold what it read.
  bool still_readable(std::int32_t place) {
    const Instruction& i = block_[static_cast<std::size_t>(place)];
    const isa::Row& row = isa::row(i.opcode);
    for (std::size_t n = 0; n < i.operands.size(); ++n)
      if (i.operands[n].kind == OperandKind::Memory && !writes(row, n) && uses(i.operands[n].buffer).last_write > place) return false;
    return true;
  }

  void drop(std::int32_t place) {
    Instruction& i = block_[static_cast<std::size_t>(place)];
    dead_[static_cast<std::size_t>(place)] = true;
    uses(i.operands[0].buffer).writers = 0;
    uses(i.operands[0].buffer).readers = 0;
  }

  // A one-op TensorScalar in fp32 whose result, not rounded, is what `o` reads.
  std::int32_t scalar_op(const Operand& o) {
    if (o.type != ElementType::F32) return kNever;
    const std::int32_t place = only_writer(o);
    if (place == kNever) return kNever;
    const Instruction& w = block_[static_cast<std::size_t>(place)];
    const bool fits = w.opcode == Opcode::TensorScalar && w.alu(2) == AluOp::Bypass && arithmetic(w.alu(0)) && isa::compute_domain(w) == isa::Domain::F32 &&
                      still_readable(place);
    return fits ? place : kNever;
  }

  void scalar_after_scalar(Instruction& i) {
    if (i.alu(2) != AluOp::Bypass || !arithmetic(i.alu(0))) return;
    const std::int32_t place = scalar_op(i.operands[1]);
    if (place == kNever) return;
    const Instruction& w = block_[static_cast<std::size_t>(place)];
    i.operands[3] = i.operands[2];
    i.operands[1] = w.operands[1];
    i.operands[2] = w.operands[2];
    i.params[2] = i.params[0];
    i.params[3] = i.params[1];
    i.params[0] = w.params[0];
    i.params[1] = w.params[1];
    drop(place);
  }

  void tensor_after_scalar(Instruction& i) {
    if (!arithmetic(i.alu(0)) || isa::compute_domain(i) != isa::Domain::F32) return;
    for (const std::size_t n : {std::size_t{1}, std::size_t{2}}) {
      const std::int32_t place = scalar_op(i.operands[n]);
      if (place == kNever) continue;
      const Instruction& w = block_[static_cast<std::size_t>(place)];
      const Operand other = i.operands[3 - n];
      if (w.operands[1].space == isa::Space::Psum && other.space == isa::Space::Psum) continue;
      const std::int32_t op = i.params[0];
      const Operand to = i.operands[0];
      i.opcode = Opcode::ScalarTensorTensor;
      i.operands.clear();
      for (const Operand& o : {to, w.operands[1], w.operands[2], other}) i.operands.push_back(o);
      i.params.clear();
      for (const std::int32_t p : {w.params[0], w.params[1], op, n == 1 ? 0 : 1}) i.params.push_back(p);
      drop(place);
      return;
    }
  }

  // (x - m) c = x c - m c for c = 2^-n, which rounds nothing: exp of it is one Activation with scale c and bias -m c.
  bool exp_after_scaled_difference(Instruction& i) {
    if (i.function() != Function::Exp || i.operands[1].type != ElementType::F32) return false;
    const std::int32_t place = only_writer(i.operands[1]);
    if (place == kNever) return false;
    const Instruction w = block_[static_cast<std::size_t>(place)];
    if (w.opcode != Opcode::TensorScalar || w.alu(0) != AluOp::Subtract || w.params[1] != 0 || w.alu(2) != AluOp::Multiply ||
        isa::compute_domain(w) != isa::Domain::F32 || !still_readable(place))
      return false;
    const Operand &subtrahend = w.operands[2], &scale = w.operands[3];
    int exponent = 0;
    if (scale.kind != OperandKind::Immediate || !(scale.immediate > 0) || std::frexp(scale.immediate, &exponent) != 0.5 || exponent > 0 || exponent < -20 ||
        subtrahend.kind != OperandKind::Memory || subtrahend.type != ElementType::F32)
      return false;
    i.operands[1] = w.operands[1];
    i.operands[2] = scale;
    i.operands[3] = times(-scale.immediate, subtrahend, w);
    drop(place);
    return true;
  }

  void activation_after_scalar(Instruction& i) {
    if (!is_immediate(i.operands[2], 1) || !is_immediate(i.operands[3], 0) || exp_after_scaled_difference(i)) return;
    const std::int32_t place = scalar_op(i.operands[1]);
    if (place == kNever) return;
    const Instruction w = block_[static_cast<std::size_t>(place)];
    const Operand& operand = w.operands[2];
    if (operand.type != ElementType::F32) return;
    const bool reversed = w.params[1] != 0;
    switch (w.alu(0)) {
      case AluOp::Multiply:
        if (!forgets_sign_of_zero(i.function())) return;
        i.operands[2] = operand;
        break;
      case AluOp::Add: i.operands[3] = operand; break;
      case AluOp::Subtract:
        if (reversed) {
          i.operands[2].immediate = -1;
          i.operands[3] = operand;
        } else if (operand.kind == OperandKind::Immediate) {
          i.operands[3] = operand;
          i.operands[3].immediate = -operand.immediate;
        } else {
          i.operands[3] = times(-1, operand, w);
        }
        break;
      default: return;
    }
    i.operands[1] = w.operands[1];
    drop(place);
  }

  // One number per partition times `factor`, in a new buffer, computed here.
  Operand times(double factor, const Operand& operand, const Instruction& user) {
    tile::Buffer b;
    b.name = "bias_" + std::to_string(module_.buffers.size());
    b.partitions = operand.partition_count;
    b.bytes = 4;
    Operand to = operand;
    to.terms.clear();
    to.dims.clear();
    to.start = 0;
    to.space = isa::Space::Sbuf;
    to.rotate_bytes = 4;
    b.partitions = static_cast<std::uint16_t>(to.partition_start + to.partition_count);
    b.copies = to.copies;
    to.buffer = module_.buffers.push(std::move(b));
    Instruction i = user;
    i.opcode = Opcode::TensorScalar;
    i.operands.clear();
    for (const Operand& o : {to, operand, immediate(factor), immediate(0)}) i.operands.push_back(o);
    i.params.clear();
    for (const std::int32_t p : {code(AluOp::Multiply), 0, code(AluOp::Bypass), 0}) i.params.push_back(p);
    count(i);
    uses(to.buffer).readers = 1;
    const auto place = static_cast<std::int32_t>(size_);
    note(push(i), place);
    return to;
  }

  bool sum_after_activation(const Instruction& i) {
    const Operand &sum = i.operands[0], &data = i.operands[1];
    if (i.alu(0) != AluOp::Add || sum.type != ElementType::F32 || data.type != ElementType::F32 || sum.free_count() != 1 ||
        static_cast<std::size_t>(i.params[1]) != data.dims.size())
      return false;
    const std::int32_t place = writer(data);
    if (place == kNever || uses(sum.buffer).last_use > place || sum.partition_start != data.partition_start) return false;
    Instruction& w = block_[static_cast<std::size_t>(place)];
    Function function = Function::Copy;
    Operand source, scale = immediate(1), bias = immediate(0);
    if (w.opcode == Opcode::Activation) {
      function = w.function();
      source = w.operands[1];
      scale = w.operands[2];
      bias = w.operands[3];
    } else if (w.opcode == Opcode::TensorTensor && w.alu(0) == AluOp::Multiply && is_float(w.operands[1].type) && same_place(w.operands[1], w.operands[2])) {
      function = Function::Square;
      source = w.operands[1];
    } else {
      return false;
    }
    if (isa::function_passes(function) != 1) return false;  // a sequence, whose last instruction alone could add up
    const Operand to = w.operands[0];
    w.opcode = Opcode::ActivationReduce;
    w.operands.clear();
    for (const Operand& o : {to, sum, source, scale, bias}) w.operands.push_back(o);
    w.params.clear();
    w.params.push_back(static_cast<std::int32_t>(function));
    --uses(data.buffer).readers;
    note(w, place);
    return true;
  }

  bool maximum_after_select(const Instruction& i) {
    const Operand &largest = i.operands[0], &data = i.operands[1];
    if (i.alu(0) != AluOp::Max || largest.type != ElementType::F32 || data.type != ElementType::F32 || largest.free_count() != 1 ||
        static_cast<std::size_t>(i.params[1]) != data.dims.size())
      return false;
    const std::int32_t place = writer(data);
    if (place == kNever || uses(largest.buffer).last_use > place || largest.partition_start != data.partition_start) return false;
    Instruction& w = block_[static_cast<std::size_t>(place)];
    if (w.opcode != Opcode::Select) return false;
    const auto one_value = [](const Operand& o) {
      return std::all_of(o.dims.begin(), o.dims.end(), [](const isa::Dim& d) { return d.stride == 0 || d.count == 1; });
    };
    if (!one_value(w.operands[2]) && !one_value(w.operands[3])) return false;  // two copies, and no reduction in them
    const Operand to = w.operands[0], predicate = w.operands[1], on_true = w.operands[2], on_false = w.operands[3];
    w.opcode = Opcode::SelectReduce;
    w.operands.clear();
    for (const Operand& o : {to, largest, predicate, on_true, on_false}) w.operands.push_back(o);
    --uses(data.buffer).readers;
    note(w, place);
    return true;
  }

  bool copy_into_producer(const Instruction& i) {
    const Operand &to = i.operands[0], &from = i.operands[1];
    if (from.type != ElementType::F32 || !is_float(to.type) || to.space != isa::Space::Sbuf || to.partition_start != from.partition_start) return false;
    const std::int32_t place = only_writer(from);
    if (place == kNever || uses(to.buffer).last_use > place) return false;
    for (const isa::Term& t : to.terms)
      if (t.partitions != 0) return false;
    Instruction& w = block_[static_cast<std::size_t>(place)];
    switch (w.opcode) {
      case Opcode::TensorTensor:
      case Opcode::TensorScalar:
      case Opcode::ScalarTensorTensor:
      case Opcode::Divide:
        if (isa::compute_domain(w) != isa::Domain::F32) return false;
        break;
      case Opcode::TensorReduce:
        if (!is_float(w.operands[1].type)) return false;
        break;
      case Opcode::Activation:
      case Opcode::ActivationReduce:
      case Opcode::Reciprocal: break;
      default: return false;
    }
    w.operands[0] = to;
    uses(from.buffer).readers = uses(from.buffer).writers = 0;
    note(w, place);
    return true;
  }

  tile::Module& module_;
  std::vector<Uses> uses_;
  std::vector<Instruction> block_;
  std::vector<bool> dead_;
  std::size_t size_ = 0;  // of the block
  std::uint32_t block_number_ = 1;
};

}  // namespace

void fuse(tile::Module& module) { Fuser(module).run(); }

}  // namespace openneuron::lower
