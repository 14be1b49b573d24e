// Functional mode on small hand-built programs: values worked out by hand.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "builder.h"
#include "device/device.h"

using namespace device_test;
using isa::VariableKind;

namespace {

constexpr ElementType F32 = ElementType::F32, I32 = ElementType::I32, BF16 = ElementType::BF16;

std::vector<float> ramp(std::size_t n, float first = 0, float step = 1) {
  std::vector<float> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = first + step * static_cast<float>(i);
  return v;
}

}  // namespace

TEST_CASE("load_add_store") {
  Builder b;
  const auto x = b.variable("x", VariableKind::Input, F32, {3, 5});
  const auto y = b.variable("y", VariableKind::Output, F32, {3, 5});
  b.dma(sbuf(F32, 3, 64, 5), hbm(x, F32, 3, 5));
  b.tensor_scalar(sbuf(F32, 3, 128, 5), sbuf(F32, 3, 64, 5), number(2), AluOp::Multiply, false, number(1),
                  AluOp::Subtract, true);
  b.dma(hbm(y, F32, 3, 5), sbuf(F32, 3, 128, 5));
  Arrays a(b.code);
  a.set(x, ramp(15));
  REQUIRE(run(b.code, a) == "");
  for (int i = 0; i < 15; ++i)
    CHECK(a.get<float>(y)[static_cast<std::size_t>(i)] == 1.0f - 2.0f * static_cast<float>(i));
}

TEST_CASE("matmul_small_integers") {
  for (ElementType type : {F32, BF16}) {
    CAPTURE(type_name(type));
    const int K = 7, M = 5, N = 11;
    Builder b;
    const auto s = b.variable("s", VariableKind::Input, F32, {K, M});
    const auto v = b.variable("v", VariableKind::Input, F32, {K, N});
    const auto d = b.variable("d", VariableKind::Output, F32, {M, N});
    b.dma(sbuf(type, K, 0, M), hbm(s, F32, K, M));
    b.dma(sbuf(type, K, 1024, N), hbm(v, F32, K, N));
    b.add(Opcode::LoadStationary, Engine::PE, {sbuf(type, K, 0, M)});
    for (int accumulate : {0, 1})
      b.add(Opcode::Matmul, Engine::PE, {psum(F32, M, 2048, N), sbuf(type, K, 1024, N)}, {accumulate});
    b.copy(sbuf(F32, M, 4096, N), psum(F32, M, 2048, N));
    b.dma(hbm(d, F32, M, N), sbuf(F32, M, 4096, N));
    Arrays a(b.code);
    std::vector<float> sv(K * M), vv(K * N);
    for (std::size_t i = 0; i < sv.size(); ++i) sv[i] = static_cast<float>(i % 7) - 3;
    for (std::size_t i = 0; i < vv.size(); ++i) vv[i] = static_cast<float>(i % 5) - 2;
    a.set(s, sv);
    a.set(v, vv);
    REQUIRE(run(b.code, a) == "");
    const auto out = a.get<float>(d);
    for (int m = 0; m < M; ++m)
      for (int n = 0; n < N; ++n) {
        float sum = 0;
        for (int k = 0; k < K; ++k)
          sum += sv[static_cast<std::size_t>(k * M + m)] * vv[static_cast<std::size_t>(k * N + n)];
        CHECK(out[static_cast<std::size_t>(m * N + n)] == 2 * sum);
      }
  }
}

TEST_CASE("loop_moves_addresses_and_rotates_buffers") {
  // y[i] = x[i] + i for rows i of a loop; SBUF rotates between two copies.
  Builder b;
  const auto x = b.variable("x", VariableKind::Input, F32, {6, 4});
  const auto y = b.variable("y", VariableKind::Output, F32, {6, 4});
  b.marker(Opcode::LoopBegin, 3, {Engine::Dma, Engine::Vector, Engine::GpSimd}, {number(6, I32)});
  auto in = sbuf(F32, 1, 0, 4);
  in.copies = 2;
  in.rotate_loop = LoopId(3u);
  in.rotate_bytes = 256;
  auto from = hbm(x, F32, 1, 4), to = hbm(y, F32, 1, 4);
  from.terms.push_back({LoopId(3u), 0, 16});
  to.terms.push_back({LoopId(3u), 0, 16});
  b.dma(in, from);
  isa::Operand pattern;
  pattern.kind = isa::OperandKind::Pattern;
  pattern.partition_stride = 0;
  pattern.dims.push_back({0, 4});
  pattern.terms.push_back({LoopId(3u), 0, 1});
  b.add(Opcode::Iota, Engine::GpSimd, {sbuf(F32, 1, 1024, 4), pattern});
  b.tensor_tensor(in, in, sbuf(F32, 1, 1024, 4), AluOp::Add);
  b.dma(to, in);
  b.marker(Opcode::LoopEnd, 3, {Engine::Dma, Engine::Vector, Engine::GpSimd});
  Arrays a(b.code);
  a.set(x, ramp(24));
  REQUIRE(run(b.code, a) == "");
  const auto out = a.get<float>(y);
  for (std::size_t i = 0; i < 24; ++i) CHECK(out[i] == static_cast<float>(i) + static_cast<float>(i / 4));
}

TEST_CASE("while_and_case_follow_registers") {
  // n starts at 3; while n != 0 { total += n; n -= 1 }, then case(total mod small) writes a marker value.
  Builder b;
  const auto x = b.variable("x", VariableKind::Input, I32, {1, 1});
  const auto y = b.variable("y", VariableKind::Output, I32, {1, 2});
  const auto n = sbuf(I32, 1, 0, 1), total = sbuf(I32, 1, 4, 1), pick = sbuf(I32, 1, 8, 1);
  b.dma(n, hbm(x, I32, 1, 1));
  b.add(Opcode::Memset, Engine::Vector, {total, number(0, I32)});
  b.marker(Opcode::WhileBegin, 0, {Engine::Vector});
  b.replicated(Opcode::RegisterLoad, {Engine::Vector}, {reg(5), n});
  b.marker(Opcode::WhileTest, 0, {Engine::Vector}, {reg(5)});
  b.tensor_tensor(total, total, n, AluOp::Add);
  b.tensor_scalar(n, n, number(1, I32), AluOp::Subtract);
  b.marker(Opcode::WhileEnd, 0, {Engine::Vector});
  b.replicated(Opcode::RegisterLoad, {Engine::Vector}, {reg(6), total});
  b.marker(Opcode::CaseBegin, 1, {Engine::Vector}, {reg(6)}, {3});
  b.add(Opcode::Memset, Engine::Vector, {pick, number(10, I32)});
  b.marker(Opcode::CaseNext, 1, {Engine::Vector});
  b.add(Opcode::Memset, Engine::Vector, {pick, number(11, I32)});
  b.marker(Opcode::CaseNext, 1, {Engine::Vector});
  b.add(Opcode::Memset, Engine::Vector, {pick, number(12, I32)});
  b.marker(Opcode::CaseEnd, 1, {Engine::Vector});
  b.dma(hbm(y, I32, 1, 2), sbuf(I32, 1, 4, 2));
  const std::pair<int, std::vector<int>> rows[] = {{3, {6, 12}}, {0, {0, 10}}, {1, {1, 11}}};
  for (const auto& row : rows) {
    Arrays a(b.code);
    a.set<std::int32_t>(x, {row.first});
    REQUIRE(run(b.code, a) == "");
    CHECK(a.get<std::int32_t>(y) == row.second);
  }
  Arrays a(b.code);
  a.set<std::int32_t>(x, {-1});
  device::Options options;
  options.step_limit = 10000;
  CHECK(run(b.code, a, options).substr(0, 8) == "ON-E1904");
}

TEST_CASE("gather_scatter_and_skip") {
  Builder b;
  const auto table = b.variable("table", VariableKind::Input, F32, {4, 3});
  const auto index = b.variable("index", VariableKind::Input, I32, {3, 1});
  const auto got = b.variable("got", VariableKind::Output, F32, {3, 3});
  const auto put = b.variable("put", VariableKind::Output, F32, {4, 3});
  b.dma(sbuf(I32, 3, 0, 1), hbm(index, I32, 3, 1));
  b.add(Opcode::Memset, Engine::Vector, {sbuf(F32, 3, 16, 3), number(-1)});
  auto from = hbm(table, F32, 3, 3);
  from.indirect_stride = 12;
  from.indirect_limit = 4;
  b.gather(sbuf(F32, 3, 16, 3), from, sbuf(I32, 3, 0, 1), true);
  b.dma(hbm(got, F32, 3, 3), sbuf(F32, 3, 16, 3));
  auto to = hbm(put, F32, 3, 3);
  to.indirect_stride = 12;
  to.indirect_limit = 4;
  b.scatter(to, sbuf(F32, 3, 16, 3), sbuf(I32, 3, 0, 1), true);
  Arrays a(b.code);
  a.set(table, ramp(12));
  a.set<std::int32_t>(index, {2, 7, 0});
  REQUIRE(run(b.code, a) == "");
  CHECK(a.get<float>(got) == std::vector<float>{6, 7, 8, -1, -1, -1, 0, 1, 2});
  CHECK(a.get<float>(put) == std::vector<float>{0, 1, 2, 0, 0, 0, 6, 7, 8, 0, 0, 0});

  b.stream(Engine::Dma).instructions.open()[1].params[1] = 0;
  CHECK(run(b.code, a).substr(0, 8) == "ON-E1903");
  b.stream(Engine::Dma).instructions.open()[1].operands[1].indirect_limit = 100;
  CHECK(run(b.code, a).substr(0, 8) == "ON-E1902");
}

TEST_CASE("dma_reshapes_transposes_broadcasts_and_converts") {
  Builder b;
  const auto x = b.variable("x", VariableKind::Input, F32, {4, 6});
  const auto t = b.variable("t", VariableKind::Output, F32, {6, 4});
  const auto r = b.variable("r", VariableKind::Output, I32, {8, 3});
  const auto w = b.variable("w", VariableKind::Output, BF16, {5, 6});
  b.dma(sbuf(F32, 4, 0, 6), hbm(x, F32, 4, 6));
  b.dma(hbm(t, F32, 4, 0, 4, {{16, 6}}), sbuf(F32, 4, 0, 6));  // element (p, i) -> t[i][p]
  b.dma(hbm(r, I32, 8, 3), sbuf(F32, 4, 0, 6));                // the same elements as 8 rows of 3
  auto one = sbuf(F32, 5, 0, 6, 2);
  one.partition_stride = 0;
  b.dma(hbm(w, BF16, 5, 6), one);
  Arrays a(b.code);
  a.set(x, ramp(24, -3.75f, 0.5f));
  REQUIRE(run(b.code, a) == "");
  for (std::size_t p = 0; p < 4; ++p)
    for (std::size_t i = 0; i < 6; ++i) {
      const float value = -3.75f + 0.5f * static_cast<float>(p * 6 + i);
      CHECK(a.get<float>(t)[i * 4 + p] == value);
      CHECK(a.get<std::int32_t>(r)[p * 6 + i] == static_cast<int>(value));
      if (p == 2) {
        std::uint32_t bits;
        std::memcpy(&bits, &value, 4);
        for (std::size_t row = 0; row < 5; ++row) CHECK(a.get<std::uint16_t>(w)[row * 6 + i] == bits >> 16);
      }
    }
}

TEST_CASE("two_cores_meet_at_barriers") {
  Builder b(2);
  const auto x = b.variable("x", VariableKind::Input, F32, {1, 4}, isa::Space::SharedHbm);
  const auto m = b.variable("m", VariableKind::Scratch, F32, {1, 4}, isa::Space::SharedHbm);
  const auto y = b.variable("y", VariableKind::Output, F32, {1, 4}, isa::Space::SharedHbm);
  const auto shared = [](isa::Operand o) {
    o.space = isa::Space::SharedHbm;
    return o;
  };
  // Core 1 doubles x into m; core 0 waits and copies m to y.
  b.dma(sbuf(F32, 1, 0, 4), shared(hbm(x, F32, 1, 4)), 0, 1);
  b.add(Opcode::TensorTensor, Engine::Vector, {sbuf(F32, 1, 0, 4), sbuf(F32, 1, 0, 4), sbuf(F32, 1, 0, 4)},
        {static_cast<int>(AluOp::Add)}, 0, 1);
  b.dma(shared(hbm(m, F32, 1, 4)), sbuf(F32, 1, 0, 4), 0, 1);
  for (std::size_t core : {0u, 1u}) b.add(Opcode::CoreBarrier, Engine::Sync, {}, {7}, 0, core);
  b.dma(shared(hbm(y, F32, 1, 4)), shared(hbm(m, F32, 1, 4)), 0, 0);
  Arrays a(b.code);
  a.set(x, ramp(4));
  REQUIRE(run(b.code, a) == "");
  CHECK(a.get<float>(y) == std::vector<float>{0, 2, 4, 6});
  b.stream(Engine::Sync, 0, 1).instructions.open()[0].params[0] = 8;
  CHECK(run(b.code, a).substr(0, 8) == "ON-E1906");
}

TEST_CASE("reduce_select_divide_integers") {
  Builder b;
  const auto x = b.variable("x", VariableKind::Input, I32, {1, 8});
  const auto y = b.variable("y", VariableKind::Output, I32, {1, 8});
  const auto s = b.variable("s", VariableKind::Output, I32, {1, 4});
  const auto in = sbuf(I32, 1, 0, 8), out = sbuf(I32, 1, 64, 8);
  b.dma(in, hbm(x, I32, 1, 8));
  auto backwards = in;
  backwards.start = 28;
  backwards.dims[0].stride = -4;
  b.add(Opcode::Divide, Engine::Vector, {out, in, backwards});
  b.dma(hbm(y, I32, 1, 8), out);
  const auto pairs = chip(isa::Space::Sbuf, I32, 1, 0, {{4, 4}, {16, 2}});  // element i and i + 4
  b.add(Opcode::TensorReduce, Engine::Vector, {sbuf(I32, 1, 128, 4), pairs}, {static_cast<int>(AluOp::Max), 1});
  b.dma(hbm(s, I32, 1, 4), sbuf(I32, 1, 128, 4));
  Arrays a(b.code);
  const std::int32_t low = std::numeric_limits<std::int32_t>::min();
  a.set<std::int32_t>(x, {7, -7, low, 0, 5, -1, 3, -2});
  REQUIRE(run(b.code, a) == "");
  CHECK(a.get<std::int32_t>(y) == std::vector<std::int32_t>{-3, -2, low, 0, -1, 0, 0, 0});
  CHECK(a.get<std::int32_t>(s) == std::vector<std::int32_t>{7, -1, 3, 0});
}

TEST_CASE("refusals_carry_codes_and_places") {
  Builder b;
  const auto x = b.variable("x", VariableKind::Input, F32, {2, 4});
  b.dma(sbuf(F32, 2, 0, 4), hbm(x, F32, 2, 5));
  Arrays a(b.code);
  CHECK(run(b.code, a).substr(0, 7) == "ON-E120");  // element counts differ
  b.stream(Engine::Dma).instructions.open()[0].operands[0] = sbuf(F32, 2, 0, 5);
  const std::string message = run(b.code, a);
  CHECK(message.substr(0, 8) == "ON-E1902");
  CHECK(message.find("test.py:1:1") != std::string::npos);
  b.stream(Engine::Dma).instructions.open()[0].operands[0] = sbuf(F32, 2, 0, 4);
  b.stream(Engine::Dma).instructions.open()[0].operands[1] = hbm(x, F32, 2, 4);
  CHECK(run(b.code, a) == "");
  b.marker(Opcode::LoopBegin, 0, {Engine::Dma}, {number(2, I32)});
  CHECK(run(b.code, a).substr(0, 8) == "ON-E1901");
  Arrays empty(b.code);
  empty.pointers.clear();
  b.stream(Engine::Dma).instructions.open().pop_back();
  CHECK(run(b.code, empty).substr(0, 8) == "ON-E1910");
}

TEST_CASE("every_machine_runs_within_its_own_sizes") {
  for (const std::string target : {"trn1", "trn2", "trn3", "odd", "tiny"}) {
    CAPTURE(target);
    const auto m = machine(target);
    REQUIRE(m);
    const int K = m->pe_rows, M = m->pe_columns,
              N = static_cast<int>(std::min<std::int64_t>(m->moving_max, m->psum_bank_bytes / 4));
    Builder b;
    const auto s = b.variable("s", VariableKind::Input, F32, {K, M});
    const auto v = b.variable("v", VariableKind::Input, F32, {K, N});
    const auto d = b.variable("d", VariableKind::Output, F32, {M, N});
    b.dma(sbuf(F32, K, 0, M), hbm(s, F32, K, M));
    b.dma(sbuf(F32, K, 1024, N), hbm(v, F32, K, N));
    b.add(Opcode::LoadStationary, Engine::PE, {sbuf(F32, K, 0, M)});
    const std::int64_t bank = m->psum_bank_bytes * (m->psum_banks - 1);
    b.add(Opcode::Matmul, Engine::PE, {psum(F32, M, bank, N), sbuf(F32, K, 1024, N)}, {0});
    b.copy(sbuf(F32, M, 8192, N), psum(F32, M, bank, N));
    b.dma(hbm(d, F32, M, N), sbuf(F32, M, 8192, N));
    b.serialise();
    Arrays a(b.code);
    a.set(s, std::vector<float>(static_cast<std::size_t>(K * M), 1.0f));
    a.set(v, ramp(static_cast<std::size_t>(K * N)));
    REQUIRE(run(b.code, a, {}, target) == "");
    const auto out = a.get<float>(d);
    CHECK(out[0] == doctest::Approx(static_cast<double>(N) * K * (K - 1) / 2));
    CHECK(out.back() == doctest::Approx(static_cast<double>(N) * K * (K - 1) / 2 + static_cast<double>(K) * (N - 1)));
    CHECK(run_checked(b.code, a, 3, target) == "");
    // One partition or one byte more is refused.
    b.stream(Engine::Vector).instructions.open()[0].operands[0] = sbuf(F32, M, m->sbuf_partition_bytes - 4 * N + 4, N);
    CHECK(run(b.code, a, {}, target).substr(0, 8) == "ON-E1902");
    b.stream(Engine::Vector).instructions.open()[0].operands[0] = sbuf(F32, m->partitions + 1, 8192, N);
    CHECK(run(b.code, a, {}, target).substr(0, 7) == "ON-E120");
  }
}

TEST_CASE("what_the_host_lacks_is_refused") {
  Builder b;
  b.variable("huge", VariableKind::Scratch, F32, {machine()->hbm_bytes / 4 + 1});
  b.add(Opcode::Memset, Engine::Vector, {sbuf(F32, 1, 0, 4), number(1)});
  Arrays a(b.code);
  CHECK(run(b.code, a).substr(0, 8) == "ON-E1909");
  b.code.variables.clear();
  Arrays none(b.code);
  const auto have = device::available_host_isas();
  for (device::HostIsa isa :
       {device::HostIsa::Baseline, device::HostIsa::Avx2, device::HostIsa::Avx512, device::HostIsa::Avx512Bf16,
        device::HostIsa::Amx}) {
    device::Options options;
    options.host_isa = isa;
    const bool there = std::find(have.begin(), have.end(), isa) != have.end();
    CHECK(run(b.code, none, options).substr(0, 8) == (there ? "" : "ON-E1911"));
    device::HostIsa read;
    CHECK(device::host_isa_from_name(device::host_isa_name(isa), read));
    CHECK(read == isa);
  }
}

TEST_CASE("constants_are_never_written") {
  Builder b;
  const auto c = b.variable("c", VariableKind::Constant, F32, {1, 4});
  static const float data[4] = {1, 2, 3, 4};
  b.code.variables[c].data = std::as_bytes(std::span(data));
  const auto s = b.variable("s", VariableKind::Constant, F32, {1, 6});
  b.code.variables[s].data = std::as_bytes(std::span(data, 1));
  b.code.variables[s].splat = true;
  const auto y = b.variable("y", VariableKind::Output, F32, {1, 10});
  b.dma(hbm(y, F32, 1, 0, 40, {{4, 4}}), hbm(c, F32, 1, 4));
  b.dma(hbm(y, F32, 1, 16, 40, {{4, 6}}), hbm(s, F32, 1, 6));
  Arrays a(b.code);
  REQUIRE(run(b.code, a) == "");
  CHECK(a.get<float>(y) == std::vector<float>{1, 2, 3, 4, 1, 1, 1, 1, 1, 1});
  b.dma(hbm(c, F32, 1, 4), hbm(y, F32, 1, 0, 40, {{4, 4}}));
  CHECK(run(b.code, a).substr(0, 8) == "ON-E1901");
}

#if defined(__x86_64__)
TEST_CASE("the_callers_floating_point_mode_does_not_matter") {
  Builder b;
  const auto x = b.variable("x", VariableKind::Input, F32, {1, 4});
  const auto y = b.variable("y", VariableKind::Output, F32, {1, 4});
  b.dma(sbuf(F32, 1, 0, 4), hbm(x, F32, 1, 4));
  b.tensor_scalar(sbuf(F32, 1, 64, 4), sbuf(F32, 1, 0, 4), number(0.5), AluOp::Multiply);
  b.dma(hbm(y, F32, 1, 4), sbuf(F32, 1, 64, 4));
  Arrays a(b.code);
  a.set(x, std::vector<float>{0x1p-126f, 0x1.8p-140f, 1.0f, 0x1p-149f});
  const unsigned old = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(old | 0x8040u);  // flush subnormals, as some numeric libraries do
  const std::string message = run(b.code, a);
  __builtin_ia32_ldmxcsr(old);
  REQUIRE(message == "");
  CHECK(a.get<float>(y) == std::vector<float>{0x1p-127f, 0x1.8p-141f, 0.5f, 0.0f});
}
#endif

TEST_CASE("large_copies_are_divided_among_threads") {
  // A load that is copied since a write with gaps meets it, HBM to HBM by rows, and rows that overlap where they go to:
  // the later row stays.
  constexpr std::int64_t P = 120, N = 700;
  Builder b;
  const auto x = b.variable("x", VariableKind::Input, F32, {P, N});
  const auto kept = b.variable("kept", VariableKind::Output, F32, {P, N});
  const auto turned = b.variable("turned", VariableKind::Output, F32, {P, N});
  const auto over = b.variable("over", VariableKind::Output, F32, {(P - 1) * 8 + N});
  b.dma(sbuf(F32, P, 0, N), hbm(x, F32, P, N));
  isa::Operand gaps = sbuf(F32, P, 0, N / 2);
  gaps.dims = {{8, N / 2}};
  b.tensor_scalar(gaps, gaps, number(2), AluOp::Multiply);
  b.dma(hbm(kept, F32, P, N), sbuf(F32, P, 0, N));
  b.dma(hbm(turned, F32, P, N), hbm(x, F32, P, (P - 1) * N * 4, -N * 4, {{4, N}}));
  b.dma(hbm(over, F32, P, 0, 32, {{4, N}}), hbm(x, F32, P, N));
  std::vector<float> values(P * N);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const auto at = [&](std::int64_t p, std::int64_t i) { return values[static_cast<std::size_t>(p * N + i)]; };
  for (const int threads : {1, 2, 3}) {
    CAPTURE(threads);
    Arrays a(b.code);
    a.set(x, values);
    device::Options options;
    options.threads = threads;
    REQUIRE(run(b.code, a, options) == "");
    const auto k = a.get<float>(kept), t = a.get<float>(turned), o = a.get<float>(over);
    bool equal = true;
    for (std::int64_t p = 0; p < P; ++p)
      for (std::int64_t i = 0; i < N; ++i) {
        const auto here = static_cast<std::size_t>(p * N + i);
        equal = equal && k[here] == at(p, i) * (i % 2 == 0 ? 2.0f : 1.0f) && t[here] == at(P - 1 - p, i);
      }
    CHECK(equal);
    bool last = true;
    for (std::int64_t i = 0; i < (P - 1) * 8 + N; ++i) {
      const std::int64_t p = std::min<std::int64_t>(P - 1, i / 8);
      last = last && o[static_cast<std::size_t>(i)] == at(p, i - 8 * p);
    }
    CHECK(last);
  }
}
