#include "lower/view.h"

namespace openneuron::lower {

View whole(HomeId home, ElementType type, std::span<const std::int64_t> shape) {
  View v;
  v.type = type;
  v.home = home;
  v.dims.resize(shape.size());
  std::int64_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    v.dims[i] = {shape[i], stride};
    stride *= shape[i];
  }
  return v;
}

View splat_view(ElementType type, double value, std::span<const std::int64_t> shape) {
  View v;
  v.kind = ViewKind::Splat;
  v.type = type;
  v.splat = value;
  for (std::int64_t n : shape) v.dims.push_back({n, 0});
  return v;
}

View iota_view(ElementType type, std::span<const std::int64_t> shape, std::int64_t dimension) {
  View v;
  v.kind = ViewKind::Iota;
  v.type = type;
  for (std::size_t i = 0; i < shape.size(); ++i)
    v.dims.push_back({shape[i], static_cast<std::int64_t>(i) == dimension ? 1 : 0});
  return v;
}

View transposed(const View& view, std::span<const std::int64_t> permutation) {
  View v = view;
  for (std::size_t i = 0; i < permutation.size(); ++i) v.dims[i] = view.dims[static_cast<std::size_t>(permutation[i])];
  return v;
}

View broadcast(const View& view, std::span<const std::int64_t> shape, std::span<const std::int64_t> dims) {
  View v = view;
  v.dims.assign(shape.size(), {});
  for (std::size_t i = 0; i < shape.size(); ++i) v.dims[i] = {shape[i], 0};
  for (std::size_t i = 0; i < dims.size(); ++i) {
    ViewDim& to = v.dims[static_cast<std::size_t>(dims[i])];
    if (view.dims[i].size == to.size) to.stride = view.dims[i].stride;
  }
  return v;
}

View sliced(const View& view, std::span<const std::int64_t> start, std::span<const std::int64_t> limit,
            std::span<const std::int64_t> stride) {
  View v = view;
  for (std::size_t i = 0; i < v.dims.size(); ++i) {
    v.offset += start[i] * view.dims[i].stride;
    v.dims[i] = {(limit[i] - start[i] + stride[i] - 1) / stride[i], view.dims[i].stride * stride[i]};
  }
  return v;
}

View reversed(const View& view, std::span<const std::int64_t> dims) {
  View v = view;
  for (std::int64_t d : dims) {
    ViewDim& dim = v.dims[static_cast<std::size_t>(d)];
    if (dim.size > 0) v.offset += (dim.size - 1) * dim.stride;
    dim.stride = -dim.stride;
  }
  return v;
}

std::optional<View> reshaped(const View& view, std::span<const std::int64_t> shape) {
  View v = view;
  v.dims.assign(shape.size(), {});
  for (std::size_t i = 0; i < shape.size(); ++i) v.dims[i] = {shape[i], 0};
  if (view.kind == ViewKind::Splat || view.count() == 0) return v;
  // Walk both shapes from the left, matching runs of old and new dims with equal products.
  std::vector<ViewDim> old;
  for (const ViewDim& d : view.dims)
    if (d.size != 1) old.push_back(d);
  std::size_t o = 0, n = 0;
  while (o < old.size()) {
    while (n < shape.size() && shape[n] == 1) ++n;
    if (n >= shape.size()) return std::nullopt;
    std::size_t o_end = o + 1, n_end = n + 1;
    std::int64_t have = old[o].size, want = shape[n];
    while (have != want) {
      if (have < want) {
        if (o_end >= old.size()) return std::nullopt;
        have *= old[o_end++].size;
      } else {
        if (n_end >= shape.size()) return std::nullopt;
        want *= shape[n_end++];
      }
    }
    for (std::size_t i = o; i + 1 < o_end; ++i)
      if (old[i].stride != old[i + 1].size * old[i + 1].stride) return std::nullopt;
    std::int64_t stride = old[o_end - 1].stride;
    for (std::size_t i = n_end; i-- > n;) {
      v.dims[i].stride = stride;
      stride *= shape[i];
    }
    o = o_end;
    n = n_end;
  }
  return v;
}

}  // namespace openneuron::lower
