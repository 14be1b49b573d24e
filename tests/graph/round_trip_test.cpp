// parse(print(x)) = x for random instances of every op of the table, in both directions of locations.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "graph/equal.h"
#include "graph/op_info.h"
#include "graph/print.h"
#include "graph/random_ops.h"
#include "graph/verify.h"
#include "import/import.h"

namespace openneuron::graph::test {
namespace {

constexpr std::uint32_t kInstances = 24;

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

}  // namespace

TEST_CASE("every op of the table prints, reads back and stays the same") {
  // With ON_DUMP_DIR the texts are written out for MLIR's own parser (tests/python/test_graph_text.py).
  const char* dump = std::getenv("ON_DUMP_DIR");
  std::size_t kinds = 0;
  for (std::size_t k = 0; k < op_kind_count(); ++k) {
    const OpKind kind = static_cast<OpKind>(k);
    bool held = false;
    for (std::uint32_t seed = 0; seed < kInstances; ++seed) {
      const Module module = random_op(kind, seed);
      CAPTURE(op_name(kind));
      CAPTURE(seed);
      for (FunctionId f : module.functions()) {
        for (OpId op : module.function(f).ops()) held |= module.function(f).kind(op) == kind;
      }
      const std::string plain = print(module);
      CAPTURE(plain);
      auto verified = verify(module);
      if (!verified) FAIL_CHECK(format_diagnostic(verified.diagnostic()));
      PrintOptions with_locations;
      with_locations.locations = true;
      const std::string located = print(module, with_locations);
      if (dump != nullptr) {
        std::ofstream(std::filesystem::path(dump) / (std::string(op_name(kind)) + "." + std::to_string(seed) + ".mlir"))
            << located;
      }
      for (const std::string& text : {plain, located}) {
        auto again = import::read_text(bytes_of(text), "printed");
        if (!again) {
          FAIL_CHECK(format_diagnostic(again.diagnostic()));
          continue;
        }
        std::string difference;
        if (!equal(module, *again, &difference)) FAIL_CHECK(difference);
        CHECK(print(*again) == plain);
        if (&text == &located) CHECK(print(*again, with_locations).size() == located.size());
      }
    }
    CHECK(held);
    ++kinds;
  }
  CHECK(kinds == op_kind_count());
  MESSAGE(kinds << " ops, " << kinds * kInstances << " instances");
}

TEST_CASE("docs/graph.md shows every op of the table") {
  std::ifstream in(std::filesystem::path(ON_TEST_DIR) / ".." / "docs" / "graph.md", std::ios::binary);
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  REQUIRE(!page.empty());
  for (std::size_t k = 0; k < op_kind_count(); ++k) {
    const std::string name(op_name(static_cast<OpKind>(k)));
    CHECK_MESSAGE(page.find("`" + name + "`") != std::string::npos, name);
  }
}

}  // namespace openneuron::graph::test
