// PE: the stationary tile, single Matmuls, transpose.
#include <algorithm>

#include "device/core.h"
#include "device/pe_run.h"
#include "device/strips.h"

namespace openneuron::device {

void Stationary::hold() {
  if (!loaded || held) return;
  const std::int64_t width = byte_width(source->type), count = source->walk.count;
  const std::int64_t pitch = (width * count / 64 | 1) * 64 + 64;  // whole cache lines, an even number: never 2^n
  bytes.resize(static_cast<std::size_t>(pitch * source->partitions));
  for (std::int64_t k = 0; k < source->partitions; ++k) {
    WalkCursor cursor(source->walk, 0);
    std::byte* to = bytes.data() + k * pitch;
    for (std::int64_t done = 0; done < count;) {
      const auto run = cursor.next(count - done);
      copy_elements(to + done * width, width, view.data + k * view.pitch + run.offset, run.stride, width, run.count);
      done += run.count;
    }
  }
  copy = HostOperand{};
  copy.kind = isa::OperandKind::Memory;
  copy.type = source->type;
  copy.chip = true;
  copy.partitions = source->partitions;
  copy.pitch = pitch;
  copy.walk.rank = 1;
  copy.walk.counts[0] = copy.walk.count = count;
  copy.walk.strides[0] = width;
  view = View{bytes.data(), pitch, 0, 0};
  held = true;
}

Result<void> check_stationary(const Context& context, const HostOp& matmul, std::size_t k, std::size_t m, bool small,
                              const HostOperand* operands) {
  const HostOperand &to = operands[0], &moving = operands[1];
  if (k == static_cast<std::size_t>(moving.partitions) && m == static_cast<std::size_t>(to.partitions) &&
      small == is_small(moving.type))
    return {};
  return fail(Code::DeviceStationary, place_of(*context.code, *matmul.source),
              "the stationary tile is [" + std::to_string(k) + ", " + std::to_string(m) + "] of " +
                  (small ? "16 or 8" : "32") + " bits; the moving tile has K " + std::to_string(moving.partitions) +
                  ", the destination M " + std::to_string(to.partitions));
}

void execute_load_stationary(Core& core, const HostOperand* operands, const View* views) {
  Stationary& s = core.stationary;
  s.loaded = true;
  s.held = false;
  s.source = &operands[0];
  s.view = views[0];
  s.hold();
}

Result<void> execute_matmul(const Context& context, Core& core, const HostOp& op, const HostOperand* operands,
                            const View* views) {
  PeRun run(context);
  ON_TRY(run.multiply(core, op, operands, views));
  run.flush(core);
  return {};
}

namespace {

// Fewer elements than this are moved before a second thread has started.
constexpr std::int64_t kSmallTranspose = 1 << 13;

// Columns first..last-1 of the source: those rows of the destination.
void transpose_columns(const Kernels& kernels, const HostOperand* operands, const View* views, std::int64_t first,
                       std::int64_t last) {
  const HostOperand& to = operands[0];
  const HostOperand& from = operands[1];
  const std::int64_t width = byte_width(to.type);
  const std::int64_t step = from.walk.rank == 0 ? width : from.walk.rank == 1 ? from.walk.strides[0] : 0;
  if (step > 0 && (to.walk.rank == 0 || (to.walk.rank == 1 && to.walk.strides[0] == width))) {
    const std::byte* source = views[1].data + step * first;
    std::byte* const out = views[0].data + first * views[0].pitch;
    const auto rows = static_cast<std::size_t>(from.partitions), columns = static_cast<std::size_t>(last - first);
    const auto pitch = static_cast<std::ptrdiff_t>(views[1].pitch), out_pitch = static_cast<std::ptrdiff_t>(views[0].pitch);
    if (width == 4) return kernels.transpose_32(source, pitch, static_cast<std::ptrdiff_t>(step), rows, columns, out, out_pitch);
    if (width == 2 && step == 2) return kernels.transpose_16(source, pitch, rows, columns, out, out_pitch);
  }
  WalkCursor column(from.walk, first);
  for (std::int64_t f = first; f < last;) {
    const auto run = column.next(last - f);
    for (std::int64_t j = 0; j < run.count; ++j, ++f) {
      const std::byte* source = views[1].data + run.offset + j * run.stride;
      std::byte* row = views[0].data + f * views[0].pitch;
      WalkCursor out(to.walk, 0);
      for (std::int64_t p = 0; p < to.walk.count;) {
        const auto part = out.next(to.walk.count - p);
        copy_elements(row + part.offset, part.stride, source + p * views[1].pitch, views[1].pitch, width, part.count);
        p += part.count;
      }
    }
  }
}

}  // namespace

void execute_transpose(const Context& context, const HostOperand* operands, const View* views) {
  const std::int64_t columns = operands[1].walk.count;
  const std::int64_t pieces =
      operands[1].partitions * columns < kSmallTranspose ? 1 : std::min<std::int64_t>(context.threads->count(), columns);
  // Cut where a line of 4-byte elements ends.
  const auto cut = [&](std::int64_t i) { return i == pieces ? columns : columns * i / pieces / 16 * 16; };
  const auto piece = [&](std::size_t index) {
    const auto i = static_cast<std::int64_t>(index);
    if (cut(i) < cut(i + 1)) transpose_columns(*context.kernels, operands, views, cut(i), cut(i + 1));
  };
  context.threads->run(static_cast<std::size_t>(pieces), piece);
}

}  // namespace openneuron::device
