// Generators of control flow, calls, collectives, tuples and tokens.
#include "graph/random_builder.h"

namespace openneuron::graph::test {
namespace {

TypeId compound(Builder& b, TypeKind kind, std::vector<TypeId> members) {
  Type t;
  t.kind = kind;
  t.members = std::move(members);
  return b.m.intern(std::move(t));
}

// A private function that returns its arguments.
AttrId callee(Builder& b, const char* name, const std::vector<TypeId>& types) {
  Function f;
  f.name = name;
  std::vector<ValueId> v;
  for (TypeId t : types) v.push_back(f.add_parameter(t));
  f.add_op(OpKind::Return, v, {});
  b.m.add_function(std::move(f));
  return b.m.symbol_attr(name);
}

AttrId groups(Builder& b) {
  if (b.between(0, 3) == 0) {
    const AttrId axis = b.m.dictionary({{"name", b.m.string_attr("x")}, {"size", b.integer(4)}});
    NamedAttributes mesh = {{"axes", b.m.array_attr({axis})}};
    if (b.coin()) mesh.emplace_back("device_ids", b.ints({3, 2, 1, 0}));
    NamedAttributes reference = {{"name", b.m.string_attr("x")}};
    if (b.coin())
      reference.emplace_back("sub_axis", b.m.dictionary({{"pre_size", b.integer(1)}, {"size", b.integer(2)}}));
    const AttrId axes = b.m.array_attr({b.m.dictionary(reference)});
    return b.m.dictionary({{"mesh", b.m.dictionary(mesh)}, {"axes", axes}});
  }
  return b.m.matrix_attr(Shape{0, 2, 1, 3}, 2, 2);
}

}  // namespace

bool build_control_op(Builder& b, OpKind kind, Module& out) {
  const Shape s = b.shape(1, 3, 1);
  const TypeId t = b.type(E::F32, s);
  const auto channel = [&](NamedAttributes& a) {
    if (b.coin()) a.emplace_back("channel_id", b.integer(b.between(1, 5)));
  };
  switch (kind) {
    case OpKind::While: {
      const TypeId counter = b.type(E::I32), flag = b.type(E::I1);
      const ValueId limit = b.input(counter), start = b.input(counter), data = b.input(t);
      const auto compare = b.m.dictionary({{"comparison_direction", b.keyword("comparison_direction", "LT")},
                                           {"compare_type", b.keyword("comparison_type", "SIGNED")}});
      // Both regions have the captured limit as last parameter; only cond reads it.
      const FunctionId cond = b.region({counter, t, counter}, [&](Function& r, const std::vector<ValueId>& v) {
        return std::vector<ValueId>{
            r.result(r.add_op(OpKind::Compare, std::vector<ValueId>{v[0], v[2]}, {&flag, 1}, compare))};
      });
      const FunctionId body = b.region({counter, t, counter}, [&](Function& r, const std::vector<ValueId>& v) {
        return std::vector<ValueId>{r.result(r.add_op(OpKind::Add, std::vector<ValueId>{v[0], v[0]}, {&counter, 1})),
                                    v[1]};
      });
      out = b.finish(kind, {start, data, limit}, {}, {}, {cond, body}, 1);
      return true;
    }
    case OpKind::If:
    case OpKind::Case: {
      const ValueId selector = b.input(kind == OpKind::If ? E::I1 : E::I32), data = b.input(t);
      std::vector<FunctionId> regions;
      for (std::int64_t i = kind == OpKind::If ? 2 : b.between(1, 3); i > 0; --i) {
        regions.push_back(b.region({t}, [&](Function& r, const std::vector<ValueId>& v) {
          return std::vector<ValueId>{r.result(r.add_op(OpKind::Negate, v, {&t, 1})), v[0]};
        }));
      }
      out = b.finish(kind, {selector, data}, {}, {}, regions, 1);
      return true;
    }
    case OpKind::Map: {
      const TypeId scalar = b.type(E::F32);
      Shape all(s.size());
      for (std::size_t i = 0; i < s.size(); ++i) all[i] = static_cast<std::int64_t>(i);
      out = b.finish(kind, {b.input(t), b.input(t)}, {{"dimensions", b.ints(all)}}, {}, {b.combiner(E::F32)});
      (void)scalar;
      return true;
    }
    case OpKind::Return: {
      const ValueId v = b.input(t), w = b.input(b.token());
      b.f.add_op(OpKind::Return, std::vector<ValueId>{v, w, v}, {}, {}, {}, {}, 0,
                 b.coin() ? b.m.dictionary(
                                {{"sdy.sharding",
                                  b.m.opaque_attr("#sdy.sharding_per_value<[<@mesh, []>, <@mesh, []>, <@mesh, []>]>")}})
                          : AttrId());
      b.f.name = "main";
      b.f.is_public = true;
      b.m.add_function(std::move(b.f));
      out = std::move(b.m);
      out.extra_ops.push_back("sdy.mesh @mesh = <[\"x\"=2]>");
      return true;
    }
    case OpKind::Call:
      out =
          b.finish(kind, {b.input(t), b.input(t)}, {{"callee", callee(b, b.pick({"f", "a.b_1", "odd name"}), {t, t})}});
      return true;
    case OpKind::Composite: {
      NamedAttributes a = {{"name", b.m.string_attr("chlo.top_k")},
                           {"decomposition", callee(b, "chlo.top_k.impl", {t})}};
      if (b.coin()) a.emplace_back("version", b.m.int_attr(1, E::I32));
      if (b.coin())
        a.emplace_back("composite_attributes", b.m.dictionary({{"k", b.integer(4)},
                                                               {"list", b.ints({1, 2})},
                                                               {"table", b.m.matrix_attr(Shape{1, 2, 3, 4}, 2, 2)},
                                                               {"weights", b.literal(b.type(E::F32, {3}))}}));
      out = b.finish(kind, {b.input(t)}, a);
      return true;
    }
    case OpKind::CustomCall: {
      NamedAttributes a = {{"call_target_name", b.m.string_attr(b.pick({"Qr", "AwsNeuron x"}))}};
      if (b.coin()) a.emplace_back("has_side_effect", b.m.bool_attr(true));
      if (b.coin())
        a.emplace_back("backend_config", b.m.string_attr("{\"a\": 1}"));
      else if (b.coin())
        a.emplace_back("backend_config", b.m.dictionary({{"lda", b.integer(8)}, {"flag", b.m.bool_attr(true)}})),
            a.emplace_back("api_version", b.m.int_attr(4, E::I32));
      if (b.coin()) a.emplace_back("called_computations", b.m.array_attr({callee(b, "helper", {t})}));
      if (b.coin()) {
        Shape order = b.permutation(s.size());
        a.emplace_back("operand_layouts", b.m.array_attr({b.ints(order)}));
        a.emplace_back("result_layouts", b.m.array_attr({b.ints(order)}));
      }
      if (b.coin())
        a.emplace_back("output_operand_aliases",
                       b.m.array_attr({b.m.dictionary({{"output_tuple_indices", b.ints({})},
                                                       {"operand_index", b.integer(0)},
                                                       {"operand_tuple_indices", b.ints({})}})}));
      out = b.finish(kind, {b.input(t)}, a, {t});
      return true;
    }
    case OpKind::Tuple: out = b.finish(kind, {b.input(t), b.input(b.token())}); return true;
    case OpKind::GetTupleElement:
      out = b.finish(kind, {b.input(compound(b, TypeKind::Tuple, {t, b.type(E::I8)}))},
                     {{"index", b.m.int_attr(b.between(0, 1), E::I32)}});
      return true;
    case OpKind::AfterAll: {
      std::vector<ValueId> v;
      for (std::int64_t i = b.between(0, 3); i > 0; --i) v.push_back(b.input(b.token()));
      out = b.finish(kind, v);
      return true;
    }
    case OpKind::CreateToken:
    case OpKind::ReplicaId:
    case OpKind::PartitionId: out = b.finish(kind, {}); return true;
    case OpKind::Infeed:
      out = b.finish(
          kind, {b.input(b.token())},
          {{"infeed_config", b.m.string_attr("cfg")}, {"layout", b.m.array_attr({b.m.array_attr({b.integer(0)})})}},
          {b.type(E::F32, {5}), b.token()});
      return true;
    case OpKind::Outfeed:
      out = b.finish(kind, {b.input(t), b.input(b.token())}, {{"outfeed_config", b.m.string_attr("")}});
      return true;
    case OpKind::Send:
    case OpKind::Recv: {
      const bool host = b.coin();
      NamedAttributes a = {{"channel_id", b.integer(3)},
                           {"channel_type", b.integer(kind == OpKind::Send ? (host ? 2 : 1) : (host ? 3 : 1))},
                           {"is_host_transfer", b.m.bool_attr(host)}};
      if (!host) a.emplace_back("source_target_pairs", b.m.matrix_attr(Shape{0, 1, 1, 2}, 2, 2));
      if (kind == OpKind::Send)
        out = b.finish(kind, {b.input(t), b.input(b.token())}, a, {b.token()});
      else
        out = b.finish(kind, {b.input(b.token())}, a, {t, b.token()});
      return true;
    }
    case OpKind::AsyncStart: {
      const FunctionId body = b.region({t}, [&](Function& r, const std::vector<ValueId>& v) {
        const AttrId a =
            b.m.dictionary({{"source_target_pairs", b.m.matrix_attr(Shape{0, 1}, 1, 2)}, {"channel_id", b.integer(0)}});
        return std::vector<ValueId>{r.result(r.add_op(OpKind::CollectivePermute, v, {&t, 1}, a))};
      });
      out = b.finish(kind, {b.input(t)}, {}, {}, {body});
      return true;
    }
    case OpKind::AsyncDone: out = b.finish(kind, {b.input(compound(b, TypeKind::Future, {t}))}); return true;
    case OpKind::AllReduce:
    case OpKind::CollectiveReduce: {
      NamedAttributes a = {{"replica_groups", groups(b)}};
      channel(a);
      if (a.size() == 2 && b.coin()) a.emplace_back("use_global_device_ids", b.m.bool_attr(true));
      out = b.finish(kind, {b.input(t), b.input(t)}, a, {}, {b.combiner(E::F32)});
      return true;
    }
    case OpKind::CrossReplicaSum:
      out = b.finish(kind, {b.input(t)}, {{"replica_groups", b.m.matrix_attr(Shape{0, 1}, 1, 2)}});
      return true;
    case OpKind::CollectiveBroadcast: {
      NamedAttributes a = {{"replica_groups", b.m.matrix_attr(Shape{0, 1}, 1, 2)}};
      channel(a);
      out = b.finish(kind, {b.input(t)}, a);
      return true;
    }
    case OpKind::CollectivePermute: {
      NamedAttributes a = {{"source_target_pairs", b.m.matrix_attr(Shape{0, 1, 1, 0}, 2, 2)}};
      channel(a);
      out = b.finish(kind, {b.input(t)}, a);
      return true;
    }
    case OpKind::AllGather: {
      NamedAttributes a = {{"all_gather_dim", b.integer(0)},
                           {"replica_groups", b.m.matrix_attr(Shape{0, 2, 1, 3}, 2, 2)}};
      channel(a);
      out = b.finish(kind, {b.input(t)}, a);
      return true;
    }
    case OpKind::ReduceScatter: {
      NamedAttributes a = {{"scatter_dimension", b.integer(1)},
                           {"replica_groups", b.m.matrix_attr(Shape{0, 2, 1, 3}, 2, 2)}};
      channel(a);
      out = b.finish(kind, {b.input(E::F32, {3, 8})}, a, {}, {b.combiner(E::F32)});
      return true;
    }
    case OpKind::AllToAll: {
      NamedAttributes a = {{"split_dimension", b.integer(1)},
                           {"concat_dimension", b.integer(0)},
                           {"split_count", b.integer(2)},
                           {"replica_groups", b.m.matrix_attr(Shape{0, 2, 1, 3}, 2, 2)}};
      channel(a);
      out = b.finish(kind, {b.input(E::F32, {3, 8})}, a);
      return true;
    }
    case OpKind::NeuronCollective: {
      const char* what = b.pick({"all_reduce", "all_gather", "reduce_scatter", "all_to_all"});
      const NamedAttributes a = {{"kind", b.m.string_attr(what)}, {"op", b.m.string_attr("add")}};
      out = b.finish(kind, {b.input(E::F32, {2, 3}), b.input(E::I32, {4, 2})}, a);
      return true;
    }
    case OpKind::ChloScan: {
      const TypeId row = b.type(E::F32, {4}), all = b.type(E::F32, {6, 4});
      const FunctionId body = b.region({row, row}, [&](Function& r, const std::vector<ValueId>& v) {
        const ValueId sum = r.result(r.add_op(OpKind::Add, v, {&row, 1}));
        return std::vector<ValueId>{sum, sum};
      });
      NamedAttributes a = {
          {"dimension", b.integer(0)}, {"operandSegmentSizes", b.ints({1, 1})}, {"resultSegmentSizes", b.ints({1, 1})}};
      if (b.coin()) a.emplace_back("is_reverse", b.m.bool_attr(true));
      out = b.finish(kind, {b.input(all), b.input(row)}, a, {}, {body});
      return true;
    }
    case OpKind::SdyManualComputation: {
      const TypeId whole = b.type(E::F32, {8}), part = b.type(E::F32, {4});
      const FunctionId body = b.region({part}, [&](Function& r, const std::vector<ValueId>& v) {
        return std::vector<ValueId>{r.result(r.add_op(OpKind::Negate, v, {&part, 1}))};
      });
      out = b.finish(kind, {b.input(whole)},
                     {{"in_shardings", b.m.opaque_attr("#sdy.sharding_per_value<[<@mesh, [{\"x\"}]>]>")},
                      {"out_shardings", b.m.opaque_attr("#sdy.sharding_per_value<[<@mesh, [{\"x\"}]>]>")},
                      {"manual_axes", b.m.opaque_attr("#sdy<manual_axes{\"x\"}>")}},
                     {whole}, {body});
      out.extra_ops.push_back("sdy.mesh @mesh = <[\"x\"=2]>");
      return true;
    }
    default: return false;
  }
}

}  // namespace openneuron::graph::test
