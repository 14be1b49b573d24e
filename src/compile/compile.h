// The list of passes and the pipeline: graph in, finished code out.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/part_times.h"
#include "base/result.h"
#include "graph/module.h"
#include "isa/code.h"
#include "lower/lower.h"
#include "machine/machine.h"
#include "tile/module.h"

namespace openneuron::compile {

enum class Numerics : std::uint8_t { Exact, Chip };
enum class Level : std::uint8_t { Graph, Tile, Stream };

/// Instructions of a program unless the options say otherwise; the binary form holds some more in a stream.
inline constexpr std::uint64_t kMostInstructions = 4'000'000;

struct Options {
  int optlevel = 2;                          ///< 1: small code, nothing reordered (no interleave); 3 is 2 for now
  Numerics numerics = Numerics::Exact;
  bool strict = false;
  std::vector<std::string> disabled;         ///< names of optional passes
  std::vector<std::string> dump_after;       ///< names of passes
  std::string stop_after;                    ///< a pass's name
  lower::Layouts* layouts = nullptr;         ///< forces and tells layouts, for tests
  std::uint64_t instruction_limit = kMostInstructions;
  std::function<void(std::string_view pass, std::string text)> on_dump;
  std::function<void(std::string_view stage, double fraction)> on_progress;
  std::function<void(std::uint64_t instructions)> on_count;  ///< once the program is lowered, before code generation
};

/// One row of the array of passes.
struct PassInfo {
  std::string_view name;
  Level level;
  std::string_view sentence;
  bool optional;
};
std::span<const PassInfo> passes();

struct PassTime {
  std::string_view name;
  double milliseconds = 0;
  std::vector<PartTime> parts;  ///< of a pass that has large ones
};
struct Outcome {
  isa::Code code;
  std::vector<PassTime> times;
  std::string layout_report;     ///< the layouts chosen, for people
  bool stopped = false;          ///< stop_after was reached; `code` is empty
};

/// errors  the first diagnostic of any pass; ON-E17xx when an op has no lowering yet
Result<Outcome> compile(graph::Module module, const Machine& machine, const Options& options);
/// From tile text's module on.
Result<Outcome> compile(tile::Module module, const Machine& machine, const Options& options);
/// Runs named graph passes only (golden tests).
Result<graph::Module> run_graph_passes(graph::Module module, std::span<const std::string> names);
/// Lowers to tile level only. `report`, when given, receives the layouts chosen.
Result<tile::Module> to_tile(graph::Module module, const Machine& machine, const Options& options, std::string* report = nullptr);

}  // namespace openneuron::compile
