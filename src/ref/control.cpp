// Control flow, calls, tuples, and the ops that are the identity on one device.
#include <algorithm>

#include "ref/interpreter.h"

namespace openneuron::ref {
namespace {

using graph::OpKind;

std::vector<Value> own_operands(const OpContext& c) {
  return {c.operands.begin(), c.operands.begin() + static_cast<std::ptrdiff_t>(c.own_operand_count())};
}

// The condition runs before each iteration; no iteration gives the operands back.
Values run_while(const OpContext& c) {
  std::vector<Value> carried = own_operands(c);
  for (;;) {
    auto condition = c.run_region(0, carried);
    if (!condition) return condition;
    if (condition->size() != 1 || !(*condition)[0].tensor) return c.unsupported("the condition is no scalar");
    if (!get(*(*condition)[0].tensor, 0).integer) return carried;
    ON_TRY(c.interpreter.count_iteration(c.function, c.op));
    auto next = c.run_region(1, std::move(carried));
    if (!next) return next;
    carried = std::move(*next);
  }
}

Values run_case(const OpContext& c) {
  const std::int64_t branches = static_cast<std::int64_t>(c.function.regions(c.op).size());
  std::int64_t chosen = get(c.tensor(0), 0).integer;
  if (chosen < 0 || chosen >= branches) chosen = branches - 1;
  return c.run_region(static_cast<std::size_t>(chosen), {});
}

Values call(const OpContext& c, std::string_view attribute) {
  const FunctionId callee = c.module.find(c.text(attribute));
  if (!callee.valid()) return c.unsupported("the called function @" + std::string(c.text(attribute)) + " is missing");
  return c.interpreter.run(callee, own_operands(c));
}

Values tuple(const OpContext& c) {
  Value value;
  value.members = std::make_shared<const std::vector<Value>>(own_operands(c));
  return std::vector<Value>{std::move(value)};
}

Values get_tuple_element(const OpContext& c) {
  const auto& members = c.operands[0].members;
  const std::size_t index = static_cast<std::size_t>(c.integer("index"));
  if (!members || index >= members->size()) return c.unsupported("the operand is no tuple with that element");
  return std::vector<Value>{(*members)[index]};
}

// Custom calls that only say where or how a value lies.
Values custom_call(const OpContext& c) {
  const std::string_view target = c.text("call_target_name");
  const bool identity = target == "Sharding" || target == "SPMDFullToShardShape" || target == "SPMDShardToFullShape" ||
                        target == "LayoutConstraint" || target == "annotate_device_placement" ||
                        target.substr(0, 8) == "xla.sdy.";
  if (identity && c.result_count() == 0) return std::vector<Value>{};
  if (identity && c.operands.size() == c.result_count()) {
    bool same = true;
    for (std::size_t i = 0; i < c.operands.size(); ++i)
      same &= c.function.type(c.function.operand(c.op, i)) == c.function.type(c.function.result(c.op, i));
    if (same) return own_operands(c);
  }
  return c.unsupported("the oracle does not cover custom calls of @" + std::string(target));
}

}  // namespace

bool is_control(OpKind kind) {
  switch (kind) {
    case OpKind::While: case OpKind::If: case OpKind::Case: case OpKind::Call: case OpKind::Composite:
    case OpKind::Tuple: case OpKind::GetTupleElement: case OpKind::OptimizationBarrier: case OpKind::AfterAll:
    case OpKind::CreateToken: case OpKind::CustomCall: case OpKind::SdyShardingConstraint: case OpKind::SdyReshard:
    case OpKind::SdyManualComputation: case OpKind::UnrealizedConversionCast: case OpKind::PartitionId:
    case OpKind::ReplicaId: case OpKind::ChloConstantLike: return true;
    default: return false;
  }
}

Values run_control(const OpContext& c) {
  switch (c.kind()) {
    case OpKind::While: return run_while(c);
    case OpKind::If: return c.run_region(get(c.tensor(0), 0).integer ? 0 : 1, {});
    case OpKind::Case: return run_case(c);
    case OpKind::Call: return call(c, "callee");
    case OpKind::Composite: return call(c, "decomposition");
    case OpKind::Tuple: return tuple(c);
    case OpKind::GetTupleElement: return get_tuple_element(c);
    case OpKind::OptimizationBarrier:
    case OpKind::SdyShardingConstraint:
    case OpKind::SdyReshard: return own_operands(c);
    case OpKind::UnrealizedConversionCast:
      if (c.function.type(c.function.operand(c.op, 0)) != c.function.type(c.function.result(c.op)))
        return c.unsupported("the cast changes the type");
      return own_operands(c);
    case OpKind::SdyManualComputation: {
      for (std::size_t i = 0; i < c.result_count() && i < c.own_operand_count(); ++i) {
        // On one device local and global shapes are the same; anything else needs a partitioner.
        const graph::Function& body = c.module.function(c.function.regions(c.op)[0]);
        if (body.type(ValueId(i)) != c.function.type(c.function.operand(c.op, i)))
          return c.unsupported("the computation is split over several devices");
      }
      return c.run_region(0, own_operands(c));
    }
    case OpKind::CustomCall: return custom_call(c);
    case OpKind::AfterAll:
    case OpKind::CreateToken: return std::vector<Value>(1);
    case OpKind::PartitionId:
    case OpKind::ReplicaId: return std::vector<Value>{Value(c.new_result())};
    case OpKind::ChloConstantLike: {
      Tensor result = c.new_result();
      const AttrId id = c.module.attr(c.function, c.op, "value");
      if (!id.valid()) return c.unsupported("the constant has no value");
      const graph::Attribute& a = c.module.attribute(id);
      const bool whole = a.kind == graph::AttrKind::Int || a.kind == graph::AttrKind::Bool;
      if (!whole && a.kind != graph::AttrKind::Float) return c.unsupported("the constant is no plain number");
      const Scalar value = convert_scalar(whole ? ElementType::I64 : ElementType::F64, result.type, {a.real, 0, a.integer},
                                          c.round());
      for (std::int64_t i = 0; i < result.count(); ++i) set(result, i, value);
      return std::vector<Value>{Value(std::move(result))};
    }
    default: return c.unsupported();
  }
}

}  // namespace openneuron::ref
