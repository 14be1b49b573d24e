// A power of two moves down from the scores of a softmax to its exponential, which scales what it reads for nothing:
//   select(p, x c, k) = select(p, x, k / c) c,   max(x c) = max(x) c,   x c - m c = (x - m) c
// Scaling by 2^-n rounds nothing above the subnormals, so each side has the other's bits.
#include <cmath>
#include <vector>

#include "opt/apply_region.h"
#include "opt/legalise_rules.h"
#include "opt/moves.h"

namespace openneuron::opt::rules {
namespace {

using graph::OpKind;

constexpr int kHalvingsMax = 20;

struct Scaled {
  ValueId value;
  double by = 0;
};

// x c with c = 2^-n, n of 1..20.
bool scaled(const Visit& v, ValueId product, Scaled& s) {
  const graph::Function& f = v.out.function();
  const OpId op = f.definition(product);
  if (!op.valid() || f.kind(op) != OpKind::Multiply || !is_float(v.out.type(product).element)) return false;
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    const auto c = v.out.splat(f.operand(op, i));
    if (!c) continue;
    int exponent = 0;
    const bool power = c->real > 0 && std::frexp(c->real, &exponent) == 0.5;
    if (!power || exponent > 0 || exponent < 1 - kHalvingsMax) return false;
    s = {f.operand(op, 1 - i), c->real};
    return true;
  }
  return false;
}

bool replace_scaled(Visit& v, ValueId unscaled, double by) {
  const TypeId type = v.result_type();
  return v.replace(v.out.emit(OpKind::Multiply, {unscaled, v.out.constant(type, by, v.location())}, type, {}, v.location()));
}

}  // namespace

Result<bool> scaled_select(Rewriter&, Visit& v) {
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
    Scaled s;
    const auto other = v.out.splat(v.operands[3 - i]);
    if (!other || !scaled(v, v.operands[i], s)) continue;
    const TypeId type = v.result_type();
    const ValueId number = v.out.constant(type, other->real / s.by, v.location());
    const auto made = v.out.splat(number);
    if (!made || made->real * s.by != other->real) continue;  // rounded, or infinite
    ValueId operands[] = {v.operands[0], s.value, s.value};
    operands[3 - i] = number;
    return replace_scaled(v, v.out.emit(OpKind::Select, operands, type, {}, v.location()), s.by);
  }
  return false;
}

Result<bool> scaled_subtract(Rewriter&, Visit& v) {
  Scaled left, right;
  if (!scaled(v, v.operands[0], left)) return false;
  const graph::Function& f = v.out.function();
  std::vector<OpId> moves;  // from the right operand to what is scaled
  ValueId at = v.operands[1];
  for (OpId op = f.definition(at); op.valid() && (f.kind(op) == OpKind::BroadcastInDim || f.kind(op) == OpKind::Reshape); op = f.definition(at)) {
    moves.push_back(op);
    at = f.operand(op, 0);
  }
  if (!scaled(v, at, right) || left.by != right.by) return false;
  ValueId made = right.value;
  for (std::size_t i = moves.size(); i-- > 0;) {
    const OpId op = moves[i];
    made = v.out.emit(f.kind(op), {made}, f.type(f.result(op)), f.attributes_of(op), f.location_of(op));
  }
  return replace_scaled(v, v.out.emit(OpKind::Subtract, {left.value, made}, v.result_type(), {}, v.location()), left.by);
}

bool scaled_maximum(Visit& v, std::span<const std::int64_t> dims) {
  Scaled s;
  if (!scaled(v, v.operands[0], s) || v.out.type(v.operands[0]).element != v.out.module().type(v.result_type()).element) return false;
  return replace_scaled(v, reduce_with(v, OpKind::Maximum, s.value, dims), s.by);
}

}  // namespace openneuron::opt::rules
