// Types of the builtin and VHLO dialects.
#include <charconv>

#include "import/bytecode_decoder.h"

namespace openneuron::import::bytecode {
namespace {

// VHLO's and the builtin dialect's codes of scalar types; None where the code means something else.
ElementType vhlo_scalar(std::uint64_t code) {
  switch (code) {
    case 0: return ElementType::I1;
    case 2: return ElementType::BF16;
    case 3: return ElementType::F16;
    case 4: return ElementType::F32;
    case 5: return ElementType::F64;
    case 6: return ElementType::F8E4M3FN;
    case 7: return ElementType::F8E5M2;
    case 9: return ElementType::Index;
    case 10: return ElementType::I4;
    case 11: return ElementType::I8;
    case 12: return ElementType::I16;
    case 13: return ElementType::I32;
    case 14: return ElementType::I64;
    case 15: return ElementType::U4;
    case 16: return ElementType::U8;
    case 17: return ElementType::U16;
    case 18: return ElementType::U32;
    case 19: return ElementType::U64;
    case 27: return ElementType::F8E4M3FNUZ;
    case 28: return ElementType::F8E5M2FNUZ;
    case 29: return ElementType::F8E4M3B11FNUZ;
    case 31: return ElementType::I2;
    case 32: return ElementType::U2;
    case 34: return ElementType::TF32;
    case 35: return ElementType::F8E4M3;
    case 36: return ElementType::F8E3M4;
    case 37: return ElementType::F4E2M1FN;
    case 38: return ElementType::F6E2M3FN;
    case 39: return ElementType::F6E3M2FN;
    case 40: return ElementType::F8E8M0FNU;
    default: return ElementType::None;
  }
}

ElementType builtin_scalar(std::uint64_t code) {
  switch (code) {
    case 1: return ElementType::Index;
    case 3: return ElementType::BF16;
    case 4: return ElementType::F16;
    case 5: return ElementType::F32;
    case 6: return ElementType::F64;
    case 21: return ElementType::TF32;
    case 22: return ElementType::F8E5M2;
    case 23: return ElementType::F8E4M3;
    case 24: return ElementType::F8E4M3FN;
    case 25: return ElementType::F8E5M2FNUZ;
    case 26: return ElementType::F8E4M3FNUZ;
    case 27: return ElementType::F8E4M3B11FNUZ;
    case 28: return ElementType::F8E3M4;
    case 29: return ElementType::F4E2M1FN;
    case 30: return ElementType::F6E2M3FN;
    case 31: return ElementType::F6E3M2FN;
    case 32: return ElementType::F8E8M0FNU;
    default: return ElementType::None;
  }
}

ElementType builtin_integer(std::uint64_t width_and_sign) {
  const std::uint64_t width = width_and_sign >> 2, sign = width_and_sign & 3;
  if (sign == 1 || width > 64) return ElementType::None;
  return type_from_name((sign == 2 ? "ui" : "i") + std::to_string(width));
}

// A number as `!quant.uniform<...>` shows it: MLIR's six digits, and more only where the value needs them.
std::string scale_text(double value) {
  char text[40];
  const auto six = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, 6);
  double back = 0;
  std::from_chars(text, six.ptr, back);
  if (back == value || value != value) return std::string(text, six.ptr);
  return std::string(text, std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr);
}

double double_of(std::uint64_t bits) {
  double value;
  static_assert(sizeof value == sizeof bits);
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace

TypeId Decoder::type(std::uint32_t index) {
  const DecodedType& t = decoded_type(index);
  if (!ok()) return {};
  if (!t.type.valid()) {
    fail(container_.types[index], Code::BytecodeMalformed, "a scalar type stands where a value's type is expected");
    return {};
  }
  return t.type;
}

const DecodedType& Decoder::decoded_type(std::uint32_t index) {
  static const DecodedType kNothing;
  if (!ok()) return kNothing;
  if (type_state_[index] == 2) return types_[index];
  const Entry& entry = container_.types[index];
  if (type_state_[index] == 1) {
    fail(entry, Code::BytecodeMalformed, "a type contains itself");
    return kNothing;
  }
  if (depth_ >= kMaxDepth) {
    fail(entry, Code::BytecodeLimit, "types nest deeper than " + std::to_string(kMaxDepth));
    return kNothing;
  }
  ++depth_;
  type_state_[index] = 1;
  DecodedType decoded = decode_type(entry);
  type_state_[index] = 2;
  --depth_;
  if (!ok()) return kNothing;
  types_[index] = std::move(decoded);
  return types_[index];
}

DecodedType Decoder::decode_type(const Entry& entry) {
  Cursor cursor = open(entry);
  if (!ok()) return {};
  DecodedType result;
  switch (dialect_of(entry)) {
    case Dialect::Builtin: result = builtin_type(cursor, entry); break;
    case Dialect::Vhlo: result = vhlo_type(cursor, entry); break;
    default:
      if (container_.dialect(entry) == "stablehlo") {
        fail(entry, Code::BytecodeNotVhlo, "the module holds types of the dialect stablehlo itself");
      } else {
        fail(entry, Code::BytecodeUnknownCode, "types of dialect " + std::string(container_.dialect(entry)) + " are not known");
      }
      return {};
  }
  finish(cursor, entry, "a type");
  return result;
}

DecodedType Decoder::builtin_type(Cursor& cursor, const Entry& entry) {
  DecodedType result;
  const std::uint64_t code = cursor.varint();
  if (!ok()) return {};
  if ((result.element = builtin_scalar(code)) != ElementType::None) return result;
  switch (code) {
    case 0: {
      const std::uint64_t word = cursor.varint();
      result.element = builtin_integer(word);
      if (ok() && result.element == ElementType::None)
        fail(entry, Code::BytecodeUnsupported, "integers of " + std::to_string(word >> 2) + " bits, signedness " +
                                                   std::to_string(word & 3) + ", do not occur in StableHLO");
      return result;
    }
    case 2: return member_type(cursor, entry, graph::TypeKind::Function, 2);
    case 9: return complex_type(cursor, entry);
    case 10: {  // memref: its layout attribute, behind the element type, says nothing to us
      DecodedType buffer = tensor_type(cursor, entry, false, graph::TypeKind::Buffer);
      attribute_index(cursor);
      return buffer;
    }
    case 12: result.none = true; return result;
    case 13: return tensor_type(cursor, entry, false, graph::TypeKind::Tensor);
    case 14: return tensor_type(cursor, entry, true, graph::TypeKind::Tensor);
    case 15: return member_type(cursor, entry, graph::TypeKind::Tuple, 1);
    default: break;
  }
  if (code <= 32) {
    fail(entry, Code::BytecodeUnsupported, "builtin type code " + std::to_string(code) + " does not occur in StableHLO");
  } else {
    unknown_code(entry, "builtin type", code);
  }
  return {};
}

DecodedType Decoder::vhlo_type(Cursor& cursor, const Entry& entry) {
  DecodedType result;
  const std::uint64_t code = cursor.varint();
  if (!ok()) return {};
  if ((result.element = vhlo_scalar(code)) != ElementType::None) return result;
  graph::Type type;
  switch (code) {
    case 1: return complex_type(cursor, entry);
    case 8: return member_type(cursor, entry, graph::TypeKind::Function, 2);
    case 20: return tensor_type(cursor, entry, false, graph::TypeKind::Tensor);
    case 21: return tensor_type(cursor, entry, true, graph::TypeKind::Tensor);
    case 22:
      type.kind = graph::TypeKind::Token;
      result.type = module_.intern(std::move(type));
      return result;
    case 23: return member_type(cursor, entry, graph::TypeKind::Tuple, 1);
    case 24: return quantized_type(cursor, false);
    case 30: return quantized_type(cursor, true);
    case 33: result.none = true; return result;
    case 41: return tensor_type(cursor, entry, false, graph::TypeKind::Buffer);
    case 42: return member_type(cursor, entry, graph::TypeKind::Future, 1);
    case 25:  // an unranked tensor
    case 26:  // a witness of a shape computation
      fail(entry, Code::BytecodeUnsupported, code == 25 ? "unranked tensors are not supported" : "shape witnesses are not supported");
      return {};
    default: unknown_code(entry, "VHLO type", code); return {};
  }
}

DecodedType Decoder::complex_type(Cursor& cursor, const Entry& entry) {
  DecodedType result;
  const std::uint32_t part = type_index(cursor);
  const ElementType element = decoded_type(part).element;
  if (element == ElementType::F32) result.element = ElementType::C64;
  if (element == ElementType::F64) result.element = ElementType::C128;
  if (ok() && result.element == ElementType::None)
    fail(entry, Code::BytecodeMalformed, "complex numbers have parts of type " + std::string(type_name(element)));
  return result;
}

DecodedType Decoder::tensor_type(Cursor& cursor, const Entry& entry, bool encoding, graph::TypeKind kind) {
  const std::uint32_t bounds_index = encoding ? attribute_index(cursor) : 0;
  graph::Type type;
  type.kind = kind;
  const std::uint32_t rank = cursor.count(1, "dimensions");
  if (ok() && rank > static_cast<std::uint32_t>(graph::kMaxRank)) {
    fail(entry, Code::BytecodeLimit, "a tensor has " + std::to_string(rank) + " dimensions; " +
                                         std::to_string(graph::kMaxRank) + " are supported");
    return {};
  }
  std::uint64_t elements = 1;  // saturates far below overflow
  for (std::uint32_t i = 0; i < rank && ok(); ++i) {
    const std::int64_t size = cursor.svarint();
    if (size < 0 && size != graph::kDynamic) {
      cursor.malformed("a dimension has size " + std::to_string(size));
      return {};
    }
    if (size > 0 && elements > (std::uint64_t{1} << 56) / static_cast<std::uint64_t>(size)) {
      fail(entry, Code::BytecodeLimit, "a tensor has more than 2^56 elements");
      return {};
    }
    if (size > 0) elements *= static_cast<std::uint64_t>(size);
    type.shape.push_back(size);
  }
  const DecodedType& element = decoded_type(type_index(cursor));
  if (!ok()) return {};
  type.element = element.element;
  if (!element.quantized.empty()) {
    type.kind = graph::TypeKind::Quantized;
    type.text = element.quantized;
    spend(entry, type.text.size());
  } else if (element.element == ElementType::None) {
    fail(entry, Code::BytecodeMalformed, "a tensor's element type is no scalar");
    return {};
  }
  if (encoding) type.bounds = bounds(bounds_index, rank);
  if (!ok()) return {};
  DecodedType result;
  result.type = module_.intern(std::move(type));
  return result;
}

std::vector<std::int64_t> Decoder::bounds(std::uint32_t attribute, std::size_t rank) {
  const Entry& entry = container_.attributes[attribute];
  Cursor cursor = open(entry);
  if (!ok()) return {};
  const std::uint64_t code = cursor.varint();
  if (dialect_of(entry) != Dialect::Vhlo || code != 18) {
    fail(entry, Code::BytecodeUnsupported, "a tensor's encoding is not a list of bounds");
    return {};
  }
  std::vector<std::int64_t> result = int_list(cursor);
  finish(cursor, entry, "bounds");
  if (ok() && result.size() != rank)
    fail(entry, Code::BytecodeMalformed, std::to_string(result.size()) + " bounds for a tensor of rank " + std::to_string(rank));
  return result;
}

DecodedType Decoder::member_type(Cursor& cursor, const Entry& entry, graph::TypeKind kind, int lists) {
  graph::Type type;
  type.kind = kind;
  DecodedType result;
  for (int i = 0; i < lists && ok(); ++i) {
    const std::uint32_t n = cursor.count(1, "types");
    for (std::uint32_t k = 0; k < n && ok(); ++k) {
      const std::uint32_t member = type_index(cursor);
      type.members.push_back(this->type(member));
      if (ok()) grow(entry, result.size, types_[member].size);
    }
    if (i == 0) type.input_count = lists == 2 ? n : 0;
  }
  if (!ok()) return {};
  result.type = module_.intern(std::move(type));
  return result;
}

DecodedType Decoder::quantized_type(Cursor& cursor, bool per_axis) {
  const std::uint64_t flags = cursor.varint();
  const ElementType storage = decoded_type(type_index(cursor)).element;
  const ElementType expressed = decoded_type(type_index(cursor)).element;
  std::vector<double> scales(1);
  std::vector<std::int64_t> zero_points(1);
  std::int64_t smallest = 0, largest = 0;
  std::uint64_t axis = 0;
  if (per_axis) {
    axis = cursor.varint();
    smallest = cursor.svarint();
    largest = cursor.svarint();
    scales.resize(cursor.count(1, "scales"));
    for (double& scale : scales) scale = double_of(cursor.word(64));
    zero_points.resize(cursor.count(1, "zero points"));
    for (std::int64_t& zero : zero_points) zero = cursor.svarint();
  } else {
    scales[0] = double_of(cursor.word(64));
    zero_points[0] = cursor.svarint();
    smallest = cursor.svarint();
    largest = cursor.svarint();
  }
  if (!ok()) return {};
  if (!is_integer(storage) || !is_float(expressed) || scales.size() != zero_points.size() || scales.empty()) {
    cursor.malformed("a quantized type needs an integer storage type, a float type and as many scales as zero points");
    return {};
  }
  const bool is_signed = (flags & 1) != 0;
  const int bits = bit_width(storage);
  std::string text = "!quant.uniform<" + std::string(is_signed ? "i" : "u") + std::to_string(bits);
  if (bits < 64) {  // the range is shown where it is not the storage type's own
    const std::int64_t lowest = is_signed ? -(std::int64_t{1} << (bits - 1)) : 0;
    const std::int64_t highest = (std::int64_t{1} << (bits - (is_signed ? 1 : 0))) - 1;
    if (smallest != lowest || largest != highest)
      text += "<" + std::to_string(smallest) + ":" + std::to_string(largest) + ">";
  }
  text += ":" + std::string(type_name(expressed));
  auto pair = [&](std::size_t i) {
    return scale_text(scales[i]) + (zero_points[i] == 0 ? "" : ":" + std::to_string(zero_points[i]));
  };
  if (per_axis) {
    text += ":" + std::to_string(axis) + ", {";
    for (std::size_t i = 0; i < scales.size(); ++i) text += (i == 0 ? "" : ", ") + pair(i);
    text += "}>";
  } else {
    text += ", " + pair(0) + ">";
  }
  DecodedType result;
  result.element = storage;
  result.quantized = std::move(text);
  return result;
}

}  // namespace openneuron::import::bytecode
