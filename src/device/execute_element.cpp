// Vector, Scalar, GpSimd: each operation on a range of partitions, strip by strip.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "device/core.h"
#include "device/folded.h"
#include "device/identity.h"
#include "device/short_sums.h"
#include "device/strips.h"
#include "device/whole_rows.h"
#include "num/convert.h"

namespace openneuron::device {
namespace {

using isa::AluOp;
using isa::Opcode;
using isa::OperandKind;

// 64 floats: a few copies of each stay in L1.
struct Buffers {
  alignas(64) float a[kStrip], b[kStrip], c[kStrip], d[kStrip];
  alignas(64) std::int32_t ia[kStrip], ib[kStrip], ic[kStrip];
};
Buffers& buffers() {
  static thread_local Buffers mine;
  return mine;
}

class Element {
 public:
  /// `folded`, when not null, holds a walk per memory operand that takes in some partitions: one row stands for them all.
  Element(const Context& context, const HostOp& op, const HostOperand* operands, const View* views,
          const Walk* folded = nullptr)
      : k_(*context.kernels),
        strip_{*context.kernels},
        op_(op),
        operands_(operands),
        views_(views),
        folded_(folded),
        buffers_(buffers()) {
    for (std::size_t i = 0; i < op.operand_count; ++i)
      if (operands[i].kind == OperandKind::Memory && byte_width(operands[i].type) == 4 &&
          in_place(views[i].data, walk(i), 4) && views[i].pitch % 4 == 0)
        in_place_ |= 1u << i;
  }

  void run(std::int64_t partition) {
    partition_ = partition;
    switch (op_.opcode) {
      case Opcode::Memset: return fill();
      case Opcode::Copy: return copy();
      case Opcode::TensorTensor:
        return binary(
            [this](auto* a, int as, auto* b, int bs, auto* d, std::size_t n) { alu(op_.alu(0), a, as, b, bs, d, n); });
      case Opcode::Divide: return divide();
      case Opcode::Remainder:
        return binary([](auto* a, int as, auto* b, int bs, auto* d, std::size_t n) {
          if constexpr (std::is_same_v<decltype(d), float*>)
            for (std::size_t i = 0; i < n; ++i) d[i] = std::fmod(a[as ? i : 0], b[bs ? i : 0]);
        });
      case Opcode::TensorScalar: return tensor_scalar();
      case Opcode::ScalarTensorTensor: return scalar_tensor_tensor();
      case Opcode::TensorReduce: return op_.domain == isa::Domain::F32 ? reduce() : reduce_int();
      case Opcode::Activation: return activation(nullptr);
      case Opcode::ActivationReduce: return activation_reduce();
      case Opcode::Reciprocal: return reciprocal();
      case Opcode::Select: return select(1);
      case Opcode::SelectReduce: return select_reduce();
      case Opcode::Iota: return iota();
      default: return;
    }
  }

 private:
  std::byte* row(std::size_t i) const { return views_[i].data + partition_ * views_[i].pitch; }
  const HostOperand& at(std::size_t i) const { return operands_[i]; }
  const Walk& walk(std::size_t i) const { return folded_ ? folded_[i] : operands_[i].walk; }
  std::int64_t total() const { return walk(0).count; }
  bool unsigned_domain() const { return op_.domain == isa::Domain::U32; }

  // f(first, n) for each strip.
  template <class F>
  static void strips(std::int64_t total, F f) {
    for (std::int64_t first = 0; first < total; first += static_cast<std::int64_t>(kStrip))
      f(first, static_cast<std::size_t>(std::min<std::int64_t>(static_cast<std::int64_t>(kStrip), total - first)));
  }

  const float* load(std::size_t i, std::int64_t first, std::size_t n, float* buffer) const {
    if (in_place_ >> i & 1u && at(i).type == ElementType::F32) return reinterpret_cast<const float*>(row(i)) + first;
    return strip_.load(row(i), walk(i), at(i).type, first, n, buffer);
  }
  const std::int32_t* load_int(std::size_t i, std::int64_t first, std::size_t n, std::int32_t* buffer) const {
    if (in_place_ >> i & 1u && !is_float(at(i).type)) return reinterpret_cast<const std::int32_t*>(row(i)) + first;
    return strip_.load_int(row(i), walk(i), at(i).type, first, n, buffer);
  }
  // Where a strip's results may go at once: the destination itself, if it is fp32 and contiguous.
  float* target(std::int64_t first, float* buffer) const {
    if (in_place_ & 1u && at(0).type == ElementType::F32) return reinterpret_cast<float*>(row(0)) + first;
    return buffer;
  }
  void store(std::size_t i, std::int64_t first, std::size_t n, const float* values) const {
    if (reinterpret_cast<const std::byte*>(values) == row(i) + 4 * first && in_place_ >> i & 1u)
      return;  // there already
    strip_.store(row(i), walk(i), at(i).type, first, n, values);
  }
  void store_int(std::size_t i, std::int64_t first, std::size_t n, const std::int32_t* values) const {
    strip_.store_int(row(i), walk(i), at(i).type, first, n, values, unsigned_domain());
  }

  void alu(AluOp op, const float* a, int as, const float* b, int bs, float* d, std::size_t n) const {
    k_.alu_f32(op, a, as, b, bs, d, n);
  }
  void alu(AluOp op, const std::int32_t* a, int as, const std::int32_t* b, int bs, std::int32_t* d,
           std::size_t n) const {
    k_.alu_i32(op, unsigned_domain(), a, as, b, bs, d, n);
  }

  // A [P, 1] operand or an immediate: one number per row, or, where a row stands for some partitions, one per element.
  template <class T>
  struct Scalar {
    const T* data;
    int step;
  };
  bool per_element(std::size_t i) const { return folded_ && at(i).kind == OperandKind::Memory; }
  float scalar(std::size_t i) const {
    const HostOperand& o = at(i);
    if (o.kind == OperandKind::Immediate) {
      if (o.type == ElementType::F32) return static_cast<float>(o.immediate);
      const std::int32_t value = immediate_int(o);
      float out;
      k_.i32_to_f32(&value, false, &out, 1);
      return out;
    }
    float value;
    return *strip_.load(row(i), walk(i), o.type, 0, 1, &value);
  }
  std::int32_t scalar_int(std::size_t i) const {
    const HostOperand& o = at(i);
    if (o.kind == OperandKind::Immediate) return immediate_int(o);
    std::int32_t value;
    return *strip_.load_int(row(i), walk(i), o.type, 0, 1, &value);
  }
  static std::int32_t immediate_int(const HostOperand& o) {  // -2^31 .. 2^32 - 1, as bits
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::int64_t>(o.immediate)));
  }
  // `value` is the number when there is one per row.
  Scalar<float> scalars(std::size_t i, std::int64_t first, std::size_t n, float* buffer, const float& value) const {
    if (!per_element(i)) return {&value, 0};
    return {load(i, first, n, buffer), 1};
  }
  Scalar<std::int32_t> scalars(std::size_t i, std::int64_t first, std::size_t n, std::int32_t* buffer,
                               const std::int32_t& value) const {
    if (!per_element(i)) return {&value, 0};
    return {load_int(i, first, n, buffer), 1};
  }

  bool in_one_piece(std::size_t i) const {
    return walk(i).rank == 0 || (walk(i).rank == 1 && walk(i).strides[0] == byte_width(at(i).type));
  }
  // One element repeated needs no strip.
  bool repeated(std::size_t i) const { return walk(i).rank == 1 && walk(i).strides[0] == 0; }

  // f(a, step of a, b, step of b, destination, n) per strip.
  template <class F>
  void binary(F f) {
    Buffers& s = buffers_;
    const int as = repeated(1) ? 0 : 1, bs = repeated(2) ? 0 : 1;
    if (op_.domain == isa::Domain::F32)
      strips(total(), [&](std::int64_t first, std::size_t n) {
        const float* a = load(1, first, as ? n : 1, s.a);
        const float* b = load(2, first, bs ? n : 1, s.b);
        float* d = target(first, s.c);
        f(a, as, b, bs, d, n);
        store(0, first, n, d);
      });
    else
      strips(total(), [&](std::int64_t first, std::size_t n) {
        const std::int32_t* a = load_int(1, first, as ? n : 1, s.ia);
        const std::int32_t* b = load_int(2, first, bs ? n : 1, s.ib);
        f(a, as, b, bs, s.ic, n);
        store_int(0, first, n, s.ic);
      });
  }

  void divide() {
    binary([this](auto* a, int as, auto* b, int bs, auto* d, std::size_t n) {
      if constexpr (std::is_same_v<decltype(d), float*>) {
        k_.divide_f32(a, as, b, bs, d, n);
      } else {
        for (std::size_t i = 0; i < n; ++i) d[i] = quotient(a[as ? i : 0], b[bs ? i : 0]);
      }
    });
  }
  std::int32_t quotient(std::int32_t a, std::int32_t b) const {
    if (b == 0) return -1;
    if (unsigned_domain())
      return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b));
    if (b == -1) return static_cast<std::int32_t>(0u - static_cast<std::uint32_t>(a));
    return a / b;
  }

  // t = data op scalar, d = t; `reverse` puts the scalar first.
  template <class T>
  void with_scalar(AluOp op, bool reverse, const T* data, Scalar<T> value, T* d, std::size_t n) const {
    if (op == AluOp::Bypass) {
      if (data != d) std::memcpy(d, data, n * sizeof(T));
    } else if (reverse) {
      alu(op, value.data, value.step, data, 1, d, n);
    } else {
      alu(op, data, 1, value.data, value.step, d, n);
    }
  }

  void tensor_scalar() {
    Buffers& s = buffers_;
    const AluOp op0 = op_.alu(0), op1 = op_.alu(2);
    const bool reverse0 = op_.params[1] != 0, reverse1 = op_.params[3] != 0, twice = op1 != AluOp::Bypass;
    if (op_.domain == isa::Domain::F32) {
      const float v0 = per_element(2) ? 0.0f : scalar(2), v1 = per_element(3) || !twice ? 0.0f : scalar(3);
      strips(total(), [&](std::int64_t first, std::size_t n) {
        const float* data = load(1, first, n, s.a);
        float* d = target(first, s.c);
        with_scalar(op0, reverse0, data, scalars(2, first, n, s.b, v0), d, n);
        if (twice) with_scalar(op1, reverse1, static_cast<const float*>(d), scalars(3, first, n, s.b, v1), d, n);
        store(0, first, n, d);
      });
    } else {
      const std::int32_t v0 = per_element(2) ? 0 : scalar_int(2), v1 = per_element(3) || !twice ? 0 : scalar_int(3);
      strips(total(), [&](std::int64_t first, std::size_t n) {
        const std::int32_t* data = load_int(1, first, n, s.ia);
        with_scalar(op0, reverse0, data, scalars(2, first, n, s.ib, v0), s.ic, n);
        if (twice)
          with_scalar(op1, reverse1, static_cast<const std::int32_t*>(s.ic), scalars(3, first, n, s.ib, v1), s.ic, n);
        store_int(0, first, n, s.ic);
      });
    }
  }

  void scalar_tensor_tensor() {
    Buffers& s = buffers_;
    const AluOp op0 = op_.alu(0), op1 = op_.alu(2);
    const bool reverse0 = op_.params[1] != 0, reverse1 = op_.params[3] != 0;
    const auto second = [&](auto* t, auto* b, auto* d, std::size_t n) {
      if (op1 == AluOp::Bypass)
        std::memcpy(d, reverse1 ? b : t, n * sizeof *d);
      else if (reverse1)
        alu(op1, b, 1, t, 1, d, n);
      else
        alu(op1, t, 1, b, 1, d, n);
    };
    if (op_.domain == isa::Domain::F32) {
      const float value = per_element(2) ? 0.0f : scalar(2);
      strips(total(), [&](std::int64_t first, std::size_t n) {
        with_scalar(op0, reverse0, load(1, first, n, s.a), scalars(2, first, n, s.b, value), s.c, n);
        const float* b = load(3, first, n, s.b);
        if (op1 == AluOp::Bypass) {
          store(0, first, n, reverse1 ? b : s.c);
        } else {
          float* d = target(first, s.a);
          second(static_cast<const float*>(s.c), b, d, n);
          store(0, first, n, d);
        }
      });
    } else {
      const std::int32_t value = per_element(2) ? 0 : scalar_int(2);
      strips(total(), [&](std::int64_t first, std::size_t n) {
        with_scalar(op0, reverse0, load_int(1, first, n, s.ia), scalars(2, first, n, s.ib, value), s.ic, n);
        const std::int32_t* b = load_int(3, first, n, s.ib);
        second(static_cast<const std::int32_t*>(s.ic), b, s.ia, n);
        store_int(0, first, n, s.ia);
      });
    }
  }

  void fill() {
    const HostOperand& to = at(0);
    const std::int64_t width = byte_width(to.type);
    std::byte value[16] = {};
    const double v =
        at(1).type == ElementType::F32 ? static_cast<double>(static_cast<float>(at(1).immediate)) : at(1).immediate;
    if (at(1).type == ElementType::F32 || is_float(to.type) || is_complex(to.type)) {
      store_double(to.type, value, 0, v);
    } else {
      store_int(to.type, value, v);
    }
    WalkCursor cursor(walk(0), 0);
    for (std::int64_t done = 0; done < walk(0).count;) {
      const auto run = cursor.next(walk(0).count - done);
      std::byte* p = row(0) + run.offset;
      copy_elements(p, run.stride, value, 0, width, run.count);
      done += run.count;
    }
  }
  static void store_int(ElementType type, std::byte* value, double v) {
    openneuron::store_int(type, value, 0, static_cast<std::int64_t>(v));
  }

  void copy() {
    if (at(0).type == at(1).type && in_one_piece(0) && in_one_piece(1)) {
      std::memmove(row(0), row(1), static_cast<std::size_t>(total() * byte_width(at(0).type)));
      return;
    }
    for_paired_runs(walk(0), walk(1),
                    [&](std::int64_t d, std::int64_t ds, std::int64_t s, std::int64_t ss, std::int64_t n) {
                      convert_run(k_, row(0) + d, ds, at(0).type, row(1) + s, ss, at(1).type, n);
                    });
  }
  // Operand `m` is the predicate; the two sides follow it.
  void select(std::size_t m) {
    const std::int64_t width = byte_width(at(0).type);
    Buffers& s = buffers_;
    auto* mask = reinterpret_cast<std::uint8_t*>(s.ia);
    if (width <= 4) {  // as integers of that width: bits stay
      const ElementType bits = width == 4 ? ElementType::I32 : width == 2 ? ElementType::U16 : ElementType::U8;
      strips(total(), [&](std::int64_t first, std::size_t n) {
        const bool plain = walk(m).rank == 0 || (walk(m).rank == 1 && walk(m).strides[0] == 1);
        const auto* p = plain ? reinterpret_cast<const std::uint8_t*>(row(m)) + first : mask;
        if (!plain) bytes(row(m), walk(m), first, n, mask);
        const int as = repeated(m + 1) ? 0 : 1, bs = repeated(m + 2) ? 0 : 1;
        const std::int32_t* on_true = strip_.load_int(row(m + 1), walk(m + 1), bits, first, as ? n : 1, s.ib);
        const std::int32_t* on_false = strip_.load_int(row(m + 2), walk(m + 2), bits, first, bs ? n : 1, s.ic);
        const bool direct = in_place_ & 1u;
        auto* out = direct ? reinterpret_cast<std::uint32_t*>(row(0)) + first : reinterpret_cast<std::uint32_t*>(s.a);
        k_.select_32(p, reinterpret_cast<const std::uint32_t*>(on_true), as,
                     reinterpret_cast<const std::uint32_t*>(on_false), bs, out, n);
        if (!direct)
          strip_.store_int(row(0), walk(0), bits, first, n, reinterpret_cast<const std::int32_t*>(out), false);
      });
      return;
    }
    // Any width and any walks: on_false into the strip, on_true over it, then out.
    std::byte part[256 * 16];
    for (std::int64_t first = 0; first < total(); first += 256) {
      const auto n = static_cast<std::size_t>(std::min<std::int64_t>(256, total() - first));
      bytes(row(m), walk(m), first, n, mask);
      gather(row(m + 2), walk(m + 2), width, first, n, part);
      WalkCursor cursor(walk(m + 1), first);
      for (std::size_t done = 0; done < n;) {
        const auto run = cursor.next(static_cast<std::int64_t>(n - done));
        for (std::int64_t i = 0; i < run.count; ++i, ++done)
          if (mask[done])
            std::memcpy(part + done * static_cast<std::size_t>(width), row(m + 1) + run.offset + i * run.stride,
                        static_cast<std::size_t>(width));
      }
      WalkCursor out(walk(0), first);
      for (std::size_t done = 0; done < n;) {
        const auto run = out.next(static_cast<std::int64_t>(n - done));
        copy_elements(row(0) + run.offset, run.stride, part + done * static_cast<std::size_t>(width), width, width,
                      run.count);
        done += static_cast<std::size_t>(run.count);
      }
    }
  }
  void select_reduce() {
    select(2);
    float partials[kPartials];
    std::fill_n(partials, kPartials, identity(AluOp::Max));
    strips(total(), [&](std::int64_t first, std::size_t n) { k_.reduce_f32(AluOp::Max, partials, load(0, first, n, buffers_.a), n); });
    put(1, fold(AluOp::Max, partials));
  }
  static void bytes(const std::byte* row, const Walk& from, std::int64_t first, std::size_t n, std::uint8_t* out) {
    gather(row, from, 1, first, n, reinterpret_cast<std::byte*>(out));
  }
  static void gather(const std::byte* row, const Walk& from, std::int64_t width, std::int64_t first, std::size_t n,
                     std::byte* out) {
    WalkCursor cursor(from, first);
    for (std::size_t done = 0; done < n;) {
      const auto run = cursor.next(static_cast<std::int64_t>(n - done));
      copy_elements(out + done * static_cast<std::size_t>(width), width, row + run.offset, run.stride, width,
                    run.count);
      done += static_cast<std::size_t>(run.count);
    }
  }

  void iota() {
    Buffers& s = buffers_;
    const std::uint64_t start = static_cast<std::uint64_t>(views_[1].byte) +
                                static_cast<std::uint64_t>(partition_) * static_cast<std::uint64_t>(at(1).pitch);
    strips(total(), [&](std::int64_t first, std::size_t n) {
      WalkCursor cursor(walk(1), first);
      for (std::size_t done = 0; done < n;) {
        const auto run = cursor.next(static_cast<std::int64_t>(n - done));
        std::uint64_t value = start + static_cast<std::uint64_t>(run.offset);
        for (std::int64_t i = 0; i < run.count; ++i, value += static_cast<std::uint64_t>(run.stride))
          s.ic[done++] = static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
      }
      strip_.store_int(row(0), walk(0), at(0).type, first, n, s.ic, false);
    });
  }

  void reciprocal() {
    Buffers& s = buffers_;
    const float one = 1.0f;
    strips(total(), [&](std::int64_t first, std::size_t n) {
      const float* data = load(1, first, n, s.a);
      float* d = target(first, s.c);
      k_.divide_f32(&one, 0, data, 1, d, n);
      store(0, first, n, d);
    });
  }

  void activation(float* partials) {
    Buffers& s = buffers_;
    const std::size_t data_at = partials ? 2 : 1;
    const auto function = static_cast<isa::Function>(op_.params[0]);
    const bool many = per_element(data_at + 1) || per_element(data_at + 2);
    const float scale = per_element(data_at + 1) ? 0.0f : scalar(data_at + 1),
                bias = per_element(data_at + 2) ? 0.0f : scalar(data_at + 2);
    const bool plain = !many && scale == 1.0f && bias == 0.0f;
    strips(total(), [&](std::int64_t first, std::size_t n) {
      const float* x = load(data_at, first, n, s.a);
      float* d = target(first, s.c);
      if (!plain) {
        const auto scales = scalars(data_at + 1, first, n, s.b, scale), biases = scalars(data_at + 2, first, n, s.d, bias);
        k_.affine_f32(x, scales.data, scales.step, biases.data, biases.step, d, n);
        x = d;
      }
      k_.function_f32(function, x, d, n);
      if (partials) k_.reduce_f32(AluOp::Add, partials, d, n);
      store(0, first, n, d);
    });
  }

  void activation_reduce() {
    float partials[kPartials] = {};
    activation(partials);
    put(1, fold(AluOp::Add, partials));
  }
  void put(std::size_t i, float value) const { strip_.store(row(i), walk(i), at(i).type, 0, 1, &value); }

  template <class T>
  T fold(AluOp op, T* partials) const {
    for (std::size_t width = kPartials / 2; width > 0; width /= 2)
      alu(op, partials, 1, partials + width, 1, partials, width);
    return partials[0];
  }

  void reduce() {
    Buffers& s = buffers_;
    const AluOp op = op_.alu(0);
    const bool aside = reduces_side_by_side(op, walk(1), op_.reduced);
    strips(total(), [&](std::int64_t first, std::size_t n) {
      if (aside) reduce_side_by_side(k_, op, identity(op), row(1), walk(1), at(1).type, op_.reduced, first, n, s.c);
      for (std::size_t out = 0; out < n && !aside; ++out) {
        const std::int64_t base = (first + static_cast<std::int64_t>(out)) * op_.reduced;
        if (op_.reduced <= static_cast<std::int64_t>(kStrip)) {
          const auto count = static_cast<std::size_t>(op_.reduced);
          s.c[out] = k_.reduce_row_f32(op, identity(op), load(1, base, count, s.a), count);
          continue;
        }
        float partials[kPartials];
        std::fill_n(partials, kPartials, identity(op));
        strips(op_.reduced, [&](std::int64_t at_element, std::size_t m) {
          k_.reduce_f32(op, partials, load(1, base + at_element, m, s.a), m);
        });
        s.c[out] = fold(op, partials);
      }
      store(0, first, n, s.c);
    });
  }
  void reduce_int() {
    Buffers& s = buffers_;
    const AluOp op = op_.alu(0);
    strips(total(), [&](std::int64_t first, std::size_t n) {
      for (std::size_t out = 0; out < n; ++out) {
        std::int32_t partials[kPartials];
        std::fill_n(partials, kPartials, identity_int(op, unsigned_domain()));
        const std::int64_t base = (first + static_cast<std::int64_t>(out)) * op_.reduced;
        strips(op_.reduced, [&](std::int64_t at_element, std::size_t m) {
          k_.reduce_i32(op, unsigned_domain(), partials, load_int(1, base + at_element, m, s.ia), m);
        });
        s.ic[out] = fold(op, partials);
      }
      store_int(0, first, n, s.ic);
    });
  }

  const Kernels& k_;
  Strip strip_;
  const HostOp& op_;
  const HostOperand* operands_;
  const View* views_;
  const Walk* folded_;
  Buffers& buffers_;
  unsigned in_place_ = 0;  ///< operands of 4-byte elements that can be used where they lie, a bit each
  std::int64_t partition_ = 0;
};

// Asks for the start of the next partition's rows: they lie too far apart for the processor to guess.
void prefetch_rows(const HostOp& op, const HostOperand* operands, const View* views, std::int64_t partition) {
  constexpr std::int64_t kLine = 64, kMost = 8 * kLine;
  for (std::size_t i = 0; i < op.operand_count; ++i) {
    if (operands[i].kind != OperandKind::Memory) continue;
    const std::byte* row = views[i].data + partition * views[i].pitch;
    const std::int64_t bytes = std::min(operands[i].walk.count * 4, kMost);
    for (std::int64_t b = 0; b < bytes; b += kLine) __builtin_prefetch(row + b);
  }
}

struct Span {
  const std::byte *low, *high;
};
Span span_of(const HostOperand& o, const View& v, std::int64_t partition) {
  const std::byte* row = v.data + partition * v.pitch;
  return {row + o.low, row + o.high};
}

// An operation reads all of a partition before it writes it. Strips do not, so a source that the destination overlaps,
// other than element for element, is read from a copy of its row. Gives the operands to copy, a bit each.
unsigned overlapped(const HostOp& op, const HostOperand* operands, const View* views, std::int64_t partition) {
  unsigned found = 0;
  const Span to = span_of(operands[0], views[0], partition);
  for (std::size_t i = 1; i < op.operand_count; ++i) {
    if (operands[i].kind != OperandKind::Memory || (i == 1 && (op.opcode == Opcode::ActivationReduce || op.opcode == Opcode::SelectReduce))) continue;
    const Span from = span_of(operands[i], views[i], partition);
    if (from.low >= to.high || to.low >= from.high) continue;
    const bool same = views[i].data == views[0].data && operands[i].type == operands[0].type &&
                      operands[i].walk == operands[0].walk && op.opcode != Opcode::TensorReduce;
    if (!same) found |= 1u << i;
  }
  return found;
}

void execute_folded(const Context& context, const HostOp& op, const HostOperand* operands, const View* views,
                    std::int64_t first, std::int64_t last, std::int64_t most) {
  const std::int64_t step = static_cast<std::int64_t>(kStrip) / most;
  const bool scalars = op.opcode == Opcode::TensorScalar || op.opcode == Opcode::ScalarTensorTensor ||
                       op.opcode == Opcode::Activation;
  const std::int64_t row = scalars ? operands[0].walk.count : 1;
  Walk walks[isa::kMaxOperands];
  for (std::int64_t p = first, folded = 0; p < last; p += folded) {
    const std::int64_t partitions = std::min(step, last - p);
    for (std::size_t i = 0; i < op.operand_count && partitions != folded; ++i)
      if (operands[i].kind == OperandKind::Memory) fold_partitions(walks[i], operands[i], views[i], partitions, row);
    folded = partitions;
    Element(context, op, operands, views, walks).run(p);
  }
}

}  // namespace

void execute_local(const Context& context, const HostOp& op, const HostOperand* operands, const View* views,
                   std::int64_t first, std::int64_t last) {
  if (first >= last) return;
  if (const unsigned copied = overlapped(op, operands, views, first)) {
    static thread_local std::vector<std::byte> rows;
    View staged[isa::kMaxOperands];
    std::copy(views, views + op.operand_count, staged);
    std::size_t offsets[isa::kMaxOperands] = {}, total = 0;
    for (std::size_t i = 1; i < op.operand_count; ++i)
      if (copied >> i & 1u) {
        offsets[i] = total;
        total += (static_cast<std::size_t>(operands[i].high - operands[i].low) + 63) / 64 * 64;
      }
    rows.resize(total);
    for (std::int64_t p = first; p < last; ++p) {
      for (std::size_t i = 1; i < op.operand_count; ++i)
        if (copied >> i & 1u) {
          const Span from = span_of(operands[i], views[i], p);
          std::memcpy(rows.data() + offsets[i], from.low, static_cast<std::size_t>(from.high - from.low));
          staged[i].data = rows.data() + offsets[i] - operands[i].low;
          staged[i].pitch = 0;
        }
      Element(context, op, operands, staged).run(p);
    }
    return;
  }
  std::int64_t most = 0;
  if (last - first > 1 && folds(op, operands, most))
    return execute_folded(context, op, operands, views, first, last, most);
  if (execute_whole_rows(context, op, operands, views, first, last)) return;
  const bool ahead = operands[0].walk.count >= 32;
  Element element(context, op, operands, views);
  for (std::int64_t p = first; p < last; ++p) {
    if (ahead && p + 2 < last) prefetch_rows(op, operands, views, p + 2);
    element.run(p);
  }
}

}  // namespace openneuron::device
