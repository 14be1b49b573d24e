// The PE: LoadStationary, Matmul with its stated sum orders, Transpose.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "num/convert.h"
#include "ref/tile_compute.h"

namespace openneuron::ref {
namespace {

using isa::Instruction;
using isa::Opcode;

constexpr std::int64_t kChunk = 32;  // k's of one pair of even and odd chains

Result<float> load_float(const View& view, std::int64_t p, std::int64_t i) {
  auto bytes = view.read(p, i);
  if (!bytes) return bytes.failure();
  return static_cast<float>(load_double(view.type(), *bytes, 0));
}

// A subnormal is zero, with its sign.
float flushed(float x) { return std::fabs(x) < std::numeric_limits<float>::min() ? std::copysign(0.0f, x) : x; }

// One chain over k from zero, in order.
float wide_sum(const std::vector<float>& a, const std::vector<float>& b) {
  float sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum = std::fma(a[k], b[k], sum);
  return sum;
}

// Per 32 k: a chain over the even and one over the odd k from zero, k padded with zeros; then C + (even + odd).
// Subnormal operands and results are zero.
float narrow_sum(const std::vector<float>& a, const std::vector<float>& b, float c) {
  const std::int64_t count = static_cast<std::int64_t>(a.size());
  c = flushed(c);
  for (std::int64_t first = 0; first < count; first += kChunk) {
    float chain[2] = {0, 0};
    for (std::int64_t k = first; k < first + kChunk; ++k) {
      const float x = k < count ? flushed(a[static_cast<std::size_t>(k)]) : 0;
      const float y = k < count ? flushed(b[static_cast<std::size_t>(k)]) : 0;
      float& sum = chain[k % 2];
      sum = flushed(std::fma(x, y, sum));
    }
    c = flushed(c + flushed(chain[0] + chain[1]));
  }
  return c;
}

Result<void> load_stationary(const Instruction& in, Execution& e) {
  auto source = View::resolve(in.operands[0], e.module, e.memory, e.core);
  if (!source) return source.failure();
  if (!is_float(source->type()) || byte_width(source->type()) > 4)
    return tile_failure(Code::OracleTileUnsupported, e.core, "the PE multiplies floats of up to 32 bits");
  e.stationary.rows = source->partitions();
  e.stationary.columns = source->free_count();
  e.stationary.type = source->type();
  e.stationary.values.clear();
  for (std::int64_t k = 0; k < source->partitions(); ++k)
    for (std::int64_t m = 0; m < source->free_count(); ++m) {
      auto value = load_float(*source, k, m);
      if (!value) return value.failure();
      e.stationary.values.push_back(*value);
    }
  return {};
}

Result<void> matmul(const Instruction& in, Execution& e) {
  auto destination = View::resolve(in.operands[0], e.module, e.memory, e.core);
  if (!destination) return destination.failure();
  auto moving = View::resolve(in.operands[1], e.module, e.memory, e.core);
  if (!moving) return moving.failure();
  const Stationary& s = e.stationary;
  const bool accumulate = in.params[0] != 0;
  if (s.type == ElementType::None)
    return tile_failure(Code::OracleTileUnwritten, e.core, "no stationary tile is loaded");
  const bool wide = s.type == ElementType::F32;
  if (!is_float(moving->type()) || wide != (moving->type() == ElementType::F32) ||
      destination->type() != ElementType::F32)
    return tile_failure(Code::OracleTileUnsupported, e.core, "both operands are fp32, or both are of 16 or 8 bits; sums are fp32");
  if (moving->partitions() != s.rows || destination->partitions() != s.columns ||
      destination->free_count() != moving->free_count())
    return tile_failure(Code::OracleTileUnsupported, e.core, "the sizes of stationary, moving and destination differ");
  const std::size_t k_count = static_cast<std::size_t>(s.rows);
  std::vector<std::vector<float>> columns(static_cast<std::size_t>(s.columns), std::vector<float>(k_count));
  for (std::size_t k = 0; k < k_count; ++k)
    for (std::size_t m = 0; m < columns.size(); ++m) columns[m][k] = s.values[k * columns.size() + m];
  std::vector<float> vector(k_count);
  for (std::int64_t n = 0; n < moving->free_count(); ++n) {
    for (std::size_t k = 0; k < k_count; ++k) {
      auto value = load_float(*moving, static_cast<std::int64_t>(k), n);
      if (!value) return value.failure();
      vector[k] = *value;
    }
    for (std::size_t m = 0; m < columns.size(); ++m) {
      const std::int64_t row = static_cast<std::int64_t>(m);
      float before = 0;
      if (accumulate) {
        auto value = load_float(*destination, row, n);
        if (!value) return value.failure();
        before = *value;
      }
      const float sum = wide ? before + wide_sum(columns[m], vector) : narrow_sum(columns[m], vector, before);
      auto to = destination->write(row, n);
      if (!to) return to.failure();
      std::memcpy(*to, &sum, sizeof sum);
    }
  }
  return {};
}

Result<void> transpose(const Instruction& in, Execution& e) {
  auto destination = View::resolve(in.operands[0], e.module, e.memory, e.core);
  if (!destination) return destination.failure();
  auto source = View::resolve(in.operands[1], e.module, e.memory, e.core);
  if (!source) return source.failure();
  if (source->width() != destination->width() || source->partitions() != destination->free_count() ||
      source->free_count() != destination->partitions())
    return tile_failure(Code::OracleTileUnsupported, e.core, "the sizes of source and destination differ");
  for (std::int64_t p = 0; p < source->partitions(); ++p)
    for (std::int64_t f = 0; f < source->free_count(); ++f) {
      auto from = source->read(p, f);
      if (!from) return from.failure();
      std::byte element[16];
      std::memcpy(element, *from, static_cast<std::size_t>(source->width()));
      auto to = destination->write(f, p);
      if (!to) return to.failure();
      std::memcpy(*to, element, static_cast<std::size_t>(source->width()));
    }
  return {};
}

}  // namespace

Result<void> run_matrix(const Instruction& in, Execution& e) {
  switch (in.opcode) {
    case Opcode::LoadStationary: return load_stationary(in, e);
    case Opcode::Matmul: return matmul(in, e);
    default: return transpose(in, e);
  }
}

// Elements in row-major order of (partition, free dims). `indirect` 1: the source's rows start where the offsets say;
// 2: the destination's.
Result<void> run_transfer(const Instruction& in, Execution& e) {
  auto destination = View::resolve(in.operands[0], e.module, e.memory, e.core);
  if (!destination) return destination.failure();
  auto source = View::resolve(in.operands[1], e.module, e.memory, e.core);
  if (!source) return source.failure();
  const int indirect = in.params[0];
  const bool skip = in.params[1] != 0;
  if (destination->count() != source->count() || indirect < 0 || indirect > 2)
    return tile_failure(Code::OracleTileUnsupported, e.core,
                        "the source has " + std::to_string(source->count()) + " elements, the destination " +
                            std::to_string(destination->count()));
  std::vector<bool> left_out;
  std::int64_t row_length = 1;
  if (indirect != 0) {
    View& moved = indirect == 1 ? *source : *destination;
    const isa::Operand& operand = in.operands[indirect == 1 ? 1 : 0];
    auto offsets = View::resolve(in.operands[2], e.module, e.memory, e.core);
    if (!offsets) return offsets.failure();
    if (offsets->free_count() != 1 || offsets->partitions() != moved.partitions())
      return tile_failure(Code::OracleTileUnsupported, e.core, "there is not one offset per partition");
    row_length = moved.free_count();
    left_out.resize(static_cast<std::size_t>(moved.partitions()));
    for (std::int64_t p = 0; p < moved.partitions(); ++p) {
      auto bytes = offsets->read(p, 0);
      if (!bytes) return bytes.failure();
      const std::int64_t offset = load_int(offsets->type(), *bytes, 0);
      const bool inside = offset >= 0 && offset < operand.indirect_limit;
      if (!inside && !skip)
        return tile_failure(Code::OracleTileOffset, e.core,
                            "offset " + std::to_string(offset) + " of partition " + std::to_string(p) +
                                "; the limit is " + std::to_string(operand.indirect_limit));
      left_out[static_cast<std::size_t>(p)] = !inside;
      // The row starts at start + offset * stride, wherever partition p would start.
      if (inside) moved.shift_row(p, offset * operand.indirect_stride - p * operand.partition_stride);
    }
  }
  for (std::int64_t at = 0; at < source->count(); ++at) {
    if (indirect != 0 && left_out[static_cast<std::size_t>(at / row_length)]) continue;
    auto from = source->read(at / source->free_count(), at % source->free_count());
    if (!from) return from.failure();
    std::byte element[16];
    std::memcpy(element, *from, static_cast<std::size_t>(source->width()));
    auto to = destination->write(at / destination->free_count(), at % destination->free_count());
    if (!to) return to.failure();
    if (source->type() == destination->type()) {
      std::memcpy(*to, element, static_cast<std::size_t>(source->width()));
    } else {
      convert_elements(source->type(), element, destination->type(), *to, 1);
    }
  }
  return {};
}

}  // namespace openneuron::ref
