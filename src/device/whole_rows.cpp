#include "device/whole_rows.h"

#include <algorithm>

#include "device/strips.h"

namespace openneuron::device {
namespace {

using isa::AluOp;
using isa::Opcode;
using isa::OperandKind;

class WholeRows {
 public:
  WholeRows(const Context& context, const HostOp& op, const HostOperand* operands, const View* views, std::int64_t first,
            std::int64_t last)
      : k_(*context.kernels), op_(op), operands_(operands), views_(views), first_(first), rows_(last - first) {}

  bool run() {
    if (op_.opcode == Opcode::Copy) return copy();
    if (op_.domain != isa::Domain::F32 || !in_rows(0)) return false;
    switch (op_.opcode) {
      case Opcode::TensorTensor: return tensor_tensor();
      case Opcode::TensorScalar: return tensor_scalar();
      case Opcode::ScalarTensorTensor: return scalar_tensor_tensor();
      default: return false;
    }
  }

 private:
  std::byte* row(std::size_t i) const { return views_[i].data + first_ * views_[i].pitch; }
  std::size_t count() const { return static_cast<std::size_t>(operands_[0].walk.count); }
  bool in_rows(std::size_t i) const {
    const HostOperand& o = operands_[i];
    return o.kind == OperandKind::Memory && o.type == ElementType::F32 && views_[i].pitch % 4 == 0 &&
           in_place(row(i), o.walk, 4);
  }
  FloatRows rows(std::size_t i) const { return {reinterpret_cast<const float*>(row(i)), views_[i].pitch, 1}; }
  // A [P, 1] operand or an immediate, kept in `value`.
  bool scalar(std::size_t i, float& value, FloatRows& out) const {
    const HostOperand& o = operands_[i];
    if (o.type != ElementType::F32) return false;
    if (o.kind == OperandKind::Immediate) {
      value = static_cast<float>(o.immediate);
      out = {&value, 0, 0};
      return true;
    }
    if (!in_rows(i)) return false;
    out = rows(i);
    out.step = 0;
    return true;
  }
  static FloatRows from(FloatRows rows, std::int64_t row) {
    rows.data += row * rows.pitch / 4;
    return rows;
  }
  void alu(AluOp op, bool reverse, const FloatRows& a, const FloatRows& b, float* d, std::int64_t d_pitch,
           std::int64_t rows) const {
    k_.alu_rows_f32(op, reverse ? b : a, reverse ? a : b, d, d_pitch, static_cast<std::size_t>(rows), count());
  }
  float* target(std::int64_t row_index) const {
    return reinterpret_cast<float*>(row(0) + row_index * views_[0].pitch);
  }

  bool copy() {
    const HostOperand &to = operands_[0], &from = operands_[1];
    const std::int64_t width = byte_width(to.type), bytes = width * to.walk.count;
    const auto in_one_piece = [width](const Walk& w) { return w.rank == 0 || (w.rank == 1 && w.strides[0] == width); };
    if (to.type != from.type || bytes % 4 != 0 || !in_one_piece(to.walk) || !in_one_piece(from.walk)) return false;
    k_.copy_rows_32(row(1), views_[1].pitch, row(0), views_[0].pitch, static_cast<std::size_t>(rows_),
                    static_cast<std::size_t>(bytes / 4));
    return true;
  }
  bool tensor_tensor() {
    if (!in_rows(1) || !in_rows(2)) return false;
    alu(op_.alu(0), false, rows(1), rows(2), target(0), views_[0].pitch, rows_);
    return true;
  }
  bool tensor_scalar() {
    float value;
    FloatRows s{};
    if (op_.alu(0) == AluOp::Bypass || !in_rows(1) || !scalar(2, value, s)) return false;
    if (op_.alu(2) != AluOp::Bypass) {
      float other;
      FloatRows t{};
      return scalar(3, other, t) && twice(s, t);
    }
    alu(op_.alu(0), op_.params[1] != 0, rows(1), s, target(0), views_[0].pitch, rows_);
    return true;
  }
  bool scalar_tensor_tensor() {
    float value;
    FloatRows s{};
    return op_.alu(0) != AluOp::Bypass && op_.alu(2) != AluOp::Bypass && in_rows(1) && in_rows(3) && scalar(2, value, s) &&
           twice(s, rows(3));
  }
  // (data op0 scalar) op1 other, a few rows at a time through a buffer: the destination may be an operand of either.
  bool twice(const FloatRows& s, const FloatRows& other) {
    const auto n = static_cast<std::int64_t>(count());
    if (n > static_cast<std::int64_t>(kStrip)) return false;
    alignas(64) static thread_local float between[kStrip];
    const std::int64_t step = static_cast<std::int64_t>(kStrip) / n;
    for (std::int64_t r = 0; r < rows_; r += step) {
      const std::int64_t here = std::min(step, rows_ - r);
      alu(op_.alu(0), op_.params[1] != 0, from(rows(1), r), from(s, r), between, 4 * n, here);
      alu(op_.alu(2), op_.params[3] != 0, {between, 4 * n, 1}, from(other, r), target(r), views_[0].pitch, here);
    }
    return true;
  }

  const Kernels& k_;
  const HostOp& op_;
  const HostOperand* operands_;
  const View* views_;
  std::int64_t first_, rows_;
};

}  // namespace

bool execute_whole_rows(const Context& context, const HostOp& op, const HostOperand* operands, const View* views,
                        std::int64_t first, std::int64_t last) {
  return WholeRows(context, op, operands, views, first, last).run();
}

}  // namespace openneuron::device
