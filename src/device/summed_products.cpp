#include "device/summed_products.h"

#include "device/strips.h"

namespace openneuron::device {
namespace {

// Rows of fp32 that the kernel can read, or of which it may write the first element.
bool in_rows(const HostOperand& o, const View& v) {
  return o.kind == isa::OperandKind::Memory && o.type == ElementType::F32 && v.pitch % 4 == 0 && in_place(v.data, o.walk, 4);
}

}  // namespace

bool sums_products(const HostOp& product, const HostOperand* factors, const View* factor_views, const HostOp& sum,
                   const HostOperand* operands, const View* views) {
  if (product.opcode != isa::Opcode::TensorTensor || product.domain != isa::Domain::F32 ||
      product.alu(0) != isa::AluOp::Multiply || sum.opcode != isa::Opcode::TensorReduce ||
      sum.domain != isa::Domain::F32 || sum.alu(0) != isa::AluOp::Add || sum.reduced != factors[0].walk.count)
    return false;
  for (std::size_t i = 0; i < 3; ++i)
    if (!in_rows(factors[i], factor_views[i])) return false;
  return in_rows(operands[0], views[0]) && operands[0].walk.count == 1 && operands[1].type == ElementType::F32 &&
         factor_views[0].data == views[1].data && factor_views[0].pitch == views[1].pitch &&
         factors[0].partitions == operands[1].partitions && factors[0].walk == operands[1].walk;
}

void execute_summed_products(const Context& context, const HostOperand* factors, const View* factor_views,
                             const View* sum_views, std::int64_t first, std::int64_t last) {
  const auto n = static_cast<std::size_t>(factors[1].walk.count);
  const auto row = [](const View& v, std::int64_t p) { return reinterpret_cast<float*>(v.data + p * v.pitch); };
  for (std::int64_t p = first; p < last; ++p)
    *row(sum_views[0], p) = context.kernels->sum_products_f32(row(factor_views[1], p), row(factor_views[2], p), n);
}

}  // namespace openneuron::device
