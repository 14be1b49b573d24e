// Rows found by offsets and added to, rows judged by their contents, collectives; written from the words of isa.def.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "num/convert.h"
#include "ref/tile_compute.h"

namespace openneuron::ref {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::OperandKind;

using Bytes = std::vector<std::byte>;

Result<Bytes> element(const View& view, std::int64_t p, std::int64_t i) {
  auto from = view.read(p, i);
  if (!from) return from.failure();
  return Bytes(*from, *from + view.width());
}
Result<std::vector<Bytes>> row_of(const View& view, std::int64_t p) {
  std::vector<Bytes> row;
  for (std::int64_t i = 0; i < view.free_count(); ++i) {
    auto bytes = element(view, p, i);
    if (!bytes) return bytes.failure();
    row.push_back(std::move(*bytes));
  }
  return row;
}
Result<void> put(const View& view, std::int64_t p, std::int64_t i, const Bytes& bytes) {
  auto to = view.write(p, i);
  if (!to) return to.failure();
  std::copy(bytes.begin(), bytes.end(), *to);
  return {};
}

// -NaN < -inf < ... < -0 < +0 < ... < inf < NaN.
bool below_in_total_order(float a, float b) {
  const auto rank = [](float x) { return std::isnan(x) ? (std::signbit(x) ? -1 : 1) : 0; };
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  std::int32_t x, y;
  std::memcpy(&x, &a, sizeof x);
  std::memcpy(&y, &b, sizeof y);
  if (rank(a) != 0 || a == b) return std::signbit(a) == std::signbit(b) ? (std::signbit(a) ? x > y : x < y) : std::signbit(a);
  return a < b;
}
// Zeros are equal, NaNs are equal and above all else.
bool below_as_numbers(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
  return a < b;
}

float real(ElementType type, const Bytes& bytes) {
  if (type != ElementType::F32) return static_cast<float>(load_double(type, bytes.data(), 0));
  float x;  // a NaN keeps its bits
  std::memcpy(&x, bytes.data(), sizeof x);
  return x;
}

Result<void> dma_compute(const Instruction& in, Execution& e) {
  auto destination = View::resolve(in.operands[0], e.module, e.memory, e.core);
  if (!destination) return destination.failure();
  auto source = View::resolve(in.operands[1], e.module, e.memory, e.core);
  if (!source) return source.failure();
  auto offsets = View::resolve(in.operands[2], e.module, e.memory, e.core);
  if (!offsets) return offsets.failure();
  const isa::Operand& moved = in.operands[0];
  const bool real_sum = is_float(destination->type()) || is_float(source->type());
  const bool is_unsigned = type_class(destination->type()) == TypeClass::Unsigned;
  for (std::int64_t p = 0; p < destination->partitions(); ++p) {
    auto at = offsets->read(p, 0);
    if (!at) return at.failure();
    const std::int64_t offset = load_int(offsets->type(), *at, 0);
    if (offset < 0 || offset >= moved.indirect_limit) {
      if (in.params[0] != 0) continue;
      return tile_failure(Code::OracleTileOffset, e.core,
                          "offset " + std::to_string(offset) + " of partition " + std::to_string(p) + "; the limit is " +
                              std::to_string(moved.indirect_limit));
    }
    destination->shift_row(p, offset * moved.indirect_stride - p * moved.partition_stride);
    auto added = row_of(*source, p);
    if (!added) return added.failure();
    auto present = row_of(*destination, p);
    if (!present) return present.failure();
    for (std::size_t i = 0; i < present->size(); ++i) {
      const Bytes &a = (*present)[i], &b = (*added)[i];
      Bytes sum(a.size());
      if (real_sum) {
        // The fp32 sum of two fp32 values, whose float64 sum is not rounded twice: 53 >= 2 * 24 + 2.
        const auto value = [](ElementType type, const Bytes& x) {
          return is_float(type) ? load_double(type, x.data(), 0)
                                : static_cast<double>(static_cast<float>(load_int(type, x.data(), 0)));
        };
        const auto total = static_cast<float>(value(destination->type(), a) + value(source->type(), b));
        convert_elements(ElementType::F32, reinterpret_cast<const std::byte*>(&total), destination->type(), sum.data(), 1);
      } else {
        const auto total = static_cast<std::uint32_t>(load_int(destination->type(), a.data(), 0) + load_int(source->type(), b.data(), 0));
        convert_elements(is_unsigned ? ElementType::U32 : ElementType::I32, reinterpret_cast<const std::byte*>(&total), destination->type(), sum.data(), 1);
      }
      ON_TRY(put(*destination, p, static_cast<std::int64_t>(i), sum));
    }
  }
  return {};
}

Result<void> max8(const Instruction& in, Execution& e) {
  auto destination = View::resolve(in.operands[0], e.module, e.memory, e.core);
  if (!destination) return destination.failure();
  auto data = View::resolve(in.operands[1], e.module, e.memory, e.core);
  if (!data) return data.failure();
  for (std::int64_t p = 0; p < data->partitions(); ++p) {
    auto row = row_of(*data, p);
    if (!row) return row.failure();
    std::stable_sort(row->begin(), row->end(), [&](const Bytes& a, const Bytes& b) {
      return below_in_total_order(real(data->type(), b), real(data->type(), a));
    });
    for (std::int64_t i = 0; i < 8; ++i) ON_TRY(put(*destination, p, i, (*row)[static_cast<std::size_t>(i)]));
  }
  return {};
}

Result<void> find_index8(const Instruction& in, Execution& e) {
  auto destination = View::resolve(in.operands[0], e.module, e.memory, e.core);
  if (!destination) return destination.failure();
  auto data = View::resolve(in.operands[1], e.module, e.memory, e.core);
  if (!data) return data.failure();
  auto values = View::resolve(in.operands[2], e.module, e.memory, e.core);
  if (!values) return values.failure();
  const auto bits = [](ElementType type, const Bytes& bytes) {
    const float x = real(type, bytes);
    std::uint32_t b;
    std::memcpy(&b, &x, sizeof b);
    return b;
  };
  for (std::int64_t p = 0; p < data->partitions(); ++p) {
    auto row = row_of(*data, p);
    if (!row) return row.failure();
    auto wanted = row_of(*values, p);
    if (!wanted) return wanted.failure();
    std::vector<bool> taken(row->size(), false);
    for (std::size_t j = 0; j < wanted->size(); ++j) {
      std::uint32_t index = ~0u;
      for (std::size_t i = 0; i < row->size() && index == ~0u; ++i)
        if (!taken[i] && bits(data->type(), (*row)[i]) == bits(values->type(), (*wanted)[j])) {
          index = static_cast<std::uint32_t>(i);
          taken[i] = true;
        }
      Bytes bytes(static_cast<std::size_t>(destination->width()));
      store_int(destination->type(), bytes.data(), 0, destination->type() == ElementType::U16 ? index & 0xFFFFu : index);
      ON_TRY(put(*destination, p, static_cast<std::int64_t>(j), bytes));
    }
  }
  return {};
}

Result<void> sort(const Instruction& in, Execution& e) {
  const std::size_t sides = in.operands[3].kind == OperandKind::Memory ? 2 : 1;
  std::vector<View> to, from;
  for (std::size_t side = 0; side < sides; ++side) {
    auto destination = View::resolve(in.operands[side], e.module, e.memory, e.core);
    if (!destination) return destination.failure();
    auto source = View::resolve(in.operands[side + 2], e.module, e.memory, e.core);
    if (!source) return source.failure();
    to.push_back(std::move(*destination));
    from.push_back(std::move(*source));
  }
  const ElementType type = from[0].type();
  const auto below = [&](const Bytes& a, const Bytes& b) {
    if (!is_float(type)) return load_int(type, a.data(), 0) < load_int(type, b.data(), 0);
    return in.params[1] ? below_in_total_order(real(type, a), real(type, b)) : below_as_numbers(real(type, a), real(type, b));
  };
  for (std::int64_t p = 0; p < from[0].partitions(); ++p) {
    std::vector<std::vector<Bytes>> rows;
    for (const View& view : from) {
      auto row = row_of(view, p);
      if (!row) return row.failure();
      rows.push_back(std::move(*row));
    }
    std::vector<std::size_t> order(rows[0].size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return in.params[0] ? below(rows[0][b], rows[0][a]) : below(rows[0][a], rows[0][b]);
    });
    for (std::size_t side = 0; side < sides; ++side)
      for (std::size_t i = 0; i < order.size(); ++i)
        ON_TRY(put(to[side], p, static_cast<std::int64_t>(i), rows[side][order[i]]));
  }
  return {};
}

// One core: partition 0, whose group holds it alone.
Result<void> collective(const Instruction& in, Execution& e) {
  auto to = View::resolve(in.operands[0], e.module, e.memory, e.core);
  if (!to) return to.failure();
  auto from = View::resolve(in.operands[1], e.module, e.memory, e.core);
  if (!from) return from.failure();
  auto groups = View::resolve(in.operands[2], e.module, e.memory, e.core);
  if (!groups) return groups.failure();
  bool named = false;
  for (std::int64_t g = 0; g < groups->partitions(); ++g)
    for (std::int64_t i = 0; i < groups->free_count(); ++i) {
      auto bytes = element(*groups, g, i);
      if (!bytes) return bytes.failure();
      const std::int64_t partition = load_int(ElementType::I32, bytes->data(), 0);
      if (partition > 0) return tile_failure(Code::OracleTileUnsupported, e.core, "the oracle is one core, and the collective meets others");
      named = named || partition == 0;
    }
  const auto kind = static_cast<isa::CollectiveKind>(in.params[0]);
  const bool moves = kind == isa::CollectiveKind::Permute || kind == isa::CollectiveKind::Broadcast;
  for (std::int64_t i = 0; i < to->free_count(); ++i) {
    auto bytes = element(*from, 0, i);
    if (!bytes) return bytes.failure();
    if (moves && !named) bytes->assign(bytes->size(), std::byte{0});
    ON_TRY(put(*to, 0, i, *bytes));
  }
  return {};
}

Result<void> rank_id(const Instruction& in, Execution& e) {
  auto to = View::resolve(in.operands[0], e.module, e.memory, e.core);
  if (!to) return to.failure();
  return put(*to, 0, 0, Bytes(4, std::byte{0}));
}

}  // namespace

Result<void> run_rows(const Instruction& in, Execution& e) {
  switch (in.opcode) {
    case Opcode::DmaCompute: return dma_compute(in, e);
    case Opcode::Max8: return max8(in, e);
    case Opcode::FindIndex8: return find_index8(in, e);
    case Opcode::Collective: return collective(in, e);
    case Opcode::RankId: return rank_id(in, e);
    default: return sort(in, e);
  }
}

}  // namespace openneuron::ref
