// Instructions -> graph ops.
#include "import/hlo_build.h"

#include <algorithm>
#include <charconv>

#include "graph/op_info.h"
#include "import/hlo_literal.h"

namespace openneuron::import::hlo {
namespace {

using graph::NamedAttributes;
using graph::OpKind;

const std::unordered_map<std::string_view, OpcodeRow>& rows() {
  static const std::unordered_map<std::string_view, OpcodeRow> table = {
#define HLO_OP(opcode, kind, form) {opcode, {OpKind::kind, OpForm::form}},
#define HLO_REFUSED(opcode, code, why)
#include "import/hlo_ops.def"
#undef HLO_OP
#undef HLO_REFUSED
  };
  return table;
}

struct Refusal {
  std::string_view opcode;
  Code code;
  const char* why;
};
constexpr Refusal kRefusals[] = {
#define HLO_OP(opcode, kind, form)
#define HLO_REFUSED(opcode, code, why) {opcode, Code::code, why},
#include "import/hlo_ops.def"
#undef HLO_OP
#undef HLO_REFUSED
};

}  // namespace

bool Builder::find_row(const InstructionHead& head, OpcodeRow& row) {
  if (const auto found = rows().find(head.opcode); found != rows().end()) {
    row = found->second;
    return true;
  }
  for (const Refusal& r : kRefusals) {
    if (r.opcode == head.opcode) {
      fail(r.code, "opcode " + std::string(head.opcode) + ": " + r.why);
      return false;
    }
  }
  fail(Code::HloUnknownOp, "opcode '" + std::string(head.opcode) + "' is not known");
  return false;
}

void Builder::build(const InstructionHead& head, const OpcodeRow& row) {
  in_.read(head.record, source_);
  shape_ = &shapes_.read(in_.shape);
  if (source_.failed || !spend(shape_->leaves.size() + head.operand_count)) return;
  switch (row.form) {
    case OpForm::Parameter: return;
    case OpForm::Constant: return build_constant();
    case OpForm::Identity:
      if (head.operand_count != 1)
        return fail(Code::HloMalformed, "it has " + std::to_string(head.operand_count) + " operands instead of one");
      return define(Value(operand(0)));
    case OpForm::Tuple: {
      std::vector<ValueId> all;
      for (std::size_t i = 0; i < head.operand_count; ++i) {
        const auto part = leaves(operand(i));
        all.insert(all.end(), part.begin(), part.end());
        if (all.size() > shape_->leaves.size()) break;
      }
      return define(all);
    }
    case OpForm::TupleElement: return build_tuple_element();
    case OpForm::Call: return build_call(head);
    case OpForm::CustomCall: return build_custom_call(head);
    case OpForm::DynamicSlice: return build_dynamic_slice(row.kind);
    case OpForm::Rng: return build_rng();
    case OpForm::TopK:
      if (!in_.largest) return fail(Code::HloUnsupported, "only the largest elements can be asked for");
      return build_top_k(in_.k);
    case OpForm::AllToAll: return build_all_to_all();
    case OpForm::Conditional: {
      const Value& chosen = operand(0);
      if (chosen.count != 1) return fail(Code::HloType, "its first operand is no predicate or index");
      const ValueId leaf = leaves(chosen)[0];
      const bool flag = module_.type(type_of(frames_.size() - 1, leaf)).element == ElementType::I1;
      const ValueId operands[] = {use(frame(), leaf)};
      return add(flag ? OpKind::If : OpKind::Case, operands, {});
    }
    case OpForm::Same:
    case OpForm::While: break;
  }
  const std::vector<ValueId> operands = operand_leaves();
  add(row.kind, operands, maker_.make(row.kind, in_));
}

void Builder::build_tuple_element() {
  if (head_->operand_count != 1)
    return fail(Code::HloMalformed, "it has " + std::to_string(head_->operand_count) + " operands instead of one");
  const Value& tuple = operand(0);
  const auto index = static_cast<std::uint64_t>(in_.tuple_index);
  if (!tuple.shape->is_tuple || in_.tuple_index < 0 || index + 1 >= tuple.shape->member_first.size())
    return fail(Code::HloType, "its operand has no element " + std::to_string(in_.tuple_index));
  const std::uint32_t first = tuple.shape->member_first[static_cast<std::size_t>(index)];
  const std::uint32_t end = tuple.shape->member_first[static_cast<std::size_t>(index) + 1];
  define(Value{tuple.first + first, end - first, nullptr});
}

bool Builder::attributes(OpKind kind, NamedAttributes pairs, std::span<const ValueId> operands,
                         graph::OpAttributes& out) {
  if (source_.failed) return false;
  std::vector<TypeId> types;  // sizes select-and-scatter's defaults
  if (kind == OpKind::SelectAndScatter && !operands.empty()) types = operand_types();
  auto normal = graph::normalise(module_, kind, std::move(pairs), types);
  if (!normal) {
    fail(normal.diagnostic().code, normal.diagnostic().message);
    return false;
  }
  out = *normal;
  return true;
}

void Builder::add(OpKind kind, std::span<const ValueId> operands, NamedAttributes pairs) {
  maker_.add_extra(in_, pairs);
  graph::OpAttributes made;
  if (!attributes(kind, std::move(pairs), operands, made)) return;
  std::vector<ValueId> all(operands.begin(), operands.end());
  std::vector<FunctionId> ids;
  std::uint32_t captures = 0;
  settle_branches(all, ids, captures);
  const LocationId location = locations_.read(in_.metadata);
  if (source_.failed) return;
  graph::Function& function = frame().function;
  const OpId op = function.add_op(kind, all, shape_->leaves, made.inherent, location, ids, captures, made.extra);
  std::vector<ValueId> results;
  for (std::size_t i = 0; i < shape_->leaves.size(); ++i) results.push_back(function.result(op, i));
  define(results);
}

// An op that prepares the instruction's own.
ValueId Builder::add_one(OpKind kind, std::span<const ValueId> operands, TypeId type, NamedAttributes pairs) {
  graph::OpAttributes made;
  if (!attributes(kind, std::move(pairs), operands, made)) return {};
  const TypeId types[] = {type};
  graph::Function& function = frame().function;
  return function.result(function.add_op(kind, operands, types, made.inherent, locations_.read(in_.metadata)));
}

// All branches of an op take the same captured values: those of the first in order of use, then the others'.
void Builder::settle_branches(std::vector<ValueId>& operands, std::vector<FunctionId>& ids, std::uint32_t& captures) {
  Frame& f = frame();
  std::vector<TypeId> types;
  std::unordered_map<std::uint32_t, std::uint32_t> slot_of;
  for (const Region& region : f.regions) {
    for (const ValueId leaf : region.captures) {
      if (!slot_of.emplace(leaf.index, static_cast<std::uint32_t>(types.size())).second) continue;
      types.push_back(type_of(frames_.size() - 1, leaf));
      operands.push_back(use(f, leaf));
    }
  }
  captures = static_cast<std::uint32_t>(types.size());
  for (Region& region : f.regions) {
    if (region.function.valid()) {
      ids.push_back(region.function);
      continue;
    }
    if (!spend(captures)) return;
    std::vector<std::uint32_t> slots;
    for (const ValueId leaf : region.captures) slots.push_back(slot_of[leaf.index]);
    region.branch.finish_captures(types, slots);
    ids.push_back(module_.add_function(std::move(region.branch)));
  }
}

void Builder::build_constant() {
  const std::vector<ConstantId> constants = read_literal(in_.literal, *shape_, shapes_, module_, source_);
  std::vector<ValueId> results;
  for (std::size_t i = 0; i < constants.size() && !source_.failed; ++i)
    results.push_back(
        add_one(OpKind::Constant, {}, shape_->leaves[i], {{"value", module_.constant_attr(constants[i])}}));
  if (!source_.failed) define(results);
}

void Builder::build_call(const InstructionHead& head) {
  if (head.called_count != 1)
    return fail(Code::HloMalformed, "it calls " + std::to_string(head.called_count) + " computations instead of one");
  NamedAttributes pairs;
  std::string_view composite, version;
  if (in_.is_composite) {
    for (const auto& [key, value] : read_frontend_attributes(in_.frontend_attributes, source_)) {
      if (key == "composite.name") composite = value;
      if (key == "composite.version") version = value;
    }
  }
  const std::vector<ValueId> operands = operand_leaves();
  const std::string callee = function_of(structure_.called[head.first_called]);
  if (composite.empty()) {
    pairs.emplace_back("callee", module_.symbol_attr(callee));
    return add(OpKind::Call, operands, std::move(pairs));
  }
  std::int64_t number = 0;
  std::from_chars(version.data(), version.data() + version.size(), number);
  pairs.emplace_back("name", module_.string_attr(composite));
  pairs.emplace_back("decomposition", module_.symbol_attr(callee));
  pairs.emplace_back("version", module_.int_attr(number, ElementType::I32));
  add(OpKind::Composite, operands, std::move(pairs));
}

// The k largest elements of the last dimension and their places, which some programs take as u32.
void Builder::build_top_k(std::int64_t k) {
  if (shape_->leaves.size() != 2) return fail(Code::HloType, "its result is no tuple of values and indices");
  graph::Type indices = module_.type(shape_->leaves[1]);
  indices.element = ElementType::I32;
  const TypeId types[] = {shape_->leaves[0], module_.intern(std::move(indices))};
  const std::vector<ValueId> operands = operand_leaves();
  NamedAttributes pairs{{"k", module_.int_attr(k)}};
  maker_.add_extra(in_, pairs);
  graph::OpAttributes made;
  if (!attributes(OpKind::ChloTopK, std::move(pairs), operands, made)) return;
  graph::Function& function = frame().function;
  const OpId op = function.add_op(OpKind::ChloTopK, operands, types, made.inherent, locations_.read(in_.metadata), {},
                                  0, made.extra);
  ValueId results[] = {function.result(op, 0), function.result(op, 1)};
  if (types[1] != shape_->leaves[1]) {
    const ValueId places[] = {results[1]};
    results[1] = add_one(OpKind::Convert, places, shape_->leaves[1], {});
  }
  if (!source_.failed) define(results);
}

void Builder::build_custom_call(const InstructionHead& head) {
  if (in_.custom_call_target == "AwsNeuronTopK") {  // its configuration is k in decimal
    std::int64_t k = 0;
    const std::string_view text = in_.backend_config;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), k);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size())
      return fail(Code::HloMalformed, "the configuration of AwsNeuronTopK is no number");
    return build_top_k(k);
  }
  NamedAttributes pairs = maker_.make(OpKind::CustomCall, in_);
  std::vector<AttrId> called;
  for (std::uint32_t i = 0; i < head.called_count; ++i)
    called.push_back(module_.symbol_attr(function_of(structure_.called[head.first_called + i])));
  if (!called.empty()) pairs.emplace_back("called_computations", module_.array_attr(std::move(called)));
  const std::vector<ValueId> operands = operand_leaves();
  add(OpKind::CustomCall, operands, std::move(pairs));
}

// Old programs give the start indices as one vector.
void Builder::build_dynamic_slice(OpKind kind) {
  const std::size_t fixed = kind == OpKind::DynamicSlice ? 1 : 2;
  std::vector<ValueId> operands = operand_leaves();
  const std::vector<TypeId> types = operand_types();
  if (operands.size() == fixed + 1 && module_.type(types[fixed]).kind == graph::TypeKind::Tensor &&
      module_.type(types[fixed]).rank() == 1) {
    const graph::Type vector = module_.type(types[fixed]);
    const std::int64_t count = vector.shape[0];
    if (count < 0 || count > graph::kMaxRank)
      return fail(Code::HloType, "it has " + std::to_string(count) + " start indices");
    const ValueId starts = operands.back();
    operands.pop_back();
    const std::int64_t one[] = {1};
    const TypeId part = module_.tensor(vector.element, one), scalar = module_.tensor(vector.element, {});
    for (std::int64_t i = 0; i < count && !source_.failed; ++i) {
      const std::int64_t from[] = {i}, to[] = {i + 1};
      const ValueId whole[] = {starts};
      const ValueId piece[] = {add_one(OpKind::Slice, whole, part,
                                       {{"start_indices", module_.ints_attr(from)},
                                        {"limit_indices", module_.ints_attr(to)},
                                        {"strides", module_.ints_attr(one)}})};
      if (source_.failed) return;
      operands.push_back(add_one(OpKind::Reshape, piece, scalar, {}));
    }
  }
  add(kind, operands, maker_.make(kind, in_));
}

// StableHLO's op takes the shape as an operand.
void Builder::build_rng() {
  std::vector<ValueId> operands = operand_leaves();
  if (shape_->leaves.size() != 1 || module_.type(shape_->leaves[0]).kind != graph::TypeKind::Tensor)
    return fail(Code::HloType, "its result is no tensor");
  const std::vector<std::int64_t> sizes = module_.type(shape_->leaves[0]).shape;
  std::vector<std::byte> bytes;
  for (const std::int64_t size : sizes) {
    for (int b = 0; b < 64; b += 8)
      bytes.push_back(static_cast<std::byte>((static_cast<std::uint64_t>(size) >> b) & 0xFF));
  }
  const std::int64_t rank[] = {static_cast<std::int64_t>(sizes.size())};
  const TypeId type = module_.tensor(ElementType::I64, rank);
  operands.push_back(add_one(OpKind::Constant, {}, type,
                             {{"value", module_.constant_attr(module_.own_constant(type, false, std::move(bytes)))}}));
  if (!source_.failed) add(OpKind::Rng, operands, maker_.make(OpKind::Rng, in_));
}

// Of the form with one operand; the other one exchanges the members of a tuple.
void Builder::build_all_to_all() {
  if (in_.dimensions.empty())
    return fail(Code::HloUnsupported, "an all-to-all of tuple members is not read; give a split dimension");
  NamedAttributes pairs = maker_.make(OpKind::AllToAll, in_);
  if (source_.failed) return;
  std::int64_t split = 0;
  for (const auto& [name, value] : pairs) {
    if (name == "replica_groups" && module_.attribute(value).shape.size() == 2)
      split = module_.attribute(value).shape[1];
  }
  pairs.emplace_back("split_count", module_.int_attr(std::max<std::int64_t>(split, 1)));
  const std::vector<ValueId> operands = operand_leaves();
  add(OpKind::AllToAll, operands, std::move(pairs));
}

}  // namespace openneuron::import::hlo
