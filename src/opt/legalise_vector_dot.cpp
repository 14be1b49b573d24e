// A matrix of rows times one vector (decoding: a tied head, attention over a cache). The PE wants the contracted dim on
// partitions: the rows would have to be turned, for one column of work. Vector multiplies rows as they lie and adds.
#include <algorithm>

#include "opt/apply_region.h"
#include "opt/legalise_rules.h"
#include "opt/legalise_tools.h"
#include "opt/moves.h"

namespace openneuron::opt::rules {
namespace {

using graph::OpKind;
using Ints = std::vector<std::int64_t>;

constexpr std::int64_t kRowsMin = 256;
constexpr std::int64_t kRowLengthMax = 4096;  // a longer product would not be summed in one tile

Ints ints(const Visit& v, std::string_view name) {
  const auto s = v.ints(name);
  return {s.begin(), s.end()};
}
std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
bool has(const Ints& list, std::int64_t x) { return std::find(list.begin(), list.end(), x) != list.end(); }

}  // namespace

Result<bool> vector_dot(Visit& v) {
  const Ints batch[] = {ints(v, "lhs_batching_dimensions"), ints(v, "rhs_batching_dimensions")};
  const Ints contracted[] = {ints(v, "lhs_contracting_dimensions"), ints(v, "rhs_contracting_dimensions")};
  if (contracted[0].size() != 1) return false;
  Moves m(v);
  for (std::size_t rows = 0; rows < 2; ++rows) {
    const std::size_t one = 1 - rows;
    const ValueId matrix = v.operands[rows], vector = v.operands[one];
    const Ints shape = m.shape(matrix), vector_shape = m.shape(vector);
    if (!is_float(m.element(matrix)) || !is_float(m.element(vector))) return false;
    // One free element on the vector's side; rows that lie one after the other.
    std::int64_t free = 1, many = 1;
    for (std::size_t d = 0; d < vector_shape.size(); ++d)
      if (!has(batch[one], static_cast<std::int64_t>(d)) && contracted[one][0] != static_cast<std::int64_t>(d)) free *= vector_shape[d];
    for (std::size_t d = 0; d < shape.size(); ++d)
      if (!has(batch[rows], static_cast<std::int64_t>(d)) && contracted[rows][0] != static_cast<std::int64_t>(d)) many *= shape[d];
    if (free != 1 || many < kRowsMin || contracted[rows][0] != static_cast<std::int64_t>(shape.size()) - 1 || shape.back() > kRowLengthMax) continue;

    // The vector in the order of the matrix' batch dims, then the contracted one, repeated for every row.
    Ints order, compact, places;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const auto b = std::find(batch[rows].begin(), batch[rows].end(), static_cast<std::int64_t>(d)) - batch[rows].begin();
      const bool last = d + 1 == shape.size();
      if (!last && b == static_cast<std::ptrdiff_t>(batch[rows].size())) continue;
      order.push_back(last ? contracted[one][0] : batch[one][at(b)]);
      compact.push_back(shape[d]);
      places.push_back(static_cast<std::int64_t>(d));
    }
    for (std::size_t d = 0; d < vector_shape.size(); ++d)
      if (!has(order, static_cast<std::int64_t>(d))) order.push_back(static_cast<std::int64_t>(d));
    const ValueId turned = m.reshape(m.transpose(vector, order), compact);
    const ValueId wide = m.broadcast(convert(v, turned, ElementType::F32), shape, places);
    const TypeId type = v.out.module().tensor(ElementType::F32, shape);
    const ValueId product = v.out.emit(OpKind::Multiply, {convert(v, matrix, ElementType::F32), wide}, type, {}, v.location());
    const Ints gone = {static_cast<std::int64_t>(shape.size()) - 1};
    ValueId sums = reduce_with(v, OpKind::Add, product, gone);
    // The result's order: batch dims as listed, then the rows.
    Ints result_order(batch[rows]);
    for (std::int64_t d = 0; d + 1 < static_cast<std::int64_t>(shape.size()); ++d)
      if (!has(batch[rows], d)) result_order.push_back(d);
    const Ints result_shape = v.out.module().type(v.result_type()).shape;
    const ElementType element = v.out.module().type(v.result_type()).element;
    return v.replace(convert(v, m.reshape(m.transpose(sums, result_order), result_shape), element));
  }
  return false;
}

}  // namespace openneuron::opt::rules
