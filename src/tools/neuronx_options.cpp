#include "tools/neuronx_options.h"

#include <algorithm>
#include <cctype>

#include "base/hash.h"
#include "base/version.h"

namespace openneuron::tools {
namespace {

enum class Kind { Value, Flag, List };
enum class Name {
  Framework,
  Target,
  ModelType,
  AutoCast,
  AutoCastType,
  NativeInt64,
  Downcast,
  Distribution,
  Lnc,
  Optlevel,
  MixedOn,
  MixedOff,
  Saturate,
  FastSwitch,
  FastLoading,
  Logfile,
  Output,
  Verbose,
  Help,
  Version,
  PassThrough
};

struct Option {
  const char* spelling;
  Name name;
  Kind kind;
  const char* values;  // allowed ones, by commas; empty: any
  const char* help;    // empty: not on the help page
};

// The options of the compile page, then those that scripts pass and the page does not name.
constexpr Option kOptions[] = {
    {"--framework", Name::Framework, Kind::Value, "XLA", "framework of the model: XLA"},
    {"--target", Name::Target, Kind::Value, "", "inf2, trn1, trn1n, trn2 or trn3"},
    {"--model-type", Name::ModelType, Kind::Value,
     "generic,transformer,unet-inference,transformer-inference,cnn-training", "generic, transformer, unet-inference"},
    {"--auto-cast", Name::AutoCast, Kind::Value, "none,matmult,all", "none, matmult, all"},
    {"--auto-cast-type", Name::AutoCastType, Kind::Value, "bf16,fp16,tf32,fp8_e4m3", "bf16, fp16, tf32, fp8_e4m3"},
    {"--native-int64", Name::NativeInt64, Kind::Value, "default,enabled,disabled", "default, enabled, disabled"},
    {"--implicit-integer-downcast", Name::Downcast, Kind::Value, "", "default, all, none, or a list of operators"},
    {"--distribution-strategy", Name::Distribution, Kind::Value, "llm-training,nemo,NEMO,generic", "llm-training"},
    {"--distribution_strategy", Name::Distribution, Kind::Value, "llm-training,nemo,NEMO,generic", ""},
    {"--logical-nc-config", Name::Lnc, Kind::Value, "1,2", "1, 2"},
    {"--lnc", Name::Lnc, Kind::Value, "1,2", "1, 2"},
    {"-lnc", Name::Lnc, Kind::Value, "1,2", ""},
    {"--optlevel", Name::Optlevel, Kind::Value, "1,2,3", "1, 2, 3"},
    {"-O", Name::Optlevel, Kind::Value, "1,2,3", ""},
    {"--enable-mixed-precision-accumulation", Name::MixedOn, Kind::Flag, "", "accumulate in FP32 (the default)"},
    {"--disable-mixed-precision-accumulation", Name::MixedOff, Kind::Flag, "", ""},
    {"--enable-saturate-infinity", Name::Saturate, Kind::Flag, "",
     "infinities become the largest numbers before transposes"},
    {"--enable-fast-context-switch", Name::FastSwitch, Kind::Flag, "", "load weights later"},
    {"--enable-fast-loading-neuron-binaries", Name::FastLoading, Kind::Flag, "", "write the NEFF uncompressed"},
    {"--logfile", Name::Logfile, Kind::Value, "", "log file, default log-neuron-cc.txt"},
    {"--output", Name::Output, Kind::Value, "", "NEFF file, default file.neff"},
    {"--verbose", Name::Verbose, Kind::Value, "", "info, warning, error, critical, debug"},
    {"--help", Name::Help, Kind::Flag, "", "this text"},
    {"-h", Name::Help, Kind::Flag, "", ""},
    {"--version", Name::Version, Kind::Flag, "", ""},
    {"--logfile-verbose", Name::PassThrough, Kind::Value, "", ""},
    {"--disable-dge", Name::PassThrough, Kind::Flag, "", ""},
    {"--enable-dge", Name::PassThrough, Kind::Flag, "", ""},
    {"--disable-hlo-operand-type-check", Name::PassThrough, Kind::Value, "", ""},
    {"--execute-repetition", Name::PassThrough, Kind::Value, "", ""},
    {"--hbm-scratchpad-page-size", Name::PassThrough, Kind::Value, "", ""},
    {"--num-parallel-jobs", Name::PassThrough, Kind::Value, "", ""},
    {"--enable-experimental-O1", Name::PassThrough, Kind::Flag, "", ""},
    {"--tensorizer-options", Name::PassThrough, Kind::Value, "", ""},
    {"--internal-hlo2tensorizer-options", Name::PassThrough, Kind::Value, "", ""},
    {"--internal-backend-options", Name::PassThrough, Kind::Value, "", ""},
    {"--internal-max-instruction-limit", Name::PassThrough, Kind::Value, "", ""},
    {"--internal-enable-dge-levels", Name::PassThrough, Kind::List, "", ""},
    {"--internal-tensorizer-opt-level", Name::PassThrough, Kind::Value, "", ""},
    {"--internal-num-neuroncores-per-sengine", Name::PassThrough, Kind::Value, "", ""},
    {"--internal-compiler-debug-mode", Name::PassThrough, Kind::Value, "", ""},
    {"--internal-disable-fma-on-ios", Name::PassThrough, Kind::Flag, "", ""},
    {"--internal-hoist-allgather", Name::PassThrough, Kind::Flag, "", ""},
    {"--enable-internal-neff-wrapper", Name::PassThrough, Kind::Flag, "", ""},
    {"--experimental-unsafe-fp8e4m3fn-as-fp8e4m3", Name::PassThrough, Kind::Flag, "", ""},
    {"--pipeline", Name::PassThrough, Kind::List, "", ""},
};
// What a multi-valued option may take: words that are neither options nor files.
constexpr const char* kListWords[] = {
    "compile", "SaveTemps", "vector_dynamic_offsets", "spill_reload", "scalar_dynamic_offset", "io"};

const Option* find(const std::string& spelling) {
  for (const Option& o : kOptions)
    if (spelling == o.spelling) return &o;
  return nullptr;
}

bool allowed(const std::string& values, const std::string& value) {
  if (values.empty()) return true;
  return ("," + values + ",").find("," + value + ",") != std::string::npos && value.find(',') == std::string::npos;
}

bool parse_level(std::string text, int& level) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (!text.empty() && text.size() <= 3 &&
      std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); })) {
    level = std::stoi(text);
    return true;
  }
  static constexpr struct {
    const char* name;
    int level;
  } kLevels[] = {{"debug", 10}, {"info", 20}, {"warning", 30}, {"user", 35}, {"error", 40}, {"critical", 50}};
  for (const auto& known : kLevels)
    if (text == known.name) {
      level = known.level;
      return true;
    }
  return false;
}

// Where one option's value goes; false when the value is not allowed.
bool apply(const Option& option, const std::string& value, NeuronxOptions& o, bool& help, bool& version) {
  if (!allowed(option.values, value) && option.kind == Kind::Value) return false;
  switch (option.name) {
    case Name::Framework: o.framework = value; break;
    case Name::Target: o.target = value; break;
    case Name::Lnc: o.lnc = value[0] - '0'; break;
    case Name::Optlevel: o.optlevel = value[0] - '0'; break;
    case Name::FastLoading: o.compress = false; break;
    case Name::Logfile: o.logfile = value; break;
    case Name::Output: o.output = value; break;
    case Name::Verbose: return parse_level(value, o.verbose);
    case Name::Help: help = true; break;
    case Name::Version: version = true; break;
    case Name::AutoCast:
      if (value != "none") o.ignored.push_back("--auto-cast " + value);
      break;
    case Name::MixedOn:
    case Name::ModelType:
    case Name::Distribution:
    case Name::AutoCastType: break;
    default: o.ignored.push_back(option.spelling); break;
  }
  return true;
}

}  // namespace

Result<NeuronxOptions> parse_neuronx_options(int argc, const char* const* argv) {
  NeuronxOptions options;
  std::vector<std::string> words, illegal;
  bool help = false, version = false;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    if (word.empty() || word[0] != '-' || word == "-") {
      words.push_back(word);
      continue;
    }
    const std::size_t equals = word.find('=');
    std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    bool has_value = equals != std::string::npos;
    std::string spelling = word.substr(0, equals);
    if (spelling.size() == 3 && spelling.compare(0, 2, "-O") == 0 && !has_value) {  // -O1
      value = spelling.substr(2);
      has_value = true;
      spelling = "-O";
    }
    const Option* option = find(spelling);
    if (!option || (option->kind == Kind::Flag && has_value)) {
      illegal.push_back(word);
      continue;
    }
    if (option->kind == Kind::Value && !has_value) {
      if (i + 1 >= argc) return fail(Code::Usage, "argument " + spelling + ": expected one argument");
      value = argv[++i];
    }
    if (option->kind == Kind::List && !has_value)
      while (i + 1 < argc && std::any_of(std::begin(kListWords), std::end(kListWords),
                                         [&](const char* w) { return std::string(argv[i + 1]) == w; }))
        ++i;
    if (!apply(*option, value, options, help, version)) illegal.push_back(spelling + " " + value);
  }
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
  for (std::size_t i = 2; i < words.size(); ++i) illegal.push_back(words[i]);
  if (!illegal.empty()) {
    std::string list;
    for (const std::string& word : illegal) list += (list.empty() ? "" : ", ") + word;
    return fail(Code::ArgumentUnknown, "illegal argument(s): " + list);
  }
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
  for (const Option& o : kOptions) {
    if (!o.help[0]) continue;
    std::string row = "  " + std::string(o.spelling);
    row.resize(std::max<std::size_t>(43, row.size() + 1), ' ');
    out += row + o.help + "\n";
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
