// A View reads a home: element (i0, i1, ...) is the home's element offset + sum i*stride of its row-major order. Moving
// data is mostly choosing strides: transposes, slices, broadcasts and most reshapes cost nothing. A view may also stand
// for one repeated value (splat) or for the numbers offset + sum i*stride themselves (iota).
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/ids.h"
#include "num/element_type.h"

namespace openneuron::lower {

using HomeId = Id<struct HomeTag>;

enum class ViewKind : std::uint8_t { Memory, Splat, Iota };

struct ViewDim {
  std::int64_t size = 1;
  std::int64_t stride = 0;  ///< elements of the home (Memory) or numbers (Iota)
};

struct View {
  ViewKind kind = ViewKind::Memory;
  ElementType type = ElementType::F32;
  HomeId home;
  double splat = 0;
  std::int64_t offset = 0;
  std::vector<ViewDim> dims;

  std::int64_t count() const {
    std::int64_t n = 1;
    for (const ViewDim& d : dims) n *= d.size;
    return n;
  }
};

/// Reads the whole of a home in row-major order of `shape`.
View whole(HomeId home, ElementType type, std::span<const std::int64_t> shape);
View splat_view(ElementType type, double value, std::span<const std::int64_t> shape);
View iota_view(ElementType type, std::span<const std::int64_t> shape, std::int64_t dimension);

View transposed(const View& view, std::span<const std::int64_t> permutation);
View broadcast(const View& view, std::span<const std::int64_t> shape, std::span<const std::int64_t> dims);
View sliced(const View& view, std::span<const std::int64_t> start, std::span<const std::int64_t> limit,
            std::span<const std::int64_t> stride);
View reversed(const View& view, std::span<const std::int64_t> dims);
/// Nothing when the new shape would need more than strides.
std::optional<View> reshaped(const View& view, std::span<const std::int64_t> shape);

}  // namespace openneuron::lower
