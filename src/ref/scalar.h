// One element at a time: what each elementwise op of the graph level means for scalars. Tensors of elements and the
// scalar regions of reduce, sort, scatter and map go through the same function.
#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "graph/module.h"
#include "num/element_type.h"

namespace openneuron::ref {

/// A value of any element type: floats in `real`, complex in both floats, integers and booleans in `integer`
/// (sign- or zero-extended to 64 bits by the type; ui64 as its bits).
struct Scalar {
  double real = 0;
  double imaginary = 0;
  std::int64_t integer = 0;
};

enum class Direction : std::uint8_t { Equal, NotEqual, GreaterEqual, Greater, LessEqual, Less };

/// An elementwise op with its types and the attributes that decide its value.
struct ElementOp {
  graph::OpKind kind{};
  ElementType operand = ElementType::None;  ///< of the first operand that is data (not select's predicate)
  ElementType result = ElementType::None;
  Direction direction = Direction::Equal;   ///< compare
  bool total_order = false;                 ///< compare
  int exponent_bits = 0, mantissa_bits = 0; ///< reduce_precision
  bool round = false;                       ///< round a float result to its type
};

/// The ElementOp of `op`; none when the oracle has no scalar meaning for it.
std::optional<ElementOp> element_op(const graph::Module& module, const graph::Function& function, OpId op, bool round);

/// operands as the op has them: select's are predicate, on_true, on_false; clamp's are min, operand, max.
Scalar evaluate(const ElementOp& op, std::span<const Scalar> operands);

/// `evaluate` for operands of one type class, unrounded and unwrapped.
double evaluate_float(const ElementOp& op, std::span<const Scalar> operands);
std::int64_t evaluate_integer(const ElementOp& op, std::span<const Scalar> operands);
Scalar evaluate_complex(const ElementOp& op, std::span<const Scalar> operands);

/// Modulo 2^bits, then sign- or zero-extended; i1: value != 0.
std::int64_t wrap(ElementType type, std::int64_t value);
/// StableHLO convert of one element. Float results are rounded to `to` only when `round`.
Scalar convert_scalar(ElementType from, ElementType to, const Scalar& value, bool round);
/// Rounds float and complex values to `type`; others stay.
Scalar rounded(ElementType type, Scalar value);
/// Signed keys whose order is TOTALORDER of the doubles: -NaN < -inf < ... < -0 < +0 < ... < inf < NaN.
std::int64_t total_order_key(double value);
/// `a` before `b` in the natural order of the type (integers by signedness, floats in total order).
bool ordered_before(ElementType type, const Scalar& a, const Scalar& b);
/// The bits of an element in the low bits of the result, and back. Complex types are not covered.
std::uint64_t bits_of(ElementType type, const Scalar& value);
Scalar from_bits(ElementType type, std::uint64_t bits);
/// reduce_precision of a value of type `type`.
double reduce_precision(ElementType type, double value, int exponent_bits, int mantissa_bits);

}  // namespace openneuron::ref
