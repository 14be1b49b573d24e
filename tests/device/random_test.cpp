// Random programs: every way of running them gives the same bytes. Check mode executes instruction by instruction,
// without runs over partition blocks and without elided loads, so it is the reference for both.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "builder.h"
#include "device/device.h"

using namespace device_test;
using isa::Function;
using isa::VariableKind;

namespace {

constexpr ElementType F32 = ElementType::F32, BF16 = ElementType::BF16, I1 = ElementType::I1;
constexpr std::int64_t kWords = 160;  // of each partition, at byte 0

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {
    x_ = b.variable("x", VariableKind::Input, F32, {128, kWords});
    y_ = b.variable("y", VariableKind::Input, F32, {128, kWords});
    out_ = b.variable("out", VariableKind::Output, F32, {128, kWords});
    alias_ = b.variable("alias", VariableKind::Output, F32, {128, kWords});
    b.code.variables[alias_].aliases = static_cast<std::int32_t>(y_);
    b.dma(sbuf(F32, 128, 0, kWords), hbm(x_, F32, 128, kWords));
    b.add(Opcode::Memset, Engine::Vector, {psum(F32, 128, 0, 512), number(0.5)});
    for (int i = 0; i < 40; ++i) step();
    b.dma(hbm(out_, F32, 128, kWords), sbuf(F32, 128, 0, kWords));
    b.serialise();
  }
  Builder b;
  std::uint32_t x_, y_, out_, alias_;

  Arrays arrays() {
    Arrays a(b.code);
    std::mt19937 values(99);
    std::normal_distribution<float> normal(0, 2);
    for (std::uint32_t v : {x_, y_}) {
      std::vector<float> data(128 * kWords);
      for (float& f : data) f = normal(values);
      a.set(v, data);
    }
    a.pointers[alias_] = a.pointers[y_];
    return a;
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  // Partitions that an engine may start at.
  void rows(int& count, int& start) {
    switch (below(3)) {
      case 0: count = 1 + below(32), start = 32 * below(4); return;
      case 1: count = 33 + below(32), start = 64 * below(2); return;
      default: count = 65 + below(64), start = 0;
    }
  }
  static int spare(int n) { return static_cast<int>(kWords) - n; }
  // n elements somewhere in the words: contiguous, spaced, backwards, repeated or in two dims.
  isa::Operand access(int count, int start, int n, bool written) {
    switch (below(5)) {
      case 0:
        if (2 * n <= kWords)
          return chip(isa::Space::Sbuf, F32, count, 4 * below(static_cast<int>(kWords) - 2 * n + 1), {{8, n}}, start);
        break;
      case 1: return chip(isa::Space::Sbuf, F32, count, 4 * (below(spare(n) + 1) + n - 1), {{-4, n}}, start);
      case 2:
        if (!written) return chip(isa::Space::Sbuf, F32, count, 4 * below(static_cast<int>(kWords)), {{0, n}}, start);
        break;
      case 3:
        if (n % 4 == 0 && 2 * n <= kWords)
          return chip(isa::Space::Sbuf, F32, count, 4 * below(static_cast<int>(kWords) - 2 * n + 1),
                      {{32, n / 4}, {4, 4}}, start);
        break;
      default: break;
    }
    return sbuf(F32, count, 4 * below(spare(n) + 1), n, start);
  }
  // A destination that shares no bytes with the sources, so that the order of elements does not matter.
  bool apart(const isa::Operand& a, const isa::Operand& b) {
    const auto range = [](const isa::Operand& o) {
      std::int64_t low = o.start, high = o.start + 4;
      for (const auto& d : o.dims) {
        low += std::min<std::int64_t>(0, d.stride * (d.count - 1));
        high += std::max<std::int64_t>(0, d.stride * (d.count - 1));
      }
      return std::pair(low, high);
    };
    const auto ra = range(a), rb = range(b);
    const bool same = a.start == b.start && a.dims == b.dims && a.partition_start == b.partition_start;
    return same || ra.first >= rb.second || rb.first >= ra.second ||
           a.partition_start >= b.partition_start + b.partition_count ||
           b.partition_start >= a.partition_start + a.partition_count;
  }

  void step() {
    int count, start;
    rows(count, start);
    const int n = 1 + below(below(3) ? 80 : 20);
    auto d = access(count, start, n, true), a = access(count, start, n, false), c = access(count, start, n, false);
    switch (below(15)) {
      case 0:
      case 1: {
        const AluOp ops[] = {AluOp::Add, AluOp::Subtract, AluOp::Max, AluOp::Min, AluOp::Less};
        if (apart(d, a) && apart(d, c)) b.tensor_tensor(d, a, c, ops[below(5)]);
        return;
      }
      case 2:
        if (apart(d, a))
          b.tensor_scalar(d, a, number(0.5), AluOp::Multiply, false,
                          sbuf(F32, count, 4 * below(static_cast<int>(kWords)), 1, start), AluOp::Add, below(2));
        return;
      case 3: {
        const Function functions[] = {Function::Tanh, Function::Sigmoid, Function::Copy, Function::Sin, Function::Erf};
        if (apart(d, a)) b.activation(d, a, functions[below(5)], number(0.25), number(0.125));
        return;
      }
      case 4: {
        int other, other_start;
        rows(other, other_start);
        auto from = a;
        if (start + count <= 128 && other == count) from.partition_start = static_cast<std::uint16_t>(other_start);
        if (apart(d, from)) b.copy(d, from);
        return;
      }
      case 5: b.add(Opcode::Memset, Engine::Vector, {d, number(below(3))}); return;
      case 6: {  // load, contiguous or transposed rows, from any variable
        const std::uint32_t v = below(2) ? x_ : y_;
        const std::int64_t from = 4 * below(static_cast<int>(kWords) - n + 1);
        auto to = below(3) ? sbuf(F32, count, 4 * below(static_cast<int>(kWords) - n + 1), n, start) : d;
        auto row = hbm(v, F32, count, from, kWords * 4, {{4, n}});
        if (below(4) == 0) row.partition_stride = 0;
        b.dma(to, row, below(2));
        return;
      }
      case 7: {  // store into the donated variable
        b.dma(hbm(y_, F32, count, 4 * below(static_cast<int>(kWords) - n + 1), kWords * 4, {{4, n}}), a, below(2));
        return;
      }
      case 8: {
        auto sum = sbuf(F32, count, 4 * below(static_cast<int>(kWords)), 1, start);
        if (apart(sum, a))
          b.add(Opcode::TensorReduce, Engine::Vector,
                {
                    sum,
                    a,
                },
                {static_cast<int>(below(2) ? AluOp::Max : AluOp::Min), static_cast<int>(a.dims.size())});
        return;
      }
      case 9: {
        const int k = 1 + below(128), m = 1 + below(128), columns = 1 + below(100);
        b.add(Opcode::LoadStationary, Engine::PE, {sbuf(F32, k, 4 * below(static_cast<int>(kWords) - m + 1), m)});
        b.add(Opcode::Matmul, Engine::PE,
              {psum(F32, m, 0, columns), sbuf(F32, k, 4 * below(static_cast<int>(kWords) - columns + 1), columns)},
              {0});
        b.activation(sbuf(F32, m, 4 * below(static_cast<int>(kWords) - columns + 1), columns), psum(F32, m, 0, columns),
                     Function::Tanh, number(0.01));
        return;
      }
      case 10: {
        // Convert to bf16 and back within the words.
        const int half = n & ~1;
        if (half == 0) return;
        auto small = sbuf(BF16, count, 4 * below(static_cast<int>(kWords) - half + 1), half, start);
        auto wide = sbuf(F32, count, 1024, half, start);
        b.copy(wide, sbuf(F32, count, 4 * below(static_cast<int>(kWords) - half + 1), half, start));
        b.copy(small, wide);
        b.copy(wide, small);
        b.copy(sbuf(F32, count, small.start, half, start), wide);
        return;
      }
      case 11: {  // rows added where integers below 128 say
        auto offsets = sbuf(ElementType::I32, count, 2304, 1, start);
        isa::Operand pattern;
        pattern.kind = isa::OperandKind::Pattern;
        pattern.partition_stride = below(3);
        pattern.start = below(40) - 5;
        b.add(Opcode::Iota, Engine::GpSimd, {offsets, pattern});
        auto to = hbm(y_, F32, count, 4 * below(static_cast<int>(kWords) - n + 1), 0, {{4, n}});
        to.indirect_stride = kWords * 4;
        to.indirect_limit = 120;
        b.add(Opcode::DmaCompute, Engine::Dma, {to, a, offsets}, {1}, below(2));
        return;
      }
      case 12: {
        if (n < 8) return;
        auto eight = sbuf(F32, count, 1700, 8, start);
        b.add(Opcode::Max8, Engine::Vector, {eight, a});
        b.add(Opcode::FindIndex8, Engine::Vector, {sbuf(ElementType::U32, count, 1740, 8, start), a, eight});
        b.copy(sbuf(F32, count, 4 * below(static_cast<int>(kWords) - 8 + 1), 8, start), sbuf(ElementType::U32, count, 1740, 8, start));
        return;
      }
      case 13:
        if (apart(d, a) && apart(d, c)) {
          auto payload = sbuf(F32, count, 1024, n, start);
          b.add(Opcode::Sort, Engine::GpSimd, {d, payload, a, c}, {below(2), below(2)});
          if (apart(a, payload)) b.copy(sbuf(F32, count, 4 * below(spare(n) + 1), n, start), payload);
        }
        return;
      default: {
        auto mask = sbuf(I1, count, 2048, n, start);
        b.tensor_tensor(mask, a, c, AluOp::Greater);
        if (!apart(d, a) || !apart(d, c)) return;
        if (below(2) == 0) {
          b.add(Opcode::Select, Engine::Vector, {d, mask, a, c});
          return;
        }
        auto largest = sbuf(F32, count, 1700, 1, start);
        b.add(Opcode::SelectReduce, Engine::Vector, {d, largest, mask, a, c});
        b.copy(sbuf(F32, count, 4 * below(static_cast<int>(kWords)), 1, start), largest);
      }
    }
  }

  std::mt19937_64 random_;
};

}  // namespace

TEST_CASE("random_programs_run_alike_in_every_way") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    Generator g(seed);
    Arrays want = g.arrays();
    REQUIRE(run_checked(g.b.code, want, seed) == "");
    for (device::HostIsa isa : device::available_host_isas())
      for (int threads : {1, 3}) {
        CAPTURE(device::host_isa_name(isa));
        CAPTURE(threads);
        device::Options options;
        options.host_isa = isa;
        options.threads = threads;
        Arrays got = g.arrays();
        REQUIRE(run(g.b.code, got, options) == "");
        CHECK(got.bytes[g.out_] == want.bytes[g.out_]);
        CHECK(got.bytes[g.y_] == want.bytes[g.y_]);
      }
  }
}
