// The binary form of a stream, specified in docs/isa.md, section "Encoding". Every value has one encoding: what decodes
// encodes back to the same bytes.
#include <array>
#include <bit>
#include <cstring>

#include "isa/table.h"

namespace openneuron::isa {
namespace {

using Error = openneuron::Code;

constexpr std::array<std::uint8_t, 4> kMagic = {'O', 'N', 'S', 1};  // the last one is the version
// Decoded instructions are some hundred times larger than their code, so counts have limits of their own.
constexpr std::uint64_t kMostInstructions = 1 << 22;
constexpr std::uint64_t kMostDims = 16, kMostTerms = 64, kMostWaits = 1024;

enum InstructionFlag : unsigned {
  kSignal = 1,
  kLoop = 2,
  kWaits = 4,
  kAdvances = 8,
  kOtherEngine = 16,
  kAllFlags = 31
};
// Fields of an operand that differ from their defaults, in the order in which they follow.
enum OperandField : unsigned {
  kStart = 1 << 0,
  kPartitionCount = 1 << 1,
  kDims = 1 << 2,
  kBuffer = 1 << 3,
  kPartitionStride = 1 << 4,
  kTerms = 1 << 5,
  kPartitionStart = 1 << 6,
  kRegister = 1 << 7,
  kRegisterBytes = 1 << 8,
  kImmediate = 1 << 9,
  kCopies = 1 << 10,
  kRotateLoop = 1 << 11,
  kRotateBytes = 1 << 12,
  kIndirectStride = 1 << 13,
  kIndirectLimit = 1 << 14,
  kAllFields = (1 << 15) - 1,
};

std::uint64_t folded(std::int64_t n) {
  return static_cast<std::uint64_t>(n) << 1 ^ static_cast<std::uint64_t>(n >> 63);
}
std::int64_t unfolded(std::uint64_t n) { return static_cast<std::int64_t>(n >> 1 ^ (0 - (n & 1))); }

unsigned fields_of(const Operand& o) {
  unsigned fields = 0;
  const auto add = [&](bool differs, unsigned field) { fields |= differs ? field : 0; };
  add(o.start != 0, kStart);
  add(o.partition_count != 1, kPartitionCount);
  add(!o.dims.empty(), kDims);
  add(o.buffer.valid(), kBuffer);
  add(o.partition_stride != 1, kPartitionStride);
  add(!o.terms.empty(), kTerms);
  add(o.partition_start != 0, kPartitionStart);
  add(o.reg != -1, kRegister);
  add(o.reg_bytes != 0, kRegisterBytes);
  add(std::bit_cast<std::uint64_t>(o.immediate) != 0, kImmediate);
  add(o.copies != 1, kCopies);
  add(o.rotate_loop.valid(), kRotateLoop);
  add(o.rotate_bytes != 0, kRotateBytes);
  add(o.indirect_stride != 0, kIndirectStride);
  add(o.indirect_limit != 0, kIndirectLimit);
  return fields;
}

class Writer {
 public:
  std::vector<std::byte> bytes;

  void byte(std::uint64_t b) { bytes.push_back(static_cast<std::byte>(b)); }
  void number(std::uint64_t n) {
    for (; n >= 128; n >>= 7) byte((n & 127) | 128);
    byte(n);
  }
  void integer(std::int64_t n) { number(folded(n)); }

  void operand(const Operand& o) {
    byte(static_cast<std::uint64_t>(o.kind) | static_cast<std::uint64_t>(o.space) << 4);
    byte(static_cast<std::uint64_t>(o.type));
    const unsigned fields = fields_of(o);
    number(fields);
    if (fields & kStart) integer(o.start);
    if (fields & kPartitionCount) number(o.partition_count);
    if (fields & kDims) {
      number(o.dims.size());
      for (const Dim& dim : o.dims) integer(dim.stride), integer(dim.count);
    }
    if (fields & kBuffer) number(o.buffer.index);
    if (fields & kPartitionStride) integer(o.partition_stride);
    if (fields & kTerms) {
      number(o.terms.size());
      for (const Term& term : o.terms) number(term.loop.index), integer(term.partitions), integer(term.bytes);
    }
    if (fields & kPartitionStart) number(o.partition_start);
    if (fields & kRegister) integer(o.reg);
    if (fields & kRegisterBytes) integer(o.reg_bytes);
    if (fields & kImmediate)
      for (int shift = 0; shift < 64; shift += 8) byte(std::bit_cast<std::uint64_t>(o.immediate) >> shift & 255);
    if (fields & kCopies) number(o.copies);
    if (fields & kRotateLoop) number(o.rotate_loop.index);
    if (fields & kRotateBytes) integer(o.rotate_bytes);
    if (fields & kIndirectStride) integer(o.indirect_stride);
    if (fields & kIndirectLimit) integer(o.indirect_limit);
  }
  void waits(const SmallVector<Wait, 2>& list) {
    number(list.size());
    for (const Wait& wait : list) number(wait.semaphore), integer(wait.count);
  }
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  Result<Stream> stream();

 private:
  Failure broken(const std::string& what) const {
    Place place;
    place.byte_offset = static_cast<std::int64_t>(at_);
    place.op = op_;
    return fail(Error::NeffCode, place, what);
  }
  // Reading past the end gives 0 and is remembered; the callers ask once an item is complete.
  std::uint64_t byte() {
    if (at_ < bytes_.size()) return static_cast<std::uint64_t>(bytes_[at_++]);
    short_ = true;
    return 0;
  }
  std::uint64_t number() {
    std::uint64_t n = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint64_t b = byte();
      if ((shift == 63 && b > 1) || (shift > 0 && b == 0)) overlong_ = true;
      n |= (b & 127) << shift;
      if (!(b & 128)) return n;
    }
    overlong_ = true;
    return n;
  }
  std::int64_t integer() { return unfolded(number()); }
  template <class T>
  T narrow(std::int64_t n) {
    if (static_cast<std::int64_t>(static_cast<T>(n)) != n) too_large_ = true;
    return static_cast<T>(n);
  }
  template <class T>
  T narrow_number() {
    const std::uint64_t n = number();
    if (n > 0x7FFFFFFFFFFFFFFF) too_large_ = true;
    return narrow<T>(static_cast<std::int64_t>(n));
  }
  template <class IdType>
  IdType id() {
    const std::uint64_t n = number();
    if (n >= IdType::kNone) too_large_ = true;
    return IdType(static_cast<std::size_t>(n));
  }
  // A count of items that take at least a byte each.
  std::uint64_t count(std::uint64_t most) {
    const std::uint64_t n = number();
    if (n > most || n > bytes_.size() - at_) {
      too_many_ = true;
      return 0;
    }
    return n;
  }
  Result<void> sound() const {
    if (short_) return broken("the code ends in the middle of an instruction");
    if (overlong_) return broken("a number is longer than it must be");
    if (too_large_) return broken("a number does not fit its field");
    if (too_many_) return broken("a list has more items than its limit or the code holds");
    return {};
  }

  Result<Operand> operand();
  Result<Instruction> instruction();
  Result<void> waits(SmallVector<Wait, 2>& list);
  Result<void> params(Instruction& instruction);

  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  std::string op_;
  bool short_ = false, overlong_ = false, too_large_ = false, too_many_ = false;
  Stream stream_;
  std::uint32_t order_ = 0, location_ = 0;
};

Result<Operand> Reader::operand() {
  Operand o;
  const std::uint64_t head = byte(), type = byte(), fields = number();
  if ((head & 15) > static_cast<std::uint64_t>(OperandKind::Pattern))
    return broken("operand kind " + std::to_string(head & 15) + " does not exist");
  if (head >> 4 > static_cast<std::uint64_t>(Space::SharedHbm))
    return broken("memory " + std::to_string(head >> 4) + " does not exist");
  if (type > static_cast<std::uint64_t>(ElementType::None))
    return broken("element type " + std::to_string(type) + " does not exist");
  if (fields > kAllFields) return broken("an operand field does not exist");
  o.kind = static_cast<OperandKind>(head & 15);
  o.space = static_cast<Space>(head >> 4);
  o.type = static_cast<ElementType>(type);
  if (fields & kStart) o.start = integer();
  if (fields & kPartitionCount) o.partition_count = narrow_number<std::uint16_t>();
  if (fields & kDims)
    for (std::uint64_t n = count(kMostDims); n > 0; --n) {
      const std::int64_t stride = integer();
      o.dims.push_back({stride, integer()});
    }
  if (fields & kBuffer) o.buffer = id<BufferId>();
  if (fields & kPartitionStride) o.partition_stride = integer();
  if (fields & kTerms)
    for (std::uint64_t n = count(kMostTerms); n > 0; --n) {
      Term term;
      // A term without a loop is refused by check_instruction; it still decodes, as the encoder writes it.
      const std::uint64_t loop = number();
      if (loop > LoopId::kNone) too_large_ = true;
      term.loop = LoopId(static_cast<std::size_t>(loop));
      term.partitions = narrow<std::int32_t>(integer());
      term.bytes = integer();
      o.terms.push_back(term);
    }
  if (fields & kPartitionStart) o.partition_start = narrow_number<std::uint16_t>();
  if (fields & kRegister) o.reg = narrow<std::int16_t>(integer());
  if (fields & kRegisterBytes) o.reg_bytes = integer();
  if (fields & kImmediate) {
    std::uint64_t bits = 0;
    for (int shift = 0; shift < 64; shift += 8) bits |= byte() << shift;
    o.immediate = std::bit_cast<double>(bits);
  }
  if (fields & kCopies) o.copies = narrow_number<std::uint16_t>();
  if (fields & kRotateLoop) o.rotate_loop = id<LoopId>();
  if (fields & kRotateBytes) o.rotate_bytes = integer();
  if (fields & kIndirectStride) o.indirect_stride = integer();
  if (fields & kIndirectLimit) o.indirect_limit = integer();
  ON_TRY(sound());
  if (fields != fields_of(o)) return broken("an operand states a field's default");
  return o;
}

Result<void> Reader::waits(SmallVector<Wait, 2>& list) {
  for (std::uint64_t n = count(kMostWaits); n > 0; --n) {
    Wait wait;
    wait.semaphore = narrow_number<std::uint16_t>();
    wait.count = narrow<std::int32_t>(integer());
    list.push_back(wait);
  }
  ON_TRY(sound());
  if (list.empty()) return broken("an empty list is stated");
  return {};
}

Result<void> Reader::params(Instruction& instruction) {
  const Row& r = row(instruction.opcode);
  for (int i = 0; i < r.param_count; ++i) {
    const std::int64_t value = integer();
    const FieldKind kind = param_field(r, static_cast<std::size_t>(i)).kind;
    if (kind == FieldKind::Alu && (value < 0 || value >= kAluOpCount))
      return broken("operator " + std::to_string(value) + " does not exist");
    if (kind == FieldKind::Function && (value < 0 || value >= kFunctionCount))
      return broken("function " + std::to_string(value) + " does not exist");
    instruction.params.push_back(narrow<std::int32_t>(value));
  }
  return {};
}

Result<Instruction> Reader::instruction() {
  Instruction i;
  op_.clear();
  const std::uint64_t opcode = byte(), flags = byte();
  if (opcode >= rows().size()) return broken("opcode " + std::to_string(opcode) + " does not exist");
  i.opcode = static_cast<Opcode>(opcode);
  op_ = std::string(opcode_name(i.opcode));
  if (flags > kAllFlags) return broken("an instruction flag does not exist");
  i.signal = flags & kSignal;
  i.engine = stream_.engine;
  i.queue = stream_.queue;
  if (flags & kOtherEngine) {
    const std::uint64_t engine = byte();
    if (engine > static_cast<std::uint64_t>(Engine::Any))
      return broken("engine " + std::to_string(engine) + " does not exist");
    i.engine = static_cast<Engine>(engine);
    i.queue = static_cast<std::uint8_t>(byte());
    if (i.engine == stream_.engine && i.queue == stream_.queue)
      return broken("an instruction states its stream's engine");
  }
  // Differences to the instruction before, modulo 2^32.
  order_ += static_cast<std::uint32_t>(narrow<std::int32_t>(integer()));
  location_ += static_cast<std::uint32_t>(narrow<std::int32_t>(integer()));
  i.order = order_;
  i.location = location_;
  if (flags & kLoop) i.loop = id<LoopId>();
  for (int n = row(i.opcode).operand_count; n > 0; --n) {
    auto next = operand();
    if (!next) return next.failure();
    i.operands.push_back(std::move(*next));
  }
  ON_TRY(params(i));
  if (flags & kWaits) ON_TRY(waits(i.waits));
  if (flags & kAdvances) ON_TRY(waits(i.advances));
  ON_TRY(sound());
  return i;
}

Result<Stream> Reader::stream() {
  for (std::uint8_t expected : kMagic)
    if (byte() != expected) return broken("the code does not start with ONS and version 1");
  const std::uint64_t engine = byte();
  if (engine > static_cast<std::uint64_t>(Engine::Dma))
    return broken("engine " + std::to_string(engine) + " has no stream");
  stream_.engine = static_cast<Engine>(engine);
  stream_.queue = static_cast<std::uint8_t>(byte());
  stream_.semaphore = narrow_number<std::uint16_t>();
  const std::uint64_t n = count(kMostInstructions);
  ON_TRY(sound());
  for (std::uint64_t i = 0; i < n; ++i) {
    auto next = instruction();
    if (!next) return next.failure();
    stream_.instructions.open().push_back(std::move(*next));
  }
  op_.clear();
  if (at_ != bytes_.size()) return broken("bytes follow the last instruction");
  return std::move(stream_);
}

}  // namespace

std::vector<std::byte> encode(const Stream& stream) {
  Writer out;
  out.bytes.reserve(16 + 48 * stream.instructions.size());
  for (std::uint8_t b : kMagic) out.byte(b);
  out.byte(static_cast<std::uint64_t>(stream.engine));
  out.byte(stream.queue);
  out.number(stream.semaphore);
  out.number(stream.instructions.size());
  std::uint32_t order = 0, location = 0;
  for (const Instruction& i : stream.instructions) {
    const Row& r = row(i.opcode);
    const bool other = i.engine != stream.engine || i.queue != stream.queue;
    out.byte(static_cast<std::uint64_t>(i.opcode));
    out.byte((i.signal ? kSignal : 0u) | (i.loop.valid() ? kLoop : 0u) | (i.waits.empty() ? 0u : kWaits) |
             (i.advances.empty() ? 0u : kAdvances) | (other ? kOtherEngine : 0u));
    if (other) {
      out.byte(static_cast<std::uint64_t>(i.engine));
      out.byte(i.queue);
    }
    out.integer(static_cast<std::int32_t>(i.order - order));
    out.integer(static_cast<std::int32_t>(i.location - location));
    order = i.order;
    location = i.location;
    if (i.loop.valid()) out.number(i.loop.index);
    // As many as the table says, so that the reader needs no counts; an unchecked instruction may have fewer.
    for (std::size_t n = 0; n < static_cast<std::size_t>(r.operand_count); ++n)
      out.operand(n < i.operands.size() ? i.operands[n] : Operand());
    for (std::size_t n = 0; n < static_cast<std::size_t>(r.param_count); ++n)
      out.integer(n < i.params.size() ? i.params[n] : 0);
    if (!i.waits.empty()) out.waits(i.waits);
    if (!i.advances.empty()) out.waits(i.advances);
  }
  return std::move(out.bytes);
}

Result<Stream> decode(std::span<const std::byte> bytes) { return Reader(bytes).stream(); }

}  // namespace openneuron::isa
