// Attributes of the builtin and VHLO dialects.
#include "import/bytecode_decoder.h"

#include "graph/normalise.h"
#include "graph/op_info.h"
#include "num/convert.h"

namespace openneuron::import::bytecode {
namespace {

// Codes that are met in several places.
enum BuiltinCode : std::uint64_t { kBuiltinArray = 0, kBuiltinDictionary = 1, kBuiltinString = 2, kBuiltinType = 6 };
enum VhloCode : std::uint64_t { kVhloArray = 1, kVhloDictionary = 6, kVhloString = 14, kVhloTensor = 15, kVhloType = 17 };

}  // namespace

Decoder::Decoder(const Container& container, graph::Module& module, Problem& problem)
    : container_(container), module_(module), problem_(problem), types_(container.types.size()),
      type_state_(container.types.size()), slots_(container.attributes.size()),
      locations_(container.attributes.size()), budget_(expansion_limit()) {
  for (const std::string_view name : container.dialects) {
    dialects_.push_back(name == "builtin" ? Dialect::Builtin
                        : name == "vhlo"  ? Dialect::Vhlo
                        : name == "sdy"   ? Dialect::Sdy
                                          : Dialect::Other);
  }
}

Decoder::Dialect Decoder::dialect_of(const Entry& entry) const { return dialects_[entry.dialect]; }

Cursor Decoder::open(const Entry& entry) {
  Cursor cursor(container_.file, entry.range.begin, entry.range.end, problem_);
  if (!entry.custom) cursor.fail(Code::BytecodeUnsupported, "an attribute or type is stored as MLIR text");
  return cursor;
}

void Decoder::fail(const Entry& entry, Code code, std::string message) {
  Cursor(container_.file, entry.range.begin, entry.range.begin, problem_).fail(code, std::move(message));
}

void Decoder::unknown_code(const Entry& entry, const char* what, std::uint64_t code) {
  fail(entry, Code::BytecodeUnknownCode, std::string(what) + " code " + std::to_string(code) +
                                             " is not known; the file was made by " + std::string(container_.producer));
}

void Decoder::wrong_kind(std::uint32_t index, const char* wanted) {
  fail(container_.attributes[index], Code::BytecodeMalformed, std::string("an attribute is not ") + wanted);
}

void Decoder::finish(Cursor& cursor, const Entry& entry, const char* what) {
  if (ok() && !cursor.at_end())
    fail(entry, Code::BytecodeMalformed, std::to_string(cursor.remaining()) + " bytes are left over behind " + what);
}

void Decoder::grow(const Entry& entry, std::uint64_t& size, std::uint64_t part) {
  size += part;
  if (size > expansion_limit())
    fail(entry, Code::BytecodeLimit, "written out, an attribute or type would be far larger than its file");
}

void Decoder::spend(const Entry& entry, std::uint64_t bytes) {
  if (bytes <= budget_) {
    budget_ -= bytes;
    return;
  }
  fail(entry, Code::BytecodeLimit, "written out, the attributes would be far larger than their file");
}

const Decoder::Slot& Decoder::slot(std::uint32_t index) {
  static const Slot kNothing;
  if (!ok()) return kNothing;
  Slot& s = slots_[index];
  if (s.done) return s;
  const Entry& entry = container_.attributes[index];
  if (s.busy) {
    fail(entry, Code::BytecodeMalformed, "an attribute contains itself");
    return kNothing;
  }
  if (depth_ >= kMaxDepth) {
    fail(entry, Code::BytecodeLimit, "attributes nest deeper than " + std::to_string(kMaxDepth));
    return kNothing;
  }
  s.busy = true;
  ++depth_;
  std::uint64_t size = 1;
  const AttrId id = decode_any(entry, size);
  --depth_;
  s.busy = false;
  if (!ok()) return kNothing;
  s.id = id;
  s.size = size;
  s.done = true;
  return s;
}

AttrId Decoder::attribute(std::uint32_t index, AttributeKind kind) {
  if (kind == AttributeKind::Optional && is_none(index)) return {};
  if (kind != AttributeKind::Constant) return slot(index).id;
  if (const auto it = constants_.find(index); it != constants_.end()) return it->second;
  const AttrId id = constant(raw_tensor(index));
  if (ok()) constants_.emplace(index, id);
  return id;
}

AttrId Decoder::decode_any(const Entry& entry, std::uint64_t& size) {
  Cursor cursor = open(entry);
  const std::uint64_t code = cursor.varint();
  if (!ok()) return {};
  AttrId id;
  switch (dialect_of(entry)) {
    case Dialect::Builtin: id = builtin_attribute(code, cursor, entry, size); break;
    case Dialect::Vhlo: id = vhlo_attribute(code, cursor, entry, size); break;
    case Dialect::Sdy: {
      const std::string text = sdy_text(code, cursor, entry);
      if (ok()) id = module_.opaque_attr(text);
      break;
    }
    case Dialect::Other:
      if (container_.dialect(entry) == "stablehlo") {
        fail(entry, Code::BytecodeNotVhlo, "the module holds attributes of the dialect stablehlo itself");
      } else {
        fail(entry, Code::BytecodeUnknownCode,
             "attributes of dialect " + std::string(container_.dialect(entry)) + " are not known");
      }
      return {};
  }
  finish(cursor, entry, "an attribute");
  return ok() ? id : AttrId{};
}

AttrId Decoder::builtin_attribute(std::uint64_t code, Cursor& cursor, const Entry& entry, std::uint64_t& size) {
  switch (code) {
    case kBuiltinArray: return list(cursor, entry, size);
    case kBuiltinDictionary: {
      std::vector<std::pair<std::string, AttrId>> pairs;
      const std::uint32_t n = cursor.count(2, "dictionary entries");
      for (std::uint32_t i = 0; i < n && ok(); ++i) {
        const std::string_view name = string(attribute_index(cursor));
        const std::uint32_t value = attribute_index(cursor);
        const Slot& part = slot(value);
        if (ok()) grow(entry, size, part.size);
        spend(entry, name.size());
        pairs.emplace_back(name, part.id);
      }
      return ok() ? module_.dictionary(std::move(pairs)) : AttrId{};
    }
    case kBuiltinString: {
      const std::string_view text = container_.string(cursor);
      spend(entry, text.size());
      return module_.string_attr(text);
    }
    case 3: {  // a string that has a type: its text is what counts
      const std::string_view text = container_.string(cursor);
      type_index(cursor);
      spend(entry, text.size());
      return module_.string_attr(text);
    }
    case 4: return module_.symbol_attr(string(attribute_index(cursor)));
    case kBuiltinType: return type_attribute(decoded_type(type_index(cursor)));
    case 7: return module_.unit_attr();
    case 8: return integer(cursor, entry);
    case 9: return floating(cursor, entry);
    case 16:  // a resource
    case 18: return dense(raw_tensor(cursor, entry, code, Dialect::Builtin), entry);
    case 17: return dense_array(cursor, entry);
    default: break;
  }
  if (code <= 22) {
    fail(entry, Code::BytecodeUnsupported,
         "builtin attribute code " + std::to_string(code) + " does not occur in StableHLO at this place");
  } else {
    unknown_code(entry, "builtin attribute", code);
  }
  return {};
}

AttrId Decoder::vhlo_attribute(std::uint64_t code, Cursor& cursor, const Entry& entry, std::uint64_t& size) {
  if (const VhloEnum kind = enum_of_code(code); kind != VhloEnum::None) return enumerator(kind, cursor, entry);
  switch (code) {
    case kVhloArray: return list(cursor, entry, size);
    case 2: return module_.bool_attr(cursor.varint() != 0);
    case kVhloDictionary: return builtin_attribute(kBuiltinDictionary, cursor, entry, size);
    case 8: return floating(cursor, entry);
    case 9: return integer(cursor, entry);
    case kVhloString: return builtin_attribute(kBuiltinString, cursor, entry, size);
    case kVhloTensor: return dense(raw_tensor(cursor, entry, code, Dialect::Vhlo), entry);
    case kVhloType: return type_attribute(decoded_type(type_index(cursor)));
    default: return vhlo_struct(code, cursor, entry, size);
  }
}

// VHLO attributes that consist of named fields become dictionaries of them.
AttrId Decoder::vhlo_struct(std::uint64_t code, Cursor& cursor, const Entry& entry, std::uint64_t& size) {
  graph::NamedAttributes fields;
  auto field = [&](const char* name) {
    const Slot& part = slot(attribute_index(cursor));
    if (ok()) grow(entry, size, part.size);
    fields.emplace_back(name, part.id);
  };
  auto number = [&](const char* name, std::int64_t value) { fields.emplace_back(name, module_.int_attr(value)); };
  auto real = [&](const char* name) {
    const std::uint64_t word = cursor.word(64);
    fields.emplace_back(name, module_.float_attr(load_double(ElementType::F64, &word, 0)));
  };
  switch (code) {
    case 10: {
      const std::vector<std::int64_t> output = int_list(cursor);
      const std::int64_t operand = cursor.svarint();
      const std::vector<std::int64_t> tuple = int_list(cursor);
      if (!ok()) return {};
      fields.emplace_back("output_tuple_indices", module_.ints_attr(output));
      number("operand_index", operand);
      fields.emplace_back("operand_tuple_indices", module_.ints_attr(tuple));
      break;
    }
    case 20:
      real("atol");
      real("rtol");
      number("ulps", cursor.svarint());
      field("mode");
      break;
    case 21:
      number("pre_size", cursor.svarint());
      number("size", cursor.svarint());
      break;
    case 22:
      field("name");
      if (cursor.varint() != 0) field("sub_axis");
      break;
    case 23: {
      field("mesh");
      if (!ok()) return {};
      const graph::Attribute& mesh = module_.attribute(fields[0].second);  // by name: VHLO keeps symbols as strings
      if (mesh.kind == graph::AttrKind::String) fields[0].second = module_.symbol_attr(std::string(mesh.text));
      field("axes");
      break;
    }
    case 24:
      field("name");
      number("size", cursor.svarint());
      break;
    case 25: {
      field("axes");
      const std::uint64_t ids = cursor.varint();
      if (ok() && (ids & 1) != 0) {
        if ((ids >> 1) >= slots_.size()) {
          cursor.malformed("attribute " + std::to_string(ids >> 1) + " does not exist");
          return {};
        }
        const Slot& part = slot(static_cast<std::uint32_t>(ids >> 1));
        if (ok()) grow(entry, size, part.size);
        fields.emplace_back("device_ids", part.id);
      }
      break;
    }
    case 18:
      fail(entry, Code::BytecodeMalformed, "bounds stand outside of a tensor's type");
      return {};
    default: unknown_code(entry, "VHLO attribute", code); return {};
  }
  return ok() ? module_.dictionary(std::move(fields)) : AttrId{};
}

AttrId Decoder::list(Cursor& cursor, const Entry& entry, std::uint64_t& size) {
  std::vector<AttrId> items;
  const std::uint32_t n = cursor.count(1, "list items");
  for (std::uint32_t i = 0; i < n && ok(); ++i) {
    const Slot& part = slot(attribute_index(cursor));
    if (ok()) grow(entry, size, part.size);
    items.push_back(part.id);
  }
  return ok() ? module_.array_attr(std::move(items)) : AttrId{};
}

AttrId Decoder::integer(Cursor& cursor, const Entry& entry) {
  const ElementType element = decoded_type(type_index(cursor)).element;
  if (!ok()) return {};
  const TypeClass kind = type_class(element);
  if (kind != TypeClass::Bool && kind != TypeClass::Signed && kind != TypeClass::Unsigned) {
    fail(entry, Code::BytecodeMalformed, "an integer attribute has a type that is no integer");
    return {};
  }
  const int bits = bit_width(element);
  const std::uint64_t word = cursor.word(bits);
  if (!ok()) return {};
  if (kind == TypeClass::Bool) return module_.bool_attr(word != 0);
  return module_.int_attr(kind == TypeClass::Signed ? sign_extend(word, bits) : static_cast<std::int64_t>(word), element);
}

AttrId Decoder::floating(Cursor& cursor, const Entry& entry) {
  const ElementType element = decoded_type(type_index(cursor)).element;
  if (!ok()) return {};
  if (!is_float(element)) {
    fail(entry, Code::BytecodeMalformed, "a float attribute has a type that is no float");
    return {};
  }
  const std::uint64_t word = cursor.word(bit_width(element));  // its low bytes are the element
  return ok() ? module_.float_attr(load_double(element, &word, 0), element) : AttrId{};
}

AttrId Decoder::enumerator(VhloEnum kind, Cursor& cursor, const Entry& entry) {
  const std::uint64_t value = cursor.varint();
  if (!ok()) return {};
  const auto keywords = graph::enum_keywords(enum_name(kind));
  if (value >= keywords.size() || keywords[static_cast<std::size_t>(value)].empty()) {
    fail(entry, Code::BytecodeUnknownCode, std::string(enum_name(kind)) + " " + std::to_string(value) +
                                               " is not known; the file was made by " + std::string(container_.producer));
    return {};
  }
  return module_.enum_attr(enum_name(kind), keywords[static_cast<std::size_t>(value)]);
}

AttrId Decoder::type_attribute(const DecodedType& type) {
  if (!ok()) return {};
  if (type.type.valid()) return module_.type_attr(type.type);
  if (!type.quantized.empty()) return module_.opaque_attr(type.quantized);
  return module_.element_type_attr(type.element);
}

bool Decoder::is_none(std::uint32_t index) {
  const Entry& entry = container_.attributes[index];
  const Dialect dialect = dialect_of(entry);
  if (dialect != Dialect::Vhlo && dialect != Dialect::Builtin) return false;
  Cursor cursor = open(entry);
  if (cursor.varint() != (dialect == Dialect::Vhlo ? std::uint64_t{kVhloType} : std::uint64_t{kBuiltinType})) return false;
  return decoded_type(type_index(cursor)).none && ok();
}

std::string_view Decoder::string(std::uint32_t index) {
  if (!ok()) return {};
  const Entry& entry = container_.attributes[index];
  const Dialect dialect = dialect_of(entry);
  Cursor cursor = open(entry);
  const std::uint64_t code = cursor.varint();
  const bool vhlo = dialect == Dialect::Vhlo && code == kVhloString;
  if (ok() && !vhlo && !(dialect == Dialect::Builtin && (code == kBuiltinString || code == 3)))
    wrong_kind(index, "a string");
  const std::string_view text = container_.string(cursor);
  return ok() ? text : std::string_view();
}

std::vector<std::pair<std::string_view, std::uint32_t>> Decoder::dictionary(std::uint32_t index) {
  std::vector<std::pair<std::string_view, std::uint32_t>> result;
  if (!ok()) return result;
  const Entry& entry = container_.attributes[index];
  const Dialect dialect = dialect_of(entry);
  Cursor cursor = open(entry);
  const std::uint64_t code = cursor.varint();
  const bool vhlo = dialect == Dialect::Vhlo && code == kVhloDictionary;
  if (ok() && !vhlo && !(dialect == Dialect::Builtin && code == kBuiltinDictionary)) wrong_kind(index, "a dictionary");
  const std::uint32_t n = ok() ? cursor.count(2, "dictionary entries") : 0;
  spend(entry, std::uint64_t{n} * 8);  // callers read it anew each time
  for (std::uint32_t i = 0; i < n && ok(); ++i) {
    const std::string_view name = string(attribute_index(cursor));
    result.emplace_back(name, attribute_index(cursor));
  }
  finish(cursor, entry, "a dictionary");
  return result;
}

std::vector<std::uint32_t> Decoder::array(std::uint32_t index) {
  std::vector<std::uint32_t> result;
  if (!ok()) return result;
  const Entry& entry = container_.attributes[index];
  const Dialect dialect = dialect_of(entry);
  Cursor cursor = open(entry);
  const std::uint64_t code = cursor.varint();
  const bool vhlo = dialect == Dialect::Vhlo && code == kVhloArray;
  if (ok() && !vhlo && !(dialect == Dialect::Builtin && code == kBuiltinArray)) wrong_kind(index, "a list");
  const std::uint32_t n = ok() ? cursor.count(1, "list items") : 0;
  spend(entry, std::uint64_t{n} * 8);
  for (std::uint32_t i = 0; i < n && ok(); ++i) result.push_back(attribute_index(cursor));
  finish(cursor, entry, "a list");
  return result;
}

TypeId Decoder::function_type(std::uint32_t index) {
  const AttrId id = attribute(index, AttributeKind::Optional);
  if (!ok()) return {};
  if (id.valid()) {
    const TypeId t = module_.attribute(id).type;
    if (t.valid() && module_.type(t).kind == graph::TypeKind::Function) return t;
  }
  wrong_kind(index, "a function's type");
  return {};
}

std::vector<std::int64_t> Decoder::int_list(Cursor& cursor) {
  std::vector<std::int64_t> result(cursor.count(1, "numbers"));
  for (std::int64_t& v : result) v = cursor.svarint();
  return result;
}

}  // namespace openneuron::import::bytecode
