#include "opt/rewrite.h"

#include <algorithm>
#include <utility>

#include "graph/op_info.h"
#include "graph/verify.h"

namespace openneuron::opt {
namespace {

using graph::OpKind;

constexpr int kMaxDepth = 512;  // nested calls and regions

// Ops whose results something needs, or that act by themselves; one backward walk.
std::vector<bool> live_ops(const graph::Function& f) {
  std::vector<bool> live(f.op_count(), false), used(f.value_count(), false);
  for (std::size_t i = f.op_count(); i-- > 0;) {
    const OpId op(i);
    const auto& info = graph::op_info(f.kind(op));
    bool keep = info.traits & (graph::kTerminator | graph::kSideEffect);
    for (ValueId r : f.results(op)) keep = keep || used[r.index];
    if (!keep) continue;
    live[i] = true;
    for (ValueId v : f.operands(op)) used[v.index] = true;
  }
  return live;
}

graph::Function head_of(const graph::Function& old) {
  graph::Function made;
  made.name = old.name;
  made.is_public = old.is_public;
  made.is_region = old.is_region;
  made.result_attributes = old.result_attributes;
  made.attributes = old.attributes;
  made.location = old.location;
  return made;
}

// Rules emit ops that folding then leaves unread: what is dead is not kept.
graph::Function without_dead_ops(graph::Function f) {
  const std::vector<bool> live = live_ops(f);
  if (std::find(live.begin(), live.end(), false) == live.end()) return f;
  graph::Function made = head_of(f);
  ValueMap map(f.value_count());
  for (ValueId p : f.parameters()) map[p] = made.add_parameter(f.type(p), f.parameter_attributes[p.index]);
  std::vector<ValueId> operands;
  std::vector<TypeId> types;
  for (OpId op : f.ops()) {
    if (!live[op.index]) continue;
    operands.clear();
    types.clear();
    for (ValueId v : f.operands(op)) operands.push_back(map[v]);
    for (ValueId r : f.results(op)) types.push_back(f.type(r));
    const OpId copy = made.add_op(f.kind(op), operands, types, f.attributes_of(op), f.location_of(op), f.regions(op), f.capture_count(op),
                                  f.extra_attributes(op));
    std::size_t i = 0;
    for (ValueId r : f.results(op)) map[r] = made.result(copy, i++);
  }
  return made;
}

}  // namespace

std::span<const std::int64_t> Visit::ints(std::string_view name) const {
  const AttrId id = attr(name);
  if (!id.valid()) return {};
  return out.module().attribute(id).integers;
}

Rewriter::Rewriter(graph::Module& module, Hook hook, Signatures* signatures)
    : module_(module), hook_(std::move(hook)), signatures_(signatures) {}

FunctionId Rewriter::find_old(std::string_view name) const {
  const auto found = old_by_name_.find(name);
  return found == old_by_name_.end() ? FunctionId() : found->second;
}

Result<void> Rewriter::run() {
  const FunctionId entry = module_.entry();
  if (!entry.valid())
    return fail(Code::NoEntry, "the module has no public function to compile", "Name the entry function @main and make it public.");
  old_ = module_.take_functions();
  for (std::size_t i = 0; i < old_.size(); ++i)
    if (!old_[i].is_region) old_by_name_.emplace(old_[i].name, FunctionId(i));
  auto made = rewrite_function(entry);
  if (!made) return made.failure();
  return {};
}

Result<std::vector<ValueId>> Rewriter::emit_body(Builder& out, const graph::Function& old, ValueMap& map) {
  const std::vector<bool> live = live_ops(old);
  std::vector<ValueId> operands;
  for (OpId op : old.ops()) {
    if (!live[op.index]) continue;
    operands.clear();
    for (ValueId v : old.operands(op)) operands.push_back(map[v]);
    if (op == old.terminator()) return operands;
    Visit visit{out, old, op, operands, map, under_call(old.location_of(op))};
    auto replaced = hook_(*this, visit);
    if (!replaced) return replaced.failure();
    if (!*replaced) ON_TRY(copy(visit));
  }
  return std::vector<ValueId>();
}

Result<void> Rewriter::copy(Visit& v) {
  if (v.old.regions(v.op).empty() && v.old.results(v.op).size() == 1 && !v.old.extra_attributes(v.op).valid()) {
    v.replace(v.out.emit(v.kind(), v.operands, v.result_type(), v.old.attributes_of(v.op), v.location()));
    return {};
  }
  auto regions = rewrite_regions(v);
  if (!regions) return regions.failure();
  std::vector<TypeId> types;
  for (ValueId r : v.old.results(v.op)) types.push_back(v.old.type(r));
  const OpId made = v.out.emit_op(v.kind(), v.operands, types, v.old.attributes_of(v.op), v.location(), *regions,
                                  v.old.capture_count(v.op), v.old.extra_attributes(v.op));
  std::size_t i = 0;
  for (ValueId r : v.old.results(v.op)) v.map[r] = v.out.function().result(made, i++);
  return {};
}

Result<std::vector<FunctionId>> Rewriter::rewrite_regions(const Visit& v) {
  std::vector<FunctionId> regions;
  for (FunctionId id : v.old.regions(v.op)) {
    auto region = rewrite_function(id);
    if (!region) return region.failure();
    regions.push_back(*region);
  }
  return regions;
}

Result<FunctionId> Rewriter::rewrite_function(FunctionId id) {
  if (++depth_ > kMaxDepth) return fail(Code::NestedTooDeep, "regions and calls nest deeper than " + std::to_string(kMaxDepth));
  const graph::Function& old = old_[id.index];
  graph::Function made = head_of(old);
  ValueMap map(old.value_count());
  Builder out(module_, made);
  if (signatures_)
    signatures_->parameters(out, old, map);
  else
    for (ValueId p : old.parameters()) map[p] = made.add_parameter(old.type(p), old.parameter_attributes[p.index]);
  auto returned = emit_body(out, old, map);
  if (!returned) return returned.failure();
  if (signatures_) *returned = signatures_->results(out, old, std::move(*returned));
  const OpId end = old.terminator();
  made.add_op(OpKind::Return, *returned, {}, {}, old.location_of(end), {}, 0, old.extra_attributes(end));
  --depth_;
  return module_.add_function(without_dead_ops(std::move(made)));
}

Result<std::vector<ValueId>> Rewriter::inline_body(Builder& out, FunctionId id, std::span<const ValueId> arguments, LocationId caller) {
  const LocationId outer = std::exchange(caller_, caller.valid() ? caller : caller_);
  auto returned = inline_function(out, old_[id.index], arguments);
  caller_ = outer;
  return returned;
}

LocationId Rewriter::under_call(LocationId own) {
  if (!caller_.valid()) return {};
  const std::uint64_t key = (own.valid() ? std::uint64_t{own.index} + 1 : 0) << 32 | caller_.index;
  const auto [found, is_new] = under_call_.try_emplace(key);
  if (!is_new) return found->second;
  if (!own.valid() || module_.location(own).kind == graph::LocationKind::Unknown) return found->second = caller_;
  if (!graph::place_of(module_, own).file.empty()) return {};
  graph::Location both;
  both.kind = graph::LocationKind::CallSite;
  both.children = {own, caller_};
  return found->second = module_.intern(std::move(both));
}

Result<std::vector<ValueId>> Rewriter::inline_function(Builder& out, const graph::Function& body, std::span<const ValueId> arguments) {
  if (++depth_ > kMaxDepth) return fail(Code::NestedTooDeep, "regions and calls nest deeper than " + std::to_string(kMaxDepth));
  ValueMap map(body.value_count());
  for (ValueId p : body.parameters()) map[p] = arguments[p.index];
  auto returned = emit_body(out, body, map);
  --depth_;
  return returned;
}

}  // namespace openneuron::opt
