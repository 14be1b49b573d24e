// Collectives between threads: values by arithmetic, and what happens when cores disagree.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <thread>

#include "num/convert.h"
#include "runtime/collective.h"
#include "runtime/collective_work.h"

using namespace openneuron;
using namespace openneuron::runtime;
using device::CollectiveCall;
using isa::AluOp;
using isa::CollectiveKind;

namespace {

struct Cores {
  explicit Cores(std::size_t n, int timeout_ms = 0) : group(n, std::chrono::milliseconds(timeout_ms)), results(n), count(n) {}
  CollectiveGroup group;
  std::vector<Result<void>> results;
  std::size_t count;

  void run(const std::function<Result<void>(std::size_t, device::Collective&)>& program) {
    std::vector<std::thread> threads;
    for (std::size_t c = 0; c < count; ++c)
      threads.emplace_back([&, c] {
        results[c] = program(c, *group.core(c));
        group.leave(c, !results[c]);
      });
    for (std::thread& t : threads) t.join();
  }
};

CollectiveCall call(CollectiveKind kind, std::span<const std::int32_t> groups, std::int64_t size, std::vector<std::int32_t>& from, std::vector<std::int32_t>& to,
                    AluOp op = AluOp::Add) {
  CollectiveCall c;
  c.kind = kind;
  c.op = op;
  c.type = ElementType::I32;
  c.groups = groups;
  c.group_size = size;
  c.source = std::as_bytes(std::span(from));
  c.destination = std::as_writable_bytes(std::span(to));
  return c;
}

}  // namespace

TEST_CASE("each kind of collective gives each core its part") {
  const std::vector<std::int32_t> groups = {0, 2, 3, 1};  // {0, 2} and {3, 1}: core 3 is first in its group
  Cores cores(4);
  cores.run([&](std::size_t c, device::Collective& collective) -> Result<void> {
    const auto self = static_cast<std::int32_t>(c);
    const std::int32_t peer = self ^ 2, first = self == 1 || self == 3 ? 3 : 0, second = first == 3 ? 1 : 2;
    std::vector<std::int32_t> from = {10 * self, 10 * self + 1}, two(2), four(4), one(1);
    for (int turn = 0; turn < 50; ++turn) {
      ON_TRY(collective.run(call(CollectiveKind::AllReduce, groups, 2, from, two)));
      CHECK(two == std::vector<std::int32_t>{10 * (self + peer), 10 * (self + peer) + 2});
      ON_TRY(collective.run(call(CollectiveKind::AllGather, groups, 2, from, four)));
      CHECK(four == std::vector<std::int32_t>{10 * first, 10 * first + 1, 10 * second, 10 * second + 1});
      ON_TRY(collective.run(call(CollectiveKind::ReduceScatter, groups, 2, from, one, AluOp::Max)));
      CHECK(one[0] == 10 * std::max(self, peer) + (self == first ? 0 : 1));
      ON_TRY(collective.run(call(CollectiveKind::AllToAll, groups, 2, from, two)));
      const int part = self == first ? 0 : 1;
      CHECK(two == std::vector<std::int32_t>{10 * first + part, 10 * second + part});
      ON_TRY(collective.run(call(CollectiveKind::Broadcast, groups, 2, from, two)));
      CHECK(two == std::vector<std::int32_t>{10 * first, 10 * first + 1});
    }
    return {};
  });
  for (auto& r : cores.results) CHECK(bool(r));
}

TEST_CASE("a core in groups of one keeps its own values") {  // groups must not be dropped
  const std::vector<std::int32_t> groups = {0, 1, 2, 3, 4, 5, 6, 7};
  Cores cores(8);
  cores.run([&](std::size_t c, device::Collective& collective) -> Result<void> {
    const auto self = static_cast<std::int32_t>(c);
    std::vector<std::int32_t> from = {self, self}, to(2);
    ON_TRY(collective.run(call(CollectiveKind::AllReduce, groups, 1, from, to)));
    CHECK(to == from);
    return {};
  });
  for (auto& r : cores.results) CHECK(bool(r));
}

TEST_CASE("a permutation moves along its pairs, and gives zeros where nothing comes") {
  const std::vector<std::int32_t> pairs = {0, 1, 1, 2};
  Cores cores(4);
  cores.run([&](std::size_t c, device::Collective& collective) -> Result<void> {
    const auto self = static_cast<std::int32_t>(c);
    std::vector<std::int32_t> from = {self + 5}, to = {-1};
    ON_TRY(collective.run(call(CollectiveKind::Permute, pairs, 2, from, to)));
    CHECK(to[0] == (self == 1 || self == 2 ? self + 4 : 0));
    return {};
  });
  for (auto& r : cores.results) CHECK(bool(r));
}

TEST_CASE("sums go in order of partition numbers, whoever comes first") {
  // ((1e8 + 1) - 1e8) + 1 is 1 in fp32, any other order of these four differs.
  const std::vector<float> values = {1e8f, 1.0f, -1e8f, 1.0f};
  const std::vector<std::int32_t> groups = {3, 1, 0, 2};
  for (int turn = 0; turn < 20; ++turn) {
    Cores cores(4);
    cores.run([&](std::size_t c, device::Collective& collective) -> Result<void> {
      std::vector<float> from = {values[c]}, to = {0};
      CollectiveCall sum;
      sum.op = AluOp::Add;
      sum.groups = groups;
      sum.group_size = 4;
      sum.source = std::as_bytes(std::span(from));
      sum.destination = std::as_writable_bytes(std::span(to));
      ON_TRY(collective.run(sum));
      CHECK(to[0] == 1.0f);
      return {};
    });
  }
}

TEST_CASE("combine rounds each step to the element type") {
  // 256 + 1 is 256 in bf16 (8 bits), so that three ones are lost one by one; in fp32 they would give 259 -> 260.
  const std::uint16_t large[] = {float_to_bf16(256.0f)}, one[] = {float_to_bf16(1.0f)};
  std::uint16_t to[1];
  const std::byte* sources[] = {reinterpret_cast<const std::byte*>(large), reinterpret_cast<const std::byte*>(one),
                                reinterpret_cast<const std::byte*>(one), reinterpret_cast<const std::byte*>(one)};
  combine(AluOp::Add, ElementType::BF16, sources, reinterpret_cast<std::byte*>(to), 1);
  CHECK(bf16_to_float(to[0]) == 256.0f);
  const float zeros[] = {-0.0f, 0.0f}, other[] = {0.0f, __builtin_nanf("")};
  float result[2];
  const std::byte* pair[] = {reinterpret_cast<const std::byte*>(zeros), reinterpret_cast<const std::byte*>(other)};
  combine(AluOp::Max, ElementType::F32, pair, reinterpret_cast<std::byte*>(result), 2);
  CHECK_FALSE(std::signbit(result[0]));
  CHECK(result[1] != result[1]);
  combine(AluOp::Min, ElementType::F32, pair, reinterpret_cast<std::byte*>(result), 2);
  CHECK(std::signbit(result[0]));
}

TEST_CASE("different collectives are an error that names both") {
  const std::vector<std::int32_t> groups = {0, 1};
  Cores cores(2);
  cores.run([&](std::size_t c, device::Collective& collective) -> Result<void> {
    std::vector<std::int32_t> from(2), two(2), four(4);
    auto mine = c == 0 ? call(CollectiveKind::AllReduce, groups, 2, from, two) : call(CollectiveKind::AllGather, groups, 2, from, four);
    mine.place = c == 0 ? "here" : "there";
    return collective.run(mine);
  });
  for (auto& r : cores.results) {
    REQUIRE_FALSE(bool(r));
    CHECK(r.diagnostic().code == Code::CollectiveMismatch);
    for (const char* part : {"all_reduce", "all_gather", "here", "there"}) CHECK(r.diagnostic().message.find(part) != std::string::npos);
  }
}

TEST_CASE("different groups, sizes and unknown cores are errors") {
  const std::vector<std::int32_t> all = {0, 1, 2}, pair = {0, 1, 2, -1}, far = {0, 9};
  Cores cores(3);
  cores.run([&](std::size_t c, device::Collective& collective) -> Result<void> {
    std::vector<std::int32_t> from(2), to(2);
    return collective.run(c == 0 ? call(CollectiveKind::AllReduce, pair, 2, from, to) : call(CollectiveKind::AllReduce, all, 3, from, to));
  });
  for (auto& r : cores.results) CHECK_FALSE(bool(r));
  Cores one(1);
  one.run([&](std::size_t, device::Collective& collective) -> Result<void> {
    std::vector<std::int32_t> from(2), to(2);
    return collective.run(call(CollectiveKind::AllReduce, far, 2, from, to));
  });
  REQUIRE_FALSE(bool(one.results[0]));
  CHECK(one.results[0].diagnostic().code == Code::CollectiveMismatch);
}

TEST_CASE("a core that fails releases those that wait for it") {
  const std::vector<std::int32_t> groups = {0, 1, 2};
  Cores cores(3);
  cores.run([&](std::size_t c, device::Collective& collective) -> Result<void> {
    if (c == 1) return fail(Code::DeviceAddress, "its own error");
    std::vector<std::int32_t> from(2), to(2);
    return collective.run(call(CollectiveKind::AllReduce, groups, 3, from, to));
  });
  CHECK(cores.results[1].diagnostic().code == Code::DeviceAddress);
  for (std::size_t c : {std::size_t{0}, std::size_t{2}}) {
    REQUIRE_FALSE(bool(cores.results[c]));
    CHECK(cores.results[c].diagnostic().code == Code::CollectiveAborted);
  }
}

TEST_CASE("a core that ends, or does not come in time, is an error for the others") {
  const std::vector<std::int32_t> groups = {0, 1};
  Cores ended(2);
  ended.run([&](std::size_t c, device::Collective& collective) -> Result<void> {
    if (c == 1) return {};
    std::vector<std::int32_t> from(2), to(2);
    return collective.run(call(CollectiveKind::AllReduce, groups, 2, from, to));
  });
  REQUIRE_FALSE(bool(ended.results[0]));
  CHECK(ended.results[0].diagnostic().code == Code::CollectiveAlone);
  CollectiveGroup late(2, std::chrono::milliseconds(1));
  std::vector<std::int32_t> from(2), to(2);
  auto r = late.core(0)->run(call(CollectiveKind::AllReduce, groups, 2, from, to));
  REQUIRE_FALSE(bool(r));
  CHECK(r.diagnostic().code == Code::CollectiveAlone);
}

TEST_CASE("cores that wait in a circle are told, without a timeout") {
  Cores cores(3);
  cores.run([&](std::size_t c, device::Collective& collective) -> Result<void> {
    const std::int32_t pairs[3][2] = {{0, 1}, {1, 2}, {2, 0}};
    std::vector<std::int32_t> from(2), to(2);
    return collective.run(call(CollectiveKind::AllReduce, pairs[c], 2, from, to));
  });
  for (auto& r : cores.results) {
    REQUIRE_FALSE(bool(r));
    CHECK(r.diagnostic().code == Code::CollectiveMismatch);
  }
}

TEST_CASE("groups on two axes of a mesh do not disturb each other") {
  // 2x2: along rows {0,1},{2,3}, then along columns {0,2},{1,3}; cores run ahead as far as they may.
  const std::vector<std::int32_t> rows = {0, 1, 2, 3}, columns = {0, 2, 1, 3};
  Cores cores(4);
  cores.run([&](std::size_t c, device::Collective& collective) -> Result<void> {
    for (int turn = 0; turn < 200; ++turn) {
      std::vector<std::int32_t> from = {static_cast<std::int32_t>(c)}, row(1), all(1);
      ON_TRY(collective.run(call(CollectiveKind::AllReduce, rows, 2, from, row)));
      ON_TRY(collective.run(call(CollectiveKind::AllReduce, columns, 2, row, all)));
      CHECK(all[0] == 6);
    }
    return {};
  });
  for (auto& r : cores.results) CHECK(bool(r));
}
