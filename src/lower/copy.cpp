#include "lower/copy.h"

#include <algorithm>

namespace openneuron::lower {

using isa::Opcode;
using isa::Operand;
using isa::OperandKind;

AxisView over_dims(const View& view) {
  AxisView v;
  v.kind = view.kind;
  v.type = view.type;
  v.home = view.home;
  v.splat = view.splat;
  v.offset = view.offset;
  for (const ViewDim& d : view.dims) v.strides.push_back(d.size > 1 ? d.stride : 0);
  return v;
}

void merge_neighbours(std::vector<std::int64_t>& sizes, std::span<std::vector<std::int64_t>* const> strides) {
  std::size_t outer = sizes.size();  // the nearest axis of more than one element inside of `a`
  for (std::size_t a = sizes.size(); a-- > 0;) {
    if (sizes[a] == 1) continue;
    bool merges = outer < sizes.size();
    for (const auto* s : strides) merges = merges && (*s)[a] == (*s)[outer] * sizes[outer];
    if (merges) {
      sizes[a] *= sizes[outer];
      sizes[outer] = 1;
      for (auto* s : strides) {
        (*s)[a] = (*s)[outer];
        (*s)[outer] = 0;
      }
    }
    outer = a;
  }
}

namespace {

// Cuts the axis that runs across a form's rows, so that rows can be an axis of their own.
void split_at(std::int64_t stride, std::vector<std::int64_t>& sizes, AxisView& from, AxisView& to) {
  for (std::size_t a = 0; a < sizes.size(); ++a) {
    const std::int64_t step = from.strides[a];
    if (sizes[a] == 1 || step <= 0 || step >= stride || stride % step != 0) continue;
    const std::int64_t inner = stride / step;
    if (inner >= sizes[a] || sizes[a] % inner != 0) continue;
    const auto at = static_cast<std::ptrdiff_t>(a);
    sizes.insert(sizes.begin() + at, sizes[a] / inner);
    sizes[a + 1] = inner;
    from.strides.insert(from.strides.begin() + at, stride);
    to.strides.insert(to.strides.begin() + at, to.strides[a] * inner);
    return;
  }
}

}  // namespace

namespace {

void fill_tiles(Emitter& emitter, const Home& home, const Form& form, double value) {
  const std::int64_t width = byte_width(home.type), elements = form.bytes(home.count, width) / width;
  Operand whole = emitter.whole(form.buffer, home.type, form.kind == FormKind::Tiled ? form.tile : emitter.machine().partitions);
  std::int64_t chunk = std::min<std::int64_t>(elements, emitter.machine().instruction_elements_max);
  while (elements % chunk != 0) --chunk;
  whole.dims.push_back({width, chunk});
  const OpenLoop loop = emitter.begin_loop(elements / chunk);
  whole.terms.push_back({loop.loop, 0, chunk * width});
  emitter.emit(Opcode::Memset, {whole, immediate(value, is_float(home.type) ? ElementType::F32 : ElementType::I32)});
  emitter.end_loop();
}

void fill_hbm(Store& store, HomeId id, const Form& form, double value) {
  Emitter& emitter = store.emitter();
  const Home& home = store.home(id);
  const std::int64_t bytes = byte_width(home.type), count = home.count;
  // One tile of the value, as wide as a long descriptor; then as many transfers of it as it takes.
  const std::int64_t chunk = std::min<std::int64_t>(count, 2048 / bytes);
  const std::int64_t rows = std::clamp<std::int64_t>(count / chunk, 1, emitter.machine().partitions);
  Operand tile = emitter.whole(emitter.buffer(isa::Space::Sbuf, "fill", rows, chunk * bytes, false), home.type, rows);
  tile.dims.push_back({bytes, chunk});
  emitter.emit(Opcode::Memset, {tile, immediate(value, is_float(home.type) ? ElementType::F32 : ElementType::I32)});
  const auto transfer = [&](std::int64_t start, std::int64_t of, std::int64_t width, LoopId loop) {
    Operand from = tile, to;
    from.partition_count = static_cast<std::uint16_t>(of);
    from.dims[0].count = width;
    to.kind = OperandKind::Memory;
    to.space = isa::Space::PrivateHbm;
    to.type = home.type;
    to.buffer = form.buffer;
    to.start = start * bytes;
    to.partition_count = from.partition_count;
    to.partition_stride = chunk * bytes;
    to.dims.push_back({bytes, width});
    if (loop.valid()) to.terms.push_back({loop, 0, rows * chunk * bytes});
    emitter.emit(Opcode::Dma, {to, from, no_operand()}, {0, 0});
  };
  const std::int64_t full = count / (rows * chunk);
  if (full > 0) {
    const OpenLoop loop = emitter.begin_loop(full);
    transfer(0, rows, chunk, loop.loop);
    emitter.end_loop();
  }
  const std::int64_t done = full * rows * chunk, left = (count - done) / chunk;
  if (left > 0) transfer(done, left, chunk, LoopId());
  if (const std::int64_t last = count - done - left * chunk; last > 0) transfer(done + left * chunk, 1, last, LoopId());
}

}  // namespace

void fill_form(Store& store, HomeId id, const Form& form, double value) {
  if (form.on_chip())
    fill_tiles(store.emitter(), store.home(id), form, value);
  else
    fill_hbm(store, id, form, value);
}

Result<void> copy_view(Store& store, const View& source, const View& target, const Form& form,
                       DynamicOffset target_offset, DynamicOffset source_offset) {
  if (target.count() == 0) return {};
  if (source.kind == ViewKind::Splat && target_offset.reg < 0 && is_whole(target, store)) {
    fill_form(store, target.home, form, source.splat);
    return {};
  }
  AxisView from = over_dims(source), to = over_dims(target);
  std::vector<std::int64_t> sizes;
  for (const ViewDim& d : target.dims) sizes.push_back(d.size);
  std::vector<std::int64_t>* both[] = {&from.strides, &to.strides};
  merge_neighbours(sizes, both);

  if (source.kind == ViewKind::Memory && source_offset.reg < 0 && is_whole(source, store)) store.make_rows(source.home);
  // The partition axis: the one that the source has on partitions, else the largest that leaves rows contiguous.
  const std::int64_t limit = tile_limit(store.emitter().machine());
  int partition = -1;
  if (source.kind == ViewKind::Memory)
    for (const Form& f : std::vector<Form>(store.home(from.home).forms))
      if (f.kind == FormKind::Tiled) {
        split_at(f.s, sizes, from, to);
        split_at(f.s * f.n, sizes, from, to);
      }
  const bool direct = source.kind == ViewKind::Memory && source_offset.reg < 0;
  if (direct)
    for (const Form& f : store.home(from.home).forms)
      for (std::size_t a = 0; a < sizes.size(); ++a)
        if (f.kind == FormKind::Tiled && sizes[a] > 1 && from.strides[a] == f.s) partition = static_cast<int>(a);
  std::vector<int> live;
  for (std::size_t a = 0; a < sizes.size(); ++a)
    if (sizes[a] > 1) live.push_back(static_cast<int>(a));
  if (partition < 0 && live.size() > 1) {
    partition = live[0];
    for (std::size_t i = 0; i + 1 < live.size(); ++i)
      if (sizes[static_cast<std::size_t>(live[i])] > sizes[static_cast<std::size_t>(partition)]) partition = live[i];
  }
  Nest nest(store, {});
  for (std::int64_t n : sizes) {
    Axis a;
    a.size = n;
    nest.axes.push_back(a);
  }
  Roles roles;
  roles.partition = partition;
  if (partition >= 0) {
    Axis& p = nest.axes[static_cast<std::size_t>(partition)];
    p.tile = p.extent = tile_of(p.size, limit);
  }
  std::int64_t room = std::clamp<std::int64_t>(store.emitter().machine().sbuf_partition_bytes / 16, 64, 4096);
  for (std::size_t i = live.size(); i-- > 0 && roles.free.size() < 3;) {
    if (live[i] == partition) continue;
    Axis& a = nest.axes[static_cast<std::size_t>(live[i])];
    a.tile = a.extent = tile_of(a.size, std::max<std::int64_t>(room, 1));
    room /= a.tile;
    roles.free.insert(roles.free.begin(), live[i]);
    if (a.tile < a.size) break;
  }
  std::vector<int> order;
  for (int a : live)
    if (a == partition || nest.axes[static_cast<std::size_t>(a)].size > nest.axes[static_cast<std::size_t>(a)].tile) order.push_back(a);
  // HBM to HBM needs no stop on chip.
  const bool from_hbm = source.kind == ViewKind::Memory && (source_offset.reg >= 0 || !nest.on_chip(from, roles));
  if (from_hbm) store.make_hbm(from.home);
  return nest.over(order, [&]() -> Result<void> {
    Operand read;
    if (from_hbm) {
      auto o = nest.target(from.home, *store.hbm(from.home), from, roles);
      if (!o) return fail(Code::Internal, "a value cannot be copied out of HBM");
      read = *o;
      if (source_offset.reg >= 0) {
        read.reg = source_offset.reg;
        read.reg_bytes = source_offset.bytes;
      }
    } else {
      auto o = nest.read(from, roles, true);
      if (!o) return o.failure();
      read = *o;
    }
    auto written = nest.target(to.home, form, to, roles);
    if (!written) return fail(Code::Internal, "a value cannot be stored");
    if (target_offset.reg >= 0) {
      written->reg = target_offset.reg;
      written->reg_bytes = target_offset.bytes;
    }
    merge_dims({&*written, &read});
    store.emitter().emit(Opcode::Dma, {*written, read, no_operand()}, {0, 0});
    return {};
  });
}

}  // namespace openneuron::lower
