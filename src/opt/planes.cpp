#include "opt/planes.h"

#include <algorithm>
#include <cstring>

#include "graph/counted_loop.h"
#include "graph/op_info.h"
#include "graph/verify.h"
#include "opt/moves.h"

namespace openneuron::opt {

using graph::OpKind;

namespace {

constexpr std::uint64_t kSignBit = 0x80000000u;

bool is_index(OpKind kind, std::size_t operand, std::size_t scattered) {
  switch (kind) {
    case OpKind::DynamicSlice: return operand >= 1;
    case OpKind::DynamicUpdateSlice: return operand >= 2;
    case OpKind::Gather: return operand == 1;
    case OpKind::Scatter: return operand == scattered;
    default: return false;
  }
}

// Of a scatter: how many arrays it writes, which is where its index vectors stand among the operands.
std::size_t scattered(const graph::Function& f, OpId op) { return (f.operands(op).size() - f.capture_count(op) - 1) / 2; }

bool moves_elements(OpKind kind) {
  switch (kind) {
    case OpKind::BroadcastInDim:
    case OpKind::Reshape:
    case OpKind::Transpose:
    case OpKind::Slice:
    case OpKind::Reverse:
    case OpKind::Concatenate:
    case OpKind::Pad:
    case OpKind::Select:
    case OpKind::DynamicSlice:
    case OpKind::Gather:
    case OpKind::DynamicUpdateSlice: return true;
    default: return false;
  }
}

ValueId splat_of(Builder& out, ElementType part, const std::vector<std::int64_t>& shape, std::uint64_t bits, LocationId location) {
  if (is_float(part)) return out.constant(out.module().tensor(part, shape), static_cast<double>(bits), location);
  return out.splat_constant(out.module().tensor(part, shape), Splat{part, false, 0, static_cast<std::int64_t>(bits & 0xFFFFFFFFull)}, location);
}

ValueId turn_sign(Builder& out, ValueId word, LocationId location) {
  const std::vector<std::int64_t> shape = out.type(word).shape;
  const TypeId type = out.function().type(word);
  return out.emit(OpKind::Xor, {word, splat_of(out, ElementType::U32, shape, kSignBit, location)}, type, {}, location);
}

}  // namespace

Result<void> PlaneSplitter::run(graph::Module& module) {
  bool any = false;
  for (FunctionId f : module.functions())
    for (ValueId value : module.function(f).values()) {
      const graph::Type& t = module.type(module.function(f).type(value));
      any = any || (t.kind == graph::TypeKind::Tensor && part_of(t.element) != ElementType::None);
    }
  if (!any) return {};
  return Rewriter(module, [&](Rewriter& rewriter, Visit& v) { return visit(rewriter, v); }, this).run();
}

ElementType PlaneSplitter::wide(const Visit& v, ValueId old) const {
  const graph::Type& t = v.out.module().type(v.old.type(old));
  return t.kind == graph::TypeKind::Tensor && part_of(t.element) != ElementType::None ? t.element : ElementType::None;
}

bool PlaneSplitter::replace(Visit& v, const Planes& planes) {
  tables_[&v.old][v.old.result(v.op).index] = planes;
  return v.replace(planes.low);
}

ValueId PlaneSplitter::number(Visit& v, std::uint64_t bits) const { return splat_of(v.out, part_, shape_, bits, v.location()); }

Planes PlaneSplitter::unpack(Visit& v, ValueId packed, const std::vector<std::int64_t>& shape) {
  Moves moves(v);
  const ValueId low = moves.reshape(moves.slice(packed, shape.size(), 0, 1), shape);
  return {low, moves.reshape(moves.slice(packed, shape.size(), 1, 2), shape), UINT64_MAX, {}};
}

ValueId PlaneSplitter::pack(Visit& v, const Planes& planes) {
  Moves moves(v);
  std::vector<std::int64_t> one = v.out.type(planes.low).shape;
  one.push_back(1);
  const ValueId low = moves.reshape(planes.low, one);
  const ValueId parts[] = {low, moves.reshape(planes.high, one)};
  return moves.concatenate(parts, static_cast<std::int64_t>(one.size()) - 1);
}

void PlaneSplitter::parameters(Builder& out, const graph::Function& old, ValueMap& map) {
  graph::Module& m = out.module();
  graph::Function& made = out.function();
  Table& table = tables_[&old];
  const auto found = regions_.find(&old);
  const Region* region = found == regions_.end() ? nullptr : &found->second;
  const LocationId location = old.location;
  struct Pair {
    ValueId old, low, high;
    ElementType part;
    std::uint64_t most;
    bool biased;
  };
  std::vector<Pair> pairs;
  const auto most_of = [&](std::size_t p) { return region && p < region->most.size() ? region->most[p] : UINT64_MAX; };
  const std::size_t count = old.parameter_count();
  for (std::size_t p = 0; p < count; ++p) {
    const graph::Type t = m.type(old.type(ValueId(p)));
    const ElementType part = t.kind == graph::TypeKind::Tensor ? part_of(t.element) : ElementType::None;
    if (part == ElementType::None) {
      map[ValueId(p)] = made.add_parameter(old.type(ValueId(p)), old.parameter_attributes[p]);
      continue;
    }
    if (!old.is_region) {
      std::vector<std::int64_t> shape = t.shape;
      shape.push_back(2);
      std::vector<std::pair<std::string, AttrId>> attributes = {{kProgramType, m.type_attr(old.type(ValueId(p)))}};
      if (const AttrId given = old.parameter_attributes[p]; given.valid())
        for (std::size_t i = 0; i < m.attribute(given).names.size(); ++i) attributes.emplace_back(m.attribute(given).names[i], m.attribute(given).items[i]);
      map[ValueId(p)] = packed_[static_cast<std::uint32_t>(p)] = made.add_parameter(m.tensor(part, shape), m.dictionary(std::move(attributes)));
      continue;
    }
    const TypeId type = m.tensor(part, t.shape);
    const bool small = most_of(p) <= 0xFFFFFFFFull, biased = region && p < region->biased.size() && region->biased[p];
    const std::size_t sides = region && region->sides ? 2 : 1;  // p and p + 1 are the sides of one operand
    for (std::size_t side = 0; side < sides; ++side) pairs.push_back({ValueId(p + side), made.add_parameter(type), {}, part, most_of(p), biased});
    for (std::size_t side = 0; side < sides && !small; ++side) pairs[pairs.size() - sides + side].high = made.add_parameter(type);
    p += sides - 1;
  }
  for (Pair& pair : pairs) {
    Planes planes{pair.low, pair.high, pair.most, {}};
    if (!planes.high.valid()) {
      planes.high = splat_of(out, pair.part, m.type(old.type(pair.old)).shape, 0, location);
    } else if (pair.biased) {
      planes.biased = pair.high;
      planes.high = turn_sign(out, pair.high, location);
    }
    table[pair.old.index] = planes;
    map[pair.old] = planes.low;
  }
  if (old.is_region || packed_.empty()) return;
  Visit v{out, old, old.terminator(), {}, map};
  for (ValueId p : old.parameters()) {
    if (!packed_.contains(p.index)) continue;
    const std::vector<std::int64_t> shape = m.type(old.type(p)).shape;
    table[p.index] = unpack(v, packed_[p.index], shape);
    map[p] = table[p.index].low;
  }
}

std::vector<ValueId> PlaneSplitter::results(Builder& out, const graph::Function& old, std::vector<ValueId> returned) {
  Table& table = tables_[&old];
  const auto found = regions_.find(&old);
  const auto values = old.operands(old.terminator());
  graph::Module& m = out.module();
  graph::Function& made = out.function();
  ValueMap none;
  Visit v{out, old, old.terminator(), {}, none};
  std::vector<ValueId> all;
  for (std::size_t i = 0; i < returned.size(); ++i) {
    const auto planes = wide(v, values[i]) == ElementType::None ? table.end() : table.find(values[i].index);
    if (planes == table.end()) {
      all.push_back(returned[i]);
    } else if (old.is_region) {
      const bool small = found != regions_.end() && i < found->second.small_results.size() && found->second.small_results[i];
      all.push_back(planes->second.low);
      if (!small) all.push_back(planes->second.high);
    } else {
      all.push_back(packed_.contains(values[i].index) ? packed_[values[i].index] : pack(v, planes->second));
      made.result_attributes.resize(returned.size());
      std::vector<std::pair<std::string, AttrId>> attributes = {{kProgramType, m.type_attr(old.type(values[i]))}};
      if (const AttrId given = made.result_attributes[i]; given.valid())
        for (std::size_t k = 0; k < m.attribute(given).names.size(); ++k) attributes.emplace_back(m.attribute(given).names[k], m.attribute(given).items[k]);
      made.result_attributes[i] = m.dictionary(std::move(attributes));
    }
  }
  return all;
}

Result<bool> PlaneSplitter::visit(Rewriter& rewriter, Visit& v) {
  ElementType element = ElementType::None;
  const auto meet = [&](ValueId value) { element = element == ElementType::None ? wide(v, value) : element; };
  for (ValueId r : v.old.results(v.op)) meet(r);
  for (ValueId o : v.old.operands(v.op)) meet(o);
  if (element == ElementType::None) return false;
  part_ = part_of(element);
  Table& table = tables_[&v.old];
  inputs_.clear();
  for (ValueId o : v.old.operands(v.op)) {
    const auto found = wide(v, o) == ElementType::None ? table.end() : table.find(o.index);
    inputs_.push_back(found == table.end() ? nullptr : &found->second);
  }
  shape_.clear();
  if (v.old.results(v.op).size() > 0) shape_ = v.out.module().type(v.result_type()).shape;
  if (!v.old.regions(v.op).empty()) {
    if (v.kind() != OpKind::SelectAndScatter) return expand(rewriter, v);
  } else {
    if (v.kind() == OpKind::OptimizationBarrier) {
      std::size_t i = 0;
      for (ValueId r : v.old.results(v.op)) {
        if (inputs_[i]) table[r.index] = Planes(*inputs_[i]);
        v.map[r] = v.operands[i++];
      }
      return true;
    }
    if (moves_elements(v.kind()) && move(v)) return true;
    if (v.kind() == OpKind::Constant) return replace(v, constant(v));
    auto done = compute(v);
    if (!done || *done) return done;
  }
  Place place = graph::place_of(v.out.module(), v.location());
  place.op = std::string(graph::op_name(v.kind()));
  return fail(Code::NoTypeLowering, place, "it takes or makes " + std::string(name()) + ", which have no lowering here yet");
}

// The same movement of both planes; of an op whose start indices alone are split, these.
bool PlaneSplitter::move(Visit& v) {
  if (v.old.results(v.op).size() != 1) return false;
  Planes made{{}, {}, 0, {}};
  const bool result = wide(v, v.old.result(v.op)) != ElementType::None;
  for (int plane = 0; plane < (result ? 2 : 1); ++plane) {
    std::vector<ValueId> operands;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (!inputs_[i]) {
        operands.push_back(v.operands[i]);
      } else if (is_index(v.kind(), i, 0)) {
        operands.push_back(index(v, i));
      } else {
        operands.push_back(plane == 0 ? inputs_[i]->low : inputs_[i]->high);
        made.most = std::max(made.most, inputs_[i]->most);
      }
    }
    const TypeId to = result ? type(v, part_) : v.result_type();
    (plane == 0 ? made.low : made.high) = v.out.emit(v.kind(), operands, to, v.old.attributes_of(v.op), v.location());
    if (result && made.small()) break;
  }
  if (!result) return v.replace(made.low);
  if (made.small()) made.high = number(v, 0);
  return replace(v, made);
}

Planes PlaneSplitter::constant(Visit& v) {
  graph::Module& m = v.out.module();
  const graph::Constant& c = m.constant(m.attribute(v.attr("value")).constant);
  const std::size_t n = c.bytes.size() / 8;
  std::vector<std::byte> low(n * 4), high(n * 4);
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t x;
    std::memcpy(&x, c.bytes.data() + i * 8, 8);
    most = std::max(most, x);
    std::memcpy(low.data() + i * 4, c.bytes.data() + i * 8, 4);
    std::memcpy(high.data() + i * 4, c.bytes.data() + i * 8 + 4, 4);
  }
  const bool splat = c.splat;
  const auto plane = [&](std::vector<std::byte> bytes) {
    graph::Attribute literal;
    literal.kind = graph::AttrKind::Constant;
    literal.constant = m.own_constant(type(v, part_), splat, std::move(bytes));
    const AttrId dict = m.dictionary({{"value", m.intern(std::move(literal))}});
    return v.out.emit(OpKind::Constant, {}, type(v, part_), dict, v.location());
  };
  const ValueId first = plane(std::move(low));
  return {first, plane(std::move(high)), is_float(part_) ? UINT64_MAX : most, {}};
}

ValueId PlaneSplitter::index(Visit& v, std::size_t operand) {
  const Planes& a = *inputs_[operand];
  const bool is_signed = type_class(wide(v, v.old.operand(v.op, operand))) == TypeClass::Signed;
  Formula f(v);
  const ValueId low = f.to(a.low, ElementType::I32);
  if (a.most <= static_cast<std::uint64_t>(INT32_MAX)) return low;
  const ValueId high = f.to(a.high, ElementType::I32), zero = f.splat(low, 0);
  const ValueId negative = is_signed ? f.compare(high, "LT", 0) : f.compare(zero, "LT", zero);
  const ValueId same_sign = f.compare(high, "EQ", f.select(f.compare(low, "LT", 0), f.splat(low, -1), zero));
  const ValueId fits = is_signed ? same_sign : ValueId(f.bit_and(f.compare(high, "EQ", zero), f.compare(low, "GE", zero)));
  return f.select(fits, low, f.select(negative, f.splat(low, INT32_MIN), f.splat(low, INT32_MAX)));
}

// Carried values that never change, and the counter of a loop whose end is known, keep below what is known of them.
void PlaneSplitter::narrow_carried(Rewriter& rewriter, const Visit& v, std::vector<std::uint64_t>& most) {
  const graph::Function& body = rewriter.old_function(v.old.regions(v.op)[1]);
  const auto next = body.operands(body.terminator());
  for (std::size_t i = 0; i < next.size(); ++i)
    if (inputs_[i] && next[i] == ValueId(i)) most[i] = inputs_[i]->most;
  const auto loop = graph::counted_loop(v.out.module(), v.old, v.op, [&](FunctionId id) -> const graph::Function& { return rewriter.old_function(id); });
  if (!loop || !inputs_[loop->counter] || loop->step < 0 || loop->start < 0) return;
  most[loop->counter] = static_cast<std::uint64_t>(loop->start + loop->trips * loop->step);
}

// A scatter that puts its updates in place: a scatter each for the planes.
Result<bool> PlaneSplitter::replace_rows(Rewriter& rewriter, Visit& v) {
  graph::Module& m = v.out.module();
  const graph::Function& region = rewriter.old_function(v.old.regions(v.op)[0]);
  const std::size_t n = scattered(v.old, v.op);
  const auto returned = region.operands(region.terminator());
  for (std::size_t i = 0; i < n; ++i)
    if (returned[i] != ValueId(n + i)) return false;
  const ValueId indices = inputs_[n] ? index(v, n) : v.operands[n];
  for (std::size_t i = 0; i < n; ++i) {
    const ValueId old = v.old.result(v.op, i);
    const bool split = inputs_[i] != nullptr;
    Planes planes;
    for (int plane = 0; plane < (split ? 2 : 1); ++plane) {
      const auto part = [&](std::size_t k) { return !split ? v.operands[k] : plane == 0 ? inputs_[k]->low : inputs_[k]->high; };
      const ValueId operands[] = {part(i), indices, part(n + 1 + i)};
      const TypeId types[] = {v.out.function().type(operands[0])};
      const TypeId scalar = m.tensor(v.out.type(operands[0]).element, {});
      graph::Function made;
      made.is_region = true;
      made.add_parameter(scalar);
      const ValueId update[] = {made.add_parameter(scalar)};
      made.add_op(OpKind::Return, update, {});
      const FunctionId regions[] = {m.add_function(std::move(made))};
      const OpId op = v.out.emit_op(OpKind::Scatter, operands, types, v.old.attributes_of(v.op), v.location(), regions, 0, {});
      (plane == 0 ? planes.low : planes.high) = v.out.function().result(op);
    }
    v.map[old] = planes.low;
    if (split) tables_[&v.old][old.index] = planes;
  }
  return true;
}

// An op with regions: both planes of each operand, parameter, captured value and result, side by side.
Result<bool> PlaneSplitter::expand(Rewriter& rewriter, Visit& v) {
  if (v.kind() == OpKind::Scatter) {
    auto done = replace_rows(rewriter, v);
    if (!done || *done) return done;
  }
  graph::Module& m = v.out.module();
  const bool sorts = v.kind() == OpKind::Sort, loops = v.kind() == OpKind::While;
  const std::size_t count = inputs_.size(), captures = v.old.capture_count(v.op), own = count - captures;
  std::vector<std::uint64_t> most(count, UINT64_MAX);
  std::vector<bool> biased(count, false);
  for (std::size_t i = 0; i < count; ++i) {
    if (!inputs_[i]) continue;
    if (sorts || i >= own) most[i] = inputs_[i]->most;
    biased[i] = sorts && i < own && !inputs_[i]->small() && type_class(wide(v, v.old.operand(v.op, i))) == TypeClass::Signed;
  }
  if (loops) narrow_carried(rewriter, v, most);
  std::vector<ValueId> operands;
  std::uint32_t captured = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t before = operands.size();
    if (!inputs_[i]) {
      operands.push_back(v.operands[i]);
    } else if (is_index(v.kind(), i, v.kind() == OpKind::Scatter ? scattered(v.old, v.op) : 0)) {
      operands.push_back(index(v, i));
    } else {
      operands.push_back(inputs_[i]->low);
      if (most[i] > 0xFFFFFFFFull) operands.push_back(biased[i] ? turn_sign(v.out, inputs_[i]->high, v.location()) : inputs_[i]->high);
    }
    if (i >= own) captured += static_cast<std::uint32_t>(operands.size() - before);
  }
  // Which operand a region's parameter stands for differs from op to op; only these tell what they know of it.
  for (FunctionId id : v.old.regions(v.op)) {
    const graph::Function& region = rewriter.old_function(id);
    Region& call = regions_[&region];
    call = Region();
    const std::size_t inner = region.parameter_count() - captures;
    call.most.assign(region.parameter_count(), UINT64_MAX);
    call.biased.assign(region.parameter_count(), false);
    for (std::size_t k = 0; k < captures; ++k) call.most[inner + k] = most[own + k];
    if (loops) {
      for (std::size_t i = 0; i < inner; ++i) call.most[i] = most[i];
      if (id == v.old.regions(v.op)[1])
        for (std::size_t i = 0; i < inner; ++i) call.small_results.push_back(most[i] <= 0xFFFFFFFFull);
    }
    call.sides = sorts;
    for (std::size_t p = 0; sorts && p < inner; ++p) {
      call.most[p] = most[p / 2];
      call.biased[p] = biased[p / 2];
    }
  }
  std::vector<TypeId> types;
  for (std::size_t i = 0; i < v.old.results(v.op).size(); ++i) {
    const TypeId whole = v.result_type(i);
    const ElementType part = wide(v, v.old.result(v.op, i)) == ElementType::None ? ElementType::None : part_of(m.type(whole).element);
    const std::vector<std::int64_t> shape = m.type(whole).shape;
    types.push_back(part == ElementType::None ? whole : m.tensor(part, shape));
    const bool small = (loops || sorts) && most[i] <= 0xFFFFFFFFull;
    if (part != ElementType::None && !small) types.push_back(types.back());
  }
  const ElementType part = part_;  // regions hold ops that are visited
  auto regions = rewriter.rewrite_regions(v);
  if (!regions) return regions.failure();
  const OpId made = v.out.emit_op(v.kind(), operands, types, v.old.attributes_of(v.op), v.location(), *regions, captured, v.old.extra_attributes(v.op));
  part_ = part;
  std::size_t at = 0;
  for (std::size_t i = 0; i < v.old.results(v.op).size(); ++i) {
    const ValueId old = v.old.result(v.op, i);
    v.map[old] = v.out.function().result(made, at++);
    if (wide(v, old) == ElementType::None) continue;
    Planes planes{v.map[old], {}, UINT64_MAX, {}};
    if ((loops || sorts) && most[i] <= 0xFFFFFFFFull) {
      planes.most = most[i];
      const std::vector<std::int64_t> shape = m.type(v.old.type(old)).shape;
      planes.high = splat_of(v.out, part_of(m.type(v.old.type(old)).element), shape, 0, v.location());
    } else {
      planes.high = v.out.function().result(made, at++);
      if (sorts && biased[i]) planes.high = turn_sign(v.out, planes.high, v.location());
    }
    tables_[&v.old][old.index] = planes;
  }
  return true;
}

}  // namespace openneuron::opt
