#include "sched/dependences.h"

#include <algorithm>
#include <map>

#include "isa/table.h"
#include "sched/footprint.h"

namespace openneuron::sched {
namespace {

// More accesses of one stream and kind to one piece of memory than this are merged into one that reaches all of it.
constexpr std::uint32_t kNever = 0xFFFFFFFFu;
constexpr std::int32_t kDeep = 1 << 20;  // deeper than any block
constexpr std::size_t kKeptOnChip = 4, kKeptInHbm = 8;
// Accesses with gaps cut an HBM variable into no more pieces than this.
constexpr std::int64_t kCoarsePieces = 8;

bool is_marker(const isa::Instruction& i) {
  return isa::opens_region(i.opcode) || isa::closes_region(i.opcode) || isa::divides_region(i.opcode);
}

class Finder {
 public:
  Finder(const tile::Module& module, const tile::Program& program, const RegionTree& tree, const Membership& membership,
         const Machine& machine)
      : module_(module), program_(program), tree_(tree), membership_(membership), footprints_(module, tree, machine),
        conditional_begin_(conditional_begins(tree)), exposed_(tree.regions.size()), met_(tree.blocks.size()) {
    // What no core writes has no conflicts and needs no barrier.
    written_.assign(module.buffers.size(), false);
    for (const tile::Program& p : module.programs)
      for (const isa::Instruction& i : p.instructions)
        for (std::size_t n = 0; n < i.operands.size(); ++n) {
          const isa::Operand& o = i.operands[n];
          const isa::Use use = isa::operand_field(isa::row(i.opcode), n).use;
          if (o.kind == isa::OperandKind::Memory && o.buffer.index < written_.size() && (use == isa::Use::Writes || use == isa::Use::ReadsWrites))
            written_[footprints_.memory_owner(o.buffer).index] = true;
        }
    for (std::uint32_t b = 0; b < module.buffers.size(); ++b)
      if (module.buffers[BufferId(b)].space == isa::Space::SharedHbm && written_[b]) shared_.push_back(BufferId(b));
  }

  Dependences run() {
    for (std::uint32_t i = 0; i < program_.instructions.size(); ++i) {
      const isa::Instruction& instruction = program_.instructions[i];
      if (isa::opens_region(instruction.opcode)) {
        open_.push_back(tree_.region_of_loop[instruction.loop.index]);
      } else if (isa::closes_region(instruction.opcode)) {
        close(open_.back());
        open_.pop_back();
      } else if (!is_marker(instruction)) {
        for (StreamMask mask = membership_.holders(i); mask; mask &= mask - 1) item(i, instruction, static_cast<std::uint8_t>(__builtin_ctzll(mask)));
      }
    }
    std::stable_sort(out_.list.begin(), out_.list.end(), [](const Dependence& a, const Dependence& b) { return a.to < b.to; });
    out_.must_signal.assign(out_.items.size(), false);
    for (std::uint32_t item : must_signal_) out_.must_signal[item] = true;
    return std::move(out_);
  }

 private:
  using Entries = SmallVector<std::uint32_t, 6>;  // access numbers, oldest first
  using Pieces = std::map<std::int64_t, Entries>;  // by first byte; a piece ends where the next begins

  void item(std::uint32_t index, const isa::Instruction& instruction, std::uint8_t stream) {
    const auto item = static_cast<std::uint32_t>(out_.items.size());
    out_.items.push_back({index, stream});
    const isa::Row& row = isa::row(instruction.opcode);
    const std::size_t first = accesses_.size();
    const auto add = [&](Access access) {
      if (access.memory >= kHbmMemory && !access.dense) {
        const std::int64_t grain = module_.buffers[access.buffer].bytes / kCoarsePieces + 1;
        access.first = access.first / grain * grain;
        access.last = (access.last + grain - 1) / grain * grain;
      }
      access.item = item;
      access.order = index;
      access.stream = stream;
      access.block = tree_.block_of[index];
      accesses_.push_back(access);
    };
    for (std::size_t n = 0; n < instruction.operands.size(); ++n) {
      const isa::Operand& o = instruction.operands[n];
      if (o.kind != isa::OperandKind::Memory || o.buffer.index >= module_.buffers.size()) continue;
      if (!written_[footprints_.memory_owner(o.buffer).index]) continue;
      const isa::Use use = isa::operand_field(row, n).use;
      const bool indirect = instruction.opcode == isa::Opcode::Dma && !instruction.params.empty() && ((n == 0 && instruction.params[0] == 2) || (n == 1 && instruction.params[0] == 1));
      add(footprints_.access(o, tree_.block_of[index], use == isa::Use::Writes || use == isa::Use::ReadsWrites, indirect));
    }
    if (instruction.opcode == isa::Opcode::CoreBarrier)
      for (BufferId b : shared_) add(footprints_.all_of(b, true));
    const std::size_t last = accesses_.size();
    seen_.resize(last);
    found_.clear();
    // All operands are looked up before any is entered: an instruction does not depend on itself.
    for (std::size_t a = first; a < last; ++a) look_up(static_cast<std::uint32_t>(a));
    keep_found(-1);
    for (std::size_t a = first; a < last; ++a) enter(static_cast<std::uint32_t>(a));
  }

  Pieces& pieces(std::uint32_t memory) {
    auto& p = memories_[memory];
    if (p.empty()) p[-(std::int64_t{1} << 60)];
    return p;
  }

  // The piece that begins at `at`, cut out of the one around it.
  static Pieces::iterator cut(Pieces& p, std::int64_t at) {
    const auto next = p.lower_bound(at);
    if (next != p.end() && next->first == at) return next;
    return p.emplace_hint(next, at, std::prev(next)->second);
  }

  std::uint32_t conditional_begin(const Access& a) const { return conditional_begin_[static_cast<std::size_t>(a.block)]; }
  // Whether `later` ran if `earlier` did and the program has come to `later` or past it.
  bool runs_with(const Access& later, const Access& earlier) const { return earlier.order >= conditional_begin(later); }
  // Whether `earlier` ran when the program stands at `later`.
  bool ran_before(const Access& earlier, const Access& later) const {
    return conditional_begin(earlier) == 0 || in_block(conditional_block(earlier.block), later.block);
  }
  std::int32_t conditional_block(std::int32_t block) const { return sched::conditional_block(tree_, block); }
  bool in_block(std::int32_t outer, std::int32_t inner) const {
    const Block &o = tree_.blocks[static_cast<std::size_t>(outer)], &i = tree_.blocks[static_cast<std::size_t>(inner)];
    return o.begin <= i.begin && i.end <= o.end;
  }

  // What the block of an earlier access shares with the block that the walk stands in.
  const Meeting& meeting_with(std::int32_t earlier, std::int32_t now) {
    if (met_from_ != now) {
      met_from_ = now;
      ++met_round_;
    }
    Met& met = met_[static_cast<std::size_t>(earlier)];
    if (met.round != met_round_) {
      met.round = met_round_;
      met.meeting = meeting(tree_, earlier, now);
    }
    return met.meeting;
  }

  Frame frame_of(const Meeting& m) const {
    const Block& block = tree_.blocks[static_cast<std::size_t>(m.block)];
    if (m.while_region >= 0) {
      const Region& r = tree_.regions[static_cast<std::size_t>(m.while_region)];
      return {r.begin, r.end, -1};
    }
    return {block.begin, block.end, -1};
  }

  void look_up(std::uint32_t number) {
    const Access b = accesses_[number];
    Pieces& p = pieces(b.memory);
    std::int32_t exposed_depth = kDeep;  // least depth, over the pieces, of what covers this access
    if (b.last > b.first) {
      for (auto piece = std::prev(p.upper_bound(b.first)); piece != p.end() && piece->first < b.last; ++piece) {
        const auto next = std::next(piece);
        const std::int64_t begin = std::max(piece->first, b.first), end = next == p.end() ? b.last : std::min(next->first, b.last);
        std::int32_t covered = -1;
        for (std::uint32_t e : piece->second) {
          const Access& a = accesses_[e];
          if (a.item == b.item) continue;
          const bool own = a.stream == b.stream;
          if (own ? open_.empty() : !a.write && !b.write) continue;
          if (!own && seen_[e].by == number && (!seen_[e].meets || open_.empty())) continue;
          const Meeting& m = meeting_with(a.block, b.block);
          if (m.exclusive) continue;
          const Frame frame = frame_of(m);
          if (!own && !ordered(e, a, b, number, frame)) continue;
          const std::int32_t depth = tree_.blocks[static_cast<std::size_t>(m.block)].depth;
          if (depth > covered && !open_.empty() && ran_before(a, b) && footprints_.supersedes(a, b, frame, begin, end)) covered = depth;
        }
        exposed_depth = std::min(exposed_depth, covered);
      }
    }
    for (std::size_t n = open_.size(); n-- > 0;) {
      const Region& r = tree_.regions[static_cast<std::size_t>(open_[n])];
      const std::int32_t depth = tree_.blocks[static_cast<std::size_t>(r.first_block)].depth;
      if (depth <= exposed_depth) break;
      if (r.kind == isa::Opcode::CaseBegin || (r.trips >= 0 && r.trips < 2)) continue;
      exposed_[static_cast<std::size_t>(open_[n])].push_back(number);
    }
  }

  // Whether `b`, on another stream, comes after `a` for certain; notes the dependence the first time.
  bool ordered(std::uint32_t entry, const Access& a, const Access& b, std::uint32_t number, const Frame& frame) {
    Seen& seen = seen_[entry];
    if (seen.by != number) {
      if (seen.item != b.item) seen.item = b.item, seen.after = false;
      seen.by = number;
      seen.meets = footprints_.meets(a, b, frame) >= 0;
      seen.after = seen.after || seen.meets;
      if (seen.meets) found_.push_back({entry, b.item, -1, 0});
    }
    return seen.meets;
  }

  void enter(std::uint32_t number) {
    const Access b = accesses_[number];
    if (b.last <= b.first) return;
    Pieces& p = pieces(b.memory);
    auto piece = cut(p, b.first);
    const auto end = cut(p, b.last);
    while (piece != end) {
      const std::int64_t piece_end = std::next(piece)->first;
      Entries kept;
      for (std::uint32_t e : piece->second) {
        const Access& a = accesses_[e];
        bool dropped = (b.write || !a.write) && (a.stream == b.stream || (seen_[e].item == b.item && seen_[e].after)) && runs_with(b, a);
        if (dropped) {
          const Meeting& m = meeting_with(a.block, b.block);
          dropped = !m.exclusive && footprints_.supersedes(b, a, frame_of(m), piece->first, piece_end);
        }
        if (!dropped) kept.push_back(e);
      }
      kept.push_back(number);
      if (kept.size() > kKeptOnChip) merge(kept, b);
      piece->second = std::move(kept);
      // Neighbours that hold the same accesses are one piece.
      if (piece != p.begin() && piece->first != b.first) {
        const auto before = std::prev(piece);
        if (before->second == piece->second) {
          piece = p.erase(piece);
          continue;
        }
      }
      ++piece;
    }
  }

  // Keeps the number of entries of one stream and kind small: the two oldest become one that reaches everything.
  void merge(Entries& entries, const Access& b) {
    const std::size_t limit = b.memory < kHbmMemory ? kKeptOnChip : kKeptInHbm;
    std::size_t alike = 0, first = entries.size(), second = entries.size();
    for (std::size_t n = 0; n < entries.size(); ++n) {
      const Access& a = accesses_[entries[n]];
      if (a.stream != b.stream || a.write != b.write) continue;
      if (alike == 0) first = n;
      if (alike == 1) second = n;
      ++alike;
    }
    if (alike <= limit) return;
    const Access &older = accesses_[entries[first]], &newer = accesses_[entries[second]];
    if (!runs_with(newer, older)) {
      // A wait for something that may not have run is for every signal of its stream up to there: enough when the older
      // one signals, and when no other branch of an open case still has to see it.
      const Meeting& m = meeting_with(newer.block, b.block);
      if (m.exclusive || older.order < conditional_begin_[static_cast<std::size_t>(m.block)]) return;
      must_signal_.push_back(older.item);
    }
    Access both = newer;
    both.whole = true;
    both.operand = nullptr;
    both.pitch = 0;
    both.moves = both.moves_rows = false;
    both.partition_begin = 0;
    both.partition_end = 1 << 16;
    both.base = both.first = -(std::int64_t{1} << 50);
    both.low = 0;
    both.high = std::int64_t{1} << 51;
    both.last = std::int64_t{1} << 50;
    entries[second] = static_cast<std::uint32_t>(accesses_.size());
    entries.erase(first);
    accesses_.push_back(both);
    seen_.emplace_back();
  }

  // The end of an iteration: what the accesses that nothing in the iteration covers find of the one before.
  void close(std::int32_t region) {
    const Region& r = tree_.regions[static_cast<std::size_t>(region)];
    auto& exposed = exposed_[static_cast<std::size_t>(region)];
    const Frame frame{r.begin, r.end, region};
    for (std::uint32_t number : exposed) {
      const Access b = accesses_[number];
      Pieces& p = pieces(b.memory);
      found_.clear();
      ++round_;
      for (auto piece = std::prev(p.upper_bound(b.first)); piece != p.end() && piece->first < b.last; ++piece)
        for (std::uint32_t e : piece->second) {
          const Access& a = accesses_[e];
          if (a.order < r.begin || a.stream == b.stream || (!a.write && !b.write)) continue;
          if (carried_.size() < accesses_.size()) carried_.resize(accesses_.size(), 0);
          if (carried_[e] == round_) continue;
          carried_[e] = round_;
          if (rotation_covers(a, b, region)) continue;
          const std::int64_t distance = footprints_.meets(a, b, frame);
          if (distance > 0) found_.push_back({e, b.item, region, distance});
        }
      keep_found(region);
    }
    exposed.clear();
    exposed.shrink_to_fit();
  }

  // Both rotate with a loop inside `outer` whose trips are a multiple of the copies: the copies follow one another
  // across the iterations of `outer` as they do inside, and so does the inner loop's wait.
  bool rotation_covers(const Access& a, const Access& b, std::int32_t outer) const {
    if (!a.pitch || !b.pitch || a.buffer != b.buffer || a.operand->rotate_loop != b.operand->rotate_loop) return false;
    const std::int32_t inner = tree_.region_of_loop[a.operand->rotate_loop.index];
    if (inner < 0 || inner == outer) return false;
    const Region &i = tree_.regions[static_cast<std::size_t>(inner)], &o = tree_.regions[static_cast<std::size_t>(outer)];
    if (i.begin < o.begin || i.end > o.end || i.trips < 1 || i.trips % a.operand->copies != 0) return false;
    return footprints_.meets(a, b, {i.begin, i.end, inner}) == a.operand->copies;
  }

  // Of the found ones, per stream, those that no other of them implies. `from` still holds access numbers.
  void keep_found(std::int32_t loop) {
    std::sort(found_.begin(), found_.end(), [&](const Dependence& a, const Dependence& b) {
      const Access &x = accesses_[a.from], &y = accesses_[b.from];
      if (a.distance != b.distance) return a.distance < b.distance;
      return x.order != y.order ? x.order > y.order : x.stream < y.stream;
    });
    const std::size_t start = out_.list.size();
    for (const Dependence& d : found_) {
      const Access& a = accesses_[d.from];
      bool implied = false;
      for (std::size_t n = start; n < out_.list.size() && !implied; ++n) {
        const Dependence& k = out_.list[n];
        if (k.to != d.to || out_.items[k.from].stream != a.stream) continue;
        if (k.from == a.item) {
          implied = k.distance <= d.distance;
          continue;
        }
        const std::uint32_t kept_order = out_.items[k.from].instruction;
        const std::int32_t branch = conditional_block(tree_.block_of[kept_order]);  // if it ran, so did the kept one
        if (loop >= 0) {
          const bool every = tree_.blocks[static_cast<std::size_t>(branch)].region == loop ||
                             in_block(branch, tree_.regions[static_cast<std::size_t>(loop)].parent);
          implied = every && (k.distance < d.distance || kept_order >= a.order);
        } else {
          implied = kept_order >= a.order && (a.order >= conditional_begin_[static_cast<std::size_t>(branch)] ||
                                              in_block(branch, tree_.block_of[out_.items[d.to].instruction]));
        }
      }
      if (!implied) out_.list.push_back({a.item, d.to, d.loop, d.distance});
    }
  }

  struct Seen {
    std::uint32_t by = kNever;    // the access that looked last, and whether it can meet
    std::uint32_t item = kNever;  // the item that looked last, and whether it comes after for certain
    bool meets = false, after = false;
  };

  const tile::Module& module_;
  const tile::Program& program_;
  const RegionTree& tree_;
  const Membership& membership_;
  Footprints footprints_;
  std::vector<std::uint32_t> conditional_begin_;
  std::vector<std::vector<std::uint32_t>> exposed_;  // per region: accesses
  std::vector<bool> written_;          // per buffer that owns memory
  std::vector<BufferId> shared_;
  std::vector<Access> accesses_;
  std::vector<Seen> seen_;               // per access: the last one that looked at it
  std::vector<std::uint32_t> must_signal_;
  std::vector<std::uint32_t> carried_;   // per access: the round that looked at it
  std::uint32_t round_ = 0;
  struct Met {
    std::uint32_t round = 0;
    Meeting meeting;
  };
  std::vector<Met> met_;  // per block, for the block met_from_
  std::int32_t met_from_ = -1;
  std::uint32_t met_round_ = 0;
  std::map<std::uint32_t, Pieces> memories_;
  std::vector<std::int32_t> open_;
  std::vector<Dependence> found_;
  Dependences out_;
};

}  // namespace

std::int32_t conditional_block(const RegionTree& tree, std::int32_t block) {
  while (block > 0 && !tree.conditional(block)) block = tree.parent_block(block);
  return block;
}

std::vector<std::uint32_t> conditional_begins(const RegionTree& tree) {
  std::vector<std::uint32_t> out(tree.blocks.size(), 0);
  for (std::size_t b = 1; b < tree.blocks.size(); ++b) {
    const auto block = static_cast<std::int32_t>(b);
    out[b] = tree.conditional(block) ? tree.blocks[b].begin + 1 : out[static_cast<std::size_t>(tree.parent_block(block))];
  }
  return out;
}

Meeting meeting(const RegionTree& tree, std::int32_t a, std::int32_t b) {
  Meeting out;
  out.block = tree.common_block(a, b);
  if (out.block == a || out.block == b) return out;
  const std::int32_t ra = tree.child_region(out.block, a), rb = tree.child_region(out.block, b);
  if (ra != rb) return out;
  const Region& r = tree.regions[static_cast<std::size_t>(ra)];
  if (r.kind == isa::Opcode::CaseBegin)
    out.exclusive = true;
  else
    out.while_region = ra;
  return out;
}

Dependences find_dependences(const tile::Module& module, const tile::Program& program, const RegionTree& tree,
                             const Membership& membership, const Machine& machine) {
  return Finder(module, program, tree, membership, machine).run();
}

}  // namespace openneuron::sched
