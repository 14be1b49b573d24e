#include "partition/sharding.h"

#include <algorithm>
#include <numeric>

#include "partition/cursor.h"

namespace openneuron::partition {
namespace {

std::int64_t product(std::span<const std::int64_t> values) {
  std::int64_t n = 1;
  for (std::int64_t v : values) n *= v;
  return n;
}

std::string list(std::span<const std::int64_t> values) {
  std::string text;
  for (std::int64_t v : values) text += (text.empty() ? "" : ",") + std::to_string(v);
  return text;
}

void put_varint(std::vector<std::byte>& out, std::uint64_t value) {
  for (; value >= 128; value >>= 7) out.push_back(static_cast<std::byte>(value | 128));
  out.push_back(static_cast<std::byte>(value));
}
// A packed repeated int64 field.
void put_packed(std::vector<std::byte>& out, std::uint32_t field, std::span<const std::int64_t> values) {
  std::vector<std::byte> packed;
  for (std::int64_t v : values) put_varint(packed, static_cast<std::uint64_t>(v));
  put_varint(out, field << 3 | 2);
  put_varint(out, packed.size());
  out.insert(out.end(), packed.begin(), packed.end());
}
void put_number(std::vector<std::byte>& out, std::uint32_t field, std::uint64_t value) {
  put_varint(out, field << 3);
  put_varint(out, value);
}

// The numbers of iota(product of dims) reshaped to `dims` and transposed by `order`, row-major.
std::vector<std::int64_t> iota(std::span<const std::int64_t> dims, std::span<const std::int64_t> order) {
  std::vector<std::int64_t> stride(dims.size(), 1), at(dims.size(), 0), numbers;
  for (std::size_t d = dims.size(); d-- > 1;) stride[d - 1] = stride[d] * dims[d];
  const std::int64_t count = product(dims);
  for (std::int64_t n = 0; n < count; ++n) {
    std::int64_t number = 0;
    for (std::size_t i = 0; i < order.size(); ++i) number += at[i] * stride[static_cast<std::size_t>(order[i])];
    numbers.push_back(number);
    for (std::size_t i = order.size(); i-- > 0;) {
      if (++at[i] < dims[static_cast<std::size_t>(order[i])]) break;
      at[i] = 0;
    }
  }
  return numbers;
}

// Which tile of `s` a partition holds: the row-major number over `tiles`; -1 when none.
std::int64_t tile_of(const Sharding& s, std::int64_t partition) {
  const auto found = std::find(s.holders.begin(), s.holders.end(), partition);
  return found == s.holders.end() ? -1 : found - s.holders.begin();
}

Failure unreadable(std::string_view text, const std::string& what) {
  return fail(Code::PartitionSharding, "sharding '" + std::string(text) + "': " + what);
}

}  // namespace

Sharding tiled(std::vector<std::int64_t> tiles, std::vector<std::int64_t> holders, bool replicate_on_last) {
  const std::size_t rank = tiles.size() - (replicate_on_last ? 1 : 0);
  if (product(std::span(tiles).first(rank)) == 1) return {};
  if (replicate_on_last && tiles.back() == 1) {
    tiles.pop_back();
    replicate_on_last = false;
  }
  return {ShardingKind::Tiled, std::move(tiles), std::move(holders), replicate_on_last};
}

Result<std::vector<std::int64_t>> Sharding::shard_shape(std::span<const std::int64_t> shape) const {
  std::vector<std::int64_t> part(shape.begin(), shape.end());
  if (kind != ShardingKind::Tiled) return part;
  if (rank() != shape.size())
    return fail(Code::PartitionSharding, "sharding " + text() + " is of " + std::to_string(rank()) + " dimensions, its tensor has " + std::to_string(shape.size()));
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (part[d] % tiles[d] != 0)
      return fail(Code::PartitionSharding, "dimension " + std::to_string(d) + " of size " + std::to_string(part[d]) + " is not divisible by the " +
                                               std::to_string(tiles[d]) + " parts of sharding " + text());
    part[d] /= tiles[d];
  }
  return part;
}

std::vector<std::int64_t> Sharding::shard_start(std::span<const std::int64_t> shape, std::int64_t partition) const {
  std::vector<std::int64_t> start(shape.size(), 0);
  if (kind != ShardingKind::Tiled) return start;
  std::int64_t tile = std::max<std::int64_t>(0, tile_of(*this, partition));
  if (replicate_on_last) tile /= tiles.back();
  for (std::size_t d = shape.size(); d-- > 0;) {
    start[d] = tile % tiles[d] * (shape[d] / tiles[d]);
    tile /= tiles[d];
  }
  return start;
}

std::vector<std::byte> Sharding::proto() const {
  enum : std::uint32_t { kType = 1, kTileDims = 3, kDevices = 4, kReplicateOnLast = 6 };
  enum : std::uint64_t { kMaximal = 1, kOther = 3 };
  std::vector<std::byte> out;
  if (kind == ShardingKind::Replicated) return out;
  put_number(out, kType, kind == ShardingKind::Maximal ? kMaximal : kOther);
  const std::int64_t one = 1;
  put_packed(out, kTileDims, kind == ShardingKind::Maximal ? std::span(&one, 1) : std::span<const std::int64_t>(tiles));
  put_packed(out, kDevices, holders);
  if (replicate_on_last) put_number(out, kReplicateOnLast, 1);
  return out;
}

std::string Sharding::text() const {
  if (kind == ShardingKind::Replicated) return "{replicated}";
  if (kind == ShardingKind::Maximal) return "{maximal device=" + list(holders) + "}";
  return "{devices=[" + list(tiles) + "]" + list(holders) + (replicate_on_last ? " last_tile_dim_replicate}" : "}");
}

Result<Sharding> read_hlo_sharding(std::string_view text) {
  Cursor c(text);
  const auto numbers = [&](std::vector<std::int64_t>& out) {
    do {
      std::int64_t n = 0;
      if (!c.integer(n) || n < 0) return false;
      out.push_back(n);
    } while (c.accept(","));
    return true;
  };
  if (!c.accept("{")) return unreadable(text, "it does not begin with a brace");
  if (c.accept("replicated") || c.accept("manual")) return Sharding{};
  Sharding s;
  if (c.accept("maximal device=") || c.accept("maximal")) {
    s.kind = ShardingKind::Maximal;
    c.accept("device=");
    if (!numbers(s.holders) || s.holders.size() != 1) return unreadable(text, "it names no device");
    return s;
  }
  if (!c.accept("devices=[") || !numbers(s.tiles) || !c.accept("]")) return unreadable(text, "no form that is known");
  if (c.accept("<=[")) {
    std::vector<std::int64_t> dims, order;
    if (!numbers(dims) || !c.accept("]")) return unreadable(text, "an iota without dimensions");
    if (c.accept("T(")) {
      if (!numbers(order) || !c.accept(")")) return unreadable(text, "a transposition without an order");
    } else {
      order.resize(dims.size());
      std::iota(order.begin(), order.end(), 0);
    }
    std::vector<std::int64_t> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < sorted.size(); ++i)
      if (sorted.size() != dims.size() || sorted[i] != static_cast<std::int64_t>(i)) return unreadable(text, "its order is no permutation");
    if (product(dims) > (1 << 20)) return unreadable(text, "it names too many devices");
    s.holders = iota(dims, order);
  } else if (!numbers(s.holders)) {
    return unreadable(text, "it lists no devices");
  }
  s.replicate_on_last = c.accept("last_tile_dim_replicate") || c.accept("last_tile_dims={replicated}") || c.accept("last_tile_dims={manual}");
  if (!c.accept("}")) return unreadable(text, "a part of it is not known");
  if (product(s.tiles) != static_cast<std::int64_t>(s.holders.size())) return unreadable(text, "its tiles and its devices disagree in number");
  return tiled(std::move(s.tiles), std::move(s.holders), s.replicate_on_last);
}

}  // namespace openneuron::partition
