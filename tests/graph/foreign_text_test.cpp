// The C++ side of tests/python/test_graph_text.py, which has MLIR write and judge the same programs. Idle without
// ON_FOREIGN_DIR: a folder of NAME.mlir (ours), NAME.mlir.generic and NAME.mlir.pretty (MLIR's), and NAME.mutated,
// whose verdicts go to verdicts.txt, one line each: name, tab, "ok" or the diagnostic.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "graph/equal.h"
#include "import/import.h"

namespace openneuron {
namespace {

std::string slurp(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Result<graph::Module> read(const std::string& text, const std::string& name) {
  return import::read(std::as_bytes(std::span(text)), name);
}

}  // namespace

TEST_CASE("texts that MLIR wrote read as the same graphs") {
  const char* folder = std::getenv("ON_FOREIGN_DIR");
  if (folder == nullptr) return;
  std::ofstream verdicts(std::filesystem::path(folder) / "verdicts.txt");
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& file : files) {
    if (file.extension() == ".mutated") {
      auto module = read(slurp(file), file.filename().string());
      verdicts << file.filename().string() << '\t'
               << (module ? "ok" : module.diagnostic().place.op + ": " + module.diagnostic().message) << '\n';
    }
    if (file.extension() != ".mlir") continue;
    CAPTURE(file.string());
    auto ours = read(slurp(file), file.filename().string());
    REQUIRE_MESSAGE(ours, (ours ? "" : format_diagnostic(ours.diagnostic())));
    for (const char* form : {".generic", ".pretty"}) {
      const std::string text = slurp(file.string() + form);
      CAPTURE(text);
      auto theirs = read(text, file.filename().string() + form);
      if (!theirs) {
        FAIL_CHECK(format_diagnostic(theirs.diagnostic()));
        continue;
      }
      std::string difference;
      if (!graph::equal(*ours, *theirs, &difference)) FAIL_CHECK(difference);
    }
  }
}

}  // namespace openneuron
