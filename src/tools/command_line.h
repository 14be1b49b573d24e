// The command line of `openneuron` as one struct. CLI11 appears in command_line.cpp only.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "compile/compile.h"

namespace openneuron::tools {

enum class Command { Run, Ref, Opt, Show, Report, Strip, Explain };

struct Arguments {
  Command command = Command::Run;
  std::string file;  ///< explain: the code

  // inputs and outputs
  std::string inputs, outputs;  ///< .npz files; empty: random inputs, a summary of the outputs
  std::uint64_t seed = 0;
  std::int64_t steps = 0, repeat = 0;  ///< 0: not given
  bool float64 = false;                ///< ref: floating outputs as float64

  // machine and execution
  std::string target;  ///< empty: trn2, or the NEFF's own
  int threads = 0;     ///< 0: as many as the host has
  std::string host_isa = "auto";
  bool check = false;
  std::uint64_t step_limit = 0;
  std::string timeline, report;  ///< files to write

  // compiling
  std::vector<std::string> dump_after, disabled;
  std::string stop_after;
  bool time_passes = false, chip_numerics = false, strict = false;
  int optlevel = 2;
  std::uint64_t max_instructions = compile::kMostInstructions;

  // opt, strip, show, report
  std::vector<std::string> passes;
  std::string to, output;
  bool list_passes = false, json = false, header_only = false;
};

/// Either arguments, or a text to print (help, version) before leaving with status 0.
struct CommandLine {
  std::optional<Arguments> arguments;
  std::string text;
};

/// errors  ON-E2101
Result<CommandLine> parse_command_line(int argc, const char* const* argv);

}  // namespace openneuron::tools
