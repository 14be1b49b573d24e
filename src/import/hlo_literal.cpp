// LiteralProto -> constants. Bytes that are the elements as they stand in memory stay where they lie in the file.
#include <cstring>

#include "import/hlo_literal.h"
#include "import/hlo_module.h"
#include "import/hlo_shapes.h"

namespace openneuron::import::hlo {
namespace {

using graph::Type;

enum class Coding : std::uint8_t { None, Raw, Varints };
struct DataField {
  std::uint32_t number = 0;
  Coding coding = Coding::None;
};

// The field that holds the elements of a type; Raw: little-endian, one byte or more an element.
DataField data_field(ElementType element) {
  switch (element) {
    case ElementType::I1: return {2, Coding::Varints};
    case ElementType::U8: return {3, Coding::Raw};
    case ElementType::I32: return {4, Coding::Varints};
    case ElementType::I64: return {5, Coding::Varints};
    case ElementType::U32: return {6, Coding::Varints};
    case ElementType::U64: return {7, Coding::Varints};
    case ElementType::F32: return {8, Coding::Raw};
    case ElementType::F64: return {9, Coding::Raw};
    case ElementType::F16: return {11, Coding::Raw};
    case ElementType::C64: return {12, Coding::Raw};
    case ElementType::BF16: return {13, Coding::Raw};
    case ElementType::I8: return {15, Coding::Raw};
    case ElementType::U16: return {16, Coding::Raw};
    case ElementType::I16: return {17, Coding::Raw};
    case ElementType::C128: return {18, Coding::Raw};
    case ElementType::F8E5M2: return {19, Coding::Raw};
    case ElementType::F8E4M3FN: return {20, Coding::Raw};
    case ElementType::I4: return {21, Coding::Raw};
    case ElementType::U4: return {22, Coding::Raw};
    case ElementType::F8E4M3B11FNUZ: return {23, Coding::Raw};
    case ElementType::F8E5M2FNUZ: return {24, Coding::Raw};
    case ElementType::F8E4M3FNUZ: return {25, Coding::Raw};
    case ElementType::I2: return {26, Coding::Raw};
    case ElementType::U2: return {27, Coding::Raw};
    case ElementType::F8E4M3: return {28, Coding::Raw};
    case ElementType::F8E3M4: return {29, Coding::Raw};
    case ElementType::F4E2M1FN: return {32, Coding::Raw};
    case ElementType::F8E8M0FNU: return {33, Coding::Raw};
    case ElementType::F6E3M2FN: return {35, Coding::Raw};
    case ElementType::F6E2M3FN: return {36, Coding::Raw};
    default: return {};
  }
}

// The elements of a tensor: in the file, or in `owned`.
struct Elements {
  Bytes bytes;
  std::vector<std::byte> owned;
  bool is_owned = false;
  void own(std::vector<std::byte> made) {
    owned = std::move(made);
    bytes = owned;
    is_owned = true;
  }
};

// Row-major elements of a tensor whose elements lie in the order of `minor_to_major`.
std::vector<std::byte> row_major(Bytes from, const std::vector<std::int64_t>& shape,
                                 const std::vector<std::int64_t>& minor_to_major, std::size_t width) {
  const std::size_t rank = shape.size();
  std::vector<std::size_t> stride(rank);  // in elements, where the data lie
  std::size_t step = 1;
  for (const std::int64_t d : minor_to_major) {
    stride[static_cast<std::size_t>(d)] = step;
    step *= static_cast<std::size_t>(shape[static_cast<std::size_t>(d)]);
  }
  std::vector<std::byte> to(from.size());
  std::vector<std::int64_t> index(rank, 0);
  std::size_t at = 0;
  for (std::size_t out = 0; out + width <= to.size(); out += width) {
    std::memcpy(to.data() + out, from.data() + at * width, width);
    for (std::size_t d = rank; d-- > 0;) {
      at += stride[d];
      if (++index[d] < shape[d]) break;
      index[d] = 0;
      at -= stride[d] * static_cast<std::size_t>(shape[d]);
    }
  }
  return to;
}

// Elements narrower than a byte take its low bits; the graph level has zeros above them, for signed integers the sign.
void settle_high_bits(ElementType element, Elements& elements) {
  const int bits = bit_width(element);
  const bool is_signed = type_class(element) == TypeClass::Signed;
  bool settled = true;
  std::vector<std::byte> made(elements.bytes.begin(), elements.bytes.end());
  for (std::byte& b : made) {
    const unsigned low = std::to_integer<unsigned>(b) & ((1u << bits) - 1);
    const bool negative = is_signed && (low >> (bits - 1)) != 0;
    const auto wanted = static_cast<std::byte>((negative ? low | (0xFFu << bits) : low) & 0xFF);
    settled &= wanted == b;
    b = wanted;
  }
  if (!settled) elements.own(std::move(made));
}

bool is_order(const std::vector<std::int64_t>& order, std::size_t rank) {
  if (order.size() != rank) return false;
  std::vector<bool> seen(rank, false);
  for (const std::int64_t d : order) {
    if (d < 0 || static_cast<std::size_t>(d) >= rank || seen[static_cast<std::size_t>(d)]) return false;
    seen[static_cast<std::size_t>(d)] = true;
  }
  return true;
}

class Reader {
 public:
  Reader(ShapeTable& shapes, graph::Module& module, Source& source)
      : shapes_(shapes), module_(module), source_(source) {}

  void leaf(Bytes literal, TypeId type_id, std::vector<ConstantId>& out) {
    const Type type = module_.type(type_id);
    if (type.kind != graph::TypeKind::Tensor || !type.bounds.empty())
      return source_.fail(Code::HloLiteral, literal, "a literal's type is no tensor of fixed shape");
    const DataField field = data_field(type.element);
    std::vector<Bytes> chunks;
    std::vector<std::int64_t> integers;
    Bytes shape;
    Message m(literal, source_);
    while (m.next()) {
      if (m.number() == 1) {
        shape = m.bytes();
      } else if (m.number() == 14 && m.has_length() && !m.bytes().empty()) {
        return source_.fail(Code::HloLiteral, literal, "sparse literals are not read");
      } else if (m.number() == field.number) {
        if (field.coding == Coding::Raw)
          chunks.push_back(m.raw());
        else if (type.element == ElementType::I1 && m.has_length())
          chunks.push_back(m.bytes());
        else
          m.integers(integers);
      }
    }
    if (source_.failed) return;
    const auto count = static_cast<std::uint64_t>(type.element_count());
    const auto width = static_cast<std::size_t>(byte_width(type.element));
    Elements elements;
    if (field.coding == Coding::Raw) {
      join(chunks, elements);
    } else if (type.element == ElementType::I1) {
      flags(chunks, integers, literal, count, elements);
    } else {
      if (integers.size() == count) elements.own(narrow(integers, width));
    }
    if (source_.failed) return;
    if (elements.bytes.size() / width != count || elements.bytes.size() % width != 0) {
      const std::size_t found =
          field.coding == Coding::Varints && !integers.empty() ? integers.size() : elements.bytes.size() / width;
      return source_.fail(Code::HloLiteral, literal,
                          "a literal of " + std::to_string(count) + " elements has " + std::to_string(found) +
                              " in its field for " + std::string(type_name(type.element)));
    }
    if (bit_width(type.element) < 8 && type.element != ElementType::I1) settle_high_bits(type.element, elements);
    if (!shape.empty() && !reorder(shape, type_id, type, width, elements)) return;
    out.push_back(elements.is_owned ? module_.own_constant(type_id, false, std::move(elements.owned))
                                    : module_.add_constant(type_id, false, elements.bytes));
  }

 private:
  static void join(const std::vector<Bytes>& chunks, Elements& elements) {
    if (chunks.size() == 1) {
      elements.bytes = chunks[0];
      return;
    }
    std::vector<std::byte> all;
    for (const Bytes chunk : chunks) all.insert(all.end(), chunk.begin(), chunk.end());
    elements.own(std::move(all));
  }

  // Booleans are varints, which writers give one byte each.
  void flags(const std::vector<Bytes>& chunks, std::vector<std::int64_t>& integers, Bytes literal, std::uint64_t count,
             Elements& elements) {
    bool bytes = chunks.size() == 1 && integers.empty() && chunks[0].size() == count;
    if (bytes) {
      for (const std::byte b : chunks[0]) bytes &= b <= std::byte{1};
    }
    if (bytes) {
      elements.bytes = chunks[0];
      return;
    }
    for (const Bytes chunk : chunks) {
      if (!read_varints(chunk, integers))
        return source_.fail(Code::HloTruncated, literal, "a list of booleans is cut off");
    }
    std::vector<std::byte> made;
    made.reserve(integers.size());
    for (const std::int64_t v : integers) made.push_back(v == 0 ? std::byte{0} : std::byte{1});
    elements.own(std::move(made));
  }

  static std::vector<std::byte> narrow(const std::vector<std::int64_t>& integers, std::size_t width) {
    std::vector<std::byte> made(integers.size() * width);
    for (std::size_t i = 0; i < integers.size(); ++i) {
      const auto word = static_cast<std::uint64_t>(integers[i]);
      for (std::size_t b = 0; b < width; ++b) made[i * width + b] = static_cast<std::byte>((word >> (8 * b)) & 0xFF);
    }
    return made;
  }

  // The literal's own shape says in which order its elements lie.
  bool reorder(Bytes shape, TypeId type_id, const Type& type, std::size_t width, Elements& elements) {
    const Shape& stated = shapes_.read(shape);
    if (source_.failed) return false;
    if (stated.is_tuple || stated.leaves[0] != type_id) {
      source_.fail(Code::HloLiteral, shape, "a literal's shape is not that of its instruction");
      return false;
    }
    if (stated.plain) return true;
    Layout layout;
    Message m(shape, source_);
    while (m.next()) {
      if (m.number() == 5) layout = read_layout(m.bytes(), source_);
    }
    if (layout.tiled || !is_order(layout.minor_to_major, type.shape.size())) {
      source_.fail(Code::HloLayout, shape, "a literal's layout is tiled, or no order of its dimensions");
      return false;
    }
    if (!elements.bytes.empty()) elements.own(row_major(elements.bytes, type.shape, layout.minor_to_major, width));
    return !source_.failed;
  }

  ShapeTable& shapes_;
  graph::Module& module_;
  Source& source_;
};

}  // namespace

std::vector<ConstantId> read_literal(Bytes literal, const Shape& shape, ShapeTable& shapes, graph::Module& module,
                                     Source& source) {
  std::vector<ConstantId> constants;
  if (source.failed) return constants;
  Reader reader(shapes, module, source);
  const auto leaf = [&](Bytes bytes) {
    if (constants.size() >= shape.leaves.size())
      return source.fail(Code::HloLiteral, bytes, "a literal has more parts than its shape");
    reader.leaf(bytes, shape.leaves[constants.size()], constants);
  };
  if (!shape.is_tuple) {
    leaf(literal);
    return constants;
  }
  // Tuples nest as the literals do: a literal with members is a tuple, another a leaf.
  std::vector<Message> open{Message(literal, source)};
  while (!open.empty() && !source.failed) {
    if (!open.back().next()) {
      open.pop_back();
      continue;
    }
    if (open.back().number() != 10) continue;
    const Bytes member = open.back().bytes();
    bool nested = false;
    Message m(member, source);
    while (m.next()) {
      if (m.number() == 10) nested = true;
      if (m.number() == 1) nested |= shapes.read(m.bytes()).is_tuple;
    }
    if (!nested) {
      leaf(member);
    } else if (open.size() >= kMaxShapeDepth) {
      source.fail(Code::HloLimit, member, "tuples nest deeper than " + std::to_string(kMaxShapeDepth));
    } else {
      open.push_back(Message(member, source));
    }
  }
  if (!source.failed && constants.size() != shape.leaves.size())
    source.fail(Code::HloLiteral, literal,
                "a literal has " + std::to_string(constants.size()) + " parts, its shape " +
                    std::to_string(shape.leaves.size()));
  return constants;
}

}  // namespace openneuron::import::hlo
