#include "ref/tensor.h"

#include <algorithm>
#include <cstring>

#include "num/convert.h"

namespace openneuron::ref {
namespace {

ElementType part_of(ElementType type) {
  return type == ElementType::C64 ? ElementType::F32 : type == ElementType::C128 ? ElementType::F64 : type;
}

template <class T>
bool in_range(std::int64_t position, const std::vector<T>& column) {
  return position >= 0 && position < static_cast<std::int64_t>(column.size());
}

template <class T>
void take_column(const std::vector<T>& source, const std::vector<std::int64_t>& positions, T fill, std::vector<T>& out) {
  if (out.empty()) return;
  for (std::size_t i = 0; i < positions.size(); ++i)
    out[i] = in_range(positions[i], source) ? source[static_cast<std::size_t>(positions[i])] : fill;
}

template <class T>
void put_column(std::vector<T>& out, const std::vector<std::int64_t>& positions, const std::vector<T>& source) {
  if (source.empty()) return;
  for (std::size_t i = 0; i < positions.size(); ++i)
    if (in_range(positions[i], out)) out[static_cast<std::size_t>(positions[i])] = source[i];
}

}  // namespace

std::int64_t Tensor::count() const { return count_of(shape); }

std::int64_t count_of(std::span<const std::int64_t> shape) {
  std::int64_t n = 1;
  for (const std::int64_t d : shape) n *= d;
  return n;
}

Tensor make_tensor(ElementType type, Shape shape) {
  Tensor t;
  t.type = type;
  t.shape = std::move(shape);
  const std::size_t n = static_cast<std::size_t>(t.count());
  if (is_float(type) || is_complex(type)) t.real.resize(n);
  if (is_complex(type)) t.imaginary.resize(n);
  if (!is_float(type) && !is_complex(type)) t.integer.resize(n);
  return t;
}

Scalar get(const Tensor& t, std::int64_t position) {
  const std::size_t i = static_cast<std::size_t>(position);
  return {t.real.empty() ? 0 : t.real[i], t.imaginary.empty() ? 0 : t.imaginary[i], t.integer.empty() ? 0 : t.integer[i]};
}

void set(Tensor& t, std::int64_t position, const Scalar& value) {
  const std::size_t i = static_cast<std::size_t>(position);
  if (!t.real.empty()) t.real[i] = value.real;
  if (!t.imaginary.empty()) t.imaginary[i] = value.imaginary;
  if (!t.integer.empty()) t.integer[i] = value.integer;
}

Shape row_major_strides(std::span<const std::int64_t> shape) {
  Shape strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= shape[d];
  }
  return strides;
}

bool next_index(std::span<const std::int64_t> shape, std::span<std::int64_t> index) {
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (++index[d] < shape[d]) return true;
    index[d] = 0;
  }
  return false;
}

std::vector<std::int64_t> strided_positions(std::span<const std::int64_t> shape, std::int64_t start,
                                            std::span<const std::int64_t> strides) {
  std::vector<std::int64_t> positions(static_cast<std::size_t>(count_of(shape)));
  Shape index(shape.size());
  for (std::int64_t& position : positions) {
    position = start;
    for (std::size_t d = 0; d < shape.size(); ++d) position += index[d] * strides[d];
    next_index(shape, index);
  }
  return positions;
}

Tensor take(const Tensor& source, Shape shape, const std::vector<std::int64_t>& positions, const Tensor* fill) {
  Tensor result = make_tensor(source.type, std::move(shape));
  const Scalar other = fill && fill->count() > 0 ? get(*fill, 0) : Scalar();
  take_column(source.real, positions, other.real, result.real);
  take_column(source.imaginary, positions, other.imaginary, result.imaginary);
  take_column(source.integer, positions, other.integer, result.integer);
  return result;
}

void put(Tensor& destination, const std::vector<std::int64_t>& positions, const Tensor& source) {
  put_column(destination.real, positions, source.real);
  put_column(destination.imaginary, positions, source.imaginary);
  put_column(destination.integer, positions, source.integer);
}

Tensor from_bytes(ElementType type, std::vector<std::int64_t> shape, std::span<const std::byte> bytes) {
  Tensor t = make_tensor(type, std::move(shape));
  const std::size_t width = static_cast<std::size_t>(byte_width(type));
  const std::size_t count = std::min(static_cast<std::size_t>(t.count()), width ? bytes.size() / width : 0);
  const ElementType part = part_of(type);
  for (std::size_t i = 0; i < count; ++i) {
    if (is_complex(type)) {
      t.real[i] = load_double(part, bytes.data(), 2 * i);
      t.imaginary[i] = load_double(part, bytes.data(), 2 * i + 1);
    } else if (is_float(type)) {
      t.real[i] = load_double(type, bytes.data(), i);
    } else {
      t.integer[i] = load_int(type, bytes.data(), i);
    }
  }
  return t;
}

std::vector<std::byte> to_bytes(const Tensor& t) {
  const std::size_t count = static_cast<std::size_t>(t.count());
  std::vector<std::byte> bytes(count * static_cast<std::size_t>(byte_width(t.type)));
  const ElementType part = part_of(t.type);
  for (std::size_t i = 0; i < count; ++i) {
    if (is_complex(t.type)) {
      store_double(part, bytes.data(), 2 * i, t.real[i]);
      store_double(part, bytes.data(), 2 * i + 1, t.imaginary[i]);
    } else if (is_float(t.type)) {
      store_double(t.type, bytes.data(), i, t.real[i]);
    } else {
      store_int(t.type, bytes.data(), i, t.integer[i]);
    }
  }
  return bytes;
}

}  // namespace openneuron::ref
