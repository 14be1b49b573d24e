#include <doctest/doctest.h>

#include "base/files.h"
#include "check/check.h"
#include "machine/machine.h"
#include "sched/random_tile.h"
#include "sched/sched.h"
#include "stream/text.h"
#include "tile/text.h"

using namespace openneuron;

namespace {

struct Tally {
  int waits = 0, implied = 0, reported = 0, silent = 0, wrong = 0;
};

// Deletes each wait in turn.
Tally delete_each_wait(isa::Code& code, const Machine& machine) {
  Tally tally;
  for (std::size_t c = 0; c < code.cores.size(); ++c)
    for (std::size_t s = 0; s < code.cores[c].streams.size(); ++s)
      for (std::size_t i = 0; i < code.cores[c].streams[s].instructions.size(); ++i) {
        isa::Instruction& instruction = code.cores[c].streams[s].instructions.open()[i];
        for (std::size_t w = 0; w < instruction.waits.size(); ++w) {
          ++tally.waits;
          const bool implied = check::wait_is_implied(code, machine, static_cast<int>(c), static_cast<int>(s), static_cast<int>(i), static_cast<int>(w));
          const auto saved = instruction.waits;
          instruction.waits.erase(w);
          const bool reported = !check::check_races(code, machine);
          instruction.waits = saved;
          if (implied && reported) ++tally.wrong;
          if (implied) ++tally.implied;
          if (reported) ++tally.reported;
          if (!implied && !reported) ++tally.silent;
        }
      }
  return tally;
}

}  // namespace

TEST_CASE("deleting any wait is reported unless others imply it") {
  auto machine = load_machine("trn2");
  REQUIRE(machine);
  Tally all;
  for (unsigned seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    tile::Module module = test::RandomTile(seed, seed % 3 != 0).make(6);
    auto code = sched::schedule(module, **machine, {});
    REQUIRE(code);
    const Tally t = delete_each_wait(*code, **machine);
    CHECK(t.wrong == 0);
    all.waits += t.waits, all.implied += t.implied, all.reported += t.reported, all.silent += t.silent;
  }
  MESSAGE("waits ", all.waits, ", implied ", all.implied, ", reported ", all.reported);
  CHECK(all.silent == 0);
  CHECK(all.reported > all.waits / 2);
}

namespace {

isa::Code golden() {
  auto file = read_file(std::string(ON_TEST_DIR) + "/golden/stream/two_core_matmul.stream");
  REQUIRE(file);
  auto code = stream::parse(file->text(), "two_core_matmul.stream");
  REQUIRE(code);
  return std::move(*code);
}

isa::Instruction& at(isa::Code& code, int core, int stream, std::uint32_t order) {
  for (isa::Instruction& i : code.cores[static_cast<std::size_t>(core)].streams[static_cast<std::size_t>(stream)].instructions.open())
    if (i.order == order) return i;
  FAIL("no such instruction");
  return code.cores[0].streams[0].instructions.open()[0];
}

std::string code_of(const Result<void>& result) { return result ? "clean" : code_text(result.diagnostic().code); }

}  // namespace

TEST_CASE("the golden two-core streams are clean, and every wait in them is needed") {
  auto machine = load_machine("trn2");
  isa::Code code = golden();
  CHECK(code_of(check::check_all(code, **machine)) == "clean");
  const Tally t = delete_each_wait(code, **machine);
  CHECK(t.waits == t.reported);
  CHECK(t.silent == 0);
}

TEST_CASE("two live buffers that overlap are a race") {
  auto machine = load_machine("trn2");
  isa::Code code = golden();
  // The first K tile of b moves onto that of at: the loads and the PE's reads meet.
  for (isa::Stream& s : code.cores[0].streams)
    for (isa::Instruction& i : s.instructions.open())
      for (isa::Operand& o : i.operands)
        if (o.space == isa::Space::Sbuf && o.start == 1024) o.start = 0;
  const Result<void> checked = check::check_races(code, **machine);
  REQUIRE(code_of(checked) == "ON-E2202");
  CHECK(checked.diagnostic().message.find("two_core_matmul.py:12:10 (matmul)") != std::string::npos);
}

TEST_CASE("a wait that never comes is a deadlock") {
  auto machine = load_machine("trn2");
  isa::Code code = golden();
  at(code, 0, 5, 3).waits[0].count += 1000;
  const Result<void> checked = check::check_deadlock(code, **machine);
  REQUIRE(code_of(checked) == "ON-E2203");
  CHECK(checked.diagnostic().message.find("waits for sem0") != std::string::npos);
  CHECK(code_of(check::check_races(code, **machine)) == "ON-E2203");
}

TEST_CASE("a lost signal, a lost advance and a missing barrier are noticed") {
  auto machine = load_machine("trn2");
  isa::Code code = golden();
  at(code, 0, 1, 1).signal = false;
  CHECK(code_of(check::check_all(code, **machine)) == "ON-E2203");
  code = golden();
  at(code, 0, 0, 7).advances.clear();  // later iterations of the PE no longer wait for their loads
  CHECK(code_of(check::check_all(code, **machine)) == "ON-E2202");
  code = golden();
  auto& sync = code.cores[1].streams[4].instructions.open();
  REQUIRE(sync.back().opcode == isa::Opcode::CoreBarrier);
  sync.pop_back();
  CHECK(code_of(check::check_all(code, **machine)) == "ON-E2203");
}

TEST_CASE("accesses outside memory and instructions that the machine lacks break limits") {
  auto machine = load_machine("trn2");
  isa::Code code = golden();
  at(code, 0, 2, 8).operands[0].start = (*machine)->sbuf_partition_bytes - 4;
  CHECK(code_of(check::check_limits(code, **machine)) == "ON-E2201");
  code = golden();
  at(code, 0, 2, 8).operands[0].partition_start = 64;
  CHECK(code_of(check::check_limits(code, **machine)) == "ON-E2201");
  code = golden();
  at(code, 0, 2, 8).waits[0].semaphore = 77;
  CHECK(code_of(check::check_limits(code, **machine)) == "ON-E2201");
}
