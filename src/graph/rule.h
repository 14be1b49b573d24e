// What a shape rule sees of one op, and how it says what must hold. A rule is one function, infer_<name>; it runs in
// two modes: against stated result types (verifier), or to derive them (builders).
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "graph/module.h"
#include "graph/op_info.h"

namespace openneuron::graph {

using Shape = std::vector<std::int64_t>;

/// Functions that check return false after an error; error() then holds it. Rules pass that on at once.
class Rule {
 public:
  /// `derive_into` null: verify `stated`. Operands without captured values.
  Rule(const Module& module, OpKind kind, std::span<const TypeId> operands, AttrId attributes,
       std::span<const FunctionId> regions, std::uint32_t capture_count, std::span<const TypeId> stated,
       Module* derive_into)
      : m_(module),
        kind_(kind),
        operands_(operands),
        attributes_(attributes),
        regions_(regions),
        capture_count_(capture_count),
        stated_(stated),
        derive_into_(derive_into) {}

  // -- reading
  OpKind kind() const { return kind_; }
  const Module& module() const { return m_; }
  std::size_t operand_count() const { return operands_.size(); }
  TypeId operand_id(std::size_t i) const { return operands_[i]; }
  const Type& operand(std::size_t i) const { return m_.type(operands_[i]); }
  std::size_t region_count() const { return regions_.size(); }
  const Function& region(std::size_t i) const { return m_.function(regions_[i]); }
  AttrId attribute(std::string_view name) const { return m_.lookup(attributes_, name); }
  std::span<const std::int64_t> ints(std::string_view name) const;
  std::int64_t integer(std::string_view name) const;
  std::string_view text(std::string_view name) const;
  bool deriving() const { return derive_into_ != nullptr; }
  TypeId stated_id(std::size_t i) const { return stated_[i]; }
  std::size_t stated_count() const { return stated_.size(); }

  // -- checking
  bool fail(Code code, std::string message);
  bool require(bool holds, const char* message) { return holds || fail(Code::GraphAttribute, message); }
  bool operands_must(bool holds, const char* message) { return holds || fail(Code::GraphOperands, message); }
  /// All operands are tensors (or quantized) of rank at most kMaxRank.
  bool tensors();
  bool tensor(std::size_t i);
  /// Element type class of operand i is one of `classes` (letters: b bool, i signed, u unsigned, f float, c complex).
  bool element(std::size_t i, std::string_view classes);
  /// Operand i is a tensor of rank 0.
  bool scalar(std::size_t i);
  bool same_shape(std::size_t i, std::size_t j);
  bool same_element(std::size_t i, std::size_t j);
  bool dimension_in(std::string_view name, std::int64_t value, std::size_t rank);
  /// Each in [0, rank), none twice.
  bool dimensions(std::string_view name, std::span<const std::int64_t> values, std::size_t rank);
  bool sorted(std::string_view name, std::span<const std::int64_t> values);
  bool length(std::string_view name, std::span<const std::int64_t> values, std::size_t expected);
  bool positive(std::string_view name, std::span<const std::int64_t> values);
  /// The region takes `arguments` (and the captures) and returns `results`.
  bool region_signature(std::size_t i, std::span<const Type> arguments, std::span<const Type> results);
  /// Takes and returns; what it returns is only counted.
  bool region_arguments(std::size_t i, std::span<const Type> arguments);
  std::vector<Type> region_results(std::size_t i) const;

  // -- results, one call each, in order
  bool result(ElementType element, Shape shape);
  /// As operand i; dynamic dims of either side match anything.
  bool result_like(std::size_t i);
  bool result_type(const Type& type);
  /// A result that operands and attributes do not fix: its stated type, checked to be a tensor. Null when deriving.
  const Type* stated_tensor();
  const Type* stated_any();
  /// After the last result.
  bool no_more_results();

  Diagnostic& error() { return error_; }
  bool failed() const { return failed_; }
  std::vector<TypeId>& derived() { return derived_; }

 private:
  const Module& m_;
  OpKind kind_;
  std::span<const TypeId> operands_;
  AttrId attributes_;
  std::span<const FunctionId> regions_;
  std::uint32_t capture_count_;
  std::span<const TypeId> stated_;
  Module* derive_into_;
  std::size_t next_result_ = 0;
  std::vector<TypeId> derived_;
  Diagnostic error_;
  bool failed_ = false;
};

/// One static size against another: equal, or one is dynamic.
inline bool sizes_agree(std::int64_t a, std::int64_t b) { return a == b || a == kDynamic || b == kDynamic; }
bool shapes_agree(std::span<const std::int64_t> a, std::span<const std::int64_t> b);
/// Kind, element and shape agree; quantized elements are compared by their text.
bool types_agree(const Type& a, const Type& b);
Type scalar_type(ElementType element);
Type tensor_type(ElementType element, Shape shape);
/// The element of a type as a scalar: keeps a quantized element.
Type scalar_of(const Type& type);
std::string show(const Module& module, const Type& type);
/// a + b and so on with kDynamic absorbing; saturates far outside the allowed sizes.
std::int64_t add_sizes(std::int64_t a, std::int64_t b);
/// Number of window positions: StableHLO's `num_windows` of dilated and padded base and dilated window.
std::int64_t window_count(std::int64_t base, std::int64_t base_dilation, std::int64_t low, std::int64_t high,
                          std::int64_t window, std::int64_t window_dilation, std::int64_t stride);

// Every rule that the table names.
#define OP(name, text, operands, regions, form, rule, traits, spec, attributes) bool infer_##rule(Rule& r);
#include "graph/ops.def"
#undef OP

/// The rule of an op.
bool apply_rule(Rule& r);

}  // namespace openneuron::graph
