// Ops that move elements without computing any: positions of the source, element by element.
#include <algorithm>
#include <numeric>

#include "ref/interpreter.h"

namespace openneuron::ref {
namespace {

using graph::OpKind;

std::vector<Value> one(Tensor tensor) {
  std::vector<Value> values;
  values.emplace_back(std::move(tensor));
  return values;
}

Result<std::vector<Value>> constant(const OpContext& c) {
  const AttrId id = c.module.attr(c.function, c.op, "value");
  if (!id.valid()) return c.unsupported("the constant has no value");
  const graph::Attribute& attribute = c.module.attribute(id);
  const graph::Type& type = c.result_type();
  if (attribute.kind != graph::AttrKind::Constant) return c.unsupported("the constant is no dense literal");
  const graph::Constant& literal = c.module.constant(attribute.constant);
  if (!literal.splat) return one(from_bytes(type.element, type.shape, literal.bytes));
  const Tensor element = from_bytes(type.element, {}, literal.bytes);
  return one(take(element, type.shape, std::vector<std::int64_t>(static_cast<std::size_t>(type.element_count()), 0)));
}

Tensor iota(const OpContext& c) {
  Tensor result = c.new_result();
  const std::size_t dim = static_cast<std::size_t>(c.integer("iota_dimension"));
  const Shape strides = row_major_strides(result.shape);
  const std::int64_t count = result.count();
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t number = i / strides[dim] % result.shape[dim];
    set(result, i, convert_scalar(ElementType::I64, result.type, {0, 0, number}, c.round()));
  }
  return result;
}

// Every element of the result comes from start + index * strides of the operand.
Tensor strided(const OpContext& c, std::int64_t start, const Shape& strides) {
  const Shape& shape = c.result_type().shape;
  return take(c.tensor(0), shape, strided_positions(shape, start, strides));
}

Tensor broadcast_in_dim(const OpContext& c, std::span<const std::int64_t> dims) {
  const Shape own = row_major_strides(c.tensor(0).shape);
  Shape strides(c.result_type().shape.size(), 0);
  for (std::size_t i = 0; i < dims.size(); ++i)
    if (c.tensor(0).shape[i] != 1) strides[static_cast<std::size_t>(dims[i])] = own[i];
  return strided(c, 0, strides);
}

Tensor broadcast(const OpContext& c) {
  std::vector<std::int64_t> dims(c.tensor(0).shape.size());
  std::iota(dims.begin(), dims.end(), static_cast<std::int64_t>(c.ints("broadcast_sizes").size()));
  return broadcast_in_dim(c, dims);
}

Tensor reshape(const OpContext& c) {
  Tensor result = c.tensor(0);
  result.shape = c.result_type().shape;
  return result;
}

Tensor transpose(const OpContext& c) {
  const Shape own = row_major_strides(c.tensor(0).shape);
  Shape strides;
  for (const std::int64_t d : c.ints("permutation")) strides.push_back(own[static_cast<std::size_t>(d)]);
  return strided(c, 0, strides);
}

Tensor reverse(const OpContext& c) {
  const Shape& shape = c.tensor(0).shape;
  Shape strides = row_major_strides(shape);
  std::int64_t start = 0;
  for (const std::int64_t d : c.ints("dimensions")) {
    const std::size_t dim = static_cast<std::size_t>(d);
    start += (shape[dim] - 1) * strides[dim];
    strides[dim] = -strides[dim];
  }
  return strided(c, start, strides);
}

Tensor slice(const OpContext& c) {
  Shape strides = row_major_strides(c.tensor(0).shape);
  const auto starts = c.ints("start_indices"), steps = c.ints("strides");
  std::int64_t start = 0;
  for (std::size_t d = 0; d < strides.size(); ++d) {
    start += starts[d] * strides[d];
    strides[d] *= steps[d];
  }
  return strided(c, start, strides);
}

Tensor concatenate(const OpContext& c) {
  Tensor result = c.new_result();
  const std::size_t dim = static_cast<std::size_t>(c.integer("dimension"));
  const Shape strides = row_major_strides(result.shape);
  std::int64_t start = 0;
  for (std::size_t i = 0; i < c.operands.size(); ++i) {
    put(result, strided_positions(c.tensor(i).shape, start, strides), c.tensor(i));
    start += c.tensor(i).shape[dim] * strides[dim];
  }
  return result;
}

Tensor pad(const OpContext& c) {
  const Tensor& source = c.tensor(0);
  const auto low = c.ints("edge_padding_low"), interior = c.ints("interior_padding");
  const Shape& shape = c.result_type().shape;
  const Shape own = row_major_strides(source.shape);
  std::vector<std::int64_t> positions(static_cast<std::size_t>(count_of(shape)));
  Shape index(shape.size());
  for (std::int64_t& position : positions) {
    position = 0;
    for (std::size_t d = 0; d < shape.size() && position >= 0; ++d) {
      const std::int64_t stretched = index[d] - low[d], step = interior[d] + 1;
      const bool inside = stretched >= 0 && stretched % step == 0 && stretched / step < source.shape[d];
      position = inside ? position + stretched / step * own[d] : -1;
    }
    next_index(shape, index);
  }
  return take(source, shape, positions, &c.tensor(1));
}

// A start index as the ops clamp it: into 0 .. size - window. Unsigned indices beyond 2^63 clamp high.
std::int64_t clamped(ElementType type, std::int64_t start, std::int64_t size, std::int64_t window) {
  const std::int64_t last = std::max<std::int64_t>(size - window, 0);
  if (start < 0) return type == ElementType::U64 ? last : 0;
  return std::min(start, last);
}

std::int64_t clamped_start(const OpContext& c, std::size_t first, const Shape& shape, const Shape& window) {
  const Shape strides = row_major_strides(shape);
  std::int64_t start = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const Tensor& index = c.tensor(first + d);
    start += clamped(index.type, get(index, 0).integer, shape[d], window[d]) * strides[d];
  }
  return start;
}

Tensor dynamic_slice(const OpContext& c) {
  const Shape& shape = c.tensor(0).shape;
  return strided(c, clamped_start(c, 1, shape, c.result_type().shape), row_major_strides(shape));
}

Tensor dynamic_update_slice(const OpContext& c) {
  Tensor result = c.tensor(0);
  const Tensor& update = c.tensor(1);
  const std::int64_t start = clamped_start(c, 2, result.shape, update.shape);
  put(result, strided_positions(update.shape, start, row_major_strides(result.shape)), update);
  return result;
}

bool contains(std::span<const std::int64_t> list, std::size_t dim) {
  return std::find(list.begin(), list.end(), static_cast<std::int64_t>(dim)) != list.end();
}

Tensor gather(const OpContext& c) {
  const Tensor& source = c.tensor(0);
  const Tensor& indices = c.tensor(1);
  const auto offset_dims = c.ints("offset_dims"), collapsed = c.ints("collapsed_slice_dims");
  const auto batching = c.ints("operand_batching_dims"), index_batching = c.ints("start_indices_batching_dims");
  const auto start_map = c.ints("start_index_map");
  std::vector<std::int64_t> sizes;  // dynamic_gather has them as an operand
  if (c.kind() == OpKind::DynamicGather)
    for (std::int64_t i = 0; i < c.tensor(2).count(); ++i) sizes.push_back(get(c.tensor(2), i).integer);
  else
    for (std::int64_t n : c.ints("slice_sizes")) sizes.push_back(n);
  const std::size_t vector_dim = static_cast<std::size_t>(c.integer("index_vector_dim"));
  const Shape& shape = c.result_type().shape;
  const Shape own = row_major_strides(source.shape), index_strides = row_major_strides(indices.shape);
  const std::int64_t vector_stride = vector_dim < index_strides.size() ? index_strides[vector_dim] : 0;

  // Result dimension -> stride in the indices (batch dims), or operand dimension (offset dims).
  std::vector<std::size_t> batch_dims, window_dims, index_dims;
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (!contains(offset_dims, d)) batch_dims.push_back(d);
  for (std::size_t d = 0; d < indices.shape.size(); ++d)
    if (d != vector_dim) index_dims.push_back(d);
  for (std::size_t d = 0; d < source.shape.size(); ++d)
    if (!contains(collapsed, d) && !contains(batching, d)) window_dims.push_back(d);

  std::vector<std::int64_t> positions(static_cast<std::size_t>(count_of(shape)));
  Shape index(shape.size());
  for (std::int64_t& position : positions) {
    std::int64_t at = 0;
    for (std::size_t i = 0; i < batch_dims.size(); ++i) at += index[batch_dims[i]] * index_strides[index_dims[i]];
    position = 0;
    for (std::size_t i = 0; i < start_map.size(); ++i) {
      const std::size_t d = static_cast<std::size_t>(start_map[i]);
      const std::int64_t start = get(indices, at + static_cast<std::int64_t>(i) * vector_stride).integer;
      position += clamped(indices.type, start, source.shape[d], sizes[d]) * own[d];
    }
    for (std::size_t i = 0; i < batching.size(); ++i) {
      const std::size_t which = static_cast<std::size_t>(index_batching[i]);
      const auto place = std::find(index_dims.begin(), index_dims.end(), which) - index_dims.begin();
      position += index[batch_dims[static_cast<std::size_t>(place)]] * own[static_cast<std::size_t>(batching[i])];
    }
    for (std::size_t i = 0; i < offset_dims.size(); ++i)
      position += index[static_cast<std::size_t>(offset_dims[i])] * own[window_dims[i]];
    next_index(shape, index);
  }
  return take(source, shape, positions);
}

Tensor torch_index_select(const OpContext& c) {
  // result[batch..., before..., index..., after...] = operand[..., index value at dim, ...]; out of range clamps.
  const Tensor& source = c.tensor(0);
  const Tensor& indices = c.tensor(1);
  const std::size_t dim = static_cast<std::size_t>(c.integer("dim"));
  const std::size_t batch = static_cast<std::size_t>(c.integer("batch_dims"));
  const Shape& shape = c.result_type().shape;
  const Shape own = row_major_strides(source.shape), index_strides = row_major_strides(indices.shape);
  const std::size_t inner = indices.shape.size() - batch;
  std::vector<std::int64_t> positions(static_cast<std::size_t>(count_of(shape)));
  Shape index(shape.size());
  for (std::int64_t& position : positions) {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < batch; ++d) at += index[d] * index_strides[d];
    for (std::size_t d = 0; d < inner; ++d) at += index[dim + d] * index_strides[batch + d];
    position = clamped(indices.type, get(indices, at).integer, source.shape[dim], 1) * own[dim];
    for (std::size_t d = 0; d < dim; ++d) position += index[d] * own[d];
    for (std::size_t d = dim + 1; d < source.shape.size(); ++d) position += index[d - 1 + inner] * own[d];
    next_index(shape, index);
  }
  return take(source, shape, positions);
}

Result<std::vector<Value>> bitcast_convert(const OpContext& c) {
  const Tensor& source = c.tensor(0);
  Tensor result = c.new_result();
  if (is_complex(source.type) || is_complex(result.type)) {
    if (source.type != result.type) return c.unsupported("a bitcast between complex and other types");
    return one(source);
  }
  const int from = bit_width(source.type), to = bit_width(result.type);
  const std::int64_t count = source.count();
  if (from == to) {
    for (std::int64_t i = 0; i < count; ++i) set(result, i, from_bits(result.type, bits_of(source.type, get(source, i))));
  } else if (from > to) {  // the least significant part first
    const std::int64_t parts = from / to;
    for (std::int64_t i = 0; i < count * parts; ++i)
      set(result, i, from_bits(result.type, bits_of(source.type, get(source, i / parts)) >> (i % parts * to)));
  } else {
    const std::int64_t parts = to / from;
    for (std::int64_t i = 0; i < result.count(); ++i) {
      std::uint64_t bits = 0;
      for (std::int64_t k = 0; k < parts; ++k) bits |= bits_of(source.type, get(source, i * parts + k)) << (k * from);
      set(result, i, from_bits(result.type, bits));
    }
  }
  return one(std::move(result));
}

}  // namespace

bool is_movement(OpKind kind) {
  switch (kind) {
    case OpKind::Constant: case OpKind::ChloConstant: case OpKind::Iota: case OpKind::BroadcastInDim:
    case OpKind::Broadcast: case OpKind::Reshape: case OpKind::Transpose: case OpKind::Reverse: case OpKind::Slice:
    case OpKind::Concatenate: case OpKind::Pad: case OpKind::DynamicSlice: case OpKind::DynamicUpdateSlice:
    case OpKind::Gather: case OpKind::DynamicGather: case OpKind::TorchIndexSelect: case OpKind::BitcastConvert: case OpKind::GetDimensionSize:
      return true;
    default: return false;
  }
}

Values run_movement(const OpContext& c) {
  switch (c.kind()) {
    case OpKind::Constant:
    case OpKind::ChloConstant: return constant(c);
    case OpKind::Iota: return one(iota(c));
    case OpKind::BroadcastInDim: return one(broadcast_in_dim(c, c.ints("broadcast_dimensions")));
    case OpKind::Broadcast: return one(broadcast(c));
    case OpKind::Reshape: return one(reshape(c));
    case OpKind::Transpose: return one(transpose(c));
    case OpKind::Reverse: return one(reverse(c));
    case OpKind::Slice: return one(slice(c));
    case OpKind::Concatenate: return one(concatenate(c));
    case OpKind::Pad: return one(pad(c));
    case OpKind::DynamicSlice: return one(dynamic_slice(c));
    case OpKind::DynamicUpdateSlice: return one(dynamic_update_slice(c));
    case OpKind::Gather:
    case OpKind::DynamicGather: return one(gather(c));
    case OpKind::TorchIndexSelect: return one(torch_index_select(c));
    case OpKind::BitcastConvert: return bitcast_convert(c);
    case OpKind::GetDimensionSize: {
      Tensor result = c.new_result();
      set(result, 0, {0, 0, c.tensor(0).shape[static_cast<std::size_t>(c.integer("dimension"))]});
      return one(std::move(result));
    }
    default: return c.unsupported();
  }
}

}  // namespace openneuron::ref
