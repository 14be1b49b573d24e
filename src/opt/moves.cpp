#include "opt/moves.h"

#include <algorithm>

#include "num/convert.h"

namespace openneuron::opt {

using graph::OpKind;

ValueId Moves::emit(OpKind kind, std::span<const ValueId> operands, ElementType element, const Shape& shape,
                    std::vector<std::pair<std::string, AttrId>> attributes) {
  graph::Module& m = v_.out.module();
  const AttrId dictionary = attributes.empty() ? AttrId() : m.dictionary(std::move(attributes));
  return v_.out.emit(kind, operands, m.tensor(element, shape), dictionary, v_.location());
}

ValueId Moves::reshape(ValueId x, const Shape& to) {
  const ValueId operands[] = {x};
  return emit(OpKind::Reshape, operands, element(x), to, {});
}

ValueId Moves::transpose(ValueId x, const Shape& permutation) {
  Shape to;
  for (std::int64_t d : permutation) to.push_back(shape(x)[static_cast<std::size_t>(d)]);
  const ValueId operands[] = {x};
  return emit(OpKind::Transpose, operands, element(x), to, {{"permutation", v_.out.module().ints_attr(permutation)}});
}

ValueId Moves::broadcast(ValueId x, const Shape& to, const Shape& dims) {
  const ValueId operands[] = {x};
  return emit(OpKind::BroadcastInDim, operands, element(x), to, {{"broadcast_dimensions", v_.out.module().ints_attr(dims)}});
}

ValueId Moves::slice(ValueId x, std::size_t dim, std::int64_t start, std::int64_t limit) {
  Shape count = shape(x), starts(count.size(), 0);
  starts[dim] = start;
  count[dim] = limit - start;
  return slice(x, starts, count, Shape(count.size(), 1));
}

ValueId Moves::slice(ValueId x, const Shape& start, const Shape& count, const Shape& strides) {
  graph::Module& m = v_.out.module();
  Shape limit(start.size());
  for (std::size_t d = 0; d < start.size(); ++d) limit[d] = count[d] == 0 ? start[d] : start[d] + (count[d] - 1) * strides[d] + 1;
  const ValueId operands[] = {x};
  return emit(OpKind::Slice, operands, element(x), count,
              {{"start_indices", m.ints_attr(start)}, {"limit_indices", m.ints_attr(limit)}, {"strides", m.ints_attr(strides)}});
}

ValueId Moves::pad(ValueId x, ValueId fill, const Shape& low, const Shape& high, const Shape& interior) {
  const auto nothing = [](const Shape& s) { return std::all_of(s.begin(), s.end(), [](std::int64_t n) { return n == 0; }); };
  if (nothing(low) && nothing(high) && nothing(interior)) return x;
  graph::Module& m = v_.out.module();
  Shape to = shape(x);
  for (std::size_t d = 0; d < to.size(); ++d)
    to[d] = std::max<std::int64_t>(0, low[d] + high[d] + to[d] + std::max<std::int64_t>(to[d] - 1, 0) * interior[d]);
  const ValueId operands[] = {x, fill};
  return emit(OpKind::Pad, operands, element(x), to,
              {{"edge_padding_low", m.ints_attr(low)}, {"edge_padding_high", m.ints_attr(high)}, {"interior_padding", m.ints_attr(interior)}});
}

ValueId Moves::concatenate(std::span<const ValueId> parts, std::int64_t dim) {
  if (parts.size() == 1) return parts[0];
  Shape to = shape(parts[0]);
  for (std::size_t i = 1; i < parts.size(); ++i)
    to[static_cast<std::size_t>(dim)] += shape(parts[i])[static_cast<std::size_t>(dim)];
  return emit(OpKind::Concatenate, parts, element(parts[0]), to, {{"dimension", v_.out.module().int_attr(dim)}});
}

ValueId Moves::iota(ElementType element, const Shape& shape, std::int64_t dim) {
  return emit(OpKind::Iota, {}, element, shape, {{"iota_dimension", v_.out.module().int_attr(dim)}});
}

ValueId Moves::dynamic_slice(ValueId x, std::span<const ValueId> starts, const Shape& sizes) {
  std::vector<ValueId> operands = {x};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return emit(OpKind::DynamicSlice, operands, element(x), sizes, {{"slice_sizes", v_.out.module().ints_attr(sizes)}});
}

ValueId Moves::dynamic_update_slice(ValueId x, ValueId update, std::span<const ValueId> starts) {
  std::vector<ValueId> operands = {x, update};
  operands.insert(operands.end(), starts.begin(), starts.end());
  const Shape to = shape(x);
  return emit(OpKind::DynamicUpdateSlice, operands, element(x), to, {});
}

ValueId Moves::splat(ElementType element, const Shape& shape, double value) {
  return v_.out.constant(v_.out.module().tensor(element, shape), value, v_.location());
}

bool gather_of_constant_sizes(Visit& v, ValueId indices) {
  graph::Module& m = v.out.module();
  const OpId constant = v.old.definition(v.old.operand(v.op, 2));
  if (!constant.valid() || v.old.kind(constant) != OpKind::Constant) return false;
  const graph::Constant& sizes = m.constant(m.attribute(m.attr(v.old, constant, "value")).constant);
  const graph::Type type = m.type(sizes.type);
  Shape values;
  for (std::int64_t i = 0; i < type.element_count(); ++i)
    values.push_back(load_int(type.element, sizes.bytes.data(), sizes.splat ? 0 : i));
  std::vector<std::pair<std::string, AttrId>> attributes = {{"slice_sizes", m.ints_attr(values)}};
  for (const char* name : {"offset_dims", "collapsed_slice_dims", "operand_batching_dims", "start_indices_batching_dims",
                           "start_index_map", "index_vector_dim", "indices_are_sorted"})
    if (const AttrId attribute = v.attr(name); attribute.valid()) attributes.emplace_back(name, attribute);
  return v.replace(v.out.emit(OpKind::Gather, {v.operands[0], indices}, v.result_type(), m.dictionary(std::move(attributes)), v.location()));
}

}  // namespace openneuron::opt
