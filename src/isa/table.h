// The instruction table as data, generated from isa.def.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "isa/code.h"
#include "machine/machine.h"

namespace openneuron::isa {

enum class FieldKind : std::uint8_t { Access, Scalar, Pattern, Count, Register, Alu, Function, Flag, Number };
enum class Use : std::uint8_t { Reads, Writes, ReadsWrites, Predicates };
inline constexpr unsigned E_PE = 1, E_VECTOR = 2, E_SCALAR = 4, E_GPSIMD = 8, E_SYNC = 16, E_DMA = 32, E_ALL = 63;
inline constexpr unsigned S_NONE = 1, S_SBUF = 2, S_PSUM = 4, S_HBM = 8;

enum class Forms : std::uint8_t { Same, Split };  ///< Split: an exact and a chip kernel

// Sets of element types, as docs/isa.md prints them; type_allowed says what they hold.
inline constexpr std::string_view kNoTypes = "";
inline constexpr std::string_view kAnyTypes = "any";                 ///< all but index
inline constexpr std::string_view kComputeTypes = "compute";         ///< floats up to f32, integers up to 32 bits, i1
inline constexpr std::string_view kMatmulTypes = "matmul";           ///< f32, bf16, f16, f8E4M3, f8E4M3FN, f8E5M2, f8E3M4
inline constexpr std::string_view kTransposeTypes = "transpose";     ///< f32, i32, ui32, bf16, f16, i16, ui16
inline constexpr std::string_view kF32Only = "f32";
inline constexpr std::string_view kOffsetTypes = "offset";           ///< i32, ui32
inline constexpr std::string_view kIndexTypes = "index";             ///< ui16, ui32
inline constexpr std::string_view kFloatTypes = "float";             ///< floats up to f32
inline constexpr std::string_view kPredicateTypes = "predicate";     ///< i1, ui8
inline constexpr std::string_view kRegisterTypes = "register";       ///< i1, i32, ui32
bool type_allowed(std::string_view types, ElementType type);

struct Field {
  FieldKind kind;
  std::string_view name;
  Use use;
  unsigned spaces;
  std::string_view types;
  std::string_view limits;
  constexpr bool is_operand() const { return kind <= FieldKind::Register; }
};

struct Row {
  Opcode opcode;
  std::string_view name;
  unsigned engines;
  std::string_view cost_class;
  std::string_view equals;   ///< "routine": counted as one
  bool split_forms;              ///< an exact and a chip kernel
  std::string_view meaning;
  std::span<const Field> fields;
  int operand_count;
  int param_count;
};

const Row& row(Opcode opcode);
std::span<const Row> rows();
bool opcode_from_name(std::string_view name, Opcode& opcode);
bool engine_from_name(std::string_view name, Engine& engine);
bool alu_from_name(std::string_view name, AluOp& op);
bool function_from_name(std::string_view name, Function& function);
inline bool engine_allowed(const Row& r, Engine e) { return e == Engine::Any || (r.engines >> static_cast<unsigned>(e) & 1u); }

/// Checks one instruction against the table and the machine's limits: operand kinds, spaces, types, partition rules
/// (start granularity by count, quadrants), dims, counts that must agree, PSUM banks, ranges of params, stationary/moving sizes.
/// Tile level: addresses are not looked at. Errors ON-E12xx.
Result<void> check_instruction(const Instruction& instruction, const Machine& machine);

/// What check_instruction cannot see in one instruction: a Matmul against the LoadStationary before it (K, M, types
/// that pair). ON-E1209.
Result<void> check_pair(const Instruction& stationary, const Instruction& matmul);
/// Stream level: registers and semaphores are within the machine's (at tile level registers are virtual).
Result<void> check_registers(const Instruction& instruction, const Machine& machine);

/// The operand whose rows are found by the offsets of operand 2: 0 (destination), 1 (source), or -1 when there is none.
/// For Instruction and for whatever else has an opcode and parameters.
template <class I>
int indirect_operand(const I& instruction) {
  if (instruction.opcode == Opcode::DmaCompute) return 0;
  if (instruction.opcode != Opcode::Dma || instruction.params.empty()) return -1;
  return instruction.params[0] == 1 ? 1 : instruction.params[0] == 2 ? 0 : -1;
}
/// Whether rows whose offset lies outside the limit are left out rather than refused.
template <class I>
bool skips_rows(const I& instruction) {
  return instruction.params[instruction.opcode == Opcode::DmaCompute ? 0 : 1] != 0;
}

/// In what an elementwise instruction computes: fp32 when a data operand is a float (an immediate counts as its type),
/// else 32-bit integers, unsigned when the first data operand is. A predicate is no data operand.
enum class Domain : std::uint8_t { F32, I32, U32 };
Domain compute_domain(const Instruction& instruction);

/// The same elements in the same order with the fewest dims: dims of count 1 are dropped, and an outer dim that goes on
/// where the inner one ends is merged with it. Elements of operands pair up in row-major order of their own dims.
SmallVector<Dim, 2> canonical_dims(const Operand& operand);
/// First and one-past-last byte that one partition's elements touch, relative to `start`, for terms and registers at 0.
struct ByteRange {
  std::int64_t begin = 0, end = 0;
};
ByteRange free_range(const Operand& operand);
/// The field of operand `operand_index`.
const Field& operand_field(const Row& row, std::size_t operand_index);
/// The field of parameter `param_index`.
const Field& param_field(const Row& row, std::size_t param_index);

/// Engine occupancy and extra latency of one instruction, ns, from the machine file; docs/machine.md has the rules.
struct Cost {
  double issue_ns = 0;     ///< the engine is busy; Dma: the machine's DMA engines are (all queues share them)
  double latency_ns = 0;   ///< after that, until the semaphore sees the result
  /// LoadStationary: it runs beside the Matmul before it, so that a stream of pairs costs the larger of the two.
  bool background = false;
};
/// Everything comes from the instruction's operands; an Any engine is taken as the first that runs it.
/// Dma: issue is the packets over all DMA engines, latency the fixed part.
/// The clock adds activation table loads (activation_table), PE warm-up, semaphore hops and launch from machine.figures.
Cost cost(const Instruction& instruction, const Machine& machine);
/// What one instruction does that reports and rooflines count.
struct Work {
  double flops = 0;  ///< Matmul: 2 K M N
  std::uint64_t hbm_read_bytes = 0, hbm_written_bytes = 0;
};
Work work(const Instruction& instruction);
/// Which table an activation function needs: 0 none (copy, square, abs, sign, relu), else one of its own. When it
/// differs from the last one above 0 on this engine, figure activation_table_load_ns is added.
int activation_table(Function function);
/// Passes over the data that the function costs: 1 when a table gives it, else the instructions of the short sequence
/// that it stands for (docs/machine.md lists them).
int function_passes(Function function);
/// Packets of a Dma: runs that are contiguous on both sides, cut at dma_packet_bytes_max.
struct DmaPackets {
  std::int64_t count = 0, bytes = 0;  ///< bytes of one (the larger side's)
};
DmaPackets dma_packets(const Instruction& instruction, const Machine& machine);

/// Binary form of one stream: documented in docs/isa.md. Little-endian, no padding, byte-identical for equal input.
std::vector<std::byte> encode(const Stream& stream);
/// Bounds-checked; errors ON-E18xx with the byte offset.
Result<Stream> decode(std::span<const std::byte> bytes);

}  // namespace openneuron::isa
