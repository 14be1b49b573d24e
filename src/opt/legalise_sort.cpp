// Every sort becomes stable sorts of one key operand with one payload: keys from the last to the first, each of them
// moving one other operand at a time. A comparator that is no order of keys is applied to all pairs, which gives each
// element its place. top_k beyond eight, and that of 32-bit integers, is a sort.
#include <algorithm>
#include <cmath>
#include <optional>

#include "graph/op_info.h"
#include "num/convert.h"
#include "opt/legalise_rules.h"
#include "opt/vectorise.h"

namespace openneuron::opt::rules {

using graph::OpKind;

namespace {

constexpr std::int64_t kEight = 8;
constexpr std::int64_t kMax8Widest = 16384;
constexpr std::int64_t kMostPairs = std::int64_t{1} << 24;  // of elements, that a comparator is applied to

struct Key {
  std::size_t operand = 0;
  bool descending = false;
  bool total = false;  ///< floats: by bits, else zeros alike and NaNs alike above all else
};

// Reads comparators: what JAX writes for one key or several, and the same by hand.
class Comparator {
 public:
  Comparator(const graph::Module& module, const graph::Function& region, std::size_t operands)
      : m_(module), f_(region), sides_(2 * operands) {}

  std::optional<std::vector<Key>> keys() const {
    const auto returned = f_.operands(f_.terminator());
    std::vector<Key> found;
    if (returned.size() != 1 || !order(returned[0], found, 0)) return std::nullopt;
    return found;
  }

 private:
  struct Side {
    std::size_t parameter;
    bool zeros, nans;  ///< made alike
    bool operator==(const Side&) const = default;
  };

  OpId definition(ValueId x, OpKind kind) const {
    const OpId op = f_.definition(x);
    return op.valid() && f_.kind(op) == kind ? op : OpId();
  }
  std::optional<double> number(ValueId x) const {
    const OpId op = definition(x, OpKind::Constant);
    if (!op.valid()) return std::nullopt;
    const graph::Constant& c = m_.constant(m_.attribute(m_.attr(f_, op, "value")).constant);
    const ElementType e = m_.type(c.type).element;
    if (is_complex(e)) return std::nullopt;
    return is_float(e) ? load_double(e, c.bytes.data(), 0) : static_cast<double>(load_int(e, c.bytes.data(), 0));
  }

  // x, select(x == 0, 0, x), select(x != x, NaN, ...) of a parameter x.
  std::optional<Side> side(ValueId value, int depth = 0) const {
    constexpr int kMostSelects = 4;
    if (value.index < sides_) return Side{value.index, false, false};
    if (value.index < f_.parameter_count() || depth == kMostSelects) return std::nullopt;  // captured
    const OpId select = definition(value, OpKind::Select);
    if (!select.valid()) return std::nullopt;
    const OpId compare = definition(f_.operand(select, 0), OpKind::Compare);
    const auto constant = number(f_.operand(select, 1));
    auto inner = side(f_.operand(select, 2), depth + 1);
    if (!compare.valid() || !constant || !inner) return std::nullopt;
    const ValueId x(inner->parameter);
    const auto direction = m_.text(f_, compare, "comparison_direction");
    if (f_.operand(compare, 0) != x) return std::nullopt;
    if (direction == "EQ" && *constant == 0 && !std::signbit(*constant) && number(f_.operand(compare, 1)) == 0.0) {
      inner->zeros = true;
      return inner;
    }
    if (direction == "NE" && std::isnan(*constant) && !std::signbit(*constant) && f_.operand(compare, 1) == x) {
      inner->nans = true;
      return inner;
    }
    return std::nullopt;
  }

  // `value` compares the two sides of one operand; `equal`: by EQ, else by LT or GT.
  std::optional<Key> key(ValueId value, bool equal) const {
    const OpId compare = definition(value, OpKind::Compare);
    if (!compare.valid()) return std::nullopt;
    auto a = side(f_.operand(compare, 0)), b = side(f_.operand(compare, 1));
    if (!a || !b || a->zeros != b->zeros || a->nans != b->nans) return std::nullopt;
    if (a->parameter / 2 != b->parameter / 2 || a->parameter == b->parameter) return std::nullopt;
    const auto direction = m_.text(f_, compare, "comparison_direction");
    if (equal ? direction != "EQ" : direction != "LT" && direction != "GT") return std::nullopt;
    Key k;
    k.operand = a->parameter / 2;
    k.descending = (direction == "GT") != (a->parameter > b->parameter);
    const bool by_bits = m_.text(f_, compare, "compare_type") == "TOTALORDER";
    if (by_bits && a->zeros != a->nans) return std::nullopt;
    k.total = by_bits && !a->zeros;
    return k;
  }

  // first < or (first == and rest), in either order of operands, or select(first ==, rest, first <).
  bool order(ValueId value, std::vector<Key>& found, int depth) const {
    constexpr int kMostKeys = 32;
    if (depth > kMostKeys) return false;
    if (const auto k = key(value, false)) {
      found.push_back(*k);
      return true;
    }
    const auto follow = [&](ValueId less, ValueId alike, ValueId rest) {
      const auto first = key(less, false), same = key(alike, true);
      if (!first || !same || first->operand != same->operand || first->total != same->total) return false;
      found.push_back(*first);
      return order(rest, found, depth + 1);
    };
    if (const OpId choice = definition(value, OpKind::Select); choice.valid())
      return follow(f_.operand(choice, 2), f_.operand(choice, 0), f_.operand(choice, 1));
    const OpId either = definition(value, OpKind::Or);
    if (!either.valid()) return false;
    for (std::size_t i : {0u, 1u}) {
      const OpId both = definition(f_.operand(either, 1 - i), OpKind::And);
      if (!both.valid() || !key(f_.operand(either, i), false)) continue;
      for (std::size_t j : {0u, 1u})
        if (key(f_.operand(both, j), true)) return follow(f_.operand(either, i), f_.operand(both, j), f_.operand(both, 1 - j));
    }
    return false;
  }

  const graph::Module& m_;
  const graph::Function& f_;
  std::size_t sides_;  ///< parameters that are elements; those after them are captured
};

AttrId comparison(graph::Module& m, std::string_view direction, std::string_view kind) {
  return m.dictionary({{"comparison_direction", m.enum_attr("comparison_direction", direction)},
                       {"compare_type", m.enum_attr("comparison_type", kind)}});
}

// (a, b, ...) -> a before b. Lowering tells the orders of floats apart by the selects.
FunctionId comparator(Visit& v, std::span<const ElementType> elements, const Key& key) {
  graph::Module& m = v.out.module();
  graph::Function made;
  made.is_region = true;
  for (ElementType e : elements)
    for (int side = 0; side < 2; ++side) made.add_parameter(m.tensor(e, {}));
  const ElementType e = elements[0];
  const TypeId scalar = m.tensor(e, {}), truth = m.tensor(ElementType::I1, {});
  Builder out(m, made);
  ValueId sides[2] = {ValueId(std::size_t{0}), ValueId(std::size_t{1})};
  if (is_float(e) && !key.total) {
    const ValueId zero = out.constant(scalar, 0, v.location()), nan = out.constant(scalar, NAN, v.location());
    for (ValueId& x : sides) {
      const ValueId is_zero = out.emit(OpKind::Compare, {x, zero}, truth, comparison(m, "EQ", "FLOAT"), v.location());
      const ValueId is_nan = out.emit(OpKind::Compare, {x, x}, truth, comparison(m, "NE", "FLOAT"), v.location());
      const ValueId alike = out.emit(OpKind::Select, {is_zero, zero, x}, scalar, {}, v.location());
      x = out.emit(OpKind::Select, {is_nan, nan, alike}, scalar, {}, v.location());
    }
  }
  const std::string_view kind = is_float(e) ? "TOTALORDER" : type_class(e) == TypeClass::Signed ? "SIGNED" : "UNSIGNED";
  const ValueId before[] = {out.emit(OpKind::Compare, {sides[0], sides[1]}, truth, comparison(m, key.descending ? "GT" : "LT", kind), v.location())};
  made.add_op(OpKind::Return, before, {}, {}, v.location());
  return m.add_function(std::move(made));
}

// A stable sort of the first value's rows, the second (if any) moved alike.
std::vector<ValueId> sort_pair(Visit& v, std::span<const ValueId> values, std::int64_t dimension, const Key& key) {
  graph::Module& m = v.out.module();
  std::vector<ElementType> elements;
  std::vector<TypeId> types;
  for (ValueId x : values) {
    elements.push_back(v.out.type(x).element);
    types.push_back(v.out.function().type(x));
  }
  const FunctionId regions[] = {comparator(v, elements, key)};
  const AttrId attributes = m.dictionary({{"dimension", m.int_attr(dimension)}, {"is_stable", m.bool_attr(true)}});
  const OpId op = v.out.emit_op(OpKind::Sort, values, types, attributes, v.location(), regions, 0, {});
  std::vector<ValueId> sorted;
  for (ValueId r : v.out.function().results(op)) sorted.push_back(r);
  return sorted;
}

std::vector<ValueId> sort_by_keys(Visit& v, std::vector<ValueId> values, std::int64_t dimension, std::span<const Key> keys) {
  for (std::size_t i = keys.size(); i-- > 0;) {
    const std::size_t at = keys[i].operand;
    std::vector<ValueId> next = values;
    if (values.size() == 1) next = sort_pair(v, values, dimension, keys[i]);
    for (std::size_t j = 0; j < values.size(); ++j) {
      if (j == at) continue;
      const ValueId pair[] = {values[at], values[j]};
      const std::vector<ValueId> sorted = sort_pair(v, pair, dimension, keys[i]);
      next[at] = sorted[0];
      next[j] = sorted[1];
    }
    values = next;
  }
  return values;
}

FunctionId region_of_two(Visit& v, ElementType element, std::optional<OpKind> kind) {
  graph::Module& m = v.out.module();
  const TypeId scalar = m.tensor(element, {});
  graph::Function made;
  made.is_region = true;
  const ValueId both[] = {made.add_parameter(scalar), made.add_parameter(scalar)};
  const TypeId types[] = {scalar};
  const ValueId returned[] = {kind ? made.result(made.add_op(*kind, both, types, {}, v.location())) : both[1]};
  made.add_op(OpKind::Return, returned, {}, {}, v.location());
  return m.add_function(std::move(made));
}

// The place of an element is the number of those before it: those that the comparator puts there, and of the others that
// it does not put behind, those that stand before it already.
Result<std::vector<ValueId>> sort_by_places(Rewriter& rewriter, Visit& v, const graph::Function& region,
                                            std::span<const ValueId> captured, std::span<const ValueId> values, std::size_t dimension) {
  graph::Module& m = v.out.module();
  Moves moves(v);
  Formula f(v);
  const Shape shape = moves.shape(values[0]);
  const std::int64_t n = shape[dimension];
  if (n > kMostPairs / n || v.out.type(values[0]).element_count() > kMostPairs / n) {
    Place place;
    place.op = std::string(graph::op_name(OpKind::Sort));
    return fail(Code::NoLowering, place, "its comparator is no order of keys, and its rows are too long to compare all pairs of elements");
  }
  Shape front, batch, back;  // the sorted dim goes last, and back
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (d != dimension) {
      front.push_back(static_cast<std::int64_t>(d));
      batch.push_back(shape[d]);
    }
  front.push_back(static_cast<std::int64_t>(dimension));
  back.resize(front.size());
  for (std::size_t i = 0; i < front.size(); ++i) back[static_cast<std::size_t>(front[i])] = static_cast<std::int64_t>(i);
  Shape rows = batch, pairs = batch, one, other;
  rows.push_back(n);
  pairs.insert(pairs.end(), {n, n});  // [..., of this element, against that one]
  for (std::size_t d = 0; d < batch.size(); ++d) one.push_back(static_cast<std::int64_t>(d));
  other = one;
  one.push_back(static_cast<std::int64_t>(batch.size()));
  other.push_back(static_cast<std::int64_t>(batch.size()) + 1);
  std::vector<ValueId> moved, that_first, this_first;
  for (ValueId x : values) {
    moved.push_back(moves.transpose(x, front));
    const ValueId mine = moves.broadcast(moved.back(), pairs, one), its = moves.broadcast(moved.back(), pairs, other);
    that_first.insert(that_first.end(), {its, mine});
    this_first.insert(this_first.end(), {mine, its});
  }
  that_first.insert(that_first.end(), captured.begin(), captured.end());
  this_first.insert(this_first.end(), captured.begin(), captured.end());
  auto before = vectorise(rewriter, v, region, that_first, pairs);
  if (!before) return before.failure();
  auto behind = vectorise(rewriter, v, region, this_first, pairs);
  if (!behind) return behind.failure();
  const auto last = static_cast<std::int64_t>(batch.size());
  const ValueId earlier = f.compare(moves.iota(ElementType::I32, pairs, last + 1), "LT", moves.iota(ElementType::I32, pairs, last));
  const ValueId tied = f.bit_and(f.bit_xor((*behind)[0], moves.splat(ElementType::I1, pairs, 1)), earlier);
  const ValueId counted[] = {convert(v, f.bit_or((*before)[0], tied), ElementType::I32), moves.splat(ElementType::I32, {}, 0)};
  const Shape summed = {last + 1};
  const FunctionId sum[] = {region_of_two(v, ElementType::I32, OpKind::Add)};
  const TypeId place_type[] = {m.tensor(ElementType::I32, rows)};
  const OpId reduced = v.out.emit_op(OpKind::Reduce, counted, place_type, m.dictionary({{"dimensions", m.ints_attr(summed)}}), v.location(), sum, 0, {});
  Shape vectors = rows;
  vectors.push_back(1);
  const ValueId places = moves.reshape(v.out.function().result(reduced), vectors);
  const Shape map = {last}, no_dims;
  std::vector<std::int64_t> batch_list(one.begin(), one.end() - 1);
  const AttrId attributes = m.dictionary({{"update_window_dims", m.ints_attr(no_dims)}, {"inserted_window_dims", m.ints_attr(map)},
      {"input_batching_dims", m.ints_attr(batch_list)}, {"scatter_indices_batching_dims", m.ints_attr(batch_list)},
      {"scatter_dims_to_operand_dims", m.ints_attr(map)}, {"index_vector_dim", m.int_attr(last + 1)},
      {"indices_are_sorted", m.bool_attr(false)}, {"unique_indices", m.bool_attr(true)}});
  std::vector<ValueId> out;
  for (ValueId x : moved) {
    const ElementType e = moves.element(x);
    const ValueId operands[] = {moves.splat(e, rows, 0), places, x};
    const TypeId types[] = {m.tensor(e, rows)};
    const FunctionId replace[] = {region_of_two(v, e, std::nullopt)};
    const OpId scattered = v.out.emit_op(OpKind::Scatter, operands, types, attributes, v.location(), replace, 0, {});
    out.push_back(moves.transpose(v.out.function().result(scattered), back));
  }
  return out;
}

// chlo.top_k of at most eight, which lowering knows.
std::vector<ValueId> eight_of(Visit& v, ValueId x, std::int64_t k) {
  graph::Module& m = v.out.module();
  const graph::Type type = v.out.type(x);
  Shape shape = type.shape;
  shape.back() = k;
  const ValueId operands[] = {x};
  const TypeId types[] = {m.tensor(type.element, shape), m.tensor(ElementType::I32, shape)};
  const AttrId attributes = m.dictionary({{"is_stable", m.bool_attr(true)}, {"k", m.int_attr(k)}});
  const OpId op = v.out.emit_op(OpKind::ChloTopK, operands, types, attributes, v.location(), {}, 0, {});
  return {v.out.function().result(op, 0), v.out.function().result(op, 1)};
}

// The largest of each piece of the rows, then the largest of those; their places are looked up. Pieces stand in order,
// so of equal elements the first still comes first.
std::vector<ValueId> eight_of_pieces(Visit& v, ValueId x, std::int64_t k, std::int64_t pieces) {
  graph::Module& m = v.out.module();
  Moves moves(v);
  Formula f(v);
  const Shape shape = moves.shape(x);
  const std::size_t last = shape.size() - 1;
  const std::int64_t n = shape.back(), size = (n + pieces - 1) / pieces;
  std::vector<ValueId> values, places;
  for (std::int64_t at = 0; at < n; at += size) {
    const std::int64_t end = std::min(n, at + size);
    const std::vector<ValueId> best = eight_of(v, moves.slice(x, last, at, end), std::min(k, end - at));
    values.push_back(best[0]);
    places.push_back(f.add(best[1], static_cast<double>(at)));
  }
  const auto dim = static_cast<std::int64_t>(last);
  const std::vector<ValueId> best = eight_of(v, moves.concatenate(values, dim), k);
  const ValueId all = moves.concatenate(places, dim);
  Shape vectors = moves.shape(best[1]), batching, sizes(shape.size(), 1);
  const TypeId type = m.tensor(ElementType::I32, vectors);
  vectors.push_back(1);
  for (std::int64_t d = 0; d < dim; ++d) batching.push_back(d);
  const Shape mapped = {dim}, no_dims;
  const AttrId attributes = m.dictionary({{"offset_dims", m.ints_attr(no_dims)}, {"collapsed_slice_dims", m.ints_attr(mapped)},
      {"operand_batching_dims", m.ints_attr(batching)}, {"start_indices_batching_dims", m.ints_attr(batching)},
      {"start_index_map", m.ints_attr(mapped)}, {"index_vector_dim", m.int_attr(dim + 1)},
      {"slice_sizes", m.ints_attr(sizes)}, {"indices_are_sorted", m.bool_attr(false)}});
  return {best[0], v.out.emit(OpKind::Gather, {all, moves.reshape(best[1], vectors)}, type, attributes, v.location())};
}

bool set_results(Visit& v, std::span<const ValueId> values) {
  std::size_t i = 0;
  for (ValueId r : v.old.results(v.op)) v.map[r] = values[i++];
  return true;
}

}  // namespace

Result<bool> sort(Rewriter& rewriter, Visit& v) {
  const std::uint32_t captures = v.old.capture_count(v.op);
  std::vector<ValueId> values(v.operands.begin(), v.operands.end() - captures);
  const graph::Type& type = v.out.type(values[0]);
  std::int64_t dimension = v.out.module().attribute(v.attr("dimension")).integer;
  if (dimension < 0) dimension += static_cast<std::int64_t>(type.shape.size());
  if (type.shape.empty() || type.element_count() == 0 || type.shape[static_cast<std::size_t>(dimension)] == 1) return set_results(v, values);
  const graph::Function& region = rewriter.old_function(v.old.regions(v.op)[0]);
  if (const auto keys = Comparator(v.out.module(), region, values.size()).keys())
    return set_results(v, sort_by_keys(v, values, dimension, *keys));
  auto placed = sort_by_places(rewriter, v, region, v.operands.last(captures), values, static_cast<std::size_t>(dimension));
  if (!placed) return placed.failure();
  return set_results(v, *placed);
}

Result<bool> top_k(Rewriter&, Visit& v) {
  graph::Module& m = v.out.module();
  Moves moves(v);
  const Shape shape = moves.shape(v.operands[0]);
  const std::int64_t n = shape.back(), k = m.type(v.result_type()).shape.back();
  const ElementType e = moves.element(v.operands[0]);
  if (m.type(v.result_type()).element_count() == 0) return false;
  const bool in_fp32 = is_float(e) || bit_width(e) <= 16;  // fp32 holds it exactly
  const std::int64_t pieces = (n + kMax8Widest - 1) / kMax8Widest;
  if (k > kEight || !in_fp32 || pieces * kEight > kMax8Widest) {
    const auto last = static_cast<std::int64_t>(shape.size()) - 1;
    const ValueId values[] = {v.operands[0], moves.iota(ElementType::I32, shape, last)};
    std::vector<ValueId> sorted = sort_pair(v, values, last, Key{0, true, true});
    for (ValueId& x : sorted) x = moves.slice(x, shape.size() - 1, 0, k);
    return set_results(v, sorted);
  }
  if (is_float(e) && pieces == 1) return false;
  const ValueId source = is_float(e) ? v.operands[0] : convert(v, v.operands[0], ElementType::F32);
  std::vector<ValueId> largest = pieces == 1 ? eight_of(v, source, k) : eight_of_pieces(v, source, k, pieces);
  if (!is_float(e)) largest[0] = convert(v, largest[0], e);
  return set_results(v, largest);
}

}  // namespace openneuron::opt::rules
