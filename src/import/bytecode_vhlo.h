// The VHLO op table (import/vhlo_ops.def): which op of the graph level each stands for, its attributes in wire order.
#pragma once
#include <cstdint>
#include <string_view>

#include "graph/op_kind.h"

namespace openneuron::import::bytecode {

/// How an attribute of an op is decoded. graph/normalise.h brings the result into the graph level's form.
///   Any       as it stands
///   Optional  none when VHLO writes "no type" in its place
///   Constant  a Tensor kept as a dense literal whose bytes stay in the file
enum class AttributeKind : std::uint8_t { Any, Optional, Constant };

enum class VhloEnum : std::uint8_t {
  ComparisonDirection, ComparisonType, CustomCallApiVersion, FftType, Precision, RngAlgorithm, RngDistribution,
  Transpose, ResultAccuracyMode, None
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
/// The enumeration that a VHLO attribute code stands for; None for all other codes.
VhloEnum enum_of_code(std::uint64_t code);
/// The enumeration's name in StableHLO text ("comparison_direction").
std::string_view enum_name(VhloEnum kind);
/// Whether `count` entries fit a list of names ("inputs* token").
bool arity_fits(std::string_view names, std::size_t count);

}  // namespace openneuron::import::bytecode
