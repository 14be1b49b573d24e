#include "opt/vectorise.h"

#include "graph/op_info.h"

namespace openneuron::opt {

using graph::OpKind;

Result<std::vector<ValueId>> vectorise(Rewriter& rewriter, Visit& v, const graph::Function& region,
                                       std::span<const ValueId> arguments, const Shape& shape) {
  graph::Module& m = v.out.module();
  Moves moves(v);
  const auto unknown = [&](std::string_view what) {
    Place place;
    place.op = std::string(graph::op_name(v.kind()));
    return fail(Code::NoLowering, place, "its region holds " + std::string(what) + ", which has no lowering there yet");
  };
  graph::Function made;
  made.is_region = true;
  Column<ValueId, ValueId> map(region.value_count());
  std::vector<ValueId> repeated;
  for (ValueId p : region.parameters()) {
    const graph::Type& type = m.type(region.type(p));
    if (!type.shape.empty()) return unknown("an array of the surrounding function");
    const ValueId argument = arguments[p.index];
    repeated.push_back(moves.shape(argument) == shape ? argument : moves.broadcast(argument, shape, {}));
    map[p] = made.add_parameter(m.tensor(type.element, shape));
  }
  const AttrId no_dims = m.dictionary({{"broadcast_dimensions", m.ints_attr({})}});
  for (OpId op : region.ops()) {
    std::vector<ValueId> operands;
    for (ValueId o : region.operands(op)) operands.push_back(map[o]);
    if (op == region.terminator()) {
      made.add_op(OpKind::Return, operands, {}, {}, region.location_of(op));
      break;
    }
    const OpKind kind = region.kind(op);
    if (region.results(op).size() != 1 || !m.type(region.type(region.result(op))).shape.empty())
      return unknown(graph::op_name(kind));
    const TypeId scalar = region.type(region.result(op));
    const TypeId types[] = {m.tensor(m.type(scalar).element, shape)};
    if (kind == OpKind::Constant) {
      const TypeId one[] = {scalar};
      const OpId constant = made.add_op(kind, {}, one, region.attributes_of(op), region.location_of(op));
      const ValueId value[] = {made.result(constant)};
      map[region.result(op)] = made.result(made.add_op(OpKind::BroadcastInDim, value, types, no_dims, region.location_of(op)));
      continue;
    }
    const bool elementwise = graph::op_info(kind).has(graph::kElementwise) || kind == OpKind::BitcastConvert;
    const bool same = kind == OpKind::Reshape || kind == OpKind::BroadcastInDim;  // of a scalar to a scalar
    if (same) {
      map[region.result(op)] = operands[0];
      continue;
    }
    if (!elementwise || !region.regions(op).empty()) return unknown(graph::op_name(kind));
    map[region.result(op)] = made.result(made.add_op(kind, operands, types, region.attributes_of(op), region.location_of(op)));
  }
  return rewriter.inline_function(v.out, made, repeated);
}

}  // namespace openneuron::opt
