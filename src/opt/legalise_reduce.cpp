// Reductions in the form that engines have: one operand, one op, from the op's identity. An initial value that is
// another one is combined with the result; several operands part where they do not meet; argmax and argmin become a
// maximum and the least index that has it; every other region is folded by pairs.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "opt/apply_region.h"
#include "opt/legalise_rules.h"
#include "opt/legalise_tools.h"
#include "opt/moves.h"

namespace openneuron::opt::rules {
namespace {

using graph::OpKind;
using Ints = std::vector<std::int64_t>;

constexpr std::int64_t kStagedSum = 512;  // elements from which a sum of everything goes in stages
constexpr std::int64_t kRowsOfSum = 128;  // rows that its first stage leaves, if the shape allows

// The op that result i of a region is made by from parameters i and n + i alone.
std::optional<OpKind> op_of_result(const graph::Function& region, std::size_t i, std::size_t n) {
  const OpId op = region.definition(region.operand(region.terminator(), i));
  if (!op.valid() || region.operands(op).size() != 2) return std::nullopt;
  const ValueId a = region.operand(op, 0), b = region.operand(op, 1), x(i), y(n + i);
  if (!((a == x && b == y) || (a == y && b == x))) return std::nullopt;
  if (region.type(x) != region.type(region.result(op))) return std::nullopt;
  if (!reduces(region.kind(op))) return std::nullopt;
  return region.kind(op);
}

// Which of a and b a region picks, for every way in which two values and two indices can compare.
class Chooser {
 public:
  Chooser(const graph::Module& module, const graph::Function& region) : m_(module), region_(region) {}

  enum class Meaning : std::uint8_t { None, Max, Min };
  Meaning meaning() const {
    if (region_.parameter_count() != 4 || region_.operands(region_.terminator()).size() != 2) return Meaning::None;
    const bool floats = is_float(m_.type(region_.type(ValueId(0))).element);
    bool max = true, min = true;
    for (double a : {0.0, 1.0, std::nan("")})
      for (double b : {0.0, 1.0, std::nan("")})
        for (int ai : {0, 1})
          for (int bi : {0, 1}) {
            if (!floats && (std::isnan(a) || std::isnan(b))) continue;
            const auto got = run({a, static_cast<double>(ai), b, static_cast<double>(bi)});
            if (!got) return Meaning::None;
            // Of two NaNs the caller takes the first: both answers agree with indices that ascend.
            if (std::isnan(a) && std::isnan(b)) continue;
            const auto agrees = [&](bool wins_a, bool wins_b) {
              const bool tie = !wins_a && !wins_b;
              const double index = wins_a ? ai : wins_b ? bi : std::min(ai, bi);
              const double value = wins_a ? a : b;
              return (*got)[1] == index && (tie || (*got)[0] == value || (std::isnan((*got)[0]) && std::isnan(value)));
            };
            max = max && agrees(std::isnan(a) || a > b, std::isnan(b) || b > a);
            min = min && agrees(std::isnan(a) || a < b, std::isnan(b) || b < a);
          }
    return max ? Meaning::Max : min ? Meaning::Min : Meaning::None;
  }

 private:
  // Comparisons, logic and choices only: then the cases above are all that there are.
  std::optional<std::array<double, 2>> run(std::array<double, 4> parameters) const {
    std::vector<double> value(region_.value_count());
    std::copy(parameters.begin(), parameters.end(), value.begin());
    for (OpId op : region_.ops()) {
      const auto at = [&](std::size_t i) { return value[region_.operand(op, i).index]; };
      if (op != region_.terminator() && region_.results(op).size() != 1) return std::nullopt;
      if (op == region_.terminator()) return std::array<double, 2>{at(0), at(1)};
      double& out = value[region_.result(op).index];
      switch (region_.kind(op)) {
        case OpKind::Compare: {
          const std::string_view d = m_.text(region_, op, "comparison_direction");
          const ElementType e = m_.type(region_.type(region_.operand(op, 0))).element;
          if (m_.text(region_, op, "compare_type") == "TOTALORDER") return std::nullopt;
          if (e == ElementType::I1 || !same_side(op)) return std::nullopt;
          const double x = at(0), y = at(1);
          out = d == "EQ" ? x == y : d == "NE" ? x != y : d == "LT" ? x < y : d == "LE" ? x <= y : d == "GT" ? x > y : x >= y;
          break;
        }
        case OpKind::And: out = at(0) != 0 && at(1) != 0; break;
        case OpKind::Or: out = at(0) != 0 || at(1) != 0; break;
        case OpKind::Xor: out = (at(0) != 0) != (at(1) != 0); break;
        case OpKind::Not: out = at(0) == 0; break;
        case OpKind::Select: out = at(0) != 0 ? at(1) : at(2); break;
        default: return std::nullopt;
      }
      const bool logic = region_.kind(op) != OpKind::Compare && region_.kind(op) != OpKind::Select;
      if (logic && m_.type(region_.type(region_.result(op))).element != ElementType::I1) return std::nullopt;
    }
    return std::nullopt;
  }
  // A comparison is of two values or of two indices, as parameters.
  bool same_side(OpId op) const {
    const std::uint32_t a = region_.operand(op, 0).index, b = region_.operand(op, 1).index;
    return a < 4 && b < 4 && a % 2 == b % 2;
  }

  const graph::Module& m_;
  const graph::Function& region_;
};

// An iota along `dim`, possibly broadcast over other dims.
bool counts_along(const Visit& v, ValueId value, std::int64_t dim) {
  for (int depth = 0; depth < 8; ++depth) {
    const OpId op = v.out.function().definition(value);
    if (!op.valid()) return false;
    const graph::Module& m = v.out.module();
    const graph::Function& f = v.out.function();
    if (f.kind(op) == OpKind::Iota) return m.integer(f, op, "iota_dimension", 0) == dim;
    if (f.kind(op) != OpKind::BroadcastInDim) return false;
    const auto dims = m.ints(f, op, "broadcast_dimensions");
    std::int64_t inner = -1;
    for (std::size_t i = 0; i < dims.size(); ++i)
      if (dims[i] == dim) inner = static_cast<std::int64_t>(i);
    const ValueId source = f.operand(op, 0);
    if (inner < 0 || m.value_type(f, source).shape[static_cast<std::size_t>(inner)] != m.value_type(f, value).shape[static_cast<std::size_t>(dim)]) return false;
    value = source;
    dim = inner;
  }
  return false;
}

ValueId back(Visit& v, ValueId reduced, TypeId to, std::int64_t gone) {
  Ints dims;
  for (std::int64_t i = 0; i < v.out.module().type(to).rank(); ++i)
    if (i != gone) dims.push_back(i);
  return broadcast(v, reduced, to, dims);
}

// The largest (least) value and the first index that has it; NaN is larger (less) than all.
std::vector<ValueId> first_of_best(Visit& v, Chooser::Meaning meaning, ValueId values, ValueId indices, std::int64_t dim) {
  Formula f(v);
  const std::int64_t dims[] = {dim};
  const ValueId best = reduce_with(v, meaning == Chooser::Meaning::Max ? OpKind::Maximum : OpKind::Minimum, values, dims);
  ValueId hit = f.compare(values, "EQ", back(v, best, v.out.function().type(values), dim));
  if (is_float(f.element(values))) hit = f.bit_or(hit, f.compare(values, "NE", values));
  const TypeId index_type = v.out.function().type(indices);
  const ValueId never = v.out.splat_constant(index_type, identity_of(OpKind::Minimum, f.element(indices)), v.location());
  return {best, reduce_with(v, OpKind::Minimum, f.select(hit, indices, never), dims)};
}

ValueId without_dims(Visit& v, ValueId value, TypeId like) {
  const std::vector<std::int64_t> shape = v.out.module().type(like).shape;
  const ElementType element = v.out.type(value).element;
  return v.out.emit(OpKind::Reshape, {value}, v.out.module().tensor(element, shape), {}, v.location());
}

// The results from reduced values, which the initial values join.
Result<bool> finish(Rewriter& rewriter, Visit& v, std::vector<ValueId> reduced, std::span<const ValueId> initial) {
  std::vector<ValueId> both;
  for (std::size_t i = 0; i < reduced.size(); ++i) {
    const TypeId type = with_element(v.out.module(), v.result_type(i), v.out.type(initial[i]).element);
    both.push_back(broadcast(v, initial[i], type));
  }
  both.insert(both.end(), reduced.begin(), reduced.end());
  auto joined = apply_region(rewriter, v, v.old.regions(v.op)[0], both);
  if (!joined) return joined.failure();
  for (std::size_t i = 0; i < reduced.size(); ++i) v.map[v.old.result(v.op, i)] = (*joined)[i];
  return true;
}

}  // namespace

// The sum of everything, in stages: rows on Vector, then what is left of each row on the PE. In one stage the PE would run a
// column at a time.
ValueId sum_of_all(Visit& v, ValueId x) {
  Moves moves(v);
  for (;;) {
    Ints shape = moves.shape(x);
    std::int64_t count = 1;
    for (std::int64_t n : shape) count *= n;
    std::int64_t rows = 1;
    std::size_t kept = 0;  // leading dims that the first stage keeps
    while (kept + 1 < shape.size() && rows < kRowsOfSum) rows *= shape[kept++];
    if (count < kStagedSum || (rows == 1 && shape.size() > 1)) break;
    if (shape.size() == 1) {
      for (rows = kRowsOfSum; count % rows != 0;) --rows;
      if (rows < kRowsOfSum / 4) break;
      x = moves.reshape(x, {rows, count / rows});
      kept = 1;
      shape = moves.shape(x);
    }
    Ints gone;
    for (std::size_t d = kept; d < shape.size(); ++d) gone.push_back(static_cast<std::int64_t>(d));
    x = reduce_with(v, OpKind::Add, x, gone);
  }
  Ints all;
  for (std::size_t d = 0; d < moves.shape(x).size(); ++d) all.push_back(static_cast<std::int64_t>(d));
  return reduce_with(v, OpKind::Add, x, all);
}

Result<bool> map(Rewriter& rewriter, Visit& v) {
  const std::size_t captured = v.old.capture_count(v.op);
  auto made = apply_region(rewriter, v, v.old.regions(v.op)[0], v.operands.first(v.operands.size() - captured));
  if (!made) return made.failure();
  return v.replace((*made)[0]);
}

Result<bool> reduce(Rewriter& rewriter, Visit& v) {
  const std::size_t n = v.old.results(v.op).size();
  const auto inputs = v.operands.first(n), initial = v.operands.subspan(n, n);
  const Ints dims(v.ints("dimensions").begin(), v.ints("dimensions").end());
  const graph::Function& region = rewriter.old_function(v.old.regions(v.op)[0]);
  const Ints shape = v.out.type(inputs[0]).shape;
  const bool captures = v.old.capture_count(v.op) != 0;
  std::int64_t count = 1;
  for (std::int64_t d : dims) count *= shape[static_cast<std::size_t>(d)];
  if (count == 0) {  // over nothing: the initial values
    for (std::size_t i = 0; i < n; ++i) v.map[v.old.result(v.op, i)] = broadcast(v, initial[i], v.result_type(i));
    return true;
  }

  // Results that one op makes, each from its own operand.
  std::vector<OpKind> kinds;
  for (std::size_t i = 0; i < n && !captures; ++i)
    if (auto kind = op_of_result(region, i, n)) kinds.push_back(*kind);
  if (n == 1 && kinds.size() == 1 && kinds[0] == OpKind::Maximum) {
    const auto start = v.out.splat(initial[0]);
    if (start && is_identity(kinds[0], *start) && scaled_maximum(v, dims)) return true;
  }
  if (kinds.size() == n) {
    Formula f(v);
    for (std::size_t i = 0; i < n; ++i) {
      const ElementType element = v.out.module().type(region.type(ValueId(i))).element;  // may be wider than the operand's
      const ValueId input = f.to(inputs[i], element), start = f.to(initial[i], element);
      const auto splat = v.out.splat(start);
      const bool everything = kinds[i] == OpKind::Add && element == ElementType::F32 && dims.size() == shape.size() && dims.size() > 0;
      ValueId result = count == 1   ? without_dims(v, input, v.result_type(i))
                       : everything ? sum_of_all(v, input)
                                    : reduce_with(v, kinds[i], input, dims);
      if (!splat || !is_identity(kinds[i], *splat)) result = f.op(kinds[i], broadcast(v, start, v.out.function().type(result)), result);
      v.map[v.old.result(v.op, i)] = f.to(result, v.out.module().type(v.result_type(i)).element);
    }
    return true;
  }

  if (n == 2 && dims.size() == 1 && !captures && counts_along(v, inputs[1], dims[0])) {
    const auto meaning = Chooser(v.out.module(), region).meaning();
    if (meaning != Chooser::Meaning::None) {
      const std::vector<ValueId> found = first_of_best(v, meaning, inputs[0], inputs[1], dims[0]);
      // From the identity and index 0 the initial values change nothing: where all are the identity, 0 is the first.
      const auto value = v.out.splat(initial[0]), index = v.out.splat(initial[1]);
      const OpKind kind = meaning == Chooser::Meaning::Max ? OpKind::Maximum : OpKind::Minimum;
      if (value && index && !index->is_float && index->integer == 0 && is_identity(kind, *value)) {
        for (std::size_t i = 0; i < n; ++i) v.map[v.old.result(v.op, i)] = found[i];
        return true;
      }
      return finish(rewriter, v, found, initial);
    }
  }

  std::vector<ValueId> folded(inputs.begin(), inputs.end());
  Ints inner_first = dims;
  std::sort(inner_first.rbegin(), inner_first.rend());
  for (std::int64_t d : inner_first) {
    auto next = fold_by_region(rewriter, v, v.old.regions(v.op)[0], std::move(folded), d);
    if (!next) return next.failure();
    folded = std::move(*next);
  }
  for (std::size_t i = 0; i < n; ++i) folded[i] = without_dims(v, folded[i], v.result_type(i));
  return finish(rewriter, v, std::move(folded), initial);
}

}  // namespace openneuron::opt::rules
