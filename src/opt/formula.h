// Elementwise arithmetic written as formulas. A formula is a tree until it is used as a value: then its ops are emitted
// from left to right, so that the program does not depend on the order in which a compiler evaluates arguments.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "opt/rewrite.h"

namespace openneuron::opt {

class Formula;

/// A value of the new function, or a node of a Formula that has not been emitted. Becomes a value where one is needed.
class Term {
 public:
  Term(ValueId value) : value_(value) {}  // NOLINT: a value is a term
  operator ValueId() const;               // NOLINT: emits

 private:
  friend class Formula;
  Term(Formula& formula, std::uint32_t node) : formula_(&formula), node_(node) {}
  Formula* formula_ = nullptr;
  std::uint32_t node_ = 0;
  ValueId value_;
};

/// Formulas over values of one shape, at the place of the visited op. Numbers in the text of a formula become splats of
/// the other operand's type.
class Formula {
 public:
  explicit Formula(Visit& visit) : v_(visit) {}

  ElementType element(const Term& x) const { return v_.out.module().type(type(x)).element; }
  Term splat(const Term& like, double number) { return constant(type(like), number); }
  Term op(graph::OpKind kind, const Term& x) { return node(kind, type(x), {}, {x}); }
  Term op(graph::OpKind kind, const Term& x, const Term& y) { return node(kind, type(x), {}, {x, y}); }
  Term op(graph::OpKind kind, const Term& x, double y) { return op(kind, x, splat(x, y)); }
  Term op(graph::OpKind kind, double x, const Term& y) { return op(kind, splat(y, x), y); }

  template <class A, class B> Term add(const A& a, const B& b) { return op(graph::OpKind::Add, a, b); }
  template <class A, class B> Term sub(const A& a, const B& b) { return op(graph::OpKind::Subtract, a, b); }
  template <class A, class B> Term mul(const A& a, const B& b) { return op(graph::OpKind::Multiply, a, b); }
  template <class A, class B> Term div(const A& a, const B& b) { return op(graph::OpKind::Divide, a, b); }
  template <class A, class B> Term max(const A& a, const B& b) { return op(graph::OpKind::Maximum, a, b); }
  template <class A, class B> Term min(const A& a, const B& b) { return op(graph::OpKind::Minimum, a, b); }
  template <class A, class B> Term bit_and(const A& a, const B& b) { return op(graph::OpKind::And, a, b); }
  template <class A, class B> Term bit_or(const A& a, const B& b) { return op(graph::OpKind::Or, a, b); }
  template <class A, class B> Term bit_xor(const A& a, const B& b) { return op(graph::OpKind::Xor, a, b); }
  template <class A, class B> Term left(const A& a, const B& b) { return op(graph::OpKind::ShiftLeft, a, b); }
  template <class A, class B> Term right(const A& a, const B& b) { return op(graph::OpKind::ShiftRightLogical, a, b); }
  Term abs(const Term& x) { return op(graph::OpKind::Abs, x); }
  Term neg(const Term& x) { return op(graph::OpKind::Negate, x); }
  Term exp(const Term& x) { return op(graph::OpKind::Exponential, x); }
  Term log(const Term& x) { return op(graph::OpKind::Log, x); }
  Term sqrt(const Term& x) { return op(graph::OpKind::Sqrt, x); }

  /// x `direction` y, IEEE for floats, by sign for integers.
  Term compare(const Term& x, std::string_view direction, const Term& y);
  Term compare(const Term& x, std::string_view direction, double y) { return compare(x, direction, splat(x, y)); }
  Term select(const Term& condition, const Term& x, const Term& y);
  Term select(const Term& condition, const Term& x, double y) { return select(condition, x, splat(x, y)); }
  Term select(const Term& condition, double x, const Term& y) { return select(condition, splat(y, x), y); }
  /// c[0] + c[1] x + ...
  Term polynomial(const Term& x, std::span<const double> coefficients);
  Term polynomial(const Term& x, std::initializer_list<double> c) { return polynomial(x, std::span(c.begin(), c.size())); }
  Term to(const Term& x, ElementType element);  ///< integers of one width keep their bits, and nothing moves
  /// The bits of x read as another type of the same width.
  Term bits(const Term& x, ElementType element);
  /// The magnitude of x with the sign bit of `sign`; both of one float type.
  Term with_sign(const Term& x, const Term& sign);
  /// The upper 32 bits of the product of two 32-bit integers, both signed or both unsigned.
  Term high_product(const Term& x, const Term& y);

 private:
  friend class Term;
  struct Node {
    graph::OpKind kind;
    TypeId type;
    AttrId attributes;
    std::vector<Term> operands;
    double number = 0;  ///< Constant
    ValueId emitted;
  };
  TypeId type(const Term& x) const { return x.formula_ ? x.formula_->nodes_[x.node_].type : v_.out.function().type(x.value_); }
  Term constant(TypeId type, double number);
  Term node(graph::OpKind kind, TypeId type, AttrId attributes, std::vector<Term> operands);
  ValueId emit(std::uint32_t node);

  Visit& v_;
  std::vector<Node> nodes_;
};

/// The unsigned and the signed integer of a width of 8, 16, 32.
ElementType unsigned_of(int bits);
ElementType signed_of(int bits);

}  // namespace openneuron::opt
