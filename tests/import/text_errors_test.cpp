// What the text reader and the verifier refuse: the code, and the line and column of the place.
#include <doctest/doctest.h>

#include <string>

#include "import/import.h"

namespace openneuron {
namespace {

struct Refusal {
  const char* text;
  Code code;
  std::uint32_t line, column;
};

const Refusal kRefusals[] = {
    {"module {\n  func.func @main() {\n    %0 = stablehlo.frobnicate : tensor<f32>\n", Code::TextUnknownOp, 3, 10},
    {"func.func @main(%a: tensor<f32>) -> tensor<f32> {\n  return %b : tensor<f32>\n}", Code::TextUndefined, 2, 10},
    {"func.func @main(%a: tensor<f32>) -> tensor<f32> {\n  return %a#1 : tensor<f32>\n}", Code::TextUndefined, 2, 10},
    {"func.func @main(%a: tensor<f32>) -> tensor<f32> {\n  return %a : tensor<f64>\n}", Code::TextType, 2, 3},
    {"func.func @main(%a: tensor<f32>) -> tensor<f64> {\n  return %a : tensor<f32>\n}", Code::TextType, 1, 11},
    {"func.func @main(%a: tensor<f33>) {\n  return\n}", Code::TextType, 1, 28},
    {"func.func @main(%a: tensor<*xf32>) {\n  return\n}", Code::TextType, 1, 27},
    {"func.func @main(%a: tensor<99999999999999999999xf32>) {\n  return\n}", Code::TextType, 1, 28},
    {"func.func @main(%a: tensor<4294967296x4294967296xf32>) {\n  return\n}", Code::TextType, 1, 39},
    {"func.func @main() {\n  %0 = stablehlo.constant dense<[1, 2]> : tensor<3xi32>\n  return\n}", Code::TextLiteral, 2,
     38},
    {"func.func @main() {\n  %0 = stablehlo.constant dense<300> : tensor<i8>\n  return\n}", Code::TextLiteral, 2, 33},
    {"func.func @main() {\n  %0 = stablehlo.constant dense<\"0x00\"> : tensor<3xi32>\n  return\n}", Code::TextLiteral,
     2, 33},
    {"func.func @main() {\n  %0 = stablehlo.constant dense_resource<nope> : tensor<3xi32>\n  return\n}",
     Code::TextUndefined, 2, 27},
    {"func.func @main() {\n  return loc(#missing)\n}", Code::TextUndefined, 2, 14},
    {"#a = loc(#b)\n#b = loc(#a)\nfunc.func @main() {\n  return loc(#a)\n}", Code::TextUndefined, 2, 10},
    {"func.func @main(%a: tensor<f32>) {\n  %0 = stablehlo.gather %a : tensor<f32>\n  return\n}", Code::TextSyntax, 2,
     8},
    {"func.func @main() {\n  return\n", Code::TextTruncated, 3, 1},
    {"func.func @main() {\n  %0 = stablehlo.constant dense<[1,", Code::TextTruncated, 2, 32},
    {"func.func @main(", Code::TextTruncated, 1, 17},
    {"module @m {\n}\n", Code::TextSyntax, 3, 1},
    {"func.func @main(%a: tensor<f32>, %a: tensor<f32>) {\n  return\n}", Code::TextSyntax, 1, 34},
    {"func.func @main() {\n  return\n}\nfunc.func @main() {\n  return\n}", Code::TextSyntax, 4, 11},
    {"func.func @main(%a: tensor<4xf32>) {\n  %0 = \"stablehlo.transpose\"(%a) : (tensor<4xf32>) -> tensor<4xf32>\n  "
     "return\n}",
     Code::GraphAttribute, 2, 8},
    {"func.func @main(%a: tensor<4xf32>) {\n  %0 = stablehlo.transpose %a, dims = [1] : (tensor<4xf32>) -> "
     "tensor<4xf32>\n  return\n}",
     Code::GraphAttribute, 2, 8},
    {"func.func @main(%a: tensor<4xf32>) {\n  %0 = stablehlo.reshape %a : (tensor<4xf32>) -> tensor<5xf32>\n  "
     "return\n}",
     Code::GraphResult, 2, 8},
    {"func.func @main(%a: tensor<4xi1>) {\n  %0 = stablehlo.sine %a : tensor<4xi1>\n  return\n}", Code::GraphOperands,
     2, 8},
    {"func.func @main(%p: tensor<i1>) {\n  \"stablehlo.if\"(%p) ({\n    stablehlo.return\n  }) : (tensor<i1>) -> ()\n  "
     "return\n}",
     Code::GraphRegion, 2, 3},
    {"func.func @main() {\n  call @gone() : () -> ()\n  return\n}", Code::GraphCall, 2, 3},
    {"func.func @main() {\n  call @f() : () -> ()\n  return\n}\nfunc.func private @f() {\n  call @f() : () -> ()\n  "
     "return\n}",
     Code::GraphCall, 6, 3},
    {"func.func @main() {\n  return\n  return\n}", Code::GraphOrder, 3, 3},
    {"", Code::UnknownFormat, 0, 0},
    {"\x01\x02\x03", Code::UnknownFormat, 0, 0},
    {"hello world", Code::TextSyntax, 1, 1},
};

}  // namespace

TEST_CASE("refusals carry their code and place") {
  for (const Refusal& refusal : kRefusals) {
    const std::string text = refusal.text;
    CAPTURE(text);
    auto module = import::read(std::as_bytes(std::span(text)), "t.mlir");
    CHECK(!module);
    if (module) continue;
    const Diagnostic& d = module.diagnostic();
    CAPTURE(format_diagnostic(d));
    CHECK(std::string(code_text(d.code)) == code_text(refusal.code));
    CHECK(d.place.file == "t.mlir");
    CHECK(d.place.line == refusal.line);
    CHECK(d.place.column == refusal.column);
  }
}

TEST_CASE("deep nesting is refused, not followed") {
  const auto refused_as_deep = [](const std::string& text) {
    auto module = import::read(std::as_bytes(std::span(text)), "t.mlir");
    REQUIRE(!module);
    CHECK(std::string(code_text(module.diagnostic().code)) == code_text(Code::TextTooDeep));
  };
  const int n = 100000;
  const auto many = [](const std::string& s) {
    std::string out;
    for (int i = 0; i < n; ++i) out += s;
    return out;
  };
  refused_as_deep("module attributes {a = " + many("[") + many("]") + "} {}");
  refused_as_deep("module attributes {a = " + many("{a = "));
  refused_as_deep("func.func @main(%a: " + many("tuple<"));
  refused_as_deep("func.func @main() {\n  return loc(" + many("\"a\"("));
  refused_as_deep("func.func @main(%p: tensor<i32>) {\n" + many("\"stablehlo.case\"(%p) ({\n"));
  refused_as_deep("func.func @main(%a: tensor<f32>) { return loc(" + many("callsite("));
  std::string aliases;
  for (int i = 0; i < 2000; ++i)
    aliases += "#l" + std::to_string(i) + " = loc(\"a\"(#l" + std::to_string(i + 1) + "))\n";
  refused_as_deep(aliases + "func.func @main() {\n  return loc(#l0)\n}");
}

TEST_CASE("nesting up to the limit is read") {
  std::string text = "module attributes {a = " + std::string(250, '[') + std::string(250, ']') +
                     "} {\nfunc.func @main() {\n  return\n}\n}";
  CHECK(import::read(std::as_bytes(std::span(text)), "t.mlir"));
}

TEST_CASE("every prefix of a program is refused with a code") {
  const std::string text = R"(#loc = loc("f.py":1:2)
module @m attributes {a = dense<[1, 2]> : tensor<2xi64>} {
  func.func public @main(%arg0: tensor<2x3xf32> {tf.aliasing_output = 0 : i32}) -> (tensor<3xf32> {jax.result_info = "r"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32> loc(#loc)
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
    %1:2 = stablehlo.while(%i = %cst, %x = %0) : tensor<f32>, tensor<3xf32>
    cond {
      %2 = stablehlo.compare LT, %i, %i, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      stablehlo.return %i, %x : tensor<f32>, tensor<3xf32>
    }
    return %1#1 : tensor<3xf32>
  }
})";
  for (std::size_t n = 0; n + 1 < text.size(); ++n) {
    const std::string prefix = text.substr(0, n);
    CAPTURE(prefix);
    CHECK(!import::read(std::as_bytes(std::span(prefix)), "t.mlir"));
  }
  CHECK(import::read(std::as_bytes(std::span(text)), "t.mlir"));
}

}  // namespace openneuron
