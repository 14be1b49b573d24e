#include "runtime/collective_work.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "num/convert.h"

namespace openneuron::runtime {
namespace {

using device::CollectiveCall;
using isa::AluOp;
using isa::CollectiveKind;

template <class T>
T unsigned_or_float(AluOp op, T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    switch (op) {
      case AluOp::Add: return a + b;
      case AluOp::Multiply: return a * b;
      // NaN wins, -0 is below +0.
      case AluOp::Max: return std::isnan(a) ? a : std::isnan(b) ? b : a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
      case AluOp::Min: return std::isnan(a) ? a : std::isnan(b) ? b : a == b ? (std::signbit(a) ? a : b) : std::min(a, b);
      default: return a;
    }
  } else {
    using U = std::make_unsigned_t<T>;
    const auto x = static_cast<U>(a), y = static_cast<U>(b);
    switch (op) {
      case AluOp::Add: return static_cast<T>(x + y);
      // In 64 bits: a product of 16-bit numbers would become a signed int.
      case AluOp::Multiply: return static_cast<T>(static_cast<U>(static_cast<std::uint64_t>(x) * y));
      case AluOp::Max: return std::max(a, b);
      case AluOp::Min: return std::min(a, b);
      case AluOp::BitAnd: return static_cast<T>(x & y);
      case AluOp::BitOr: return static_cast<T>(x | y);
      case AluOp::BitXor: return static_cast<T>(x ^ y);
      default: return a;
    }
  }
}

// `op` is taken out of the loop for sums, which are most of all collectives.
template <class T>
void combine_as(AluOp op, std::span<const std::byte* const> sources, std::byte* destination, std::size_t n) {
  auto* to = reinterpret_cast<T*>(destination);
  std::memcpy(destination, sources[0], n * sizeof(T));
  for (const std::byte* source : sources.subspan(1)) {
    const auto* from = reinterpret_cast<const T*>(source);
    if (op == AluOp::Add)
      for (std::size_t i = 0; i < n; ++i) to[i] = unsigned_or_float(AluOp::Add, to[i], from[i]);
    else
      for (std::size_t i = 0; i < n; ++i) to[i] = unsigned_or_float(op, to[i], from[i]);
  }
}

// Narrow floats: each step in fp32, which holds a sum or product of two exactly enough that one rounding is right.
void combine_narrow(AluOp op, ElementType type, std::span<const std::byte* const> sources, std::byte* destination, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    double value = load_double(type, sources[0], i);
    for (const std::byte* source : sources.subspan(1)) value = round_to(type, unsigned_or_float(op, value, load_double(type, source, i)));
    store_double(type, destination, i, value);
  }
}

void combine_bf16(AluOp op, std::span<const std::byte* const> sources, std::byte* destination, std::size_t n) {
  auto* to = reinterpret_cast<std::uint16_t*>(destination);
  std::memcpy(destination, sources[0], n * 2);
  for (const std::byte* source : sources.subspan(1)) {
    const auto* from = reinterpret_cast<const std::uint16_t*>(source);
    for (std::size_t i = 0; i < n; ++i) to[i] = float_to_bf16(unsigned_or_float(op, bf16_to_float(to[i]), bf16_to_float(from[i])));
  }
}

void combine_bool(AluOp op, std::span<const std::byte* const> sources, std::byte* destination, std::size_t n) {
  const bool both = op == AluOp::BitAnd || op == AluOp::LogicalAnd || op == AluOp::Min || op == AluOp::Multiply;
  const bool either = op == AluOp::BitOr || op == AluOp::LogicalOr || op == AluOp::Max || op == AluOp::Add;
  for (std::size_t i = 0; i < n; ++i) {
    bool value = sources[0][i] != std::byte{0};
    for (const std::byte* source : sources.subspan(1)) {
      const bool other = source[i] != std::byte{0};
      value = both ? value && other : either ? value || other : value != other;
    }
    destination[i] = static_cast<std::byte>(value);
  }
}

}  // namespace

void combine(AluOp op, ElementType type, std::span<const std::byte* const> sources, std::byte* destination, std::size_t n) {
  switch (type) {
    case ElementType::F32: return combine_as<float>(op, sources, destination, n);
    case ElementType::F64: return combine_as<double>(op, sources, destination, n);
    case ElementType::BF16: return combine_bf16(op, sources, destination, n);
    case ElementType::I8: return combine_as<std::int8_t>(op, sources, destination, n);
    case ElementType::U8: return combine_as<std::uint8_t>(op, sources, destination, n);
    case ElementType::I16: return combine_as<std::int16_t>(op, sources, destination, n);
    case ElementType::U16: return combine_as<std::uint16_t>(op, sources, destination, n);
    case ElementType::I32: return combine_as<std::int32_t>(op, sources, destination, n);
    case ElementType::U32: return combine_as<std::uint32_t>(op, sources, destination, n);
    case ElementType::I64: return combine_as<std::int64_t>(op, sources, destination, n);
    case ElementType::U64: return combine_as<std::uint64_t>(op, sources, destination, n);
    case ElementType::I1: return combine_bool(op, sources, destination, n);
    default: return combine_narrow(op, type, sources, destination, n);
  }
}

void run_piece(const std::vector<const CollectiveCall*>& calls, std::span<const std::int64_t> members, std::size_t piece) {
  const CollectiveCall& own = *calls[piece];
  const std::size_t bytes = own.source.size(), count = calls.size();
  const auto width = static_cast<std::size_t>(byte_width(own.type));
  const auto copy = [](std::byte* to, const std::byte* from, std::size_t n) {
    if (n > 0) std::memcpy(to, from, n);
  };
  // Reductions go from the lowest partition to the highest, whatever the order of the group.
  const auto reduce = [&](std::size_t first, std::size_t n, std::byte* to) {
    std::vector<std::size_t> order(count);
    for (std::size_t m = 0; m < count; ++m) order[m] = m;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return members[a] < members[b]; });
    std::vector<const std::byte*> sources;
    for (std::size_t m : order) sources.push_back(calls[m]->source.data() + first);
    if (n > 0) combine(own.op, own.type, sources, to, n / width);
  };
  switch (own.kind) {
    case CollectiveKind::AllReduce: {
      const std::size_t elements = bytes / width, first = elements * piece / count * width, last = elements * (piece + 1) / count * width;
      reduce(first, last - first, own.destination.data() + first);
      for (std::size_t m = 0; m < count; ++m)
        if (m != piece) copy(calls[m]->destination.data() + first, own.destination.data() + first, last - first);
      return;
    }
    case CollectiveKind::ReduceScatter: return reduce(own.destination.size() * piece, own.destination.size(), own.destination.data());
    case CollectiveKind::AllGather:
      for (std::size_t m = 0; m < count; ++m) copy(own.destination.data() + m * bytes, calls[m]->source.data(), bytes);
      return;
    case CollectiveKind::AllToAll: {
      const std::size_t part = bytes / count;
      for (std::size_t m = 0; m < count; ++m) copy(own.destination.data() + m * part, calls[m]->source.data() + piece * part, part);
      return;
    }
    case CollectiveKind::Broadcast: {
      // A core in no group gets zeros.
      const bool grouped = std::find(own.groups.begin(), own.groups.end(), members[piece]) != own.groups.end();
      if (grouped) return copy(own.destination.data(), calls[0]->source.data(), bytes);
      std::fill(own.destination.begin(), own.destination.end(), std::byte{0});
      return;
    }
    case CollectiveKind::Permute:
      for (std::size_t pair = 0; pair + 1 < own.groups.size(); pair += 2) {
        if (own.groups[pair + 1] != members[piece]) continue;
        const auto from = static_cast<std::size_t>(std::find(members.begin(), members.end(), own.groups[pair]) - members.begin());
        return copy(own.destination.data(), calls[from]->source.data(), bytes);
      }
      std::fill(own.destination.begin(), own.destination.end(), std::byte{0});
      return;
  }
}

}  // namespace openneuron::runtime
