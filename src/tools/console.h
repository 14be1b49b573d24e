// What a person sees: text on stdout, diagnostics on stderr, progress on a terminal, and Ctrl-C.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace openneuron::tools {

/// Writes to stdout at once; ON-E1002 when it is full or closed.
Result<void> print(std::string_view text);
/// Writes to stderr, and clears a progress line first.
void print_error(std::string_view text);
void print_diagnostic(const Diagnostic& diagnostic);

/// Ctrl-C and the other polite signals remove unfinished files and leave with 128 + number (130 for Ctrl-C).
/// A file size limit becomes an error of the write instead of a signal; a mapped file that shrinks is ON-E1001.
void install_signal_handlers();

/// "stage 42%" on stderr for what takes over a second, when stderr is a terminal; silent otherwise.
class Progress {
 public:
  enum class Show { OnTerminal, Never };
  explicit Progress(Show show = Show::OnTerminal);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// `fraction` in 0..1, or below 0 when unknown.
  void update(std::string_view stage, double fraction);

 private:
  struct State;
  std::unique_ptr<State> state_;  // none when nothing is to be shown
};

}  // namespace openneuron::tools
