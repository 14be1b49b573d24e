// Diagnostics that no program text reaches through the whole pipeline, because a reader or verifier in front refuses
// first: each library still gives its own code when it is called alone.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "device/device.h"
#include "import/import.h"
#include "machine/machine.h"
#include "opt/inline_calls.h"
#include "ref/ref.h"
#include "sched/sched.h"
#include "stream/text.h"
#include "tile/text.h"

using namespace openneuron;

namespace {

std::shared_ptr<const Machine> trn2() {
  auto machine = load_machine("trn2");
  REQUIRE(machine);
  return *machine;
}

template <class T>
Code code_of(const Result<T>& result) {
  REQUIRE(!result);
  CHECK(!result.diagnostic().message.empty());
  return result.diagnostic().code;
}

// A program that copies x to y through SBUF; `marker` stands in front of the second transfer.
std::string copying(const std::string& core, const std::string& marker) {
  return "code \"c\" target \"trn2\" {\n"
         "  %x = private_hbm input f32[4,8]\n"
         "  %y = private_hbm output f32[4,8]\n"
         "  core 0 " +
         core +
         " {\n"
         "    Dma queue=0 sem0 {\n"
         "      0: dma sbuf[0:4, 0, [4,8]]: f32, %x[0:4*32, 0, [4,8]]: f32, none indirect=0 signal\n"
         "    }\n"
         "    Dma queue=4 sem1 {\n" +
         marker +
         "      3: dma %y[0:4*32, 0, [4,8]]: f32, sbuf[0:4, 0, [4,8]]: f32, none indirect=0 wait(sem0 >= base+1)\n"
         "    }\n"
         "  }\n"
         "}\n";
}

isa::Code parsed(const std::string& text) {
  auto code = stream::parse(text, "t.stream");
  REQUIRE_MESSAGE(code, format_diagnostic(code.diagnostic()));
  return std::move(*code);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("stream text") {
  const std::string good = copying("sbuf_bytes=32", "");
  CHECK(stream::verify(parsed(good), *trn2()));
  auto broken = stream::parse(replaced(good, "Dma queue=4", "Dma queue4"), "t.stream");
  CHECK(code_of(broken) == Code::StreamSyntax);
  CHECK(broken.diagnostic().place.line == 8);

  CHECK(code_of(stream::verify(parsed(copying("sbuf_bytes=32", "      2: loop_begin L0, 8\n")), *trn2())) ==
        Code::StreamRegions);
  CHECK(code_of(stream::verify(parsed(replaced(good, "sbuf[0:4, 0, [4,8]]", "sbuf[0:4, 300000, [4,8]]")), *trn2())) ==
        Code::StreamAccess);
  CHECK(code_of(stream::verify(parsed(replaced(good, "sem1 {", "sem0 {")), *trn2())) == Code::StreamResource);
}

TEST_CASE("calls that the verifier would have refused") {
  const std::string unknown =
      "func.func @main(%a: tensor<f32>) -> tensor<f32> {\n"
      "  %0 = func.call @gone(%a) : (tensor<f32>) -> tensor<f32>\n"
      "  return %0 : tensor<f32>\n}\n";
  auto module = import::read_text(std::as_bytes(std::span(unknown.data(), unknown.size())), "t.mlir");
  REQUIRE_MESSAGE(module, format_diagnostic(module.diagnostic()));
  CHECK(code_of(opt::inline_calls(*module)) == Code::UnknownCallee);

  std::string deep =
      "func.func @main(%a: tensor<f32>) -> tensor<f32> {\n  %0 = func.call @f0(%a) : (tensor<f32>) -> tensor<f32>\n  "
      "return %0 : tensor<f32>\n}\n";
  for (int i = 0; i < 600; ++i)
    deep += "func.func private @f" + std::to_string(i) + "(%a: tensor<f32>) -> tensor<f32> {\n" +
            (i == 599 ? "  return %a : tensor<f32>\n}\n"
                      : "  %0 = func.call @f" + std::to_string(i + 1) +
                            "(%a) : (tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>\n}\n");
  module = import::read_text(std::as_bytes(std::span(deep.data(), deep.size())), "t.mlir");
  REQUIRE_MESSAGE(module, format_diagnostic(module.diagnostic()));
  CHECK(code_of(opt::inline_calls(*module)) == Code::NestedTooDeep);
}

TEST_CASE("more streams than are scheduled") {
  std::string text =
      "tile \"t\" target \"trn2\" {\n  %x = private_hbm input f32[4,8]\n  %t = sbuf partitions=4 bytes=8192\n  core 0 "
      "{\n";
  for (int i = 0; i < 70; ++i)
    text += "    dma %t[0:4, " + std::to_string(32 * i) +
            ", [4,8]]: f32, %x[0:4*32, 0, [4,8]]: f32, none indirect=0 queue=" + std::to_string(i) + "\n";
  text += "  }\n}\n";
  auto module = tile::parse(text, "t.tile");
  REQUIRE_MESSAGE(module, format_diagnostic(module.diagnostic()));
  Machine machine = *trn2();
  machine.dma_queues = 100;
  REQUIRE(sched::allocate(*module, machine));
  sched::assign_engines(*module, machine, {});
  std::uint8_t queue = 0;
  for (isa::Instruction& instruction : module->programs[0].instructions.open()) instruction.queue = queue++;
  CHECK(code_of(sched::emit_streams(*module, machine, {})) == Code::ScheduleTooLarge);
}

TEST_CASE("the oracle refuses an instruction whose sizes differ") {
  const std::string text =
      "tile \"t\" target \"trn2\" {\n  %x = private_hbm input f32[4,8]\n  %t = sbuf partitions=4 bytes=32\n  %u = sbuf "
      "partitions=4 bytes=32\n"
      "  core 0 {\n"
      "    dma %t[0:4, 0, [4,8]]: f32, %x[0:4*32, 0, [4,8]]: f32, none indirect=0\n"
      "    copy %u[0:4, 0, [4,4]]: f32, %t[0:4, 0, [4,8]]: f32\n"
      "  }\n}\n";
  auto module = tile::parse(text, "t.tile");
  REQUIRE_MESSAGE(module, format_diagnostic(module.diagnostic()));
  Column<BufferId, std::vector<std::byte>> hbm(module->buffers.size());
  for (std::size_t i = 0; i < module->buffers.size(); ++i)
    hbm[BufferId(i)].resize(static_cast<std::size_t>(module->buffers[BufferId(i)].bytes));
  // The instruction's own check stands in front of the oracle's; which of them speaks is no matter.
  const Code code = code_of(ref::run_tile(*module, *trn2(), hbm));
  CHECK((code == Code::InstructionSize || code == Code::OracleTileUnsupported));
}

TEST_CASE("the device refuses what it has no memory or no kernels for") {
  const isa::Code code = parsed(copying("sbuf_bytes=32", ""));
  auto small = std::make_shared<Machine>(*trn2());
  small->hbm_bytes = 100;
  CHECK(code_of(device::Model::load(code, small, {})) == Code::DeviceMemory);
  const auto available = device::available_host_isas();
  for (device::HostIsa isa : {device::HostIsa::Avx2, device::HostIsa::Avx512, device::HostIsa::Avx512Bf16,
                              device::HostIsa::Amx}) {
    device::Options options;
    options.host_isa = isa;
    auto model = device::Model::load(code, trn2(), options);
    if (std::find(available.begin(), available.end(), isa) != available.end()) {
      CHECK(model);
    } else {
      CHECK(code_of(model) == Code::DeviceHostIsa);
    }
  }
}
