// select_and_scatter without a routine: the window's taps are strided slices of the operand, walked in row-major order
// with the choice so far; then every operand position adds up what the windows that chose it bring, tap by tap.
#include <algorithm>

#include "opt/apply_region.h"
#include "opt/legalise_rules.h"
#include "opt/moves.h"

namespace openneuron::opt::rules {
namespace {

using graph::OpKind;

class Selector {
 public:
  Selector(Rewriter& rewriter, Visit& v) : rewriter_(rewriter), v_(v), f_(v), m_(v) {
    window_ = list("window_dimensions", 1);
    strides_ = list("window_strides", 1);
    const Shape padding = list("padding", 0);
    for (std::size_t i = 0; i < window_.size(); ++i) low_.push_back(padding[2 * i]);
    in_ = v.out.type(v.operands[0]).shape;
    out_ = v.out.type(v.operands[1]).shape;
    for (Shape tap(window_.size(), 0); ;) {
      taps_.push_back(tap);
      std::size_t d = tap.size();
      while (d > 0 && ++tap[d - 1] == window_[d - 1]) tap[--d] = 0;
      if (d == 0) break;
    }
  }

  Result<bool> run() {
    const TypeId result = v_.result_type();
    if (v_.old.capture_count(v_.op) != 0) return false;
    const auto count = [](const Shape& s) { return std::count(s.begin(), s.end(), 0) == 0; };
    const ValueId start = broadcast(v_, v_.operands[2], result);
    if (!count(in_) || !count(out_)) return v_.replace(start);
    ON_TRY(select());
    return scatter(start);
  }

 private:
  Shape list(std::string_view name, std::int64_t otherwise) const {
    const auto given = v_.ints(name);
    Shape s(given.begin(), given.end());
    const std::size_t rank = static_cast<std::size_t>(v_.out.type(v_.operands[0]).rank());
    s.resize(name == "padding" ? 2 * rank : rank, otherwise);
    return s;
  }

  // First and last window whose cell of this tap lies inside of the operand's dim d; none when first > last.
  struct Span {
    std::int64_t first, last;
  };
  Span inside(const Shape& tap, std::size_t d) const {
    const std::int64_t at = tap[d] - low_[d], s = strides_[d];
    const std::int64_t first = at >= 0 ? 0 : (-at + s - 1) / s;
    const std::int64_t room = in_[d] - 1 - at;
    return {first, room < 0 ? -1 : std::min(out_[d] - 1, room / s)};
  }

  // What every window sees through the tap, and where it sees the operand at all (none: everywhere).
  struct Cell {
    ValueId value, real;
    bool never = false;
  };
  Cell cell(const Shape& tap) {
    const ElementType element = v_.out.type(v_.operands[0]).element;
    Cell c;
    Shape from, shape, before, after;
    bool whole = true;
    for (std::size_t d = 0; d < in_.size(); ++d) {
      const Span s = inside(tap, d);
      if (s.first > s.last) return {{}, {}, true};
      from.push_back(s.first * strides_[d] + tap[d] - low_[d]);
      shape.push_back(s.last - s.first + 1);
      before.push_back(s.first);
      after.push_back(out_[d] - 1 - s.last);
      whole = whole && shape.back() == out_[d];
    }
    c.value = m_.slice(v_.operands[0], from, shape, strides_);
    if (whole) return c;
    c.value = m_.pad(c.value, m_.splat(element, {}, 0), before, after, Shape(in_.size(), 0));
    for (std::size_t d = 0; d < in_.size(); ++d) {
      if (shape[d] == out_[d]) continue;
      const ValueId at = m_.iota(ElementType::I32, out_, static_cast<std::int64_t>(d));
      if (before[d] > 0) both(c.real, f_.compare(at, "GE", static_cast<double>(before[d])));
      if (after[d] > 0) both(c.real, f_.compare(at, "LT", static_cast<double>(out_[d] - after[d])));
    }
    return c;
  }
  void both(ValueId& mask, ValueId more) { mask = mask.valid() ? ValueId(f_.bit_and(mask, more)) : more; }

  // chosen_: per window the number of the tap that it keeps, -1 where it lies in the padding altogether.
  Result<void> select() {
    ValueId current, has;  // `has` none: every window has a cell already
    bool started = false;
    for (std::size_t k = 0; k < taps_.size(); ++k) {
      const Cell c = cell(taps_[k]);
      if (c.never) continue;
      if (!started) {
        started = true;
        current = c.value;
        chosen_ = m_.splat(ElementType::F32, out_, static_cast<double>(k));
        if (c.real.valid()) chosen_ = f_.select(c.real, chosen_, -1.0);
        has = c.real;
        continue;
      }
      const ValueId pair[] = {current, c.value};
      auto keeps = apply_region(rewriter_, v_, v_.old.regions(v_.op)[0], pair);
      if (!keeps) return keeps.failure();
      ValueId take = f_.op(OpKind::Not, (*keeps)[0]);
      if (has.valid()) take = f_.bit_or(take, f_.op(OpKind::Not, has));
      if (c.real.valid()) take = f_.bit_and(take, c.real);
      if (k + 1 < taps_.size()) current = f_.select(take, c.value, current);
      chosen_ = f_.select(take, static_cast<double>(k), chosen_);
      if (has.valid()) has = c.real.valid() ? ValueId(f_.bit_or(has, c.real)) : ValueId();
    }
    if (!started) chosen_ = m_.splat(ElementType::F32, out_, -1);
    return {};
  }

  // Positions o = stride * j + phase of one phase see, through the taps k with phase + low - k divisible by the stride,
  // window j + (phase + low - k) / stride: for each phase a sum of shifted readings of the windows. Taps run backwards,
  // so that windows come in row-major order.
  Result<bool> scatter(ValueId start) {
    const std::size_t rank = in_.size();
    const ElementType element = v_.out.module().type(v_.result_type()).element;
    Shape least(rank), before(rank), after(rank), blocks(rank);
    for (std::size_t d = 0; d < rank; ++d) {
      const std::int64_t s = strides_[d];
      blocks[d] = (in_[d] + s - 1) / s;
      least[d] = low_[d] - (window_[d] - 1);  // of phase + low - k
      least[d] = least[d] >= 0 ? (least[d] + s - 1) / s : -(-least[d] / s);
      const std::int64_t most = s - 1 + low_[d], shift = most >= 0 ? most / s : -((-most + s - 1) / s);
      before[d] = std::max<std::int64_t>(0, -least[d]);
      after[d] = std::max<std::int64_t>(0, blocks[d] - 1 + shift - (out_[d] - 1));
    }
    const Shape none(rank, 0);
    const ValueId sources = m_.pad(f_.to(v_.operands[1], element), m_.splat(element, {}, 0), before, after, none);
    const ValueId choices = m_.pad(chosen_, m_.splat(ElementType::F32, {}, -1), before, after, none);
    const ValueId initial = broadcast(v_, v_.operands[2], v_.out.module().tensor(v_.out.type(start).element, blocks));
    std::vector<ValueId> phases;
    for (Shape phase(rank, 0);;) {
      auto sum = add_up(phase, blocks, before, sources, choices, initial);
      if (!sum) return sum.failure();
      phases.push_back(*sum);
      std::size_t d = rank;
      while (d > 0 && ++phase[d - 1] == strides_[d - 1]) phase[--d] = 0;
      if (d == 0) break;
    }
    return v_.replace(interleaved(phases, blocks));
  }

  Result<ValueId> add_up(const Shape& phase, const Shape& blocks, const Shape& before, ValueId sources, ValueId choices, ValueId sum) {
    const FunctionId region = v_.old.regions(v_.op)[1];
    OpKind kind;
    const bool adds = single_op_region(rewriter_.old_function(region), kind) && kind == OpKind::Add;
    for (std::size_t k = taps_.size(); k-- > 0;) {
      ValueId choice = choices, brought = sources;
      bool reached = true;
      for (std::size_t d = 0; d < phase.size() && reached; ++d) {
        const std::int64_t at = phase[d] + low_[d] - taps_[k][d];
        reached = at % strides_[d] == 0;
        const std::int64_t from = at / strides_[d] + before[d];
        if (!reached) break;
        choice = m_.slice(choice, d, from, from + blocks[d]);
        brought = m_.slice(brought, d, from, from + blocks[d]);
      }
      if (!reached) continue;
      const ValueId hit = f_.compare(choice, "EQ", static_cast<double>(k));
      if (adds) {
        sum = f_.add(sum, f_.select(hit, brought, 0.0));
        continue;
      }
      const ValueId pair[] = {sum, brought};
      auto joined = apply_region(rewriter_, v_, region, pair);
      if (!joined) return joined.failure();
      sum = f_.select(hit, (*joined)[0], sum);
    }
    return sum;
  }

  // Phases side by side in front, then each beside its block; what lies beyond the operand is cut.
  ValueId interleaved(std::vector<ValueId>& phases, const Shape& blocks) {
    ValueId all = phases[0];
    const std::size_t rank = blocks.size();
    if (phases.size() > 1) {
      Shape one = blocks, split = strides_, order, merged = blocks;
      one.insert(one.begin(), 1);
      for (ValueId& p : phases) p = m_.reshape(p, one);
      split.insert(split.end(), blocks.begin(), blocks.end());
      for (std::size_t d = 0; d < rank; ++d) {
        order.push_back(static_cast<std::int64_t>(rank + d));
        order.push_back(static_cast<std::int64_t>(d));
        merged[d] *= strides_[d];
      }
      all = m_.reshape(m_.transpose(m_.reshape(m_.concatenate(phases, 0), split), order), merged);
    }
    for (std::size_t d = 0; d < rank; ++d) all = m_.slice(all, d, 0, in_[d]);
    return all;
  }

  Rewriter& rewriter_;
  Visit& v_;
  Formula f_;
  Moves m_;
  Shape window_, strides_, low_, in_, out_;
  std::vector<Shape> taps_;
  ValueId chosen_;
};

constexpr std::int64_t kTapsMax = 4096;  // taps, and phases: each is a handful of ops

}  // namespace

Result<bool> select_and_scatter(Rewriter& rewriter, Visit& v) {
  std::int64_t taps = 1;
  for (std::int64_t n : v.ints("window_dimensions")) taps = std::min(kTapsMax + 1, taps * std::max<std::int64_t>(n, 1));
  std::int64_t phases = 1;
  for (std::int64_t n : v.ints("window_strides")) phases = std::min(kTapsMax + 1, phases * std::max<std::int64_t>(n, 1));
  if (taps > kTapsMax || phases > kTapsMax) return false;
  return Selector(rewriter, v).run();
}

}  // namespace openneuron::opt::rules
