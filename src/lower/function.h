// Lowers one function (the entry or a region): plan, demands, then group after group.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "lower/copy.h"
#include "lower/group.h"
#include "lower/plan.h"

namespace openneuron::lower {

class FunctionLowerer {
 public:
  FunctionLowerer(const graph::Module& module, const graph::Function& function, Store& store, std::string& report,
                  std::vector<View> parameters, std::uint32_t first_group)
      : module_(module), function_(function), store_(store), report_(report), parameters_(std::move(parameters)), first_group_(first_group) {}

  /// How to read the function's results. `planned` runs when the plan stands and before anything is emitted,
  /// `after_group` after each group with its number.
  Result<std::vector<View>> run(const std::function<void(const Plan&)>& planned = {},
                                const std::function<Result<void>(const Plan&, std::int32_t)>& after_group = {});

  Layouts* layouts = nullptr;  ///< Options::layouts, for the entry function
  bool stamps = false;         ///< Options::stamp, for the entry function

 private:
  Demands make_demands() const;
  // movement.cpp
  Result<void> special(OpId op);
  Result<void> concatenate(OpId op);
  Result<void> dynamic_slice(OpId op);
  Result<void> dynamic_update_slice(OpId op);
  Result<void> gather(OpId op);   // gather.cpp
  Result<void> scatter(OpId op);  // scatter.cpp
  // sort.cpp
  Result<void> sort(OpId op);
  Result<void> top_k(OpId op);
  // collective.cpp
  Result<void> collective(OpId op);
  Result<void> partition_id(OpId op);
  Result<isa::Operand> dense(const View& view);
  // pad.cpp
  Result<void> pad(OpId op);
  Result<bool> pad_in_tiles(const View& value, const View& source, const View& target);
  // control.cpp
  Result<void> lower_while(OpId op);
  Result<void> lower_case(OpId op);
  Result<std::vector<View>> region(FunctionId id, std::vector<View> parameters);
  Result<std::int16_t> load_scalar(const View& view, bool negate);

  const View& view(ValueId v) const { return plan_.values[v.index].view; }
  const std::vector<std::int64_t>& shape(ValueId v) const { return module_.type(function_.type(v)).shape; }
  Emitter& emitter() { return store_.emitter(); }
  /// The result's home in HBM, and the form it lies in.
  Form result_in_hbm(OpId op, std::size_t i = 0);
  /// The view itself, or a copy in HBM when it has no memory or runs backwards: addresses need plain strides.
  Result<View> addressable(const View& view);
  /// May this op write its operand's memory instead of a copy?
  bool can_reuse(const View& view) const;
  /// Does another operand of the op lie in operand i's home?
  bool shares_home(OpId op, std::size_t i) const;
  Result<DynamicOffset> dynamic_offset(OpId op, std::span<const ValueId> indices, const View& base,
                                       std::span<const std::int64_t> sizes, std::int64_t& constant);
  Result<isa::Operand> clamped_offset(OpId op, std::span<const AxisView> indices, std::span<const std::int64_t> limits,
                                      std::span<const std::int64_t> scales, Nest& nest, const Roles& roles);

  const graph::Module& module_;
  const graph::Function& function_;
  Store& store_;
  std::string& report_;
  std::vector<View> parameters_;
  std::uint32_t first_group_;
  std::uint32_t now_ = 0;
  std::uint32_t inner_groups_ = 0;
  Plan plan_;
  Demands demands_;
};

}  // namespace openneuron::lower
