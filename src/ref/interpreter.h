// The graph interpreter: values, one op at a time, and the scalar regions that reduce and its kin run per element.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/module.h"
#include "ref/ref.h"
#include "ref/tensor.h"

namespace openneuron::ref {

/// A tensor, a tuple, or (both empty) a token.
struct Value {
  std::shared_ptr<const Tensor> tensor;
  std::shared_ptr<const std::vector<Value>> members;

  Value() = default;
  Value(Tensor t) : tensor(std::make_shared<const Tensor>(std::move(t))) {}  // NOLINT: implicit on purpose
};

class Interpreter {
 public:
  Interpreter(const graph::Module& module, const Options& options);

  /// Runs a function or region; `arguments` are its parameters, captured values included.
  Result<std::vector<Value>> run(FunctionId function, std::vector<Value> arguments);

  const graph::Module& module() const { return module_; }
  bool round() const { return options_.round_each_op; }
  /// Counts `elements` visits of an element by `op`; an error beyond what the oracle is willing to do.
  Result<void> charge(const graph::Function& function, OpId op, double elements);
  Result<void> count_iteration(const graph::Function& function, OpId op);
  /// File, line and column of the op's location, and its name.
  Place place(const graph::Function& function, OpId op) const;

 private:
  Result<std::vector<Value>> run_op(const graph::Function& function, OpId op, std::vector<Value> operands);
  Result<void> check_results(const graph::Function& function, OpId op);
  const std::vector<std::uint32_t>& last_uses(FunctionId id);

  const graph::Module& module_;
  Options options_;
  std::vector<std::vector<std::uint32_t>> last_uses_;  // per function and value: the op that reads it last
  double work_ = 0;
  std::uint64_t iterations_ = 0;
  int depth_ = 0;
};

/// One op about to be evaluated.
struct OpContext {
  Interpreter& interpreter;
  const graph::Module& module;
  const graph::Function& function;
  OpId op;
  std::vector<Value> operands;  ///< captured values last

  graph::OpKind kind() const { return function.kind(op); }
  const Tensor& tensor(std::size_t i) const { return *operands[i].tensor; }
  const graph::Type& result_type(std::size_t i = 0) const { return module.value_type(function, function.result(op, i)); }
  std::size_t result_count() const { return function.results(op).size(); }
  /// Operands without the captured values.
  std::size_t own_operand_count() const { return operands.size() - function.capture_count(op); }
  std::span<const std::int64_t> ints(std::string_view name) const { return module.ints(function, op, name); }
  std::int64_t integer(std::string_view name, std::int64_t otherwise = 0) const {
    return module.integer(function, op, name, otherwise);
  }
  std::string_view text(std::string_view name) const { return module.text(function, op, name); }
  bool round() const { return interpreter.round(); }
  /// A zero tensor of result `i`'s type.
  Tensor new_result(std::size_t i = 0) const { return make_tensor(result_type(i).element, result_type(i).shape); }
  Result<std::vector<Value>> run_region(std::size_t region, std::vector<Value> arguments) const;
  Result<void> charge(double elements) const { return interpreter.charge(function, op, elements); }
  Failure unsupported(std::string why = {}) const;
};

/// A region whose block arguments are scalars, called once per element. Bodies made of elementwise ops run as a list of
/// scalar steps; any other body runs through the interpreter.
class Body {
 public:
  Body(const OpContext& context, std::size_t region);
  Result<void> run(std::span<const Scalar> arguments, std::span<Scalar> results);
  std::size_t argument_count() const { return argument_types_.size(); }

 private:
  struct Step {
    ElementOp op;
    std::uint32_t operands[3];
    std::uint32_t operand_count;
    std::uint32_t result;
  };
  bool compile();

  const OpContext& context_;
  std::size_t region_;
  std::vector<ElementType> argument_types_;
  bool compiled_ = false;
  std::vector<Step> steps_;
  std::vector<Scalar> slots_;
  std::vector<std::uint32_t> returned_;
};

/// Families of ops, one file each. Every function returns the results of one op.
using Values = Result<std::vector<Value>>;
Values run_elementwise(const OpContext& context, const ElementOp& op);
bool is_movement(graph::OpKind kind);       // movement.cpp: elements move, none is computed
Values run_movement(const OpContext& context);
bool is_contraction(graph::OpKind kind);    // contraction.cpp: dot, dot_general, convolution
Values run_contraction(const OpContext& context);
bool is_region_op(graph::OpKind kind);      // region_ops.cpp: a scalar region per element
Values run_region_op(const OpContext& context);
bool is_control(graph::OpKind kind);        // control.cpp: regions and functions, tuples, identities
Values run_control(const OpContext& context);
bool is_collective(graph::OpKind kind);     // collective.cpp: of groups of one core
Values run_collective(const OpContext& context);
bool is_numeric(graph::OpKind kind);        // numeric.cpp: factorisations, transforms, norms, top_k
Values run_numeric(const OpContext& context);

}  // namespace openneuron::ref
