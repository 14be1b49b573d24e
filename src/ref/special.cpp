#include "ref/special.h"

#include <cmath>
#include <limits>

namespace openneuron::ref {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Bernoulli numbers B2, B4, ... B24.
constexpr double kBernoulli[] = {1.0 / 6,    -1.0 / 30,        1.0 / 42,      -1.0 / 30,          5.0 / 66,
                                 -691.0 / 2730, 7.0 / 6,       -3617.0 / 510, 43867.0 / 798,      -174611.0 / 330,
                                 854513.0 / 138, -236364091.0 / 2730};

}  // namespace

double erf_inv(double y) {
  if (std::isnan(y) || std::fabs(y) > 1) return kNaN;
  if (y == 0) return y;
  if (std::fabs(y) == 1) return std::copysign(kInfinity, y);
  const double magnitude = std::fabs(y);
  const double tail = 1 - magnitude;  // exact for magnitude >= 0.5
  // Winitzki's approximation as the start, then Newton on erf, or on log(erfc) where erf is flat.
  const double log_term = std::log(tail * (1 + magnitude));
  const double a = 0.147, half = 2 / (kPi * a) + log_term / 2;
  double x = std::sqrt(std::fmax(0, std::sqrt(half * half - log_term / a) - half));
  for (int step = 0; step < 60; ++step) {
    const double slope = 2 / std::sqrt(kPi) * std::exp(-x * x);
    double next;
    if (magnitude < 0.5) {
      next = x - (std::erf(x) - magnitude) / slope;
    } else {
      const double complement = std::erfc(x);
      next = x + complement * std::log(complement / tail) / slope;
    }
    if (std::fabs(next - x) <= 1e-16 * x) return std::copysign(next, y);
    x = next;
  }
  return std::copysign(x, y);
}

double digamma(double x) {
  if (std::isnan(x) || x == -kInfinity) return kNaN;
  if (x == kInfinity) return x;
  if (x <= 0) {
    if (x == std::floor(x)) return kNaN;  // every pole, 0 among them
    const double fraction = x - std::floor(x);  // tan has period pi
    return digamma(1 - x) - kPi / std::tan(kPi * fraction);
  }
  double value = 0;
  while (x < 12) {
    value -= 1 / x;
    x += 1;
  }
  double power = 1 / (x * x), sum = 0;
  const double square = power;
  for (int k = 0; k < 12; ++k) {
    sum += kBernoulli[k] / (2 * (k + 1)) * power;
    power *= square;
  }
  return value + std::log(x) - 0.5 / x - sum;
}

double zeta(double s, double q) {
  if (std::isnan(s) || std::isnan(q)) return kNaN;
  if (s == 1) return kInfinity;
  if (s < 1) return kNaN;
  if (q <= 0) {
    if (q == std::floor(q)) return kInfinity;
    if (s != std::floor(s)) return kNaN;
  }
  // Euler-Maclaurin: sum the first terms, then the integral, half a term and the Bernoulli corrections.
  double sum = 0;
  int terms = 0;
  while (terms < 12 || q < 12) {
    sum += std::pow(q, -s);
    q += 1;
    if (++terms > 100000) break;
  }
  sum += std::pow(q, 1 - s) / (s - 1) + 0.5 * std::pow(q, -s);
  double rising = s, factorial = 2, power = std::pow(q, -s - 1);
  for (int k = 0; k < 12; ++k) {
    sum += kBernoulli[k] * rising / factorial * power;
    rising *= (s + 2 * k + 1) * (s + 2 * k + 2);
    factorial *= (2 * k + 3) * (2 * k + 4);
    power /= q * q;
  }
  return sum;
}

double polygamma(double n, double x) {
  if (std::isnan(n) || std::isnan(x) || n < 0 || n != std::floor(n)) return kNaN;
  if (n == 0) return digamma(x);
  const double sign = std::fmod(n, 2) == 0 ? -1 : 1;
  return sign * std::exp(std::lgamma(n + 1)) * zeta(n + 1, x);
}

double bessel_i1e(double x) {
  if (std::isnan(x)) return x;
  const double a = std::fabs(x);
  double value;
  if (a < 30) {
    // I1(x) = sum (x/2)^(2k+1) / (k! (k+1)!); all terms positive, so nothing cancels.
    double term = a / 2, sum = term;
    const double square = a * a / 4;
    for (int k = 1; k < 200 && term > sum * 1e-18; ++k) {
      term *= square / (static_cast<double>(k) * (k + 1));
      sum += term;
    }
    value = std::exp(-a) * sum;
  } else if (std::isinf(a)) {
    value = 0;
  } else {
    // 1/sqrt(2 pi x) * (1 - 3/(8x) + ...): term k multiplies by -(4 - (2k-1)^2) / (8 k x).
    double term = 1, sum = 1;
    for (int k = 1; k < 30; ++k) {
      const double odd = 2 * k - 1;
      const double next = term * -(4 - odd * odd) / (8 * k * a);
      if (std::fabs(next) >= std::fabs(term)) break;
      term = next;
      sum += term;
    }
    value = sum / std::sqrt(2 * kPi * a);
  }
  return std::copysign(value, x);
}

}  // namespace openneuron::ref
