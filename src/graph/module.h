// The graph level in columns: a Module owns interned tables and its Functions; a Function is columns of ops and values.
// Ops are in topological (program) order; the last op of every function is Return. Regions are functions of their own:
// a region function's parameters are its block arguments followed by the values it captures from outside, and the op
// that owns it lists those captured values at the end of its operands (`capture_count` of them, the same list for all
// regions of the op).
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "graph/op_kind.h"
#include "graph/types.h"

namespace openneuron::graph {

/// A function or region.
class Function {
 public:
  std::string name;  ///< symbol without '@'; empty for regions
  bool is_public = false;
  bool is_region = false;
  std::vector<AttrId> parameter_attributes;  ///< per parameter: Dictionary or none (tf.aliasing_output, ...)
  std::vector<AttrId> result_attributes;     ///< per result: Dictionary or none
  AttrId attributes;                         ///< discardable function attributes or none
  LocationId location;

  // -- reading
  std::size_t op_count() const { return kind_.size(); }
  std::size_t value_count() const { return value_type_.size(); }
  std::size_t parameter_count() const { return parameter_count_; }
  IdRange<OpId> ops() const { return {0, static_cast<std::uint32_t>(kind_.size())}; }
  IdRange<ValueId> parameters() const { return {0, parameter_count_}; }
  IdRange<ValueId> values() const { return {0, static_cast<std::uint32_t>(value_type_.size())}; }
  OpKind kind(OpId op) const { return kind_[op.index]; }
  /// All operands, captured values last.
  std::span<const ValueId> operands(OpId op) const;
  ValueId operand(OpId op, std::size_t i) const { return operands(op)[i]; }
  std::uint32_t capture_count(OpId op) const;
  IdRange<ValueId> results(OpId op) const { return {first_result_[op.index], result_count_[op.index]}; }
  ValueId result(OpId op, std::size_t i = 0) const { return ValueId(first_result_[op.index] + i); }
  /// Inherent attributes (a Dictionary) or none.
  AttrId attributes_of(OpId op) const { return attribute_[op.index]; }
  /// Discardable attributes (mhlo.*, jax.*, sdy.*; a Dictionary) or none.
  AttrId extra_attributes(OpId op) const { return extra_[op.index]; }
  LocationId location_of(OpId op) const { return op_location_[op.index]; }
  std::span<const FunctionId> regions(OpId op) const;
  TypeId type(ValueId value) const { return value_type_[value.index]; }
  /// The op that makes `value`; none for a parameter.
  OpId definition(ValueId value) const { return value_op_[value.index]; }
  /// The Return op; every finished function has one.
  OpId terminator() const { return OpId(kind_.size() - 1); }

  // -- building (append only)
  ValueId add_parameter(TypeId type, AttrId attributes = {});
  OpId add_op(OpKind kind, std::span<const ValueId> operands, std::span<const TypeId> result_types,
              AttrId attributes = {}, LocationId location = {}, std::span<const FunctionId> regions = {},
              std::uint32_t capture_count = 0, AttrId extra = {});
  /// While a region is read its captures are not known yet: operands name the k-th one as provisional_capture(k).
  /// finish_captures, called once when the region is complete, turns them into parameters behind the present ones:
  /// `types` are the captured values' types, `slots[k]` says which of them the k-th provisional capture is.
  static ValueId provisional_capture(std::uint32_t k) { return ValueId(std::size_t{kProvisionalCapture | k}); }
  static bool is_provisional(ValueId value) { return (value.index & kProvisionalCapture) != 0; }
  void finish_captures(std::span<const TypeId> types, std::span<const std::uint32_t> slots);
  void set_type(ValueId value, TypeId type) { value_type_[value.index] = type; }

 private:
  static constexpr std::uint32_t kProvisionalCapture = 0x80000000u;
  std::vector<OpKind> kind_;
  std::vector<std::uint32_t> first_operand_;  // into pool_; op i's list ends where i+1's begins
  std::vector<std::uint32_t> first_result_;
  std::vector<std::uint32_t> result_count_;
  std::vector<AttrId> attribute_;
  std::vector<AttrId> extra_;
  std::vector<LocationId> op_location_;
  std::vector<std::uint32_t> region_list_;  // 0 none, else 1 + index into region_pool_ header
  std::vector<ValueId> pool_;
  std::vector<FunctionId> region_pool_;  // [count, captures, ids...] packed
  std::vector<TypeId> value_type_;
  std::vector<OpId> value_op_;
  std::uint32_t parameter_count_ = 0;
};

/// A program: interned tables, constants, functions. Move-only.
class Module {
 public:
  Module();
  ~Module();
  Module(Module&&) noexcept;
  Module& operator=(Module&&) noexcept;

  std::string name;                    ///< without '@'
  AttrId attributes;                   ///< module attributes (Dictionary) or none
  std::vector<std::string> notes;      ///< what a reader left out, one sentence each, for the user
  std::vector<std::string> extra_ops;  ///< module-level ops kept as text (`sdy.mesh @mesh = ...`), in order

  // -- tables
  TypeId intern(Type type);
  AttrId intern(Attribute attribute);
  LocationId intern(Location location);
  const Type& type(TypeId id) const;
  const Attribute& attribute(AttrId id) const;
  const Location& location(LocationId id) const;  ///< none gives Unknown
  std::size_t type_count() const;
  std::size_t attribute_count() const;
  std::size_t constant_count() const;

  // -- constants: equal ones get one id, and one whose elements all have the same bytes becomes a splat
  /// Registers bytes that outlive the module (a mapped file) without copying.
  ConstantId add_constant(TypeId type, bool splat, std::span<const std::byte> bytes);
  /// Takes bytes into the module's own storage.
  ConstantId own_constant(TypeId type, bool splat, std::vector<std::byte> bytes);
  const Constant& constant(ConstantId id) const;
  /// Keeps a mapped file alive as long as the module.
  void keep(std::shared_ptr<const void> owner);
  /// Leaves an empty module. What it returns keeps the bytes of the constants alive, and nothing else.
  std::shared_ptr<const void> take_constant_bytes();

  // -- functions
  FunctionId add_function(Function function);
  Function& function(FunctionId id);
  const Function& function(FunctionId id) const;
  IdRange<FunctionId> functions() const;
  /// Moves every function out and leaves none: a structural pass reads the old ones and adds new ones to the same
  /// tables.
  std::vector<Function> take_functions();
  /// By symbol name; none when absent.
  FunctionId find(std::string_view name) const;
  /// Names are looked up by hash: a function that is in the module already is renamed here, not in its field.
  void rename(FunctionId id, std::string name);
  /// The public function `main`, else the only public one; none when there is none.
  FunctionId entry() const;

  // -- conveniences
  TypeId tensor(ElementType element, std::span<const std::int64_t> shape);
  const Type& value_type(const Function& f, ValueId v) const { return type(f.type(v)); }
  /// Attribute `name` of the dictionary `dictionary`; none when absent.
  AttrId lookup(AttrId dictionary, std::string_view name) const;
  AttrId attr(const Function& f, OpId op, std::string_view name) const { return lookup(f.attributes_of(op), name); }
  /// Value of an Ints/Bools attribute; empty when absent.
  std::span<const std::int64_t> ints(const Function& f, OpId op, std::string_view name) const;
  std::int64_t integer(const Function& f, OpId op, std::string_view name, std::int64_t otherwise) const;
  /// Text of an Enum, String or Symbol attribute; empty when absent.
  std::string_view text(const Function& f, OpId op, std::string_view name) const;
  /// Makes a Dictionary attribute; pairs need not be sorted.
  AttrId dictionary(std::vector<std::pair<std::string, AttrId>> pairs);
  AttrId ints_attr(std::span<const std::int64_t> values);
  AttrId int_attr(std::int64_t value, ElementType type = ElementType::I64);
  AttrId enum_attr(std::string_view dialect_name, std::string_view keyword);
  AttrId unit_attr();
  AttrId bool_attr(bool value);
  AttrId bools_attr(std::span<const std::int64_t> values);
  AttrId float_attr(double value, ElementType type = ElementType::F64);
  AttrId string_attr(std::string_view text);
  AttrId symbol_attr(std::string_view name);  ///< without '@'
  AttrId array_attr(std::vector<AttrId> items);
  AttrId type_attr(TypeId type);
  AttrId element_type_attr(ElementType type);  ///< a bare element type: AttrKind::Type, `element` set, `type` none
  AttrId matrix_attr(std::span<const std::int64_t> values, std::int64_t rows, std::int64_t columns);
  AttrId constant_attr(ConstantId constant);
  AttrId opaque_attr(std::string_view text);

 private:
  struct Tables;
  std::unique_ptr<Tables> tables_;
};

}  // namespace openneuron::graph
