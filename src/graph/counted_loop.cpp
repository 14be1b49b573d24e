#include "graph/counted_loop.h"

#include "num/convert.h"

namespace openneuron::graph {
namespace {

bool is_counter(const Type& t) {
  return t.kind == TypeKind::Tensor && t.shape.empty() && is_integer(t.element) && bit_width(t.element) >= 32;
}

std::optional<std::int64_t> constant(const Module& m, const Function& f, ValueId v) {
  const OpId op = f.definition(v);
  if (!op.valid() || f.kind(op) != OpKind::Constant || !is_counter(m.type(f.type(v)))) return std::nullopt;
  const AttrId value = m.attr(f, op, "value");
  if (!value.valid() || m.attribute(value).kind != AttrKind::Constant) return std::nullopt;
  return load_int(m.type(f.type(v)).element, m.constant(m.attribute(value).constant).bytes.data(), 0);
}

/// The while under inspection: what a value inside a region is when it never changes.
struct Loop {
  const Module& m;
  const Function& f;
  OpId op;
  const Function& body;
  std::size_t carried;

  std::optional<std::int64_t> invariant(const Function& region, ValueId v) const {
    if (v.index >= region.parameter_count()) return constant(m, region, v);
    if (v.index < carried && body.operand(body.terminator(), v.index) != v) return std::nullopt;  // it changes
    return constant(m, f, f.operand(op, v.index));
  }
};

}  // namespace

std::optional<CountedLoop> counted_loop(const Module& m, const Function& f, OpId op,
                                        const std::function<const Function&(FunctionId)>& region) {
  const auto regions = f.regions(op);
  if (f.kind(op) != OpKind::While || regions.size() != 2) return std::nullopt;
  const Function &condition = region(regions[0]), &body = region(regions[1]);
  const Loop loop{m, f, op, body, f.results(op).size()};
  const auto returned = condition.operands(condition.terminator());
  if (returned.size() != 1) return std::nullopt;
  const OpId test = condition.definition(returned[0]);
  if (!test.valid() || condition.kind(test) != OpKind::Compare) return std::nullopt;
  const ValueId counter = condition.operand(test, 0);
  if (counter.index >= loop.carried || !is_counter(m.type(condition.type(counter)))) return std::nullopt;
  const auto end = loop.invariant(condition, condition.operand(test, 1));
  const auto start = constant(m, f, f.operand(op, counter.index));
  const OpId next = body.definition(body.operand(body.terminator(), counter.index));
  if (!end || !start || !next.valid() || body.kind(next) != OpKind::Add) return std::nullopt;
  const ValueId a = body.operand(next, 0), b = body.operand(next, 1);
  if (a != counter && b != counter) return std::nullopt;
  const auto step = loop.invariant(body, a == counter ? b : a);
  if (!step || *step == 0) return std::nullopt;
  constexpr std::int64_t kFar = std::int64_t{1} << 33;  // beyond every 32-bit number; what is computed below cannot overflow
  for (const std::int64_t n : {*start, *end, *step})
    if (n > kFar || n < -kFar) return std::nullopt;
  const std::string_view direction = m.text(condition, test, "comparison_direction");
  CountedLoop made{counter.index, *start, *step, 0};
  const bool up = *step > 0;
  std::int64_t last = *end;  // the last value for which the body runs
  if (direction == "LT" && up) last = *end - 1;
  else if (direction == "GT" && !up) last = *end + 1;
  else if (!((direction == "LE" && up) || (direction == "GE" && !up))) return std::nullopt;
  if (up ? *start <= last : *start >= last) made.trips = (last - *start) / *step + 1;
  // The counter must not wrap on its way to the end; 64-bit ones count as 32-bit ones do.
  const std::int64_t after = *start + made.trips * *step;
  const bool is_signed = type_class(m.type(condition.type(counter)).element) == TypeClass::Signed;
  if (is_signed ? after > INT32_MAX || after < INT32_MIN : after > UINT32_MAX || after < 0) return std::nullopt;
  return made;
}

}  // namespace openneuron::graph
