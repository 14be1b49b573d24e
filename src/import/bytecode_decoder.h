// Decodes attributes, types and locations of a bytecode file into a module's tables, each once, when it is first
// asked for: most attributes of a file are locations, and many are never needed in full.
//
// Problems stick as in Cursor: after the first, every function returns "none". Recursion is bounded by kMaxDepth, and
// the size that a value would have if it were written out (shared parts counted each time) by `expansion_limit()`, so
// that no small file expands without bound in whoever walks or prints its attributes.
#pragma once
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/module.h"
#include "import/bytecode_container.h"
#include "import/bytecode_vhlo.h"

namespace openneuron::import::bytecode {

inline constexpr int kMaxDepth = 200;  ///< nesting of attributes, types and regions

/// A type as attributes and tensors need it: a scalar has only `element`, everything else `type`.
struct DecodedType {
  ElementType element = ElementType::None;
  TypeId type;
  bool none = false;     ///< VHLO's and the builtin "no type"
  std::string quantized; ///< an element type `!quant.uniform<...>`
  std::uint64_t size = 1;
};

/// A dense literal in the graph level's form: one splat element or all of them, a byte or more each. `bytes` lie in the
/// file, or in `owned` where the file's form differs.
struct RawTensor {
  TypeId type;
  bool splat = false;
  Bytes bytes;
  std::vector<std::byte> owned;
};

class Decoder {
 public:
  Decoder(const Container& container, graph::Module& module, Problem& problem);

  bool ok() const { return !problem_.set; }
  /// The type of a value: tensors, tokens, tuples and so on.
  TypeId type(std::uint32_t index);
  /// An attribute as it stands, in any position.
  AttrId attribute(std::uint32_t index) { return attribute(index, AttributeKind::Any); }
  /// An attribute of an op whose row says `kind`.
  AttrId attribute(std::uint32_t index, AttributeKind kind);
  /// Text of a String attribute, VHLO's or builtin.
  std::string_view string(std::uint32_t index);
  /// (name, attribute index) of a Dictionary, VHLO's or builtin.
  std::vector<std::pair<std::string_view, std::uint32_t>> dictionary(std::uint32_t index);
  /// Attribute indices of an Array.
  std::vector<std::uint32_t> array(std::uint32_t index);
  /// The VHLO or builtin Type attribute's function type.
  TypeId function_type(std::uint32_t index);
  LocationId location(std::uint32_t index);
  /// `<["x"=2]>` of an sdy Mesh attribute.
  std::string mesh_text(std::uint32_t index);

 private:
  enum class Dialect : std::uint8_t { Builtin, Vhlo, Sdy, Other };
  struct Slot {
    bool done = false, busy = false;
    AttrId id;
    std::uint64_t size = 1;
  };
  struct LocationSlot {
    bool done = false, busy = false;
    LocationId id;
    std::uint64_t size = 1;
    std::uint32_t depth = 1;
  };

  Dialect dialect_of(const Entry& entry) const;
  /// A cursor over an attribute's payload, or over a type's; fails on text payloads.
  Cursor open(const Entry& entry);
  void fail(const Entry& entry, Code code, std::string message);
  void unknown_code(const Entry& entry, const char* what, std::uint64_t code);
  void wrong_kind(std::uint32_t index, const char* wanted);
  /// A payload must be used up.
  void finish(Cursor& cursor, const Entry& entry, const char* what);
  std::uint64_t expansion_limit() const { return (std::uint64_t{1} << 20) + 64 * container_.file.size(); }
  /// Adds a part's size to a whole's; fails beyond the limit.
  void grow(const Entry& entry, std::uint64_t& size, std::uint64_t part);

  /// Takes `bytes` of the budget for what is larger in memory than in the file.
  void spend(const Entry& entry, std::uint64_t bytes);

  // bytecode_types.cpp
  const DecodedType& decoded_type(std::uint32_t index);
  DecodedType decode_type(const Entry& entry);
  DecodedType builtin_type(Cursor& cursor, const Entry& entry);
  DecodedType vhlo_type(Cursor& cursor, const Entry& entry);
  DecodedType tensor_type(Cursor& cursor, const Entry& entry, bool encoding, graph::TypeKind kind);
  DecodedType quantized_type(Cursor& cursor, bool per_axis);
  DecodedType complex_type(Cursor& cursor, const Entry& entry);
  DecodedType member_type(Cursor& cursor, const Entry& entry, graph::TypeKind kind, int lists);
  std::vector<std::int64_t> bounds(std::uint32_t attribute, std::size_t rank);
  std::uint32_t type_index(Cursor& cursor) const { return cursor.index(container_.types.size(), "type"); }

  // bytecode_attributes.cpp
  std::uint32_t attribute_index(Cursor& cursor) const {
    return cursor.index(container_.attributes.size(), "attribute");
  }
  AttrId decode_any(const Entry& entry, std::uint64_t& size);
  AttrId builtin_attribute(std::uint64_t code, Cursor& cursor, const Entry& entry, std::uint64_t& size);
  AttrId vhlo_attribute(std::uint64_t code, Cursor& cursor, const Entry& entry, std::uint64_t& size);
  AttrId vhlo_struct(std::uint64_t code, Cursor& cursor, const Entry& entry, std::uint64_t& size);
  AttrId list(Cursor& cursor, const Entry& entry, std::uint64_t& size);
  AttrId integer(Cursor& cursor, const Entry& entry);
  AttrId floating(Cursor& cursor, const Entry& entry);
  AttrId enumerator(VhloEnum kind, Cursor& cursor, const Entry& entry);
  AttrId type_attribute(const DecodedType& type);
  bool is_none(std::uint32_t index);
  const Slot& slot(std::uint32_t index);
  std::vector<std::int64_t> int_list(Cursor& cursor);

  // bytecode_dense.cpp
  RawTensor raw_tensor(std::uint32_t index);
  RawTensor raw_tensor(Cursor& cursor, const Entry& entry, std::uint64_t code, Dialect dialect);
  AttrId constant(const RawTensor& tensor);
  AttrId dense(const RawTensor& tensor, const Entry& entry);
  AttrId dense_array(Cursor& cursor, const Entry& entry);

  // bytecode_sdy.cpp
  std::string sdy_text(std::uint64_t code, Cursor& cursor, const Entry& entry);
  std::string sdy_part(std::uint32_t index, std::uint64_t wanted);
  std::string sdy_list(Cursor& cursor, std::uint64_t wanted);

  // bytecode_locations.cpp
  void decode_location(std::uint32_t index, std::vector<std::uint32_t>& pending);

  const Container& container_;
  graph::Module& module_;
  Problem& problem_;
  std::vector<Dialect> dialects_;
  std::vector<DecodedType> types_;
  std::vector<std::uint8_t> type_state_;  // 0 untouched, 1 being decoded, 2 done
  std::vector<Slot> slots_;
  std::vector<LocationSlot> locations_;
  std::unordered_map<std::uint32_t, AttrId> constants_;  // by attribute index
  int depth_ = 0;
  std::uint64_t budget_;  // bytes that texts and written-out splats may still take
};

}  // namespace openneuron::import::bytecode
