#include "isa/instruction_list.h"

#include <bit>
#include <cstring>

namespace openneuron::isa {
namespace {

// What follows in the packed form of an operand.
enum Field : unsigned {
  kStart = 1 << 0,
  kPartitionCount = 1 << 1,
  kDims = 1 << 2,
  kBuffer = 1 << 3,
  kPartitionStride = 1 << 4,
  kTerms = 1 << 5,
  kRotation = 1 << 6,
  kMore = 1 << 7,  ///< a second byte of flags
  kPartitionStart = 1 << 8,
  kRegister = 1 << 9,
  kImmediate = 1 << 10,
  kIndirect = 1 << 11,
};
constexpr std::uint8_t kOperandsMask = 7, kHasParams = 8, kHasWaits = 16, kHasAdvances = 32;
static_assert(kMaxOperands <= kOperandsMask);

// Appends to `bytes` when it is destroyed, or earlier when much has been written.
class Writer {
 public:
  explicit Writer(std::vector<std::uint8_t>& bytes) : bytes_(bytes) {}
  ~Writer() { flush(); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void byte(std::uint64_t b) {
    make_room();
    *at_++ = static_cast<std::uint8_t>(b);
  }
  void number(std::uint64_t n) {
    make_room();
    for (; n >= 128; n >>= 7) *at_++ = static_cast<std::uint8_t>((n & 127) | 128);
    *at_++ = static_cast<std::uint8_t>(n);
  }
  void integer(std::int64_t n) { number(static_cast<std::uint64_t>(n) << 1 ^ static_cast<std::uint64_t>(n >> 63)); }
  void real(double x) {
    make_room();
    std::memcpy(at_, &x, sizeof x);
    at_ += sizeof x;
  }

  void operand(const Operand& o) {
    const bool rotation = o.copies != 1 || o.rotate_loop.valid() || o.rotate_bytes != 0;
    unsigned fields = (o.start != 0 ? kStart : 0u) | (o.partition_count != 1 ? kPartitionCount : 0u) | (o.dims.empty() ? 0u : kDims) |
                      (o.buffer.valid() ? kBuffer : 0u) | (o.partition_stride != 1 ? kPartitionStride : 0u) |
                      (o.terms.empty() ? 0u : kTerms) | (rotation ? kRotation : 0u) |
                      (o.partition_start != 0 ? kPartitionStart : 0u) | (o.reg != -1 || o.reg_bytes != 0 ? kRegister : 0u) |
                      (std::bit_cast<std::uint64_t>(o.immediate) != 0 ? kImmediate : 0u) |
                      (o.indirect_stride != 0 || o.indirect_limit != 0 ? kIndirect : 0u);
    if (fields > 255) fields |= kMore;
    byte(static_cast<std::uint64_t>(o.kind) | static_cast<std::uint64_t>(o.space) << 4);
    byte(static_cast<std::uint64_t>(o.type));
    byte(fields & 255);
    if (fields & kMore) byte(fields >> 8);
    if (fields & kStart) integer(o.start);
    if (fields & kPartitionCount) number(o.partition_count);
    if (fields & kDims) {
      number(o.dims.size());
      for (const Dim& d : o.dims) integer(d.stride), integer(d.count);
    }
    if (fields & kBuffer) number(o.buffer.index);
    if (fields & kPartitionStride) integer(o.partition_stride);
    if (fields & kTerms) {
      number(o.terms.size());
      for (const Term& t : o.terms) number(t.loop.index), integer(t.partitions), integer(t.bytes);
    }
    if (fields & kRotation) number(o.copies), number(o.rotate_loop.index), integer(o.rotate_bytes);
    if (fields & kPartitionStart) number(o.partition_start);
    if (fields & kRegister) integer(o.reg), integer(o.reg_bytes);
    if (fields & kImmediate) real(o.immediate);
    if (fields & kIndirect) integer(o.indirect_stride), integer(o.indirect_limit);
  }
  void waits(const SmallVector<Wait, 2>& list) {
    number(list.size());
    for (const Wait& w : list) number(w.semaphore), integer(w.count);
  }

 private:
  static constexpr std::size_t kBuffered = 256, kLongest = 10;  // bytes; a number of 64 bits takes ten
  void make_room() {
    if (static_cast<std::size_t>(at_ - buffer_) > kBuffered - kLongest) flush();
  }
  void flush() {
    bytes_.insert(bytes_.end(), buffer_, at_);
    at_ = buffer_;
  }

  std::vector<std::uint8_t>& bytes_;
  std::uint8_t buffer_[kBuffered];
  std::uint8_t* at_ = buffer_;
};

// Reads what a Writer wrote, so nothing is checked.
class Reader {
 public:
  explicit Reader(const std::uint8_t* at) : at_(at) {}

  std::uint8_t byte() { return *at_++; }
  std::uint64_t number() {
    std::uint64_t n = *at_++;
    if (n < 128) return n;
    n &= 127;
    for (int shift = 7;; shift += 7) {
      const std::uint64_t b = *at_++;
      n |= (b & 127) << shift;
      if (b < 128) return n;
    }
  }
  std::int64_t integer() {
    const std::uint64_t n = number();
    return static_cast<std::int64_t>(n >> 1 ^ (0 - (n & 1)));
  }
  double real() {
    double x;
    std::memcpy(&x, at_, sizeof x);
    at_ += sizeof x;
    return x;
  }

  void operand(Operand& o) {
    const unsigned head = byte();
    o.kind = static_cast<OperandKind>(head & 15);
    o.space = static_cast<Space>(head >> 4);
    o.type = static_cast<ElementType>(byte());
    unsigned fields = byte();
    if (fields & kMore) fields |= static_cast<unsigned>(byte()) << 8;
    if (fields & kStart) o.start = integer();
    if (fields & kPartitionCount) o.partition_count = static_cast<std::uint16_t>(number());
    if (fields & kDims)
      for (std::uint64_t n = number(); n > 0; --n) {
        const std::int64_t stride = integer();
        o.dims.push_back({stride, integer()});
      }
    if (fields & kBuffer) o.buffer = BufferId(number());
    if (fields & kPartitionStride) o.partition_stride = integer();
    if (fields & kTerms)
      for (std::uint64_t n = number(); n > 0; --n) {
        Term term;
        term.loop = LoopId(number());
        term.partitions = static_cast<std::int32_t>(integer());
        term.bytes = integer();
        o.terms.push_back(term);
      }
    if (fields & kRotation) {
      copies_at_ = at_;
      o.copies = static_cast<std::uint16_t>(number());
      o.rotate_loop = LoopId(number());
      o.rotate_bytes = integer();
    }
    if (fields & kPartitionStart) o.partition_start = static_cast<std::uint16_t>(number());
    if (fields & kRegister) {
      o.reg = static_cast<std::int16_t>(integer());
      o.reg_bytes = integer();
    }
    if (fields & kImmediate) o.immediate = real();
    if (fields & kIndirect) {
      o.indirect_stride = integer();
      o.indirect_limit = integer();
    }
  }
  /// Where the copies of the last operand that rotates stand.
  const std::uint8_t* copies_at() const { return copies_at_; }
  void waits(SmallVector<Wait, 2>& list) {
    for (std::uint64_t n = number(); n > 0; --n) {
      const auto semaphore = static_cast<std::uint16_t>(number());
      list.push_back({semaphore, static_cast<std::int32_t>(integer())});
    }
  }

 private:
  const std::uint8_t* at_;
  const std::uint8_t* copies_at_ = nullptr;
};

}  // namespace

void InstructionList::push_back(const Instruction& in) {
  if (is_open_) {
    open_.push_back(in);
    return;
  }
  heads_.push_back({in.loop, in.order, in.location, in.opcode, in.engine, in.queue, in.signal});
  offsets_.push_back(bytes_.size());
  Writer out(bytes_);
  out.byte(in.operands.size() | (in.params.empty() ? 0 : kHasParams) | (in.waits.empty() ? 0 : kHasWaits) |
           (in.advances.empty() ? 0 : kHasAdvances));
  for (const Operand& o : in.operands) out.operand(o);
  if (!in.params.empty()) {
    out.number(in.params.size());
    for (std::int32_t p : in.params) out.integer(p);
  }
  if (!in.waits.empty()) out.waits(in.waits);
  if (!in.advances.empty()) out.waits(in.advances);
}

void InstructionList::reserve_like(const InstructionList& other) {
  heads_.reserve(other.heads_.size());
  offsets_.reserve(other.offsets_.size());
  bytes_.reserve(other.bytes_.size());
}

void InstructionList::reserve(std::size_t count) {
  if (is_open_) {
    open_.reserve(count);
    return;
  }
  heads_.reserve(count);
  offsets_.reserve(count);
}

void InstructionList::set_copies(std::size_t i, std::size_t operand, std::uint16_t copies) {
  if (is_open_) {
    open_[i].operands[operand].copies = copies;
    return;
  }
  Reader in(&bytes_[offsets_[i]] + 1);
  for (std::size_t n = 0; n <= operand; ++n) {
    Operand o;
    in.operand(o);
  }
  bytes_[static_cast<std::size_t>(in.copies_at() - bytes_.data())] = static_cast<std::uint8_t>(copies);
}

void InstructionList::set_engine(std::size_t i, Engine engine, std::uint8_t queue) {
  if (is_open_) {
    open_[i].engine = engine;
    open_[i].queue = queue;
  } else {
    heads_[i].engine = engine;
    heads_[i].queue = queue;
  }
}

Instruction InstructionList::operator[](std::size_t i) const {
  Instruction out;
  read(i, out);
  return out;
}

void InstructionList::read(std::size_t i, Instruction& out) const {
  if (is_open_) {
    out = open_[i];
    return;
  }
  const Head& head = heads_[i];
  out.opcode = head.opcode;
  out.engine = head.engine;
  out.queue = head.queue;
  out.signal = head.signal;
  out.loop = head.loop;
  out.order = head.order;
  out.location = head.location;
  out.operands.clear();
  out.params.clear();
  out.waits.clear();
  out.advances.clear();
  Reader in(bytes_.data() + offsets_[i]);
  const std::uint8_t what = in.byte();
  for (int n = what & kOperandsMask; n > 0; --n) in.operand(out.operands.emplace_back());
  if (what & kHasParams)
    for (std::uint64_t n = in.number(); n > 0; --n) out.params.push_back(static_cast<std::int32_t>(in.integer()));
  if (what & kHasWaits) in.waits(out.waits);
  if (what & kHasAdvances) in.waits(out.advances);
}

std::vector<Instruction>& InstructionList::open() {
  if (!is_open_) {
    std::vector<Instruction> all(size());
    for (std::size_t i = 0; i < all.size(); ++i) read(i, all[i]);
    *this = InstructionList();
    open_ = std::move(all);
    is_open_ = true;
  }
  return open_;
}

bool InstructionList::operator==(const InstructionList& other) const {
  if (size() != other.size()) return false;
  Iterator a = begin(), b = other.begin();
  for (const Iterator last = end(); a != last; ++a, ++b)
    if (!(*a == *b)) return false;
  return true;
}

OpenedList::OpenedList(const InstructionList& list) {
  if (list.is_open_) {
    list_ = &list.open_;
    return;
  }
  copy_.resize(list.size());
  for (std::size_t i = 0; i < copy_.size(); ++i) list.read(i, copy_[i]);
}

}  // namespace openneuron::isa
