// Golden tests of the compile tower: tests/golden/graph/<pass>/*.mlir and tests/golden/layout/*.mlir. A file is
//   // run: pass, pass            graph passes, then the printed module; or
//   // run: lower MACHINE         the layouts chosen and the tile program
//   ...program...
//   // ---- expect                followed by the whole output, or
//   // expect-error: CODE @ line  in its place
// With ON_REWRITE=1 in the environment the expectations are rewritten: read them before committing.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "compile/compile.h"
#include "graph/print.h"
#include "graph/verify.h"
#include "import/import.h"
#include "machine/machine.h"
#include "tile/text.h"

using namespace openneuron;

namespace {

constexpr std::string_view kExpect = "// ---- expect\n";

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string refused(const Diagnostic& d) {
  return "// expect-error: " + std::string(code_text(d.code)) + " @ " + std::to_string(d.place.line) + "\n";
}

std::string output_of(const std::string& program, const std::string& name, const std::string& command) {
  auto module = import::read(std::as_bytes(std::span<const char>(program)), name, {}, import::Positions::OfText);
  if (!module) return refused(module.diagnostic());
  std::istringstream words(command);
  std::string word;
  words >> word;
  if (word == "lower") {
    words >> word;
    auto machine = load_machine(word);
    if (!machine) return refused(machine.diagnostic());
    compile::Options options;
    std::string report;
    auto tiles = compile::to_tile(std::move(*module), **machine, options, &report);
    if (!tiles) return refused(tiles.diagnostic());
    return report + tile::print(*tiles);
  }
  std::vector<std::string> passes;
  for (; !word.empty(); word.clear(), words >> word) {
    if (word.back() == ',') word.pop_back();
    passes.push_back(word);
  }
  auto made = compile::run_graph_passes(std::move(*module), passes);
  if (!made) return refused(made.diagnostic());
  if (auto good = graph::verify(*made); !good) return format_diagnostic(good.diagnostic()) + "\n";
  return graph::print(*made);
}

void check(const std::filesystem::path& path) {
  const std::string text = read_file(path);
  INFO(path.string());
  REQUIRE(text.rfind("// run: ", 0) == 0);
  const std::string command = text.substr(8, text.find('\n') - 8);
  std::size_t end = text.find(kExpect);
  const bool expects_error = end == std::string::npos;
  if (expects_error) end = std::min(text.find("// expect-error:"), text.size());
  const std::string program = text.substr(0, end);
  const std::string made = output_of(program, path.filename().string(), command);
  const bool error = made.rfind("// expect-error:", 0) == 0;
  const std::string whole = program + (error ? "" : std::string(kExpect)) + made;
  if (std::getenv("ON_REWRITE")) {
    std::ofstream(path, std::ios::binary) << whole;
    return;
  }
  CHECK(whole == text);
}

}  // namespace

TEST_CASE("golden files of the compile tower") {
  std::vector<std::filesystem::path> files;
  for (const char* folder : {"graph", "layout"})
    for (const auto& e : std::filesystem::recursive_directory_iterator(std::filesystem::path(ON_TEST_DIR "/golden") / folder))
      if (e.path().extension() == ".mlir") files.push_back(e.path());
  std::sort(files.begin(), files.end());
  REQUIRE(!files.empty());
  for (const auto& path : files) check(path);
}
