#include "import/hlo_shapes.h"

#include "import/hlo_module.h"

namespace openneuron::import::hlo {
namespace {

using graph::Type;
using graph::TypeKind;

constexpr std::int64_t kMaxElements = std::int64_t{1} << 56;  // no later size computation can overflow
constexpr std::int64_t kTuple = 13, kToken = 17;

// Descending minor_to_major says row-major; absent says the same.
bool descends(const std::vector<std::int64_t>& order, std::size_t rank) {
  if (order.empty()) return true;
  if (order.size() != rank) return false;
  for (std::size_t i = 0; i < rank; ++i) {
    if (order[i] != static_cast<std::int64_t>(rank - 1 - i)) return false;
  }
  return true;
}

}  // namespace

bool Layout::is_plain(std::size_t rank) const { return !tiled && descends(minor_to_major, rank); }

Layout read_layout(Bytes layout, Source& source) {
  Layout result;
  Message m(layout, source);
  while (m.next()) {
    if (m.number() == 1) m.integers(result.minor_to_major);
    if (m.number() == 6) result.tiled = true;
  }
  return result;
}

ElementType element_of(std::int64_t primitive) {
  switch (primitive) {
    case 1: return ElementType::I1;
    case 2: return ElementType::I8;
    case 3: return ElementType::I16;
    case 4: return ElementType::I32;
    case 5: return ElementType::I64;
    case 6: return ElementType::U8;
    case 7: return ElementType::U16;
    case 8: return ElementType::U32;
    case 9: return ElementType::U64;
    case 10: return ElementType::F16;
    case 11: return ElementType::F32;
    case 12: return ElementType::F64;
    case 15: return ElementType::C64;
    case 16: return ElementType::BF16;
    case 18: return ElementType::C128;
    case 19: return ElementType::F8E5M2;
    case 20: return ElementType::F8E4M3FN;
    case 21: return ElementType::I4;
    case 22: return ElementType::U4;
    case 23: return ElementType::F8E4M3B11FNUZ;
    case 24: return ElementType::F8E5M2FNUZ;
    case 25: return ElementType::F8E4M3FNUZ;
    case 26: return ElementType::I2;
    case 27: return ElementType::U2;
    case 28: return ElementType::F8E4M3;
    case 29: return ElementType::F8E3M4;
    case 32: return ElementType::F4E2M1FN;
    case 33: return ElementType::F8E8M0FNU;
    case 35: return ElementType::F6E3M2FN;
    case 36: return ElementType::F6E2M3FN;
    default: return ElementType::None;
  }
}

// What is known of a ShapeProto whose fields are being read.
struct ShapeTable::Node {
  Message message;
  Bytes bytes;
  std::int64_t primitive = 0;
  std::vector<std::int64_t> dimensions, dynamic;
  Layout layout;
  std::size_t members = 0;
};

TypeId ShapeTable::tensor(const Node& node) {
  Type type;
  if (node.primitive == kToken) {
    type.kind = TypeKind::Token;
    return module_.intern(std::move(type));
  }
  type.element = element_of(node.primitive);
  if (type.element == ElementType::None) {
    source_.fail(Code::HloType, node.bytes, "primitive type " + std::to_string(node.primitive) + " is no tensor's");
    return {};
  }
  if (node.dimensions.size() > static_cast<std::size_t>(graph::kMaxRank)) {
    source_.fail(Code::HloType, node.bytes, "a tensor has more than 32 dimensions");
    return {};
  }
  std::int64_t elements = 1;
  for (std::size_t i = 0; i < node.dimensions.size(); ++i) {
    const std::int64_t size = node.dimensions[i];
    if (size < 0 || (size > 0 && size > kMaxElements / elements)) {
      source_.fail(Code::HloType, node.bytes,
                   size < 0 ? "a dimension is negative" : "a tensor has more than 2^56 elements");
      return {};
    }
    if (size > 0) elements *= size;
    const bool dynamic = i < node.dynamic.size() && node.dynamic[i] != 0;
    type.shape.push_back(dynamic ? graph::kDynamic : size);
    type.bounds.push_back(dynamic ? size : graph::kDynamic);
  }
  bool any_dynamic = false;
  for (const std::int64_t d : type.shape) any_dynamic |= d == graph::kDynamic;
  if (!any_dynamic) type.bounds.clear();
  return module_.intern(std::move(type));
}

const Shape& ShapeTable::read(Bytes bytes) {
  static const Shape kNothing;
  if (source_.failed) return kNothing;
  if (const auto found = known_.find(as_text(bytes)); found != known_.end()) return found->second;
  Shape shape;
  shape.bytes = bytes;
  std::vector<Node> open;
  const auto enter = [&](Bytes what) { open.push_back({Message(what, source_), what, 0, {}, {}, {}, 0}); };
  enter(bytes);
  while (!open.empty() && !source_.failed) {
    Node& node = open.back();
    bool entered = false;
    while (!entered && node.message.next()) {
      Message& m = node.message;
      switch (m.number()) {
        case 2: node.primitive = m.integer(); break;
        case 3: m.integers(node.dimensions); break;
        case 4: {
          if (open.size() >= kMaxShapeDepth) {
            source_.fail(Code::HloLimit, node.bytes, "tuples nest deeper than " + std::to_string(kMaxShapeDepth));
            break;
          }
          ++node.members;
          if (open.size() == 1) shape.member_first.push_back(static_cast<std::uint32_t>(shape.leaves.size()));
          enter(m.bytes());  // invalidates `node`
          entered = true;
          break;
        }
        case 5: node.layout = read_layout(m.bytes(), source_); break;
        case 6: m.integers(node.dynamic); break;
        default: break;
      }
    }
    if (entered || source_.failed) continue;
    const bool tuple = node.primitive == kTuple;
    if (!tuple && node.members != 0) {
      source_.fail(Code::HloType, node.bytes, "a shape that is no tuple has members");
      break;
    }
    if (!tuple) {
      shape.leaves.push_back(tensor(node));
      shape.plain &= node.layout.is_plain(node.dimensions.size());
      shape.tiled |= node.layout.tiled;
    }
    if (open.size() == 1) {
      shape.is_tuple = tuple;
      if (tuple) shape.member_first.push_back(static_cast<std::uint32_t>(shape.leaves.size()));
    }
    open.pop_back();
  }
  if (source_.failed) return kNothing;
  return known_.emplace(as_text(bytes), std::move(shape)).first->second;
}

std::uint32_t ShapeTable::leaf(Bytes bytes, const std::vector<std::int64_t>& path) {
  std::uint32_t first = 0;
  for (const std::int64_t step : path) {
    const Shape& shape = read(bytes);
    const auto k = static_cast<std::uint64_t>(step);
    if (!shape.is_tuple || step < 0 || k + 1 >= shape.member_first.size()) return kNone;
    first += shape.member_first[static_cast<std::size_t>(k)];
    Message m(bytes, source_);
    std::uint64_t member = 0;
    Bytes next;
    while (m.next()) {
      if (m.number() == 4 && member++ == k) next = m.bytes();
    }
    bytes = next;
  }
  const Shape& shape = read(bytes);
  return source_.failed || shape.is_tuple ? kNone : first;
}

}  // namespace openneuron::import::hlo
