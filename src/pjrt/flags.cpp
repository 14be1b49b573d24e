// compiler_options of jax.jit, NEURON_CC_FLAGS and variables of the environment, as options of the compiler.
#include <algorithm>
#include <cstdlib>

#include "compile/neuronx_flags.h"
#include "pjrt/options.h"

namespace openneuron::pjrt {
namespace {

using compile::FlagKind;
using compile::FlagName;
using compile::NeuronxFlag;

std::string text_of(const OptionValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  return std::to_string(std::get<double>(value));
}

Failure impossible(std::string_view name, std::string_view value, std::string_view values) {
  return fail(Code::CompileOption, std::string(name) + " is \"" + std::string(value) + "\"; it may be " + std::string(values));
}

Result<void> set_numerics(std::string_view name, std::string_view value, compile::Options& out) {
  if (value != "exact" && value != "chip") return impossible(name, value, "exact or chip");
  out.numerics = value == "chip" ? compile::Numerics::Chip : compile::Numerics::Exact;
  return {};
}

Result<void> set_strict(std::string_view name, std::string_view value, compile::Options& out) {
  if (value != "true" && value != "false" && value != "1" && value != "0" && value != "")
    return impossible(name, value, "true or false");
  out.strict = value == "true" || value == "1";
  return {};
}

// Options of ours, which neuronx-cc does not have.
struct Row {
  std::string_view name, environment;
  Result<void> (*set)(std::string_view name, std::string_view value, compile::Options& out);
};
constexpr Row kRows[] = {
    {"numerics", "OPENNEURON_NUMERICS", set_numerics},
    {"strict", "OPENNEURON_STRICT", set_strict},
};

// The machine file that a target of neuronx-cc means.
std::string_view machine_of(std::string_view target) {
  return target == "inf2" || target == "trn1n" ? "trn1" : target;
}

// What one of neuronx-cc's options does here; docs/pjrt.md says which have no effect, and why.
Result<void> apply(const NeuronxFlag& flag, std::string_view value, std::string_view machine, compile::Options& out) {
  switch (flag.name) {
    case FlagName::Optlevel: out.optlevel = value[0] - '0'; break;
    case FlagName::Target:
      if (machine_of(value) != machine)
        return fail(Code::CompileOption, std::string(flag.spelling) + " is \"" + std::string(value) + "\"; the instance has cores of " +
                                             std::string(machine) + ": OPENNEURON_INSTANCE_TYPE chooses it");
      break;
    case FlagName::Lnc:
      if (value != "1")
        return fail(Code::LncUnsupported, std::string(flag.spelling) + " is " + std::string(value) + "; a device is one physical core");
      break;
    case FlagName::Help:
    case FlagName::Version:
      return fail(Code::CompileOption, std::string(flag.spelling) + " compiles nothing; it is for neuronx-cc's command line");
    default: break;
  }
  return {};
}

Failure unknown(std::string_view word) {
  return fail(Code::CompileOption, "there is no option \"" + std::string(word) + "\"; the nearest is \"" +
                                       std::string(compile::nearest_neuronx_flag(word.substr(0, word.find('=')))) + "\"");
}

Result<void> read_flags(std::string_view text, std::string_view machine, compile::Options& out) {
  const std::vector<std::string> words = compile::split_shell_words(text);
  const compile::FlagLine line = compile::read_neuronx_flags(words);
  if (!line.illegal.empty()) {
    const auto& first = line.illegal.front();
    if (first.flag == nullptr) return unknown(first.text);
    const std::string_view values = first.flag->name == FlagName::Verbose ? "debug, info, warning, error or critical" : first.flag->values;
    return impossible(first.flag->spelling, std::string_view(first.text).substr(first.flag->spelling.size() + 1), values);
  }
  if (!line.incomplete.empty()) return fail(Code::CompileOption, std::string(line.incomplete) + " has no value");
  if (!line.words.empty()) return fail(Code::CompileOption, "\"" + line.words.front() + "\" is no option and no option's value");
  for (const auto& given : line.flags) ON_TRY(apply(*given.flag, given.value, machine, out));
  return {};
}

// A name of compiler_options: one of ours, or one of neuronx-cc's without the dashes; "_" stands for "-", too.
Result<void> read_override(const std::string& name, const OptionValue& value, std::string_view machine, compile::Options& out) {
  const std::string text = text_of(value);
  for (const Row& row : kRows)
    if (row.name == name) return row.set(row.name, text, out);
  std::string spelling = "--" + name;
  std::replace(spelling.begin(), spelling.end(), '_', '-');
  const NeuronxFlag* flag = compile::find_neuronx_flag(spelling);
  if (flag == nullptr) {
    std::string ours;
    for (const Row& row : kRows) ours += std::string(row.name) + ", ";
    return fail(Code::CompileOption, "there is no compiler option \"" + name + "\"; there are " + ours +
                                         "and neuronx-cc's, of which the nearest is \"" +
                                         std::string(compile::nearest_neuronx_flag(spelling).substr(2)) + "\"");
  }
  if (flag->kind == FlagKind::Switch) {
    if (text != "true" && text != "false") return impossible(name, text, "true or false");
    return text == "true" ? apply(*flag, {}, machine, out) : Result<void>();
  }
  if (!compile::allows(*flag, text))
    return impossible(name, text, flag->name == FlagName::Verbose ? "debug, info, warning, error or critical" : flag->values);
  return apply(*flag, text, machine, out);
}

}  // namespace

Result<compile::Options> compiler_options(const CompileOptions& options, std::string_view machine) {
  compile::Options out;
  for (const Row& row : kRows)
    if (const char* value = std::getenv(row.environment.data())) ON_TRY(row.set(row.environment, value, out));
  if (const char* flags = std::getenv("NEURON_CC_FLAGS")) ON_TRY(read_flags(flags, machine, out));
  for (const auto& [name, value] : options.overrides) ON_TRY(read_override(name, value, machine, out));
  return out;
}

std::string environment_options() {
  std::string out;
  for (const char* name : {"NEURON_CC_FLAGS", "OPENNEURON_NUMERICS", "OPENNEURON_STRICT"})
    if (const char* value = std::getenv(name)) out += std::string(name) + "=" + value + "\n";
  return out;
}

}  // namespace openneuron::pjrt
