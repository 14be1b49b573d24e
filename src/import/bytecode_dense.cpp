// Dense literals: their bytes stay where they lie in the file, except for booleans of old layouts.
#include <algorithm>

#include "graph/normalise.h"
#include "import/bytecode_decoder.h"

namespace openneuron::import::bytecode {
namespace {

constexpr std::uint64_t kVhloTensor = 15, kBuiltinResource = 16, kBuiltinDense = 18;

// i1 literals had three layouts over time: bits packed from the lowest one up, one byte an element, and a splat of one
// byte 00 or FF. The length tells them apart; `count` elements.
void unpack_booleans(Bytes blob, std::uint64_t count, RawTensor& tensor) {
  const bool one_byte = blob.size() == 1;
  if (one_byte && blob[0] == std::byte{0xFF}) {
    tensor.splat = true;
    tensor.owned = {std::byte{1}};
  } else if (one_byte && blob[0] == std::byte{0} && count > 1) {
    tensor.splat = true;
    tensor.owned = {std::byte{0}};
  } else if (blob.size() == (count + 7) / 8 && blob.size() != count) {
    tensor.owned.resize(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < tensor.owned.size(); ++i)
      tensor.owned[i] = (blob[i / 8] >> static_cast<int>(i % 8)) & std::byte{1};
  } else if (std::all_of(blob.begin(), blob.end(), [](std::byte b) { return b <= std::byte{1}; })) {
    tensor.bytes = blob;
    return;
  } else {
    for (const std::byte b : blob) tensor.owned.push_back(b == std::byte{0} ? std::byte{0} : std::byte{1});
  }
  tensor.bytes = tensor.owned;
}

// Elements narrower than a byte take its low bits; what writers leave in the high bits differs. The graph level has
// zeros there, for signed integers the sign.
void settle_high_bits(Bytes blob, ElementType element, RawTensor& tensor) {
  const int bits = bit_width(element);
  const bool is_signed = type_class(element) == TypeClass::Signed;
  const auto settled = [bits, is_signed](std::byte b) {
    const unsigned low = std::to_integer<unsigned>(b) & ((1u << bits) - 1);
    const bool negative = is_signed && (low >> (bits - 1)) != 0;
    return static_cast<std::byte>(negative ? low | (0xFFu << bits) : low);
  };
  tensor.bytes = blob;
  if (std::all_of(blob.begin(), blob.end(), [&](std::byte b) { return b == settled(b); })) return;
  tensor.owned.resize(blob.size());
  std::transform(blob.begin(), blob.end(), tensor.owned.begin(), settled);
  tensor.bytes = tensor.owned;
}

}  // namespace

RawTensor Decoder::raw_tensor(std::uint32_t index) {
  if (!ok()) return {};
  const Entry& entry = container_.attributes[index];
  Cursor cursor = open(entry);
  const std::uint64_t code = cursor.varint();
  const Dialect dialect = dialect_of(entry);
  const bool dense = dialect == Dialect::Vhlo ? code == kVhloTensor
                                              : dialect == Dialect::Builtin && (code == kBuiltinResource || code == kBuiltinDense);
  if (ok() && !dense) wrong_kind(index, "a dense literal");
  RawTensor tensor = raw_tensor(cursor, entry, code, dialect);
  finish(cursor, entry, "a dense literal");
  return tensor;
}

RawTensor Decoder::raw_tensor(Cursor& cursor, const Entry& entry, std::uint64_t code, Dialect dialect) {
  RawTensor tensor;
  tensor.type = type(type_index(cursor));
  if (!ok()) return {};
  Bytes blob;
  if (dialect == Dialect::Builtin && code == kBuiltinResource) {
    const Resource& resource = container_.resources.empty()
                                   ? Resource()
                                   : container_.resources[cursor.index(container_.resources.size(), "resource")];
    if (ok() && (container_.resources.empty() || resource.kind != Resource::Kind::Blob)) {
      fail(entry, Code::BytecodeMalformed, "a dense literal refers to a resource that is not in the file");
    }
    if (!ok()) return {};
    Cursor data(container_.file, resource.range.begin, resource.range.end, problem_);
    const std::uint64_t alignment = data.varint();
    const std::uint64_t size = data.varint();
    data.align(alignment);
    blob = data.take(size, "a resource");
    spend(entry, blob.size());  // many literals may share it, and each is hashed
  } else {
    blob = cursor.blob("a dense literal");
  }
  if (!ok()) return {};
  const graph::Type& t = module_.type(tensor.type);
  const bool is_static = std::none_of(t.shape.begin(), t.shape.end(), [](std::int64_t d) { return d == graph::kDynamic; });
  if (t.kind != graph::TypeKind::Tensor || !is_static) {
    fail(entry, Code::BytecodeMalformed, "a dense literal's type is no tensor of fixed shape");
    return {};
  }
  const auto count = static_cast<std::uint64_t>(t.element_count());
  const auto bytes = static_cast<std::uint64_t>(byte_width(t.element));
  if (count == 0) return tensor;
  const bool packed = t.element == ElementType::I1 && (blob.size() == (count + 7) / 8 || blob.size() == 1);
  if (blob.size() != count * bytes && blob.size() != bytes && !packed) {
    fail(entry, Code::BytecodeMalformed, "a dense literal of " + std::to_string(count) + " elements of " +
                                             std::to_string(bytes) + " bytes has " + std::to_string(blob.size()) + " bytes");
    return {};
  }
  tensor.splat = blob.size() == bytes && count > 1;
  if (t.element == ElementType::I1) {
    tensor.splat = false;
    unpack_booleans(blob, count, tensor);
    if (tensor.splat && count == 1) tensor.splat = false;
  } else if (bit_width(t.element) < 8) {
    settle_high_bits(blob, t.element, tensor);
  } else {
    tensor.bytes = blob;
  }
  return tensor;
}

AttrId Decoder::constant(const RawTensor& tensor) {
  if (!ok()) return {};
  const ConstantId id = tensor.owned.empty() ? module_.add_constant(tensor.type, tensor.splat, tensor.bytes)
                                             : module_.own_constant(tensor.type, tensor.splat, tensor.owned);
  return module_.constant_attr(id);
}

AttrId Decoder::dense(const RawTensor& tensor, const Entry& entry) {
  if (!ok()) return {};
  if (tensor.splat) {  // may be written out, element by element
    const auto count = static_cast<std::uint64_t>(module_.type(tensor.type).element_count());
    if (count < (std::uint64_t{1} << 17)) spend(entry, count * sizeof(std::int64_t));
    if (!ok()) return {};
  }
  return graph::dense_attribute(module_, tensor.type, tensor.splat, tensor.bytes);
}

AttrId Decoder::dense_array(Cursor& cursor, const Entry& entry) {
  const ElementType element = decoded_type(type_index(cursor)).element;
  const std::uint64_t count = cursor.varint();
  const Bytes blob = cursor.blob("an array");
  if (!ok()) return {};
  if (element == ElementType::None || blob.size() / static_cast<std::size_t>(byte_width(element)) != count ||
      blob.size() % static_cast<std::size_t>(byte_width(element)) != 0) {
    fail(entry, Code::BytecodeMalformed, "an array's length does not fit its bytes");
    return {};
  }
  const std::int64_t shape[] = {static_cast<std::int64_t>(count)};
  return graph::dense_attribute(module_, module_.tensor(element, shape), false, blob);
}

}  // namespace openneuron::import::bytecode
