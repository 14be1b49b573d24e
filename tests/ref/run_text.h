// Programs as StableHLO text, run by the graph oracle.
#pragma once
#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "import/import.h"
#include "ref/ref.h"

namespace openneuron::test {

inline ref::Tensor floats(std::vector<std::int64_t> shape, std::vector<double> values, ElementType type = ElementType::F32) {
  ref::Tensor t;
  t.type = type;
  t.shape = std::move(shape);
  t.real = std::move(values);
  return t;
}
inline ref::Tensor integers(std::vector<std::int64_t> shape, std::vector<std::int64_t> values,
                            ElementType type = ElementType::I32) {
  ref::Tensor t;
  t.type = type;
  t.shape = std::move(shape);
  t.integer = std::move(values);
  return t;
}

inline graph::Module parse_graph(const std::string& text) {
  static std::vector<std::string> kept;  // literals may point into the text
  kept.push_back(text);
  auto module = import::read_text({reinterpret_cast<const std::byte*>(kept.back().data()), kept.back().size()}, "test.mlir");
  REQUIRE_MESSAGE(module, format_diagnostic(module.diagnostic()));
  return std::move(*module);
}

inline std::vector<ref::Tensor> run_text(const std::string& text, const std::vector<ref::Tensor>& inputs = {},
                                         const ref::Options& options = {}) {
  const graph::Module module = parse_graph(text);
  auto results = ref::run_graph(module, inputs, options);
  REQUIRE_MESSAGE(results, format_diagnostic(results.diagnostic()));
  return std::move(*results);
}

inline std::string run_failure(const std::string& text, const std::vector<ref::Tensor>& inputs = {},
                               const ref::Options& options = {}) {
  const graph::Module module = parse_graph(text);
  auto results = ref::run_graph(module, inputs, options);
  REQUIRE(!results);
  return format_diagnostic(results.diagnostic());
}

/// A function @main with these parameters, results and body.
inline std::string main_function(const std::string& parameters, const std::string& results, const std::string& body) {
  return "func.func @main(" + parameters + ") -> (" + results + ") {\n" + body + "\n}\n";
}

/// One op of one type: `op` applied to all inputs, which share their type.
inline ref::Tensor run_op(const std::string& op, const std::vector<ref::Tensor>& inputs, const ref::Options& options = {}) {
  std::string type = "tensor<";
  for (const std::int64_t d : inputs[0].shape) type += std::to_string(d) + "x";
  type += std::string(type_name(inputs[0].type)) + ">";
  std::string parameters, operands;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    parameters += (i ? ", %a" : "%a") + std::to_string(i) + ": " + type;
    operands += (i ? ", %a" : " %a") + std::to_string(i);
  }
  return run_text(main_function(parameters, type, "%r = " + op + operands + " : " + type + "\nreturn %r : " + type), inputs,
                  options)[0];
}

}  // namespace openneuron::test
