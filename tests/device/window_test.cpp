// Operations that wait: windows over the turns of loops, products of few columns, rows of few elements, loads that are
// read where they lie, scratch that shares memory. Right values are computed here, in the orders that isa.def states.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <random>

#include "builder.h"

using namespace device_test;
using isa::Function;
using isa::VariableKind;

namespace {

constexpr ElementType F32 = ElementType::F32, I32 = ElementType::I32, BF16 = ElementType::BF16, I1 = ElementType::I1;

std::vector<float> random_floats(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, 2);
  std::vector<float> out(n);
  for (float& f : out) f = normal(random);
  const float special[] = {NAN, -0.0f, 0.0f, INFINITY, -INFINITY, 1e-40f, -3e38f};
  for (std::size_t i = 0; i < n; i += 11) out[i] = special[i / 11 % 7];
  return out;
}

bool same_bits(float a, float b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
}

isa::Operand moved(isa::Operand o, std::uint32_t loop, std::int64_t bytes) {
  o.terms.push_back({LoopId(loop), 0, bytes});
  return o;
}

const std::vector<Engine> kAll = {Engine::PE, Engine::Vector, Engine::Scalar, Engine::GpSimd, Engine::Dma};

device::Options with_threads(int threads) {
  device::Options o;
  o.threads = threads;
  return o;
}

}  // namespace

TEST_CASE("rows_of_few_elements_give_what_long_rows_give") {
  // One instruction over rows of 48 elements, and the same over its slices of 1, 2, ... elements.
  constexpr int kLong = 48;
  using Make = std::function<void(Builder&, isa::Operand, isa::Operand, isa::Operand, isa::Operand)>;  // d, a, c, scalar
  struct Way {
    const char* name;
    Make make;
    ElementType to = F32;
  };
  std::vector<Way> ways;
  for (AluOp op : {AluOp::Add, AluOp::Max, AluOp::Min, AluOp::Subtract, AluOp::Equal, AluOp::Power, AluOp::AbsMax})
    ways.push_back({"tensor_tensor", [op](Builder& b, auto d, auto a, auto c, auto) { b.tensor_tensor(d, a, c, op); }});
  ways.push_back({"compare to i1", [](Builder& b, auto d, auto a, auto c, auto) { b.tensor_tensor(d, a, c, AluOp::Less); }, I1});
  ways.push_back({"to bf16", [](Builder& b, auto d, auto a, auto c, auto) { b.tensor_tensor(d, a, c, AluOp::Multiply); }, BF16});
  ways.push_back({"scalar of the partition", [](Builder& b, auto d, auto a, auto, auto s) {
                    b.tensor_scalar(d, a, s, AluOp::Subtract, true, s, AluOp::Max);
                  }});
  ways.push_back({"immediate and scalar", [](Builder& b, auto d, auto a, auto, auto s) {
                    b.tensor_scalar(d, a, number(1.5), AluOp::Multiply, false, s, AluOp::Add, true);
                  }});
  ways.push_back({"scalar_tensor_tensor", [](Builder& b, auto d, auto a, auto c, auto s) {
                    b.add(Opcode::ScalarTensorTensor, Engine::Vector, {d, a, s, c},
                          {static_cast<int>(AluOp::Multiply), 0, static_cast<int>(AluOp::Subtract), 1});
                  }});
  for (Function f : {Function::Tanh, Function::Exp, Function::Gelu, Function::Sign})
    ways.push_back({"activation", [f](Builder& b, auto d, auto a, auto, auto) { b.activation(d, a, f, number(0.5), number(1)); }});
  ways.push_back({"activation with a scale in memory",
                  [](Builder& b, auto d, auto a, auto, auto s) { b.activation(d, a, Function::Copy, s, s); }});
  // A bias of 0 beside a scale of 1 leaves -0 as it is, in those partitions only.
  for (Function f : {Function::Copy, Function::GeluTanh})
    ways.push_back({"activation with a bias in memory",
                    [f](Builder& b, auto d, auto a, auto, auto s) { b.activation(d, a, f, number(1), s); }});
  ways.push_back({"copy", [](Builder& b, auto d, auto a, auto, auto) { b.copy(d, a); }});
  ways.push_back({"copy to bf16", [](Builder& b, auto d, auto a, auto, auto) { b.copy(d, a); }, BF16});
  ways.push_back({"divide", [](Builder& b, auto d, auto a, auto c, auto) { b.add(Opcode::Divide, Engine::Vector, {d, a, c}); }});
  ways.push_back({"reciprocal", [](Builder& b, auto d, auto a, auto, auto) { b.add(Opcode::Reciprocal, Engine::Vector, {d, a}); }});
  ways.push_back({"memset", [](Builder& b, auto d, auto, auto, auto) { b.add(Opcode::Memset, Engine::Vector, {d, number(-0.0)}); }});
  ways.push_back({"select", [](Builder& b, auto d, auto a, auto c, auto) {
                    auto mask = a;
                    mask.type = I1;
                    mask.start = 8192 + a.start / 4;
                    for (isa::Dim& dim : mask.dims) dim.stride = dim.stride / 4;
                    b.tensor_tensor(mask, a, c, AluOp::Greater);
                    b.add(Opcode::Select, Engine::Vector, {d, mask, a, c});
                  }});
  const std::int64_t at_a = 0, at_c = 1024, at_d = 2048, at_scalar = 4096;
  for (const Way& way : ways)
    for (const bool in_place : {false, true})
      for (const int partitions : {1, 5, 128})
        for (const int step : {1, -1, 0}) {  // strides of c
          CAPTURE(way.name);
          CAPTURE(in_place);
          CAPTURE(partitions);
          CAPTURE(step);
          if (in_place && way.to != F32) continue;
          const std::int64_t width = byte_width(way.to);
          std::vector<std::byte> results[2];
          for (const bool sliced : {false, true}) {
            Builder b;
            const auto x = b.variable("x", VariableKind::Input, F32, {partitions, 2 * kLong + 1});
            const auto y = b.variable("y", VariableKind::Output, way.to, {partitions, kLong});
            const std::int64_t pitch = 4 * (2 * kLong + 1);
            b.dma(sbuf(F32, partitions, at_a, kLong), hbm(x, F32, partitions, 0, pitch, {{4, kLong}}));
            b.dma(sbuf(F32, partitions, at_c, kLong), hbm(x, F32, partitions, 4 * kLong, pitch, {{4, kLong}}));
            b.dma(sbuf(F32, partitions, at_scalar, 1), hbm(x, F32, partitions, 8 * kLong, pitch, {{4, 1}}));
            const std::int64_t to = in_place ? at_a : at_d;
            for (int first = 0, n = sliced ? 1 : kLong; first < kLong; first += n, n = std::min(n + 1, kLong - first)) {
              const std::int64_t c_first = step == 1 ? first : step == -1 ? kLong - 1 - first : 0;
              way.make(b, chip(isa::Space::Sbuf, way.to, partitions, to + width * first, {{width, n}}),
                       sbuf(F32, partitions, at_a + 4 * first, n),
                       chip(isa::Space::Sbuf, F32, partitions, at_c + 4 * c_first, {{4 * step, n}}),
                       sbuf(F32, partitions, at_scalar, 1));
            }
            b.dma(hbm(y, way.to, partitions, kLong), sbuf(way.to, partitions, to, kLong));
            Arrays a(b.code);
            a.set(x, random_floats(static_cast<std::size_t>(partitions * (2 * kLong + 1)), 5));
            REQUIRE(run(b.code, a) == "");
            results[sliced] = a.bytes[y];
          }
          if (way.to == F32) {
            for (std::size_t i = 0; i < results[0].size(); i += 4) {
              float whole, slice;
              std::memcpy(&whole, &results[0][i], 4);
              std::memcpy(&slice, &results[1][i], 4);
              REQUIRE(same_bits(whole, slice));
            }
          } else {
            CHECK(results[0] == results[1]);
          }
        }
}

TEST_CASE("reductions_of_few_elements_follow_the_stated_order") {
  for (const int n : {1, 3, 31, 32, 33, 64, 100}) {
    Builder b;
    const auto x = b.variable("x", VariableKind::Input, F32, {128, n});
    const auto y = b.variable("y", VariableKind::Output, F32, {128, 1});
    b.dma(sbuf(F32, 128, 0, n), hbm(x, F32, 128, n));
    b.add(Opcode::TensorReduce, Engine::Vector, {sbuf(F32, 128, 4096, 1), sbuf(F32, 128, 0, n)},
          {static_cast<int>(AluOp::Add), 1});
    b.dma(hbm(y, F32, 128, 1), sbuf(F32, 128, 4096, 1));
    std::vector<float> values(static_cast<std::size_t>(128 * n));
    std::mt19937 random(7);
    for (float& v : values) v = std::normal_distribution<float>(0, 1)(random);
    for (device::HostIsa isa : device::available_host_isas()) {
      Arrays a(b.code);
      a.set(x, values);
      device::Options options;
      options.host_isa = isa;
      REQUIRE(run(b.code, a, options) == "");
      const auto got = a.get<float>(y);
      for (std::size_t p = 0; p < 128; ++p) {
        float partial[32] = {};
        for (int i = 0; i < n; ++i) partial[i % 32] += values[p * static_cast<std::size_t>(n) + static_cast<std::size_t>(i)];
        for (int w = 16; w > 0; w /= 2)
          for (int j = 0; j < w; ++j) partial[j] += partial[j + w];
        REQUIRE(got[p] == partial[0]);
      }
    }
  }
}

TEST_CASE("reductions_of_windows_follow_the_stated_order") {
  // Windows of 3 x 3 with stride 2 over 19 x 19, of 2 x 2 side by side over 20 x 20, of 5 in a row, of 4 rows far apart.
  struct Way {
    std::vector<isa::Dim> dims;  // stride in bytes, count
    int axes, results, reduced;
  };
  const std::vector<Way> ways = {{{{152, 9}, {8, 9}, {76, 3}, {4, 3}}, 2, 81, 9},
                                 {{{160, 10}, {8, 10}, {80, 2}, {4, 2}}, 2, 100, 4},
                                 {{{20, 80}, {4, 5}}, 1, 80, 5},
                                 {{{4, 100}, {400, 4}}, 1, 100, 4},
                                 {{{4, 300}, {4, 31}}, 1, 300, 31}};
  constexpr int P = 5, N = 400;
  const auto combine = [](AluOp op, float a, float b) {
    if (op == AluOp::Add) return a + b;
    if (op == AluOp::Multiply) return a * b;
    if (std::isnan(a)) return a;
    if (std::isnan(b)) return b;
    if (a == b) return (op == AluOp::Max) == std::signbit(a) ? b : a;  // -0 < +0
    return (op == AluOp::Max) == (a > b) ? a : b;
  };
  for (const Way& way : ways)
    for (const auto& fold : std::vector<std::pair<AluOp, float>>{
             {AluOp::Add, 0.0f}, {AluOp::Multiply, 1.0f}, {AluOp::Max, -INFINITY}, {AluOp::Min, INFINITY}})
      for (device::HostIsa host : device::available_host_isas()) {
        CAPTURE(way.reduced);
        const AluOp op = fold.first;
        const float identity = fold.second;
        CAPTURE(static_cast<int>(op));
        CAPTURE(device::host_isa_name(host));
        Builder b;
        const auto x = b.variable("x", VariableKind::Input, F32, {P, N});
        const auto y = b.variable("y", VariableKind::Output, F32, {P, way.results});
        b.dma(sbuf(F32, P, 0, N), hbm(x, F32, P, N));
        b.add(Opcode::TensorReduce, Engine::Vector,
              {sbuf(F32, P, 4096, way.results), chip(isa::Space::Sbuf, F32, P, 0, way.dims)}, {static_cast<int>(op), way.axes});
        b.dma(hbm(y, F32, P, way.results), sbuf(F32, P, 4096, way.results));
        const auto values = random_floats(P * N, 9);
        Arrays a(b.code);
        a.set(x, values);
        device::Options options;
        options.host_isa = host;
        REQUIRE(run(b.code, a, options) == "");
        const auto got = a.get<float>(y);
        for (int p = 0; p < P; ++p)
          for (int result = 0; result < way.results; ++result) {
            float partial[32];
            std::fill(std::begin(partial), std::end(partial), identity);
            for (int i = 0; i < way.reduced; ++i) {
              int index = result * way.reduced + i;
              std::int64_t byte = 0;
              for (std::size_t d = way.dims.size(); d-- > 0;) {
                byte += index % static_cast<int>(way.dims[d].count) * way.dims[d].stride;
                index /= static_cast<int>(way.dims[d].count);
              }
              partial[i] = combine(op, partial[i], values[static_cast<std::size_t>(p * N + byte / 4)]);
            }
            for (int w = 16; w > 0; w /= 2)
              for (int j = 0; j < w; ++j) partial[j] = combine(op, partial[j], partial[j + w]);
            REQUIRE(same_bits(got[static_cast<std::size_t>(p * way.results + result)], partial[0]));
          }
      }
}

TEST_CASE("products_of_few_columns_wait_over_loops_and_add_up_in_order") {
  // y[:, t] = relu(sum over k tiles of w[k, t]^T x[k]) for turns t, with tiles from HBM or SBUF, then a second layer that
  // reads what the first wrote in the same loop nest.
  constexpr int K = 37, M = 70, kTiles = 3, kTurns = 5;
  for (const int columns : {1, 3})
    for (const bool repeated : {false, true})
      for (const int threads : {1, 3}) {
        CAPTURE(columns);
        CAPTURE(repeated);
        CAPTURE(threads);
        Builder b;
        const auto w = b.variable("w", VariableKind::Input, F32, {kTiles * K, kTurns * M});
        const auto x = b.variable("x", VariableKind::Input, F32, {K, kTiles * columns});
        const auto y = b.variable("y", VariableKind::Output, F32, {M, kTurns * columns});
        b.dma(sbuf(F32, K, 0, kTiles * columns), hbm(x, F32, K, kTiles * columns));
        const std::int64_t pitch = 4 * kTurns * M;
        b.marker(Opcode::LoopBegin, 1, kAll, {number(kTurns, I32)});
        for (int k = 0; k < kTiles; ++k) {
          const std::int64_t tile_at = 4096 + 1024 * k;
          b.dma(sbuf(F32, K, tile_at, M), moved(hbm(w, F32, K, k * K * pitch, pitch, {{4, M}}), 1, 4 * M));
          b.add(Opcode::LoadStationary, Engine::PE,
                {chip(isa::Space::Sbuf, F32, K, tile_at, {{repeated ? 0 : 4, M}})});
          b.add(Opcode::Matmul, Engine::PE,
                {psum(F32, M, 0, columns), sbuf(F32, K, 4 * columns * k, columns)}, {k > 0});
        }
        b.activation(moved(sbuf(F32, M, 512, columns), 1, 4 * columns), psum(F32, M, 0, columns), Function::Relu);
        b.marker(Opcode::LoopEnd, 1, kAll);
        b.dma(hbm(y, F32, M, kTurns * columns), sbuf(F32, M, 512, kTurns * columns));
        const auto weights = [&] {
          std::mt19937 random(3);
          std::vector<float> v(kTiles * K * kTurns * M);
          for (float& f : v) f = std::normal_distribution<float>(0, 1)(random);
          return v;
        }();
        std::vector<float> vector(static_cast<std::size_t>(K * kTiles * columns));
        for (std::size_t i = 0; i < vector.size(); ++i) vector[i] = std::sin(static_cast<float>(i));
        Arrays a(b.code);
        a.set(w, weights);
        a.set(x, vector);
        REQUIRE(run(b.code, a, with_threads(threads)) == "");
        const auto got = a.get<float>(y);
        for (int t = 0; t < kTurns; ++t)
          for (int m = 0; m < M; ++m)
            for (int c = 0; c < columns; ++c) {
              float sum = 0;
              for (int k = 0; k < kTiles; ++k) {
                float chain = 0;
                for (int i = 0; i < K; ++i)
                  chain = std::fma(weights[static_cast<std::size_t>((k * K + i) * kTurns * M + t * M + (repeated ? 0 : m))],
                                   vector[static_cast<std::size_t>(i * kTiles * columns + k * columns + c)], chain);
                sum = k == 0 ? chain : sum + chain;
              }
              REQUIRE(got[static_cast<std::size_t>(m * kTurns * columns + t * columns + c)] == std::max(sum, 0.0f));
            }
      }
}

TEST_CASE("a_product_reads_what_its_window_wrote") {
  // The moving column is computed by the window that the product would join, and changes in each turn of the loop.
  constexpr int K = 16;
  Builder b;
  const auto w = b.variable("w", VariableKind::Input, F32, {K, K});
  const auto y = b.variable("y", VariableKind::Output, F32, {K, 4});
  b.dma(sbuf(F32, K, 256, K), hbm(w, F32, K, K));
  b.add(Opcode::Memset, Engine::Vector, {sbuf(F32, K, 0, 1), number(1)});
  b.marker(Opcode::LoopBegin, 1, kAll, {number(4, I32)});
  b.tensor_scalar(sbuf(F32, K, 0, 1), sbuf(F32, K, 0, 1), number(2), AluOp::Multiply);
  b.add(Opcode::LoadStationary, Engine::PE, {sbuf(F32, K, 256, K)});
  b.add(Opcode::Matmul, Engine::PE, {psum(F32, K, 0, 1), sbuf(F32, K, 0, 1)}, {0});
  b.copy(moved(sbuf(F32, K, 1024, 1), 1, 4), psum(F32, K, 0, 1));
  b.tensor_scalar(sbuf(F32, K, 256, K), sbuf(F32, K, 256, K), number(1), AluOp::Add);  // the tile changes too
  b.marker(Opcode::LoopEnd, 1, kAll);
  b.dma(hbm(y, F32, K, 4), sbuf(F32, K, 1024, 4));
  Arrays a(b.code);
  std::vector<float> weights(K * K);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i % 7);
  a.set(w, weights);
  REQUIRE(run(b.code, a, with_threads(2)) == "");
  const auto got = a.get<float>(y);
  for (int t = 0; t < 4; ++t)
    for (int m = 0; m < K; ++m) {
      float sum = 0;
      for (int k = 0; k < K; ++k) sum += (weights[static_cast<std::size_t>(k * K + m)] + static_cast<float>(t)) * static_cast<float>(2 << t);
      CHECK(got[static_cast<std::size_t>(m * 4 + t)] == sum);
    }
}

TEST_CASE("helpers_multiply_while_a_window_grows") {
  // y[:, t] = w[:, t]^T x for 40 tiles of 64 KB in one window. Register 0 then moves a copy: in bounds or not.
  constexpr int K = 128, kTurns = 40;
  Builder b;
  const auto w = b.variable("w", VariableKind::Input, F32, {K, kTurns * K});
  const auto x = b.variable("x", VariableKind::Input, F32, {K, 1});
  const auto where = b.variable("where", VariableKind::Input, I32, {1});
  const auto y = b.variable("y", VariableKind::Output, F32, {K, kTurns});
  b.dma(sbuf(F32, K, 0, 1), hbm(x, F32, K, 1));
  b.dma(sbuf(I32, 1, 4, 1), hbm(where, I32, 1, 1));
  b.replicated(Opcode::RegisterLoad, {Engine::Vector}, {reg(0), sbuf(I32, 1, 4, 1)});
  b.marker(Opcode::LoopBegin, 1, kAll, {number(kTurns, I32)});
  b.dma(sbuf(F32, K, 4096, K), moved(hbm(w, F32, K, 0, 4 * K * kTurns, {{4, K}}), 1, 4 * K));
  b.add(Opcode::LoadStationary, Engine::PE, {sbuf(F32, K, 4096, K)});
  b.add(Opcode::Matmul, Engine::PE, {psum(F32, K, 0, 1), sbuf(F32, K, 0, 1)}, {0});
  b.copy(moved(sbuf(F32, K, 1024, 1), 1, 4), psum(F32, K, 0, 1));
  b.marker(Opcode::LoopEnd, 1, kAll);
  auto from = sbuf(F32, K, 1024, 1);
  from.reg = 0;
  from.reg_bytes = 4;
  b.copy(sbuf(F32, K, 8, 1), from);
  b.dma(hbm(y, F32, K, kTurns), sbuf(F32, K, 1024, kTurns));
  std::vector<float> weights(K * K * kTurns), vector(K);
  std::mt19937 random(11);
  for (float& f : weights) f = std::normal_distribution<float>(0, 1)(random);
  for (float& f : vector) f = std::normal_distribution<float>(0, 1)(random);
  for (const int threads : {1, 2, 3}) {
    CAPTURE(threads);
    Arrays a(b.code);
    a.set(w, weights);
    a.set(x, vector);
    auto model = device::Model::load(b.code, machine(), with_threads(threads));
    REQUIRE(model);
    for (const std::int32_t at : {0, 1 << 24, kTurns - 1}) {  // a run that fails leaves nothing behind
      a.set(where, std::vector<std::int32_t>{at});
      const auto ran = (*model)->run(a.pointers);
      if (at == 1 << 24) {
        REQUIRE(!ran);
        CHECK(ran.diagnostic().code == Code::DeviceAddress);
        continue;
      }
      REQUIRE(ran);
      const auto got = a.get<float>(y);
      for (std::size_t t = 0; t < kTurns; ++t)
        for (std::size_t m = 0; m < K; ++m) {
          float chain = 0;
          for (std::size_t k = 0; k < K; ++k) chain = std::fma(weights[(k * kTurns + t) * K + m], vector[k], chain);
          REQUIRE(got[m * kTurns + t] == chain);
        }
    }
  }
}

TEST_CASE("what_a_window_stores_its_next_loads_see") {
  // Row r of the table becomes row r - 1 plus one, turn by turn, through HBM; the partitions of a turn are spread over
  // threads.
  constexpr int kRows = 6, kPartitions = 128, N = 64;
  for (const int threads : {1, 3}) {
    Builder b;
    const auto x = b.variable("x", VariableKind::Input, F32, {kRows, kPartitions, N});
    const auto y = b.variable("y", VariableKind::Output, F32, {kRows, kPartitions, N});
    b.code.variables[y].aliases = static_cast<std::int32_t>(x);
    const std::int64_t table = kPartitions * N * 4;
    b.marker(Opcode::LoopBegin, 1, kAll, {number(kRows - 1, I32)});
    // Partition p reads row 127 - p: another partition of the turn before wrote it.
    b.dma(sbuf(F32, kPartitions, 0, N), moved(hbm(x, F32, kPartitions, table - N * 4, -N * 4, {{4, N}}), 1, table));
    b.tensor_scalar(sbuf(F32, kPartitions, 0, N), sbuf(F32, kPartitions, 0, N), number(1), AluOp::Add);
    b.dma(moved(hbm(y, F32, kPartitions, table, N * 4, {{4, N}}), 1, table), sbuf(F32, kPartitions, 0, N));
    b.marker(Opcode::LoopEnd, 1, kAll);
    Arrays a(b.code);
    std::vector<float> values(kRows * kPartitions * N);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 8192);
    a.set(x, values);
    a.pointers[y] = a.pointers[x];
    REQUIRE(run(b.code, a, with_threads(threads)) == "");
    const auto got = a.get<float>(x);
    for (std::size_t r = 0; r < kRows; ++r)
      for (std::size_t p = 0; p < kPartitions; ++p)
        for (std::size_t i = 0; i < N; ++i)
          REQUIRE(got[(r * kPartitions + p) * N + i] ==
                  values[(r % 2 ? kPartitions - 1 - p : p) * N + i] + static_cast<float>(r));
  }
}

TEST_CASE("loads_of_several_pieces_are_seen_whole_in_part_and_after_writes") {
  // A load of three pieces a row; then a read within one, a read across two, a write into the middle, a store to where it
  // came from, and everything read at the end.
  constexpr int P = 64, kPiece = 24;
  Builder b;
  const auto x = b.variable("x", VariableKind::Input, F32, {3, P, kPiece});
  const auto back = b.variable("back", VariableKind::Output, F32, {3, P, kPiece});
  b.code.variables[back].aliases = static_cast<std::int32_t>(x);
  const auto y = b.variable("y", VariableKind::Output, F32, {P, 3 * kPiece});
  const auto z = b.variable("z", VariableKind::Output, F32, {P, 2 * kPiece});
  const std::int64_t part = P * kPiece * 4;
  for (int again = 0; again < 2; ++again)  // the second time the reads have shown that the pieces do not serve
    b.dma(sbuf(F32, P, 0, 3 * kPiece), hbm(x, F32, P, 0, 4 * kPiece, {{part, 3}, {4, kPiece}}));
  b.tensor_scalar(sbuf(F32, P, 1024, kPiece), sbuf(F32, P, 4 * kPiece, kPiece), number(1), AluOp::Add);
  b.tensor_scalar(sbuf(F32, P, 1024 + 4 * kPiece, kPiece), sbuf(F32, P, 2 * kPiece, kPiece), number(2), AluOp::Multiply);
  b.add(Opcode::Memset, Engine::Vector, {sbuf(F32, P, 4 * kPiece + 16, 3), number(-1)});
  b.dma(hbm(back, F32, P, 0, 4 * kPiece, {{4, kPiece}}), sbuf(F32, P, 1024, kPiece));
  b.dma(hbm(y, F32, P, 3 * kPiece), sbuf(F32, P, 0, 3 * kPiece));
  b.dma(hbm(z, F32, P, 2 * kPiece), sbuf(F32, P, 1024, 2 * kPiece));
  std::vector<float> values(3 * P * kPiece);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) + 0.5f;
  Arrays a(b.code);
  a.pointers[back] = a.pointers[x];
  auto model = device::Model::load(b.code, machine(), with_threads(2));
  REQUIRE(model);
  for (int run = 0; run < 2; ++run) {
    a.set(x, values);
    REQUIRE((*model)->run(a.pointers));
    const auto got = a.get<float>(y), other = a.get<float>(z), stored = a.get<float>(x);
    const auto at = [&](std::size_t p, std::size_t i) { return values[(i / kPiece * P + p) * kPiece + i % kPiece]; };
    for (std::size_t p = 0; p < P; ++p) {
      for (std::size_t i = 0; i < 3 * kPiece; ++i)
        REQUIRE(got[p * 3 * kPiece + i] == (i >= kPiece + 4 && i < kPiece + 7 ? -1.0f : at(p, i)));
      for (std::size_t i = 0; i < kPiece; ++i) {
        REQUIRE(other[p * 2 * kPiece + i] == at(p, kPiece + i) + 1);
        REQUIRE(other[p * 2 * kPiece + kPiece + i] == 2 * at(p, kPiece / 2 + i));
        REQUIRE(stored[p * kPiece + i] == at(p, kPiece + i) + 1);
      }
    }
  }
}

TEST_CASE("scratch_that_is_never_in_use_together_shares_memory_unseen") {
  // Two scratch variables one after the other, one that lives through a loop that another is used in.
  constexpr int P = 32, N = 48;
  Builder b;
  const auto x = b.variable("x", VariableKind::Input, F32, {P, N});
  const auto y = b.variable("y", VariableKind::Output, F32, {P, N});
  const auto first = b.variable("first", VariableKind::Scratch, F32, {P, N});
  const auto second = b.variable("second", VariableKind::Scratch, F32, {P, N});
  const auto kept = b.variable("kept", VariableKind::Scratch, F32, {P, N});
  const auto turned = b.variable("turned", VariableKind::Scratch, F32, {P, N});
  const auto through = [&](std::uint32_t v, double plus) {
    b.tensor_scalar(sbuf(F32, P, 0, N), sbuf(F32, P, 0, N), number(plus), AluOp::Add);
    b.dma(hbm(v, F32, P, N), sbuf(F32, P, 0, N));
    b.add(Opcode::Memset, Engine::Vector, {sbuf(F32, P, 0, N), number(0)});
    b.dma(sbuf(F32, P, 0, N), hbm(v, F32, P, N));
  };
  b.dma(sbuf(F32, P, 0, N), hbm(x, F32, P, N));
  through(first, 1);
  through(second, 2);
  b.dma(hbm(kept, F32, P, N), sbuf(F32, P, 0, N));
  b.marker(Opcode::LoopBegin, 1, kAll, {number(3, I32)});
  b.dma(sbuf(F32, P, 1024, N), hbm(kept, F32, P, N));
  through(turned, 0);
  b.tensor_tensor(sbuf(F32, P, 0, N), sbuf(F32, P, 0, N), sbuf(F32, P, 1024, N), AluOp::Add);
  b.marker(Opcode::LoopEnd, 1, kAll);
  b.dma(hbm(y, F32, P, N), sbuf(F32, P, 0, N));
  Arrays a(b.code);
  std::vector<float> values(P * N);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  a.set(x, values);
  REQUIRE(run(b.code, a) == "");
  const auto got = a.get<float>(y);
  for (std::size_t i = 0; i < values.size(); ++i) REQUIRE(got[i] == 4 * (values[i] + 3));
}

TEST_CASE("dma_turns_rows_in_blocks") {
  // A x B elements of 4 bytes per row between [A][B] in one piece and HBM's [B][A], with more bytes between its rows.
  for (const auto& size : {std::pair{1, 5}, {3, 3}, {16, 4}, {17, 33}, {40, 18}}) {
    const int A = size.first, B = size.second;
    CAPTURE(A);
    CAPTURE(B);
    constexpr int P = 3;
    Builder b;
    const int gap = A + 3;
    const auto x = b.variable("x", VariableKind::Input, I32, {P, B, gap});
    const auto y = b.variable("y", VariableKind::Output, I32, {P, A, B});
    const auto z = b.variable("z", VariableKind::Output, I32, {P, B, gap});
    b.dma(sbuf(I32, P, 0, A * B), hbm(x, I32, P, 0, 4 * B * gap, {{4, A}, {4 * gap, B}}));
    b.dma(hbm(y, I32, P, A * B), sbuf(I32, P, 0, A * B));
    b.dma(hbm(z, I32, P, 0, 4 * B * gap, {{4, A}, {4 * gap, B}}), sbuf(I32, P, 0, A * B));
    std::vector<std::int32_t> values(static_cast<std::size_t>(P * B * gap));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(i * 7 + 1);
    Arrays a(b.code);
    a.set(x, values);
    REQUIRE(run(b.code, a) == "");
    const auto got = a.get<std::int32_t>(y), again = a.get<std::int32_t>(z);
    for (int p = 0; p < P; ++p)
      for (int i = 0; i < A; ++i)
        for (int j = 0; j < B; ++j) {
          const auto want = values[static_cast<std::size_t>((p * B + j) * gap + i)];
          REQUIRE(got[static_cast<std::size_t>((p * A + i) * B + j)] == want);
          REQUIRE(again[static_cast<std::size_t>((p * B + j) * gap + i)] == want);
        }
  }
}

// Turns of a loop multiply rows and add them up: products are stored only where something reads them afterwards.
TEST_CASE("products_that_only_a_sum_reads_are_as_if_they_were_stored") {
  constexpr int P = 50, kTurns = 7;
  for (const int n : {5, 33, 700, 1500})
    for (const bool read : {false, true})    // something else reads the products of each turn
      for (const bool shared : {false, true})  // they lie over a factor
        for (const int threads : {1, 3}) {
          CAPTURE(n);
          CAPTURE(read);
          CAPTURE(shared);
          CAPTURE(threads);
          Builder b;
          const auto w = b.variable("w", VariableKind::Input, F32, {P, kTurns * n});
          const auto x = b.variable("x", VariableKind::Input, F32, {P, n});
          const auto y = b.variable("y", VariableKind::Output, F32, {P, kTurns});
          const auto z = b.variable("z", VariableKind::Output, F32, {P, kTurns});
          const auto last = b.variable("last", VariableKind::Output, F32, {P, n});
          const std::int64_t product_at = shared ? 8192 : 16384;
          b.dma(sbuf(F32, P, 1024, n), hbm(x, F32, P, n));
          b.add(Opcode::Memset, Engine::Vector, {sbuf(F32, P, 512, kTurns), number(0)});
          b.marker(Opcode::LoopBegin, 1, kAll, {number(kTurns, I32)});
          b.dma(sbuf(F32, P, 8192, n), moved(hbm(w, F32, P, 0, 4 * kTurns * n, {{4, n}}), 1, 4 * n));
          b.tensor_scalar(sbuf(F32, P, 8192, n), sbuf(F32, P, 8192, n), number(2), AluOp::Multiply);
          b.tensor_tensor(sbuf(F32, P, product_at, n), sbuf(F32, P, 8192, n), sbuf(F32, P, 1024, n), AluOp::Multiply);
          b.add(Opcode::TensorReduce, Engine::Vector, {moved(sbuf(F32, P, 0, 1), 1, 4), sbuf(F32, P, product_at, n)},
                {static_cast<int>(AluOp::Add), 1});
          if (read) b.copy(moved(sbuf(F32, P, 512, 1), 1, 4), sbuf(F32, P, product_at + 4 * (n / 2), 1));
          b.marker(Opcode::LoopEnd, 1, kAll);
          b.dma(hbm(y, F32, P, kTurns), sbuf(F32, P, 0, kTurns));
          b.dma(hbm(z, F32, P, kTurns), sbuf(F32, P, 512, kTurns));
          b.dma(hbm(last, F32, P, n), sbuf(F32, P, product_at, n));
          const auto weights = random_floats(static_cast<std::size_t>(P * kTurns * n), 5),
                     factors = random_floats(static_cast<std::size_t>(P * n), 6);
          for (const device::HostIsa host : device::available_host_isas()) {
            CAPTURE(device::host_isa_name(host));
            Arrays a(b.code);
            a.set(w, weights);
            a.set(x, factors);
            device::Options options = with_threads(threads);
            options.host_isa = host;
            REQUIRE(run(b.code, a, options) == "");
            const auto got_y = a.get<float>(y), got_z = a.get<float>(z), got_last = a.get<float>(last);
            for (int p = 0; p < P; ++p)
              for (int t = 0; t < kTurns; ++t) {
                float partials[32] = {};
                const auto product = [&](int i) {
                  return weights[static_cast<std::size_t>((p * kTurns + t) * n + i)] * 2.0f * factors[static_cast<std::size_t>(p * n + i)];
                };
                for (int i = 0; i < n; ++i) partials[i % 32] += product(i);
                for (int half = 16; half > 0; half /= 2)
                  for (int i = 0; i < half; ++i) partials[i] += partials[i + half];
                REQUIRE(same_bits(got_y[static_cast<std::size_t>(p * kTurns + t)], partials[0]));
                REQUIRE(same_bits(got_z[static_cast<std::size_t>(p * kTurns + t)], read ? product(n / 2) : 0.0f));
                if (t == kTurns - 1)
                  for (int i = 0; i < n; ++i) REQUIRE(same_bits(got_last[static_cast<std::size_t>(p * n + i)], product(i)));
              }
          }
        }
}
