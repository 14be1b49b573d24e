#include "opt/unroll.h"

#include "graph/counted_loop.h"
#include "opt/rewrite.h"

namespace openneuron::opt {
namespace {

constexpr std::int64_t kTurnsMax = 8;
constexpr std::int64_t kOpsMax = 512;

Result<bool> visit(Rewriter& rewriter, Visit& v) {
  if (v.kind() != graph::OpKind::While) return false;
  const auto loop = graph::counted_loop(v.out.module(), v.old, v.op, [&](FunctionId id) -> const graph::Function& { return rewriter.old_function(id); });
  if (!loop || loop->trips > kTurnsMax) return false;
  const FunctionId id = v.old.regions(v.op)[1];
  const graph::Function& body = rewriter.old_function(id);
  if (static_cast<std::int64_t>(body.op_count()) * loop->trips > kOpsMax) return false;
  for (OpId op : body.ops())
    if (!body.regions(op).empty() && body.kind(op) != graph::OpKind::Reduce) return false;
  std::vector<ValueId> values(v.operands.begin(), v.operands.end());
  for (std::int64_t turn = 0; turn < loop->trips; ++turn) {
    auto next = rewriter.inline_body(v.out, id, values);
    if (!next) return next.failure();
    std::copy(next->begin(), next->end(), values.begin());
  }
  std::size_t i = 0;
  for (ValueId r : v.old.results(v.op)) v.map[r] = values[i++];
  return true;
}

}  // namespace

Result<void> unroll(graph::Module& module) {
  for (FunctionId f : module.functions())
    for (OpId op : module.function(f).ops())
      if (module.function(f).kind(op) == graph::OpKind::While) return Rewriter(module, visit).run();
  return {};
}

}  // namespace openneuron::opt
