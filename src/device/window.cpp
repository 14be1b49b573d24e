#include "device/window.h"

#include <algorithm>
#include <cstring>

#include "device/strips.h"
#include "device/summed_products.h"

namespace openneuron::device {
namespace {

// A block's rows of all operations of a turn stay in the second-level cache.
constexpr std::int64_t kBlockBytes = 384 * 1024;
// Rows this long pass a few partitions at a time: few enough for the cache, enough for what an operation costs beside them.
constexpr std::int64_t kLongRowBytes = 1024, kChunkBytes = 256 * 1024;
// Less work than this, in bytes moved, is not worth a barrier; or not worth waking the threads: the caller goes on with
// the pieces meanwhile, and who comes too late is there for the next window.
constexpr std::int64_t kParallelBytes = 64 * 1024, kWakingBytes = 256 * 1024;
// So many bytes of tiles are given to helpers while the window grows.
constexpr std::int64_t kBatchBytes = 512 * 1024;
// What an operation costs on a block beside its bytes, in bytes.
constexpr std::int64_t kOperationBytes = 1024;
// Elements of 4 bytes that share a line of HBM when a load or store turns them.
constexpr std::int64_t kLineElements = 16;
// More ranges than this are taken for one.
constexpr std::size_t kMostRanges = 32;

bool worth_threads(const Threads& threads, std::int64_t bytes) {
  return threads.count() > 1 && bytes >= (threads.awake() ? kParallelBytes : kWakingBytes);
}

std::size_t rows_of(const HostOperand& o) { return o.broadcast ? 1 : static_cast<std::size_t>(o.partitions); }

// Partitions are counted as the machine counts them; a DMA's are those of its SBUF side.
std::int64_t first_partition(const HostOperand* operands, const View* views) {
  return views[operands[0].chip ? 0 : 1].partition;
}

// The bytes of the host that an operand touches.
template <class Range>
Range range_of(const HostOperand& o, const View& v) {
  if (!o.chip) return {v.data + o.low, v.data + o.high};
  const std::int64_t reach = v.pitch * static_cast<std::int64_t>(rows_of(o) - 1);
  return {v.data + o.low + std::min<std::int64_t>(0, reach), v.data + o.high + std::max<std::int64_t>(0, reach)};
}

// Of HBM: a variable, or a load that was not carried out.
bool in_hbm(const Core& core, const HostOperand& o, const View& v) {
  if (o.kind != isa::OperandKind::Memory) return false;
  if (!o.chip) return true;
  if (o.base != kBaseSbuf) return false;
  return v.data < core.sbuf.data() || v.data >= core.sbuf.data() + core.sbuf.size();
}

template <class Range>
bool meets(const std::vector<Range>& list, const Range& r) {
  return std::any_of(list.begin(), list.end(), [&](const Range& x) { return x.low < r.high && r.low < x.high; });
}
template <class Range>
void enter(std::vector<Range>& list, Range r) {
  for (Range& x : list)
    if (x.low <= r.high && r.low <= x.high) {
      x = {std::min(x.low, r.low), std::max(x.high, r.high)};
      return;
    }
  if (list.size() < kMostRanges) return list.push_back(r);
  for (const Range& x : list) r = {std::min(x.low, r.low), std::max(x.high, r.high)};
  list.assign(1, r);
}

}  // namespace

void Window::clear() {
  finish_products();
  items_.clear();
  tiles_.clear();
  sum_count_ = started_ = 0;
  waiting_bytes_ = 0;
  turn_ = 0;
  reads_.clear();
  writes_.clear();
  for (std::size_t w = first_word_; w <= last_word_ && w < words_.size(); ++w) words_[w] = 0;
  first_word_ = SIZE_MAX;
  last_word_ = 0;
}

bool Window::admits(const Core& core, const HostOp& op, const HostOperand* operands, const View* views) const {
  if (items_.size() >= kMostItems) return false;
  if (reads_.empty() && writes_.empty()) return true;
  for (std::size_t i = 0; i < op.operand_count; ++i) {
    if (!in_hbm(core, operands[i], views[i])) continue;
    const auto range = range_of<Range>(operands[i], views[i]);
    if (meets(writes_, range) || (writes_operand(op, i) && meets(reads_, range))) return false;
  }
  return true;
}

void Window::note(const Core& core, const HostOp& op, const HostOperand* operands, const View* views) {
  for (std::size_t i = 0; i < op.operand_count; ++i) {
    const HostOperand& o = operands[i];
    if (o.kind != isa::OperandKind::Memory) continue;
    const bool writes = writes_operand(op, i);
    if (in_hbm(core, o, views[i])) {
      enter(writes ? writes_ : reads_, range_of<Range>(o, views[i]));
    } else if (writes && o.base == kBaseSbuf) {
      const auto first = static_cast<std::size_t>(views[i].byte + o.low) / 4,
                 last = static_cast<std::size_t>(views[i].byte + o.high - 1) / 4;
      if (words_.size() <= last / 64) words_.resize(last / 64 + 1);
      first_word_ = std::min(first_word_, first / 64);
      last_word_ = std::max(last_word_, last / 64);
      for (std::size_t w = first / 64; w <= last / 64; ++w) {
        const std::uint64_t from = w == first / 64 ? ~std::uint64_t{0} << first % 64 : ~std::uint64_t{0};
        const std::uint64_t to = w == last / 64 ? ~std::uint64_t{0} >> (63 - last % 64) : ~std::uint64_t{0};
        words_[w] |= from & to;
      }
    }
  }
}

// Whether the window writes bytes that a tile reads.
bool Window::written(const Core& core, const HostOperand& o, const View& v) const {
  if (in_hbm(core, o, v)) return meets(writes_, range_of<Range>(o, v));
  const auto first = static_cast<std::size_t>(v.byte + o.low) / 4,
             last = static_cast<std::size_t>(v.byte + o.high - 1) / 4;
  for (std::size_t w = std::max(first / 64, first_word_); w <= std::min(last / 64, last_word_); ++w) {
    const std::uint64_t from = w == first / 64 ? ~std::uint64_t{0} << first % 64 : ~std::uint64_t{0};
    const std::uint64_t to = w == last / 64 ? ~std::uint64_t{0} >> (63 - last % 64) : ~std::uint64_t{0};
    if (words_[w] & from & to) return true;
  }
  return false;
}

void Window::add(const Core& core, const HostOp& op, const HostOperand* operands, const View* views) {
  if (!admits(core, op, operands, views)) flush();
  Item& item = items_.emplace_back(Item{&op, operands, {}, 0, 0, turn_, op.row_bytes});
  std::copy(views, views + op.operand_count, item.views);
  note(core, op, operands, views);
}

void Window::add_product(const Core& core, const HostOperand& stationary, const View& rows, const HostOp& matmul,
                         const HostOperand* operands, const View* views) {
  if (items_.size() >= kMostItems || tiles_.size() >= kMostTiles || written(core, stationary, rows) ||
      written(core, operands[1], views[1]))
    flush();
  const auto k = static_cast<std::size_t>(stationary.partitions), m = static_cast<std::size_t>(stationary.walk.count),
             columns = static_cast<std::size_t>(operands[0].walk.count);
  const bool repeated = stationary.walk.rank == 1 && stationary.walk.strides[0] == 0;
  if (!sums_) {
    const auto most_rows = static_cast<std::size_t>(context_.machine->partitions);
    sums_ = std::make_unique_for_overwrite<float[]>(kMostTiles * kFewColumns * most_rows);
    tiles_.reserve(kMostTiles);
  }
  tiles_.push_back({rows.data, static_cast<std::ptrdiff_t>(rows.pitch), repeated, k, m, &operands[1], views[1], sum_count_});
  sum_count_ += m * columns;
  waiting_bytes_ += static_cast<std::int64_t>(4 * k * m);
  if (waiting_bytes_ >= kBatchBytes) start_products();
  if (!items_.empty()) {
    Item& last = items_.back();
    if (last.op->opcode == isa::Opcode::Matmul && matmul.params[0] != 0 && last.views[0].data == views[0].data &&
        last.operands[0].partitions == operands[0].partitions && last.operands[0].walk == operands[0].walk) {
      ++last.tile_count;
      return;
    }
  }
  items_.push_back({&matmul, operands, {views[0]}, tiles_.size() - 1, 1, turn_, static_cast<std::int64_t>(8 * columns)});
}

void Window::multiply(const Tile& tile) const {
  static thread_local std::vector<float> x;
  if (x.size() < tile.k) x.resize(tile.k);
  const Kernels& kernels = *context_.kernels;
  float* sums = sums_.get() + tile.sums;
  for (std::int64_t column = 0; column < tile.moving->walk.count; ++column, sums += tile.m) {
    const std::byte* from = tile.view.data + WalkCursor(tile.moving->walk, column).next(1).offset;
    for (std::size_t k = 0; k < tile.k; ++k, from += tile.view.pitch) std::memcpy(&x[k], from, sizeof(float));
    kernels.matvec_32(tile.rows, tile.pitch, x.data(), tile.k, tile.repeated ? 1 : tile.m, sums);
    if (tile.repeated) std::fill_n(sums + 1, tile.m - 1, sums[0]);
  }
}

void Window::multiply_tile(void* window, std::size_t index) {
  const Window& w = *static_cast<const Window*>(window);
  w.multiply(w.tiles_[w.batch_ + index]);
}

// Gives the tiles that wait to helpers that have nothing to do.
void Window::start_products() {
  if (running_) {
    if (!context_.threads->finished()) return;
    finish_products();
  }
  batch_ = started_;
  running_ = context_.threads->start(tiles_.size() - batch_, multiply_tile, this);
  if (!running_) return;
  started_ = tiles_.size();
  waiting_bytes_ = 0;
}

void Window::finish_products() {
  if (running_) context_.threads->finish();
  running_ = false;
}

void Window::execute_products() {
  finish_products();
  batch_ = started_;
  const std::size_t rest = tiles_.size() - batch_;
  if (rest > 1 && worth_threads(*context_.threads, waiting_bytes_))
    context_.threads->run(rest, multiply_tile, this);
  else
    for (std::size_t i = 0; i < rest; ++i) multiply_tile(this, i);
}

// Rows first..last-1 of a product's destination.
void Window::add_sums(const Item& item, std::int64_t first, std::int64_t last) const {
  const HostOperand& to = item.operands[0];
  for (std::int64_t column = 0; column < to.walk.count; ++column) {
    std::byte* const out = item.views[0].data + WalkCursor(to.walk, column).next(1).offset;
    const bool accumulate = item.op->params[0] != 0;
    for (std::int64_t m = first; m < last; ++m) {
      std::byte* const at = out + m * item.views[0].pitch;
      float sum = 0;
      if (accumulate) std::memcpy(&sum, at, sizeof sum);
      for (std::size_t t = 0; t < item.tile_count; ++t) {
        const Tile& tile = tiles_[item.first_tile + t];
        const float next = sums_[tile.sums + static_cast<std::size_t>(column) * tile.m + static_cast<std::size_t>(m)];
        sum = t == 0 && !accumulate ? next : sum + next;
      }
      std::memcpy(at, &sum, sizeof sum);
    }
  }
}

// Whether the window writes all of an item's result anew before anything but the next item reads it.
bool Window::overwritten(std::size_t index) const {
  constexpr std::size_t kAhead = 32;
  const HostOperand& o = items_[index].operands[0];
  const View& v = items_[index].views[0];
  if (!o.chip) return false;
  for (std::size_t i = index + 2; i < std::min(items_.size(), index + kAhead); ++i) {
    const Item& item = items_[i];
    bool covers = false;
    // A product's operands but the first are read before the window writes.
    const std::size_t count = item.op->opcode == isa::Opcode::Matmul ? 1 : item.op->operand_count;
    for (std::size_t k = 0; k < count; ++k) {
      const HostOperand& other = item.operands[k];
      const View& w = item.views[k];
      if (other.kind != isa::OperandKind::Memory || other.base != o.base) continue;
      if (w.partition >= v.partition + o.partitions || v.partition >= w.partition + static_cast<std::int64_t>(rows_of(other)) ||
          w.byte + other.low >= v.byte + o.high || v.byte + o.low >= w.byte + other.high)
        continue;
      if (!writes_operand(*item.op, k) || item.op->opcode == isa::Opcode::Matmul) return false;
      covers = covers || (w.data == v.data && w.pitch == v.pitch && other.partitions == o.partitions && other.type == o.type &&
                          other.walk == o.walk);
      if (!covers) return false;
    }
    if (covers) return true;
  }
  return false;
}

void Window::find_summed_products() {
  for (std::size_t i = 0; i + 1 < items_.size(); ++i) {
    Item &product = items_[i], &sum = items_[i + 1];
    if (product.turn != sum.turn ||
        !sums_products(*product.op, product.operands, product.views, *sum.op, sum.operands, sum.views) || !overwritten(i))
      continue;
    product.summed = true;
    product.row_bytes -= product.operands[0].walk.count * 4;
    sum.row_bytes = 0;
  }
}

// What an item has in partitions first..last-1.
void Window::execute_rows(std::size_t index, std::int64_t first, std::int64_t last) const {
  const Item& item = items_[index];
  if (item.summed) return;
  const std::int64_t start = first_partition(item.operands, item.views);
  const std::int64_t a = std::max(first, start) - start, b = std::min(last, start + item.operands[0].partitions) - start;
  if (a >= b) return;
  if (item.op->opcode == isa::Opcode::Dma)
    execute_dma_rows(context_, item.operands, item.views, a, b);
  else if (item.op->opcode == isa::Opcode::Matmul)
    add_sums(item, a, b);
  else if (index > 0 && items_[index - 1].summed)
    execute_summed_products(context_, items_[index - 1].operands, items_[index - 1].views, item.views, a, b);
  else
    execute_local(context_, *item.op, item.operands, item.views, a, b);
}

// Items of one turn with long rows pass a few partitions at a time, so that what one writes the next finds in a near
// cache. Gives the index after the last item that it took.
std::size_t Window::execute_chunks(std::size_t index, std::int64_t first, std::int64_t last) const {
  const auto suits = [&](const Item& item) {  // a DMA reads HBM in the longest runs when it takes all partitions
    return item.turn == items_[index].turn && item.op->row_bytes >= kLongRowBytes &&
           item.op->opcode != isa::Opcode::Dma;
  };
  std::size_t end = index;
  std::int64_t bytes = 0;
  for (; end < items_.size() && suits(items_[end]); ++end) bytes += items_[end].row_bytes;
  if (end < index + 2) {
    execute_rows(index, first, last);
    return index + 1;
  }
  const std::int64_t step = std::max<std::int64_t>(1, kChunkBytes / bytes);
  for (std::int64_t from = first; from < last; from += step)
    for (std::size_t i = index; i < end; ++i) execute_rows(i, from, std::min(last, from + step));
  return end;
}

void Window::execute_local_part() {
  std::int64_t first = first_partition(items_[0].operands, items_[0].views), last = first, total = 0, least = 1;
  std::int64_t turn_bytes = 0, most_bytes = 1;  // of a row, in a turn
  std::uint32_t turn = 0;
  for (const Item& item : items_) {
    const std::int64_t start = first_partition(item.operands, item.views);
    first = std::min(first, start);
    last = std::max(last, start + item.operands[0].partitions);
    total += item.row_bytes * item.operands[0].partitions + kOperationBytes;
    turn_bytes = item.turn == turn ? turn_bytes + item.row_bytes : item.row_bytes;
    turn = item.turn;
    most_bytes = std::max(most_bytes, turn_bytes);
    if (item.op->turns) least = kLineElements;
  }
  const auto threads = static_cast<std::int64_t>(context_.threads->count());
  const bool parallel = worth_threads(*context_.threads, total);
  std::int64_t block = last - first;
  if (items_.size() > 1)
    block = std::clamp<std::int64_t>(kBlockBytes / most_bytes, 1, block);
  if (parallel) block = std::min(block, (last - first + 2 * threads - 1) / (2 * threads));
  block = std::min(std::max(block, least), last - first);
  const std::int64_t blocks = (last - first + block - 1) / block;
  const auto piece = [&](std::size_t index) {
    const std::int64_t from = first + static_cast<std::int64_t>(index) * block, to = std::min(last, from + block);
    for (std::size_t i = 0; i < items_.size();) i = execute_chunks(i, from, to);
  };
  if (parallel)
    context_.threads->run(static_cast<std::size_t>(blocks), piece);
  else
    for (std::int64_t i = 0; i < blocks; ++i) piece(static_cast<std::size_t>(i));
}

void Window::flush() {
  if (items_.empty()) return;
  execute_products();
  find_summed_products();
  execute_local_part();
  clear();
}

}  // namespace openneuron::device
