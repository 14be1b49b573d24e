#include "sched/dependences.h"

#include <algorithm>
#include <array>
#include <map>

#include "isa/table.h"
#include "sched/footprint.h"

namespace openneuron::sched {
namespace {

constexpr std::uint32_t kNever = 0xFFFFFFFFu;
constexpr std::int32_t kAllPartitions = 1 << 16;
constexpr std::int32_t kDeep = 1 << 20;  // deeper than any block
// More accesses of one stream and kind to one piece of memory than this are merged into one that reaches all that they do.
constexpr std::size_t kKeptOnChip = 4, kKeptInHbm = 8;
// Accesses with gaps cut an HBM variable into no more pieces than this.
constexpr std::int64_t kCoarsePieces = 8;
// Accesses are kept in mind until there are so many, and twice as many as were needed last time.
constexpr std::size_t kFewAccesses = 4096;

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
    isa::Instruction instruction;
    for (std::uint32_t i = 0; i < program_.instructions.size(); ++i) {
      const isa::Head head = program_.instructions.head(i);
      if (isa::opens_region(head.opcode)) {
        open_.push_back(tree_.region_of_loop[head.loop.index]);
        carrying_ += carries(tree_.regions[static_cast<std::size_t>(open_.back())]);
      } else if (isa::closes_region(head.opcode)) {
        close(open_.back());
        carrying_ -= carries(tree_.regions[static_cast<std::size_t>(open_.back())]);
        open_.pop_back();
      } else if (!isa::divides_region(head.opcode)) {
        program_.instructions.read(i, instruction);
        for (StreamMask mask = membership_.holders(i); mask; mask &= mask - 1) item(i, instruction, static_cast<std::uint8_t>(__builtin_ctzll(mask)));
      }
    }
    std::stable_sort(out_.list.begin(), out_.list.end(), [](const Dependence& a, const Dependence& b) { return a.to < b.to; });
    out_.must_signal.assign(out_.items.size(), false);
    for (std::uint32_t item : must_signal_) out_.must_signal[item] = true;
    return std::move(out_);
  }

 private:
  struct Entry {  // what most looks need of an access
    std::uint32_t access = 0;
    std::uint32_t order = 0;
    std::uint8_t stream = 0;
    bool write = false;
    bool operator==(const Entry&) const = default;
  };
  using Entries = SmallVector<Entry, 6>;           // oldest first
  using Pieces = std::map<std::int64_t, Entries>;  // by first byte; a piece ends where the next begins

  // What an access that is looked up or entered has learned of an entry.
  struct Seen {
    std::uint32_t by = kNever;       // the access that looked last
    std::uint32_t asked = kNever;    // the access that asked last whether the entry covers it
    std::int32_t depth = -1;         // the answer: the depth of what both share; -1: it does not
    std::uint32_t after = kNever;    // the item that last was found to wait for the entry
    std::uint32_t entered = kNever;  // the access that was entered last, and whether it makes the entry needless
    bool dropped = false;
  };

  void item(std::uint32_t index, const isa::Instruction& instruction, std::uint8_t stream) {
    const auto item = static_cast<std::uint32_t>(out_.items.size());
    out_.items.push_back({index, stream});
    const isa::Row& row = isa::row(instruction.opcode);
    if (accesses_.size() >= next_sweep_) sweep();
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
      // All rows of a buffer stand for all rows: what lies below it belongs to no other buffer at the same time, and one
      // that comes later need not look past it.
      if (access.memory < kHbmMemory && !access.moves_rows && access.partition_begin == 0 && access.partition_end >= module_.buffers[access.buffer].partitions)
        access.partition_end = kAllPartitions;
      accesses_.push_back(std::move(access));
    };
    for (std::size_t n = 0; n < instruction.operands.size(); ++n) {
      const isa::Operand& o = instruction.operands[n];
      if (o.kind != isa::OperandKind::Memory || o.buffer.index >= module_.buffers.size()) continue;
      if (!written_[footprints_.memory_owner(o.buffer).index]) continue;
      const isa::Use use = isa::operand_field(row, n).use;
      const bool indirect = isa::indirect_operand(instruction) == static_cast<int>(n);
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

  // Forgets the accesses that no piece of memory and no open loop knows any more. The others keep their order.
  void sweep() {
    widened_.resize(accesses_.size(), kNever);
    carried_.resize(accesses_.size(), 0);
    std::vector<std::uint32_t> number(accesses_.size(), kNever);
    const auto keep = [&](std::uint32_t e) {
      number[e] = 0;
      if (widened_[e] != kNever) number[widened_[e]] = 0;
    };
    for (const auto& memory : memories_)
      for (const auto& piece : memory.second)
        for (const Entry& e : piece.second) keep(e.access);
    for (std::int32_t region : open_)
      for (std::uint32_t e : exposed_[static_cast<std::size_t>(region)]) keep(e);
    std::uint32_t kept = 0;
    for (std::uint32_t e = 0; e < number.size(); ++e)
      if (number[e] != kNever) number[e] = kept++;
    for (std::uint32_t e = 0; e < number.size(); ++e) {
      const std::uint32_t to = number[e];
      if (to == kNever) continue;
      if (to != e) accesses_[to] = std::move(accesses_[e]);
      seen_[to] = seen_[e];
      seen_[to].by = seen_[to].asked = seen_[to].entered = kNever;  // access numbers
      carried_[to] = carried_[e];
      widened_[to] = widened_[e] == kNever ? kNever : number[widened_[e]];
    }
    accesses_.resize(kept);
    seen_.resize(kept);
    carried_.resize(kept);
    widened_.resize(kept);
    for (auto& memory : memories_)
      for (auto& piece : memory.second)
        for (Entry& e : piece.second) e.access = number[e.access];
    for (std::int32_t region : open_)
      for (std::uint32_t& e : exposed_[static_cast<std::size_t>(region)]) e = number[e];
    next_sweep_ = std::max(kFewAccesses, 2 * accesses_.size());
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

  // A region whose iterations follow one another.
  static bool carries(const Region& r) { return r.kind != isa::Opcode::CaseBegin && (r.trips < 0 || r.trips > 1); }

  void look_up(std::uint32_t number) {
    const Access& b = accesses_[number];
    const bool asked = carrying_ > 0;    // a loop around wants to know what covers this access
    const std::int32_t here = tree_.blocks[static_cast<std::size_t>(b.block)].depth;
    std::int32_t exposed_depth = kDeep;  // least depth, over the pieces, of what covers it
    if (b.last > b.first) {
      Pieces& p = pieces(b.memory);
      for (auto piece = std::prev(p.upper_bound(b.first)); piece != p.end() && piece->first < b.last; ++piece) {
        std::int32_t covered = -1;
        const Entry* entries = piece->second.data();
        for (std::size_t n = piece->second.size(); n-- > 0;) {  // the newest first: they imply others
          const Entry& e = entries[n];
          const bool conflict = b.write || e.write;
          if (conflict && e.stream != b.stream && !waits_past(b, e.stream, e.order)) look_at(e.access, number);
          if (asked && covered < here && (conflict || e.stream == b.stream)) covered = std::max(covered, cover_depth(e.access, number, covered));
        }
        exposed_depth = std::min(exposed_depth, covered);
      }
    }
    if (!asked) return;
    for (std::size_t n = open_.size(); n-- > 0;) {
      const Region& r = tree_.regions[static_cast<std::size_t>(open_[n])];
      const std::int32_t depth = tree_.blocks[static_cast<std::size_t>(r.first_block)].depth;
      if (depth <= exposed_depth) break;
      if (carries(r)) exposed_[static_cast<std::size_t>(open_[n])].push_back(number);
    }
  }

  // Whether b's item was found to wait for that instruction of the stream, or for a later one.
  bool waits_past(const Access& b, std::uint8_t stream, std::uint32_t order) const {
    const Latest& latest = latest_[stream];
    return latest.item == b.item && latest.order >= order;
  }

  // The first look of an access at an entry of another stream: notes the dependence, unless one that is noted implies it.
  void look_at(std::uint32_t entry, std::uint32_t number) {
    const Access &a = accesses_[entry], &b = accesses_[number];
    Seen& seen = seen_[entry];
    if (seen.by == number) return;
    seen.by = number;
    const Meeting& m = meeting_with(a.block, b.block);
    if (m.exclusive || footprints_.meets(a, b, frame_of(m)) < 0) return;
    seen.after = b.item;
    found_.push_back({entry, b.item, -1, 0});
    if (ran_before(a, b)) latest_[a.stream] = {b.item, a.order};
  }

  // Of an entry of the same stream or in conflict: the depth of what both share if it covers the access; -1 if not, or if it is not above `least`.
  std::int32_t cover_depth(std::uint32_t entry, std::uint32_t number, std::int32_t least) {
    Seen& seen = seen_[entry];
    if (seen.asked == number) return seen.depth;
    const Access &a = accesses_[entry], &b = accesses_[number];
    if (a.item == b.item) return -1;
    const Meeting& m = meeting_with(a.block, b.block);
    const std::int32_t depth = tree_.blocks[static_cast<std::size_t>(m.block)].depth;
    if (depth <= least) return -1;
    const bool covers = !m.exclusive && ran_before(a, b) && footprints_.supersedes(a, b, frame_of(m));
    seen.asked = number;
    return seen.depth = covers ? depth : -1;
  }

  void enter(std::uint32_t number) {
    const Access b = accesses_[number];
    if (b.last <= b.first) return;
    const std::uint32_t never_before = footprints_.supersedes_from(b);
    Pieces& p = pieces(b.memory);
    auto piece = cut(p, b.first);
    const auto end = cut(p, b.last);
    while (piece != end) {
      Entries& list = piece->second;
      Entry* entries = list.data();
      std::size_t kept = 0, alike = 0;  // alike: of the stream and kind of this one
      for (std::size_t n = 0, size = list.size(); n < size; ++n) {
        const Entry& e = entries[n];
        if (e.order >= never_before && (b.write || !e.write)) {  // a read does not make a write needless
          Seen& seen = seen_[e.access];
          if (seen.entered != number) {
            seen.entered = number;
            seen.dropped = drops(b, accesses_[e.access], seen);
          }
          if (seen.dropped) continue;
        }
        alike += e.stream == b.stream && e.write == b.write;
        if (kept != n) entries[kept] = e;
        ++kept;
      }
      list.resize(kept);
      list.push_back({number, b.order, b.stream, b.write});
      if (alike + 1 > (b.memory < kHbmMemory ? kKeptOnChip : kKeptInHbm)) merge(list, b);
      // Neighbours that hold the same accesses are one piece.
      if (piece->first != b.first && std::prev(piece)->second == list)
        piece = p.erase(piece);
      else
        ++piece;
    }
  }

  // Whether nothing needs to look at `a` any more once it looks at `b`.
  bool drops(const Access& b, const Access& a, const Seen& seen) {
    if (!runs_with(b, a)) return false;
    const bool after = seen.after == b.item || ((a.write || b.write) && waits_past(b, a.stream, a.order));
    if (a.stream != b.stream && !after) return false;
    const Meeting& m = meeting_with(a.block, b.block);
    return !m.exclusive && footprints_.supersedes(b, a, frame_of(m));
  }

  // Keeps the number of entries of one stream and kind small: of the two oldest one is left, which reaches what both did.
  void merge(Entries& entries, const Access& b) {
    SmallVector<std::uint32_t, 12> alike;
    for (std::uint32_t n = 0; n < entries.size(); ++n)
      if (entries[n].stream == b.stream && entries[n].write == b.write) alike.push_back(n);
    std::size_t at = 0;  // the oldest two that move alike; else the oldest two
    while (at + 2 < alike.size() && !move_alike(accesses_[entries[alike[at]].access], accesses_[entries[alike[at + 1]].access])) ++at;
    if (!move_alike(accesses_[entries[alike[at]].access], accesses_[entries[alike[at + 1]].access])) at = 0;
    const std::uint32_t first = alike[at], second = alike[at + 1];
    const Access &older = accesses_[entries[first].access], &newer = accesses_[entries[second].access];
    if (!runs_with(newer, older)) {
      if (!waited_past(newer, b)) return;
      must_signal_.push_back(older.item);
    }
    entries[second].access = widened(entries[first].access, entries[second].access);
    entries.erase(first);
  }

  // Whether every wait for `a` that is still to come is for the end of a region whose trips depend on data (counts.h),
  // and so for all that its stream has signalled before, even when `a` did not run.
  bool waited_past(const Access& a, const Access& now) const {
    const std::int32_t r = tree_.child_region(tree_.common_block(a.block, now.block), a.block);
    if (r < 0) return false;
    const Region& region = tree_.regions[static_cast<std::size_t>(r)];
    return !region.fixed_trips && region.end < now.order;
  }

  static void reach_everything(Access& all) {
    all.whole = true;
    all.exact = false;
    all.dims.clear();
    all.steps.clear();
    all.copies = 1;
    all.rotate_region = -1;
    all.pitch = 0;
    all.moves = all.moves_rows = false;
    all.partition_begin = 0;
    all.partition_end = kAllPartitions;
    all.base = all.first = -(std::int64_t{1} << 50);
    all.low = 0;
    all.high = std::int64_t{1} << 51;
    all.last = std::int64_t{1} << 50;
  }

  // An access in the place of `newer` that meets all that it or `older` meets.
  std::uint32_t widened(std::uint32_t older, std::uint32_t newer) {
    if (widened_.size() < accesses_.size()) widened_.resize(accesses_.size(), kNever);
    const std::uint32_t known = widened_[newer];
    if (known != kNever && accesses_[known].whole) return known;
    Access all = accesses_[known == kNever ? newer : known];
    if (!widen(all, accesses_[older])) reach_everything(all);
    if (known != kNever) {
      const Access& k = accesses_[known];
      if (k.base == all.base && k.high == all.high && k.partition_begin == all.partition_begin && k.partition_end == all.partition_end &&
          k.first == all.first && k.last == all.last && k.steps == all.steps)
        return known;
    }
    widened_[newer] = static_cast<std::uint32_t>(accesses_.size());
    accesses_.push_back(std::move(all));
    seen_.emplace_back();
    widened_.push_back(kNever);
    return widened_[newer];
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
        for (std::size_t n = piece->second.size(); n-- > 0;) {
          const std::uint32_t e = piece->second[n].access;
          const Access& a = accesses_[e];
          if (a.order < r.begin) break;  // the newest come last
          if (a.stream == b.stream || (!a.write && !b.write)) continue;
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
    if (!a.pitch || !b.pitch || a.buffer != b.buffer || a.rotate_region != b.rotate_region) return false;
    const std::int32_t inner = a.rotate_region;
    if (inner < 0 || inner == outer) return false;
    const Region &i = tree_.regions[static_cast<std::size_t>(inner)], &o = tree_.regions[static_cast<std::size_t>(outer)];
    if (i.begin < o.begin || i.end > o.end || i.trips < 1 || i.trips % a.copies != 0) return false;
    return footprints_.meets(a, b, {i.begin, i.end, inner}) == a.copies;
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
  struct Latest {
    std::uint32_t item = kNever;
    std::uint32_t order = 0;
  };
  std::array<Latest, 64> latest_;        // per stream: the latest instruction that an item was found to wait for
  std::vector<std::uint32_t> must_signal_;
  std::vector<std::uint32_t> widened_;   // per access: the one that stands for it and older ones
  std::vector<std::uint32_t> carried_;   // per access: the round that looked at it
  std::uint32_t round_ = 0;
  std::size_t next_sweep_ = kFewAccesses;
  struct Met {
    std::uint32_t round = 0;
    Meeting meeting;
  };
  std::vector<Met> met_;  // per block, for the block met_from_
  std::int32_t met_from_ = -1;
  std::uint32_t met_round_ = 0;
  std::map<std::uint32_t, Pieces> memories_;
  std::vector<std::int32_t> open_;
  int carrying_ = 0;  // how many of them carry
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
