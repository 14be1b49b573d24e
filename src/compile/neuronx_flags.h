// The options of `neuronx-cc`, which its command line and NEURON_CC_FLAGS share: one table, one reader.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace openneuron::compile {

enum class FlagKind { Value, Switch, List };
enum class FlagName {
  Framework, Target, ModelType, AutoCast, AutoCastType, NativeInt64, Downcast, Distribution, Lnc, Optlevel, MixedOn, MixedOff,
  Saturate, FastSwitch, FastLoading, Logfile, Output, Verbose, Help, Version, PassThrough
};

struct NeuronxFlag {
  std::string_view spelling;
  FlagName name;
  FlagKind kind;
  std::string_view values;  ///< allowed ones, by commas; empty: any
  std::string_view help;    ///< empty: not on the help page
};
std::span<const NeuronxFlag> neuronx_flags();
const NeuronxFlag* find_neuronx_flag(std::string_view spelling);
/// The known spelling with the fewest changes from `word`.
std::string_view nearest_neuronx_flag(std::string_view word);
bool allows(const NeuronxFlag& flag, std::string_view value);
/// Python's levels, by name or number: 10 debug, 20 info, 30 warning, 35 user, 40 error, 50 critical.
bool parse_verbosity(std::string_view text, int& level);

/// Words read in order; of options given twice the right-most wins.
struct FlagLine {
  struct Given {
    const NeuronxFlag* flag;
    std::string value;
  };
  struct Illegal {
    std::string text;
    const NeuronxFlag* flag;  ///< whose value is not allowed; null: an unknown option
  };
  std::vector<Given> flags;
  std::vector<std::string> words;  ///< that are no options
  std::vector<Illegal> illegal;
  std::string_view incomplete;     ///< the option whose value is missing; what follows is not read
};
FlagLine read_neuronx_flags(std::span<const std::string> words);
/// As a shell does: blanks part words, quotes and backslashes keep them.
std::vector<std::string> split_shell_words(std::string_view text);

}  // namespace openneuron::compile
