#include <doctest/doctest.h>

#include "isa/build.h"

using namespace openneuron;
using namespace openneuron::isa;
using T = ElementType;

namespace {

const Machine& machine(const char* name = "trn2") { return **load_machine(name); }

bool legal(const Instruction& i, const char* name = "trn2") {
  auto result = check_instruction(i, machine(name));
  if (!result) INFO(format_diagnostic(result.diagnostic()));
  return static_cast<bool>(result);
}
std::string refusal(const Instruction& i, const char* name = "trn2") {
  auto result = check_instruction(i, machine(name));
  return result ? "accepted" : code_text(result.diagnostic().code);
}

Instruction add(Operand to, Operand a, Operand b, AluOp op = AluOp::Add) {
  return make(Opcode::TensorTensor, {to, a, b}, {number(op)});
}
Instruction copy(Operand to, Operand from, Engine engine = Engine::Any) {
  return make(Opcode::Copy, {to, from}, {}, engine);
}
Instruction dma(Operand to, Operand from) { return make(Opcode::Dma, {to, from, Operand()}, {0, 0}, Engine::Dma); }
Operand at(int partition, int count) { return sbuf(T::F32, count, 8, 0, partition); }
Operand moving_by(int partition, int count, int term) {
  Operand o = at(partition, count);
  o.terms.push_back({LoopId(std::size_t{0}), term, 0});
  return o;
}

}  // namespace

TEST_CASE("the_table_names_every_instruction_once") {
  for (const Row& r : rows()) {
    Opcode found{};
    REQUIRE(opcode_from_name(r.name, found));
    CHECK(found == r.opcode);
    CHECK(&row(r.opcode) == &r);
    CHECK(opcode_name(r.opcode) == r.name);
    CHECK(!r.meaning.empty());
    CHECK(!r.equals.empty());
    for (const Field& field : r.fields) {
      CHECK(!field.name.empty());
      if (field.kind == FieldKind::Access) CHECK((field.spaces & ~S_NONE) != 0);
    }
  }
  Opcode none{};
  CHECK(!opcode_from_name("nothing", none));
  for (int i = 0; i < kAluOpCount; ++i) {
    AluOp op{};
    REQUIRE(alu_from_name(alu_name(static_cast<AluOp>(i)), op));
    CHECK(number(op) == i);
  }
  for (int i = 0; i < kFunctionCount; ++i) {
    Function f{};
    REQUIRE(function_from_name(function_name(static_cast<Function>(i)), f));
    CHECK(number(f) == i);
  }
}

TEST_CASE("start_partitions_follow_the_quadrants") {
  const auto ok = [](int start, int count, const char* name) {
    return legal(copy(at(start, count), at(0, count)), name);
  };
  // More than 64: 0 only. 33 to 64: 0 or 64. Up to 32: 0, 32, 64, 96.
  CHECK(ok(0, 128, "trn2"));
  CHECK(!ok(32, 96, "trn2"));
  CHECK(!ok(64, 65, "trn2"));
  CHECK(ok(64, 64, "trn2"));
  CHECK(ok(64, 33, "trn2"));
  CHECK(!ok(32, 64, "trn2"));
  CHECK(ok(96, 32, "trn2"));
  CHECK(ok(32, 1, "trn2"));
  CHECK(!ok(1, 1, "trn2"));
  CHECK(!ok(16, 16, "trn2"));
  // 96 partitions.
  CHECK(ok(64, 32, "odd"));
  CHECK(!ok(64, 33, "odd"));
  CHECK(!ok(96, 1, "odd"));
  CHECK(ok(0, 96, "odd"));
  CHECK(!ok(0, 97, "odd"));
}

TEST_CASE("loop_terms_keep_the_quadrants") {
  CHECK(legal(copy(moving_by(0, 32, 32), at(0, 32))));
  CHECK(!legal(copy(moving_by(0, 32, 16), at(0, 32))));
  CHECK(legal(copy(moving_by(0, 64, 64), at(0, 64))));
  CHECK(!legal(copy(moving_by(0, 64, 32), at(0, 64))));
  CHECK(!legal(copy(moving_by(0, 128, 32), at(0, 128))));
  CHECK(legal(copy(moving_by(64, 32, -32), at(0, 32))));
}

TEST_CASE("dma_starts_anywhere_and_never_touches_psum") {
  CHECK(legal(dma(at(17, 3), hbm(T::F32, 3, 8))));
  CHECK(legal(dma(moving_by(0, 1, 1), hbm(T::F32, 1, 8))));
  CHECK(refusal(dma(psum(T::F32, 128, 8), hbm(T::F32, 128, 8))) == "ON-E1203");
  CHECK(refusal(dma(hbm(T::F32, 128, 8), psum(T::F32, 128, 8))) == "ON-E1203");
  // Shapes may differ, element counts not.
  CHECK(legal(dma(sbuf(T::F32, 64, 16), hbm(T::F32, 1, 1024))));
  CHECK(refusal(dma(sbuf(T::F32, 64, 16), hbm(T::F32, 1, 1023))) == "ON-E1206");
  // One partition read again and again: as a source only.
  Operand repeated = at(0, 128);
  repeated.partition_stride = 0;
  CHECK(legal(dma(hbm(T::F32, 128, 8), repeated)));
  CHECK(refusal(dma(repeated, hbm(T::F32, 128, 8))) == "ON-E1205");
  CHECK(refusal(copy(at(0, 128), repeated)) == "ON-E1205");
}

TEST_CASE("indirect_dma_needs_offsets_for_its_rows") {
  Operand table = hbm(T::F32, 64, 16);
  table.indirect_stride = 64;
  table.indirect_limit = 1000;
  const auto gather = [&](Operand offsets, int indirect) {
    return make(Opcode::Dma, {sbuf(T::F32, 64, 16), table, offsets}, {indirect, 0}, Engine::Dma);
  };
  CHECK(legal(gather(sbuf(T::I32, 64, 1), 1)));
  CHECK(refusal(gather(sbuf(T::I32, 32, 1), 1)) == "ON-E1206");
  CHECK(refusal(gather(sbuf(T::I32, 64, 2), 1)) == "ON-E1206");
  CHECK(refusal(gather(sbuf(T::F32, 64, 1), 1)) == "ON-E1204");
  CHECK(refusal(gather(Operand(), 1)) == "ON-E1201");
  CHECK(refusal(gather(sbuf(T::I32, 64, 1), 0)) == "ON-E1201");
  CHECK(refusal(gather(sbuf(T::I32, 64, 1), 3)) == "ON-E1207");
}

TEST_CASE("dma_compute_needs_offsets_and_as_many_rows") {
  Operand table = hbm(T::F32, 64, 16);
  table.partition_stride = 0;
  table.indirect_stride = 64;
  table.indirect_limit = 1000;
  const auto adds = [&](Operand to, Operand from, Operand offsets) {
    return make(Opcode::DmaCompute, {to, from, offsets}, {1}, Engine::Dma);
  };
  CHECK(legal(adds(table, sbuf(T::BF16, 64, 16), sbuf(T::I32, 64, 1))));
  CHECK(refusal(adds(table, sbuf(T::F32, 64, 16), Operand())) == "ON-E1201");
  CHECK(refusal(adds(table, sbuf(T::F32, 64, 16), sbuf(T::I32, 32, 1))) == "ON-E1206");
  CHECK(refusal(adds(table, sbuf(T::F32, 64, 15), sbuf(T::I32, 64, 1))) == "ON-E1206");
  CHECK(refusal(adds(table, sbuf(T::F32, 32, 32), sbuf(T::I32, 64, 1))) == "ON-E1205");
  CHECK(refusal(adds(table, psum(T::F32, 64, 16), sbuf(T::I32, 64, 1))) == "ON-E1203");
  Operand complex_table = table;
  complex_table.type = T::C64;
  CHECK(refusal(adds(complex_table, sbuf(T::F32, 64, 16), sbuf(T::I32, 64, 1))) == "ON-E1204");
}

TEST_CASE("eight_largest_and_sorted_rows") {
  const auto max8 = [](int to, int from, T type = T::F32) { return make(Opcode::Max8, {sbuf(type, 64, to), sbuf(T::F32, 64, from)}); };
  CHECK(legal(max8(8, 8)));
  CHECK(legal(max8(8, 16384)));
  CHECK(refusal(max8(8, 7)) == "ON-E1206");
  CHECK(refusal(max8(8, 16385)) == "ON-E1206");
  CHECK(refusal(max8(9, 100)) == "ON-E1206");
  CHECK(refusal(max8(8, 100, T::BF16)) == "ON-E1204");
  CHECK(refusal(max8(8, 100, T::I32)) == "ON-E1204");
  const auto find = [](T type, int values) { return make(Opcode::FindIndex8, {sbuf(type, 64, 8), sbuf(T::F32, 64, 100), sbuf(T::F32, 64, values)}); };
  CHECK(legal(find(T::U32, 8)));
  CHECK(legal(find(T::U16, 8)));
  CHECK(refusal(find(T::I32, 8)) == "ON-E1204");
  CHECK(refusal(find(T::U32, 7)) == "ON-E1206");
  const auto sort = [](Operand payload, Operand source, T type = T::F32) {
    return make(Opcode::Sort, {sbuf(type, 64, 100), payload, sbuf(T::F32, 64, 100), source}, {0, 1}, Engine::GpSimd);
  };
  CHECK(legal(sort(Operand(), Operand())));
  CHECK(legal(sort(sbuf(T::I8, 64, 100), sbuf(T::I8, 64, 100))));
  CHECK(legal(sort(hbm(T::I32, 64, 100), sbuf(T::I32, 64, 100))));
  CHECK(refusal(sort(Operand(), sbuf(T::I32, 64, 100))) == "ON-E1201");
  CHECK(refusal(sort(sbuf(T::I32, 64, 100), sbuf(T::F32, 64, 100))) == "ON-E1204");
  CHECK(refusal(sort(Operand(), Operand(), T::BF16)) == "ON-E1204");
  CHECK(refusal(sort(sbuf(T::I32, 64, 99), sbuf(T::I32, 64, 99))) == "ON-E1206");
}

TEST_CASE("engines_and_memories") {
  CHECK(legal(copy(at(0, 128), psum(T::F32, 128, 8), Engine::Scalar)));
  CHECK(refusal(copy(at(0, 128), psum(T::F32, 128, 8), Engine::GpSimd)) == "ON-E1203");
  CHECK(refusal(copy(at(0, 128), at(0, 128), Engine::PE)) == "ON-E1202");
  CHECK(refusal(copy(at(0, 128), hbm(T::F32, 128, 8))) == "ON-E1203");
  Instruction queue = dma(at(0, 128), hbm(T::F32, 128, 8));
  queue.queue = 16;
  CHECK(refusal(queue) == "ON-E1202");
  CHECK(refusal(add(at(0, 128), psum(T::F32, 128, 8), psum(T::F32, 128, 8, 2048))) == "ON-E1203");
  CHECK(legal(add(at(0, 128), psum(T::F32, 128, 8), at(0, 128))));
}

TEST_CASE("form_of_operands") {
  CHECK(refusal(make(Opcode::Copy, {at(0, 1)})) == "ON-E1201");
  CHECK(refusal(make(Opcode::Copy, {at(0, 1), at(0, 1)}, {1})) == "ON-E1201");
  CHECK(refusal(make(Opcode::Copy, {at(0, 1), immediate(1)})) == "ON-E1201");
  CHECK(refusal(make(Opcode::Copy, {at(0, 1), Operand()})) == "ON-E1201");
  CHECK(refusal(make(Opcode::LoopBegin, {immediate(1.5, T::I32)})) == "ON-E1207");
  CHECK(refusal(make(Opcode::LoopBegin, {immediate(1)})) == "ON-E1204");
  CHECK(legal(make(Opcode::LoopBegin, {in_register(300)})));  // virtual: check_registers has the limit
  CHECK(!check_registers(make(Opcode::LoopBegin, {in_register(64)}), machine()));
  CHECK(check_registers(make(Opcode::LoopBegin, {in_register(63)}), machine()));
  Instruction waits = make(Opcode::LoopEnd, {});
  waits.waits.push_back({256, 1});
  CHECK(!check_registers(waits, machine()));
  Instruction wild;
  wild.opcode = static_cast<Opcode>(250);
  CHECK(refusal(wild) == "ON-E1201");
}

TEST_CASE("element_counts_agree") {
  CHECK(refusal(add(at(0, 128), at(0, 128), sbuf(T::F32, 128, 9))) == "ON-E1206");
  CHECK(refusal(add(at(0, 64), at(0, 64), at(0, 32))) == "ON-E1205");
  // [2, 4] against 8 in a row: the same elements in the same order.
  Operand two = at(0, 128);
  two.dims.clear();
  two.dims.push_back({64, 2});
  two.dims.push_back({4, 4});
  CHECK(legal(add(at(0, 128), two, at(0, 128))));
  // Different partition starts, one operand a [P, 1] scalar.
  CHECK(legal(make(Opcode::TensorScalar, {at(32, 32), at(0, 32), sbuf(T::F32, 32, 1, 64, 96), immediate(0)},
                   {number(AluOp::Add), 0, 0, 0})));
  CHECK(refusal(make(Opcode::TensorScalar, {at(0, 32), at(0, 32), sbuf(T::F32, 32, 2), immediate(0)},
                     {number(AluOp::Add), 0, 0, 0})) == "ON-E1206");
  CHECK(refusal(copy(sbuf(T::F32, 128, 65537), sbuf(T::F32, 128, 65537))) == "ON-E1206");
  CHECK(refusal(copy(sbuf(T::F32, 128, 8, 2), at(0, 128))) == "ON-E1206");  // misaligned
}

TEST_CASE("access_dims_are_limited_and_hostile_sizes_refused") {
  Operand deep = at(0, 128);
  deep.dims.clear();
  for (int i = 0; i < 6; ++i) deep.dims.push_back({4, 1});
  CHECK(refusal(copy(deep, sbuf(T::F32, 128, 1))) == "ON-E1206");
  Operand huge = at(0, 128);
  huge.dims[0].count = INT64_MAX;
  CHECK(refusal(copy(huge, huge)) == "ON-E1206");
  huge.dims[0] = {INT64_MIN, 2};
  CHECK(refusal(copy(huge, huge)) == "ON-E1206");
  huge.dims[0] = {4, 0};
  CHECK(refusal(copy(huge, huge)) == "ON-E1206");
  huge = at(0, 128);
  huge.start = INT64_MAX;
  CHECK(refusal(copy(huge, at(0, 128))) == "ON-E1206");
  Operand repeated = at(0, 128);
  repeated.dims[0].stride = 0;
  CHECK(legal(copy(at(0, 128), repeated)));
  CHECK(refusal(copy(repeated, at(0, 128))) == "ON-E1206");
}

TEST_CASE("types") {
  CHECK(refusal(add(sbuf(T::F64, 128, 8), at(0, 128), at(0, 128))) == "ON-E1204");
  CHECK(refusal(add(at(0, 128), at(0, 128), at(0, 128), AluOp::BitAnd)) == "ON-E1204");
  CHECK(legal(add(sbuf(T::U32, 128, 8), sbuf(T::U32, 128, 8), sbuf(T::U32, 128, 8), AluOp::ShiftLeft)));
  CHECK(legal(copy(sbuf(T::F64, 128, 8), sbuf(T::F64, 128, 8))));
  CHECK(refusal(copy(sbuf(T::C64, 128, 8), at(0, 128))) == "ON-E1204");
  CHECK(refusal(make(Opcode::Select, {at(0, 32), sbuf(T::I1, 32, 8), at(0, 32), sbuf(T::I32, 32, 8)})) == "ON-E1204");
  CHECK(legal(make(Opcode::SelectReduce, {at(0, 32), sbuf(T::F32, 32, 1), sbuf(T::I1, 32, 8), at(0, 32), at(0, 32)})));
  CHECK(refusal(make(Opcode::SelectReduce, {at(0, 32), at(0, 32), sbuf(T::I1, 32, 8), at(0, 32), at(0, 32)})) == "ON-E1206");
  CHECK(refusal(make(Opcode::Select, {at(0, 32), sbuf(T::I32, 32, 8), at(0, 32), at(0, 32)})) == "ON-E1204");
}

TEST_CASE("matmul_sizes_and_banks") {
  const auto matmul = [](int k, int m, int n, std::int64_t start = 0, T type = T::BF16) {
    return make(Opcode::Matmul, {psum(T::F32, m, n, start), sbuf(type, k, n)}, {1});
  };
  CHECK(legal(matmul(128, 128, 512)));
  CHECK(legal(matmul(128, 128, 256, 2048 + 1024)));
  CHECK(refusal(matmul(128, 128, 256, 1028)) == "ON-E1208");
  CHECK(refusal(matmul(128, 128, 512, 4)) == "ON-E1208");
  CHECK(refusal(matmul(128, 128, 513)) == "ON-E1206");
  CHECK(refusal(matmul(128, 128, 512), "odd") == "ON-E1205");
  CHECK(refusal(matmul(96, 96, 64), "odd") == "ON-E1206");
  CHECK(legal(matmul(96, 80, 192), "odd"));
  CHECK(refusal(matmul(96, 80, 193), "odd") == "ON-E1206");
  CHECK(refusal(matmul(96, 80, 192, 512), "odd") == "ON-E1208");
  CHECK(refusal(make(Opcode::Matmul, {psum(T::BF16, 128, 8), sbuf(T::BF16, 128, 8)}, {0})) == "ON-E1204");
  CHECK(refusal(make(Opcode::Matmul, {at(0, 128), sbuf(T::BF16, 128, 8)}, {0})) == "ON-E1203");
  // Steps of whole banks stay in one bank each; others depend on the loop and are left to the checkers of streams.
  Instruction stepping = matmul(128, 128, 512, 2048);
  stepping.operands[0].terms.push_back({LoopId(std::size_t{0}), 0, 2048});
  CHECK(legal(stepping));
}

TEST_CASE("stationary_and_moving_pair") {
  const auto load = [](T type, int k, int m) { return make(Opcode::LoadStationary, {sbuf(type, k, m)}); };
  const auto matmul = [](T type, int k, int m) {
    return make(Opcode::Matmul, {psum(T::F32, m, 16), sbuf(type, k, 16)}, {0});
  };
  CHECK(check_pair(load(T::BF16, 128, 64), matmul(T::F8E4M3, 128, 64)));
  auto unpaired = check_pair(load(T::F32, 128, 64), matmul(T::BF16, 128, 64));
  REQUIRE(!unpaired);
  CHECK(unpaired.diagnostic().code == openneuron::Code::InstructionPair);
  CHECK(!check_pair(load(T::BF16, 64, 64), matmul(T::BF16, 128, 64)));
  CHECK(!check_pair(load(T::BF16, 128, 32), matmul(T::BF16, 128, 64)));
  CHECK(refusal(load(T::BF16, 128, 129)) == "ON-E1206");
  CHECK(refusal(load(T::I32, 128, 128)) == "ON-E1204");
}

TEST_CASE("transposes") {
  CHECK(legal(make(Opcode::Transpose, {psum(T::F32, 64, 128), sbuf(T::F32, 128, 64)})));
  CHECK(refusal(make(Opcode::Transpose, {psum(T::F32, 128, 64), sbuf(T::F32, 128, 64)})) == "ON-E1206");
  CHECK(refusal(make(Opcode::Transpose, {psum(T::I8, 64, 128), sbuf(T::I8, 128, 64)})) == "ON-E1204");
  CHECK(refusal(make(Opcode::Transpose, {psum(T::I32, 64, 128), sbuf(T::F32, 128, 64)})) == "ON-E1204");
}

TEST_CASE("reductions") {
  Operand data = at(0, 128);
  data.dims.clear();
  data.dims.push_back({64, 4});
  data.dims.push_back({4, 16});
  const auto reduce = [&](std::int64_t kept, AluOp op, int axes) {
    return make(Opcode::TensorReduce, {sbuf(T::F32, 128, kept), data}, {number(op), axes});
  };
  CHECK(legal(reduce(4, AluOp::Add, 1)));
  CHECK(legal(reduce(1, AluOp::Max, 2)));
  CHECK(refusal(reduce(4, AluOp::Add, 2)) == "ON-E1206");
  CHECK(refusal(reduce(1, AluOp::Add, 3)) == "ON-E1207");
  CHECK(refusal(reduce(4, AluOp::Add, 0)) == "ON-E1207");
  CHECK(refusal(reduce(4, AluOp::Subtract, 1)) == "ON-E1207");
  CHECK(refusal(reduce(4, AluOp::BitOr, 1)) == "ON-E1204");
}

TEST_CASE("domains") {
  const Operand f = at(0, 32), i = sbuf(T::I32, 32, 8), u = sbuf(T::U32, 32, 8), b = sbuf(T::I1, 32, 8);
  CHECK(compute_domain(add(f, i, f)) == Domain::F32);
  CHECK(compute_domain(add(f, i, i)) == Domain::I32);
  CHECK(compute_domain(add(i, u, i)) == Domain::U32);
  CHECK(compute_domain(add(i, b, b)) == Domain::I32);
  CHECK(compute_domain(make(Opcode::TensorScalar, {i, i, immediate(2), immediate(0, T::I32)}, {1, 0, 0, 0})) ==
        Domain::F32);
  CHECK(compute_domain(make(Opcode::TensorScalar, {u, u, immediate(2, T::I32), immediate(0, T::I32)}, {1, 0, 0, 0})) ==
        Domain::U32);
}

TEST_CASE("canonical_dims_merge_what_is_contiguous") {
  Operand o = at(0, 1);
  o.dims.clear();
  for (const Dim& d : {Dim{999, 1}, Dim{160, 2}, Dim{32, 5}, Dim{4, 8}, Dim{0, 1}}) o.dims.push_back(d);
  const auto dims = canonical_dims(o);
  REQUIRE(dims.size() == 1);
  CHECK(dims[0] == Dim{4, 80});
  o.dims[2].stride = 64;
  CHECK(canonical_dims(o).size() == 3);
  o.dims.clear();
  o.dims.push_back({0, 3});
  o.dims.push_back({0, 4});
  CHECK(canonical_dims(o).size() == 1);  // a repeated value stays one repeated value
  o.dims.clear();
  o.dims.push_back({-4, 8});
  CHECK(free_range(o).begin == -28);
  CHECK(free_range(o).end == 4);
}
