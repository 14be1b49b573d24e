// The HLO proto reader on files that tests/python/hlo_seeds.py wrote: constants in place, tuples, order, names and
// donations, each refusal with its code, and damage of every kind.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>

#include "base/files.h"
#include "graph/print.h"
#include "graph/verify.h"
#include "import/import.h"

using namespace openneuron;
using namespace openneuron::graph;

namespace {

const std::string kSeeds = std::string(ON_TEST_DIR) + "/fuzz/seeds/hlo_proto";

std::vector<std::string> seed_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kSeeds)) names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

bool is_bad(const std::string& name) { return name.rfind("bad_", 0) == 0; }

FileBytes seed(const std::string& name) {
  auto file = read_file(kSeeds + "/" + name + ".pb");
  REQUIRE_MESSAGE(file, name);
  return std::move(*file);
}

// Read and verified.
Result<Module> read(std::span<const std::byte> bytes) {
  auto module = import::read_hlo(bytes, "test.pb");
  if (!module) return module;
  if (auto verified = verify(*module); !verified) return verified.failure();
  return module;
}

Module good(const std::string& name) {
  const FileBytes file = seed(name);
  auto module = import::read_hlo(file.bytes, name, file.owner);
  REQUIRE_MESSAGE(module, name);
  return std::move(*module);
}

const Function& main_of(const Module& module) { return module.function(module.find("main")); }

// The kinds of main's ops, without its return.
std::vector<OpKind> kinds(const Module& module) {
  const Function& main = main_of(module);
  std::vector<OpKind> all;
  for (OpId op : main.ops()) all.push_back(main.kind(op));
  all.pop_back();
  return all;
}

const Constant& only_constant(const Module& module) {
  const Function& main = main_of(module);
  REQUIRE(main.kind(OpId(std::size_t{0})) == OpKind::Constant);
  return module.constant(module.attribute(module.attr(main, OpId(std::size_t{0}), "value")).constant);
}

bool is_hlo_code(const Diagnostic& d) {
  const std::string code = code_text(d.code);
  return (code >= "ON-E1421" && code <= "ON-E1430") || code.rfind("ON-E11", 0) == 0;  // rules are the graph level's
}

}  // namespace

TEST_CASE("every good seed is read and verified, and told by content") {
  for (const std::string& name : seed_names()) {
    if (is_bad(name)) continue;
    const FileBytes file = seed(name);
    CHECK_MESSAGE(import::detect(file.bytes) == import::Format::HloProto, name);
    auto module = read(file.bytes);
    CHECK_MESSAGE(module, name);
  }
}

TEST_CASE("every bad seed is refused with the code in its name, and a place") {
  for (const std::string& name : seed_names()) {
    if (!is_bad(name)) continue;
    const FileBytes file = seed(name);
    auto module = read(file.bytes);
    REQUIRE_MESSAGE(!module, name);
    CHECK_MESSAGE(std::string(code_text(module.diagnostic().code)) == "ON-E" + name.substr(4, 4), name);
    CHECK_MESSAGE(!module.diagnostic().message.empty(), name);
  }
}

TEST_CASE("instructions stand in the order of their ids, as far as operands allow") {
  CHECK(kinds(good("shuffled_ids")) == std::vector{OpKind::Exponential, OpKind::Negate, OpKind::Add, OpKind::Sine});
  CHECK(kinds(good("unordered_ids")) == std::vector{OpKind::Negate, OpKind::Exponential, OpKind::Add});
}

TEST_CASE("tuples dissolve: parameters, elements of elements, copies and results are leaves") {
  const Module module = good("tuples");
  const Function& main = main_of(module);
  CHECK(main.parameter_count() == 3);
  CHECK(kinds(module) == std::vector{OpKind::Add});
  const auto returned = main.operands(main.terminator());
  REQUIRE(returned.size() == 3);
  CHECK(returned[0] == ValueId(std::size_t{1}));
  CHECK(returned[1] == ValueId(std::size_t{2}));
  CHECK(returned[2] == main.result(OpId(std::size_t{0})));
  // Three levels of pairs of one value.
  CHECK(main_of(good("nested_tuples")).operands(main_of(good("nested_tuples")).terminator()).size() == 8);
}

TEST_CASE("while has its condition first, branches capture what they use") {
  const Module loop = good("while");
  const Function& main = main_of(loop);
  const OpId op(std::size_t{1});
  REQUIRE(main.kind(op) == OpKind::While);
  const Function& condition = loop.function(main.regions(op)[0]);
  CHECK(loop.value_type(condition, condition.operands(condition.terminator())[0]).element == ElementType::I1);
  CHECK(loop.function(main.regions(op)[1]).operands(loop.function(main.regions(op)[1]).terminator()).size() == 2);

  for (const char* name : {"case", "if"}) {
    const Module module = good(name);
    const Function& outer = main_of(module);
    const OpId chosen(std::size_t{0});
    CHECK(outer.kind(chosen) == (std::string(name) == "if" ? OpKind::If : OpKind::Case));
    // y, x and the index, in the order in which the first branch uses them; the inner conditional captures y alone.
    CHECK(outer.capture_count(chosen) == 3);
    const Function& first = module.function(outer.regions(chosen)[0]);
    CHECK(first.parameter_count() == 3);
    CHECK(first.kind(OpId(std::size_t{0})) == OpKind::Case);
    CHECK(first.capture_count(OpId(std::size_t{0})) == 1);
  }
}

TEST_CASE("a computation that is called twice is one function, and a region of each reduction") {
  const Module module = good("calls");
  std::size_t functions = 0, regions = 0;
  for (FunctionId id : module.functions()) (module.function(id).is_region ? regions : functions) += 1;
  CHECK(functions == 2);
  CHECK(regions == 2);
}

TEST_CASE("donations reach leaves by index path; donors without an output are marked") {
  const Module module = good("aliases");
  const Function& main = main_of(module);
  const auto alias = [&](std::size_t i) {
    const AttrId id = main.parameter_attributes[i].valid()
                          ? module.lookup(main.parameter_attributes[i], "tf.aliasing_output")
                          : AttrId();
    return id.valid() ? module.attribute(id).integer : -1;
  };
  CHECK(alias(0) == -1);
  CHECK(alias(1) == 2);
  CHECK(alias(2) == 0);
  CHECK(module.lookup(main.parameter_attributes[3], "jax.buffer_donor").valid());
}

TEST_CASE("the NEFF's variable names are kept") {
  const Module module = good("names");
  const Function& main = main_of(module);
  const auto name = [&](AttrId dictionary) { return module.attribute(module.lookup(dictionary, "neff.name")).text; };
  CHECK(name(main.parameter_attributes[0]) == "left");
  CHECK(name(main.parameter_attributes[1]) == "right");
  CHECK(name(main.result_attributes[0]) == "sum");
  CHECK(name(main.result_attributes[1]) == "product");
}

TEST_CASE("stack frames become call sites around the op's name; circles are cut") {
  const Module module = good("locations");
  const Function& main = main_of(module);
  const Location& first = module.location(main.location_of(OpId(std::size_t{0})));
  CHECK(first.kind == LocationKind::Name);
  CHECK(first.text == "jit(f)/mul");
  const Location& call = module.location(first.children[0]);
  REQUIRE(call.kind == LocationKind::CallSite);
  const Location& callee = module.location(call.children[0]);
  CHECK(callee.text == "forward");
  CHECK(module.location(callee.children[0]).text == "layer.py");
  CHECK(module.location(callee.children[0]).line == 30);
  const Location& caller = module.location(module.location(call.children[1]).children[0]);
  CHECK(caller.text == "train.py");
  CHECK(caller.end_column == 9);
  const Location& second = module.location(main.location_of(OpId(std::size_t{1})));
  CHECK(second.text == "step");
  CHECK(module.location(second.children[0]).line == 12);
  CHECK(module.location(main.location_of(OpId(std::size_t{2}))).text == "circle");
}

TEST_CASE("literals that are little-endian elements already stay in the file") {
  for (const char* name : {"constant_f32", "constant_bf16", "constant_s8", "constant_c64", "constant_pred"}) {
    const FileBytes file = seed(name);
    auto module = read(file.bytes);
    REQUIRE(module);
    const Constant& c = only_constant(*module);
    CHECK_MESSAGE((c.bytes.data() >= file.bytes.data() && c.bytes.data() < file.bytes.data() + file.bytes.size()),
                  name);
  }
}

TEST_CASE("literals have the values that were written") {
  const auto values = [](const char* name, auto example) {
    const Module module = good(name);
    const Constant& c = only_constant(module);
    std::vector<decltype(example)> all(c.bytes.size() / sizeof example);
    if (!all.empty()) std::memcpy(all.data(), c.bytes.data(), c.bytes.size());
    return all;
  };
  CHECK(values("constant_f32", 0.0f) == std::vector<float>{1, 2, 3, 4, 5, 6});
  CHECK(values("constant_splat", 0.0f) == std::vector<float>{7});
  CHECK(values("constant_unpacked", std::int32_t{}) == std::vector<std::int32_t>{5, -1});
  CHECK(values("constant_s64", std::int64_t{}) == std::vector<std::int64_t>{INT64_MIN, -1, std::int64_t{1} << 62});
  CHECK(values("constant_u32", std::uint32_t{}) == std::vector<std::uint32_t>{0, UINT32_MAX});
  CHECK(values("constant_pred", std::uint8_t{}) == std::vector<std::uint8_t>{1, 0, 1});
  CHECK(values("constant_pred_wide", std::uint8_t{}) == std::vector<std::uint8_t>{1, 0});
  CHECK(values("constant_s4", std::int8_t{}) == std::vector<std::int8_t>{7, -8, -1});
  CHECK(values("constant_column_major", 0.0f) == std::vector<float>{1, 2, 3, 4, 5, 6});
  CHECK(values("constant_empty", 0.0f).empty());
  CHECK(kinds(good("constant_tuple")) == std::vector{OpKind::Constant, OpKind::Constant, OpKind::Constant});
}

TEST_CASE("shardings keep XLA's own spelling") {
  const Module module = good("shardings");
  const Function& main = main_of(module);
  std::vector<std::string> texts;
  for (OpId op : main.ops()) {
    if (op != main.terminator())
      texts.push_back(module.attribute(module.lookup(main.extra_attributes(op), "mhlo.sharding")).text);
  }
  CHECK(texts == std::vector<std::string>{"{replicated}", "{maximal device=3}", "{manual}", "{devices=[2,1]0,1}",
                                          "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}",
                                          "{devices=[2,2]<=[4] last_tile_dims={manual}}", "{{replicated}, {manual}}"});
}

TEST_CASE("a file cut off anywhere is refused, or still a module") {
  for (const std::string& name : seed_names()) {
    const FileBytes file = seed(name);
    if (file.bytes.size() > 4096) continue;
    for (std::size_t size = 0; size < file.bytes.size(); ++size) {
      // A copy of its own, so that a read beyond its end is one beyond an allocation.
      const std::vector<std::byte> part(file.bytes.begin(), file.bytes.begin() + static_cast<std::ptrdiff_t>(size));
      auto module = read(part);
      if (!module) {
        CHECK_MESSAGE(is_hlo_code(module.diagnostic()), name);
      } else {
        CHECK(!print(*module).empty());
      }
    }
  }
}

TEST_CASE("a file with any byte damaged is refused, or still a module") {
  for (const std::string& name : seed_names()) {
    const FileBytes file = seed(name);
    if (file.bytes.size() > 2048 || name == "bad_1429_doubled_regions") continue;
    std::vector<std::byte> damaged(file.bytes.begin(), file.bytes.end());
    for (std::size_t at = 0; at < damaged.size(); ++at) {
      const std::byte kept = damaged[at];
      for (const int flip : {0x01, 0x80, 0xFF}) {
        damaged[at] = kept ^ static_cast<std::byte>(flip);
        auto module = read(damaged);
        if (!module) {
          CHECK_MESSAGE(is_hlo_code(module.diagnostic()), name);
        } else {
          CHECK(!print(*module, {.locations = true, .elide_above = 4096}).empty());
        }
      }
      damaged[at] = kept;
    }
  }
}
