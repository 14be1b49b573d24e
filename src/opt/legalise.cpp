#include "opt/legalise.h"

#include <algorithm>

#include "graph/op_info.h"
#include "opt/legalise_rules.h"

namespace openneuron::opt {
namespace {

using graph::OpKind;

struct Row {
  OpKind kind;
  rules::Rule rule;
};
constexpr Row kRows[] = {
    {OpKind::OptimizationBarrier, rules::optimization_barrier},
    {OpKind::Broadcast, rules::broadcast_op},
    {OpKind::Dot, rules::dot},
    {OpKind::DotGeneral, rules::dot_general},
    {OpKind::Einsum, rules::einsum},
    {OpKind::UnaryEinsum, rules::einsum},
    {OpKind::ChloConstant, rules::chlo_constant},
    {OpKind::Multiply, rules::activation_product},
    {OpKind::Select, rules::scaled_select},
    {OpKind::Subtract, rules::scaled_subtract},
    {OpKind::ChloSquare, rules::square},
    {OpKind::Clamp, rules::clamp},
    {OpKind::ChloConj, rules::same},
    {OpKind::BitcastConvert, rules::bitcast_convert},
    {OpKind::Popcnt, rules::popcnt},
    {OpKind::CountLeadingZeros, rules::count_leading_zeros},
    {OpKind::ShiftRightArithmetic, rules::shift_right_arithmetic},
    {OpKind::ShiftRightLogical, rules::shift_right_logical},
    {OpKind::Sign, rules::sign},
    {OpKind::Remainder, rules::remainder},
    {OpKind::RoundNearestAfz, rules::round_nearest_afz},
    {OpKind::Compare, rules::compare},
    {OpKind::ReducePrecision, rules::reduce_precision},
    {OpKind::ChloIsInf, rules::is_inf},
    {OpKind::ChloIsPosInf, rules::is_pos_inf},
    {OpKind::ChloIsNegInf, rules::is_neg_inf},
    {OpKind::ChloNextAfter, rules::next_after},
    {OpKind::ChloMulhi, rules::mulhi},
    {OpKind::ChloConstantLike, rules::constant_like},
    {OpKind::ChloSinh, rules::sinh},
    {OpKind::ChloCosh, rules::cosh},
    {OpKind::ChloAsin, rules::asin},
    {OpKind::ChloAcos, rules::acos},
    {OpKind::ChloAsinh, rules::asinh},
    {OpKind::ChloAcosh, rules::acosh},
    {OpKind::ChloAtanh, rules::atanh},
    {OpKind::Cbrt, rules::cbrt},
    {OpKind::Atan2, rules::atan2},
    {OpKind::ChloErfc, rules::erfc},
    {OpKind::ChloErfInv, rules::erf_inv},
    {OpKind::ChloLgamma, rules::lgamma},
    {OpKind::ChloDigamma, rules::digamma},
    {OpKind::ChloZeta, rules::zeta},
    {OpKind::ChloPolygamma, rules::polygamma},
    {OpKind::ChloBesselI1e, rules::bessel_i1e},
    {OpKind::Map, rules::map},
    {OpKind::SelectAndScatter, rules::select_and_scatter},
    {OpKind::BatchNormTraining, rules::batch_norm_training},
    {OpKind::BatchNormInference, rules::batch_norm_inference},
    {OpKind::BatchNormGrad, rules::batch_norm_grad},
    {OpKind::Reduce, rules::reduce},
    {OpKind::DynamicGather, rules::dynamic_gather},
    {OpKind::TorchIndexSelect, rules::torch_index_select},
    {OpKind::Scatter, rules::scatter},
    {OpKind::Sort, rules::sort},
    {OpKind::ChloTopK, rules::top_k},
    {OpKind::Convolution, rules::convolution},
    {OpKind::ReduceWindow, rules::reduce_window},
};

// Sizes that are not known have no lowering, and rules compute with sizes.
bool is_static(const Visit& v) {
  const auto known = [&](ValueId value) {
    const std::vector<std::int64_t>& shape = v.out.module().type(v.old.type(value)).shape;
    return std::all_of(shape.begin(), shape.end(), [](std::int64_t n) { return n >= 0; });
  };
  const auto operands = v.old.operands(v.op);
  if (!std::all_of(operands.begin(), operands.end(), known)) return false;
  for (ValueId r : v.old.results(v.op))
    if (!known(r)) return false;
  return true;
}

// What no element is made of is a literal without any.
bool without_elements(Visit& v) {
  if (v.kind() == OpKind::Constant || !graph::op_info(v.kind()).has(graph::kPure)) return false;
  for (ValueId r : v.old.results(v.op)) {
    const graph::Type& t = v.out.module().type(v.old.type(r));
    if (t.kind != graph::TypeKind::Tensor || t.shape.empty() || *std::min_element(t.shape.begin(), t.shape.end()) != 0) return false;
  }
  for (ValueId r : v.old.results(v.op)) v.map[r] = v.out.constant(v.old.type(r), 0, v.location());
  return true;
}

Result<bool> visit(Rewriter& rewriter, Visit& v) {
  if (without_elements(v)) return true;
  for (const Row& row : kRows)
    if (row.kind == v.kind()) return is_static(v) ? row.rule(rewriter, v) : Result<bool>(false);
  return false;
}

}  // namespace

Result<void> legalise(graph::Module& module) { return Rewriter(module, visit).run(); }

}  // namespace openneuron::opt
