// Computations -> functions and regions of the graph level.
//
// The graph level has no tuples: an HLO value is the list of its leaves. Called computations become regions of the op
// that calls them, but for call's and custom-call's, which become functions. A branch of a conditional takes its
// operand as captured values, as StableHLO's branches do, in the order in which the branch uses them. Frames of
// computations under construction stand on a list instead of the stack of calls.
#pragma once
#include <deque>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "graph/op_kind.h"
#include "import/hlo_attributes.h"
#include "import/hlo_locations.h"
#include "import/hlo_module.h"
#include "import/hlo_shapes.h"

namespace openneuron::import::hlo {

inline constexpr std::size_t kMaxRegionDepth = 200;

/// What an opcode's row says.
enum class OpForm : std::uint8_t {
  Same,
  AllToAll,
  Call,
  Conditional,
  Constant,
  CustomCall,
  DynamicSlice,
  Identity,
  Parameter,
  Rng,
  TopK,
  Tuple,
  TupleElement,
  While
};
struct OpcodeRow {
  graph::OpKind kind{};
  OpForm form = OpForm::Same;
};

class Builder {
 public:
  Builder(const Structure& structure, graph::Module& module, Source& source);
  /// Builds the entry, as `main`, and what it calls.
  void run();

 private:
  /// A value: leaves in Frame::pool.
  struct Value {
    std::uint32_t first = 0, count = 0;
    const Shape* shape = nullptr;
  };
  enum class Role : std::uint8_t { Function, Region, Branch };
  struct Region {
    FunctionId function;            ///< of blocks
    graph::Function branch;         ///< of branches, before its captures are settled
    std::vector<ValueId> captures;  ///< of branches, as they stand in the enclosing frame's pool
    std::vector<TypeId> result_types;
  };
  struct Frame {
    const Computation* computation = nullptr;
    Role role = Role::Function;
    graph::Function function;
    std::size_t next = 0;         ///< in computation->order
    std::vector<Value> values;    ///< by instruction
    std::vector<ValueId> pool;    ///< leaves; in branches also outer_leaf(k)
    std::vector<Region> regions;  ///< of the present instruction, as far as they are built
    // Of branches:
    std::vector<ValueId> argument;                             ///< leaves of the operand, in the enclosing frame
    std::vector<ValueId> captures;                             ///< those that are used, in order of use
    std::unordered_map<std::uint32_t, std::uint32_t> slot_of;  ///< by index of the captured value
  };

  // hlo_build.cpp: frames
  void build_function(std::uint32_t computation, std::string name, bool is_public);
  void open_frame(std::uint32_t computation, Role role, std::span<const ValueId> argument);
  void close_frame();
  void step();
  bool parameters_of(Frame& frame);
  bool needs_region(const InstructionHead& head, const OpcodeRow& row);
  void fail(Code code, std::string message);
  bool spend(std::uint64_t cost);
  std::string function_of(std::uint32_t computation);
  Frame& frame() { return frames_.back(); }

  // hlo_build_values.cpp: values
  static constexpr std::uint32_t kOuter = 0x40000000u;
  static ValueId outer_leaf(std::uint32_t k) { return ValueId(std::size_t{kOuter | k}); }
  std::span<const ValueId> leaves(const Value& value) { return {frame().pool.data() + value.first, value.count}; }
  const Value& operand(std::size_t i);
  /// The leaf's name in the function of the frame: captured values of a branch get a slot with their first use.
  ValueId use(Frame& frame, ValueId leaf);
  TypeId type_of(std::size_t depth, ValueId leaf);
  void define(std::span<const ValueId> leaves);
  void define(const Value& value);
  std::vector<ValueId> operand_leaves(std::size_t from = 0);
  std::vector<TypeId> operand_types(std::size_t from = 0);

  // hlo_build_ops.cpp: instructions
  void build(const InstructionHead& head, const OpcodeRow& row);
  bool find_row(const InstructionHead& head, OpcodeRow& row);
  /// Adds an op whose results are the instruction's.
  void add(graph::OpKind kind, std::span<const ValueId> operands, graph::NamedAttributes attributes);
  ValueId add_one(graph::OpKind kind, std::span<const ValueId> operands, TypeId type,
                  graph::NamedAttributes attributes);
  bool attributes(graph::OpKind kind, graph::NamedAttributes pairs, std::span<const ValueId> operands,
                  graph::OpAttributes& out);
  void settle_branches(std::vector<ValueId>& operands, std::vector<FunctionId>& ids, std::uint32_t& captures);
  void build_constant();
  void build_call(const InstructionHead& head);
  void build_custom_call(const InstructionHead& head);
  void build_dynamic_slice(graph::OpKind kind);
  void build_rng();
  void build_top_k(std::int64_t k);
  void build_all_to_all();
  void build_tuple_element();

  // hlo_interface.cpp: what surrounds the entry
  void entry_interface(graph::Function& function);
  void check_layouts();
  void donations(std::vector<graph::NamedAttributes>& parameters);

  const Structure& structure_;
  graph::Module& module_;
  Source& source_;
  ShapeTable shapes_;
  LocationReader locations_;
  AttributeMaker maker_;
  std::deque<Frame> frames_;
  Instruction in_;                ///< the present instruction
  const Shape* shape_ = nullptr;  ///< and its shape
  const InstructionHead* head_ = nullptr;
  std::uint64_t budget_;                                           ///< instructions and leaves that may still be built
  std::unordered_map<std::uint32_t, std::string> function_names_;  ///< by computation
  std::unordered_set<std::string> names_taken_;
  std::vector<std::uint32_t> functions_to_build_;
};

}  // namespace openneuron::import::hlo
