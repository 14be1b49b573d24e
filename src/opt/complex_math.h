// Functions of complex numbers as formulas over their parts.
#pragma once
#include "opt/formula.h"
#include "opt/planes.h"

namespace openneuron::opt {

class ComplexMath {
 public:
  explicit ComplexMath(Formula& f) : f_(f) {}

  Planes add(const Planes& a, const Planes& b);
  Planes subtract(const Planes& a, const Planes& b);
  Planes multiply(const Planes& a, const Planes& b);
  Planes divide(const Planes& a, const Planes& b);
  Planes negate(const Planes& a);
  Planes scale(const Planes& a, double by);
  Planes times_i(const Planes& a);        ///< i a
  Planes over_i(const Planes& a);         ///< -i a
  ValueId magnitude(const Planes& a);
  Planes sign(const Planes& a);
  Planes exp(const Planes& a);
  Planes expm1(const Planes& a);
  Planes log(const Planes& a);
  Planes log1p(const Planes& a);
  Planes sqrt(const Planes& a);
  Planes rsqrt(const Planes& a);
  Planes power(const Planes& a, const Planes& b);
  Planes tanh(const Planes& a);
  Planes logistic(const Planes& a);
  Planes sinh(const Planes& a);
  Planes cosh(const Planes& a);
  Planes asinh(const Planes& a);
  Planes acosh(const Planes& a);
  Planes atanh(const Planes& a);
  Planes real(const Planes& like, double x);

 private:
  Planes choose(const Term& condition, const Planes& a, const Planes& b);
  Formula& f_;
};

}  // namespace openneuron::opt
