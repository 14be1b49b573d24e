#include "check/overlap.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace openneuron::check {
namespace {

constexpr std::size_t kMostPieces = 65536;
using Piece = std::pair<std::int64_t, std::int64_t>;  // [begin, end)

// Strides made positive (`shift` takes up the difference), by falling stride.
std::vector<isa::Dim> positive_dims(const Reach& r, std::int64_t& shift) {
  std::vector<isa::Dim> dims;
  const auto add = [&](std::int64_t stride, std::int64_t count) {
    if (count < 2 || stride == 0) return;
    if (stride < 0) shift += stride * (count - 1);
    dims.push_back({stride < 0 ? -stride : stride, count});
  };
  for (const isa::Dim& d : r.operand->dims) add(d.stride, d.count);
  if (r.hbm) add(r.operand->partition_stride, r.operand->partition_count);
  std::sort(dims.begin(), dims.end(), [](const isa::Dim& a, const isa::Dim& b) { return a.stride > b.stride; });
  return dims;
}

// Contiguous pieces; empty when there are too many.
std::vector<Piece> pieces(const Reach& r) {
  if (!r.operand) return {{r.begin, r.end}};
  std::int64_t shift = 0;
  std::vector<isa::Dim> dims = positive_dims(r, shift);
  std::int64_t run = byte_width(r.operand->type);
  while (!dims.empty() && dims.back().stride <= run) {
    run += dims.back().stride * (dims.back().count - 1);
    dims.pop_back();
  }
  std::vector<std::int64_t> starts{r.base + shift};
  for (const isa::Dim& d : dims) {
    if (starts.size() > kMostPieces / static_cast<std::size_t>(std::min<std::int64_t>(d.count, 1 << 20))) return {};
    std::vector<std::int64_t> next;
    next.reserve(starts.size() * static_cast<std::size_t>(d.count));
    for (std::int64_t s : starts)
      for (std::int64_t n = 0; n < d.count; ++n) next.push_back(s + n * d.stride);
    starts = std::move(next);
  }
  std::sort(starts.begin(), starts.end());
  std::vector<Piece> out;
  out.reserve(starts.size());
  for (std::int64_t s : starts) out.push_back({s, s + run});
  return out;
}

}  // namespace

void measure(Reach& r) {
  std::int64_t shift = 0;
  const std::vector<isa::Dim> dims = positive_dims(r, shift);
  std::int64_t reach = byte_width(r.operand->type);
  r.dense = true;
  for (std::size_t n = dims.size(); n-- > 0;) {
    r.dense = r.dense && dims[n].stride <= reach;
    reach += dims[n].stride * (dims[n].count - 1);
  }
  r.begin = r.base + shift;
  r.end = r.begin + reach;
}

bool overlap(const Reach& a, const Reach& b) {
  if (a.memory != b.memory || a.end_partition <= b.first_partition || b.end_partition <= a.first_partition) return false;
  if (a.end <= b.begin || b.end <= a.begin) return false;
  if (a.dense && b.dense) return true;
  const std::vector<Piece> x = pieces(a), y = pieces(b);
  if (x.empty() || y.empty()) return true;
  for (std::size_t i = 0, j = 0; i < x.size() && j < y.size();) {
    if (x[i].second <= y[j].first)
      ++i;
    else if (y[j].second <= x[i].first)
      ++j;
    else
      return true;
  }
  return false;
}

}  // namespace openneuron::check
