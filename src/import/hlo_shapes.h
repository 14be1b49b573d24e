// ShapeProto -> types. The graph level has no tuples: a shape is the list of its leaves, in order, and where each
// member of its outermost tuple begins.
#pragma once
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graph/module.h"
#include "import/hlo_wire.h"

namespace openneuron::import::hlo {

inline constexpr std::size_t kMaxShapeDepth = 64;  ///< tuples in tuples

struct Shape {
  bool is_tuple = false;
  std::vector<TypeId> leaves;
  std::vector<std::uint32_t> member_first;  ///< of a tuple: where each member's leaves begin, and their end
  bool plain = true;  ///< all layouts are the default one: the last dimension is innermost, no tiles
  bool tiled = false;
  Bytes bytes;
};

/// What a LayoutProto says of the order of a tensor's elements.
struct Layout {
  std::vector<std::int64_t> minor_to_major;
  bool tiled = false;
  bool is_plain(std::size_t rank) const;
};
Layout read_layout(Bytes layout, Source& source);

/// The element type of a PrimitiveType; None for those that are no tensor's.
ElementType element_of(std::int64_t primitive);

class ShapeTable {
 public:
  ShapeTable(graph::Module& module, Source& source) : module_(module), source_(source) {}

  /// Reads a ShapeProto; equal bytes give one Shape, which stays where it is. An empty shape after a problem.
  const Shape& read(Bytes shape);
  /// The leaf that an index path leads to; kNone when it leads to none, or to a tuple.
  std::uint32_t leaf(Bytes shape, const std::vector<std::int64_t>& path);

 private:
  struct Node;
  TypeId tensor(const Node& node);

  graph::Module& module_;
  Source& source_;
  std::unordered_map<std::string_view, Shape> known_;
};

}  // namespace openneuron::import::hlo
