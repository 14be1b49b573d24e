// A file becomes a program: the format is told by content, and what is not a NEFF is compiled.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "compile/compile.h"
#include "isa/code.h"
#include "machine/machine.h"
#include "tools/binding.h"
#include "tools/command_line.h"
#include "tools/console.h"

namespace openneuron::tools {

enum class FileFormat { Neff, Bytecode, HloProto, StablehloText, TileText, StreamText, Unknown };
const char* format_name(FileFormat format);

struct Source {
  std::string file;
  FileBytes bytes;
  FileFormat format = FileFormat::Unknown;
};
/// errors  ON-E1001
Result<Source> open_source(const std::string& file);

struct Program {
  std::shared_ptr<isa::Code> code;
  std::shared_ptr<const Machine> machine;
  std::vector<compile::PassTime> times;
  std::string layout_report;
  std::string stopped_text;  ///< the program after --stop-after; then `code` is empty
  double compile_ms = 0;     ///< 0 for a NEFF
};

/// Reads a NEFF or stream text, or compiles. Dumps and pass times go to stderr as the arguments ask.
Result<Program> make_program(const Source& source, const Arguments& arguments, Progress& progress);

/// The options of the compile tower out of the command line's; --dump-after prints to stderr.
compile::Options compile_options(const Arguments& arguments, Progress* progress);
/// The machine of --target; else `own` (the file's), else trn2.
/// errors  ON-E2001, ON-E2002; ON-E2102 when a compiled file is for another machine
Result<std::shared_ptr<const Machine>> choose_machine(const Arguments& arguments, const std::string& own,
                                                      const std::string& file);

/// Inputs and outputs of a program, in order; `places[k]` gives the variable of input k, then of output k.
struct CodePorts {
  Signature signature;
  std::vector<std::size_t> inputs, outputs;  ///< indices into Code::variables
};
Result<CodePorts> ports_of(const isa::Code& code);

/// Arrays of --inputs, or random ones.
Result<std::vector<Feed>> feeds_for(const Signature& signature, const Arguments& arguments);

}  // namespace openneuron::tools
