#include "image/npy.h"

#include <cstring>

namespace openneuron::image {
namespace {

constexpr char kMagic[] = "\x93NUMPY\x01";  // and a zero: version 1.0
constexpr std::size_t kFixed = 10, kAlign = 64;

}  // namespace

std::string npy_type(ElementType type) {
  switch (type) {
    case ElementType::I1: return "|b1";
    case ElementType::F16:
    case ElementType::F32:
    case ElementType::F64: return "<f" + std::to_string(byte_width(type));
    case ElementType::C64:
    case ElementType::C128: return "<c" + std::to_string(byte_width(type));
    case ElementType::I8: return "|i1";
    case ElementType::U8: return "|u1";
    case ElementType::I16:
    case ElementType::I32:
    case ElementType::I64: return "<i" + std::to_string(byte_width(type));
    case ElementType::U16:
    case ElementType::U32:
    case ElementType::U64: return "<u" + std::to_string(byte_width(type));
    default: return {};
  }
}

std::vector<std::byte> npy_header(ElementType type, std::span<const std::int64_t> shape) {
  std::string text = "{'descr': '" + npy_type(type) + "', 'fortran_order': False, 'shape': (";
  for (std::int64_t size : shape) text += std::to_string(size) + ", ";
  text += "), }";
  text.append(kAlign - (kFixed + text.size() + 1) % kAlign, ' ');
  text += '\n';
  std::vector<std::byte> out(kFixed + text.size());
  std::memcpy(out.data(), kMagic, 8);
  out[8] = static_cast<std::byte>(text.size() & 255);
  out[9] = static_cast<std::byte>(text.size() >> 8);
  std::memcpy(out.data() + kFixed, text.data(), text.size());
  return out;
}

bool npy_data(std::span<const std::byte> file, std::span<const std::byte>& data) {
  if (file.size() < kFixed || std::memcmp(file.data(), kMagic, 8) != 0) return false;
  const std::size_t text = static_cast<std::size_t>(file[8]) | static_cast<std::size_t>(file[9]) << 8;
  if (text > file.size() - kFixed) return false;
  data = file.subspan(kFixed + text);
  return true;
}

}  // namespace openneuron::image
