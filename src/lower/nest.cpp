#include "lower/nest.h"

#include <algorithm>

namespace openneuron::lower {

using isa::Opcode;
using isa::Operand;
using isa::OperandKind;
using isa::Space;

Result<void> Nest::over(std::span<const int> order, const std::function<Result<void>()>& body) {
  if (order.empty()) {
    begin_tile();
    return body();
  }
  const auto index = static_cast<std::size_t>(order[0]);
  const auto rest_order = order.subspan(1);
  const std::int64_t full = axes[index].size / axes[index].tile, rest = axes[index].size % axes[index].tile;
  auto set = [&](std::int64_t start, std::int64_t extent, LoopId loop, std::int64_t trips) {
    Axis& a = axes[index];
    a.start = start;
    a.extent = extent;
    a.loop = loop;
    a.trips = trips;
  };
  if (axes[index].unrolled) {
    for (std::int64_t i = 0; i < full; ++i) {
      set(i, 1, LoopId(), 1);
      ON_TRY(over(rest_order, body));
    }
  } else if (full > 0) {  // one tile is a loop too: the code has one shape for all sizes
    const OpenLoop loop = emitter_.begin_loop(full);
    set(0, axes[index].tile, loop.loop, full);
    ON_TRY(over(rest_order, body));
    emitter_.end_loop();
  }
  if (rest > 0) {
    set(full * axes[index].tile, rest, LoopId(), 1);
    ON_TRY(over(rest_order, body));
  }
  set(0, axes[index].tile, LoopId(), 1);
  return {};
}

std::vector<Use> Nest::uses(const AxisView& view, const Roles& roles) const {
  std::vector<Use> list;
  if (roles.partition >= 0) {
    // Only the outermost of stacked axes is the access's own partition axis; rows follow in row-major order.
    const auto p = static_cast<std::size_t>(roles.partition);
    for (int a : roles.stacked) {
      const auto i = static_cast<std::size_t>(a);
      list.push_back({list.empty() ? Use::Partition : Use::Dim, view.strides[i], axes[i].extent, {}});
    }
    list.push_back({list.empty() ? Use::Partition : Use::Dim, view.strides[p], axes[p].extent, {}});
  }
  for (int f : roles.free) list.push_back({Use::Dim, view.strides[static_cast<std::size_t>(f)], axes[static_cast<std::size_t>(f)].extent, {}});
  for (std::size_t a = 0; a < axes.size(); ++a)
    if (axes[a].loop.valid() && view.strides[a] != 0)
      list.push_back({Use::Loop, view.strides[a] * axes[a].tile, axes[a].trips, axes[a].loop});
  return list;
}

std::int64_t Nest::start(const AxisView& view) const {
  std::int64_t s = view.offset;
  for (std::size_t a = 0; a < axes.size(); ++a) s += view.strides[a] * axes[a].start;
  return s;
}

std::optional<Operand> Nest::in_form(const AxisView& view, const Form& form, const Roles& roles) const {
  if (!roles.stacked.empty() && form.on_chip()) return std::nullopt;
  // One value for all partitions needs a replicated home, or HBM.
  if (form.kind == FormKind::Tiled && rows(roles) > 1 &&
      (roles.partition < 0 || view.strides[static_cast<std::size_t>(roles.partition)] == 0))
    return std::nullopt;
  auto o = store_.operand(view.home, form, start(view), uses(view, roles), rows(roles));
  if (o) o->type = view.type;  // a bitcast reads the home's bits as another type
  return o;
}

bool Nest::fits(const AxisView& view, const Form& form, const Roles& roles, std::size_t from) {
  if (from == axes.size()) return in_form(view, form, roles).has_value();
  Axis& a = axes[from];
  const Axis saved = a;
  const std::int64_t full = a.size / a.tile, rest = a.size % a.tile;
  bool good = true;
  if (a.unrolled) {
    for (a.start = 0; good && a.start < a.size; ++a.start) good = fits(view, form, roles, from + 1);
  } else if (full > 0) {
    a.start = 0;
    a.extent = a.tile;
    a.loop = full > 1 ? LoopId(std::size_t{0}) : LoopId();
    a.trips = full;
    good = fits(view, form, roles, from + 1);
  }
  if (good && rest > 0) {
    a.start = full * a.tile;
    a.extent = rest;
    a.loop = LoopId();
    a.trips = 1;
    good = fits(view, form, roles, from + 1);
  }
  a = saved;
  return good;
}

bool Nest::on_chip(const AxisView& view, const Roles& roles) {
  if (view.kind != ViewKind::Memory) return true;
  for (const Form& form : store_.home(view.home).forms)
    if (form.on_chip() && fits(view, form, roles, 0)) return true;
  return false;
}

void Nest::drop_unused(const AxisView& view, const Roles& roles) {
  if (store_.home(view.home).last_use > store_.now()) return;
  for (const Form& form : store_.home(view.home).forms)
    if (form.on_chip() && fits(view, form, roles, 0)) return store_.keep_only(view.home, form.buffer);
}

const Form* Nest::turned_from(const AxisView& view, const Roles& roles) {
  const std::int64_t width = byte_width(view.type);
  if (view.kind != ViewKind::Memory || roles.partition < 0 || !roles.stacked.empty() || roles.free.size() != 1 || (width != 2 && width != 4)) return nullptr;
  const auto f = static_cast<std::size_t>(roles.free[0]), p = static_cast<std::size_t>(roles.partition);
  if (view.strides[p] <= 0 || axes[p].tile > tile_limit(emitter_.machine())) return nullptr;
  for (std::size_t a = 0; a < axes.size(); ++a)
    if (view.strides[a] == 0 && axes[a].size > axes[a].tile) return nullptr;  // read more than once
  Roles swapped;
  swapped.partition = roles.free[0];
  swapped.free = {roles.partition};
  for (const Form& form : store_.home(view.home).forms) {
    if (form.kind != FormKind::Tiled || form.s != view.strides[f] || axes[f].tile % std::min(form.tile, axes[f].size) != 0) continue;
    const Axis saved = axes[f];
    axes[f].tile = axes[f].extent = std::min(form.tile, saved.tile);
    const bool good = fits(view, form, swapped, 0);
    axes[f] = saved;
    if (good) return &form;
  }
  return nullptr;
}

bool Nest::turns_rows(const AxisView& view, const Roles& roles) {
  constexpr std::int64_t kRowsMin = 32;  // a quadrant
  const std::int64_t width = byte_width(view.type);
  if (view.kind != ViewKind::Memory || roles.partition < 0 || !roles.stacked.empty() || roles.free.size() != 1 || (width != 2 && width != 4)) return false;
  const auto f = static_cast<std::size_t>(roles.free[0]), p = static_cast<std::size_t>(roles.partition);
  if (view.strides[p] != 1 || view.strides[f] < axes[p].size || axes[p].tile * width < kShortRun || axes[f].tile < kRowsMin) return false;
  const Form* from = streamed_from(view, roles);
  return from != nullptr && from->kind == FormKind::Hbm && run_bytes(view, *from, roles) < kShortRun;
}

Operand Nest::turn_tile(const AxisView& view, const Form& form, const Roles& roles) {
  Roles swapped;
  swapped.partition = roles.free[0];
  swapped.free = {roles.partition};
  const std::int64_t width = byte_width(view.type);
  Axis& f = axes[static_cast<std::size_t>(roles.free[0])];
  const Axis saved = f;
  const std::int64_t columns = axes[static_cast<std::size_t>(roles.partition)].extent;
  const Operand made = tile_buffer(Space::Sbuf, store_.home(view.home).name + "_turned", view.type, roles, {true});
  emitter_.note(isa::NoteKind::Turned, store_.home(view.home).name, saved.extent * columns * width,
                "the contraction wants the contracted axis on partitions and finds the tile on chip the other way round");
  const auto source_at = [&](std::int64_t at, std::int64_t extent) {
    f.start = saved.start + at;
    f.extent = extent;
    return *in_form(view, form, swapped);
  };
  over_tiles(emitter_, saved.extent, form.tile, [&](std::int64_t at, std::int64_t tile, LoopId loop, std::int64_t turns) {
    const std::int64_t extent = std::min(tile, saved.extent);
    Operand source = source_at(at, extent), part = made;
    part.start += at * width;
    part.dims[0].count = extent;
    if (loop.valid() && turns > 1) {
      source.terms.push_back({loop, 0, source_at(form.tile, extent).start - source.start});
      part.terms.push_back({loop, 0, form.tile * width});
    }
    Operand bank = emitter_.whole(emitter_.buffer(Space::Psum, "turned", columns, extent * width, true), view.type, columns);
    bank.dims.push_back({width, extent});
    emitter_.emit(Opcode::Transpose, {bank, source});
    emitter_.emit(Opcode::Copy, {part, bank});
  });
  f = saved;
  return made;
}

// Bytes in a row that one descriptor of the first tile moves; 0 when the form cannot be read so.
std::int64_t Nest::run_bytes(const AxisView& view, const Form& form, const Roles& roles) {
  const auto o = in_form(view, form, roles);
  return o ? run_bytes(*o, byte_width(view.type)) : 0;
}

std::int64_t Nest::run_bytes(const Operand& o, std::int64_t width) {
  std::int64_t run = width;
  for (std::size_t d = o.dims.size(); d-- > 0;) {
    if (o.dims[d].count == 1) continue;
    if (o.dims[d].stride != run) break;
    run *= o.dims[d].count;
  }
  return run;
}

const Form* Nest::streamed_from(const AxisView& view, const Roles& roles) {
  const Form* chosen = nullptr;
  std::int64_t longest = 0;
  for (const Form& form : store_.home(view.home).forms) {
    const std::int64_t run = form.on_chip() ? 0 : run_bytes(view, form, roles);
    if (run > longest) {
      longest = run;
      chosen = &form;
    }
  }
  return chosen;
}

std::optional<Operand> Nest::block(const AxisView& view, const Roles& roles, std::span<const isa::Dim> dims) {
  Roles rows = roles;
  rows.free.clear();
  std::vector<Use> list = uses(view, rows);
  const auto loops = std::find_if(list.begin(), list.end(), [](const Use& u) { return u.kind == Use::Loop; });
  std::vector<Use> block;
  for (const isa::Dim& d : dims) block.push_back({Use::Dim, d.stride, d.count, {}});
  list.insert(loops, block.begin(), block.end());
  std::optional<Operand> best;
  std::int64_t longest = 0;
  for (const Form& form : store_.home(view.home).forms) {
    if (form.on_chip()) continue;
    auto o = store_.operand(view.home, form, start(view), list, this->rows(roles));
    const std::int64_t run = o ? run_bytes(*o, byte_width(view.type)) : 0;
    if (run <= longest) continue;
    longest = run;
    o->type = view.type;
    best = std::move(o);
  }
  return best;
}

// A view that no form on chip serves is streamed: from HBM as it lies, unless its runs are short there and another order,
// row-major or that of the tiles which hold it now, gives longer ones.
void Nest::make_streamed(const AxisView& view, const Roles& roles) {
  const Home& home = store_.home(view.home);
  std::int64_t best = 0;
  for (const Form& form : home.forms)
    if (!form.on_chip() && fits(view, form, roles, 0)) best = std::max(best, run_bytes(view, form, roles));
  if (best >= kShortRun) return;
  Form chosen;
  std::int64_t longest = store_.hbm(view.home) ? 0 : run_bytes(view, Form{}, roles);
  std::vector<Form> orders;
  for (const Form& form : home.forms)
    if (form.kind == FormKind::Tiled) orders.push_back(form);
  if (roles.partition >= 0) {
    const auto p = static_cast<std::size_t>(roles.partition);
    orders.push_back({FormKind::Tiled, view.strides[p], axes[p].size, axes[p].tile, BufferId()});
    // What lies between neighbours of the innermost free axis: all channels of a pixel, or of every second one.
    std::int64_t unit = view.strides[p];
    for (int a : roles.stacked) unit = std::min(unit, view.strides[static_cast<std::size_t>(a)]);
    const std::int64_t step = roles.free.empty() ? 0 : view.strides[static_cast<std::size_t>(roles.free.back())];
    if (unit > 0 && step > unit && step % unit == 0) orders.push_back({FormKind::Tiled, unit, step / unit, axes[p].tile, BufferId()});
  }
  for (const Form& form : orders) {
    const Form spilled{FormKind::Spilled, form.s, form.n, form.tile, BufferId()};
    if (form.s <= 0 || form.n <= 1 || home.count % (form.s * form.n) != 0) continue;
    const std::int64_t run = fits(view, spilled, roles, 0) ? run_bytes(view, spilled, roles) : 0;
    if (run > longest) {
      longest = run;
      chosen = spilled;
    }
  }
  if (best > 0 && best >= longest) return;
  if (chosen.kind == FormKind::Spilled && store_.make_spilled(view.home, chosen.s, chosen.n)) return;
  if (chosen.kind == FormKind::Hbm || best == 0) store_.make_hbm(view.home);
}

void Nest::prepare(const AxisView& view, const Roles& roles, bool keep, bool blocks) {
  if (on_chip(view, roles)) return;
  if (!roles.stacked.empty()) return make_streamed(view, roles);
  const Home& home = store_.home(view.home);
  const auto p = static_cast<std::size_t>(std::max(roles.partition, 0));
  const std::int64_t stride = roles.partition >= 0 ? view.strides[p] : 0;
  bool reused = home.last_use > store_.now() || keep;
  for (std::size_t a = 0; a < axes.size(); ++a)
    if (view.strides[a] == 0 && axes[a].size > axes[a].tile) reused = true;
  const bool only_hbm = home.forms.size() == 1 && home.forms[0].kind == FormKind::Hbm;
  const std::int64_t bytes = byte_width(home.type);
  if (stride == 0) {
    const std::int64_t room = emitter_.machine().sbuf_partition_bytes / 8;
    if (home.count * bytes <= room && (roles.partition >= 0 || roles.rows > 1) && store_.make_replicated(view.home) &&
        on_chip(view, roles))
      return;
  } else if (stride > 0 && (reused || !only_hbm || stride * bytes < kShortRun)) {
    std::int64_t n = axes[p].size;
    if (home.count % (n * stride) != 0 || view.offset % (n * stride) / stride != 0) n = home.count / stride;
    if (n > 0 && home.count % (n * stride) == 0) {
      Form wanted{FormKind::Tiled, stride, n, axes[p].tile, BufferId()};
      if (fits(view, wanted, roles, 0) && store_.make_tiled(view.home, stride, n, axes[p].tile) && on_chip(view, roles)) return;
    }
  }
  if (!turned_from(view, roles) && !(blocks && turns_rows(view, roles))) make_streamed(view, roles);
}

bool Nest::keepable(const AxisView& view, const Roles& roles) {
  if (view.kind != ViewKind::Memory || roles.partition < 0) return true;
  const auto p = static_cast<std::size_t>(roles.partition);
  const Home& home = store_.home(view.home);
  const std::int64_t stride = view.strides[p];
  if (stride <= 0) return false;
  std::int64_t n = axes[p].size;
  if (home.count % (n * stride) != 0 || view.offset % (n * stride) / stride != 0) n = home.count / stride;
  if (n <= 0 || home.count % (n * stride) != 0) return false;
  const Form form{FormKind::Tiled, stride, n, axes[p].tile, BufferId()};
  return fits(view, form, roles, 0) && store_.has_room(form.bytes(home.count, byte_width(home.type)));
}

Operand Nest::tile_buffer(Space space, std::string_view name, ElementType type, const Roles& roles,
                          const std::vector<bool>& varies, bool rotate) {
  std::int64_t bytes = byte_width(type);
  std::vector<std::int64_t> strides(roles.free.size(), 0);
  for (std::size_t i = roles.free.size(); i-- > 0;) {
    if (!varies[i]) continue;
    const Axis& a = axes[static_cast<std::size_t>(roles.free[i])];
    strides[i] = bytes;
    bytes *= a.extent;
  }
  const BufferId id = emitter_.buffer(space, name, rows(roles), bytes, rotate);
  Operand o = emitter_.whole(id, type, rows(roles));
  for (std::size_t i = 0; i < roles.free.size(); ++i)
    o.dims.push_back({strides[i], axes[static_cast<std::size_t>(roles.free[i])].extent});
  return o;
}

Operand Nest::filled(double value, ElementType type, const Roles& roles) {
  const BufferId id = emitter_.buffer(Space::Sbuf, "fill", rows(roles), byte_width(type), false);
  Operand o = emitter_.whole(id, type, rows(roles));
  emitter_.emit(Opcode::Memset, {o, immediate(value, is_float(type) ? ElementType::F32 : ElementType::I32)});
  for (int f : roles.free) o.dims.push_back({0, axes[static_cast<std::size_t>(f)].extent});
  return o;
}

Result<Operand> Nest::generate_iota(const AxisView& view, const Roles& roles) {
  std::vector<bool> varies(roles.free.size());
  for (std::size_t i = 0; i < varies.size(); ++i) varies[i] = view.strides[static_cast<std::size_t>(roles.free[i])] != 0;
  const Operand made = tile_buffer(Space::Sbuf, "iota", view.type, roles, varies);
  Operand destination = made, pattern;
  pattern.kind = OperandKind::Pattern;
  pattern.partition_count = made.partition_count;
  pattern.partition_stride = roles.partition >= 0 ? view.strides[static_cast<std::size_t>(roles.partition)] : 0;
  pattern.start = start(view);
  for (std::size_t a = 0; a < axes.size(); ++a)
    if (axes[a].loop.valid() && view.strides[a] != 0) pattern.terms.push_back({axes[a].loop, 0, view.strides[a] * axes[a].tile});
  for (std::size_t i = 0; i < roles.free.size(); ++i) {
    if (!varies[i]) destination.dims[i].count = 1;
    pattern.dims.push_back({view.strides[static_cast<std::size_t>(roles.free[i])], destination.dims[i].count});
  }
  merge_dims({&destination, &pattern});
  emitter_.emit(Opcode::Iota, {destination, pattern});
  return made;
}

Result<Operand> Nest::read(const AxisView& view, const Roles& roles, bool as_memory) {
  if (view.kind == ViewKind::Splat && !as_memory)
    return immediate(view.splat, is_float(view.type) ? ElementType::F32 : ElementType::I32);
  std::vector<int> key = roles.free;
  key.push_back(roles.partition);
  key.insert(key.end(), roles.stacked.begin(), roles.stacked.end());
  for (const Cached& c : cache_)
    if (c.view == view && c.roles == key) return c.operand;
  auto remember = [&](Operand o) {
    cache_.push_back({view, key, o});
    return o;
  };
  if (view.kind == ViewKind::Splat) return remember(filled(view.splat, view.type, roles));
  if (view.kind == ViewKind::Iota) {
    auto made = generate_iota(view, roles);
    if (!made) return made.failure();
    return remember(*made);
  }
  for (const Form& form : store_.home(view.home).forms)
    if (form.on_chip())
      if (auto o = in_form(view, form, roles)) return remember(*o);

  if (const Form* rows = turned_from(view, roles)) return remember(turn_tile(view, *rows, roles));
  const Form* from = streamed_from(view, roles);
  std::optional<Operand> source = from ? in_form(view, *from, roles) : std::nullopt;
  if (!source) return fail(Code::Internal, "a tile of " + store_.home(view.home).name + " cannot be read");
  std::vector<bool> varies(roles.free.size());
  for (std::size_t i = 0; i < varies.size(); ++i) {
    varies[i] = view.strides[static_cast<std::size_t>(roles.free[i])] != 0;
    if (!varies[i]) source->dims[roles.stacked.size() + i].count = 1;
  }
  const Operand made = tile_buffer(Space::Sbuf, store_.home(view.home).name + "_tile", view.type, roles, varies);
  Operand destination = made;
  for (std::size_t i = 0; i < varies.size(); ++i)
    if (!varies[i]) destination.dims[i].count = 1;
  if (roles.stacked.empty()) {
    merge_dims({&destination, &*source});
  } else {  // the same elements in the same order, in other shapes
    merge_dims({&destination});
    merge_dims({&*source});
  }
  emitter_.emit(Opcode::Dma, {destination, *source, no_operand()}, {0, 0});
  return remember(made);
}

std::optional<Operand> Nest::target(HomeId home, const Form& form, const AxisView& view, const Roles& roles) const {
  auto o = store_.operand(home, form, start(view), uses(view, roles), rows(roles));
  if (o) o->type = view.type;
  return o;
}

}  // namespace openneuron::lower
