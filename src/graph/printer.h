// The state of one printing; used by print_*.cpp only.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "graph/module.h"
#include "graph/op_info.h"
#include "graph/print.h"

namespace openneuron::graph {

class Printer {
 public:
  Printer(const Module& module, const PrintOptions& options) : m_(module), options_(options) {}
  std::string run();

 private:
  /// How a value is written: %arg3, %7 or %7#1.
  struct Name {
    std::uint32_t number = 0;
    std::int32_t part = -1;
    bool argument = false;
  };
  /// A function whose ops are being printed. Numbers continue those of the enclosing one.
  struct Scope {
    const Function* f = nullptr;
    std::vector<Name> names;
    std::uint32_t next_value = 0;  // first number that regions of this function may use
    std::uint32_t next_argument = 0;
  };

  // print.cpp
  void print_function(const Function& f);
  Scope open(const Function& f, const Scope* outer, OpId op);
  void print_ops(const Scope& s);
  void print_op(const Scope& s, OpId op);
  void print_generic(const Scope& s, OpId op);
  void print_region(const Scope& outer, OpId op, FunctionId region, bool arguments);
  void location(LocationId id);
  void location_body(LocationId id);
  void print_location_aliases();
  void indent();

  // print_pretty.cpp: false when the op does not have the shape that the pretty form needs
  bool print_pretty(const Scope& s, OpId op);
  bool pretty_types_same(const Scope& s, OpId op);
  bool pretty_compare(const Scope& s, OpId op);
  bool pretty_slice(const Scope& s, OpId op);
  bool pretty_clauses(const Scope& s, OpId op);
  bool pretty_dot(const Scope& s, OpId op);
  bool pretty_convolution(const Scope& s, OpId op);
  bool pretty_reduce(const Scope& s, OpId op);
  bool pretty_while(const Scope& s, OpId op);
  bool pretty_return(const Scope& s, OpId op);
  bool pretty_custom_call(const Scope& s, OpId op);
  bool pretty_composite(const Scope& s, OpId op);
  bool pretty_sharding(const Scope& s, OpId op);
  bool pretty_manual_computation(const Scope& s, OpId op);
  bool compact_body(const Scope& s, OpId op, OpKind& body);
  void name_and_operands(const Scope& s, OpId op);
  void attribute_dictionary(const Scope& s, OpId op, bool with_inherent);
  void functional_type(const Scope& s, OpId op);
  void list(std::span<const std::int64_t> values);
  void clause(std::string_view key, std::span<const std::int64_t> values);
  bool all_types_same(const Scope& s, OpId op) const;
  bool dim_numbers(AttrId dictionary);

  // print_attribute.cpp
  void type(TypeId id);
  void types(std::span<const TypeId> ids);
  std::string type_text(const Type& t);
  void attribute(AttrId id);
  void dictionary(const Attribute& d);
  void inherent(const Scope& s, OpId op);
  bool inherent_special(OpKind kind, const AttrInfo& info, AttrId value);
  void struct_text(std::string_view head, const Attribute& d);
  void ints(const Attribute& a);
  void dense_ints(const Attribute& a);
  bool mesh_groups(const Attribute& d);
  void constant(ConstantId id);
  void element(ElementType type, const std::byte* bytes, std::size_t index);
  void real(ElementType type, double value, std::uint64_t bits);
  void quoted(std::string_view text);
  void symbol(std::string_view name);
  void key(std::string_view name);
  void integer(std::int64_t value);

  void value(const Scope& s, ValueId v);
  void values(const Scope& s, std::span<const ValueId> list);
  std::span<const ValueId> plain_operands(const Scope& s, OpId op) const;

  const Module& m_;
  const PrintOptions options_;
  std::string out_;
  int depth_ = 0;
  std::string_view return_name_ = "return";
  std::vector<std::string> type_texts_;
  std::vector<bool> location_used_;
};

}  // namespace openneuron::graph
