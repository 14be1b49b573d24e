#include "device/panels.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "device/pairs.h"
#include "device/strips.h"

namespace openneuron::device {
namespace {

// Rows lie far apart: those to come are asked for while one is copied, so many bytes of them.
constexpr std::size_t kRowsAhead = 2;
constexpr std::int64_t kMostAhead = 8192;

std::size_t padded_rows(const HostOperand& o, RowForm form) {
  const auto k = static_cast<std::size_t>(o.partitions);
  if (form == RowForm::Pairs) return pair_rows(k);
  return is_small(o.type) ? (k + kSmallBlock - 1) / kSmallBlock * kSmallBlock : k;
}

// The runs of a row of fp32 straight into panels, where each lies within one. False where they do not.
bool pack_runs(const Kernels& kernels, const HostOperand& o, const std::byte* row, float* to, std::size_t width,
               std::size_t panel) {
  if (o.type != ElementType::F32 || o.walk.rank < 2) return false;
  const Plane p = plane_of(o.walk);
  const auto length = static_cast<std::size_t>(p.length);
  if (p.step != 4 || width % length != 0) return false;
  const std::size_t runs = width / length;  // of a panel
  std::size_t filled = 0;                   // of them in this one
  for_planes(o.walk, [&](std::int64_t offset) {
    const std::byte* from = row + offset;
    for (std::size_t left = static_cast<std::size_t>(p.rows), here = 0; left > 0; left -= here) {
      here = std::min(left, runs - filled);
      kernels.copy_rows_32(from, static_cast<std::ptrdiff_t>(p.pitch), reinterpret_cast<std::byte*>(to + filled * length),
                           static_cast<std::ptrdiff_t>(4 * length), here, length);
      from += static_cast<std::int64_t>(here) * p.pitch;
      filled += here;
      if (filled < runs) continue;
      filled = 0;
      to += panel;
    }
  });
  return true;
}

bool same_tile(const HostOperand& a, const View& x, const HostOperand& b, const View& y) {
  return x.data == y.data && x.pitch == y.pitch && a.type == b.type && a.partitions == b.partitions && a.walk == b.walk;
}

}  // namespace

RowForm row_form(const Kernels& kernels, ElementType stationary, ElementType moving) {
  const bool pairs = kernels.matmul_bf16 != nullptr && stationary == ElementType::BF16 && moving == ElementType::BF16;
  return pairs ? RowForm::Pairs : RowForm::Floats;
}

void Panels::clear() {
  slots_.fill({});
  uses_ = 0;
  if (memory_.data() != nullptr) give_back(std::move(memory_));
  memory_ = Mapping();
}

bool Panels::fits(const HostOperand& o, std::size_t width, RowForm form) const {
  const auto n = static_cast<std::size_t>(o.walk.count);
  return padded_rows(o, form) * ((n + width - 1) / width * width) <= kSlotFloats;
}

std::uint32_t Panels::take(const Core& core, const HostOperand& o, const View& v, std::size_t width, RowForm form) {
  std::uint32_t oldest = kNone;
  for (std::uint32_t i = 0; i < kSlots; ++i) {
    Slot& s = slots_[i];
    if (s.valid && s.width == width && s.form == form && same_tile(*s.operand, s.view, o, v)) {
      s.taken = true;
      s.used = ++uses_;
      return i;
    }
    if (!s.taken && (oldest == kNone || s.used < slots_[oldest].used)) oldest = i;
  }
  if (oldest == kNone || !fits(o, width, form)) return kNone;
  if (memory_.data() == nullptr) memory_ = take_mapping(kSlots * kSlotFloats * sizeof(float));
  if (memory_.data() == nullptr) return kNone;
  Slot s;
  s.operand = &o;
  s.view = v;
  s.form = form;
  s.width = width;
  s.rows = padded_rows(o, form);
  s.valid = s.taken = true;
  s.used = ++uses_;
  const std::int64_t rows = o.broadcast ? 1 : o.partitions;
  s.in_hbm = !o.chip || (o.base == kBaseSbuf && (v.data < core.sbuf.data() || v.data >= core.sbuf.data() + core.sbuf.size()));
  const std::int64_t reach = v.pitch * (rows - 1);
  s.low = v.data + o.low + std::min<std::int64_t>(0, reach);
  s.high = v.data + o.high + std::max<std::int64_t>(0, reach);
  s.first_partition = v.partition;
  s.last_partition = v.partition + rows;
  s.first_byte = v.byte + o.low;
  s.last_byte = v.byte + o.high;
  slots_[oldest] = s;
  return oldest;
}

void Panels::pack(const Kernels& kernels, std::uint32_t slot, std::size_t first, std::size_t last) const {
  static thread_local std::vector<float> line;
  const Slot& s = slots_[slot];
  const HostOperand& o = *s.operand;
  const auto k = static_cast<std::size_t>(o.partitions), n = static_cast<std::size_t>(o.walk.count);
  if (line.size() < n) line.resize(n);
  const bool plain = o.walk.rank < 2;
  const Strip strip{kernels};
  const std::size_t whole = n / s.width, rest = n % s.width, panel = panel_floats(slot);
  for (std::size_t i = first; i < last && s.form == RowForm::Pairs; ++i)
    pair_row(kernels, o, s.view, i, 0, n, place(slot) + i * s.width, s.width, panel);
  for (std::size_t i = first; i < last && s.form == RowForm::Floats; ++i) {
    float* const to = place(slot) + i * s.width;
    if (i >= k) {
      for (std::size_t p = 0; p * s.width < n; ++p) std::fill_n(to + p * panel, s.width, 0.0f);
      continue;
    }
    const std::byte* row = s.view.data + static_cast<std::int64_t>(i) * s.view.pitch;
    if (plain && i + kRowsAhead < k)
      for (std::int64_t byte = o.low; byte < std::min(o.high, o.low + kMostAhead); byte += 64)
        __builtin_prefetch(row + static_cast<std::int64_t>(kRowsAhead) * s.view.pitch + byte);
    if (pack_runs(kernels, o, row, to, s.width, panel)) continue;
    const auto* from = reinterpret_cast<const std::byte*>(strip.load(row, o.walk, o.type, 0, n, line.data()));
    kernels.copy_rows_32(from, static_cast<std::ptrdiff_t>(4 * s.width), reinterpret_cast<std::byte*>(to),
                         static_cast<std::ptrdiff_t>(4 * panel), whole, s.width);
    if (rest != 0)
      kernels.copy_rows_32(from + 4 * whole * s.width, 0, reinterpret_cast<std::byte*>(to + whole * panel), 0, 1, rest);
  }
}

void Panels::release() {
  for (Slot& s : slots_) s.taken = false;
}

void Panels::overwrite(const Core& core, const HostOp& op, const HostOperand* operands, const View* views) {
  if (uses_ == 0) return;
  for (std::size_t i = 0; i < op.operand_count; ++i) {
    const HostOperand& o = operands[i];
    if (o.kind != isa::OperandKind::Memory || o.base == kBasePsum || !writes_operand(op, i)) continue;
    const bool anywhere = isa::indirect_operand(op) == static_cast<int>(i);
    const View& v = views[i];
    const std::int64_t first_byte = anywhere ? 0 : v.byte + o.low, last_byte = anywhere ? o.limit : v.byte + o.high;
    const std::byte* low = anywhere ? core.bases[o.base] : v.data + o.low;
    const std::byte* high = anywhere ? core.bases[o.base] + o.limit : v.data + o.high;
    for (Slot& s : slots_) {
      if (!s.valid || s.in_hbm == o.chip) continue;
      const bool meets = o.chip ? s.first_partition < v.partition + o.partitions && v.partition < s.last_partition &&
                                      s.first_byte < last_byte && first_byte < s.last_byte
                                : s.low < high && low < s.high;
      if (!meets) continue;
      s.valid = false;
      s.used = 0;
    }
  }
}

}  // namespace openneuron::device
