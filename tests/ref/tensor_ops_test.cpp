// Movement, contraction, reductions, windows, scatter, sort, control flow: small cases worked out by hand.
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "import/import.h"
#include "ref/ref.h"
#include "ref/run_text.h"

using namespace openneuron;
using test::floats;
using test::integers;
using test::main_function;
using test::run_text;

namespace {
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
}  // namespace

TEST_CASE("movement: broadcast, transpose, reverse, slice, concatenate") {
  const auto r = run_text(main_function("%a: tensor<2x3xi32>", "tensor<3x2x2xi32>, tensor<3x2xi32>, tensor<2x3xi32>, tensor<1x2xi32>, tensor<2x5xi32>", R"(
    %0 = stablehlo.broadcast_in_dim %a, dims = [2, 0] : (tensor<2x3xi32>) -> tensor<3x2x2xi32>
    %1 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
    %2 = stablehlo.reverse %a, dims = [0, 1] : tensor<2x3xi32>
    %3 = stablehlo.slice %a [1:2, 0:3:2] : (tensor<2x3xi32>) -> tensor<1x2xi32>
    %4 = stablehlo.slice %a [0:2, 1:3] : (tensor<2x3xi32>) -> tensor<2x2xi32>
    %5 = stablehlo.concatenate %a, %4, dim = 1 : (tensor<2x3xi32>, tensor<2x2xi32>) -> tensor<2x5xi32>
    return %0, %1, %2, %3, %5 : tensor<3x2x2xi32>, tensor<3x2xi32>, tensor<2x3xi32>, tensor<1x2xi32>, tensor<2x5xi32>)"),
                          {integers({2, 3}, {1, 2, 3, 4, 5, 6})});
  // r[i, j, k] = a[k, i]
  CHECK(r[0].integer == std::vector<std::int64_t>{1, 4, 1, 4, 2, 5, 2, 5, 3, 6, 3, 6});
  CHECK(r[1].integer == std::vector<std::int64_t>{1, 4, 2, 5, 3, 6});
  CHECK(r[2].integer == std::vector<std::int64_t>{6, 5, 4, 3, 2, 1});
  CHECK(r[3].integer == std::vector<std::int64_t>{4, 6});
  CHECK(r[4].integer == std::vector<std::int64_t>{1, 2, 3, 2, 3, 4, 5, 6, 5, 6});
}

TEST_CASE("pad: interior first, then edges that may be negative") {
  const auto r = run_text(main_function("%a: tensor<3xi32>, %v: tensor<i32>", "tensor<6xi32>", R"(
    %0 = stablehlo.pad %a, %v, low = [-1], high = [2], interior = [1] : (tensor<3xi32>, tensor<i32>) -> tensor<6xi32>
    return %0 : tensor<6xi32>)"),
                          {integers({3}, {1, 2, 3}), integers({}, {9})});
  CHECK(r[0].integer == std::vector<std::int64_t>{9, 2, 9, 3, 9, 9});  // 1 9 2 9 3, less the first, and two more
}

TEST_CASE("dynamic slices clamp their starts") {
  const auto run = [](std::int64_t start) {
    return run_text(main_function("%a: tensor<5xi32>, %i: tensor<i32>, %u: tensor<2xi32>", "tensor<2xi32>, tensor<5xi32>", R"(
    %0 = stablehlo.dynamic_slice %a, %i, sizes = [2] : (tensor<5xi32>, tensor<i32>) -> tensor<2xi32>
    %1 = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<5xi32>, tensor<2xi32>, tensor<i32>) -> tensor<5xi32>
    return %0, %1 : tensor<2xi32>, tensor<5xi32>)"),
                    {integers({5}, {0, 1, 2, 3, 4}), integers({}, {start}), integers({2}, {8, 9})});
  };
  CHECK(run(1)[0].integer == std::vector<std::int64_t>{1, 2});
  CHECK(run(-3)[0].integer == std::vector<std::int64_t>{0, 1});
  CHECK(run(4)[0].integer == std::vector<std::int64_t>{3, 4});
  CHECK(run(4)[1].integer == std::vector<std::int64_t>{0, 1, 2, 8, 9});
}

TEST_CASE("bitcast_convert: the least significant part comes first") {
  const auto r = run_text(main_function("%a: tensor<1xf32>, %b: tensor<2xi8>", "tensor<1x4xui8>, tensor<i16>, tensor<1xi32>", R"(
    %0 = stablehlo.bitcast_convert %a : (tensor<1xf32>) -> tensor<1x4xui8>
    %1 = stablehlo.bitcast_convert %b : (tensor<2xi8>) -> tensor<i16>
    %2 = stablehlo.bitcast_convert %a : (tensor<1xf32>) -> tensor<1xi32>
    return %0, %1, %2 : tensor<1x4xui8>, tensor<i16>, tensor<1xi32>)"),
                          {floats({1}, {1.5}), integers({2}, {1, -1}, ElementType::I8)});
  CHECK(r[0].integer == std::vector<std::int64_t>{0, 0, 0xC0, 0x3F});  // 1.5f = 0x3FC00000
  CHECK(r[1].integer == std::vector<std::int64_t>{-255});              // 0xFF01
  CHECK(r[2].integer == std::vector<std::int64_t>{0x3FC00000});
}

TEST_CASE("gather clamps starts; batching dims take the index of the result") {
  const auto r = run_text(main_function("%a: tensor<3x4xi32>, %i: tensor<2x1xi32>, %b: tensor<3x2x1xi32>", "tensor<2x2xi32>, tensor<3x2xi32>", R"(
    %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<3x4xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
    %1 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<3x4xi32>, tensor<3x2x1xi32>) -> tensor<3x2xi32>
    return %0, %1 : tensor<2x2xi32>, tensor<3x2xi32>)"),
                          {integers({3, 4}, {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23}), integers({2, 1}, {7, -1}),
                           integers({3, 2, 1}, {0, 3, 1, 9, -5, 2})});
  CHECK(r[0].integer == std::vector<std::int64_t>{20, 21, 0, 1});
  CHECK(r[1].integer == std::vector<std::int64_t>{0, 3, 11, 13, 20, 22});
}

TEST_CASE("scatter leaves out a window that reaches out anywhere") {
  const auto run = [](std::int64_t first, std::int64_t second) {
    return run_text(main_function("%a: tensor<4xi32>, %i: tensor<2x1xi32>, %u: tensor<2x2xi32>", "tensor<4xi32>", R"(
    %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%old: tensor<i32>, %new: tensor<i32>):
      %s = stablehlo.subtract %old, %new : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) : (tensor<4xi32>, tensor<2x1xi32>, tensor<2x2xi32>) -> tensor<4xi32>
    return %0 : tensor<4xi32>)"),
                    {integers({4}, {100, 100, 100, 100}), integers({2, 1}, {first, second}), integers({2, 2}, {1, 2, 3, 4})})[0]
        .integer;
  };
  CHECK(run(0, 1) == std::vector<std::int64_t>{99, 100 - 2 - 3, 96, 100});
  CHECK(run(3, 2) == std::vector<std::int64_t>{100, 100, 97, 96});  // 3 + 2 > 4: left out whole
  CHECK(run(-1, 2) == std::vector<std::int64_t>{100, 100, 97, 96});
}

TEST_CASE("dot_general: batch, two contracting dims, wider integer result") {
  const auto r = run_text(main_function("%a: tensor<2x2x3xf32>, %b: tensor<2x3x2xf32>, %c: tensor<2xi8>, %d: tensor<2xi8>", "tensor<2x2x2xf32>, tensor<2xf32>, tensor<i32>, tensor<2x2xi32>", R"(
    %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x2x3xf32>, tensor<2x3x2xf32>) -> tensor<2x2x2xf32>
    %1 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [1, 2] x [2, 1] : (tensor<2x2x3xf32>, tensor<2x3x2xf32>) -> tensor<2xf32>
    %2 = stablehlo.dot_general %c, %d, contracting_dims = [0] x [0] : (tensor<2xi8>, tensor<2xi8>) -> tensor<i32>
    %3 = stablehlo.dot_general %c, %d, contracting_dims = [] x [] : (tensor<2xi8>, tensor<2xi8>) -> tensor<2x2xi32>
    return %0, %1, %2, %3 : tensor<2x2x2xf32>, tensor<2xf32>, tensor<i32>, tensor<2x2xi32>)"),
                          {floats({2, 2, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}),
                           floats({2, 3, 2}, {1, 0, 0, 1, 1, 1, 2, 0, 0, 2, 1, 0}), integers({2}, {127, -128}, ElementType::I8),
                           integers({2}, {127, 127}, ElementType::I8)});
  // batch 0: [1 2 3; 4 5 6] [1 0; 0 1; 1 1] = [4 5; 10 11]; batch 1: [7 8 9; 10 11 12] [2 0; 0 2; 1 0] = [23 16; 32 22]
  CHECK(r[0].real == std::vector<double>{4, 5, 10, 11, 23, 16, 32, 22});
  CHECK(r[1].real == std::vector<double>{4 + 11, 23 + 22});  // the traces
  CHECK(r[2].integer == std::vector<std::int64_t>{127 * 127 - 128 * 127});
  CHECK(r[3].integer == std::vector<std::int64_t>{16129, 16129, -16256, -16256});
}

TEST_CASE("convolution: strides, padding, dilation, groups") {
  const auto r = run_text(main_function("%x: tensor<1x4x1xf32>, %w: tensor<2x1x1xf32>, %y: tensor<1x2x2xf32>, %v: tensor<1x1x2xf32>", "tensor<1x3x1xf32>, tensor<1x5x1xf32>, tensor<1x2x2xf32>", R"(
    %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x1xf32>, tensor<2x1x1xf32>) -> tensor<1x3x1xf32>
    %1 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[0, 0]], lhs_dilate = [2], rhs_dilate = [2], reverse = [true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x1xf32>, tensor<2x1x1xf32>) -> tensor<1x5x1xf32>
    %2 = stablehlo.convolution(%y, %v) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x2x2xf32>, tensor<1x1x2xf32>) -> tensor<1x2x2xf32>
    return %0, %1, %2 : tensor<1x3x1xf32>, tensor<1x5x1xf32>, tensor<1x2x2xf32>)"),
                          {floats({1, 4, 1}, {1, 2, 3, 4}), floats({2, 1, 1}, {10, 1}), floats({1, 2, 2}, {1, 2, 3, 4}),
                           floats({1, 1, 2}, {5, 7})});
  // 0 1 | 2 3 | 4 0 against [10, 1]
  CHECK(r[0].real == std::vector<double>{1, 23, 40});
  // 1 0 2 0 3 0 4 against the reversed [1, _, 10]: 1 + 20, 0, 2 + 30, 0, 3 + 40
  CHECK(r[1].real == std::vector<double>{21, 0, 32, 0, 43});
  CHECK(r[2].real == std::vector<double>{5, 14, 15, 28});
}

TEST_CASE("reduce: any region, several operands, empty axes") {
  const auto r = run_text(main_function("%x: tensor<2x3xf32>, %e: tensor<2x0xf32>", "tensor<2xf32>, tensor<2xf32>, tensor<2xi32>, tensor<2xf32>", R"(
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %m = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %i0 = stablehlo.constant dense<0> : tensor<i32>
    %i = stablehlo.iota dim = 1 : tensor<2x3xi32>
    %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %1:2 = stablehlo.reduce(%x init: %m), (%i init: %i0) across dimensions = [1] : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
     reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i32>, %d: tensor<i32>) {
      %gt = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %v = stablehlo.select %gt, %a, %b : tensor<i1>, tensor<f32>
      %k = stablehlo.select %gt, %c, %d : tensor<i1>, tensor<i32>
      stablehlo.return %v, %k : tensor<f32>, tensor<i32>
    }
    %2 = stablehlo.reduce(%e init: %m) applies stablehlo.maximum across dimensions = [1] : (tensor<2x0xf32>, tensor<f32>) -> tensor<2xf32>
    return %0, %1#0, %1#1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<2xi32>, tensor<2xf32>)"),
                          {floats({2, 3}, {1, 9, 2, 7, 4, 5}), floats({2, 0}, {})});
  CHECK(r[0].real == std::vector<double>{12, 16});
  CHECK(r[1].real == std::vector<double>{9, 7});
  CHECK(r[2].integer == std::vector<std::int64_t>{1, 0});
  CHECK(r[3].real == std::vector<double>{-kInf, -kInf});
}

TEST_CASE("a reduce body that calls a function gives what its text inlined gives") {
  const auto r = run_text(R"(
  func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
    %z = stablehlo.constant dense<1.0> : tensor<f32>
    %0 = stablehlo.reduce(%x init: %z) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
     reducer(%a: tensor<f32>, %b: tensor<f32>) {
      %c = func.call @combine(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      stablehlo.return %c : tensor<f32>
    }
    return %0 : tensor<f32>
  }
  func.func private @combine(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.multiply %a, %b : tensor<f32>
    return %0 : tensor<f32>
  })",
                          {floats({4}, {2, 3, 5, 7})});
  CHECK(r[0].real == std::vector<double>{210});
}

TEST_CASE("reduce_window: strides, dilations, and padding that holds the initial value") {
  const auto r = run_text(main_function("%x: tensor<4xf32>", "tensor<3xf32>, tensor<3xf32>", R"(
    %o = stablehlo.constant dense<1.0> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%x, %o) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, padding = dense<[[1, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
    %1 = "stablehlo.reduce_window"(%x, %o) <{window_dimensions = array<i64: 2>, base_dilations = array<i64: 2>, window_dilations = array<i64: 4>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.multiply %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
    return %0, %1 : tensor<3xf32>, tensor<3xf32>)"),
                          {floats({4}, {2, 3, 5, 7})});
  // 1 2 | 3 5 | 7 1, each from 1
  CHECK(r[0].real == std::vector<double>{1 + 1 + 2, 1 + 3 + 5, 1 + 7 + 1});
  // 2 1 3 1 5 1 7 at distance 4: 2 * 5, 1 * 1, 3 * 7
  CHECK(r[1].real == std::vector<double>{10, 1, 21});
}

TEST_CASE("select_and_scatter: the first of equal values keeps the place") {
  const auto r = run_text(main_function("%x: tensor<5xf32>, %s: tensor<2xf32>", "tensor<5xf32>", R"(
    %z = stablehlo.constant dense<0.5> : tensor<f32>
    %0 = "stablehlo.select_and_scatter"(%x, %s, %z) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 2>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }, {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %c : tensor<f32>
    }) : (tensor<5xf32>, tensor<2xf32>, tensor<f32>) -> tensor<5xf32>
    return %0 : tensor<5xf32>)"),
                          {floats({5}, {1, 4, 4, 3, 4}), floats({2}, {10, 20})});
  CHECK(r[0].real == std::vector<double>{0.5, 10.5, 20.5, 0.5, 0.5});
}

TEST_CASE("sort is stable, moves all operands alike, and ends with a senseless comparator") {
  const std::string text = R"(
    %0:2 = "stablehlo.sort"(%k, %v) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
      %p = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    }) : (tensor<2x5xi32>, tensor<2x5xi32>) -> (tensor<2x5xi32>, tensor<2x5xi32>)
    return %0#0, %0#1 : tensor<2x5xi32>, tensor<2x5xi32>)";
  const std::string parameters = "%k: tensor<2x5xi32>, %v: tensor<2x5xi32>", results = "tensor<2x5xi32>, tensor<2x5xi32>";
  const std::vector<ref::Tensor> inputs{integers({2, 5}, {3, 1, 3, 1, 2, 5, 4, 3, 2, 1}),
                                        integers({2, 5}, {0, 1, 2, 3, 4, 0, 1, 2, 3, 4})};
  const auto r = run_text(main_function(parameters, results, text), inputs);
  CHECK(r[0].integer == std::vector<std::int64_t>{1, 1, 2, 3, 3, 1, 2, 3, 4, 5});
  CHECK(r[1].integer == std::vector<std::int64_t>{1, 3, 4, 0, 2, 4, 3, 2, 1, 0});
  std::string always = text;
  always.replace(always.find("LT, %a, %b"), 10, "LE, %a, %a");
  auto permuted = run_text(main_function(parameters, results, always), inputs)[0].integer;
  std::sort(permuted.begin(), permuted.begin() + 5);
  CHECK(std::vector<std::int64_t>(permuted.begin(), permuted.begin() + 5) == std::vector<std::int64_t>{1, 1, 2, 3, 3});
}

TEST_CASE("top_k: descending in total order, ties by index") {
  const auto r = run_text(main_function("%x: tensor<6xf32>", "tensor<4xf32>, tensor<4xi32>", R"(
    %0:2 = chlo.top_k(%x, k = 4) : tensor<6xf32> -> (tensor<4xf32>, tensor<4xi32>)
    return %0#0, %0#1 : tensor<4xf32>, tensor<4xi32>)"),
                          {floats({6}, {-0.0, 2, 0.0, 2, kNaN, -1})});
  CHECK(std::isnan(r[0].real[0]));
  CHECK(r[1].integer == std::vector<std::int64_t>{4, 1, 3, 2});
}

TEST_CASE("while: condition first, captured values, no trip gives the operands back") {
  const std::string text = main_function("%n: tensor<i32>, %step: tensor<i32>", "tensor<i32>, tensor<i32>", R"(
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = stablehlo.while(%i = %zero, %s = %zero) : tensor<i32>, tensor<i32>
     cond {
      %c = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %t = stablehlo.add %s, %i : tensor<i32>
      %j = stablehlo.add %i, %step : tensor<i32>
      stablehlo.return %j, %t : tensor<i32>, tensor<i32>
    }
    return %0#0, %0#1 : tensor<i32>, tensor<i32>)");
  const auto run = [&](std::int64_t n, std::int64_t step) { return run_text(text, {integers({}, {n}), integers({}, {step})}); };
  CHECK(run(5, 1)[1].integer == std::vector<std::int64_t>{10});
  CHECK(run(5, 2)[0].integer == std::vector<std::int64_t>{6});
  CHECK(run(0, 1)[0].integer == std::vector<std::int64_t>{0});
  ref::Options few;
  few.step_limit = 100;
  CHECK(test::run_failure(text, {integers({}, {5}), integers({}, {0})}, few).find("ON-E1191") != std::string::npos);
}

TEST_CASE("case: an index outside takes the last branch") {
  const std::string text = main_function("%i: tensor<i32>, %x: tensor<i32>", "tensor<i32>", R"(
    %0 = "stablehlo.case"(%i) ({
      stablehlo.return %x : tensor<i32>
    }, {
      %n = stablehlo.negate %x : tensor<i32>
      stablehlo.return %n : tensor<i32>
    }) : (tensor<i32>) -> tensor<i32>
    return %0 : tensor<i32>)");
  for (const auto& [index, want] : {std::pair<int, int>{0, 7}, {1, -7}, {2, -7}, {-1, -7}})
    CHECK(run_text(text, {integers({}, {index}), integers({}, {7})})[0].integer == std::vector<std::int64_t>{want});
}

TEST_CASE("composites run their decomposition") {
  const auto r = run_text(R"(
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.composite "my.twice" %x {decomposition = @twice} : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func private @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.add %x, %x : tensor<2xf32>
    return %0 : tensor<2xf32>
  })",
                          {floats({2}, {3, -1})});
  CHECK(r[0].real == std::vector<double>{6, -2});
}

TEST_CASE("cholesky and triangular_solve read the named triangle only") {
  const auto r = run_text(main_function("%a: tensor<2x2xf32>, %b: tensor<2x1xf32>", "tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x1xf32>, tensor<2x1xf32>", R"(
    %0 = stablehlo.cholesky %a, lower = true : tensor<2x2xf32>
    %n = stablehlo.negate %a : tensor<2x2xf32>
    %1 = stablehlo.cholesky %n, lower = true : tensor<2x2xf32>
    %2 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
    %3 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = true}> : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
    return %0, %1, %2, %3 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x1xf32>, tensor<2x1xf32>)"),
                          {floats({2, 2}, {4, 99, 2, 10}), floats({2, 1}, {8, 24})});
  CHECK(r[0].real == std::vector<double>{2, 0, 1, 3});  // [2 0; 1 3] times its transpose is [4 2; 2 10]
  CHECK(std::isnan(r[1].real[0]));
  CHECK(r[2].real == std::vector<double>{2, 2});        // 4 x = 8; 2 * 2 + 10 y = 24
  CHECK(r[3].real == std::vector<double>{8 - 48, 24});  // [1 2; 0 1]
}

TEST_CASE("fft: forward, inverse, real and Hermitian") {
  ref::Tensor x = floats({4}, {1, 2, 3, 4}, ElementType::C64);
  x.imaginary = {0, 0, 0, 0};
  const auto r = run_text(main_function("%x: tensor<4xcomplex<f32>>, %y: tensor<4xf32>", "tensor<4xcomplex<f32>>, tensor<3xcomplex<f32>>, tensor<4xf32>", R"(
    %0 = stablehlo.fft %x, type = FFT, length = [4] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
    %1 = stablehlo.fft %y, type = RFFT, length = [4] : (tensor<4xf32>) -> tensor<3xcomplex<f32>>
    %2 = stablehlo.fft %1, type = IRFFT, length = [4] : (tensor<3xcomplex<f32>>) -> tensor<4xf32>
    return %0, %1, %2 : tensor<4xcomplex<f32>>, tensor<3xcomplex<f32>>, tensor<4xf32>)"),
                          {x, floats({4}, {1, 2, 3, 4})});
  // X0 = 10, X1 = 1 - 3 + (4 - 2) i, X2 = 1 - 2 + 3 - 4, X3 = conj X1
  const std::vector<double> re{10, -2, -2, -2}, im{0, 2, 0, -2};
  for (std::size_t k = 0; k < 4; ++k) {
    CHECK(std::fabs(r[0].real[k] - re[k]) < 1e-14);
    CHECK(std::fabs(r[0].imaginary[k] - im[k]) < 1e-14);
    if (k < 3) CHECK(std::fabs(r[1].imaginary[k] - im[k]) < 1e-14);
    CHECK(std::fabs(r[2].real[k] - static_cast<double>(k + 1)) < 1e-14);
  }
}

TEST_CASE("batch norms") {
  const auto r = run_text(main_function("%x: tensor<2x2xf32>, %s: tensor<2xf32>, %o: tensor<2xf32>, %g: tensor<2x2xf32>", "tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x2xf32>", R"(
    %0:3 = "stablehlo.batch_norm_training"(%x, %s, %o) <{epsilon = 0.0 : f32, feature_index = 1 : i64}> : (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>)
    %1:3 = "stablehlo.batch_norm_grad"(%x, %s, %0#1, %0#2, %g) <{epsilon = 0.0 : f32, feature_index = 1 : i64}> : (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>)
    %2 = "stablehlo.batch_norm_inference"(%x, %s, %o, %0#1, %0#2) <{epsilon = 0.0 : f32, feature_index = 1 : i64}> : (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
    return %0#0, %0#1, %0#2, %1#0, %1#1, %1#2, %2 : tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x2xf32>)"),
                          {floats({2, 2}, {1, 10, 5, 16}), floats({2}, {2, 3}), floats({2}, {100, 200}), floats({2, 2}, {1, 2, 4, 8})});
  // feature 0: 1, 5: mean 3, variance 4; feature 1: 10, 16: mean 13, variance 9; normalised values are -1 and 1
  CHECK(r[0].real == std::vector<double>{98, 197, 102, 203});
  CHECK(r[1].real == std::vector<double>{3, 13});
  CHECK(r[2].real == std::vector<double>{4, 9});
  // Two points: the gradient of what is always -1 and 1 vanishes.
  CHECK(r[3].real == std::vector<double>{0, 0, 0, 0});
  CHECK(r[4].real == std::vector<double>{4 - 1, 8 - 2});
  CHECK(r[5].real == std::vector<double>{5, 10});
  CHECK(r[6].real == r[0].real);
}

TEST_CASE("refusals carry the code, the op and the reason") {
  const std::string rng = test::run_failure(main_function("%s: tensor<2xui64>", "tensor<2xui64>, tensor<4xui32>", R"(
    %0, %1 = stablehlo.rng_bit_generator %s, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
    return %0, %1 : tensor<2xui64>, tensor<4xui32>)"),
                                            {integers({2}, {1, 2}, ElementType::U64)});
  CHECK(rng.find("ON-E1190") != std::string::npos);
  CHECK(rng.find("stablehlo.rng_bit_generator") != std::string::npos);
  const std::string large = test::run_failure(main_function("", "tensor<i32>", R"(
    %0 = stablehlo.iota dim = 0 : tensor<90000x90000xi32>
    %1 = stablehlo.constant dense<1> : tensor<i32>
    return %1 : tensor<i32>)"));
  CHECK(large.find("ON-E1191") != std::string::npos);
  const std::string identity = main_function("%x: tensor<2xf32>", "tensor<2xf32>", "return %x : tensor<2xf32>");
  CHECK(test::run_failure(identity).find("ON-E1192") != std::string::npos);
  CHECK(test::run_failure(identity, {floats({3}, {1, 2, 3})}).find("ON-E1192") != std::string::npos);
}

TEST_CASE("bytes in and out, of every width") {
  const float values[2] = {1.5f, -2.0f};
  const ref::Tensor t = ref::from_bytes(ElementType::F32, {2}, std::as_bytes(std::span(values)));
  CHECK(t.real == std::vector<double>{1.5, -2});
  CHECK(ref::to_bytes(t) == std::vector<std::byte>{std::byte{0}, std::byte{0}, std::byte{0xC0}, std::byte{0x3F}, std::byte{0},
                                                   std::byte{0}, std::byte{0}, std::byte{0xC0}});
  CHECK(ref::to_bytes(floats({1}, {1.00390625}, ElementType::BF16)) == std::vector<std::byte>{std::byte{0x80}, std::byte{0x3F}});
  CHECK(ref::from_bytes(ElementType::I1, {2}, ref::to_bytes(integers({2}, {0, 1}, ElementType::I1))).integer ==
        std::vector<std::int64_t>{0, 1});
}
