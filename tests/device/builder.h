// Hand-built programs: a few lines per instruction, one stream per engine, order numbers and semaphores by hand or
// dealt out.
#pragma once
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "device/device.h"
#include "isa/code.h"

namespace device_test {

using namespace openneuron;
using isa::AluOp;
using isa::Engine;
using isa::Opcode;

inline isa::Operand chip(isa::Space space, ElementType type, int partitions, std::int64_t start,
                         std::vector<isa::Dim> dims, int partition_start = 0) {
  isa::Operand o;
  o.kind = isa::OperandKind::Memory;
  o.space = space;
  o.type = type;
  o.partition_count = static_cast<std::uint16_t>(partitions);
  o.partition_start = static_cast<std::uint16_t>(partition_start);
  o.start = start;
  for (const isa::Dim& d : dims) o.dims.push_back(d);
  return o;
}
/// [partitions, n] contiguous at byte `start`.
inline isa::Operand sbuf(ElementType type, int partitions, std::int64_t start, std::int64_t n,
                         int partition_start = 0) {
  return chip(isa::Space::Sbuf, type, partitions, start, {{byte_width(type), n}}, partition_start);
}
inline isa::Operand psum(ElementType type, int partitions, std::int64_t start, std::int64_t n,
                         int partition_start = 0) {
  return chip(isa::Space::Psum, type, partitions, start, {{byte_width(type), n}}, partition_start);
}
/// [rows, n] of an HBM variable whose rows are `pitch` bytes apart.
inline isa::Operand hbm(std::uint32_t variable, ElementType type, int rows, std::int64_t start, std::int64_t pitch,
                        std::vector<isa::Dim> dims) {
  isa::Operand o;
  o.kind = isa::OperandKind::Memory;
  o.space = isa::Space::PrivateHbm;
  o.type = type;
  o.partition_count = static_cast<std::uint16_t>(rows);
  o.partition_stride = pitch;
  o.start = start;
  o.buffer = BufferId(variable);
  for (const isa::Dim& d : dims) o.dims.push_back(d);
  return o;
}
inline isa::Operand hbm(std::uint32_t variable, ElementType type, int rows, std::int64_t n) {
  return hbm(variable, type, rows, 0, n * byte_width(type), {{byte_width(type), n}});
}
inline isa::Operand number(double value, ElementType type = ElementType::F32) {
  isa::Operand o;
  o.kind = isa::OperandKind::Immediate;
  o.type = type;
  o.immediate = value;
  return o;
}
inline isa::Operand reg(int index) {
  isa::Operand o;
  o.kind = isa::OperandKind::Register;
  o.type = ElementType::I32;
  o.reg = static_cast<std::int16_t>(index);
  return o;
}
inline isa::Operand none() { return {}; }

/// One core; every instruction goes to the stream of its engine (Dma: of its queue) in program order.
class Builder {
 public:
  isa::Code code;

  explicit Builder(std::size_t cores = 1) {
    code.name = "test";
    code.target = "trn2";
    code.cores.resize(cores);
    code.locations = {"", "test.py:1:1 (here)"};
    orders_.resize(cores, 0);
  }

  std::uint32_t variable(const std::string& name, isa::VariableKind kind, ElementType type,
                         std::vector<std::int64_t> shape, isa::Space space = isa::Space::PrivateHbm) {
    isa::Variable v;
    v.name = name;
    v.kind = kind;
    v.type = type;
    v.space = space;
    v.shape = shape;
    v.bytes = byte_width(type);
    for (std::int64_t d : shape) v.bytes *= d;
    code.variables.push_back(v);
    return static_cast<std::uint32_t>(code.variables.size() - 1);
  }

  isa::Stream& stream(Engine engine, int queue = 0, std::size_t core = 0) {
    for (isa::Stream& s : code.cores[core].streams)
      if (s.engine == engine && s.queue == queue) return s;
    isa::Stream s;
    s.engine = engine;
    s.queue = static_cast<std::uint8_t>(queue);
    s.semaphore = static_cast<std::uint16_t>(code.cores[core].streams.size());
    code.cores[core].streams.push_back(s);
    return code.cores[core].streams.back();
  }

  isa::Instruction& add(Opcode opcode, Engine engine, std::vector<isa::Operand> operands,
                        std::vector<std::int32_t> params = {}, int queue = 0, std::size_t core = 0) {
    return insert(opcode, engine, std::move(operands), std::move(params), queue, core, orders_[core]++);
  }
  /// A marker, in the streams named, under one order number.
  void marker(Opcode opcode, std::uint32_t loop, std::vector<Engine> engines, std::vector<isa::Operand> operands = {},
              std::vector<std::int32_t> params = {}, std::size_t core = 0) {
    const std::uint32_t order = orders_[core]++;
    for (Engine e : engines) insert(opcode, e, operands, params, 0, core, order).loop = LoopId(loop);
  }
  /// A register instruction in several streams under one order number.
  void replicated(Opcode opcode, std::vector<Engine> engines, std::vector<isa::Operand> operands,
                  std::size_t core = 0) {
    const std::uint32_t order = orders_[core]++;
    for (Engine e : engines) insert(opcode, e, operands, {}, 0, core, order);
  }

  isa::Instruction& dma(isa::Operand to, isa::Operand from, int queue = 0, std::size_t core = 0) {
    return add(Opcode::Dma, Engine::Dma, {to, from, none()}, {0, 0}, queue, core);
  }
  isa::Instruction& gather(isa::Operand to, isa::Operand from, isa::Operand offsets, bool skip) {
    return add(Opcode::Dma, Engine::Dma, {to, from, offsets}, {1, skip});
  }
  isa::Instruction& scatter(isa::Operand to, isa::Operand from, isa::Operand offsets, bool skip) {
    return add(Opcode::Dma, Engine::Dma, {to, from, offsets}, {2, skip});
  }
  isa::Instruction& tensor_tensor(isa::Operand to, isa::Operand a, isa::Operand b, AluOp op) {
    return add(Opcode::TensorTensor, Engine::Vector, {to, a, b}, {static_cast<int>(op)});
  }
  isa::Instruction& tensor_scalar(isa::Operand to, isa::Operand data, isa::Operand v0, AluOp op0, bool reverse0 = false,
                                  isa::Operand v1 = number(0), AluOp op1 = AluOp::Bypass, bool reverse1 = false) {
    return add(Opcode::TensorScalar, Engine::Vector, {to, data, v0, v1},
               {static_cast<int>(op0), reverse0, static_cast<int>(op1), reverse1});
  }
  isa::Instruction& activation(isa::Operand to, isa::Operand data, isa::Function f, isa::Operand scale = number(1),
                               isa::Operand bias = number(0)) {
    return add(Opcode::Activation, Engine::Scalar, {to, data, scale, bias}, {static_cast<int>(f)});
  }
  isa::Instruction& copy(isa::Operand to, isa::Operand from) { return add(Opcode::Copy, Engine::Vector, {to, from}); }

  std::uint32_t next_order(std::size_t core = 0) { return orders_[core]++; }

  /// Gives every instruction a signal and a wait for the one before it in program order, whatever the stream: right and
  /// slow. For programs without regions.
  void serialise(std::size_t core = 0) {
    std::vector<std::pair<std::uint32_t, std::pair<std::size_t, std::size_t>>> all;
    auto& streams = code.cores[core].streams;
    for (std::size_t s = 0; s < streams.size(); ++s)
      for (std::size_t i = 0; i < streams[s].instructions.size(); ++i)
        all.push_back({streams[s].instructions.open()[i].order, {s, i}});
    std::sort(all.begin(), all.end());
    std::vector<int> signalled(streams.size(), 0);
    for (std::size_t n = 0; n < all.size(); ++n) {
      const auto [s, i] = all[n].second;
      if (n > 0) {
        const auto [t, j] = all[n - 1].second;
        if (t != s) streams[s].instructions.open()[i].waits.push_back({streams[t].semaphore, signalled[t]});
      }
      streams[s].instructions.open()[i].signal = true;
      ++signalled[s];
    }
  }

 private:
  isa::Instruction& insert(Opcode opcode, Engine engine, std::vector<isa::Operand> operands,
                           std::vector<std::int32_t> params, int queue, std::size_t core, std::uint32_t order) {
    isa::Instruction i;
    i.opcode = opcode;
    i.engine = engine;
    i.queue = static_cast<std::uint8_t>(queue);
    i.order = order;
    i.location = 1;
    for (isa::Operand& o : operands) i.operands.push_back(o);
    for (std::int32_t p : params) i.params.push_back(p);
    auto& list = stream(engine, queue, core).instructions.open();
    list.push_back(i);
    return list.back();
  }
  std::vector<std::uint32_t> orders_;
};

inline std::shared_ptr<const Machine> machine(const std::string& name = "trn2") {
  auto loaded = load_machine(name);
  return loaded ? *loaded : nullptr;
}

/// Host arrays by variable: Input and Output memory of a run.
struct Arrays {
  std::vector<std::vector<std::byte>> bytes;
  std::vector<std::byte*> pointers;

  explicit Arrays(const isa::Code& code) {
    bytes.resize(code.variables.size());
    for (std::size_t v = 0; v < bytes.size(); ++v) {
      const bool given =
          code.variables[v].kind == isa::VariableKind::Input || code.variables[v].kind == isa::VariableKind::Output;
      if (given) bytes[v].resize(static_cast<std::size_t>(code.variables[v].bytes));
      pointers.push_back(given ? bytes[v].data() : nullptr);
    }
  }
  template <class T>
  void set(std::uint32_t v, const std::vector<T>& values) {
    if (!bytes[v].empty())
      std::memcpy(bytes[v].data(), values.data(), std::min(bytes[v].size(), values.size() * sizeof(T)));
  }
  template <class T>
  std::vector<T> get(std::uint32_t v) const {
    std::vector<T> out(bytes[v].size() / sizeof(T));
    if (!out.empty()) std::memcpy(out.data(), bytes[v].data(), out.size() * sizeof(T));
    return out;
  }
};

/// "" or the diagnostic's code.
inline std::string run(const isa::Code& code, Arrays& arrays, device::Options options = {},
                       const std::string& target = "trn2") {
  auto model = device::Model::load(code, machine(target), options);
  if (!model) return code_text(model.diagnostic().code) + (" " + format_diagnostic(model.diagnostic()));
  auto ran = (*model)->run(arrays.pointers);
  return ran ? "" : code_text(ran.diagnostic().code) + (" " + format_diagnostic(ran.diagnostic()));
}
inline std::string run_checked(const isa::Code& code, Arrays& arrays, std::uint64_t seed,
                               const std::string& target = "trn2") {
  auto model = device::Model::load(code, machine(target), {});
  if (!model) return code_text(model.diagnostic().code) + (" " + format_diagnostic(model.diagnostic()));
  auto ran = (*model)->run_checked(arrays.pointers, seed);
  return ran ? "" : code_text(ran.diagnostic().code) + (" " + format_diagnostic(ran.diagnostic()));
}

}  // namespace device_test
