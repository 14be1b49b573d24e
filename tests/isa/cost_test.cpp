// The rows of the public cost table that carry a measured or printed time (trn2 unless said): within 10 % of the value,
// or of the printed range. N: elements per partition.
#include <doctest/doctest.h>

#include "isa/build.h"

using namespace openneuron;
using namespace openneuron::isa;
using T = ElementType;

namespace {

const Machine& machine(const char* name = "trn2") { return **load_machine(name); }

double total(const Instruction& instruction, const char* name = "trn2") {
  const Cost c = cost(instruction, machine(name));
  return c.issue_ns + c.latency_ns;
}
double issue(const Instruction& instruction, const char* name = "trn2") {
  return cost(instruction, machine(name)).issue_ns;
}

void check_near(double got, double low, double high) {
  CHECK(got >= 0.9 * low);
  CHECK(got <= 1.1 * high);
}

Instruction matmul(T type, int m, int n) {
  return make(Opcode::Matmul, {psum(T::F32, m, n), sbuf(type, 128, n)}, {0}, Engine::PE);
}
Instruction transpose(T type, int p, int f) {
  return make(Opcode::Transpose, {psum(type, f, p), sbuf(type, p, f)}, {}, Engine::PE);
}
Instruction activation(Operand from, Function f) {
  Operand to = sbuf(T::F32, 128, from.free_count());
  return make(Opcode::Activation, {to, from, immediate(1), immediate(0)}, {number(f)}, Engine::Scalar);
}
Instruction tensor_scalar(Operand to, Operand from, Operand scalar) {
  return make(Opcode::TensorScalar, {to, from, scalar, immediate(0)},
              {number(AluOp::Multiply), 0, number(AluOp::Bypass), 0}, Engine::Vector);
}
Instruction copy(Operand to, Operand from, Engine engine) { return make(Opcode::Copy, {to, from}, {}, engine); }
Instruction reduce(int n) {
  return make(Opcode::TensorReduce, {sbuf(T::F32, 128, 1), sbuf(T::F32, 128, n)}, {number(AluOp::Add), 1},
              Engine::Vector);
}
Instruction dma(Operand to, Operand from) { return make(Opcode::Dma, {to, from, Operand()}, {0, 0}, Engine::Dma); }

}  // namespace

TEST_CASE("matmul_issue_interval") {
  check_near(issue(matmul(T::BF16, 128, 512)), 213, 213);
  check_near(issue(matmul(T::F8E4M3, 128, 512)), 213, 213);
  check_near(issue(matmul(T::F32, 128, 512)), 853, 853);
  check_near(issue(matmul(T::F32, 128, 128)), 2 * 111, 2 * 111);
  // First result: the stream and about 163 ns.
  check_near(total(matmul(T::BF16, 128, 512)), 213 + 163, 213 + 163);
  // max(min(64, M), N) cycles.
  CHECK(issue(matmul(T::BF16, 128, 16)) == doctest::Approx(64 / 2.4));
  CHECK(issue(matmul(T::BF16, 32, 16)) == doctest::Approx(32 / 2.4));
  // Cold: twice as long.
  check_near(issue(matmul(T::BF16, 128, 512)) * machine().figure("pe_cold_factor"), 427, 427);
  check_near(machine().figure("pe_warmup_ns"), 3413, 3413);
}

TEST_CASE("weight_load") {
  const auto load = [](T type) { return make(Opcode::LoadStationary, {sbuf(type, 128, 128)}, {}, Engine::PE); };
  check_near(issue(load(T::BF16)), 95, 95);
  check_near(issue(load(T::F32)), 190, 190);
  CHECK(cost(load(T::F32), machine()).background);
}

TEST_CASE("pe_transpose") {
  check_near(issue(transpose(T::F32, 128, 128)), 107, 109);
  check_near(issue(transpose(T::BF16, 128, 128)), 55, 56);
}

TEST_CASE("activation") {
  // PSUM copy: N/1.2 + 158.
  check_near(total(copy(sbuf(T::BF16, 128, 512), psum(T::F32, 128, 512), Engine::Scalar)), 512 / 1.2 + 158,
             512 / 1.2 + 158);
  check_near(total(activation(psum(T::F32, 128, 512), Function::Copy)), 512 / 1.2 + 158, 512 / 1.2 + 158);
  // exp: N/1.2 + 250 from PSUM, + 292 from SBUF; 512: 673-707.
  check_near(total(activation(psum(T::F32, 128, 512), Function::Exp)), 673, 707);
  check_near(total(activation(sbuf(T::F32, 128, 512), Function::Exp)), 673, 707);
  check_near(total(activation(sbuf(T::F32, 128, 128), Function::Exp)), 399, 399);
  check_near(total(activation(sbuf(T::F32, 128, 4096), Function::Exp)), 3710, 3710);
  // A dependent activation of one element: 264 cycles of 1.4 GHz on trn1.
  check_near(total(activation(sbuf(T::F32, 128, 1), Function::Exp), "trn1"), 189, 189);
  check_near(machine().figure("activation_table_load_ns"), 1283, 1283);
}

TEST_CASE("activation_read_out_is_64_cycles") {
  const Instruction plain = activation(sbuf(T::F32, 128, 512), Function::Exp);
  const Instruction with_sum =
      make(Opcode::ActivationReduce,
           {sbuf(T::F32, 128, 512), sbuf(T::F32, 128, 1, 4096), sbuf(T::F32, 128, 512), immediate(1), immediate(0)},
           {number(Function::Exp)}, Engine::Scalar);
  CHECK(issue(with_sum) - issue(plain) == doctest::Approx(64 / 1.2));
}

TEST_CASE("vector_copy_and_scalar") {
  check_near(total(copy(sbuf(T::F32, 128, 512), psum(T::F32, 128, 512), Engine::Vector)), 512 / 0.96 + 150,
             512 / 0.96 + 150);
  // PSUM with a pointer operand N/0.96 + 215; SBUF fp32 N/1.92 + 213.
  check_near(total(tensor_scalar(sbuf(T::F32, 128, 512), psum(T::F32, 128, 512), sbuf(T::F32, 128, 1, 8192))),
             512 / 0.96 + 215, 512 / 0.96 + 215);
  check_near(total(tensor_scalar(sbuf(T::F32, 128, 512), sbuf(T::F32, 128, 512), immediate(2))), 512 / 1.92 + 213,
             512 / 1.92 + 213);
}

TEST_CASE("vector_fast_modes") {
  const auto vector = [](Operand to, Operand from, const char* name = "trn2") {
    return issue(copy(to, from, Engine::Vector), name);
  };
  const Operand narrow = sbuf(T::BF16, 128, 1024);
  Operand strided = narrow;
  strided.dims[0].stride = 4;
  Operand from_psum = psum(T::BF16, 128, 1024);
  CHECK(vector(narrow, narrow) == doctest::Approx(1024 / 4 / 0.96));
  CHECK(vector(narrow, strided) == doctest::Approx(1024 / 2 / 0.96));
  CHECK(vector(narrow, from_psum) == doctest::Approx(1024 / 2 / 0.96));
  CHECK(vector(sbuf(T::F32, 128, 1024), sbuf(T::F32, 128, 1024)) == doctest::Approx(1024 / 2 / 0.96));
  CHECK(vector(narrow, narrow, "trn1") == doctest::Approx(1024 / 1.12));
  const Operand eight = sbuf(T::F8E4M3, 128, 1024);
  CHECK(vector(eight, eight) == doctest::Approx(1024 / 2 / 0.96));
  CHECK(vector(eight, eight, "trn3") == doctest::Approx(1024 / 4 / 1.2));
}

TEST_CASE("tensor_tensor_counts_its_ports") {
  const auto add = [](Operand to, Operand a, Operand b) {
    return issue(make(Opcode::TensorTensor, {to, a, b}, {number(AluOp::Add)}, Engine::Vector));
  };
  const Operand f32 = sbuf(T::F32, 128, 512), bf16 = sbuf(T::BF16, 128, 512);
  CHECK(add(f32, f32, f32) == doctest::Approx(2 * 512 / 0.96));
  CHECK(add(f32, psum(T::F32, 128, 512), f32) == doctest::Approx(512 / 0.96));
  CHECK(add(bf16, bf16, bf16) == doctest::Approx(512 / 0.96));
}

TEST_CASE("tensor_reduce_and_reciprocal") {
  check_near(total(reduce(512)), 512 / 0.96 + 145, 512 / 0.96 + 145);
  check_near(total(reduce(1)), 148, 169);
  check_near(total(reduce(20)), 148, 169);
  const auto reciprocal = [](int n) {
    return total(make(Opcode::Reciprocal, {sbuf(T::F32, 128, n), sbuf(T::F32, 128, n)}, {}, Engine::Vector));
  };
  check_near(reciprocal(4), 178, 178);
  check_near(reciprocal(8), 202, 202);
}

TEST_CASE("gpsimd_iota_is_150_cycles_and_its_elements") {
  CHECK(issue(make(Opcode::Iota, {sbuf(T::I32, 128, 512), pattern({{1, 512}})}, {}, Engine::GpSimd)) ==
        doctest::Approx(662 / 1.2));
}

TEST_CASE("memset_of_16_bit_zeros_runs_twice_as_fast") {
  const auto memset = [](T type, double value) {
    return issue(make(Opcode::Memset, {sbuf(type, 128, 512), immediate(value)}, {}, Engine::Vector));
  };
  CHECK(memset(T::BF16, 0) == doctest::Approx(256 / 0.96));
  CHECK(memset(T::BF16, 1) == doctest::Approx(512 / 0.96));
  CHECK(memset(T::F32, 0) == doctest::Approx(512 / 0.96));
}

TEST_CASE("small_instructions") {
  const auto end = [](Engine engine) { return issue(make(Opcode::LoopEnd, {}, {}, engine)); };
  check_near(end(Engine::PE), 52, 52);
  check_near(end(Engine::Scalar), 40, 40);
  check_near(end(Engine::Vector), 23, 23);
  check_near(end(Engine::GpSimd), 17, 19);
  check_near(issue(make(Opcode::RegisterLoad, {in_register(0), hbm(T::I32, 1, 1)}, {}, Engine::PE)), 500, 1200);
  check_near(machine().figure("semaphore_hop_ns"), 33, 39);
  check_near(machine().figure("semaphore_hop_to_pe_ns"), 40, 51);
  check_near(machine().figure("dma_issue_ns"), 517, 612);
  check_near(machine().figure("launch_before_ns"), 13000, 17000);
  check_near(machine().figure("launch_after_ns"), 5000, 5000);
}

TEST_CASE("dma_packets_on_one_engine") {
  // One packet: HBM row to one partition.
  const auto packet = [](std::int64_t bytes) { return issue(dma(sbuf(T::U8, 1, bytes), hbm(T::U8, 1, bytes))); };
  check_near(packet(4096), 156, 158);
  check_near(packet(2048), 81, 83);
  check_near(packet(512), 24, 27);
  check_near(packet(256), 15, 17);
  check_near(packet(4), 7, 9);
  // 256-byte writes to HBM with a cast from fp32 to bf16: about 40 ns.
  check_near(issue(dma(hbm(T::BF16, 1, 64), sbuf(T::F32, 1, 64))), 40, 40);
}

TEST_CASE("dma_transfer_spreads_over_the_engines") {
  const Instruction load = dma(sbuf(T::F32, 128, 512), hbm(T::F32, 128, 512));
  const DmaPackets packets = dma_packets(load, machine());
  CHECK(packets.count == 128);
  CHECK(packets.bytes == 2048);
  CHECK(issue(load) == doctest::Approx(128 * (7 + 2048 / 27.2) / 16));
  check_near(cost(load, machine()).latency_ns, 1200, 2000);
  // Large transfers approach 16 engines x 27.2 B/ns = 435 B/ns.
  const Instruction big = dma(sbuf(T::F32, 128, 16384), hbm(T::F32, 128, 16384));
  CHECK(128.0 * 65536 / issue(big) > 400);
  CHECK(128.0 * 65536 / issue(big) < 436);
  // Four-byte elements: one packet each.
  Operand column = hbm(T::F32, 128, 512);
  column.dims[0].stride = 4096;
  column.partition_stride = 4;
  CHECK(dma_packets(dma(sbuf(T::F32, 128, 512), column), machine()).count == 128 * 512);
  // Contiguous rows of HBM join, and are cut at the longest packet.
  CHECK(dma_packets(dma(hbm(T::F32, 128, 512), hbm(T::F32, 128, 512)), machine()).count == 64);
}

TEST_CASE("every_instruction_has_a_price_on_every_machine") {
  for (const char* name : {"trn1", "trn2", "trn3", "odd", "tiny"}) {
    const Operand t = sbuf(T::F32, 32, 16);
    const std::initializer_list<Instruction> all = {matmul(T::BF16, 32, 16),
                                                    matmul(T::F32, 32, 16),
                                                    transpose(T::F32, 32, 16),
                                                    transpose(T::BF16, 32, 16),
                                                    reduce(8),
                                                    make(Opcode::LoadStationary, {t}),
                                                    make(Opcode::Memset, {t, immediate(0)}),
                                                    make(Opcode::Copy, {t, t}),
                                                    make(Opcode::TensorTensor, {t, t, t}, {number(AluOp::Add)}),
                                                    make(Opcode::Divide, {t, t, t}),
                                                    make(Opcode::Remainder, {t, t, t}),
                                                    activation(t, Function::Floor),
                                                    activation(t, Function::Expm1),
                                                    make(Opcode::Select, {t, sbuf(T::I1, 32, 16), t, t}),
                                                    make(Opcode::SelectReduce, {t, sbuf(T::F32, 32, 1), sbuf(T::I1, 32, 16), t, t}),
                                                    make(Opcode::Reciprocal, {t, t}),
                                                    activation(t, Function::Tanh),
                                                    make(Opcode::Iota, {t, pattern({{1, 16}})}),
                                                    dma(t, hbm(T::F32, 32, 16)),
                                                    make(Opcode::LoopBegin, {immediate(3, T::I32)})};
    for (Instruction i : all)
      for (Engine engine :
           {Engine::Any, Engine::PE, Engine::Vector, Engine::Scalar, Engine::GpSimd, Engine::Sync, Engine::Dma}) {
        i.engine = engine;
        if (!engine_allowed(row(i.opcode), engine)) continue;
        CAPTURE(opcode_name(i.opcode));
        CAPTURE(engine_name(engine));
        CHECK(issue(i, name) > 0);
        CHECK(issue(i, name) < 1e6);
      }
  }
}

TEST_CASE("rows_added_by_dma_are_read_as_well") {
  Operand rows = hbm(T::F32, 128, 512);
  rows.partition_stride = 0;
  rows.indirect_stride = 2048;
  rows.indirect_limit = 1000;
  const Operand offsets = sbuf(T::I32, 128, 1);
  const Instruction add = make(Opcode::DmaCompute, {rows, sbuf(T::F32, 128, 512), offsets}, {1}, Engine::Dma);
  const Instruction write = make(Opcode::Dma, {rows, sbuf(T::F32, 128, 512), offsets}, {2, 1}, Engine::Dma);
  CHECK(issue(add) == doctest::Approx(2 * issue(write)));
  CHECK(issue(write) == doctest::Approx(128 * (7 + 2048 / 27.2) / 16));
}

TEST_CASE("eight_largest_cost_a_pass_and_sorts_one_for_each_doubling") {
  const Instruction max8 = make(Opcode::Max8, {sbuf(T::F32, 128, 8), sbuf(T::F32, 128, 4096)}, {}, Engine::Vector);
  CHECK(issue(max8) == doctest::Approx(issue(reduce(4096))));
  const auto sort = [](int n) {
    return make(Opcode::Sort, {sbuf(T::F32, 128, n), Operand(), sbuf(T::F32, 128, n), Operand()}, {0, 0}, Engine::GpSimd);
  };
  const double cycle = 1e9 / machine().gpsimd_clock_hz;
  CHECK(issue(sort(2048)) - issue(sort(1024)) == doctest::Approx((2048 * 11 - 1024 * 10) * cycle));
}
