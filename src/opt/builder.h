// Emits ops into a new function, folding and merging on the way: the only way in which passes make ops.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "graph/module.h"

namespace openneuron::opt {

/// A scalar that a whole constant repeats.
struct Splat {
  ElementType type;
  bool is_float;
  double real;
  std::int64_t integer;
};

class Builder {
 public:
  Builder(graph::Module& module, graph::Function& out) : module_(module), out_(out) {}

  graph::Module& module() { return module_; }
  graph::Function& function() { return out_; }
  const graph::Type& type(ValueId value) const { return module_.type(out_.type(value)); }

  /// Emits an op of one result, or the value that it folds to or that an equal op already made.
  ValueId emit(graph::OpKind kind, std::span<const ValueId> operands, TypeId result, AttrId attributes = {},
               LocationId location = {});
  ValueId emit(graph::OpKind kind, std::initializer_list<ValueId> operands, TypeId result, AttrId attributes = {},
               LocationId location = {}) {
    return emit(kind, std::span<const ValueId>(operands.begin(), operands.size()), result, attributes, location);
  }
  /// Emits any op as it is (regions, several results).
  OpId emit_op(graph::OpKind kind, std::span<const ValueId> operands, std::span<const TypeId> results,
               AttrId attributes, LocationId location, std::span<const FunctionId> regions, std::uint32_t captures,
               AttrId extra);

  /// What reduces `operand` by one op alone, when an equal reduction was made before; else an invalid id, to be set.
  ValueId& reduction(graph::OpKind kind, ValueId operand, AttrId dimensions) { return reductions_[{kind, operand.index, dimensions.index}]; }

  /// The value when `value` is a splat constant.
  std::optional<Splat> splat(ValueId value) const;
  /// One element of a constant.
  std::optional<Splat> element(ValueId value, std::span<const std::int64_t> at) const;
  ValueId splat_constant(TypeId type, const Splat& value, LocationId location);
  /// A splat of `real` in the element type of `type`.
  ValueId constant(TypeId type, double real, LocationId location);

 private:
  std::optional<ValueId> fold(graph::OpKind kind, std::span<const ValueId> operands, TypeId result, AttrId attributes,
                              LocationId location);
  std::optional<ValueId> fold_movement(graph::OpKind kind, std::span<const ValueId> operands, TypeId result,
                                       AttrId attributes, LocationId location);
  std::optional<ValueId> fold_compare(std::span<const ValueId> operands, TypeId result, AttrId attributes, LocationId location);
  std::optional<ValueId> fold_arithmetic(graph::OpKind kind, std::span<const ValueId> operands, TypeId result,
                                         LocationId location);

  graph::Module& module_;
  graph::Function& out_;
  std::unordered_multimap<std::uint64_t, OpId> made_;  // pure ops by hash
  std::map<std::tuple<graph::OpKind, std::uint32_t, std::uint32_t>, ValueId> reductions_;
};

}  // namespace openneuron::opt
