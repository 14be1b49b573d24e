#include "opt/legalise.h"

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
    {OpKind::DotGeneral, rules::dot_types},
    {OpKind::ChloSquare, rules::square},
    {OpKind::Clamp, rules::clamp},
    {OpKind::ChloConj, rules::same},
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
    {OpKind::Map, rules::map},
    {OpKind::SelectAndScatter, rules::select_and_scatter},
    {OpKind::BatchNormTraining, rules::batch_norm_training},
    {OpKind::BatchNormInference, rules::batch_norm_inference},
    {OpKind::BatchNormGrad, rules::batch_norm_grad},
    {OpKind::Reduce, rules::reduce},
    {OpKind::Scatter, rules::scatter},
    {OpKind::Sort, rules::sort},
    {OpKind::ChloTopK, rules::top_k},
    {OpKind::Convolution, rules::convolution},
    {OpKind::ReduceWindow, rules::reduce_window},
};

Result<bool> visit(Rewriter& rewriter, Visit& v) {
  for (const Row& row : kRows)
    if (row.kind == v.kind()) return row.rule(rewriter, v);
  return false;
}

}  // namespace

Result<void> legalise(graph::Module& module) { return Rewriter(module, visit).run(); }

}  // namespace openneuron::opt
