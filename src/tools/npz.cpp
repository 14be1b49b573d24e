#include "tools/npz.h"

#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include "tools/zip.h"

namespace openneuron::tools {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr int kMaxDims = 32;

Failure broken(const std::string& file, const std::string& name, const std::string& what) {
  Place place;
  place.file = file;
  place.op = name;
  return fail(Code::ArrayFileBroken, place, what);
}

// The header is a Python dictionary literal with the keys descr, fortran_order and shape (numpy's format.py, and
// NEP 1). `at` walks over it.
struct Header {
  std::string_view descr;
  bool fortran = false;
  std::vector<std::int64_t> shape;
};

class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  std::optional<Header> parse() {
    Header header;
    bool has_descr = false, has_order = false, has_shape = false;
    if (!accept('{')) return {};
    while (!accept('}')) {
      const auto key = quoted();
      if (!key || !accept(':')) return {};
      if (*key == "descr") {
        const auto value = quoted();  // a list of fields (structured types) is no string
        if (!value) return {};
        header.descr = *value;
        has_descr = true;
      } else if (*key == "fortran_order") {
        if (word("True")) {
          header.fortran = true;
        } else if (!word("False")) {
          return {};
        }
        has_order = true;
      } else if (*key == "shape") {
        if (!shape(header.shape)) return {};
        has_shape = true;
      } else {
        return {};
      }
      if (!accept(',')) {
        if (!accept('}')) return {};
        break;
      }
    }
    if (!has_descr || !has_order || !has_shape) return {};
    return header;
  }

 private:
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }
  bool accept(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool word(std::string_view w) {
    skip();
    if (text_.substr(at_, w.size()) != w) return false;
    at_ += w.size();
    return true;
  }
  std::optional<std::string_view> quoted() {
    skip();
    if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) return {};
    const std::size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos) return {};
    const auto inside = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return inside;
  }
  bool shape(std::vector<std::int64_t>& dims) {
    if (!accept('(')) return false;
    while (!accept(')')) {
      skip();
      std::int64_t value = 0;
      const auto read = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
      if (read.ec != std::errc() || value < 0 || dims.size() >= kMaxDims) return false;
      at_ = static_cast<std::size_t>(read.ptr - text_.data());
      accept('L');  // Python 2 wrote 3L
      dims.push_back(value);
      if (!accept(',')) return accept(')');
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// "<f4" -> 'f', 4; false for what no tensor holds (strings, dates, objects, long doubles).
bool parse_descr(std::string_view descr, char& kind, int& width, bool& big) {
  if (descr.empty()) return false;
  big = descr[0] == '>';
  if (descr[0] == '<' || descr[0] == '>' || descr[0] == '|' || descr[0] == '=') descr.remove_prefix(1);
  if (descr == "?") descr = "b1";
  if (descr.size() < 2) return false;
  kind = descr[0];
  width = 0;
  const auto read = std::from_chars(descr.data() + 1, descr.data() + descr.size(), width);
  if (read.ec != std::errc() || read.ptr != descr.data() + descr.size()) return false;
  switch (kind) {
    case 'b': return width == 1;
    case 'i':
    case 'u': return width == 1 || width == 2 || width == 4 || width == 8;
    case 'f': return width == 2 || width == 4 || width == 8;
    case 'c': return width == 8 || width == 16;
    case 'V': return width == 1 || width == 2;
    default: return false;
  }
}

// Row-major, little-endian copy of a big-endian or column-major array.
std::vector<std::byte> rearranged(const Array& a, bool swap, bool fortran) {
  std::vector<std::byte> out(a.bytes.size());
  const auto width = static_cast<std::size_t>(a.width);
  const std::size_t part = a.kind == 'c' ? width / 2 : width;
  const std::size_t rank = a.shape.size();
  std::vector<std::int64_t> index(rank, 0), stride(rank, 1);
  for (std::size_t d = 1; d < rank; ++d) stride[d] = stride[d - 1] * a.shape[d - 1];
  const std::int64_t count = a.count();
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t from = i;
    if (fortran) {
      from = 0;
      for (std::size_t d = 0; d < rank; ++d) from += index[d] * stride[d];
      for (std::size_t d = rank; d-- > 0;) {
        if (++index[d] < a.shape[d]) break;
        index[d] = 0;
      }
    }
    const std::byte* source = a.bytes.data() + static_cast<std::size_t>(from) * width;
    std::byte* target = out.data() + static_cast<std::size_t>(i) * width;
    for (std::size_t k = 0; k < width; ++k) target[k] = source[swap ? k / part * part + part - 1 - k % part : k];
  }
  return out;
}

std::string descr_of(const Array& a) {
  const bool plain = a.width == 1 || a.kind == 'V';
  return std::string(plain ? "|" : "<") + a.kind + std::to_string(a.width);
}

std::string npy_header(const Array& a) {
  std::string dict = "{'descr': '" + descr_of(a) + "', 'fortran_order': False, 'shape': (";
  for (std::int64_t d : a.shape) dict += std::to_string(d) + ", ";
  if (a.shape.size() > 1) dict.resize(dict.size() - 2);
  if (a.shape.size() == 1) dict.pop_back();
  dict += "), }";
  // The data begins at a multiple of 64 bytes.
  const std::size_t fixed = kMagic.size() + 2 + 2;
  while ((fixed + dict.size() + 1) % 64) dict.push_back(' ');
  dict.push_back('\n');
  std::string out(kMagic);
  out += {'\x01', '\x00', static_cast<char>(dict.size() & 255), static_cast<char>(dict.size() >> 8)};
  return out + dict;
}

}  // namespace

std::int64_t Array::count() const {
  std::int64_t n = 1;
  for (std::int64_t d : shape) n *= d;
  return n;
}

NumpyType numpy_type(ElementType type) {
  const int width = byte_width(type);
  switch (type_class(type)) {
    case TypeClass::Bool: return {'b', 1};
    case TypeClass::Signed: return {bit_width(type) < 8 ? 'V' : 'i', width};
    case TypeClass::Unsigned: return {bit_width(type) < 8 ? 'V' : 'u', width};
    case TypeClass::Complex: return {'c', width};
    default: break;
  }
  const bool native = type == ElementType::F16 || type == ElementType::F32 || type == ElementType::F64;
  return {native || width == 4 ? 'f' : 'V', width};
}

std::string numpy_name(char kind, int width) {
  const std::string bits = std::to_string(8 * width);
  switch (kind) {
    case 'b': return "bool";
    case 'i': return "int" + bits;
    case 'u': return "uint" + bits;
    case 'f': return "float" + bits;
    case 'c': return "complex" + bits;
    default: return "V" + std::to_string(width);
  }
}

Result<Array> parse_npy(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& file,
                        const std::string& name) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.size() < 10 || text.substr(0, kMagic.size()) != kMagic)
    return broken(file, name, "this is not a numpy array: the magic bytes are missing");
  const int major = static_cast<unsigned char>(text[6]);
  if (major < 1 || major > 3) return broken(file, name, "unknown npy format version " + std::to_string(major));
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::size_t start = 8 + length_bytes;
  if (text.size() < start) return broken(file, name, "the array's header is cut short");
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i)
    length |= static_cast<std::size_t>(static_cast<unsigned char>(text[8 + i])) << (8 * i);
  if (length > text.size() - start) return broken(file, name, "the array's header is cut short");
  const auto header = HeaderParser(text.substr(start, length)).parse();
  if (!header) {
    Place place;
    place.file = file;
    place.op = name;
    return fail(Code::ArrayKindUnknown, place, "the array's header is not understood (a structured type, or damaged)");
  }
  Array a;
  a.name = name;
  bool big = false;
  if (!parse_descr(header->descr, a.kind, a.width, big)) {
    Place place;
    place.file = file;
    place.op = name;
    return fail(Code::ArrayKindUnknown, place,
                "an array of type '" + std::string(header->descr.substr(0, 40)) + "' is no tensor");
  }
  a.shape = header->shape;
  const std::span<const std::byte> data = bytes.subspan(start + length);
  // The product of the dims must not overflow before it is compared; a zero dim makes it 0 whatever the others are.
  std::uint64_t expected = static_cast<std::uint64_t>(a.width);
  bool empty = false;
  for (std::int64_t d : a.shape) empty = empty || d == 0;
  for (std::int64_t d : a.shape) {
    if (empty || expected > data.size()) break;
    if (static_cast<std::uint64_t>(d) > data.size())
      expected = data.size() + 1;
    else
      expected *= static_cast<std::uint64_t>(d);
  }
  if (empty) expected = 0;
  if (expected != data.size())
    return broken(file, name,
                  "the array holds " + std::to_string(data.size()) + " bytes of data, its shape asks for " +
                      (expected > data.size() ? "more" : "fewer"));
  if (empty) {
    // Harmless as it is, but later products of dims must not overflow either.
    for (std::int64_t d : a.shape)
      if (d > INT32_MAX) return broken(file, name, "a dimension of an empty array is out of range");
    std::uint64_t product = 1;
    for (std::int64_t d : a.shape) {
      if (d == 0) continue;
      if (product > INT32_MAX) return broken(file, name, "the dimensions of an empty array are out of range");
      product *= static_cast<std::uint64_t>(d);
    }
  }
  a.bytes = data;
  a.owner = std::move(owner);
  const bool swap = big && a.width > 1 && a.kind != 'V';
  if (swap || (header->fortran && a.shape.size() > 1)) {
    auto copy = std::make_shared<std::vector<std::byte>>(rearranged(a, swap, header->fortran));
    a.bytes = *copy;
    a.owner = std::move(copy);
  }
  return a;
}

Result<std::vector<Array>> read_npz(const std::string& path) {
  auto file = read_file(path);
  if (!file) return file.failure();
  std::vector<Array> arrays;
  if (file->text().substr(0, kMagic.size()) == kMagic) {  // a single .npy stands for input0
    auto array = parse_npy(file->bytes, file->owner, path, "input0");
    if (!array) return array.failure();
    arrays.push_back(std::move(*array));
    return arrays;
  }
  auto members = read_zip(*file, path);
  if (!members) return members.failure();
  for (ZipMember& member : *members) {
    std::string name = member.name;
    if (name.size() > 4 && name.compare(name.size() - 4, 4, ".npy") == 0) name.resize(name.size() - 4);
    auto array = parse_npy(member.bytes, std::move(member.owner), path, name);
    if (!array) return array.failure();
    arrays.push_back(std::move(*array));
  }
  return arrays;
}

Result<void> write_npz(const std::string& path, std::span<const Array> arrays) {
  auto file = AtomicFile::create(path);
  if (!file) return file.failure();
  ZipWriter zip(*file);
  for (const Array& a : arrays) {
    const std::string header = npy_header(a);
    const std::span<const std::byte> parts[] = {std::as_bytes(std::span(header.data(), header.size())), a.bytes};
    ON_TRY(zip.add(a.name + ".npy", parts));
  }
  ON_TRY(zip.finish());
  return file->commit();
}

}  // namespace openneuron::tools
