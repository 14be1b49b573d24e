// Rules of control flow, calls, tokens and futures. Constraints: the StableHLO specification's section of each op;
// async_start and async_done: StablehloOps.td.
#include "graph/rule.h"

namespace openneuron::graph {
namespace {

bool is_token(const Type& t) { return t.kind == TypeKind::Token; }

// Branches without arguments that return one list of types: the op's results.
bool branches(Rule& r) {
  for (std::size_t i = 0; i < r.region_count(); ++i) {
    if (!r.region_arguments(i, {})) return false;
  }
  const std::vector<Type> first = r.region_results(0);
  for (std::size_t i = 1; i < r.region_count(); ++i) {
    if (!r.region_signature(i, {}, first)) return false;
  }
  for (const Type& t : first) {
    if (!r.result_type(t)) return false;
  }
  return true;
}

// All remaining results, whatever they are.
bool any_results(Rule& r, std::size_t from) {
  for (std::size_t i = from; i < r.stated_count(); ++i) {
    if (r.stated_any() == nullptr) return false;
  }
  return !r.deriving() || r.stated_any() != nullptr;
}

}  // namespace

// while: operands, results and both regions' arguments have the same types; cond returns an i1 scalar.
bool infer_while(Rule& r) {
  std::vector<Type> types;
  for (std::size_t i = 0; i < r.operand_count(); ++i) types.push_back(r.operand(i));
  const Type flag[] = {scalar_type(ElementType::I1)};
  if (!r.region_signature(0, types, flag) || !r.region_signature(1, types, types)) return false;
  for (std::size_t i = 0; i < r.operand_count(); ++i) {
    if (!r.result_like(i)) return false;
  }
  return true;
}

bool infer_if(Rule& r) { return r.scalar(0) && r.element(0, "b") && branches(r); }
bool infer_case(Rule& r) {
  return r.scalar(0) && r.operands_must(r.operand(0).element == ElementType::I32, "the index must be an i32 scalar.") &&
         branches(r);
}

// The types are checked against the function's declaration by whoever owns the function.
bool infer_return(Rule&) { return true; }

// call, composite: the function's parameters and returned values.
bool infer_call(Rule& r) {
  const bool composite = r.kind() == OpKind::Composite;
  const std::string_view name = r.text(composite ? "decomposition" : "callee");
  const FunctionId id = r.module().find(name);
  if (!id.valid()) return r.fail(Code::GraphCall, "no function @" + std::string(name) + " is in the module.");
  const Function& f = r.module().function(id);
  if (f.parameter_count() != r.operand_count()) {
    return r.fail(Code::GraphCall, "@" + f.name + " takes " + std::to_string(f.parameter_count()) + " arguments, " +
                                       std::to_string(r.operand_count()) + " are given.");
  }
  for (std::size_t i = 0; i < r.operand_count(); ++i) {
    const Type& wanted = r.module().type(f.type(ValueId(i)));
    if (!types_agree(r.operand(i), wanted)) {
      return r.fail(Code::GraphCall, "@" + f.name + " takes " + show(r.module(), wanted) + " as argument " +
                                         std::to_string(i) + ", " + show(r.module(), r.operand(i)) + " is given.");
    }
  }
  if (f.op_count() == 0) return r.fail(Code::GraphCall, "@" + f.name + " has no body.");
  for (ValueId v : f.operands(f.terminator())) {
    if (!r.result_type(r.module().type(f.type(v)))) return false;
  }
  return true;
}
bool infer_composite(Rule& r) { return infer_call(r); }

namespace {

// One layout a tensor, each an order of its dimensions. `types` are the operands or results; a tuple counts as its
// members.
bool layouts(Rule& r, std::string_view name, std::vector<TypeId> types) {
  const AttrId id = r.attribute(name);
  if (!id.valid() || r.module().attribute(id).items.empty()) return true;
  if (types.size() == 1 && r.module().type(types[0]).kind == TypeKind::Tuple)
    types = std::vector<TypeId>(r.module().type(types[0]).members);
  const auto& items = r.module().attribute(id).items;
  if (items.size() != types.size())
    return r.fail(Code::GraphAttribute, "'" + std::string(name) + "' has " + std::to_string(items.size()) +
                                            " layouts for " + std::to_string(types.size()) + " values.");
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto& order = r.module().attribute(items[i]).integers;
    const std::size_t rank = r.module().type(types[i]).shape.size();
    if (!r.length(name, order, rank) || !r.dimensions(name, order, rank)) return false;
  }
  return true;
}

}  // namespace

// custom_call: any operands and results; called computations exist, layouts and aliases fit.
bool infer_custom_call(Rule& r) {
  const std::int64_t version = r.integer("api_version");
  if (!r.require(version >= 0 && version <= 4, "'api_version' is 0 to 4.")) return false;
  std::vector<TypeId> operands, results;
  for (std::size_t i = 0; i < r.operand_count(); ++i) operands.push_back(r.operand_id(i));
  for (std::size_t i = 0; i < r.stated_count(); ++i) results.push_back(r.stated_id(i));
  if (!layouts(r, "operand_layouts", operands) || (!r.deriving() && !layouts(r, "result_layouts", results)))
    return false;
  const AttrId aliases = r.attribute("output_operand_aliases");
  if (aliases.valid()) {
    for (AttrId item : r.module().attribute(aliases).items) {
      const AttrId index = r.module().lookup(item, "operand_index");
      const std::int64_t operand = index.valid() ? r.module().attribute(index).integer : -1;
      if (operand < 0 || operand >= static_cast<std::int64_t>(r.operand_count()))
        return r.fail(Code::GraphAttribute, "'output_operand_aliases' names operand " + std::to_string(operand) + ".");
    }
  }
  const AttrId called = r.attribute("called_computations");
  if (called.valid()) {
    for (AttrId item : r.module().attribute(called).items) {
      const std::string& name = r.module().attribute(item).text;
      if (!r.module().find(name).valid()) return r.fail(Code::GraphCall, "no function @" + name + " is in the module.");
    }
  }
  return any_results(r, 0);
}

namespace {
// "channel_type": 1 device to device; of host transfers 2 device to host (send), 3 host to device (recv).
bool transfer(Rule& r, std::int64_t host_type) {
  const std::int64_t wanted = r.integer("is_host_transfer") != 0 ? host_type : 1;
  return r.require(r.integer("channel_type") == wanted, "'channel_type' and 'is_host_transfer' disagree.");
}
}  // namespace

// infeed: the results are what comes in, then a token. recv: alike.
bool infer_infeed(Rule& r) {
  if (!r.operands_must(is_token(r.operand(0)), "the operand must be a token.")) return false;
  if (r.deriving()) return any_results(r, 0);
  if (r.stated_count() == 0) return r.fail(Code::GraphResult, "the last result must be a token.");
  const Type* last = nullptr;
  for (std::size_t i = 0; i < r.stated_count(); ++i) last = r.stated_any();
  return is_token(*last) || last->kind == TypeKind::Future ||
         r.fail(Code::GraphResult, "the last result must be a token.");
}
bool infer_recv(Rule& r) { return transfer(r, 3) && infer_infeed(r); }

// outfeed, send: values, then a token; a token.
bool infer_outfeed(Rule& r) {
  if (!r.operands_must(is_token(r.operand(r.operand_count() - 1)), "the last operand must be a token.")) return false;
  Type token;
  token.kind = TypeKind::Token;
  return r.result_type(token);
}
bool infer_send(Rule& r) {
  if (!transfer(r, 2)) return false;
  if (!r.operands_must(is_token(r.operand(r.operand_count() - 1)), "the last operand must be a token.")) return false;
  const Type* result = r.stated_any();
  return result != nullptr && (is_token(*result) || result->kind == TypeKind::Future ||
                               r.fail(Code::GraphResult, "the result must be a token or a future."));
}

// async_start: a future of what the region returns; async_done: what the future holds.
bool infer_async_start(Rule& r) {
  std::vector<Type> arguments;
  for (std::size_t i = 0; i < r.operand_count(); ++i) arguments.push_back(r.operand(i));
  if (!r.region_arguments(0, arguments)) return false;
  Type future;
  future.kind = TypeKind::Future;
  const Function& f = r.region(0);
  for (ValueId v : f.operands(f.terminator())) future.members.push_back(f.type(v));
  return r.result_type(future);
}
bool infer_async_done(Rule& r) {
  if (!r.operands_must(r.operand(0).kind == TypeKind::Future, "the operand must be a future.")) return false;
  for (TypeId member : r.operand(0).members) {
    if (!r.result_type(r.module().type(member))) return false;
  }
  return true;
}

// sdy.manual_computation: the body sees local shapes, which the shardings give; counts and ranks agree.
bool infer_manual_computation(Rule& r) {
  const Function& f = r.region(0);
  std::vector<Type> arguments;
  for (std::size_t i = 0; i < r.operand_count() && i < f.parameter_count(); ++i) {
    Type t = r.operand(i);
    const Type& local = r.module().type(f.type(ValueId(i)));
    if (t.shape.size() == local.shape.size()) t.shape = local.shape;
    arguments.push_back(std::move(t));
  }
  if (arguments.size() != r.operand_count())
    return r.fail(Code::GraphRegion, "the body needs one argument an operand.");
  if (!r.region_arguments(0, arguments)) return false;
  const std::vector<Type> returned = r.region_results(0);
  for (const Type& local : returned) {
    const Type* result = r.stated_any();
    if (result == nullptr) return false;
    if (result->shape.size() != local.shape.size() || result->element != local.element)
      return r.fail(Code::GraphResult, "results and returned values differ in rank or element type.");
  }
  return true;
}

}  // namespace openneuron::graph
