#include "opt/legalise_rules.h"
#include "opt/legalise_tools.h"

namespace openneuron::opt::rules {

using graph::OpKind;

// A reduction over dims of size 1 from the identity is a reshape.
Result<bool> reduce(Rewriter& rewriter, Visit& v) {
  if (v.operands.size() != 2) return false;
  const graph::Type& in = v.out.type(v.operands[0]);
  for (std::int64_t d : v.ints("dimensions"))
    if (in.shape[static_cast<std::size_t>(d)] != 1) return false;
  OpKind kind;
  const auto init = v.out.splat(v.operands[1]);
  if (!init || !single_op_region(rewriter.old_function(v.old.regions(v.op)[0]), kind) || !is_identity(kind, *init)) return false;
  return v.replace(v.out.emit(OpKind::Reshape, {v.operands[0]}, v.result_type(), {}, v.location()));
}

}  // namespace openneuron::opt::rules
