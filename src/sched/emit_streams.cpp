// Writes the streams of each core: addresses, registers, markers, signals, waits, advances. docs/stream.md states the
// rule that the counts follow.
#include <algorithm>
#include <limits>

#include "isa/table.h"
#include "sched/counts.h"
#include "sched/dependences.h"
#include "sched/memory.h"
#include "sched/membership.h"
#include "sched/regions.h"
#include "sched/sched.h"

namespace openneuron::sched {
namespace {

constexpr std::int64_t kLargestCount = std::numeric_limits<std::int32_t>::max();
// A region that gives more signals than this keeps its markers in every stream that counts them.
constexpr std::int64_t kLargestLump = std::int64_t{1} << 28;

class CoreEmitter {
 public:
  CoreEmitter(const tile::Module& module, std::size_t core, const std::vector<std::int32_t>& variables, const Machine& machine,
              const Options& options)
      : module_(module), program_(module.programs[core]), core_(core), variables_(variables), machine_(machine), options_(options) {}

  Result<isa::CoreCode> run() {
    auto tree = build_regions(program_);
    if (!tree) return tree.failure();
    tree_ = std::move(*tree);
    auto registers = assign_registers(program_, tree_, machine_);
    if (!registers) return registers.failure();
    registers_ = std::move(*registers);
    auto membership = Membership::build(program_, tree_);
    if (!membership) return membership.failure();
    streams_ = membership->streams().size();
    if (streams_ > static_cast<std::size_t>(machine_.semaphores))
      return fail(Code::ScheduleTooLarge, "the program uses " + std::to_string(streams_) + " streams, each with a semaphore; " +
                                              machine_.name + " has " + std::to_string(machine_.semaphores));
    lap(options_.parts, "regions");
    // A stream that counts signals of a data-dependent region holds its markers and loads its registers, which are
    // accesses of their own: repeat until nothing is added. Each round adds a region to a stream or ends.
    for (;;) {
      dependences_ = find_dependences(module_, program_, tree_, *membership, machine_);
      lap(options_.parts, "find_dependences");
      if (options_.prune_waits) drop_implied(dependences_, program_, tree_, streams_);
      lap(options_.parts, "drop_implied");
      SignalCounts counts(program_, tree_, dependences_, streams_);
      place_waits();
      if (hold_counted_regions(*membership, counts)) continue;
      membership_ = &*membership;
      auto streams = emit(*membership, counts);
      lap(options_.parts, "emit");
      return streams;
    }
  }

 private:
  struct Placed {
    std::uint32_t at;       // instruction or opening marker
    std::uint8_t stream;
    std::uint32_t dependence;
    std::int64_t count = 0;     // relative to the base
    std::int64_t advanced = 0;  // what the base has gained in this iteration of all open blocks, as far as it is constant
    bool dropped = false;
  };

  // Where each dependence is waited for: at the instruction, or at the opening marker of the region, directly in the
  // block that both share, that holds it.
  void place_waits() {
    placed_.clear();
    counted_until_.assign(streams_ * streams_, 0);
    for (std::uint32_t n = 0; n < dependences_.list.size(); ++n) {
      const Dependence& d = dependences_.list[n];
      const Item &from = dependences_.items[d.from], &to = dependences_.items[d.to];
      const std::int32_t block = tree_.block_of[to.instruction];
      std::int32_t shared = 0;
      if (d.loop >= 0) {
        shared = block_in(d.loop, block);
      } else {
        const Meeting m = meeting(tree_, tree_.block_of[from.instruction], block);
        shared = m.while_region >= 0 ? block_in(m.while_region, block) : m.block;
      }
      const std::int32_t inner = tree_.child_region(shared, block);
      const std::uint32_t at = inner < 0 ? to.instruction : tree_.regions[static_cast<std::size_t>(inner)].begin;
      placed_.push_back({at, to.stream, n});
      const std::int32_t outermost = tree_.child_region(0, shared);
      std::uint32_t& until = counted_until_[to.stream * streams_ + from.stream];
      until = std::max(until, outermost < 0 ? at : tree_.regions[static_cast<std::size_t>(outermost)].end);
    }
    std::stable_sort(placed_.begin(), placed_.end(), [](const Placed& a, const Placed& b) {
      return a.at != b.at ? a.at < b.at : a.stream < b.stream;
    });
  }

  // The block of `region` that `block` lies in.
  std::int32_t block_in(std::int32_t region, std::int32_t block) const {
    while (tree_.blocks[static_cast<std::size_t>(block)].region != region) block = tree_.parent_block(block);
    return block;
  }

  bool counts_signals(std::size_t stream, std::size_t semaphore, std::uint32_t from) const {
    return counted_until_[stream * streams_ + semaphore] > from;
  }

  bool hold_counted_regions(Membership& membership, const SignalCounts& counts) const {
    bool fresh = false;
    for (std::size_t r = 0; r < tree_.regions.size(); ++r) {
      const Region& region = tree_.regions[r];
      const auto id = static_cast<std::int32_t>(r);
      for (std::size_t semaphore = 0; semaphore < streams_; ++semaphore) {
        if (!counts.any(id, semaphore)) continue;
        if (region.fixed_trips && counts.total(id, semaphore) <= kLargestLump) continue;
        for (std::size_t stream = 0; stream < streams_; ++stream)
          if (counts_signals(stream, semaphore, region.begin) && membership.hold(id, StreamMask{1} << stream)) fresh = true;
      }
    }
    return fresh;
  }

  struct Level {
    std::int32_t block;
    std::vector<std::int64_t> advanced;  // [stream * streams + semaphore]: by regions already passed in this block
    std::vector<std::int64_t> waited;    // the same: most that was waited for in this block, advances included
  };
  static constexpr std::int64_t kNothing = std::numeric_limits<std::int64_t>::min();

  Level level(std::int32_t block) const {
    return {block, std::vector<std::int64_t>(streams_ * streams_, 0), std::vector<std::int64_t>(streams_ * streams_, kNothing)};
  }

  // The count of a dependence, relative to the stream's base at the wait's place.
  std::int64_t count(const Dependence& d, std::size_t stream, const SignalCounts& counts) const {
    const std::size_t semaphore = dependences_.items[d.from].stream;
    const std::size_t cell = stream * streams_ + semaphore;
    std::int64_t out = 0;
    // Signals of enclosing blocks that their ends have not yet added to the base.
    for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
      const std::int32_t region = tree_.blocks[static_cast<std::size_t>(levels_[l + 1].block)].region;
      out += counts.before(region, semaphore) - levels_[l].advanced[cell];
    }
    const Level& here = levels_.back();
    out -= here.advanced[cell];
    const std::int32_t from_block = tree_.block_of[dependences_.items[d.from].instruction];
    std::int32_t iteration = d.loop;  // the region whose iteration the position is counted in
    if (d.loop < 0) {
      iteration = meeting(tree_, from_block, tree_.block_of[dependences_.items[d.to].instruction]).while_region;
      if (iteration < 0) return out + counts.position(d.from, here.block);
    }
    const Region& r = tree_.regions[static_cast<std::size_t>(iteration)];
    const std::int32_t part = block_in(iteration, from_block);
    out += counts.position(d.from, part);
    std::int64_t whole = 0;
    for (std::int32_t block : r.blocks) {
      if (block < part) out += counts.block(block, semaphore);
      if (block < here.block) out -= counts.block(block, semaphore);
      whole += counts.block(block, semaphore);
    }
    return out - d.distance * whole;
  }

  // Fills in the counts, walking the program once.
  void count_waits(const SignalCounts& counts) {
    levels_.assign(1, level(0));
    std::size_t next = 0;
    for (std::uint32_t i = 0; i < program_.instructions.size(); ++i) {
      for (; next < placed_.size() && placed_[next].at == i; ++next) {
        Placed& p = placed_[next];
        const Dependence& d = dependences_.list[p.dependence];
        p.count = count(d, p.stream, counts);
        for (const Level& l : levels_) p.advanced += l.advanced[p.stream * streams_ + dependences_.items[d.from].stream];
      }
      cross(program_.instructions.head(i), counts);
    }
  }

  // A wait at a region's opening marker is for one instruction inside. When that one, or something that its stream
  // passes on the way to it, waits for as much, the marker need not.
  void drop_early_waits() {
    constexpr std::size_t kFarthest = 256;
    for (std::size_t n = 0; n < placed_.size(); ++n) {
      Placed& early = placed_[n];
      const Dependence& d = dependences_.list[early.dependence];
      const std::uint32_t to = dependences_.items[d.to].instruction;
      if (early.at == to) continue;
      const Block& target = tree_.blocks[static_cast<std::size_t>(tree_.block_of[to])];
      for (std::size_t m = n + 1; m < placed_.size() && m < n + kFarthest && placed_[m].at <= to; ++m) {
        const Placed& late = placed_[m];
        const Dependence& own = dependences_.list[late.dependence];
        if (late.stream != early.stream || late.at == early.at || late.at != dependences_.items[own.to].instruction) continue;
        if (dependences_.items[own.from].stream != dependences_.items[d.from].stream) continue;
        const Block& block = tree_.blocks[static_cast<std::size_t>(tree_.block_of[late.at])];
        if (block.begin > target.begin || target.end > block.end) continue;
        if (late.count + late.advanced < early.count + early.advanced) continue;
        early.dropped = true;
        break;
      }
    }
  }

  Result<void> add_waits(isa::Instruction& i, std::uint32_t at, std::size_t stream) {
    for (; next_placed_ < placed_.size() && placed_[next_placed_].at == at && placed_[next_placed_].stream == stream; ++next_placed_) {
      const Placed& placed = placed_[next_placed_];
      if (placed.dropped) continue;
      const auto semaphore = static_cast<std::uint16_t>(dependences_.items[dependences_.list[placed.dependence].from].stream);
      const std::int64_t n = placed.count;
      if (n > kLargestCount || n < -kLargestCount)
        return fail(Code::ScheduleTooLarge, "a wait looks " + std::to_string(n) + " signals away; 32 bits hold it no more");
      isa::Wait* same = nullptr;
      for (isa::Wait& w : i.waits)
        if (w.semaphore == semaphore) same = &w;
      if (same)
        same->count = std::max(same->count, static_cast<std::int32_t>(n));
      else
        i.waits.push_back({semaphore, static_cast<std::int32_t>(n)});
    }
    std::sort(i.waits.begin(), i.waits.end(), [](const isa::Wait& a, const isa::Wait& b) { return a.semaphore < b.semaphore; });
    if (!options_.prune_waits) return {};
    Level& here = levels_.back();
    for (std::size_t n = 0; n < i.waits.size();) {
      const std::size_t cell = stream * streams_ + i.waits[n].semaphore;
      const std::int64_t reach = i.waits[n].count + here.advanced[cell];
      if (reach <= here.waited[cell]) {
        i.waits.erase(n);
        continue;
      }
      here.waited[cell] = reach;
      ++n;
    }
    return {};
  }

  Result<void> add_advances(isa::Instruction& i, std::int32_t region, std::size_t stream, const SignalCounts& counts) const {
    const Level& here = levels_.back();
    const Region& r = tree_.regions[static_cast<std::size_t>(region)];
    for (std::size_t semaphore = 0; semaphore < streams_; ++semaphore) {
      if (!counts_signals(stream, semaphore, r.begin)) continue;
      const std::int64_t n = counts.block(here.block, semaphore) - here.advanced[stream * streams_ + semaphore];
      if (n == 0) continue;
      if (n > kLargestCount) return fail(Code::ScheduleTooLarge, "a block gives " + std::to_string(n) + " signals; 32 bits hold it no more");
      i.advances.push_back({static_cast<std::uint16_t>(semaphore), static_cast<std::int32_t>(n)});
    }
    return {};
  }

  // For the instruction's place in a stream.
  void place(isa::Instruction& i, std::size_t stream) const {
    const StreamName name = membership_->streams()[stream];
    i.engine = name.engine;
    i.queue = name.queue;
    i.signal = false;
    i.waits.clear();
    i.advances.clear();
  }

  // Gives the instruction addresses and registers.
  void settle(isa::Instruction& i, std::uint32_t index) const {
    i.order = index;
    for (isa::Operand& o : i.operands) {
      if (o.reg >= 0) o.reg = registers_[static_cast<std::size_t>(o.reg)];
      if (o.kind != isa::OperandKind::Memory || o.buffer.index >= module_.buffers.size()) continue;
      const tile::Buffer& b = module_.buffers[o.buffer];
      if (o.copies == 1) o.rotate_loop = LoopId();
      if (isa::is_hbm(b.space)) {
        o.buffer = BufferId(static_cast<std::size_t>(variables_[o.buffer.index]));
      } else {
        o.start += b.address;
        o.rotate_bytes = o.copies > 1 ? copy_pitch(b, machine_) : 0;
        o.buffer = BufferId();
      }
    }
  }

  Result<isa::CoreCode> emit(const Membership& membership, const SignalCounts& counts) {
    isa::CoreCode out;
    for (std::size_t s = 0; s < streams_; ++s) {
      isa::Stream stream;
      stream.engine = membership.streams()[s].engine;
      stream.queue = membership.streams()[s].queue;
      stream.semaphore = static_cast<std::uint16_t>(s);
      out.streams.push_back(std::move(stream));
    }
    std::vector<std::size_t> sizes(streams_, 0);
    for (const Item& item : dependences_.items) ++sizes[item.stream];
    for (std::size_t r = 0; r < tree_.regions.size(); ++r)
      for (StreamMask mask = membership.region_holders(static_cast<std::int32_t>(r)); mask; mask &= mask - 1)
        sizes[static_cast<std::size_t>(__builtin_ctzll(mask))] += tree_.regions[r].blocks.size() + 1;
    for (std::size_t s = 0; s < streams_; ++s) out.streams[s].instructions.reserve(sizes[s]);
    for (std::uint32_t b = 0; b < module_.buffers.size(); ++b) {
      const tile::Buffer& buffer = module_.buffers[BufferId(b)];
      if (isa::is_hbm(buffer.space) || buffer.core != core_ || buffer.address < 0) continue;
      const std::int64_t end = buffer.address + buffer.copies * copy_pitch(buffer, machine_);
      if (buffer.space == isa::Space::Sbuf)
        out.sbuf_bytes = std::max(out.sbuf_bytes, end);
      else
        out.psum_banks = std::max(out.psum_banks, (end + machine_.psum_bank_bytes - 1) / machine_.psum_bank_bytes);
    }
    count_waits(counts);
    if (options_.prune_waits) drop_early_waits();
    levels_.assign(1, level(0));
    next_placed_ = 0;
    std::size_t item = 0;
    isa::Instruction instruction;
    for (std::uint32_t i = 0; i < program_.instructions.size(); ++i) {
      program_.instructions.read(i, instruction);
      settle(instruction, i);
      if (isa::opens_region(instruction.opcode) || isa::closes_region(instruction.opcode) || isa::divides_region(instruction.opcode)) {
        ON_TRY(marker(i, instruction, membership, counts, out));
        continue;
      }
      for (; item < dependences_.items.size() && dependences_.items[item].instruction == i; ++item) {
        const std::size_t s = dependences_.items[item].stream;
        place(instruction, s);
        instruction.signal = counts.signals(static_cast<std::uint32_t>(item));
        ON_TRY(add_waits(instruction, i, s));
        out.streams[s].instructions.push_back(instruction);
      }
    }
    return out;
  }

  Result<void> marker(std::uint32_t index, isa::Instruction& instruction, const Membership& membership,
                      const SignalCounts& counts, isa::CoreCode& out) {
    const std::int32_t region = tree_.region_of_loop[instruction.loop.index];
    const bool opens = isa::opens_region(instruction.opcode);
    for (StreamMask mask = membership.region_holders(region); mask; mask &= mask - 1) {
      const auto s = static_cast<std::size_t>(__builtin_ctzll(mask));
      place(instruction, s);
      if (opens)
        ON_TRY(add_waits(instruction, index, s));
      else
        ON_TRY(add_advances(instruction, region, s, counts));
      out.streams[s].instructions.push_back(instruction);
    }
    cross(program_.instructions.head(index), counts);
    return {};
  }

  // Moves `levels_` across an instruction.
  void cross(const isa::Head& instruction, const SignalCounts& counts) {
    const bool opens = isa::opens_region(instruction.opcode), closes = isa::closes_region(instruction.opcode);
    if (!opens && !closes && !isa::divides_region(instruction.opcode)) return;
    const std::int32_t region = tree_.region_of_loop[instruction.loop.index];
    const Region& r = tree_.regions[static_cast<std::size_t>(region)];
    if (opens) {
      levels_.push_back(level(r.first_block));
    } else if (!closes) {
      const auto here = std::find(r.blocks.begin(), r.blocks.end(), levels_.back().block);
      levels_.back() = level(*std::next(here));
    } else {
      levels_.pop_back();
      Level& around = levels_.back();
      for (StreamMask mask = membership_->region_holders(region); mask; mask &= mask - 1) {
        const auto s = static_cast<std::size_t>(__builtin_ctzll(mask));
        for (std::size_t semaphore = 0; semaphore < streams_; ++semaphore) {
          around.advanced[s * streams_ + semaphore] += counts.total(region, semaphore);
          if (!r.fixed_trips) around.waited[s * streams_ + semaphore] = kNothing;  // the base moved by an unknown number
        }
      }
    }
  }

  const tile::Module& module_;
  const tile::Program& program_;
  std::size_t core_;
  const std::vector<std::int32_t>& variables_;
  const Machine& machine_;
  const Options& options_;
  RegionTree tree_;
  std::vector<std::int16_t> registers_;
  std::size_t streams_ = 0;
  const Membership* membership_ = nullptr;
  Dependences dependences_;
  std::vector<Placed> placed_;
  std::size_t next_placed_ = 0;
  std::vector<std::uint32_t> counted_until_;  // [stream * streams + semaphore]: no wait at or after this instruction
  std::vector<Level> levels_;
};

}  // namespace

Result<isa::Code> emit_streams(tile::Module module, const Machine& machine, const Options& options) {
  isa::Code code;
  code.name = std::move(module.name);
  code.target = std::move(module.target);
  code.locations = std::move(module.locations);
  code.owners = std::move(module.owners);
  code.facts.notes = std::move(module.notes);
  std::vector<std::int32_t> variables(module.buffers.size(), -1);
  for (std::uint32_t b = 0; b < module.buffers.size(); ++b) {
    tile::Buffer& buffer = module.buffers[BufferId(b)];
    if (!isa::is_hbm(buffer.space)) {
      if (buffer.last >= buffer.first && buffer.address >= 0 && buffer.last > 0)
        code.facts.buffers.push_back({buffer.name, buffer.space, buffer.core, buffer.partitions, buffer.address,
                                      buffer.copies * copy_pitch(buffer, machine), buffer.first, buffer.last});
      continue;
    }
    variables[b] = static_cast<std::int32_t>(code.variables.size());
    isa::Variable v = std::move(buffer.variable);
    v.name = std::move(buffer.name);
    v.space = buffer.space;
    v.bytes = buffer.bytes;
    v.aliases = -1;
    code.variables.push_back(std::move(v));
  }
  for (std::uint32_t b = 0; b < module.buffers.size(); ++b) {
    const tile::Buffer& buffer = module.buffers[BufferId(b)];
    if (variables[b] >= 0 && buffer.alias.index < variables.size())
      code.variables[static_cast<std::size_t>(variables[b])].aliases = variables[buffer.alias.index];
  }
  for (std::size_t core = 0; core < module.programs.size(); ++core) {
    auto streams = CoreEmitter(module, core, variables, machine, options).run();
    if (!streams) return streams.failure();
    code.cores.push_back(std::move(*streams));
  }
  return code;
}

Result<isa::Code> schedule(tile::Module& module, const Machine& machine, const Options& options) {
  ON_TRY(allocate(module, machine));
  assign_engines(module, machine, options);
  return emit_streams(module, machine, options);
}

}  // namespace openneuron::sched
