// Gathers under other names: slice sizes as an operand (results have static shapes, so they are constant), and one index
// for each element of a dim.
#include "opt/legalise_rules.h"
#include "opt/moves.h"

namespace openneuron::opt::rules {

using graph::OpKind;

Result<bool> dynamic_gather(Rewriter&, Visit& v) { return gather_of_constant_sizes(v, v.operands[1]); }

// result[batch..., before..., index..., after...] = operand[batch..., before..., indices[batch..., index...], after...]
Result<bool> torch_index_select(Rewriter&, Visit& v) {
  graph::Module& m = v.out.module();
  const Shape operand = v.out.type(v.operands[0]).shape;
  const auto indices = static_cast<std::int64_t>(v.out.type(v.operands[1]).shape.size()), rank = static_cast<std::int64_t>(operand.size());
  std::int64_t dim = m.attribute(v.attr("dim")).integer, batch = m.attribute(v.attr("batch_dims")).integer;
  if (dim < 0) dim += rank;
  if (batch < 0) batch += indices;
  Shape offset, batching, sizes = operand;
  for (std::int64_t d = 0; d < batch; ++d) {
    batching.push_back(d);
    sizes[static_cast<std::size_t>(d)] = 1;
  }
  for (std::int64_t d = batch; d < dim; ++d) offset.push_back(d);
  for (std::int64_t d = dim + 1; d < rank; ++d) offset.push_back(d + indices - batch - 1);
  sizes[static_cast<std::size_t>(dim)] = 1;
  const Shape mapped = {dim};
  const AttrId attributes = m.dictionary({{"offset_dims", m.ints_attr(offset)}, {"collapsed_slice_dims", m.ints_attr(mapped)},
      {"operand_batching_dims", m.ints_attr(batching)}, {"start_indices_batching_dims", m.ints_attr(batching)},
      {"start_index_map", m.ints_attr(mapped)}, {"index_vector_dim", m.int_attr(indices)},
      {"slice_sizes", m.ints_attr(sizes)}, {"indices_are_sorted", m.bool_attr(false)}});
  return v.replace(v.out.emit(OpKind::Gather, {v.operands[0], v.operands[1]}, v.result_type(), attributes, v.location()));
}

}  // namespace openneuron::opt::rules
