// Partitioned programs on several emulated cores, each on a thread: global arrays in, global arrays out, against
// arithmetic in the test.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <thread>

#include "compile/compile.h"
#include "device/device.h"
#include "graph/verify.h"
#include "import/import.h"
#include "partition/partition.h"
#include "runtime/collective.h"
#include "runtime/shards.h"

using namespace openneuron;
using partition::Passing;

namespace {

using Array = std::vector<float>;
std::vector<std::byte> bytes_of(const Array& a) {
  const auto view = std::as_bytes(std::span(a));
  return {view.begin(), view.end()};
}

struct Ran {
  std::string error;
  partition::Partitioned program;  // its module is gone
  std::vector<Array> results;      // global
};

runtime::Shards shards_of(const partition::Sharding& s, const graph::Type& type, bool is_shard, int cores) {
  runtime::Shards out;
  out.element_bytes = byte_width(type.element);
  out.shape = type.shape;
  if (is_shard)
    for (std::size_t d = 0; d < out.shape.size(); ++d) out.shape[d] *= s.tiles[d];
  out.shard_shape = *s.shard_shape(out.shape);
  for (int c = 0; c < cores; ++c) out.starts.push_back(s.shard_start(out.shape, c));
  return out;
}

// Runs a module of f32 arrays on `cores` cores.
Ran run(const std::string& text, int cores, const std::vector<Array>& inputs) {
  Ran ran;
  auto module = import::read(std::as_bytes(std::span<const char>(text)), "test");
  if (!module) return ran.error = format_diagnostic(module.diagnostic()), std::move(ran);
  auto divided = partition::partition(std::move(*module), {cores, 1});
  if (!divided) return ran.error = format_diagnostic(divided.diagnostic()), std::move(ran);
  if (auto ok = graph::verify(divided->module); !ok) return ran.error = format_diagnostic(ok.diagnostic()), std::move(ran);
  const graph::Function& f = divided->module.function(divided->module.entry());
  std::vector<runtime::Shards> parameters, results;
  for (ValueId p : f.parameters())
    parameters.push_back(shards_of(divided->parameters[p.index], divided->module.value_type(f, p), divided->parameter_passing[p.index] == Passing::Shard, cores));
  for (std::size_t i = 0; i < divided->results.size(); ++i)
    results.push_back(shards_of(divided->results[i], divided->module.value_type(f, f.operand(f.terminator(), i)), divided->result_passing[i] == Passing::Shard, cores));
  auto machine = load_machine("trn2");
  REQUIRE(bool(machine));
  auto compiled = compile::compile(std::move(divided->module), **machine, {});
  if (!compiled) return ran.error = format_diagnostic(compiled.diagnostic()), std::move(ran);
  const isa::Code& code = compiled->code;

  const int programs = divided->everywhere ? cores : 1;
  runtime::CollectiveGroup group(static_cast<std::size_t>(programs), std::chrono::milliseconds(20000));
  std::vector<std::string> errors(static_cast<std::size_t>(programs));
  std::vector<std::vector<std::vector<std::byte>>> memory(static_cast<std::size_t>(programs));
  std::vector<std::thread> threads;
  for (std::size_t c = 0; c < memory.size(); ++c)
    threads.emplace_back([&, c] {
      std::vector<std::byte*> pointers;
      std::size_t in = 0, out = 0;
      for (const isa::Variable& v : code.variables) {
        auto& own = memory[c].emplace_back();
        if (v.kind == isa::VariableKind::Input) {
          own = bytes_of(inputs[in]);
          if (divided->parameter_passing[in] == Passing::Shard) {
            std::vector<std::byte> part(static_cast<std::size_t>(parameters[in].shard_bytes()));
            runtime::cut(parameters[in], own.data(), c, part.data());
            own = std::move(part);
          }
          ++in;
        } else if (v.kind == isa::VariableKind::Output) {
          own.resize(static_cast<std::size_t>(v.bytes));
          ++out;
        }
        pointers.push_back(v.aliases >= 0 ? pointers[static_cast<std::size_t>(v.aliases)] : own.empty() ? nullptr : own.data());
        if (v.aliases >= 0) own = {};
      }
      device::Options options;
      options.collective = group.core(c);
      auto model = device::Model::load(code, *machine, options);
      Result<void> ok = model ? (*model)->run(pointers) : Result<void>(model.failure());
      group.leave(c, !ok);
      if (!ok) errors[c] = format_diagnostic(ok.diagnostic());
      std::size_t i = 0;
      for (std::size_t v = 0; v < code.variables.size(); ++v)
        if (code.variables[v].kind == isa::VariableKind::Output) {
          if (code.variables[v].aliases >= 0) memory[c][v].assign(pointers[v], pointers[v] + code.variables[v].bytes);
          std::swap(memory[c][i++], memory[c][v]);  // results first
        }
    });
  for (std::thread& t : threads) t.join();
  for (const std::string& e : errors)
    if (!e.empty()) return ran.error = e, std::move(ran);
  for (std::size_t i = 0; i < results.size(); ++i) {
    std::vector<std::byte> whole = memory[0][i];
    if (divided->result_passing[i] == Passing::Shard) {
      whole.assign(static_cast<std::size_t>(results[i].bytes()), std::byte{0});
      std::vector<const std::byte*> parts;
      for (auto& m : memory) parts.push_back(m[i].data());
      runtime::assemble(results[i], parts, whole.data());
    } else {
      for (auto& m : memory) CHECK(m[i] == whole);  // computed whole on every core
    }
    Array& to = ran.results.emplace_back(whole.size() / 4);
    std::memcpy(to.data(), whole.data(), whole.size());
  }
  ran.program = std::move(*divided);
  return ran;
}

Array counting(std::size_t n, float first = 0) {
  Array a(n);
  for (std::size_t i = 0; i < n; ++i) a[i] = first + static_cast<float>(i);
  return a;
}

const std::string kMesh4 = "sdy.mesh @mesh = <[\"i\"=4]>\n";
const std::string kMesh22 = "sdy.mesh @mesh = <[\"a\"=2, \"b\"=2]>\n";
std::string manual(const std::string& in, const std::string& out, const std::string& axes, const std::string& body, const std::string& types) {
  return "sdy.manual_computation(%arg0) in_shardings=[" + in + "] out_shardings=[" + out + "] manual_axes={" + axes + "} " + body + " : " + types + "\n";
}

}  // namespace

TEST_CASE("psum of shards") {
  const std::string text = "module @m attributes {mhlo.num_partitions = 4 : i32} {\n" + kMesh4 +
      "func.func public @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"i\"}]>}) -> (tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {\n"
      "%0 = " + manual("<@mesh, [{\"i\"}]>", "<@mesh, [{}]>", "\"i\"",
      "(%arg1: tensor<2xf32>) {\n"
      "%1 = \"stablehlo.all_reduce\"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({\n"
      "^bb0(%x: tensor<f32>, %y: tensor<f32>):\n %s = stablehlo.add %x, %y : tensor<f32>\n stablehlo.return %s : tensor<f32>\n}) : (tensor<2xf32>) -> tensor<2xf32>\n"
      "sdy.return %1 : tensor<2xf32>\n}", "(tensor<8xf32>) -> tensor<2xf32>") +
      "return %0 : tensor<2xf32>\n}\n}\n";
  const Ran ran = run(text, 4, {counting(8)});
  REQUIRE(ran.error == "");
  CHECK(ran.program.everywhere);
  CHECK(ran.program.parameter_passing[0] == Passing::Shard);
  CHECK(ran.results[0] == Array{0 + 2 + 4 + 6, 1 + 3 + 5 + 7});
}

TEST_CASE("each collective on a 2x2 mesh") {
  // x[4, 4] in 2x2 tiles; the body's x is [2, 2]. Groups along b: {0, 1}, {2, 3}.
  const auto program = [](const std::string& op, const std::string& type, const std::string& out, const std::string& global) {
    return "module @m attributes {mhlo.num_partitions = 4 : i32} {\n" + kMesh22 +
           "func.func public @main(%arg0: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"a\"}, {\"b\"}]>}) -> (" + global + ") {\n%0 = " +
           manual("<@mesh, [{\"a\"}, {\"b\"}]>", out, "\"a\", \"b\"", "(%arg1: tensor<2x2xf32>) {\n%1 = " + op + " : (tensor<2x2xf32>) -> " + type + "\nsdy.return %1 : " + type + "\n}",
                  "(tensor<4x4xf32>) -> " + global) + "return %0 : " + global + "\n}\n}\n";
  };
  const std::string groups = "replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>";
  const Array x = counting(16);
  // Gathered along b: each core of a row has both tiles of the row: the whole again, cut along a alone.
  Ran ran = run(program("\"stablehlo.all_gather\"(%arg1) <{all_gather_dim = 1 : i64, " + groups + ", use_global_device_ids}>", "tensor<2x4xf32>",
                        "<@mesh, [{\"a\"}, {}]>", "tensor<4x4xf32>"), 4, {x});
  REQUIRE(ran.error == "");
  CHECK(ran.results[0] == x);
  // Reduced over b and scattered along rows: core (a, b) holds row b of the sum of the two tiles of row a.
  ran = run(program("\"stablehlo.reduce_scatter\"(%arg1) <{scatter_dimension = 0 : i64, " + groups + ", use_global_device_ids}> ({\n^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
                    " %s = stablehlo.add %x, %y : tensor<f32>\n stablehlo.return %s : tensor<f32>\n})", "tensor<1x2xf32>",
                    "<@mesh, [{\"a\", \"b\"}, {}]>", "tensor<4x2xf32>"), 4, {x});
  REQUIRE(ran.error == "");
  Array want;
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < 2; ++column) want.push_back(x[static_cast<std::size_t>(4 * row + column)] + x[static_cast<std::size_t>(4 * row + column + 2)]);
  CHECK(ran.results[0] == want);
  // all_to_all over b, rows for columns: core (a, b) has row b of both tiles: [1, 4], rows in order.
  ran = run(program("\"stablehlo.all_to_all\"(%arg1) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, " + groups + "}>", "tensor<1x4xf32>",
                    "<@mesh, [{\"a\", \"b\"}, {}]>", "tensor<4x4xf32>"), 4, {x});
  REQUIRE(ran.error == "");
  CHECK(ran.results[0] == x);
  // Core 0 -> 1 -> 3; 0 and 2 get nothing.
  ran = run(program("\"stablehlo.collective_permute\"(%arg1) <{source_target_pairs = dense<[[0, 1], [1, 3]]> : tensor<2x2xi64>}>", "tensor<2x2xf32>",
                    "<@mesh, [{\"a\"}, {\"b\"}]>", "tensor<4x4xf32>"), 4, {x});
  REQUIRE(ran.error == "");
  CHECK(ran.results[0] == Array{0, 0, 0, 1, 0, 0, 4, 5, 0, 0, 2, 3, 0, 0, 6, 7});
  // A maximum that is no single op (y beside x, negated twice) is gathered and combined on each core.
  ran = run(program("\"stablehlo.all_reduce\"(%arg1) <{" + groups + ", use_global_device_ids}> ({\n^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
                    " %n = stablehlo.negate %x : tensor<f32>\n %k = stablehlo.negate %y : tensor<f32>\n %s = stablehlo.minimum %n, %k : tensor<f32>\n %t = stablehlo.negate %s : tensor<f32>\n"
                    " stablehlo.return %t : tensor<f32>\n})", "tensor<2x2xf32>", "<@mesh, [{\"a\"}, {}]>", "tensor<4x2xf32>"), 4, {x});
  REQUIRE(ran.error == "");
  CHECK(ran.results[0] == Array{2, 3, 6, 7, 10, 11, 14, 15});
}

TEST_CASE("a manual computation inside a whole program") {
  // y = 2 x is computed whole on each core; each adds its partition number to its shard of y; the sum is computed whole.
  const std::string text = "module @m attributes {mhlo.num_partitions = 4 : i32} {\n" + kMesh4 +
      "func.func public @main(%arg0: tensor<8x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"i\"}, {}]>, tf.aliasing_output = 0 : i32}) -> (tensor<8x3xf32>, tensor<8xf32>) {\n"
      "%y = call @double(%arg0) : (tensor<8x3xf32>) -> tensor<8x3xf32>\n"
      "%0 = sdy.manual_computation(%y) in_shardings=[<@mesh, [{\"i\"}, {}]>] out_shardings=[<@mesh, [{\"i\"}, {}]>] manual_axes={\"i\"} (%arg1: tensor<2x3xf32>) {\n"
      "%id = stablehlo.partition_id : tensor<ui32>\n%f = stablehlo.convert %id : (tensor<ui32>) -> tensor<f32>\n"
      "%b = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<2x3xf32>\n%z = stablehlo.add %arg1, %b : tensor<2x3xf32>\nsdy.return %z : tensor<2x3xf32>\n"
      "} : (tensor<8x3xf32>) -> tensor<8x3xf32>\n"
      "%c = stablehlo.constant dense<0.0> : tensor<f32>\n%s = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [1] : (tensor<8x3xf32>, tensor<f32>) -> tensor<8xf32>\n"
      "return %0, %s : tensor<8x3xf32>, tensor<8xf32>\n}\n"
      "func.func private @double(%x: tensor<8x3xf32>) -> tensor<8x3xf32> {\n%y = stablehlo.add %x, %x : tensor<8x3xf32>\nreturn %y : tensor<8x3xf32>\n}\n}\n";
  const Array x = counting(24, 1);
  const Ran ran = run(text, 4, {x});
  REQUIRE(ran.error == "");
  Array want, sums;
  for (std::size_t i = 0; i < 24; ++i) want.push_back(2 * x[i] + static_cast<float>(i / 6));
  for (std::size_t i = 0; i < 8; ++i) sums.push_back(want[3 * i] + want[3 * i + 1] + want[3 * i + 2]);
  CHECK(ran.results[0] == want);
  CHECK(ran.results[1] == sums);
  CHECK(ran.program.parameter_passing[0] == Passing::Whole);
  // What was left open follows from the manual computation.
  CHECK(ran.program.results[0].text() == "{devices=[4,1]0,1,2,3}");
  CHECK(ran.program.results[1].text() == "{devices=[4]0,1,2,3}");
}

TEST_CASE("a manual computation in a loop, over one axis of two") {
  // Three turns of: x += psum over "a" of x; cut along a by rows only, b is computed alike.
  const std::string text = "module @m attributes {mhlo.num_partitions = 4 : i32} {\n" + kMesh22 +
      "func.func public @main(%arg0: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"a\"}, {\"b\"}]>}) -> (tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"a\"}, {\"b\"}]>}) {\n"
      "%c = stablehlo.constant dense<0> : tensor<i32>\n%one = stablehlo.constant dense<1> : tensor<i32>\n%n = stablehlo.constant dense<3> : tensor<i32>\n"
      "%0:2 = stablehlo.while(%i = %c, %x = %arg0) : tensor<i32>, tensor<4x2xf32>\ncond {\n%t = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\nstablehlo.return %t : tensor<i1>\n} do {\n"
      "%m = sdy.manual_computation(%x) in_shardings=[<@mesh, [{\"a\"}, {}]>] out_shardings=[<@mesh, [{\"a\"}, {}]>] manual_axes={\"a\"} (%arg1: tensor<2x2xf32>) {\n"
      "%1 = \"stablehlo.all_reduce\"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({\n"
      "^bb0(%p: tensor<f32>, %q: tensor<f32>):\n %s = stablehlo.add %p, %q : tensor<f32>\n stablehlo.return %s : tensor<f32>\n}) : (tensor<2x2xf32>) -> tensor<2x2xf32>\n"
      "%2 = stablehlo.add %arg1, %1 : tensor<2x2xf32>\nsdy.return %2 : tensor<2x2xf32>\n} : (tensor<4x2xf32>) -> tensor<4x2xf32>\n"
      "%k = stablehlo.add %i, %one : tensor<i32>\nstablehlo.return %k, %m : tensor<i32>, tensor<4x2xf32>\n}\nreturn %0#1 : tensor<4x2xf32>\n}\n}\n";
  Array x = counting(8);
  const Ran ran = run(text, 4, {x});
  REQUIRE(ran.error == "");
  for (int turn = 0; turn < 3; ++turn) {
    Array next(8);
    for (std::size_t i = 0; i < 8; ++i) next[i] = x[i] + x[i % 4] + x[i % 4 + 4];
    x = next;
  }
  CHECK(ran.results[0] == x);
}

TEST_CASE("without Shardy, custom calls say the same") {
  const std::string text = "module @m attributes {mhlo.num_partitions = 4 : i32} {\n"
      "func.func public @main(%arg0: tensor<8xf32> {mhlo.sharding = \"{devices=[4]<=[4]}\"}) -> (tensor<8xf32> {mhlo.sharding = \"{devices=[4]<=[4]}\"}) {\n"
      "%0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = \"\", mhlo.sharding = \"{devices=[4]<=[4]}\"} : (tensor<8xf32>) -> tensor<8xf32>\n"
      "%1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {backend_config = \"\", mhlo.sharding = \"{manual}\"} : (tensor<8xf32>) -> tensor<2xf32>\n"
      "%2 = call @shmap_body(%1) : (tensor<2xf32>) -> tensor<2xf32>\n"
      "%3 = stablehlo.custom_call @Sharding(%2) {backend_config = \"\", mhlo.sharding = \"{manual}\"} : (tensor<2xf32>) -> tensor<2xf32>\n"
      "%4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {backend_config = \"\", mhlo.sharding = \"{devices=[4]<=[4]}\"} : (tensor<2xf32>) -> tensor<8xf32>\n"
      "return %4 : tensor<8xf32>\n}\n"
      "func.func private @shmap_body(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
      "%0 = \"stablehlo.collective_permute\"(%x) <{source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>\n"
      "return %0 : tensor<2xf32>\n}\n}\n";
  const Ran ran = run(text, 4, {counting(8)});
  REQUIRE(ran.error == "");
  CHECK(ran.results[0] == Array{6, 7, 0, 1, 2, 3, 4, 5});
  CHECK(ran.program.parameter_passing[0] == Passing::Shard);
  CHECK(ran.program.result_passing[0] == Passing::Shard);
}

TEST_CASE("a program without manual parts runs once, and its results lie where arguments lead") {
  const std::string text = "module @m attributes {mhlo.num_partitions = 4 : i32} {\n" + kMesh22 +
      "func.func public @main(%x: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"a\"}, {}]>}, %w: tensor<6x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {\"b\"}]>})"
      " -> (tensor<4x2xf32>, tensor<2x4xf32>, tensor<8xf32>, tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<4xf32>, tensor<3xf32>) {\n"
      "%0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x2xf32>) -> tensor<4x2xf32>\n"
      "%1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<4x2xf32>) -> tensor<2x4xf32>\n"
      "%2 = stablehlo.reshape %0 : (tensor<4x2xf32>) -> tensor<8xf32>\n"
      "%c = stablehlo.constant dense<0.0> : tensor<f32>\n%3 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [1] : (tensor<4x2xf32>, tensor<f32>) -> tensor<4xf32>\n"
      "%4 = stablehlo.slice %3 [0:3] : (tensor<4xf32>) -> tensor<3xf32>\n"
      "return %0, %1, %2, %0, %3, %4 : tensor<4x2xf32>, tensor<2x4xf32>, tensor<8xf32>, tensor<4x2xf32>, tensor<4xf32>, tensor<3xf32>\n}\n}\n";
  const Ran ran = run(text, 4, {counting(24), counting(12)});
  REQUIRE(ran.error == "");
  CHECK_FALSE(ran.program.everywhere);
  const char* wanted[] = {"{devices=[2,2]0,1,2,3}", "{devices=[2,2]0,2,1,3}", "{devices=[2,2]0,1,2,3 last_tile_dim_replicate}", "{replicated}",
                          "{devices=[2,2]0,1,2,3 last_tile_dim_replicate}", "{replicated}"};
  for (std::size_t i = 0; i < 6; ++i) CHECK(ran.program.results[i].text() == wanted[i]);
  for (std::size_t r = 0; r < 4; ++r)
    for (std::size_t c = 0; c < 2; ++c) {
      float sum = 0;
      for (std::size_t k = 0; k < 6; ++k) sum += static_cast<float>((6 * r + k) * (2 * k + c));
      CHECK(ran.results[0][2 * r + c] == sum);
    }
}

TEST_CASE("what cannot be divided is refused") {
  const auto code = [](const std::string& attribute, const std::string& mesh, int replicas = 1) {
    const std::string text = "module @m {\n" + mesh + "func.func public @main(%x: tensor<6xf32> {sdy.sharding = #sdy.sharding<" + attribute +
                             ">}) -> tensor<6xf32> {\nreturn %x : tensor<6xf32>\n}\n}\n";
    auto module = import::read(std::as_bytes(std::span<const char>(text)), "test");
    REQUIRE(bool(module));
    auto r = partition::partition(std::move(*module), {4, replicas});
    return r ? Code::Internal : r.diagnostic().code;
  };
  CHECK(code("@mesh, [{\"i\"}]", kMesh4) == Code::PartitionSharding);      // 6 over 4
  CHECK(code("@mesh, [{\"j\"}]", kMesh4) == Code::PartitionSharding);      // no such axis
  CHECK(code("@other, [{}]", kMesh4) == Code::PartitionSharding);          // no such mesh
  CHECK(code("@mesh, [{\"a\"}]", "sdy.mesh @mesh = <[\"a\"=2]>\n") == Code::PartitionSharding);  // a mesh of two for four
  CHECK(code("@mesh, [{}], unreduced={\"i\"}", kMesh4) == Code::PartitionUnsupported);
  CHECK(code("@mesh, [{}]", kMesh4, 2) == Code::PartitionUnsupported);
}
