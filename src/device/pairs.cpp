#include "device/pairs.h"

#include <vector>

#include "device/strips.h"

namespace openneuron::device {
namespace {

constexpr std::size_t kRowsAhead = 8;  // source rows of the next two rows of pairs

// Elements of a partition one after the other: where they lie, or in `buffer`. Null beyond K.
const std::byte* dense_row(const HostOperand& o, const View& view, std::size_t k, std::size_t first, std::size_t n,
                           std::byte* buffer) {
  if (k >= static_cast<std::size_t>(o.partitions)) return nullptr;
  const std::byte* row = view.data + static_cast<std::int64_t>(k) * view.pitch;
  if (o.walk.rank == 0 || (o.walk.rank == 1 && o.walk.strides[0] == 2)) {
    const std::byte* from = row + 2 * first;
    if (k + kRowsAhead < static_cast<std::size_t>(o.partitions))
      for (std::size_t byte = 0; byte < 2 * n; byte += 64)
        __builtin_prefetch(from + static_cast<std::int64_t>(kRowsAhead) * view.pitch + byte);
    return from;
  }
  WalkCursor cursor(o.walk, static_cast<std::int64_t>(first));
  for (std::size_t done = 0; done < n;) {
    const auto run = cursor.next(static_cast<std::int64_t>(n - done));
    copy_elements(buffer + 2 * done, 2, row + run.offset, run.stride, 2, run.count);
    done += static_cast<std::size_t>(run.count);
  }
  return buffer;
}

}  // namespace

void pair_row(const Kernels& kernels, const HostOperand& o, const View& view, std::size_t row, std::size_t first,
              std::size_t n, float* out, std::size_t width, std::size_t panel) {
  static thread_local std::vector<std::byte> lines;
  if (lines.size() < 4 * n) lines.resize(4 * n);
  const std::size_t k = 4 * (row / 2) + row % 2;
  const std::byte* high = dense_row(o, view, k, first, n, lines.data());
  const std::byte* low = dense_row(o, view, k + 2, first, n, lines.data() + 2 * n);
  kernels.pair_bf16(high, low, out, width, panel, n);
}

}  // namespace openneuron::device
