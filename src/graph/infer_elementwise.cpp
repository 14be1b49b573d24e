// Shape rules of elementwise ops. Constraints are those of the StableHLO specification's section of each op (chlo ops:
// ChloOps.td); the letters name element type classes as in Rule::element.
#include "graph/rule.h"

namespace openneuron::graph {
namespace {

// One operand, result of the same type: abs, negate, ... "operand and result have the same type".
bool unary(Rule& r, std::string_view classes) { return r.tensor(0) && r.element(0, classes) && r.result_like(0); }

// Two operands and a result of one type: add, ... "lhs, rhs and result have the same type".
bool binary(Rule& r, std::string_view classes) {
  return r.tensors() && r.element(0, classes) && r.same_element(0, 1) && r.same_shape(0, 1) && r.result_like(0);
}

}  // namespace

// abs: complex gives its magnitude's type.
bool infer_abs(Rule& r) {
  if (!r.tensor(0) || !r.element(0, "ifc")) return false;
  const Type& t = r.operand(0);
  if (!is_complex(t.element)) return r.result_like(0);
  return r.result(t.element == ElementType::C64 ? ElementType::F32 : ElementType::F64, t.shape);
}
bool infer_unary_float_complex(Rule& r) { return unary(r, "fc"); }
bool infer_unary_float(Rule& r) { return unary(r, "f"); }
bool infer_unary_signed(Rule& r) { return unary(r, "ifc"); }
bool infer_unary_number(Rule& r) { return unary(r, "iufc"); }
bool infer_unary_bits(Rule& r) { return unary(r, "biu"); }
bool infer_unary_integer(Rule& r) { return unary(r, "iu"); }
bool infer_binary_any(Rule& r) { return binary(r, "biufc"); }
bool infer_binary_number(Rule& r) { return binary(r, "iufc"); }
bool infer_binary_float_complex(Rule& r) { return binary(r, "fc"); }
bool infer_binary_float(Rule& r) { return binary(r, "f"); }
bool infer_binary_bits(Rule& r) { return binary(r, "biu"); }
bool infer_binary_integer(Rule& r) { return binary(r, "iu"); }

// is_finite, chlo.is_inf: a float gives i1.
bool infer_is_finite(Rule& r) {
  return r.tensor(0) && r.element(0, "f") && r.result(ElementType::I1, r.operand(0).shape);
}

// real, imag: "element_type(result) = complex_element_type if complex, else the operand's".
bool infer_real_imag(Rule& r) {
  if (!r.tensor(0) || !r.element(0, "fc")) return false;
  const ElementType e = r.operand(0).element;
  return r.result(e == ElementType::C64    ? ElementType::F32
                  : e == ElementType::C128 ? ElementType::F64
                                           : e,
                  r.operand(0).shape);
}

// convert: "shape(operand) = shape(result)".
bool infer_convert(Rule& r) {
  if (!r.tensor(0)) return false;
  const Type* result = r.stated_tensor();
  if (result == nullptr) return false;
  return shapes_agree(r.operand(0).shape, result->shape) ||
         r.fail(Code::GraphResult, "the result must have the operand's shape.");
}

// bitcast_convert: a change of width adds or drops a minor dimension that holds the ratio.
bool infer_bitcast_convert(Rule& r) {
  if (!r.tensor(0)) return false;
  const Type* result = r.stated_tensor();
  if (result == nullptr) return false;
  const Type& t = r.operand(0);
  if (t.kind == TypeKind::Quantized || result->kind == TypeKind::Quantized) return true;
  if (is_complex(t.element) != is_complex(result->element)) {
    return r.fail(Code::GraphResult, "either both types are complex or none.");
  }
  const int from = bit_width(t.element), to = bit_width(result->element);
  Shape shape = t.shape;
  if (from > to) {
    if (from % to != 0) return r.fail(Code::GraphResult, "one width must divide the other.");
    shape.push_back(from / to);
  } else if (from < to) {
    if (to % from != 0) return r.fail(Code::GraphResult, "one width must divide the other.");
    if (shape.empty() || !sizes_agree(shape.back(), to / from)) {
      return r.fail(Code::GraphOperands, "the operand's last dimension must be " + std::to_string(to / from) + ".");
    }
    shape.pop_back();
  }
  return shapes_agree(shape, result->shape) ||
         r.fail(Code::GraphResult, "the result must be " + show(r.module(), tensor_type(result->element, shape)) + ".");
}

// reduce_precision: "1 <= exponent_bits", "0 <= mantissa_bits".
bool infer_reduce_precision(Rule& r) {
  return r.tensor(0) && r.element(0, "f") &&
         r.require(r.integer("exponent_bits") >= 1, "'exponent_bits' must be 1 or more.") &&
         r.require(r.integer("mantissa_bits") >= 0, "'mantissa_bits' must be 0 or more.") && r.result_like(0);
}

// uniform_quantize, uniform_dequantize: shapes agree; the quantized element stands in the type.
bool infer_uniform_quantize(Rule& r) {
  if (!r.tensor(0)) return false;
  const Type* result = r.stated_tensor();
  if (result == nullptr) return false;
  if (result->kind != TypeKind::Quantized) return r.fail(Code::GraphResult, "the result must be quantized.");
  return shapes_agree(r.operand(0).shape, result->shape) ||
         r.fail(Code::GraphResult, "the result must have the operand's shape.");
}
bool infer_uniform_dequantize(Rule& r) {
  if (!r.operands_must(r.operand(0).kind == TypeKind::Quantized, "the operand must be quantized.")) return false;
  const Type* result = r.stated_tensor();
  if (result == nullptr) return false;
  if (result->kind != TypeKind::Tensor || !is_float(result->element))
    return r.fail(Code::GraphResult, "the result must be a tensor of floats.");
  return shapes_agree(r.operand(0).shape, result->shape) ||
         r.fail(Code::GraphResult, "the result must have the operand's shape.");
}

// optimization_barrier: "type(operand...) = type(result...)".
bool infer_optimization_barrier(Rule& r) {
  for (std::size_t i = 0; i < r.operand_count(); ++i) {
    if (!r.result_like(i)) return false;
  }
  return true;
}

// complex: f32 or f64 pairs.
bool infer_complex(Rule& r) {
  if (!r.tensors() || !r.same_element(0, 1) || !r.same_shape(0, 1)) return false;
  const ElementType e = r.operand(0).element;
  if (e != ElementType::F32 && e != ElementType::F64)
    return r.fail(Code::GraphOperands, "operands must be f32 or f64.");
  return r.result(e == ElementType::F32 ? ElementType::C64 : ElementType::C128, r.operand(0).shape);
}

// compare: operands of one type; the comparison type fits the element type.
bool infer_compare(Rule& r) {
  if (!r.tensors() || !r.same_element(0, 1) || !r.same_shape(0, 1)) return false;
  const std::string_view type = r.text("compare_type"), direction = r.text("comparison_direction");
  const TypeClass c = type_class(r.operand(0).element);
  if (r.operand(0).kind != TypeKind::Quantized) {
    bool fits = true;
    if (type == "SIGNED") fits = c == TypeClass::Signed;
    if (type == "UNSIGNED") fits = c == TypeClass::Unsigned || c == TypeClass::Bool;
    if (type == "FLOAT") fits = c == TypeClass::Float || c == TypeClass::Complex;
    if (type == "TOTALORDER") fits = c == TypeClass::Float;
    if (!fits)
      return r.fail(Code::GraphAttribute,
                    "'compare_type' " + std::string(type) + " does not fit " + show(r.module(), r.operand(0)) + ".");
    if (c == TypeClass::Complex && direction != "EQ" && direction != "NE") {
      return r.fail(Code::GraphAttribute, "complex numbers compare by EQ and NE only.");
    }
  }
  return r.result(ElementType::I1, r.operand(0).shape);
}

// select: "rank(pred) = 0 or shape(pred) = shape(on_true)"; on_true, on_false and result have one type.
bool infer_select(Rule& r) {
  if (!r.tensors() || !r.element(0, "b") || !r.same_element(1, 2) || !r.same_shape(1, 2)) return false;
  if (r.operand(0).rank() != 0 && !r.same_shape(0, 1)) return false;
  return r.result_like(1);
}

// clamp: "rank(min) = 0 or shape(min) = shape(operand)", max alike; one element type.
bool infer_clamp(Rule& r) {
  if (!r.tensors() || !r.element(1, "biufc") || !r.same_element(0, 1) || !r.same_element(1, 2)) return false;
  for (std::size_t bound : {std::size_t{0}, std::size_t{2}}) {
    if (r.operand(bound).rank() != 0 && !r.same_shape(bound, 1)) return false;
  }
  return r.result_like(1);
}

// map: "dimensions = range(rank(inputs[0]))"; computation takes scalars of the inputs and returns one.
bool infer_map(Rule& r) {
  if (!r.tensors()) return false;
  std::vector<Type> arguments;
  for (std::size_t i = 0; i < r.operand_count(); ++i) {
    if (!r.same_shape(0, i)) return false;
    arguments.push_back(scalar_of(r.operand(i)));
  }
  const auto dimensions = r.ints("dimensions");
  bool all = dimensions.size() == r.operand(0).shape.size();
  for (std::size_t i = 0; all && i < dimensions.size(); ++i) all = dimensions[i] == static_cast<std::int64_t>(i);
  if (!r.require(all, "'dimensions' must be all dimensions in order.") || !r.region_arguments(0, arguments))
    return false;
  const std::vector<Type> returned = r.region_results(0);
  if (returned.size() != 1 || returned[0].rank() != 0)
    return r.fail(Code::GraphRegion, "the computation must return one scalar.");
  Type result = returned[0];
  result.shape = r.operand(0).shape;
  return r.result_type(result);
}

// chlo.constant_like: the operand's shape, the value's type.
bool infer_constant_like(Rule& r) {
  const AttrId value = r.attribute("value");
  if (!r.tensor(0) || !value.valid()) return r.fail(Code::GraphAttribute, "'value' is missing.");
  const ElementType e = r.module().attribute(value).element;
  return r.require(e == r.operand(0).element || r.module().attribute(value).kind == AttrKind::Array,
                   "'value' must have the operand's element type.") &&
         r.result_like(0);
}

// sdy.sharding_constraint, sdy.reshard.
bool infer_same_type(Rule& r) { return r.result_like(0); }

}  // namespace openneuron::graph
