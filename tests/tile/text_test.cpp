#include <doctest/doctest.h>

#include <random>

#include "base/files.h"
#include "base/text.h"
#include "isa/table.h"
#include "isa/text.h"
#include "machine/machine.h"
#include "tile/random_program.h"
#include "tile/text.h"

using namespace openneuron;

namespace {

std::string read(const std::string& path) {
  auto file = read_file(path);
  REQUIRE(file);
  return std::string(file->text());
}

// Without the comment lines at the top.
std::string body(const std::string& text) { return text.substr(text.find("\ntile ") + 1); }

Machine machine() {
  Machine m;
  m.name = "trn2";
  m.sbuf_partition_bytes = 192 * 1024;
  m.hbm_bytes = std::int64_t{1} << 36;
  return m;
}

std::string failure(const std::string& text) {
  auto module = tile::parse(text, "x.tile");
  if (!module) return format_diagnostic(module.diagnostic());
  auto checked = tile::verify(*module, machine());
  return checked ? "" : format_diagnostic(checked.diagnostic());
}

std::string with(const std::string& instructions, const std::string& buffers = "") {
  return "tile \"t\" target \"trn2\" {\n  %a = sbuf partitions=128 bytes=256\n  %x = private_hbm input f32[128,64]\n" + buffers +
         "  core 0 loops=4 registers=2 {\n" + instructions + "  }\n}\n";
}

}  // namespace

TEST_CASE("the hand-written two-core program parses, verifies and prints as written") {
  const std::string text = read(std::string(ON_TEST_DIR) + "/golden/tile/two_core_matmul.tile");
  auto module = tile::parse(text, "two_core_matmul.tile");
  REQUIRE_MESSAGE(module, format_diagnostic(module.diagnostic()));
  CHECK(tile::print(*module) == body(text));
  auto verified = tile::verify(*module, machine());
  CHECK_MESSAGE(verified, format_diagnostic(verified.diagnostic()));
}

TEST_CASE("random instructions of every opcode read back equal") {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    isa::MemoryNames names;
    for (const char* name : {"a", "b.1", "with space", "twice", "twice", "", "quote\"\\"}) names.add(name, isa::Space::Sbuf);
    names.add("hbm", isa::Space::SharedHbm);
    for (const isa::Row& row : isa::rows()) {
      for (isa::TextLevel level : {isa::TextLevel::Tile, isa::TextLevel::Stream}) {
        const isa::Instruction want = test::random_instruction(row.opcode, names, level, random);
        TextWriter out;
        isa::print_instruction(out, want, names, level);
        CAPTURE(out.text());
        TextReader in(out.text(), "random", Code::TileSyntax);
        auto got = isa::parse_instruction(in, names, level);
        REQUIRE_MESSAGE(got, format_diagnostic(got.diagnostic()));
        CHECK(in.at_end());
        CHECK(*got == want);
      }
    }
  }
}

TEST_CASE("buffers and constants of every kind read back") {
  const std::string text =
      "tile \"a \\\"name\\\"\" target \"odd\" {\n"
      "  %in.0 = private_hbm input bf16[2,3] core=1\n"
      "  %\"a[0]['w']\" = private_hbm output bf16[2,3] alias=%in.0\n"
      "  %c = private_hbm constant i8[2] data=\"ff01\"\n"
      "  %s = private_hbm constant f32[1024] splat data=\"0000803f\"\n"
      "  %#4 = shared_hbm scratch complex<f32>[] bytes=64\n"
      "  %t#5 = sbuf partitions=96 bytes=64 copies=3 core=1 address=32\n"
      "  %t#6 = psum partitions=1 bytes=2048\n"
      "  core 0 {\n"
      "  }\n"
      "}\n";
  auto module = tile::parse(text, "x.tile");
  REQUIRE_MESSAGE(module, format_diagnostic(module.diagnostic()));
  CHECK(tile::print(*module) == text);
  CHECK(module->buffers[BufferId(2)].variable.data.size() == 2);
  CHECK(module->buffers[BufferId(1)].alias == BufferId(0));
}

TEST_CASE("syntax errors name line and column") {
  CHECK(failure("").find("ON-E1501") != std::string::npos);
  CHECK(failure(with("    nonsense\n")).find("x.tile:5:5: error [ON-E1501] unknown instruction 'nonsense'") == 0);
  CHECK(failure(with("    copy %a[0:128, 0, [4,64]]: f32, %b[0:128, 0]: f32\n")).find("x.tile:5:37") == 0);
  CHECK(failure(with("    memset %a[0:128, 0, [4,64]]: f32, 0.0 op=add\n")).find("'op' is no parameter of memset") != std::string::npos);
  CHECK(failure(with("    iota %a[0:128, 0, [4,64]]: i32\n")).find("expected ','") != std::string::npos);
}

TEST_CASE("the verifier refuses programs without a meaning") {
  const std::string load = "    dma %a[0:128, 0, [4,64]]: f32, %x[0:128*256, 0, [4,64]]: f32, none indirect=0\n";
  CHECK(failure(with(load)) == "");
  // Read before written, out of bounds, unclosed region, unknown loop, register not set.
  CHECK(failure(with("    copy %a[0:128, 0, [4,64]]: f32, %a[0:128, 0, [4,64]]: f32\n")).find("ON-E1504") != std::string::npos);
  CHECK(failure(with("    memset %a[0:128, 4, [4,64]]: f32, 0.0\n")).find("ON-E1503") != std::string::npos);
  CHECK(failure(with("    loop_begin L0, 4\n")).find("ON-E1502") != std::string::npos);
  CHECK(failure(with("    loop_begin L0, R0\n    loop_end L0\n")).find("R0 is used before it is set") != std::string::npos);
  // Found by the fuzzer: a register that an access adds to its start must be there and set like any other.
  CHECK(failure(with("    memset %a[0:128, 0 + R5*256, [4,64]]: f32, 0.0\n")).find("R5 is beyond the program's registers=") != std::string::npos);
  CHECK(failure(with("    memset %a[0:128, 0 + R0*256, [4,64]]: f32, 0.0\n")).find("R0 is used before it is set") != std::string::npos);
  CHECK(failure(with("    memset %a[0:128, 0 + L0*4, [4,4]]: f32, 0.0\n")).find("ON-E1502") != std::string::npos);
  CHECK(failure(with("    loop_begin L0, 16\n      memset %a[0:128, 0 + L0*16, [4,4]]: f32, 0.0\n    loop_end L0\n")) == "");
  CHECK(failure(with("    loop_begin L0, 17\n      memset %a[0:128, 0 + L0*16, [4,4]]: f32, 0.0\n    loop_end L0\n")).find("ON-E1503") != std::string::npos);
  CHECK(failure(with("    loop_begin L0, 2\n    loop_end L0\n    loop_begin L1, 2\n    loop_end L1\n")) == "");
  CHECK(failure(with("    loop_begin L0, 2\n    while_begin L1\n    loop_end L0\n")).find("ON-E1502") != std::string::npos);
  CHECK(failure(with("", "  %big = sbuf partitions=128 bytes=200000\n")).find("ON-E1505") != std::string::npos);
  CHECK(failure(with("    matmul %a[0:1, 0]: f32, %a[0:1, 0]: f32\n")).find("ON-E12") != std::string::npos);
}
