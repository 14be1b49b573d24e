#include <unistd.h>

#include <algorithm>

#include "compile/compile.h"
#include "device/device.h"
#include "graph/print.h"
#include "image/neff.h"
#include "import/import.h"
#include "stream/text.h"
#include "tile/text.h"
#include "tools/commands.h"
#include "tools/json_files.h"
#include "tools/program.h"

namespace openneuron::tools {
namespace {

Result<void> deliver(const Arguments& a, std::string_view text) {
  if (a.output.empty()) return print(text);
  return write_file_atomically(a.output, text);
}

std::string pass_list() {
  std::string out;
  for (const compile::PassInfo& pass : compile::passes()) {
    std::string line(pass.name);
    line.resize(std::max<std::size_t>(line.size() + 1, 28), ' ');
    line += pass.level == compile::Level::Graph  ? "graph   "
            : pass.level == compile::Level::Tile ? "tile    "
                                                 : "stream  ";
    line += pass.optional ? "optional  " : "          ";
    out += line + std::string(pass.sentence) + "\n";
  }
  return out;
}

Failure unfit(const Source& source, const std::string& wanted) {
  Place place;
  place.file = source.file;
  return fail(Code::FormatUnfit, place, std::string("this is ") + format_name(source.format) + "; " + wanted);
}

Failure at_file(Failure failure, const Source& source) {
  if (failure.diagnostic().place.file.empty()) failure.diagnostic().place.file = source.file;
  return failure;
}

Result<void> graph_text(const Source& source, const Arguments& a, std::vector<std::string> names) {
  if (source.format == FileFormat::Neff || source.format == FileFormat::TileText ||
      source.format == FileFormat::StreamText)
    return unfit(source, "the graph level is read from StableHLO text, MLIR bytecode and HLO protos");
  auto module = import::read(source.bytes.bytes, source.file, source.bytes.owner);
  if (!module) return module.failure();
  auto changed = compile::run_graph_passes(std::move(*module), names);
  if (!changed) return at_file(changed.failure(), source);
  return deliver(a, graph::print(*changed));
}

Result<void> tile_text(const Source& source, const Arguments& a, Progress& progress) {
  if (source.format == FileFormat::Neff || source.format == FileFormat::StreamText)
    return unfit(source, "the tile level is made from the graph level");
  if (source.format == FileFormat::TileText) {
    auto module = tile::parse(source.bytes.text(), source.file);
    if (!module) return module.failure();
    auto machine = choose_machine(a, module->target, source.file);
    if (!machine) return machine.failure();
    ON_TRY(tile::verify(*module, **machine));
    return deliver(a, tile::print(*module));
  }
  auto machine = choose_machine(a, {}, source.file);
  if (!machine) return machine.failure();
  auto module = import::read(source.bytes.bytes, source.file, source.bytes.owner);
  if (!module) return module.failure();
  auto lowered = compile::to_tile(std::move(*module), **machine, compile_options(a, &progress));
  if (!lowered) return at_file(lowered.failure(), source);
  return deliver(a, tile::print(*lowered));
}

std::string base_name(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

Result<void> check_pass_names(const Arguments& a) {
  const auto find = [](const std::string& name) -> const compile::PassInfo* {
    for (const compile::PassInfo& pass : compile::passes())
      if (pass.name == name) return &pass;
    return nullptr;
  };
  for (const std::string& name : a.passes)
    if (const auto* pass = find(name); !pass || pass->level != compile::Level::Graph)
      return fail(Code::PassUnknown, "--passes: there is no graph pass '" + name + "'");
  for (const std::string& name : a.disabled)
    if (const auto* pass = find(name); !pass || !pass->optional)
      return fail(Code::PassUnknown, "--disable: there is no optional pass '" + name + "'");
  for (const std::string& name : a.dump_after)
    if (!find(name)) return fail(Code::PassUnknown, "--dump-after: there is no pass '" + name + "'");
  if (!a.stop_after.empty() && !find(a.stop_after))
    return fail(Code::PassUnknown, "--stop-after: there is no pass '" + a.stop_after + "'");
  return {};
}

}  // namespace

Result<void> check_passes(const Arguments& arguments) { return check_pass_names(arguments); }

Result<void> opt(const Arguments& a) {
  if (a.list_passes) return print(pass_list());
  if (!a.passes.empty() && !a.to.empty() && a.to != "graph")
    return fail(Code::Usage, "--passes prints the graph; it excludes --to " + a.to);
  auto source = open_source(a.file);
  if (!source) return source.failure();

  Progress progress;
  const bool compiles = a.to == "stream" || a.to == "neff";
  if (!compiles && a.stop_after.empty()) {
    if (a.to == "tile") return tile_text(*source, a, progress);
    std::vector<std::string> names = a.passes;
    if (a.to == "graph" && names.empty())
      for (const compile::PassInfo& pass : compile::passes())
        if (pass.level == compile::Level::Graph &&
            std::find(a.disabled.begin(), a.disabled.end(), pass.name) == a.disabled.end())
          names.emplace_back(pass.name);
    if (a.to.empty() && source->format == FileFormat::TileText) return tile_text(*source, a, progress);
    if (!a.to.empty() || source->format == FileFormat::StablehloText || source->format == FileFormat::Bytecode || source->format == FileFormat::HloProto ||
        source->format == FileFormat::Unknown)
      return graph_text(*source, a, std::move(names));
  }

  auto program = make_program(*source, a, progress);
  if (!program) return program.failure();
  if (!a.stop_after.empty()) return deliver(a, program->stopped_text);
  if (a.to == "neff") {
    if (a.output.empty() && ::isatty(1)) return fail(Code::Usage, "a NEFF is binary: name a file with -o");
    image::WriteOptions options;
    if (!a.output.empty()) options.name = base_name(a.output);
    auto bytes = image::write_neff(*program->code, options);
    if (!bytes) return bytes.failure();
    ON_TRY(deliver(a, {reinterpret_cast<const char*>(bytes->data()), bytes->size()}));
  } else {
    ON_TRY(deliver(a, stream::print(*program->code)));
  }
  if (!a.report.empty()) {
    RunReport report;
    report.target = program->machine->name;
    report.compile_ms = program->compile_ms;
    report.peak_rss_bytes = peak_rss_bytes();
    const device::Estimate estimate = device::estimate(*program->code, *program->machine);
    report.estimate = &estimate;
    ON_TRY(write_file_atomically(a.report, std::string_view(report_json(report))));
  }
  return {};
}

}  // namespace openneuron::tools
