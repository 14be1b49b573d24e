// Ops that move data, emitted at the place of a visited op.
#pragma once
#include <vector>

#include "opt/legalise_tools.h"

namespace openneuron::opt {

using Shape = std::vector<std::int64_t>;

class Moves {
 public:
  explicit Moves(Visit& visit) : v_(visit) {}

  const Shape& shape(ValueId x) const { return v_.out.type(x).shape; }
  ElementType element(ValueId x) const { return v_.out.type(x).element; }
  ValueId reshape(ValueId x, const Shape& to);
  ValueId transpose(ValueId x, const Shape& permutation);
  ValueId broadcast(ValueId x, const Shape& to, const Shape& dims);
  /// Elements start..limit-1 of one dim.
  ValueId slice(ValueId x, std::size_t dim, std::int64_t start, std::int64_t limit);
  /// `count` elements of every dim from `start` on, `strides` apart.
  ValueId slice(ValueId x, const Shape& start, const Shape& count, const Shape& strides);
  /// low and high may be negative, interior not; x itself when there is nothing to do.
  ValueId pad(ValueId x, ValueId fill, const Shape& low, const Shape& high, const Shape& interior);
  ValueId concatenate(std::span<const ValueId> parts, std::int64_t dim);
  ValueId iota(ElementType element, const Shape& shape, std::int64_t dim);
  ValueId dynamic_slice(ValueId x, std::span<const ValueId> starts, const Shape& sizes);
  ValueId dynamic_update_slice(ValueId x, ValueId update, std::span<const ValueId> starts);
  ValueId splat(ElementType element, const Shape& shape, double value);

 private:
  ValueId emit(graph::OpKind kind, std::span<const ValueId> operands, ElementType element, const Shape& shape,
               std::vector<std::pair<std::string, AttrId>> attributes);
  Visit& v_;
};

/// A visited dynamic_gather whose sizes are constant, as a gather by `indices`; false when they are not.
bool gather_of_constant_sizes(Visit& visit, ValueId indices);

}  // namespace openneuron::opt
