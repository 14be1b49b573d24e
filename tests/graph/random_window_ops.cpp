// Generators of contractions, windows, gather and scatter, linear algebra.
#include "graph/random_builder.h"

namespace openneuron::graph::test {
namespace {

Module convolution(Builder& b, OpKind kind) {
  const std::size_t n = static_cast<std::size_t>(b.between(0, 2)), rank = n + 2;
  const Shape in = b.permutation(rank), kernel = b.permutation(rank), result = b.permutation(rank);
  const std::int64_t fg = b.coin() ? 2 : 1, bg = fg == 1 && b.coin() ? 2 : 1, features = 3;
  Shape lhs(rank), rhs(rank), strides, ld, rd, padding, reversal;
  lhs[static_cast<std::size_t>(in[0])] = 2 * bg;
  lhs[static_cast<std::size_t>(in[1])] = features * fg;
  rhs[static_cast<std::size_t>(kernel[0])] = features;
  rhs[static_cast<std::size_t>(kernel[1])] = 4;
  for (std::size_t i = 0; i < n; ++i) {
    lhs[static_cast<std::size_t>(in[2 + i])] = b.between(4, 7);
    rhs[static_cast<std::size_t>(kernel[2 + i])] = b.between(1, 3);
    strides.push_back(b.between(1, 2));
    ld.push_back(b.between(1, 2));
    rd.push_back(b.between(1, 2));
    padding.push_back(b.between(-1, 2));
    padding.push_back(b.between(-1, 2));
    reversal.push_back(b.between(0, 1));
  }
  const auto rest = [](const Shape& p) { return Shape(p.begin() + 2, p.end()); };
  NamedAttributes a = {{"input_batch_dimension", b.integer(in[0])},
                       {"input_feature_dimension", b.integer(in[1])},
                       {"input_spatial_dimensions", b.ints(rest(in))},
                       {"kernel_input_feature_dimension", b.integer(kernel[0])},
                       {"kernel_output_feature_dimension", b.integer(kernel[1])},
                       {"kernel_spatial_dimensions", b.ints(rest(kernel))},
                       {"output_batch_dimension", b.integer(result[0])},
                       {"output_feature_dimension", b.integer(result[1])},
                       {"output_spatial_dimensions", b.ints(rest(result))},
                       {"window_strides", b.ints(strides)},
                       {"lhs_dilation", b.ints(ld)},
                       {"rhs_dilation", b.ints(rd)},
                       {"window_reversal", b.m.bools_attr(reversal)},
                       {"feature_group_count", b.integer(fg)},
                       {"batch_group_count", b.integer(bg)},
                       {"precision_config", b.precisions()}};
  const E e = b.pick({E::F32, E::BF16, E::I8});
  std::vector<ValueId> v = {b.input(e, lhs), b.input(e, rhs)};
  if (kind == OpKind::DynamicConv)
    v.push_back(b.input(E::I32, {static_cast<std::int64_t>(n), 2}));
  else
    a.emplace_back("padding", b.m.matrix_attr(padding, static_cast<std::int64_t>(n), 2));
  return b.finish(kind, v, a);
}

Module dot_general(Builder& b) {
  // Letters: batch, contracted, free of lhs, free of rhs, each side in its own order.
  const std::size_t nb = static_cast<std::size_t>(b.between(0, 2)), nc = static_cast<std::size_t>(b.between(0, 2)),
                    nl = static_cast<std::size_t>(b.between(0, 2)), nr = static_cast<std::size_t>(b.between(0, 2));
  const Shape left = b.permutation(nb + nc + nl), right = b.permutation(nb + nc + nr);
  Shape lhs(left.size()), rhs(right.size()), lb, lc, rb, rc;
  for (std::size_t i = 0; i < nb + nc; ++i) {
    const std::int64_t size = b.between(0, 4);
    lhs[static_cast<std::size_t>(left[i])] = rhs[static_cast<std::size_t>(right[i])] = size;
    (i < nb ? lb : lc).push_back(left[i]);
    (i < nb ? rb : rc).push_back(right[i]);
  }
  for (std::size_t i = nb + nc; i < left.size(); ++i) lhs[static_cast<std::size_t>(left[i])] = b.between(1, 4);
  for (std::size_t i = nb + nc; i < right.size(); ++i) rhs[static_cast<std::size_t>(right[i])] = b.between(1, 4);
  NamedAttributes a = {{"lhs_batching_dimensions", b.ints(lb)},
                       {"rhs_batching_dimensions", b.ints(rb)},
                       {"lhs_contracting_dimensions", b.ints(lc)},
                       {"rhs_contracting_dimensions", b.ints(rc)},
                       {"precision_config", b.precisions()}};
  if (b.coin()) {
    a.emplace_back("algorithm", b.m.dictionary({{"lhs_precision_type", b.m.element_type_attr(E::BF16)},
                                                {"rhs_precision_type", b.m.element_type_attr(E::BF16)},
                                                {"accumulation_type", b.m.element_type_attr(E::F32)},
                                                {"lhs_component_count", b.integer(1)},
                                                {"rhs_component_count", b.integer(1)},
                                                {"num_primitive_operations", b.integer(3)},
                                                {"allow_imprecise_accumulation", b.m.bool_attr(false)}}));
    a[4].second = b.m.array_attr({b.keyword("precision", "DEFAULT"), b.keyword("precision", "DEFAULT")});
    return b.finish(OpKind::DotGeneral, {b.input(E::F32, lhs), b.input(E::F32, rhs)}, a);
  }
  const E e = b.number();
  return b.finish(OpKind::DotGeneral, {b.input(e, lhs), b.input(e, rhs)}, a);
}

Module gather(Builder& b, OpKind kind) {
  const Shape operand = b.shape(1, 4, 1);
  const std::size_t rank = operand.size();
  Shape sizes = operand, collapsed, map, ob, ib, indices;
  const bool batched = rank > 1 && b.coin();
  std::int64_t batch_size = 0;
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t at = static_cast<std::int64_t>(d);
    if (batched && d == 0) {
      ob.push_back(at);
      sizes[d] = 1;
      batch_size = operand[d];
    } else if (b.coin()) {
      map.push_back(at);
      sizes[d] = b.between(1, operand[d]);
      if (b.coin()) {
        sizes[d] = 1;
        collapsed.push_back(at);
      }
    }
  }
  indices = b.shape(0, 2, 1);
  if (batched) {
    indices.insert(indices.begin(), batch_size);
    ib.push_back(0);
  }
  const std::size_t batch_rank = indices.size();
  std::int64_t vector_dim = static_cast<std::int64_t>(batch_rank);
  if (map.size() != 1 || b.coin()) indices.push_back(static_cast<std::int64_t>(map.size()));
  const std::size_t windows = rank - collapsed.size() - ob.size();
  Shape order = b.permutation(batch_rank + windows),
        offset(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(windows));
  std::sort(offset.begin(), offset.end());
  std::shuffle(map.begin(), map.end(), b.random);
  NamedAttributes a = {{"offset_dims", b.ints(offset)},
                       {"collapsed_slice_dims", b.ints(collapsed)},
                       {"operand_batching_dims", b.ints(ob)},
                       {"start_indices_batching_dims", b.ints(ib)},
                       {"start_index_map", b.ints(map)},
                       {"index_vector_dim", b.integer(vector_dim)},
                       {"indices_are_sorted", b.m.bool_attr(b.coin())}};
  std::vector<ValueId> v = {b.input(b.any(), operand), b.input(b.pick({E::I32, E::U8, E::I64}), indices)};
  if (kind == OpKind::Gather)
    a.emplace_back("slice_sizes", b.ints(sizes));
  else
    v.push_back(b.input(E::I64, {static_cast<std::int64_t>(rank)}));
  return b.finish(kind, v, a);
}

Module scatter(Builder& b) {
  const Shape input = b.shape(1, 3, 1);
  const std::size_t inputs = static_cast<std::size_t>(b.between(1, 2));
  Shape inserted, map, window;
  for (std::size_t d = 0; d < input.size(); ++d) {
    const bool mapped = b.coin();
    if (mapped) map.push_back(static_cast<std::int64_t>(d));
    if (mapped && b.coin())
      inserted.push_back(static_cast<std::int64_t>(d));
    else
      window.push_back(b.between(1, input[d]));
  }
  Shape indices = b.shape(0, 2, 1), updates = indices, window_dims;
  indices.push_back(static_cast<std::int64_t>(map.size()));
  const std::int64_t vector_dim = static_cast<std::int64_t>(indices.size()) - 1;
  for (std::int64_t w : window) {
    window_dims.push_back(static_cast<std::int64_t>(updates.size()));
    updates.push_back(w);
  }
  std::vector<E> elements;
  std::vector<ValueId> v;
  for (std::size_t i = 0; i < inputs; ++i) elements.push_back(b.pick({E::F32, E::I32, E::BF16}));
  for (E e : elements) v.push_back(b.input(e, input));
  v.push_back(b.input(E::I32, indices));
  for (E e : elements) v.push_back(b.input(e, updates));
  std::vector<TypeId> arguments;
  for (int side = 0; side < 2; ++side) {
    for (E e : elements) arguments.push_back(b.type(e));
  }
  const FunctionId body = b.region(arguments, [&](Function&, const std::vector<ValueId>& x) {
    return std::vector<ValueId>(x.begin() + static_cast<std::ptrdiff_t>(inputs), x.end());
  });
  return b.finish(OpKind::Scatter, v,
                  {{"update_window_dims", b.ints(window_dims)},
                   {"inserted_window_dims", b.ints(inserted)},
                   {"scatter_dims_to_operand_dims", b.ints(map)},
                   {"index_vector_dim", b.integer(vector_dim)},
                   {"unique_indices", b.m.bool_attr(b.coin())}},
                  {}, {body});
}

Module reduction(Builder& b, OpKind kind) {
  const Shape s = b.shape(0, 4, 1);
  const std::size_t n = static_cast<std::size_t>(b.between(1, 3));
  std::vector<E> elements;
  std::vector<ValueId> v;
  std::vector<TypeId> arguments;
  for (std::size_t i = 0; i < n; ++i) elements.push_back(b.pick({E::F32, E::I32, E::BF16}));
  for (E e : elements) v.push_back(b.input(e, s));
  for (E e : elements) v.push_back(b.input(e));
  for (int side = 0; side < 2; ++side) {
    for (E e : elements) arguments.push_back(b.type(e));
  }
  FunctionId body;
  if (n == 1) {
    body = b.combiner(elements[0], b.pick({OpKind::Add, OpKind::Maximum, OpKind::Multiply, OpKind::Subtract}));
  } else {
    body = b.region(arguments, [&](Function& r, const std::vector<ValueId>& x) {
      std::vector<ValueId> out;
      for (std::size_t i = 0; i < n; ++i) {
        const TypeId t = arguments[i];
        out.push_back(r.result(r.add_op(OpKind::Add, std::vector<ValueId>{x[i], x[n + i]}, {&t, 1})));
      }
      return out;
    });
  }
  if (kind == OpKind::Reduce) return b.finish(kind, v, {{"dimensions", b.ints(b.subset(s.size()))}}, {}, {body});
  Shape window, strides, bd, wd, padding;
  for (std::int64_t d : s) {
    window.push_back(b.between(1, d));
    strides.push_back(b.between(1, 3));
    bd.push_back(b.between(1, 2));
    wd.push_back(b.between(1, 2));
    padding.push_back(b.between(0, 2));
    padding.push_back(b.between(0, 2));
  }
  return b.finish(kind, v,
                  {{"window_dimensions", b.ints(window)},
                   {"window_strides", b.ints(strides)},
                   {"base_dilations", b.ints(bd)},
                   {"window_dilations", b.ints(wd)},
                   {"padding", b.m.matrix_attr(padding, static_cast<std::int64_t>(s.size()), 2)}},
                  {}, {body});
}

}  // namespace

bool build_window_op(Builder& b, OpKind kind, Module& out) {
  switch (kind) {
    case OpKind::DotGeneral: out = dot_general(b); return true;
    case OpKind::Convolution:
    case OpKind::DynamicConv: out = convolution(b, kind); return true;
    case OpKind::Gather:
    case OpKind::DynamicGather: out = gather(b, kind); return true;
    case OpKind::Scatter: out = scatter(b); return true;
    case OpKind::Reduce:
    case OpKind::ReduceWindow: out = reduction(b, kind); return true;
    case OpKind::Dot: {
      Shape l = b.coin() ? Shape{3} : Shape{2, 3}, r = b.coin() ? Shape{3} : Shape{3, 4};
      out = b.finish(kind, {b.input(E::F32, l), b.input(E::F32, r)}, {{"precision_config", b.precisions()}});
      return true;
    }
    case OpKind::Einsum:
      out = b.finish(kind, {b.input(E::F32, {2, 3, 4}), b.input(E::F32, {2, 4, 5})},
                     {{"einsum_config", b.m.string_attr("bik,bkj->bij")}});
      return true;
    case OpKind::UnaryEinsum:
      out = b.finish(kind, {b.input(E::F32, {2, 3})}, {{"einsum_config", b.m.string_attr("ab->ba")}});
      return true;
    case OpKind::TorchIndexSelect:
      out = b.finish(kind, {b.input(E::F32, {2, 3, 4}), b.input(E::I32, {2, 7})},
                     {{"dim", b.integer(1)}, {"batch_dims", b.integer(1)}});
      return true;
    case OpKind::ChloRaggedDot: {
      const int mode = static_cast<int>(b.between(0, 2));
      const auto numbers = [&](Shape lb, Shape rb, Shape lc, Shape rc, Shape ragged, Shape group) {
        return b.m.dictionary({{"lhs_batching_dimensions", b.ints(lb)},
                               {"rhs_batching_dimensions", b.ints(rb)},
                               {"lhs_contracting_dimensions", b.ints(lc)},
                               {"rhs_contracting_dimensions", b.ints(rc)},
                               {"lhs_ragged_dimensions", b.ints(ragged)},
                               {"rhs_group_dimensions", b.ints(group)}});
      };
      const ValueId lhs = b.input(E::F32, {3, 11, 5});
      const ValueId rhs = mode == 0 ? b.input(E::F32, {4, 3, 5, 7}) : b.input(E::F32, {3, 5, 7});
      const ValueId sizes = b.input(E::I64, {mode == 0 ? 4 : 6});
      out = b.finish(kind, {lhs, rhs, sizes},
                     {{"ragged_dot_dimension_numbers", mode == 0   ? numbers({0}, {1}, {2}, {2}, {1}, {0})
                                                       : mode == 1 ? numbers({0}, {0}, {2}, {1}, {2}, {})
                                                                   : numbers({0}, {0}, {2}, {1}, {0}, {})},
                      {"precision_config", b.precisions()}});
      return true;
    }
    case OpKind::SelectAndScatter: {
      const TypeId t = b.type(E::F32);
      NamedAttributes a = {{"window_dimensions", b.ints({2, 2})}, {"window_strides", b.ints({2, 2})}};
      if (b.coin()) a.emplace_back("padding", b.m.matrix_attr(Shape{0, 0, 0, 0}, 2, 2));
      out = b.finish(kind, {b.input(E::F32, {4, 6}), b.input(E::F32, {2, 3}), b.input(E::F32)}, a, {},
                     {b.comparator({t, t}), b.combiner(E::F32)});
      return true;
    }
    case OpKind::Sort: {
      const Shape s = b.shape(1);
      const std::size_t n = static_cast<std::size_t>(b.between(1, 3));
      std::vector<ValueId> v;
      std::vector<TypeId> arguments;
      for (std::size_t i = 0; i < n; ++i) {
        const E e = b.pick({E::F32, E::I32, E::U8});
        v.push_back(b.input(e, s));
        arguments.insert(arguments.end(), 2, b.type(e));
      }
      const std::int64_t rank = static_cast<std::int64_t>(s.size());
      out = b.finish(kind, v,
                     {{"dimension", b.integer(b.between(-rank, rank - 1))}, {"is_stable", b.m.bool_attr(b.coin())}}, {},
                     {b.comparator(arguments)});
      return true;
    }
    case OpKind::Fft: {
      const Shape s = b.shape(1, 4, 1);
      const std::size_t n =
          static_cast<std::size_t>(b.between(1, std::min<std::int64_t>(3, static_cast<std::int64_t>(s.size()))));
      Shape length(s.end() - static_cast<std::ptrdiff_t>(n), s.end());
      const char* type = b.pick({"FFT", "IFFT", "RFFT", "IRFFT"});
      const bool inverse = std::string_view(type) == "IRFFT", real = std::string_view(type) == "RFFT";
      if (inverse) length.back() = 2 * (s.back() - 1) + b.between(0, 1);
      if (inverse && length.back() == 0) length.back() = 1;
      out = b.finish(kind, {b.input(real ? E::F32 : E::C64, s)},
                     {{"fft_type", b.keyword("fft_type", type)}, {"fft_length", b.ints(length)}});
      return true;
    }
    case OpKind::Cholesky:
    case OpKind::TriangularSolve: {
      Shape a = b.shape(0, 2), c = a;
      const std::int64_t n = b.between(1, 4), k = b.between(1, 4);
      const bool left = b.coin();
      a.insert(a.end(), {n, n});
      c.push_back(left ? n : k);
      c.push_back(left ? k : n);
      const E e = b.pick({E::F32, E::F64, E::C64});
      if (kind == OpKind::Cholesky) {
        out = b.finish(kind, {b.input(e, a)}, {{"lower", b.m.bool_attr(b.coin())}});
      } else {
        out = b.finish(kind, {b.input(e, a), b.input(e, c)},
                       {{"left_side", b.m.bool_attr(left)},
                        {"lower", b.m.bool_attr(b.coin())},
                        {"unit_diagonal", b.m.bool_attr(b.coin())},
                        {"transpose_a", b.keyword("transpose", b.pick({"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}))}});
      }
      return true;
    }
    case OpKind::BatchNormTraining:
    case OpKind::BatchNormInference:
    case OpKind::BatchNormGrad: {
      const Shape s = b.shape(1, 4, 1);
      const std::size_t d = static_cast<std::size_t>(b.between(0, static_cast<std::int64_t>(s.size()) - 1));
      const TypeId vector = b.type(E::F32, {s[d]});
      std::vector<ValueId> v = {b.input(E::F32, s)};
      for (int i = kind == OpKind::BatchNormTraining ? 2 : kind == OpKind::BatchNormInference ? 4 : 3; i > 0; --i)
        v.push_back(b.input(vector));
      if (kind == OpKind::BatchNormGrad) v.push_back(b.input(E::F32, s));
      out = b.finish(kind, v,
                     {{"epsilon", b.m.float_attr(static_cast<double>(1e-3f), E::F32)},
                      {"feature_index", b.integer(static_cast<std::int64_t>(d))}});
      return true;
    }
    case OpKind::Rng: {
      const Shape s = b.shape(1);
      const bool normal = b.coin();
      const E e = normal ? E::F32 : b.pick({E::F32, E::I32, E::BF16});
      out = b.finish(kind, {b.input(e), b.input(e), b.input(E::I64, {static_cast<std::int64_t>(s.size())})},
                     {{"rng_distribution", b.keyword("rng_distribution", normal ? "NORMAL" : "UNIFORM")}},
                     {b.type(e, s)});
      return true;
    }
    case OpKind::RngBitGenerator: {
      const TypeId state = b.type(E::U64, {2});
      out = b.finish(kind, {b.input(state)},
                     {{"rng_algorithm", b.keyword("rng_algorithm", b.pick({"DEFAULT", "THREE_FRY", "PHILOX"}))}},
                     {state, b.type(b.pick({E::U32, E::U64, E::F32}), b.shape())});
      return true;
    }
    case OpKind::ChloTopK: {
      const Shape s = b.shape(1, 3, 1);
      out = b.finish(kind, {b.input(b.pick({E::F32, E::I32}), s)}, {{"k", b.integer(b.between(0, s.back()))}});
      return true;
    }
    default: return false;
  }
}

}  // namespace openneuron::graph::test
