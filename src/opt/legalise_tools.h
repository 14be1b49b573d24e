// What the rules of legalise share: small emitters on the builder of a visit.
#pragma once
#include <cstdint>
#include <vector>

#include "opt/rewrite.h"

namespace openneuron::opt {

/// The type of `type`'s shape with another element.
TypeId with_element(graph::Module& module, TypeId type, ElementType element);
/// `value` as broadcast_in_dim to `to`; itself when it has that type.
ValueId broadcast(Visit& visit, ValueId value, TypeId to, std::span<const std::int64_t> dims = {});
ValueId convert(Visit& visit, ValueId value, ElementType to);

/// Elementwise arithmetic on values of one shape, as ops at the place of the visited op. Scalars in the text of a formula
/// become splats of the other operand's type.
class Formula {
 public:
  explicit Formula(Visit& visit) : v_(visit) {}

  ElementType element(ValueId x) const { return v_.out.type(x).element; }
  ValueId splat(ValueId like, double number) { return v_.out.constant(v_.out.function().type(like), number, v_.location()); }
  ValueId op(graph::OpKind kind, ValueId x) { return v_.out.emit(kind, {x}, type(x), {}, v_.location()); }
  ValueId op(graph::OpKind kind, ValueId x, ValueId y) { return v_.out.emit(kind, {x, y}, type(x), {}, v_.location()); }
  ValueId op(graph::OpKind kind, ValueId x, double y) { return op(kind, x, splat(x, y)); }
  ValueId op(graph::OpKind kind, double x, ValueId y) { return op(kind, splat(y, x), y); }

  template <class A, class B> ValueId add(A a, B b) { return op(graph::OpKind::Add, a, b); }
  template <class A, class B> ValueId sub(A a, B b) { return op(graph::OpKind::Subtract, a, b); }
  template <class A, class B> ValueId mul(A a, B b) { return op(graph::OpKind::Multiply, a, b); }
  template <class A, class B> ValueId div(A a, B b) { return op(graph::OpKind::Divide, a, b); }
  template <class A, class B> ValueId max(A a, B b) { return op(graph::OpKind::Maximum, a, b); }
  template <class A, class B> ValueId min(A a, B b) { return op(graph::OpKind::Minimum, a, b); }
  template <class A, class B> ValueId bit_and(A a, B b) { return op(graph::OpKind::And, a, b); }
  template <class A, class B> ValueId bit_or(A a, B b) { return op(graph::OpKind::Or, a, b); }
  template <class A, class B> ValueId bit_xor(A a, B b) { return op(graph::OpKind::Xor, a, b); }
  template <class A, class B> ValueId left(A a, B b) { return op(graph::OpKind::ShiftLeft, a, b); }
  template <class A, class B> ValueId right(A a, B b) { return op(graph::OpKind::ShiftRightLogical, a, b); }
  ValueId abs(ValueId x) { return op(graph::OpKind::Abs, x); }
  ValueId neg(ValueId x) { return op(graph::OpKind::Negate, x); }
  ValueId exp(ValueId x) { return op(graph::OpKind::Exponential, x); }
  ValueId log(ValueId x) { return op(graph::OpKind::Log, x); }
  ValueId sqrt(ValueId x) { return op(graph::OpKind::Sqrt, x); }

  /// x `direction` y, IEEE for floats, by sign for integers.
  ValueId compare(ValueId x, std::string_view direction, ValueId y);
  ValueId compare(ValueId x, std::string_view direction, double y) { return compare(x, direction, splat(x, y)); }
  ValueId select(ValueId condition, ValueId x, ValueId y);
  ValueId select(ValueId condition, ValueId x, double y) { return select(condition, x, splat(x, y)); }
  ValueId select(ValueId condition, double x, ValueId y) { return select(condition, splat(y, x), y); }
  /// c[0] + c[1] x + ...
  ValueId polynomial(ValueId x, std::span<const double> coefficients);
  ValueId polynomial(ValueId x, std::initializer_list<double> c) { return polynomial(x, std::span(c.begin(), c.size())); }
  ValueId to(ValueId x, ElementType element);  ///< integers of one width keep their bits, and nothing moves
  /// The bits of x read as another type of the same width.
  ValueId bits(ValueId x, ElementType element);
  /// The magnitude of x with the sign bit of `sign`; both of one float type.
  ValueId with_sign(ValueId x, ValueId sign);

 private:
  TypeId type(ValueId x) const { return v_.out.function().type(x); }
  Visit& v_;
};

/// The upper 32 bits of the product of two 32-bit integers, both signed or both unsigned.
ValueId high_product(Formula& f, ValueId x, ValueId y);

/// The unsigned and the signed integer of a width of 8, 16, 32.
ElementType unsigned_of(int bits);
ElementType signed_of(int bits);

/// The op of a region of the form (a, b) -> op(a, b) or op(b, a); false when it has another form.
bool single_op_region(const graph::Function& region, graph::OpKind& kind);
bool reduces(graph::OpKind kind);  ///< the engines reduce with it
/// What a reduction with `kind` starts from: add, multiply, maximum, minimum, and, or, xor.
Splat identity_of(graph::OpKind kind, ElementType element);
/// Whether reducing with `kind` from `value` starts from the identity; false for ops that do not reduce.
bool is_identity(graph::OpKind kind, const Splat& value);

}  // namespace openneuron::opt
