// The verifier on modules that no text can say, built by hand; derived types against the specification's examples.
#include <doctest/doctest.h>

#include "graph/module.h"
#include "graph/verify.h"

namespace openneuron::graph {
namespace {

struct Small {
  Module m;
  Function f;
  TypeId t;
  Small() {
    t = m.tensor(ElementType::F32, std::vector<std::int64_t>{4});
    f.name = "main";
    f.is_public = true;
  }
  void refused(Code code) {
    m.add_function(std::move(f));
    auto result = verify(m);
    REQUIRE(!result);
    CHECK(std::string(code_text(result.diagnostic().code)) == code_text(code));
  }
};

}  // namespace

TEST_CASE("a function without a return is refused") {
  Small s;
  s.f.add_parameter(s.t);
  s.refused(Code::GraphOrder);
}

TEST_CASE("an operand that is defined later is refused") {
  Small s;
  const ValueId a = s.f.add_parameter(s.t);
  const ValueId later[] = {ValueId(std::size_t{2}), a};
  s.f.add_op(OpKind::Add, later, {&s.t, 1});
  s.f.add_op(OpKind::Add, std::vector<ValueId>{a, a}, {&s.t, 1});
  s.f.add_op(OpKind::Return, {}, {});
  s.refused(Code::GraphOrder);
}

TEST_CASE("a wrong number of operands is refused") {
  Small s;
  const ValueId a = s.f.add_parameter(s.t);
  s.f.add_op(OpKind::Add, {&a, 1}, {&s.t, 1});
  s.f.add_op(OpKind::Return, {}, {});
  s.refused(Code::GraphOperands);
}

TEST_CASE("a missing attribute and one of another kind are refused") {
  Small s;
  const ValueId a = s.f.add_parameter(s.t);
  SUBCASE("missing") { s.f.add_op(OpKind::Transpose, {&a, 1}, {&s.t, 1}); }
  SUBCASE("kind") {
    s.f.add_op(OpKind::Transpose, {&a, 1}, {&s.t, 1}, s.m.dictionary({{"permutation", s.m.int_attr(0)}}));
  }
  SUBCASE("foreign") { s.f.add_op(OpKind::Negate, {&a, 1}, {&s.t, 1}, s.m.dictionary({{"axis", s.m.int_attr(0)}})); }
  s.f.add_op(OpKind::Return, {}, {});
  s.refused(Code::GraphAttribute);
}

TEST_CASE("captured parameters must have the captured values' types") {
  Small s;
  const TypeId flag = s.m.tensor(ElementType::I1, {}), other = s.m.tensor(ElementType::F64, {});
  Function region;
  region.is_region = true;
  const ValueId captured = region.add_parameter(other);
  region.add_op(OpKind::Return, {&captured, 1}, {});
  Function second = region;
  const FunctionId regions[] = {s.m.add_function(std::move(region)), s.m.add_function(std::move(second))};
  const ValueId p = s.f.add_parameter(flag), a = s.f.add_parameter(s.t);
  s.f.add_op(OpKind::If, std::vector<ValueId>{p, a}, {&other, 1}, {}, {}, regions, 1);
  s.f.add_op(OpKind::Return, {}, {});
  s.refused(Code::GraphRegion);
}

TEST_CASE("a region that holds itself is refused") {
  Small s;
  const TypeId index = s.m.tensor(ElementType::I32, {});
  Function region;
  region.is_region = true;
  const ValueId captured = region.add_parameter(index);
  const FunctionId self(s.m.functions().size());
  region.add_op(OpKind::Case, std::vector<ValueId>{captured, captured}, {}, {}, {}, {&self, 1}, 1);
  region.add_op(OpKind::Return, {}, {});
  s.m.add_function(std::move(region));
  s.f.add_op(OpKind::Return, {}, {});
  s.m.add_function(std::move(s.f));
  CHECK(!verify(s.m));
}

TEST_CASE("types that are a choice cannot be derived") {
  Small s;
  const ValueId a = s.f.add_parameter(s.t);
  auto types = infer_types(s.m, s.f, OpKind::Reshape, {&a, 1}, {}, {});
  REQUIRE(!types);
  CHECK(std::string(code_text(types.diagnostic().code)) == code_text(Code::GraphUnderived));
}

TEST_CASE("derived shapes: the examples of the specification") {
  // Each worked example stands in the op's section of the StableHLO specification.
  Module m;
  Function f;
  const auto input = [&](ElementType e, std::vector<std::int64_t> shape) {
    return f.add_parameter(m.tensor(e, shape));
  };
  const auto ints = [&](std::vector<std::int64_t> v) { return m.ints_attr(v); };
  const auto shape = [&](OpKind kind, std::vector<ValueId> operands,
                         std::vector<std::pair<std::string, AttrId>> attributes) {
    auto types =
        infer_types(m, f, kind, operands, attributes.empty() ? AttrId() : m.dictionary(std::move(attributes)), {});
    REQUIRE_MESSAGE(types, (types ? "" : format_diagnostic(types.diagnostic())));
    return m.type((*types)[0]).shape;
  };
  using S = std::vector<std::int64_t>;
  const AttrId precisions = m.array_attr({m.enum_attr("precision", "DEFAULT"), m.enum_attr("precision", "DEFAULT")});
  // dot_general: tensor<2x2x2> x tensor<2x2x2>, batching [0] x [0], contracting [2] x [1].
  CHECK(shape(OpKind::DotGeneral, {input(ElementType::I64, {2, 2, 2}), input(ElementType::I64, {2, 2, 2})},
              {{"lhs_batching_dimensions", ints({0})},
               {"rhs_batching_dimensions", ints({0})},
               {"lhs_contracting_dimensions", ints({2})},
               {"rhs_contracting_dimensions", ints({1})},
               {"precision_config", precisions}}) == S{2, 2, 2});
  // convolution: tensor<1x4x4x1> * tensor<3x3x1x1>, strides 4, lhs_dilation 2 -> tensor<1x2x2x1>.
  CHECK(shape(OpKind::Convolution, {input(ElementType::I64, {1, 4, 4, 1}), input(ElementType::I64, {3, 3, 1, 1})},
              {{"window_strides", ints({4, 4})},
               {"padding", m.matrix_attr(S{0, 0, 0, 0}, 2, 2)},
               {"lhs_dilation", ints({2, 2})},
               {"rhs_dilation", ints({1, 1})},
               {"window_reversal", m.bools_attr(S{0, 0})},
               {"input_batch_dimension", m.int_attr(0)},
               {"input_feature_dimension", m.int_attr(3)},
               {"input_spatial_dimensions", ints({1, 2})},
               {"kernel_input_feature_dimension", m.int_attr(2)},
               {"kernel_output_feature_dimension", m.int_attr(3)},
               {"kernel_spatial_dimensions", ints({0, 1})},
               {"output_batch_dimension", m.int_attr(0)},
               {"output_feature_dimension", m.int_attr(3)},
               {"output_spatial_dimensions", ints({1, 2})},
               {"batch_group_count", m.int_attr(1)},
               {"feature_group_count", m.int_attr(1)},
               {"precision_config", precisions}}) == S{1, 2, 2, 1});
  // gather: tensor<2x3x4x2> by tensor<2x2x3x2> with batching dimensions -> tensor<2x2x3x2x2>.
  CHECK(shape(OpKind::Gather, {input(ElementType::I32, {2, 3, 4, 2}), input(ElementType::I64, {2, 2, 3, 2})},
              {{"offset_dims", ints({3, 4})},
               {"collapsed_slice_dims", ints({1})},
               {"operand_batching_dims", ints({0})},
               {"start_indices_batching_dims", ints({1})},
               {"start_index_map", ints({2, 1})},
               {"index_vector_dim", m.int_attr(3)},
               {"slice_sizes", ints({1, 1, 2, 2})},
               {"indices_are_sorted", m.bool_attr(false)}}) == S{2, 2, 3, 2, 2});
  // pad: tensor<2x3>, low [0, 1], high [2, 1], interior [1, 2] -> tensor<5x9>.
  CHECK(shape(OpKind::Pad, {input(ElementType::I32, {2, 3}), input(ElementType::I32, {})},
              {{"edge_padding_low", ints({0, 1})},
               {"edge_padding_high", ints({2, 1})},
               {"interior_padding", ints({1, 2})}}) == S{5, 9});
  // slice: tensor<3x4> [1:3, 0:4:2] -> tensor<2x2>.
  CHECK(shape(OpKind::Slice, {input(ElementType::I64, {3, 4})},
              {{"start_indices", ints({1, 0})}, {"limit_indices", ints({3, 4})}, {"strides", ints({1, 2})}}) ==
        S{2, 2});
  // concatenate: tensor<3x2> and tensor<1x2> along 0 -> tensor<4x2>.
  CHECK(shape(OpKind::Concatenate, {input(ElementType::I64, {3, 2}), input(ElementType::I64, {1, 2})},
              {{"dimension", m.int_attr(0)}}) == S{4, 2});
  // transpose: tensor<2x3x2>, permutation [2, 1, 0] -> tensor<2x3x2>.
  CHECK(shape(OpKind::Transpose, {input(ElementType::I32, {2, 3, 5})}, {{"permutation", ints({2, 1, 0})}}) ==
        S{5, 3, 2});
  // all_gather: tensor<2x2>, dim 1, two devices -> tensor<2x4>.
  CHECK(shape(OpKind::AllGather, {input(ElementType::I64, {2, 2})},
              {{"all_gather_dim", m.int_attr(1)},
               {"replica_groups", m.matrix_attr(S{0, 1}, 1, 2)},
               {"channel_id", m.int_attr(0)},
               {"use_global_device_ids", m.bool_attr(false)}}) == S{2, 4});
  // all_to_all: tensor<2x4>, split 1, concat 0, count 2 -> tensor<4x2>.
  CHECK(shape(OpKind::AllToAll, {input(ElementType::I64, {2, 4})},
              {{"split_dimension", m.int_attr(1)},
               {"concat_dimension", m.int_attr(0)},
               {"split_count", m.int_attr(2)},
               {"replica_groups", m.matrix_attr(S{0, 1}, 1, 2)},
               {"channel_id", m.int_attr(0)}}) == S{4, 2});
}

TEST_CASE("equal constants get one id; one that repeats one element is a splat") {
  Module m;
  const TypeId t = m.tensor(ElementType::I8, std::vector<std::int64_t>{3});
  const auto bytes = [](std::initializer_list<int> v) {
    std::vector<std::byte> b;
    for (int i : v) b.push_back(static_cast<std::byte>(i));
    return b;
  };
  const ConstantId a = m.own_constant(t, false, bytes({1, 2, 3}));
  CHECK(m.own_constant(t, false, bytes({1, 2, 3})) == a);
  const ConstantId splat = m.own_constant(t, false, bytes({5, 5, 5}));
  CHECK(m.constant(splat).splat);
  CHECK(m.constant(splat).bytes.size() == 1);
  CHECK(m.own_constant(t, true, bytes({5})) == splat);
}

}  // namespace openneuron::graph
