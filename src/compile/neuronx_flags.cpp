#include "compile/neuronx_flags.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace openneuron::compile {
namespace {

// The options of the compile page, then those that scripts pass and the page does not name.
constexpr NeuronxFlag kFlags[] = {
    {"--framework", FlagName::Framework, FlagKind::Value, "XLA", "framework of the model: XLA"},
    {"--target", FlagName::Target, FlagKind::Value, "", "inf2, trn1, trn1n, trn2 or trn3"},
    {"--model-type", FlagName::ModelType, FlagKind::Value,
     "generic,transformer,unet-inference,transformer-inference,cnn-training", "generic, transformer, unet-inference"},
    {"--auto-cast", FlagName::AutoCast, FlagKind::Value, "none,matmult,all", "none, matmult, all"},
    {"--auto-cast-type", FlagName::AutoCastType, FlagKind::Value, "bf16,fp16,tf32,fp8_e4m3", "bf16, fp16, tf32, fp8_e4m3"},
    {"--native-int64", FlagName::NativeInt64, FlagKind::Value, "default,enabled,disabled", "default, enabled, disabled"},
    {"--implicit-integer-downcast", FlagName::Downcast, FlagKind::Value, "", "default, all, none, or a list of operators"},
    {"--distribution-strategy", FlagName::Distribution, FlagKind::Value, "llm-training,nemo,NEMO,generic", "llm-training"},
    {"--distribution_strategy", FlagName::Distribution, FlagKind::Value, "llm-training,nemo,NEMO,generic", ""},
    {"--logical-nc-config", FlagName::Lnc, FlagKind::Value, "1,2", "1, 2"},
    {"--lnc", FlagName::Lnc, FlagKind::Value, "1,2", "1, 2"},
    {"-lnc", FlagName::Lnc, FlagKind::Value, "1,2", ""},
    {"--optlevel", FlagName::Optlevel, FlagKind::Value, "1,2,3", "1, 2, 3"},
    {"-O", FlagName::Optlevel, FlagKind::Value, "1,2,3", ""},
    {"--enable-mixed-precision-accumulation", FlagName::MixedOn, FlagKind::Switch, "", "accumulate in FP32 (the default)"},
    {"--disable-mixed-precision-accumulation", FlagName::MixedOff, FlagKind::Switch, "", ""},
    {"--enable-saturate-infinity", FlagName::Saturate, FlagKind::Switch, "",
     "infinities become the largest numbers before transposes"},
    {"--enable-fast-context-switch", FlagName::FastSwitch, FlagKind::Switch, "", "load weights later"},
    {"--enable-fast-loading-neuron-binaries", FlagName::FastLoading, FlagKind::Switch, "", "write the NEFF uncompressed"},
    {"--logfile", FlagName::Logfile, FlagKind::Value, "", "log file, default log-neuron-cc.txt"},
    {"--output", FlagName::Output, FlagKind::Value, "", "NEFF file, default file.neff"},
    {"--verbose", FlagName::Verbose, FlagKind::Value, "", "info, warning, error, critical, debug"},
    {"--help", FlagName::Help, FlagKind::Switch, "", "this text"},
    {"-h", FlagName::Help, FlagKind::Switch, "", ""},
    {"--version", FlagName::Version, FlagKind::Switch, "", ""},
    {"--logfile-verbose", FlagName::PassThrough, FlagKind::Value, "", ""},
    {"--disable-dge", FlagName::PassThrough, FlagKind::Switch, "", ""},
    {"--enable-dge", FlagName::PassThrough, FlagKind::Switch, "", ""},
    {"--disable-hlo-operand-type-check", FlagName::PassThrough, FlagKind::Value, "", ""},
    {"--execute-repetition", FlagName::PassThrough, FlagKind::Value, "", ""},
    {"--hbm-scratchpad-page-size", FlagName::PassThrough, FlagKind::Value, "", ""},
    {"--num-parallel-jobs", FlagName::PassThrough, FlagKind::Value, "", ""},
    {"--enable-experimental-O1", FlagName::PassThrough, FlagKind::Switch, "", ""},
    {"--tensorizer-options", FlagName::PassThrough, FlagKind::Value, "", ""},
    {"--internal-hlo2tensorizer-options", FlagName::PassThrough, FlagKind::Value, "", ""},
    {"--internal-backend-options", FlagName::PassThrough, FlagKind::Value, "", ""},
    {"--internal-max-instruction-limit", FlagName::PassThrough, FlagKind::Value, "", ""},
    {"--internal-enable-dge-levels", FlagName::PassThrough, FlagKind::List, "", ""},
    {"--internal-tensorizer-opt-level", FlagName::PassThrough, FlagKind::Value, "", ""},
    {"--internal-num-neuroncores-per-sengine", FlagName::PassThrough, FlagKind::Value, "", ""},
    {"--internal-compiler-debug-mode", FlagName::PassThrough, FlagKind::Value, "", ""},
    {"--internal-disable-fma-on-ios", FlagName::PassThrough, FlagKind::Switch, "", ""},
    {"--internal-hoist-allgather", FlagName::PassThrough, FlagKind::Switch, "", ""},
    {"--enable-internal-neff-wrapper", FlagName::PassThrough, FlagKind::Switch, "", ""},
    {"--experimental-unsafe-fp8e4m3fn-as-fp8e4m3", FlagName::PassThrough, FlagKind::Switch, "", ""},
    {"--pipeline", FlagName::PassThrough, FlagKind::List, "", ""},
};
// What a multi-valued option may take: words that are neither options nor files.
constexpr std::string_view kListWords[] = {
    "compile", "SaveTemps", "vector_dynamic_offsets", "spill_reload", "scalar_dynamic_offset", "io"};

// Letters to insert, remove or replace.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t before = row[0]++;
    for (std::size_t k = 0; k < b.size(); ++k) {
      const std::size_t replaced = before + (a[i] != b[k]);
      before = row[k + 1];
      row[k + 1] = std::min({replaced, row[k] + 1, before + 1});
    }
  }
  return row.back();
}

bool is_list_word(const std::string& word) {
  return std::find(std::begin(kListWords), std::end(kListWords), word) != std::end(kListWords);
}

}  // namespace

std::span<const NeuronxFlag> neuronx_flags() { return kFlags; }

const NeuronxFlag* find_neuronx_flag(std::string_view spelling) {
  for (const NeuronxFlag& flag : kFlags)
    if (flag.spelling == spelling) return &flag;
  return nullptr;
}

std::string_view nearest_neuronx_flag(std::string_view word) {
  const NeuronxFlag* nearest = &kFlags[0];
  for (const NeuronxFlag& flag : kFlags)
    if (distance(word, flag.spelling) < distance(word, nearest->spelling)) nearest = &flag;
  return nearest->spelling;
}

bool allows(const NeuronxFlag& flag, std::string_view value) {
  if (flag.kind != FlagKind::Value) return true;
  int level = 0;
  if (flag.name == FlagName::Verbose) return parse_verbosity(value, level);
  if (flag.values.empty()) return true;
  const std::string list = "," + std::string(flag.values) + ",";
  return list.find("," + std::string(value) + ",") != std::string::npos && value.find(',') == std::string_view::npos;
}

bool parse_verbosity(std::string_view given, int& level) {
  std::string text(given);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (!text.empty() && text.size() <= 3 &&
      std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); })) {
    level = std::stoi(text);
    return true;
  }
  static constexpr struct {
    std::string_view name;
    int level;
  } kLevels[] = {{"debug", 10}, {"info", 20}, {"warning", 30}, {"user", 35}, {"error", 40}, {"critical", 50}};
  for (const auto& known : kLevels)
    if (text == known.name) {
      level = known.level;
      return true;
    }
  return false;
}

FlagLine read_neuronx_flags(std::span<const std::string> words) {
  FlagLine line;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.empty() || word[0] != '-' || word == "-") {
      line.words.push_back(word);
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
    const NeuronxFlag* flag = find_neuronx_flag(spelling);
    if (!flag || (flag->kind == FlagKind::Switch && has_value)) {
      line.illegal.push_back({word, nullptr});
      continue;
    }
    if (flag->kind == FlagKind::Value && !has_value) {
      if (i + 1 >= words.size()) {
        line.incomplete = flag->spelling;
        return line;
      }
      value = words[++i];
    }
    if (flag->kind == FlagKind::List && !has_value)
      while (i + 1 < words.size() && is_list_word(words[i + 1])) ++i;
    if (allows(*flag, value)) line.flags.push_back({flag, value});
    else line.illegal.push_back({spelling + " " + value, flag});
  }
  return line;
}

std::vector<std::string> split_shell_words(std::string_view text) {
  std::vector<std::string> words;
  bool open = false;  // a word, possibly empty between quotes
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      open = false;
      continue;
    }
    if (!open) words.emplace_back();
    open = true;
    if (quote != 0 && c == quote) quote = 0;
    else if (quote == 0 && (c == '"' || c == '\'')) quote = c;
    else if (c == '\\' && quote != '\'' && i + 1 < text.size()) words.back() += text[++i];
    else words.back() += c;
  }
  return words;
}

}  // namespace openneuron::compile
