#include <doctest/doctest.h>

#include <random>

#include "isa/build.h"

using namespace openneuron;
using namespace openneuron::isa;
using T = ElementType;

namespace {

class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  std::int64_t up_to(std::int64_t high) {
    return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high + 1));
  }
  bool coin() { return engine_() & 1; }
  // Small, negative and extreme numbers alike.
  std::int64_t number() {
    switch (up_to(3)) {
      case 0: return 0;
      case 1: return up_to(300) - 150;
      case 2: return up_to(1 << 20);
      default: return static_cast<std::int64_t>(engine_());
    }
  }

 private:
  std::mt19937_64 engine_;
};

Operand any_operand(Random& r) {
  Operand o;
  o.kind = static_cast<OperandKind>(r.up_to(4));
  o.space = static_cast<Space>(r.up_to(4));
  o.type = static_cast<T>(r.up_to(static_cast<int>(T::None)));
  if (r.coin()) o.reg = static_cast<std::int16_t>(r.up_to(65535));
  if (r.coin()) o.partition_start = static_cast<std::uint16_t>(r.up_to(65535));
  if (r.coin()) o.partition_count = static_cast<std::uint16_t>(r.up_to(65535));
  if (r.coin()) o.copies = static_cast<std::uint16_t>(r.up_to(65535));
  if (r.coin()) o.buffer = BufferId(static_cast<std::size_t>(r.up_to(0xFFFFFFFE)));
  if (r.coin()) o.rotate_loop = LoopId(static_cast<std::size_t>(r.up_to(1000)));
  if (r.coin()) o.start = r.number();
  if (r.coin()) o.partition_stride = r.number();
  if (r.coin()) o.reg_bytes = r.number();
  if (r.coin()) o.rotate_bytes = r.number();
  if (r.coin()) o.indirect_stride = r.number();
  if (r.coin()) o.indirect_limit = r.number();
  if (r.coin()) o.immediate = r.coin() ? -0.0 : static_cast<double>(r.number()) / 3;
  for (std::int64_t n = r.up_to(5); n > 0; --n) o.dims.push_back({r.number(), r.number()});
  for (std::int64_t n = r.up_to(3); n > 0; --n)
    o.terms.push_back(
        {LoopId(static_cast<std::size_t>(r.up_to(9))), static_cast<std::int32_t>(r.up_to(200) - 100), r.number()});
  return o;
}

Instruction any_instruction(Random& r, const Stream& stream) {
  Instruction i;
  const Row& chosen = rows()[static_cast<std::size_t>(r.up_to(static_cast<std::int64_t>(rows().size()) - 1))];
  i.opcode = chosen.opcode;
  i.engine = r.coin() ? stream.engine : Engine::Any;
  i.queue = stream.queue;
  i.signal = r.coin();
  if (r.coin()) i.loop = LoopId(static_cast<std::size_t>(r.up_to(99)));
  i.order = static_cast<std::uint32_t>(r.number());
  i.location = static_cast<std::uint32_t>(r.up_to(50));
  for (int n = 0; n < chosen.operand_count; ++n) i.operands.push_back(any_operand(r));
  for (int n = 0; n < chosen.param_count; ++n)
    i.params.push_back(param_field(chosen, static_cast<std::size_t>(n)).kind == FieldKind::Number
                           ? static_cast<std::int32_t>(r.number())
                           : static_cast<std::int32_t>(r.up_to(18)));
  for (std::int64_t n = r.up_to(3); n > 0; --n)
    i.waits.push_back({static_cast<std::uint16_t>(r.up_to(255)), static_cast<std::int32_t>(r.number())});
  for (std::int64_t n = r.up_to(2); n > 0; --n)
    i.advances.push_back({static_cast<std::uint16_t>(r.up_to(255)), static_cast<std::int32_t>(r.number())});
  return i;
}

Stream any_stream(std::uint32_t seed) {
  Random r(seed);
  Stream s;
  s.engine = static_cast<Engine>(r.up_to(5));
  s.queue = static_cast<std::uint8_t>(r.up_to(15));
  s.semaphore = static_cast<std::uint16_t>(r.up_to(255));
  for (std::int64_t n = r.up_to(30); n > 0; --n) s.instructions.push_back(any_instruction(r, s));
  return s;
}

}  // namespace

TEST_CASE("any_stream_survives_encoding") {
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    CAPTURE(seed);
    const Stream stream = any_stream(seed);
    const auto bytes = encode(stream);
    auto back = decode(bytes);
    REQUIRE_MESSAGE(back, (back ? "" : format_diagnostic(back.diagnostic())));
    CHECK(back->engine == stream.engine);
    CHECK(back->queue == stream.queue);
    CHECK(back->semaphore == stream.semaphore);
    CHECK(back->instructions == stream.instructions);
    CHECK(encode(*back) == bytes);
  }
}

TEST_CASE("every_cut_is_refused_with_its_offset") {
  const auto bytes = encode(any_stream(7));
  REQUIRE(bytes.size() > 100);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    auto back = decode(std::span(bytes).first(size));
    REQUIRE(!back);
    CHECK(back.diagnostic().code == openneuron::Code::NeffCode);
    CHECK(back.diagnostic().place.byte_offset >= 0);
    CHECK(back.diagnostic().place.byte_offset <= static_cast<std::int64_t>(size));
  }
  auto longer = bytes;
  longer.push_back(std::byte{0});
  CHECK(!decode(longer));
}

TEST_CASE("every_changed_byte_is_refused_or_means_something_else") {
  const Stream stream = any_stream(11);
  const auto bytes = encode(stream);
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (int change : {1, 0x80, 0xFF}) {
      auto other = bytes;
      other[at] ^= static_cast<std::byte>(change);
      auto back = decode(other);
      if (back) CHECK(encode(*back) == other);
    }
}

TEST_CASE("bad_fields_are_refused") {
  const auto refused = [](std::initializer_list<int> tail, const char* says) {
    std::vector<std::byte> bytes;
    for (int b : {int{'O'}, int{'N'}, int{'S'}, 1, 0, 0, 0, 1}) bytes.push_back(static_cast<std::byte>(b));
    for (int b : tail) bytes.push_back(static_cast<std::byte>(b));
    auto back = decode(bytes);
    REQUIRE(!back);
    CHECK_MESSAGE(back.diagnostic().message.find(says) != std::string::npos, back.diagnostic().message);
  };
  const int load = static_cast<int>(Opcode::LoadStationary), end = static_cast<int>(Opcode::LoopEnd);
  refused({200, 0, 0, 0}, "opcode 200 does not exist");
  refused({end, 64, 0, 0}, "flag");
  refused({end, 0, 0x80, 0, 0}, "longer than it must be");
  refused({load, 0, 0, 0, 7, 0, 0}, "operand kind 7");
  refused({load, 0, 0, 0, 0x51, 0, 0}, "memory 5");
  refused({load, 0, 0, 0, 0x11, 99, 0}, "element type 99");
  refused({load, 0, 0, 0, 0x11, 0, 1, 0}, "default");
  refused({load, 0, 0, 0, 0x11, 0, 4, 17, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, "more items");
  refused({load, 0, 0, 0, 0x11, 0, 0xFF, 0xFF, 0x7F}, "field does not exist");
  refused({end, 16, 9, 0, 0, 0}, "engine 9");
  refused({end, 4, 0, 0, 0}, "empty list");
  refused({end, 4, 0, 0, 1, 0xFF, 0xFF, 0x7F, 0}, "does not fit");
}
