// `openneuron`: one command a run; exit status 0, 1 refused or wrong, 2 usage, 130 Ctrl-C.
#include <cstdlib>
#include <new>

#include "tools/commands.h"
#include "tools/console.h"

namespace {

using namespace openneuron;
using namespace openneuron::tools;

Result<void> dispatch(const Arguments& a) {
  ON_TRY(check_passes(a));
  switch (a.command) {
    case Command::Run: return run(a);
    case Command::Ref: return ref(a);
    case Command::Opt: return opt(a);
    case Command::Show: return show(a);
    case Command::Report: return report(a);
    case Command::Strip: return strip(a);
    case Command::Explain: return explain(a);
  }
  return {};
}

int finish(const Result<void>& result) {
  if (result) return 0;
  print_diagnostic(result.diagnostic());
  return result.diagnostic().code == Code::Usage ? 2 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  install_signal_handlers();
  try {
    auto line = parse_command_line(argc, argv);
    if (!line) return finish(line.failure());
    if (!line->arguments) return finish(print(line->text));
    if (const char* isa = std::getenv("OPENNEURON_HOST_ISA"); isa && line->arguments->host_isa == "auto")
      line->arguments->host_isa = isa;
    return finish(dispatch(*line->arguments));
  } catch (const std::bad_alloc&) {
    return finish(fail(Code::MemoryExhausted, "the host has no memory left"));
  }
}
