// Types, attributes, constants and locations of the graph level: interned tables owned by a Module.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "num/element_type.h"

namespace openneuron::graph {

inline constexpr std::int64_t kDynamic = INT64_MIN;  ///< a `?` dimension
inline constexpr int kMaxRank = 32;

enum class TypeKind : std::uint8_t { Tensor, Token, Tuple, Function, Quantized, Buffer, Future, Opaque };

/// One interned type.
///   Tensor    element, shape, bounds (empty, or one per dim, kDynamic for none); ranked only
///   Tuple, Future  members;  Function  members = inputs then results, input_count says where they part
///   Quantized a tensor whose element prints as `quant` (kept as text); Buffer a memref; Opaque kept as text only
struct Type {
  TypeKind kind = TypeKind::Tensor;
  ElementType element = ElementType::None;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> bounds;
  std::vector<TypeId> members;
  std::uint32_t input_count = 0;
  std::string text;  // Quantized: "!quant.uniform<...>"; Opaque: the whole type
  bool operator==(const Type&) const = default;

  int rank() const { return static_cast<int>(shape.size()); }
  /// Product of the dims (1 for rank 0).
  std::int64_t element_count() const;
};

/// Keywords of StableHLO enum attributes are AttrKind::Enum: `text` = "LT", `dialect_name` = "comparison_direction".
enum class AttrKind : std::uint8_t {
  Unit,
  Bool,
  Int,
  Float,
  String,
  Symbol,
  Enum,
  Type,
  Ints,
  Bools,
  Array,
  Dictionary,
  Constant,
  Opaque
};

/// One interned attribute.
///   Bool, Int      `integer`, with `element` the integer's type (I64, I32, ...)
///   Float          `real`, `element`
///   Ints, Bools    `integers`: array<i64: ...> or dense i64 of rank 1; with `shape` of 2 entries an Nx2 or NxM matrix
///   (padding, replica_groups) Array          `items`;  Dictionary: `names` and `items`, sorted by name Constant
///   `constant`: a dense literal of any type;  Opaque: kept as text (`#sdy.sharding<...>`)
struct Attribute {
  AttrKind kind = AttrKind::Unit;
  ElementType element = ElementType::None;
  std::int64_t integer = 0;
  double real = 0;
  std::string text;
  std::string dialect_name;
  std::vector<std::int64_t> integers;
  std::vector<std::int64_t> shape;
  std::vector<std::string> names;
  std::vector<AttrId> items;
  TypeId type;
  ConstantId constant;
  bool operator==(const Attribute&) const = default;
};

/// A dense literal. The bytes are little-endian row-major, one byte or more per element (sub-byte types one byte each).
/// They lie in the mapped input, or in storage that the Module owns; a splat holds one element.
struct Constant {
  TypeId type;
  bool splat = false;
  std::span<const std::byte> bytes;
  std::uint64_t hash = 0;  ///< xxh3 of (type, splat, bytes)
};

enum class LocationKind : std::uint8_t { Unknown, File, Name, CallSite, Fused };
/// One interned location. File: `text`, line, column (end_* 0 when unknown). Name: `text`, child.
/// CallSite: children = callee, caller. Fused: children.
struct Location {
  LocationKind kind = LocationKind::Unknown;
  std::string text;
  std::uint32_t line = 0, column = 0, end_line = 0, end_column = 0;
  std::vector<LocationId> children;
  bool operator==(const Location&) const = default;
};

}  // namespace openneuron::graph
