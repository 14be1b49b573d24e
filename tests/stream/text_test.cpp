#include <doctest/doctest.h>

#include "base/files.h"
#include "machine/machine.h"
#include "stream/text.h"

using namespace openneuron;

TEST_CASE("the golden streams parse, verify and print as written") {
  auto machine = load_machine("trn2");
  REQUIRE(machine);
  auto file = read_file(std::string(ON_TEST_DIR) + "/golden/stream/two_core_matmul.stream");
  REQUIRE(file);
  auto code = stream::parse(file->text(), "two_core_matmul.stream");
  REQUIRE_MESSAGE(code, format_diagnostic(code.diagnostic()));
  CHECK(stream::print(*code) == file->text());
  auto verified = stream::verify(*code, **machine);
  CHECK_MESSAGE(verified, format_diagnostic(verified.diagnostic()));
}
