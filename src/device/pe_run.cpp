#include "device/pe_run.h"

#include <algorithm>
#include <cstring>
#include <numeric>

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
  panels_.clear();
  forget();
}

void PeRun::forget() {
  entries_.clear();
  sums_.clear();
  pieces_.clear();
  unpacked_.clear();
  panels_.release();
  work_ = 0;
}

void PeRun::load(Core& core, const HostOperand& source, const View& view) {
  Stationary& s = core.stationary;
  s.loaded = true;
  s.held = false;
  s.source = &source;
  s.view = view;
}

void PeRun::set_apart(const HostOperand& to, const View& view) {
  if (std::any_of(sums_.begin(), sums_.end(), [&](const Sum& sum) {
        return !same_place(*sum.to, sum.view, to, view) && !disjoint(*sum.to, sum.view, to, view);
      }))
    execute();
}

std::uint32_t PeRun::sum_of(const HostOperand& to, const View& view) {
  for (std::size_t i = sums_.size(); i-- > 0;)
    if (same_place(*sums_[i].to, sums_[i].view, to, view)) return static_cast<std::uint32_t>(i);
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
  set_apart(operands[0], views[0]);
  Product product{&stationary, s.view, &operands[1], views[1], op.params[0] != 0,
                  row_form(*context_.kernels, stationary.type, operands[1].type)};
  if (const std::size_t width = width_of(product); worth_packing(*context_.kernels, product) && panels_.fits(operands[1], width, product.form)) {
    product.slot = panels_.take(core, operands[1], views[1], width, product.form);
    if (product.slot == Panels::kNone) {
      execute();
      product.slot = panels_.take(core, operands[1], views[1], width, product.form);
    }
  }
  Sum& sum = sums_[sum_of(operands[0], views[0])];
  const auto entry = static_cast<std::uint32_t>(entries_.size());
  entries_.push_back({product, kNone});
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

std::size_t PeRun::width_of(const Product& p) const {
  return static_cast<std::size_t>((is_small(p.moving->type) ? context_.kernels->tile_16 : context_.kernels->tile_32).columns);
}

// By columns where whole panels make pieces of about one size, else by rows too: the largest piece is to be small.
void PeRun::divide(std::uint32_t index, std::size_t pieces) {
  const Sum& sum = sums_[index];
  const Product& p = entries_[sum.first].product;
  const auto m = static_cast<std::size_t>(sum.to->partitions), n = static_cast<std::size_t>(sum.to->walk.count);
  const TileShape tile = is_small(p.moving->type) ? context_.kernels->tile_16 : context_.kernels->tile_32;
  // Products of one sum may be of both kinds: blocks begin where panels of either do.
  const auto width = static_cast<std::size_t>(std::lcm(context_.kernels->tile_16.columns, context_.kernels->tile_32.columns));
  const std::size_t most_rows = std::max<std::size_t>(1, m / static_cast<std::size_t>(tile.rows)),
                    panels = (n + width - 1) / width;
  std::size_t columns = 1, rows = 1, least = m * n + 1;
  for (std::size_t c = std::min(pieces, panels); c > 0; --c) {
    const std::size_t r = std::min((pieces + c - 1) / c, most_rows);
    const std::size_t largest = std::min(n, (panels + c - 1) / c * width) * ((m + r - 1) / r);
    if (largest >= least) continue;
    columns = c;
    rows = r;
    least = largest;
  }
  const auto cut = [&](std::size_t i) { return std::min(n, panels * i / columns * width); };
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) {
      const std::size_t row = m * r / rows, column = cut(c);
      pieces_.push_back({index, {row, m * (r + 1) / rows - row, column, cut(c + 1) - column}});
    }
}

void PeRun::pack(bool parallel) {
  for (const Entry& entry : entries_)
    if (const std::uint32_t slot = entry.product.slot; slot != Panels::kNone && !panels_.packed(slot)) {
      unpacked_.push_back(slot);
      panels_.set_packed(slot);
    }
  // Rows of each tile in so many parts, tile by tile.
  const std::size_t parts = parallel ? static_cast<std::size_t>(context_.threads->count()) : 1;
  const auto part = [&](std::size_t index) {
    const std::uint32_t slot = unpacked_[index / parts];
    const std::size_t rows = panels_.rows(slot), i = index % parts;
    panels_.pack(*context_.kernels, slot, rows * i / parts, rows * (i + 1) / parts);
  };
  if (parallel)
    context_.threads->run(unpacked_.size() * parts, part);
  else
    for (std::size_t i = 0; i < unpacked_.size(); ++i) part(i);
}

void PeRun::execute() {
  if (entries_.empty()) return;
  const auto threads = static_cast<std::size_t>(context_.threads->count());
  const bool parallel = threads > 1 && work_ >= kSmallRun;
  // A few sums that threads cannot share evenly are all divided.
  const bool few = sums_.size() < 4 * threads && sums_.size() % threads != 0;
  for (std::size_t i = 0; i < sums_.size(); ++i)
    divide(static_cast<std::uint32_t>(i), !parallel ? 1 : few ? threads : (threads * sums_[i].work + work_ - 1) / work_);
  pack(parallel);
  const auto piece = [this](std::size_t index) {
    const Piece& mine = pieces_[index];
    const Sum& sum = sums_[mine.sum];
    BlockSum block(*context_.kernels, panels_, *sum.to, sum.view, mine.block);
    for (std::uint32_t e = sum.first; e != kNone; e = entries_[e].next) {
      const std::uint32_t next = entries_[e].next;
      block.add(entries_[e].product, next == kNone ? nullptr : &entries_[next].product);
    }
    block.finish();
  };
  if (parallel)
    context_.threads->run(pieces_.size(), piece);
  else
    for (std::size_t i = 0; i < pieces_.size(); ++i) piece(i);
  forget();
}

void PeRun::flush(Core& core) {
  execute();
  core.stationary.hold();
  if (context_.code->cores.size() > 1) panels_.clear();  // another core's writes would pass unseen
}

}  // namespace openneuron::device
