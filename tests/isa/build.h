// Short ways to write instructions in tests.
#pragma once
#include <initializer_list>

#include "isa/table.h"

namespace openneuron::isa {

// `count` contiguous elements on each of `partitions` partitions.
inline Operand tile(Space space, ElementType type, int partitions, std::int64_t count, std::int64_t start = 0,
                    int partition_start = 0) {
  Operand o;
  o.kind = OperandKind::Memory;
  o.space = space;
  o.type = type;
  o.partition_start = static_cast<std::uint16_t>(partition_start);
  o.partition_count = static_cast<std::uint16_t>(partitions);
  o.start = start;
  if (count != 1) o.dims.push_back({byte_width(type), count});
  if (is_hbm(space)) o.partition_stride = count * byte_width(type);
  return o;
}
inline Operand sbuf(ElementType type, int partitions, std::int64_t count, std::int64_t start = 0,
                    int partition_start = 0) {
  return tile(Space::Sbuf, type, partitions, count, start, partition_start);
}
inline Operand psum(ElementType type, int partitions, std::int64_t count, std::int64_t start = 0) {
  return tile(Space::Psum, type, partitions, count, start);
}
inline Operand hbm(ElementType type, int rows, std::int64_t count) {
  return tile(Space::PrivateHbm, type, rows, count);
}
inline Operand immediate(double value, ElementType type = ElementType::F32) {
  Operand o;
  o.kind = OperandKind::Immediate;
  o.type = type;
  o.immediate = value;
  return o;
}
inline Operand in_register(int reg) {
  Operand o;
  o.kind = OperandKind::Register;
  o.reg = static_cast<std::int16_t>(reg);
  return o;
}
inline Operand pattern(std::initializer_list<Dim> dims) {
  Operand o;
  o.kind = OperandKind::Pattern;
  for (const Dim& dim : dims) o.dims.push_back(dim);
  return o;
}

inline Instruction make(Opcode opcode, std::initializer_list<Operand> operands, std::initializer_list<int> params = {},
                        Engine engine = Engine::Any) {
  Instruction i;
  i.opcode = opcode;
  i.engine = engine;
  for (const Operand& o : operands) i.operands.push_back(o);
  for (int p : params) i.params.push_back(p);
  return i;
}
inline int number(AluOp op) { return static_cast<int>(op); }
inline int number(Function f) { return static_cast<int>(f); }

}  // namespace openneuron::isa
