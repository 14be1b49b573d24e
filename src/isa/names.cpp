#include <array>

#include "isa/table.h"

namespace openneuron::isa {
namespace {

constexpr std::array<std::string_view, 7> kEngines = {"PE", "Vector", "Scalar", "GpSimd", "Sync", "Dma", "Any"};

// The spellings of nki.language.
constexpr std::array<std::string_view, kAluOpCount> kAluOps = {
    "bypass",      "add",         "subtract",    "multiply",      "maximum",    "minimum",
    "equal",       "not_equal",   "greater",     "greater_equal", "less",       "less_equal",
    "logical_and", "logical_or",  "logical_xor", "bitwise_and",   "bitwise_or", "bitwise_xor",
    "left_shift",  "right_shift", "power",       "abs_max"};
static_assert(!kAluOps.back().empty() && static_cast<int>(AluOp::AbsMax) + 1 == kAluOpCount);

constexpr std::array<std::string_view, kFunctionCount> kFunctions = {
    "copy", "exp",  "log", "tanh",   "sigmoid", "sqrt", "rsqrt",           "reciprocal", "square",  "abs",
    "sign", "relu", "sin", "arctan", "erf",     "gelu", "gelu_apprx_tanh", "silu",       "softplus",
    "floor", "ceil", "trunc", "round", "log1p", "expm1", "cos", "tan"};
static_assert(!kFunctions.back().empty() && static_cast<int>(Function::Tan) + 1 == kFunctionCount);

constexpr std::array<std::string_view, kCollectiveKindCount> kCollectives = {"all_reduce", "all_gather",         "reduce_scatter",
                                                                             "all_to_all", "collective_permute", "broadcast"};

template <class Names>
std::string_view name_of(const Names& names, std::size_t index) {
  return index < names.size() ? names[index] : std::string_view("?");
}

template <class Names, class Enum>
bool from_name(const Names& names, std::string_view name, Enum& value) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return value = static_cast<Enum>(i), true;
  return false;
}

}  // namespace

std::string_view engine_name(Engine engine) { return name_of(kEngines, static_cast<std::size_t>(engine)); }
std::string_view alu_name(AluOp op) { return name_of(kAluOps, static_cast<std::size_t>(op)); }
std::string_view collective_name(CollectiveKind kind) { return name_of(kCollectives, static_cast<std::size_t>(kind)); }
std::string_view function_name(Function f) { return name_of(kFunctions, static_cast<std::size_t>(f)); }

const char* variable_kind_name(VariableKind kind) {
  switch (kind) {
    case VariableKind::Input: return "input";
    case VariableKind::Output: return "output";
    case VariableKind::Constant: return "constant";
    case VariableKind::Scratch: break;
  }
  return "scratch";
}

bool engine_from_name(std::string_view name, Engine& engine) { return from_name(kEngines, name, engine); }
bool alu_from_name(std::string_view name, AluOp& op) { return from_name(kAluOps, name, op); }
bool function_from_name(std::string_view name, Function& function) { return from_name(kFunctions, name, function); }

bool opens_region(Opcode opcode) {
  return opcode == Opcode::LoopBegin || opcode == Opcode::WhileBegin || opcode == Opcode::CaseBegin;
}
bool closes_region(Opcode opcode) {
  return opcode == Opcode::LoopEnd || opcode == Opcode::WhileEnd || opcode == Opcode::CaseEnd;
}
bool divides_region(Opcode opcode) { return opcode == Opcode::WhileTest || opcode == Opcode::CaseNext; }

}  // namespace openneuron::isa
