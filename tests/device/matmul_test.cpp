// Matmul bit for bit: the sum orders of isa.def written out, for odd tiles, every instruction set and thread count.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "builder.h"
#include "device/core.h"
#include "device/device.h"
#include "num/convert.h"

using namespace device_test;
using isa::VariableKind;

namespace {

constexpr ElementType F32 = ElementType::F32;

float flush(float x) { return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x; }

// One result: `column` and `row` hold K products' factors.
float chain_32(const std::vector<float>& a, const std::vector<float>& b) {
  float sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum = std::fma(a[k], b[k], sum);
  return sum;
}
float chains_16(std::vector<float> a, std::vector<float> b, float c) {
  while (a.size() % 32) a.push_back(0), b.push_back(0);
  for (std::size_t block = 0; block < a.size(); block += 32) {
    float even = 0, odd = 0;
    for (std::size_t k = block; k < block + 32; k += 2) {
      even = flush(std::fma(flush(a[k]), flush(b[k]), even));
      odd = flush(std::fma(flush(a[k + 1]), flush(b[k + 1]), odd));
    }
    c = flush(flush(c) + flush(even + odd));
  }
  return c;
}

// TDPBF16PS on 16 x 16 tiles, in software: what the AMX kernel computes, to test its packing on any host.
void pairs_in_software(const std::uint16_t* a, const std::uint16_t* b, std::size_t k, float* c, std::size_t pitch,
                       bool accumulate) {
  for (std::size_t m = 0; m < 16; ++m)
    for (std::size_t n = 0; n < 16; ++n) {
      std::vector<float> x, y;
      for (std::size_t i = 0; i < k; ++i) {
        x.push_back(bf16_to_float(a[m * k + i]));
        y.push_back(bf16_to_float(b[i / 2 * 32 + 2 * n + i % 2]));
      }
      float& out = c[m * pitch + n];
      out = chains_16(x, y, accumulate ? out : 0);
    }
}

struct Case {
  int k, m, n;
};

std::vector<float> random_values(std::size_t n, std::mt19937& random, ElementType type, bool tiny) {
  std::normal_distribution<float> normal(0, 1);
  std::uniform_int_distribution<int> scale(-70, -55);
  std::vector<float> v(n);
  for (float& x : v) x = static_cast<float>(round_to(type, std::ldexp(normal(random), tiny ? scale(random) : 0)));
  return v;
}

}  // namespace

TEST_CASE("matmul_follows_the_stated_sum_order") {
  std::mt19937 random(21);
  const Case cases[] = {{128, 128, 512}, {90, 128, 196}, {1, 1, 1},    {127, 5, 33},    {33, 128, 7},
                        {64, 6, 16},     {31, 31, 31}, {128, 100, 500}, {2, 17, 65}};
  for (ElementType type : {F32, ElementType::BF16, ElementType::F16, ElementType::F8E4M3FN, ElementType::F8E5M2})
    for (bool tiny : {false, true})
      for (const Case& c : cases) {
        if (tiny && (byte_width(type) == 1 || type == ElementType::F16)) continue;
        CAPTURE(type_name(type));
        CAPTURE(c.k);
        CAPTURE(c.n);
        const bool small = type != F32;
        Builder b;
        const auto s = b.variable("s", VariableKind::Input, type, {c.k, c.m});
        const auto v = b.variable("v", VariableKind::Input, type, {c.k, c.n});
        const auto p = b.variable("p", VariableKind::Input, F32, {c.m, c.n});
        const auto d = b.variable("d", VariableKind::Output, F32, {c.m, c.n});
        const auto e = b.variable("e", VariableKind::Output, F32, {c.m, c.n});
        b.dma(sbuf(type, c.k, 0, c.m), hbm(s, type, c.k, c.m));
        b.dma(sbuf(type, c.k, 1024, c.n), hbm(v, type, c.k, c.n));
        b.dma(sbuf(F32, c.m, 8192, c.n), hbm(p, F32, c.m, c.n));
        b.copy(psum(F32, c.m, 2048, c.n), sbuf(F32, c.m, 8192, c.n));
        b.add(Opcode::LoadStationary, Engine::PE, {sbuf(type, c.k, 0, c.m)});
        b.add(Opcode::Matmul, Engine::PE, {psum(F32, c.m, 2048, c.n), sbuf(type, c.k, 1024, c.n)}, {1});
        b.add(Opcode::Matmul, Engine::PE, {psum(F32, c.m, 4096, c.n), sbuf(type, c.k, 1024, c.n)}, {0});
        b.copy(sbuf(F32, c.m, 16384, c.n), psum(F32, c.m, 2048, c.n));
        b.copy(sbuf(F32, c.m, 24576, c.n), psum(F32, c.m, 4096, c.n));
        b.dma(hbm(d, F32, c.m, c.n), sbuf(F32, c.m, 16384, c.n));
        b.dma(hbm(e, F32, c.m, c.n), sbuf(F32, c.m, 24576, c.n));
        const auto sv = random_values(static_cast<std::size_t>(c.k * c.m), random, type, tiny);
        const auto vv = random_values(static_cast<std::size_t>(c.k * c.n), random, type, tiny);
        auto pv = random_values(static_cast<std::size_t>(c.m * c.n), random, F32, tiny);
        if (tiny)
          for (float& x : pv) x = std::ldexp(x, -62);
        std::vector<float> want_d(pv.size()), want_e(pv.size());
        for (int m = 0; m < c.m; ++m)
          for (int n = 0; n < c.n; ++n) {
            std::vector<float> x, y;
            for (int k = 0; k < c.k; ++k) {
              x.push_back(sv[static_cast<std::size_t>(k * c.m + m)]);
              y.push_back(vv[static_cast<std::size_t>(k * c.n + n)]);
            }
            const auto at = static_cast<std::size_t>(m * c.n + n);
            want_d[at] = small ? chains_16(x, y, pv[at]) : pv[at] + chain_32(x, y);
            want_e[at] = small ? chains_16(x, y, 0) : 0.0f + chain_32(x, y);
          }
        for (device::HostIsa isa : device::available_host_isas())
          for (int threads : {1, 2, 3}) {
            CAPTURE(device::host_isa_name(isa));
            Arrays a(b.code);
            for (std::size_t i = 0; i < sv.size(); ++i) store_double(type, a.bytes[s].data(), i, sv[i]);
            for (std::size_t i = 0; i < vv.size(); ++i) store_double(type, a.bytes[v].data(), i, vv[i]);
            a.set(p, pv);
            device::Options options;
            options.host_isa = isa;
            options.threads = threads;
            REQUIRE(run(b.code, a, options) == "");
            const auto got_d = a.get<float>(d), got_e = a.get<float>(e);
            CHECK(std::memcmp(got_d.data(), want_d.data(), 4 * got_d.size()) == 0);
            CHECK(std::memcmp(got_e.data(), want_e.data(), 4 * got_e.size()) == 0);
          }
      }
}

TEST_CASE("matmul_without_its_stationary_is_refused") {
  Builder b;
  b.add(Opcode::Memset, Engine::Vector, {sbuf(F32, 4, 0, 8), number(1)});
  b.add(Opcode::LoadStationary, Engine::PE, {sbuf(F32, 4, 0, 8)});
  b.add(Opcode::Matmul, Engine::PE, {psum(F32, 8, 0, 8), sbuf(F32, 4, 0, 8)}, {0});
  Arrays a(b.code);
  CHECK(run(b.code, a) == "");
  auto& list = b.stream(Engine::PE).instructions.open();
  list[1].operands[1].partition_count = 3;
  CHECK(run(b.code, a).substr(0, 8) == "ON-E1905");
  list.erase(list.begin());
  CHECK(run(b.code, a).substr(0, 8) == "ON-E1905");
}

TEST_CASE("pairs_of_k_pack_as_amx_wants_them") {
  std::mt19937 random(4);
  device::Kernels pairs = *device::find_kernels(device::HostIsa::Auto);
  pairs.matmul_bf16_pairs = pairs_in_software;
  device::Kernels plain = pairs;
  plain.matmul_bf16_pairs = nullptr;
  const device::Threads threads(1);
  const isa::Code code;
  for (const Case& c : {Case{128, 128, 64}, Case{33, 17, 21}, Case{1, 1, 1}}) {
    std::vector<float> results[2];
    const auto raw = random_values(static_cast<std::size_t>(c.k * (c.m + c.n)), random, ElementType::BF16, false);
    std::vector<std::uint16_t> sbuf_bytes(raw.size());
    for (std::size_t i = 0; i < raw.size(); ++i) sbuf_bytes[i] = float_to_bf16(raw[i]);
    for (int way = 0; way < 2; ++way) {
      const device::Context context{&code, nullptr, way ? &pairs : &plain, &threads};
      device::Core core;
      results[way].assign(static_cast<std::size_t>(c.m * c.n), 0.25f);
      const auto operand = [](ElementType type, int partitions, int count) {
        device::HostOperand o;
        o.kind = isa::OperandKind::Memory;
        o.type = type;
        o.partitions = partitions;
        o.walk.rank = 1;
        o.walk.counts[0] = o.walk.count = count;
        o.walk.strides[0] = byte_width(type);
        return o;
      };
      const std::int64_t pitch = 2 * (c.m + c.n);
      auto* base = reinterpret_cast<std::byte*>(sbuf_bytes.data());
      const device::HostOperand stationary = operand(ElementType::BF16, c.k, c.m);
      const device::HostOperand operands[] = {operand(F32, c.m, c.n), operand(ElementType::BF16, c.k, c.n)};
      const device::View from{base, pitch, 0, 0};
      const device::View views[] = {{reinterpret_cast<std::byte*>(results[way].data()), 4 * c.n, 0, 0},
                                    {base + 2 * c.m, pitch, 0, 0}};
      device::HostOp op;
      op.params[0] = 1;
      device::execute_load_stationary(core, &stationary, &from);
      REQUIRE(device::execute_matmul(context, core, op, operands, views));
    }
    CHECK(results[0] == results[1]);
  }
}

// A moving bf16 tile is packed one way for bf16 stationary tiles and another for fp16 ones; operands lie with gaps, few rows
// are not packed at all, K is no multiple of 32.
TEST_CASE("one_moving_tile_meets_stationary_tiles_of_two_types") {
  constexpr ElementType BF16 = ElementType::BF16, F16 = ElementType::F16;
  std::mt19937 random(31);
  for (const Case& c : {Case{70, 96, 130}, Case{40, 7, 67}, Case{128, 64, 512}}) {
    CAPTURE(c.m);
    Builder b;
    const auto bf = b.variable("bf", VariableKind::Input, BF16, {c.k, 2 * c.m});
    const auto half = b.variable("half", VariableKind::Input, F16, {c.k, c.m});
    const auto v = b.variable("v", VariableKind::Input, BF16, {c.k, 3 * c.n});
    const auto d = b.variable("d", VariableKind::Output, F32, {c.m, c.n});
    b.dma(sbuf(BF16, c.k, 0, 2 * c.m), hbm(bf, BF16, c.k, 2 * c.m));
    b.dma(sbuf(F16, c.k, 1024, c.m), hbm(half, F16, c.k, c.m));
    b.dma(sbuf(BF16, c.k, 2048, 3 * c.n), hbm(v, BF16, c.k, 3 * c.n));
    const auto moving = chip(isa::Space::Sbuf, BF16, c.k, 2048, {{6, c.n}});
    const auto spaced = chip(isa::Space::Sbuf, BF16, c.k, 2, {{4, c.m}});
    for (int turn = 0; turn < 2; ++turn) {
      b.add(Opcode::LoadStationary, Engine::PE, {spaced});
      b.add(Opcode::Matmul, Engine::PE, {psum(F32, c.m, 0, c.n), moving}, {turn});
      b.add(Opcode::LoadStationary, Engine::PE, {sbuf(F16, c.k, 1024, c.m)});
      b.add(Opcode::Matmul, Engine::PE, {psum(F32, c.m, 0, c.n), moving}, {1});
    }
    b.copy(sbuf(F32, c.m, 16384, c.n), psum(F32, c.m, 0, c.n));
    b.dma(hbm(d, F32, c.m, c.n), sbuf(F32, c.m, 16384, c.n));
    const auto bv = random_values(static_cast<std::size_t>(2 * c.k * c.m), random, BF16, false);
    const auto hv = random_values(static_cast<std::size_t>(c.k * c.m), random, F16, false);
    const auto vv = random_values(static_cast<std::size_t>(3 * c.k * c.n), random, BF16, false);
    std::vector<float> want(static_cast<std::size_t>(c.m * c.n));
    for (int m = 0; m < c.m; ++m)
      for (int n = 0; n < c.n; ++n) {
        std::vector<float> x, y, z;
        for (int k = 0; k < c.k; ++k) {
          x.push_back(bv[static_cast<std::size_t>(k * 2 * c.m + 1 + 2 * m)]);
          y.push_back(hv[static_cast<std::size_t>(k * c.m + m)]);
          z.push_back(vv[static_cast<std::size_t>(k * 3 * c.n + 3 * n)]);
        }
        float sum = 0;
        for (int turn = 0; turn < 2; ++turn) sum = chains_16(y, z, chains_16(x, z, sum));
        want[static_cast<std::size_t>(m * c.n + n)] = sum;
      }
    for (device::HostIsa isa : device::available_host_isas())
      for (int threads : {1, 3}) {
        CAPTURE(device::host_isa_name(isa));
        Arrays a(b.code);
        for (std::size_t i = 0; i < bv.size(); ++i) store_double(BF16, a.bytes[bf].data(), i, bv[i]);
        for (std::size_t i = 0; i < hv.size(); ++i) store_double(F16, a.bytes[half].data(), i, hv[i]);
        for (std::size_t i = 0; i < vv.size(); ++i) store_double(BF16, a.bytes[v].data(), i, vv[i]);
        device::Options options;
        options.host_isa = isa;
        options.threads = threads;
        REQUIRE(run(b.code, a, options) == "");
        CHECK(a.get<float>(d) == want);
      }
  }
}
