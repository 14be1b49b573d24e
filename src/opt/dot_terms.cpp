#include "opt/dot_terms.h"

#include <algorithm>

namespace openneuron::opt {

DotTerms dot_terms(const Visit& v) {
  constexpr const char* kBatch[] = {"lhs_batching_dimensions", "rhs_batching_dimensions"};
  constexpr const char* kContracted[] = {"lhs_contracting_dimensions", "rhs_contracting_dimensions"};
  DotTerms t;
  Shape rest[2];
  std::int64_t contracted = 1;
  std::size_t batch = 0;
  for (std::size_t side = 0; side < 2; ++side) {
    const Shape from = v.out.module().type(v.old.type(v.old.operand(v.op, side))).shape;
    const auto batching = v.ints(kBatch[side]), summed = v.ints(kContracted[side]);
    const auto has = [](std::span<const std::int64_t> all, std::int64_t d) { return std::find(all.begin(), all.end(), d) != all.end(); };
    t.order[side].assign(batching.begin(), batching.end());
    for (std::int64_t d = 0; d < static_cast<std::int64_t>(from.size()); ++d)
      if (!has(batching, d) && !has(summed, d)) {
        t.order[side].push_back(d);
        rest[side].push_back(from[static_cast<std::size_t>(d)]);
      }
    contracted = 1;
    for (std::int64_t d : summed) {
      t.order[side].push_back(d);
      contracted *= from[static_cast<std::size_t>(d)];
    }
    batch = batching.size();
    if (side == 0)
      for (std::int64_t d : batching) t.shape.push_back(from[static_cast<std::size_t>(d)]);
  }
  const Shape batches = t.shape;
  for (std::size_t side = 0; side < 2; ++side) {
    t.merged[side] = batches;
    t.merged[side].insert(t.merged[side].end(), rest[side].begin(), rest[side].end());
    t.merged[side].push_back(contracted);
    t.shape.insert(t.shape.end(), rest[side].begin(), rest[side].end());
  }
  t.shape.push_back(contracted);
  for (std::size_t side = 0; side < 2; ++side) {
    for (std::size_t d = 0; d < batch; ++d) t.dims[side].push_back(static_cast<std::int64_t>(d));
    const std::size_t first = batch + (side == 0 ? 0 : rest[0].size());
    for (std::size_t d = 0; d < rest[side].size(); ++d) t.dims[side].push_back(static_cast<std::int64_t>(first + d));
    t.dims[side].push_back(static_cast<std::int64_t>(t.shape.size() - 1));
  }
  return t;
}

ValueId DotTerms::lay(Visit& v, ValueId operand, std::size_t side) const {
  Moves moves(v);
  const ValueId turned = moves.transpose(operand, order[side]);
  return moves.broadcast(moves.reshape(turned, merged[side]), shape, dims[side]);
}

}  // namespace openneuron::opt
