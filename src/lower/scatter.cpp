// Scatter of one operand by DMA: rows written one after the other, or added where they lie. Other regions are loops by
// the time they come here (opt/legalise_scatter.cpp). The operand's memory becomes the result's where it dies.
#include "lower/function.h"
#include "lower/indexed.h"

namespace openneuron::lower {

using graph::OpKind;
using isa::Opcode;
using isa::Operand;

Result<void> FunctionLowerer::scatter(OpId op) {
  const auto operands = function_.operands(op);
  OpKind kind;
  const graph::Function& region = module_.function(function_.regions(op)[0]);
  const auto returned = region.operands(region.terminator());
  const bool replaces = operands.size() == 3 && returned.size() == 1 && returned[0] == region.parameters()[1];
  const ElementType type = view(operands[0]).type;
  const bool adds = operands.size() == 3 && graph::single_op_region(module_.function(function_.regions(op)[0]), kind) && kind == OpKind::Add &&
                    type != ElementType::I1;
  if (!replaces && !adds)
    return fail(Code::NoLowering, op_place(module_, function_, op), "scatter with this region has no lowering yet");
  const View& base = view(operands[0]);
  const View& updates = view(operands[2]);
  const View& result = view(function_.result(op));
  Form form;
  if (can_reuse(base) && !shares_home(op, 0)) {
    form = *store_.hbm(base.home);
    store_.add_form(result.home, form);
  } else {
    form = result_in_hbm(op);
    ON_TRY(copy_view(store_, base, result, form));
  }
  if (updates.count() == 0) return {};
  IndexedDims dims;
  dims.window_dims = module_.ints(function_, op, "update_window_dims");
  dims.dropped = module_.ints(function_, op, "inserted_window_dims");
  dims.batching = module_.ints(function_, op, "input_batching_dims");
  dims.index_batching = module_.ints(function_, op, "scatter_indices_batching_dims");
  dims.map = module_.ints(function_, op, "scatter_dims_to_operand_dims");
  dims.vector_dim = static_cast<std::size_t>(module_.integer(function_, op, "index_vector_dim", 0));
  std::size_t w = 0;
  for (std::size_t d = 0; d < result.dims.size(); ++d) {
    const auto at = static_cast<std::int64_t>(d);
    const auto in = [&](std::span<const std::int64_t> list) { return std::find(list.begin(), list.end(), at) != list.end(); };
    dims.sizes.push_back(in(dims.dropped) || in(dims.batching)
                             ? 1
                             : updates.dims[static_cast<std::size_t>(dims.window_dims[w++])].size);
  }
  IndexedRows rows = indexed_rows(result, view(operands[1]), updates, dims);
  Nest nest(store_, {});
  const IndexedLayout layout = lay_out(rows, nest, true);
  // Updates on chip are read there, those in HBM go straight to their places.
  const bool from_hbm = rows.rows.kind == ViewKind::Memory && !nest.on_chip(rows.rows, layout.roles);
  if (from_hbm) store_.make_hbm(rows.rows.home);
  return nest.over(layout.order, [&]() -> Result<void> {
    Operand source;
    if (from_hbm) {
      auto in_hbm = nest.target(rows.rows.home, *store_.hbm(rows.rows.home), rows.rows, layout.roles);
      if (!in_hbm) return fail(Code::Internal, "updates cannot be read");
      source = *in_hbm;
    } else {
      auto on_chip = nest.read(rows.rows, layout.roles, true);
      if (!on_chip) return on_chip.failure();
      source = *on_chip;
    }
    auto offsets = row_offsets(rows, nest, layout.index_roles, true);
    if (!offsets) return offsets.failure();
    auto target = nest.target(result.home, form, rows.operand, layout.roles);
    if (!target) return fail(Code::Internal, "rows cannot be written");
    target->indirect_stride = byte_width(rows.operand.type);
    target->indirect_limit = rows.offsets;
    merge_dims({&*target, &source});
    if (replaces)
      emitter().emit(Opcode::Dma, {*target, source, *offsets}, {2, 1});
    else
      emitter().emit(Opcode::DmaCompute, {*target, source, *offsets}, {1});
    return {};
  });
}

}  // namespace openneuron::lower
