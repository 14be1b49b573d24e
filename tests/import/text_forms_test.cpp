// The text reader: every way to write a thing gives the same graph; expected values are written out by hand.
#include <doctest/doctest.h>

#include <cstring>
#include <string>

#include "graph/equal.h"
#include "graph/print.h"
#include "graph/verify.h"
#include "import/import.h"

namespace openneuron {
namespace {

graph::Module parse(const std::string& text) {
  auto module = import::read_text(std::as_bytes(std::span(text)), "test.mlir");
  if (!module) FAIL(format_diagnostic(module.diagnostic()) << "\n" << text);
  return std::move(*module);
}

// A body of @main around ops that end with `return`.
std::string in_main(const std::string& arguments, const std::string& results, const std::string& ops) {
  return "func.func @main(" + arguments + ") -> (" + results + ") {\n" + ops + "\n}\n";
}

void same(const std::string& a, const std::string& b) {
  const graph::Module x = parse(a), y = parse(b);
  std::string difference;
  CHECK_MESSAGE(graph::equal(x, y, &difference), difference << "\n" << a << b);
}

const graph::Constant& literal(const graph::Module& m) {
  const graph::Function& f = m.function(m.entry());
  return m.constant(m.attribute(m.attr(f, OpId(0), "value")).constant);
}

template <class T>
T element(const graph::Constant& c, std::size_t i) {
  T value;
  std::memcpy(&value, c.bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}

}  // namespace

TEST_CASE("pretty, generic and older forms of an op are one op") {
  const std::string dot = "return %0 : tensor<4x6xf32>";
  const auto program = [&](const std::string& op) {
    return in_main("%a: tensor<4x5xf32>, %b: tensor<5x6xf32>", "tensor<4x6xf32>", op + "\n" + dot);
  };
  const std::string types = " : (tensor<4x5xf32>, tensor<5x6xf32>) -> tensor<4x6xf32>";
  const std::string pretty = program(
      "%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT]" + types);
  same(pretty,
       program("%0 = stablehlo.dot_general %a, %b, batching_dims = [] x [], contracting_dims = [1] x [0]" + types));
  same(pretty, program("%0 = \"stablehlo.dot_general\"(%a, %b) <{dot_dimension_numbers = "
                       "#stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, "
                       "precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}>" +
                       types));
  same(pretty, program("%0 = \"mhlo.dot_general\"(%a, %b) {dot_dimension_numbers = "
                       "#mhlo.dot<rhs_contracting_dimensions = [0], lhs_contracting_dimensions = [1]>, "
                       "precision_config = [#mhlo<\"precision DEFAULT\">, #mhlo<precision DEFAULT>]}" +
                       types));
}

TEST_CASE("i64 lists may be arrays, dense tensors or splats") {
  const auto program = [&](const std::string& value) {
    return in_main("%a: tensor<3xf32>", "tensor<3x3xf32>",
                   "%0 = \"stablehlo.broadcast_in_dim\"(%a) <{broadcast_dimensions = " + value +
                       "}> : (tensor<3xf32>) -> tensor<3x3xf32>\nreturn %0 : tensor<3x3xf32>");
  };
  same(program("array<i64: 1>"), program("dense<[1]> : tensor<1xi64>"));
  same(program("array<i64: 1>"), program("dense<1> : tensor<1xi64>"));
  same(program("array<i64: 1>"), in_main("%x: tensor<3xf32>", "tensor<3x3xf32>",
                                         "%y = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf32>) -> "
                                         "tensor<3x3xf32>\nreturn %y : tensor<3x3xf32>"));
}

TEST_CASE("defaults of windows are filled in") {
  const auto program = [&](const std::string& rest) {
    return in_main("%a: tensor<4x6xf32>, %i: tensor<f32>", "tensor<3x5xf32>",
                   "%0 = \"stablehlo.reduce_window\"(%a, %i) <{window_dimensions = array<i64: 2, 2>" + rest +
                       "}> ({\n^bb0(%x: tensor<f32>, %y: tensor<f32>):\n  %1 = stablehlo.maximum %x, %y : "
                       "tensor<f32>\n  stablehlo.return %1 : tensor<f32>\n}) : (tensor<4x6xf32>, tensor<f32>) -> "
                       "tensor<3x5xf32>\nreturn %0 : tensor<3x5xf32>");
  };
  same(program(""), program(", window_strides = array<i64: 1, 1>, base_dilations = array<i64: 1, 1>, window_dilations "
                            "= array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>"));
}

TEST_CASE("convolution windows: any subset, booleans or numbers") {
  const auto program = [&](const std::string& window) {
    return in_main(
        "%a: tensor<1x5x5x2xf32>, %w: tensor<3x3x2x4xf32>", "tensor<1x3x3x4xf32>",
        "%0 = stablehlo.convolution(%a, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {" +
            window +
            "} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x5x5x2xf32>, "
            "tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32>\nreturn %0 : tensor<1x3x3x4xf32>");
  };
  same(program(""), program("stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], "
                            "reverse = [false, false]"));
  same(program("reverse = [1, 0]"), program("reverse = [true, false]"));
}

TEST_CASE("broadcasting chlo ops become broadcast_in_dim and the op") {
  const auto program = [&](const std::string& ops) {
    return in_main("%a: tensor<4x5xf32>, %b: tensor<5xf32>, %c: tensor<4xf32>, %d: tensor<4x1xf32>, %p: tensor<i1>",
                   "tensor<4x5xf32>", ops + "\nreturn %r : tensor<4x5xf32>");
  };
  const std::string row = "%w = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<5xf32>) -> tensor<4x5xf32>\n";
  same(program("%r = chlo.broadcast_add %a, %b : (tensor<4x5xf32>, tensor<5xf32>) -> tensor<4x5xf32>"),
       program(row + "%r = stablehlo.add %a, %w : tensor<4x5xf32>"));
  same(program("%r = chlo.broadcast_divide %c, %a {broadcast_dimensions = array<i64: 0>} : (tensor<4xf32>, "
               "tensor<4x5xf32>) -> tensor<4x5xf32>"),
       program("%w = stablehlo.broadcast_in_dim %c, dims = [0] : (tensor<4xf32>) -> tensor<4x5xf32>\n"
               "%r = stablehlo.divide %w, %a : tensor<4x5xf32>"));
  same(program("%r = \"chlo.broadcast_next_after\"(%d, %a) : (tensor<4x1xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>"),
       program("%w = stablehlo.broadcast_in_dim %d, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x5xf32>\n"
               "%r = chlo.next_after %w, %a : tensor<4x5xf32>, tensor<4x5xf32> -> tensor<4x5xf32>"));
  same(program(
           "%r = chlo.broadcast_select %p, %a, %b : (tensor<i1>, tensor<4x5xf32>, tensor<5xf32>) -> tensor<4x5xf32>"),
       program(row + "%r = stablehlo.select %p, %a, %w : tensor<i1>, tensor<4x5xf32>"));
}

TEST_CASE("compact reduce is its long form") {
  const std::string arguments = "%a: tensor<4x6xf32>, %i: tensor<f32>", result = "tensor<4xf32>",
                    types = " : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>";
  same(in_main(arguments, result,
               "%0 = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [1]" + types +
                   "\nreturn %0 : tensor<4xf32>"),
       in_main(arguments, result,
               "%0 = stablehlo.reduce(%a init: %i) across dimensions = [1]" + types +
                   "\n reducer(%x: tensor<f32>, %y: tensor<f32>) {\n %1 = stablehlo.add %x, %y : tensor<f32>\n "
                   "stablehlo.return %1 : tensor<f32>\n}\nreturn %0 : tensor<4xf32>"));
}

TEST_CASE("captured values become trailing operands, one list for all regions, through every level") {
  const graph::Module m = parse(R"(
func.func @main(%p: tensor<i1>, %q: tensor<i32>, %a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.add %b, %a : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }, {
    %1 = "stablehlo.case"(%q) ({
      %2 = stablehlo.negate %a : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<i32>) -> tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %0 : tensor<f32>
})");
  const graph::Function& f = m.function(m.entry());
  const OpId op(0);
  REQUIRE(f.capture_count(op) == 3);
  const auto operands = f.operands(op);
  // Order of first use: %b, %a, then %q.
  CHECK(operands[0] == ValueId(0));
  CHECK(operands[1] == ValueId(3));
  CHECK(operands[2] == ValueId(2));
  CHECK(operands[3] == ValueId(1));
  const graph::Function& second = m.function(f.regions(op)[1]);
  CHECK(second.parameter_count() == 3);
  CHECK(second.operand(OpId(0), 0) == ValueId(2));  // %q selects
  CHECK(second.capture_count(OpId(0)) == 1);
  CHECK(second.operand(OpId(0), 1) == ValueId(1));  // %a is handed on
  CHECK(graph::verify(m));
}

TEST_CASE("literals") {
  const auto read = [](const std::string& text) {
    return parse("func.func @main() {\n%0 = stablehlo.constant " + text + "\nreturn\n}");
  };
  SUBCASE("lists, splats and bits") {
    const graph::Module m = read("dense<[[1.0, -2.5e-3], [0x7F800000, 0x7FC00000]]> : tensor<2x2xf32>");
    CHECK(!literal(m).splat);
    CHECK(element<float>(literal(m), 1) == -2.5e-3f);
    CHECK(element<std::uint32_t>(literal(m), 2) == 0x7F800000u);
    CHECK(element<std::uint32_t>(literal(m), 3) == 0x7FC00000u);
  }
  SUBCASE("equal elements are a splat, however written") {
    CHECK(literal(read("dense<7> : tensor<3xi16>")).splat);
    CHECK(literal(read("dense<[7, 7, 7]> : tensor<3xi16>")).splat);
    CHECK(literal(read("dense<\"0x0700\"> : tensor<3xi16>")).splat);
    CHECK(element<std::int16_t>(literal(read("dense<\"0x070007000700\"> : tensor<3xi16>")), 0) == 7);
    CHECK(literal(read("dense<7> : tensor<i16>")).splat);
  }
  SUBCASE("comments may stand between rows") {
    const graph::Module m = read("dense<[[1, 2],  // first ]\n [3, 4]]> : tensor<2x2xi8>");
    CHECK(element<std::int8_t>(literal(m), 3) == 4);
  }
  SUBCASE("empty") {
    CHECK(literal(read("dense<> : tensor<0x3xf32>")).bytes.empty());
    CHECK(literal(read("dense<[[], []]> : tensor<2x0xf32>")).bytes.empty());
  }
  SUBCASE("i1: one byte an element, or packed, or 0xFF for all") {
    const graph::Module bytes = read("dense<\"0x01000001000101010000\"> : tensor<10xi1>");
    const graph::Module packed = read("dense<\"0xE900\"> : tensor<10xi1>");
    CHECK(graph::equal(bytes, packed));
    CHECK(graph::equal(read("dense<\"0xFF\"> : tensor<10xi1>"), read("dense<true> : tensor<10xi1>")));
  }
  SUBCASE("complex") {
    const graph::Module m = read("dense<[(1.0, -2.0), (0x7F800000, 3.0)]> : tensor<2xcomplex<f32>>");
    CHECK(element<float>(literal(m), 1) == -2.0f);
    CHECK(element<std::uint32_t>(literal(m), 2) == 0x7F800000u);
  }
  SUBCASE("signless integers take either sign") {
    CHECK(element<std::int8_t>(literal(read("dense<255> : tensor<i8>")), 0) == -1);
    CHECK(element<std::uint64_t>(literal(read("dense<18446744073709551615> : tensor<ui64>")), 0) == UINT64_MAX);
  }
  SUBCASE("resources") {
    const graph::Module m = parse(
        "func.func @main() {\n%0 = stablehlo.constant dense_resource<r> : tensor<2xi16>\nreturn\n}\n{-#\n "
        "dialect_resources: { builtin: { r: \"0x0400000001000200\" } }\n#-}\n");
    CHECK(element<std::int16_t>(literal(m), 0) == 1);
    CHECK(element<std::int16_t>(literal(m), 1) == 2);
  }
}

TEST_CASE("locations: aliases before and after use, all kinds") {
  const graph::Module m = parse(R"(#loc = loc("x.py":1:2)
func.func @main(%a: tensor<f32> loc("a")) -> tensor<f32> {
  %0 = stablehlo.negate %a : tensor<f32> loc(#loc)
  %1 = stablehlo.negate %0 : tensor<f32> loc(#loc2)
  %2 = stablehlo.negate %1 : tensor<f32> loc(fused<"m">["n"(#loc), unknown])
  %3 = stablehlo.negate %2 : tensor<f32>
  return %3 : tensor<f32> loc(unknown)
}
#loc1 = loc("y.py":12:41 to :44)
#loc2 = loc(callsite(#loc1 at #loc))
)");
  const graph::Function& f = m.function(m.entry());
  const graph::Location& first = m.location(f.location_of(OpId(0)));
  CHECK(first.kind == graph::LocationKind::File);
  CHECK(first.text == "x.py");
  const graph::Location& second = m.location(f.location_of(OpId(1)));
  REQUIRE(second.kind == graph::LocationKind::CallSite);
  const graph::Location& callee = m.location(second.children[0]);
  CHECK(callee.line == 12);
  CHECK(callee.column == 41);
  CHECK(callee.end_line == 12);
  CHECK(callee.end_column == 44);
  CHECK(second.children[1] == f.location_of(OpId(0)));
  CHECK(m.location(f.location_of(OpId(2))).kind == graph::LocationKind::Fused);
  CHECK(!f.location_of(OpId(3)).valid());
  CHECK(graph::place_of(m, f.location_of(OpId(1))).file == "y.py");
}

TEST_CASE("several modules in one file: the first is read, and a note says so") {
  const graph::Module m =
      parse("// a comment\nfunc.func @main() {\n  return\n}\n// -----\nfunc.func @other() {\n return\n}\n");
  CHECK(m.find("main").valid());
  CHECK(!m.find("other").valid());
  REQUIRE(m.notes.size() == 1);
}

TEST_CASE("generic module and functions") {
  same(
      "module @m attributes {mhlo.num_replicas = 1 : i32} {\n func.func @main(%a: tensor<f32> {tf.aliasing_output = 0 "
      ": i32}) -> (tensor<f32> {jax.result_info = \"r\"}) {\n return %a : tensor<f32>\n }\n func.func private @g() {\n "
      "return\n }\n}",
      "\"builtin.module\"() <{sym_name = \"m\"}> ({\n \"func.func\"() <{arg_attrs = [{tf.aliasing_output = 0 : i32}], "
      "function_type = (tensor<f32>) -> tensor<f32>, res_attrs = [{jax.result_info = \"r\"}], sym_name = \"main\", "
      "sym_visibility = \"public\"}> ({\n ^bb0(%a: tensor<f32>):\n  \"func.return\"(%a) : (tensor<f32>) -> ()\n }) : "
      "() -> ()\n \"func.func\"() <{function_type = () -> (), sym_name = \"g\", sym_visibility = \"private\"}> ({\n "
      "\"func.return\"() : () -> ()\n }) : () -> ()\n}) {mhlo.num_replicas = 1 : i32} : () -> ()");
}

TEST_CASE("sdy: meshes stay as text, constraints and manual computations are ops") {
  const graph::Module m = parse(R"(module @m {
  sdy.mesh @mesh = <["x"=1]> {stablehlo.mesh = {axes = [{name = "x", size = 1 : i64}]}}
  func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
    %0 = sdy.sharding_constraint %a <@mesh, [{"x"}]> : tensor<8xf32>
    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<8xf32>) {
      %2 = stablehlo.negate %b : tensor<8xf32>
      sdy.return %2 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
})");
  REQUIRE(m.extra_ops.size() == 1);
  CHECK(m.extra_ops[0] == "sdy.mesh @mesh = <[\"x\"=1]>");
  CHECK(graph::verify(m));
}

TEST_CASE("text positions stand in for missing locations when asked for") {
  const std::string text =
      "func.func @main(%a: tensor<f32>) -> tensor<f32> {\n  %0 = stablehlo.negate %a : tensor<f32>\n  return %0 : "
      "tensor<f32>\n}\n";
  auto m = import::read_text(std::as_bytes(std::span(text)), "t.mlir", {}, import::Positions::OfText);
  REQUIRE(m);
  const Place place = graph::place_of(*m, m->function(m->entry()).location_of(OpId(0)));
  CHECK(place.file == "t.mlir");
  CHECK(place.line == 2);
  CHECK(place.column == 8);
}

}  // namespace openneuron
