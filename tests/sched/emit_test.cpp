#include <doctest/doctest.h>

#include <cstdlib>

#include "base/files.h"
#include "machine/machine.h"
#include "sched/sched.h"
#include "stream/text.h"
#include "tile/text.h"

using namespace openneuron;

TEST_CASE("the two-core program schedules to the golden streams") {
  auto machine = load_machine("trn2");
  REQUIRE(machine);
  auto file = read_file(std::string(ON_TEST_DIR) + "/golden/tile/two_core_matmul.tile");
  REQUIRE(file);
  auto module = tile::parse(file->text(), "two_core_matmul.tile");
  REQUIRE(module);
  auto code = sched::schedule(*module, **machine, {});
  REQUIRE_MESSAGE(code, format_diagnostic(code.diagnostic()));
  const std::string golden = std::string(ON_TEST_DIR) + "/golden/stream/two_core_matmul.stream";
  const std::string text = stream::print(*code);
  if (std::getenv("OPENNEURON_REWRITE_GOLDEN")) REQUIRE(write_file_atomically(golden, text));
  auto expected = read_file(golden);
  REQUIRE(expected);
  CHECK(text == expected->text());
}
