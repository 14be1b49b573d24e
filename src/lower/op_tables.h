// Which graph ops run as which instruction: the tables that planning and emission share.
#pragma once
#include "graph/op_kind.h"
#include "isa/instruction.h"
#include "lower/view.h"

namespace openneuron::lower {

enum class Recipe : std::uint8_t {
  None,
  Alu,         ///< TensorTensor / TensorScalar with `alu`
  Activation,  ///< Activation with `function`; floats
  AluUnary,    ///< TensorScalar with `alu` and `constant`
  Divide, Remainder, Compare, Select, Convert, Bitwise, Not, Negate, Abs, IsFinite
};
struct OpRow {
  graph::OpKind kind;
  Recipe recipe;
  isa::AluOp alu = isa::AluOp::Bypass;
  isa::Function function = isa::Function::Copy;
};
const OpRow& op_row(graph::OpKind kind);  ///< recipe None when the op is not elementwise

bool is_elementwise(graph::OpKind kind);
bool is_special(graph::OpKind kind);
bool lowerable_type(ElementType type);                        ///< values of it can be held and moved
bool elementwise_type(graph::OpKind kind, ElementType type);  ///< the op can take operands of it
bool matmul_type(ElementType type);

isa::AluOp reduce_alu(graph::OpKind kind, ElementType type);
bool reduce_type(graph::OpKind kind, ElementType type);
bool starts_from_identity(graph::OpKind kind, const View& initial);

}  // namespace openneuron::lower
