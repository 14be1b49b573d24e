// The planner's parts: one walk over a function (plan.cpp) places views and constants (plan_views.cpp), elementwise and
// special ops (plan_groups.cpp), reductions and contractions (plan_sums.cpp).
#pragma once
#include <span>
#include <string>
#include <vector>

#include "lower/plan.h"

namespace openneuron::lower {

class Planner {
 public:
  explicit Planner(const PlanInput& in) : in_(in), m_(in.module), f_(in.function) {}
  Result<Plan> run();

 private:
  ValuePlan& value(ValueId v) { return plan_.values[v.index]; }
  const std::vector<std::int64_t>& shape(ValueId v) const { return m_.type(f_.type(v)).shape; }
  ElementType element(ValueId v) const { return m_.type(f_.type(v)).element; }
  std::span<const std::int64_t> ints(OpId op, std::string_view name) const { return m_.ints(f_, op, name); }

  // -- plan.cpp
  std::vector<bool> fixed_ops() const;
  Result<void> check_type(OpId op, ValueId v);
  Result<void> place(OpId op);
  // Which pad the home of each value may take in: see finish.
  void find_pads();
  void find_reads();
  // Which values are read only by ops that take operands of any float type.
  void find_readings();
  // -- plan_views.cpp
  void set_view(ValueId v, View view, std::int32_t group);
  Result<void> place_constant(OpId op);
  Result<void> place_view(OpId op);
  // The same bits read as another type of the same width.
  Result<void> place_bitcast(OpId op);
  static double same_bits(double number, ElementType from, ElementType to);
  // A convert to a wider float reads the narrow value as it lies: engines widen what they read. False where it must be made.
  bool place_widening(OpId op);
  // A reshape that strides cannot express: the operand is copied into row-major order first.
  void place_copy(OpId op);
  // A pad whose operand lives in its home is a view of it; false for others.
  bool place_pad(OpId op);
  // -- plan_groups.cpp
  std::int32_t new_group(GroupKind kind, std::vector<std::int64_t> domain);
  std::string name(OpId op) const;
  // Makes the home of a value computed with `axes`: dims that it does not vary along are kept at size 1. A value that is
  // padded lives inside of its padded home: the pad then is no op of its own.
  void finish(OpId op, std::int32_t g, std::vector<std::int8_t> axes);
  std::int32_t latest_producer(OpId op);
  bool open(std::int32_t g) const;
  // The axes of an elementwise result inside group g, or false.
  bool join(OpId op, std::int32_t g, std::vector<std::int8_t>& axes);
  void place_elementwise(OpId op);
  void place_special(OpId op);
  // -- plan_sums.cpp
  Result<void> place_reduce(OpId op);
  bool join_reduce(OpId op, const ValuePlan& p, const std::vector<bool>& gone);
  // A reduction too large for a tile turns the group of its operand into one that accumulates.
  bool join_accumulating(OpId op, const ValuePlan& p, const std::vector<bool>& gone);
  Result<void> place_dot(OpId op);
  Result<void> place_convolution(OpId op);
  // A reduction over the taps of a window, which are axes behind the output's.
  Result<void> place_reduce_window(OpId op);

  const PlanInput& in_;
  const graph::Module& m_;
  const graph::Function& f_;
  Plan plan_;
  std::vector<OpId> pad_of_;        // by ValueId
  std::vector<bool> any_type_;      // by ValueId: see find_readings
};

}  // namespace openneuron::lower
