// The VHLO op table (import/vhlo_ops.def): which op of the graph level each stands for, its attributes in wire order.
#pragma once
#include <cstdint>
#include <string_view>

#include "graph/op_kind.h"

namespace openneuron::import::bytecode {

/// What an attribute of an op becomes at the graph level.
///   Int, Bool, Float, String, Type      that kind; Optional*: none when VHLO writes "no type" in its place
///   Ints, Bools, Matrix                 i64 list, i1 list, i64 rows and columns, from a Tensor
///   Constant                            a Tensor kept as a dense literal
///   Symbol, Symbols                     a function's name, kept as String in VHLO; an Array of them
///   Precisions                          an Array of Precision
///   Groups                              replica groups: Matrix, or a mesh kept as text
///   Layouts                             an Array of index lists
///   Accuracy                            result_accuracy; none when default
///   StringOrDictionary, Array, Dictionary, Any   as they stand
enum class AttributeKind : std::uint8_t {
  Any, Int, OptionalInt, Bool, OptionalBool, Float, String, StringOrDictionary, Type, Ints, Bools, Matrix, Constant,
  Symbol, Symbols, Array, Dictionary, Precisions, Groups, Layouts, Accuracy,
  // enumerations
  ComparisonDirection, ComparisonType, CustomCallApiVersion, FftType, Precision, RngAlgorithm, RngDistribution,
  Transpose, ResultAccuracyMode
};

struct VhloVersion {
  int major = 0, minor = 0, patch = 0;
  bool operator==(const VhloVersion&) const = default;
  bool operator<(const VhloVersion& o) const {
    return major != o.major ? major < o.major : minor != o.minor ? minor < o.minor : patch < o.patch;
  }
};

struct VhloAttribute {
  std::string_view name;
  AttributeKind kind;
};

struct VhloOp {
  std::string_view name;    ///< "add_v1"
  std::string_view target;  ///< "stablehlo.add"
  VhloVersion since, until; ///< versions whose writers use it; until = the newest when it is current
  std::string_view operands, regions, results;  ///< names separated by spaces, '*' marks a variadic one
  std::uint16_t first_attribute = 0, attribute_count = 0;
};

/// By name without dialect; nullptr when unknown.
const VhloOp* find_vhlo_op(std::string_view name);
/// The op's attributes in wire order.
const VhloAttribute* vhlo_attributes(const VhloOp& op);
/// The newest version in the table.
VhloVersion newest_vhlo_version();
/// The VHLO version in a producer's name "StableHLO_v1.17.0"; false when it names none.
bool version_of_producer(std::string_view producer, VhloVersion& version);
/// Keyword of an enumeration's value, and the name of the enumeration in StableHLO text; empty when unknown.
std::string_view enum_keyword(AttributeKind kind, std::uint64_t value);
std::string_view enum_name(AttributeKind kind);
/// Whether `count` entries fit a list of names ("inputs* token").
bool arity_fits(std::string_view names, std::size_t count);

}  // namespace openneuron::import::bytecode
