// Strips: elements first..first+n-1 of one partition's walk, converted into fp32 or 32-bit integers in L1, and back.
#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "device/kernels/kernels.h"
#include "device/program.h"

namespace openneuron::device {

/// Goes through a walk in runs of equally spaced elements.
class WalkCursor {
 public:
  WalkCursor(const Walk& walk, std::int64_t first);
  struct Run {
    std::int64_t offset;  ///< bytes from the walk's start
    std::int64_t stride;  ///< bytes
    std::int64_t count;
  };
  /// The next run, at most `most` elements long.
  Run next(std::int64_t most);

 private:
  const Walk* walk_;
  std::int64_t index_[6];
  std::int64_t offset_ = 0;
};

/// Goes through two walks of the same count side by side: f(offset a, stride a, offset b, stride b, count).
template <class F>
void for_paired_runs(const Walk& a, const Walk& b, F f) {
  WalkCursor ca(a, 0), cb(b, 0);
  WalkCursor::Run ra{}, rb{};
  for (std::int64_t done = 0; done < a.count;) {
    if (ra.count == 0) ra = ca.next(a.count);
    if (rb.count == 0) rb = cb.next(b.count);
    const std::int64_t n = ra.count < rb.count ? ra.count : rb.count;
    f(ra.offset, ra.stride, rb.offset, rb.stride, n);
    for (auto* r : {&ra, &rb}) {
      r->offset += n * r->stride;
      r->count -= n;
    }
    done += n;
  }
}

/// The last two dims of a walk that has them; strides in bytes.
struct Plane {
  std::int64_t rows, length, pitch, step;
};
inline Plane plane_of(const Walk& walk) {
  const auto last = static_cast<std::size_t>(walk.rank - 1);
  return {walk.counts[last - 1], walk.counts[last], walk.strides[last - 1], walk.strides[last]};
}
/// f(offset) for every plane of a walk, in order.
template <class F>
void for_planes(const Walk& walk, F f, std::size_t dim = 0, std::int64_t offset = 0) {
  if (dim + 2 == static_cast<std::size_t>(walk.rank)) {
    f(offset);
    return;
  }
  for (std::int64_t i = 0; i < walk.counts[dim]; ++i) for_planes(walk, f, dim + 1, offset + i * walk.strides[dim]);
}

/// One element type's way into and out of a strip.
struct Strip {
  const Kernels& kernels;

  /// The elements as fp32: where they lie if that is possible, else in `buffer`.
  const float* load(const std::byte* row, const Walk& walk, ElementType type, std::int64_t first, std::size_t n,
                    float* buffer) const;
  /// The elements as 32-bit integers.
  const std::int32_t* load_int(const std::byte* row, const Walk& walk, ElementType type, std::int64_t first,
                               std::size_t n, std::int32_t* buffer) const;
  void store(std::byte* row, const Walk& walk, ElementType type, std::int64_t first, std::size_t n,
             const float* values) const;
  void store_int(std::byte* row, const Walk& walk, ElementType type, std::int64_t first, std::size_t n,
                 const std::int32_t* values, bool is_unsigned) const;
};

/// Whether elements of the walk lie one after the other, aligned, so that they can be used where they are.
bool in_place(const std::byte* row, const Walk& walk, std::int64_t width);

/// Bytes of `n` elements of `width` bytes from one walk to another.
void copy_elements(std::byte* to, std::int64_t to_stride, const std::byte* from, std::int64_t from_stride,
                   std::int64_t width, std::int64_t n);

/// `n` spaced elements from one type to another, as StableHLO convert does.
void convert_run(const Kernels& kernels, std::byte* to, std::int64_t to_stride, ElementType to_type,
                 const std::byte* from, std::int64_t from_stride, ElementType from_type, std::int64_t n);

}  // namespace openneuron::device
