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
    {OpKind::Reduce, rules::reduce},
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
    {OpKind::Scatter, rules::scatter},
    {OpKind::Sort, rules::sort},
    {OpKind::ChloTopK, rules::top_k},
