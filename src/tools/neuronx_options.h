// The command line of `neuronx-cc`: option names, values, order and messages are AWS's.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"

namespace openneuron::tools {

struct NeuronxOptions {
  enum class Action { Compile, Help, CompileHelp, Version };
  Action action = Action::Help;
  std::string model_file;
  std::string framework, target;
  std::string output = "file.neff";
  std::string logfile = "log-neuron-cc.txt";
  int optlevel = 2;
  int lnc = 1;
  int verbose = 30;  ///< Python's levels: 10 debug, 20 info, 30 warning, 35 user, 40 error, 50 critical
  bool compress = true;
  std::vector<std::string> ignored;  ///< accepted, without effect for now: said in the log
};

/// errors  NCC_EARG002 lists unknown arguments and values; NCC_EARG001 --lnc; ON-E2101 something required is missing
Result<NeuronxOptions> parse_neuronx_options(int argc, const char* const* argv);
std::string neuronx_help(bool compile);
std::string neuronx_version();

}  // namespace openneuron::tools
