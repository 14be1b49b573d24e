// What graph/ops.def says of an op, ready to use.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "graph/op_kind.h"

namespace openneuron::graph {

inline constexpr std::uint32_t kPure = 1;             ///< no effect beyond its results
inline constexpr std::uint32_t kElementwise = 2 | 1;  ///< result element i depends on operand elements i; pure
inline constexpr std::uint32_t kCommutative = 4;
inline constexpr std::uint32_t kSideEffect = 8;
inline constexpr std::uint32_t kTerminator = 16;
inline constexpr std::uint32_t kCollective = 32;
inline constexpr std::uint32_t kDeprecated = 64;
inline constexpr std::uint32_t kControl = 128;  ///< runs its regions
inline constexpr std::uint32_t kCall = 256;     ///< runs a function by name

/// The pretty text of an op. Generic: `"stablehlo.gather"(%0, %1) <{...}> : (...) -> ...`. The others are shown in
/// docs/graph.md, one line each.
enum class OpForm : std::uint8_t {
  Generic,
  Elementwise,
  Variadic,
  Functional,
  Complex,
  Compare,
  Select,
  Constant,
  Iota,
  Dims,
  Sizes,
  Slice,
  Concatenate,
  Pad,
  DynamicSlice,
  Einsum,
  DimensionSize,
  DynamicIota,
  ReducePrecision,
  Dot,
  DotGeneral,
  Convolution,
  Reduce,
  Fft,
  Cholesky,
  Rng,
  RngBitGenerator,
  While,
  Return,
  Tuple,
  GetTupleElement,
  AfterAll,
  CustomCall,
  Composite,
  Call,
  TopK,
  ShardingConstraint,
  ManualComputation,
  Cast
};

/// Where the meaning of an op is written.
enum class OpSpec : std::uint8_t { Spec, Td, Chlo, Func, Sdy, Builtin, Own };

/// What an attribute holds; each kind has one normal spelling (normalise.h).
enum class AttrRule : std::uint8_t {
  I64,
  I32,
  Bool,
  F32,
  String,
  Symbol,
  Symbols,
  Ints,
  Bools,
  Pairs,
  Groups,
  Enum,
  Precisions,
  Dict,
  Array,
  Constant,
  Config,
  Version,
  Accuracy,
  Opaque,
  Any
};

struct AttrInfo {
  std::string_view name;
  AttrRule rule = AttrRule::Any;
  std::string_view enumeration;    ///< Enum: "comparison_direction"
  std::string_view default_value;  ///< as in the table; empty: none
  bool optional = false;           ///< may be absent in the normal form
  bool has_default = false;
};

struct Arity {
  int min = 0;
  int max = 0;  ///< -1: any number
  bool admits(std::size_t n) const {
    return n >= static_cast<std::size_t>(min) && (max < 0 || n <= static_cast<std::size_t>(max));
  }
};

struct OpInfo {
  OpKind kind{};
  std::string_view name;
  Arity operands, regions;
  OpForm form = OpForm::Generic;
  std::uint32_t traits = 0;
  OpSpec spec = OpSpec::Spec;
  std::vector<AttrInfo> attributes;  ///< in the order of the table

  bool has(std::uint32_t traits_wanted) const { return (traits & traits_wanted) == traits_wanted; }
  /// By name; null when the op has no such inherent attribute.
  const AttrInfo* attribute(std::string_view wanted) const;
};

const OpInfo& op_info(OpKind kind);

/// Keywords of an enumeration in the order of their numbers ("comparison_direction": EQ, NE, ...); empty when unknown.
std::span<const std::string_view> enum_keywords(std::string_view enumeration);

}  // namespace openneuron::graph
