#include "sched/interleave.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "isa/table.h"
#include "sched/engines.h"
#include "sched/memory.h"
#include "sched/reaches.h"
#include "sched/skew.h"

namespace openneuron::sched {
namespace {

using isa::Engine;
using isa::Opcode;
using isa::Operand;
using isa::OperandKind;

constexpr std::size_t kWindow = 32;      // how far an instruction may move up
constexpr std::size_t kPartUnits = 256;  // of the program's straight code that are ordered together
constexpr std::size_t kMostUnits = 48;   // in the body of a loop whose turns run side by side
constexpr double kWorthwhile = 0.92;     // of the time before, to move what stands in a loop
constexpr double kWorthwhileTurns = 0.97;  // of the time before, to put turns side by side
constexpr double kWorthwhileNs = 50;     // saved by each instruction that is added to the program
constexpr double kMemoryShare = 0.25;    // of SBUF, for the tiles of turns that run side by side
constexpr double kFill = 0.4;            // of SBUF, by what is alive when something moves up
constexpr double kUnknownTrips = 8;

// A turn's own tile, + turn * the block's own buffers + which, in the place of a buffer.
constexpr std::uint32_t kOwnTile = 0x80000000u;

// An instruction of the new program.
struct Piece {
  std::uint32_t instruction = 0;
  std::int32_t version = -1;
  Engine engine = Engine::Any;
};

// A block in its new order.
struct Body {
  std::vector<Piece> pieces;
  std::array<double, kEngines> busy_ns{};
  double span_ns = 0, turn_ns = 0;  ///< of a first turn; from turn to turn
  double trips = 1;
  std::int32_t version = -1;        ///< of the loop's markers
  std::vector<Piece> tail;          ///< turns that are left over
  std::array<double, kEngines> tail_busy_ns{};
  double tail_ns = 0;
  bool barrier = false;
};

// A loop whose body is as it shall be, and what it promises.
struct Settled {
  bool done = false, barrier = false;
  std::array<double, kEngines> busy_ns{};
  double span_ns = 0, turn_ns = 0;
};

class Interleaver {
 public:
  Interleaver(tile::Module& module, const tile::Program& program, const Machine& machine, Moves moves, bool choose_engines, bool always,
              const RegionTree& tree)
      : module_(module),
        program_(program),
        machine_(machine),
        moves_(moves),
        choose_engines_(choose_engines),
        always_(always),
        tree_(tree),
        reaches_(module, tree),
        hop_ns_(machine.figure("semaphore_hop_ns")),
        marker_ns_{machine.figure("overhead_pe_ns"),     machine.figure("overhead_vector_ns"), machine.figure("overhead_scalar_ns"),
                   machine.figure("overhead_gpsimd_ns"), machine.figure("overhead_sync_ns"),   0},
        tiles_(static_cast<std::int64_t>(kFill * static_cast<double>(space_bytes(isa::Space::Sbuf, machine))), space_bytes(isa::Space::Psum, machine)) {
    find_homes();
    for (std::uint32_t b = 0; b < module.buffers.size(); ++b) set_tile(BufferId(b));
  }

  /// `last`: the straight code around the loops is ordered as well.
  isa::InstructionList run(bool last, std::vector<Settled>& settled) {
    settled_ = &settled;
    isa::InstructionList list;
    list.reserve_like(program_.instructions);
    isa::Instruction i;
    const auto append = [&](const Body& part) {
      for (const Piece& p : part.pieces) {
        read(p, i);
        i.order = static_cast<std::uint32_t>(list.size());
        list.push_back(i);
      }
    };
    if (!last) append(loops_only());
    // Piece by piece: the units of a long program would take more memory than its instructions.
    for (std::uint32_t at = 0; last && at < program_.instructions.size();) append(body(0, at, kPartUnits));
    return list;
  }

 private:
  const Block& block_at(std::int32_t block) const { return tree_.blocks[static_cast<std::size_t>(block)]; }
  const Region& region_at(std::int32_t region) const { return tree_.regions[static_cast<std::size_t>(region)]; }
  const Region& region_of(LoopId loop) const { return region_at(tree_.region_of_loop[loop.index]); }

  // The block in which all accesses of a buffer lie; -1: in several, or none.
  void find_homes() {
    constexpr std::int32_t kUnseen = -2;
    homes_.assign(module_.buffers.size(), kUnseen);
    std::uint32_t at = 0;
    for (const isa::Instruction& i : program_.instructions) {
      for (const Operand& o : i.operands) {
        if (o.kind != OperandKind::Memory || o.buffer.index >= homes_.size()) continue;
        std::int32_t& home = homes_[o.buffer.index];
        const std::int32_t block = tree_.block_of[at];
        home = home == kUnseen || home == block ? block : -1;
      }
      ++at;
    }
  }

  // -- instructions of the new program
  void read(const Piece& p, isa::Instruction& i) const {
    program_.instructions.read(p.instruction, i);
    if (p.engine != Engine::Any && p.engine != Engine::Dma && choose_engines_) i.engine = p.engine;
    if (p.version >= 0) put_in_turn(i, versions_[static_cast<std::size_t>(p.version)]);
  }

  template <class List>
  static void sort_unique(List& list) {
    std::sort(list.begin(), list.end());
    list.resize(static_cast<std::size_t>(std::unique(list.begin(), list.end()) - list.begin()));
  }

  void add_choices(isa::Instruction& i, Unit& unit) const {
    for (Engine e : engine_choices(i)) {
      const Engine before = i.engine;
      i.engine = e;
      const isa::Cost c = isa::cost(i, machine_);
      i.engine = before;
      unit.choices.push_back({e, c.issue_ns, c.latency_ns, c.background});
      if (!choose_engines_) break;
    }
  }

  // A region as one unit of `block`.
  Unit unit_of(const Body& region, std::int32_t block) const {
    Unit out;
    isa::Instruction i;
    for (const Piece& p : region.pieces) {
      read(p, i);
      reaches_.add(i, block, p.version < 0 ? nullptr : &versions_[static_cast<std::size_t>(p.version)], out);
    }
    const auto key = [](const Reach& r) { return std::tuple(r.buffer, r.frame, r.write); };
    std::sort(out.reaches.begin(), out.reaches.end(), [&](const Reach& a, const Reach& b) { return key(a) < key(b); });
    std::size_t kept = 0;
    for (const Reach& r : out.reaches) {
      if (kept > 0 && key(out.reaches[kept - 1]) == key(r)) {
        Reach& into = out.reaches[kept - 1];
        into.whole |= r.whole;
        into.first = std::min(into.first, r.first);
        into.last = std::max(into.last, r.last);
        into.first_row = std::min(into.first_row, r.first_row);
        into.last_row = std::max(into.last_row, r.last_row);
      } else {
        out.reaches[kept++] = r;
      }
    }
    out.reaches.resize(kept);
    sort_unique(out.tiles);
    out.busy_ns = region.busy_ns;
    out.span_ns = region.span_ns;
    out.barrier = region.barrier;  // not the markers'
    return out;
  }

  // -- blocks
  struct Units {
    std::vector<Unit> units;
    std::vector<Piece> pieces;               ///< of all units, in order
    std::vector<std::size_t> first_pieces;   ///< per unit
    bool regions = false, barrier = false;
    /// Whose pieces are added next.
    Unit& add() {
      first_pieces.push_back(pieces.size());
      return units.emplace_back();
    }
    std::span<const Piece> pieces_of(std::uint32_t unit) const {
      const std::size_t end = unit + 1 < first_pieces.size() ? first_pieces[unit + 1] : pieces.size();
      return {pieces.data() + first_pieces[unit], pieces.data() + end};
    }
  };
  // All of a block inside of a region.
  Units units_of(std::int32_t block) {
    std::uint32_t at = block_at(block).begin + 1;
    return units_of(block, at, SIZE_MAX);
  }
  // At most so many from instruction `i` on, which is moved behind them.
  Units units_of(std::int32_t block, std::uint32_t& i, std::size_t most) {
    Units out;
    isa::Instruction instruction;
    const auto end = block == 0 ? static_cast<std::uint32_t>(program_.instructions.size()) : block_at(block).end;
    while (i < end && out.units.size() < most) {
      const isa::Head head = program_.instructions.head(i);
      if (isa::opens_region(head.opcode)) {
        const Region& r = region_of(head.loop);
        const Body inner = region(r);
        out.add() = unit_of(inner, block);
        out.pieces.insert(out.pieces.end(), inner.pieces.begin(), inner.pieces.end());
        out.regions = true;
        i = r.end + 1;
      } else {
        Unit& unit = out.add();
        program_.instructions.read(i, instruction);
        reaches_.add(instruction, block, nullptr, unit);
        add_choices(instruction, unit);
        sort_unique(unit.tiles);
        out.pieces.push_back({i, -1, Engine::Any});
        ++i;
      }
      out.barrier |= out.units.back().barrier;
    }
    return out;
  }

  void set_tile(BufferId buffer) {
    const tile::Buffer& b = module_.buffers[buffer];
    tiles_.set_bytes(buffer.index, isa::is_hbm(b.space) ? 0 : b.copies * copy_pitch(b, machine_), b.space == isa::Space::Psum);
  }
  Freedom freedom(const Units& u) {
    for (const Unit& unit : u.units) tiles_.expect(unit);
    return {kWindow, &tiles_};
  }

  static Body in_order(const Units& u, const Order& order) {
    Body out;
    for (std::uint32_t n : order.sequence)
      for (Piece p : u.pieces_of(n)) {
        if (!u.units[n].choices.empty()) p.engine = order.engines[n];
        out.pieces.push_back(p);
      }
    out.busy_ns = order.busy_ns;
    out.span_ns = order.span_ns;
    out.barrier = u.barrier;
    return out;
  }

  // The program's own block as it stands.
  Body loops_only() {
    Body out;
    for (std::uint32_t i = 0; i < program_.instructions.size(); ++i) {
      const isa::Head head = program_.instructions.head(i);
      if (!isa::opens_region(head.opcode)) {
        out.pieces.push_back({i, -1, Engine::Any});
        continue;
      }
      const Region& r = region_of(head.loop);
      const Body inner = region(r);
      out.pieces.insert(out.pieces.end(), inner.pieces.begin(), inner.pieces.end());
      i = r.end;
    }
    return out;
  }

  // Straight code, run once.
  Body body(std::int32_t block) {
    std::uint32_t at = block_at(block).begin + 1;
    return body(block, at, SIZE_MAX);
  }
  Body body(std::int32_t block, std::uint32_t& at, std::size_t most) {
    const Units u = units_of(block, at, most);
    const Freedom all = moves_ == Moves::All ? freedom(u) : Freedom();
    return in_order(u, list_order(u.units, units_before(u.units, kWindow), hop_ns_, all));
  }

  Body loop_body(const Region& r) {
    Settled& settled = (*settled_)[r.loop.index];
    Body out;
    if (settled.done) {
      for (std::uint32_t i = r.begin + 1; i < r.end; ++i) out.pieces.push_back({i, -1, Engine::Any});
      out.busy_ns = settled.busy_ns;
      out.span_ns = settled.span_ns;
      out.turn_ns = settled.turn_ns;
      out.trips = trips_of(r);
      out.barrier = settled.barrier;
      return out;
    }
    const Units u = units_of(r.blocks[0]);
    const auto before = units_before(u.units, kWindow);
    Order order = list_order(u.units, before, hop_ns_, Freedom());
    double turn = turn_ns(u.units, before, order, hop_ns_, marker_ns_);
    if (u.units.size() > 1) {
      Order moved = list_order(u.units, before, hop_ns_, freedom(u));
      const double moved_turn = turn_ns(u.units, before, moved, hop_ns_, marker_ns_);
      if (moved_turn < kWorthwhile * turn) {
        order = std::move(moved);
        turn = moved_turn;
      }
    }
    out = in_order(u, order);
    out.turn_ns = turn;
    out.trips = trips_of(r);
    if (!u.regions && !u.barrier && r.trips > 1) side_by_side(r, u, out);
    if (!u.regions) settled = {true, out.barrier, out.busy_ns, out.span_ns, out.turn_ns};
    return out;
  }

  Body region(const Region& r) {
    Body out;
    if (r.kind == Opcode::LoopBegin) {
      out = loop_body(r);
      if (out.trips != 1) {
        out.pieces.insert(out.pieces.begin(), Piece{r.begin, out.version, Engine::Any});
        out.pieces.push_back({r.end, -1, Engine::Any});
        for (std::size_t e = 0; e < kEngines; ++e)
          if (out.busy_ns[e] > 0) out.busy_ns[e] = out.busy_ns[e] * out.trips + marker_ns_[e] * (out.trips + 1);
      }
      out.span_ns += std::max(0.0, out.trips - 1) * out.turn_ns + out.tail_ns;
      out.pieces.insert(out.pieces.end(), out.tail.begin(), out.tail.end());
      for (std::size_t e = 0; e < kEngines; ++e) out.busy_ns[e] += out.tail_busy_ns[e];
      out.barrier |= r.trips < 0;
      return out;
    }
    for (std::int32_t block : r.blocks) {
      const Body inner = body(block);
      out.pieces.push_back({block_at(block).begin, -1, Engine::Any});
      out.pieces.insert(out.pieces.end(), inner.pieces.begin(), inner.pieces.end());
      out.span_ns += inner.span_ns;
      for (std::size_t e = 0; e < kEngines; ++e) out.busy_ns[e] += inner.busy_ns[e];
    }
    out.pieces.push_back({r.end, -1, Engine::Any});
    out.barrier = true;
    return out;
  }

  // -- turns side by side
  struct Tiles {
    std::vector<BufferId> own;  ///< sorted: tiles that one turn fills and reads
    std::int64_t sbuf_bytes = 0, psum_bytes = 0, psum_left = 0;
    bool possible = true;
  };
  using Instructions = std::vector<isa::Instruction>;  // of a loop's body
  Tiles tiles_of(const Region& r, const Instructions& body) const {
    Tiles out;
    const std::int32_t block = r.blocks[0];
    std::vector<BufferId> others;
    for (const isa::Instruction& i : body) {
      for (const Operand& o : i.operands) {
        if (o.kind != OperandKind::Memory || o.buffer.index >= homes_.size() || isa::is_hbm(o.space)) continue;
        const bool own = homes_[o.buffer.index] == block && module_.buffers[o.buffer].address < 0;
        (own ? out.own : others).push_back(o.buffer);
        if (!own && o.copies > 1 && o.rotate_loop == r.loop) out.possible = false;
      }
    }
    sort_unique(out.own);
    sort_unique(others);
    for (BufferId b : out.own) {
      const tile::Buffer& buffer = module_.buffers[b];
      (buffer.space == isa::Space::Psum ? out.psum_bytes : out.sbuf_bytes) += copy_pitch(buffer, machine_);
    }
    out.psum_left = space_bytes(isa::Space::Psum, machine_);
    for (BufferId b : others) {
      const tile::Buffer& buffer = module_.buffers[b];
      if (buffer.space == isa::Space::Psum) out.psum_left -= buffer.copies * copy_pitch(buffer, machine_);
    }
    return out;
  }
  // Of each tile, with so many turns side by side; 0: they do not fit.
  std::uint16_t copies_for(const Tiles& tiles, std::int64_t turns) const {
    const auto sbuf = static_cast<std::int64_t>(kMemoryShare * static_cast<double>(space_bytes(isa::Space::Sbuf, machine_)));
    for (std::uint16_t copies : {2, 1})
      if (copies * turns * tiles.sbuf_bytes <= sbuf && copies * turns * tiles.psum_bytes <= tiles.psum_left) return copies;
    return 0;
  }

  // Turns `first` to `first + count` of the loop, every `turns`-th when `left` of each are in the loop.
  struct Turns {
    std::int64_t first = 0, count = 1, left = 1, turns = 1;
  };
  static Version version_of(const Region& r, const Turns& turns, std::int64_t which) {
    Version v;
    v.loop = r.loop;
    v.left = turns.left;
    v.turns = turns.turns;
    v.which = turns.first + which;
    return v;
  }
  /// Without pieces.
  Units several_turns(const Region& r, const Units& one, const Instructions& body, const Tiles& tiles, const Turns& turns) const {
    Units out;
    out.units.reserve(static_cast<std::size_t>(turns.count) * one.units.size());
    isa::Instruction i;
    for (std::int64_t which = 0; which < turns.count; ++which) {
      const Version v = version_of(r, turns, which);
      for (std::size_t n = 0; n < one.units.size(); ++n) {
        i = body[n];
        put_in_turn(i, v);
        Unit& unit = out.units.emplace_back();
        unit.choices = one.units[n].choices;
        reaches_.add(i, r.blocks[0], nullptr, unit);
        for (Reach& reach : unit.reaches) {
          const auto own = std::lower_bound(tiles.own.begin(), tiles.own.end(), BufferId(reach.buffer));
          if (own == tiles.own.end() || own->index != reach.buffer) continue;
          const auto which_tile = static_cast<std::size_t>(own - tiles.own.begin());
          reach.buffer = kOwnTile + static_cast<std::uint32_t>(static_cast<std::size_t>(which) * tiles.own.size() + which_tile);
        }
      }
    }
    return out;
  }
  Order order_of(const Units& several, UnitLists& before) const {
    before = units_before(several.units, several.units.size());
    return list_order(several.units, before, hop_ns_, {several.units.size(), nullptr});
  }

  static double trips_of(const Region& r) { return r.trips < 0 ? kUnknownTrips : static_cast<double>(r.trips); }
  double times_entered(const Region& r) const {
    double out = 1;
    for (std::int32_t region = block_at(r.parent).region; region >= 0; region = block_at(region_at(region).parent).region)
      out *= trips_of(region_at(region));
    return out;
  }

  // Puts several turns into one where that saves enough: latencies that nothing fills, and the loop's markers.
  void side_by_side(const Region& r, const Units& one, Body& out) {
    const double busiest = *std::max_element(out.busy_ns.begin(), out.busy_ns.end());
    if (busiest > kWorthwhileTurns * out.turn_ns && !always_) return;
    Instructions body(one.pieces.size());
    for (std::size_t n = 0; n < body.size(); ++n) program_.instructions.read(one.pieces[n].instruction, body[n]);
    const Tiles tiles = tiles_of(r, body);
    if (!tiles.possible) return;
    double best = out.span_ns + static_cast<double>(r.trips - 1) * out.turn_ns;
    std::int64_t best_turns = 1;
    Order best_order;
    for (std::int64_t turns : {std::int64_t{2}, std::int64_t{3}, std::int64_t{4}, std::int64_t{6}, std::int64_t{8}, r.trips}) {
      const std::int64_t left = r.trips / turns, rest = r.trips % turns;
      if (turns <= best_turns || left == 0 || static_cast<std::size_t>(turns) * one.units.size() > kMostUnits) continue;
      if (copies_for(tiles, turns) == 0) break;
      const Units several = several_turns(r, one, body, tiles, {0, turns, left, turns});
      UnitLists before;
      Order order = order_of(several, before);
      const double next = left == 1 ? order.span_ns : turn_ns(several.units, before, order, hop_ns_, marker_ns_);
      const double time = order.span_ns + (static_cast<double>(left - 1) + static_cast<double>(rest) / static_cast<double>(turns)) * next;
      const double saved = (best - time) * times_entered(r);
      const auto added = static_cast<double>((turns + rest - best_turns) * static_cast<std::int64_t>(one.units.size()));
      if ((time > kWorthwhileTurns * best || saved < kWorthwhileNs * added) && !always_) continue;
      best = time;
      best_turns = turns;
      best_order = std::move(order);
      out.turn_ns = next;
    }
    if (best_turns > 1) put_side_by_side(r, one, body, tiles, best_turns, best_order, out);
  }

  void put_side_by_side(const Region& r, const Units& one, const Instructions& body, const Tiles& tiles, std::int64_t turns, const Order& order,
                        Body& out) {
    const std::int64_t left = r.trips / turns, rest = r.trips % turns;
    const LoopId rotates = left > 1 ? r.loop : turning_around(r);
    const std::uint16_t copies = rotates.valid() && rest == 0 ? copies_for(tiles, turns) : std::uint16_t{1};
    std::vector<std::vector<std::pair<BufferId, BufferId>>> own(static_cast<std::size_t>(turns));  // per turn
    for (std::size_t which = 0; which < own.size(); ++which)
      for (BufferId b : tiles.own) {
        BufferId tile = b;
        if (which > 0) {
          tile::Buffer copy = module_.buffers[b];
          copy.name += "_" + std::to_string(which);
          tile = module_.buffers.push(std::move(copy));
        }
        module_.buffers[tile].copies = copies;
        set_tile(tile);
        own[which].push_back({b, tile});
      }
    const auto pieces_of = [&](const Order& sequence, const Turns& which_turns) {
      const auto first_version = static_cast<std::int32_t>(versions_.size());
      for (std::int64_t which = 0; which < which_turns.count; ++which) {
        Version v = version_of(r, which_turns, which);
        v.tiles = own[static_cast<std::size_t>(which)];
        v.copies = copies;
        v.rotates = rotates;
        versions_.push_back(std::move(v));
      }
      std::vector<Piece> pieces;
      const auto count = static_cast<std::uint32_t>(one.units.size());
      for (std::uint32_t n : sequence.sequence) {
        Piece p = one.pieces[n % count];
        p.version = first_version + static_cast<std::int32_t>(n / count);
        p.engine = sequence.engines[n];
        pieces.push_back(p);
      }
      return pieces;
    };
    out.version = static_cast<std::int32_t>(versions_.size());
    out.pieces = pieces_of(order, {0, turns, left, turns});
    out.busy_ns = order.busy_ns;
    out.span_ns = order.span_ns;
    out.trips = static_cast<double>(left);
    if (rest == 0) return;
    const Turns last{left * turns, rest, 1, 1};
    const Units tail = several_turns(r, one, body, tiles, last);
    UnitLists before;
    const Order tail_order = order_of(tail, before);
    out.tail = pieces_of(tail_order, last);
    out.tail_busy_ns = tail_order.busy_ns;
    out.tail_ns = tail_order.span_ns;
  }

  // The innermost loop of several turns around `r`, in the same branch or body of a while.
  LoopId turning_around(const Region& r) const {
    for (std::int32_t region = block_at(r.parent).region; region >= 0; region = block_at(region_at(region).parent).region) {
      if (region_at(region).kind != Opcode::LoopBegin) break;
      if (region_at(region).trips != 1) return region_at(region).loop;
    }
    return {};
  }

  tile::Module& module_;
  const tile::Program& program_;
  const Machine& machine_;
  Moves moves_;
  bool choose_engines_, always_;
  const RegionTree& tree_;
  Reaches reaches_;
  std::vector<Settled>* settled_ = nullptr;  // per loop
  double hop_ns_;
  std::array<double, kEngines> marker_ns_;  // a loop's end
  std::vector<std::int32_t> homes_;         // of the buffers that the program came with
  std::vector<Version> versions_;
  TilesInUse tiles_;
};

constexpr int kRounds = 2;  // loops whose inner loops are gone can have their turns side by side as well

}  // namespace

Original interleave(tile::Module& module, const Machine& machine, Moves moves, bool choose_engines, bool always) {
  Original out;
  for (const tile::Buffer& b : module.buffers) out.places.push_back({b.copies, b.address});
  for (tile::Program& program : module.programs) {
    out.loop_counts.push_back(program.loop_count);
    auto tree = build_regions(program);
    if (tree) {
      auto list = without_single_turns(module, program, *tree);
      out.instructions.push_back(std::exchange(program.instructions, std::move(list)));
      tree = build_regions(program);
    } else {
      out.instructions.push_back(program.instructions);
    }
    if (tree) {
      auto list = skew(module, program, *tree, machine);
      if (!list.empty()) program.instructions = std::move(list);
    }
    std::vector<Settled> settled(program.loop_count);
    for (int round = 1; round <= kRounds; ++round) {
      tree = build_regions(program);
      if (!tree) break;  // verified before: never
      program.instructions = Interleaver(module, program, machine, moves, choose_engines, always, *tree).run(round == kRounds, settled);
    }
  }
  return out;
}

void undo(tile::Module& module, Original original) {
  module.buffers.resize(original.places.size());
  for (std::size_t b = 0; b < original.places.size(); ++b) {
    module.buffers[BufferId(b)].copies = original.places[b].copies;
    module.buffers[BufferId(b)].address = original.places[b].address;
  }
  for (std::size_t p = 0; p < module.programs.size(); ++p) {
    module.programs[p].instructions = std::move(original.instructions[p]);
    module.programs[p].loop_count = original.loop_counts[p];
  }
}

}  // namespace openneuron::sched
