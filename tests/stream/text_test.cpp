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

TEST_CASE("a region that its stream does not close is refused at its stream") {
  auto machine = load_machine("trn2");
  REQUIRE(machine);
  auto file = read_file(std::string(ON_TEST_DIR) + "/golden/stream/two_core_matmul.stream");
  REQUIRE(file);
  std::string text(file->text());
  const auto end = text.find("      7: loop_end");
  REQUIRE(end != std::string::npos);
  text.erase(end, text.find('\n', end) + 1 - end);
  auto code = stream::parse(text, "unclosed.stream");
  REQUIRE_MESSAGE(code, format_diagnostic(code.diagnostic()));
  auto verified = stream::verify(*code, **machine);
  REQUIRE_FALSE(verified);
  CHECK(verified.diagnostic().code == Code::StreamRegions);
  CHECK(format_diagnostic(verified.diagnostic()).find("PE: a region is not closed") != std::string::npos);
}
