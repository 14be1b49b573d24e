// The parser of StableHLO text: a recursive descent with a depth limit, one pass over the ops. Aliases (`#loc3`, `!t`)
// and resources, which may follow their use, are found by a scan before and read when first used.
#pragma once
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graph/module.h"
#include "graph/normalise.h"
#include "graph/op_info.h"
#include "import/import.h"
#include "import/text_cursor.h"
#include "import/text_names.h"

namespace openneuron::import {

inline constexpr int kMaxDepth = 256;

/// What was read of an op before it is added to its function.
struct OpDraft {
  graph::OpKind kind{};
  const char* start = nullptr;
  LocationId text_location;  ///< of `start`, when wanted
  bool broadcasts = false;   ///< chlo.broadcast_*: operands are broadcast to the result's shape first
  std::vector<ValueId> operands;
  graph::NamedAttributes attributes;
  std::vector<TypeId> operand_types;  ///< as the text states them; empty: not stated
  std::vector<TypeId> result_types;
  std::vector<graph::Function> regions;
  std::vector<std::vector<ValueId>> region_captures;  ///< per region: captured values of the enclosing level
  void clear();
};

class TextParser {
 public:
  TextParser(std::string_view text, std::string file, graph::Module& module, Positions positions);
  bool parse();
  Cursor& cursor() { return c_; }

 private:
  struct Level;
  struct Result {
    std::string_view name;
    std::uint32_t count;
  };
  struct Alias {
    const char* definition = nullptr;
    bool open = false;  // being read: a cycle when met again
    bool has_location = false, has_attribute = false, has_type = false;
    LocationId location;
    AttrId attribute;
    TypeId type;
  };
  /// Counts one level of nesting for its lifetime.
  struct Depth {
    explicit Depth(TextParser& parser) : parser_(parser) { ++parser.depth_; }
    ~Depth() { --parser_.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    bool ok() {
      return parser_.depth_ <= kMaxDepth || parser_.c_.fail(Code::TextTooDeep, "nested more than 256 levels deep.");
    }
    TextParser& parser_;
  };

  // text_module.cpp
  void scan_aliases();
  bool parse_module_body(bool braced);
  bool parse_top_level(bool& done);
  bool parse_module();
  bool parse_generic_module();
  bool parse_func();
  bool parse_generic_func();
  bool finish_function(graph::Function f, std::vector<TypeId> results, const char* start);
  bool keep_module_op();
  bool keep_generic_mesh();
  bool parse_argument_list(graph::Function& f, bool named);

  // text_region.cpp
  bool parse_region(OpDraft& draft, const std::vector<std::string_view>& names, const std::vector<TypeId>& types,
                    bool braces_open = false);
  bool parse_block_arguments();
  bool parse_ops_until_brace();
  Level& level() { return *levels_.back(); }
  bool use(ValueId& out);
  bool use_name(std::string_view name, const char* where, std::uint32_t index, ValueId& out);
  ValueId capture(std::size_t level, ValueId outer_value);
  TypeId type_of(ValueId value);
  TypeId type_at(std::size_t level, ValueId value);
  bool add_argument(std::string_view name, TypeId type, AttrId attributes, const char* where);

  // text_op.cpp
  bool parse_op();
  bool parse_generic_op(OpDraft& draft);
  bool parse_operand_list(std::vector<ValueId>& out);  // %a, %b ... (at least one)
  bool parse_functional_type(OpDraft& draft);
  bool parse_attributes(graph::NamedAttributes& out);  // { ... } when next
  bool parse_trailing_location(LocationId& out);
  bool finish_op(OpDraft& draft, const std::vector<Result>& results, const char* start);
  bool check_types(OpDraft& draft, const char* start);
  bool named_op(std::string_view name, OpDraft& draft);
  bool broadcast_operands(OpDraft& draft, LocationId location);
  bool known_op(std::string_view name, const char* where, graph::OpKind& kind);
  OpDraft& push_draft();
  void pop_draft() { --drafts_used_; }

  // text_pretty.cpp, text_pretty_data.cpp, text_pretty_region.cpp
  bool parse_pretty_op(OpDraft& draft);
  bool parse_elementwise(OpDraft& draft);
  bool parse_types(OpDraft& draft, bool same_allowed);
  bool parse_variadic(OpDraft& draft);
  bool parse_compare(OpDraft& draft);
  bool parse_select(OpDraft& draft);
  bool parse_constant(OpDraft& draft);
  bool parse_slice(OpDraft& draft);
  bool parse_lists(OpDraft& draft);  // `dims = [...]`, `dim = 1`, `low = [...]` ... after operands
  bool parse_keyword_clause(OpDraft& draft, std::string_view key);
  bool parse_dot(OpDraft& draft);
  bool parse_convolution(OpDraft& draft);
  bool parse_dim_numbers(graph::NamedAttributes& out);
  bool parse_window(graph::NamedAttributes& out);
  bool parse_reduce(OpDraft& draft);
  bool parse_while(OpDraft& draft);
  bool parse_return(OpDraft& draft);
  bool parse_tuple(OpDraft& draft);
  bool parse_call(OpDraft& draft);
  bool parse_custom_call(OpDraft& draft);
  bool parse_composite(OpDraft& draft);
  bool parse_top_k(OpDraft& draft);
  bool parse_scan(OpDraft& draft);
  bool parse_sharding_constraint(OpDraft& draft);
  bool parse_manual_computation(OpDraft& draft);
  bool parse_cast(OpDraft& draft);
  bool parse_int_list(AttrId& out);
  bool parse_precision_list(AttrId& out);
  bool parse_algorithm(AttrId& out);

  // text_type.cpp
  bool parse_type(TypeId& out);
  bool parse_type_uncached(TypeId& out);
  bool parse_tensor_type(TypeId& out, graph::TypeKind kind);
  bool parse_function_type(std::vector<TypeId>& inputs, std::vector<TypeId>& results);
  bool parse_type_list(std::vector<TypeId>& out);  // T or (T, T)
  bool parse_element(ElementType& out);
  bool looks_like_type();

  // text_attribute.cpp, text_dialect_attribute.cpp
  bool parse_attribute(AttrId& out);
  bool parse_dictionary(graph::NamedAttributes& out, char close);
  bool parse_number_attribute(AttrId& out);
  bool parse_array_attribute(AttrId& out);
  bool parse_typed_array(AttrId& out);
  bool parse_hash_attribute(AttrId& out);
  bool parse_struct(std::string_view name, AttrId& out);
  bool parse_struct_value(AttrId& out);
  bool parse_opaque(AttrId& out);

  // text_literal.cpp
  bool parse_dense(AttrId& out);
  bool parse_dense_resource(AttrId& out);
  bool parse_dense_body(std::string_view body, TypeId type, bool& splat, std::vector<std::byte>& bytes);
  bool parse_dense_list(Cursor& body, const graph::Type& type, std::vector<std::byte>& bytes);
  bool parse_element_value(Cursor& body, ElementType element, std::vector<std::byte>& bytes);
  bool parse_hex_blob(std::string_view hex, const graph::Type& type, std::size_t skip, bool& splat,
                      std::vector<std::byte>& bytes);
  bool make_dense(TypeId type, bool splat, std::vector<std::byte> bytes, AttrId& out);
  bool find_resources();

  // text_location.cpp
  bool parse_location(LocationId& out);  // loc(...)
  bool parse_location_body(LocationId& out);
  LocationId location_in_text(const char* where);
  Alias* find_alias(std::string_view name, const char* where);

  Cursor c_;
  graph::Module& m_;
  const Positions positions_;
  const std::string file_;
  // Where lines were counted to: ops come in the order of the text, so it is counted through once.
  const char* counted_ = nullptr;
  const char* line_start_ = nullptr;
  std::uint32_t line_ = 1;
  int depth_ = 0;
  bool keep_literals_ = false;  // the op's `value` stays a Constant
  std::unordered_map<std::string_view, Alias> aliases_;
  std::unordered_map<std::string, std::string_view> resources_;  // name -> hex digits
  bool resources_found_ = false;
  NameTable names_;
  std::vector<std::unique_ptr<Level>> levels_;
  std::deque<OpDraft> drafts_;
  std::size_t drafts_used_ = 0;
  struct CachedType {
    std::string_view text;
    std::uint64_t hash = 0;
    TypeId type;
  };
  std::vector<CachedType> type_cache_;  // open addressing by the type's text
  std::size_t type_cache_used_ = 0;
};

/// A region (or function) being read.
struct TextParser::Level {
  graph::Function function;
  std::vector<ValueId> captures;  // values of the enclosing level, in order of first use
  std::vector<TypeId> capture_types;
  std::unordered_map<ValueId, std::uint32_t> capture_index;
  std::size_t name_mark = 0;
};

}  // namespace openneuron::import
