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
    graph::Module& module = v_.out.module();
    const ElementType element = v_.out.type(v_.operands[0]).element;
    Cell c;
    Shape from, to, shape, before, after;
    bool whole = true;
    for (std::size_t d = 0; d < in_.size(); ++d) {
      const Span s = inside(tap, d);
      if (s.first > s.last) return {{}, {}, true};
      from.push_back(s.first * strides_[d] + tap[d] - low_[d]);
      to.push_back(s.last * strides_[d] + tap[d] - low_[d] + 1);
      shape.push_back(s.last - s.first + 1);
      before.push_back(s.first);
      after.push_back(out_[d] - 1 - s.last);
      whole = whole && shape.back() == out_[d];
    }
    const AttrId cut = module.dictionary({{"start_indices", module.ints_attr(from)}, {"limit_indices", module.ints_attr(to)}, {"strides", module.ints_attr(strides_)}});
    c.value = v_.out.emit(OpKind::Slice, {v_.operands[0]}, module.tensor(element, shape), cut, v_.location());
    if (whole) return c;
    c.value = pad(c.value, m_.splat(element, {}, 0), before, after, Shape(in_.size(), 0));
    for (std::size_t d = 0; d < in_.size(); ++d) {
      if (shape[d] == out_[d]) continue;
      const ValueId at = m_.iota(ElementType::I32, out_, static_cast<std::int64_t>(d));
      if (before[d] > 0) both(c.real, f_.compare(at, "GE", static_cast<double>(before[d])));
      if (after[d] > 0) both(c.real, f_.compare(at, "LT", static_cast<double>(out_[d] - after[d])));
    }
    return c;
  }
  void both(ValueId& mask, ValueId more) { mask = mask.valid() ? ValueId(f_.bit_and(mask, more)) : more; }

  ValueId pad(ValueId x, ValueId value, const Shape& low, const Shape& high, const Shape& interior) {
    graph::Module& module = v_.out.module();
    Shape shape = m_.shape(x);
    for (std::size_t d = 0; d < shape.size(); ++d) shape[d] += low[d] + high[d] + (shape[d] - 1) * interior[d];
    const AttrId attributes = module.dictionary({{"edge_padding_low", module.ints_attr(low)}, {"edge_padding_high", module.ints_attr(high)}, {"interior_padding", module.ints_attr(interior)}});
    return v_.out.emit(OpKind::Pad, {x, value}, module.tensor(m_.element(x), shape), attributes, v_.location());
  }

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

  // Windows spread by their strides: operand position o sees window (o + low - tap) / stride of each tap. Taps run
  // backwards, so that windows come in row-major order.
  Result<bool> scatter(ValueId start) {
    const graph::Function& combine = rewriter_.old_function(v_.old.regions(v_.op)[1]);
    OpKind kind;
    const bool adds = single_op_region(combine, kind) && kind == OpKind::Add;
    Shape before, after, interior;
    for (std::size_t d = 0; d < in_.size(); ++d) {
      before.push_back(window_[d] - 1 - low_[d]);
      interior.push_back(strides_[d] - 1);
      const std::int64_t spread = (out_[d] - 1) * strides_[d] + 1;
      after.push_back(in_[d] + window_[d] - 1 - before.back() - spread);
    }
    const ElementType element = v_.out.module().type(v_.result_type()).element;
    const ValueId source = f_.to(v_.operands[1], element);
    const ValueId sources = pad(source, m_.splat(element, {}, 0), before, after, interior);
    const ValueId choices = pad(chosen_, m_.splat(ElementType::F32, {}, -1), before, after, interior);
    const auto at = [&](ValueId spread, const Shape& tap) {
      ValueId x = spread;
      for (std::size_t d = 0; d < in_.size(); ++d) x = m_.slice(x, d, window_[d] - 1 - tap[d], window_[d] - 1 - tap[d] + in_[d]);
      return x;
    };
    ValueId sum = start;
    for (std::size_t k = taps_.size(); k-- > 0;) {
      const ValueId hit = f_.compare(at(choices, taps_[k]), "EQ", static_cast<double>(k)), brought = at(sources, taps_[k]);
      if (adds) {
        sum = f_.add(sum, f_.select(hit, brought, 0.0));
        continue;
      }
      const ValueId pair[] = {sum, brought};
      auto joined = apply_region(rewriter_, v_, v_.old.regions(v_.op)[1], pair);
      if (!joined) return joined.failure();
      sum = f_.select(hit, (*joined)[0], sum);
    }
    return v_.replace(sum);
  }

  Rewriter& rewriter_;
  Visit& v_;
  Formula f_;
  Moves m_;
  Shape window_, strides_, low_, in_, out_;
  std::vector<Shape> taps_;
  ValueId chosen_;
};

constexpr std::int64_t kTapsMax = 4096;  // a tap is a handful of ops

}  // namespace

Result<bool> select_and_scatter(Rewriter& rewriter, Visit& v) {
  std::int64_t taps = 1;
  for (std::int64_t n : v.ints("window_dimensions")) taps = std::min(kTapsMax + 1, taps * std::max<std::int64_t>(n, 1));
  if (taps > kTapsMax) return false;
  return Selector(rewriter, v).run();
}

}  // namespace openneuron::opt::rules
