#include "tools/command_line.h"

#include <doctest/doctest.h>

#include <vector>

#include "tools/neuronx_options.h"

using namespace openneuron;
using namespace openneuron::tools;

namespace {

Result<CommandLine> parse(std::vector<const char*> words) {
  words.insert(words.begin(), "openneuron");
  return parse_command_line(static_cast<int>(words.size()), words.data());
}

Result<NeuronxOptions> parse_neuronx(std::vector<const char*> words) {
  words.insert(words.begin(), "neuronx-cc");
  return parse_neuronx_options(static_cast<int>(words.size()), words.data());
}

}  // namespace

TEST_CASE("options of run") {
  auto line = parse({"run", "f.mlir", "--inputs", "a.npz", "--steps", "200", "--disable", "a,b", "--disable", "c",
                     "-O1", "--numerics", "chip", "--check"});
  REQUIRE(line);
  REQUIRE(line->arguments);
  const Arguments& a = *line->arguments;
  CHECK(a.command == Command::Run);
  CHECK(a.file == "f.mlir");
  CHECK(a.inputs == "a.npz");
  CHECK(a.steps == 200);
  CHECK(a.disabled == std::vector<std::string>{"a", "b", "c"});
  CHECK(a.optlevel == 1);
  CHECK(a.chip_numerics);
  CHECK(a.check);
}

TEST_CASE("a list option does not swallow the file behind it") {
  auto line = parse({"opt", "--passes", "fold", "f.mlir"});
  REQUIRE(line);
  REQUIRE(line->arguments);
  CHECK(line->arguments->file == "f.mlir");
  CHECK(line->arguments->passes == std::vector<std::string>{"fold"});
}

TEST_CASE("what is not understood is a usage error") {
  const std::vector<std::vector<const char*>> wrong = {{},
                                                       {"frobnicate"},
                                                       {"run"},
                                                       {"run", "a", "--no-such-option"},
                                                       {"run", "a", "--threads", "0"},
                                                       {"run", "a", "b"},
                                                       {"run", "a", "--steps", "0"},
                                                       {"run", "a", "--seed", "x"},
                                                       {"opt", "a", "--to", "moon"},
                                                       {"opt"},
                                                       {"strip", "a"},
                                                       {"run", "a", "--numerics", "vague"},
                                                       {"opt", "a", "-O7"},
                                                       {"run", "a", "--steps", "2", "--repeat", "2"},
                                                       {"run", "a", "--inputs", "x", "--seed", "1"}};
  for (const auto& words : wrong) {
    auto line = parse(words);
    REQUIRE(!line);
    CHECK(line.diagnostic().code == Code::Usage);
    CHECK(!line.diagnostic().message.empty());
  }
}

TEST_CASE("help and version are texts") {
  CHECK(parse({"--help"})->text.find("run") != std::string::npos);
  CHECK(parse({"run", "--help"})->text.find("--inputs") != std::string::npos);
  CHECK(parse({"--version"})->text.rfind("openneuron ", 0) == 0);
}

TEST_CASE("neuronx-cc takes options anywhere, both spellings, and the right-most value") {
  auto o =
      parse_neuronx({"--target=trn1", "compile", "--framework", "XLA", "f.pb", "--target", "trn2", "--output=o.neff",
                     "--verbose", "35", "-O1", "--model-type=transformer", "--pipeline", "compile", "SaveTemps"});
  REQUIRE(o);
  CHECK(o->action == NeuronxOptions::Action::Compile);
  CHECK(o->model_file == "f.pb");
  CHECK(o->target == "trn2");
  CHECK(o->output == "o.neff");
  CHECK(o->verbose == 35);
  CHECK(o->optlevel == 1);
  CHECK(parse_neuronx({"compile", "--pipeline", "compile", "SaveTemps", "f", "--framework=XLA", "--target=trn2"})
            ->model_file == "f");
}

TEST_CASE("neuronx-cc refuses with AWS's codes") {
  auto unknown = parse_neuronx(
      {"compile", "--framework", "XLA", "f", "--target", "trn2", "--no-such", "--also-not=3", "--auto-cast", "some"});
  REQUIRE(!unknown);
  CHECK(unknown.diagnostic().code == Code::ArgumentUnknown);
  CHECK(unknown.diagnostic().message == "illegal argument(s): --no-such, --also-not=3, --auto-cast some");
  for (std::vector<const char*> lnc :
       {std::vector<const char*>{"--lnc", "2"}, {"-lnc", "2"}, {"--lnc=2"}, {"--logical-nc-config=2"}}) {
    std::vector<const char*> words = {"compile", "--framework", "XLA", "f", "--target", "trn2"};
    words.insert(words.end(), lnc.begin(), lnc.end());
    auto refused = parse_neuronx(words);
    REQUIRE(!refused);
    CHECK(refused.diagnostic().code == Code::LncUnsupported);
  }
  CHECK(parse_neuronx({"compile"}).diagnostic().code == Code::Usage);
  CHECK(parse_neuronx({"compile", "--framework"}).diagnostic().code == Code::Usage);
  CHECK(parse_neuronx({"translate"}).diagnostic().code == Code::Usage);
}

TEST_CASE("neuronx-cc prints its version in the known form") {
  const std::string text = neuronx_version();
  CHECK(text.rfind("NeuronX Compiler version 2.", 0) == 0);
  CHECK(text.find("\n\nPython version ") != std::string::npos);
  CHECK(neuronx_help(true).find("openneuron") == std::string::npos);
}
