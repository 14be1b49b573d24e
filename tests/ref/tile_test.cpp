// The tile oracle: sum orders, sequencer, memory. Expected values follow from the arithmetic beside them.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "base/files.h"
#include "machine/machine.h"
#include "num/convert.h"
#include "ref/ref.h"
#include "tile/text.h"

using namespace openneuron;

namespace {

using Arrays = std::map<std::string, std::vector<double>>;

std::shared_ptr<const Machine> trn2() {
  auto machine = load_machine(std::string(ON_DATA_DIR) + "/machines/trn2.toml");
  REQUIRE_MESSAGE(machine, format_diagnostic(machine.diagnostic()));
  return *machine;
}

std::vector<std::byte> pack(ElementType type, const std::vector<double>& values) {
  std::vector<std::byte> bytes(values.size() * static_cast<std::size_t>(byte_width(type)));
  for (std::size_t i = 0; i < values.size(); ++i) store_double(type, bytes.data(), i, values[i]);
  return bytes;
}

Result<Arrays> try_tile(const std::string& text, const Arrays& inputs) {
  auto module = tile::parse(text, "test.tile");
  REQUIRE_MESSAGE(module, format_diagnostic(module.diagnostic()));
  Column<BufferId, std::vector<std::byte>> hbm(module->buffers.size());
  for (std::uint32_t i = 0; i < module->buffers.size(); ++i) {
    const tile::Buffer& buffer = module->buffers[BufferId(std::size_t{i})];
    const auto given = inputs.find(buffer.name);
    if (given != inputs.end()) hbm[BufferId(std::size_t{i})] = pack(buffer.variable.type, given->second);
  }
  ON_TRY(ref::run_tile(*module, *trn2(), hbm));
  Arrays outputs;
  for (std::uint32_t i = 0; i < module->buffers.size(); ++i) {
    const tile::Buffer& buffer = module->buffers[BufferId(std::size_t{i})];
    if (buffer.variable.kind != isa::VariableKind::Output) continue;
    const std::vector<std::byte>& bytes = hbm[BufferId(std::size_t{i})];
    for (std::size_t k = 0; k * static_cast<std::size_t>(byte_width(buffer.variable.type)) < bytes.size(); ++k)
      outputs[buffer.name].push_back(load_double(buffer.variable.type, bytes.data(), k));
  }
  return outputs;
}

Arrays run_tile(const std::string& text, const Arrays& inputs) {
  auto outputs = try_tile(text, inputs);
  REQUIRE_MESSAGE(outputs, format_diagnostic(outputs.diagnostic()));
  return std::move(*outputs);
}

std::string failure(const std::string& text, const Arrays& inputs = {}) {
  auto outputs = try_tile(text, inputs);
  REQUIRE(!outputs);
  return format_diagnostic(outputs.diagnostic());
}

std::string program(const std::string& buffers, const std::string& instructions) {
  return "tile \"t\" target \"trn2\" {\n" + buffers + "\n  core 0 loops=4 registers=4 {\n" + instructions + "\n  }\n}\n";
}

// One column of K stationary and moving values: their sum by Matmul, on top of `before`.
double matmul(ElementType type, const std::vector<double>& a, const std::vector<double>& b, const double* before = nullptr) {
  const std::string k = std::to_string(a.size()), t(type_name(type)), width = std::to_string(byte_width(type));
  std::string text = "  %a = private_hbm input " + t + "[" + k + ",1]\n  %b = private_hbm input " + t + "[" + k + ",1]\n";
  text += "  %c = private_hbm input f32[1]\n  %r = private_hbm output f32[1]\n";
  text += "  %s = sbuf partitions=" + k + " bytes=8\n  %m = sbuf partitions=" + k + " bytes=8\n";
  text += "  %o = sbuf partitions=1 bytes=4\n  %p = psum partitions=1 bytes=4\n";
  std::string code = "dma %s[0:" + k + ", 0]: " + t + ", %a[0:" + k + "*" + width + ", 0]: " + t + ", none indirect=0\n";
  code += "dma %m[0:" + k + ", 0]: " + t + ", %b[0:" + k + "*" + width + ", 0]: " + t + ", none indirect=0\n";
  code += "dma %o[0:1, 0]: f32, %c[0:1, 0]: f32, none indirect=0\n";
  code += "load_stationary %s[0:" + k + ", 0]: " + t + "\n";
  if (before) code += "copy %p[0:1, 0]: f32, %o[0:1, 0]: f32\n";
  code += "matmul %p[0:1, 0]: f32, %m[0:" + k + ", 0]: " + t + (before ? " accumulate\n" : "\n");
  code += "copy %o[0:1, 0]: f32, %p[0:1, 0]: f32\ndma %r[0:1, 0]: f32, %o[0:1, 0]: f32, none indirect=0";
  return run_tile(program(text, code), {{"a", a}, {"b", b}, {"c", {before ? *before : 0}}})["r"][0];
}

}  // namespace

TEST_CASE("fp32 matmul: one FMA chain over K from zero, then added to PSUM") {
  // 1e8 + 1 rounds to 1e8 (spacing 8), so the 1 is lost; any other order keeps it.
  CHECK(matmul(ElementType::F32, {1e8, 1, -1e8}, {1, 1, 1}) == 0);
  // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24: the FMA keeps the last term.
  const double e = 1 + std::ldexp(1, -12);
  CHECK(matmul(ElementType::F32, {-(1 + std::ldexp(1, -11)), e}, {1, e}) == std::ldexp(1, -24));
  // 0.75 + 0.75 first, then 2^24 + 1.5 = 2^24 + 2; starting the chain at 2^24 would lose both.
  const double before = std::ldexp(1, 24);
  CHECK(matmul(ElementType::F32, {0.75, 0.75}, {1, 1}, &before) == before + 2);
  CHECK(matmul(ElementType::F32, {std::ldexp(1, -100)}, {std::ldexp(1, -40)}) == std::ldexp(1, -140));  // subnormals stay
}

TEST_CASE("bf16 matmul: even and odd chains per 32 k, subnormals are zero") {
  // Even: 1 + 2^-30 = 1; odd: 2^30 - 2^30 = 0. One chain in order would give 0.
  const double big = std::ldexp(1, 30), tiny = std::ldexp(1, -30);
  CHECK(matmul(ElementType::BF16, {1, big, tiny, -big}, {1, 1, 1, 1}) == 1);
  // The second 32 sum to 2 before they meet 2^24.
  std::vector<double> a(36, 0.0), ones(36, 1.0);
  a[0] = std::ldexp(1, 24);
  a[32] = a[34] = 1;
  CHECK(matmul(ElementType::BF16, a, ones) == a[0] + 2);
  // 2^-127 twice would be 2^-126, but each product is flushed on its way.
  const double p = std::ldexp(1, -100), q = std::ldexp(1, -27);
  CHECK(matmul(ElementType::BF16, {p, 0, p, 0}, {q, 0, q, 0}) == 0);
  CHECK(matmul(ElementType::F16, {std::ldexp(1, -24)}, {1}) == std::ldexp(1, -24));  // an fp16 subnormal is a normal fp32
}

TEST_CASE("vector sums: 32 interleaved partials, then a tree of halves") {
  const auto sum = [](std::vector<double> x) {
    const std::string n = std::to_string(x.size());
    return run_tile(program("  %x = private_hbm input f32[" + n + "]\n  %r = private_hbm output f32[1]\n" +
                                "  %t = sbuf partitions=1 bytes=1024\n  %s = sbuf partitions=1 bytes=4\n",
                            "dma %t[0:1, 0, [4," + n + "]]: f32, %x[0:1, 0, [4," + n + "]]: f32, none indirect=0\n" +
                                "tensor_reduce %s[0:1, 0]: f32, %t[0:1, 0, [4," + n + "]]: f32 op=add axes=1\n" +
                                "dma %r[0:1, 0]: f32, %s[0:1, 0]: f32, none indirect=0"),
                    {{"x", x}})["r"][0];
  };
  const double big = std::ldexp(1, 24);
  std::vector<double> x(65, 0.0);
  x[0] = big;
  x[32] = x[64] = 1;  // both to partial 0, one after the other: lost
  CHECK(sum(x) == big);
  std::vector<double> y(32, 0.0);
  y[0] = big;
  y[1] = y[3] = 1;  // partial 1 takes partial 3 before partial 0 takes it
  CHECK(sum(y) == big + 2);
  std::vector<double> z(32, 0.0);
  z[0] = big;
  z[16] = z[8] = 1;  // partial 0 takes 16, then 8
  CHECK(sum(z) == big);
}

TEST_CASE("elementwise: reversed operands, domains, conversion of the result") {
  const auto r = run_tile(program(R"(  %x = private_hbm input f32[4]
  %i = private_hbm input i32[4]
  %a = private_hbm output f32[4]
  %b = private_hbm output i8[4]
  %c = private_hbm output ui8[4]
  %d = private_hbm output i32[4]
  %e = private_hbm output f32[4]
  %t = sbuf partitions=1 bytes=16
  %u = sbuf partitions=1 bytes=16
  %v = sbuf partitions=1 bytes=16
  %w = sbuf partitions=1 bytes=4
)",
                                  R"(dma %t[0:1, 0, [4,4]]: f32, %x[0:1, 0, [4,4]]: f32, none indirect=0
dma %u[0:1, 0, [4,4]]: i32, %i[0:1, 0, [4,4]]: i32, none indirect=0
tensor_scalar %v[0:1, 0, [4,4]]: f32, %t[0:1, 0, [4,4]]: f32, 10.0, 2.0 op0=subtract reverse0 op1=multiply
dma %a[0:1, 0, [4,4]]: f32, %v[0:1, 0, [4,4]]: f32, none indirect=0
tensor_scalar %w[0:1, 0, [1,4]]: i8, %t[0:1, 0, [4,4]]: f32, 100.0, 0.0 op0=multiply op1=bypass
dma %b[0:1, 0, [1,4]]: i8, %w[0:1, 0, [1,4]]: i8, none indirect=0
tensor_tensor %w[0:1, 0, [1,4]]: ui8, %t[0:1, 0, [4,4]]: f32, %u[0:1, 0, [4,4]]: i32 op=greater
dma %c[0:1, 0, [1,4]]: ui8, %w[0:1, 0, [1,4]]: ui8, none indirect=0
divide %v[0:1, 0, [4,4]]: i32, %u[0:1, 0, [4,4]]: i32, %u[0:1, 12, [-4,4]]: i32
dma %d[0:1, 0, [4,4]]: i32, %v[0:1, 0, [4,4]]: i32, none indirect=0
activation %v[0:1, 0, [4,4]]: f32, %t[0:1, 0, [4,4]]: f32, 1.0, 0.0 function=exp
dma %e[0:1, 0, [4,4]]: f32, %v[0:1, 0, [4,4]]: f32, none indirect=0)"),
                          {{"x", {1, -2.5, 0.5, 3}}, {"i", {7, -3, 0, 2}}});
  CHECK(r.at("a") == std::vector<double>{18, 25, 19, 14});
  CHECK(r.at("b") == std::vector<double>{100, -128, 50, 127});
  CHECK(r.at("c") == std::vector<double>{0, 1, 1, 1});
  CHECK(r.at("d") == std::vector<double>{3, -1, 0, 0});  // 7 / 2, -3 / 0, 0 / -3, 2 / 7
  CHECK(r.at("e")[3] == static_cast<double>(static_cast<float>(std::exp(3.0))));
}

TEST_CASE("loops, terms, rotation, while, case and registers") {
  // Rows 0..3 of x, doubled by way of two rotating copies, in reverse order; then a count of trips and a chosen branch.
  const std::string buffers = R"(  %x = private_hbm input f32[4,2]
  %n = private_hbm input i32[1]
  %y = private_hbm output f32[4,2]
  %z = private_hbm output i32[2]
  %t = sbuf partitions=1 bytes=8 copies=2
  %i = sbuf partitions=1 bytes=4
  %c = sbuf partitions=1 bytes=4
  %p = sbuf partitions=1 bytes=4
  %k = sbuf partitions=1 bytes=4
)";
  const std::string code = R"(loop_begin L0, 4
dma %t[0:1, 0 + rot(L0,2), [4,2]]: f32, %x[0:1, 0 + L0*8, [4,2]]: f32, none indirect=0
tensor_tensor %t[0:1, 0 + rot(L0,2), [4,2]]: f32, %t[0:1, 0 + rot(L0,2), [4,2]]: f32, %t[0:1, 0 + rot(L0,2), [4,2]]: f32 op=add
dma %y[0:1, 24 + L0*-8, [4,2]]: f32, %t[0:1, 0 + rot(L0,2), [4,2]]: f32, none indirect=0
loop_end L0
dma %i[0:1, 0]: i32, %n[0:1, 0]: i32, none indirect=0
memset %c[0:1, 0]: i32, 0
while_begin L1
tensor_scalar %p[0:1, 0]: i32, %i[0:1, 0]: i32, 0, 0 op0=greater op1=bypass
register_load R0, %p[0:1, 0]: i32
while_test L1, R0
tensor_scalar %i[0:1, 0]: i32, %i[0:1, 0]: i32, 3, 0 op0=subtract op1=bypass
tensor_scalar %c[0:1, 0]: i32, %c[0:1, 0]: i32, 1, 0 op0=add op1=bypass
while_end L1
dma %z[0:1, 0]: i32, %c[0:1, 0]: i32, none indirect=0
register_load R1, %c[0:1, 0]: i32
case_begin L2, R1 branches=3
memset %k[0:1, 0]: i32, 100
case_next L2
memset %k[0:1, 0]: i32, 101
case_next L2
memset %k[0:1, 0]: i32, 102
case_end L2
register_move R2, 1
dma %z[0:1, 0 + R2*4]: i32, %k[0:1, 0]: i32, none indirect=0)";
  const auto run = [&](double n) {
    return run_tile(program(buffers, code), {{"x", {1, 2, 3, 4, 5, 6, 7, 8}}, {"n", {n}}});
  };
  CHECK(run(1)["y"] == std::vector<double>{14, 16, 10, 12, 6, 8, 2, 4});
  CHECK(run(0)["z"] == std::vector<double>{0, 100});
  CHECK(run(3)["z"] == std::vector<double>{1, 101});
  CHECK(run(7)["z"] == std::vector<double>{3, 102});   // outside: the last branch
  CHECK(run(-5)["z"] == std::vector<double>{0, 100});
}

TEST_CASE("indirect transfers: rows by offsets, limits, rows left out") {
  const auto run = [](std::vector<double> offsets, bool skip) {
    const std::string flag = skip ? " skip" : "";
    return try_tile(program(R"(  %x = private_hbm input f32[3,2]
  %o = private_hbm input i32[2]
  %y = private_hbm output f32[2,2]
  %z = private_hbm output f32[3,2]
  %t = sbuf partitions=2 bytes=8
  %i = sbuf partitions=2 bytes=4
)",
                            "dma %i[0:2, 0]: i32, %o[0:2*4, 0]: i32, none indirect=0\nmemset %t[0:2, 0, [4,2]]: f32, -1.0\n" +
                                std::string("dma %t[0:2, 0, [4,2]]: f32, %x[0:2*0, 0, [4,2]] indexed(8,3): f32, %i[0:2, 0]: i32 indirect=1") +
                                flag + "\ndma %y[0:2*8, 0, [4,2]]: f32, %t[0:2, 0, [4,2]]: f32, none indirect=0\n" +
                                "dma %z[0:3*8, 0, [4,2]]: f32, %x[0:3*8, 0, [4,2]]: f32, none indirect=0\n" +
                                "dma %z[0:2*0, 0, [4,2]] indexed(8,3): f32, %t[0:2, 0, [4,2]]: f32, %i[0:2, 0]: i32 indirect=2" + flag),
                    {{"x", {1, 2, 3, 4, 5, 6}}, {"o", offsets}});
  };
  auto both = run({2, 0}, false);
  REQUIRE_MESSAGE(both, format_diagnostic(both.diagnostic()));
  CHECK((*both)["y"] == std::vector<double>{5, 6, 1, 2});
  auto skipped = run({3, 1}, true);
  REQUIRE_MESSAGE(skipped, format_diagnostic(skipped.diagnostic()));
  CHECK((*skipped)["y"] == std::vector<double>{-1, -1, 3, 4});
  CHECK((*skipped)["z"] == std::vector<double>{1, 2, 3, 4, 5, 6});
  auto outside = run({3, 1}, false);
  REQUIRE(!outside);
  CHECK(format_diagnostic(outside.diagnostic()).find("ON-E1592") != std::string::npos);
}

TEST_CASE("rows added by offsets, the eight largest, sorted rows") {
  auto ran = try_tile(program(R"(  %x = private_hbm input f32[3,2]
  %o = private_hbm input i32[3]
  %r = private_hbm input f32[1,9]
  %y = private_hbm output f32[2,2]
  %v = private_hbm output f32[1,8]
  %w = private_hbm output i32[1,8]
  %s = private_hbm output f32[1,9]
  %t = sbuf partitions=3 bytes=8
  %i = sbuf partitions=3 bytes=4
  %d = sbuf partitions=1 bytes=36
  %m = sbuf partitions=1 bytes=32
  %f = sbuf partitions=1 bytes=32
  %z = sbuf partitions=2 bytes=8
)",
                              R"(dma %i[0:3, 0]: i32, %o[0:3*4, 0]: i32, none indirect=0
dma %t[0:3, 0, [4,2]]: f32, %x[0:3*8, 0, [4,2]]: f32, none indirect=0
memset %z[0:2, 0, [4,2]]: f32, 0.0
dma %y[0:2*8, 0, [4,2]]: f32, %z[0:2, 0, [4,2]]: f32, none indirect=0
dma_compute %y[0:3*0, 0, [4,2]] indexed(8,2): f32, %t[0:3, 0, [4,2]]: f32, %i[0:3, 0]: i32 skip
dma %d[0:1, 0, [4,9]]: f32, %r[0:1*36, 0, [4,9]]: f32, none indirect=0
max8 %m[0:1, 0, [4,8]]: f32, %d[0:1, 0, [4,9]]: f32
find_index8 %f[0:1, 0, [4,8]]: ui32, %d[0:1, 0, [4,9]]: f32, %m[0:1, 0, [4,8]]: f32
dma %v[0:1*32, 0, [4,8]]: f32, %m[0:1, 0, [4,8]]: f32, none indirect=0
dma %w[0:1*32, 0, [4,8]]: i32, %f[0:1, 0, [4,8]]: i32, none indirect=0
sort %s[0:1*36, 0, [4,9]]: f32, none, %d[0:1, 0, [4,9]]: f32, none)"),
                      {{"x", {1, 2, 3, 4, 5, 6}}, {"o", {1, 2, 1}}, {"r", {3, 9, 3, -1, 4, 9, 0, 7, 3}}});
  REQUIRE_MESSAGE(ran, format_diagnostic(ran.diagnostic()));
  CHECK((*ran)["y"] == std::vector<double>{0, 0, 6, 8});
  CHECK((*ran)["v"] == std::vector<double>{9, 9, 7, 4, 3, 3, 3, 0});
  CHECK((*ran)["w"] == std::vector<double>{1, 5, 7, 4, 0, 2, 8, 6});
  CHECK((*ran)["s"] == std::vector<double>{-1, 0, 3, 3, 3, 4, 7, 9, 9});
}

TEST_CASE("two cores meet at barriers: the hand-written program gives what its comment says") {
  auto file = read_file(std::string(ON_TEST_DIR) + "/golden/tile/two_core_matmul.tile");
  REQUIRE(file);
  Arrays inputs{{"k_tiles", {3}}};
  // Small whole numbers: every sum is exact whatever its order.
  for (int i = 0; i < 512 * 256; ++i) inputs["at"].push_back(i * 7 % 11 - 5);
  for (int i = 0; i < 512 * 512; ++i) inputs["b"].push_back(i * 5 % 13 - 6);
  const auto outputs = run_tile(std::string(file->text()), inputs);
  std::vector<double> c(256 * 512);
  for (std::size_t m = 0; m < 256; ++m)
    for (std::size_t k = 0; k < 384; ++k)
      for (std::size_t n = 0; n < 512; ++n) c[m * 512 + n] += inputs["at"][k * 256 + m] * inputs["b"][k * 512 + n];
  std::vector<double> want(c.size());
  for (std::size_t m = 0; m < 256; ++m)
    for (std::size_t n = 0; n < 512; ++n)
      want[m * 512 + n] = std::fmax(c[m * 512 + n], 0) + std::fmax(c[(m + 128) % 256 * 512 + n], 0);
  CHECK(outputs.at("out") == want);
}

TEST_CASE("transposes and iotas move and count") {
  const auto r = run_tile(program(R"(  %x = private_hbm input f32[2,3]
  %y = private_hbm output f32[3,2]
  %z = private_hbm output i32[2,3]
  %t = sbuf partitions=2 bytes=12
  %p = psum partitions=3 bytes=8
  %u = sbuf partitions=3 bytes=8
  %i = sbuf partitions=2 bytes=12
)",
                                  R"(dma %t[0:2, 0, [4,3]]: f32, %x[0:2*12, 0, [4,3]]: f32, none indirect=0
transpose %p[0:3, 0, [4,2]]: f32, %t[0:2, 0, [4,3]]: f32
copy %u[0:3, 0, [4,2]]: f32, %p[0:3, 0, [4,2]]: f32
dma %y[0:3*8, 0, [4,2]]: f32, %u[0:3, 0, [4,2]]: f32, none indirect=0
iota %i[0:2, 0, [4,3]]: i32, pattern[0:2*100, 7, [10,3]]
dma %z[0:2*12, 0, [4,3]]: i32, %i[0:2, 0, [4,3]]: i32, none indirect=0)"),
                          {{"x", {1, 2, 3, 4, 5, 6}}});
  CHECK(r.at("y") == std::vector<double>{1, 4, 2, 5, 3, 6});
  CHECK(r.at("z") == std::vector<double>{7, 17, 27, 107, 117, 127});
}

TEST_CASE("bytes that nothing wrote, and bytes outside, are reported with the instruction") {
  const std::string buffers = R"(  %x = private_hbm input f32[4]
  %n = private_hbm input i32[1]
  %y = private_hbm output f32[4]
  %t = sbuf partitions=1 bytes=16
)";
  const std::string tail = "\ndma %y[0:1, 0, [4,4]]: f32, %t[0:1, 0, [4,4]]: f32, none indirect=0";
  const Arrays inputs{{"x", {1, 2, 3, 4}}, {"n", {9}}};
  const std::string half = failure(program(buffers, "dma %t[0:1, 0, [4,2]]: f32, %x[0:1, 0, [4,2]]: f32, none indirect=0" + tail), inputs);
  CHECK(half.find("ON-E1591") != std::string::npos);
  CHECK(half.find("Dma #1") != std::string::npos);
  CHECK(half.find("byte 8") != std::string::npos);
  const std::string outside = failure(
      program(buffers, "register_load R0, %n[0:1, 0]: i32\ndma %t[0:1, 0, [4,4]]: f32, %x[0:1, 0 + R0*4, [4,4]]: f32, none indirect=0" + tail),
      inputs);
  CHECK(outside.find("ON-E1590") != std::string::npos);
  const std::string missing = failure(program(buffers, "dma %t[0:1, 0, [4,4]]: f32, %x[0:1, 0, [4,4]]: f32, none indirect=0\n"
                                                       "dma %y[0:1, 0, [4,3]]: f32, %t[0:1, 0, [4,3]]: f32, none indirect=0"),
                                      inputs);
  CHECK(missing.find("ON-E1591") != std::string::npos);
  CHECK(failure(program(buffers, "dma %t[0:1, 0, [4,4]]: f32, %x[0:1, 0, [4,4]]: f32, none indirect=0" + tail)).find("ON-E1192") !=
        std::string::npos);
}

TEST_CASE("a buffer of one block holds nothing across iterations") {
  const std::string text = program(R"(  %x = private_hbm input f32[1]
  %y = private_hbm output f32[2]
  %t = sbuf partitions=1 bytes=4
)",
                                   R"(loop_begin L0, 2
register_move R0, 0
case_begin L1, R0 branches=1
dma %t[0:1, 0]: f32, %x[0:1, 0]: f32, none indirect=0
case_end L1
dma %y[0:1, 0 + L0*4]: f32, %t[0:1, 0]: f32, none indirect=0
loop_end L0)");
  CHECK(run_tile(text, {{"x", {5}}})["y"] == std::vector<double>{5, 5});
  // Written in the first iteration only.
  std::string once = text;
  once.replace(once.find("register_move R0, 0"), 19, "register_load R0, %x[0:1, 0]: i32");
  once.replace(once.find("branches=1"), 10, "branches=2");
  once.replace(once.find("case_end"), 8, "case_next L1\ncase_end");
  CHECK(failure(once, {{"x", {5}}}).find("ON-E1591") != std::string::npos);
}

TEST_CASE("a while that does not end and cores at different barriers are reported") {
  const std::string endless = failure(program("  %y = private_hbm output f32[1]\n", R"(register_move R0, 1
while_begin L0
register_move R1, 1
while_test L0, R1
register_move R0, 1
while_end L0)"));
  CHECK(endless.find("ON-E1594") != std::string::npos);
  const std::string apart = failure("tile \"t\" target \"trn2\" {\n  core 0 {\n    core_barrier number=0\n  }\n  core 1 {\n  }\n}\n");
  CHECK(apart.find("ON-E1595") != std::string::npos);
}
