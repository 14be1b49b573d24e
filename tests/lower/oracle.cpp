// Lowering against the oracle: the tile program of a graph, run by the tile interpreter, gives what the graph
// interpreter gives in float64, on machines of several shapes and with and without SBUF residency.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "graph/verify.h"
#include "import/import.h"
#include "lower/lower.h"
#include "machine/machine.h"
#include "opt/inline_calls.h"
#include "opt/legalise.h"
#include "ref/ref.h"
#include "tile/text.h"

using namespace openneuron;

namespace {

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

ref::Tensor random_input(const graph::Type& t, std::mt19937_64& random) {
  ref::Tensor x;
  x.type = t.element;
  x.shape = t.shape;
  std::normal_distribution<double> normal;
  for (std::int64_t i = 0; i < x.count(); ++i) {
    if (is_float(t.element))
      x.real.push_back(normal(random));
    else
      x.integer.push_back(static_cast<std::int64_t>(random() % 2));
  }
  return ref::from_bytes(x.type, x.shape, ref::to_bytes(x));  // rounded to the type
}

double worst_error(const ref::Tensor& want, const ref::Tensor& got) {
  double largest = 1e-30, worst = 0;
  if (!is_float(want.type)) {
    for (std::size_t i = 0; i < want.integer.size(); ++i) worst = std::max(worst, want.integer[i] == got.integer[i] ? 0.0 : 1.0);
    return worst;
  }
  for (double x : want.real)
    if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
  for (std::size_t i = 0; i < want.real.size(); ++i) {
    const double a = want.real[i], b = got.real[i];
    if (std::isnan(a) && std::isnan(b)) continue;
    if (a == b) continue;
    worst = std::max(worst, std::isfinite(a) && std::isfinite(b) ? std::abs(a - b) / largest : 1.0);
  }
  return worst;
}

std::string compare(const std::string& text, const std::string& name, const std::string& machine_name, double residency, double tolerance) {
  auto source = import::read_text(std::as_bytes(std::span<const char>(text)), name);
  if (!source) return format_diagnostic(source.diagnostic());
  auto machine = load_machine(machine_name);
  if (!machine) return format_diagnostic(machine.diagnostic());
  const graph::Function& f = source->function(source->entry());
  std::mt19937_64 random(7);
  std::vector<ref::Tensor> inputs;
  for (ValueId p : f.parameters()) inputs.push_back(random_input(source->value_type(f, p), random));
  auto wanted = ref::run_graph(*source, inputs);
  if (!wanted) return "ref: " + format_diagnostic(wanted.diagnostic());
  if (auto r = opt::inline_calls(*source); !r) return format_diagnostic(r.diagnostic());
  if (auto r = opt::legalise(*source); !r) return format_diagnostic(r.diagnostic());
  if (auto r = graph::verify(*source); !r) return "after passes: " + format_diagnostic(r.diagnostic());
  lower::Options options;
  options.residency = residency;
  std::string report;
  auto tiles = lower::lower(*source, **machine, options, report);
  if (!tiles) return format_diagnostic(tiles.diagnostic());
  if (std::getenv("SHOW")) std::printf("%s%s\n", report.c_str(), tile::print(*tiles).c_str());
  if (auto r = tile::verify(*tiles, **machine); !r) return format_diagnostic(r.diagnostic());
  Column<BufferId, std::vector<std::byte>> memory(tiles->buffers.size());
  std::vector<std::pair<BufferId, std::size_t>> outputs;
  std::size_t in = 0, out = 0;
  for (std::size_t b = 0; b < tiles->buffers.size(); ++b) {
    const tile::Buffer& buffer = tiles->buffers[BufferId(b)];
    if (!isa::is_hbm(buffer.space)) continue;
    if (buffer.variable.kind == isa::VariableKind::Input) memory[BufferId(b)] = ref::to_bytes(inputs[in++]);
    if (buffer.variable.kind == isa::VariableKind::Output) outputs.push_back({BufferId(b), out++});
  }
  if (auto r = ref::run_tile(*tiles, **machine, memory); !r) return "tile: " + format_diagnostic(r.diagnostic());
  for (auto [buffer, i] : outputs) {
    const ref::Tensor& want = (*wanted)[i];
    if (want.count() == 0) continue;
    const ref::Tensor got = ref::from_bytes(want.type, want.shape, memory[buffer]);
    const double error = worst_error(want, got);
    if (!(error <= tolerance)) return "output" + std::to_string(i) + " differs by " + std::to_string(error);
  }
  return {};
}

}  // namespace

TEST_CASE("lowered programs agree with the graph oracle") {
  // Every program of tests/golden/lower, and with ON_MODELS=<folder> the exported models there.
  std::vector<std::filesystem::path> files;
  for (const auto& e : std::filesystem::directory_iterator(ON_TEST_DIR "/golden/lower"))
    if (e.path().extension() == ".mlir") files.push_back(e.path());
  if (const char* models = std::getenv("ON_MODELS")) {
    files.clear();
    for (const auto& e : std::filesystem::recursive_directory_iterator(models))
      if (e.path().extension() == ".mlir" && e.path().string().find("unrolled") == std::string::npos) files.push_back(e.path());
  }
  std::sort(files.begin(), files.end());
  REQUIRE(!files.empty());
  for (const auto& path : files) {
    const std::string text = read_file(path.string());
    const double tolerance = text.find("bf16") != std::string::npos || text.find("f16") != std::string::npos ? 3e-2 : 1e-4;
    for (const char* machine : {"trn2", "odd", "tiny"}) {
      for (double residency : {0.6, 0.0}) {
        INFO(path.string(), " on ", machine, " residency ", residency);
        const std::string said = compare(text, path.string(), machine, residency, tolerance);
        CHECK_MESSAGE(said.empty(), said);
      }
    }
  }
}
