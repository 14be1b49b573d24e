#include "isa/table.h"

#include <algorithm>
#include <array>

namespace openneuron::isa {
namespace {

// One array of fields per instruction; the empty one at the end lets an instruction have none.
#define INSTRUCTION(name, engines, cost, equals, forms, meaning) constexpr Field k##name##Fields[] = {
#define FIELD(kind, name, use, spaces, types, limits) {FieldKind::kind, #name, Use::use, spaces, types, limits},
#define END(name)                                             \
  { FieldKind::Number, "", Use::Reads, S_NONE, kNoTypes, "" } \
  }                                                           \
  ;
#include "isa/isa.def"
#undef INSTRUCTION
#undef FIELD
#undef END

template <std::size_t N>
constexpr Row make_row(Opcode opcode, std::string_view name, unsigned engines, std::string_view cost_class,
                       std::string_view equals, Forms forms, std::string_view meaning, const Field (&fields)[N]) {
  Row row{opcode, name, engines, cost_class, equals, forms == Forms::Split, meaning, {fields, N - 1}, 0, 0};
  for (std::size_t i = 0; i + 1 < N; ++i) ++(fields[i].is_operand() ? row.operand_count : row.param_count);
  return row;
}

constexpr auto kRows = std::to_array<Row>({
#define INSTRUCTION(name, engines, cost, equals, forms, meaning) \
  make_row(Opcode::name, #name, engines, #cost, equals, forms, meaning, k##name##Fields),
#define FIELD(...)
#define END(name)
#include "isa/isa.def"
#undef INSTRUCTION
#undef FIELD
#undef END
});

constexpr bool rows_fit() {
  for (const Row& row : kRows) {
    if (row.operand_count > kMaxOperands) return false;
    bool params = false;  // operands stand first, so that both are numbered in table order
    for (const Field& field : row.fields) {
      if (field.is_operand() && params) return false;
      params = params || !field.is_operand();
    }
  }
  return true;
}
static_assert(rows_fit());

bool is_one_of(ElementType type, std::initializer_list<ElementType> types) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

}  // namespace

std::span<const Row> rows() { return kRows; }
const Row& row(Opcode opcode) { return kRows[static_cast<std::size_t>(opcode)]; }
std::string_view opcode_name(Opcode opcode) {
  return static_cast<std::size_t>(opcode) < kRows.size() ? row(opcode).name : std::string_view("?");
}

bool opcode_from_name(std::string_view name, Opcode& opcode) {
  for (const Row& row : kRows)
    if (row.name == name) return opcode = row.opcode, true;
  return false;
}

const Field& operand_field(const Row& row, std::size_t operand_index) { return row.fields[operand_index]; }
const Field& param_field(const Row& row, std::size_t param_index) {
  return row.fields[static_cast<std::size_t>(row.operand_count) + param_index];
}

bool type_allowed(std::string_view types, ElementType type) {
  using T = ElementType;
  if (type == T::None || type == T::Index) return false;
  if (types == kAnyTypes) return true;
  if (types == kComputeTypes) {
    if (is_complex(type) || type == T::TF32) return false;
    return bit_width(type) <= 32;
  }
  if (types == kMatmulTypes)
    return is_one_of(type, {T::F32, T::BF16, T::F16, T::F8E4M3, T::F8E4M3FN, T::F8E5M2, T::F8E3M4});
  if (types == kTransposeTypes) return is_one_of(type, {T::F32, T::I32, T::U32, T::BF16, T::F16, T::I16, T::U16});
  if (types == kF32Only) return type == T::F32;
  if (types == kOffsetTypes) return is_one_of(type, {T::I32, T::U32});
  if (types == kIndexTypes) return is_one_of(type, {T::U16, T::U32});
  if (types == kFloatTypes) return is_float(type) && type != T::TF32 && bit_width(type) <= 32;
  if (types == kPredicateTypes) return is_one_of(type, {T::I1, T::U8});
  if (types == kRegisterTypes) return is_one_of(type, {T::I1, T::I32, T::U32});
  return false;
}

SmallVector<Dim, 2> canonical_dims(const Operand& operand) {
  SmallVector<Dim, 2> out;
  for (const Dim& dim : operand.dims) {
    if (dim.count == 1) continue;
    if (!out.empty() && out.back().stride == dim.stride * dim.count)
      out.back() = {dim.stride, out.back().count * dim.count};
    else
      out.push_back(dim);
  }
  return out;
}

ByteRange free_range(const Operand& operand) {
  ByteRange range{0, byte_width(operand.type)};
  for (const Dim& dim : operand.dims) {
    const std::int64_t last = dim.stride * (dim.count - 1);
    (last < 0 ? range.begin : range.end) += last;
  }
  return range;
}

Domain compute_domain(const Instruction& instruction) {
  const Row& r = row(instruction.opcode);
  bool first = true, has_float = false;
  Domain integers = Domain::I32;
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    const Field& field = operand_field(r, i);
    const Operand& operand = instruction.operands[i];
    if (field.use == Use::Writes || field.use == Use::Predicates || operand.kind == OperandKind::None) continue;
    if (first && type_class(operand.type) == TypeClass::Unsigned) integers = Domain::U32;
    first = false;
    has_float = has_float || is_float(operand.type);
  }
  return has_float ? Domain::F32 : integers;
}

}  // namespace openneuron::isa
