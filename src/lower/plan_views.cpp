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

void Planner::set_view(ValueId v, View view, std::int32_t group) {
  value(v).view = std::move(view);
  value(v).group = group;
}

Result<void> Planner::place_constant(OpId op) {
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

Result<void> Planner::place_view(OpId op) {
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
Result<void> Planner::place_bitcast(OpId op) {
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

bool Planner::place_widening(OpId op) {
  const ValueId from = f_.operand(op, 0), to = f_.result(op);
  const ValuePlan source = value(from);
  const bool widens = element(to) == ElementType::F32 && is_float(element(from)) && bit_width(element(from)) == 16;
  if (!widens || source.view.kind != ViewKind::Memory || !any_type_[to.index]) return false;
  value(to) = source;
  value(to).computed = false;
  return true;
}

double Planner::same_bits(double number, ElementType from, ElementType to) {
  std::byte bytes[8] = {};
  if (is_float(from))
    store_double(from, bytes, 0, number);
  else
    store_int(from, bytes, 0, static_cast<std::int64_t>(number));
  return is_float(to) ? load_double(to, bytes, 0) : static_cast<double>(load_int(to, bytes, 0));
}

bool Planner::place_pad(OpId op) {
  const ValueId operand = f_.operand(op, 0);
  const ValuePlan source = value(operand);
  if (pad_of_[operand.index] != op || !source.computed || source.view.kind != ViewKind::Memory || !in_.store.home(source.view.home).fill) return false;
  set_view(f_.result(op), whole(source.view.home, element(operand), shape(f_.result(op))), source.group);
  return true;
}

// A reshape that strides cannot express: the operand is copied into row-major order first.
void Planner::place_copy(OpId op) {
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

}  // namespace openneuron::lower
