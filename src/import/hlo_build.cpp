#include "import/hlo_build.h"

#include "graph/op_info.h"

namespace openneuron::import::hlo {

using graph::OpKind;

Builder::Builder(const Structure& structure, graph::Module& module, Source& source)
    : structure_(structure),
      module_(module),
      source_(source),
      shapes_(module, source),
      locations_(structure.stack_frames, module, source),
      maker_(module, source),
      budget_((std::uint64_t{1} << 16) + 16 * source.file.size()) {}

void Builder::run() {
  module_.name = structure_.name;
  if (!structure_.frontend_attributes.empty()) {
    if (const AttrId pairs = maker_.frontend(structure_.frontend_attributes); pairs.valid())
      module_.attributes = module_.dictionary({{"mhlo.frontend_attributes", pairs}});
  }
  names_taken_.insert("main");
  build_function(structure_.entry, "main", true);
  while (!source_.failed && !functions_to_build_.empty()) {
    const std::uint32_t computation = functions_to_build_.back();
    functions_to_build_.pop_back();
    build_function(computation, function_names_[computation], false);
  }
}

void Builder::fail(Code code, std::string message) {
  if (!source_.failed && head_ != nullptr) source_.op = std::string(head_->opcode) + " %" + std::string(head_->name);
  source_.fail(code, head_ != nullptr ? head_->record : Bytes(), std::move(message));
}

bool Builder::spend(std::uint64_t cost) {
  if (cost > budget_) {
    fail(Code::HloLimit,
         "written out, the program is far larger than the file: computations are used in too many places");
    return false;
  }
  budget_ -= cost;
  return true;
}

// The symbol of a computation that is called as a function, which is built later.
std::string Builder::function_of(std::uint32_t computation) {
  const auto known = function_names_.find(computation);
  if (known != function_names_.end()) return known->second;
  const std::string base(structure_.computations[computation].name);
  std::string name = base;
  for (int i = 1; name.empty() || !names_taken_.insert(name).second; ++i) name = base + "_" + std::to_string(i);
  function_names_.emplace(computation, name);
  functions_to_build_.push_back(computation);
  return name;
}

void Builder::build_function(std::uint32_t computation, std::string name, bool is_public) {
  open_frame(computation, Role::Function, {});
  while (!source_.failed && !frames_.empty()) {
    if (frame().next == frame().computation->order.size()) {
      if (frames_.size() == 1) break;
      close_frame();
    } else {
      step();
    }
    if (source_.failed && source_.op.empty() && head_ != nullptr)
      source_.op = std::string(head_->opcode) + " %" + std::string(head_->name);
  }
  if (source_.failed) return;
  Frame& last = frame();
  graph::Function& function = last.function;
  const Value root = last.values[last.computation->root];
  const auto returned = leaves(root);
  function.add_op(OpKind::Return, returned, {});
  function.name = std::move(name);
  function.is_public = is_public;
  function.result_attributes.resize(returned.size());
  head_ = nullptr;
  if (is_public) entry_interface(function);
  if (!source_.failed) module_.add_function(std::move(function));
  frames_.pop_back();
}

void Builder::open_frame(std::uint32_t computation, Role role, std::span<const ValueId> argument) {
  if (frames_.size() > kMaxRegionDepth)
    return fail(Code::HloLimit, "computations nest deeper than " + std::to_string(kMaxRegionDepth));
  const Computation& c = structure_.computations[computation];
  if (!spend(c.count)) return;
  frames_.emplace_back();
  Frame& f = frame();
  f.computation = &c;
  f.role = role;
  f.function.is_region = role != Role::Function;
  f.values.resize(c.count);
  f.argument.assign(argument.begin(), argument.end());
  parameters_of(f);
}

// Parameters become the function's, leaf by leaf; a branch's stand for what its conditional gives it.
bool Builder::parameters_of(Frame& f) {
  const Computation& c = *f.computation;
  std::uint32_t taken = 0;
  for (const std::uint32_t index : c.parameters) {
    const InstructionHead& head = structure_.instructions[c.first + index];
    Instruction in;
    in.read(head.record, source_);
    const Shape& shape = shapes_.read(in.shape);
    if (source_.failed || !spend(shape.leaves.size())) return false;
    Value& value = f.values[index];
    value = {static_cast<std::uint32_t>(f.pool.size()), static_cast<std::uint32_t>(shape.leaves.size()), &shape};
    for (const TypeId type : shape.leaves) {
      if (f.role != Role::Branch) {
        f.pool.push_back(f.function.add_parameter(type));
        continue;
      }
      if (taken == f.argument.size() || type_of(frames_.size() - 2, f.argument[taken]) != type) {
        fail(Code::HloType, "its branch " + std::string(c.name) + " takes another type than its operand has");
        return false;
      }
      f.pool.push_back(outer_leaf(taken++));
    }
  }
  if (f.role == Role::Branch && (taken != f.argument.size() || c.parameters.size() != 1)) {
    fail(Code::HloType, "its branch " + std::string(c.name) + " takes another type than its operand has");
    return false;
  }
  return true;
}

// A finished region goes to the frame of the instruction that it belongs to.
void Builder::close_frame() {
  Frame& f = frame();
  const Value root = f.values[f.computation->root];
  Region region;
  std::vector<ValueId> returned;
  for (const ValueId leaf : leaves(root)) {
    region.result_types.push_back(type_of(frames_.size() - 1, leaf));
    returned.push_back(use(f, leaf));
  }
  f.function.add_op(OpKind::Return, returned, {});
  if (f.role == Role::Branch) {
    region.captures = std::move(f.captures);
    region.branch = std::move(f.function);
  } else {
    region.function = module_.add_function(std::move(f.function));
  }
  frames_.pop_back();
  frame().regions.push_back(std::move(region));
}

// How many of an instruction's computations become regions.
bool Builder::needs_region(const InstructionHead& head, const OpcodeRow& row) {
  Frame& f = frame();
  const std::size_t built = f.regions.size();
  if (row.form == OpForm::Call || row.form == OpForm::CustomCall) return false;
  if (row.form != OpForm::Conditional && !graph::op_info(row.kind).regions.admits(head.called_count)) {
    fail(Code::HloMalformed, "it calls " + std::to_string(head.called_count) + " computations, which does not fit it");
    return false;
  }
  if (row.form == OpForm::Conditional && (head.called_count == 0 || head.operand_count != head.called_count + 1)) {
    fail(Code::HloMalformed, std::to_string(head.called_count) + " branches do not fit " +
                                 std::to_string(head.operand_count) + " operands");
    return false;
  }
  if (built == head.called_count) return false;
  const std::uint32_t* called = structure_.called.data() + head.first_called;
  if (row.form == OpForm::Conditional) {
    const std::uint32_t given = structure_.operands[head.first_operand + 1 + built];
    const Value value = f.values[given];
    const std::vector<ValueId> argument(f.pool.begin() + value.first, f.pool.begin() + value.first + value.count);
    open_frame(called[built], Role::Branch, argument);
  } else {
    // while names its body first, the graph level its condition.
    open_frame(called[row.form == OpForm::While ? 1 - built : built], Role::Region, {});
  }
  return true;
}

// One instruction, or the next region of it.
void Builder::step() {
  Frame& f = frame();
  const std::uint32_t index = f.computation->order[f.next];
  const InstructionHead& head = structure_.instructions[f.computation->first + index];
  head_ = &head;
  OpcodeRow row;
  if (!find_row(head, row)) return;
  if (row.form == OpForm::Parameter) {
    ++f.next;
    return;
  }
  if (needs_region(head, row) || source_.failed) return;
  build(head, row);
  f.regions.clear();
  ++f.next;
}

}  // namespace openneuron::import::hlo
