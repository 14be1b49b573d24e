#include <algorithm>

#include "graph/module.h"

namespace openneuron::graph {

std::span<const ValueId> Function::operands(OpId op) const {
  const std::size_t first = first_operand_[op.index];
  const std::size_t next = op.index + 1u;
  const std::size_t end = next < first_operand_.size() ? first_operand_[next] : pool_.size();
  return {pool_.data() + first, end - first};
}

std::uint32_t Function::capture_count(OpId op) const {
  const std::uint32_t list = region_list_[op.index];
  return list == 0 ? 0 : region_pool_[list].index;  // list - 1 holds the count, list the captures
}

std::span<const FunctionId> Function::regions(OpId op) const {
  const std::uint32_t list = region_list_[op.index];
  if (list == 0) return {};
  return {region_pool_.data() + list + 1, region_pool_[list - 1].index};
}

ValueId Function::add_parameter(TypeId type, AttrId attributes) {
  value_type_.push_back(type);
  value_op_.push_back(OpId());
  parameter_attributes.push_back(attributes);
  return ValueId(std::size_t{parameter_count_++});
}

OpId Function::add_op(OpKind kind, std::span<const ValueId> operands, std::span<const TypeId> result_types,
                      AttrId attributes, LocationId location, std::span<const FunctionId> regions,
                      std::uint32_t capture_count, AttrId extra) {
  const OpId op(kind_.size());
  kind_.push_back(kind);
  first_operand_.push_back(static_cast<std::uint32_t>(pool_.size()));
  pool_.insert(pool_.end(), operands.begin(), operands.end());
  first_result_.push_back(static_cast<std::uint32_t>(value_type_.size()));
  result_count_.push_back(static_cast<std::uint32_t>(result_types.size()));
  attribute_.push_back(attributes);
  extra_.push_back(extra);
  op_location_.push_back(location);
  if (regions.empty()) {
    region_list_.push_back(0);
  } else {
    region_pool_.push_back(FunctionId(regions.size()));
    region_list_.push_back(static_cast<std::uint32_t>(region_pool_.size()));
    region_pool_.push_back(FunctionId(std::size_t{capture_count}));
    region_pool_.insert(region_pool_.end(), regions.begin(), regions.end());
  }
  for (TypeId type : result_types) {
    value_type_.push_back(type);
    value_op_.push_back(op);
  }
  return op;
}

void Function::finish_captures(std::span<const TypeId> types, std::span<const std::uint32_t> slots) {
  const std::uint32_t count = static_cast<std::uint32_t>(types.size());
  if (count == 0) return;
  const std::uint32_t old_count = parameter_count_;
  for (ValueId& value : pool_) {
    if (value.index & kProvisionalCapture) {
      value = ValueId(std::size_t{old_count + slots[value.index & ~kProvisionalCapture]});
    } else if (value.index >= old_count) {
      value = ValueId(std::size_t{value.index + count});
    }
  }
  for (std::uint32_t& first : first_result_) first += count;
  value_type_.insert(value_type_.begin() + old_count, types.begin(), types.end());
  value_op_.insert(value_op_.begin() + old_count, count, OpId());
  parameter_attributes.resize(old_count + count);
  parameter_count_ += count;
}

}  // namespace openneuron::graph
