// Programs with random fields never crash the device: they run, or they are refused with a code.
#include <doctest/doctest.h>

#include <random>

#include "builder.h"
#include "device/device.h"

using namespace device_test;
using isa::VariableKind;

namespace {

constexpr ElementType F32 = ElementType::F32, I32 = ElementType::I32;

Builder sample() {
  Builder b;
  const auto x = b.variable("x", VariableKind::Input, F32, {64, 32});
  const auto index = b.variable("index", VariableKind::Input, I32, {8, 1});
  const auto y = b.variable("y", VariableKind::Output, F32, {64, 32});
  const auto c = b.variable("c", VariableKind::Constant, F32, {1, 16});
  static const float data[16] = {};
  b.code.variables[c].data = std::as_bytes(std::span(data));
  const auto tile = sbuf(F32, 64, 0, 32), other = sbuf(F32, 64, 128, 32);
  b.dma(tile, hbm(x, F32, 64, 32));
  b.dma(sbuf(I32, 8, 512, 1), hbm(index, I32, 8, 1));
  b.dma(sbuf(F32, 1, 768, 16), hbm(c, F32, 1, 16));
  b.marker(Opcode::LoopBegin, 0, {Engine::Vector, Engine::PE}, {number(3, I32)});
  auto moved = chip(isa::Space::Sbuf, F32, 64, 0, {{4, 8}});
  moved.terms.push_back({LoopId(0u), 0, 32});
  b.tensor_scalar(moved, moved, number(2), AluOp::Multiply, false, number(1), AluOp::Add);
  b.tensor_tensor(other, tile, tile, AluOp::Max);
  b.add(Opcode::LoadStationary, Engine::PE, {tile});
  b.add(Opcode::Matmul, Engine::PE, {psum(F32, 32, 0, 32), other}, {0});
  b.marker(Opcode::LoopEnd, 0, {Engine::Vector, Engine::PE});
  b.replicated(Opcode::RegisterLoad, {Engine::Vector}, {reg(1), sbuf(I32, 1, 512, 1)});
  b.marker(Opcode::CaseBegin, 1, {Engine::Vector}, {reg(1)}, {2});
  b.copy(sbuf(F32, 32, 256, 32), psum(F32, 32, 0, 32));
  b.marker(Opcode::CaseNext, 1, {Engine::Vector});
  b.add(Opcode::Memset, Engine::Vector, {sbuf(F32, 32, 256, 32), number(1)});
  b.marker(Opcode::CaseEnd, 1, {Engine::Vector});
  b.activation(other, tile, isa::Function::Exp, number(0.5), sbuf(F32, 64, 256, 1));
  b.add(Opcode::TensorReduce, Engine::Vector,
        {sbuf(F32, 64, 1024, 8), chip(isa::Space::Sbuf, F32, 64, 0, {{16, 8}, {4, 4}})}, {1, 1});
  auto rows = hbm(x, F32, 8, 32);
  rows.indirect_stride = 128;
  rows.indirect_limit = 64;
  b.gather(sbuf(F32, 8, 128, 32), rows, sbuf(I32, 8, 512, 1), true);
  b.dma(hbm(y, F32, 64, 32), other);
  return b;
}

}  // namespace

TEST_CASE("mutated_programs_run_or_are_refused") {
  std::mt19937_64 random(1234);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  const std::int64_t extremes[] = {0,
                                   1,
                                   -1,
                                   2,
                                   3,
                                   4,
                                   31,
                                   64,
                                   127,
                                   128,
                                   255,
                                   4096,
                                   65535,
                                   -4,
                                   1 << 20,
                                   std::int64_t{1} << 31,
                                   std::int64_t{1} << 46,
                                   -(std::int64_t{1} << 46),
                                   INT64_MAX,
                                   INT64_MIN};
  const auto value = [&] { return extremes[below(std::size(extremes))]; };
  int ran = 0, refused = 0;
  for (int round = 0; round < 4000; ++round) {
    Builder b = sample();
    for (std::uint64_t mutations = 1 + below(2); mutations > 0; --mutations) {
      auto& streams = b.code.cores[0].streams;
      auto& list = streams[below(streams.size())].instructions.open();
      if (list.empty()) continue;
      isa::Instruction& i = list[below(list.size())];
      switch (below(24)) {
        case 0: i.opcode = static_cast<Opcode>(below(40)); break;
        case 1: i.engine = static_cast<Engine>(below(8)); break;
        case 2: i.order = static_cast<std::uint32_t>(below(40)); break;
        case 3: i.loop = LoopId(static_cast<std::size_t>(below(3))); break;
        case 4:
          if (!i.params.empty()) i.params[below(i.params.size())] = static_cast<std::int32_t>(value());
          break;
        case 5: i.signal = !i.signal; break;
        case 6: i.waits.push_back({static_cast<std::uint16_t>(below(300)), static_cast<std::int32_t>(value())}); break;
        case 7:
          if (list.size() > 1) list.erase(list.begin() + static_cast<std::ptrdiff_t>(below(list.size())));
          break;
        case 8: b.code.variables[below(4)].bytes = value(); break;
        default: {
          if (i.operands.empty()) break;
          isa::Operand& o = i.operands[below(i.operands.size())];
          switch (below(16)) {
            case 0: o.kind = static_cast<isa::OperandKind>(below(6)); break;
            case 1: o.space = static_cast<isa::Space>(below(6)); break;
            case 2: o.type = static_cast<ElementType>(below(36)); break;
            case 3: o.reg = static_cast<std::int16_t>(value()); break;
            case 4: o.partition_start = static_cast<std::uint16_t>(value()); break;
            case 5: o.partition_count = static_cast<std::uint16_t>(value()); break;
            case 6: o.copies = static_cast<std::uint16_t>(value()); break;
            case 7: o.buffer = BufferId(static_cast<std::size_t>(below(6))); break;
            case 8: o.rotate_loop = LoopId(static_cast<std::size_t>(below(3))); break;
            case 9: o.start = value(); break;
            case 10: o.partition_stride = value(); break;
            case 11: o.reg_bytes = value(); break;
            case 12: o.rotate_bytes = value(); break;
            case 13:
              o.indirect_stride = value();
              o.indirect_limit = value();
              break;
            case 14:
              if (!o.dims.empty())
                (below(2) ? o.dims[below(o.dims.size())].stride : o.dims[below(o.dims.size())].count) = value();
              break;
            default:
              o.terms.push_back(
                  {LoopId(static_cast<std::size_t>(below(3))), static_cast<std::int32_t>(value()), value()});
          }
        }
      }
    }
    CAPTURE(round);
    for (int way = 0; way < 2; ++way) {
      bool sane = true;  // the caller gives as much memory as a variable says
      for (const auto& v : b.code.variables) sane = sane && v.bytes >= 0 && v.bytes <= (1 << 21);
      if (!sane) break;
      Arrays a(b.code);
      std::vector<std::int32_t> index = {1, 5, -3, 63, 64, 0, 70000, 7};
      a.set(1, index);
      device::Options options;
      options.step_limit = 20000;
      options.threads = way + 1;
      auto model = device::Model::load(b.code, machine(), options);
      if (!model) {
        ++refused;
        CHECK(std::string(code_text(model.diagnostic().code)).substr(0, 4) == "ON-E");
        break;
      }
      ++ran;
      (void)(way == 0 ? (*model)->run(a.pointers)
                      : (*model)->run_checked(a.pointers, static_cast<std::uint64_t>(round)));
      if (way == 0) (void)device::estimate(b.code, *machine());
    }
  }
  CHECK(ran > 100);
  CHECK(refused > 100);
  MESSAGE("ran " << ran << ", refused " << refused);
}
