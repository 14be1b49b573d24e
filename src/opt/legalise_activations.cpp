// Products that are an activation function of the Scalar engine, as JAX and PyTorch spell them:
//   gelu_tanh   0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
//   gelu        0.5 x erfc(-x sqrt(1/2)),  0.5 x (1 + erf(x sqrt(1/2)))
//   silu        x logistic(x)
// The function is computed in fp32 and rounded once, where the spelled one rounds at each op: nearer to the real value.
// What else reads an inner value keeps it.
#include <array>
#include <cmath>

#include "num/convert.h"
#include "opt/legalise_rules.h"

namespace openneuron::opt::rules {
namespace {

using graph::OpKind;

// Factors of nested products: constants multiplied together, and up to five others.
struct Product {
  double constant = 1;
  std::array<ValueId, 5> factors;
  std::size_t count = 0;
};

class Matcher {
 public:
  explicit Matcher(const Visit& v) : v_(v), f_(v.old) {}

  bool is(ValueId x, OpKind kind) const {
    const OpId op = f_.definition(x);
    return op.valid() && f_.kind(op) == kind;
  }
  ValueId operand(ValueId x, std::size_t i) const { return f_.operand(f_.definition(x), i); }

  bool constant(ValueId x, double& out) const {
    while (is(x, OpKind::BroadcastInDim) || is(x, OpKind::Convert) || is(x, OpKind::Reshape)) x = operand(x, 0);
    const OpId op = f_.definition(x);
    if (!op.valid() || f_.kind(op) != OpKind::Constant) return false;
    const graph::Module& m = v_.out.module();
    const graph::Constant& c = m.constant(m.attribute(m.attr(f_, op, "value")).constant);
    const graph::Type& type = m.type(f_.type(x));
    if (!is_float(type.element) || !(c.splat || type.element_count() == 1)) return false;
    out = load_double(type.element, c.bytes.data(), 0);
    return true;
  }

  bool product(ValueId x, Product& p, int depth = 0) const {
    double number = 0;
    if (constant(x, number)) {
      p.constant *= number;
      return true;
    }
    if (is(x, OpKind::Multiply) && depth < 5) return product(operand(x, 0), p, depth + 1) && product(operand(x, 1), p, depth + 1);
    if (is(x, OpKind::Negate)) {
      p.constant = -p.constant;
      return product(operand(x, 0), p, depth + 1);
    }
    if (p.count == p.factors.size()) return false;
    p.factors[p.count++] = x;
    return true;
  }

  // x = number + other, in either order.
  bool sum_with(ValueId x, double number, ValueId& other) const {
    if (!is(x, OpKind::Add)) return false;
    for (std::size_t i : {std::size_t{0}, std::size_t{1}}) {
      double c = 0;
      other = operand(x, 1 - i);
      if (constant(operand(x, i), c) && c == number) return true;
    }
    return false;
  }

  // Constants are rounded to the program's type.
  bool near(double a, double b) const {
    const ElementType element = v_.out.module().type(v_.result_type()).element;
    const double unit = element == ElementType::F32 ? 1e-6 : element == ElementType::F16 ? 1e-3 : 8e-3;
    return std::abs(a - b) <= unit * std::abs(b);
  }

  // x times `constant` and nothing else.
  bool scaled(ValueId from, double by, ValueId x) const {
    Product p;
    return product(from, p) && p.count == 1 && p.factors[0] == x && near(p.constant, by);
  }

  // sqrt(2/pi) (x + 0.044715 x^3), or sqrt(2/pi) x (1 + 0.044715 x^2).
  bool tanh_argument(ValueId from, ValueId x) const {
    Product p;
    if (!product(from, p) || !near(p.constant, std::sqrt(2 / 3.14159265358979323846))) return false;
    const auto cube = [&](ValueId term, std::size_t power) {
      Product t;
      if (!product(term, t) || t.count != power || !near(t.constant, 0.044715)) return false;
      for (std::size_t i = 0; i < power; ++i)
        if (t.factors[i] != x) return false;
      return true;
    };
    if (p.count == 1 && is(p.factors[0], OpKind::Add)) {
      const ValueId a = operand(p.factors[0], 0), b = operand(p.factors[0], 1);
      return (a == x && cube(b, 3)) || (b == x && cube(a, 3));
    }
    if (p.count != 2) return false;
    for (std::size_t i : {std::size_t{0}, std::size_t{1}}) {
      ValueId square;
      if (p.factors[i] == x && sum_with(p.factors[1 - i], 1.0, square) && cube(square, 2)) return true;
    }
    return false;
  }

  // x * other * constant: the activation that it is; Constant when it is none.
  OpKind activation(ValueId x, ValueId other, double by) const {
    if (is(other, OpKind::Logistic) && by == 1 && operand(other, 0) == x) return OpKind::NeuronSilu;
    if (by != 0.5) return OpKind::Constant;
    if (is(other, OpKind::ChloErfc) && scaled(operand(other, 0), -std::sqrt(0.5), x)) return OpKind::NeuronGelu;
    ValueId inner;
    if (!sum_with(other, 1.0, inner)) return OpKind::Constant;
    if (is(inner, OpKind::ChloErf) && scaled(operand(inner, 0), std::sqrt(0.5), x)) return OpKind::NeuronGelu;
    if (is(inner, OpKind::Tanh) && tanh_argument(operand(inner, 0), x)) return OpKind::NeuronGeluTanh;
    return OpKind::Constant;
  }

 private:
  const Visit& v_;
  const graph::Function& f_;
};

}  // namespace

Result<bool> activation_product(Rewriter&, Visit& v) {
  const ElementType element = v.out.module().type(v.result_type()).element;
  if (element != ElementType::F32 && element != ElementType::BF16 && element != ElementType::F16) return false;
  const Matcher m(v);
  Product p;
  if (!m.product(v.old.result(v.op), p) || p.count != 2) return false;
  for (std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    const ValueId x = p.factors[i];
    const OpKind kind = m.activation(x, p.factors[1 - i], p.constant);
    if (kind == OpKind::Constant || v.old.type(x) != v.result_type()) continue;
    return v.replace(v.out.emit(kind, {v.map[x]}, v.result_type(), {}, v.location()));
  }
  return false;
}

}  // namespace openneuron::opt::rules
