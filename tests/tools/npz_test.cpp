#include "tools/npz.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "tools/zip.h"

using namespace openneuron;
using namespace openneuron::tools;

namespace {

std::string temporary(const char* name) {
  return (std::filesystem::temp_directory_path() / ("openneuron_npz_" + std::to_string(::getpid()) + name)).string();
}

std::span<const std::byte> bytes_of(const std::string& s) { return std::as_bytes(std::span(s.data(), s.size())); }

// One .npy as numpy writes it, with the header and the data given.
std::string npy(const std::string& dict, const std::string& data, int major = 1) {
  std::string out = "\x93NUMPY";
  out += static_cast<char>(major);
  out += '\0';
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) out += static_cast<char>(dict.size() >> (8 * i));
  return out + dict + data;
}

Result<Array> parse(const std::string& file) { return parse_npy(bytes_of(file), {}, "f.npz", "a"); }

Array array_of(const std::string& name, char kind, int width, std::vector<std::int64_t> shape,
               const std::string& data) {
  Array a;
  a.name = name;
  a.kind = kind;
  a.width = width;
  a.shape = std::move(shape);
  a.bytes = bytes_of(data);
  return a;
}

}  // namespace

TEST_CASE("arrays survive writing and reading, and equal content gives equal bytes") {
  const std::string six = "abcdefABCDEF", one = "wxyz", none;
  const Array arrays[] = {array_of("input0", 'V', 2, {2, 3}, six), array_of("scalar", 'f', 4, {}, one),
                          array_of("empty", 'i', 8, {3, 0}, none), array_of("vector", 'b', 1, {4}, one)};
  const std::string path = temporary("a.npz"), again = temporary("b.npz");
  REQUIRE(write_npz(path, arrays));
  REQUIRE(write_npz(again, arrays));
  CHECK(read_file(path)->text() == read_file(again)->text());
  auto back = read_npz(path);
  REQUIRE(back);
  REQUIRE(back->size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK((*back)[i].name == arrays[i].name);
    CHECK((*back)[i].kind == arrays[i].kind);
    CHECK((*back)[i].width == arrays[i].width);
    CHECK((*back)[i].shape == arrays[i].shape);
    CHECK(std::string(reinterpret_cast<const char*>((*back)[i].bytes.data()), (*back)[i].bytes.size()) ==
          std::string(reinterpret_cast<const char*>(arrays[i].bytes.data()), arrays[i].bytes.size()));
  }
  std::remove(path.c_str());
  std::remove(again.c_str());
}

TEST_CASE("headers of versions 1 to 3 are read") {
  const std::string dict = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n";
  for (int major = 1; major <= 3; ++major) {
    auto a = parse(npy(dict, "01234567", major));
    REQUIRE(a);
    CHECK(a->shape == std::vector<std::int64_t>{2});
  }
  CHECK(!parse(npy(dict, "01234567", 4)));
}

TEST_CASE("column-major and big-endian arrays are rearranged") {
  // The 2x3 matrix ABC/DEF in column-major order.
  auto fortran = parse(npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3)}", "ADBECF"));
  REQUIRE(fortran);
  CHECK(std::memcmp(fortran->bytes.data(), "ABCDEF", 6) == 0);
  auto big = parse(npy("{'descr': '>i2', 'fortran_order': False, 'shape': (2,)}", "badc"));
  REQUIRE(big);
  CHECK(std::memcmp(big->bytes.data(), "abcd", 4) == 0);
  auto complex = parse(npy("{'descr': '>c8', 'fortran_order': False, 'shape': ()}", "dcbahgfe"));
  REQUIRE(complex);
  CHECK(std::memcmp(complex->bytes.data(), "abcdefgh", 8) == 0);
}

TEST_CASE("broken arrays are refused with the code that fits") {
  auto code = [](const std::string& file) {
    auto a = parse(file);
    REQUIRE(!a);
    return a.diagnostic().code;
  };
  CHECK(code("") == Code::ArrayFileBroken);
  CHECK(code("\x93NUMPY") == Code::ArrayFileBroken);
  CHECK(code(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "0123456")) == Code::ArrayFileBroken);
  CHECK(code(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "012345678")) == Code::ArrayFileBroken);
  CHECK(code(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}", "")) == Code::ArrayKindUnknown);
  CHECK(code(npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", "01234567")) == Code::ArrayKindUnknown);
  CHECK(code(npy("{'descr': '<U4', 'fortran_order': False, 'shape': ()}", std::string(16, 'x'))) ==
        Code::ArrayKindUnknown);
  CHECK(code(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}", "0123")) == Code::ArrayKindUnknown);
  CHECK(code(npy("{'descr': '<f4'}", "")) == Code::ArrayKindUnknown);
  const std::string huge =
      "{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775807, 9223372036854775807, 4)}";
  CHECK(code(npy(huge, "01234567")) == Code::ArrayFileBroken);
  const std::string huge_empty =
      "{'descr': '<f8', 'fortran_order': True, 'shape': (9223372036854775807, 0, 9223372036854775807)}";
  CHECK(code(npy(huge_empty, "")) == Code::ArrayFileBroken);
}

TEST_CASE("every truncation and every flipped byte of an archive is refused or harmless") {
  const std::string data(100, 'q');
  const Array arrays[] = {array_of("x", 'f', 4, {5, 5}, data)};
  const std::string path = temporary("c.npz");
  REQUIRE(write_npz(path, arrays));
  const std::string good(read_file(path)->text());
  std::remove(path.c_str());
  for (std::size_t n = 0; n < good.size(); ++n) {
    FileBytes cut;
    cut.bytes = bytes_of(good).first(n);
    CHECK(!read_zip(cut, "f"));
  }
  for (std::size_t i = 0; i < good.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ (1 << bit));
      FileBytes file;
      file.bytes = bytes_of(bad);
      auto members = read_zip(file, "f");
      if (members)
        for (auto& m : *members) (void)parse_npy(m.bytes, m.owner, "f", m.name).operator bool();
    }
}

TEST_CASE("numpy types of the element types") {
  CHECK(numpy_type(ElementType::BF16).kind == 'V');
  CHECK(numpy_type(ElementType::BF16).width == 2);
  CHECK(numpy_type(ElementType::F8E4M3FN).kind == 'V');
  CHECK(numpy_type(ElementType::F8E4M3FN).width == 1);
  CHECK(numpy_type(ElementType::F32).kind == 'f');
  CHECK(numpy_type(ElementType::I1).kind == 'b');
  CHECK(numpy_type(ElementType::U64).kind == 'u');
  CHECK(numpy_type(ElementType::I4).kind == 'V');
  CHECK(numpy_type(ElementType::C64).width == 8);
}
