#include "opt/expand_random.h"

#include <algorithm>

#include "opt/moves.h"
#include "opt/rewrite.h"

namespace openneuron::opt {
namespace {

using graph::OpKind;
using Words = std::vector<ValueId>;

std::int64_t count_of(const Shape& shape) {
  std::int64_t n = 1;
  for (std::int64_t d : shape) n *= d;
  return n;
}

class Expander {
 public:
  explicit Expander(Visit& v) : v_(v), f_(v), m_(v) {}

  bool generator() {
    const graph::Type state = v_.out.type(v_.operands[0]), out = type(1);
    const bool threefry = text("rng_algorithm") == "THREE_FRY";
    if (state.element != ElementType::U64 || state.rank() != 1 || state.shape[0] < 2 || state.shape[0] > (threefry ? 2 : 3)) return false;
    if (out.element == ElementType::I1 || count_of(out.shape) == 0) return false;
    const bool wide = byte_width(out.element) > 4;  // each number of two words, the lower one first
    if (wide && !is_integer(out.element)) return false;
    Words words = split(v_.operands[0], state.shape[0]);
    const Words key = {words[0], words[1]};
    std::int64_t steps = 0;
    ValueId bits;
    if (threefry) {
      bits = wide ? threefry_words(key, {words[2], words[3]}, out.shape, steps) : threefry_bits(key, {words[2], words[3]}, out.shape, steps);
    } else {
      // The 128-bit counter: the state's second number, and above it the third or, without one, the key.
      Words counter = {words[2], words[3], words[0], words[1]};
      if (words.size() == 6) std::copy(words.begin() + 4, words.end(), counter.begin() + 2);
      bits = philox_bits(key, counter, wide ? of_words(out.shape) : out.shape, steps);
    }
    Words next(words.begin() + 2, words.end());
    next = add(next, f_.splat(next[0], static_cast<double>(steps)));
    std::copy(next.begin(), next.end(), words.begin() + 2);
    v_.map[v_.old.result(v_.op, 0)] = join(words, v_.result_type(0));
    v_.map[v_.old.result(v_.op, 1)] = wide ? v_.out.emit(OpKind::BitcastConvert, {bits}, v_.result_type(1), {}, v_.location()) : truncated(bits, out.element);
    return true;
  }

  // Bits from Threefry, the key being the op's place in the program, so that ops differ and runs agree.
  bool numbers() {
    const graph::Type out = type(0);
    const bool normal = text("rng_distribution") == "NORMAL";
    const ElementType e = out.element;
    if ((!is_float(e) && (!is_integer(e) || normal)) || byte_width(e) > 4 || count_of(out.shape) == 0) return false;
    const TypeId word = v_.out.module().tensor(ElementType::U32, {});
    const auto scalar = [&](double x) { return v_.out.constant(word, x, v_.location()); };
    std::int64_t steps = 0;
    const Shape twice = {2, count_of(out.shape)};
    const ValueId zero = scalar(0);
    const Words key = {scalar(0x72616E64), scalar(v_.op.index)};
    const ValueId bits = threefry_bits(key, {zero, zero}, twice, steps);
    const auto row = [&](std::int64_t i) { return m_.reshape(m_.slice(bits, 0, i, i + 1), out.shape); };
    const ElementType compute = is_float(e) ? ElementType::F32 : e;
    const ValueId a = f_.to(m_.broadcast(v_.operands[0], out.shape, {}), compute);
    const ValueId b = f_.to(m_.broadcast(v_.operands[1], out.shape, {}), compute);
    if (!is_float(e)) {
      const ValueId range = f_.to(f_.to(f_.sub(b, a), unsigned_of(bit_width(e))), ElementType::U32);
      const ValueId whole = f_.mul(f_.div(row(0), range), range);
      return v_.replace(f_.add(a, f_.to(f_.sub(row(0), whole), e)));
    }
    const ValueId first = unit(row(0));
    if (normal) {  // Box and Muller
      const ValueId radius = f_.sqrt(f_.mul(f_.log(f_.sub(1.0, first)), -2.0));
      const ValueId angle = f_.op(OpKind::Cosine, f_.mul(unit(row(1)), 6.283185307179586));
      return v_.replace(f_.to(f_.add(f_.mul(f_.mul(radius, angle), b), a), e));
    }
    const ValueId x = f_.to(f_.add(f_.mul(first, f_.sub(b, a)), a), e);
    const ValueId end = f_.to(b, e);
    return v_.replace(f_.select(f_.compare(x, "LT", end), x, f_.to(a, e)));  // rounding may reach the end
  }

 private:
  graph::Type type(std::size_t i) const { return v_.out.module().type(v_.result_type(i)); }
  std::string text(std::string_view name) const { return v_.out.module().attribute(v_.attr(name)).text; }

  Words split(ValueId state, std::int64_t n) {
    const TypeId pairs = v_.out.module().tensor(ElementType::U32, Shape{n, 2});
    const ValueId words = v_.out.emit(OpKind::BitcastConvert, {state}, pairs, {}, v_.location());
    Words scalars;
    for (std::int64_t i = 0; i < 2 * n; ++i)
      scalars.push_back(m_.reshape(m_.slice(m_.slice(words, 0, i / 2, i / 2 + 1), 1, i % 2, i % 2 + 1), {}));
    return scalars;
  }
  ValueId join(const Words& words, TypeId state) {
    Words parts;
    for (ValueId w : words) parts.push_back(m_.reshape(w, {1}));
    const ValueId pairs = m_.reshape(m_.concatenate(parts, 0), {static_cast<std::int64_t>(words.size()) / 2, 2});
    return v_.out.emit(OpKind::BitcastConvert, {pairs}, state, {}, v_.location());
  }

  // A number of several words, lowest first, plus one word.
  Words add(Words number, ValueId more) {
    ValueId carry = more;
    for (ValueId& word : number) {
      const ValueId sum = f_.add(word, carry);
      carry = f_.to(f_.compare(sum, "LT", carry), ElementType::U32);
      word = sum;
    }
    return number;
  }
  // counter + 0, 1, ... in rows of `columns`.
  Words counters(const Words& counter, const Shape& rows) {
    const ValueId row = f_.mul(m_.iota(ElementType::U32, rows, 0), static_cast<double>(rows[1]));
    const ValueId place = f_.add(row, m_.iota(ElementType::U32, rows, 1));
    return add(repeated(counter, rows), place);
  }
  Words repeated(const Words& words, const Shape& shape) {
    Words all;
    for (ValueId w : words) all.push_back(m_.broadcast(w, shape, {}));
    return all;
  }
  // At least n numbers in rows and columns that engines like: 128 rows, then longer ones, then more of them.
  static Shape rows_of(std::int64_t n) {
    const std::int64_t columns = std::clamp<std::int64_t>((n + 127) / 128, 1, 512);
    return {(n + columns - 1) / columns, columns};
  }
  ValueId first(ValueId rows, std::int64_t n) { return m_.slice(m_.reshape(rows, {count_of(m_.shape(rows))}), 0, 0, n); }

  Term rotated(ValueId x, int by) { return f_.bit_or(f_.left(x, by), f_.right(x, 32 - by)); }

  // Threefry 2x32 with 20 rounds (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3").
  Words threefry(const Words& key, Words x) {
    constexpr int kTurns[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    const ValueId keys[] = {key[0], key[1], f_.bit_xor(f_.bit_xor(key[0], key[1]), 0x1BD11BDA)};
    x = {f_.add(x[0], keys[0]), f_.add(x[1], keys[1])};
    for (int group = 0; group < 5; ++group) {
      for (int by : kTurns[group % 2]) {
        x[0] = f_.add(x[0], x[1]);
        x[1] = f_.bit_xor(rotated(x[1], by), x[0]);
      }
      x[0] = f_.add(x[0], keys[(group + 1) % 3]);
      x[1] = f_.add(f_.add(x[1], keys[(group + 2) % 3]), group + 1);
    }
    return x;
  }
  // XLA's order: pairs side by side along the first even dim, or along the largest one, which then gets one too many.
  ValueId threefry_bits(const Words& key, const Words& counter, const Shape& shape, std::int64_t& steps) {
    Shape half = shape.empty() ? Shape{1} : shape;
    std::size_t d = half.size();
    for (std::size_t i = half.size(); i-- > 0;)
      if (half[i] % 2 == 0) d = i;
    if (d == half.size()) {
      d = 0;
      for (std::size_t i = 1; i < half.size(); ++i)
        if (half[i] > half[d]) d = i;
    }
    half[d] = (half[d] + 1) / 2;
    steps = count_of(half);
    const Shape rows = rows_of(steps);
    const Words keys = repeated(key, rows), made = threefry(keys, counters(counter, rows));
    Shape pairs = half, merged = half;
    pairs.insert(pairs.begin() + static_cast<std::ptrdiff_t>(d) + 1, 1);
    merged[d] *= 2;
    const ValueId both[] = {m_.reshape(first(made[0], steps), pairs), m_.reshape(first(made[1], steps), pairs)};
    const ValueId all = m_.reshape(m_.concatenate(both, static_cast<std::int64_t>(d) + 1), merged);
    return m_.reshape(m_.slice(all, d, 0, shape.empty() ? 1 : shape[d]), shape);
  }

  static Shape of_words(Shape numbers) {
    numbers.push_back(2);
    return numbers;
  }
  // A counter for each number, whose two words are the pair's.
  ValueId threefry_words(const Words& key, const Words& counter, const Shape& numbers, std::int64_t& steps) {
    steps = count_of(numbers);
    const Shape rows = rows_of(steps);
    const Words keys = repeated(key, rows);
    Words made = threefry(keys, counters(counter, rows));
    for (ValueId& w : made) w = m_.reshape(first(w, steps), {steps, 1});
    return m_.reshape(m_.concatenate(made, 1), of_words(numbers));
  }

  // Philox 4x32 with 10 rounds (the same paper).
  Words philox(Words key, Words x) {
    for (int round = 0; round < 10; ++round) {
      if (round > 0) key = {f_.add(key[0], 0x9E3779B9), f_.add(key[1], 0xBB67AE85)};
      const ValueId a = f_.splat(x[0], 0xD2511F53), b = f_.splat(x[2], 0xCD9E8D57);
      const ValueId high0 = f_.high_product(x[0], a), low0 = f_.mul(x[0], a);
      const ValueId high1 = f_.high_product(x[2], b), low1 = f_.mul(x[2], b);
      x = {f_.bit_xor(f_.bit_xor(high1, x[1]), key[0]), low1, f_.bit_xor(f_.bit_xor(high0, x[3]), key[1]), low0};
    }
    return x;
  }
  ValueId philox_bits(const Words& key, const Words& counter, const Shape& shape, std::int64_t& steps) {
    const std::int64_t n = count_of(shape);
    steps = (n + 3) / 4;
    const Shape rows = rows_of(steps);
    const Words keys = repeated(key, rows);
    Words made = philox(keys, counters(counter, rows));
    for (ValueId& w : made) w = m_.reshape(first(w, steps), {steps, 1});
    const ValueId all = m_.reshape(m_.concatenate(made, 1), {4 * steps});
    return m_.reshape(m_.slice(all, 0, 0, n), shape);
  }

  // The low bits, as an element of that width.
  ValueId truncated(ValueId bits, ElementType to) {
    const ElementType word = unsigned_of(bit_width(to));
    return f_.bits(f_.to(bits, word), to);
  }
  // 24 bits as a float in [0, 1).
  Term unit(ValueId bits) { return f_.mul(f_.to(f_.right(bits, 8), ElementType::F32), 0x1p-24); }

  Visit& v_;
  Formula f_;
  Moves m_;
};

Result<bool> visit(Rewriter&, Visit& v) {
  for (ValueId r : v.old.results(v.op))
    for (std::int64_t n : v.out.module().type(v.old.type(r)).shape)
      if (n < 0) return false;  // unknown sizes are refused later
  if (v.kind() == OpKind::RngBitGenerator) return Expander(v).generator();
  if (v.kind() == OpKind::Rng) return Expander(v).numbers();
  return false;
}

}  // namespace

Result<void> expand_random(graph::Module& module) {
  bool any = false;
  for (FunctionId f : module.functions())
    for (OpId op : module.function(f).ops()) {
      const OpKind kind = module.function(f).kind(op);
      any = any || kind == OpKind::Rng || kind == OpKind::RngBitGenerator;
    }
  if (!any) return {};
  return Rewriter(module, visit).run();
}

}  // namespace openneuron::opt
