// What gather and scatter share: rows of an operand whose places come from index vectors. The rows on the other side
// (gather's result, scatter's updates) have batch dims, one row for each index vector, and window dims.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "lower/copy.h"

namespace openneuron::lower {

struct IndexedDims {
  std::span<const std::int64_t> window_dims;     ///< of the rows: offset_dims, update_window_dims
  std::span<const std::int64_t> dropped;         ///< of the operand: collapsed_slice_dims, inserted_window_dims
  std::span<const std::int64_t> batching;        ///< of the operand
  std::span<const std::int64_t> index_batching;  ///< of the indices
  std::span<const std::int64_t> map;             ///< operand dim of each component of an index vector
  std::size_t vector_dim = 0;                    ///< of the indices; their rank: vectors of one component
  std::vector<std::int64_t> sizes;               ///< of a window, by operand dim
};

/// One number per index vector that moves a row: `index` * scale elements. The number is an index in 0..limit, or
/// counts along an axis (of a batching dim, or a window's on partitions) when limit is below 0.
struct RowMove {
  AxisView index;
  std::int64_t limit = 0;
  std::int64_t scale = 1;
};

struct IndexedRows {
  std::vector<std::int64_t> sizes;  ///< batch axes, then window axes
  std::size_t batch = 0;            ///< number of batch axes
  AxisView operand;                 ///< strides 0 along batch axes: offsets say where rows lie
  AxisView rows;
  std::vector<RowMove> moves;
  std::int64_t offsets = 1;         ///< offsets of rows are below this
};

/// `ordered`: batch axes are merged only as far as their order stays.
IndexedRows indexed_rows(const View& operand, const View& indices, const View& rows, const IndexedDims& dims);

/// Chooses what lies on partitions, cuts the axes and gives the loop order (batch axes first, in order). Rows that must
/// keep their order (`ordered`) have only the innermost batch axis or a window axis on partitions.
struct IndexedLayout {
  Roles roles;          ///< rows: the partition axis and the free dims of a window
  Roles index_roles;    ///< the partition axis alone
  std::vector<int> order;
};
IndexedLayout lay_out(IndexedRows& rows, Nest& nest, bool ordered);

/// Offsets of the current tile's rows, [rows, 1] i32: the sum of the moves. Indices outside 0..limit are clamped, or
/// (`skip`) give the offset -1.
Result<isa::Operand> row_offsets(const IndexedRows& rows, Nest& nest, const Roles& index_roles, bool skip);

/// A nest over rows: batch axes, the largest on partitions and the others looped, then `free` axes that are never cut.
struct RowAxes {
  Roles roles;  ///< the partition axis; no free dims
  std::vector<int> order;
};
RowAxes row_axes(Nest& nest, std::span<const std::int64_t> batch, std::span<const std::int64_t> free);

/// A dense buffer of `count` elements in each row.
isa::Operand row_buffer(Nest& nest, const Roles& roles, std::string_view name, ElementType type, std::int64_t count);

/// Where a nest writes a result tile by tile: into a form on chip, or through a tile to HBM.
struct RowResult {
  HomeId home;
  AxisView view;
  Form form;
  bool on_chip = false;

  static RowResult make(Nest& nest, HomeId home, const AxisView& view, const Roles& roles, bool may_stay);
  /// What to write the current tile into, before close.
  Result<isa::Operand> open(Nest& nest, const Roles& roles) const;
  Result<void> close(Nest& nest, const Roles& roles, const isa::Operand& tile) const;
  /// A tile that lies elsewhere, instead of open and close.
  Result<void> copy(Nest& nest, const Roles& roles, const isa::Operand& tile) const;
};

}  // namespace openneuron::lower
