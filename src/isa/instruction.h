// Instructions as the tile level, the stream level and the device share them. What a field means is said once, in isa.def.
#pragma once
#include <cstdint>
#include <string_view>

#include "base/ids.h"
#include "base/small_vector.h"
#include "num/element_type.h"

namespace openneuron::isa {

enum class Opcode : std::uint8_t {
#define INSTRUCTION(name, ...) name,
#define FIELD(...)
#define END(name)
#include "isa/isa.def"
#undef INSTRUCTION
#undef FIELD
#undef END
};

/// Engines run their lists in order, each with its own sequencer. Dma stands for one DMA queue (Instruction::queue).
enum class Engine : std::uint8_t { PE, Vector, Scalar, GpSimd, Sync, Dma, Any };

enum class Space : std::uint8_t { None, Sbuf, Psum, PrivateHbm, SharedHbm };
inline bool is_hbm(Space s) { return s == Space::PrivateHbm || s == Space::SharedHbm; }

enum class AluOp : std::uint8_t {
  Bypass, Add, Subtract, Multiply, Max, Min,              // Max, Min: NaN wins, -0 < +0
  Equal, NotEqual, Greater, GreaterEqual, Less, LessEqual,
  LogicalAnd, LogicalOr, LogicalXor,
  BitAnd, BitOr, BitXor, ShiftLeft, ShiftRight,           // integers; ShiftRight is logical; amounts >= width give 0
  Power, AbsMax,
};
inline constexpr int kAluOpCount = 22;

enum class Function : std::uint8_t {
  Copy, Exp, Log, Tanh, Sigmoid, Sqrt, Rsqrt, Reciprocal, Square, Abs, Sign, Relu, Sin, Arctan, Erf,
  Gelu, GeluTanh, Silu, Softplus,
  Floor, Ceil, Trunc, Round,      // Round: to nearest, ties to even; exact, the sign of zero stays
  Log1p, Expm1, Cos, Tan,
};
inline constexpr int kFunctionCount = 27;

/// What a Collective does; members of a group are numbered as the group lists them.
enum class CollectiveKind : std::uint8_t {
  AllReduce,      ///< destination = all sources combined
  AllGather,      ///< destination = the sources one after the other
  ReduceScatter,  ///< destination = member's part of all sources combined
  AllToAll,       ///< part m of destination = own part of member m's source
  Permute,        ///< destination = the source of the core that names this one as its target, else zeros
  Broadcast,      ///< destination = the first member's source; zeros on a core in no group
};
inline constexpr int kCollectiveKindCount = 6;

/// start += value of `loop` * bytes; partition start += value of `loop` * partitions.
struct Term {
  LoopId loop;
  std::int32_t partitions = 0;
  std::int64_t bytes = 0;
  bool operator==(const Term& o) const { return loop == o.loop && partitions == o.partitions && bytes == o.bytes; }
};
struct Dim {
  std::int64_t stride = 0;  ///< bytes (Pattern: numbers); 0 repeats, negative runs backwards
  std::int64_t count = 1;
  bool operator==(const Dim& o) const { return stride == o.stride && count == o.count; }
};

enum class OperandKind : std::uint8_t { None, Memory, Immediate, Register, Pattern };

/// One operand.
///   Memory     elements (p, i0, i1, ...) at partition partition_start + p and byte start + sum i*stride (SBUF, PSUM), or
///              at byte start + p*partition_stride + sum i*stride of the buffer (HBM). In SBUF, as a DMA source only,
///              partition_stride 0 reads one partition again and again; otherwise it is 1. No dims: one element per partition.
///              `buffer`: tile level: the tile::Buffer; stream level: HBM variable, none for SBUF and PSUM (start is an address).
///              + terms of enclosing loops; + reg * reg_bytes when reg >= 0; + (value of rotate_loop mod copies) * rotate_bytes
///              when copies > 1 (tile level: rotate_bytes is the buffer's size and may stay 0).
///   Immediate  `immediate`; type F32 or I32 says how it is meant
///   Register   `reg`
///   Pattern    start, partition_stride, dims, terms as numbers
struct Operand {
  OperandKind kind = OperandKind::None;
  Space space = Space::None;
  ElementType type = ElementType::None;
  std::int16_t reg = -1;
  std::uint16_t partition_start = 0;
  std::uint16_t partition_count = 1;
  std::uint16_t copies = 1;
  BufferId buffer;
  LoopId rotate_loop;
  std::int64_t start = 0;
  std::int64_t partition_stride = 1;
  std::int64_t reg_bytes = 0;
  std::int64_t rotate_bytes = 0;
  std::int64_t indirect_stride = 0;  ///< bytes per offset (Dma)
  std::int64_t indirect_limit = 0;   ///< offsets must be below (Dma)
  double immediate = 0;
  SmallVector<Dim, 2> dims;
  SmallVector<Term, 2> terms;
  bool operator==(const Operand&) const = default;

  /// Elements of one partition: the product of the dims.
  std::int64_t free_count() const {
    std::int64_t n = 1;
    for (const Dim& d : dims) n *= d.count;
    return n;
  }
};

/// Operand vector that can hold non-trivial Operands inline.
template <class T, int N>
class FixedVector {
 public:
  void push_back(T item) { items_[size_++] = std::move(item); }
  T& emplace_back() { return items_[size_++] = T(); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  void clear() { size_ = 0; }
  T& operator[](std::size_t i) { return items_[i]; }
  const T& operator[](std::size_t i) const { return items_[i]; }
  T* begin() { return items_; }
  T* end() { return items_ + size_; }
  const T* begin() const { return items_; }
  const T* end() const { return items_ + size_; }
  bool operator==(const FixedVector& o) const {
    if (size_ != o.size_) return false;
    for (std::size_t i = 0; i < size_; ++i)
      if (!(items_[i] == o.items_[i])) return false;
    return true;
  }

 private:
  std::uint32_t size_ = 0;
  T items_[N];
};
inline constexpr int kMaxOperands = 5;

/// A semaphore and a count relative to this engine's base for it (see docs/stream.md).
struct Wait {
  std::uint16_t semaphore = 0;
  std::int32_t count = 0;
  bool operator==(const Wait& o) const { return semaphore == o.semaphore && count == o.count; }
};

struct Instruction {
  Opcode opcode = Opcode::Memset;
  Engine engine = Engine::Any;
  std::uint8_t queue = 0;                 ///< DMA queue
  bool signal = false;                    ///< stream level: on completion adds one to its engine's (queue's) semaphore
  LoopId loop;                            ///< region markers: which region
  std::uint32_t order = 0;                ///< program-order number: position in the tile program
  std::uint32_t location = 0;             ///< into Code::locations (0: unknown)
  FixedVector<Operand, kMaxOperands> operands;
  SmallVector<std::int32_t, 4> params;
  SmallVector<Wait, 2> waits;             ///< stream level: all must hold before it starts
  SmallVector<Wait, 2> advances;          ///< stream level, LoopEnd, WhileTest, WhileEnd, CaseNext, CaseEnd, Advance:
                                          ///< base[semaphore] += count when passed (see docs/stream.md)
  bool operator==(const Instruction&) const = default;

  AluOp alu(std::size_t i) const { return static_cast<AluOp>(params[i]); }
  Function function() const { return static_cast<Function>(params[0]); }
};

std::string_view opcode_name(Opcode opcode);
std::string_view engine_name(Engine engine);
std::string_view alu_name(AluOp op);            ///< "add", "is_gt" ...: the spelling of nki.language
std::string_view function_name(Function f);
std::string_view collective_name(CollectiveKind kind);  ///< "all_reduce" ...: the spelling of nki.collectives

/// LoopBegin, WhileBegin, CaseBegin open a region; LoopEnd, WhileEnd, CaseEnd close it; WhileTest, CaseNext divide it.
bool opens_region(Opcode opcode);
bool closes_region(Opcode opcode);
bool divides_region(Opcode opcode);

}  // namespace openneuron::isa
