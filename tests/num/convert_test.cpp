#include "num/convert.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "base/hash.h"
#include "num/float_format.h"

using namespace openneuron;

namespace {

template <class T>
std::string digest(const std::vector<T>& items) {
  return hex(sha256(std::as_bytes(std::span<const T>(items))));
}

std::vector<float> value_set(const std::string& name) {
  std::vector<float> out;
  if (name == "generated") {
    std::uint32_t x = 1;
    for (int i = 0; i < 1 << 18; ++i) out.push_back(std::bit_cast<float>(x = 1664525u * x + 1013904223u));
    return out;
  }
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const auto code = static_cast<std::uint16_t>(bits);
    out.push_back(name == "f16" ? fp16_to_float(code) : bf16_to_float(code));
  }
  return out;
}

template <class Code>
std::vector<Code> codes(ElementType type, const std::vector<float>& values) {
  std::vector<Code> out(values.size());
  convert_elements(ElementType::F32, values.data(), type, out.data(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    if (std::isnan(values[i]) || (type == ElementType::F8E8M0FNU && !(values[i] >= 0x1p-126f))) out[i] = 0;
  return out;
}

template <class To>
To converted(ElementType from, const void* value, ElementType to) {
  To out{};
  convert_elements(from, value, to, &out, 1);
  return out;
}

}  // namespace

// tests/data/num/digests.txt is made by scripts/generate_num_digests.py from ml_dtypes and NumPy.
TEST_CASE("small_floats_agree_with_ml_dtypes") {
  std::ifstream in(std::string(ON_TEST_DIR) + "/data/num/digests.txt");
  std::string what, name, set, expected;
  int lines = 0;
  while (in >> what >> name) {
    CAPTURE(what);
    CAPTURE(name);
    ++lines;
    const ElementType type = type_from_name(name);
    REQUIRE(type != ElementType::None);
    if (what == "decode") {
      in >> expected;
      std::vector<double> wide(std::size_t{1} << bit_width(type));
      for (std::size_t bits = 0; bits < wide.size(); ++bits) {
        const auto code = static_cast<std::uint16_t>(bits);
        wide[bits] = load_double(type, &code, 0);
        if (std::isnan(wide[bits])) wide[bits] = 0;
        CHECK((wide[bits] == 0 || wide[bits] == decode_float(*float_format(type), code)));
      }
      CHECK(digest(wide) == expected);
    } else {
      in >> set >> expected;
      CAPTURE(set);
      CHECK((byte_width(type) == 1 ? digest(codes<std::uint8_t>(type, value_set(set)))
                                   : digest(codes<std::uint16_t>(type, value_set(set)))) == expected);
    }
  }
  CHECK(lines == 13 * 4);
}

TEST_CASE("every_narrow_value_survives_a_round_trip") {
  for (int t = 0; t < static_cast<int>(ElementType::None); ++t) {
    const auto type = static_cast<ElementType>(t);
    const FloatFormat* format = float_format(type);
    if (!format) continue;
    CAPTURE(type_name(type));
    for (std::uint32_t bits = 0; bits < 1u << bit_width(type); ++bits) {
      const double value = decode_float(*format, bits);
      if (std::isnan(value))
        CHECK(std::isnan(decode_float(*format, encode_float(*format, value))));
      else
        CHECK(encode_float(*format, value) == bits);
    }
  }
}

TEST_CASE("rounding_is_single_from_double") {
  // 1 + 2^-8 is halfway between bf16 neighbours; a hair more in double must round up, though float would lose the hair.
  CHECK(round_to(ElementType::BF16, 1 + 0x1p-8) == 1);
  CHECK(round_to(ElementType::BF16, 1 + 0x1p-8 + 0x1p-40) == 1 + 0x1p-7);
  CHECK(round_to(ElementType::F16, 0x1p-25) == 0);
  CHECK(round_to(ElementType::F16, 0x1p-25 + 0x1p-60) == 0x1p-24);
  CHECK(round_to(ElementType::TF32, 1 + 0x1p-11 + 0x1p-30) == 1 + 0x1p-10);
  CHECK(round_to(ElementType::F32, 1e300) == std::numeric_limits<double>::infinity());
}

TEST_CASE("overflow_follows_each_format") {
  const double inf = std::numeric_limits<double>::infinity();
  struct Case {
    ElementType type;
    double value, result;
  };
  const Case cases[] = {
      {ElementType::F8E4M3FN, 464, 448},  // halfway: ties to even
      {ElementType::F8E4M3FN, 464.01, NAN},  {ElementType::F8E4M3FN, inf, NAN},    {ElementType::F8E4M3, 248, inf},
      {ElementType::F8E4M3, 247.9, 240},     {ElementType::F8E5M2, 61440, inf},    {ElementType::F8E5M2, 61439, 57344},
      {ElementType::F8E3M4, 15.75, inf},     {ElementType::F8E4M3FNUZ, 249, NAN},  {ElementType::F8E5M2FNUZ, 1e9, NAN},
      {ElementType::F8E4M3B11FNUZ, 32, NAN}, {ElementType::F4E2M1FN, 100, 6},      {ElementType::F4E2M1FN, -inf, -6},
      {ElementType::F4E2M1FN, 0.25, 0},      {ElementType::F6E2M3FN, 8, 7.5},      {ElementType::F6E3M2FN, -29, -28},
      {ElementType::F8E8M0FNU, 0, 0x1p-127}, {ElementType::F8E8M0FNU, 0.1, 0.125}, {ElementType::F8E8M0FNU, 3.1415, 4},
      {ElementType::F8E8M0FNU, -1, NAN},     {ElementType::F8E8M0FNU, 1e39, NAN},  {ElementType::F16, 65519.9, 65504},
      {ElementType::F16, 65520, inf},        {ElementType::BF16, 3.4e38, inf}};
  for (const Case& c : cases) {
    CAPTURE(type_name(c.type));
    CAPTURE(c.value);
    const double got = round_to(c.type, c.value);
    CHECK((std::isnan(c.result) ? std::isnan(got) : got == c.result));
  }
  CHECK(!std::signbit(round_to(ElementType::F8E4M3FNUZ, -0.0)));
  CHECK(std::signbit(round_to(ElementType::F8E4M3FN, -0.0)));
}

TEST_CASE("nan_stays_nan_and_quiet") {
  const float signalling = std::bit_cast<float>(0x7F800001u);  // its payload lies wholly in the bits that bf16 drops
  CHECK(float_to_bf16(signalling) == 0x7FC0);
  CHECK(float_to_bf16(std::bit_cast<float>(0xFFFFFFFFu)) == 0xFFFF);
  CHECK(float_to_fp16(signalling) == 0x7E00);
  CHECK(std::isnan(fp16_to_float(0x7C01)));
  for (ElementType type : {ElementType::F8E4M3, ElementType::F8E4M3FN, ElementType::F8E5M2FNUZ, ElementType::F8E8M0FNU})
    CHECK(std::isnan(round_to(type, NAN)));
}

TEST_CASE("floats_to_integers_truncate_and_saturate") {
  struct Case {
    double value;
    ElementType to;
    std::int64_t result;
  };
  const double inf = std::numeric_limits<double>::infinity();
  const Case cases[] = {{2.9, ElementType::I32, 2},
                        {-2.9, ElementType::I32, -2},
                        {1e10, ElementType::I32, 2147483647},
                        {-1e10, ElementType::I32, -2147483648LL},
                        {NAN, ElementType::I32, 0},
                        {inf, ElementType::I8, 127},
                        {-inf, ElementType::I8, -128},
                        {300, ElementType::U8, 255},
                        {-3, ElementType::U8, 0},
                        {-0.9, ElementType::U8, 0},
                        {9, ElementType::I4, 7},
                        {-9, ElementType::I4, -8},
                        {20, ElementType::U4, 15},
                        {5, ElementType::I2, 1},
                        {5, ElementType::U2, 3},
                        {4294967296.0, ElementType::U32, 4294967295LL},
                        {1e30, ElementType::I64, INT64_MAX},
                        {-1e30, ElementType::I64, INT64_MIN},
                        {0x1p63, ElementType::I64, INT64_MAX},
                        {0x1p63, ElementType::U64, INT64_MIN},
                        {1e30, ElementType::U64, -1},
                        {-1, ElementType::U64, 0},
                        {NAN, ElementType::U64, 0},
                        {NAN, ElementType::I1, 1},
                        {-0.0, ElementType::I1, 0},
                        {0.5, ElementType::I1, 1}};
  for (const Case& c : cases) {
    CAPTURE(c.value);
    CAPTURE(type_name(c.to));
    std::int64_t out = 0;
    convert_elements(ElementType::F64, &c.value, c.to, &out, 1);
    CHECK(load_int(c.to, &out, 0) == c.result);
  }
}

TEST_CASE("integers_convert_by_the_sign_of_their_source") {
  const std::int8_t minus = -1;
  CHECK(converted<std::uint32_t>(ElementType::I8, &minus, ElementType::U32) == 0xFFFFFFFFu);
  CHECK(converted<std::int32_t>(ElementType::U8, &minus, ElementType::I32) == 255);
  const std::int32_t big = 0x12345678;
  CHECK(converted<std::int8_t>(ElementType::I32, &big, ElementType::I8) == 0x78);
  CHECK(converted<std::int8_t>(ElementType::I32, &big, ElementType::I4) == -8);  // low four bits are 8
  const std::uint8_t yes = 1;
  CHECK(converted<float>(ElementType::I1, &yes, ElementType::F32) == 1.0f);
}

TEST_CASE("wide_integers_round_once") {
  // 2^60 + 2^36 + 1: through double (53 bits) the 1 is lost and the tie at float's 24 bits would go to even.
  const std::int64_t value = (std::int64_t{1} << 60) + (std::int64_t{1} << 36) + 1;
  CHECK(converted<float>(ElementType::I64, &value, ElementType::F32) == 0x1p60f + 0x1p37f);
  const std::int64_t negative = -value;
  CHECK(converted<float>(ElementType::I64, &negative, ElementType::F32) == -(0x1p60f + 0x1p37f));
  const std::uint64_t all = ~std::uint64_t{0};
  CHECK(converted<float>(ElementType::U64, &all, ElementType::F32) == 0x1p64f);
  CHECK(converted<double>(ElementType::U64, &all, ElementType::F64) == 0x1p64);
  const std::int64_t halves = (std::int64_t{1} << 53) + 1;
  CHECK(converted<double>(ElementType::I64, &halves, ElementType::F64) == 0x1p53);
}

TEST_CASE("complex_elements_convert_by_parts") {
  const float pair[2] = {1.5f, -2.5f};
  double wide[2] = {};
  convert_elements(ElementType::C64, pair, ElementType::C128, wide, 1);
  CHECK(wide[0] == 1.5);
  CHECK(wide[1] == -2.5);
  CHECK(converted<float>(ElementType::C64, pair, ElementType::F32) == 1.5f);
  const float real = 3;
  convert_elements(ElementType::F32, &real, ElementType::C128, wide, 1);
  CHECK(wide[0] == 3);
  CHECK(wide[1] == 0);
}
