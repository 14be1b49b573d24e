#include "opt/split_complex.h"

#include <cmath>

#include "opt/complex_math.h"
#include "opt/fourier.h"
#include "opt/legalise_tools.h"
#include "opt/moves.h"

namespace openneuron::opt {

using graph::OpKind;

namespace {

Planes chosen(Visit& v, ValueId condition, const Planes& a, const Planes& b) {
  Formula f(v);
  const ValueId low = f.select(condition, a.low, b.low);
  return {low, f.select(condition, a.high, b.high), UINT64_MAX, {}};
}

class ComplexSplitter : public PlaneSplitter {
 protected:
  ElementType part_of(ElementType e) const override { return e == ElementType::C64 ? ElementType::F32 : ElementType::None; }
  const char* name() const override { return "complex numbers"; }
  Result<bool> compute(Visit& v) override;

 private:
  Planes split(Visit& v);
  Planes function(Visit& v, const Planes& a);
  Planes contract(Visit& v);
  ValueId before(Visit& v, const Planes& a, const Planes& b);
  Planes clamp(Visit& v);
  ValueId narrow(Visit& v);
};

Result<bool> ComplexSplitter::compute(Visit& v) {
  if (v.old.results(v.op).size() != 1) return false;
  if (v.kind() == OpKind::Fft) {
    const bool real_input = !inputs_[0];
    const Planes in = real_input ? Planes{v.operands[0], {}, UINT64_MAX, {}} : *inputs_[0];
    if (v.out.type(in.low).element != ElementType::F32) return false;
    const Planes made = fourier(v, in);
    if (!made.low.valid()) return false;
    return made.high.valid() ? replace(v, made) : v.replace(made.low);
  }
  if (wide(v, v.old.result(v.op)) == ElementType::None) {
    const ValueId made = narrow(v);
    return made.valid() && v.replace(made);
  }
  const Planes made = split(v);
  return made.low.valid() && replace(v, made);
}

Planes ComplexSplitter::split(Visit& v) {
  Formula f(v);
  ComplexMath math(f);
  switch (v.kind()) {
    case OpKind::Complex:
      if (v.out.type(v.operands[0]).element != ElementType::F32) return {};
      return {v.operands[0], v.operands[1], UINT64_MAX, {}};
    case OpKind::Convert: {
      if (inputs_[0]) return *inputs_[0];
      const ElementType from = v.out.type(v.operands[0]).element;
      if (is_complex(from) || byte_width(from) > 4) return {};
      const ValueId real = f.to(v.operands[0], ElementType::F32);
      return {real, f.splat(real, 0), UINT64_MAX, {}};
    }
    case OpKind::Iota: {
      const ValueId real = v.out.emit(OpKind::Iota, {}, type(v, ElementType::F32), v.old.attributes_of(v.op), v.location());
      return {real, f.splat(real, 0), UINT64_MAX, {}};
    }
    case OpKind::Add: return math.add(*inputs_[0], *inputs_[1]);
    case OpKind::Subtract: return math.subtract(*inputs_[0], *inputs_[1]);
    case OpKind::Multiply: return math.multiply(*inputs_[0], *inputs_[1]);
    case OpKind::Divide: return math.divide(*inputs_[0], *inputs_[1]);
    case OpKind::Power: return math.power(*inputs_[0], *inputs_[1]);
    case OpKind::Maximum: return chosen(v, before(v, *inputs_[0], *inputs_[1]), *inputs_[1], *inputs_[0]);
    case OpKind::Minimum: return chosen(v, before(v, *inputs_[1], *inputs_[0]), *inputs_[1], *inputs_[0]);
    case OpKind::Clamp: return clamp(v);
    case OpKind::DotGeneral:
    case OpKind::Convolution: return inputs_[0] && inputs_[1] ? contract(v) : Planes();
    default: return inputs_.size() == 1 ? function(v, *inputs_[0]) : Planes();
  }
}

Planes ComplexSplitter::function(Visit& v, const Planes& a) {
  Formula f(v);
  ComplexMath math(f);
  switch (v.kind()) {
    case OpKind::Negate: return math.negate(a);
    case OpKind::ChloConj: return {a.low, f.neg(a.high), UINT64_MAX, {}};
    case OpKind::ChloSquare: return math.multiply(a, a);
    case OpKind::Sign: return math.sign(a);
    case OpKind::Exponential: return math.exp(a);
    case OpKind::ExponentialMinusOne: return math.expm1(a);
    case OpKind::Log: return math.log(a);
    case OpKind::LogPlusOne: return math.log1p(a);
    case OpKind::Sqrt: return math.sqrt(a);
    case OpKind::Rsqrt: return math.rsqrt(a);
    case OpKind::Tanh: return math.tanh(a);
    case OpKind::Logistic: return math.logistic(a);
    case OpKind::Sine: return math.over_i(math.sinh(math.times_i(a)));
    case OpKind::Cosine: return math.cosh(math.times_i(a));
    case OpKind::Tan: return math.over_i(math.tanh(math.times_i(a)));
    case OpKind::ChloSinh: return math.sinh(a);
    case OpKind::ChloCosh: return math.cosh(a);
    case OpKind::ChloAsinh: return math.asinh(a);
    case OpKind::ChloAcosh: return math.acosh(a);
    case OpKind::ChloAtanh: return math.atanh(a);
    case OpKind::ChloAsin: return math.over_i(math.asinh(math.times_i(a)));
    case OpKind::ChloAtan: return math.over_i(math.atanh(math.times_i(a)));
    case OpKind::ChloAcos: {
      const Planes angle = math.over_i(math.asinh(math.times_i(a)));
      constexpr double kHalfPi = 1.57079632679489661923;
      return math.subtract(math.real(a, kHalfPi), angle);
    }
    default: return {};
  }
}

// By the real part, then the imaginary one.
ValueId ComplexSplitter::before(Visit& v, const Planes& a, const Planes& b) {
  Formula f(v);
  const ValueId less = f.compare(a.low, "LT", b.low), same = f.compare(a.low, "EQ", b.low);
  const ValueId tie = f.bit_and(same, f.compare(a.high, "LT", b.high));
  return f.bit_or(less, tie);
}

Planes ComplexSplitter::clamp(Visit& v) {
  Moves moves(v);
  const auto whole = [&](const Planes& x) {
    if (moves.shape(x.low) == shape_) return x;
    const ValueId low = moves.broadcast(x.low, shape_, {});
    return Planes{low, moves.broadcast(x.high, shape_, {}), UINT64_MAX, {}};
  };
  const Planes low = whole(*inputs_[0]), high = whole(*inputs_[2]);
  const Planes raised = chosen(v, before(v, *inputs_[1], low), low, *inputs_[1]);
  return chosen(v, before(v, high, raised), high, raised);
}

// Four real contractions.
Planes ComplexSplitter::contract(Visit& v) {
  const Planes a = *inputs_[0], b = *inputs_[1];
  const auto part = [&](ValueId x, ValueId y) {
    return v.out.emit(v.kind(), {x, y}, type(v, ElementType::F32), v.old.attributes_of(v.op), v.location());
  };
  Formula f(v);
  const ValueId plus = part(a.low, b.low), minus = part(a.high, b.high);
  const ValueId first = part(a.low, b.high), second = part(a.high, b.low);
  const ValueId low = f.sub(plus, minus);
  return {low, f.add(first, second), UINT64_MAX, {}};
}

ValueId ComplexSplitter::narrow(Visit& v) {
  if (inputs_.empty() || !inputs_[0]) return {};
  const Planes& a = *inputs_[0];
  Formula f(v);
  switch (v.kind()) {
    case OpKind::Real: return a.low;
    case OpKind::Imag: return a.high;
    case OpKind::Abs: return ComplexMath(f).magnitude(a);
    case OpKind::Convert: {
      const ElementType to = v.out.module().type(v.result_type()).element;
      if (byte_width(to) > 4) return {};
      if (to == ElementType::I1) return f.bit_or(f.compare(a.low, "NE", 0), f.compare(a.high, "NE", 0));
      return f.to(a.low, to);
    }
    case OpKind::Compare: {
      const std::string direction(v.out.module().attribute(v.attr("comparison_direction")).text);
      if (direction != "EQ" && direction != "NE") return {};
      const ValueId low = f.compare(a.low, direction, inputs_[1]->low), high = f.compare(a.high, direction, inputs_[1]->high);
      return direction == "EQ" ? f.bit_and(low, high) : f.bit_or(low, high);
    }
    default: return {};
  }
}

}  // namespace

Result<void> split_complex(graph::Module& module) { return ComplexSplitter().run(module); }

}  // namespace openneuron::opt
