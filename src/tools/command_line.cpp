#include "tools/command_line.h"

#include <CLI/CLI.hpp>

#include "base/version.h"

namespace openneuron::tools {
namespace {

// One value per flag: a list takes commas or the flag again, so that a file name behind it stays a file name.
void list_option(CLI::App* app, const char* flag, std::vector<std::string>& values, const char* help) {
  app->add_option(flag, values, help)->delimiter(',')->allow_extra_args(false)->type_name("A,B");
}

void data_options(CLI::App* app, Arguments& a) {
  auto* inputs = app->add_option("--inputs", a.inputs, "arrays by variable name (numpy .npz)")->type_name("FILE.npz");
  app->add_option("--seed", a.seed, "without --inputs: floats N(0,1), integers 0 or 1")->excludes(inputs);
  app->add_option("--outputs", a.outputs, "where the outputs go")->type_name("FILE.npz");
  app->add_option("--steps", a.steps, "run N times; arrays with an extra first dimension N are fed slice by slice")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40));
  app->add_option("--step-limit", a.step_limit, "refuse to execute more instructions (0: no limit)");
}

void target_option(CLI::App* app, Arguments& a) {
  app->add_option("--target", a.target, "trn1, trn2 (default), trn3 or a machine file")->type_name("T");
}

void compile_options(CLI::App* app, Arguments& a) {
  target_option(app, a);
  list_option(app, "--dump-after", a.dump_after, "print the program after these passes, to stderr");
  app->add_option("--stop-after", a.stop_after, "stop after this pass")->type_name("PASS");
  list_option(app, "--disable", a.disabled, "leave these optional passes out");
  app->add_flag("--time-passes", a.time_passes, "print how long each pass took and the number of instructions, to stderr");
  app->add_option_function<std::string>(
         "--numerics", [&a](const std::string& v) { a.chip_numerics = v == "chip"; },
         "exact: StableHLO's values (default); chip: the chip's own")
      ->check(CLI::IsMember({"exact", "chip"}))
      ->type_name("exact|chip");
  app->add_option("--max-instructions", a.max_instructions, "refuse a program that lowers to more (default 4000000)")
      ->type_name("N");
  app->add_flag("--strict", a.strict, "refuse what AWS's compiler would refuse");
  app->add_option("-O,--optlevel", a.optlevel, "1, 2 (default) or 3")->check(CLI::Range(1, 3))->type_name("N");
}

void file_argument(CLI::App* app, Arguments& a, const char* help) {
  app->add_option("FILE", a.file, help)->required()->type_name("");
}

const char kPrograms[] = "NEFF, StableHLO text, MLIR bytecode, HLO proto, tile or stream text (told by content)";

CLI::App* add(CLI::App& app, Arguments& a, Command command, const char* name, const char* help) {
  CLI::App* sub = app.add_subcommand(name, help);
  sub->callback([&a, command] { a.command = command; });
  return sub;
}

void add_commands(CLI::App& app, Arguments& a) {
  CLI::App* run = add(app, a, Command::Run, "run", "compile if need be, and run on the emulated device");
  file_argument(run, a, kPrograms);
  data_options(run, a);
  compile_options(run, a);
  run->add_option("--threads", a.threads, "host threads")->check(CLI::Range(1, 1024));
  run->add_option("--host-isa", a.host_isa, "auto, baseline, avx2, avx512, avx512_bf16, amx; the bits are the same");
  run->add_flag("--check", a.check, "check streams and order: races, missing waits, uninitialised reads, deadlock");
  run->add_option("--repeat", a.repeat, "run N more times and print best and median milliseconds")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 30));
  run->add_option("--timeline", a.timeline, "estimated timeline for ui.perfetto.dev")->type_name("FILE.json");
  run->add_option("--report", a.report, "times and sizes of this run")->type_name("FILE.json");

  CLI::App* ref = add(app, a, Command::Ref, "ref", "run on the oracle: slow, obvious interpreters");
  file_argument(ref, a, "StableHLO text, MLIR bytecode, HLO proto or tile text");
  data_options(ref, a);
  target_option(ref, a);
  ref->add_flag("--float64", a.float64, "floating outputs as float64, not rounded to their types");

  CLI::App* opt = add(app, a, Command::Opt, "opt", "run passes, or compile to a level, and print the result");
  auto* file = opt->add_option("FILE", a.file, kPrograms)->type_name("");
  list_option(opt, "--passes", a.passes, "run these graph passes and print the graph");
  opt->add_option("--to", a.to, "graph, tile, stream or neff")
      ->check(CLI::IsMember({"graph", "tile", "stream", "neff"}));
  opt->add_option("-o,--output", a.output, "a file instead of stdout")->type_name("FILE");
  opt->add_option("--report", a.report, "compile time and sizes")->type_name("FILE.json");
  opt->add_flag("--list-passes", a.list_passes, "print the passes")->excludes(file);
  compile_options(opt, a);

  CLI::App* show = add(app, a, Command::Show, "show", "a NEFF's header, variables and instructions");
  file_argument(show, a, "NEFF");
  show->add_flag("--json", a.json, "as JSON, without the instructions");
  show->add_flag("--header", a.header_only, "header and variables only");

  CLI::App* report = add(app, a, Command::Report, "report", "where FLOPs, bytes and time go");
  file_argument(report, a, kPrograms);
  compile_options(report, a);
  report->add_flag("--json", a.json, "as JSON");
  report->add_option("-o", a.output, "as one HTML page")->type_name("FILE.html");

  CLI::App* strip = add(app, a, Command::Strip, "strip", "keep engine code and variables only");
  file_argument(strip, a, "NEFF");
  strip->add_option("-o,--output", a.output, "the file to write")->required()->type_name("OUT");

  CLI::App* explain = add(app, a, Command::Explain, "explain", "a diagnostic's page");
  explain->add_option("CODE", a.file, "ON-E1001, NCC_EARG001, ...")->required()->type_name("");
}

}  // namespace

Result<CommandLine> parse_command_line(int argc, const char* const* argv) {
  CommandLine line;
  Arguments arguments;
  CLI::App app("Compile programs for a Trainium NeuronCore and run them on an emulated one.", "openneuron");
  app.set_version_flag("--version", std::string("openneuron ") + version());
  app.require_subcommand(1);
  add_commands(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForVersion& e) {
    line.text = std::string(e.what()) + "\n";
    return line;
  } catch (const CLI::Success&) {
    CLI::App* asked = &app;
    for (CLI::App* sub : app.get_subcommands()) asked = sub;
    line.text = asked == &app ? app.help() : asked->help("openneuron " + asked->get_name());
    return line;
  } catch (const CLI::ParseError& e) {
    return fail(Code::Usage, e.what());
  }
  if (arguments.repeat && arguments.steps) return fail(Code::Usage, "--repeat and --steps exclude each other");
  if (arguments.command == Command::Opt && arguments.file.empty() && !arguments.list_passes)
    return fail(Code::Usage, "FILE is required");
  line.arguments = std::move(arguments);
  return line;
}

}  // namespace openneuron::tools
