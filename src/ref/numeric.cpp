// Factorisations, transforms, batch norms and top_k, by their textbook definitions in double.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>

#include "ref/interpreter.h"

namespace openneuron::ref {
namespace {

using graph::OpKind;
using Number = std::complex<double>;

Number number(const Tensor& t, std::int64_t at) {
  const Scalar s = get(t, at);
  return {s.real, s.imaginary};
}

// Stores a float or complex result.
void store(const OpContext& c, Tensor& t, std::int64_t at, Number value) {
  const Scalar s{value.real(), value.imag(), 0};
  set(t, at, c.round() ? rounded(t.type, s) : s);
}

template <class T>
std::vector<Value> values_of(T tensors) {
  std::vector<Value> values;
  for (auto& t : tensors) values.emplace_back(std::move(t));
  return values;
}
std::vector<Value> one(Tensor t) {
  std::vector<Value> values;
  values.emplace_back(std::move(t));
  return values;
}

// A = L L^H from the lower triangle, or A = U^H U from the upper one. The other triangle of the result is zero; a matrix
// that is not positive definite gives NaN everywhere.
Values cholesky(const OpContext& c) {
  const Tensor& a = c.tensor(0);
  const bool lower = c.integer("lower") != 0;
  const std::int64_t n = a.shape.back(), matrices = n == 0 ? 0 : a.count() / (n * n);
  ON_TRY(c.charge(static_cast<double>(matrices) * std::pow(static_cast<double>(n), 3)));
  Tensor result = c.new_result();
  std::vector<Number> l(static_cast<std::size_t>(n * n));
  const auto at = [&](std::int64_t i, std::int64_t j) { return static_cast<std::size_t>(i * n + j); };
  for (std::int64_t m = 0; m < matrices; ++m) {
    bool definite = true;
    std::fill(l.begin(), l.end(), Number());
    for (std::int64_t i = 0; i < n && definite; ++i)
      for (std::int64_t j = 0; j <= i; ++j) {
        Number sum = lower ? number(a, m * n * n + i * n + j) : std::conj(number(a, m * n * n + j * n + i));
        for (std::int64_t k = 0; k < j; ++k) sum -= l[at(i, k)] * std::conj(l[at(j, k)]);
        if (i == j) {
          definite = sum.real() > 0;
          l[at(i, i)] = std::sqrt(sum.real());
        } else {
          l[at(i, j)] = sum / l[at(j, j)].real();
        }
      }
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j) {
        const Number value = lower ? l[at(i, j)] : std::conj(l[at(j, i)]);
        store(c, result, m * n * n + i * n + j, definite ? value : Number(nan, nan));
      }
  }
  return one(std::move(result));
}

// op(A) X = B, or X op(A) = B solved as op(A)^T X^T = B^T. Only the named triangle of A is read.
Values triangular_solve(const OpContext& c) {
  const Tensor& a = c.tensor(0);
  const Tensor& b = c.tensor(1);
  const bool left = c.integer("left_side") != 0, unit = c.integer("unit_diagonal") != 0;
  const std::string_view transpose = c.text("transpose_a");
  bool lower = c.integer("lower") != 0;
  const std::int64_t n = a.shape.back(), rows = b.shape[b.shape.size() - 2], columns = b.shape.back();
  const std::int64_t matrices = n == 0 ? 0 : a.count() / (n * n), vectors = left ? columns : rows;
  ON_TRY(c.charge(static_cast<double>(matrices) * static_cast<double>(n) * static_cast<double>(n) *
                  static_cast<double>(vectors)));
  Tensor result = c.new_result();
  const bool flip = (transpose != "NO_TRANSPOSE") != !left;
  std::vector<Number> t(static_cast<std::size_t>(n * n)), x(static_cast<std::size_t>(n));
  for (std::int64_t m = 0; m < matrices; ++m) {
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j) {
        const Number value = number(a, m * n * n + (flip ? j * n + i : i * n + j));
        t[static_cast<std::size_t>(i * n + j)] = transpose == "ADJOINT" ? std::conj(value) : value;
      }
    const bool forward = lower != flip;
    for (std::int64_t v = 0; v < vectors; ++v) {
      const auto place = [&](std::int64_t i) { return m * rows * columns + (left ? i * columns + v : v * columns + i); };
      for (std::int64_t step = 0; step < n; ++step) {
        const std::int64_t i = forward ? step : n - 1 - step;
        Number sum = number(b, place(i));
        for (std::int64_t done = 0; done < step; ++done) {
          const std::int64_t j = forward ? done : n - 1 - done;
          sum -= t[static_cast<std::size_t>(i * n + j)] * x[static_cast<std::size_t>(j)];
        }
        x[static_cast<std::size_t>(i)] = unit ? sum : sum / t[static_cast<std::size_t>(i * n + i)];
        store(c, result, place(i), x[static_cast<std::size_t>(i)]);
      }
    }
  }
  return one(std::move(result));
}

// The discrete Fourier transform of each line along `dim`, by definition; sign -1 forward, +1 inverse (not scaled).
void transform_lines(std::vector<Number>& data, const Shape& shape, std::size_t dim, int sign) {
  const Shape own = row_major_strides(shape);
  const std::int64_t n = shape[dim], stride = own[dim];
  std::vector<Number> roots(static_cast<std::size_t>(n)), line(roots.size());
  for (std::int64_t k = 0; k < n; ++k) {
    const double angle = sign * 2 * 3.14159265358979323846 * static_cast<double>(k) / static_cast<double>(n);
    roots[static_cast<std::size_t>(k)] = {std::cos(angle), std::sin(angle)};
  }
  Shape outer = shape;
  outer[dim] = 1;
  for (const std::int64_t start : strided_positions(outer, 0, own)) {
    for (std::int64_t k = 0; k < n; ++k) {
      Number sum;
      for (std::int64_t j = 0; j < n; ++j)
        sum += data[static_cast<std::size_t>(start + j * stride)] * roots[static_cast<std::size_t>(j * k % n)];
      line[static_cast<std::size_t>(k)] = sum;
    }
    for (std::int64_t k = 0; k < n; ++k) data[static_cast<std::size_t>(start + k * stride)] = line[static_cast<std::size_t>(k)];
  }
}

Values fft(const OpContext& c) {
  const Tensor& source = c.tensor(0);
  const std::string_view type = c.text("fft_type");
  const auto lengths = c.ints("fft_length");
  const std::size_t rank = source.shape.size(), last = rank - 1, first = rank - lengths.size();
  Tensor result = c.new_result();
  // The shape in which the transform happens: the real side's, complete along the last dimension.
  Shape full = type == "IRFFT" ? result.shape : source.shape;
  const Shape own = row_major_strides(full), source_strides = row_major_strides(source.shape);
  if (result.count() == 0 || source.count() == 0) return one(std::move(result));
  double visits = static_cast<double>(count_of(full)), lines = 0;
  for (const std::int64_t n : lengths) lines += static_cast<double>(n);
  ON_TRY(c.charge(visits * lines));

  std::vector<Number> data(static_cast<std::size_t>(count_of(full)));
  Shape index(rank);
  if (type == "IRFFT") {
    // Leading dimensions first, on the half that is given; then the Hermitian line of the last one.
    std::vector<Number> half(static_cast<std::size_t>(source.count()));
    for (std::size_t i = 0; i < half.size(); ++i) half[i] = number(source, static_cast<std::int64_t>(i));
    for (std::size_t d = first; d < last; ++d) transform_lines(half, source.shape, d, +1);
    const std::int64_t n = full[last], given = source.shape[last];
    for (std::size_t i = 0; i < data.size(); ++i, next_index(full, index)) {
      std::int64_t from = 0;
      for (std::size_t d = 0; d < last; ++d) from += index[d] * source_strides[d];
      const std::int64_t k = index[last], mirror = k < given ? k : n - k;
      const Number value = half[static_cast<std::size_t>(from + mirror)];
      // The imaginary parts of the constant and the Nyquist term have no place in a real signal.
      data[i] = k == 0 || 2 * k == n ? Number(value.real()) : k < given ? value : std::conj(value);
    }
    transform_lines(data, full, last, +1);
  } else {
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = number(source, static_cast<std::int64_t>(i));
    for (std::size_t d = rank; d-- > first;) transform_lines(data, full, d, type == "IFFT" ? +1 : -1);
  }
  double scale = 1;
  if (type == "IFFT" || type == "IRFFT")
    for (const std::int64_t n : lengths) scale /= static_cast<double>(n);
  std::fill(index.begin(), index.end(), 0);
  for (std::int64_t i = 0; i < result.count(); ++i, next_index(result.shape, index)) {
    std::int64_t from = 0;
    for (std::size_t d = 0; d < rank; ++d) from += index[d] * own[d];
    store(c, result, i, data[static_cast<std::size_t>(from)] * scale);
  }
  return one(std::move(result));
}

// Per element the number of its feature.
std::vector<std::int64_t> features(const OpContext& c) {
  Shape strides(c.tensor(0).shape.size(), 0);
  strides[static_cast<std::size_t>(c.integer("feature_index"))] = 1;
  return strided_positions(c.tensor(0).shape, 0, strides);
}

double epsilon(const OpContext& c) {
  const AttrId id = c.module.attr(c.function, c.op, "epsilon");
  return id.valid() ? c.module.attribute(id).real : 0;
}

Tensor normalised(const OpContext& c, const std::vector<std::int64_t>& feature, const std::vector<double>& mean,
                  const std::vector<double>& variance) {
  Tensor result = c.new_result();
  for (std::size_t i = 0; i < feature.size(); ++i) {
    const std::size_t f = static_cast<std::size_t>(feature[i]);
    const double scaled = (c.tensor(0).real[i] - mean[f]) / std::sqrt(variance[f] + epsilon(c)) * c.tensor(1).real[f];
    store(c, result, static_cast<std::int64_t>(i), scaled + c.tensor(2).real[f]);
  }
  return result;
}

Values batch_norm_training(const OpContext& c) {
  const std::vector<std::int64_t> feature = features(c);
  const std::size_t n = c.tensor(1).real.size();
  std::vector<double> mean(n), variance(n);
  const double share = static_cast<double>(feature.size()) / static_cast<double>(n);
  for (std::size_t i = 0; i < feature.size(); ++i) mean[static_cast<std::size_t>(feature[i])] += c.tensor(0).real[i];
  for (double& m : mean) m /= share;
  for (std::size_t i = 0; i < feature.size(); ++i) {
    const std::size_t f = static_cast<std::size_t>(feature[i]);
    variance[f] += (c.tensor(0).real[i] - mean[f]) * (c.tensor(0).real[i] - mean[f]);
  }
  for (double& v : variance) v /= share;
  std::vector<Tensor> results{normalised(c, feature, mean, variance), c.new_result(1), c.new_result(2)};
  for (std::size_t f = 0; f < n; ++f) {
    store(c, results[1], static_cast<std::int64_t>(f), mean[f]);
    store(c, results[2], static_cast<std::int64_t>(f), variance[f]);
  }
  return values_of(std::move(results));
}

Values batch_norm_grad(const OpContext& c) {
  const std::vector<std::int64_t> feature = features(c);
  const Tensor& operand = c.tensor(0);
  const Tensor& output = c.tensor(4);
  const std::vector<double>&scale = c.tensor(1).real, &mean = c.tensor(2).real, &variance = c.tensor(3).real;
  const std::size_t n = scale.size();
  std::vector<double> sum(n), centered_sum(n);
  for (std::size_t i = 0; i < feature.size(); ++i) {
    const std::size_t f = static_cast<std::size_t>(feature[i]);
    sum[f] += output.real[i];
    centered_sum[f] += output.real[i] * (operand.real[i] - mean[f]);
  }
  std::vector<Tensor> results{c.new_result(0), c.new_result(1), c.new_result(2)};
  const double share = static_cast<double>(feature.size()) / static_cast<double>(n);
  for (std::size_t i = 0; i < feature.size(); ++i) {
    const std::size_t f = static_cast<std::size_t>(feature[i]);
    const double inner = share * output.real[i] - sum[f] -
                         centered_sum[f] * (operand.real[i] - mean[f]) / (variance[f] + epsilon(c));
    store(c, results[0], static_cast<std::int64_t>(i), scale[f] / std::sqrt(variance[f] + epsilon(c)) / share * inner);
  }
  for (std::size_t f = 0; f < n; ++f) {
    store(c, results[1], static_cast<std::int64_t>(f), centered_sum[f] / std::sqrt(variance[f] + epsilon(c)));
    store(c, results[2], static_cast<std::int64_t>(f), sum[f]);
  }
  return values_of(std::move(results));
}

// Descending in total order (+NaN first), equal values by index.
Values top_k(const OpContext& c) {
  const Tensor& source = c.tensor(0);
  std::vector<Tensor> results{c.new_result(0), c.new_result(1)};
  const std::int64_t length = source.shape.back(), k = results[0].shape.back();
  if (results[0].count() == 0) return values_of(std::move(results));
  std::vector<std::int64_t> order(static_cast<std::size_t>(length));
  for (std::int64_t line = 0; line < source.count() / length; ++line) {
    std::iota(order.begin(), order.end(), line * length);
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
      return ordered_before(source.type, get(source, b), get(source, a));
    });
    for (std::int64_t i = 0; i < k; ++i) {
      set(results[0], line * k + i, get(source, order[static_cast<std::size_t>(i)]));
      set(results[1], line * k + i, {0, 0, order[static_cast<std::size_t>(i)] - line * length});
    }
  }
  return values_of(std::move(results));
}

}  // namespace

bool is_numeric(OpKind kind) {
  switch (kind) {
    case OpKind::Cholesky: case OpKind::TriangularSolve: case OpKind::Fft: case OpKind::BatchNormTraining:
    case OpKind::BatchNormInference: case OpKind::BatchNormGrad: case OpKind::ChloTopK: return true;
    default: return false;
  }
}

Values run_numeric(const OpContext& c) {
  switch (c.kind()) {
    case OpKind::Cholesky: return cholesky(c);
    case OpKind::TriangularSolve: return triangular_solve(c);
    case OpKind::Fft: return fft(c);
    case OpKind::BatchNormTraining: return batch_norm_training(c);
    case OpKind::BatchNormInference: return one(normalised(c, features(c), c.tensor(3).real, c.tensor(4).real));
    case OpKind::BatchNormGrad: return batch_norm_grad(c);
    case OpKind::ChloTopK: return top_k(c);
    default: return c.unsupported();
  }
}

}  // namespace openneuron::ref
