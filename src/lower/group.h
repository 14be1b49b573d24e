// Emits one nest group: chooses its partition axis, merges axes, opens the loops, and emits its ops tile by tile.
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "lower/block.h"
#include "lower/lower.h"
#include "lower/nest.h"
#include "lower/plan.h"

namespace openneuron::lower {

/// What a later reader of a home would like on partitions: the axis of this stride.
struct Demand {
  std::int64_t stride = 0;
  double weight = 0;
};
using Demands = Column<HomeId, std::vector<Demand>>;

/// What follows, from an instruction on, comes from this op, whose place is this location.
struct Located {
  std::size_t instruction = 0;
  OpId op;
  std::uint32_t location = 0;
};

/// The state shared by the groups of one function.
struct Context {
  const graph::Module& module;
  const graph::Function& function;
  Store& store;
  const Plan& plan;
  const Demands& demands;
  std::string& report;      ///< one line per group: the layout chosen
  std::uint32_t first_group = 0;
  Layouts* layouts = nullptr;
  std::vector<Located>* located = nullptr;  ///< receives the places of ops (stamp.h)
};

/// One value's tile while its group is emitted.
struct TileValue {
  bool is_immediate = false;
  double immediate = 0;
  isa::Operand operand;     ///< dims: one per free axis, stride 0 where it does not vary
};

class GroupEmitter {
 public:
  GroupEmitter(Context& context, std::int32_t index);
  Result<void> run();

 private:
  struct Output {
    ValueId value;
    HomeId home;
    AxisView view;
    std::optional<Form> on_chip;
    std::optional<Form> in_hbm;
  };
  struct External {
    OpId op;
    std::size_t operand;
    AxisView view;
  };

  // -- the shape of the nest (group_shape.cpp)
  void collect();
  void collect_contraction();
  int choose_partition();
  int forced_partition(const std::vector<int>& candidates, int chosen) const;
  void merge_axes(int partition);
  void assign_roles();
  void stack_contracted();
  void unroll_stacked();
  bool split_axis(std::size_t a, const AxisView& view, const Roles& roles);
  void plan_blocks();
  Result<void> emit_loops(std::size_t level);
  Result<void> load_blocks(std::size_t level);
  void make_outputs();
  Form hbm_output(const Output& output);
  AxisView over_axes(const View& view, std::span<const std::int8_t> axes, std::size_t axis_count) const;
  std::vector<std::int8_t> operand_axes(OpId op, ValueId operand) const;
  void describe();

  // -- ops (group_ops.cpp, group_reduce.cpp, contraction.cpp)
  Result<void> emit_tile();
  Result<void> emit_op(OpId op);
  Result<void> emit_elementwise(OpId op, std::vector<TileValue>& inputs, const isa::Operand& destination);
  Result<void> emit_select(std::vector<TileValue>& inputs, const isa::Operand& destination);
  Result<void> emit_reduce(OpId op);
  Result<void> emit_accumulating();
  bool is_reduction(OpId op) const;
  void set_location(OpId op);
  void reduce_tile(OpId op, const TileValue& in, const isa::Operand& to);
  Result<void> emit_contraction(OpId op);
  Result<void> emit_k(std::size_t level, bool first, const isa::Operand& accumulator);
  Result<void> emit_matmul(bool first, const isa::Operand& accumulator);
  Result<TileValue> input(OpId op, std::size_t operand);
  TileValue as_read(ValueId value);
  isa::Operand memory(const TileValue& value, ElementType type);
  isa::Operand on_chip_copy(const isa::Operand& source, ElementType type);
  isa::Operand destination_for(ValueId value);
  std::vector<bool> varies(ValueId value) const;
  Result<void> finish_value(ValueId value, const isa::Operand& tile);
  bool reduces_axis(OpId op, int axis) const;
  ValueId base(ValueId value) const;
  bool inside(ValueId value) const;

  Context& c_;
  std::int32_t index_;
  const Group& group_;
  Store& store_;
  Nest nest_;
  Roles roles_;
  std::vector<int> loop_order_;
  std::vector<int> inner_order_;               // loops over the reduced axes of an accumulating reduction
  std::vector<std::int64_t> sizes_;            // axes: domain, then contracted
  std::vector<bool> reduced_, used_;
  std::vector<int> side_;                      // 0 batch, 1 lhs, 2 rhs, 3 contracted; empty without contraction
  std::vector<int> merged_into_;               // old domain axis -> new axis
  std::vector<External> externals_;
  std::vector<Output> outputs_;
  AxisView lhs_, rhs_;
  std::vector<int> k_axes_;                    // contracted axes, the last one lies on partitions
  Roles stationary_roles_, moving_roles_;
  bool stationary_is_lhs_ = true;
  struct Streamed {
    Block block;
    std::size_t level = 0;                     // of loop_order_ and then k_axes_, inside of which it is read
  };
  Streamed left_, right_;                      // the contraction's operands, when they are streamed in blocks
  std::unordered_map<std::uint32_t, TileValue> tiles_;  // by ValueId of computed values
  isa::Operand accumulator_;
};

}  // namespace openneuron::lower
