#include "sched/footprint.h"

#include <algorithm>
#include <cstdlib>

#include "isa/table.h"
#include "sched/memory.h"

namespace openneuron::sched {
namespace {

constexpr std::int64_t kUnbounded = std::int64_t{1} << 60;

// Whether the dims reach every byte between their ends.
bool contiguous(const isa::Operand& o, bool hbm) {
  std::vector<isa::Dim> dims;
  for (const isa::Dim& d : o.dims)
    if (d.count > 1) dims.push_back({std::abs(d.stride), d.count});
  if (hbm && o.partition_count > 1) dims.push_back({std::abs(o.partition_stride), o.partition_count});
  std::sort(dims.begin(), dims.end(), [](const isa::Dim& a, const isa::Dim& b) { return a.stride < b.stride; });
  std::int64_t reach = byte_width(o.type);
  for (const isa::Dim& d : dims) {
    if (d.stride > reach) return false;
    reach += d.stride * (d.count - 1);
  }
  return true;
}

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

bool same_reach(const Access& a, const Access& b) {
  if (!a.exact || !b.exact || a.buffer != b.buffer || a.whole || b.whole) return false;
  return a.base == b.base && a.partition_begin == b.partition_begin && a.rows == b.rows && a.row_stride == b.row_stride &&
         a.copies == b.copies && a.rotate_region == b.rotate_region && a.width == b.width && a.dims == b.dims && a.steps == b.steps;
}

bool rotates_alike(const Access& a, const Access& b) {
  return a.exact && b.exact && a.pitch && b.pitch && a.buffer == b.buffer && a.copies == b.copies && a.rotate_region == b.rotate_region;
}

// coefficient * steps, as far as it stays below what counts as unbounded; both sides of the sum stay exact below that.
std::int64_t bounded(std::int64_t coefficient, std::int64_t steps) {
  constexpr std::int64_t kSmall = std::int64_t{1} << 29;
  if (std::abs(coefficient) < kSmall && steps < kSmall) return coefficient * steps;
  return std::abs(coefficient) > kUnbounded / (steps + 1) ? kUnbounded : coefficient * steps;
}

std::int64_t bytes_of(const Access& a, std::int32_t region) {
  for (const Step& s : a.steps)
    if (s.region == region) return s.bytes;
  return 0;
}

}  // namespace

// Position of b minus position of a lies in [low, high] + step * distance.
struct Footprints::Spread {
  std::int64_t low = 0, high = 0, step = 0;
  bool step_known = true;
  void add(std::int64_t coefficient, std::int64_t steps) {  // coefficient * 0..steps
    if (coefficient == 0) return;
    if (steps < 0) {
      low = -kUnbounded;
      high = kUnbounded;
      return;
    }
    const std::int64_t reach = bounded(coefficient, steps);
    (reach < 0 ? low : high) += reach;
    low = std::max(low, -kUnbounded);
    high = std::min(high, kUnbounded);
  }
};

bool move_alike(const Access& a, const Access& b) {
  return a.exact && b.exact && a.buffer == b.buffer && a.copies == b.copies && a.rotate_region == b.rotate_region && a.pitch == b.pitch;
}

bool widen(Access& a, const Access& b) {
  if (!move_alike(a, b)) return false;
  SmallVector<Step, 2> shared;
  for (const Step& s : a.steps)
    if (std::find(b.steps.begin(), b.steps.end(), s) != b.steps.end()) shared.push_back(s);
  std::int64_t first = 0, last = 0;
  std::int32_t first_row = 0, last_row = 0;
  for (const Access* x : {static_cast<const Access*>(&a), &b}) {
    std::int64_t low = x->base + x->low, high = x->base + x->high;
    std::int32_t low_row = x->partition_begin, high_row = x->partition_end;
    for (const Step& s : x->steps) {  // a loop that only one of them moves with: all of its turns
      if (std::find(shared.begin(), shared.end(), s) != shared.end()) continue;
      if (s.most < 0) return false;
      (s.bytes < 0 ? low : high) += s.bytes * s.most;
      (s.partitions < 0 ? low_row : high_row) += static_cast<std::int32_t>(s.partitions * s.most);
    }
    first = x == &a ? low : std::min(first, low);
    last = x == &a ? high : std::max(last, high);
    first_row = x == &a ? low_row : std::min(first_row, low_row);
    last_row = x == &a ? high_row : std::max(last_row, high_row);
  }
  a.base = first;
  a.low = 0;
  a.high = last - first;
  a.partition_begin = first_row;
  a.partition_end = last_row;
  a.steps = shared;
  a.dims.clear();
  a.dims.push_back({1, a.high});
  a.width = 1;
  a.rows = 0;  // like no access of an instruction
  a.dense = false;
  a.first = std::min(a.first, b.first);
  a.last = std::max(a.last, b.last);
  a.moves = a.pitch != 0;
  a.moves_rows = false;
  for (const Step& s : a.steps) {
    a.moves = a.moves || s.bytes != 0;
    a.moves_rows = a.moves_rows || s.partitions != 0;
  }
  return true;
}

Footprints::Footprints(const tile::Module& module, const RegionTree& tree, const Machine& machine)
    : module_(module), tree_(tree), machine_(machine) {}

std::int32_t Footprints::region(LoopId loop) const {
  return loop.index < tree_.region_of_loop.size() ? tree_.region_of_loop[loop.index] : -1;
}

BufferId Footprints::memory_owner(BufferId buffer) const {
  const BufferId alias = module_.buffers[buffer].alias;
  return alias.valid() && alias.index < module_.buffers.size() ? alias : buffer;
}

Access Footprints::all_of(BufferId buffer, bool write) const {
  Access a;
  a.buffer = buffer;
  a.write = write;
  a.whole = true;
  a.memory = kHbmMemory + memory_owner(buffer).index;
  a.high = a.last = module_.buffers[buffer].bytes;
  return a;
}

Access Footprints::access(const isa::Operand& o, std::int32_t block, bool write, bool indirect) const {
  const tile::Buffer& buffer = module_.buffers[o.buffer];
  const bool hbm = isa::is_hbm(buffer.space);
  Access a;
  a.block = block;
  a.write = write;
  a.buffer = o.buffer;
  a.memory = hbm ? kHbmMemory + memory_owner(o.buffer).index : buffer.space == isa::Space::Psum ? kPsumMemory : kSbufMemory;
  const std::int64_t begin = hbm ? 0 : buffer.address;
  const std::int64_t pitch = hbm ? buffer.bytes : copy_pitch(buffer, machine_);
  const std::int64_t end = begin + pitch * buffer.copies;
  if (!hbm) {
    a.partition_begin = o.partition_start;
    a.partition_end = o.partition_start + (o.partition_stride == 0 ? 1 : o.partition_count);
  }
  if (o.reg >= 0 || indirect) {
    a.whole = true;
    a.base = a.first = begin;
    a.high = end - begin;
    a.last = end;
    if (!hbm) {
      a.partition_begin = 0;
      a.partition_end = buffer.partitions;
    }
    return a;
  }
  a.exact = true;
  a.width = static_cast<std::uint8_t>(byte_width(o.type));
  a.rows = o.partition_count;
  a.row_stride = o.partition_stride;
  a.dims = o.dims;
  const isa::ByteRange range = isa::free_range(o);
  a.base = begin + o.start;
  a.low = range.begin;
  a.high = range.end;
  if (hbm) {
    const std::int64_t rows = o.partition_stride * (o.partition_count - 1);
    (rows < 0 ? a.low : a.high) += rows;
  }
  a.dense = contiguous(o, hbm);
  // A loop of one iteration moves nothing.
  const auto trips = [&](std::int32_t r) { return r < 0 ? -1 : tree_.regions[static_cast<std::size_t>(r)].trips; };
  const auto once = [](std::int64_t n) { return n == 0 || n == 1; };
  if (const std::int32_t r = region(o.rotate_loop); o.copies > 1 && !once(trips(r))) {
    a.pitch = pitch;
    a.copies = o.copies;
    a.rotate_region = r;
  }
  for (const isa::Term& term : o.terms) {
    const std::int32_t r = region(term.loop);
    const std::int64_t n = trips(r);
    if (once(n)) continue;
    Step* same = nullptr;
    for (Step& s : a.steps)
      if (s.region == r && r >= 0) same = &s;
    if (same)
      same->partitions += term.partitions, same->bytes += term.bytes;
    else
      a.steps.push_back({r, term.partitions, term.bytes, n < 0 ? -1 : n - 1});
  }
  a.moves = a.pitch != 0;
  for (const Step& step : a.steps) {
    a.moves = a.moves || step.bytes != 0;
    a.moves_rows = a.moves_rows || step.partitions != 0;
  }
  a.first = a.base + a.low;
  a.last = a.base + a.high;
  Spread reach;
  for (const Step& step : a.steps) reach.add(step.bytes, step.most);
  if (a.pitch) reach.add(a.pitch, o.copies - 1);
  a.first = std::clamp(a.first + reach.low, begin, end);
  a.last = std::clamp(a.last + reach.high, begin, end);
  if (a.last <= a.first) a.first = begin, a.last = end, a.dense = false;  // it leaves its buffer: the verifier's matter
  return a;
}

bool Footprints::equal_loop(std::int32_t region, const Frame& frame) const {
  if (region < 0) return false;
  const Region& r = tree_.regions[static_cast<std::size_t>(region)];
  if (frame.carried >= 0) return r.begin < frame.begin && frame.end < r.end;
  return r.begin <= frame.begin && frame.end <= r.end;
}

Footprints::Spread Footprints::spread(const Access& a, const Access& b, const Frame& frame, bool bytes) const {
  Spread out;
  const std::int64_t base = bytes ? b.base - a.base : b.partition_begin - a.partition_begin;
  if (bytes ? !a.moves && !b.moves : !a.moves_rows && !b.moves_rows) {  // most pairs
    out.low = out.high = base;
    return out;
  }
  // Steps of b count upwards, those of a downwards; a loop with the same value for both counts by the difference.
  const auto add = [&](const Step& step, std::int64_t ca, std::int64_t cb) {
    if (frame.carried >= 0 && step.region == frame.carried) {
      out.add(cb - ca, step.most);
      out.step += cb;
      if (cb != ca) out.step_known = false;
    } else if (equal_loop(step.region, frame)) {
      out.add(cb - ca, step.most);
    } else {
      out.add(cb, step.most);
      out.add(-ca, step.most);
    }
  };
  const auto factor = [&](const Step& s) { return bytes ? s.bytes : static_cast<std::int64_t>(s.partitions); };
  const auto find = [](const Access& x, const Step& step) -> const Step* {
    for (const Step& s : x.steps)
      if (s.region == step.region && s.region >= 0) return &s;
    return nullptr;
  };
  for (const Step& step : a.steps) {
    const Step* other = find(b, step);
    add(step, factor(step), other ? factor(*other) : 0);
  }
  for (const Step& step : b.steps)
    if (!find(a, step)) add(step, 0, factor(step));
  out.low = std::max(out.low + base, -kUnbounded);
  out.high = std::min(out.high + base, kUnbounded);
  if (!bytes) return out;
  if (rotates_alike(a, b)) {
    const std::int32_t r = a.rotate_region;
    if ((frame.carried >= 0 && r == frame.carried) || equal_loop(r, frame)) return out;  // meets() sees to the carried one
  }
  if (a.pitch) out.add(-a.pitch, a.copies - 1);
  if (b.pitch) out.add(b.pitch, b.copies - 1);
  return out;
}

std::int64_t Footprints::meets(const Access& a, const Access& b, const Frame& frame) const {
  if (!a.moves && !b.moves && !a.moves_rows && !b.moves_rows) {  // most pairs: the same at every distance
    if (a.memory < kHbmMemory && (a.partition_end <= b.partition_begin || b.partition_end <= a.partition_begin)) return -1;
    if (b.base + b.low >= a.base + a.high || b.base + b.high <= a.base + a.low || rows_apart(a, b, frame, 0)) return -1;
    if (frame.carried < 0) return 0;
    const std::int64_t n = tree_.regions[static_cast<std::size_t>(frame.carried)].trips;
    return n == 0 || n == 1 ? -1 : 1;
  }
  // Partitions, over all distances.
  if (a.memory < kHbmMemory) {
    Spread p = spread(a, b, frame, false);
    if (p.step != 0) {  // distances 1 .. trips - 1
      const std::int64_t n = tree_.regions[static_cast<std::size_t>(frame.carried)].trips;
      p.low += p.step;
      p.high += p.step;
      p.add(p.step, n < 0 ? -1 : std::max<std::int64_t>(n - 2, 0));
    }
    const std::int64_t na = a.partition_end - a.partition_begin, nb = b.partition_end - b.partition_begin;
    if (p.low >= na || p.high <= -nb) return -1;
  }
  const Spread s = spread(a, b, frame, true);
  const std::int64_t below = a.low - b.high, above = a.high - b.low;  // they meet strictly between
  if (frame.carried < 0) {
    if (s.low >= above || s.high <= below) return -1;
    return rows_apart(a, b, frame, 0) ? -1 : 0;
  }
  const std::int64_t n = tree_.regions[static_cast<std::size_t>(frame.carried)].trips;
  const std::int64_t farthest = n < 0 ? kUnbounded : n - 1;
  std::int64_t copies = 1;  // only every copies-th iteration uses the same copy
  if (rotates_alike(a, b) && a.rotate_region == frame.carried) copies = a.copies;
  const auto round = [&](std::int64_t d) { return (d + copies - 1) / copies * copies; };
  if (!s.step_known) {
    const std::int64_t d = round(1);
    return d <= farthest ? d : -1;
  }
  std::int64_t d = 1;
  if (s.step > 0 && s.high + s.step <= below) d = floor_div(below - s.high, s.step) + 1;
  if (s.step < 0 && s.low + s.step >= above) d = floor_div(s.low - above, -s.step) + 1;
  for (d = round(d); d <= farthest; d += copies) {
    if (s.low + s.step * d >= above || s.high + s.step * d <= below) return -1;  // moved past
    if (!rows_apart(a, b, frame, d)) return d;
    if (d > 64 * copies) return d;  // enough looking: wait rather than think on
  }
  return -1;
}

// Rows of a matrix interleave: two accesses whose outer strides are multiples of one pitch meet only if their parts
// within the pitch do.
bool Footprints::rows_apart(const Access& a, const Access& b, const Frame& frame, std::int64_t distance) const {
  if (!a.exact || !b.exact || (a.dense && b.dense)) return false;
  for (const Access* x : {&a, &b}) {
    if (a.memory >= kHbmMemory && x->rows > 1 && residues_apart(a, b, frame, distance, std::abs(x->row_stride))) return true;
    for (const isa::Dim& dim : x->dims)
      if (dim.count > 1 && residues_apart(a, b, frame, distance, std::abs(dim.stride))) return true;
  }
  return false;
}

bool Footprints::residues_apart(const Access& a, const Access& b, const Frame& frame, std::int64_t distance,
                                std::int64_t modulus) const {
  if (modulus <= std::max(a.width, b.width)) return false;
  const auto extent = [&](const Access& x) {
    isa::ByteRange r{0, x.width};
    const auto add = [&](std::int64_t stride, std::int64_t count) {
      if (count < 2 || stride % modulus == 0) return;
      (stride < 0 ? r.begin : r.end) += stride * (count - 1);
    };
    for (const isa::Dim& dim : x.dims) add(dim.stride, dim.count);
    if (x.memory >= kHbmMemory) add(x.row_stride, x.rows);
    return r;
  };
  Spread s;
  const auto term = [&](std::int64_t coefficient, std::int64_t steps) {
    if (coefficient % modulus != 0) s.add(coefficient, steps);
  };
  for (const Access* x : {&a, &b}) {
    const std::int64_t sign = x == &a ? -1 : 1;
    for (const Step& t : x->steps) {
      const bool carried = frame.carried >= 0 && t.region == frame.carried;
      if (!carried && !equal_loop(t.region, frame)) {
        term(sign * t.bytes, t.most);
        continue;
      }
      if (carried && x == &b && (t.bytes * distance) % modulus != 0) s.low += t.bytes * distance, s.high += t.bytes * distance;
      // The same value for both: only a difference of the factors counts. Compared once, from the side of a.
      const std::int64_t ca = bytes_of(a, t.region), cb = bytes_of(b, t.region);
      if (ca != cb) term(cb - ca, t.most);
    }
  }
  if (a.pitch && !rotates_alike(a, b)) term(-a.pitch, a.copies - 1);
  if (b.pitch && !rotates_alike(a, b)) term(b.pitch, b.copies - 1);
  if (rotates_alike(a, b)) {
    const std::int32_t r = a.rotate_region;
    if (!equal_loop(r, frame) && !(frame.carried >= 0 && r == frame.carried)) {
      term(-a.pitch, a.copies - 1);
      term(b.pitch, b.copies - 1);
    }
  }
  if (s.low <= -kUnbounded || s.high >= kUnbounded) return false;
  const isa::ByteRange ra = extent(a), rb = extent(b);
  const std::int64_t delta = b.base - a.base;
  // They meet iff some multiple of the modulus lies strictly between these.
  const std::int64_t from = ra.begin - rb.end - (delta + s.high), to = ra.end - rb.begin - (delta + s.low);
  return floor_div(to - 1, modulus) * modulus <= from;
}

std::uint32_t Footprints::supersedes_from(const Access& cover) const {
  std::uint32_t from = 0;
  if (!cover.moves) return from;
  const auto moves_away = [&](std::int32_t region, std::int64_t bytes, std::int64_t most) {
    if (region < 0 || (most >= 0 && std::abs(bytes) * most < cover.high - cover.low)) return;
    from = std::max(from, tree_.regions[static_cast<std::size_t>(region)].begin);
  };
  for (const Step& step : cover.steps)
    if (step.bytes != 0) moves_away(step.region, step.bytes, step.most);
  if (cover.pitch) moves_away(cover.rotate_region, cover.pitch, cover.copies - 1);
  return from;
}

bool Footprints::supersedes(const Access& cover, const Access& other, const Frame& frame) const {
  if (!cover.write && other.write) return false;
  if (cover.memory < kHbmMemory && !cover.moves_rows && !other.moves_rows) {
    if (cover.partition_begin > other.partition_begin || cover.partition_end < other.partition_end) return false;
  } else if (cover.memory < kHbmMemory) {
    const Spread p = spread(cover, other, frame, false);
    const std::int64_t nc = cover.partition_end - cover.partition_begin, no = other.partition_end - other.partition_begin;
    if (p.low < 0 || p.high + no > nc) return false;
  }
  if (cover.whole || (cover.dense && !cover.moves)) return true;
  if (!cover.dense && !same_reach(cover, other)) return false;
  const Spread s = spread(cover, other, frame, true);
  if (!cover.dense) return s.low == 0 && s.high == 0;
  return s.low + other.low >= cover.low && s.high + other.high <= cover.high;
}

}  // namespace openneuron::sched
