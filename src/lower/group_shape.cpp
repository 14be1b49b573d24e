// The shape of a nest: which axes there are, which one lies on partitions, which are free, which are looped.
#include <algorithm>
#include <cmath>

#include "graph/op_info.h"
#include "lower/copy.h"
#include "lower/group.h"
#include "lower/op_tables.h"
#include "lower/windows.h"

namespace openneuron::lower {

using graph::OpKind;

GroupEmitter::GroupEmitter(Context& context, std::int32_t index)
    : c_(context),
      index_(index),
      group_(context.plan.groups[static_cast<std::size_t>(index)]),
      store_(context.store),
      nest_(context.store, {}) {}

bool GroupEmitter::inside(ValueId v) const {
  const ValuePlan& p = c_.plan.values[v.index];
  return p.group == index_ && p.in_group;
}

ValueId GroupEmitter::base(ValueId v) const {
  while (!c_.plan.values[v.index].computed) v = c_.function.operand(c_.function.definition(v), 0);
  return v;
}

// The group's axis of each dim of an operand that comes from outside.
std::vector<std::int8_t> GroupEmitter::operand_axes(OpId op, ValueId operand) const {
  const std::size_t rank = c_.plan.values[operand.index].view.dims.size();
  const OpKind kind = c_.function.kind(op);
  if (kind == OpKind::Reduce || kind == OpKind::Reshape) {  // starts the group: its operand is the domain
    std::vector<std::int8_t> axes(rank);
    for (std::size_t i = 0; i < rank; ++i) axes[i] = static_cast<std::int8_t>(i);
    return axes;
  }
  std::vector<std::int8_t> axes = c_.plan.values[c_.function.result(op).index].axes;
  if (rank != axes.size()) axes.assign(rank, kAnyAxis);
  return axes;
}

AxisView GroupEmitter::over_axes(const View& view, std::span<const std::int8_t> axes, std::size_t axis_count) const {
  AxisView v;
  v.kind = view.kind;
  v.type = view.type;
  v.home = view.home;
  v.splat = view.splat;
  v.offset = view.offset;
  v.strides.assign(axis_count, 0);
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (axes[i] != kAnyAxis && view.dims[i].size > 1) v.strides[static_cast<std::size_t>(axes[i])] = view.dims[i].stride;
  return v;
}

void GroupEmitter::collect() {
  sizes_ = group_.domain;
  reduced_ = group_.reduced;
  used_.assign(sizes_.size(), false);
  if (group_.contraction.valid())
    for (std::uint8_t s : group_.side) side_.push_back(s);
  for (OpId op : group_.ops) {
    const ValueId result = c_.function.result(op);
    const ValuePlan& p = c_.plan.values[result.index];
    for (std::int8_t a : p.axes)
      if (a != kAnyAxis) used_[static_cast<std::size_t>(a)] = true;
    if (c_.function.kind(op) == OpKind::Reshape) used_.assign(used_.size(), true);  // a copy writes every element
    if (op == group_.contraction) continue;
    const auto operands = c_.function.operands(op);
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (is_reduction(op) && i == 1) continue;  // the identity
      if (inside(operands[i])) continue;
      const View& from = c_.plan.values[operands[i].index].view;
      externals_.push_back({op, i, over_axes(from, operand_axes(op, operands[i]), sizes_.size())});
      if (c_.function.kind(op) == OpKind::ReduceWindow) externals_.back().view.strides = window_strides(c_.module, c_.function, op, from);
      for (std::size_t a = 0; a < sizes_.size(); ++a)
        if (externals_.back().view.strides[a] != 0) used_[a] = true;
    }
  }
  for (std::size_t a = 0; a < sizes_.size(); ++a) {
    if (reduced_[a]) used_[a] = true;
    if (!used_[a]) sizes_[a] = 1;
  }
  for (OpId op : group_.ops) {
    const ValueId result = c_.function.result(op);
    const ValuePlan& p = c_.plan.values[result.index];
    if (!c_.plan.home_needed[p.view.home.index]) continue;
    const Home& home = store_.home(p.view.home);
    const View compact = home.fill ? p.view : whole(p.view.home, home.type, home.shape);
    std::vector<std::int8_t> axes = p.axes;
    if (c_.function.kind(op) == OpKind::Reshape) axes = operand_axes(op, c_.function.operand(op, 0));
    outputs_.push_back({result, p.view.home, over_axes(compact, axes, sizes_.size()), {}, {}});
  }
  if (group_.contraction.valid()) collect_contraction();
}

void GroupEmitter::collect_contraction() {
  const OpId op = group_.contraction;
  const graph::Function& f = c_.function;
  const std::size_t domain = sizes_.size();
  const ValueId lhs = f.operand(op, 0);
  const View& left = c_.plan.values[lhs.index].view;
  if (f.kind(op) == OpKind::Convolution) {
    const View& right = c_.plan.values[f.operand(op, 1).index].view;
    ConvolutionAxes c = convolution_axes(c_.module, f, op, left, right);
    lhs_ = over_axes(left, {}, 0);
    rhs_ = over_axes(right, {}, 0);
    lhs_.strides = std::move(c.lhs);
    rhs_.strides = std::move(c.rhs);
    sizes_.insert(sizes_.end(), c.contracted.begin(), c.contracted.end());
  } else if (f.kind(op) == OpKind::Reduce) {
    const auto gone = c_.module.ints(f, op, "dimensions");
    std::vector<std::int8_t> axes(left.dims.size(), kAnyAxis);
    std::int8_t kept = 0;
    for (std::size_t i = 0; i < left.dims.size(); ++i)
      if (std::find(gone.begin(), gone.end(), static_cast<std::int64_t>(i)) == gone.end()) axes[i] = kept++;
    for (std::int64_t d : gone) {
      axes[static_cast<std::size_t>(d)] = static_cast<std::int8_t>(sizes_.size());
      sizes_.push_back(left.dims[static_cast<std::size_t>(d)].size);
    }
    lhs_ = over_axes(left, axes, sizes_.size());
    rhs_ = over_axes(splat_view(left.type, 1.0, {}), {}, sizes_.size());
  } else {
    const View& right = c_.plan.values[f.operand(op, 1).index].view;
    std::vector<std::int8_t> left_axes(left.dims.size(), kAnyAxis), right_axes(right.dims.size(), kAnyAxis);
    const auto lb = c_.module.ints(f, op, "lhs_batching_dimensions"), rb = c_.module.ints(f, op, "rhs_batching_dimensions");
    const auto lc = c_.module.ints(f, op, "lhs_contracting_dimensions"), rc = c_.module.ints(f, op, "rhs_contracting_dimensions");
    std::int8_t next = 0;
    std::vector<bool> left_done(left.dims.size(), false), right_done(right.dims.size(), false);
    for (std::size_t i = 0; i < lb.size(); ++i) {
      left_axes[static_cast<std::size_t>(lb[i])] = right_axes[static_cast<std::size_t>(rb[i])] = next++;
      left_done[static_cast<std::size_t>(lb[i])] = right_done[static_cast<std::size_t>(rb[i])] = true;
    }
    for (std::int64_t d : lc) left_done[static_cast<std::size_t>(d)] = true;
    for (std::int64_t d : rc) right_done[static_cast<std::size_t>(d)] = true;
    for (std::size_t i = 0; i < left.dims.size(); ++i)
      if (!left_done[i]) left_axes[i] = next++;
    for (std::size_t i = 0; i < right.dims.size(); ++i)
      if (!right_done[i]) right_axes[i] = next++;
    for (std::size_t i = 0; i < lc.size(); ++i) {
      left_axes[static_cast<std::size_t>(lc[i])] = right_axes[static_cast<std::size_t>(rc[i])] = static_cast<std::int8_t>(sizes_.size());
      sizes_.push_back(left.dims[static_cast<std::size_t>(lc[i])].size);
    }
    lhs_ = over_axes(left, left_axes, sizes_.size());
    rhs_ = over_axes(right, right_axes, sizes_.size());
  }
  if (sizes_.size() == domain) sizes_.push_back(1);  // an outer product contracts over one element
  for (std::size_t a = domain; a < sizes_.size(); ++a) {
    side_.push_back(3);
    reduced_.push_back(false);
    used_.push_back(true);
  }
  const std::size_t n = sizes_.size();
  lhs_.strides.resize(n, 0);
  rhs_.strides.resize(n, 0);
  for (External& e : externals_) e.view.strides.resize(n, 0);
  for (Output& o : outputs_) o.view.strides.resize(n, 0);
}

// Scores each axis as the partition axis: what readers want of the outputs, what forms the operands already have, and
// how many partitions it fills. The highest wins; ties go to the outermost.
int GroupEmitter::choose_partition() {
  const std::int64_t limit = tile_limit(store_.emitter().machine());
  double best = -INFINITY;
  int chosen = -1;
  std::vector<int> candidates;
  double work = 1;
  for (std::size_t a = 0; a < sizes_.size(); ++a)
    if (side_.empty() || side_[a] != 3) work *= static_cast<double>(sizes_[a]);
  int reduced_side = 0;
  if (!side_.empty())
    for (std::size_t a = 0; a < sizes_.size(); ++a)
      if (reduced_[a]) reduced_side = side_[a];
  for (std::size_t a = 0; a < sizes_.size(); ++a) {
    if (sizes_[a] <= 1 || reduced_[a]) continue;
    if (!side_.empty() && (side_[a] == 0 || side_[a] == 3 || side_[a] == reduced_side)) continue;
    candidates.push_back(static_cast<int>(a));
    double filled = static_cast<double>(sizes_[a]);
    for (std::size_t b = a; b-- > 0 && filled < static_cast<double>(limit);) {  // outer axes that would merge
      bool merges = sizes_[b] > 1 && reduced_[b] == reduced_[a] && (side_.empty() || side_[b] == side_[a]);
      const auto goes_on = [&](const AxisView& v) { return v.strides[b] == v.strides[b + 1] * sizes_[b + 1]; };
      for (const External& e : externals_) merges = merges && goes_on(e.view);
      if (!side_.empty()) merges = merges && goes_on(lhs_) && goes_on(rhs_);
      if (!merges) break;
      filled *= static_cast<double>(sizes_[b]);
    }
    double score = 0;
    // What a tile of the PE costs over a full one: columns that it leaves idle, and the load of its stationary operand
    // for few moving rows. Elsewhere: partitions that stay idle.
    double slow = static_cast<double>(limit) / std::min(filled, static_cast<double>(limit)) - 1.0;
    if (!side_.empty()) {
      double moving = 1;
      for (std::size_t b = 0; b < sizes_.size(); ++b)
        if (side_[b] != 0 && side_[b] != 3 && side_[b] != side_[a]) moving *= static_cast<double>(sizes_[b]);
      slow = (slow + 1.0) * (1.0 + static_cast<double>(limit) / std::min(moving, 512.0)) - 1.25;
    }
    score -= work * static_cast<double>(group_.ops.size()) * slow / 16.0;
    for (const Output& o : outputs_) {
      for (const Demand& d : c_.demands[o.home])
        if (d.stride == o.view.strides[a]) score += d.weight;
      const Home& home = store_.home(o.home);  // a result is stored in rows: others are turned first
      if (home.last_use == UINT32_MAX && o.view.strides[a] * byte_width(home.type) < kShortRun) score -= static_cast<double>(home.count) * 0.1;
    }
    for (const External& e : externals_) {
      if (e.view.kind != ViewKind::Memory) continue;
      const Home& home = store_.home(e.view.home);
      const auto count = static_cast<double>(home.count);
      const std::int64_t stride = e.view.strides[a];
      bool tiled = false, matches = false;
      for (const Form& form : home.forms) {
        if (form.kind != FormKind::Tiled && form.kind != FormKind::Spilled) continue;
        tiled = true;
        matches = matches || form.s == stride;
      }
      if (matches)
        score += count;
      else if (tiled)
        score -= count;
      else if (stride == 0)
        score -= count * 0.25;
      else if (std::abs(stride) * byte_width(home.type) < kShortRun)
        score -= count * 1.5;
    }
    if (a + 1 == sizes_.size() && sizes_.size() > 1 && side_.empty()) score -= 0.125 * work;  // keeps rows contiguous
    if (score > best) {
      best = score;
      chosen = static_cast<int>(a);
    }
  }
  return c_.layouts == nullptr ? chosen : forced_partition(candidates, chosen);
}

int GroupEmitter::forced_partition(const std::vector<int>& candidates, int chosen) const {
  Layouts& layouts = *c_.layouts;
  const std::size_t group = layouts.made.size();
  const int wanted = group < layouts.forced.size() ? layouts.forced[group] : -1;
  if (wanted >= 0 && wanted < static_cast<int>(candidates.size())) chosen = candidates[static_cast<std::size_t>(wanted)];
  const auto place = std::find(candidates.begin(), candidates.end(), chosen);
  layouts.made.push_back({static_cast<int>(candidates.size()), place == candidates.end() ? -1 : static_cast<int>(place - candidates.begin())});
  return chosen;
}

// Merges neighbouring axes that merge in every access, except that nothing is merged into the partition axis from
// inside: its elements stay one row each.
void GroupEmitter::merge_axes(int partition) {
  const std::size_t n = sizes_.size();
  std::vector<std::vector<std::int64_t>*> views;
  for (External& e : externals_) views.push_back(&e.view.strides);
  for (Output& o : outputs_) views.push_back(&o.view.strides);
  if (group_.contraction.valid()) {
    views.push_back(&lhs_.strides);
    views.push_back(&rhs_.strides);
  }
  std::vector<std::vector<bool>> presence;
  for (OpId op : group_.ops) {
    std::vector<bool> has(n, false);
    for (std::int8_t a : c_.plan.values[c_.function.result(op).index].axes)
      if (a != kAnyAxis) has[static_cast<std::size_t>(a)] = true;
    presence.push_back(std::move(has));
  }
  const bool convolves = group_.contraction.valid() && c_.function.kind(group_.contraction) == OpKind::Convolution;
  std::vector<int> target(n);  // axis -> the axis it is merged into (the inner one)
  for (std::size_t a = 0; a < n; ++a) target[a] = static_cast<int>(a);
  std::vector<std::size_t> live;
  for (std::size_t a = 0; a < n; ++a)
    if (sizes_[a] > 1) live.push_back(a);
  for (std::size_t i = live.size(); i-- > 1;) {  // merge the run that starts at `inner` into `outer`
    const std::size_t outer = live[i - 1], inner = live[i];
    if (static_cast<int>(outer) == partition) continue;
    bool merges = reduced_[outer] == reduced_[inner] && (side_.empty() || side_[outer] == side_[inner]);
    // Taps that share the partitions with channels are stacked on them: see stack_contracted.
    if (convolves && side_[outer] == 3) merges = false;
    // Partitions that are full gain nothing: what would merge into them stays free, or tiles would be one element wide.
    if (side_.empty() && static_cast<int>(inner) == partition && sizes_[inner] >= tile_limit(store_.emitter().machine())) merges = false;
    for (const auto* s : views) merges = merges && (*s)[outer] == (*s)[inner] * sizes_[inner];
    for (const auto& has : presence) merges = merges && has[outer] == has[inner];
    if (!merges) continue;
    // sizes_[inner] already holds the run's size; the stride of the run is its innermost stride.
    sizes_[outer] *= sizes_[inner];
    for (auto* s : views) (*s)[outer] = (*s)[inner];
    sizes_[inner] = 1;
    for (auto* s : views) (*s)[inner] = 0;
    target[inner] = static_cast<int>(outer);
    if (static_cast<int>(inner) == partition) partition = static_cast<int>(outer);
  }
  auto root = [&](std::size_t a) {
    while (target[a] != static_cast<int>(a)) a = static_cast<std::size_t>(target[a]);
    return static_cast<int>(a);
  };
  merged_into_.resize(n);
  for (std::size_t a = 0; a < n; ++a) merged_into_[a] = root(a);
  roles_.partition = partition;
}

void GroupEmitter::assign_roles() {
  const Machine& machine = store_.emitter().machine();
  const std::int64_t limit = tile_limit(machine);
  const bool contracts = group_.contraction.valid();
  nest_.axes.clear();
  for (std::int64_t n : sizes_) {
    Axis axis;
    axis.size = n;
    nest_.axes.push_back(axis);
  }
  int moving_side = 1;  // without rows of its own a contraction has one column of sums; the lhs streams
  if (roles_.partition >= 0) {
    Axis& p = nest_.axes[static_cast<std::size_t>(roles_.partition)];
    p.tile = p.extent = tile_of(p.size, limit);
    if (contracts) moving_side = side_[static_cast<std::size_t>(roles_.partition)] == 1 ? 2 : 1;
  } else {
    roles_.rows = machine.partitions;
    if (contracts) roles_.rows = limit;
  }
  // Elements of a tile per partition: what PSUM takes, or a share of SBUF among the tiles that live at once.
  const auto tiles = static_cast<std::int64_t>(std::min<std::size_t>(group_.ops.size() + externals_.size(), 12) + 1);
  std::int64_t room = std::min<std::int64_t>(machine.moving_max, machine.psum_bank_bytes / 4);
  if (contracts) {
    room = std::min(room, std::max<std::int64_t>(machine.sbuf_partition_bytes / 2 / (tiles * 2 * 4), 16));
  } else {
    room = std::clamp<std::int64_t>(machine.sbuf_partition_bytes / 4 / (tiles * 2 * 4), 16, 1024);
  }
  std::int64_t taken = 1;
  std::vector<int> free;
  auto can_be_free = [&](std::size_t a) {
    return static_cast<int>(a) != roles_.partition && sizes_[a] > 1 && (!contracts || side_[a] == moving_side);
  };
  for (std::size_t a = sizes_.size(); a-- > 0 && group_.accumulates;) {
    if (!reduced_[a] || sizes_[a] == 1) continue;
    Axis& x = nest_.axes[a];
    if (free.size() < 3 && (free.empty() || nest_.axes[static_cast<std::size_t>(free.back())].tile == sizes_[static_cast<std::size_t>(free.back())])) {
      const std::int64_t tile = tile_of(x.size, std::max<std::int64_t>(room / taken, 1));
      if (tile > 1) {
        x.tile = x.extent = tile;
        taken *= tile;
        free.push_back(static_cast<int>(a));
      }
    }
    if (x.size > x.tile) inner_order_.insert(inner_order_.begin(), static_cast<int>(a));
  }
  for (std::size_t a = 0; a < sizes_.size() && !group_.accumulates; ++a)
    if (reduced_[a] && sizes_[a] > 1) {  // reduced axes lie whole in the tile
      nest_.axes[a].tile = nest_.axes[a].extent = sizes_[a];
      taken *= sizes_[a];
      free.push_back(static_cast<int>(a));
    }
  for (std::size_t a = sizes_.size(); a-- > 0;) {
    if (!can_be_free(a) || reduced_[a] || free.size() >= 3) continue;
    const std::int64_t tile = tile_of(sizes_[a], std::max<std::int64_t>(room / taken, 1));
    if (tile <= 1) break;
    nest_.axes[a].tile = nest_.axes[a].extent = tile;
    taken *= tile;
    free.push_back(static_cast<int>(a));
    if (tile < sizes_[a]) break;
  }
  std::sort(free.begin(), free.end(), [&](int x, int y) {
    const bool rx = reduced_[static_cast<std::size_t>(x)], ry = reduced_[static_cast<std::size_t>(y)];
    return rx != ry ? ry : x < y;  // reduced axes last
  });
  roles_.free = std::move(free);
  for (std::size_t a = 0; a < sizes_.size(); ++a) {
    if ((contracts && side_[a] == 3) || (group_.accumulates && reduced_[a])) continue;
    const bool rows = static_cast<int>(a) == roles_.partition && sizes_[a] > 1;
    if (rows || nest_.axes[a].size > nest_.axes[a].tile) loop_order_.push_back(static_cast<int>(a));
  }
  if (!contracts) return;
  for (std::size_t a = 0; a < sizes_.size(); ++a)
    if (side_[a] == 3 && merged_into_[a] == static_cast<int>(a)) k_axes_.push_back(static_cast<int>(a));
  // The largest contracted axis goes on partitions.
  std::stable_sort(k_axes_.begin(), k_axes_.end(), [&](int x, int y) { return sizes_[static_cast<std::size_t>(x)] < sizes_[static_cast<std::size_t>(y)]; });
  Axis& k = nest_.axes[static_cast<std::size_t>(k_axes_.back())];
  k.tile = k.extent = tile_of(k.size, limit);
  stationary_is_lhs_ = roles_.partition >= 0 && side_[static_cast<std::size_t>(roles_.partition)] == 1;
  stationary_roles_.partition = moving_roles_.partition = k_axes_.back();
  if (roles_.partition >= 0) stationary_roles_.free = {roles_.partition};
  moving_roles_.free = roles_.free;
  stack_contracted();
}

// Heads of 64 rows lie two in a tile of 128: a loop over heads would step through partitions, which no access can. The
// axis is cut into tiles, which are looped, and the places within a tile, which are unrolled.
void GroupEmitter::unroll_stacked() {
  if (!group_.contraction.valid()) return;
  const std::vector<int> loops = loop_order_;
  for (int a : loops)
    if (!split_axis(static_cast<std::size_t>(a), lhs_, stationary_is_lhs_ ? stationary_roles_ : moving_roles_))
      split_axis(static_cast<std::size_t>(a), rhs_, stationary_is_lhs_ ? moving_roles_ : stationary_roles_);
}

bool GroupEmitter::split_axis(std::size_t a, const AxisView& view, const Roles& roles) {
  constexpr std::int64_t kPlacesMax = 4;  // quadrants of the partitions
  if (view.kind != ViewKind::Memory || nest_.axes[a].tile != 1 || nest_.axes[a].unrolled || nest_.on_chip(view, roles)) return false;
  const auto p = static_cast<std::size_t>(roles.partition);
  for (const Form& form : store_.home(view.home).forms) {
    const std::int64_t s = form.s, step = view.strides[a];
    if (form.kind != FormKind::Tiled || s != view.strides[p] || step <= 0 || step % s != 0) continue;
    const std::int64_t rows = step / s;
    if (rows >= form.tile || form.tile % rows != 0 || nest_.axes[p].size > rows) continue;
    const std::int64_t places = form.tile / rows;
    if (places > kPlacesMax || sizes_[a] % places != 0) continue;
    const auto cut = [&](AxisView& v) {
      v.strides.push_back(v.strides[a]);
      v.strides[a] *= places;
    };
    AxisView tried = view;
    cut(tried);
    const Axis whole = nest_.axes[a];
    nest_.axes[a].size /= places;
    nest_.axes.push_back({});
    nest_.axes.back().size = places;
    nest_.axes.back().unrolled = true;
    if (!nest_.serves(tried, form, roles)) {
      nest_.axes[a] = whole;
      nest_.axes.pop_back();
      continue;
    }
    for (External& e : externals_) cut(e.view);
    for (Output& o : outputs_) cut(o.view);
    cut(lhs_);
    cut(rhs_);
    loop_order_.insert(std::find(loop_order_.begin(), loop_order_.end(), static_cast<int>(a)) + 1, static_cast<int>(sizes_.size()));
    merged_into_.push_back(static_cast<int>(sizes_.size()));
    sizes_[a] /= places;
    sizes_.push_back(places);
    side_.push_back(side_[a]);
    reduced_.push_back(false);
    used_.push_back(true);
    return true;
  }
  return false;
}

// A result without room on chip: in HBM in the order of its tiles, when rows would go out in short runs.
Form GroupEmitter::hbm_output(const Output& o) {
  if (roles_.partition >= 0) {
    const auto p = static_cast<std::size_t>(roles_.partition);
    const Home& home = store_.home(o.home);
    const std::int64_t s = o.view.strides[p], n = sizes_[p];
    if (s > 0 && s * byte_width(home.type) < kShortRun && o.view.offset % (s * n) / s == 0 && home.last_use != UINT32_MAX && home.count % (s * n) == 0 &&
        nest_.target(o.home, Form{FormKind::Spilled, s, n, nest_.axes[p].tile, BufferId()}, o.view, roles_))
      if (auto form = store_.new_spilled(o.home, s, n)) return *form;
  }
  return store_.new_hbm(o.home);
}

// Where the results go: tiles in SBUF when there is room, else HBM.
void GroupEmitter::make_outputs() {
  for (Output& o : outputs_) {
    const bool scalar_rows = roles_.partition < 0;
    if (scalar_rows) {
      if (roles_.rows == store_.emitter().machine().partitions) o.on_chip = store_.new_replicated(o.home);
    } else {
      const auto p = static_cast<std::size_t>(roles_.partition);
      const Home& home = store_.home(o.home);
      const std::int64_t stride = o.view.strides[p];
      if (stride > 0 && home.count % (stride * sizes_[p]) == 0 && o.view.offset % (stride * sizes_[p]) / stride == 0) {
        const Form probe{FormKind::Tiled, stride, sizes_[p], nest_.axes[p].tile, BufferId()};
        if (nest_.target(o.home, probe, o.view, roles_)) o.on_chip = store_.new_tiled(o.home, stride, sizes_[p], nest_.axes[p].tile);
      }
    }
    if (!o.on_chip) o.in_hbm = hbm_output(o);
    if (const auto fill = store_.home(o.home).fill) fill_form(store_, o.home, o.on_chip ? *o.on_chip : *o.in_hbm, *fill);
  }
}

void GroupEmitter::describe() {
  std::string line = "group " + std::to_string(index_) + ":";
  for (OpId op : group_.ops) {
    const std::string_view name = graph::op_name(c_.function.kind(op));
    line += " " + std::string(name.substr(name.find('.') + 1));
  }
  line += " | axes";
  for (std::size_t a = 0; a < sizes_.size(); ++a) {
    if (sizes_[a] == 1 && merged_into_[a] == static_cast<int>(a)) continue;
    if (merged_into_[a] != static_cast<int>(a)) continue;
    line += " " + std::to_string(sizes_[a]) + "/" + std::to_string(nest_.axes[a].tile);
    if (static_cast<int>(a) == roles_.partition) line += "p";
    if (std::find(roles_.free.begin(), roles_.free.end(), static_cast<int>(a)) != roles_.free.end()) line += "f";
    if (!side_.empty() && side_[a] == 3) line += "k";
  }
  c_.report += line + "\n";
}

Result<void> GroupEmitter::run() {
  for (OpId op : group_.ops) {
    // Nothing to do for a group of no elements.
    if (c_.module.value_type(c_.function, c_.function.result(op)).element_count() == 0) return {};
  }
  collect();
  merge_axes(choose_partition());
  assign_roles();
  unroll_stacked();
  describe();
  set_location(group_.ops[0]);
  for (const External& e : externals_)
    if (e.view.kind == ViewKind::Memory) nest_.prepare(e.view, roles_, false);
  if (group_.contraction.valid()) {
    for (const AxisView* v : {&lhs_, &rhs_}) {
      if (v->kind != ViewKind::Memory) continue;
      const Roles& roles = (v == &lhs_) == stationary_is_lhs_ ? stationary_roles_ : moving_roles_;
      nest_.prepare(*v, roles, false, true);
      if (std::count(group_.reads.begin(), group_.reads.end(), v->home) == 1) nest_.drop_unused(*v, roles);
    }
  }
  plan_blocks();
  make_outputs();
  ON_TRY(emit_loops(0));
  for (const Output& o : outputs_) {
    if (o.on_chip) store_.add_form(o.home, *o.on_chip);
    if (o.in_hbm) store_.add_form(o.home, *o.in_hbm);
  }
  return {};
}

}  // namespace openneuron::lower
