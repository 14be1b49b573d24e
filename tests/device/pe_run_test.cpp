// Runs of PE instructions that wait and execute together: the same bits as the stated order, whatever comes between.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "builder.h"
#include "device/device.h"
#include "device/kernels/kernels.h"
#include "num/convert.h"

using namespace device_test;
using isa::VariableKind;

namespace {

constexpr ElementType F32 = ElementType::F32;

using Values = std::vector<float>;

Values random_values(std::size_t n, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, 1);
  Values v(n);
  for (float& x : v) x = normal(random);
  return v;
}

// c[m][n] (+)= one FMA chain over k of a[k][m] b[k][n], as isa.def says of 32-bit pairs.
void multiply(const float* a, std::size_t a_pitch, const float* b, std::size_t b_pitch, int k, int m, int n, float* c,
              bool accumulate) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int l = 0; l < k; ++l)
        sum = std::fma(a[static_cast<std::size_t>(l) * a_pitch + static_cast<std::size_t>(i)],
                       b[static_cast<std::size_t>(l) * b_pitch + static_cast<std::size_t>(j)], sum);
      float& out = c[i * n + j];
      out = (accumulate ? out : 0.0f) + sum;
    }
}

// Runs on every instruction set with 1, 2 and 3 threads, in program order and by the semaphores.
template <class Fill>
void check(Builder& b, std::uint32_t output, const Values& want, Fill fill) {
  b.serialise();
  for (device::HostIsa isa : device::available_host_isas())
    for (int threads : {1, 2, 3}) {
      CAPTURE(device::host_isa_name(isa));
      CAPTURE(threads);
      Arrays a(b.code);
      fill(a);
      device::Options options;
      options.host_isa = isa;
      options.threads = threads;
      REQUIRE(run(b.code, a, options) == "");
      CHECK(a.get<float>(output) == want);
    }
  Arrays a(b.code);
  fill(a);
  REQUIRE(run_checked(b.code, a, 5) == "");
  CHECK(a.get<float>(output) == want);
}

isa::Operand moved(isa::Operand o, std::uint32_t loop, std::int64_t bytes) {
  o.terms.push_back({LoopId(loop), 0, bytes});
  return o;
}

}  // namespace

TEST_CASE("a_tile_overwritten_after_its_product_still_counts_as_it_was") {
  constexpr int k = 128, m = 96, n = 200;
  Builder b;
  const auto s = b.variable("s", VariableKind::Input, F32, {k, m}), v = b.variable("v", VariableKind::Input, F32, {k, n});
  const auto d = b.variable("d", VariableKind::Output, F32, {m, n});
  b.dma(sbuf(F32, k, 0, m), hbm(s, F32, k, m));
  b.dma(sbuf(F32, k, 2048, n), hbm(v, F32, k, n));
  // Twice the operands, written on chip, so that they are read where they lie.
  b.tensor_scalar(sbuf(F32, k, 4096, m), sbuf(F32, k, 0, m), number(2), AluOp::Multiply);
  b.tensor_scalar(sbuf(F32, k, 8192, n), sbuf(F32, k, 2048, n), number(2), AluOp::Multiply);
  b.add(Opcode::LoadStationary, Engine::PE, {sbuf(F32, k, 4096, m)});
  b.add(Opcode::Matmul, Engine::PE, {psum(F32, m, 0, n), sbuf(F32, k, 8192, n)}, {0});
  b.add(Opcode::Memset, Engine::Vector, {sbuf(F32, k, 4096, m), number(7)});  // the loaded tile stays in the PE
  b.add(Opcode::Matmul, Engine::PE, {psum(F32, m, 0, n), sbuf(F32, k, 8192, n)}, {1});
  b.add(Opcode::Memset, Engine::Vector, {sbuf(F32, k, 8192, n), number(3)});
  b.copy(sbuf(F32, m, 16384, n), psum(F32, m, 0, n));
  b.dma(hbm(d, F32, m, n), sbuf(F32, m, 16384, n));
  const Values sv = random_values(k * m, 1), vv = random_values(k * n, 2);
  Values s2 = sv, v2 = vv, want(m * n);
  for (float& x : s2) x *= 2;
  for (float& x : v2) x *= 2;
  multiply(s2.data(), m, v2.data(), n, k, m, n, want.data(), false);
  multiply(s2.data(), m, v2.data(), n, k, m, n, want.data(), true);
  check(b, d, want, [&](Arrays& a) {
    a.set(s, sv);
    a.set(v, vv);
  });
}

TEST_CASE("a_load_over_a_waiting_operand_comes_after_its_product") {
  constexpr int k = 64, m = 70, n = 130;
  Builder b;
  const auto s = b.variable("s", VariableKind::Input, F32, {2 * k, m}),
             v = b.variable("v", VariableKind::Input, F32, {2 * k, n});
  const auto d = b.variable("d", VariableKind::Output, F32, {m, n});
  const auto half = [](std::uint32_t variable, int part, int columns) {
    return hbm(variable, F32, k, part * k * columns * 4, columns * 4, {{4, columns}});
  };
  for (int part = 0; part < 2; ++part) {
    b.dma(sbuf(F32, k, 0, m), half(s, part, m));
    b.dma(sbuf(F32, k, 2048, n), half(v, part, n));
    b.add(Opcode::LoadStationary, Engine::PE, {sbuf(F32, k, 0, m)});
    b.add(Opcode::Matmul, Engine::PE, {psum(F32, m, 0, n), sbuf(F32, k, 2048, n)}, {part});
  }
  // A partial write has the load carried out, over bytes that a waiting product has read elsewhere.
  b.add(Opcode::Memset, Engine::Vector, {sbuf(F32, k, 2048, 5), number(9)});
  b.add(Opcode::Matmul, Engine::PE, {psum(F32, m, 0, n), sbuf(F32, k, 2048, n)}, {1});
  b.copy(sbuf(F32, m, 16384, n), psum(F32, m, 0, n));
  b.dma(hbm(d, F32, m, n), sbuf(F32, m, 16384, n));
  const Values sv = random_values(2 * k * m, 3), vv = random_values(2 * k * n, 4);
  Values want(m * n), last(vv.begin() + k * n, vv.end());
  multiply(sv.data(), m, vv.data(), n, k, m, n, want.data(), false);
  multiply(sv.data() + k * m, m, vv.data() + k * n, n, k, m, n, want.data(), true);
  for (int row = 0; row < k; ++row)
    for (int j = 0; j < 5; ++j) last[static_cast<std::size_t>(row * n + j)] = 9;
  multiply(sv.data() + k * m, m, last.data(), n, k, m, n, want.data(), true);
  check(b, d, want, [&](Arrays& a) {
    a.set(s, sv);
    a.set(v, vv);
  });
}

TEST_CASE("products_of_a_loop_reach_interleaved_and_overlapping_destinations_in_order") {
  constexpr int k = 128, m = 128, n = 144, parts = 5;
  Builder b;
  const auto s = b.variable("s", VariableKind::Input, F32, {parts * k, m}),
             v = b.variable("v", VariableKind::Input, F32, {parts * k, n});
  const auto d = b.variable("d", VariableKind::Output, F32, {2 * m, n});
  b.add(Opcode::Memset, Engine::Vector, {psum(F32, m, 0, 2 * n), number(0.5)});
  // for part: first += s_part^T v_part; second += s_part^T (v_part without its last 80 columns)
  const std::vector<Engine> both = {Engine::PE, Engine::Dma};
  constexpr int few = n - 80;
  b.marker(Opcode::LoopBegin, 0, both, {number(parts, ElementType::I32)});
  b.dma(sbuf(F32, k, 0, m), moved(hbm(s, F32, k, m), 0, k * m * 4));
  b.dma(sbuf(F32, k, 2048, n), moved(hbm(v, F32, k, n), 0, k * n * 4));
  b.add(Opcode::LoadStationary, Engine::PE, {sbuf(F32, k, 0, m)});
  b.add(Opcode::Matmul, Engine::PE, {psum(F32, m, 0, n), sbuf(F32, k, 2048, n)}, {1});
  b.add(Opcode::Matmul, Engine::PE, {psum(F32, m, 4 * n, few), sbuf(F32, k, 2048, few)}, {1});
  b.marker(Opcode::LoopEnd, 0, both);
  // Some of first's columns and of second's again: it meets both.
  b.add(Opcode::Matmul, Engine::PE, {psum(F32, m, 4 * (n - 10), few), sbuf(F32, k, 2048 + 4, few)}, {1});
  b.copy(sbuf(F32, m, 16384, 2 * n), psum(F32, m, 0, 2 * n));
  b.dma(hbm(d, F32, m, 0, n * 4, {{4, n}}), sbuf(F32, m, 16384, n));
  b.dma(hbm(d, F32, m, m * n * 4, n * 4, {{4, n}}), sbuf(F32, m, 16384 + 4 * n, n));
  const Values sv = random_values(parts * k * m, 5), vv = random_values(parts * k * n, 6);
  std::vector<Values> rows(m, Values(2 * n, 0.5f));
  const auto add = [&](int part, int column, int from, int columns) {
    Values block(static_cast<std::size_t>(m * columns));
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < columns; ++j)
        block[static_cast<std::size_t>(i * columns + j)] = rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(column + j)];
    multiply(sv.data() + part * k * m, m, vv.data() + part * k * n + from, n, k, m, columns, block.data(), true);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < columns; ++j)
        rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(column + j)] = block[static_cast<std::size_t>(i * columns + j)];
  };
  for (int part = 0; part < parts; ++part) {
    add(part, 0, 0, n);
    add(part, n, 0, few);
  }
  add(parts - 1, n - 10, 1, few);
  Values want;
  for (int half = 0; half < 2; ++half)
    for (const Values& row : rows) want.insert(want.end(), row.begin() + half * n, row.begin() + (half + 1) * n);
  for (int threads : {1, 2, 3}) {
    Arrays a(b.code);
    a.set(s, sv);
    a.set(v, vv);
    device::Options options;
    options.threads = threads;
    REQUIRE(run(b.code, a, options) == "");
    CHECK(a.get<float>(d) == want);
  }
}

TEST_CASE("strided_destinations_and_operands_go_through_copies") {
  constexpr int k = 100, m = 37, n = 90;
  Builder b;
  const auto s = b.variable("s", VariableKind::Input, F32, {k, 3 * m}), v = b.variable("v", VariableKind::Input, F32, {k, 2 * n});
  const auto d = b.variable("d", VariableKind::Output, F32, {m, 2 * n});
  b.dma(sbuf(F32, k, 0, 3 * m), hbm(s, F32, k, 3 * m));
  b.dma(sbuf(F32, k, 2048, 2 * n), hbm(v, F32, k, 2 * n));
  b.add(Opcode::Memset, Engine::Vector, {psum(F32, m, 0, 2 * n), number(0.25)});
  const auto every = [](isa::Space space, int partitions, std::int64_t start, std::int64_t step, std::int64_t count) {
    return chip(space, F32, partitions, start, {{4 * step, count}});
  };
  b.add(Opcode::LoadStationary, Engine::PE, {every(isa::Space::Sbuf, k, 4, 3, m)});
  b.add(Opcode::Matmul, Engine::PE, {every(isa::Space::Psum, m, 4, 2, n), every(isa::Space::Sbuf, k, 2048, 2, n)}, {1});
  b.add(Opcode::Matmul, Engine::PE, {every(isa::Space::Psum, m, 4, 2, n), every(isa::Space::Sbuf, k, 2052, 2, n)}, {1});
  b.copy(sbuf(F32, m, 16384, 2 * n), psum(F32, m, 0, 2 * n));
  b.dma(hbm(d, F32, m, 2 * n), sbuf(F32, m, 16384, 2 * n));
  const Values sv = random_values(k * 3 * m, 7), vv = random_values(k * 2 * n, 8);
  Values a1(k * m), b1(k * n), b2(k * n), sum(m * n, 0.25f), want(m * 2 * n, 0.25f);
  for (std::size_t i = 0; i < a1.size(); ++i) a1[i] = sv[3 * i + 1];
  for (std::size_t i = 0; i < b1.size(); ++i) b1[i] = vv[2 * i], b2[i] = vv[2 * i + 1];
  multiply(a1.data(), m, b1.data(), n, k, m, n, sum.data(), true);
  multiply(a1.data(), m, b2.data(), n, k, m, n, sum.data(), true);
  for (std::size_t i = 0; i < sum.size(); ++i) want[2 * i + 1] = sum[i];
  check(b, d, want, [&](Arrays& a) {
    a.set(s, sv);
    a.set(v, vv);
  });
}

TEST_CASE("register_tiles_of_every_shape_give_the_stated_order") {
  const Values a = random_values(40 * 70, 9), b = random_values(40 * 150, 10), c0 = random_values(27 * 150, 11);
  for (device::HostIsa isa : device::available_host_isas()) {
    const device::Kernels& kernels = *device::find_kernels(isa);
    CAPTURE(device::host_isa_name(isa));
    for (int m = 1; m <= 27; ++m)
      for (int n : {1, 7, 8, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 97, 150}) {
        Values want(c0.begin(), c0.begin() + m * n), got = want;
        multiply(a.data(), 70, b.data(), 150, 40, m, n, want.data(), true);
        const auto pitch = static_cast<std::size_t>(n);
        kernels.matmul_32({a.data(), 70, b.data(), 150, 40, static_cast<std::size_t>(m), pitch, got.data(), pitch, true});
        CHECK(got == want);
        std::fill(want.begin(), want.end(), 0.0f);
        for (int i = 0; i < m; ++i)
          for (int j = 0; j < n; ++j) {
            float even = 0, odd = 0;
            for (int k = 0; k < 32; k += 2) {
              even = std::fma(a[static_cast<std::size_t>(k * 70 + i)], b[static_cast<std::size_t>(k * 150 + j)], even);
              odd = std::fma(a[static_cast<std::size_t>((k + 1) * 70 + i)], b[static_cast<std::size_t>((k + 1) * 150 + j)], odd);
            }
            want[static_cast<std::size_t>(i * n + j)] = 0.0f + (even + odd);
          }
        kernels.matmul_16({a.data(), 70, b.data(), 150, 32, static_cast<std::size_t>(m), pitch, got.data(), pitch, false});
        CHECK(got == want);
      }
  }
}

TEST_CASE("transposes_are_divided_among_threads") {
  for (ElementType type : {F32, ElementType::BF16}) {
    CAPTURE(type_name(type));
    constexpr int p = 120, f = 100;
    const int width = byte_width(type);
    Builder b;
    const auto s = b.variable("s", VariableKind::Input, type, {p, f});
    const auto d = b.variable("d", VariableKind::Output, type, {f, p});
    b.dma(sbuf(type, p, 0, f), hbm(s, type, p, f));
    b.copy(sbuf(type, p, 1024, f), sbuf(type, p, 0, f));
    b.add(Opcode::Transpose, Engine::PE, {psum(type, f, 0, p), sbuf(type, p, 1024, f)});
    b.copy(sbuf(type, f, 4096, p), psum(type, f, 0, p));
    b.dma(hbm(d, type, f, p), sbuf(type, f, 4096, p));
    for (int threads : {1, 2, 3, 7}) {
      Arrays a(b.code);
      for (std::size_t i = 0; i < a.bytes[s].size(); ++i) a.bytes[s][i] = static_cast<std::byte>((i * 37 + i / 251) % 64);
      device::Options options;
      options.threads = threads;
      REQUIRE(run(b.code, a, options) == "");
      bool equal = true;
      for (int row = 0; row < p; ++row)
        for (int column = 0; column < f; ++column)
          equal = equal && std::memcmp(a.bytes[s].data() + (row * f + column) * width,
                                       a.bytes[d].data() + (column * p + row) * width, static_cast<std::size_t>(width)) == 0;
      CHECK(equal);
    }
  }
}

TEST_CASE("a_packed_tile_is_packed_anew_when_its_source_is_written") {
  constexpr int k = 70, m = 96, n = 200, parts = 5;
  Builder b;
  const auto s = b.variable("s", VariableKind::Input, F32, {k, m}), v = b.variable("v", VariableKind::Input, F32, {k, n}),
             t = b.variable("t", VariableKind::Input, F32, {n, k});
  const auto kept = b.variable("kept", VariableKind::Scratch, F32, {k, n});
  const auto d = b.variable("d", VariableKind::Output, F32, {parts * m, n});
  int part = 0;
  const auto product = [&](std::int64_t moving) {
    b.add(Opcode::LoadStationary, Engine::PE, {sbuf(F32, k, 0, m)});
    for (int twice = 0; twice < 2; ++twice)
      b.add(Opcode::Matmul, Engine::PE, {psum(F32, m, 0, n), sbuf(F32, k, moving, n)}, {twice});
    b.copy(sbuf(F32, m, 16384, n), psum(F32, m, 0, n));
    b.dma(hbm(d, F32, m, part++ * m * n * 4, n * 4, {{4, n}}), sbuf(F32, m, 16384, n));
  };
  b.dma(sbuf(F32, k, 0, m), hbm(s, F32, k, m));
  b.dma(sbuf(F32, k, 2048, n), hbm(v, F32, k, n));
  b.tensor_scalar(sbuf(F32, k, 4096, n), sbuf(F32, k, 2048, n), number(2), AluOp::Multiply);
  product(4096);
  b.tensor_scalar(sbuf(F32, 1, 4096, 1, 32), sbuf(F32, 1, 2048, 1, 32), number(5), AluOp::Multiply);  // one element
  product(4096);
  b.dma(sbuf(F32, k, 4096 + 4 * 9, 128), hbm(t, F32, k, 0, 4, {{4 * k, 128}}));  // turned
  product(4096);
  // A load that is not carried out, of memory that is written between.
  b.dma(hbm(kept, F32, k, n), sbuf(F32, k, 4096, n));
  b.dma(sbuf(F32, k, 4096, n), hbm(kept, F32, k, n));
  b.dma(hbm(kept, F32, k, n), sbuf(F32, k, 2048, n));
  b.dma(sbuf(F32, k, 4096, n), hbm(kept, F32, k, n));
  product(4096);
  b.tensor_scalar(sbuf(F32, k, 12288, n), sbuf(F32, k, 2048, n), number(3), AluOp::Multiply);
  b.dma(hbm(kept, F32, k, n), sbuf(F32, k, 12288, n));
  b.dma(sbuf(F32, k, 4096, n), hbm(kept, F32, k, n));
  product(4096);
  const Values sv = random_values(k * m, 11), vv = random_values(k * n, 12), tv = random_values(n * k, 13);
  Values now = vv, want;
  const auto expect = [&] {
    Values out(m * n);
    for (int twice = 0; twice < 2; ++twice) multiply(sv.data(), m, now.data(), n, k, m, n, out.data(), twice != 0);
    want.insert(want.end(), out.begin(), out.end());
  };
  for (float& x : now) x *= 2;
  expect();
  now[32 * n] = vv[32 * n] * 5;
  expect();
  for (int i = 0; i < k; ++i)
    for (int j = 0; j < 128; ++j) now[static_cast<std::size_t>(i * n + 9 + j)] = tv[static_cast<std::size_t>(j * k + i)];
  expect();
  now = vv;
  expect();
  for (float& x : now) x *= 3;
  expect();
  check(b, d, want, [&](Arrays& a) {
    a.set(s, sv);
    a.set(v, vv);
    a.set(t, tv);
  });
}

TEST_CASE("more_moving_tiles_than_are_kept_packed") {
  constexpr int k = 8, m = 64, n = 70, tiles = 120;
  Builder b;
  const auto s = b.variable("s", VariableKind::Input, F32, {k, m}), v = b.variable("v", VariableKind::Input, F32, {k, tiles * n});
  const auto d = b.variable("d", VariableKind::Output, F32, {m, n});
  b.dma(sbuf(F32, k, 0, m), hbm(s, F32, k, m));
  b.dma(sbuf(F32, k, 2048, tiles * n), hbm(v, F32, k, tiles * n));
  b.add(Opcode::LoadStationary, Engine::PE, {sbuf(F32, k, 0, m)});
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < tiles; ++i)
      b.add(Opcode::Matmul, Engine::PE, {psum(F32, m, 0, n), sbuf(F32, k, 2048 + i * n * 4, n)}, {round + i > 0});
  b.copy(sbuf(F32, m, 65536, n), psum(F32, m, 0, n));
  b.dma(hbm(d, F32, m, n), sbuf(F32, m, 65536, n));
  const Values sv = random_values(k * m, 14), vv = random_values(k * tiles * n, 15);
  Values want(m * n);
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < tiles; ++i)
      multiply(sv.data(), m, vv.data() + i * n, tiles * n, k, m, n, want.data(), round + i > 0);
  check(b, d, want, [&](Arrays& a) {
    a.set(s, sv);
    a.set(v, vv);
  });
}
