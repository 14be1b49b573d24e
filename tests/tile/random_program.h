// Random instructions for the property tests of the text forms: every field that the text states, within its range.
#pragma once
#include <random>

#include "isa/table.h"
#include "isa/text.h"

namespace openneuron::test {

inline std::int64_t pick(std::mt19937& random, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
}

inline ElementType random_type(std::mt19937& random) {
  return static_cast<ElementType>(pick(random, 0, static_cast<int>(ElementType::None) - 1));
}

inline isa::Operand random_access(std::mt19937& random, const isa::MemoryNames& names, isa::TextLevel level) {
  isa::Operand o;
  o.kind = isa::OperandKind::Memory;
  if (level == isa::TextLevel::Stream && random() % 2) {
    o.space = random() % 2 ? isa::Space::Sbuf : isa::Space::Psum;
  } else {
    o.buffer = BufferId(static_cast<std::size_t>(pick(random, 0, static_cast<std::int64_t>(names.size()) - 1)));
    o.space = names.space(o.buffer);
  }
  o.type = random_type(random);
  o.partition_start = static_cast<std::uint16_t>(pick(random, 0, 96));
  o.partition_count = static_cast<std::uint16_t>(pick(random, 1, 128));
  if (random() % 3 == 0) o.partition_stride = pick(random, -4096, 4096);
  o.start = pick(random, -100, 1 << 20);
  for (auto n = pick(random, 0, 3); n > 0; --n) {
    isa::Term term{LoopId(static_cast<std::size_t>(pick(random, 0, 9))), 0, 0};
    if (random() % 2) term.partitions = static_cast<std::int32_t>(pick(random, -64, 64));
    if (random() % 2) term.bytes = pick(random, -(1 << 30), 1 << 30);
    o.terms.push_back(term);
  }
  for (auto n = pick(random, 0, 5); n > 0; --n) o.dims.push_back({pick(random, -512, 512), pick(random, 1, 1000)});
  if (random() % 4 == 0) {
    o.reg = static_cast<std::int16_t>(pick(random, 0, 63));
    o.reg_bytes = pick(random, -4096, 4096);
  }
  if (random() % 4 == 0) {
    o.copies = static_cast<std::uint16_t>(pick(random, 1, 4));
    o.rotate_loop = LoopId(static_cast<std::size_t>(pick(random, 0, 9)));
    if (random() % 2) o.rotate_bytes = pick(random, 1, 4096);
  }
  if (random() % 4 == 0) {
    o.indirect_stride = pick(random, 1, 4096);
    o.indirect_limit = pick(random, 1, 100000);
  }
  return o;
}

inline isa::Operand random_immediate(std::mt19937& random) {
  isa::Operand o;
  o.kind = isa::OperandKind::Immediate;
  static const double values[] = {0.0, -0.0, 1.0, -1.5, 0.1, 1e30, 1e-40, 3.0e9, std::numeric_limits<double>::infinity(),
                                  -std::numeric_limits<double>::infinity(), 123456789.0, 0.30000001192092896};
  o.immediate = values[random() % 12];
  o.type = random() % 2 ? ElementType::F32 : random() % 2 ? ElementType::I32 : random_type(random);
  return o;
}

inline isa::Instruction random_instruction(isa::Opcode opcode, const isa::MemoryNames& names, isa::TextLevel level,
                                           std::mt19937& random) {
  const isa::Row& row = isa::row(opcode);
  isa::Instruction i;
  i.opcode = opcode;
  i.location = static_cast<std::uint32_t>(pick(random, 0, 5));
  if (isa::opens_region(opcode) || isa::closes_region(opcode) || isa::divides_region(opcode))
    i.loop = LoopId(static_cast<std::size_t>(pick(random, 0, 1000)));
  for (int n = 0; n < row.operand_count; ++n) {
    isa::Operand o;
    switch (pick(random, 0, 5)) {
      case 0: o = random_immediate(random); break;
      case 1:
        o.kind = isa::OperandKind::Register;
        o.reg = static_cast<std::int16_t>(pick(random, 0, 63));
        break;
      case 2:
        o = random_access(random, names, isa::TextLevel::Stream);
        o.kind = isa::OperandKind::Pattern;
        o.space = isa::Space::None;
        o.buffer = BufferId();
        o.type = random() % 2 ? ElementType::None : ElementType::I32;
        break;
      case 3: break;
      default: o = random_access(random, names, level);
    }
    i.operands.push_back(o);
  }
  for (int n = 0; n < row.param_count; ++n) {
    const isa::Field& field = isa::param_field(row, static_cast<std::size_t>(n));
    const std::int64_t high = field.kind == isa::FieldKind::Alu        ? isa::kAluOpCount + 1
                              : field.kind == isa::FieldKind::Function ? isa::kFunctionCount + 1
                              : field.kind == isa::FieldKind::Flag     ? 2
                                                                       : 1000;
    i.params.push_back(static_cast<std::int32_t>(pick(random, 0, high)));
  }
  if (level == isa::TextLevel::Tile) {
    i.engine = static_cast<isa::Engine>(pick(random, 0, 6));
    i.queue = static_cast<std::uint8_t>(pick(random, 0, 15));
  } else {
    i.order = static_cast<std::uint32_t>(pick(random, 0, 1 << 30));
    i.signal = random() % 2;
    for (auto n = pick(random, 0, 3); n > 0; --n)
      i.waits.push_back({static_cast<std::uint16_t>(pick(random, 0, 255)), static_cast<std::int32_t>(pick(random, -1000, 1000))});
    for (auto n = pick(random, 0, 3); n > 0; --n)
      i.advances.push_back({static_cast<std::uint16_t>(pick(random, 0, 255)), static_cast<std::int32_t>(pick(random, -1000, 1 << 30))});
  }
  return i;
}

}  // namespace openneuron::test
