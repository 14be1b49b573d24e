// Instructions that add rows where offsets say, and that look at what rows hold; answers by hand.
#include <doctest/doctest.h>

#include <bit>
#include <limits>

#include "builder.h"

using namespace device_test;
using isa::VariableKind;

namespace {

constexpr ElementType F32 = ElementType::F32, BF16 = ElementType::BF16, I32 = ElementType::I32, I8 = ElementType::I8,
                      U32 = ElementType::U32, U16 = ElementType::U16;
constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<std::uint32_t> bits(const std::vector<float>& values) {
  std::vector<std::uint32_t> out;
  for (float x : values) out.push_back(std::bit_cast<std::uint32_t>(x));
  return out;
}

// What two rows of eight or more values give, in SBUF.
struct Rows {
  Builder b;
  std::uint32_t x, y, z;
  Arrays arrays;
  explicit Rows(const std::vector<float>& values, int rows, int kept)
      : x(b.variable("x", VariableKind::Input, F32, {rows, static_cast<std::int64_t>(values.size()) / rows})),
        y(b.variable("y", VariableKind::Output, F32, {rows, kept})),
        z(b.variable("z", VariableKind::Output, I32, {rows, kept})),
        arrays(b.code) {
    arrays.set(x, values);
  }
};

}  // namespace

TEST_CASE("dma_compute_adds_rows_in_order") {
  Builder b;
  const auto table = b.variable("table", VariableKind::Input, F32, {4, 3});
  const auto index = b.variable("index", VariableKind::Input, I32, {4, 1});
  const auto update = b.variable("update", VariableKind::Input, F32, {4, 3});
  const auto sums = b.variable("sums", VariableKind::Output, F32, {4, 3});
  b.dma(sbuf(I32, 4, 0, 1), hbm(index, I32, 4, 1));
  b.dma(sbuf(F32, 4, 16, 3), hbm(update, F32, 4, 3));
  b.dma(hbm(sums, F32, 4, 3), hbm(table, F32, 4, 3));
  auto to = hbm(sums, F32, 4, 0, 0, {{4, 3}});
  to.indirect_stride = 12;
  to.indirect_limit = 4;
  b.add(Opcode::DmaCompute, Engine::Dma, {to, sbuf(F32, 4, 16, 3), sbuf(I32, 4, 0, 1)}, {1});
  b.serialise();
  Arrays a(b.code);
  a.set<float>(table, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  a.set<std::int32_t>(index, {2, -1, 2, 0});
  a.set<float>(update, {1, 2, 3, 100, 100, 100, 10, 20, 30, 0.5f, 0.25f, 0.125f});
  const std::vector<float> wanted = {0.5f, 1.25f, 2.125f, 3, 4, 5, 17, 29, 41, 9, 10, 11};
  REQUIRE(run(b.code, a) == "");
  CHECK(a.get<float>(sums) == wanted);
  REQUIRE(run_checked(b.code, a, 1) == "");
  CHECK(a.get<float>(sums) == wanted);

  isa::Instruction& add = b.stream(Engine::Dma).instructions.open()[3];
  add.params[0] = 0;
  CHECK(run(b.code, a).substr(0, 8) == "ON-E1903");
  add.operands[0].indirect_limit = -1;
  CHECK(run(b.code, a).substr(0, 8) == "ON-E1207");
  add.params[0] = 1;
  add.operands[0].indirect_limit = 100;
  a.set<std::int32_t>(index, {2, 4, 2, 0});
  CHECK(run(b.code, a).substr(0, 8) == "ON-E1902");
}

TEST_CASE("dma_compute_rounds_to_the_destination_after_each_row") {
  // In bf16, 256 + 1 is 256 again and again; in fp32 the ones would add up. Eight-bit integers wrap.
  Builder b;
  const auto index = b.variable("index", VariableKind::Input, I32, {3, 1});
  const auto update = b.variable("update", VariableKind::Input, F32, {3, 1});
  const auto small = b.variable("small", VariableKind::Input, I8, {3, 1});
  const auto sum = b.variable("sum", VariableKind::Output, BF16, {1, 1});
  const auto wrapped = b.variable("wrapped", VariableKind::Output, I8, {1, 1});
  b.dma(sbuf(I32, 3, 0, 1), hbm(index, I32, 3, 1));
  b.dma(sbuf(F32, 3, 4, 1), hbm(update, F32, 3, 1));
  b.dma(sbuf(I8, 3, 8, 1), hbm(small, I8, 3, 1));
  b.add(Opcode::Memset, Engine::Vector, {sbuf(BF16, 3, 16, 1), number(256)});
  b.add(Opcode::Memset, Engine::Vector, {sbuf(I8, 3, 20, 1), number(100, I32)});
  b.dma(hbm(sum, BF16, 1, 1), sbuf(BF16, 1, 16, 1));
  b.dma(hbm(wrapped, I8, 1, 1), sbuf(I8, 1, 20, 1));
  auto to = hbm(sum, BF16, 3, 0, 0, {{2, 1}}), bytes = hbm(wrapped, I8, 3, 0, 0, {{1, 1}});
  to.indirect_stride = 2;
  bytes.indirect_stride = 1;
  to.indirect_limit = bytes.indirect_limit = 1;
  b.add(Opcode::DmaCompute, Engine::Dma, {to, sbuf(F32, 3, 4, 1), sbuf(I32, 3, 0, 1)}, {0});
  b.add(Opcode::DmaCompute, Engine::Dma, {bytes, sbuf(I8, 3, 8, 1), sbuf(I32, 3, 0, 1)}, {0});
  b.serialise();
  Arrays a(b.code);
  a.set<std::int32_t>(index, {0, 0, 0});
  a.set<float>(update, {1, 1, 1});
  a.set<std::int8_t>(small, {20, 20, 20});
  REQUIRE(run_checked(b.code, a, 3) == "");
  CHECK(a.get<std::uint16_t>(sum)[0] == 0x4380);
  CHECK(a.get<std::int8_t>(wrapped)[0] == static_cast<std::int8_t>(160));
}

TEST_CASE("dma_compute_that_nothing_orders_is_a_race") {
  Builder b;
  const auto index = b.variable("index", VariableKind::Input, I32, {2, 1});
  const auto sums = b.variable("sums", VariableKind::Output, F32, {2, 2});
  b.dma(sbuf(I32, 2, 0, 1), hbm(index, I32, 2, 1));
  b.add(Opcode::Memset, Engine::Vector, {sbuf(F32, 2, 16, 2), number(1)});
  b.dma(hbm(sums, F32, 2, 2), sbuf(F32, 2, 16, 2));
  auto to = hbm(sums, F32, 2, 0, 0, {{4, 2}});
  to.indirect_stride = 8;
  to.indirect_limit = 2;
  b.add(Opcode::DmaCompute, Engine::Dma, {to, sbuf(F32, 2, 16, 2), sbuf(I32, 2, 0, 1)}, {1});
  b.serialise();
  // The addition on a queue of its own, without its wait: it reads what the store before it writes.
  auto& queue = b.stream(Engine::Dma).instructions.open();
  isa::Instruction add = queue.back();
  queue.pop_back();
  add.queue = 1;
  add.waits.clear();
  add.waits.push_back({b.stream(Engine::Vector).semaphore, 1});
  b.stream(Engine::Dma, 1).instructions.push_back(add);
  Arrays a(b.code);
  a.set<std::int32_t>(index, {0, 1});
  int noticed = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) noticed += run_checked(b.code, a, seed) != "";
  CHECK(noticed == 8);
}

TEST_CASE("max8_and_find_index8_on_special_values") {
  const std::vector<float> row = {1, -0.0f, kInf, 0.0f, 1, -kNan, 7, kNan, 1, -kInf, 7, 0.0f};
  Rows r(row, 1, 8);
  Builder& b = r.b;
  b.dma(sbuf(F32, 1, 0, 12), hbm(r.x, F32, 1, 12));
  b.add(Opcode::Max8, Engine::Vector, {sbuf(F32, 1, 64, 8), sbuf(F32, 1, 0, 12)});
  b.add(Opcode::FindIndex8, Engine::Vector, {sbuf(U32, 1, 128, 8), sbuf(F32, 1, 0, 12), sbuf(F32, 1, 64, 8)});
  b.dma(hbm(r.y, F32, 1, 8), sbuf(F32, 1, 64, 8));
  b.dma(hbm(r.z, I32, 1, 8), sbuf(I32, 1, 128, 8));
  b.serialise();
  REQUIRE(run_checked(b.code, r.arrays, 5) == "");
  CHECK(bits(r.arrays.get<float>(r.y)) == bits({kNan, kInf, 7, 7, 1, 1, 1, 0.0f}));
  CHECK(r.arrays.get<std::int32_t>(r.z) == std::vector<std::int32_t>{7, 2, 6, 10, 0, 4, 8, 3});
}

TEST_CASE("max8_of_rows_with_strides_and_find_index8_of_what_is_missing") {
  // Two rows of 8, every other word; the second row is searched for numbers that it holds once, twice and never.
  std::vector<float> values;
  for (int i = 0; i < 32; ++i) values.push_back(static_cast<float>((i * 7) % 16));
  Rows r(values, 2, 8);
  Builder& b = r.b;
  const auto strided = chip(isa::Space::Sbuf, F32, 2, 0, {{8, 8}});
  b.dma(sbuf(F32, 2, 0, 16), hbm(r.x, F32, 2, 16));
  b.add(Opcode::Max8, Engine::Vector, {sbuf(F32, 2, 64, 8), strided});
  b.add(Opcode::Memset, Engine::Vector, {sbuf(F32, 2, 96, 8), number(14)});
  b.add(Opcode::FindIndex8, Engine::Vector, {sbuf(U16, 2, 128, 8), strided, sbuf(F32, 2, 96, 8)});
  b.add(Opcode::Copy, Engine::Vector, {sbuf(I32, 2, 160, 8), sbuf(U16, 2, 128, 8)});
  b.dma(hbm(r.y, F32, 2, 8), sbuf(F32, 2, 64, 8));
  b.dma(hbm(r.z, I32, 2, 8), sbuf(I32, 2, 160, 8));
  b.serialise();
  REQUIRE(run_checked(b.code, r.arrays, 5) == "");
  // Element i of a row is (14 i) mod 16 = 0, 14, 12, ..., 2.
  const std::vector<float> descending = {14, 12, 10, 8, 6, 4, 2, 0};
  const std::vector<float> got = r.arrays.get<float>(r.y);
  for (std::size_t i = 0; i < 16; ++i) CHECK(got[i] == descending[i % 8]);
  const std::vector<std::int32_t> found = r.arrays.get<std::int32_t>(r.z);
  for (std::size_t i = 0; i < 16; ++i) CHECK(found[i] == (i % 8 == 0 ? 1 : 0xFFFF));
}

TEST_CASE("sort_is_stable_in_every_order") {
  const std::vector<float> keys = {2, kNan, -0.0f, 0.0f, -1, -kNan, 2, kInf};
  const auto sorted = [&](int descending, int total, bool in_hbm) {
    Rows r(keys, 1, 8);
    Builder& b = r.b;
    isa::Operand pattern;
    pattern.kind = isa::OperandKind::Pattern;
    pattern.dims.push_back({1, 8});
    b.add(Opcode::Iota, Engine::GpSimd, {sbuf(I32, 1, 32, 8), pattern});
    if (in_hbm) {
      b.dma(hbm(r.z, I32, 1, 8), sbuf(I32, 1, 32, 8));
      b.add(Opcode::Sort, Engine::GpSimd, {hbm(r.y, F32, 1, 8), hbm(r.z, I32, 1, 8), hbm(r.x, F32, 1, 8), hbm(r.z, I32, 1, 8)}, {descending, total});
    } else {
      b.dma(sbuf(F32, 1, 0, 8), hbm(r.x, F32, 1, 8));
      b.add(Opcode::Sort, Engine::GpSimd, {sbuf(F32, 1, 64, 8), sbuf(I32, 1, 96, 8), sbuf(F32, 1, 0, 8), sbuf(I32, 1, 32, 8)}, {descending, total});
      b.dma(hbm(r.y, F32, 1, 8), sbuf(F32, 1, 64, 8));
      b.dma(hbm(r.z, I32, 1, 8), sbuf(I32, 1, 96, 8));
    }
    b.serialise();
    CHECK(run_checked(b.code, r.arrays, 7) == "");
    const std::vector<std::int32_t> place = r.arrays.get<std::int32_t>(r.z);
    std::vector<float> moved;
    for (std::int32_t i : place) moved.push_back(keys[static_cast<std::size_t>(i)]);
    CHECK(bits(r.arrays.get<float>(r.y)) == bits(moved));  // keys keep their bits
    return place;
  };
  for (bool in_hbm : {false, true}) {
    using Places = std::vector<std::int32_t>;
    CHECK(sorted(0, 0, in_hbm) == Places{4, 2, 3, 0, 6, 7, 1, 5});
    CHECK(sorted(1, 0, in_hbm) == Places{1, 5, 7, 0, 6, 2, 3, 4});
    CHECK(sorted(0, 1, in_hbm) == Places{5, 4, 2, 3, 0, 6, 7, 1});
    CHECK(sorted(1, 1, in_hbm) == Places{1, 7, 0, 6, 3, 2, 4, 5});
  }
}

TEST_CASE("sort_of_integers_in_place_without_payload") {
  Builder b;
  const auto x = b.variable("x", VariableKind::Input, I32, {2, 4});
  const auto y = b.variable("y", VariableKind::Output, I32, {2, 4});
  const auto z = b.variable("z", VariableKind::Output, U32, {2, 4});
  b.dma(sbuf(I32, 2, 0, 4), hbm(x, I32, 2, 4));
  b.dma(sbuf(U32, 2, 16, 4), hbm(x, U32, 2, 4));
  b.add(Opcode::Sort, Engine::GpSimd, {sbuf(I32, 2, 0, 4), none(), sbuf(I32, 2, 0, 4), none()}, {0, 0});
  b.add(Opcode::Sort, Engine::GpSimd, {sbuf(U32, 2, 16, 4), none(), sbuf(U32, 2, 16, 4), none()}, {0, 0});
  b.dma(hbm(y, I32, 2, 4), sbuf(I32, 2, 0, 4));
  b.dma(hbm(z, U32, 2, 4), sbuf(U32, 2, 16, 4));
  b.serialise();
  Arrays a(b.code);
  a.set<std::int32_t>(x, {16777217, -5, 16777216, INT32_MIN, 3, 2, 1, 0});  // fp32 does not tell the first and third apart
  REQUIRE(run(b.code, a) == "");
  CHECK(a.get<std::int32_t>(y) == std::vector<std::int32_t>{INT32_MIN, -5, 16777216, 16777217, 0, 1, 2, 3});
  CHECK(a.get<std::uint32_t>(z) == std::vector<std::uint32_t>{16777216, 16777217, 0x80000000u, 0xFFFFFFFBu, 0, 1, 2, 3});
}
