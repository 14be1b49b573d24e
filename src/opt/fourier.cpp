#include "opt/fourier.h"

#include <cmath>
#include <cstring>

#include "opt/complex_math.h"
#include "opt/moves.h"

namespace openneuron::opt {

using graph::OpKind;

namespace {

constexpr std::int64_t kMostTerms = 128;  // of one contraction; longer transforms whose size has factors take two and more
constexpr double kPi = 3.14159265358979323846;

class Fourier {
 public:
  explicit Fourier(Visit& v) : v_(v), f_(v), moves_(v) {}

  // Along dim `d`; `sign` -1 forward, +1 backward (not scaled).
  Planes along(const Planes& x, std::size_t d, int sign) {
    const Shape& shape = moves_.shape(x.low);
    const std::size_t rank = shape.size();
    Shape order;
    for (std::size_t i = 0; i < rank; ++i)
      if (i != d) order.push_back(static_cast<std::int64_t>(i));
    order.push_back(static_cast<std::int64_t>(d));
    Shape back(rank);
    for (std::size_t i = 0; i < rank; ++i) back[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
    const auto turn = [&](ValueId value, const Shape& by) { return value.valid() ? moves_.transpose(value, by) : value; };
    if (d + 1 == rank) return last(x, sign);
    const ValueId low = turn(x.low, order);
    const Planes made = last({low, turn(x.high, order), UINT64_MAX, {}}, sign);
    const ValueId real = turn(made.low, back);
    return {real, turn(made.high, back), UINT64_MAX, {}};
  }

  Planes scaled(const Planes& x, double by) { return ComplexMath(f_).scale(x, by); }

  // The first `n` of dim `d`.
  Planes head(const Planes& x, std::size_t d, std::int64_t n) {
    const ValueId low = moves_.slice(x.low, d, 0, n);
    return {low, moves_.slice(x.high, d, 0, n), UINT64_MAX, {}};
  }

  // The whole spectrum of real numbers from its first half: element n - k is the conjugate of element k.
  Planes whole(const Planes& half, std::size_t d, std::int64_t n) {
    const std::int64_t have = moves_.shape(half.low)[d], more = n - have;
    if (more <= 0) return head(half, d, n);
    graph::Module& m = v_.out.module();
    const std::int64_t dims[] = {static_cast<std::int64_t>(d)};
    const auto mirrored = [&](ValueId x) {
      const ValueId part = moves_.slice(x, d, 1, 1 + more);
      const TypeId type = v_.out.function().type(part);
      return v_.out.emit(OpKind::Reverse, {part}, type, m.dictionary({{"dimensions", m.ints_attr(dims)}}), v_.location());
    };
    const ValueId low[] = {half.low, mirrored(half.low)};
    const ValueId real = moves_.concatenate(low, static_cast<std::int64_t>(d));
    const ValueId high[] = {half.high, f_.neg(mirrored(half.high))};
    return {real, moves_.concatenate(high, static_cast<std::int64_t>(d)), UINT64_MAX, {}};
  }

 private:
  static std::int64_t factor(std::int64_t n) {  // the largest one up to kMostTerms; 1 when n is to stay whole
    if (n <= kMostTerms) return 1;
    for (std::int64_t p = kMostTerms; p > 1; --p)
      if (n % p == 0) return p;
    return 1;
  }

  // e^(sign 2 pi i r c / n) for r, c below rows, columns; the exponent is reduced exactly.
  Planes roots(std::int64_t rows, std::int64_t columns, std::int64_t n, int sign) {
    graph::Module& m = v_.out.module();
    const std::int64_t shape[] = {rows, columns};
    const TypeId type = m.tensor(ElementType::F32, shape);
    const auto table = [&](double (*part)(double), double by) {
      std::vector<std::byte> bytes(static_cast<std::size_t>(rows * columns) * 4);
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < columns; ++c) {
          const double angle = 2 * kPi * static_cast<double>(r * c % n) / static_cast<double>(n);
          const auto value = static_cast<float>(by * part(angle));
          std::memcpy(bytes.data() + (r * columns + c) * 4, &value, 4);
        }
      graph::Attribute literal;
      literal.kind = graph::AttrKind::Constant;
      literal.constant = m.own_constant(type, false, std::move(bytes));
      return v_.out.emit(OpKind::Constant, {}, type, m.dictionary({{"value", m.intern(std::move(literal))}}), v_.location());
    };
    const ValueId real = table([](double a) { return std::cos(a); }, 1);
    return {real, table([](double a) { return std::sin(a); }, sign), UINT64_MAX, {}};
  }

  // x [..., n] times a matrix [n, k].
  ValueId product(ValueId x, ValueId matrix) {
    graph::Module& m = v_.out.module();
    Shape to = moves_.shape(x);
    const std::int64_t contracted[] = {static_cast<std::int64_t>(to.size()) - 1}, first[] = {0};
    to.back() = moves_.shape(matrix)[1];
    const AttrId exact = m.enum_attr("precision", "HIGHEST");
    const AttrId attributes = m.dictionary({{"precision_config", m.array_attr({exact, exact})},
                                            {"lhs_batching_dimensions", m.ints_attr({})},
                                            {"rhs_batching_dimensions", m.ints_attr({})},
                                            {"lhs_contracting_dimensions", m.ints_attr(contracted)},
                                            {"rhs_contracting_dimensions", m.ints_attr(first)}});
    return v_.out.emit(OpKind::DotGeneral, {x, matrix}, m.tensor(ElementType::F32, to), attributes, v_.location());
  }

  Planes matrix_product(const Planes& x, const Planes& matrix) {
    const ValueId a = product(x.low, matrix.low), b = product(x.low, matrix.high);
    if (!x.high.valid()) return {a, b, UINT64_MAX, {}};
    const ValueId c = product(x.high, matrix.high), d = product(x.high, matrix.low);
    const ValueId low = f_.sub(a, c);
    return {low, f_.add(b, d), UINT64_MAX, {}};
  }

  // Along the last dim. n = p q: index q i + j, transformed over i, turned by e^(.. k j / n), transformed over j; the
  // result's index is k + p l.
  Planes last(const Planes& x, int sign) {
    const Shape shape = moves_.shape(x.low);
    const std::int64_t n = shape.back(), p = factor(n), q = n / p;
    if (p == 1) return matrix_product(x, roots(n, n, n, sign));
    Shape split = shape;
    split.back() = p;
    split.push_back(q);
    const std::size_t rank = split.size();
    const auto reshaped = [&](ValueId value, const Shape& to) { return value.valid() ? moves_.reshape(value, to) : value; };
    const ValueId low = reshaped(x.low, split);
    Planes y = along({low, reshaped(x.high, split), UINT64_MAX, {}}, rank - 2, sign);
    const Planes turns = roots(p, q, n, sign);
    const std::int64_t places[] = {static_cast<std::int64_t>(rank) - 2, static_cast<std::int64_t>(rank) - 1};
    const Shape dims(places, places + 2);
    const ValueId real = moves_.broadcast(turns.low, split, dims);
    y = ComplexMath(f_).multiply(y, {real, moves_.broadcast(turns.high, split, dims), UINT64_MAX, {}});
    y = last(y, sign);
    Shape order;
    for (std::size_t i = 0; i + 2 < rank; ++i) order.push_back(static_cast<std::int64_t>(i));
    order.push_back(static_cast<std::int64_t>(rank) - 1);
    order.push_back(static_cast<std::int64_t>(rank) - 2);
    const ValueId first = moves_.reshape(moves_.transpose(y.low, order), shape);
    return {first, moves_.reshape(moves_.transpose(y.high, order), shape), UINT64_MAX, {}};
  }

  Visit& v_;
  Formula f_;
  Moves moves_;
};

}  // namespace

Planes fourier(Visit& v, const Planes& in) {
  constexpr std::int64_t kLongestWhole = 4096;  // a matrix of its square is a constant of 64 MiB
  const auto given = v.ints("fft_length");
  const Shape lengths(given.begin(), given.end());
  const std::string kind = v.out.module().attribute(v.attr("fft_type")).text;
  const std::size_t rank = Moves(v).shape(in.low).size(), first = rank - lengths.size();
  double count = 1;
  for (std::int64_t n : lengths) {
    if (n < 1) return {};
    std::int64_t rest = n;
    for (std::int64_t p = 2; p <= 128; ++p)
      while (rest % p == 0 && rest > 128) rest /= p;
    if (rest > kLongestWhole) return {};
    count *= static_cast<double>(n);
  }
  Fourier f(v);
  const int sign = kind == "FFT" || kind == "RFFT" ? -1 : 1;
  Planes x = in;
  if (kind == "RFFT") {
    x = f.along(x, rank - 1, sign);
    x = f.head(x, rank - 1, lengths.back() / 2 + 1);
  }
  for (std::size_t d = 0; d + 1 < lengths.size(); ++d) x = f.along(x, first + d, sign);
  if (kind == "IRFFT") x = f.whole(x, rank - 1, lengths.back());
  if (kind != "RFFT") x = f.along(x, rank - 1, sign);
  if (sign > 0) x = f.scaled(x, 1 / count);
  if (kind == "IRFFT") x.high = {};
  return x;
}

}  // namespace openneuron::opt
