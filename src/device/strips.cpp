#include "device/strips.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "num/convert.h"

namespace openneuron::device {
namespace {

template <class T>
T read(const std::byte* p) {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

// All 256 values of each 8-bit float, widened.
const float* byte_table(ElementType type) {
  constexpr std::size_t kTypes = static_cast<std::size_t>(ElementType::None);
  static const auto tables = [] {
    std::array<std::array<float, 256>, kTypes> all{};
    for (std::size_t t = 0; t < kTypes; ++t) {
      const auto type_of = static_cast<ElementType>(t);
      if (!is_float(type_of) || byte_width(type_of) != 1) continue;
      for (int i = 0; i < 256; ++i) {
        const auto raw = static_cast<std::uint8_t>(i);
        all[t][static_cast<std::size_t>(i)] = static_cast<float>(load_double(type_of, &raw, 0));
      }
    }
    return all;
  }();
  return tables[static_cast<std::size_t>(type)].data();
}

void widen_run(const Kernels& k, ElementType type, const std::byte* p, std::int64_t stride, std::int64_t n,
               float* out) {
  const auto count = static_cast<std::size_t>(n);
  switch (type) {
    case ElementType::F32:
      if (stride == 4)
        std::memcpy(out, p, 4 * count);
      else if (stride == 0)
        std::fill_n(out, count, read<float>(p));
      else
        for (std::size_t i = 0; i < count; ++i, p += stride) out[i] = read<float>(p);
      return;
    case ElementType::BF16:
      if (stride == 2) return k.bf16_to_f32(p, out, count);
      for (std::size_t i = 0; i < count; ++i, p += stride) out[i] = bf16_to_float(read<std::uint16_t>(p));
      return;
    case ElementType::F16:
      if (stride == 2) return k.f16_to_f32(p, out, count);
      for (std::size_t i = 0; i < count; ++i, p += stride) out[i] = widen_f16(read<std::uint16_t>(p));
      return;
    case ElementType::I32:
    case ElementType::U32:
      if (stride == 4 && reinterpret_cast<std::uintptr_t>(p) % 4 == 0)
        return k.i32_to_f32(reinterpret_cast<const std::int32_t*>(p), type == ElementType::U32, out, count);
      for (std::size_t i = 0; i < count; ++i, p += stride) {
        const auto v = read<std::int32_t>(p);
        k.i32_to_f32(&v, type == ElementType::U32, out + i, 1);
      }
      return;
    case ElementType::I1:
    case ElementType::U8:
      if (stride == 1) return k.bytes_to_f32(p, type == ElementType::I1, out, count);
      for (std::size_t i = 0; i < count; ++i, p += stride) k.bytes_to_f32(p, type == ElementType::I1, out + i, 1);
      return;
    default: break;
  }
  if (is_float(type) && byte_width(type) == 1) {
    const float* table = byte_table(type);
    for (std::size_t i = 0; i < count; ++i, p += stride) out[i] = table[std::to_integer<std::size_t>(*p)];
  } else {
    for (std::size_t i = 0; i < count; ++i, p += stride) out[i] = static_cast<float>(load_double(type, p, 0));
  }
}

void widen_int_run(ElementType type, const std::byte* p, std::int64_t stride, std::int64_t n, std::int32_t* out) {
  const auto count = static_cast<std::size_t>(n);
  switch (type) {
    case ElementType::I32:
    case ElementType::U32:
      if (stride == 4)
        std::memcpy(out, p, 4 * count);
      else if (stride == 0)
        std::fill_n(out, count, read<std::int32_t>(p));
      else
        for (std::size_t i = 0; i < count; ++i, p += stride) out[i] = read<std::int32_t>(p);
      return;
    case ElementType::I1:
      for (std::size_t i = 0; i < count; ++i, p += stride) out[i] = *p != std::byte{0};
      return;
    case ElementType::U8:
      for (std::size_t i = 0; i < count; ++i, p += stride) out[i] = std::to_integer<std::int32_t>(*p);
      return;
    default:
      for (std::size_t i = 0; i < count; ++i, p += stride) out[i] = static_cast<std::int32_t>(load_int(type, p, 0));
  }
}

// fp32 to an integer type of 8 or 16 bits: truncated to 32 bits, then saturated.
template <class T>
void narrow_small(const Kernels& k, std::byte* p, std::int64_t stride, std::size_t count, const float* in) {
  for (std::size_t i = 0; i < count;) {
    std::int32_t part[64];
    const std::size_t m = std::min<std::size_t>(64, count - i);
    k.f32_to_i32(in + i, false, part, m);
    for (std::size_t j = 0; j < m; ++j, p += stride) {
      const auto value = static_cast<T>(
          std::clamp<std::int32_t>(part[j], std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
      std::memcpy(p, &value, sizeof value);
    }
    i += m;
  }
}

void narrow_run(const Kernels& k, ElementType type, std::byte* p, std::int64_t stride, std::int64_t n,
                const float* in) {
  const auto count = static_cast<std::size_t>(n);
  switch (type) {
    case ElementType::F32:
      if (stride == 4)
        std::memmove(p, in, 4 * count);
      else
        for (std::size_t i = 0; i < count; ++i, p += stride) std::memcpy(p, in + i, 4);
      return;
    case ElementType::BF16:
      if (stride == 2) return k.f32_to_bf16(in, p, count);
      for (std::size_t i = 0; i < count; ++i, p += stride) k.f32_to_bf16(in + i, p, 1);
      return;
    case ElementType::F16:
      if (stride == 2) return k.f32_to_f16(in, p, count);
      for (std::size_t i = 0; i < count; ++i, p += stride) k.f32_to_f16(in + i, p, 1);
      return;
    case ElementType::I32:
    case ElementType::U32:
      for (std::size_t i = 0; i < count;) {
        std::int32_t part[64];
        const std::size_t m = std::min<std::size_t>(64, count - i);
        k.f32_to_i32(in + i, type == ElementType::U32, part, m);
        for (std::size_t j = 0; j < m; ++j, p += stride) std::memcpy(p, part + j, 4);
        i += m;
      }
      return;
    case ElementType::I1:
      if (stride == 1) return k.f32_to_truth(in, p, count);
      for (std::size_t i = 0; i < count; ++i, p += stride) *p = in[i] != 0.0f ? std::byte{1} : std::byte{0};
      return;
    case ElementType::I8: return narrow_small<std::int8_t>(k, p, stride, count, in);
    case ElementType::U8: return narrow_small<std::uint8_t>(k, p, stride, count, in);
    case ElementType::I16: return narrow_small<std::int16_t>(k, p, stride, count, in);
    case ElementType::U16: return narrow_small<std::uint16_t>(k, p, stride, count, in);
    default:
      for (std::size_t i = 0; i < count; ++i, p += stride) store_double(type, p, 0, static_cast<double>(in[i]));
  }
}

void narrow_int_run(const Kernels& k, ElementType type, std::byte* p, std::int64_t stride, std::int64_t n,
                    const std::int32_t* in, bool is_unsigned) {
  const auto count = static_cast<std::size_t>(n);
  switch (type) {
    case ElementType::I32:
    case ElementType::U32:
      if (stride == 4)
        std::memmove(p, in, 4 * count);
      else
        for (std::size_t i = 0; i < count; ++i, p += stride) std::memcpy(p, in + i, 4);
      return;
    case ElementType::I1:
      for (std::size_t i = 0; i < count; ++i, p += stride) *p = in[i] != 0 ? std::byte{1} : std::byte{0};
      return;
    case ElementType::F32:
      for (std::size_t i = 0; i < count;) {
        float part[64];
        const std::size_t m = std::min<std::size_t>(64, count - i);
        k.i32_to_f32(in + i, is_unsigned, part, m);
        for (std::size_t j = 0; j < m; ++j, p += stride) std::memcpy(p, part + j, 4);
        i += m;
      }
      return;
    default: break;
  }
  for (std::size_t i = 0; i < count; ++i, p += stride) {
    const std::int64_t value = is_unsigned ? static_cast<std::int64_t>(static_cast<std::uint32_t>(in[i])) : in[i];
    if (is_float(type))
      store_double(type, p, 0, static_cast<double>(value));  // exact in double: rounded once
    else
      store_int(type, p, 0, value);
  }
}

}  // namespace

WalkCursor::WalkCursor(const Walk& walk, std::int64_t first) : walk_(&walk), index_{} {
  for (int d = walk.rank - 1; d >= 0 && first > 0; --d) {
    const auto at = static_cast<std::size_t>(d);
    index_[d] = d == 0 ? first : first % walk.counts[at];
    first /= walk.counts[at];
    offset_ += index_[d] * walk.strides[at];
  }
}

WalkCursor::Run WalkCursor::next(std::int64_t most) {
  if (walk_->rank == 0) return {0, 0, 1};
  const auto last = static_cast<std::size_t>(walk_->rank - 1);
  Run run{offset_, walk_->strides[last], std::min(most, walk_->counts[last] - index_[last])};
  index_[last] += run.count;
  offset_ += run.count * run.stride;
  for (std::size_t d = last; d > 0 && index_[d] == walk_->counts[d]; --d) {
    offset_ += walk_->strides[d - 1] - index_[d] * walk_->strides[d];
    index_[d] = 0;
    ++index_[d - 1];
  }
  return run;
}

bool in_place(const std::byte* row, const Walk& walk, std::int64_t width) {
  return (walk.rank == 0 || (walk.rank == 1 && walk.strides[0] == width)) &&
         reinterpret_cast<std::uintptr_t>(row) % static_cast<std::uintptr_t>(width) == 0;
}

namespace {

// Whether elements first..first+n-1 are a whole walk of at least two dims.
bool in_planes(const Walk& walk, std::int64_t first, std::size_t n, Plane& plane) {
  if (first != 0 || static_cast<std::int64_t>(n) != walk.count || walk.rank < 2) return false;
  plane = plane_of(walk);
  return true;
}

// Rows of a few 4-byte elements from their start: no run by run. False when the walk is no such.
bool load_rows(const Kernels& k, const Walk& walk, std::int64_t first, std::size_t n, const std::byte* row, void* buffer) {
  Plane p;
  if (!in_planes(walk, first, n, p) || (p.step != 4 && p.step != 0)) return false;
  auto* out = static_cast<std::byte*>(buffer);
  for_planes(walk, [&](std::int64_t offset) {
    if (p.step == 4) {
      k.copy_rows_32(row + offset, static_cast<std::ptrdiff_t>(p.pitch), out, static_cast<std::ptrdiff_t>(4 * p.length),
                     static_cast<std::size_t>(p.rows), static_cast<std::size_t>(p.length));
      out += 4 * p.rows * p.length;
      return;
    }
    for (std::int64_t i = 0; i < p.rows; ++i) {
      const auto word = read<std::uint32_t>(row + offset + i * p.pitch);
      for (std::int64_t j = 0; j < p.length; ++j, out += 4) std::memcpy(out, &word, 4);
    }
  });
  return true;
}
bool store_rows(const Kernels& k, const Walk& walk, std::int64_t first, std::size_t n, std::byte* row, const void* values) {
  Plane p;
  if (!in_planes(walk, first, n, p) || p.step != 4) return false;
  const auto* in = static_cast<const std::byte*>(values);
  for_planes(walk, [&](std::int64_t offset) {
    k.copy_rows_32(in, static_cast<std::ptrdiff_t>(4 * p.length), row + offset, static_cast<std::ptrdiff_t>(p.pitch),
                   static_cast<std::size_t>(p.rows), static_cast<std::size_t>(p.length));
    in += 4 * p.rows * p.length;
  });
  return true;
}

}  // namespace

const float* Strip::load(const std::byte* row, const Walk& walk, ElementType type, std::int64_t first, std::size_t n,
                         float* buffer) const {
  if (type == ElementType::F32) {
    if (in_place(row, walk, 4)) return reinterpret_cast<const float*>(row) + first;
    if (load_rows(kernels, walk, first, n, row, buffer)) return buffer;
  }
  WalkCursor cursor(walk, first);
  for (std::size_t done = 0; done < n;) {
    const auto run = cursor.next(static_cast<std::int64_t>(n - done));
    widen_run(kernels, type, row + run.offset, run.stride, run.count, buffer + done);
    done += static_cast<std::size_t>(run.count);
  }
  return buffer;
}

const std::int32_t* Strip::load_int(const std::byte* row, const Walk& walk, ElementType type, std::int64_t first,
                                    std::size_t n, std::int32_t* buffer) const {
  if (type == ElementType::I32 || type == ElementType::U32) {
    if (in_place(row, walk, 4)) return reinterpret_cast<const std::int32_t*>(row) + first;
    if (load_rows(kernels, walk, first, n, row, buffer)) return buffer;
  }
  WalkCursor cursor(walk, first);
  for (std::size_t done = 0; done < n;) {
    const auto run = cursor.next(static_cast<std::int64_t>(n - done));
    widen_int_run(type, row + run.offset, run.stride, run.count, buffer + done);
    done += static_cast<std::size_t>(run.count);
  }
  return buffer;
}

void Strip::store(std::byte* row, const Walk& walk, ElementType type, std::int64_t first, std::size_t n,
                  const float* values) const {
  if (type == ElementType::F32 && store_rows(kernels, walk, first, n, row, values)) return;
  WalkCursor cursor(walk, first);
  for (std::size_t done = 0; done < n;) {
    const auto run = cursor.next(static_cast<std::int64_t>(n - done));
    narrow_run(kernels, type, row + run.offset, run.stride, run.count, values + done);
    done += static_cast<std::size_t>(run.count);
  }
}

void Strip::store_int(std::byte* row, const Walk& walk, ElementType type, std::int64_t first, std::size_t n,
                      const std::int32_t* values, bool is_unsigned) const {
  if ((type == ElementType::I32 || type == ElementType::U32) && store_rows(kernels, walk, first, n, row, values)) return;
  WalkCursor cursor(walk, first);
  for (std::size_t done = 0; done < n;) {
    const auto run = cursor.next(static_cast<std::int64_t>(n - done));
    narrow_int_run(kernels, type, row + run.offset, run.stride, run.count, values + done, is_unsigned);
    done += static_cast<std::size_t>(run.count);
  }
}

namespace {

template <std::size_t Width>
void copy_spaced(std::byte* to, std::int64_t to_stride, const std::byte* from, std::int64_t from_stride,
                 std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) std::memcpy(to + i * to_stride, from + i * from_stride, Width);
}

}  // namespace

void copy_elements(std::byte* to, std::int64_t to_stride, const std::byte* from, std::int64_t from_stride,
                   std::int64_t width, std::int64_t n) {
  if (to_stride == width && from_stride == width) {
    std::memmove(to, from, static_cast<std::size_t>(width * n));
    return;
  }
  switch (width) {
    case 1: return copy_spaced<1>(to, to_stride, from, from_stride, n);
    case 2: return copy_spaced<2>(to, to_stride, from, from_stride, n);
    case 4: return copy_spaced<4>(to, to_stride, from, from_stride, n);
    case 8: return copy_spaced<8>(to, to_stride, from, from_stride, n);
    default:
      for (std::int64_t i = 0; i < n; ++i)
        std::memcpy(to + i * to_stride, from + i * from_stride, static_cast<std::size_t>(width));
  }
}

void convert_run(const Kernels& kernels, std::byte* to, std::int64_t to_stride, ElementType to_type,
                 const std::byte* from, std::int64_t from_stride, ElementType from_type, std::int64_t n) {
  if (to_type == from_type) return copy_elements(to, to_stride, from, from_stride, byte_width(to_type), n);
  // fp32 holds these exactly, so the one rounding is the destination's.
  const bool through_f32 = (is_float(from_type) && byte_width(from_type) <= 4) ||
                           (is_float(to_type) && !is_complex(from_type) && byte_width(from_type) <= 2);
  if (through_f32) {
    float part[256];
    for (std::int64_t i = 0; i < n; i += 256) {
      const std::int64_t m = std::min<std::int64_t>(256, n - i);
      widen_run(kernels, from_type, from + i * from_stride, from_stride, m, part);
      narrow_run(kernels, to_type, to + i * to_stride, to_stride, m, part);
    }
    return;
  }
  if (!is_float(from_type) && !is_complex(from_type) && byte_width(from_type) <= 4) {
    std::int32_t part[256];
    for (std::int64_t i = 0; i < n; i += 256) {
      const std::int64_t m = std::min<std::int64_t>(256, n - i);
      widen_int_run(from_type, from + i * from_stride, from_stride, m, part);
      narrow_int_run(kernels, to_type, to + i * to_stride, to_stride, m, part,
                     type_class(from_type) == TypeClass::Unsigned);
    }
    return;
  }
  for (std::int64_t i = 0; i < n; ++i)
    convert_elements(from_type, from + i * from_stride, to_type, to + i * to_stride, 1);
}

}  // namespace openneuron::device
