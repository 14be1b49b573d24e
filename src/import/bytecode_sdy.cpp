// Shardy's attributes, as the text that Shardy prints. They are kept, not interpreted: a single-device module does
// not need them.
#include "import/bytecode_decoder.h"

namespace openneuron::import::bytecode {
namespace {

enum SdyCode : std::uint64_t {
  kManualAxes = 0, kMeshAxis = 1, kMesh = 2, kSubAxis = 3, kAxisRef = 4, kDimensionSharding = 5, kSharding1 = 6,
  kPerValue1 = 7, kAxisRefList = 11, kSharding2 = 15, kPerValue2 = 16, kSharding3 = 17,
  // not codes: what a position accepts
  kAnySharding = 100, kMeshOrName = 101, kString = 102
};

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      constexpr char kHex[] = "0123456789ABCDEF";
      result += {'\\', kHex[(c >> 4) & 15], kHex[c & 15]};
    } else {
      result += c;
    }
  }
  return result + "\"";
}

bool accepts(std::uint64_t wanted, std::uint64_t code) {
  if (wanted == kAnySharding) return code == kSharding1 || code == kSharding2 || code == kSharding3;
  return wanted == code;
}

}  // namespace

std::string Decoder::mesh_text(std::uint32_t index) { return sdy_part(index, kMesh); }

// Text of an attribute inside of another one: without the prefix "#sdy.".
std::string Decoder::sdy_part(std::uint32_t index, std::uint64_t wanted) {
  if (!ok()) return {};
  const Entry& entry = container_.attributes[index];
  if (depth_ >= kMaxDepth) {
    fail(entry, Code::BytecodeLimit, "attributes nest deeper than " + std::to_string(kMaxDepth));
    return {};
  }
  if (dialect_of(entry) == Dialect::Builtin && wanted == kString) return quoted(string(index));
  if (dialect_of(entry) == Dialect::Builtin && wanted == kMeshOrName) {
    const AttrId id = slot(index).id;
    if (ok() && module_.attribute(id).kind == graph::AttrKind::Symbol) return "@" + module_.attribute(id).text;
  } else if (dialect_of(entry) == Dialect::Sdy) {
    Cursor cursor = open(entry);
    const std::uint64_t code = cursor.varint();
    if (wanted == kMeshOrName && code == kMesh) return "mesh" + sdy_part(index, kMesh);
    if (ok() && accepts(wanted, code)) {
      ++depth_;
      const std::string text = sdy_text(code, cursor, entry);
      --depth_;
      finish(cursor, entry, "an attribute");
      spend(entry, text.size());
      const std::size_t open_bracket = code == kSharding1 || code == kSharding2 || code == kSharding3 ? text.find('<') : 0;
      return ok() ? text.substr(open_bracket) : std::string();
    }
  }
  if (ok()) fail(entry, Code::BytecodeMalformed, "a part of a sharding is of the wrong kind");
  return {};
}

std::string Decoder::sdy_list(Cursor& cursor, std::uint64_t wanted) {
  std::string text;
  const std::uint32_t n = cursor.count(1, "list items");
  for (std::uint32_t i = 0; i < n && ok(); ++i) text += (i == 0 ? "" : ", ") + sdy_part(attribute_index(cursor), wanted);
  return text;
}

std::string Decoder::sdy_text(std::uint64_t code, Cursor& cursor, const Entry& entry) {
  switch (code) {
    case kManualAxes: return "#sdy<manual_axes{" + sdy_list(cursor, kString) + "}>";
    case kMeshAxis: {
      const std::string name = quoted(container_.string(cursor));
      return name + "=" + std::to_string(cursor.svarint());
    }
    case kMesh: {
      std::string text = "<[" + sdy_list(cursor, kMeshAxis) + "]";
      const std::vector<std::int64_t> ids = int_list(cursor);
      for (std::size_t i = 0; i < ids.size(); ++i) text += (i == 0 ? ", device_ids=[" : ", ") + std::to_string(ids[i]);
      return text + (ids.empty() ? ">" : "]>");
    }
    case kSubAxis: {
      const std::string before = ":(" + std::to_string(cursor.svarint()) + ")";
      return before + std::to_string(cursor.svarint());
    }
    case kAxisRef: {
      std::string text = quoted(container_.string(cursor));
      const std::uint64_t sub_axis = cursor.varint();
      if (!ok() || (sub_axis & 1) == 0) return text;
      if ((sub_axis >> 1) >= container_.attributes.size()) {
        cursor.malformed("attribute " + std::to_string(sub_axis >> 1) + " does not exist");
        return {};
      }
      return text + sdy_part(static_cast<std::uint32_t>(sub_axis >> 1), kSubAxis);
    }
    case kDimensionSharding: {
      std::string text = "{" + sdy_list(cursor, kAxisRef);
      if (cursor.byte() == 0) text += text.size() == 1 ? "?" : ", ?";
      text += "}";
      const std::uint64_t priority = cursor.varint();
      return (priority & 1) != 0 ? text + "p" + std::to_string(priority >> 1) : text;
    }
    case kSharding1:
    case kSharding2:
    case kSharding3: {
      std::string text = "#sdy.sharding<" + sdy_part(attribute_index(cursor), kMeshOrName);
      text += ", [" + sdy_list(cursor, kDimensionSharding) + "]";
      if (const std::string axes = sdy_list(cursor, kAxisRef); !axes.empty()) text += ", replicated={" + axes + "}";
      if (code == kSharding1) return text + ">";
      if (const std::string axes = sdy_list(cursor, kAxisRef); !axes.empty()) text += ", unreduced={" + axes + "}";
      if (code == kSharding3 && cursor.svarint() != 0)
        fail(entry, Code::BytecodeUnsupported, "a sharding names a reduction other than a sum");
      return text + ">";
    }
    case kPerValue1:
    case kPerValue2: return "#sdy.sharding_per_value<[" + sdy_list(cursor, kAnySharding) + "]>";
    default: break;
  }
  if (code <= 17) {
    fail(entry, Code::BytecodeUnsupported, "sdy attribute code " + std::to_string(code) +
                                               " does not occur in single-device modules");
  } else {
    unknown_code(entry, "sdy attribute", code);
  }
  return {};
}

}  // namespace openneuron::import::bytecode
