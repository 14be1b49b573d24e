#include "lower/emitter.h"

namespace openneuron::lower {

using isa::Operand;
using isa::OperandKind;

BufferId Emitter::buffer(isa::Space space, std::string_view name, std::int64_t partitions, std::int64_t bytes,
                         bool rotate) {
  tile::Buffer b;
  b.name = std::string(name) + "_" + std::to_string(module_.buffers.size());
  b.space = space;
  b.partitions = static_cast<std::uint16_t>(partitions);
  b.bytes = bytes;
  // Loops of one turn inside do not matter: the buffer turns with the innermost loop that does.
  LoopId turns;
  for (std::size_t i = loops_.size(); rotate && i-- > 0 && loops_[i].loop.valid();) {
    if (!turns.valid() || loops_[i].count > 1) turns = loops_[i].loop;
    if (loops_[i].count > 1) break;
  }
  const bool rotates = turns.valid() && rotates_;
  b.copies = rotates ? 2 : 1;
  const BufferId id = module_.buffers.push(std::move(b));
  rotation_.resize(id.index + 1);
  rotation_[id.index] = turns;
  return id;
}

BufferId Emitter::hbm(std::string_view name, isa::VariableKind kind, ElementType type,
                      std::vector<std::int64_t> shape) {
  tile::Buffer b;
  b.name = std::string(name);
  b.space = isa::Space::PrivateHbm;
  b.bytes = byte_width(type);
  for (std::int64_t n : shape) b.bytes *= n;
  b.variable.name = b.name;
  b.variable.kind = kind;
  b.variable.type = type;
  b.variable.bytes = b.bytes;
  b.variable.shape = std::move(shape);
  const BufferId id = module_.buffers.push(std::move(b));
  rotation_.resize(id.index + 1);
  return id;
}

Operand Emitter::whole(BufferId id, ElementType type, std::int64_t partitions) const {
  const tile::Buffer& b = module_.buffers[id];
  Operand o;
  o.kind = OperandKind::Memory;
  o.space = b.space;
  o.type = type;
  o.buffer = id;
  o.partition_count = static_cast<std::uint16_t>(partitions);
  if (b.copies > 1) {
    o.copies = b.copies;
    o.rotate_loop = rotation_[id.index];
    o.rotate_bytes = b.bytes;
  }
  return o;
}

OpenLoop Emitter::begin_loop(std::int64_t count) {
  const OpenLoop loop{new_region(), count};
  emit(isa::Opcode::LoopBegin, {immediate(static_cast<double>(count), ElementType::I32)}).loop = loop.loop;
  loops_.push_back(loop);
  return loop;
}

void Emitter::end_loop() {
  emit(isa::Opcode::LoopEnd, {}).loop = loops_.back().loop;
  loops_.pop_back();
}

isa::Instruction& Emitter::emit(isa::Opcode opcode, std::initializer_list<Operand> operands,
                                std::initializer_list<std::int32_t> params) {
  finish();
  last_.opcode = opcode;
  last_.engine = isa::Engine::Any;
  last_.queue = 0;
  last_.loop = LoopId();
  last_.order = static_cast<std::uint32_t>(program().instructions.size());
  last_.location = location_;
  last_.operands.clear();
  last_.params.clear();
  for (const Operand& o : operands) last_.operands.push_back(o);
  for (std::int32_t p : params) last_.params.push_back(p);
  has_last_ = true;
  return last_;
}

BufferId Emitter::copy_buffer(BufferId old, std::string stem, LoopId rotation) {
  tile::Buffer b = module_.buffers[old];
  b.name = std::move(stem) + "_" + std::to_string(module_.buffers.size());
  const BufferId id = module_.buffers.push(std::move(b));
  rotation_.push_back(rotation);
  return id;
}

void Emitter::append(isa::Instruction& instruction) {
  instruction.order = static_cast<std::uint32_t>(program().instructions.size());
  instruction.location = location_;
  program().instructions.push_back(instruction);
}

void Emitter::finish() {
  if (has_last_) program().instructions.push_back(last_);
  has_last_ = false;
}

std::uint32_t Emitter::location_index(const std::string& text) {
  if (text.empty()) return 0;
  if (module_.locations.back() != text) module_.locations.push_back(text);
  return static_cast<std::uint32_t>(module_.locations.size() - 1);
}

Operand immediate(double value, ElementType type) {
  Operand o;
  o.kind = OperandKind::Immediate;
  o.type = type;
  o.immediate = value;
  return o;
}

Operand no_operand() { return {}; }

Operand register_operand(std::int16_t reg) {
  Operand o;
  o.kind = OperandKind::Register;
  o.reg = reg;
  return o;
}

void merge_dims(std::initializer_list<Operand*> operands) {
  const Operand& first = **operands.begin();
  for (std::size_t d = first.dims.size(); d-- > 0;)
    if (first.dims[d].count == 1)
      for (Operand* o : operands) o->dims.erase(d);
  for (std::size_t d = first.dims.size(); d-- > 1;) {
    bool mergeable = true;
    for (const Operand* o : operands)
      mergeable = mergeable && o->dims[d - 1].stride == o->dims[d].stride * o->dims[d].count;
    if (!mergeable) continue;
    for (Operand* o : operands) {
      o->dims[d - 1].count *= o->dims[d].count;
      o->dims[d - 1].stride = o->dims[d].stride;
      o->dims.erase(d);
    }
  }
}

}  // namespace openneuron::lower
