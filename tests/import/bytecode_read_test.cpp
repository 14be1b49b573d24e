// The bytecode reader on files that tests/python/vhlo_seeds.py wrote: container versions, locations, constants in
// place, each refusal with its code, and damage of every kind.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "base/files.h"
#include "import/import.h"

using namespace openneuron;
using namespace openneuron::graph;

namespace {

FileBytes seed(const std::string& name) {
  auto file = read_file(std::string(ON_TEST_DIR) + "/fuzz/seeds/bytecode/" + name + ".bc");
  REQUIRE_MESSAGE(file, name);
  return std::move(*file);
}

Result<Module> read(std::span<const std::byte> bytes) { return import::read_bytecode(bytes, "test.bc"); }

const Function& main_of(const Module& module) { return module.function(module.find("main")); }

bool is_bytecode_code(const Diagnostic& d) {
  const std::string code = code_text(d.code);
  return code.rfind("ON-E14", 0) == 0 || code == "ON-E1102";  // a wrong attribute is the graph level's to refuse
}

}  // namespace

TEST_CASE("every container version gives the same small module") {
  for (const char* name : {"version_0.9.0", "version_0.10.0", "version_0.12.0", "version_0.14.0", "version_1.20.0"}) {
    const FileBytes file = seed(name);
    auto module = read(file.bytes);
    REQUIRE_MESSAGE(module, name);
    CHECK(module->name == "m");
    CHECK(!module->attributes.valid());
    const Function& main = main_of(*module);
    CHECK(main.is_public);
    CHECK(main.parameter_count() == 2);
    REQUIRE(main.op_count() == 2);
    CHECK(main.kind(OpId(std::size_t{0})) == OpKind::Add);
    CHECK(main.kind(main.terminator()) == OpKind::Return);
    const Type& type = module->value_type(main, ValueId(std::size_t{2}));
    CHECK(type.element == ElementType::F32);
    CHECK(type.shape == std::vector<std::int64_t>{2, 3});
  }
}

TEST_CASE("sections in any order, aligned, with use-list orders, inline and boxed regions") {
  for (const char* name : {"sections_shuffled", "sections_aligned", "version_2", "version_5", "capture_inline"}) {
    const FileBytes file = seed(name);
    CHECK_MESSAGE(read(file.bytes), name);
  }
}

TEST_CASE("regions capture outer values: parameters behind their own, operands of the op") {
  const FileBytes file = seed("capture_inline");
  auto module = read(file.bytes);
  REQUIRE(module);
  const Function& main = main_of(*module);
  const OpId loop(std::size_t{0});
  REQUIRE(main.kind(loop) == OpKind::While);
  // while (%arg0, %arg3); the condition reads %arg1 and the body %arg2.
  CHECK(main.capture_count(loop) == 2);
  const auto operands = main.operands(loop);
  REQUIRE(operands.size() == 4);
  CHECK(operands[0].index == 0);
  CHECK(operands[1].index == 3);
  CHECK(operands[2].index == 1);
  CHECK(operands[3].index == 2);
  for (const FunctionId region : main.regions(loop)) CHECK(module->function(region).parameter_count() == 4);
  const Function& condition = module->function(main.regions(loop)[0]);
  CHECK(condition.operand(OpId(std::size_t{0}), 1).index == 2);
  const Function& body = module->function(main.regions(loop)[1]);
  CHECK(body.operand(OpId(std::size_t{2}), 1).index == 3);
}

TEST_CASE("locations are kept whole") {
  const FileBytes file = seed("locations");
  auto module = read(file.bytes);
  REQUIRE(module);
  const Location& call = module->location(main_of(*module).location_of(OpId(std::size_t{0})));
  REQUIRE(call.kind == LocationKind::CallSite);
  const Location& name = module->location(call.children[0]);
  REQUIRE(name.kind == LocationKind::Name);
  CHECK(name.text == "mul");
  const Location& line = module->location(name.children[0]);
  REQUIRE(line.kind == LocationKind::File);
  CHECK(line.text == "model.py");
  CHECK(line.line == 3);
  CHECK(line.column == 7);
  const Location& fused = module->location(call.children[1]);
  REQUIRE(fused.kind == LocationKind::Fused);
  REQUIRE(fused.children.size() == 3);
  const Location& range = module->location(fused.children[0]);
  CHECK(range.end_line == 10);
  CHECK(range.end_column == 9);
  CHECK(module->location(fused.children[1]).end_line == 12);  // three numbers: the end lies on the same line
  CHECK(module->location(fused.children[1]).end_column == 30);
}

TEST_CASE("a location that nests too deeply is cut off, not refused") {
  const FileBytes file = seed("deep_location");
  auto module = read(file.bytes);
  REQUIRE(module);
  LocationId at = main_of(*module).location_of(OpId(std::size_t{0}));
  int depth = 0;
  for (; at.valid() && module->location(at).kind == LocationKind::CallSite; ++depth) at = module->location(at).children[1];
  CHECK(depth > 50);
  CHECK(depth <= 200);
}

TEST_CASE("module attributes stand in the module, its name apart") {
  const FileBytes file = seed("module_attributes");
  auto module = read(file.bytes);
  REQUIRE(module);
  CHECK(module->name == "jit_f");
  const AttrId partitions = module->lookup(module->attributes, "mhlo.num_partitions");
  REQUIRE(partitions.valid());
  CHECK(module->attribute(partitions).element == ElementType::I32);
  CHECK(module->attribute(partitions).integer == 1);
  CHECK(module->attribute(module->lookup(module->attributes, "jax.uses_shape_polymorphism")).kind == AttrKind::Bool);
  CHECK(!module->lookup(module->attributes, "sym_name").valid());
}

TEST_CASE("constants lie in the file; only booleans of packed layouts are copied") {
  const FileBytes file = seed("special_constants");
  auto module = read(file.bytes);
  REQUIRE(module);
  const Function& main = main_of(*module);
  std::size_t in_place = 0, copied = 0;
  for (const OpId op : main.ops()) {
    if (main.kind(op) != OpKind::Constant) continue;
    const Constant& c = module->constant(module->attribute(module->attr(main, op, "value")).constant);
    const Type& type = module->type(c.type);
    const bool inside = c.bytes.data() >= file.bytes.data() && c.bytes.data() < file.bytes.data() + file.bytes.size();
    (inside ? in_place : copied) += 1;
    const auto count = static_cast<std::size_t>(type.element_count());
    if (count > 0) CHECK(c.bytes.size() == (c.splat ? 1 : count) * static_cast<std::size_t>(byte_width(type.element)));
    if (type.element == ElementType::I1) {
      for (const std::byte b : c.bytes) CHECK(b <= std::byte{1});
    }
  }
  CHECK(in_place == 6);
  CHECK(copied == 7);  // five of i1, the one of i4, and the empty one
  auto bytes_of = [&](std::size_t i) {
    return module->constant(module->attribute(module->attr(main, OpId(i), "value")).constant).bytes;
  };
  const int packed[] = {1, 0, 1, 0, 0, 0, 0, 0, 1};  // bits of 05 01, lowest first
  REQUIRE(bytes_of(5).size() == 9);
  for (std::size_t i = 0; i < 9; ++i) CHECK(std::to_integer<int>(bytes_of(5)[i]) == packed[i]);
}

TEST_CASE("sdy of a single-device module: mesh kept as text, casts dropped, shardings kept") {
  const FileBytes file = seed("sdy");
  auto module = read(file.bytes);
  REQUIRE(module);
  CHECK(module->extra_ops == std::vector<std::string>{"sdy.mesh @mesh = <[\"x\"=1]>"});
  const Function& main = main_of(*module);
  REQUIRE(main.op_count() == 3);
  const OpId constraint(std::size_t{0});
  CHECK(main.kind(constraint) == OpKind::SdyShardingConstraint);
  CHECK(module->text(main, constraint, "sharding") == "#sdy.sharding<@mesh, [{\"x\"}, {}]>");
  CHECK(main.operand(OpId(std::size_t{1}), 0) == main.result(constraint));
  CHECK(module->lookup(main.parameter_attributes[0], "sdy.sharding").valid());
}

TEST_CASE("what is refused, and with which code") {
  const struct {
    const char* file;
    Code code;
    const char* says;
  } cases[] = {
      {"bad_version", Code::BytecodeTooNew, "version 7"},
      {"bad_vhlo_version", Code::BytecodeTooNew, "StableHLO_v1.21.0"},
      {"bad_raw_stablehlo", Code::BytecodeNotVhlo, "stablehlo.add"},
      {"bad_op", Code::BytecodeUnknownOp, "frobnicate_v1"},
      {"bad_attribute_code", Code::BytecodeUnknownCode, "code 77"},
      {"bad_type_code", Code::BytecodeUnknownCode, "code 99"},
      {"bad_depth", Code::BytecodeLimit, "nest"},
      {"bad_expansion", Code::BytecodeLimit, "larger"},
      {"bad_region_depth", Code::BytecodeLimit, "regions nest"},
      {"bad_literal", Code::BytecodeMalformed, "7 bytes"},
      {"bad_sparse", Code::BytecodeUnsupported, "code 20"},
      {"bad_arity", Code::BytecodeMalformed, "2 operands"},
      {"bad_value", Code::BytecodeMalformed, "dense literal"},
  };
  for (const auto& c : cases) {
    const FileBytes file = seed(c.file);
    auto module = read(file.bytes);
    REQUIRE_MESSAGE(!module, c.file);
    CHECK_MESSAGE(module.diagnostic().code == c.code, c.file);
    CHECK_MESSAGE(module.diagnostic().message.find(c.says) != std::string::npos, module.diagnostic().message);
    CHECK(module.diagnostic().place.file == "test.bc");
    CHECK(module.diagnostic().place.byte_offset >= 0);
  }
  const FileBytes op = seed("bad_op");
  CHECK(read(op.bytes).diagnostic().place.op == "vhlo.frobnicate_v1");
}

TEST_CASE("a file cut off at any byte is refused with a code") {
  for (const char* name : {"version_0.9.0", "version_1.20.0", "capture_inline", "sections_shuffled", "resource"}) {
    const FileBytes file = seed(name);
    for (std::size_t size = 0; size < file.bytes.size(); ++size) {
      // A copy of exactly this size, so that a sanitizer sees a read behind its end.
      const std::vector<std::byte> cut(file.bytes.begin(), file.bytes.begin() + static_cast<std::ptrdiff_t>(size));
      auto module = read(cut);
      REQUIRE_MESSAGE(!module, name << " cut to " << size << " bytes");
      CHECK_MESSAGE(is_bytecode_code(module.diagnostic()), format_diagnostic(module.diagnostic()));
    }
  }
}

TEST_CASE("a wrong byte anywhere gives a module or a code") {
  for (const char* name : {"version_0.9.0", "capture_inline", "sections_aligned", "sdy", "special_constants", "locations"}) {
    const FileBytes file = seed(name);
    for (std::size_t at = 0; at < file.bytes.size(); ++at) {
      for (const int value : {0x00, 0x01, 0x03, 0x7F, 0x80, 0xFF}) {
        std::vector<std::byte> bytes(file.bytes.begin(), file.bytes.end());
        bytes[at] = static_cast<std::byte>(value);
        auto module = read(bytes);
        if (!module) CHECK_MESSAGE(is_bytecode_code(module.diagnostic()), format_diagnostic(module.diagnostic()));
      }
    }
  }
}

TEST_CASE("the module keeps its input alive") {
  auto file = std::make_shared<FileBytes>(seed("special_constants"));
  const std::weak_ptr<FileBytes> watch = file;
  {
    auto module = import::read_bytecode(file->bytes, "test.bc", file);
    REQUIRE(module);
    file.reset();
    CHECK(!watch.expired());
  }
  CHECK(watch.expired());
}
