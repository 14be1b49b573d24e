// compiler_options of jax.jit and NEURON_CC_FLAGS, as options of the compiler.
#include <cstdlib>
#include <optional>

#include "pjrt/options.h"

namespace openneuron::pjrt {
namespace {

std::string text_of(const OptionValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  return std::to_string(std::get<double>(value));
}

Failure impossible(std::string_view name, std::string_view value, std::string_view values) {
  return fail(Code::CompileOption, std::string(name) + " is \"" + std::string(value) + "\"; it may be " + std::string(values));
}

Result<void> set_optlevel(std::string_view name, std::string_view value, compile::Options& out) {
  if (value != "1" && value != "2" && value != "3") return impossible(name, value, "1, 2 or 3");
  out.optlevel = value[0] - '0';
  return {};
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

struct Row {
  std::string_view name, environment;
  Result<void> (*set)(std::string_view name, std::string_view value, compile::Options& out);
};
constexpr Row kRows[] = {
    {"optlevel", {}, set_optlevel},
    {"numerics", "OPENNEURON_NUMERICS", set_numerics},
    {"strict", "OPENNEURON_STRICT", set_strict},
};

// Of neuronx-cc's options only the level has an effect here; the others are the compiler's command line's to judge.
Result<void> read_flags(std::string_view flags, compile::Options& out) {
  std::optional<std::string_view> awaited;
  for (std::size_t at = 0; at < flags.size();) {
    const std::size_t end = std::min(flags.find(' ', at), flags.size());
    const std::string_view word = flags.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    if (awaited) {
      ON_TRY(set_optlevel(*awaited, word, out));
      awaited.reset();
    } else if (word == "--optlevel" || word == "-O") {
      awaited = word;
    } else if (word.starts_with("--optlevel=")) {
      ON_TRY(set_optlevel("--optlevel", word.substr(11), out));
    } else if (word.starts_with("-O")) {
      ON_TRY(set_optlevel("-O", word.substr(2), out));
    }
  }
  if (awaited) return impossible(*awaited, "", "1, 2 or 3");
  return {};
}

}  // namespace

Result<compile::Options> compiler_options(const CompileOptions& options, std::string_view flags) {
  compile::Options out;
  for (const Row& row : kRows)
    if (!row.environment.empty())
      if (const char* value = std::getenv(row.environment.data())) ON_TRY(row.set(row.environment, value, out));
  ON_TRY(read_flags(flags, out));
  for (const auto& [name, value] : options.overrides) {
    const Row* found = nullptr;
    std::string names;
    for (const Row& row : kRows) {
      if (row.name == name) found = &row;
      names += (names.empty() ? "" : ", ") + std::string(row.name);
    }
    if (found == nullptr)
      return fail(Code::CompileOption, "there is no compiler option \"" + name + "\"; there are " + names);
    ON_TRY(found->set(found->name, text_of(value), out));
  }
  return out;
}

}  // namespace openneuron::pjrt
