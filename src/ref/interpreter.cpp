#include "ref/interpreter.h"

#include <algorithm>

namespace openneuron::ref {
namespace {

// Above these the oracle refuses instead of running for hours or filling the memory.
constexpr std::int64_t kLargestTensor = std::int64_t{1} << 28;
constexpr double kMostWork = 1e12;
constexpr std::uint64_t kDefaultIterations = 10'000'000;
constexpr int kDeepest = 400;

bool too_large(const graph::Type& type) {
  if (type.kind != graph::TypeKind::Tensor) return false;
  double count = 1;
  bool empty = false;
  for (const std::int64_t d : type.shape) {
    count *= static_cast<double>(d);
    empty |= d == 0;
  }
  return !empty && count > static_cast<double>(kLargestTensor);
}

std::string shape_text(const graph::Type& type) {
  std::string text = "tensor<";
  for (const std::int64_t d : type.shape) text += (d == graph::kDynamic ? "?" : std::to_string(d)) + "x";
  return text + std::string(type_name(type.element)) + ">";
}

// The first place with a file among a location and what it is made of.
bool find_place(const graph::Module& module, LocationId id, Place& place, int depth) {
  if (!id.valid() || depth > 64) return false;
  const graph::Location& at = module.location(id);
  if (at.kind == graph::LocationKind::File) {
    place.file = at.text;
    place.line = at.line;
    place.column = at.column;
    return true;
  }
  for (const LocationId child : at.children)
    if (find_place(module, child, place, depth + 1)) return true;
  return false;
}

}  // namespace

Interpreter::Interpreter(const graph::Module& module, const Options& options)
    : module_(module), options_(options), last_uses_(module.functions().size()) {
  if (options_.step_limit == 0) options_.step_limit = kDefaultIterations;
  if (options_.work_limit <= 0) options_.work_limit = kMostWork;
}

Place Interpreter::place(const graph::Function& function, OpId op) const {
  Place place;
  find_place(module_, function.location_of(op), place, 0);
  place.op = graph::op_name(function.kind(op));
  return place;
}

Result<void> Interpreter::charge(const graph::Function& function, OpId op, double elements) {
  work_ += elements;
  if (work_ <= options_.work_limit) return {};
  return fail(Code::OracleLimit, place(function, op), "this op would bring the work to " + std::to_string(work_) +
              " element visits; the limit is " + std::to_string(options_.work_limit));
}

Result<void> Interpreter::count_iteration(const graph::Function& function, OpId op) {
  if (++iterations_ <= options_.step_limit) return {};
  return fail(Code::OracleLimit, place(function, op),
              "while loops ran " + std::to_string(options_.step_limit) + " iterations, which is the limit");
}

Result<void> Interpreter::check_results(const graph::Function& function, OpId op) {
  double elements = 1;
  for (const ValueId value : function.results(op)) {
    const graph::Type& type = module_.value_type(function, value);
    if (type.kind == graph::TypeKind::Quantized || type.kind == graph::TypeKind::Opaque ||
        type.kind == graph::TypeKind::Buffer || type.kind == graph::TypeKind::Future)
      return fail(Code::OracleUnsupported, place(function, op), "a result is neither a plain tensor, a tuple nor a token");
    if (type.kind != graph::TypeKind::Tensor) continue;
    if (std::find(type.shape.begin(), type.shape.end(), graph::kDynamic) != type.shape.end())
      return fail(Code::OracleUnsupported, place(function, op), "the result " + shape_text(type) + " has a dynamic size");
    if (too_large(type))
      return fail(Code::OracleLimit, place(function, op),
                  "the result " + shape_text(type) + " has more than " + std::to_string(kLargestTensor) + " elements");
    elements += static_cast<double>(type.element_count());
  }
  return charge(function, op, elements);
}

const std::vector<std::uint32_t>& Interpreter::last_uses(FunctionId id) {
  std::vector<std::uint32_t>& uses = last_uses_[id.index];
  const graph::Function& f = module_.function(id);
  if (uses.empty()) {
    uses.assign(f.value_count() + 1, 0);
    for (const OpId op : f.ops())
      for (const ValueId value : f.operands(op)) uses[value.index] = op.index;
  }
  return uses;
}

Result<std::vector<Value>> Interpreter::run(FunctionId id, std::vector<Value> arguments) {
  const graph::Function& f = module_.function(id);
  if (arguments.size() != f.parameter_count() || f.op_count() == 0)
    return fail(Code::Internal, "a function is called with " + std::to_string(arguments.size()) + " values and has " +
                std::to_string(f.parameter_count()) + " parameters");
  if (++depth_ > kDeepest) {
    --depth_;
    return fail(Code::OracleLimit, place(f, OpId(std::size_t{0})),
                "calls and regions nest deeper than " + std::to_string(kDeepest));
  }
  std::vector<Value> values(f.value_count());
  std::move(arguments.begin(), arguments.end(), values.begin());
  const std::vector<std::uint32_t>& last = last_uses(id);
  for (const OpId op : f.ops()) {
    const std::span<const ValueId> wanted = f.operands(op);
    std::vector<Value> operands;
    operands.reserve(wanted.size());
    for (const ValueId value : wanted) operands.push_back(values[value.index]);
    if (f.kind(op) == graph::OpKind::Return) {
      --depth_;
      return operands;
    }
    for (const ValueId value : wanted)
      if (last[value.index] == op.index) values[value.index] = Value();
    auto results = run_op(f, op, std::move(operands));
    if (!results) {
      --depth_;
      return results.failure();
    }
    std::size_t i = 0;
    for (const ValueId value : f.results(op)) values[value.index] = std::move((*results)[i++]);
  }
  --depth_;
  return fail(Code::Internal, "a function has no return");
}

Result<std::vector<Value>> Interpreter::run_op(const graph::Function& f, OpId op, std::vector<Value> operands) {
  ON_TRY(check_results(f, op));
  const OpContext context{*this, module_, f, op, std::move(operands)};
  const graph::OpKind kind = f.kind(op);
  const auto element = element_op(module_, f, op, round());
  auto results = element                 ? run_elementwise(context, *element)
                 : is_movement(kind)     ? run_movement(context)
                 : is_contraction(kind)  ? run_contraction(context)
                 : is_region_op(kind)    ? run_region_op(context)
                 : is_control(kind)      ? run_control(context)
                 : is_collective(kind)   ? run_collective(context)
                 : is_numeric(kind)      ? run_numeric(context)
                                         : Result<std::vector<Value>>(context.unsupported());
  if (results && results->size() != context.result_count())
    return fail(Code::Internal, place(f, op), "the oracle computed another number of results than the op has");
  return results;
}

Failure OpContext::unsupported(std::string why) const {
  if (why.empty()) why = "the oracle does not cover this op";
  return fail(Code::OracleUnsupported, interpreter.place(function, op), std::move(why));
}

Result<std::vector<Value>> OpContext::run_region(std::size_t region, std::vector<Value> arguments) const {
  arguments.insert(arguments.end(), operands.end() - function.capture_count(op), operands.end());
  return interpreter.run(function.regions(op)[region], std::move(arguments));
}

Values run_elementwise(const OpContext& context, const ElementOp& op) {
  Tensor result = context.new_result();
  const std::size_t operand_count = std::min<std::size_t>(context.operands.size(), 3);
  const std::int64_t count = result.count();
  // A scalar predicate or bound serves every element.
  std::int64_t step[3] = {};
  for (std::size_t k = 0; k < operand_count; ++k) step[k] = context.tensor(k).shape.empty() ? 0 : 1;
  Scalar operands[3];
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < operand_count; ++k) operands[k] = get(context.tensor(k), i * step[k]);
    set(result, i, evaluate(op, {operands, operand_count}));
  }
  return std::vector<Value>{std::move(result)};
}

// ---- scalar regions

Body::Body(const OpContext& context, std::size_t region) : context_(context), region_(region) {
  const graph::Function& f = context.module.function(context.function.regions(context.op)[region]);
  const std::size_t captures = context.function.capture_count(context.op);
  for (std::size_t i = 0; i + captures < f.parameter_count(); ++i)
    argument_types_.push_back(context.module.value_type(f, ValueId(i)).element);
  compiled_ = compile();
}

bool Body::compile() {
  const graph::Module& module = context_.module;
  const graph::Function& f = module.function(context_.function.regions(context_.op)[region_]);
  for (const ValueId value : f.values()) {
    const graph::Type& type = module.value_type(f, value);
    if (type.kind != graph::TypeKind::Tensor || !type.shape.empty()) return false;
  }
  slots_.assign(f.value_count(), Scalar());
  const std::size_t first_capture = argument_types_.size();
  for (std::size_t i = first_capture; i < f.parameter_count(); ++i) {
    const Value& captured = context_.operands[context_.operands.size() - f.parameter_count() + i];
    if (!captured.tensor) return false;
    slots_[i] = get(*captured.tensor, 0);
  }
  for (const OpId op : f.ops()) {
    if (f.kind(op) == graph::OpKind::Return) {
      for (const ValueId value : f.operands(op)) returned_.push_back(value.index);
      return true;
    }
    if (f.kind(op) == graph::OpKind::Constant) {
      const AttrId id = module.attr(f, op, "value");
      if (!id.valid() || module.attribute(id).kind != graph::AttrKind::Constant) return false;
      const graph::Constant& constant = module.constant(module.attribute(id).constant);
      slots_[f.result(op).index] = get(from_bytes(module.value_type(f, f.result(op)).element, {}, constant.bytes), 0);
      continue;
    }
    const auto element = element_op(module, f, op, context_.round());
    const std::span<const ValueId> operands = f.operands(op);
    if (!element || operands.size() > 3) return false;
    Step step{*element, {}, static_cast<std::uint32_t>(operands.size()), f.result(op).index};
    for (std::size_t i = 0; i < operands.size(); ++i) step.operands[i] = operands[i].index;
    steps_.push_back(step);
  }
  return false;
}

Result<void> Body::run(std::span<const Scalar> arguments, std::span<Scalar> results) {
  if (compiled_) {
    std::copy(arguments.begin(), arguments.end(), slots_.begin());
    Scalar operands[3];
    for (const Step& step : steps_) {
      for (std::uint32_t i = 0; i < step.operand_count; ++i) operands[i] = slots_[step.operands[i]];
      slots_[step.result] = evaluate(step.op, {operands, step.operand_count});
    }
    for (std::size_t i = 0; i < results.size() && i < returned_.size(); ++i) results[i] = slots_[returned_[i]];
    return {};
  }
  std::vector<Value> values;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    Tensor t = make_tensor(argument_types_[i], {});
    set(t, 0, arguments[i]);
    values.emplace_back(std::move(t));
  }
  auto returned = context_.run_region(region_, std::move(values));
  if (!returned) return returned.failure();
  for (std::size_t i = 0; i < results.size() && i < returned->size(); ++i)
    if ((*returned)[i].tensor) results[i] = get(*(*returned)[i].tensor, 0);
  return {};
}

// ---- the public entry

Result<std::vector<Tensor>> run_graph(const graph::Module& module, std::span<const Tensor> inputs, const Options& options) {
  const FunctionId entry = module.entry();
  if (!entry.valid()) return fail(Code::OracleInput, "the program has no public function to run");
  const graph::Function& f = module.function(entry);
  if (inputs.size() != f.parameter_count())
    return fail(Code::OracleInput, "the program takes " + std::to_string(f.parameter_count()) + " inputs and got " +
                std::to_string(inputs.size()));
  std::vector<Value> arguments;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const graph::Type& type = module.value_type(f, ValueId(i));
    if (type.kind == graph::TypeKind::Token) {
      arguments.emplace_back();
      continue;
    }
    if (type.kind != graph::TypeKind::Tensor || type.element != inputs[i].type || type.shape != inputs[i].shape)
      return fail(Code::OracleInput, "input " + std::to_string(i) + " does not have the type of its parameter, " +
                  shape_text(type));
    arguments.emplace_back(inputs[i]);
  }
  Interpreter interpreter(module, options);
  auto results = interpreter.run(entry, std::move(arguments));
  if (!results) return results.failure();
  std::vector<Tensor> outputs;
  for (Value& value : *results) {
    if (value.members) return fail(Code::OracleUnsupported, "the program returns a tuple");
    outputs.push_back(value.tensor ? *value.tensor : Tensor{ElementType::None, {0}, {}, {}, {}});
  }
  return outputs;
}

}  // namespace openneuron::ref
