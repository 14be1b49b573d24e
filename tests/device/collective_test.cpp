// Collective and RankId on one core: alone, and with a Collective of the caller's.
#include <doctest/doctest.h>

#include <cstring>

#include "builder.h"
#include "device/collective.h"
#include "device/device.h"

using namespace device_test;
using isa::VariableKind;

namespace {

constexpr ElementType F32 = ElementType::F32, I32 = ElementType::I32;

struct Program {
  Builder b;
  std::uint32_t from, groups, to, rank;
  Program(std::int32_t kind, int rows, int columns) {
    from = b.variable("from", VariableKind::Input, F32, {2, 3});
    groups = b.variable("groups", VariableKind::Input, I32, {rows, columns});
    to = b.variable("to", VariableKind::Output, F32, {2, 3});
    rank = b.variable("rank", VariableKind::Output, I32, {});
    b.stream(Engine::Sync);
    b.add(Opcode::Collective, Engine::Sync, {hbm(to, F32, 1, 6), hbm(from, F32, 1, 6), hbm(groups, I32, rows, columns)},
          {kind, static_cast<std::int32_t>(isa::AluOp::Add)});
    b.add(Opcode::RankId, Engine::Sync, {hbm(rank, I32, 1, 1)}, {});
  }
  Result<void> run(std::vector<std::int32_t> table, std::vector<float>& result, std::int32_t& own, device::Collective* collective = nullptr) {
    std::vector<float> data = {1, 2, 3, 4, 5, 6};
    result.assign(6, -1);
    auto machine = load_machine("trn2");
    device::Options options;
    options.collective = collective;
    auto model = device::Model::load(b.code, *machine, options);
    if (!model) return model.failure();
    std::byte* memory[] = {reinterpret_cast<std::byte*>(data.data()), reinterpret_cast<std::byte*>(table.data()), reinterpret_cast<std::byte*>(result.data()),
                           reinterpret_cast<std::byte*>(&own)};
    return (*model)->run(memory);
  }
};

class Noted final : public device::Collective {
 public:
  std::int64_t partition() const override { return 5; }
  Result<void> run(const device::CollectiveCall& call) override {
    groups.assign(call.groups.begin(), call.groups.end());
    size = call.group_size;
    std::memset(call.destination.data(), 0, call.destination.size());
    return {};
  }
  std::vector<std::int32_t> groups;
  std::int64_t size = 0;
};

}  // namespace

TEST_CASE("alone, a core is its own group") {
  const std::vector<float> data = {1, 2, 3, 4, 5, 6}, zeros(6, 0);
  std::vector<float> result;
  std::int32_t rank = -1;
  for (std::int32_t kind : {0, 1, 2, 3, 5}) {
    CAPTURE(kind);
    REQUIRE(bool(Program(kind, 1, 1).run({0}, result, rank)));
    CHECK(result == data);
    CHECK(rank == 0);
  }
  REQUIRE(bool(Program(4, 1, 2).run({0, 0}, result, rank)));
  CHECK(result == data);
  REQUIRE(bool(Program(4, 1, 2).run({-1, -1}, result, rank)));
  CHECK(result == zeros);
}

TEST_CASE("alone, a core meets nobody") {
  std::vector<float> result;
  std::int32_t rank = -1;
  auto ran = Program(0, 1, 2).run({0, 1}, result, rank);
  REQUIRE_FALSE(bool(ran));
  CHECK(ran.diagnostic().code == Code::DeviceCollective);
  CHECK(ran.diagnostic().message.find("all_reduce") != std::string::npos);
}

TEST_CASE("others are met through the caller's Collective") {
  std::vector<float> result;
  std::int32_t rank = -1;
  Noted noted;
  REQUIRE(bool(Program(0, 2, 3).run({4, 5, 6, 0, 1, 2}, result, rank, &noted)));
  CHECK(rank == 5);
  CHECK(noted.size == 3);
  CHECK(noted.groups == std::vector<std::int32_t>{4, 5, 6, 0, 1, 2});
  CHECK(result == std::vector<float>(6, 0));
}
