// A contraction of an operand with a dim that a reshape made of dims which do not lie beside each other (heads merged after
// attention). The merge would be a copy of the whole operand. Contracting over its dims one by one needs none, the other
// operand's dim being cut by a view; a free dim stays cut in the result, where its parts do lie beside each other. The
// innermost of the dims must still fill a quadrant of the PE's rows.
#include <algorithm>

#include "opt/legalise_rules.h"
#include "opt/moves.h"

namespace openneuron::opt::rules {
namespace {

using graph::OpKind;

constexpr std::int64_t kRowsMin = 32;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// The first and the last of the dims of `from` that one dim of `to` merges, all others being the same; false when it is
// no such reshape.
bool merged_dims(const Shape& from, const Shape& to, std::size_t& first, std::size_t& last) {
  if (from.size() <= to.size() || to.empty()) return false;
  const std::size_t extra = from.size() - to.size();
  first = 0;
  while (first < to.size() && from[first] == to[first]) ++first;
  if (first == to.size()) return false;
  last = first + extra;
  for (std::size_t i = first + 1; i < to.size(); ++i)
    if (from[i + extra] != to[i]) return false;
  return true;
}

}  // namespace

Result<bool> merged_dot(Visit& v) {
  const std::string_view kContracted[] = {"lhs_contracting_dimensions", "rhs_contracting_dimensions"};
  const std::string_view kBatches[] = {"lhs_batching_dimensions", "rhs_batching_dimensions"};
  Moves m(v);
  graph::Module& module = v.out.module();
  const graph::Function& f = v.out.function();
  for (std::size_t side = 0; side < 2; ++side) {
    const OpId reshape = f.definition(v.operands[side]);
    if (!reshape.valid() || f.kind(reshape) != OpKind::Reshape) continue;
    const ValueId source = f.operand(reshape, 0);
    const OpId transpose = f.definition(source);
    std::size_t first = 0, last = 0;
    if (!transpose.valid() || f.kind(transpose) != OpKind::Transpose || !merged_dims(m.shape(source), m.shape(v.operands[side]), first, last) ||
        m.shape(source)[last] < kRowsMin)
      continue;
    const auto order = module.ints(f, transpose, "permutation");
    bool adjacent = true;
    for (std::size_t d = first; d < last; ++d) adjacent = adjacent && order[d] + 1 == order[d + 1];
    if (adjacent) continue;

    // Dims behind the merged one move back by as many as it has parts more; lists that name it name its parts.
    const auto merged = static_cast<std::int64_t>(first), extra = static_cast<std::int64_t>(last - first);
    const auto parted = [&](std::span<const std::int64_t> dims, std::int64_t whole) {
      Shape out;
      for (const std::int64_t x : dims)
        for (std::int64_t part = 0; part <= (x == whole ? extra : 0); ++part) out.push_back(x > whole ? x + extra : x + part);
      return out;
    };
    const auto parts = Shape(m.shape(source).begin() + static_cast<std::ptrdiff_t>(first), m.shape(source).begin() + static_cast<std::ptrdiff_t>(last) + 1);
    const auto cut = [&](Shape shape, std::int64_t d) {
      shape.erase(shape.begin() + d);
      shape.insert(shape.begin() + d, parts.begin(), parts.end());
      return shape;
    };
    const auto mine = v.ints(kContracted[side]), others = v.ints(kContracted[1 - side]), batch = v.ints(kBatches[side]), other_batch = v.ints(kBatches[1 - side]);
    const auto contracted = std::find(mine.begin(), mine.end(), merged) - mine.begin();
    const bool contracts = contracted < static_cast<std::ptrdiff_t>(mine.size());
    if (std::find(batch.begin(), batch.end(), merged) != batch.end()) continue;
    // The other operand's dim that meets the merged one is cut alike; a free dim is cut in the result, and merged there.
    const std::int64_t met = contracts ? others[at(contracted)] : -1;
    std::int64_t in_result = static_cast<std::int64_t>(batch.size());
    const auto free_before = [&](std::size_t of, std::int64_t until) {
      std::int64_t n = 0;
      const auto here = v.ints(kContracted[of]), batches = v.ints(kBatches[of]);
      for (std::int64_t d = 0; d < until; ++d)
        n += std::find(here.begin(), here.end(), d) == here.end() && std::find(batches.begin(), batches.end(), d) == batches.end();
      return n;
    };
    if (side == 1) in_result += free_before(0, static_cast<std::int64_t>(m.shape(v.operands[0]).size()));
    in_result += free_before(side, merged);

    ValueId operands[2];
    operands[side] = source;
    operands[1 - side] = contracts ? m.reshape(v.operands[1 - side], cut(m.shape(v.operands[1 - side]), met)) : v.operands[1 - side];
    std::vector<std::pair<std::string, AttrId>> pairs = {{std::string(kContracted[side]), module.ints_attr(parted(mine, merged))},
                                                         {std::string(kContracted[1 - side]), module.ints_attr(contracts ? parted(others, met) : Shape(others.begin(), others.end()))},
                                                         {std::string(kBatches[side]), module.ints_attr(parted(batch, merged))},
                                                         {std::string(kBatches[1 - side]), module.ints_attr(contracts ? parted(other_batch, met) : Shape(other_batch.begin(), other_batch.end()))}};
    if (v.attr("precision_config").valid()) pairs.push_back({"precision_config", v.attr("precision_config")});
    const graph::Type result = module.type(v.result_type());
    const TypeId type = contracts ? v.result_type() : module.tensor(result.element, cut(result.shape, in_result));
    const ValueId made = v.out.emit(OpKind::DotGeneral, operands, type, module.dictionary(std::move(pairs)), v.location());
    return v.replace(contracts ? made : m.reshape(made, result.shape));
  }
  return false;
}

}  // namespace openneuron::opt::rules
