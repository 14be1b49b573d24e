#include "lower/op_tables.h"

#include <cmath>

namespace openneuron::lower {
namespace {

using graph::OpKind;
using isa::AluOp;
using isa::Function;

constexpr OpRow kRows[] = {
    {OpKind::Add, Recipe::Bitwise, AluOp::Add},
    {OpKind::Subtract, Recipe::Alu, AluOp::Subtract},
    {OpKind::Multiply, Recipe::Bitwise, AluOp::Multiply},
    {OpKind::Maximum, Recipe::Bitwise, AluOp::Max},
    {OpKind::Minimum, Recipe::Bitwise, AluOp::Min},
    {OpKind::And, Recipe::Bitwise, AluOp::BitAnd},
    {OpKind::Or, Recipe::Bitwise, AluOp::BitOr},
    {OpKind::Xor, Recipe::Bitwise, AluOp::BitXor},
    {OpKind::ShiftLeft, Recipe::Alu, AluOp::ShiftLeft},
    {OpKind::ShiftRightLogical, Recipe::Alu, AluOp::ShiftRight},
    {OpKind::Power, Recipe::Alu, AluOp::Power},
    {OpKind::Divide, Recipe::Divide},
    {OpKind::Remainder, Recipe::Remainder},  // of floats; integers divide and subtract
    {OpKind::Compare, Recipe::Compare},
    {OpKind::Select, Recipe::Select},
    {OpKind::Convert, Recipe::Convert},
    {OpKind::Not, Recipe::Not},
    {OpKind::Negate, Recipe::Negate},
    {OpKind::Abs, Recipe::Abs},
    {OpKind::IsFinite, Recipe::IsFinite},
    {OpKind::Exponential, Recipe::Activation, AluOp::Bypass, Function::Exp},
    {OpKind::Log, Recipe::Activation, AluOp::Bypass, Function::Log},
    {OpKind::Tanh, Recipe::Activation, AluOp::Bypass, Function::Tanh},
    {OpKind::Logistic, Recipe::Activation, AluOp::Bypass, Function::Sigmoid},
    {OpKind::Sqrt, Recipe::Activation, AluOp::Bypass, Function::Sqrt},
    {OpKind::Rsqrt, Recipe::Activation, AluOp::Bypass, Function::Rsqrt},
    {OpKind::Sign, Recipe::Activation, AluOp::Bypass, Function::Sign},
    {OpKind::Sine, Recipe::Activation, AluOp::Bypass, Function::Sin},
    {OpKind::ChloErf, Recipe::Activation, AluOp::Bypass, Function::Erf},
    {OpKind::ChloAtan, Recipe::Activation, AluOp::Bypass, Function::Arctan},
    {OpKind::Cosine, Recipe::Activation, AluOp::Bypass, Function::Cos},
    {OpKind::Tan, Recipe::Activation, AluOp::Bypass, Function::Tan},
    {OpKind::LogPlusOne, Recipe::Activation, AluOp::Bypass, Function::Log1p},
    {OpKind::ExponentialMinusOne, Recipe::Activation, AluOp::Bypass, Function::Expm1},
    {OpKind::NeuronGelu, Recipe::Activation, AluOp::Bypass, Function::Gelu},
    {OpKind::NeuronGeluTanh, Recipe::Activation, AluOp::Bypass, Function::GeluTanh},
    {OpKind::NeuronSilu, Recipe::Activation, AluOp::Bypass, Function::Silu},
    {OpKind::Floor, Recipe::Activation, AluOp::Bypass, Function::Floor},
    {OpKind::Ceil, Recipe::Activation, AluOp::Bypass, Function::Ceil},
    {OpKind::RoundNearestEven, Recipe::Activation, AluOp::Bypass, Function::Round},
};
constexpr OpRow kNone = {OpKind::Constant, Recipe::None};

bool is_16_or_32_float(ElementType t) { return t == ElementType::F32 || t == ElementType::BF16 || t == ElementType::F16; }

}  // namespace

const OpRow& op_row(OpKind kind) {
  for (const OpRow& r : kRows)
    if (r.kind == kind) return r;
  return kNone;
}

bool is_elementwise(OpKind kind) { return op_row(kind).recipe != Recipe::None; }

bool is_special(OpKind kind) {
  switch (kind) {
    case OpKind::Gather:
    case OpKind::Scatter:
    case OpKind::Sort:
    case OpKind::ChloTopK:
    case OpKind::DynamicSlice:
    case OpKind::DynamicUpdateSlice:
    case OpKind::Concatenate:
    case OpKind::Pad:
    case OpKind::NeuronCollective:
    case OpKind::PartitionId:
    case OpKind::While:
    case OpKind::If:
    case OpKind::Case:
      return true;
    default:
      return false;
  }
}

bool lowerable_type(ElementType t) {
  return t == ElementType::I1 || is_16_or_32_float(t) || (is_integer(t) && byte_width(t) <= 4 && bit_width(t) >= 8);
}

bool elementwise_type(OpKind kind, ElementType t) {
  if (!lowerable_type(t)) return false;
  switch (op_row(kind).recipe) {
    case Recipe::Remainder:
      return is_float(t);
    case Recipe::Activation:
    case Recipe::IsFinite:
    case Recipe::Negate:
      return t != ElementType::I1 && (is_float(t) || op_row(kind).recipe == Recipe::Negate);
    case Recipe::Abs:
      return is_float(t) || type_class(t) == TypeClass::Signed;
    case Recipe::Alu:
      return t != ElementType::I1;
    default:
      return true;
  }
}

bool matmul_type(ElementType t) { return is_16_or_32_float(t); }

AluOp reduce_alu(OpKind kind, ElementType type) {
  const bool flag = type == ElementType::I1;
  switch (kind) {
    case OpKind::Add: return flag ? AluOp::LogicalOr : AluOp::Add;
    case OpKind::Multiply: return flag ? AluOp::LogicalAnd : AluOp::Multiply;
    case OpKind::Maximum: return flag ? AluOp::LogicalOr : AluOp::Max;
    case OpKind::Minimum: return flag ? AluOp::LogicalAnd : AluOp::Min;
    case OpKind::And: return flag ? AluOp::LogicalAnd : AluOp::BitAnd;
    case OpKind::Or: return flag ? AluOp::LogicalOr : AluOp::BitOr;
    default: return flag ? AluOp::LogicalXor : AluOp::BitXor;
  }
}

bool reduce_type(OpKind kind, ElementType t) {
  if (!lowerable_type(t)) return false;
  const bool bits = kind == OpKind::And || kind == OpKind::Or || kind == OpKind::Xor;
  return !bits || !is_float(t);
}

bool starts_from_identity(OpKind kind, const View& initial) {
  if (initial.kind != ViewKind::Splat) return false;
  const double x = initial.splat;
  const ElementType t = initial.type;
  const bool flag = t == ElementType::I1, is_signed = type_class(t) == TypeClass::Signed;
  const double lowest = is_float(t) ? -INFINITY : is_signed ? -std::ldexp(1.0, bit_width(t) - 1) : 0;
  const double highest = is_float(t) ? INFINITY : flag ? 1 : std::ldexp(1.0, bit_width(t) - (is_signed ? 1 : 0)) - 1;
  switch (kind) {
    case OpKind::Add:
    case OpKind::Or:
    case OpKind::Xor:
      return x == 0;
    case OpKind::Multiply:
      return x == 1;
    case OpKind::And:
      return flag ? x != 0 : x == -1 || (!is_signed && x == highest);
    case OpKind::Maximum:
      return x == lowest;
    case OpKind::Minimum:
      return flag ? x != 0 : x == highest;
    default:
      return false;
  }
}

}  // namespace openneuron::lower
