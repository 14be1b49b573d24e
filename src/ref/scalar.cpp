#include "ref/scalar.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "num/convert.h"

namespace openneuron::ref {
namespace {

using graph::OpKind;

std::uint64_t low_bits(int bits) { return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }
std::uint64_t as_unsigned(std::int64_t value) { return static_cast<std::uint64_t>(value); }
bool is_unsigned(ElementType type) {
  const TypeClass c = type_class(type);
  return c == TypeClass::Unsigned || c == TypeClass::Bool;
}
std::int64_t largest(ElementType type) {
  const int bits = bit_width(type);
  return static_cast<std::int64_t>(low_bits(is_unsigned(type) ? bits : bits - 1));
}
std::int64_t smallest(ElementType type) {
  return is_unsigned(type) ? 0 : static_cast<std::int64_t>(~low_bits(bit_width(type) - 1));
}

// float -> integer: toward zero, saturating at the type's own range; NaN gives 0.
std::int64_t float_to_integer(ElementType type, double value) {
  if (std::isnan(value)) return 0;
  const double whole = std::trunc(value);
  const int bits = bit_width(type);
  if (is_unsigned(type)) {
    if (whole <= 0) return 0;
    if (whole >= std::ldexp(1.0, bits)) return largest(type);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(whole));
  }
  if (whole >= std::ldexp(1.0, bits - 1)) return largest(type);
  if (whole <= -std::ldexp(1.0, bits - 1)) return smallest(type);
  return static_cast<std::int64_t>(whole);
}

// integer -> double that later rounds to a shorter type once: above 2^53 the last bit is sticky (round to odd).
double integer_to_odd_double(ElementType type, std::int64_t value) {
  const bool negative = !is_unsigned(type) && value < 0;
  std::uint64_t magnitude = negative ? std::uint64_t{0} - as_unsigned(value) : as_unsigned(value);
  int shift = 0;
  bool sticky = false;
  while (magnitude >> 53) {
    sticky |= (magnitude & 1) != 0;
    magnitude >>= 1;
    ++shift;
  }
  if (sticky) magnitude |= 1;
  const double result = std::ldexp(static_cast<double>(magnitude), shift);
  return negative ? -result : result;
}
double integer_to_double(ElementType type, std::int64_t value) {
  return is_unsigned(type) ? static_cast<double>(as_unsigned(value)) : static_cast<double>(value);
}

std::int64_t count_leading_zeros(ElementType type, std::int64_t value) {
  const int bits = bit_width(type);
  return std::countl_zero(as_unsigned(value) & low_bits(bits)) - (64 - bits);
}

double sign(double x) { return std::isnan(x) || x == 0 ? x : std::copysign(1.0, x); }
double logistic(double x) {
  if (x >= 0) return 1 / (1 + std::exp(-x));
  const double e = std::exp(x);
  return e / (1 + e);
}
double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  if (a == b) return std::signbit(a) ? b : a;  // -0 < +0
  return a > b ? a : b;
}
double minimum(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

template <class T>
bool compares(Direction direction, T a, T b) {
  switch (direction) {
    case Direction::Equal: return a == b;
    case Direction::NotEqual: return a != b;
    case Direction::GreaterEqual: return a >= b;
    case Direction::Greater: return a > b;
    case Direction::LessEqual: return a <= b;
    case Direction::Less: return a < b;
  }
  return false;
}

bool compare(const ElementOp& op, const Scalar& a, const Scalar& b) {
  if (is_complex(op.operand)) {
    const bool equal = a.real == b.real && a.imaginary == b.imaginary;
    return op.direction == Direction::NotEqual ? !equal : equal;
  }
  if (is_float(op.operand)) {
    if (op.total_order) return compares(op.direction, total_order_key(a.real), total_order_key(b.real));
    return compares(op.direction, a.real, b.real);
  }
  if (is_unsigned(op.operand)) return compares(op.direction, as_unsigned(a.integer), as_unsigned(b.integer));
  return compares(op.direction, a.integer, b.integer);
}

// The value of `type` next to a on the way to b.
double next_after(ElementType type, double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  a = round_to(type, a);
  b = round_to(type, b);
  if (a == b) return b;
  const std::uint64_t sign_bit = std::uint64_t{1} << (bit_width(type) - 1);
  if (a == 0) return from_bits(type, b > 0 ? 1 : sign_bit | 1).real;
  const std::uint64_t bits = bits_of(type, {a, 0, 0});
  return from_bits(type, (a > 0) == (a < b) ? bits + 1 : bits - 1).real;
}

}  // namespace

std::int64_t wrap(ElementType type, std::int64_t value) {
  if (type == ElementType::I1) return value != 0;
  const int bits = bit_width(type);
  if (bits >= 64) return value;
  const std::uint64_t kept = as_unsigned(value) & low_bits(bits);
  if (is_unsigned(type) || !(kept >> (bits - 1) & 1)) return static_cast<std::int64_t>(kept);
  return static_cast<std::int64_t>(kept | ~low_bits(bits));
}

std::int64_t total_order_key(double value) {
  const std::int64_t bits = std::bit_cast<std::int64_t>(value);
  return bits >= 0 ? bits : std::numeric_limits<std::int64_t>::min() - bits - 1;
}

bool ordered_before(ElementType type, const Scalar& a, const Scalar& b) {
  if (is_complex(type)) return a.real != b.real ? a.real < b.real : a.imaginary < b.imaginary;
  if (is_float(type)) return total_order_key(a.real) < total_order_key(b.real);
  if (is_unsigned(type)) return as_unsigned(a.integer) < as_unsigned(b.integer);
  return a.integer < b.integer;
}

Scalar rounded(ElementType type, Scalar value) {
  if (type == ElementType::C64) {
    value.real = static_cast<float>(value.real);
    value.imaginary = static_cast<float>(value.imaginary);
  } else if (is_float(type)) {
    value.real = round_to(type, value.real);
  }
  return value;
}

std::uint64_t bits_of(ElementType type, const Scalar& value) {
  std::byte memory[8] = {};
  if (is_float(type)) {
    store_double(type, memory, 0, value.real);
  } else {
    store_int(type, memory, 0, value.integer);
  }
  std::uint64_t bits = 0;
  std::memcpy(&bits, memory, 8);
  return bits & low_bits(bit_width(type));
}

Scalar from_bits(ElementType type, std::uint64_t bits) {
  std::byte memory[8];
  bits &= low_bits(bit_width(type));
  std::memcpy(memory, &bits, 8);
  if (is_float(type)) return {load_double(type, memory, 0), 0, 0};
  return {0, 0, load_int(type, memory, 0)};
}

Scalar convert_scalar(ElementType from, ElementType to, const Scalar& value, bool round) {
  const bool from_number = is_float(from) || is_complex(from);
  if (to == ElementType::I1) {
    if (!from_number) return {0, 0, value.integer != 0};
    return {0, 0, value.real != 0 || (is_complex(from) && value.imaginary != 0)};  // NaN != 0
  }
  if (is_integer(to)) {
    return {0, 0, from_number ? float_to_integer(to, value.real) : wrap(to, value.integer)};
  }
  Scalar result;
  if (from_number) {
    result.real = value.real;
    if (is_complex(from) && is_complex(to)) result.imaginary = value.imaginary;
  } else if (round && bit_width(to) < 64) {
    result.real = integer_to_odd_double(from, value.integer);
  } else if (round && to == ElementType::C64) {
    result.real = integer_to_odd_double(from, value.integer);
  } else {
    result.real = integer_to_double(from, value.integer);
  }
  return round ? rounded(to, result) : result;
}

double reduce_precision(ElementType type, double value, int exponent_bits, int mantissa_bits) {
  if (std::isnan(value)) return mantissa_bits > 0 ? value : std::copysign(std::numeric_limits<double>::infinity(), value);
  if (value == 0 || std::isinf(value)) return value;
  struct Format {
    int exponent_bits, mantissa_bits;
  };
  const Format own = type == ElementType::F64    ? Format{11, 52}
                     : type == ElementType::F32  ? Format{8, 23}
                     : type == ElementType::BF16 ? Format{8, 7}
                     : type == ElementType::F16  ? Format{5, 10}
                                                 : Format{11, 52};
  if (mantissa_bits < own.mantissa_bits) {
    // A subnormal of the type keeps its absolute bit positions.
    const int lowest = 2 - (1 << (own.exponent_bits - 1));
    const int exponent = std::max(std::ilogb(value), lowest);
    // Nearest even at that position; scaling by powers of two is exact here.
    value = std::ldexp(std::nearbyint(std::ldexp(value, mantissa_bits - exponent)), exponent - mantissa_bits);
  }
  if (exponent_bits < own.exponent_bits && value != 0) {
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const int exponent = std::ilogb(value);
    if (exponent > bias) return std::copysign(std::numeric_limits<double>::infinity(), value);
    if (exponent <= -bias) return std::copysign(0.0, value);
  }
  return value;
}

std::optional<ElementOp> element_op(const graph::Module& module, const graph::Function& f, OpId id, bool round) {
  const OpKind kind = f.kind(id);
  switch (kind) {
    case OpKind::Abs: case OpKind::Cbrt: case OpKind::Exponential: case OpKind::ExponentialMinusOne: case OpKind::Log:
    case OpKind::LogPlusOne: case OpKind::Logistic: case OpKind::Rsqrt: case OpKind::Sqrt: case OpKind::Tanh:
    case OpKind::Cosine: case OpKind::Sine: case OpKind::Tan: case OpKind::Ceil: case OpKind::Floor:
    case OpKind::RoundNearestAfz: case OpKind::RoundNearestEven: case OpKind::IsFinite: case OpKind::Sign:
    case OpKind::Negate: case OpKind::Not: case OpKind::Popcnt: case OpKind::CountLeadingZeros: case OpKind::Real:
    case OpKind::Imag: case OpKind::Convert: case OpKind::ReducePrecision: case OpKind::Add: case OpKind::Multiply:
    case OpKind::Subtract: case OpKind::Divide: case OpKind::Remainder: case OpKind::Maximum: case OpKind::Minimum:
    case OpKind::Power: case OpKind::Atan2: case OpKind::And: case OpKind::Or: case OpKind::Xor:
    case OpKind::ShiftLeft: case OpKind::ShiftRightLogical: case OpKind::ShiftRightArithmetic: case OpKind::Complex:
    case OpKind::Compare: case OpKind::Select: case OpKind::Clamp: case OpKind::ChloAcos: case OpKind::ChloAcosh:
    case OpKind::ChloAsin: case OpKind::ChloAsinh: case OpKind::ChloAtanh: case OpKind::ChloCosh: case OpKind::ChloSinh:
    case OpKind::ChloErf: case OpKind::ChloErfc: case OpKind::ChloMulhi: case OpKind::ChloAtan: case OpKind::ChloConj:
    case OpKind::ChloSquare: case OpKind::ChloIsInf: case OpKind::ChloIsNegInf: case OpKind::ChloIsPosInf:
    case OpKind::ChloNextAfter: case OpKind::ChloErfInv: case OpKind::ChloLgamma: case OpKind::ChloDigamma:
    case OpKind::ChloPolygamma: case OpKind::ChloZeta: case OpKind::ChloBesselI1e:
    case OpKind::NeuronGelu: case OpKind::NeuronGeluTanh: case OpKind::NeuronSilu:
      break;
    default: return std::nullopt;
  }
  ElementOp op;
  op.kind = kind;
  op.round = round;
  const std::size_t data = kind == OpKind::Select ? 1 : 0;
  if (f.operands(id).size() <= data) return std::nullopt;
  const graph::Type& operand = module.value_type(f, f.operand(id, data));
  const graph::Type& result = module.value_type(f, f.result(id));
  if (operand.kind != graph::TypeKind::Tensor || result.kind != graph::TypeKind::Tensor) return std::nullopt;
  op.operand = operand.element;
  op.result = result.element;
  if (kind == OpKind::Compare) {
    const std::string_view direction = module.text(f, id, "comparison_direction");
    op.direction = direction == "EQ"   ? Direction::Equal
                   : direction == "NE" ? Direction::NotEqual
                   : direction == "GE" ? Direction::GreaterEqual
                   : direction == "GT" ? Direction::Greater
                   : direction == "LE" ? Direction::LessEqual
                                       : Direction::Less;
    op.total_order = module.text(f, id, "compare_type") == "TOTALORDER";
  }
  if (kind == OpKind::ReducePrecision) {
    op.exponent_bits = static_cast<int>(module.integer(f, id, "exponent_bits", 11));
    op.mantissa_bits = static_cast<int>(module.integer(f, id, "mantissa_bits", 52));
    if (op.exponent_bits < 1 || op.exponent_bits > 11 || op.mantissa_bits < 0) return std::nullopt;
  }
  return op;
}

Scalar evaluate(const ElementOp& op, std::span<const Scalar> x) {
  Scalar value;
  switch (op.kind) {
    // Ops that mean the same for every type, or that change it.
    case OpKind::Convert: return convert_scalar(op.operand, op.result, x[0], op.round);
    case OpKind::Compare: return {0, 0, compare(op, x[0], x[1])};
    case OpKind::Select: return x[0].integer ? x[1] : x[2];
    case OpKind::Complex: return {x[0].real, x[1].real, 0};
    case OpKind::Real: return {x[0].real, 0, 0};
    case OpKind::Imag: return {is_complex(op.operand) ? x[0].imaginary : 0, 0, 0};
    case OpKind::IsFinite: return {0, 0, std::isfinite(x[0].real)};
    case OpKind::ChloIsInf: return {0, 0, std::isinf(x[0].real)};
    case OpKind::ChloIsNegInf: return {0, 0, std::isinf(x[0].real) && x[0].real < 0};
    case OpKind::ChloIsPosInf: return {0, 0, std::isinf(x[0].real) && x[0].real > 0};
    case OpKind::ChloNextAfter: return {next_after(op.operand, x[0].real, x[1].real), 0, 0};
    case OpKind::ReducePrecision:
      return {reduce_precision(op.operand, x[0].real, op.exponent_bits, op.mantissa_bits), 0, 0};
    case OpKind::Clamp: {
      if (!is_float(op.operand) && !is_complex(op.operand)) {
        const Scalar low = ordered_before(op.operand, x[1], x[0]) ? x[0] : x[1];
        return ordered_before(op.operand, low, x[2]) ? low : x[2];
      }
      if (is_float(op.operand)) return {minimum(maximum(x[1].real, x[0].real), x[2].real), 0, 0};
      break;
    }
    case OpKind::Maximum:
      if (is_float(op.operand)) return {maximum(x[0].real, x[1].real), 0, 0};
      break;
    case OpKind::Minimum:
      if (is_float(op.operand)) return {minimum(x[0].real, x[1].real), 0, 0};
      break;
    case OpKind::Sign:
      if (is_float(op.operand)) return {sign(x[0].real), 0, 0};
      break;
    case OpKind::Logistic:
      if (is_float(op.operand)) value.real = logistic(x[0].real);
      if (is_float(op.operand)) return op.round ? rounded(op.result, value) : value;
      break;
    case OpKind::CountLeadingZeros: return {0, 0, count_leading_zeros(op.operand, x[0].integer)};
    case OpKind::Popcnt:
      return {0, 0, std::popcount(as_unsigned(x[0].integer) & low_bits(bit_width(op.operand)))};
    default: break;
  }
  if (is_complex(op.operand)) {
    value = evaluate_complex(op, x);
  } else if (is_float(op.operand)) {
    value.real = evaluate_float(op, x);
  } else {
    return {0, 0, wrap(op.result, evaluate_integer(op, x))};
  }
  return op.round ? rounded(op.result, value) : value;
}

}  // namespace openneuron::ref
