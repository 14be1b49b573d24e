#include "lower/plan.h"

#include <algorithm>
#include <cmath>

#include "graph/op_info.h"
#include "graph/verify.h"
#include "lower/op_tables.h"
#include "lower/windows.h"
#include "num/convert.h"

namespace openneuron::lower {
namespace {

using graph::OpKind;

constexpr std::size_t kGroupOpsMax = 40;

class Planner {
 public:
  explicit Planner(const PlanInput& in) : in_(in), m_(in.module), f_(in.function) {}

  Result<Plan> run() {
    plan_.values.resize(f_.value_count());
    plan_.op_group.assign(f_.op_count(), -1);
    for (ValueId p : f_.parameters()) plan_.values[p.index].view = in_.parameters[p.index];
    const std::vector<bool> live = live_ops();
    for (OpId op : f_.ops()) {
      if (op == f_.terminator()) break;
      if (!live[op.index]) continue;  // rewriting leaves ops behind that nothing reads
      for (ValueId r : f_.results(op)) ON_TRY(check_type(op, r));
      ON_TRY(place(op));
    }
    find_reads();
    return std::move(plan_);
  }

 private:
  ValuePlan& value(ValueId v) { return plan_.values[v.index]; }
  const std::vector<std::int64_t>& shape(ValueId v) const { return m_.type(f_.type(v)).shape; }
  ElementType element(ValueId v) const { return m_.type(f_.type(v)).element; }
  std::span<const std::int64_t> ints(OpId op, std::string_view name) const { return m_.ints(f_, op, name); }

  std::vector<bool> live_ops() const {
    std::vector<bool> live(f_.op_count(), false), used(f_.value_count(), false);
    for (std::size_t i = f_.op_count(); i-- > 0;) {
      const OpId op(i);
      bool keep = !graph::op_info(f_.kind(op)).has(graph::kPure);
      for (ValueId r : f_.results(op)) keep = keep || used[r.index];
      if (!keep) continue;
      live[i] = true;
      for (ValueId v : f_.operands(op)) used[v.index] = true;
    }
    return live;
  }

  Result<void> check_type(OpId op, ValueId v) {
    const graph::Type& t = m_.type(f_.type(v));
    if (t.kind != graph::TypeKind::Tensor)
      return fail(Code::NoTypeLowering, op_place(m_, f_, op), "a result is no tensor");
    for (std::int64_t n : t.shape)
      if (n < 0) return fail(Code::DynamicShape, op_place(m_, f_, op), "a result has a dynamic dimension");
    if (!lowerable_type(t.element))
      return fail(Code::NoTypeLowering, op_place(m_, f_, op),
                  "element type " + std::string(type_name(t.element)) + " has no lowering yet");
    return {};
  }

  Result<void> place(OpId op) {
    switch (f_.kind(op)) {
      case OpKind::Constant:
        return place_constant(op);
      case OpKind::Iota:
        set_view(f_.result(op), iota_view(element(f_.result(op)), shape(f_.result(op)), m_.integer(f_, op, "iota_dimension", 0)), -1);
        return {};
      case OpKind::BroadcastInDim:
      case OpKind::Transpose:
      case OpKind::Reshape:
      case OpKind::Slice:
      case OpKind::Reverse:
        return place_view(op);
      case OpKind::BitcastConvert:
        return place_bitcast(op);
      case OpKind::Reduce:
        return place_reduce(op);
      case OpKind::ReduceWindow:
        return place_reduce_window(op);
      case OpKind::DotGeneral:
        return place_dot(op);
      case OpKind::Convolution:
        return place_convolution(op);
      default:
        break;
    }
    if (is_elementwise(f_.kind(op))) {
      for (ValueId v : f_.operands(op))
        if (!elementwise_type(f_.kind(op), element(v)))
          return fail(Code::NoTypeLowering, op_place(m_, f_, op),
                      std::string(graph::op_name(f_.kind(op))) + " on " + std::string(type_name(element(v))) + " has no lowering yet");
      place_elementwise(op);
      return {};
    }
    if (is_special(f_.kind(op))) {
      place_special(op);
      return {};
    }
    return fail(Code::NoLowering, op_place(m_, f_, op), std::string(graph::op_name(f_.kind(op))) + " has no lowering yet");
  }

  // -- views
  void set_view(ValueId v, View view, std::int32_t group) {
    value(v).view = std::move(view);
    value(v).group = group;
  }

  Result<void> place_constant(OpId op) {
    const ValueId r = f_.result(op);
    const graph::Constant& c = m_.constant(m_.attribute(m_.attr(f_, op, "value")).constant);
    const ElementType e = element(r);
    const std::int64_t count = m_.type(f_.type(r)).element_count();
    if (c.splat || count == 1) {
      const double x = is_float(e) ? load_double(e, c.bytes.data(), 0) : static_cast<double>(load_int(e, c.bytes.data(), 0));
      set_view(r, splat_view(e, x, shape(r)), -1);
      return {};
    }
    const HomeId home = in_.store.add("constant" + std::to_string(op.index), e, shape(r), UINT32_MAX);
    Form form;
    form.buffer = in_.store.emitter().hbm("constant" + std::to_string(in_.store.home_count()), isa::VariableKind::Constant, e, shape(r));
    in_.store.emitter().module().buffers[form.buffer].variable.data = c.bytes;
    in_.store.add_form(home, form);
    set_view(r, whole(home, e, shape(r)), -1);
    return {};
  }

  Result<void> place_view(OpId op) {
    const ValueId from = f_.operand(op, 0), to = f_.result(op);
    const ValuePlan source = value(from);
    ValuePlan& out = value(to);
    out.group = source.group;
    out.in_group = source.in_group;
    const auto& to_shape = shape(to);
    const auto& from_shape = shape(from);
    out.axes.assign(to_shape.size(), kAnyAxis);
    switch (f_.kind(op)) {
      case OpKind::BroadcastInDim: {
        const auto dims = ints(op, "broadcast_dimensions");
        out.view = broadcast(source.view, to_shape, dims);
        if (out.in_group)
          for (std::size_t i = 0; i < dims.size(); ++i)
            if (from_shape[i] == to_shape[static_cast<std::size_t>(dims[i])]) out.axes[static_cast<std::size_t>(dims[i])] = source.axes[i];
        break;
      }
      case OpKind::Transpose: {
        const auto order = ints(op, "permutation");
        out.view = transposed(source.view, order);
        if (out.in_group)
          for (std::size_t i = 0; i < order.size(); ++i) out.axes[i] = source.axes[static_cast<std::size_t>(order[i])];
        break;
      }
      case OpKind::Slice: {
        out.view = sliced(source.view, ints(op, "start_indices"), ints(op, "limit_indices"), ints(op, "strides"));
        if (out.in_group)
          for (std::size_t i = 0; i < to_shape.size(); ++i) {
            if (source.axes[i] == kAnyAxis) continue;
            if (to_shape[i] == from_shape[i])
              out.axes[i] = source.axes[i];
            else
              out.in_group = false;
          }
        break;
      }
      case OpKind::Reverse: {
        out.view = reversed(source.view, ints(op, "dimensions"));
        if (out.in_group) {
          out.axes = source.axes;
          for (std::int64_t d : ints(op, "dimensions"))
            if (source.axes[static_cast<std::size_t>(d)] != kAnyAxis) out.in_group = false;
        }
        break;
      }
      default: {  // Reshape
        auto view = reshaped(source.view, to_shape);
        if (!view) {
          place_copy(op);
          return {};
        }
        out.view = std::move(*view);
        if (out.in_group) {
          std::vector<std::int64_t> a, b;
          std::vector<std::int8_t> axes;
          for (std::size_t i = 0; i < from_shape.size(); ++i)
            if (from_shape[i] != 1) {
              a.push_back(from_shape[i]);
              axes.push_back(source.axes[i]);
            }
          for (std::int64_t n : to_shape)
            if (n != 1) b.push_back(n);
          if (a == b) {
            std::size_t k = 0;
            for (std::size_t i = 0; i < to_shape.size(); ++i)
              if (to_shape[i] != 1) out.axes[i] = axes[k++];
          } else {
            out.in_group = false;
          }
        }
        break;
      }
    }
    return {};
  }

  // The same bits read as another type of the same width.
  Result<void> place_bitcast(OpId op) {
    const ValueId from = f_.operand(op, 0), to = f_.result(op);
    const ElementType old_type = element(from), new_type = element(to);
    const ValuePlan& source = value(from);
    const bool counts = source.view.kind == ViewKind::Iota && (is_float(old_type) || is_float(new_type));
    if (bit_width(old_type) != bit_width(new_type) || counts)
      return fail(Code::NoLowering, op_place(m_, f_, op), "bitcast_convert of " + std::string(type_name(old_type)) + " to " + std::string(type_name(new_type)) + " has no lowering here yet");
    ValuePlan& out = value(to);
    out.view = source.view;
    out.view.type = new_type;
    if (source.view.kind == ViewKind::Splat) out.view.splat = same_bits(source.view.splat, old_type, new_type);
    out.group = source.group;
    out.in_group = source.in_group;
    out.axes = source.axes;
    return {};
  }
  static double same_bits(double number, ElementType from, ElementType to) {
    std::byte bytes[8] = {};
    if (is_float(from))
      store_double(from, bytes, 0, number);
    else
      store_int(from, bytes, 0, static_cast<std::int64_t>(number));
    return is_float(to) ? load_double(to, bytes, 0) : static_cast<double>(load_int(to, bytes, 0));
  }

  // A reshape that strides cannot express: the operand is copied into row-major order first.
  void place_copy(OpId op) {
    const ValueId from = f_.operand(op, 0), to = f_.result(op);
    const std::int32_t g = new_group(GroupKind::Nest, shape(from));
    plan_.groups.back().ops.push_back(op);
    plan_.op_group[op.index] = g;
    const HomeId home = in_.store.add(name(op), element(to), shape(from), 0);
    View w = whole(home, element(to), shape(from));
    ValuePlan& out = value(to);
    out.view = *reshaped(w, shape(to));
    out.group = g;
    out.in_group = false;
    out.computed = true;
    plan_.groups.back().closed = true;
  }

  // -- groups
  std::int32_t new_group(GroupKind kind, std::vector<std::int64_t> domain) {
    Group g;
    g.kind = kind;
    g.reduced.assign(domain.size(), false);
    g.domain = std::move(domain);
    plan_.groups.push_back(std::move(g));
    return static_cast<std::int32_t>(plan_.groups.size() - 1);
  }

  std::string name(OpId op) const {
    const std::string_view full = graph::op_name(f_.kind(op));
    return std::string(full.substr(full.find('.') + 1));
  }

  // Makes the home of a value computed with `axes`: dims that it does not vary along are kept at size 1.
  void finish(OpId op, std::int32_t g, std::vector<std::int8_t> axes) {
    const ValueId r = f_.result(op);
    std::vector<std::int64_t> compact = shape(r), order(compact.size());
    for (std::size_t i = 0; i < compact.size(); ++i) {
      if (axes[i] == kAnyAxis) compact[i] = 1;
      order[i] = static_cast<std::int64_t>(i);
    }
    const HomeId home = in_.store.add(name(op), element(r), compact, 0);
    ValuePlan& out = value(r);
    out.view = broadcast(whole(home, element(r), compact), shape(r), order);
    out.group = g;
    out.in_group = true;
    out.computed = true;
    out.axes = std::move(axes);
    plan_.op_group[op.index] = g;
    plan_.groups[static_cast<std::size_t>(g)].ops.push_back(op);
  }

  std::int32_t latest_producer(OpId op) {
    std::int32_t g = -1;
    for (ValueId v : f_.operands(op)) g = std::max(g, value(v).group);
    return g;
  }

  bool open(std::int32_t g) const {
    if (g < 0) return false;
    const Group& group = plan_.groups[static_cast<std::size_t>(g)];
    return group.kind == GroupKind::Nest && !group.closed && group.ops.size() < kGroupOpsMax;
  }

  // The axes of an elementwise result inside group g, or false.
  bool join(OpId op, std::int32_t g, std::vector<std::int8_t>& axes) {
    const Group& group = plan_.groups[static_cast<std::size_t>(g)];
    const auto& out_shape = shape(f_.result(op));
    axes.assign(out_shape.size(), kAnyAxis);
    bool inside = false;
    for (ValueId v : f_.operands(op)) {
      const ValuePlan& p = value(v);
      if (p.group != g) continue;
      if (!p.in_group) return false;
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

  void place_elementwise(OpId op) {
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

  void place_special(OpId op) {
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

  Result<void> place_reduce(OpId op) {
    OpKind kind;
    if (f_.operands(op).size() != 2 || !region_op(m_, f_.regions(op)[0], kind) || !reduces(kind) ||
        !reduce_type(kind, element(f_.operand(op, 0))) || !starts_from_identity(kind, value(f_.operand(op, 1)).view))
      return fail(Code::NoLowering, op_place(m_, f_, op),
                  "reduce with this region, these operands or this initial value has no lowering yet");
    const ValueId source = f_.operand(op, 0);
    const auto& in_shape = shape(source);
    std::vector<bool> gone(in_shape.size(), false);
    for (std::int64_t d : ints(op, "dimensions")) gone[static_cast<std::size_t>(d)] = true;
    const ValuePlan& p = value(source);
    for (std::size_t i = 0; i < in_shape.size(); ++i)
      if (gone[i] && in_shape[i] == 0) {  // over nothing: the initial value
        set_view(f_.result(op), splat_view(element(source), value(f_.operand(op, 1)).view.splat, shape(f_.result(op))), -1);
        return {};
      }
    if (p.in_group && open(p.group) && join_reduce(op, p, gone)) return {};

    // Not inside a running group. Sums whose kept dims come last, and full sums, are matmuls with ones; the others start
    // a nest over the operand.
    std::int64_t over = 1, kept = 1, kept_dims = 0;
    for (std::size_t i = 0; i < in_shape.size(); ++i) {
      (gone[i] ? over : kept) *= in_shape[i];
      if (!gone[i] && in_shape[i] > 1) ++kept_dims;
    }
    const bool last_gone = !in_shape.empty() && gone.back();
    // Statistics over the pixels of an image (batch norm) stay on Vector: images have their channels on partitions.
    const bool image = in_shape.size() >= 4 && kept > 1 && kept_dims == 1;
    const bool pe = kind == OpKind::Add && is_float(element(source)) && p.view.kind == ViewKind::Memory && over > 0 && !image;
    if (pe && (!last_gone || kept == 1 || over > reduce_limit(in_.store.emitter().machine()))) {
      const auto& out_shape = shape(f_.result(op));
      const std::int32_t g = new_group(GroupKind::Nest, out_shape);
      Group& group = plan_.groups.back();
      group.contraction = op;
      group.side.assign(out_shape.size(), 1);
      std::vector<std::int8_t> axes(out_shape.size());
      for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = out_shape[i] == 1 ? static_cast<std::int8_t>(kAnyAxis) : static_cast<std::int8_t>(i);
      finish(op, g, std::move(axes));
      return {};
    }
    const std::int32_t g = new_group(GroupKind::Nest, in_shape);
    Group& group = plan_.groups.back();
    group.accumulates = group.closed = over > reduce_limit(in_.store.emitter().machine());
    std::vector<std::int8_t> axes;
    for (std::size_t i = 0; i < in_shape.size(); ++i) {
      if (gone[i])
        group.reduced[i] = true;
      else
        axes.push_back(in_shape[i] == 1 ? static_cast<std::int8_t>(kAnyAxis) : static_cast<std::int8_t>(i));
    }
    finish(op, g, std::move(axes));
    return {};
  }

  bool join_reduce(OpId op, const ValuePlan& p, const std::vector<bool>& gone) {
    Group& group = plan_.groups[static_cast<std::size_t>(p.group)];
    std::vector<bool> reduced = group.reduced;
    std::int64_t over = 1;
    std::vector<std::int8_t> axes;
    const auto& in_shape = shape(f_.operand(op, 0));
    for (std::size_t i = 0; i < gone.size(); ++i) {
      if (!gone[i]) {
        axes.push_back(p.axes[i]);
        continue;
      }
      if (p.axes[i] == kAnyAxis) {
        if (in_shape[i] != 1) return false;
        continue;
      }
      reduced[static_cast<std::size_t>(p.axes[i])] = true;
    }
    bool partition_left = false;
    std::uint8_t reduced_side = 0;
    for (std::size_t a = 0; a < reduced.size(); ++a) {
      if (reduced[a]) {
        over *= group.domain[a];
        if (group.contraction.valid()) {
          if (group.side[a] == 0 || (reduced_side != 0 && reduced_side != group.side[a])) return false;
          reduced_side = group.side[a];
        }
      }
    }
    for (std::size_t a = 0; a < reduced.size(); ++a)
      if (!reduced[a] && group.domain[a] > 1 && (!group.contraction.valid() || (group.side[a] != 0 && group.side[a] != reduced_side)))
        partition_left = true;
    const Machine& machine = in_.store.emitter().machine();
    const std::int64_t limit = group.contraction.valid()
                                   ? std::min<std::int64_t>(machine.moving_max, machine.psum_bank_bytes / 4)
                                   : reduce_limit(machine);
    if (!partition_left || over > limit) return false;
    const std::int32_t g = p.group;
    group.reduced = std::move(reduced);
    finish(op, g, std::move(axes));
    return true;
  }

  Result<void> place_dot(OpId op) {
    const ValueId lhs = f_.operand(op, 0), rhs = f_.operand(op, 1), out = f_.result(op);
    if (!matmul_type(element(lhs)) || element(lhs) != element(rhs))
      return fail(Code::NoTypeLowering, op_place(m_, f_, op),
                  "dot_general on " + std::string(type_name(element(lhs))) + " and " + std::string(type_name(element(rhs))) + " has no lowering yet");
    const auto& out_shape = shape(out);
    for (std::int64_t d : ints(op, "lhs_contracting_dimensions"))
      if (shape(lhs)[static_cast<std::size_t>(d)] == 0) {  // a sum of nothing
        set_view(out, splat_view(element(out), 0.0, out_shape), -1);
        return {};
      }
    const std::size_t batch = ints(op, "lhs_batching_dimensions").size();
    const std::size_t m_dims = shape(lhs).size() - batch - ints(op, "lhs_contracting_dimensions").size();
    const std::int32_t g = new_group(GroupKind::Nest, out_shape);
    Group& group = plan_.groups.back();
    group.contraction = op;
    for (std::size_t i = 0; i < out_shape.size(); ++i)
      group.side.push_back(i < batch ? 0 : i < batch + m_dims ? 1 : 2);
    std::vector<std::int8_t> axes(out_shape.size());
    for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = out_shape[i] == 1 ? static_cast<std::int8_t>(kAnyAxis) : static_cast<std::int8_t>(i);
    finish(op, g, std::move(axes));
    return {};
  }

  Result<void> place_convolution(OpId op) {
    const ValueId lhs = f_.operand(op, 0), rhs = f_.operand(op, 1), out = f_.result(op);
    if (!matmul_type(element(lhs)) || element(lhs) != element(rhs))
      return fail(Code::NoTypeLowering, op_place(m_, f_, op),
                  "convolution on " + std::string(type_name(element(lhs))) + " and " + std::string(type_name(element(rhs))) + " has no lowering yet");
    if (m_.type(f_.type(lhs)).element_count() == 0 || m_.type(f_.type(rhs)).element_count() == 0) {  // a sum of nothing
      set_view(out, splat_view(element(out), 0.0, shape(out)), -1);
      return {};
    }
    const ConvolutionAxes c = convolution_domain(m_, f_, op);
    const std::int32_t g = new_group(GroupKind::Nest, c.domain);
    Group& group = plan_.groups.back();
    group.contraction = op;
    group.side = c.side;
    std::vector<std::int8_t> axes(c.domain.size());
    for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = c.domain[i] == 1 ? static_cast<std::int8_t>(kAnyAxis) : static_cast<std::int8_t>(i);
    if (c.domain.size() == shape(out).size()) {
      finish(op, g, std::move(axes));
      return {};
    }
    // Groups are an axis of their own: what reads the result sees them merged with the channels.
    const HomeId home = in_.store.add(name(op), element(out), c.domain, 0);
    ValuePlan& p = value(out);
    p.view = *reshaped(whole(home, element(out), c.domain), shape(out));
    p.group = g;
    p.computed = true;
    p.axes = std::move(axes);
    plan_.op_group[op.index] = g;
    group.ops.push_back(op);
    group.closed = true;
    return {};
  }

  // A reduction over the taps of a window, which are axes behind the output's.
  Result<void> place_reduce_window(OpId op) {
    OpKind kind;
    const ValueId source = f_.operand(op, 0), out = f_.result(op);
    if (f_.operands(op).size() != 2 || !region_op(m_, f_.regions(op)[0], kind) || !reduces(kind) || !reduce_type(kind, element(source)) ||
        element(source) != element(out) || !starts_from_identity(kind, value(f_.operand(op, 1)).view))
      return fail(Code::NoLowering, op_place(m_, f_, op),
                  "reduce_window with this region, these operands or this initial value has no lowering yet");
    const WindowAxes w = window_axes(m_, f_, op);
    std::vector<std::int64_t> domain = shape(out);
    std::vector<std::int8_t> axes(domain.size());
    for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = domain[i] == 1 ? static_cast<std::int8_t>(kAnyAxis) : static_cast<std::int8_t>(i);
    std::int64_t over = 1;
    for (std::int64_t n : w.taps) {
      domain.push_back(n);
      over *= n;
    }
    const std::int32_t g = new_group(GroupKind::Nest, domain);
    Group& group = plan_.groups.back();
    for (std::size_t i = shape(out).size(); i < domain.size(); ++i) group.reduced[i] = true;
    group.accumulates = group.closed = over > reduce_limit(in_.store.emitter().machine());
    finish(op, g, std::move(axes));
    return {};
  }

  // -- who reads what
  void find_reads() {
    plan_.home_needed.assign(in_.store.home_count(), false);
    auto read = [&](const View& view, std::int32_t g) {
      if (view.kind != ViewKind::Memory) return;
      plan_.home_needed[view.home.index] = true;
      Home& home = in_.store.home(view.home);
      if (g >= 0) home.last_read = std::max(home.last_read, in_.first_group + static_cast<std::uint32_t>(g));
      home.last_use = std::max(home.last_use, g < 0 ? UINT32_MAX : in_.first_group + static_cast<std::uint32_t>(g));
      if (g >= 0) plan_.groups[static_cast<std::size_t>(g)].reads.push_back(view.home);
    };
    for (OpId op : f_.ops()) {
      if (op == f_.terminator()) {
        for (ValueId v : f_.operands(op)) read(value(v).view, -1);
        break;
      }
      const std::int32_t g = plan_.op_group[op.index];
      if (g < 0) continue;
      for (ValueId v : f_.operands(op)) {
        const ValuePlan& p = value(v);
        if (p.group == g && p.in_group) continue;
        read(p.view, g);
      }
    }
  }

  const PlanInput& in_;
  const graph::Module& m_;
  const graph::Function& f_;
  Plan plan_;
};

}  // namespace

Result<Plan> make_plan(const PlanInput& input) { return Planner(input).run(); }

bool region_op(const graph::Module& module, FunctionId region, graph::OpKind& kind) {
  const graph::Function& f = module.function(region);
  if (f.op_count() != 2 || f.parameter_count() != 2) return false;
  const OpId op(std::size_t{0});
  const auto operands = f.operands(op);
  if (operands.size() != 2 || f.operands(f.terminator()).size() != 1 || f.operand(f.terminator(), 0) != f.result(op)) return false;
  kind = f.kind(op);
  const bool straight = operands[0].index == 0 && operands[1].index == 1;
  const bool swapped = operands[0].index == 1 && operands[1].index == 0;
  return straight || (swapped && graph::op_info(kind).has(graph::kCommutative));
}

std::string location_text(const graph::Module& module, LocationId id) {
  for (int depth = 0; id.valid() && depth < 64; ++depth) {
    const graph::Location& l = module.location(id);
    if (l.kind == graph::LocationKind::File) return l.text + ":" + std::to_string(l.line) + ":" + std::to_string(l.column);
    if (l.kind == graph::LocationKind::Name) {
      const std::string inner = l.children.empty() ? std::string() : location_text(module, l.children[0]);
      return inner.empty() ? l.text : inner + " (" + l.text + ")";
    }
    if (l.children.empty()) return {};
    id = l.children[0];
  }
  return {};
}

Place op_place(const graph::Module& module, const graph::Function& function, OpId op) {
  Place place = graph::place_of(module, function.location_of(op));
  place.op = std::string(graph::op_name(function.kind(op)));
  return place;
}

std::int64_t reduce_limit(const Machine& machine) {
  return std::max<std::int64_t>(64, std::min<std::int64_t>(4096, machine.sbuf_partition_bytes / 4 / 16));
}

}  // namespace openneuron::lower
