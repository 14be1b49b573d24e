// The frame of a structural pass: takes a module's functions, walks the live ops of the entry (and of the regions that
// it reaches) in order, and emits them into new functions. A hook replaces ops; what it leaves is copied.
#pragma once
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "graph/module.h"
#include "opt/builder.h"

namespace openneuron::opt {

using ValueMap = Column<ValueId, ValueId>;

/// One op under the walk: the old op with its operands already mapped, and where its results are to be recorded.
struct Visit {
  Builder& out;
  const graph::Function& old;
  OpId op;
  std::span<const ValueId> operands;  ///< new values
  ValueMap& map;                      ///< the hook sets map[old result]
  LocationId caller = {};             ///< for an op without a source line, in the place of a call: where the call stands

  graph::OpKind kind() const { return old.kind(op); }
  LocationId location() const { return caller.valid() ? caller : old.location_of(op); }
  AttrId attr(std::string_view name) const { return out.module().lookup(old.attributes_of(op), name); }
  std::span<const std::int64_t> ints(std::string_view name) const;
  TypeId result_type(std::size_t i = 0) const { return old.type(old.result(op, i)); }
  /// Records the one result.
  bool replace(ValueId value) {
    map[old.result(op)] = value;
    return true;
  }
};

/// How the parameters and results of functions change under a rewrite.
class Signatures {
 public:
  virtual ~Signatures() = default;
  /// Adds to the new function what stands for the parameters of `old`, and maps each of those.
  virtual void parameters(Builder& out, const graph::Function& old, ValueMap& map) = 0;
  /// What the new function returns; what `old` returned became `returned`.
  virtual std::vector<ValueId> results(Builder& out, const graph::Function& old, std::vector<ValueId> returned) = 0;
};

class Rewriter {
 public:
  /// Returns true when it has set the results of the op, false to have the op copied.
  using Hook = std::function<Result<bool>(Rewriter&, Visit&)>;

  /// `signatures`: none leaves them as they are.
  Rewriter(graph::Module& module, Hook hook, Signatures* signatures = nullptr);

  /// Rewrites the entry function and what it reaches; the other functions disappear.
  Result<void> run();
  /// Emits the body of the old function `id` in place of a call: parameters stand for `arguments`; returns the values
  /// that it returns. Ops that no source line is known of get `caller`, the call's location.
  Result<std::vector<ValueId>> inline_body(Builder& out, FunctionId id, std::span<const ValueId> arguments, LocationId caller = {});
  /// The op's regions as new functions of the module.
  Result<std::vector<FunctionId>> rewrite_regions(const Visit& visit);
  /// The same for a function that is in no module: its ops go through the hook as well.
  Result<std::vector<ValueId>> inline_function(Builder& out, const graph::Function& body, std::span<const ValueId> arguments);
  const graph::Function& old_function(FunctionId id) const { return old_[id.index]; }
  FunctionId find_old(std::string_view name) const;

 private:
  Result<std::vector<ValueId>> emit_body(Builder& out, const graph::Function& old, ValueMap& map);
  /// The entry or a region, as a new function of the module.
  Result<FunctionId> rewrite_function(FunctionId id);
  Result<void> copy(Visit& visit);
  /// The location of an op at `own` under the call that is being inlined; none when `own` has a source line.
  LocationId under_call(LocationId own);

  graph::Module& module_;
  Hook hook_;
  Signatures* signatures_;
  std::vector<graph::Function> old_;
  std::unordered_map<std::string_view, FunctionId> old_by_name_;
  int depth_ = 0;
  LocationId caller_;
  std::unordered_map<std::uint64_t, LocationId> under_call_;  // by own location and caller
};

}  // namespace openneuron::opt
