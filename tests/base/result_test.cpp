#include "base/result.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

using namespace openneuron;

namespace {

Result<int> half(int value) {
  if (value % 2) return fail(Code::Internal, "odd");
  return value / 2;
}

Result<int> quarter(int value) {
  auto once = half(value);
  if (!once) return once.failure();
  return half(*once);
}

Result<void> twice_even(int value) {
  ON_TRY(half(value));
  ON_TRY(half(value / 2));
  return {};
}

}  // namespace

TEST_CASE("a failure travels up unchanged") {
  CHECK(*quarter(8) == 2);
  CHECK(quarter(6).diagnostic().message == "odd");
  CHECK(twice_even(4));
  CHECK(twice_even(2).diagnostic().message == "odd");
}

TEST_CASE("a result holds what can only be moved") {
  auto make = []() -> Result<std::unique_ptr<int>> { return std::make_unique<int>(3); };
  std::unique_ptr<int> taken = *make();
  CHECK(*taken == 3);
}

TEST_CASE("a diagnostic prints place, code, op, message and hint") {
  Diagnostic d;
  d.code = Code::FileUnreadable;
  d.place.file = "a.mlir";
  d.place.line = 3;
  d.place.column = 7;
  d.place.op = "stablehlo.add";
  d.message = "no";
  d.hint = "yes";
  CHECK(format_diagnostic(d) == "a.mlir:3:7: error [ON-E1001] stablehlo.add: no\n  hint: yes");
  d.place = Place();
  d.place.byte_offset = 12;
  d.message.clear();
  d.hint.clear();
  CHECK(format_diagnostic(d) ==
        std::string("byte 12: error [ON-E1001] A file cannot be read.\n  hint: ") + code_hint(Code::FileUnreadable));
}
