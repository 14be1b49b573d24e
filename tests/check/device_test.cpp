// The same random programs on the oracle, on the device, and in check mode, where only semaphores order the streams.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>

#include "device/device.h"
#include "machine/machine.h"
#include "ref/ref.h"
#include "sched/interleave.h"
#include "sched/random_tile.h"
#include "sched/sched.h"
#include "tile/text.h"

using namespace openneuron;

namespace {

using Memory = Column<BufferId, std::vector<std::byte>>;

Memory inputs(const tile::Module& module, unsigned seed) {
  std::mt19937 random(seed);
  Memory memory(module.buffers.size());
  for (std::uint32_t n = 0; n < module.buffers.size(); ++n) {
    const tile::Buffer& b = module.buffers[BufferId(n)];
    if (!isa::is_hbm(b.space)) continue;
    auto& bytes = memory[BufferId(n)];
    bytes.resize(static_cast<std::size_t>(b.bytes));
    if (b.variable.kind != isa::VariableKind::Input) continue;
    for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) {
      // Small whole numbers: sums and products of a few of them are exact.
      const auto number = static_cast<float>(static_cast<int>(random() % 7) - 3);
      const auto offset = static_cast<std::int32_t>(at < 16 ? random() % 4 : random() % 128);
      if (b.variable.type == ElementType::F32)
        std::memcpy(&bytes[at], &number, 4);
      else
        std::memcpy(&bytes[at], &offset, 4);
    }
  }
  return memory;
}

}  // namespace

TEST_CASE("random programs give the oracle's bytes on the device, in program order and in any order") {
  auto machine = load_machine("trn2");
  REQUIRE(machine);
  unsigned from = 1, to = 40;
  if (const char* seeds = std::getenv("OPENNEURON_SEEDS")) {
    from = to = static_cast<unsigned>(std::strtoul(seeds, nullptr, 10));
    if (const char* comma = std::strchr(seeds, ',')) to = static_cast<unsigned>(std::strtoul(comma + 1, nullptr, 10));
  }
  for (unsigned seed = from; seed <= to; ++seed) {
    CAPTURE(seed);
    tile::Module module = test::RandomTile(seed, seed % 3 != 0).make(4 + static_cast<int>(seed % 12));
    REQUIRE(tile::verify(module, **machine));
    const Memory start = inputs(module, seed);
    Memory wanted = start;
    auto reference = ref::run_tile(module, **machine, wanted);
    REQUIRE_MESSAGE(reference, format_diagnostic(reference.diagnostic()));
    tile::Module copy = module;
    // Of four programs one as it stands, three reordered, with turns of loops side by side.
    if (seed % 4 != 0) {
      (void)sched::interleave(copy, **machine, seed % 8 < 4 ? sched::Moves::All : sched::Moves::InLoops, seed % 3 != 0, true);
      auto verified = tile::verify(copy, **machine);
      REQUIRE_MESSAGE(verified, format_diagnostic(verified.diagnostic()) << tile::print(copy));
    }
    auto code = sched::schedule(copy, **machine, {});
    REQUIRE_MESSAGE(code, format_diagnostic(code.diagnostic()));
    auto model = device::Model::load(*code, *machine, {});
    REQUIRE_MESSAGE(model, format_diagnostic(model.diagnostic()));
    for (std::uint64_t round = 0; round < 5; ++round) {
      CAPTURE(round);
      Memory memory = start;
      std::vector<std::byte*> pointers;
      for (std::uint32_t n = 0; n < module.buffers.size(); ++n) {
        const tile::Buffer& b = module.buffers[BufferId(n)];
        if (!isa::is_hbm(b.space)) continue;
        pointers.push_back(memory[b.alias.valid() ? b.alias : BufferId(n)].data());
      }
      auto ran = round == 0 ? (*model)->run(pointers) : (*model)->run_checked(pointers, 17 * seed + round);
      REQUIRE_MESSAGE(ran, format_diagnostic(ran.diagnostic()));
      for (std::uint32_t n = 0; n < module.buffers.size(); ++n) {
        const tile::Buffer& b = module.buffers[BufferId(n)];
        if (!isa::is_hbm(b.space) || b.variable.kind != isa::VariableKind::Output) continue;
        const BufferId owner = b.alias.valid() ? b.alias : BufferId(n);
        CAPTURE(b.name);
        const auto& got = memory[owner];
        const auto& want = wanted[owner];
        const auto differs = std::mismatch(got.begin(), got.end(), want.begin()).first - got.begin();
        if (differs != static_cast<std::ptrdiff_t>(got.size())) {
          const auto at = static_cast<std::size_t>(differs / 4 * 4);
          float a = 0, b_value = 0;
          std::memcpy(&a, &got[at], 4);
          std::memcpy(&b_value, &want[at], 4);
          FAIL_CHECK("element " << at / 4 << " is " << a << ", not " << b_value);
          return;
        }
      }
    }
  }
}
