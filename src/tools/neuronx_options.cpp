#include "tools/neuronx_options.h"

#include <algorithm>

#include "base/hash.h"
#include "base/version.h"
#include "compile/neuronx_flags.h"

namespace openneuron::tools {
namespace {

using compile::FlagName;
using compile::NeuronxFlag;

// Where one option's value goes.
void apply(const NeuronxFlag& flag, const std::string& value, NeuronxOptions& o, bool& help, bool& version) {
  switch (flag.name) {
    case FlagName::Framework: o.framework = value; break;
    case FlagName::Target: o.target = value; break;
    case FlagName::Lnc: o.lnc = value[0] - '0'; break;
    case FlagName::Optlevel: o.optlevel = value[0] - '0'; break;
    case FlagName::FastLoading: o.compress = false; break;
    case FlagName::Logfile: o.logfile = value; break;
    case FlagName::Output: o.output = value; break;
    case FlagName::Verbose: compile::parse_verbosity(value, o.verbose); break;
    case FlagName::Help: help = true; break;
    case FlagName::Version: version = true; break;
    case FlagName::AutoCast:
      if (value != "none") o.ignored.push_back("--auto-cast " + value);
      break;
    case FlagName::MixedOn:
    case FlagName::ModelType:
    case FlagName::Distribution:
    case FlagName::AutoCastType: break;
    default: o.ignored.push_back(std::string(flag.spelling)); break;
  }
}

}  // namespace

Result<NeuronxOptions> parse_neuronx_options(int argc, const char* const* argv) {
  NeuronxOptions options;
  const std::vector<std::string> arguments(argv + 1, argv + std::max(argc, 1));
  const compile::FlagLine line = compile::read_neuronx_flags(arguments);
  if (!line.incomplete.empty()) return fail(Code::Usage, "argument " + std::string(line.incomplete) + ": expected one argument");
  bool help = false, version = false;
  for (const auto& given : line.flags) apply(*given.flag, given.value, options, help, version);
  const std::vector<std::string>& words = line.words;
  using Action = NeuronxOptions::Action;
  if (version) {
    options.action = Action::Version;
    return options;
  }
  const bool compile = !words.empty() && words[0] == "compile";
  if (help) {
    options.action = compile ? Action::CompileHelp : Action::Help;
    return options;
  }
  if (words.empty()) return fail(Code::Usage, "a command is required: compile");
  if (!compile) return fail(Code::Usage, "unknown command '" + words[0] + "': expected compile");
  std::string list;
  for (const auto& illegal : line.illegal) list += (list.empty() ? "" : ", ") + illegal.text;
  for (std::size_t i = 2; i < words.size(); ++i) list += (list.empty() ? "" : ", ") + words[i];
  if (!list.empty())
    return fail(Code::ArgumentUnknown, "illegal argument(s): " + list);
  std::string missing;
  if (words.size() < 2) missing += " model_files";
  if (options.framework.empty()) missing += " --framework";
  if (options.target.empty()) missing += " --target";
  if (!missing.empty()) return fail(Code::Usage, "the following arguments are required:" + missing);
  if (options.lnc == 2)
    return fail(Code::LncUnsupported, "logical core configuration 2 is not supported for target " + options.target);
  options.model_file = words[1];
  options.action = Action::Compile;
  return options;
}

std::string neuronx_help(bool compile) {
  if (!compile)
    return "usage: neuronx-cc [--help] [--version] {compile} ...\n\n"
           "  compile    compile a model to a NEFF\n\n"
           "neuronx-cc compile --help lists the options of a command.\n";
  std::string out =
      "usage: neuronx-cc compile model_files --framework XLA --target TARGET [options]\n\n"
      "  model_files                              the model\n";
  for (const NeuronxFlag& o : compile::neuronx_flags()) {
    if (o.help.empty()) continue;
    std::string row = "  " + std::string(o.spelling);
    row.resize(std::max<std::size_t>(43, row.size() + 1), ' ');
    out += row + std::string(o.help) + "\n";
  }
  return out;
}

std::string neuronx_version() {
  // The compiler release whose documented behaviour this one follows; the build part names our own version.
  const std::string own = version();
  const auto bytes = std::as_bytes(std::span(own.data(), own.size()));
  const std::string build = hex(sha256(bytes)).substr(0, 8);
  return "NeuronX Compiler version 2.28.7631.0+" + build + "\n\nPython version 3.11.0\nHWM version 2.28.0.0+" + build +
         "\nNumPy version 2.4.6\n";
}

}  // namespace openneuron::tools
