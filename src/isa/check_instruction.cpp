// The rules of docs/isa.md on one instruction. Each number comes from the machine; each rule from the table or from
// the sections of docs/isa.md named "Accesses" and "Agreement of operands".
#include <charconv>
#include <cmath>

#include "isa/table.h"

namespace openneuron::isa {
namespace {

using Error = openneuron::Code;  // isa::Code is a program

// Magnitudes beyond these address no memory; below them sums and products of an access fit in 63 bits.
constexpr std::int64_t kLargestOffset = std::int64_t{1} << 46;
constexpr std::int64_t kLargestCount = std::int64_t{1} << 40;

std::string number(std::int64_t n) { return std::to_string(n); }

bool offset_fits(std::int64_t n) { return n >= -kLargestOffset && n <= kLargestOffset; }

bool is_bitwise(AluOp op) { return op >= AluOp::BitAnd && op <= AluOp::ShiftRight; }

bool reduces(AluOp op) {
  switch (op) {
    case AluOp::Add:
    case AluOp::Multiply:
    case AluOp::Max:
    case AluOp::Min:
    case AluOp::LogicalAnd:
    case AluOp::LogicalOr:
    case AluOp::LogicalXor:
    case AluOp::BitAnd:
    case AluOp::BitOr:
    case AluOp::BitXor: return true;
    default: return false;
  }
}

class Checker {
 public:
  Checker(const Instruction& instruction, const Machine& machine)
      : instruction_(instruction), machine_(machine), row_(row(instruction.opcode)) {}

  Result<void> run() {
    ON_TRY(form());
    ON_TRY(engine());
    for (std::size_t i = 0; i < instruction_.operands.size(); ++i) ON_TRY(operand(i));
    for (std::size_t i = 0; i < instruction_.params.size(); ++i) ON_TRY(parameter(i));
    return agreement();
  }

 private:
  Failure wrong(Error code, const std::string& what) const {
    Place place;
    place.op = std::string(row_.name);
    return fail(code, place, what);
  }
  Failure wrong(Error code, std::size_t i, const std::string& what) const {
    return wrong(code, "operand " + std::string(operand_field(row_, i).name) + ": " + what);
  }
  const Operand& at(std::size_t i) const { return instruction_.operands[i]; }

  Result<void> form() {
    const auto operands = static_cast<std::size_t>(row_.operand_count),
               params = static_cast<std::size_t>(row_.param_count);
    if (instruction_.operands.size() != operands)
      return wrong(Error::InstructionForm, "it has " + std::to_string(instruction_.operands.size()) +
                                               " operands, not " + std::to_string(operands));
    if (instruction_.params.size() != params)
      return wrong(Error::InstructionForm, "it has " + std::to_string(instruction_.params.size()) +
                                               " parameters, not " + std::to_string(params));
    return {};
  }

  Result<void> engine() {
    if (instruction_.engine > Engine::Any || !engine_allowed(row_, instruction_.engine))
      return wrong(Error::InstructionEngine,
                   "the " + std::string(engine_name(instruction_.engine)) + " engine does not run it");
    if (instruction_.engine == Engine::Dma && instruction_.queue >= machine_.dma_queues)
      return wrong(Error::InstructionEngine, "DMA queue " + std::to_string(instruction_.queue) + "; " + machine_.name +
                                                 " has queues 0 to " + std::to_string(machine_.dma_queues - 1));
    return {};
  }

  Result<void> operand(std::size_t i) {
    const Field& field = operand_field(row_, i);
    const Operand& o = at(i);
    switch (o.kind) {
      case OperandKind::None:
        if (field.kind == FieldKind::Access && field.spaces & S_NONE) return {};
        break;
      case OperandKind::Memory:
        if (field.kind == FieldKind::Access || (field.kind == FieldKind::Scalar && field.spaces & ~S_NONE))
          return memory(i);
        break;
      case OperandKind::Immediate:
        if (field.kind == FieldKind::Scalar || field.kind == FieldKind::Count) return immediate(i);
        break;
      case OperandKind::Register:
        if (field.kind != FieldKind::Count && field.kind != FieldKind::Register) break;
        if (o.reg < 0) return wrong(Error::InstructionParameter, i, "it names no register");
        return {};
      case OperandKind::Pattern:
        if (field.kind == FieldKind::Pattern) return dims(i);
        break;
    }
    return wrong(Error::InstructionForm, i, "it is of a kind that this operand cannot be");
  }

  Result<void> immediate(std::size_t i) {
    const Field& field = operand_field(row_, i);
    const Operand& o = at(i);
    if (o.type != ElementType::F32 && o.type != ElementType::I32)
      return wrong(Error::InstructionType, i, "an immediate is f32 or i32, not " + std::string(type_name(o.type)));
    if (field.kind == FieldKind::Count && o.type != ElementType::I32)
      return wrong(Error::InstructionType, i, "a count is an i32");
    if (field.kind == FieldKind::Scalar && !type_allowed(field.types, o.type))
      return wrong(Error::InstructionType, i,
                   std::string(type_name(o.type)) + " is not one of its types (" + std::string(field.types) + ")");
    if (o.type == ElementType::I32) {
      // Up to 2^32 - 1: the same bits serve signed and unsigned domains.
      const double high = field.kind == FieldKind::Count ? 2147483647.0 : 4294967295.0;
      if (!(o.immediate >= -2147483648.0 && o.immediate <= high) || o.immediate != std::trunc(o.immediate))
        return wrong(Error::InstructionParameter, i, "the immediate is no 32-bit integer");
    }
    return {};
  }

  // Sizes of dims and offsets, for accesses and patterns.
  Result<void> dims(std::size_t i) {
    const Operand& o = at(i);
    if (o.dims.size() > static_cast<std::size_t>(machine_.access_dims))
      return wrong(Error::InstructionSize, i,
                   std::to_string(o.dims.size()) + " free dims; the limit is " + std::to_string(machine_.access_dims));
    std::int64_t count = o.partition_count;
    for (const Dim& dim : o.dims) {
      if (dim.count < 1) return wrong(Error::InstructionSize, i, "a dim of " + number(dim.count) + " elements");
      if (dim.count > kLargestCount / count) return wrong(Error::InstructionSize, i, "too many elements");
      count *= dim.count;
      if (!offset_fits(dim.stride) || (dim.count > 1 && std::abs(dim.stride) > kLargestOffset / (dim.count - 1)))
        return wrong(Error::InstructionSize, i, "a stride of " + number(dim.stride) + " is too large");
    }
    bool fits = offset_fits(o.start) && offset_fits(o.reg_bytes) && offset_fits(o.rotate_bytes) &&
                offset_fits(o.indirect_stride) && offset_fits(o.partition_stride) &&
                (o.partition_count == 1 || std::abs(o.partition_stride) <= kLargestOffset / (o.partition_count - 1));
    for (const Term& term : o.terms) {
      if (!term.loop.valid()) return wrong(Error::InstructionForm, i, "a term names no loop");
      fits = fits && offset_fits(term.bytes);
    }
    if (!fits) return wrong(Error::InstructionSize, i, "an offset is too large");
    return {};
  }

  Result<void> memory(std::size_t i) {
    const Field& field = operand_field(row_, i);
    const Operand& o = at(i);
    const unsigned space = o.space == Space::Sbuf   ? S_SBUF
                           : o.space == Space::Psum ? S_PSUM
                           : is_hbm(o.space)        ? S_HBM
                                                    : 0;
    if (!(field.spaces & space)) return wrong(Error::InstructionSpace, i, "it cannot lie in this memory");
    if (o.space == Space::Psum && instruction_.engine == Engine::GpSimd)
      return wrong(Error::InstructionSpace, i, "GpSimd cannot reach PSUM");
    if (!type_allowed(field.types, o.type))
      return wrong(Error::InstructionType, i,
                   std::string(type_name(o.type)) + " is not one of its types (" + std::string(field.types) + ")");
    if (o.partition_count < 1) return wrong(Error::InstructionPartitions, i, "it has no partition");
    if (o.copies < 1) return wrong(Error::InstructionForm, i, "it has no copy");
    ON_TRY(dims(i));
    if (field.kind == FieldKind::Scalar && o.free_count() != 1)
      return wrong(Error::InstructionSize, i, "a scalar has one element per partition, not " + number(o.free_count()));
    ON_TRY(alignment(i));
    ON_TRY(is_hbm(o.space) ? hbm_rows(i) : partitions(i));
    if (field.use == Use::Writes || field.use == Use::ReadsWrites) ON_TRY(written_once(i));
    return {};
  }

  // Elements lie at multiples of their width (of 4 when wider).
  Result<void> alignment(std::size_t i) {
    const Operand& o = at(i);
    const std::int64_t unit = std::min(byte_width(o.type), 4);
    bool aligned =
        o.start % unit == 0 && o.reg_bytes % unit == 0 && o.rotate_bytes % unit == 0 && o.indirect_stride % unit == 0;
    for (const Dim& dim : o.dims) aligned = aligned && (dim.count == 1 || dim.stride % unit == 0);
    for (const Term& term : o.terms) aligned = aligned && term.bytes % unit == 0;
    if (is_hbm(o.space) && o.partition_count > 1) aligned = aligned && o.partition_stride % unit == 0;
    if (!aligned)
      return wrong(Error::InstructionSize, i, "its start or a stride is no multiple of " + number(unit) + " bytes");
    return {};
  }

  Result<void> hbm_rows(std::size_t i) {
    const Operand& o = at(i);
    if (o.partition_start != 0)
      return wrong(Error::InstructionPartitions, i, "an HBM access starts at a byte, not at a partition");
    for (const Term& term : o.terms)
      if (term.partitions != 0)
        return wrong(Error::InstructionPartitions, i, "a loop term cannot move an HBM access by partitions");
    return {};
  }

  Result<void> partitions(std::size_t i) {
    const Operand& o = at(i);
    const int count = o.partition_count, start = o.partition_start, quadrant = machine_.quadrant;
    if (count > machine_.partitions || start + count > machine_.partitions)
      return wrong(Error::InstructionPartitions, i,
                   "partitions " + std::to_string(start) + " to " + std::to_string(start + count - 1) + "; " +
                       machine_.name + " has " + std::to_string(machine_.partitions));
    const bool dma = row_.engines == E_DMA;
    const bool repeats =
        dma && operand_field(row_, i).use == Use::Reads && o.space == Space::Sbuf && o.partition_stride == 0;
    if (o.partition_stride != 1 && !repeats)
      return wrong(Error::InstructionPartitions, i, "partitions are neither strided nor repeated on chip");
    // One partition can stand anywhere for a DMA; engines start at quadrants.
    const int step = dma ? 1 : count <= quadrant ? quadrant : count <= 2 * quadrant ? 2 * quadrant : 0;
    const auto legal = [&](int from) { return step == 0 ? from == 0 : from % step == 0; };
    if (!legal(start))
      return wrong(Error::InstructionPartitions, i,
                   std::to_string(count) + " partitions that start at " + std::to_string(start) +
                       (step == 0 ? std::string(": only 0 is allowed")
                                  : ": a multiple of " + std::to_string(step) + " is needed"));
    for (const Term& term : o.terms)
      if (!legal(term.partitions))
        return wrong(
            Error::InstructionPartitions, i,
            "a loop term moves " + std::to_string(count) + " partitions by " + std::to_string(term.partitions));
    if (!dma) {
      const std::int64_t limit = o.space == Space::Psum ? machine_.psum_banks * machine_.psum_bank_bytes / 4
                                                        : machine_.instruction_elements_max;
      if (o.free_count() > limit)
        return wrong(Error::InstructionSize, i,
                     number(o.free_count()) + " elements per partition; the limit is " + number(limit));
    }
    return {};
  }

  // Two writes of one instruction to one place have no order.
  Result<void> written_once(std::size_t i) {
    const Operand& o = at(i);
    for (const Dim& dim : o.dims)
      if (dim.count > 1 && dim.stride == 0)
        return wrong(Error::InstructionSize, i, "it writes an element more than once (a stride of 0)");
    if (is_hbm(o.space) && o.partition_count > 1 && o.partition_stride == 0 && o.indirect_stride == 0)
      return wrong(Error::InstructionSize, i, "it writes a row more than once (a partition stride of 0)");
    return {};
  }

  Result<void> parameter(std::size_t i) {
    const Field& field = param_field(row_, i);
    const std::int64_t value = instruction_.params[i];
    std::int64_t low = 0, high = 0;
    switch (field.kind) {
      case FieldKind::Alu: high = kAluOpCount - 1; break;
      case FieldKind::Function: high = kFunctionCount - 1; break;
      case FieldKind::Flag: high = 1; break;
      default: {  // "low..high"; high may be a machine key
        const std::size_t dots = field.limits.find("..");
        const std::string_view top = field.limits.substr(dots + 2);
        std::from_chars(field.limits.data(), field.limits.data() + dots, low);
        if (top == "access_dims")
          high = machine_.access_dims;
        else
          std::from_chars(top.data(), top.data() + top.size(), high);
      }
    }
    if (value < low || value > high)
      return wrong(Error::InstructionParameter, "parameter " + std::string(field.name) + " is " + number(value) + "; " +
                                                    number(low) + " to " + number(high) + " are allowed");
    return {};
  }

  Result<void> agreement() {
    switch (instruction_.opcode) {
      case Opcode::LoadStationary: return pe_sizes(0);
      case Opcode::Matmul: return matmul();
      case Opcode::Transpose: return transpose();
      case Opcode::Memset: return {};
      case Opcode::Copy:
        if (at(0).type != at(1).type && is_complex(at(0).type) != is_complex(at(1).type))
          return wrong(Error::InstructionType, "complex elements are copied, not converted to real ones");
        return elementwise();
      case Opcode::TensorTensor:
        if (instruction_.alu(0) == AluOp::Bypass)
          return wrong(Error::InstructionParameter, "parameter op is bypass; Copy does that");
        ON_TRY(one_psum_input(1, 2));
        break;
      case Opcode::Divide: ON_TRY(one_psum_input(1, 2)); break;
      case Opcode::ScalarTensorTensor: ON_TRY(one_psum_input(1, 3)); break;
      case Opcode::TensorScalar:
      case Opcode::Remainder:
      case Opcode::Activation:
      case Opcode::Reciprocal: break;
      case Opcode::ActivationReduce:
      case Opcode::SelectReduce:
        if (at(1).free_count() != 1)
          return wrong(Error::InstructionSize, 1,
                       "it has one element per partition, not " + number(at(1).free_count()));
        break;
      case Opcode::TensorReduce: return reduce();
      case Opcode::Select:
        if (at(2).type != at(0).type || at(3).type != at(0).type)
          return wrong(Error::InstructionType, "destination, on_true and on_false have different types");
        break;
      case Opcode::Iota:
        if (elements(1) != at(0).free_count())
          return wrong(Error::InstructionSize, "the pattern has " + number(elements(1)) +
                                                   " elements, the destination " + number(at(0).free_count()) +
                                                   " per partition");
        return {};
      case Opcode::Dma: return dma(instruction_.params[0]);
      case Opcode::DmaCompute: return dma(2);
      case Opcode::Max8: return eight(0, 1);
      case Opcode::FindIndex8:
        ON_TRY(eight(2, 1));
        return eight(0, 1);
      case Opcode::Sort: return sort();
      case Opcode::Collective: return collective();
      case Opcode::RankId:
        if (at(0).partition_count != 1 || at(0).free_count() != 1) return wrong(Error::InstructionSize, 0, "it is not one element");
        return {};
      case Opcode::RegisterLoad:
        if (at(1).partition_count != 1 || at(1).free_count() != 1)
          return wrong(Error::InstructionSize, 1, "it is not one element");
        return {};
      default: return {};
    }
    ON_TRY(elementwise());
    return alu_domain();
  }

  std::int64_t elements(std::size_t i) const { return at(i).free_count(); }

  Result<void> one_psum_input(std::size_t a, std::size_t b) {
    if (at(a).space == Space::Psum && at(b).space == Space::Psum)
      return wrong(Error::InstructionSpace, "both inputs lie in PSUM; one may");
    return {};
  }

  // The same partition count everywhere; the same element count but for [P, 1] operands.
  Result<void> elementwise() {
    const Operand& to = at(0);
    for (std::size_t i = 1; i < instruction_.operands.size(); ++i) {
      const Operand& o = at(i);
      if (o.kind != OperandKind::Memory) continue;
      const Field& field = operand_field(row_, i);
      if (o.partition_count != to.partition_count)
        return wrong(Error::InstructionPartitions, i,
                     std::to_string(o.partition_count) + " partitions; " + std::string(operand_field(row_, 0).name) +
                         " has " + std::to_string(to.partition_count));
      const bool sum = (instruction_.opcode == Opcode::ActivationReduce || instruction_.opcode == Opcode::SelectReduce) && i == 1;
      if (field.kind == FieldKind::Access && !sum && o.free_count() != to.free_count())
        return wrong(Error::InstructionSize, i,
                     number(o.free_count()) + " elements per partition; " + std::string(operand_field(row_, 0).name) +
                         " has " + number(to.free_count()));
    }
    return {};
  }

  Result<void> alu_domain() {
    for (std::size_t i = 0; i < instruction_.params.size(); ++i)
      if (param_field(row_, i).kind == FieldKind::Alu && is_bitwise(instruction_.alu(i)) &&
          compute_domain(instruction_) == Domain::F32)
        return wrong(Error::InstructionType,
                     std::string(alu_name(instruction_.alu(i))) + " works on integers, and an operand is a float");
    return {};
  }

  Result<void> collective() {
    for (std::size_t i : {std::size_t{0}, std::size_t{1}}) {
      const auto dims = canonical_dims(at(i));
      if (at(i).partition_count != 1 || dims.size() > 1 || (dims.size() == 1 && dims[0].stride != byte_width(at(i).type)))
        return wrong(Error::InstructionSize, i, "its elements do not lie one after the other in one row");
    }
    if (at(0).type != at(1).type) return wrong(Error::InstructionType, "source and destination have different types");
    const auto kind = static_cast<CollectiveKind>(instruction_.params[0]);
    const std::int64_t to = elements(0), from = elements(1), size = elements(2);
    const bool fits = kind == CollectiveKind::AllGather       ? to == from * size
                      : kind == CollectiveKind::ReduceScatter ? from == to * size
                      : kind == CollectiveKind::AllToAll      ? to == from && from % size == 0
                                                              : to == from;
    if (!fits)
      return wrong(Error::InstructionSize, number(from) + " elements of source and " + number(to) + " of destination do not fit " +
                                               std::string(collective_name(kind)) + " in groups of " + number(size));
    if (kind == CollectiveKind::Permute && size != 2) return wrong(Error::InstructionSize, 2, "a permutation has pairs");
    if (kind != CollectiveKind::AllReduce && kind != CollectiveKind::ReduceScatter) return {};
    if (!reduces(instruction_.alu(1)) || (is_bitwise(instruction_.alu(1)) && is_float(at(0).type)))
      return wrong(Error::InstructionParameter, "parameter op is " + std::string(alu_name(instruction_.alu(1))) + ", which does not combine " + std::string(type_name(at(0).type)));
    return {};
  }

  Result<void> reduce() {
    if (!reduces(instruction_.alu(0)))
      return wrong(Error::InstructionParameter,
                   "parameter op is " + std::string(alu_name(instruction_.alu(0))) + ", which does not reduce");
    ON_TRY(alu_domain());
    const Operand& to = at(0);
    const Operand& data = at(1);
    const auto axes = static_cast<std::size_t>(instruction_.params[1]);
    if (axes > data.dims.size())
      return wrong(Error::InstructionParameter, "parameter axes is " + std::to_string(axes) + "; data has " +
                                                    std::to_string(data.dims.size()) + " free dims");
    if (to.partition_count != data.partition_count)
      return wrong(Error::InstructionPartitions, "destination and data have different partition counts");
    std::int64_t kept = 1;
    for (std::size_t d = 0; d + axes < data.dims.size(); ++d) kept *= data.dims[d].count;
    if (to.free_count() != kept)
      return wrong(Error::InstructionSize, 0,
                   number(to.free_count()) + " elements per partition; data keeps " + number(kept));
    return {};
  }

  // K on partitions, M or P in the free dims.
  Result<void> pe_sizes(std::size_t i) {
    const Operand& o = at(i);
    if (o.partition_count > machine_.pe_rows)
      return wrong(
          Error::InstructionSize, i,
          std::to_string(o.partition_count) + " partitions; the PE has " + std::to_string(machine_.pe_rows) + " rows");
    if (o.free_count() > machine_.pe_columns)
      return wrong(Error::InstructionSize, i,
                   number(o.free_count()) + " elements per partition; the PE has " +
                       std::to_string(machine_.pe_columns) + " columns");
    return {};
  }

  Result<void> matmul() {
    const Operand& to = at(0);
    const Operand& moving = at(1);
    if (moving.partition_count > machine_.pe_rows)
      return wrong(Error::InstructionSize, 1,
                   std::to_string(moving.partition_count) + " partitions; the PE has " +
                       std::to_string(machine_.pe_rows) + " rows");
    if (to.partition_count > machine_.pe_columns)
      return wrong(Error::InstructionSize, 0,
                   std::to_string(to.partition_count) + " partitions; the PE has " +
                       std::to_string(machine_.pe_columns) + " columns");
    if (moving.free_count() > machine_.moving_max)
      return wrong(
          Error::InstructionSize, 1,
          number(moving.free_count()) + " moving columns; the limit is " + std::to_string(machine_.moving_max));
    if (to.free_count() != moving.free_count())
      return wrong(
          Error::InstructionSize, 0,
          number(to.free_count()) + " elements per partition for " + number(moving.free_count()) + " moving columns");
    return bank();
  }

  Result<void> transpose() {
    const Operand& to = at(0);
    const Operand& from = at(1);
    ON_TRY(pe_sizes(1));
    if (to.type != from.type) return wrong(Error::InstructionType, "destination and source have different types");
    if (to.partition_count != from.free_count() || to.free_count() != from.partition_count)
      return wrong(Error::InstructionSize, 0,
                   "[" + std::to_string(to.partition_count) + ", " + number(to.free_count()) + "] is not [" +
                       std::to_string(from.partition_count) + ", " + number(from.free_count()) + "] transposed");
    return bank();
  }

  // PSUM buffers wider than a bank start at a bank and narrower ones lie in one, so offsets in a buffer tell banks
  // apart.
  Result<void> bank() {
    const Operand& to = at(0);
    const ByteRange range = free_range(to);
    const std::int64_t bytes = machine_.psum_bank_bytes;
    bool fixed = to.reg < 0 || to.reg_bytes % bytes == 0;
    for (const Term& term : to.terms) fixed = fixed && term.bytes % bytes == 0;
    const std::int64_t begin = to.start + range.begin, end = to.start + range.end;
    const std::int64_t within = ((begin % bytes) + bytes) % bytes;
    if (end - begin > bytes || (fixed && within + (end - begin) > bytes))
      return wrong(Error::InstructionBank, 0,
                   "bytes " + number(begin) + " to " + number(end - 1) + " do not lie in one PSUM bank of " +
                       number(bytes) + " bytes");
    return {};
  }

  // Operand `i` has eight elements for each row of `data`.
  Result<void> eight(std::size_t i, std::size_t data) {
    constexpr std::int64_t kEight = 8, kWidest = 16384;
    if (at(i).partition_count != at(data).partition_count)
      return wrong(Error::InstructionPartitions, i, "it and data have different partition counts");
    if (at(i).free_count() != kEight)
      return wrong(Error::InstructionSize, i, number(at(i).free_count()) + " elements per partition, not 8");
    if (at(data).free_count() < kEight || at(data).free_count() > kWidest)
      return wrong(Error::InstructionSize, data,
                   number(at(data).free_count()) + " elements per partition; 8 to 16384 are allowed");
    if (instruction_.opcode == Opcode::Max8 && at(0).type != at(1).type)
      return wrong(Error::InstructionType, 0, "it has another type than data");
    return {};
  }

  Result<void> sort() {
    if ((at(1).kind == OperandKind::Memory) != (at(3).kind == OperandKind::Memory))
      return wrong(Error::InstructionForm, "payload and source_payload come together");
    for (std::size_t i : {std::size_t{0}, std::size_t{1}}) {
      if (at(i).kind == OperandKind::Memory && at(i).type != at(i + 2).type)
        return wrong(Error::InstructionType, i, "it has another type than its source");
    }
    return elementwise();
  }

  Result<void> dma(std::int64_t indirect) {
    const Operand& to = at(0);
    const Operand& from = at(1);
    const Operand& offsets = at(2);
    const std::int64_t to_elements = to.partition_count * to.free_count(),
                       from_elements = from.partition_count * from.free_count();
    if (to_elements != from_elements)
      return wrong(Error::InstructionSize, number(from_elements) + " elements go to " + number(to_elements));
    if (to.type != from.type && is_complex(to.type) != is_complex(from.type))
      return wrong(Error::InstructionType, "complex elements are copied, not converted to real ones");
    if ((indirect != 0) != (offsets.kind == OperandKind::Memory))
      return wrong(Error::InstructionForm,
                   indirect ? "an indirect transfer needs offsets" : "a direct transfer has no offsets");
    if (instruction_.opcode == Opcode::DmaCompute && to.partition_count != from.partition_count)
      return wrong(Error::InstructionPartitions, 1,
                   std::to_string(from.partition_count) + " rows are added to " + std::to_string(to.partition_count));
    if (indirect) {
      const std::size_t side = indirect == 1 ? 1 : 0;
      if (offsets.free_count() != 1 || offsets.partition_count != at(side).partition_count)
        return wrong(Error::InstructionSize, 2,
                     "it has [" + std::to_string(offsets.partition_count) + ", " + number(offsets.free_count()) +
                         "] offsets for " + std::to_string(at(side).partition_count) + " rows");
      if (at(side).indirect_limit < 0) return wrong(Error::InstructionParameter, side, "its offset limit is negative");
    }
    return {};
  }

  const Instruction& instruction_;
  const Machine& machine_;
  const Row& row_;
};

}  // namespace

Result<void> check_instruction(const Instruction& instruction, const Machine& machine) {
  if (static_cast<std::size_t>(instruction.opcode) >= rows().size())
    return fail(Error::InstructionForm, "there is no such opcode");
  return Checker(instruction, machine).run();
}

Result<void> check_pair(const Instruction& stationary, const Instruction& matmul) {
  Place place;
  place.op = "Matmul";
  const Operand& loaded = stationary.operands[0];
  const Operand& to = matmul.operands[0];
  const Operand& moving = matmul.operands[1];
  if (loaded.partition_count != moving.partition_count)
    return fail(Error::InstructionPair, place,
                "K is " + std::to_string(loaded.partition_count) + " in the stationary tile and " +
                    std::to_string(moving.partition_count) + " in the moving one");
  if (loaded.free_count() != to.partition_count)
    return fail(Error::InstructionPair, place,
                "M is " + number(loaded.free_count()) + " in the stationary tile and " +
                    std::to_string(to.partition_count) + " in the destination");
  if ((bit_width(loaded.type) == 32) != (bit_width(moving.type) == 32))
    return fail(Error::InstructionPair, place,
                std::string(type_name(loaded.type)) + " and " + std::string(type_name(moving.type)) +
                    " do not pair: 32-bit types go together");
  return {};
}

Result<void> check_registers(const Instruction& instruction, const Machine& machine) {
  Place place;
  place.op = std::string(opcode_name(instruction.opcode));
  for (const Operand& o : instruction.operands)
    if (o.reg >= machine.registers)
      return fail(Error::InstructionParameter, place,
                  "register " + std::to_string(o.reg) + "; an engine has " + std::to_string(machine.registers));
  for (const auto* list : {&instruction.waits, &instruction.advances})
    for (const Wait& wait : *list)
      if (wait.semaphore >= machine.semaphores)
        return fail(Error::InstructionParameter, place,
                    "semaphore " + std::to_string(wait.semaphore) + "; " + machine.name + " has " +
                        std::to_string(machine.semaphores));
  return {};
}

}  // namespace openneuron::isa
