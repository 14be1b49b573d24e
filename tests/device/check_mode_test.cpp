// Check mode: right programs pass with the same bytes, each kind of mistake is reported with both places.
#include <doctest/doctest.h>

#include <algorithm>

#include "builder.h"
#include "device/device.h"

using namespace device_test;
using isa::VariableKind;

namespace {

constexpr ElementType F32 = ElementType::F32, I32 = ElementType::I32;

// y = relu(x * 2) over rows of a loop, SBUF in two copies, three streams. Waits as docs/stream.md derives them.
struct Pipeline {
  Builder b;
  std::uint32_t x, y;
  static constexpr int kTrips = 6;
  explicit Pipeline() {
    x = b.variable("x", VariableKind::Input, F32, {kTrips * 4, 8});
    y = b.variable("y", VariableKind::Output, F32, {kTrips * 4, 8});
    b.stream(Engine::Dma, 0);  // semaphore 0: loads
    b.stream(Engine::Vector);  // 1
    b.stream(Engine::Dma, 1);  // 2: stores
    auto tile = sbuf(F32, 4, 0, 8);
    tile.copies = 2;
    tile.rotate_loop = LoopId(0u);
    tile.rotate_bytes = 32;
    auto from = hbm(x, F32, 4, 8), to = hbm(y, F32, 4, 8);
    from.terms.push_back({LoopId(0u), 0, 4 * 32});
    to.terms.push_back({LoopId(0u), 0, 4 * 32});
    begin(Opcode::LoopBegin, 0, {number(kTrips, I32)});
    auto& load = b.add(Opcode::Dma, Engine::Dma, {tile, from, none()}, {0, 0}, 0);
    load.signal = true;
    load.waits.push_back({2, -1});  // the store of two iterations ago
    auto& work = b.tensor_scalar(tile, tile, number(2), AluOp::Multiply, false, number(0), AluOp::Max);
    work.signal = true;
    work.waits.push_back({0, 1});
    auto& store = b.add(Opcode::Dma, Engine::Dma, {to, tile, none()}, {0, 0}, 1);
    store.signal = true;
    store.waits.push_back({1, 1});
    begin(Opcode::LoopEnd, 4, {});
    for (isa::Stream& s : b.code.cores[0].streams)
      for (std::uint16_t sem : {0, 1, 2}) s.instructions.open().back().advances.push_back({sem, 1});
  }
  // A marker in all three streams.
  void begin(Opcode opcode, std::uint32_t order, std::vector<isa::Operand> operands) {
    for (isa::Stream& s : b.code.cores[0].streams) {
      isa::Instruction i;
      i.opcode = opcode;
      i.engine = s.engine;
      i.queue = s.queue;
      i.order = order == 0 ? 0 : 1000;
      i.loop = LoopId(0u);
      for (auto& o : operands) i.operands.push_back(o);
      s.instructions.open().push_back(i);
    }
    if (order == 0) (void)b.next_order();
  }
  Arrays arrays() {
    Arrays a(b.code);
    std::vector<float> v(kTrips * 4 * 8);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>(i % 11) - 5;
    a.set(x, v);
    return a;
  }
};

}  // namespace

TEST_CASE("a_synchronised_pipeline_passes_with_the_same_bytes") {
  Pipeline p;
  Arrays want = p.arrays();
  REQUIRE(run(p.b.code, want) == "");
  CHECK(want.get<float>(p.y)[6] == 2.0f);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Arrays a = p.arrays();
    Arrays got = p.arrays();
    REQUIRE(run_checked(p.b.code, got, seed) == "");
    CHECK(got.get<float>(p.y) == want.get<float>(p.y));
  }
}

TEST_CASE("each_missing_wait_is_reported") {
  for (std::size_t s = 0; s < 3; ++s) {
    Pipeline p;
    p.b.code.cores[0].streams[s].instructions.open()[1].waits.clear();
    int reported = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Arrays a = p.arrays();
      const std::string message = run_checked(p.b.code, a, seed);
      const bool right = message.substr(0, 8) == "ON-E1907" || message.substr(0, 8) == "ON-E1908";
      reported += right;
      if (message.substr(0, 8) == "ON-E1907") CHECK(message.find("test.py:1:1") != std::string::npos);
    }
    CHECK(reported == 20);
  }
}

TEST_CASE("a_wait_that_comes_one_iteration_late_is_a_race") {
  Pipeline p;
  p.b.code.cores[0].streams[0].instructions.open()[1].waits[0].count = -2;  // three iterations ago: the copy is still in use
  Arrays a = p.arrays();
  CHECK(run_checked(p.b.code, a, 1).substr(0, 8) == "ON-E1907");
}

TEST_CASE("a_wait_for_what_never_comes_is_a_deadlock") {
  Pipeline p;
  p.b.code.cores[0].streams[0].instructions.open()[1].waits[0].count = 1;
  Arrays a = p.arrays();
  const std::string message = run_checked(p.b.code, a, 1);
  CHECK(message.substr(0, 8) == "ON-E1906");
  CHECK(message.find("semaphore 2") != std::string::npos);
}

TEST_CASE("reads_of_what_nothing_wrote") {
  Builder b;
  const auto y = b.variable("y", VariableKind::Output, F32, {2, 4});
  b.add(Opcode::Memset, Engine::Vector, {sbuf(F32, 2, 0, 3), number(1)});
  b.dma(hbm(y, F32, 2, 4), sbuf(F32, 2, 0, 4));
  b.serialise();
  Arrays a(b.code);
  const std::string message = run_checked(b.code, a, 0);
  CHECK(message.substr(0, 8) == "ON-E1908");
  CHECK(message.find("byte 12 of SBUF") != std::string::npos);
}

TEST_CASE("a_register_of_another_engine_is_not_set_here") {
  Builder b;
  const auto y = b.variable("y", VariableKind::Output, F32, {1, 4});
  b.add(Opcode::RegisterMove, Engine::Vector, {reg(3), number(2, I32)});
  b.add(Opcode::Memset, Engine::Vector, {sbuf(F32, 1, 0, 4), number(1)});
  auto to = hbm(y, F32, 1, 4);
  to.reg = 3;
  to.reg_bytes = 0;
  b.dma(to, sbuf(F32, 1, 0, 4));
  b.serialise();
  Arrays a(b.code);
  CHECK(run_checked(b.code, a, 0).substr(0, 8) == "ON-E1908");
}

TEST_CASE("an_output_left_unwritten_is_reported") {
  Builder b;
  const auto y = b.variable("y", VariableKind::Output, F32, {2, 4});
  b.add(Opcode::Memset, Engine::Vector, {sbuf(F32, 1, 0, 4), number(1)});
  b.dma(hbm(y, F32, 1, 4), sbuf(F32, 1, 0, 4));
  b.serialise();
  Arrays a(b.code);
  const std::string message = run_checked(b.code, a, 0);
  CHECK(message.substr(0, 8) == "ON-E1908");
  CHECK(message.find("byte 16") != std::string::npos);
}

TEST_CASE("order_against_program_order_shows_in_the_bytes") {
  // Vector writes 1 then, by its waits, Scalar's copy comes first although program order puts it second.
  Builder b;
  const auto y = b.variable("y", VariableKind::Output, F32, {1, 4});
  const auto tile = sbuf(F32, 1, 0, 4), out = sbuf(F32, 1, 64, 4);
  auto& first = b.add(Opcode::Memset, Engine::Vector, {tile, number(1)});
  first.signal = true;
  auto& second = b.add(Opcode::Memset, Engine::Vector, {tile, number(2)});
  second.signal = true;
  second.waits.push_back({1, 1});
  auto& copy = b.activation(out, tile, isa::Function::Copy);
  copy.signal = true;
  copy.waits.push_back({0, 1});
  auto& store = b.dma(hbm(y, F32, 1, 4), out);
  store.waits.push_back({1, 1});
  Arrays a(b.code);
  const std::string message = run_checked(b.code, a, 0);
  CHECK(message.substr(0, 8) == "ON-E1907");
  CHECK(message.find("program order") != std::string::npos);
}

TEST_CASE("two_cores_are_ordered_by_their_barriers_only") {
  for (bool with_barrier : {true, false}) {
    Builder b(2);
    const auto m = b.variable("m", VariableKind::Scratch, F32, {1, 4}, isa::Space::SharedHbm);
    const auto y = b.variable("y", VariableKind::Output, F32, {1, 4}, isa::Space::SharedHbm);
    const auto shared = [](isa::Operand o) {
      o.space = isa::Space::SharedHbm;
      return o;
    };
    b.add(Opcode::Memset, Engine::GpSimd, {sbuf(F32, 1, 0, 4), number(3)}, {}, 0, 1);
    b.dma(shared(hbm(m, F32, 1, 4)), sbuf(F32, 1, 0, 4), 0, 1);
    if (with_barrier)
      for (std::size_t core : {0u, 1u}) b.add(Opcode::CoreBarrier, Engine::Sync, {}, {0}, 0, core);
    b.dma(shared(hbm(y, F32, 1, 4)), shared(hbm(m, F32, 1, 4)), 0, 0);
    b.serialise(0);
    b.serialise(1);
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      Arrays a(b.code);
      const std::string message = run_checked(b.code, a, seed);
      if (with_barrier) {
        CHECK(message == "");
        CHECK(a.get<float>(y) == std::vector<float>{3, 3, 3, 3});
      } else {
        CHECK(message != "");
      }
    }
  }
}
