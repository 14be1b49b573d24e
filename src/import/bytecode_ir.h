// Reads the IR section and builds the module's functions on the way.
//
// Value ids are numbers within a scope: an isolated op's regions start a scope of their own at 0, other regions share
// their parent's and start behind its values. A region's uses of outer values become provisional captures, which
// are settled when the op that owns the region is complete (graph::Function::finish_captures).
#pragma once
#include <array>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "graph/normalise.h"
#include "import/bytecode_decoder.h"

namespace openneuron::import::bytecode {

class IrReader {
 public:
  IrReader(const Container& container, graph::Module& module, Decoder& decoder, Problem& problem)
      : container_(container), module_(module), decoder_(decoder), problem_(problem) {}

  void run();

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  /// An op's record without its regions.
  struct Record {
    std::uint32_t name = 0;  ///< index of its OpName
    std::size_t offset = 0;
    std::uint32_t location = 0;
    std::uint32_t attributes = kNone;  ///< dictionary attribute
    std::uint32_t properties = kNone;  ///< property blob
    std::vector<TypeId> result_types;
    std::vector<std::uint32_t> operands;
    std::uint32_t region_count = 0;
    bool isolated = false;
  };
  /// A value, as ids refer to it: where it is defined. `level` is the number of regions around the definition.
  struct Value {
    std::uint32_t level = 0;
    ValueId id;
    TypeId type;
    std::uint64_t key() const { return std::uint64_t{level} << 32 | id.index; }
  };
  /// A region being read.
  struct Level {
    graph::Function function;
    std::uint64_t base = 0;      ///< first id
    std::uint64_t claimed = 0;   ///< ids it takes, as the file says
    std::vector<Value> values;   ///< those assigned so far
    std::size_t scope_begin = 0; ///< level where the ids' scope begins
    std::vector<Value> captures;  ///< used from outside, in order of first use
    std::unordered_map<std::uint64_t, std::uint32_t> capture_slot;  ///< by Value::key()
  };
  /// A finished region, before its captures are settled.
  struct Region {
    graph::Function function;
    std::vector<Value> captures;
  };

  /// Op name, properties, dictionary, and the type that defaults depend on.
  using AttributeKey = std::array<std::uint32_t, 4>;
  struct AttributeKeyHash {
    std::size_t operator()(const AttributeKey& key) const {
      std::uint64_t h = 0;
      for (const std::uint32_t word : key) h = (h ^ word) * 0x9E3779B97F4A7C15u, h ^= h >> 29;
      return static_cast<std::size_t>(h);
    }
  };

  bool ok() const { return !problem_.set; }
  void fail(const Record& op, Code code, std::string message);
  std::string op_name(const Record& op) const;

  // bytecode_ir.cpp: the structure
  void read_module(Cursor& cursor);
  Record read_record(Cursor& cursor);
  void skip_use_list_orders(Cursor& cursor, std::size_t values);
  /// Reads one region's block header and arguments into a new level; the number of its ops.
  std::uint32_t open_region(Cursor& cursor, const Record& owner, bool restart);
  void read_ops(Cursor& cursor, std::uint32_t count);
  Region close_region(const Record& owner);
  void read_op(Cursor& cursor);
  /// Region by region: calls read_ops for each. Handles the section around isolated regions.
  void read_regions(Cursor& cursor, const Record& op, std::vector<Region>& regions);
  /// The value that an id refers to here; fails when there is none.
  Value value(const Record& op, std::uint64_t id);
  /// The value's name in the innermost region.
  ValueId use(const Value& value);
  void define(const Value& value) { levels_.back().values.push_back(value); }

  // bytecode_ops.cpp: what the ops mean
  void read_function(Cursor& cursor, const Record& op, const VhloOp& row);
  void read_mesh(const Record& op);
  void build(Cursor& cursor, const Record& op, graph::OpKind kind, const VhloOp* row);
  void merge_cast(const Record& op);
  bool kind_of(const Record& op, graph::OpKind& kind, const VhloOp*& row);
  using RawAttributes = std::vector<std::pair<std::string_view, std::uint32_t>>;
  /// Names and attribute indices of properties and dictionary together.
  RawAttributes raw_attributes(const Record& op, const VhloOp* row);
  RawAttributes general_properties(const Record& op, Cursor& cursor);
  graph::OpAttributes attributes_of(const Record& op, graph::OpKind kind, const VhloOp* row,
                                    std::span<const TypeId> operand_types);
  std::vector<AttrId> dictionaries(const Record& op, std::uint32_t array, std::size_t count);
  AttrId dictionary_or_none(graph::NamedAttributes pairs);

  const Container& container_;
  graph::Module& module_;
  Decoder& decoder_;
  Problem& problem_;
  std::vector<Level> levels_;
  std::unordered_set<std::string> function_names_;
  std::unordered_map<AttributeKey, graph::OpAttributes, AttributeKeyHash> attribute_cache_;
};

}  // namespace openneuron::import::bytecode
