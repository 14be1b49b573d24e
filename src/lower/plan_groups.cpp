#include "lower/planner.h"

#include <algorithm>
#include <cmath>

#include "graph/op_info.h"
#include "graph/verify.h"
#include "lower/op_tables.h"
#include "lower/windows.h"
#include "num/convert.h"

namespace openneuron::lower {

using graph::OpKind;

namespace {
constexpr std::size_t kGroupOpsMax = 40;
}  // namespace

std::int32_t Planner::new_group(GroupKind kind, std::vector<std::int64_t> domain) {
  Group g;
  g.kind = kind;
  g.reduced.assign(domain.size(), false);
  g.domain = std::move(domain);
  plan_.groups.push_back(std::move(g));
  return static_cast<std::int32_t>(plan_.groups.size() - 1);
}

std::string Planner::name(OpId op) const {
  const std::string_view full = graph::op_name(f_.kind(op));
  return std::string(full.substr(full.find('.') + 1));
}

// Makes the home of a value computed with `axes`: dims that it does not vary along are kept at size 1.
void Planner::finish(OpId op, std::int32_t g, std::vector<std::int8_t> axes) {
  const ValueId r = f_.result(op);
  std::vector<std::int64_t> compact = shape(r), order(compact.size());
  for (std::size_t i = 0; i < compact.size(); ++i) {
    if (axes[i] == kAnyAxis) compact[i] = 1;
    order[i] = static_cast<std::int64_t>(i);
  }
  ValuePlan& out = value(r);
  if (const OpId pad = pad_of_[r.index]; pad.valid() && compact == shape(r)) {
    const auto& padded = shape(f_.result(pad));
    const HomeId home = in_.store.add(name(op), element(r), padded, 0);
    const graph::Constant& fill = m_.constant(m_.attribute(m_.attr(f_, f_.definition(f_.operand(pad, 1)), "value")).constant);
    in_.store.home(home).fill = is_float(element(r)) ? load_double(element(r), fill.bytes.data(), 0)
                                                     : static_cast<double>(load_int(element(r), fill.bytes.data(), 0));
    out.view = whole(home, element(r), padded);
    const auto low = ints(pad, "edge_padding_low"), interior = ints(pad, "interior_padding");
    for (std::size_t i = 0; i < padded.size(); ++i) {
      out.view.offset += low[i] * out.view.dims[i].stride;
      out.view.dims[i] = {shape(r)[i], out.view.dims[i].stride * (interior[i] + 1)};
    }
  } else {
    const HomeId home = in_.store.add(name(op), element(r), compact, 0);
    out.view = broadcast(whole(home, element(r), compact), shape(r), order);
  }
  out.group = g;
  out.in_group = true;
  out.computed = true;
  out.axes = std::move(axes);
  plan_.op_group[op.index] = g;
  plan_.groups[static_cast<std::size_t>(g)].ops.push_back(op);
}

std::int32_t Planner::latest_producer(OpId op) {
  std::int32_t g = -1;
  for (ValueId v : f_.operands(op)) g = std::max(g, value(v).group);
  return g;
}

bool Planner::open(std::int32_t g) const {
  if (g < 0) return false;
  const Group& group = plan_.groups[static_cast<std::size_t>(g)];
  return group.kind == GroupKind::Nest && !group.closed && group.ops.size() < kGroupOpsMax;
}

// The axes of an elementwise result inside group g, or false.
bool Planner::join(OpId op, std::int32_t g, std::vector<std::int8_t>& axes) {
  const Group& group = plan_.groups[static_cast<std::size_t>(g)];
  const auto& out_shape = shape(f_.result(op));
  axes.assign(out_shape.size(), kAnyAxis);
  bool inside = false;
  for (ValueId v : f_.operands(op)) {
    const ValuePlan& p = value(v);
    if (p.group != g) continue;
    if (!p.in_group) return false;
    if (group.accumulates)  // sums stand only when all tiles are done: what depends on one comes later
      for (std::size_t a = 0; a < group.reduced.size(); ++a)
        if (group.reduced[a] && std::find(p.axes.begin(), p.axes.end(), static_cast<std::int8_t>(a)) == p.axes.end()) return false;
    inside = true;
    if (p.axes.size() != axes.size()) continue;  // scalar operand
    for (std::size_t j = 0; j < axes.size(); ++j) {
      if (p.axes[j] == kAnyAxis) continue;
      if (axes[j] != kAnyAxis && axes[j] != p.axes[j]) return false;
      axes[j] = p.axes[j];
    }
  }
  if (!inside) return false;
  for (ValueId v : f_.operands(op)) {
    const ValuePlan& p = value(v);
    if (p.group == g || p.view.kind == ViewKind::Splat) continue;
    if (p.view.dims.size() != axes.size()) return p.view.dims.empty();
    for (std::size_t j = 0; j < axes.size(); ++j) {
      if (p.view.dims[j].size == 1 || p.view.dims[j].stride == 0 || axes[j] != kAnyAxis) continue;
      if (axes.size() != group.domain.size() || group.domain[j] != out_shape[j]) return false;
      if (std::find(axes.begin(), axes.end(), static_cast<std::int8_t>(j)) != axes.end()) return false;
      axes[j] = static_cast<std::int8_t>(j);
    }
  }
  for (std::size_t j = 0; j < axes.size(); ++j)
    for (std::size_t k = j + 1; k < axes.size(); ++k)
      if (axes[j] != kAnyAxis && axes[j] == axes[k]) return false;
  return true;
}

void Planner::place_elementwise(OpId op) {
  const std::int32_t g = latest_producer(op);
  std::vector<std::int8_t> axes;
  if (open(g) && join(op, g, axes)) {
    finish(op, g, std::move(axes));
    return;
  }
  const auto& out_shape = shape(f_.result(op));
  axes.assign(out_shape.size(), kAnyAxis);
  for (ValueId v : f_.operands(op)) {
    const View& view = value(v).view;
    if (view.dims.size() != axes.size()) continue;
    for (std::size_t j = 0; j < axes.size(); ++j)
      if (view.dims[j].size > 1 && view.dims[j].stride != 0) axes[j] = static_cast<std::int8_t>(j);
  }
  finish(op, new_group(GroupKind::Nest, out_shape), std::move(axes));
}

void Planner::place_special(OpId op) {
  const std::int32_t g = new_group(GroupKind::Special, {});
  plan_.groups.back().ops.push_back(op);
  plan_.op_group[op.index] = g;
  for (ValueId r : f_.results(op)) {
    const HomeId home = in_.store.add(name(op), element(r), shape(r), 0);
    ValuePlan& out = value(r);
    out.view = whole(home, element(r), shape(r));
    out.group = g;
    out.computed = true;
  }
}

}  // namespace openneuron::lower
