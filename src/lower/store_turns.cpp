// Turning a home tile by tile on the PE, between rows (row-major in HBM) and the order of tiles (s, n): for homes that SBUF
// does not hold, and for transfers whose runs would be a few bytes long.
//
// linear = o*(n*s) + p*s + i: a row is one o with its n*s elements; a tile has p on partitions and o in the free dim. 128
// rows at a time, each p tile and each i is one transpose.
#include <algorithm>

#include "lower/store.h"

namespace openneuron::lower {
namespace {

using isa::Opcode;
using isa::Operand;
using isa::Space;

constexpr std::int64_t kWorthTurning = 16384;  // elements from which another order in HBM pays for its copy

void move(Emitter& emitter, Operand destination, Operand source) {
  merge_dims({&destination, &source});
  emitter.emit(Opcode::Dma, {destination, source, no_operand()}, {0, 0});
}

}  // namespace

bool Store::can_turn(const Home& home, std::int64_t s, std::int64_t n) const {
  const std::int64_t bytes = byte_width(home.type);
  return (bytes == 2 || bytes == 4) && s > 0 && n > 1 && home.count % (n * s) == 0 && home.count / (n * s) > 1 &&
         n * s * bytes <= emitter_.machine().sbuf_partition_bytes / 16;
}

// Rows of few elements are turned within partitions, many rows in each: [rows, n, s] is copied to [n, rows, s], and goes out
// in runs of the partition's rows. False when they cannot be shared out evenly.
bool Store::turn_within(HomeId id, const Form& rows, const Form& spilled) {
  constexpr std::int64_t kFewElements = 32, kFewPartitions = 16;
  const Home& home = homes_[id];
  const std::int64_t s = spilled.s, n = spilled.n, outer = home.count / (n * s), bytes = byte_width(home.type);
  std::int64_t partitions = std::min<std::int64_t>(tile_limit(emitter_.machine()), outer);
  while (outer % partitions != 0) --partitions;
  const std::int64_t most = emitter_.machine().sbuf_partition_bytes / 16 / (n * s * bytes), share = outer / partitions;
  if (n * s > kFewElements || partitions < kFewPartitions || most < 1) return false;
  over_tiles(emitter_, share, std::min(share, most), [&](std::int64_t o, std::int64_t oe, LoopId lo, std::int64_t ot) {
    const auto line = [&](const char* what) {
      return emitter_.whole(emitter_.buffer(Space::Sbuf, home.name + what, partitions, oe * n * s * bytes, true), home.type, partitions);
    };
    const auto uses = [&](bool by_rows) {
      std::vector<Use> list = {{Use::Partition, share * n * s, partitions, {}}, {Use::Dim, by_rows ? n * s : s, by_rows ? oe : n, {}},
                               {Use::Dim, by_rows ? s : n * s, by_rows ? n : oe, {}}, {Use::Dim, 1, s, {}}};
      if (lo.valid()) list.push_back({Use::Loop, std::min(share, most) * n * s, ot, lo});
      return list;
    };
    const std::int64_t row = n * s * bytes;
    Operand in = line("_rows"), out = line("_turn");
    Operand to = in, from = in, turned = out, stored = out;
    to.dims = {{row, oe}, {s * bytes, n}, {bytes, s}};
    from.dims = {{s * bytes, n}, {row, oe}, {bytes, s}};
    turned.dims = stored.dims = {{oe * s * bytes, n}, {s * bytes, oe}, {bytes, s}};
    move(emitter_, to, *operand(id, rows, o * n * s, uses(true), partitions));
    merge_dims({&turned, &from});
    emitter_.emit(Opcode::Copy, {turned, from});
    move(emitter_, *operand(id, spilled, o * n * s, uses(false), partitions), stored);
  });
  return true;
}

// As many rows of single elements as fill a bank of PSUM are turned between two transfers: partition r holds rows
// r*together ... r*together + together - 1, which go as one run, and a transpose takes every together-th element of a tile.
// Returns how many rows it turned.
std::int64_t Store::turn_together(HomeId id, const Form& rows, const Form& tiles, bool to_rows) {
  const Home& home = homes_[id];
  const Machine& machine = emitter_.machine();
  const std::int64_t n = tiles.n, outer = home.count / (n * tiles.s), bytes = byte_width(home.type), limit = tile_limit(machine);
  const std::int64_t p_tile = tiles.on_chip() ? tiles.tile : tile_of(n, limit);
  const std::int64_t together = machine.psum_bank_bytes / bytes / (to_rows ? p_tile : limit), block = limit * together;
  if (tiles.s != 1 || together < 2 || outer < block || together * n * bytes > machine.sbuf_partition_bytes / 16) return 0;
  const std::int64_t done = outer / block * block;
  const bool spilled = !tiles.on_chip();
  over_tiles(emitter_, done, block, [&](std::int64_t, std::int64_t, LoopId lo, std::int64_t ot) {
    Operand line = emitter_.whole(emitter_.buffer(Space::Sbuf, home.name + "_rows", limit, together * n * bytes, true), home.type, limit);
    line.dims.push_back({bytes, together * n});
    std::vector<Use> row_uses = {{Use::Partition, together * n, limit, {}}, {Use::Dim, 1, together * n, {}}};
    if (lo.valid()) row_uses.push_back({Use::Loop, block * n, ot, lo});
    const Operand in_rows = *operand(id, rows, 0, row_uses, limit);
    if (!to_rows) move(emitter_, line, in_rows);
    over_tiles(emitter_, n, p_tile, [&](std::int64_t p, std::int64_t pe, LoopId lp, std::int64_t pt) {
      std::vector<Use> tile_uses = {{Use::Partition, 1, pe, {}}, {Use::Dim, n, block, {}}};
      if (lo.valid()) tile_uses.push_back({Use::Loop, block * n, ot, lo});
      if (lp.valid()) tile_uses.push_back({Use::Loop, p_tile, pt, lp});
      Operand tile = *operand(id, tiles, p, tile_uses, pe);
      const Operand in_hbm = tile;
      if (spilled) {
        tile = emitter_.whole(emitter_.buffer(Space::Sbuf, home.name + "_turn", pe, block * bytes, true), home.type, pe);
        tile.dims.push_back({bytes, block});
        if (to_rows) move(emitter_, tile, in_hbm);
      }
      const std::int64_t step = tile.dims[0].stride, columns = to_rows ? pe : limit, partitions = to_rows ? limit : pe;
      Operand part = line, bank = emitter_.whole(emitter_.buffer(Space::Psum, "turned", partitions, together * columns * bytes, true), home.type, partitions);
      part.start += p * bytes;
      if (lp.valid()) part.terms.push_back({lp, 0, p_tile * bytes});
      for (std::int64_t j = 0; j < together; ++j) {
        Operand slot = bank, column = tile, row = part;
        slot.start += j * columns * bytes;
        slot.dims.push_back({bytes, columns});
        column.start += j * step;
        column.dims[0] = {step * together, limit};
        row.start += j * n * bytes;
        row.dims[0] = {bytes, pe};
        emitter_.emit(Opcode::Transpose, {slot, to_rows ? column : row});
      }
      bank.dims = {{columns * bytes, together}, {bytes, columns}};
      if (to_rows)
        part.dims = {{n * bytes, together}, {bytes, pe}};
      else
        tile.dims = {{step, together}, {step * together, limit}};
      Operand to = to_rows ? part : tile;
      merge_dims({&to, &bank});
      emitter_.emit(Opcode::Copy, {to, bank});
      if (to_rows || !spilled) return;
      tile.dims = {{bytes, block}};
      move(emitter_, in_hbm, tile);
    });
    if (to_rows) move(emitter_, in_rows, line);
  });
  return done;
}

// Of `rows` (row-major, HBM) and `tiles` (tiled or spilled) one is read and the other written.
void Store::turn(HomeId id, const Form& rows, const Form& tiles, bool to_rows) {
  const Home& home = homes_[id];
  const std::int64_t s = tiles.s, n = tiles.n, outer = home.count / (n * s), bytes = byte_width(home.type);
  const std::int64_t limit = tile_limit(emitter_.machine()), p_tile = tiles.on_chip() ? tiles.tile : tile_of(n, limit);
  const bool spilled = !tiles.on_chip();
  emitter_.note(isa::NoteKind::Turned, home.name, home.count * bytes,
                std::string(to_rows ? "stored" : "loaded") + " through the PE: its tiles lie in HBM in runs of " +
                    std::to_string(s * bytes) + " bytes, its rows in runs of " + std::to_string(n * s * bytes));
  const std::int64_t done = turn_together(id, rows, tiles, to_rows);
  if (done == outer) return;
  const std::int64_t o_tile = tile_of(outer - done, limit);
  over_tiles(emitter_, outer - done, o_tile, [&](std::int64_t from_done, std::int64_t oe, LoopId lo, std::int64_t ot) {
    const std::int64_t o = done + from_done;
    // The rows of this turn, whole.
    const BufferId line_buffer = emitter_.buffer(Space::Sbuf, home.name + "_rows", oe, n * s * bytes, true);
    Operand line = emitter_.whole(line_buffer, home.type, oe);
    line.dims.push_back({bytes, n * s});
    std::vector<Use> row_uses = {{Use::Partition, n * s, oe, {}}, {Use::Dim, 1, n * s, {}}};
    if (lo.valid()) row_uses.push_back({Use::Loop, o_tile * n * s, ot, lo});
    const Operand in_rows = *operand(id, rows, o * n * s, row_uses, oe);
    if (!to_rows) move(emitter_, line, in_rows);
    over_tiles(emitter_, n, p_tile, [&](std::int64_t p, std::int64_t pe, LoopId lp, std::int64_t pt) {
      std::vector<Use> tile_uses = {{Use::Partition, s, pe, {}}, {Use::Dim, n * s, oe, {}}, {Use::Dim, 1, s, {}}};
      if (lo.valid()) tile_uses.push_back({Use::Loop, o_tile * n * s, ot, lo});
      if (lp.valid()) tile_uses.push_back({Use::Loop, p_tile * s, pt, lp});
      Operand tile = *operand(id, tiles, o * n * s + p * s, tile_uses, pe);
      Operand in_hbm = tile;
      if (spilled) {
        tile = emitter_.whole(emitter_.buffer(Space::Sbuf, home.name + "_turn", pe, oe * s * bytes, true), home.type, pe);
        tile.dims.push_back({s * bytes, oe});
        tile.dims.push_back({bytes, s});
        if (to_rows) move(emitter_, tile, in_hbm);
      }
      for (std::int64_t i = 0; i < s; ++i) {
        Operand column = tile, part = line;  // [pe, oe] and [oe, pe]
        column.dims.clear();
        column.dims.push_back(tile.dims[0]);
        column.start += i * bytes;
        part.dims.clear();
        part.dims.push_back({s * bytes, pe});
        part.start += (p * s + i) * bytes;
        if (lp.valid()) part.terms.push_back({lp, 0, p_tile * s * bytes});
        const Operand& from = to_rows ? column : part;
        const Operand& to = to_rows ? part : column;
        Operand turned = emitter_.whole(emitter_.buffer(Space::Psum, "turned", to_rows ? oe : pe, (to_rows ? pe : oe) * bytes, true), home.type, to_rows ? oe : pe);
        turned.dims.push_back({bytes, to_rows ? pe : oe});
        emitter_.emit(Opcode::Transpose, {turned, from});
        emitter_.emit(Opcode::Copy, {to, turned});
      }
      if (spilled && !to_rows) move(emitter_, in_hbm, tile);
    });
    if (to_rows) move(emitter_, in_rows, line);
  });
}

bool Store::make_spilled(HomeId id, std::int64_t s, std::int64_t n) {
  for (const Form& f : homes_[id].forms)
    if (f.kind == FormKind::Spilled && f.s == s && f.n == n) return true;
  for (const Form& f : std::vector<Form>(homes_[id].forms)) {
    if (f.kind != FormKind::Tiled || f.s != s || f.n != n) continue;
    const auto made = new_spilled(id, s, n);
    if (!made) return false;
    transfer_tiled(id, f, *made, true);
    add_form(id, *made);
    return true;
  }
  if (homes_[id].count < kWorthTurning || !can_turn(homes_[id], s, n)) return false;
  make_hbm(id);
  const Form rows = *hbm(id);
  const auto made = new_spilled(id, s, n);
  if (!made) return false;
  if (!turn_within(id, rows, *made)) turn(id, rows, *made, false);
  add_form(id, *made);
  return true;
}

}  // namespace openneuron::lower
