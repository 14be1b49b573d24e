#include "device/pe_run.h"

#include <algorithm>
#include <cstring>

#include "device/strips.h"

namespace openneuron::device {
namespace {

// Below this many multiply-adds a run is not worth a barrier between threads.
constexpr std::size_t kSmallRun = std::size_t{1} << 18;

bool same_place(const HostOperand& a, const View& x, const HostOperand& b, const View& y) {
  return x.data == y.data && x.pitch == y.pitch && a.partitions == b.partitions && a.walk == b.walk;
}
bool disjoint(const HostOperand& a, const View& x, const HostOperand& b, const View& y) {
  return x.partition + a.partitions <= y.partition || y.partition + b.partitions <= x.partition ||
         x.byte + a.high <= y.byte + b.low || y.byte + b.high <= x.byte + a.low;
}

}  // namespace

void PeRun::clear() {
  entries_.clear();
  sums_.clear();
  pieces_.clear();
  work_ = 0;
}

void PeRun::load(Core& core, const HostOperand& source, const View& view) {
  Stationary& s = core.stationary;
  s.loaded = true;
  s.held = false;
  s.source = &source;
  s.view = view;
}

std::uint32_t PeRun::sum_of(const HostOperand& to, const View& view) {
  for (std::size_t i = sums_.size(); i-- > 0;)
    if (same_place(*sums_[i].to, sums_[i].view, to, view)) return static_cast<std::uint32_t>(i);
  for (const Sum& sum : sums_)
    if (!disjoint(*sum.to, sum.view, to, view)) {
      execute();
      break;
    }
  sums_.push_back({&to, view, kNone, kNone, 0});
  return static_cast<std::uint32_t>(sums_.size() - 1);
}

Result<void> PeRun::multiply(Core& core, const HostOp& op, const HostOperand* operands, const View* views) {
  const Stationary& s = core.stationary;
  if (!s.loaded)
    return fail(Code::DeviceStationary, place_of(*context_.code, *op.source), "no stationary tile is loaded");
  const HostOperand& stationary = s.operand();
  const auto k = static_cast<std::size_t>(stationary.partitions), m = static_cast<std::size_t>(stationary.walk.count);
  ON_TRY(check_stationary(context_, op, k, m, is_small(stationary.type), operands));
  if (entries_.size() == kMostProducts) execute();
  Sum& sum = sums_[sum_of(operands[0], views[0])];
  const auto entry = static_cast<std::uint32_t>(entries_.size());
  entries_.push_back({{&stationary, s.view, &operands[1], views[1], op.params[0] != 0}, kNone});
  if (sum.first == kNone)
    sum.first = entry;
  else
    entries_[sum.last].next = entry;
  sum.last = entry;
  const std::size_t work = k * m * static_cast<std::size_t>(operands[0].walk.count);
  sum.work += work;
  work_ += work;
  return {};
}

// Along the side whose operand is copied, so that no two threads copy the same rows.
void PeRun::divide(std::uint32_t index, std::size_t pieces) {
  const Sum& sum = sums_[index];
  const Product& p = entries_[sum.first].product;
  const auto m = static_cast<std::size_t>(sum.to->partitions), n = static_cast<std::size_t>(sum.to->walk.count);
  const TileShape tile = is_small(p.moving->type) ? context_.kernels->tile_16 : context_.kernels->tile_32;
  const auto whole = [](std::size_t size, int unit) { return std::max<std::size_t>(1, size / static_cast<std::size_t>(unit)); };
  const std::size_t most_rows = whole(m, tile.rows), most_columns = whole(n, tile.columns);
  const std::size_t stationary = needs_copy(*p.stationary, p.stationary_view) ? m : 0,
                    moving = needs_copy(*p.moving, p.moving_view) ? n : 0;
  std::size_t rows = 1, columns = 1;
  if (stationary > moving) {
    rows = std::min(pieces, most_rows);
    columns = std::min((pieces + rows - 1) / rows, most_columns);
  } else {
    columns = std::min(pieces, most_columns);
    rows = std::min((pieces + columns - 1) / columns, most_rows);
  }
  // Columns are cut where a vector ends.
  const auto cut = [&](std::size_t i) { return i == columns ? n : n * i / columns / 16 * 16; };
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) {
      const std::size_t row = m * r / rows, column = cut(c);
      pieces_.push_back({index, {row, m * (r + 1) / rows - row, column, cut(c + 1) - column}});
    }
}

void PeRun::execute() {
  if (entries_.empty()) return;
  const auto threads = static_cast<std::size_t>(context_.threads->count());
  const bool parallel = threads > 1 && work_ >= kSmallRun;
  for (std::size_t i = 0; i < sums_.size(); ++i)
    divide(static_cast<std::uint32_t>(i), parallel ? (threads * sums_[i].work + work_ - 1) / work_ : 1);
  const auto piece = [this](std::size_t index) {
    const Piece& mine = pieces_[index];
    const Sum& sum = sums_[mine.sum];
    BlockSum block(*context_.kernels, *sum.to, sum.view, mine.block);
    for (std::uint32_t e = sum.first; e != kNone; e = entries_[e].next) block.add(entries_[e].product);
    block.finish();
  };
  if (parallel)
    context_.threads->run(pieces_.size(), piece);
  else
    for (std::size_t i = 0; i < pieces_.size(); ++i) piece(i);
  clear();
}

void PeRun::flush(Core& core) {
  execute();
  core.stationary.hold();
}

}  // namespace openneuron::device
