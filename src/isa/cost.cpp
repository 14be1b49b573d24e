// Which row of the machine's [costs] prices an instruction. The rules are those of docs/machine.md, section "Costs".
#include <algorithm>
#include <array>
#include <cmath>

#include "isa/table.h"

namespace openneuron::isa {
namespace {

using Elements = std::int64_t;

// The engine whose clock and rows count.
Engine engine_of(const Instruction& instruction) {
  if (instruction.engine != Engine::Any) return instruction.engine;
  for (Engine e : {Engine::PE, Engine::Vector, Engine::Scalar, Engine::GpSimd, Engine::Sync, Engine::Dma})
    if (engine_allowed(row(instruction.opcode), e)) return e;
  return Engine::Sync;
}

class Pricing {
 public:
  Pricing(const Instruction& instruction, const Machine& machine)
      : instruction_(instruction), machine_(machine), engine_(engine_of(instruction)) {}

  Cost pe_load() const {
    Cost cost = price(wide(0) ? "pe_load_32" : "pe_load_16", at(0).free_count());
    cost.background = true;
    return cost;
  }
  // C226: max(min(64, M), N): a small stationary tile lowers the floor.
  Cost pe_matmul() const {
    return pe(wide(1) ? "pe_matmul_32" : "pe_matmul_16", at(1).free_count(), at(0).partition_count);
  }
  // The source is held and an identity of its P columns streams.
  Cost pe_transpose() const {
    return pe(wide(1) ? "pe_transpose_32" : "pe_transpose_16", at(1).partition_count, at(1).free_count());
  }

  Cost memset() const {
    const bool zero = at(1).kind == OperandKind::Immediate && at(1).immediate == 0;
    const bool half = at(0).type == ElementType::BF16 || at(0).type == ElementType::F16;
    return price(
        std::string(engine_ == Engine::GpSimd ? "gpsimd" : "vector") + (zero && half ? "_memset_zero_16" : "_memset"),
        elements());
  }
  Cost copy() const {
    if (engine_ == Engine::GpSimd) return price("gpsimd_copy", elements());
    if (engine_ == Engine::Scalar) return price(narrow(2) ? "scalar_copy_fast2" : "scalar_copy", elements());
    return price("vector_copy" + fast_mode(), elements());
  }
  Cost tensor_scalar() const {
    if (engine_ == Engine::GpSimd) return price("gpsimd_scalar", elements());
    if (engine_ == Engine::Scalar) return activation();
    return price("vector_scalar" + fast_mode(), elements());
  }
  Cost tensor_tensor() const {
    if (engine_ == Engine::GpSimd) return price("gpsimd_tensor", elements());
    if (reads_psum()) return price("vector_tensor_psum", elements());
    return price(all_narrow() ? "vector_tensor_fast2" : "vector_tensor", elements());
  }
  Cost tensor_reduce() const {
    const bool bf16 = at(0).type == ElementType::BF16 && at(1).type == ElementType::BF16;
    const bool simple = instruction_.alu(0) == AluOp::Add || instruction_.alu(0) == AluOp::Max;
    return price(bf16 && simple ? "vector_reduce_fast2" : "vector_reduce", at(1).free_count());
  }
  Cost activation() const {
    if (instruction_.opcode != Opcode::TensorScalar && instruction_.function() == Function::Copy)
      return price("scalar_copy", elements());
    Cost cost = price(reads_psum() ? "scalar_activation_psum" : "scalar_activation_sbuf", elements());
    if (instruction_.opcode != Opcode::TensorScalar) cost.issue_ns *= function_passes(instruction_.function());
    return cost;
  }
  Cost activation_reduce() const {
    Cost cost = activation();
    cost.issue_ns += price("scalar_reduce_readout", 1).issue_ns;
    return cost;
  }
  Cost reciprocal() const { return price("vector_reciprocal", elements()); }
  // Reciprocal of the divisors, each once, then multiply; by one divisor a partition that is a TensorScalar.
  Cost divide() const {
    Elements divisors = 1;
    for (const Dim& d : at(2).dims)
      if (d.stride != 0) divisors *= d.count;
    return after(price("vector_reciprocal", divisors), divisors == 1 ? price("vector_scalar" + fast_mode(), elements()) : tensor_tensor());
  }
  // select_reduce without its maximum: floats, and one side is one value a partition. Else a copy of one side, then a
  // predicated copy of the other.
  Cost select() const {
    if (selects_one_value(2) && is_float(at(0).type)) return price("vector_select", elements());
    return two_copies();
  }
  Cost select_reduce() const {
    if (selects_one_value(3)) return price("vector_select", elements());
    return after(two_copies(), price("vector_reduce", elements()));
  }
  bool selects_one_value(std::size_t side) const { return is_one_value(at(side)) || is_one_value(at(side + 1)); }
  Cost two_copies() const {
    return after(price(reads_psum() ? "vector_copy" : "vector_copy_fast2", elements()),
                 price(reads_psum() ? "vector_predicated_psum" : "vector_predicated", elements()));
  }
  Cost iota() const { return price("gpsimd_iota", elements()); }

  Cost dma() const {
    const DmaPackets packets = dma_packets(instruction_, machine_);
    double packet = figure("dma_packet_ns") + static_cast<double>(packets.bytes) / figure("dma_engine_bytes_per_ns");
    if (at(0).type != at(1).type) packet *= figure("dma_cast_factor");
    const double engines = static_cast<double>(std::min<Elements>(machine_.dma_engines, packets.count));
    return {packet * static_cast<double>(packets.count) / std::max(engines, 1.0), figure("dma_fixed_ns"), false};
  }

  // Assumed: long division, two bits of the quotient at a time, for quotients of up to 24 bits.
  Cost remainder() const { return price("gpsimd_routine", 12 * elements()); }
  // Rows are read where they are to be added as well.
  Cost dma_compute() const {
    const Cost once = dma();
    return {2 * once.issue_ns, once.latency_ns, false};
  }
  Cost eight() const { return price("vector_reduce", at(1).free_count()); }
  // A merge sort goes over the row once for each doubling.
  Cost sort() const {
    const Elements n = at(2).free_count();
    Elements passes = 1;
    while ((Elements{1} << passes) < n) ++passes;
    Cost cost = price("gpsimd_routine", n * passes);
    for (const Operand& o : instruction_.operands)
      if (o.kind == OperandKind::Memory && is_hbm(o.space))
        cost.issue_ns += static_cast<double>(o.partition_count * n * byte_width(o.type)) / figure("hbm_bytes_per_ns");
    return cost;
  }

  // A mesh reaches every member in one hop; above 1 MB a group halves or doubles its data step by step (COL). Reducing is a
  // scatter and a gather. The bytes that a core sends keep its link busy.
  Cost collective() const {
    constexpr double kMeshBytes = 1 << 20;
    const auto kind = static_cast<CollectiveKind>(instruction_.params[0]);
    const double members = static_cast<double>(at(2).free_count());
    const double bytes = static_cast<double>(std::max(at(0).free_count(), at(1).free_count()) * byte_width(at(0).type));
    const bool one_way = kind == CollectiveKind::Permute || kind == CollectiveKind::Broadcast;
    const double phases = kind == CollectiveKind::AllReduce ? 2 : 1;
    const double sent = one_way ? bytes : phases * bytes * (members - 1) / members;
    const double hops = one_way || bytes < kMeshBytes ? phases : phases * std::ceil(std::log2(std::max(members, 2.0)));
    return {sequencer().issue_ns + sent / figure("link_bytes_per_ns"), hops * figure("collective_hop_ns"), false};
  }

  Cost register_load() const { return {figure("register_load_ns"), 0, false}; }
  Cost barrier() const { return {figure("barrier_ns"), 0, false}; }
  Cost sequencer() const {
    constexpr std::array<const char*, 6> kKeys = {"overhead_pe_ns",     "overhead_vector_ns", "overhead_scalar_ns",
                                                  "overhead_gpsimd_ns", "overhead_sync_ns",   "overhead_dma_ns"};
    return {figure(kKeys[static_cast<std::size_t>(engine_)]), 0, false};
  }

 private:
  const Operand& at(std::size_t i) const { return instruction_.operands[i]; }
  Elements elements() const { return at(0).free_count(); }
  bool wide(std::size_t i) const { return bit_width(at(i).type) == 32; }
  double figure(const char* key) const { return machine_.figure(key); }

  double clock() const {
    switch (engine_) {
      case Engine::PE: return machine_.pe_clock_hz;
      case Engine::Vector: return machine_.vector_clock_hz;
      case Engine::Scalar: return machine_.scalar_clock_hz;
      case Engine::GpSimd: return machine_.gpsimd_clock_hz;
      default: return machine_.sync_clock_hz;
    }
  }
  Cost cycles(double count, double latency_ns) const { return {count * 1e9 / clock(), latency_ns, false}; }
  CostRow find(const std::string& key) const {
    const auto at = machine_.costs.find(key);
    return at == machine_.costs.end() ? CostRow() : at->second;
  }
  Cost price(const std::string& key, Elements n) const {
    const CostRow row = find(key);
    return cycles(std::max(row.floor_cycles, static_cast<double>(n) / row.elements_per_cycle) + row.fixed_cycles,
                  row.latency_ns);
  }
  // The floor holds for tiles of at least its elements; `held` elements of the held operand lower it.
  Cost pe(const std::string& key, Elements n, Elements held) const {
    const CostRow row = find(key);
    const double floor = std::min(row.floor_cycles, static_cast<double>(held) / row.elements_per_cycle);
    return cycles(std::max(floor, static_cast<double>(n) / row.elements_per_cycle) + row.fixed_cycles, row.latency_ns);
  }
  static Cost after(const Cost& first, const Cost& second) {
    return {first.issue_ns + second.issue_ns, second.latency_ns, false};
  }

  static bool is_one_value(const Operand& o) {
    for (const Dim& d : o.dims)
      if (d.stride != 0 && d.count > 1) return false;
    return true;
  }
  bool reads_psum() const {
    for (std::size_t i = 1; i < instruction_.operands.size(); ++i)
      if (operand_field(row(instruction_.opcode), i).kind == FieldKind::Access && at(i).space == Space::Psum)
        return true;
    return false;
  }
  bool is_narrow(ElementType type) const {
    if (type == ElementType::BF16 || type == ElementType::F16) return true;
    return bit_width(type) == 8 && is_float(type) && figure("vector_fast_fp8") != 0;
  }
  // The first `count` operands are 16-bit floats (from NC-v4 on fp8 too).
  bool narrow(std::size_t count) const {
    for (std::size_t i = 0; i < count; ++i)
      if (!is_narrow(at(i).type)) return false;
    return true;
  }
  bool all_narrow() const {
    for (const Operand& o : instruction_.operands)
      if (o.kind == OperandKind::Memory && (!is_narrow(o.type) || o.space == Space::Psum)) return false;
    return true;
  }
  static bool contiguous(const Operand& o) {
    const auto dims = canonical_dims(o);
    return dims.empty() || dims.back().stride == byte_width(o.type);
  }
  // Vector's fast modes for one input and one output (A2): 4x for 16-bit floats in SBUF, innermost contiguous; 2x for
  // the same strided or with one side in PSUM, and for other types in SBUF.
  std::string fast_mode() const {
    const bool psum = at(0).space == Space::Psum || at(1).space == Space::Psum;
    if (!narrow(2)) return psum ? "" : "_fast2";
    return !psum && contiguous(at(0)) && contiguous(at(1)) ? "_fast4" : "_fast2";
  }

  const Instruction& instruction_;
  const Machine& machine_;
  Engine engine_;
};

struct Rule {
  std::string_view cost_class;
  Cost (Pricing::*price)() const;
};
constexpr std::array kRules = {
    Rule{"PeLoad", &Pricing::pe_load},
    Rule{"PeMatmul", &Pricing::pe_matmul},
    Rule{"PeTranspose", &Pricing::pe_transpose},
    Rule{"Memset", &Pricing::memset},
    Rule{"Copy", &Pricing::copy},
    Rule{"TensorTensor", &Pricing::tensor_tensor},
    Rule{"TensorScalar", &Pricing::tensor_scalar},
    Rule{"TensorReduce", &Pricing::tensor_reduce},
    Rule{"Activation", &Pricing::activation},
    Rule{"ActivationReduce", &Pricing::activation_reduce},
    Rule{"Reciprocal", &Pricing::reciprocal},
    Rule{"Divide", &Pricing::divide},
    Rule{"Select", &Pricing::select},
    Rule{"SelectReduce", &Pricing::select_reduce},
    Rule{"Iota", &Pricing::iota},
    Rule{"Dma", &Pricing::dma},
    Rule{"DmaCompute", &Pricing::dma_compute},
    Rule{"Max8", &Pricing::eight},
    Rule{"FindIndex8", &Pricing::eight},
    Rule{"Sort", &Pricing::sort},
    Rule{"Remainder", &Pricing::remainder},
    Rule{"Sequencer", &Pricing::sequencer},
    Rule{"Branch", &Pricing::sequencer},
    Rule{"RegisterLoad", &Pricing::register_load},
    Rule{"Barrier", &Pricing::barrier},
    Rule{"Collective", &Pricing::collective},
};

// Elements that lie one after the other. Rows of HBM may go on into each other; partitions of SBUF do not.
std::int64_t run_elements(const Operand& o, bool indirect) {
  const std::int64_t width = byte_width(o.type);
  const auto dims = canonical_dims(o);
  const std::int64_t row = dims.empty() ? 1 : dims.back().stride == width ? dims.back().count : 1;
  const bool whole_row = row == o.free_count();
  if (is_hbm(o.space) && !indirect && whole_row && o.partition_stride == row * width) return row * o.partition_count;
  return row;
}

}  // namespace

DmaPackets dma_packets(const Instruction& instruction, const Machine& machine) {
  const Operand& to = instruction.operands[0];
  const Operand& from = instruction.operands[1];
  const std::int64_t run =
      std::min(run_elements(to, indirect_operand(instruction) == 0), run_elements(from, indirect_operand(instruction) == 1));
  const std::int64_t width = std::max(byte_width(to.type), byte_width(from.type));
  const std::int64_t total = to.partition_count * to.free_count();
  const auto longest = std::max<std::int64_t>(static_cast<std::int64_t>(machine.figure("dma_packet_bytes_max")), width);
  const std::int64_t runs = (total + run - 1) / run, pieces = (run * width + longest - 1) / longest;
  return {runs * pieces, (run * width + pieces - 1) / pieces};
}

Work work(const Instruction& in) {
  Work out;
  if (in.opcode == Opcode::Matmul && in.operands.size() >= 2)
    out.flops = 2.0 * in.operands[1].partition_count * in.operands[0].partition_count *
                static_cast<double>(in.operands[1].free_count());
  if (row(in.opcode).engines != E_DMA && in.opcode != Opcode::RegisterLoad && in.opcode != Opcode::Sort &&
      in.opcode != Opcode::Collective)
    return out;
  for (std::size_t o = 0; o < in.operands.size(); ++o) {
    const Operand& operand = in.operands[o];
    if (operand.kind != OperandKind::Memory || !is_hbm(operand.space)) continue;
    const auto bytes =
        static_cast<std::uint64_t>(operand.partition_count * operand.free_count() * byte_width(operand.type));
    const Use use = operand_field(row(in.opcode), o).use;
    if (use != Use::Writes) out.hbm_read_bytes += bytes;
    if (use != Use::Reads) out.hbm_written_bytes += bytes;
  }
  return out;
}

int activation_table(Function function) {
  switch (function) {
    case Function::Copy:
    case Function::Square:
    case Function::Abs:
    case Function::Sign:
    case Function::Relu:
    case Function::Floor:
    case Function::Ceil:
    case Function::Trunc:
    case Function::Round: return 0;
    case Function::Cos:
    case Function::Tan: return static_cast<int>(Function::Sin);
    case Function::Log1p: return static_cast<int>(Function::Log);
    case Function::Expm1: return static_cast<int>(Function::Exp);
    default: return static_cast<int>(function);
  }
}

int function_passes(Function function) {
  switch (function) {
    case Function::Round: return 2;  // magnitude + 2^23 - 2^23; the sign back
    case Function::Trunc: return 3;  // round, compare, subtract
    case Function::Floor:
    case Function::Ceil: return 3;
    case Function::Cos: return 2;    // range reduction, sin with a bias of pi/2
    case Function::Tan: return 5;    // range reduction, sin, cos, reciprocal, product
    case Function::Log1p: return 5;  // u = 1 + x, log u, u - 1, x / (u - 1), product
    case Function::Expm1: return 5;  // half-angle: tanh(x/2), exp, 1 + exp, product, small x
    default: return 1;
  }
}

Cost cost(const Instruction& instruction, const Machine& machine) {
  const Pricing pricing(instruction, machine);
  for (const Rule& rule : kRules)
    if (rule.cost_class == row(instruction.opcode).cost_class) return (pricing.*rule.price)();
  return pricing.sequencer();
}

}  // namespace openneuron::isa
