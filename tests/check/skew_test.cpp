// Loops whose turns are cut in two: the same bytes as before, and left alone where a turn needs what the last one wrote.
#include <doctest/doctest.h>

#include <cstring>

#include "device/device.h"
#include "machine/machine.h"
#include "ref/ref.h"
#include "sched/interleave.h"
#include "sched/regions.h"
#include "sched/sched.h"
#include "sched/skew.h"
#include "tile/text.h"

using namespace openneuron;

namespace {

// Tiles of `in` are turned on the PE, copied out of PSUM (as two, in a loop inside) and multiplied. `target`: what the turned
// tile is written to; `more`: in front of the multiplies.
std::string program(std::int64_t turns, const std::string& buffers, const std::string& target, const std::string& more) {
  const std::string n = std::to_string(turns), rows = std::to_string(turns * 8 + 8);
  return "tile \"t\" target \"trn2\" {\n"
         "  %in = private_hbm input f32[" + rows + ",16]\n"
         "  %held = private_hbm input f32[8,4]\n"
         "  %out = private_hbm output f32[" + std::to_string(turns * 8) + ",8]\n"
         "  %tile = sbuf partitions=8 bytes=64 copies=2\n"
         "  %weights = sbuf partitions=8 bytes=16\n"
         "  %turned = psum partitions=8 bytes=32 copies=2\n"
         "  %sum = psum partitions=4 bytes=64\n"
         "  %result = sbuf partitions=4 bytes=64 copies=2\n" + buffers +
         "  core 0 loops=2 {\n"
         "    dma %weights[0:8, 0, [4,4]]: f32, %held[0:8*16, 0, [4,4]]: f32, none indirect=0\n"
         "    loop_begin L0, " + n + "\n"
         "      dma %tile[0:8, 0 + rot(L0,2), [4,16]]: f32, %in[0:8*64, 0 + L0*512, [4,16]]: f32, none indirect=0\n"
         "      loop_begin L1, 2\n"
         "        transpose %turned[0:8, 0 + rot(L1,2), [4,8]]: f32, %tile[0:8, 0 + L1*32 + rot(L0,2), [4,8]]: f32\n"
         "        copy " + target + ", %turned[0:8, 0 + rot(L1,2), [4,8]]: f32\n"
         "      loop_end L1\n" + more +
         "      load_stationary %weights[0:8, 0, [4,4]]: f32\n"
         "      matmul %sum[0:4, 0, [4,16]]: f32, %block[0:8, 0" + (buffers.find("copies=2") != std::string::npos ? " + rot(L0,2)" : "") + ", [4,16]]: f32\n"
         "      copy %result[0:4, 0 + rot(L0,2), [4,16]]: f32, %sum[0:4, 0, [4,16]]: f32\n"
         "      dma %out[0:4*64, 0 + L0*256, [4,16]]: f32, %result[0:4, 0 + rot(L0,2), [4,16]]: f32, none indirect=0\n"
         "    loop_end L0\n"
         "  }\n"
         "}\n";
}

tile::Module parsed(const std::string& text, const Machine& machine) {
  auto module = tile::parse(text, "t.tile");
  REQUIRE_MESSAGE(module, format_diagnostic(module.diagnostic()) << text);
  auto verified = tile::verify(*module, machine);
  REQUIRE_MESSAGE(verified, format_diagnostic(verified.diagnostic()));
  return std::move(*module);
}

bool skewed(tile::Module& module, const Machine& machine) {
  auto tree = sched::build_regions(module.programs[0]);
  REQUIRE(tree);
  auto list = sched::skew(module, module.programs[0], *tree, machine);
  if (list.empty()) return false;
  module.programs[0].instructions = std::move(list);
  return true;
}

using Memory = Column<BufferId, std::vector<std::byte>>;

Memory start(const tile::Module& module) {
  Memory memory(module.buffers.size());
  unsigned next = 1;
  for (std::uint32_t n = 0; n < module.buffers.size(); ++n) {
    const tile::Buffer& b = module.buffers[BufferId(n)];
    if (!isa::is_hbm(b.space)) continue;
    memory[BufferId(n)].resize(static_cast<std::size_t>(b.bytes));
    if (b.variable.kind != isa::VariableKind::Input) continue;
    for (std::size_t at = 0; at + 4 <= memory[BufferId(n)].size(); at += 4) {
      const auto number = static_cast<float>(static_cast<int>((next = next * 1103515245u + 12345u) >> 16 & 15) - 7);
      std::memcpy(&memory[BufferId(n)][at], &number, 4);
    }
  }
  return memory;
}

const char kBlock[] = "  %block = sbuf partitions=8 bytes=64 copies=2\n";
const char kTarget[] = "%block[0:8, 0 + L1*32 + rot(L0,2), [4,8]]: f32";

}  // namespace

TEST_CASE("skewed loops give the same bytes, in program order and by semaphores alone") {
  auto machine = load_machine("trn2");
  REQUIRE(machine);
  for (std::int64_t turns : {4, 5, 6, 9}) {
    CAPTURE(turns);
    tile::Module module = parsed(program(turns, kBlock, kTarget, ""), **machine);
    Memory wanted = start(module);
    REQUIRE(ref::run_tile(module, **machine, wanted));
    tile::Module cut = module;
    REQUIRE(skewed(cut, **machine));
    auto verified = tile::verify(cut, **machine);
    REQUIRE_MESSAGE(verified, format_diagnostic(verified.diagnostic()) << tile::print(cut));
    const BufferId out(2);
    Memory got = start(cut);
    REQUIRE(ref::run_tile(cut, **machine, got));
    CHECK(got[out] == wanted[out]);
    // As the compiler calls it, to the device.
    tile::Module ordered = module;
    (void)sched::interleave(ordered, **machine, sched::Moves::All, true);
    auto code = sched::schedule(ordered, **machine, {});
    REQUIRE_MESSAGE(code, format_diagnostic(code.diagnostic()));
    auto model = device::Model::load(*code, *machine, {});
    REQUIRE(model);
    for (std::uint64_t round = 0; round < 6; ++round) {
      Memory memory = start(module);
      std::vector<std::byte*> pointers;
      for (std::uint32_t n = 0; n < 3; ++n) pointers.push_back(memory[BufferId(n)].data());
      auto ran = round == 0 ? (*model)->run(pointers) : (*model)->run_checked(pointers, round);
      REQUIRE_MESSAGE(ran, format_diagnostic(ran.diagnostic()));
      CHECK(memory[out] == wanted[out]);
    }
  }
}

TEST_CASE("loops that need what their last turn wrote, or have few turns, are not skewed") {
  auto machine = load_machine("trn2");
  REQUIRE(machine);
  tile::Module few = parsed(program(3, kBlock, kTarget, ""), **machine);
  CHECK(!skewed(few, **machine));
  // The second part writes what the first part of the next turn reads.
  tile::Module carried = parsed(program(6, kBlock, kTarget, "      dma %in[0:8*64, 512 + L0*512, [4,4]]: f32, %weights[0:8, 0, [4,4]]: f32, none indirect=0\n"), **machine);
  CHECK(skewed(carried, **machine));  // in the first part: nothing trades places with it
  std::string text = program(6, kBlock, kTarget, "");
  const std::string copy = "      copy %result";
  text.insert(text.find(copy), "      copy %weights[0:4, 0, [4,4]]: f32, %sum[0:4, 0, [4,4]]: f32\n");
  tile::Module own = parsed(text, **machine);
  CHECK(skewed(own, **machine));  // only the second part has to do with the weights
  text = program(6, kBlock, kTarget, "");
  text.insert(text.find("    loop_end L0"), "      dma %in[0:4*64, 512 + L0*512, [4,16]]: f32, %result[0:4, 0 + rot(L0,2), [4,16]]: f32, none indirect=0\n");
  tile::Module next = parsed(text, **machine);
  CHECK(!skewed(next, **machine));
}

TEST_CASE("a tile that is one for all turns becomes two") {
  auto machine = load_machine("trn2");
  REQUIRE(machine);
  const std::string one = "  %block = sbuf partitions=8 bytes=64\n", to = "%block[0:8, 0 + L1*32, [4,8]]: f32";
  tile::Module module = parsed(program(6, one, to, ""), **machine);
  Memory wanted = start(module);
  REQUIRE(ref::run_tile(module, **machine, wanted));
  CHECK(skewed(module, **machine));
  Memory got = start(module);
  REQUIRE(ref::run_tile(module, **machine, got));
  CHECK(got[BufferId(2)] == wanted[BufferId(2)]);
}
