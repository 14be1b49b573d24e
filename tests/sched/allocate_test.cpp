#include <doctest/doctest.h>

#include <string>

#include "machine/machine.h"
#include "sched/sched.h"
#include "tile/text.h"

using namespace openneuron;

namespace {

std::shared_ptr<const Machine> trn2() { return *load_machine("trn2"); }

tile::Module module_of(const std::string& buffers, const std::string& instructions) {
  auto module = tile::parse("tile \"t\" target \"trn2\" {\n  %x = private_hbm input f32[128,64]\n" + buffers +
                                "  core 0 loops=8 registers=8 {\n" + instructions + "  }\n}\n",
                            "t.tile");
  REQUIRE_MESSAGE(module, format_diagnostic(module.diagnostic()));
  return std::move(*module);
}

std::string memset(const std::string& name, int elements, const std::string& rest = "") {
  return "    memset %" + name + "[0:128, 0" + rest + ", [4," + std::to_string(elements) + "]]: f32, 0.0\n";
}
std::string buffer(const std::string& name, long bytes, const std::string& rest = "") {
  return "  %" + name + " = sbuf partitions=128 bytes=" + std::to_string(bytes) + rest + "\n";
}
std::int64_t address(const tile::Module& module, const std::string& name) {
  for (const tile::Buffer& b : module.buffers)
    if (b.name == name) return b.address;
  return -2;
}
// Bytes that both live in, of two buffers of these sizes.
bool apart(std::int64_t a, std::int64_t a_bytes, std::int64_t b, std::int64_t b_bytes) { return a + a_bytes <= b || b + b_bytes <= a; }

}  // namespace

TEST_CASE("dead memory is used again, live memory is not") {
  const long most = trn2()->sbuf_partition_bytes / 64 * 64;
  // a and b fill the memory together; c fits only where a was.
  const std::string buffers = buffer("a", most / 2) + buffer("b", most / 2) + buffer("c", most / 2);
  const int n = static_cast<int>(most / 8);
  tile::Module module = module_of(buffers, memset("a", n) + memset("b", n) + memset("c", n) + memset("b", n));
  const auto done = sched::allocate(module, *trn2());
  REQUIRE_MESSAGE(done, format_diagnostic(done.diagnostic()));
  CHECK(address(module, "c") == address(module, "a"));
  CHECK(apart(address(module, "a"), most / 2, address(module, "b"), most / 2));
}

TEST_CASE("what a loop uses and the code around it too lives through the loop") {
  const long most = trn2()->sbuf_partition_bytes / 64 * 64;
  const int n = static_cast<int>(most / 8);
  const std::string body = "    loop_begin L0, 3\n" + memset("a", 8) + memset("c", n) + "    loop_end L0\n";
  tile::Module module = module_of(buffer("a", most / 2) + buffer("c", most / 2), memset("a", 8) + body);
  REQUIRE(sched::allocate(module, *trn2()));
  CHECK(apart(address(module, "a"), most / 2, address(module, "c"), most / 2));
}

TEST_CASE("copies lie side by side, aligned, and PSUM buffers take whole banks") {
  const std::string buffers = buffer("a", 100, " copies=3") + buffer("b", 4) + "  %p = psum partitions=128 bytes=100 copies=2\n  %q = psum partitions=128 bytes=4096\n";
  const std::string code = "    loop_begin L0, 3\n" + memset("a", 8, " + rot(L0,3)") + memset("b", 1) + memset("p", 8, " + rot(L0,2)") + memset("q", 8) +
                           memset("p", 8, " + rot(L0,2)") + "    loop_end L0\n";
  tile::Module module = module_of(buffers, code);
  REQUIRE(sched::allocate(module, *trn2()));
  CHECK(address(module, "a") % 32 == 0);
  CHECK(apart(address(module, "a"), 3 * 128, address(module, "b"), 4));
  CHECK(address(module, "p") % 2048 == 0);
  CHECK(address(module, "q") % 2048 == 0);
  CHECK(apart(address(module, "p"), 2 * 2048, address(module, "q"), 4096));
}

TEST_CASE("fixed addresses are kept, and overlapping ones refused") {
  tile::Module module = module_of(buffer("a", 64, " address=96") + buffer("b", 64), memset("b", 8) + memset("a", 8) + memset("b", 8));
  REQUIRE(sched::allocate(module, *trn2()));
  CHECK(address(module, "a") == 96);
  CHECK(apart(96, 64, address(module, "b"), 64));
  module = module_of(buffer("a", 64, " address=96") + buffer("b", 64, " address=128"), memset("b", 8) + memset("a", 8) + memset("b", 8));
  const auto done = sched::allocate(module, *trn2());
  REQUIRE(!done);
  CHECK(std::string(code_text(done.diagnostic().code)) == "ON-E1705");
  // Not live at the same time: allowed.
  module = module_of(buffer("a", 64, " address=96") + buffer("b", 64, " address=128"), memset("b", 8) + memset("a", 8));
  CHECK(sched::allocate(module, *trn2()));
}

TEST_CASE("full memory names what fills it") {
  const long most = trn2()->sbuf_partition_bytes / 64 * 64;
  tile::Module module = module_of(buffer("big", most / 2) + buffer("half", most / 2) + buffer("more", 4096),
                                  memset("big", 8) + memset("half", 8) + memset("more", 8) + memset("big", 8) + memset("half", 8));
  const auto done = sched::allocate(module, *trn2());
  REQUIRE(!done);
  CHECK(std::string(code_text(done.diagnostic().code)) == "ON-E1701");
  const std::string& message = done.diagnostic().message;
  CHECK(message.find("%more needs 4096 bytes") != std::string::npos);
  CHECK(message.find("%big (" + std::to_string(most / 2) + ")") != std::string::npos);
}

TEST_CASE("registers are shared when they are not live together, and refused when there are too few") {
  std::string code;
  for (int n = 0; n < 8; ++n)
    code += "    register_load R" + std::to_string(n) + ", %x[0:1, 0]: i32\n    loop_begin L" + std::to_string(n) + ", R" + std::to_string(n) + "\n" + memset("a", 1) +
            "    loop_end L" + std::to_string(n) + "\n";
  tile::Module module = module_of(buffer("a", 64), code);
  Machine small = *trn2();
  small.registers = 1;
  CHECK(sched::schedule(module, small, {}));
  module = module_of(buffer("a", 64), "    register_load R0, %x[0:1, 0]: i32\n    register_load R1, %x[0:1, 4]: i32\n    loop_begin L0, R0\n    loop_begin L1, R1\n" +
                                          memset("a", 1) + "    loop_end L1\n    loop_end L0\n");
  const auto done = sched::schedule(module, small, {});
  REQUIRE(!done);
  CHECK(std::string(code_text(done.diagnostic().code)) == "ON-E1704");
}

TEST_CASE("engines: PSUM never on GpSimd, integers on GpSimd, DMA on the queues there are") {
  const std::string buffers = buffer("a", 256) + buffer("i", 256) + "  %p = psum partitions=128 bytes=256\n";
  const std::string code = memset("a", 64) + "    memset %p[0:128, 0, [4,64]]: f32, 0.0\n" +
                           "    tensor_scalar %i[0:128, 0, [4,64]]: i32, %a[0:128, 0, [4,64]]: i32, 3, 0 op0=multiply op1=bypass\n" +
                           "    tensor_tensor %a[0:128, 0, [4,64]]: f32, %p[0:128, 0, [4,64]]: f32, %a[0:128, 0, [4,64]]: f32 op=add\n" +
                           "    dma %a[0:128, 0, [4,64]]: f32, %x[0:128*256, 0, [4,64]]: f32, none indirect=0\n";
  for (int queues : {1, 2, 3, 16}) {
    Machine machine = *trn2();
    machine.dma_queues = queues;
    tile::Module module = module_of(buffers, code);
    sched::assign_engines(module, machine, {});
    const auto& list = module.programs[0].instructions;
    CHECK(list[1].engine == isa::Engine::Vector);
    CHECK(list[2].engine == isa::Engine::GpSimd);
    CHECK(list[3].engine == isa::Engine::Vector);
    CHECK(list[4].engine == isa::Engine::Dma);
    CHECK(list[4].queue < queues);
  }
}

namespace {

std::uint16_t copies(const tile::Module& module, const std::string& name) {
  for (const tile::Buffer& b : module.buffers)
    if (b.name == name) return b.copies;
  return 0;
}

}  // namespace

TEST_CASE("rotating buffers grow while their loop has turns and memory has room") {
  const auto program = [](long bytes, int turns, const std::string& around) {
    const int n = static_cast<int>(bytes / 4);
    const std::string tile = "%t[0:128, 0 + rot(L0,2), [4," + std::to_string(n) + "]]: f32";
    const std::string sum = "%s[0:128, 0 + rot(L0,2), [4,64]]: f32";
    const std::string body = "    loop_begin L0, " + std::to_string(turns) + "\n" +
                             "      dma " + tile + ", %x[0:128*0, 0, [0," + std::to_string(n) + "]]: f32, none indirect=0\n" +
                             "      copy " + sum + ", %t[0:128, 0 + rot(L0,2), [4,64]]: f32\n    loop_end L0\n";
    tile::Module module = module_of(buffer("t", bytes, " copies=2") + buffer("s", 256, " copies=2") + buffer("k", 64), around + body + around);
    const auto done = sched::allocate(module, *trn2(), true);
    REQUIRE_MESSAGE(done, format_diagnostic(done.diagnostic()));
    return module;
  };
  tile::Module module = program(1024, 100, "");
  CHECK(copies(module, "t") == 8);  // a load's latency
  CHECK(copies(module, "s") == 4);  // an instruction's
  for (const isa::Instruction& i : module.programs[0].instructions)
    for (const isa::Operand& o : i.operands)
      if (o.copies > 1) CHECK(o.copies == module.buffers[o.buffer].copies);
  CHECK(copies(program(1024, 3, ""), "t") == 3);
  const long most = trn2()->sbuf_partition_bytes;
  CHECK(copies(program(most / 7, 100, memset("k", 16)), "t") == 6);  // seven, the other buffers and the gaps are too many
  CHECK(copies(program(most / 3, 100, memset("k", 16)), "t") == 2);
}
