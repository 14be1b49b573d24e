#include "machine/machine.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "machine/builtin.h"

using namespace openneuron;

namespace {

std::string file_text(const std::string& path) {
  std::ifstream in(path);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

std::string trn2() { return file_text(std::string(ON_DATA_DIR) + "/machines/trn2.toml"); }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("every_machine_loads_and_is_parsed_once") {
  for (const char* name : {"trn1", "trn2", "trn3", "odd", "tiny"}) {
    CAPTURE(name);
    auto machine = load_machine(name);
    REQUIRE_MESSAGE(machine, (machine ? "" : format_diagnostic(machine.diagnostic())));
    CHECK((*machine)->name == name);
    CHECK((*load_machine(name)).get() == (*machine).get());
    CHECK(builtin_machine(name) == file_text(std::string(ON_DATA_DIR) + "/machines/" + name + ".toml"));
  }
}

TEST_CASE("sizes_are_the_documented_ones") {
  const Machine& m = **load_machine("trn2");
  CHECK(m.partitions * 224 * 1024 == 28 * 1024 * 1024);  // 28 MiB of SBUF are 128 x 224 KiB
  CHECK(m.sbuf_partition_bytes < 224 * 1024);
  CHECK(m.psum_banks * m.psum_bank_bytes * m.partitions == 2 * 1024 * 1024);
  CHECK(m.hbm_bytes * 8 == std::int64_t{96} << 30);
  // Peak of the PE: rows x columns x 2 x clock = 78.6 TFLOPS at 16 bits.
  CHECK(m.pe_rows * m.pe_columns * 2 * m.pe_clock_hz == doctest::Approx(78.6e12).epsilon(0.001));
  CHECK((*load_machine("trn1"))->pe_clock_hz * 128 * 128 * 2 == doctest::Approx(91.8e12).epsilon(0.001));
}

TEST_CASE("odd_and_tiny_take_costs_of_trn2") {
  const Machine& odd = **load_machine("odd");
  CHECK(odd.partitions == 96);
  CHECK(odd.pe_rows == 96);
  CHECK(odd.pe_columns == 80);
  CHECK(odd.moving_max == 192);
  CHECK(odd.psum_banks == 3);
  CHECK(odd.psum_bank_bytes == 1024);
  CHECK(odd.sbuf_partition_bytes == 48 * 1024);
  CHECK(odd.quadrant == 32);
  const Machine& real = **load_machine("trn2");
  CHECK(odd.figures == real.figures);
  CHECK((*load_machine("tiny"))->sbuf_partition_bytes == 16 * 1024);
  CHECK((*load_machine("tiny"))->costs.size() == real.costs.size());
}

TEST_CASE("an_unknown_machine_is_refused") {
  auto machine = load_machine("trn9");
  REQUIRE(!machine);
  CHECK(machine.diagnostic().code == Code::MachineUnknown);
  auto file = load_machine("/nowhere/machine.toml");
  REQUIRE(!file);
  CHECK(file.diagnostic().code == Code::FileUnreadable);
}

TEST_CASE("a_broken_machine_file_names_key_value_and_range") {
  struct Case {
    const char *from, *to, *says;
    unsigned line;
  };
  // Lines are counted below by the text before the change.
  const Case cases[] = {
      {"partitions = 128 ", "partitions = 0 ", "partitions is 0; allowed: 1 to 4096", 1},
      {"partitions = 128 ", "partitions = \"many\" ", "partitions must be a whole number", 1},
      {"partitions = 128 ", "partition = 128 ", "unknown key partition in [sizes]", 1},
      {"quadrant = 32 ", "quadrant = 48 ", "must divide partitions", 0},
      {"pe_rows = 128 ", "pe_rows = 256 ", "pe_rows is 256; allowed: 1 to 128", 0},
      {"moving_max = 512 ", "moving_max = 1024 ", "moving_max is 1024; allowed: 1 to 512", 0},
      {"pe_hz = 2.4e9", "pe_hz = nan", "pe_hz is nan", 1},
      {"pe_hz = 2.4e9", "", "pe_hz is missing", 0},
      {"rate = 1.0", "rate = 0.0", "pe_matmul_16.rate is 0; allowed: 1e-06 to 1e+06", 1},
      {"pe_matmul_16 ", "pe_matmul_15 ", "unknown cost class pe_matmul_15", 1},
      {"semaphore_hop_ns = 35", "semaphore_hops_ns = 35", "unknown figure semaphore_hops_ns", 1},
      {"dma_engine_bytes_per_ns = 27.2", "dma_engine_bytes_per_ns = 0", "dma_engine_bytes_per_ns is 0", 1},
      {"generation = 3", "generation = 9", "generation is 9; allowed: 2 to 4", 1},
      {"[clocks]", "[clocks", "", 0},
      {"name = \"trn2\"", "name = \"\"", "name must be a text", 1},
      {"name = \"trn2\"", "name = \"x\"\nbased_on = \"x\"", "based_on must be trn1, trn2 or trn3", 0},
  };
  for (const Case& c : cases) {
    CAPTURE(c.to);
    const std::string text = replaced(trn2(), c.from, c.to);
    auto machine = parse_machine(text, "m.toml");
    REQUIRE(!machine);
    const Diagnostic& d = machine.diagnostic();
    CHECK(d.code == Code::MachineBroken);
    CHECK(d.place.file == "m.toml");
    CHECK(d.place.line > 0);
    CHECK(d.place.column > 0);
    CHECK_MESSAGE(d.message.find(c.says) != std::string::npos, d.message);
    if (c.line) {
      const std::size_t at = text.find(c.to);
      CHECK(d.place.line == 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    }
  }
}

TEST_CASE("a_file_based_on_a_machine_states_the_differences_only") {
  auto machine = parse_machine(
      "name = \"mine\"\nbased_on = \"trn3\"\n[sizes]\nsbuf_partition_bytes = 1024\n[figures]\nbarrier_ns = 5\n",
      "m.toml");
  REQUIRE(machine);
  CHECK(machine->sbuf_partition_bytes == 1024);
  CHECK(machine->generation == 4);
  CHECK(machine->figure("barrier_ns") == 5);
  CHECK(machine->figure("no such figure") == 0);
}

TEST_CASE("hostile_machine_files_are_refused") {
  CHECK(!parse_machine("", "m.toml"));
  CHECK(!parse_machine(std::string(100000, '['), "m.toml"));
  CHECK(!parse_machine("a = " + std::string(100000, '['), "m.toml"));
  CHECK(!parse_machine(std::string(2 << 20, ' '), "m.toml"));
  CHECK(!parse_machine(std::string("name = \"\0\"", 10), "m.toml"));
  auto foreign = parse_machine("name = \"a\"\n# \xEF\xBB\x9F\n", "m.toml");
  REQUIRE(!foreign);
  CHECK(foreign.diagnostic().place.line == 2);
  CHECK(foreign.diagnostic().place.column == 3);
}
