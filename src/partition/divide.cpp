#include "partition/divide.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "graph/op_info.h"
#include "graph/verify.h"
#include "opt/inline_calls.h"
#include "opt/rewrite.h"

namespace openneuron::partition {
namespace {

using graph::Function;
using graph::Module;
using graph::OpKind;
using opt::Rewriter;
using opt::Visit;
using Shape = std::vector<std::int64_t>;

// Between the two walks a custom call marks where a shard is taken out of a whole, or a whole made of shards; its extra
// attribute `sharding` is an index into `shardings`.
constexpr std::string_view kSlice = "partition.slice", kJoin = "partition.join";

std::string_view call_target(const Module& m, const Function& f, OpId op) {
  return f.kind(op) == OpKind::CustomCall ? m.text(f, op, "call_target_name") : std::string_view();
}
std::string_view extra_text(const Module& m, const Function& f, OpId op, std::string_view name) {
  const AttrId id = f.extra_attributes(op).valid() ? m.lookup(f.extra_attributes(op), name) : AttrId();
  return id.valid() ? std::string_view(m.attribute(id).text) : std::string_view();
}

class Divider {
 public:
  Divider(Module& module, const Meshes& meshes, Partitioned& out) : m_(module), meshes_(meshes), out_(out) {}

  Result<void> run() {
    ON_TRY(Rewriter(m_, [this](Rewriter& r, Visit& v) { return mark(r, v); }).run());
    choose_passing();
    ON_TRY(Rewriter(m_, [this](Rewriter& r, Visit& v) { return expand(r, v); }).run());
    keep_possible_donations();
    return {};
  }

 private:
  // ---- first walk: calls inlined, constraints dropped, manual computations become marked slices, bodies, joins

  Result<bool> mark(Rewriter& r, Visit& v) {
    switch (v.kind()) {
      case OpKind::SdyManualComputation: return manual(r, v);
      case OpKind::CustomCall: return custom_call(r, v);
      case OpKind::AllReduce:
      case OpKind::AllGather:
      case OpKind::AllToAll:
      case OpKind::ReduceScatter:
      case OpKind::CollectiveBroadcast: return numbered_groups(r, v);
      default: return opt::inline_call(r, v);
    }
  }

  Failure wrong(Visit& v, const std::string& what) const {
    Place place = graph::place_of(m_, v.location());
    place.op = std::string(graph::op_name(v.kind()));
    return fail(Code::PartitionUnsupported, place, what);
  }

  ValueId marker(Visit& v, std::string_view target, ValueId operand, TypeId result, Sharding sharding) {
    if (v.out.function().type(operand) == result) return operand;
    shardings_.push_back(std::move(sharding));
    const AttrId attributes = m_.dictionary({{"call_target_name", m_.string_attr(target)}});
    const AttrId extra = m_.dictionary({{"sharding", m_.int_attr(static_cast<std::int64_t>(shardings_.size()) - 1)}});
    const ValueId operands[] = {operand};
    const TypeId types[] = {result};
    return v.out.function().result(v.out.emit_op(OpKind::CustomCall, operands, types, attributes, v.location(), {}, 0, extra));
  }
  // The tiles that make `shard` of `whole`.
  Result<Sharding> fitting(Visit& v, const Sharding& s, TypeId whole, TypeId shard) {
    auto part = s.shard_shape(m_.type(whole).shape);
    if (!part) return part.failure();
    if (*part != m_.type(shard).shape) return wrong(v, "sharding " + s.text() + " does not give the body's shapes");
    return s;
  }

  Result<bool> manual(Rewriter& r, Visit& v) {
    const auto axes = manual_axes(text(v, "manual_axes"));
    auto in = meshes_.per_value(text(v, "in_shardings"));
    if (!in) return in.failure();
    auto out = meshes_.per_value(text(v, "out_shardings"));
    if (!out) return out.failure();
    const FunctionId region = v.old.regions(v.op)[0];
    const Function& body = r.old_function(region);
    std::vector<ValueId> arguments(v.operands.begin(), v.operands.end());
    const std::size_t own = arguments.size() - v.old.capture_count(v.op);
    if (in->size() != own || out->size() != v.old.results(v.op).size()) return wrong(v, "its shardings are not one for each operand and result");
    for (std::size_t i = 0; i < own; ++i) {
      auto s = fitting(v, to_tiles(only_axes((*in)[i], axes)), v.old.type(v.old.operand(v.op, i)), body.type(ValueId(i)));
      if (!s) return s.failure();
      arguments[i] = marker(v, kSlice, arguments[i], body.type(ValueId(i)), std::move(*s));
    }
    auto results = r.inline_body(v.out, region, arguments);
    if (!results) return results.failure();
    for (std::size_t i = 0; i < results->size(); ++i) {
      if ((*out)[i].unreduced) return wrong(v, "a result stays unreduced");
      auto s = fitting(v, to_tiles(only_axes((*out)[i], axes)), v.result_type(i), v.out.function().type((*results)[i]));
      if (!s) return s.failure();
      v.map[v.old.result(v.op, i)] = marker(v, kJoin, (*results)[i], v.result_type(i), std::move(*s));
    }
    return true;
  }

  // The same without Shardy: the sharding of a whole stands on the @Sharding before, or on the call that makes it.
  Result<bool> custom_call(Rewriter& r, Visit& v) {
    const std::string_view target = call_target(m_, v.old, v.op);
    const bool slices = target == "SPMDFullToShardShape", joins = target == "SPMDShardToFullShape";
    if (!slices && !joins) return opt::inline_call(r, v);
    const ValueId operand = v.old.operand(v.op, 0);
    const OpId before = v.old.definition(operand);
    const std::string_view stated = joins ? extra_text(m_, v.old, v.op, "mhlo.sharding")
                                    : before.valid() ? extra_text(m_, v.old, before, "mhlo.sharding") : std::string_view();
    if (stated.empty()) return wrong(v, "nothing says how the whole is cut");
    auto s = read_hlo_sharding(stated);
    if (!s) return s.failure();
    const TypeId old_type = v.old.type(operand);
    auto fits = joins ? fitting(v, *s, v.result_type(), old_type) : fitting(v, *s, old_type, v.result_type());
    if (!fits) return fits.failure();
    return v.replace(marker(v, joins ? kJoin : kSlice, v.operands[0], v.result_type(), std::move(*fits)));
  }

  std::string_view text(const Visit& v, std::string_view name) const { return m_.text(v.old, v.op, name); }

  // Groups over axes of a mesh, or of everyone, as partition numbers.
  Result<bool> numbered_groups(Rewriter& r, Visit& v) {
    const AttrId id = v.attr("replica_groups");
    if (id.valid() && m_.attribute(id).kind == graph::AttrKind::Ints && !m_.attribute(id).integers.empty()) return false;
    std::vector<std::vector<std::int64_t>> groups(1, Shape(static_cast<std::size_t>(out_.partitions)));
    std::iota(groups[0].begin(), groups[0].end(), 0);
    if (id.valid() && m_.attribute(id).kind == graph::AttrKind::Dictionary) {
      const AttrId mesh_name = m_.lookup(id, "mesh"), axes = m_.lookup(id, "axes");
      const Mesh* mesh = mesh_name.valid() ? meshes_.find(m_.attribute(mesh_name).text) : nullptr;
      if (mesh == nullptr || !axes.valid()) return wrong(v, "its groups are over a mesh that the module does not have");
      std::vector<AxisPart> parts;
      for (AttrId axis : m_.attribute(axes).items) {
        const AttrId name = m_.lookup(axis, "name"), part = m_.lookup(axis, "sub_axis_info");
        const auto place = name.valid() ? mesh->find(m_.attribute(name).text) : std::nullopt;
        if (!place || part.valid()) return wrong(v, "its groups are over an axis that the mesh does not have, or over a part of one");
        parts.push_back({*place, 1, mesh->axes[*place].size});
      }
      groups = groups_along(*mesh, parts);
    } else if (id.valid() && m_.attribute(id).kind != graph::AttrKind::Ints) {
      return wrong(v, "the form of its groups is not read");
    }
    std::vector<std::pair<std::string, AttrId>> pairs;
    const AttrId dictionary = v.old.attributes_of(v.op);
    for (std::size_t i = 0; dictionary.valid() && i < m_.attribute(dictionary).names.size(); ++i)
      if (m_.attribute(dictionary).names[i] != "replica_groups") pairs.emplace_back(m_.attribute(dictionary).names[i], m_.attribute(dictionary).items[i]);
    pairs.emplace_back("replica_groups", matrix(groups));
    auto regions = r.rewrite_regions(v);
    if (!regions) return regions.failure();
    std::vector<TypeId> types;
    for (ValueId result : v.old.results(v.op)) types.push_back(v.old.type(result));
    const OpId made = v.out.emit_op(v.kind(), v.operands, types, m_.dictionary(std::move(pairs)), v.location(), *regions, v.old.capture_count(v.op), v.old.extra_attributes(v.op));
    for (std::size_t i = 0; i < types.size(); ++i) v.map[v.old.result(v.op, i)] = v.out.function().result(made, i);
    return true;
  }
  AttrId matrix(const std::vector<std::vector<std::int64_t>>& rows) {
    Shape values;
    for (const auto& row : rows) values.insert(values.end(), row.begin(), row.end());
    return m_.matrix_attr(values, static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(rows[0].size()));
  }

  // ---- between: a parameter that is only sliced, as it lies, is passed as shards; so is a result that a join made

  const Sharding& sharding_of(const Function& f, OpId op) const {
    return shardings_[static_cast<std::size_t>(m_.attribute(m_.lookup(f.extra_attributes(op), "sharding")).integer)];
  }

  void choose_passing() {
    Function& f = m_.function(m_.entry());
    std::vector<std::vector<OpId>> uses(f.value_count());
    for (OpId op : f.ops())
      for (ValueId v : f.operands(op)) uses[v.index].push_back(op);
    for (ValueId p : f.parameters()) {
      const Sharding& lies = out_.parameters[p.index];
      const auto& users = uses[p.index];
      const bool sliced = lies.kind == ShardingKind::Tiled && !users.empty() && std::all_of(users.begin(), users.end(), [&](OpId op) {
        return call_target(m_, f, op) == kSlice && sharding_of(f, op) == lies;
      });
      if (!sliced) continue;
      out_.parameter_passing[p.index] = Passing::Shard;
      f.set_type(p, f.type(f.result(users[0])));
    }
    const auto returned = f.operands(f.terminator());
    joined_.assign(f.value_count(), false);
    for (std::size_t i = 0; i < returned.size(); ++i) {
      const OpId made = f.definition(returned[i]);
      const auto& users = uses[returned[i].index];
      const bool only_returned = std::all_of(users.begin(), users.end(), [&](OpId op) { return op == f.terminator(); });
      const bool joined = made.valid() && only_returned && call_target(m_, f, made) == kJoin && sharding_of(f, made) == out_.results[i];
      // Another place in the results may want the whole.
      bool everywhere_same = joined;
      for (std::size_t j = 0; j < returned.size(); ++j)
        if (returned[j] == returned[i]) everywhere_same = everywhere_same && out_.results[j] == out_.results[i];
      if (!everywhere_same) continue;
      out_.result_passing[i] = Passing::Shard;
      joined_[returned[i].index] = true;
    }
  }

  // ---- second walk

  Result<bool> expand(Rewriter&, Visit& v) {
    const std::string_view target = call_target(m_, v.old, v.op);
    if (target != kSlice && target != kJoin) return false;
    const bool entry = !v.old.is_region;
    if (target == kSlice) {
      if (v.out.function().type(v.operands[0]) == v.result_type()) return v.replace(v.operands[0]);
      return v.replace(slice(v, v.operands[0], sharding_of(v.old, v.op)));
    }
    if (entry && joined_[v.old.result(v.op).index]) return v.replace(v.operands[0]);
    return v.replace(join(v, v.operands[0], sharding_of(v.old, v.op)));
  }

  const Shape& shape(Visit& v, ValueId x) const { return v.out.type(x).shape; }
  ValueId emit(Visit& v, OpKind kind, ValueId x, const Shape& to, AttrId attributes = {}) {
    return v.out.emit(kind, {x}, m_.tensor(v.out.type(x).element, to), attributes, v.location());
  }
  ValueId reshape(Visit& v, ValueId x, const Shape& to) { return shape(v, x) == to ? x : emit(v, OpKind::Reshape, x, to); }

  // An entry of a table by partition number, as a scalar.
  ValueId look_up(Visit& v, const Shape& table) {
    std::vector<std::byte> bytes;
    for (std::int64_t n : table)
      for (int b = 0; b < 4; ++b) bytes.push_back(static_cast<std::byte>(n >> (8 * b)));
    const TypeId type = m_.tensor(ElementType::I32, Shape{static_cast<std::int64_t>(table.size())});
    const AttrId value = m_.constant_attr(m_.own_constant(type, false, std::move(bytes)));
    const ValueId numbers = v.out.emit(OpKind::Constant, {}, type, m_.dictionary({{"value", value}}), v.location());
    const ValueId partition = v.out.emit(OpKind::PartitionId, {}, m_.tensor(ElementType::U32, Shape{}), {}, v.location());
    const AttrId sizes = m_.dictionary({{"slice_sizes", m_.ints_attr(Shape{1})}});
    const ValueId one = v.out.emit(OpKind::DynamicSlice, {numbers, partition}, m_.tensor(ElementType::I32, Shape{1}), sizes, v.location());
    return reshape(v, one, {});
  }

  ValueId slice(Visit& v, ValueId whole, const Sharding& s) {
    const Shape all = shape(v, whole), part = m_.type(v.result_type()).shape;
    std::vector<ValueId> operands = {whole};
    for (std::size_t d = 0; d < all.size(); ++d) {
      Shape starts;
      for (std::int64_t p = 0; p < out_.partitions; ++p) starts.push_back(s.shard_start(all, p)[d]);
      operands.push_back(look_up(v, all[d] == part[d] ? Shape{0} : starts));
    }
    return v.out.emit(OpKind::DynamicSlice, operands, v.result_type(), m_.dictionary({{"slice_sizes", m_.ints_attr(part)}}), v.location());
  }

  // Copy r of each tile is in group r.
  ValueId join(Visit& v, ValueId shard, const Sharding& s) {
    const Shape part = shape(v, shard), all = m_.type(v.result_type()).shape;
    const std::int64_t copies = s.replicate_on_last ? s.tiles.back() : 1;
    const std::int64_t tiles = static_cast<std::int64_t>(s.holders.size()) / copies;
    std::vector<std::vector<std::int64_t>> groups(static_cast<std::size_t>(copies));
    for (std::int64_t t = 0; t < tiles; ++t)
      for (std::int64_t c = 0; c < copies; ++c) groups[static_cast<std::size_t>(c)].push_back(s.holders[static_cast<std::size_t>(t * copies + c)]);
    Shape one = part;
    one.insert(one.begin(), 1);
    const ValueId source = reshape(v, shard, one);
    one[0] = tiles;
    const AttrId attributes = m_.dictionary({{"all_gather_dim", m_.int_attr(0)},
                                             {"channel_id", m_.int_attr(1)},
                                             {"replica_groups", matrix(groups)},
                                             {"use_global_device_ids", m_.bool_attr(true)}});
    const ValueId gathered = emit(v, OpKind::AllGather, source, one, attributes);
    // [t0, t1, .., n0, n1, ..] -> [t0, n0, t1, n1, ..] -> the whole
    Shape apart(s.tiles.begin(), s.tiles.begin() + static_cast<std::ptrdiff_t>(part.size())), order, mixed;
    apart.insert(apart.end(), part.begin(), part.end());
    for (std::size_t d = 0; d < part.size(); ++d) {
      order.insert(order.end(), {static_cast<std::int64_t>(d), static_cast<std::int64_t>(d + part.size())});
      mixed.insert(mixed.end(), {s.tiles[d], part[d]});
    }
    const ValueId turned = emit(v, OpKind::Transpose, reshape(v, gathered, apart), mixed, m_.dictionary({{"permutation", m_.ints_attr(order)}}));
    return reshape(v, turned, all);
  }

  // ---- at the end: a shard, or a copy that each core has of its own, may become a result of its shape. A whole that is
  // assembled of shards is one that all cores read.

  void keep_possible_donations() {
    Function& f = m_.function(m_.entry());
    const auto returned = f.operands(f.terminator());
    for (ValueId p : f.parameters()) {
      AttrId& given = f.parameter_attributes[p.index];
      const AttrId alias = given.valid() ? m_.lookup(given, "tf.aliasing_output") : AttrId();
      if (!alias.valid()) continue;
      const auto to = static_cast<std::size_t>(m_.attribute(alias).integer);
      const bool shards = to < returned.size() && out_.parameter_passing[p.index] == Passing::Shard && out_.result_passing[to] == Passing::Shard;
      const bool copies = to < returned.size() && out_.parameters[p.index].replicated() && out_.results[to].replicated();
      if ((shards || copies) && f.type(returned[to]) == f.type(p)) continue;
      std::vector<std::pair<std::string, AttrId>> pairs;
      for (std::size_t i = 0; i < m_.attribute(given).names.size(); ++i)
        if (m_.attribute(given).names[i] != "tf.aliasing_output") pairs.emplace_back(m_.attribute(given).names[i], m_.attribute(given).items[i]);
      given = m_.dictionary(std::move(pairs));
    }
  }

  Module& m_;
  const Meshes& meshes_;
  Partitioned& out_;
  std::vector<Sharding> shardings_;
  std::vector<bool> joined_;  ///< by value of the entry: returned as shards
};

}  // namespace

bool has_manual_parts(const Module& module) {
  for (FunctionId id : module.functions()) {
    const Function& f = module.function(id);
    for (OpId op : f.ops()) {
      const OpKind kind = f.kind(op);
      if (kind == OpKind::SdyManualComputation || kind == OpKind::PartitionId || graph::op_info(kind).has(graph::kCollective)) return true;
      if (call_target(module, f, op).starts_with("SPMD")) return true;
    }
  }
  return false;
}

Result<void> divide(Module module, const Meshes& meshes, Partitioned& out) {
  out.everywhere = true;
  ON_TRY(Divider(module, meshes, out).run());
  out.module = std::move(module);
  return {};
}

}  // namespace openneuron::partition
