#include "sched/skew.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "isa/table.h"
#include "sched/footprint.h"
#include "sched/memory.h"
#include "sched/turns.h"

namespace openneuron::sched {
namespace {

using isa::Engine;
using isa::Instruction;
using isa::Opcode;
using isa::Operand;
using isa::OperandKind;

constexpr std::int64_t kLeastTurns = 4;
constexpr std::uint32_t kMostInstructions = 64;  // of a loop's body
constexpr std::int64_t kMostUnrolled = 128;      // of a turn without loops: they are there up to four times afterwards
constexpr double kWaitNs = 1000;  // saved in a turn, at least: 1.9 us measured for fp32 attention, 2.1 us for a tied head in bf16
constexpr double kWorthwhileNs = 50;             // saved by each instruction that is added to the program
constexpr std::size_t kRingOfTiles = 4;          // in SBUF: while one is stored, others are filled
constexpr double kMemoryShare = 0.25;            // of SBUF, for the second copies of tiles

bool multiplies(Opcode o) { return o == Opcode::Matmul || o == Opcode::LoadStationary || o == Opcode::Transpose; }

// What one operand of a loop's body reaches.
struct Use {
  std::uint32_t unit = 0;   // of the body: an instruction, or a loop inside with all that it holds
  std::uint32_t buffer = 0;
  bool on_pe = false, by_engine = false;  // by_engine: Vector, Scalar or GpSimd
  Access access;
};

// First and last instruction that reaches a buffer.
struct Span {
  std::uint32_t first = 0xFFFFFFFFu, last = 0;
  bool inside(const Region& r) const { return first > r.begin && last < r.end; }
};
std::vector<Span> spans_of(const tile::Module& module, const tile::Program& program) {
  std::vector<Span> out(module.buffers.size());
  std::uint32_t at = 0;
  for (const Instruction& i : program.instructions) {
    for (const Operand& o : i.operands) {
      if (o.kind != OperandKind::Memory || o.buffer.index >= out.size()) continue;
      out[o.buffer.index].first = std::min(out[o.buffer.index].first, at);
      out[o.buffer.index].last = at;
    }
    ++at;
  }
  return out;
}

// How a loop is cut in two.
struct Cut {
  std::uint32_t at = 0;                ///< the first instruction of the second part
  std::vector<BufferId> two;           ///< tiles from one part to the other: one for even turns, one for odd ones; sorted
  std::vector<BufferId> own;           ///< other tiles of one part; sorted
};

bool contains(const std::vector<BufferId>& list, BufferId b) { return std::binary_search(list.begin(), list.end(), b); }
void add(std::vector<BufferId>& list, BufferId b) {
  const auto at = std::lower_bound(list.begin(), list.end(), b);
  if (at == list.end() || *at != b) list.insert(at, b);
}

bool moves_with(const Access& a, std::int32_t loop) {
  return std::any_of(a.steps.begin(), a.steps.end(), [&](const Step& s) { return s.region == loop; });
}

class Skewer {
 public:
  Skewer(tile::Module& module, tile::Program& program, const RegionTree& tree, const Machine& machine)
      : module_(module), program_(program), tree_(tree), machine_(machine), footprints_(module, tree, machine) {}

  isa::InstructionList run() {
    isa::InstructionList out;
    std::uint32_t copied = 0;  // of the program, so far
    for (std::size_t n = 0; n < tree_.regions.size(); ++n) {
      const Region& r = tree_.regions[n];
      if (r.begin < copied || !may_pay(r)) continue;
      const auto cut = find_cut(r, static_cast<std::int32_t>(n));
      if (!cut) continue;
      if (out.empty()) out.reserve_like(program_.instructions);
      copy(copied, r.begin, out);
      emit(r, *cut, out);
      copied = r.end + 1;
    }
    if (copied > 0) copy(copied, static_cast<std::uint32_t>(program_.instructions.size()), out);
    return out;
  }

 private:
  // Loops around loops, with work of the PE in two of them.
  bool may_pay(const Region& r) const {
    if (r.kind != Opcode::LoopBegin || !r.fixed_trips || r.trips < kLeastTurns || r.end - r.begin > kMostInstructions) return false;
    int parts = 0, depth = 0;
    bool loops = false, counted = false;
    std::int64_t turns = 1, unrolled = 0;  // of the loops inside
    for (std::uint32_t i = r.begin + 1; i < r.end; ++i) {
      const isa::Head head = program_.instructions.head(i);
      const Opcode o = head.opcode;
      if (isa::opens_region(o) || o == Opcode::LoopEnd) {
        if (o != Opcode::LoopBegin && o != Opcode::LoopEnd) return false;
        const std::int64_t trips = tree_.regions[static_cast<std::size_t>(tree_.region_of_loop[head.loop.index])].trips;
        if (trips < 1 || trips > kMostUnrolled) return false;
        turns = o == Opcode::LoopBegin ? turns * trips : turns / trips;
      } else if ((unrolled += turns) > kMostUnrolled) {
        return false;
      }
      if (o == Opcode::LoopBegin) {
        loops = true;
        if (depth++ == 0) counted = false;
      } else if (o == Opcode::LoopEnd) {
        --depth;
      } else if (isa::row(o).engines == isa::E_ALL || o == Opcode::CoreBarrier) {
        return false;
      }
      if (!multiplies(o) || (depth > 0 && counted)) continue;
      ++parts;
      counted = true;
    }
    if (!loops || parts < 2) return false;
    double turns_run = static_cast<double>(r.trips);
    for (std::int32_t p = tree_.blocks[static_cast<std::size_t>(r.parent)].region; p >= 0;) {
      const Region& around = tree_.regions[static_cast<std::size_t>(p)];
      turns_run *= static_cast<double>(std::max<std::int64_t>(around.trips, 1));
      p = tree_.blocks[static_cast<std::size_t>(around.parent)].region;
    }
    return turns_run * kWaitNs >= kWorthwhileNs * 4 * static_cast<double>(unrolled);
  }

  bool own(const Region& r, std::uint32_t buffer) const { return spans_[buffer].inside(r); }

  std::optional<Cut> find_cut(const Region& r, std::int32_t region) {
    if (spans_.empty()) spans_ = spans_of(module_, program_);
    body_.clear();
    for (std::uint32_t i = r.begin + 1; i < r.end; ++i) body_.push_back(program_.instructions[i]);
    std::vector<Use> uses;
    std::vector<std::uint32_t> firsts;  // instruction of each unit, from the body's first
    std::vector<BufferId> turning;
    int depth = 0;
    for (std::uint32_t n = 0; n < body_.size(); ++n) {
      const Instruction& i = body_[n];
      if (i.opcode == Opcode::LoopEnd) {
        --depth;
        continue;
      }
      if (depth == 0) firsts.push_back(n);
      if (i.opcode == Opcode::LoopBegin) {
        ++depth;
        continue;
      }
      const isa::Row& row = isa::row(i.opcode);
      for (std::size_t k = 0; k < i.operands.size(); ++k) {
        const Operand& o = i.operands[k];
        if (o.kind == OperandKind::Register || o.reg >= 0) return std::nullopt;
        if (o.kind != OperandKind::Memory || o.buffer.index >= module_.buffers.size()) continue;
        const isa::Use use = isa::operand_field(row, k).use;
        const bool dma = (row.engines & isa::E_DMA) != 0;
        Use u;
        u.unit = static_cast<std::uint32_t>(firsts.size() - 1);
        u.buffer = o.buffer.index;
        u.on_pe = multiplies(i.opcode);
        u.by_engine = !u.on_pe && !dma;
        u.access = footprints_.access(o, tree_.block_of[r.begin + 1 + n], use == isa::Use::Writes || use == isa::Use::ReadsWrites,
                                      static_cast<int>(k) == isa::indirect_operand(i));
        uses.push_back(u);
        if (o.copies > 1 && o.rotate_loop == r.loop) {
          if (!own(r, o.buffer.index)) return std::nullopt;
          add(turning, o.buffer);
        }
      }
    }
    std::uint32_t unit = first_that_waits(r, uses);
    if (unit == 0) return std::nullopt;
    if (body_[firsts[unit]].opcode == Opcode::Matmul)  // with its stationary tile
      while (unit > 1 && body_[firsts[unit]].opcode != Opcode::LoadStationary) --unit;
    Cut cut;
    cut.at = firsts[unit];
    if (!stationary_stays(0, cut.at) || !stationary_stays(cut.at, static_cast<std::uint32_t>(body_.size()))) return std::nullopt;
    if (!tiles_between(r, region, uses, unit, turning, cut)) return std::nullopt;
    return cut;
  }

  // The unit in which the PE first reads what another engine made in this turn of what the PE had made before; 0: none.
  std::uint32_t first_that_waits(const Region& r, const std::vector<Use>& uses) const {
    std::vector<BufferId> made;  // by other engines, on chip
    bool multiplied = false;
    std::uint32_t pe_unit = 0;
    for (const Use& u : uses) {
      const BufferId b(u.buffer);
      if (u.on_pe && !u.access.write && u.unit > pe_unit && multiplied && contains(made, b)) return u.unit;
      if (u.on_pe && !multiplied) {
        multiplied = true;
        pe_unit = u.unit;
      }
      if (u.by_engine && u.access.write && multiplied && module_.buffers[b].space == isa::Space::Sbuf && own(r, u.buffer)) add(made, b);
    }
    return 0;
  }

  // Whether each multiply there has its stationary tile from there as well.
  bool stationary_stays(std::uint32_t from, std::uint32_t to) const {
    for (std::uint32_t n = from; n < to; ++n) {
      if (body_[n].opcode == Opcode::LoadStationary) return true;
      if (body_[n].opcode == Opcode::Matmul) return false;
    }
    return true;
  }

  // What lies in both parts, and whether the first part of a turn may come before the second part of the turn before.
  bool tiles_between(const Region& r, std::int32_t region, const std::vector<Use>& uses, std::uint32_t unit, const std::vector<BufferId>& turning,
                     Cut& cut) const {
    const Frame frame{r.begin, r.end, region};
    std::vector<BufferId> before, behind;
    for (const Use& u : uses) add(u.unit < unit ? before : behind, BufferId(u.buffer));
    for (BufferId b : turning)
      if (contains(before, b) && contains(behind, b)) add(cut.two, b);
    for (const Use& late : uses) {
      if (late.unit < unit) continue;
      for (const Use& early : uses) {
        if (early.unit >= unit || early.access.memory != late.access.memory || !(early.access.write || late.access.write)) continue;
        if (late.access.memory < kHbmMemory && early.buffer != late.buffer) continue;  // no addresses yet
        if (contains(cut.two, BufferId(early.buffer))) continue;
        if (footprints_.meets(late.access, early.access, frame) != 1) continue;
        if (!own(r, early.buffer)) return false;
        add(cut.two, BufferId(early.buffer));
      }
    }
    std::int64_t bytes = 0;
    for (BufferId b : cut.two) {
      const tile::Buffer& buffer = module_.buffers[b];
      if (buffer.space != isa::Space::Sbuf || buffer.address >= 0) return false;
      const auto first = std::find_if(uses.begin(), uses.end(), [&](const Use& u) { return u.buffer == b.index; });
      if (!first->access.write || first->unit >= unit) return false;  // a turn would read what another one left
      bytes += 2 * copy_pitch(buffer, machine_);
    }
    for (const auto* part : {&before, &behind})
      for (BufferId b : *part) {
        const tile::Buffer& buffer = module_.buffers[b];
        if (isa::is_hbm(buffer.space) || !own(r, b.index) || (contains(before, b) && contains(behind, b))) continue;
        if (std::any_of(uses.begin(), uses.end(), [&](const Use& u) { return u.buffer == b.index && moves_with(u.access, region); })) continue;
        if (buffer.address >= 0) return false;
        add(cut.own, b);
        if (buffer.space == isa::Space::Sbuf) bytes += 2 * buffer.copies * copy_pitch(buffer, machine_);
      }
    return static_cast<double>(bytes) <= kMemoryShare * static_cast<double>(space_bytes(isa::Space::Sbuf, machine_));
  }

  void copy(std::uint32_t from, std::uint32_t to, isa::InstructionList& out) const {
    Instruction i;
    for (std::uint32_t n = from; n < to; ++n) {
      program_.instructions.read(n, i);
      push(i, out);
    }
  }
  static void push(Instruction& i, isa::InstructionList& out) {
    i.order = static_cast<std::uint32_t>(out.size());
    out.push_back(i);
  }

  // -- the new loop
  enum class Part { First, Second };
  using Tiles = std::vector<std::pair<BufferId, BufferId>>;  // one instead of another, sorted
  static BufferId instead(const Tiles& tiles, BufferId b) {
    const auto at = std::lower_bound(tiles.begin(), tiles.end(), b, [](const auto& a, BufferId x) { return a.first < x; });
    return at != tiles.end() && at->first == b ? at->second : b;
  }
  Tiles copies_of(const std::vector<BufferId>& list, const std::string& suffix) {
    Tiles out;
    for (BufferId b : list) {
      tile::Buffer copy = module_.buffers[b];
      copy.name += suffix;
      out.push_back({b, module_.buffers.push(std::move(copy))});
    }
    return out;
  }

  // Memory that the tiles of one name use in turn, so that the order of instructions is decided with the waits for it in
  // sight. All of PSUM is shared out. The part in front of the loop has others: these are taken until the end.
  struct Ring {
    std::vector<BufferId> tiles;
    std::size_t next = 0;
    std::int64_t uses = 0;  // in a turn of the loop
  };
  void make_rings(const Region& r, const Cut& cut) {
    rings_.clear();
    std::vector<std::int64_t> turns{1};
    std::int64_t left = space_bytes(isa::Space::Psum, machine_);
    for (const Instruction& i : body_) {
      if (i.opcode == Opcode::LoopBegin) turns.push_back(turns.back() * static_cast<std::int64_t>(i.operands[0].immediate));
      if (i.opcode == Opcode::LoopEnd) turns.pop_back();
      for (const Operand& o : i.operands) {
        if (o.kind != OperandKind::Memory || !contains(cut.own, o.buffer)) continue;
        const bool psum = o.space == isa::Space::Psum;
        if (!psum && (o.copies == 1 || o.rotate_loop == r.loop)) continue;
        Ring& ring = rings_[o.buffer.index];
        if (ring.tiles.empty()) {
          ring.tiles.push_back(o.buffer);
          if (psum) left -= copy_pitch(module_.buffers[o.buffer], machine_);
        }
        ring.uses = std::max(ring.uses, turns.back());
      }
    }
    const auto grow = [&](Ring& ring) {
      tile::Buffer copy = module_.buffers[ring.tiles[0]];
      copy.name += "_ring" + std::to_string(ring.tiles.size());
      ring.tiles.push_back(module_.buffers.push(std::move(copy)));
    };
    for (auto& [b, ring] : rings_)
      while (module_.buffers[BufferId(b)].space == isa::Space::Sbuf && ring.tiles.size() < kRingOfTiles && static_cast<std::int64_t>(ring.tiles.size()) < ring.uses)
        grow(ring);
    while (true) {  // one more for what is used most often for each that it has
      Ring* most = nullptr;
      for (auto& [b, ring] : rings_) {
        const auto has = static_cast<std::int64_t>(ring.tiles.size());
        if (module_.buffers[BufferId(b)].space != isa::Space::Psum || has >= ring.uses || copy_pitch(module_.buffers[BufferId(b)], machine_) > left) continue;
        const auto share = [](const Ring& r) { return r.tiles.size() < 2 ? 1e9 : static_cast<double>(r.uses) / static_cast<double>(r.tiles.size()); };
        if (!most || share(ring) > share(*most)) most = &ring;
      }
      if (!most) break;
      left -= copy_pitch(module_.buffers[most->tiles[0]], machine_);
      grow(*most);
    }
  }

  // What a part of one turn becomes.
  struct Turn {
    std::int64_t which = 0;  // of the loop's variable, in the new loop: each second turn from there
    bool inside = false;     // of the new loop
  };

  void emit(const Region& r, const Cut& cut, isa::InstructionList& out) {
    // Two turns in one of the new loop where tiles differ from turn to turn.
    const std::int64_t trips = r.trips, step = cut.two.empty() ? 1 : 2, left = (trips - 1) / step;
    for (BufferId b : cut.two) module_.buffers[b].copies = 1;
    odd_ = copies_of(cut.two, "_odd");
    parts_ = 0;
    make_rings(r, cut);
    const auto put = [&](const std::vector<Instruction>& list) {
      for (Instruction i : list) push(i, out);
    };
    const bool looped = left > 1;
    put(part(r, cut, Part::First, {0, false}, left));
    Instruction marker = program_.instructions[r.begin];
    if (looped) {
      marker.operands[0].immediate = static_cast<double>(left);
      push(marker, out);
    }
    for (std::int64_t which = 0; which < step; ++which)
      put(merged(part(r, cut, Part::First, {which + 1, looped}, left), part(r, cut, Part::Second, {which, looped}, left)));
    if (looped) {
      marker = program_.instructions[r.end];
      push(marker, out);
    }
    std::int64_t at = step * left;
    if (at + 1 < trips) {
      put(merged(part(r, cut, Part::First, {at + 1, false}, left), part(r, cut, Part::Second, {at, false}, left)));
      ++at;
    }
    put(part(r, cut, Part::Second, {at, false}, left));
  }

  // Two lists that may be in any order to each other, in step; but a stationary tile stays until it has been used.
  static std::vector<Instruction> merged(const std::vector<Instruction>& a, const std::vector<Instruction>& b) {
    std::vector<Instruction> out;
    out.reserve(a.size() + b.size());
    for (std::size_t n = 0, m = 0; n < a.size() || m < b.size();) {
      const bool first = m >= b.size() || (n < a.size() && n * b.size() <= m * a.size());
      const std::vector<Instruction>& list = first ? a : b;
      std::size_t& at = first ? n : m;
      for (const std::size_t end = used_until(list, at); at < end;) out.push_back(list[at++]);
    }
    return out;
  }
  // Behind the last multiply with the stationary tile that is loaded at `at`; else behind `at`.
  static std::size_t used_until(const std::vector<Instruction>& list, std::size_t at) {
    std::size_t end = at + 1;
    if (list[at].opcode != Opcode::LoadStationary) return end;
    for (std::size_t n = end; n < list.size() && list[n].opcode != Opcode::LoadStationary; ++n)
      if (list[n].opcode == Opcode::Matmul) end = n + 1;
    return end;
  }

  std::vector<Instruction> part(const Region& r, const Cut& cut, Part which_part, Turn turn, std::int64_t left) {
    Version v;
    v.loop = r.loop;
    v.left = turn.inside ? left : 1;
    v.turns = turn.inside ? (cut.two.empty() ? 1 : 2) : 1;
    v.which = turn.which;
    const std::uint32_t from = which_part == Part::First ? 0 : cut.at;
    const auto to = which_part == Part::First ? cut.at : static_cast<std::uint32_t>(body_.size());
    std::vector<Instruction> out;
    for (std::uint32_t n = from; n < to; ++n) {
      out.push_back(body_[n]);
      Instruction& i = out.back();
      if (i.opcode != Opcode::LoopBegin && i.opcode != Opcode::LoopEnd) put_in_turn(i, v);
      for (Operand& o : i.operands) {
        if (o.kind != OperandKind::Memory) continue;
        const bool turns = o.copies > 1 && o.rotate_loop == r.loop, between = contains(cut.two, o.buffer);
        if (between && turn.which % 2 != 0) o.buffer = instead(odd_, o.buffer);
        if (!turns || (turn.inside && !between)) continue;
        o.copies = 1;
        o.rotate_loop = LoopId();
      }
    }
    return unrolled(out, cut);
  }

  // Without the loops inside. A tile that only one loop's turns use is another one in each of them.
  std::vector<Instruction> unrolled(const std::vector<Instruction>& list, const Cut& cut) {
    std::vector<Instruction> out;
    const std::vector<std::size_t> depths = depths_of(cut.own, list);
    std::map<std::pair<std::uint32_t, std::uint64_t>, BufferId> made;  // by tile and the loops' turns
    struct Open {
      std::size_t first;  // instruction of the loop
      std::int64_t at = 0;
      std::uint64_t turn = 0;  // of all loops up to here
    };
    std::vector<Open> open;
    const int part = parts_++;
    const auto tile = [&](BufferId b) {
      const auto at = std::lower_bound(cut.own.begin(), cut.own.end(), b);
      if (at == cut.own.end() || *at != b) return b;
      const std::size_t depth = depths[static_cast<std::size_t>(at - cut.own.begin())];
      const auto [entry, added] = made.insert({{b.index, depth == 0 ? 0 : open[depth - 1].turn}, b});
      const auto shared = rings_.find(b.index);
      if (added && part > 0 && shared != rings_.end()) {
        Ring& ring = shared->second;
        entry->second = ring.tiles[ring.next++ % ring.tiles.size()];
      } else if (added) {
        tile::Buffer copy = module_.buffers[b];
        copy.name += "_" + std::to_string(part) + "_" + std::to_string(made.size());
        entry->second = module_.buffers.push(std::move(copy));
      }
      return entry->second;
    };
    std::uint64_t turns = 0;
    for (std::size_t n = 0; n < list.size(); ++n) {
      Instruction i = list[n];
      if (i.opcode == Opcode::LoopBegin) {
        open.push_back({n, 0, ++turns});
        continue;
      }
      if (i.opcode == Opcode::LoopEnd) {
        Open& loop = open.back();
        loop.turn = ++turns;
        if (++loop.at < static_cast<std::int64_t>(list[loop.first].operands[0].immediate))
          n = loop.first;
        else
          open.pop_back();
        continue;
      }
      for (Operand& o : i.operands) {
        for (const Open& loop : open) {
          const LoopId name = list[loop.first].loop;
          for (std::size_t t = 0; t < o.terms.size(); ++t) {
            if (o.terms[t].loop != name) continue;
            o.start += loop.at * o.terms[t].bytes;
            o.partition_start = static_cast<std::uint16_t>(o.partition_start + loop.at * o.terms[t].partitions);
            o.terms.erase(t--);
          }
          if (o.kind != OperandKind::Memory || o.rotate_loop != name) continue;
          o.copies = 1;
          o.rotate_loop = LoopId();
        }
        if (o.kind != OperandKind::Memory) continue;
        o.buffer = tile(o.buffer);
        if (o.copies == 1) module_.buffers[o.buffer].copies = 1;
      }
      out.push_back(std::move(i));
    }
    return out;
  }

  // Per tile, how many loops of the list hold all that reaches it.
  static std::vector<std::size_t> depths_of(const std::vector<BufferId>& tiles, const std::vector<Instruction>& list) {
    std::vector<std::vector<std::size_t>> nests(tiles.size());
    std::vector<bool> seen(tiles.size(), false);
    std::vector<std::size_t> open;
    for (std::size_t n = 0; n < list.size(); ++n) {
      if (list[n].opcode == Opcode::LoopBegin) open.push_back(n);
      if (list[n].opcode == Opcode::LoopEnd) open.pop_back();
      for (const Operand& o : list[n].operands) {
        if (o.kind != OperandKind::Memory) continue;
        const auto at = std::lower_bound(tiles.begin(), tiles.end(), o.buffer);
        if (at == tiles.end() || *at != o.buffer) continue;
        const auto t = static_cast<std::size_t>(at - tiles.begin());
        std::vector<std::size_t>& nest = nests[t];
        if (!seen[t]) nest = open;
        seen[t] = true;
        std::size_t common = 0;
        while (common < nest.size() && common < open.size() && nest[common] == open[common]) ++common;
        nest.resize(common);
      }
    }
    std::vector<std::size_t> out;
    for (const auto& nest : nests) out.push_back(nest.size());
    return out;
  }

  tile::Module& module_;
  tile::Program& program_;
  const RegionTree& tree_;
  const Machine& machine_;
  Footprints footprints_;
  std::vector<Span> spans_;
  std::vector<Instruction> body_;  // of the loop that is looked at
  Tiles odd_;
  std::map<std::uint32_t, Ring> rings_;
  int parts_ = 0;
};

}  // namespace

isa::InstructionList skew(tile::Module& module, tile::Program& program, const RegionTree& tree, const Machine& machine) {
  return Skewer(module, program, tree, machine).run();
}

}  // namespace openneuron::sched
