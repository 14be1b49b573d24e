// The store's data movement: HBM <-> tiles by DMA, tiles -> other tiles by DMA (same factor on partitions) or through the
// PE (another factor), one row -> all partitions by DMA.
#include <algorithm>

#include "lower/store.h"

namespace openneuron::lower {
namespace {

using isa::Opcode;
using isa::Operand;
using isa::Space;

void emit_dma(Emitter& emitter, Operand destination, Operand source) {
  merge_dims({&destination, &source});
  emitter.emit(Opcode::Dma, {destination, source, no_operand()}, {0, 0});
}

}  // namespace

void Store::transfer_tiled(HomeId id, const Form& tiled, const Form& hbm, bool to_hbm) {
  const Home& home = homes_[id];
  const std::int64_t s = tiled.s, n = tiled.n, outer = home.count / (n * s);
  over_tiles(emitter_, n, tiled.tile, [&](std::int64_t start, std::int64_t extent, LoopId loop, std::int64_t trips) {
    std::vector<Use> uses = {{Use::Partition, s, extent, {}}, {Use::Dim, n * s, outer, {}}, {Use::Dim, 1, s, {}}};
    if (loop.valid()) uses.push_back({Use::Loop, tiled.tile * s, trips, loop});
    const Operand on_chip = *operand(id, tiled, start * s, uses, extent);
    const Operand in_hbm = *operand(id, hbm, start * s, uses, extent);
    if (to_hbm)
      emit_dma(emitter_, in_hbm, on_chip);
    else
      emit_dma(emitter_, on_chip, in_hbm);
  });
}

// Same s: rows stay rows and only move to other partitions or tiles.
bool Store::copy_tiled(HomeId id, const Form& from, const Form& to) {
  const Home& home = homes_[id];
  const std::int64_t s = to.s, n = to.n, outer = home.count / (n * s);
  auto uses_of = [&](std::int64_t extent, LoopId tiles, std::int64_t trips, LoopId outers) {
    std::vector<Use> uses = {{Use::Partition, s, extent, {}}, {Use::Dim, 1, s, {}}};
    uses.push_back({Use::Loop, to.tile * s, trips, tiles});
    uses.push_back({Use::Loop, n * s, outer, outers});
    return uses;
  };
  const std::int64_t full = n / to.tile, rest = n % to.tile;
  const LoopId any(std::size_t{0});
  if (full > 0 && !operand(id, from, 0, uses_of(to.tile, any, full, any), to.tile)) return false;
  if (rest > 0 && !operand(id, from, full * to.tile * s, uses_of(rest, any, 1, any), rest)) return false;
  over_tiles(emitter_, n, to.tile, [&](std::int64_t start, std::int64_t extent, LoopId loop, std::int64_t trips) {
    over_tiles(emitter_, outer, 1, [&](std::int64_t o, std::int64_t, LoopId outers, std::int64_t) {
      const auto uses = uses_of(extent, loop, loop.valid() ? trips : 1, outers);
      const std::int64_t first = start * s + o * n * s;
      emit_dma(emitter_, *operand(id, to, first, uses, extent), *operand(id, from, first, uses, extent));
    });
  });
  return true;
}

bool Store::can_transpose(const Home& home, const Form& from, const Form& to) const {
  const int bytes = byte_width(home.type);
  if (bytes > 4) return false;
  const Form& wide = from.s > to.s ? from : to;
  const Form& narrow = from.s > to.s ? to : from;
  return from.s != to.s && wide.s % (narrow.s * narrow.n) == 0 && home.count % (wide.s * wide.n) == 0;
}

// linear = [outer][a][middle][b][inner]: the wider of the two factors, what lies between, the narrower, the rest. Blocks of
// tile(from) x tile(to) go through the PE; the loops run over everything else.
bool Store::transpose_tiled(HomeId id, const Form& from, const Form& to) {
  const Home& home = homes_[id];
  if (!can_transpose(home, from, to)) return false;
  const Form& wide = from.s > to.s ? from : to;
  const Form& narrow = from.s > to.s ? to : from;
  const std::int64_t outer = home.count / (wide.n * wide.s), middle = wide.s / (narrow.n * narrow.s), inner = narrow.s;
  const int bytes = byte_width(home.type);
  emitter_.note(isa::NoteKind::Turned, home.name, home.count * bytes,
                "it lies on chip with another axis on partitions (" + std::to_string(from.n) + ") than its reader wants (" +
                    std::to_string(to.n) + ")");
  const ElementType type = bytes == 1 ? ElementType::BF16 : home.type;
  over_tiles(emitter_, outer, 1, [&](std::int64_t o, std::int64_t, LoopId lo, std::int64_t) {
    over_tiles(emitter_, middle, 1, [&](std::int64_t m, std::int64_t, LoopId lm, std::int64_t) {
      over_tiles(emitter_, inner, 1, [&](std::int64_t i, std::int64_t, LoopId li, std::int64_t) {
        over_tiles(emitter_, from.n, from.tile, [&](std::int64_t fs, std::int64_t fe, LoopId lf, std::int64_t ft) {
          over_tiles(emitter_, to.n, to.tile, [&](std::int64_t ts, std::int64_t te, LoopId lt, std::int64_t tt) {
            const std::int64_t start = o * wide.n * wide.s + m * narrow.n * narrow.s + i + fs * from.s + ts * to.s;
            const Use loops[] = {{Use::Loop, wide.n * wide.s, outer, lo}, {Use::Loop, narrow.n * narrow.s, middle, lm},
                                 {Use::Loop, 1, inner, li}, {Use::Loop, from.tile * from.s, ft, lf},
                                 {Use::Loop, to.tile * to.s, tt, lt}};
            std::vector<Use> read = {{Use::Partition, from.s, fe, {}}, {Use::Dim, to.s, te, {}}};
            std::vector<Use> write = {{Use::Partition, to.s, te, {}}, {Use::Dim, from.s, fe, {}}};
            for (const Use& u : loops)
              if (u.loop.valid()) {
                read.push_back(u);
                write.push_back(u);
              }
            Operand source = *operand(id, from, start, read, fe);
            if (bytes == 1) {  // the PE takes no bytes: 8-bit values pass through bf16, which holds them exactly
              Operand widened = emitter_.whole(emitter_.buffer(Space::Sbuf, "widened", fe, te * 2, true), type, fe);
              widened.dims.push_back({2, te});
              emitter_.emit(Opcode::Copy, {widened, source});
              source = widened;
            }
            const BufferId bank = emitter_.buffer(Space::Psum, "turned", te, fe * byte_width(type), true);
            Operand turned = emitter_.whole(bank, type, te);
            turned.dims.push_back({byte_width(type), fe});
            emitter_.emit(Opcode::Transpose, {turned, source});
            emitter_.emit(Opcode::Copy, {*operand(id, to, start, write, te), turned});
          });
        });
      });
    });
  });
  return true;
}

bool Store::make_tiled(HomeId id, std::int64_t s, std::int64_t n, std::int64_t tile) {
  Form wanted{FormKind::Tiled, s, n, tile, BufferId()};
  for (const Form& f : homes_[id].forms)
    if (f.same_layout(wanted)) return true;
  const Home& home = homes_[id];
  if (s <= 0 || n <= 0 || home.count == 0 || home.count % (n * s) != 0) return false;
  const std::int64_t bytes = byte_width(home.type);

  // From tiles with the same factor on partitions, or through the PE from another factor.
  std::vector<Form> forms = home.forms;
  for (const Form& f : forms)
    if (f.kind == FormKind::Tiled && can_transpose(home, f, wanted)) {
      auto made = new_tiled(id, s, n, tile);
      if (!made) return false;
      transpose_tiled(id, f, *made);
      add_form(id, *made);
      return true;
    }
  for (const Form& f : forms)
    if (f.kind == FormKind::Spilled && f.s == s && f.n == n) {
      auto made = new_tiled(id, s, n, tile);
      if (!made) return false;
      transfer_tiled(id, *made, f, false);
      add_form(id, *made);
      return true;
    }
  const Form* in_hbm = hbm(id);
  if (in_hbm) {
    const Form source = *in_hbm;
    // Runs of a few bytes are slow to load: load rows as they lie, then turn them on the PE.
    const std::int64_t block = n * s, rows = home.count / block;
    Form natural{FormKind::Tiled, block, rows, tile_of(rows, tile_limit(emitter_.machine())), BufferId()};
    const bool short_runs = s * bytes < kShortRun && block > s && rows > 1;
    if (short_runs && can_transpose(home, natural, wanted) && has_room(natural.bytes(home.count, bytes) + wanted.bytes(home.count, bytes))) {
      if (make_tiled(id, block, rows, natural.tile)) return make_tiled(id, s, n, tile);
    }
    auto made = new_tiled(id, s, n, tile);
    if (!made) return false;
    if (short_runs && can_turn(home, s, n))
      turn(id, source, *made, false);
    else
      transfer_tiled(id, *made, source, false);
    add_form(id, *made);
    return true;
  }
  for (const Form& f : forms)
    if (f.kind == FormKind::Tiled && f.s == s) {
      auto made = new_tiled(id, s, n, tile);
      if (!made) return false;
      if (!copy_tiled(id, f, *made)) {
        make_hbm(id);
        transfer_tiled(id, *made, *hbm(id), false);
      }
      add_form(id, *made);
      return true;
    }
  make_hbm(id);
  return make_tiled(id, s, n, tile);
}

bool Store::make_replicated(HomeId id) {
  for (const Form& f : homes_[id].forms)
    if (f.kind == FormKind::Replicated) return true;
  const Home& home = homes_[id];
  const std::int64_t bytes = byte_width(home.type);
  auto made = new_replicated(id);
  if (!made) return false;
  // One row first, so that HBM is read once; then the row to all partitions.
  const BufferId row = emitter_.buffer(Space::Sbuf, home.name + "_row", 1, home.count * bytes, false);
  Operand line = emitter_.whole(row, home.type, 1);
  line.dims.push_back({bytes, home.count});
  Form tiled;
  for (const Form& f : home.forms)
    if (f.kind == FormKind::Tiled) tiled = f;
  if (tiled.kind == FormKind::Tiled) {
    const std::int64_t s = tiled.s, outer = home.count / (tiled.n * s);
    over_tiles(emitter_, tiled.n, tiled.tile, [&](std::int64_t start, std::int64_t extent, LoopId loop, std::int64_t trips) {
      std::vector<Use> uses = {{Use::Partition, s, extent, {}}, {Use::Dim, tiled.n * s, outer, {}}, {Use::Dim, 1, s, {}}};
      if (loop.valid()) uses.push_back({Use::Loop, tiled.tile * s, trips, loop});
      Operand to = emitter_.whole(row, home.type, 1);
      to.start = start * s * bytes;
      to.dims.push_back({s * bytes, extent});
      to.dims.push_back({tiled.n * s * bytes, outer});
      to.dims.push_back({bytes, s});
      if (loop.valid()) to.terms.push_back({loop, 0, tiled.tile * s * bytes});
      emitter_.emit(Opcode::Dma, {to, *operand(id, tiled, start * s, uses, extent), no_operand()}, {0, 0});
    });
  } else {
    if (!hbm(id)) make_hbm(id);
    const Use uses[] = {{Use::Dim, 1, home.count, {}}};
    emitter_.emit(Opcode::Dma, {line, *operand(id, *hbm(id), 0, uses, 1), no_operand()}, {0, 0});
  }
  Operand all = emitter_.whole(made->buffer, home.type, emitter_.machine().partitions);
  all.dims.push_back({bytes, home.count});
  line.partition_count = all.partition_count;
  line.partition_stride = 0;
  emitter_.emit(Opcode::Dma, {all, line, no_operand()}, {0, 0});
  add_form(id, *made);
  return true;
}

void Store::make_rows(HomeId id) {
  const Home& home = homes_[id];
  const std::int64_t bytes = byte_width(home.type);
  const Form* tiled = nullptr;
  for (const Form& f : home.forms) {
    if (f.kind != FormKind::Tiled || f.s * bytes >= kShortRun || f.n <= 1) return;
    tiled = &f;
  }
  if (!tiled || tiled->n * tiled->s * bytes < kShortRun) return;
  const std::int64_t block = tiled->n * tiled->s, rows = home.count / block;
  const Form natural{FormKind::Tiled, block, rows, tile_of(rows, tile_limit(emitter_.machine())), BufferId()};
  if (rows > 1 && can_transpose(home, *tiled, natural)) make_tiled(id, block, rows, natural.tile);
}

void Store::copy_to_hbm(HomeId id, const Form& to) {
  const Home& home = homes_[id];
  if (home.count == 0) return;
  make_rows(id);
  std::vector<Form> forms = home.forms;
  std::reverse(forms.begin(), forms.end());  // rows, when they were made
  for (const Form& f : forms) {
    if (f.buffer == to.buffer) return;
    if (f.kind == FormKind::Tiled || f.kind == FormKind::Spilled) {
      if (to.kind == FormKind::Hbm && f.s * byte_width(home.type) < kShortRun && can_turn(home, f.s, f.n)) return turn(id, to, f, true);
      return transfer_tiled(id, f, to, true);
    }
    const Use uses[] = {{Use::Dim, 1, home.count, {}}};
    return emit_dma(emitter_, *operand(id, to, 0, uses, 1), *operand(id, f, 0, uses, 1));
  }
}

void Store::make_hbm(HomeId id) {
  if (hbm(id)) return;
  const Form form = new_hbm(id);
  copy_to_hbm(id, form);
  add_form(id, form);
}

}  // namespace openneuron::lower
