// Sort of one key operand with at most one payload along one dim (opt/legalise_sort.cpp makes every sort of such), and
// top_k up to eight. Rows lie on partitions, the sorted dim in the free dims; rows too long for SBUF are sorted in HBM.
#include <algorithm>
#include <optional>

#include "lower/function.h"
#include "lower/indexed.h"

namespace openneuron::lower {

using graph::OpKind;
using isa::Opcode;
using isa::Operand;

namespace {

constexpr std::int64_t kEight = 8;

struct Order {
  bool descending = false, total = false;
};

// The comparator's order: numeric when it makes zeros and NaNs alike before it compares, total when it does not.
std::optional<Order> order_of(const graph::Module& module, const graph::Function& region) {
  const auto returned = region.operands(region.terminator());
  const OpId compare = returned.size() == 1 ? region.definition(returned[0]) : OpId();
  if (!compare.valid() || region.kind(compare) != OpKind::Compare) return std::nullopt;
  const auto direction = module.text(region, compare, "comparison_direction");
  if (direction != "LT" && direction != "GT") return std::nullopt;
  const bool plain = region.operand(compare, 0) == region.parameters()[0] && region.operand(compare, 1) == region.parameters()[1];
  return Order{direction == "GT", plain && module.text(region, compare, "compare_type") == "TOTALORDER"};
}

// The first elements of each row.
Operand first(Operand row, std::int64_t count) {
  row.dims[0].count = count;
  return row;
}

}  // namespace

Result<void> FunctionLowerer::sort(OpId op) {
  const auto operands = function_.operands(op);
  const auto order = order_of(module_, module_.function(function_.regions(op)[0]));
  if (!order || operands.size() > 2)
    return fail(Code::NoLowering, op_place(module_, function_, op), "sort by this comparator has no lowering yet");
  const std::size_t sides = operands.size();
  const auto& shape = view(operands[0]).dims;
  std::int64_t dimension = module_.integer(function_, op, "dimension", -1);
  if (dimension < 0) dimension += static_cast<std::int64_t>(shape.size());
  const auto d = static_cast<std::size_t>(dimension);
  const std::int64_t n = shape[d].size;

  // Rows longer than a share of SBUF are sorted where they lie in HBM.
  const Machine& machine = emitter().machine();
  std::int64_t bytes = 0;
  for (ValueId v : operands) bytes += 4 * n * byte_width(view(v).type);  // source and result, two copies of each
  const bool in_sbuf = bytes <= machine.sbuf_partition_bytes / 3 && n <= machine.instruction_elements_max;
  std::vector<AxisView> from, to;
  for (std::size_t i = 0; i < sides; ++i) {
    View source = view(operands[i]);
    if (!in_sbuf) {
      auto addressed = addressable(source);
      if (!addressed) return addressed.failure();
      source = *addressed;
      store_.make_hbm(source.home);
    }
    from.push_back(over_dims(source));
    to.push_back(over_dims(view(function_.result(op, i))));
  }
  IndexedRows rows;  // the axes alone: all dims but the sorted one are the batch
  for (const ViewDim& dim : shape) rows.sizes.push_back(dim.size);
  std::vector<std::vector<std::int64_t>*> strides;
  for (auto* list : {&from, &to})
    for (AxisView& v : *list) {
      v.strides.push_back(shape[d].size > 1 ? v.strides[d] : 0);
      v.strides.erase(v.strides.begin() + static_cast<std::ptrdiff_t>(d));
    }
  rows.sizes.erase(rows.sizes.begin() + static_cast<std::ptrdiff_t>(d));
  std::vector<std::int64_t> row_strides[4];
  std::vector<AxisView*> views;
  for (auto* list : {&from, &to})
    for (AxisView& v : *list) views.push_back(&v);
  for (std::size_t i = 0; i < views.size(); ++i) {
    row_strides[i].assign(views[i]->strides.begin(), views[i]->strides.end() - 1);
    strides.push_back(&row_strides[i]);
  }
  merge_neighbours(rows.sizes, strides);
  for (std::size_t i = 0; i < views.size(); ++i)
    std::copy(row_strides[i].begin(), row_strides[i].end(), views[i]->strides.begin());

  Nest nest(store_, {});
  const std::int64_t row[] = {n};
  const RowAxes axes = row_axes(nest, rows.sizes, row);
  Roles roles = axes.roles;
  roles.free = {static_cast<int>(rows.sizes.size())};
  std::vector<RowResult> results;
  for (std::size_t i = 0; i < sides; ++i) {
    if (in_sbuf && from[i].kind == ViewKind::Memory) nest.prepare(from[i], roles, false);
    results.push_back(RowResult::make(nest, view(function_.result(op, i)).home, to[i], roles, in_sbuf));
  }
  ON_TRY(nest.over(axes.order, [&]() -> Result<void> {
    Operand source[2] = {no_operand(), no_operand()}, target[2] = {no_operand(), no_operand()};
    for (std::size_t i = 0; i < sides; ++i) {
      if (in_sbuf) {
        auto read = nest.read(from[i], roles, true);
        if (!read) return read.failure();
        source[i] = *read;
        auto written = results[i].open(nest, roles);
        if (!written) return written.failure();
        target[i] = *written;
      } else {
        auto read = nest.target(from[i].home, *store_.hbm(from[i].home), from[i], roles);
        auto written = nest.target(to[i].home, results[i].form, to[i], roles);
        if (!read || !written) return fail(Code::Internal, "rows in HBM cannot be sorted");
        source[i] = *read;
        target[i] = *written;
      }
    }
    emitter().emit(Opcode::Sort, {target[0], target[1], source[0], source[1]},
                   {order->descending ? 1 : 0, order->total ? 1 : 0});
    for (std::size_t i = 0; in_sbuf && i < sides; ++i) ON_TRY(results[i].close(nest, roles, target[i]));
    return {};
  }));
  for (const RowResult& r : results) store_.add_form(r.home, r.form);
  return {};
}

Result<void> FunctionLowerer::top_k(OpId op) {
  const View& data = view(function_.operand(op, 0));
  const std::int64_t k = module_.integer(function_, op, "k", 0), n = data.dims.back().size;
  const std::int64_t width = byte_width(data.type);
  AxisView from = over_dims(data);
  std::vector<AxisView> to = {over_dims(view(function_.result(op, 0))), over_dims(view(function_.result(op, 1)))};
  std::vector<std::int64_t> sizes;
  for (const ViewDim& dim : data.dims) sizes.push_back(dim.size);
  sizes.pop_back();
  // Axes: the batch, the row of data, the row of results.
  const auto split = [](AxisView& v, bool is_result) {
    const std::int64_t last = v.strides.back();
    v.strides.back() = is_result ? 0 : last;
    v.strides.push_back(is_result ? last : 0);
  };
  std::vector<std::int64_t> batch[3];
  std::vector<AxisView*> views = {&from, &to[0], &to[1]};
  std::vector<std::vector<std::int64_t>*> strides;
  for (std::size_t i = 0; i < views.size(); ++i) {
    batch[i].assign(views[i]->strides.begin(), views[i]->strides.end() - 1);
    strides.push_back(&batch[i]);
  }
  merge_neighbours(sizes, strides);
  for (std::size_t i = 0; i < views.size(); ++i) {
    std::copy(batch[i].begin(), batch[i].end(), views[i]->strides.begin());
    split(*views[i], i > 0);
  }
  Nest nest(store_, {});
  const std::int64_t row_sizes[] = {n, k};
  const RowAxes axes = row_axes(nest, sizes, row_sizes);
  Roles data_roles = axes.roles, result_roles = axes.roles;
  data_roles.free = {static_cast<int>(sizes.size())};
  result_roles.free = {static_cast<int>(sizes.size()) + 1};
  if (from.kind == ViewKind::Memory) nest.prepare(from, data_roles, false);
  std::vector<RowResult> results;
  for (std::size_t i = 0; i < 2; ++i)
    results.push_back(RowResult::make(nest, view(function_.result(op, i)).home, to[i], result_roles, true));
  ON_TRY(nest.over(axes.order, [&]() -> Result<void> {
    auto read = nest.read(from, data_roles, true);
    if (!read) return read.failure();
    Operand row = *read;
    if (n < kEight) {  // padded with what no order puts before an element
      const Operand padded = row_buffer(nest, axes.roles, "padded", data.type, kEight);
      Operand bits = padded;
      bits.type = width == 4 ? ElementType::I32 : width == 2 ? ElementType::I16 : ElementType::I8;
      emitter().emit(Opcode::Memset, {bits, immediate(-1, ElementType::I32)});
      emitter().emit(Opcode::Copy, {first(padded, n), row});
      row = padded;
    }
    const Operand values = row_buffer(nest, axes.roles, "largest", data.type, kEight);
    const Operand index = row_buffer(nest, axes.roles, "largest_at", ElementType::U32, kEight);
    emitter().emit(Opcode::Max8, {values, row});
    emitter().emit(Opcode::FindIndex8, {index, row, values});
    for (std::size_t i = 0; i < 2; ++i) {
      Operand found = first(i == 0 ? values : index, k);
      found.type = to[i].type;
      ON_TRY(results[i].copy(nest, result_roles, found));
    }
    return {};
  }));
  for (const RowResult& r : results) store_.add_form(r.home, r.form);
  return {};
}

}  // namespace openneuron::lower
