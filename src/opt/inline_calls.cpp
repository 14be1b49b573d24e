#include "opt/inline_calls.h"

#include <unordered_map>

#include "graph/op_info.h"
#include "opt/moves.h"

namespace openneuron::opt {
namespace {

using graph::OpKind;

Result<bool> set_results(Visit& v, Result<std::vector<ValueId>> values) {
  if (!values) return values.failure();
  std::size_t i = 0;
  for (ValueId r : v.old.results(v.op)) v.map[r] = (*values)[i++];
  return true;
}

Result<bool> inline_symbol(Rewriter& rewriter, Visit& v, std::string_view attribute) {
  const AttrId symbol = v.attr(attribute);
  const FunctionId callee = symbol.valid() ? rewriter.find_old(v.out.module().attribute(symbol).text) : FunctionId();
  if (!callee.valid())
    return fail(Code::UnknownCallee, "calls a function that the module does not have");
  return set_results(v, rewriter.inline_body(v.out, callee, v.operands, v.location()));
}

// The composite that stands for chlo.top_k in exported programs: the engines have it, its decomposition sorts.
bool top_k(Visit& v) {
  graph::Module& m = v.out.module();
  const AttrId name = v.attr("name"), given = v.attr("composite_attributes");
  if (!name.valid() || m.attribute(name).text != "chlo.top_k" || !given.valid()) return false;
  const AttrId k = m.lookup(given, "k");
  if (!k.valid() || v.operands.size() != 1 || v.old.results(v.op).size() != 2) return false;
  const TypeId types[] = {v.result_type(0), v.result_type(1)};
  const graph::Type& values = m.type(types[0]);
  const std::int64_t wanted = m.attribute(k).integer;
  if (values.shape.empty() || values.shape.back() != wanted || m.type(types[1]).element != ElementType::I32) return false;
  const OpId op = v.out.emit_op(OpKind::ChloTopK, v.operands, types, m.dictionary({{"is_stable", m.bool_attr(true)}, {"k", m.int_attr(wanted)}}), v.location(), {}, 0, {});
  for (std::size_t i = 0; i < 2; ++i) v.map[v.old.result(v.op, i)] = v.out.function().result(op, i);
  return true;
}

// Composites that stand for one elementwise chlo op: engines have its function, or a formula that is better than the
// decomposition's.
bool function(Visit& v) {
  const graph::Module& m = v.out.module();
  const AttrId name = v.attr("name");
  OpKind kind;
  if (!name.valid() || !m.attribute(name).text.starts_with("chlo.") || !graph::op_from_name(m.attribute(name).text, kind)) return false;
  const graph::OpInfo& info = graph::op_info(kind);
  const bool one = v.operands.size() == 1 && v.old.results(v.op).size() == 1 && info.operands.min == 1 && info.operands.max == 1;
  if (!one || !info.has(graph::kElementwise) || !info.attributes.empty()) return false;
  const TypeId type = v.result_type();
  if (v.out.function().type(v.operands[0]) != type || !is_float(m.type(type).element)) return false;
  return v.replace(v.out.emit(kind, v.operands, type, {}, v.location()));
}

// The custom call ApproxTopK, of which the exact answer is one: all sorted by its comparator, the first of each row.
Result<bool> approx_top_k(Rewriter& rewriter, Visit& v) {
  graph::Module& m = v.out.module();
  const AttrId target = v.attr("call_target_name"), called = v.attr("called_computations");
  if (!target.valid() || m.attribute(target).text != "ApproxTopK" || !called.valid() || m.attribute(called).items.size() != 1) return false;
  const std::size_t n = v.old.results(v.op).size();
  const FunctionId comparator = rewriter.find_old(m.attribute(m.attribute(called).items[0]).text);
  if (!comparator.valid() || n == 0 || v.operands.size() != 2 * n) return false;
  const Shape from = v.out.type(v.operands[0]).shape, to = m.type(v.result_type()).shape;
  std::size_t dim = 0;
  while (dim + 1 < from.size() && from[dim] == to[dim]) ++dim;
  for (std::size_t d = 0; d < from.size(); ++d)
    if (from.size() != to.size() || (d == dim ? from[d] < to[d] : from[d] != to[d])) return false;
  std::vector<TypeId> types, scalars;
  for (std::size_t i = 0; i < n; ++i) {
    types.push_back(v.out.function().type(v.operands[i]));
    for (int side = 0; side < 2; ++side) scalars.push_back(m.tensor(v.out.type(v.operands[i]).element, {}));
  }
  graph::Function region;
  region.is_region = true;
  std::vector<ValueId> sides;
  for (TypeId scalar : scalars) sides.push_back(region.add_parameter(scalar));
  if (rewriter.old_function(comparator).parameter_count() != sides.size()) return false;
  Builder out(m, region);
  auto before = rewriter.inline_body(out, comparator, sides);
  if (!before) return before.failure();
  region.add_op(OpKind::Return, *before, {}, {}, v.location());
  const FunctionId regions[] = {m.add_function(std::move(region))};
  const AttrId attributes = m.dictionary({{"dimension", m.int_attr(static_cast<std::int64_t>(dim))}, {"is_stable", m.bool_attr(true)}});
  const OpId sorted = v.out.emit_op(OpKind::Sort, v.operands.first(n), types, attributes, v.location(), regions, 0, {});
  for (std::size_t i = 0; i < n; ++i)
    v.map[v.old.result(v.op, i)] = Moves(v).slice(v.out.function().result(sorted, i), dim, 0, to[dim]);
  return true;
}

}  // namespace

Result<bool> inline_call(Rewriter& rewriter, Visit& v) {
  switch (v.kind()) {
    case OpKind::Call:
      return inline_symbol(rewriter, v, "callee");
    case OpKind::Composite:
      if (top_k(v) || function(v)) return true;
      return inline_symbol(rewriter, v, "decomposition");
    case OpKind::SdyManualComputation:
      return set_results(v, rewriter.inline_body(v.out, v.old.regions(v.op)[0], v.operands));
    case OpKind::CustomCall: {
      // They say where a value lies. A result's memory kind is an attribute of the function, too.
      const std::string_view target = v.out.module().text(v.old, v.op, "call_target_name");
      const bool place = target == "Sharding" || target == "annotate_device_placement";
      if (!place || v.operands.size() != 1) return approx_top_k(rewriter, v);
      return v.replace(v.operands[0]);
    }
    case OpKind::SdyShardingConstraint:
    case OpKind::SdyReshard:
    case OpKind::UnrealizedConversionCast: {
      std::size_t i = 0;
      for (ValueId r : v.old.results(v.op)) v.map[r] = v.operands[i++];
      return true;
    }
    default:
      return false;
  }
}

Result<void> inline_calls(graph::Module& module) { return Rewriter(module, inline_call).run(); }

}  // namespace openneuron::opt
