// Generators of elementwise ops and data movement.
#include "graph/random_builder.h"

namespace openneuron::graph::test {
namespace {

// The class of operand of elementwise ops, by the specification.
E element_for(Builder& b, OpKind kind) {
  switch (kind) {
    case OpKind::Abs: return b.pick({E::I32, E::F32, E::BF16, E::C64});
    case OpKind::Sign: return b.pick({E::I8, E::I64, E::F32, E::C128});
    case OpKind::Ceil:
    case OpKind::Floor:
    case OpKind::RoundNearestAfz:
    case OpKind::RoundNearestEven:
    case OpKind::IsFinite:
    case OpKind::NeuronGelu:
    case OpKind::NeuronGeluTanh:
    case OpKind::NeuronSilu:
    case OpKind::ChloErf:
    case OpKind::ChloErfc:
    case OpKind::ChloErfInv:
    case OpKind::ChloLgamma:
    case OpKind::ChloDigamma:
    case OpKind::ChloBesselI1e:
    case OpKind::ChloIsInf:
    case OpKind::ChloIsNegInf:
    case OpKind::ChloIsPosInf:
    case OpKind::ChloNextAfter:
    case OpKind::ChloPolygamma:
    case OpKind::ChloZeta: return b.pick({E::F32, E::F64, E::BF16, E::F16});
    case OpKind::Not:
    case OpKind::And:
    case OpKind::Or:
    case OpKind::Xor: return b.coin() ? E::I1 : b.any_integer();
    case OpKind::Popcnt:
    case OpKind::CountLeadingZeros:
    case OpKind::ShiftLeft:
    case OpKind::ShiftRightLogical:
    case OpKind::ShiftRightArithmetic: return b.any_integer();
    case OpKind::ChloMulhi: return b.pick({E::I32, E::U32, E::I8, E::U64});
    case OpKind::Add:
    case OpKind::Multiply: return b.any();
    case OpKind::Maximum:
    case OpKind::Minimum: return b.any();
    case OpKind::Negate:
    case OpKind::Subtract:
    case OpKind::Divide:
    case OpKind::Power:
    case OpKind::Remainder: return b.number();
    case OpKind::ChloSquare:
    case OpKind::ChloConj: return b.float_or_complex();
    default: return b.coin() ? b.pick({E::F32, E::F64, E::BF16, E::F16}) : b.any_complex();
  }
}

}  // namespace

bool build_data_op(Builder& b, OpKind kind, Module& out) {
  const OpInfo& info = op_info(kind);
  const Shape s = b.shape();
  switch (kind) {
    case OpKind::Real:
    case OpKind::Imag: out = b.finish(kind, {b.input(b.pick({E::C64, E::C128, E::F32}), s)}); return true;
    case OpKind::Convert: out = b.finish(kind, {b.input(b.any(), s)}, {}, {b.type(b.any(), s)}); return true;
    case OpKind::BitcastConvert: {
      Shape wide = s;
      wide.push_back(4);
      if (b.coin())
        out = b.finish(kind, {b.input(E::U8, wide)}, {}, {b.type(E::F32, s)});
      else
        out = b.finish(kind, {b.input(E::I32, s)}, {}, {b.type(E::I8, wide)});
      return true;
    }
    case OpKind::ReducePrecision:
      out = b.finish(kind, {b.input(b.pick({E::F32, E::F16}), s)},
                     {{"exponent_bits", b.m.int_attr(b.between(1, 8), E::I32)},
                      {"mantissa_bits", b.m.int_attr(b.between(0, 10), E::I32)}});
      return true;
    case OpKind::UniformQuantize:
    case OpKind::UniformDequantize: {
      Type q;
      q.kind = TypeKind::Quantized;
      q.element = E::I8;
      q.shape = s;
      q.text = "!quant.uniform<i8:f32, 1.000000e-01:3>";
      const TypeId quantized = b.m.intern(std::move(q)), real = b.type(E::F32, s);
      if (kind == OpKind::UniformQuantize)
        out = b.finish(kind, {b.input(real)}, {}, {quantized});
      else
        out = b.finish(kind, {b.input(quantized)}, {}, {real});
      return true;
    }
    case OpKind::OptimizationBarrier: {
      std::vector<ValueId> v;
      for (std::int64_t i = b.between(1, 3); i > 0; --i)
        v.push_back(b.coin() ? b.input(b.any(), b.shape()) : b.input(b.token()));
      out = b.finish(kind, v);
      return true;
    }
    case OpKind::Complex: {
      const TypeId t = b.type(b.pick({E::F32, E::F64}), s);
      out = b.finish(kind, {b.input(t), b.input(t)});
      return true;
    }
    case OpKind::Compare: {
      const E e = b.pick({E::F32, E::BF16, E::I32, E::U8, E::I1, E::C64});
      const char* type = e == E::I32 ? "SIGNED" : e == E::U8 || e == E::I1 ? "UNSIGNED" : "FLOAT";
      if (e == E::F32 && b.coin()) type = "TOTALORDER";
      if (b.coin()) type = "NOTYPE";
      const char* direction = e == E::C64 ? "NE" : b.pick({"EQ", "NE", "GE", "GT", "LE", "LT"});
      out = b.finish(kind, {b.input(e, s), b.input(e, s)},
                     {{"comparison_direction", b.keyword("comparison_direction", direction)},
                      {"compare_type", b.keyword("comparison_type", type)}});
      return true;
    }
    case OpKind::Select: {
      const TypeId t = b.type(b.any(), s);
      out = b.finish(kind, {b.input(E::I1, b.coin() ? s : Shape{}), b.input(t), b.input(t)});
      return true;
    }
    case OpKind::Clamp: {
      const E e = b.pick({E::F32, E::I8, E::U64, E::BF16});
      out = b.finish(kind, {b.input(e, b.coin() ? s : Shape{}), b.input(e, s), b.input(e, b.coin() ? s : Shape{})});
      return true;
    }
    case OpKind::Constant:
    case OpKind::ChloConstant: {
      const TypeId t = b.type(b.any(), b.between(0, 5) == 0 ? Shape{7, 31} : s);
      out = b.finish(kind, {}, {{"value", b.literal(t)}});
      return true;
    }
    case OpKind::ChloConstantLike:
      out = b.finish(kind, {b.input(E::F32, s)}, {{"value", b.m.float_attr(b.between(-9, 9) / 3.0, E::F32)}});
      return true;
    case OpKind::Iota:
    case OpKind::DynamicIota: {
      const Shape shape = b.shape(1);
      const TypeId t = b.type(b.number(), shape);
      const NamedAttributes a = {
          {"iota_dimension", b.integer(b.between(0, static_cast<std::int64_t>(shape.size()) - 1))}};
      if (kind == OpKind::Iota)
        out = b.finish(kind, {}, a, {t});
      else
        out = b.finish(kind, {b.input(E::I64, {static_cast<std::int64_t>(shape.size())})}, a, {t});
      return true;
    }
    case OpKind::BroadcastInDim:
    case OpKind::DynamicBroadcastInDim: {
      const Shape result = b.shape(0, 5), dims = b.subset(result.size());
      Shape operand;
      for (std::int64_t d : dims) operand.push_back(b.coin() ? result[static_cast<std::size_t>(d)] : 1);
      const E e = b.any();
      std::vector<ValueId> v = {b.input(e, operand)};
      NamedAttributes a = {{"broadcast_dimensions", b.ints(dims)}};
      if (kind == OpKind::DynamicBroadcastInDim) {
        v.push_back(b.input(E::I32, {static_cast<std::int64_t>(result.size())}));
        if (!dims.empty() && b.coin()) a.emplace_back("known_expanding_dimensions", b.ints({0}));
      }
      out = b.finish(kind, v, a, {b.type(e, result)});
      return true;
    }
    case OpKind::Broadcast:
      out = b.finish(kind, {b.input(b.any(), s)}, {{"broadcast_sizes", b.ints(b.shape(0, 2))}});
      return true;
    case OpKind::Reshape:
    case OpKind::DynamicReshape: {
      Shape to = s;
      std::shuffle(to.begin(), to.end(), b.random);
      if (b.coin()) to.push_back(1);
      const E e = b.any();
      std::vector<ValueId> v = {b.input(e, s)};
      if (kind == OpKind::DynamicReshape) v.push_back(b.input(E::I64, {static_cast<std::int64_t>(to.size())}));
      out = b.finish(kind, v, {}, {b.type(e, to)});
      return true;
    }
    case OpKind::Transpose:
      out = b.finish(kind, {b.input(b.any(), s)}, {{"permutation", b.ints(b.permutation(s.size()))}});
      return true;
    case OpKind::Reverse:
      out = b.finish(kind, {b.input(b.any(), s)}, {{"dimensions", b.ints(b.subset(s.size()))}});
      return true;
    case OpKind::Slice: {
      Shape starts, limits, strides;
      for (std::int64_t d : s) {
        starts.push_back(b.between(0, d));
        limits.push_back(b.between(starts.back(), d));
        strides.push_back(b.between(1, 3));
      }
      out = b.finish(
          kind, {b.input(b.any(), s)},
          {{"start_indices", b.ints(starts)}, {"limit_indices", b.ints(limits)}, {"strides", b.ints(strides)}});
      return true;
    }
    case OpKind::Concatenate: {
      const Shape base = b.shape(1);
      const std::size_t d = static_cast<std::size_t>(b.between(0, static_cast<std::int64_t>(base.size()) - 1));
      const E e = b.any();
      std::vector<ValueId> v;
      for (std::int64_t i = b.between(1, 3); i > 0; --i) {
        Shape part = base;
        part[d] = b.between(0, 4);
        v.push_back(b.input(e, part));
      }
      out = b.finish(kind, v, {{"dimension", b.integer(static_cast<std::int64_t>(d))}});
      return true;
    }
    case OpKind::Pad: {
      Shape low, high, interior;
      for (std::int64_t d : s) {
        low.push_back(b.between(-(d / 2), 3));
        high.push_back(b.between(-(d / 2), 3));
        interior.push_back(b.between(0, 2));
      }
      const E e = b.any();
      out = b.finish(kind, {b.input(e, s), b.input(e)},
                     {{"edge_padding_low", b.ints(low)},
                      {"edge_padding_high", b.ints(high)},
                      {"interior_padding", b.ints(interior)}});
      return true;
    }
    case OpKind::DynamicPad:
    case OpKind::RealDynamicSlice: {
      const E e = b.any();
      const TypeId sizes = b.type(E::I32, {static_cast<std::int64_t>(s.size())});
      std::vector<ValueId> v = {b.input(e, s)};
      if (kind == OpKind::DynamicPad) v.push_back(b.input(e));
      for (int i = 0; i < 3; ++i) v.push_back(b.input(sizes));
      out = b.finish(kind, v, {}, {b.type(e, Shape(s.size(), kDynamic))});
      return true;
    }
    case OpKind::DynamicSlice:
    case OpKind::DynamicUpdateSlice: {
      const E e = b.any();
      Shape sizes;
      for (std::int64_t d : s) sizes.push_back(b.between(0, d));
      std::vector<ValueId> v = {b.input(e, s)};
      NamedAttributes a;
      if (kind == OpKind::DynamicSlice)
        a = {{"slice_sizes", b.ints(sizes)}};
      else
        v.push_back(b.input(e, sizes));
      const TypeId index = b.type(b.pick({E::I32, E::I64, E::U32}));
      for (std::size_t i = 0; i < s.size(); ++i) v.push_back(b.input(index));
      out = b.finish(kind, v, a);
      return true;
    }
    case OpKind::GetDimensionSize:
    case OpKind::SetDimensionSize: {
      const Shape shape = b.shape(1);
      std::vector<ValueId> v = {b.input(b.any(), shape)};
      if (kind == OpKind::SetDimensionSize) v.push_back(b.input(E::I32));
      out = b.finish(kind, v, {{"dimension", b.integer(b.between(0, static_cast<std::int64_t>(shape.size()) - 1))}});
      return true;
    }
    case OpKind::UnrealizedConversionCast:
      out = b.finish(kind, {b.input(E::F32, {4})}, {}, {b.type(E::F32, {2, 2})});
      return true;
    case OpKind::SdyShardingConstraint:
    case OpKind::SdyReshard:
      out = b.finish(kind, {b.input(b.any(), {2, 3})},
                     {{"sharding", b.m.opaque_attr("#sdy.sharding<@mesh, [{\"x\"}, {?}]>")}});
      out.extra_ops.push_back("sdy.mesh @mesh = <[\"x\"=2]>");
      return true;
    default: break;
  }
  if (info.form == OpForm::Elementwise && info.has(kElementwise) && info.operands.max >= 1 && info.operands.max <= 2) {
    const TypeId t = b.type(element_for(b, kind), s);
    NamedAttributes a;
    if (info.attribute("result_accuracy") != nullptr && b.coin()) {
      a.emplace_back("result_accuracy", b.m.dictionary({{"atol", b.m.float_attr(0.25)},
                                                        {"rtol", b.m.float_attr(0)},
                                                        {"ulps", b.integer(3)},
                                                        {"mode", b.keyword("result_accuracy_mode", "TOLERANCE")}}));
    }
    std::vector<ValueId> v;
    for (int i = 0; i < info.operands.max; ++i) v.push_back(b.input(t));
    out = b.finish(kind, v, a);
    return true;
  }
  return false;
}

}  // namespace openneuron::graph::test
