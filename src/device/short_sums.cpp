#include "device/short_sums.h"

#include <algorithm>
#include <cstring>

#include "device/strips.h"

namespace openneuron::device {
namespace {

constexpr std::size_t kSide = 128;       // results at a time: their elements stay in the first-level cache
constexpr std::int64_t kFewTogether = 8;  // so few elements that lie together are not worth a vector of their own

// A walk of results, and one of the elements of each.
struct Split {
  Walk results, elements;
};
Split split(const Walk& walk, std::int64_t reduced) {
  Split s;
  const auto push_front = [](Walk& w, std::int64_t count, std::int64_t stride) {
    for (int d = w.rank; d > 0; --d) {
      w.counts[static_cast<std::size_t>(d)] = w.counts[static_cast<std::size_t>(d - 1)];
      w.strides[static_cast<std::size_t>(d)] = w.strides[static_cast<std::size_t>(d - 1)];
    }
    w.counts[0] = count;
    w.strides[0] = stride;
    ++w.rank;
    w.count *= count;
  };
  for (int d = walk.rank - 1; d >= 0; --d) {
    const std::int64_t count = walk.counts[static_cast<std::size_t>(d)], stride = walk.strides[static_cast<std::size_t>(d)];
    const std::int64_t mine = std::min(count, reduced / s.elements.count);  // a dim may hold both
    if (mine > 1) push_front(s.elements, mine, stride);
    if (count > mine) push_front(s.results, count / mine, stride * mine);
  }
  return s;
}

}  // namespace

bool reduces_side_by_side(isa::AluOp op, const Walk& walk, std::int64_t reduced) {
  using isa::AluOp;
  if (op != AluOp::Add && op != AluOp::Multiply && op != AluOp::Max && op != AluOp::Min) return false;
  if (reduced < 2 || reduced > static_cast<std::int64_t>(kPartials) || walk.count < 8 * reduced) return false;
  const Split s = split(walk, reduced);
  return s.elements.count == reduced && s.results.count * reduced == walk.count &&
         (s.elements.rank > 1 || reduced <= kFewTogether);
}

void reduce_side_by_side(const Kernels& kernels, isa::AluOp op, float identity, const std::byte* row, const Walk& walk,
                         ElementType type, std::int64_t reduced, std::int64_t first, std::size_t n, float* out) {
  alignas(64) static thread_local float partials[kPartials][kSide], strip[kSide];
  const Split s = split(walk, reduced);
  const Strip source{kernels};
  for (std::size_t done = 0; done < n; done += kSide) {
    const std::size_t here = std::min(kSide, n - done);
    WalkCursor element(s.elements, 0);
    for (std::int64_t r = 0; r < reduced;) {
      const auto run = element.next(reduced - r);
      for (std::int64_t i = 0; i < run.count; ++i, ++r)
        kernels.alu_f32(op, &identity, 0,
                        source.load(row + run.offset + i * run.stride, s.results, type, first + static_cast<std::int64_t>(done),
                                    here, strip),
                        1, partials[r], here);
    }
    std::size_t live = static_cast<std::size_t>(reduced);
    for (std::size_t width = kPartials / 2; width > 0; width /= 2) {
      for (std::size_t j = 0; j + width < live; ++j)
        kernels.alu_f32(op, partials[j], 1, partials[j + width], 1, partials[j], here);
      live = std::min(live, width);
    }
    std::memcpy(out + done, partials[0], here * sizeof(float));
  }
}

}  // namespace openneuron::device
