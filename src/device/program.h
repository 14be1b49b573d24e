// One list of instructions, decoded: operations with jumps resolved and operands as base, pitch and walk.
// A core's program order is one Program (functional mode); each of its streams is one (check mode).
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "isa/code.h"
#include "isa/table.h"
#include "machine/machine.h"

namespace openneuron::device {

/// Elements of one partition, row-major: the fewest dims that give the same order; `count` is their product.
struct Walk {
  int rank = 0;
  std::array<std::int64_t, 6> counts{};
  std::array<std::int64_t, 6> strides{};  ///< bytes
  std::int64_t count = 1;
  bool operator==(const Walk&) const = default;
};

/// More than any machine file may ask for.
inline constexpr std::size_t kSequencerRegisters = 256;

/// Where a base pointer comes from: SBUF, PSUM, or a variable of HBM.
inline constexpr std::uint32_t kBaseSbuf = 0, kBasePsum = 1, kBaseVariables = 2;

struct LoopTerm {
  std::uint32_t slot = 0;  ///< of the loop's counter
  std::int32_t partitions = 0;
  std::int64_t bytes = 0;
};

struct HostOperand {
  isa::OperandKind kind = isa::OperandKind::None;
  ElementType type = ElementType::None;
  bool chip = false;       ///< SBUF or PSUM: addressed by partition and byte
  bool broadcast = false;  ///< one SBUF partition, read again and again
  bool dynamic = false;    ///< a register or a loop of unknown count moves it: bounds are checked when it runs
  std::uint32_t base = 0;
  std::int16_t reg = -1;
  std::uint16_t copies = 1;
  std::uint32_t rotate_slot = 0;
  std::int64_t partition_start = 0;
  std::int64_t partitions = 1;
  std::int64_t partition_limit = 0;
  std::int64_t start = 0;
  std::int64_t pitch = 0;          ///< bytes from one partition to the next
  std::int64_t low = 0, high = 0;  ///< bytes touched around the start, with HBM's partitions: [low, high)
  std::int64_t limit = 0;          ///< bytes of a partition, or of the variable
  std::int64_t reg_bytes = 0, rotate_bytes = 0;
  std::int64_t indirect_stride = 0, indirect_limit = 0;
  double immediate = 0;
  Walk walk;
  SmallVector<LoopTerm, 2> terms;
};

struct HostOp {
  isa::Opcode opcode = isa::Opcode::Memset;
  isa::Domain domain = isa::Domain::F32;
  bool local = false;  ///< stays within its partitions: may run block by block
  bool turns = false;  ///< Dma: its partitions lie next to each other in HBM
  bool once = false;   ///< LoadStationary: only the Matmul that follows uses the tile, with few columns; all is fp32
  std::uint8_t operand_count = 0;
  std::uint16_t register_index = 0;  ///< RegisterMove, RegisterLoad, WhileTest, CaseBegin
  std::uint32_t first_operand = 0;
  std::uint32_t slot = 0;     ///< markers: counter of the loop
  std::uint32_t jump = 0;     ///< markers: the operation to go on with; see run.cpp
  std::uint32_t targets = 0;  ///< CaseBegin: first of `branches` entries of Program::targets
  std::array<std::int32_t, 4> params{};
  std::int64_t reduced = 1;    ///< TensorReduce: elements folded into one
  std::int64_t row_bytes = 0;  ///< local: bytes that it moves in each partition
  const isa::Instruction* source = nullptr;

  isa::AluOp alu(std::size_t i) const { return static_cast<isa::AluOp>(params[i]); }
};

inline bool writes_operand(const HostOp& op, std::size_t i) {
  return i == 0 ? op.opcode != isa::Opcode::LoadStationary
                : i == 1 && (op.opcode == isa::Opcode::ActivationReduce || op.opcode == isa::Opcode::SelectReduce || op.opcode == isa::Opcode::Sort);
}

struct Program {
  std::vector<HostOp> ops;
  std::vector<HostOperand> operands;
  std::vector<std::uint32_t> targets;
  std::uint32_t slots = 0;
};

/// Sizes of a core's memories on the host.
struct Geometry {
  std::int64_t partitions = 0;
  std::int64_t sbuf_bytes = 0, sbuf_pitch = 0;
  std::int64_t psum_bytes = 0, psum_pitch = 0;
};
/// Host rows are a little longer than the machine's partitions: a power of two would put columns into few cache sets.
Geometry geometry(const Machine& machine);

/// The streams of a core merged by program-order number: replicated markers and register loads once, Advance never.
/// errors  ON-E1901 when copies of one instruction differ
Result<std::vector<const isa::Instruction*>> merge_streams(const isa::Code& code, const std::vector<isa::OpenedList>& streams);

/// errors  ON-E12xx of the table, ON-E1901 structure, ON-E1902 an address outside its memory
Result<Program> decode_program(const isa::Code& code, const std::vector<const isa::Instruction*>& list,
                               const Machine& machine);

/// Sets HostOp::once. For operations that execute in the order of the list.
void mark_single_uses(Program& program);
inline constexpr std::int64_t kFewColumns = 4;

/// "Matmul, order 12, at model.py:3:1".
Place place_of(const isa::Code& code, const isa::Instruction& instruction);

}  // namespace openneuron::device
