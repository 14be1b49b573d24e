// Gather: rows by DMA with one offset per partition.
#include "lower/function.h"
#include "lower/indexed.h"

namespace openneuron::lower {

using isa::Opcode;
using isa::Operand;

Result<void> FunctionLowerer::gather(OpId op) {
  auto addressed = addressable(view(function_.operand(op, 0)));
  if (!addressed) return addressed.failure();
  const View& result = view(function_.result(op));
  IndexedDims dims;
  dims.window_dims = module_.ints(function_, op, "offset_dims");
  dims.dropped = module_.ints(function_, op, "collapsed_slice_dims");
  dims.batching = module_.ints(function_, op, "operand_batching_dims");
  dims.index_batching = module_.ints(function_, op, "start_indices_batching_dims");
  dims.map = module_.ints(function_, op, "start_index_map");
  dims.vector_dim = static_cast<std::size_t>(module_.integer(function_, op, "index_vector_dim", 0));
  const auto sizes = module_.ints(function_, op, "slice_sizes");
  dims.sizes.assign(sizes.begin(), sizes.end());
  IndexedRows rows = indexed_rows(*addressed, view(function_.operand(op, 1)), result, dims);
  Nest nest(store_, {});
  const IndexedLayout layout = lay_out(rows, nest, false);
  const Roles& roles = layout.roles;
  const HomeId base = addressed->home;
  store_.make_hbm(base);

  const RowResult out = RowResult::make(nest, result.home, rows.rows, roles, true);
  ON_TRY(nest.over(layout.order, [&]() -> Result<void> {
    auto source = nest.target(base, *store_.hbm(base), rows.operand, roles);
    if (!source) return fail(Code::Internal, "rows cannot be addressed");
    auto offsets = row_offsets(rows, nest, layout.index_roles, false);
    if (!offsets) return offsets.failure();
    source->indirect_stride = byte_width(rows.operand.type);
    source->indirect_limit = rows.offsets;
    auto target = out.open(nest, roles);
    if (!target) return target.failure();
    const Operand tile = *target;
    merge_dims({&*target, &*source});
    emitter().emit(Opcode::Dma, {*target, *source, *offsets}, {1, 0});
    return out.close(nest, roles, tile);
  }));
  store_.add_form(result.home, out.form);
  return {};
}

}  // namespace openneuron::lower
