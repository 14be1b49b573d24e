// The instruction table as data, generated from isa.def.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>
#include <string_view>

#include "base/result.h"
#include "isa/code.h"
#include "machine/machine.h"

namespace openneuron::isa {

enum class FieldKind : std::uint8_t { Access, Scalar, Pattern, Count, Register, Alu, Function, Flag, Number };
enum class Use : std::uint8_t { Reads, Writes, ReadsWrites, Predicates };
inline constexpr unsigned E_PE = 1, E_VECTOR = 2, E_SCALAR = 4, E_GPSIMD = 8, E_SYNC = 16, E_DMA = 32, E_ALL = 63;
inline constexpr unsigned S_NONE = 1, S_SBUF = 2, S_PSUM = 4, S_HBM = 8;

struct Field {
  FieldKind kind;
  std::string_view name;
  Use use;
  unsigned spaces;
  std::string_view types;
  std::string_view limits;
  bool is_operand() const { return kind <= FieldKind::Register; }
};

struct Row {
  Opcode opcode;
  std::string_view name;
  unsigned engines;
  std::string_view cost_class;
  std::string_view equals;   ///< "routine": counted as one
  bool split_forms;
  std::string_view meaning;
  std::span<const Field> fields;
  int operand_count;
  int param_count;
};

const Row& row(Opcode opcode);
bool opcode_from_name(std::string_view name, Opcode& opcode);
inline bool engine_allowed(const Row& r, Engine e) { return e == Engine::Any || (r.engines >> static_cast<unsigned>(e) & 1u); }

/// Checks one instruction against the table and the machine's limits: operand kinds, spaces, types, partition rules
/// (start granularity by count, quadrants), dims, counts that must agree, PSUM banks, ranges of params, stationary/moving sizes.
/// Tile level: addresses are not looked at. Errors ON-E12xx.
Result<void> check_instruction(const Instruction& instruction, const Machine& machine);

/// Engine occupancy and extra latency of one instruction, ns, from the machine file.
struct Cost {
  double issue_ns = 0;    ///< the engine is busy
  double latency_ns = 0;  ///< after that, until the semaphore sees the result
};
/// `stationary_type` and counts come from the operands; Dma: the transfer's own time (fixed + packets), see docs/machine.md.
Cost cost(const Instruction& instruction, const Machine& machine);

/// Binary form of one stream: documented in docs/isa.md. Little-endian, no padding, byte-identical for equal input.
std::vector<std::byte> encode(const Stream& stream);
/// Bounds-checked; errors ON-E18xx with the byte offset.
Result<Stream> decode(std::span<const std::byte> bytes);

}  // namespace openneuron::isa
