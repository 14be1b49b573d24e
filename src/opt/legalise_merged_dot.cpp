// A contraction over a dim that a reshape made of dims which do not lie beside each other (heads merged after attention).
// The merge would be a copy of the whole operand; contracting over its dims one by one needs none, and the other operand's
// dim is cut by a view. The innermost of the dims must still fill a quadrant of the PE's rows.
#include <algorithm>

#include "opt/legalise_rules.h"
#include "opt/moves.h"

namespace openneuron::opt::rules {
namespace {

using graph::OpKind;

constexpr std::int64_t kRowsMin = 32;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// The first and the last dim of `from` that make dim d of `to`; false when d is no merge of whole dims.
bool merged_dims(const Shape& from, const Shape& to, std::size_t d, std::size_t& first, std::size_t& last) {
  if (from.size() <= to.size()) return false;
  const std::size_t extra = from.size() - to.size();
  for (std::size_t i = 0; i < d; ++i)
    if (from[i] != to[i]) return false;
  for (std::size_t i = d + 1; i < to.size(); ++i)
    if (from[i + extra] != to[i]) return false;
  first = d;
  last = d + extra;
  return true;
}

}  // namespace

Result<bool> merged_dot(Visit& v) {
  const std::string_view kSides[] = {"lhs_contracting_dimensions", "rhs_contracting_dimensions"};
  const std::string_view kBatches[] = {"lhs_batching_dimensions", "rhs_batching_dimensions"};
  Moves m(v);
  graph::Module& module = v.out.module();
  for (std::size_t side = 0; side < 2; ++side) {
    const auto contracted = v.ints(kSides[side]), others = v.ints(kSides[1 - side]);
    if (contracted.size() != 1) return false;
    const graph::Function& f = v.out.function();
    const OpId reshape = f.definition(v.operands[side]);
    if (!reshape.valid() || f.kind(reshape) != OpKind::Reshape) continue;
    const ValueId source = f.operand(reshape, 0);
    const OpId transpose = f.definition(source);
    std::size_t first = 0, last = 0;
    if (!transpose.valid() || f.kind(transpose) != OpKind::Transpose ||
        !merged_dims(m.shape(source), m.shape(v.operands[side]), at(contracted[0]), first, last) || m.shape(source)[last] < kRowsMin)
      continue;
    const auto order = module.ints(f, transpose, "permutation");
    bool adjacent = true;
    for (std::size_t d = first; d < last; ++d) adjacent = adjacent && order[d] + 1 == order[d + 1];
    if (adjacent) continue;

    // The dims behind the contracted one move back by as many as it has parts more.
    const std::int64_t extra = static_cast<std::int64_t>(last - first);
    const auto parts = [&](std::int64_t d) {
      Shape dims;
      for (std::int64_t i = 0; i <= extra; ++i) dims.push_back(d + i);
      return dims;
    };
    const auto behind = [&](std::span<const std::int64_t> dims, std::int64_t d) {
      Shape moved(dims.begin(), dims.end());
      for (std::int64_t& x : moved)
        if (x > d) x += extra;
      return moved;
    };
    Shape cut = m.shape(v.operands[1 - side]);
    cut.erase(cut.begin() + others[0]);
    cut.insert(cut.begin() + others[0], m.shape(source).begin() + static_cast<std::ptrdiff_t>(first), m.shape(source).begin() + static_cast<std::ptrdiff_t>(last) + 1);
    ValueId operands[2];
    operands[side] = source;
    operands[1 - side] = m.reshape(v.operands[1 - side], cut);
    std::vector<std::pair<std::string, AttrId>> pairs = {
        {std::string(kSides[side]), module.ints_attr(parts(contracted[0]))},
        {std::string(kSides[1 - side]), module.ints_attr(parts(others[0]))},
        {std::string(kBatches[side]), module.ints_attr(behind(v.ints(kBatches[side]), contracted[0]))},
        {std::string(kBatches[1 - side]), module.ints_attr(behind(v.ints(kBatches[1 - side]), others[0]))}};
    if (v.attr("precision_config").valid()) pairs.push_back({"precision_config", v.attr("precision_config")});
    return v.replace(v.out.emit(OpKind::DotGeneral, operands, v.result_type(), module.dictionary(std::move(pairs)), v.location()));
  }
  return false;
}

}  // namespace openneuron::opt::rules
