// Types, attributes and literals as text.
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "graph/printer.h"
#include "num/convert.h"

namespace openneuron::graph {
namespace {

// MLIR prints longer literals as hexadecimal blobs.
constexpr std::int64_t kMaxListElements = 100;

int decimal_digits(ElementType type) {
  // Enough to read back the same value: 2 + significand bits * log10(2).
  switch (type) {
    case ElementType::F64: return 17;
    case ElementType::F32:
    case ElementType::TF32: return 9;
    case ElementType::F16: return 5;
    default: return 4;
  }
}

constexpr char kHex[] = "0123456789ABCDEF";

}  // namespace

void Printer::integer(std::int64_t v) {
  char text[24];
  out_.append(text, static_cast<std::size_t>(std::snprintf(text, sizeof text, "%lld", static_cast<long long>(v))));
}

void Printer::quoted(std::string_view text) {
  out_ += '"';
  for (unsigned char c : text) {
    if (c == '"' || c == '\\') {
      out_ += '\\';
      out_ += static_cast<char>(c);
    } else if (c < 32 || c >= 127) {
      out_ += '\\';
      out_ += kHex[c >> 4];
      out_ += kHex[c & 15];
    } else {
      out_ += static_cast<char>(c);
    }
  }
  out_ += '"';
}

namespace {
bool is_bare(std::string_view name, bool dots_first) {
  if (name.empty()) return false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool later = (c >= '0' && c <= '9') || c == '$' || c == '.';
    if (!letter && !((i != 0 || dots_first) && later)) return false;
  }
  return true;
}
}  // namespace

void Printer::symbol(std::string_view name) {
  out_ += '@';
  const std::size_t nested = name.find("::@");  // @outer::@inner
  const std::string_view head = name.substr(0, nested);
  if (is_bare(head, false))
    out_ += head;
  else
    quoted(head);
  if (nested != std::string_view::npos) {
    out_ += "::";
    symbol(name.substr(nested + 3));
  }
}

void Printer::key(std::string_view name) {
  if (is_bare(name, false))
    out_ += name;
  else
    quoted(name);
}

std::string Printer::type_text(const Type& t) {
  std::string text;
  const auto members = [&](std::size_t first, std::size_t end) {
    std::string list;
    for (std::size_t i = first; i < end; ++i) {
      if (i != first) list += ", ";
      list += type_text(m_.type(t.members[i]));
    }
    return list;
  };
  switch (t.kind) {
    case TypeKind::Token: return "!stablehlo.token";
    case TypeKind::Tuple: return "tuple<" + members(0, t.members.size()) + ">";
    case TypeKind::Future: return "!stablehlo.future<" + members(0, t.members.size()) + ">";
    case TypeKind::Function: {
      text = "(" + members(0, t.input_count) + ") -> ";
      const bool one = t.members.size() == t.input_count + 1u && m_.type(t.members.back()).kind != TypeKind::Function;
      return text + (one ? "" : "(") + members(t.input_count, t.members.size()) + (one ? "" : ")");
    }
    case TypeKind::Opaque: return t.text;
    default: break;
  }
  text = t.kind == TypeKind::Buffer ? "memref<" : "tensor<";
  for (std::int64_t d : t.shape) text += d == kDynamic ? "?x" : std::to_string(d) + "x";
  text += t.kind == TypeKind::Quantized ? t.text : std::string(type_name(t.element));
  if (!t.bounds.empty()) {
    text += ", #stablehlo.bounds<";
    for (std::size_t i = 0; i < t.bounds.size(); ++i) {
      text += (i == 0 ? "" : ", ") + (t.bounds[i] == kDynamic ? "?" : std::to_string(t.bounds[i]));
    }
    text += ">";
  }
  return text + ">";
}

void Printer::type(TypeId id) {
  if (type_texts_.size() <= id.index) type_texts_.resize(m_.type_count());
  std::string& text = type_texts_[id.index];
  if (text.empty()) text = type_text(m_.type(id));
  out_ += text;
}

void Printer::types(std::span<const TypeId> ids) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (i != 0) out_ += ", ";
    type(ids[i]);
  }
}

// A float of `type` with this value and these bits: six digits when they suffice, else enough, else the bits.
void Printer::real(ElementType type, double value, std::uint64_t bits) {
  if (!std::isfinite(value)) {
    const int digits = (bit_width(type) + 3) / 4;
    out_ += "0x";
    for (int d = digits - 1; d >= 0; --d) out_ += kHex[(bits >> (4 * d)) & 15];
    return;
  }
  char text[40];
  std::snprintf(text, sizeof text, "%.6e", value);
  const auto reads_back = [&] {
    std::byte bytes[16] = {};
    if (type == ElementType::F64) return std::strtod(text, nullptr) == value;
    store_double(type, bytes, 0, std::strtod(text, nullptr));
    return load_double(type, bytes, 0) == value;
  };
  if (!reads_back()) {
    std::snprintf(text, sizeof text, "%.*g", decimal_digits(type), value);
    if (std::strchr(text, '.') == nullptr) {  // a float needs a point
      std::string fixed = text;
      const std::size_t e = fixed.find('e');
      fixed.insert(e == std::string::npos ? fixed.size() : e, ".0");
      std::snprintf(text, sizeof text, "%s", fixed.c_str());
    }
  }
  out_ += text;
}

void Printer::element(ElementType type, const std::byte* bytes, std::size_t index) {
  if (is_complex(type)) {
    const ElementType part = type == ElementType::C64 ? ElementType::F32 : ElementType::F64;
    out_ += '(';
    element(part, bytes, 2 * index);
    out_ += ',';
    element(part, bytes, 2 * index + 1);
    out_ += ')';
  } else if (is_float(type)) {
    std::uint64_t bits = 0;
    const std::size_t width = static_cast<std::size_t>(byte_width(type));
    std::memcpy(&bits, bytes + index * width, width);
    real(type, load_double(type, bytes, index), bits);
  } else if (type == ElementType::I1) {
    out_ += load_int(type, bytes, index) != 0 ? "true" : "false";
  } else if (type == ElementType::U64) {
    out_ += std::to_string(static_cast<std::uint64_t>(load_int(type, bytes, index)));
  } else {
    integer(load_int(type, bytes, index));
  }
}

void Printer::constant(ConstantId id) {
  const Constant& c = m_.constant(id);
  const Type& t = m_.type(c.type);
  const std::int64_t count = t.element_count();
  if (options_.elide_above >= 0 && !c.splat && count > options_.elide_above) {
    out_ += "dense_resource<__elided__> : ";
    type(c.type);
    return;
  }
  out_ += "dense<";
  if (c.splat) {
    element(t.element, c.bytes.data(), 0);
  } else if (count > kMaxListElements) {
    out_ += "\"0x";
    out_.reserve(out_.size() + 2 * c.bytes.size() + 64);
    for (std::byte b : c.bytes) {
      out_ += kHex[static_cast<unsigned>(b) >> 4];
      out_ += kHex[static_cast<unsigned>(b) & 15];
    }
    out_ += '"';
  } else if (count > 0) {
    // Brackets open where an index of that axis starts over, close where the next one would.
    for (std::int64_t i = 0; i < count; ++i) {
      std::int64_t inner = 1;
      std::size_t opened = 0, closed = 0;
      for (std::size_t d = t.shape.size(); d-- > 0;) {
        inner *= t.shape[d];
        if (i % inner == 0) ++opened;
        if ((i + 1) % inner == 0) ++closed;
      }
      if (i != 0) out_ += ", ";
      out_.append(opened, '[');
      element(t.element, c.bytes.data(), static_cast<std::size_t>(i));
      out_.append(closed, ']');
    }
  }
  out_ += "> : ";
  type(c.type);
}

void Printer::ints(const Attribute& a) {
  const bool array = a.shape.empty() && (a.element == ElementType::I8 || a.element == ElementType::I16 ||
                                         a.element == ElementType::I32 || a.element == ElementType::I64);
  if (!array) return dense_ints(a);
  out_ += "array<";
  out_ += type_name(a.element);
  for (std::size_t i = 0; i < a.integers.size(); ++i) {
    out_ += i == 0 ? ": " : ", ";
    integer(a.integers[i]);
  }
  out_ += '>';
}

void Printer::dense_ints(const Attribute& a) {
  const std::string_view element_name = type_name(a.element);
  const auto number = [&](std::int64_t v) {
    if (a.element == ElementType::U64)
      out_ += std::to_string(static_cast<std::uint64_t>(v));
    else
      integer(v);
  };
  const std::size_t columns = a.shape.size() == 2 ? static_cast<std::size_t>(a.shape[1]) : a.integers.size();
  out_ += "dense<";
  if (!a.integers.empty()) {
    if (a.shape.size() == 2) out_ += '[';
    for (std::size_t i = 0; i < a.integers.size(); ++i) {
      if (i != 0) out_ += ", ";
      if (i % columns == 0) out_ += '[';
      number(a.integers[i]);
      if ((i + 1) % columns == 0) out_ += ']';
    }
    if (a.shape.size() == 2) out_ += ']';
  }
  out_ += "> : tensor<";
  if (a.shape.size() == 2) {
    integer(a.shape[0]);
    out_ += 'x';
  }
  integer(a.shape.size() == 2 ? a.shape[1] : static_cast<std::int64_t>(columns));
  out_ += 'x';
  out_ += element_name;
  out_ += '>';
}

void Printer::dictionary(const Attribute& d) {
  out_ += '{';
  for (std::size_t i = 0; i < d.names.size(); ++i) {
    if (i != 0) out_ += ", ";
    key(d.names[i]);
    if (m_.attribute(d.items[i]).kind == AttrKind::Unit) continue;
    out_ += " = ";
    attribute(d.items[i]);
  }
  out_ += '}';
}

void Printer::attribute(AttrId id) {
  const Attribute& a = m_.attribute(id);
  switch (a.kind) {
    case AttrKind::Unit: out_ += "unit"; break;
    case AttrKind::Bool: out_ += a.integer != 0 ? "true" : "false"; break;
    case AttrKind::Int:
      if (a.element == ElementType::U64)
        out_ += std::to_string(static_cast<std::uint64_t>(a.integer));
      else
        integer(a.integer);
      out_ += " : ";
      out_ += type_name(a.element);
      break;
    case AttrKind::Float: {
      std::byte bytes[16] = {};
      store_double(a.element, bytes, 0, a.real);
      element(a.element, bytes, 0);
      out_ += " : ";
      out_ += type_name(a.element);
      break;
    }
    case AttrKind::String: quoted(a.text); break;
    case AttrKind::Symbol: symbol(a.text); break;
    case AttrKind::Enum:
      out_ += "#stablehlo<";
      out_ += a.dialect_name;
      out_ += ' ';
      out_ += a.text;
      out_ += '>';
      break;
    case AttrKind::Type:
      if (a.type.valid())
        type(a.type);
      else
        out_ += type_name(a.element);
      break;
    case AttrKind::Ints: ints(a); break;
    case AttrKind::Bools:
      out_ += "array<i1";
      for (std::size_t i = 0; i < a.integers.size(); ++i) {
        out_ += i == 0 ? ": " : ", ";
        out_ += a.integers[i] != 0 ? "true" : "false";
      }
      out_ += '>';
      break;
    case AttrKind::Array:
      out_ += '[';
      for (std::size_t i = 0; i < a.items.size(); ++i) {
        if (i != 0) out_ += ", ";
        attribute(a.items[i]);
      }
      out_ += ']';
      break;
    case AttrKind::Dictionary: dictionary(a); break;
    case AttrKind::Constant: constant(a.constant); break;
    case AttrKind::Opaque: out_ += a.text; break;
  }
}

}  // namespace openneuron::graph
