// What neighbouring instructions become, and when they are left alone. That the bits stay is tests/python/test_sameness.py.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "isa/table.h"
#include "lower/fuse.h"
#include "machine/machine.h"
#include "tile/text.h"

using namespace openneuron;

namespace {

constexpr const char* kBuffers = R"(
  %in = private_hbm input f32[128,64]
  %out = private_hbm output bf16[128,64]
  %x = sbuf partitions=128 bytes=256
  %m = sbuf partitions=128 bytes=4
  %s = sbuf partitions=128 bytes=4
  %a = sbuf partitions=128 bytes=256
  %b = sbuf partitions=128 bytes=256
  %y = sbuf partitions=128 bytes=128
  %k = sbuf partitions=128 bytes=64
  core 0 loops=0 {
    memset %x[0:128, 0, [4,64]]: f32, 2.0
    memset %m[0:128, 0]: f32, 2.0
    memset %s[0:128, 0]: f32, 2.0
    memset %y[0:128, 0, [2,64]]: bf16, 2.0
    memset %k[0:128, 0, [1,64]]: i1, 1
)";
constexpr std::size_t kMemsets = 5;

// The names of the instructions after fusing `body`, in order.
std::string fused(const std::string& body) {
  const std::string text = "tile \"t\" target \"trn2\" {" + std::string(kBuffers) + body + "  }\n}\n";
  auto module = tile::parse(text, "test");
  if (!module) return format_diagnostic(module.diagnostic());
  lower::fuse(*module);
  auto machine = load_machine("trn2");
  if (auto ok = tile::verify(*module, **machine); !ok) return format_diagnostic(ok.diagnostic());
  std::string names;
  std::size_t place = 0;
  for (const isa::Instruction& i : module->programs[0].instructions)
    if (place++ >= kMemsets) names += std::string(names.empty() ? "" : " ") + std::string(isa::opcode_name(i.opcode));
  return names;
}

const std::string kX = "%x[0:128, 0, [4,64]]: f32", kA = "%a[0:128, 0, [4,64]]: f32", kB = "%b[0:128, 0, [4,64]]: f32", kY = "%y[0:128, 0, [2,64]]: bf16";
const std::string kM = "%m[0:128, 0]: f32", kS = "%s[0:128, 0]: f32";

std::string scalar(const std::string& to, const std::string& from, const std::string& operand, const std::string& op) {
  return "    tensor_scalar " + to + ", " + from + ", " + operand + ", 0.0 op0=" + op + " op1=bypass\n";
}

}  // namespace

TEST_CASE("a softmax row is three instructions") {
  CHECK(fused(scalar(kA, kX, kM, "subtract") + "    activation " + kB + ", " + kA + ", 1.0, 0.0 function=exp\n    tensor_reduce " + kS + ", " + kB +
              " op=add axes=1\n    divide " + kA + ", " + kB + ", %s[0:128, 0, [0,64]]: f32\n") == "TensorScalar ActivationReduce Divide");
}

TEST_CASE("a masked row and its maximum are one instruction when one side is one value a partition") {
  const auto row = [](const std::string& other, const std::string& op) {
    return "    select " + kA + ", %k[0:128, 0, [1,64]]: i1, " + kX + ", " + other + "\n    tensor_reduce " + kS + ", " + kA + " op=" + op + " axes=1\n";
  };
  CHECK(fused(row("%m[0:128, 0, [0,64]]: f32", "maximum")) == "SelectReduce");
  CHECK(fused(row("%m[0:128, 0, [0,64]]: f32", "add")) == "Select TensorReduce");
  CHECK(fused(row(kX, "maximum")) == "Select TensorReduce");
}

TEST_CASE("a scaled softmax row: the scale goes into exp when it is a power of two") {
  const auto row = [](const std::string& scale) {
    return scalar(kA, kX, kM, "subtract") + scalar(kB, kA, scale, "multiply") + "    activation " + kA + ", " + kB + ", 1.0, 0.0 function=exp\n";
  };
  CHECK(fused(row("0.125")) == "TensorScalar Activation");  // the bias -m c, and exp
  CHECK(fused(row("0.1")) == "TensorScalar Activation");    // one TensorScalar of two ops, and exp of what it makes
}

TEST_CASE("scalars chain, and join what reads them") {
  CHECK(fused(scalar(kA, kX, "2.0", "multiply") + scalar(kB, kA, "1.0", "add")) == "TensorScalar");
  CHECK(fused(scalar(kA, kX, kM, "multiply") + "    tensor_tensor " + kB + ", " + kX + ", " + kA + " op=add\n") == "ScalarTensorTensor");
  CHECK(fused("    tensor_tensor " + kA + ", " + kX + ", " + kX + " op=multiply\n    tensor_reduce " + kS + ", " + kA + " op=add axes=1\n") == "ActivationReduce");
  CHECK(fused("    tensor_tensor " + kA + ", " + kX + ", " + kX + " op=add\n    copy " + kY + ", " + kA + "\n") == "TensorTensor");
}

TEST_CASE("bits that would change keep their instructions") {
  // A value that two read is written.
  CHECK(fused(scalar(kA, kX, "2.0", "multiply") + scalar(kB, kA, "1.0", "add") + scalar(kX, kA, "1.0", "add")) == "TensorScalar TensorScalar TensorScalar");
  // What was read changes in between.
  CHECK(fused(scalar(kA, kX, kM, "multiply") + "    memset " + kM + ", 1.0\n" + scalar(kB, kA, "1.0", "add")) == "TensorScalar Memset TensorScalar");
  // A product's -0 would become +0 when a bias of 0 is added, which tanh shows and exp does not.
  CHECK(fused(scalar(kA, kX, "2.0", "multiply") + "    activation " + kB + ", " + kA + ", 1.0, 0.0 function=tanh\n") == "TensorScalar Activation");
  CHECK(fused(scalar(kA, kX, "2.0", "multiply") + "    activation " + kB + ", " + kA + ", 1.0, 0.0 function=exp\n") == "Activation");
  // A value rounded to bfloat16 in between is rounded.
  CHECK(fused(scalar(kY, kX, "2.0", "multiply") + scalar(kB, kY, "1.0", "add")) == "TensorScalar TensorScalar");
  // The copy's place is read between the two.
  CHECK(fused(scalar(kA, kX, "2.0", "multiply") + "    copy " + kB + ", " + kY + "\n    copy " + kY + ", " + kA + "\n") == "TensorScalar Copy Copy");
}
