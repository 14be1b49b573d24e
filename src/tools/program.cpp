#include "tools/program.h"

#include <chrono>
#include <cstdio>

#include "graph/print.h"
#include "image/neff.h"
#include "import/import.h"
#include "stream/text.h"
#include "tile/text.h"

namespace openneuron::tools {
namespace {

// The first word that is no comment; tile text begins with "tile", stream text with "code".
std::string_view first_word(std::string_view text) {
  std::size_t at = 0;
  for (;;) {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n')) ++at;
    if (text.substr(at, 2) != "//") break;
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) return {};
    at = end + 1;
  }
  std::size_t end = at;
  while (end < text.size() && text[end] >= 'a' && text[end] <= 'z') ++end;
  return text.substr(at, end - at);
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

void print_times(const std::vector<compile::PassTime>& times) {
  // The time of a pass, below it that of its parts, farther in.
  std::string out;
  char line[128];
  double total = 0;
  for (const auto& t : times) {
    std::snprintf(line, sizeof line, "%10.3f ms  %.*s\n", t.milliseconds, static_cast<int>(t.name.size()),
                  t.name.data());
    out += line;
    total += t.milliseconds;
    for (const PartTime& part : t.parts) {
      std::snprintf(line, sizeof line, "%10.3f ms    %.*s\n", part.milliseconds, static_cast<int>(part.name.size()), part.name.data());
      out += line;
    }
  }
  std::snprintf(line, sizeof line, "%10.3f ms  total\n", total);
  print_error(out + line);
}

}  // namespace

const char* format_name(FileFormat format) {
  switch (format) {
    case FileFormat::Neff: return "a NEFF";
    case FileFormat::Bytecode: return "MLIR bytecode";
    case FileFormat::HloProto: return "an HloModuleProto";
    case FileFormat::StablehloText: return "StableHLO text";
    case FileFormat::TileText: return "tile text";
    case FileFormat::StreamText: return "stream text";
    default: return "a file of unknown format";
  }
}

Result<Source> open_source(const std::string& file) {
  auto bytes = read_file(file);
  if (!bytes) return bytes.failure();
  Source source{file, std::move(*bytes), FileFormat::Unknown};
  const std::string_view word = first_word(source.bytes.text());
  if (image::is_neff(source.bytes.bytes)) {
    source.format = FileFormat::Neff;
  } else if (word == "tile") {
    source.format = FileFormat::TileText;
  } else if (word == "code") {
    source.format = FileFormat::StreamText;
  } else {
    const import::Format format = import::detect(source.bytes.bytes);
    if (format == import::Format::MlirBytecode) source.format = FileFormat::Bytecode;
    if (format == import::Format::HloProto) source.format = FileFormat::HloProto;
    if (format == import::Format::StablehloText) source.format = FileFormat::StablehloText;
  }
  return source;
}

compile::Options compile_options(const Arguments& a, Progress* progress) {
  compile::Options options;
  options.optlevel = a.optlevel;
  options.numerics = a.chip_numerics ? compile::Numerics::Chip : compile::Numerics::Exact;
  options.strict = a.strict;
  options.disabled = a.disabled;
  options.dump_after = a.dump_after;
  options.stop_after = a.stop_after;
  options.on_dump = [](std::string_view pass, std::string text) {
    std::string out = "// ---- after " + std::string(pass) + "\n" + text;
    if (out.back() != '\n') out += '\n';
    print_error(out);
  };
  if (progress)
    options.on_progress = [progress](std::string_view stage, double fraction) { progress->update(stage, fraction); };
  return options;
}

Result<std::shared_ptr<const Machine>> choose_machine(const Arguments& a, const std::string& own,
                                                      const std::string& file) {
  auto machine = load_machine(!a.target.empty() ? a.target : own.empty() ? "trn2" : own);
  if (machine && !own.empty() && (*machine)->name != own) {
    Place place;
    place.file = file;
    return fail(Code::FormatUnfit, place, "the program was compiled for " + own + ", not for " + (*machine)->name,
                "Leave --target out, or compile the program for " + (*machine)->name + ".");
  }
  return machine;
}

Result<Program> make_program(const Source& source, const Arguments& a, Progress& progress) {
  Program program;
  program.code = std::make_shared<isa::Code>();
  const auto& bytes = source.bytes;
  if (source.format == FileFormat::Neff || source.format == FileFormat::StreamText) {
    const bool neff = source.format == FileFormat::Neff;
    auto code =
        neff ? image::read_neff(bytes.bytes, source.file, bytes.owner) : stream::parse(bytes.text(), source.file);
    if (!code) return code.failure();
    *program.code = std::move(*code);
    auto machine = choose_machine(a, program.code->target, source.file);
    if (!machine) return machine.failure();
    program.machine = *machine;
    ON_TRY(stream::verify(*program.code, *program.machine));
    return program;
  }

  compile::Options options = compile_options(a, &progress);
  options.instruction_limit = a.max_instructions;
  if (a.time_passes)
    options.on_count = [](std::uint64_t count) { print_error(std::to_string(count) + " instructions before code generation\n"); };
  if (!a.stop_after.empty()) {
    options.dump_after.push_back(a.stop_after);
    options.on_dump = [&program, &a, show = options.on_dump](std::string_view pass, std::string text) {
      if (pass == a.stop_after) program.stopped_text = text;
      for (const std::string& wanted : a.dump_after)
        if (pass == wanted) return show(pass, std::move(text));
    };
  }
  const auto start = std::chrono::steady_clock::now();
  progress.update("read", 0);
  Result<compile::Outcome> outcome = [&]() -> Result<compile::Outcome> {
    if (source.format == FileFormat::TileText) {
      auto module = tile::parse(bytes.text(), source.file);
      if (!module) return module.failure();
      auto machine = choose_machine(a, module->target, source.file);
      if (!machine) return machine.failure();
      program.machine = *machine;
      ON_TRY(tile::verify(*module, *program.machine));
      return compile::compile(std::move(*module), *program.machine, options);
    }
    // The machine first: a wrong --target is told before a long read.
    auto machine = choose_machine(a, {}, source.file);
    if (!machine) return machine.failure();
    program.machine = *machine;
    const auto before = std::chrono::steady_clock::now();
    auto module = import::read(bytes.bytes, source.file, bytes.owner);
    if (!module) return module.failure();
    program.times.push_back({"read", milliseconds_since(before), {}});
    auto compiled = compile::compile(std::move(*module), *program.machine, options);
    if (compiled || compiled.diagnostic().place.line != 0 || source.format != FileFormat::StablehloText) return compiled;
    // Refused without a place: once more, with the ops' places in the text.
    auto placed = import::read(bytes.bytes, source.file, bytes.owner, import::Positions::OfText);
    if (!placed) return compiled;
    compile::Options again;
    again.disabled = options.disabled;
    again.instruction_limit = options.instruction_limit;
    auto refused = compile::compile(std::move(*placed), *program.machine, again);
    return refused ? std::move(compiled) : std::move(refused);
  }();
  if (!outcome) {
    Failure failure = outcome.failure();
    if (failure.diagnostic().place.file.empty()) failure.diagnostic().place.file = source.file;
    return failure;
  }
  program.compile_ms = milliseconds_since(start);
  program.times.insert(program.times.end(), outcome->times.begin(), outcome->times.end());
  program.layout_report = std::move(outcome->layout_report);
  *program.code = std::move(outcome->code);
  if (a.time_passes) print_times(program.times);
  return program;
}

Result<CodePorts> ports_of(const isa::Code& code) {
  CodePorts ports;
  std::vector<int> input_of(code.variables.size(), -1);
  const auto port_of = [](const isa::Variable& v) { return Port{v.name, v.type, v.shape, v.bytes, -1}; };
  for (std::size_t i = 0; i < code.variables.size(); ++i) {
    if (code.variables[i].kind != isa::VariableKind::Input) continue;
    input_of[i] = static_cast<int>(ports.inputs.size());
    ports.inputs.push_back(i);
    ports.signature.inputs.push_back(port_of(code.variables[i]));
  }
  for (std::size_t i = 0; i < code.variables.size(); ++i) {
    const isa::Variable& v = code.variables[i];
    if (v.kind != isa::VariableKind::Output) continue;
    Port port = port_of(v);
    if (v.aliases >= 0) {
      const auto to = static_cast<std::size_t>(v.aliases);
      if (to >= input_of.size() || input_of[to] < 0 || code.variables[to].bytes != v.bytes)
        return fail(Code::Internal, "output " + v.name + " aliases no input of its size");
      port.aliases = input_of[to];
    }
    ports.outputs.push_back(i);
    ports.signature.outputs.push_back(std::move(port));
  }
  for (const auto* list : {&ports.signature.inputs, &ports.signature.outputs})
    for (const Port& port : *list) {
      std::int64_t bytes = byte_width(port.type);
      for (std::int64_t d : port.shape)
        if (d < 0 || (d > 0 && bytes > INT64_MAX / d))
          return fail(Code::Internal, port.name + " has an impossible shape");
        else
          bytes *= d;
      if (bytes > port.bytes) return fail(Code::Internal, port.name + " is smaller than its shape");
    }
  return ports;
}

Result<std::vector<Feed>> feeds_for(const Signature& signature, const Arguments& a) {
  if (a.inputs.empty()) return random_feeds(signature, a.seed);
  auto arrays = read_npz(a.inputs);
  if (!arrays) return arrays.failure();
  return bind_arrays(signature, *arrays, a.steps, a.inputs);
}

}  // namespace openneuron::tools
