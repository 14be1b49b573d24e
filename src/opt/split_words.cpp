#include "opt/split_words.h"

#include <algorithm>
#include <cstring>
#include <list>
#include <unordered_map>

#include "graph/op_info.h"
#include "graph/verify.h"
#include "num/convert.h"
#include "opt/moves.h"
#include "opt/rewrite.h"

namespace openneuron::opt {
namespace {

using graph::OpKind;

constexpr std::uint64_t kWord = 0xFFFFFFFFull;

/// A 64-bit value: two ui32 planes, and the largest value it can have (read unsigned).
struct Words {
  ValueId low, high;
  std::uint64_t most = UINT64_MAX;
  bool small() const { return most <= kWord; }
};

bool is_wide(ElementType t) { return t == ElementType::I64 || t == ElementType::U64; }

class Splitter {
 public:
  Result<bool> visit(Rewriter& rewriter, Visit& v) {
    bool wide = false;
    for (ValueId r : v.old.results(v.op)) wide = wide || element(v, r) != ElementType::None;
    for (ValueId o : v.old.operands(v.op)) wide = wide || element(v, o) != ElementType::None;
    if (!wide) return false;
    auto& words = words_of(v.old);
    inputs_.clear();
    bool all = v.old.results(v.op).size() == 1 && v.old.regions(v.op).empty();
    for (ValueId o : v.old.operands(v.op)) {
      const auto found = element(v, o) == ElementType::None ? words.end() : words.find(o.index);
      inputs_.push_back(found == words.end() ? nullptr : &found->second);
      all = all && (element(v, o) == ElementType::None || inputs_.back());
    }
    if (v.kind() == OpKind::DynamicGather && element(v, v.old.result(v.op)) == ElementType::None) {
      shape_ = v.out.module().type(v.result_type()).shape;
      if (gather_of_constant_sizes(v, inputs_[1] ? index(v, 1) : v.operands[1])) return true;
    }
    if (v.kind() == OpKind::Scatter && scatter_by_words(v)) return rewrite_scatter(rewriter, v);
    if (all) {
      const ValueId result = v.old.result(v.op);
      shape_ = v.out.module().type(v.result_type()).shape;
      if (element(v, result) == ElementType::None) {
        const ValueId made = narrow(v);
        if (made.valid()) return v.replace(made);
      } else {
        const Words made = split(v, element(v, result));
        if (made.low.valid()) {
          words[result.index] = made;
          return v.replace(made.low);
        }
      }
    }
    Place place = graph::place_of(v.out.module(), v.location());
    place.op = std::string(graph::op_name(v.kind()));
    return fail(Code::NoTypeLowering, place, "it takes or makes 64-bit integers, which have no lowering here yet");
  }

 private:
  using Table = std::unordered_map<std::uint32_t, Words>;  // by value of the old function
  Table& words_of(const graph::Function& f) {
    for (auto& scope : scopes_)
      if (scope.first == &f) return scope.second;
    scopes_.emplace_front(&f, Table());
    return scopes_.front().second;
  }
  /// I64 or U64 for a wide tensor, else None.
  static ElementType element(const Visit& v, ValueId old) {
    const graph::Type& t = v.out.module().type(v.old.type(old));
    return t.kind == graph::TypeKind::Tensor && is_wide(t.element) ? t.element : ElementType::None;
  }
  TypeId type(Visit& v, ElementType e) const { return v.out.module().tensor(e, shape_); }
  ValueId number(Visit& v, std::uint64_t x) const {
    return v.out.splat_constant(type(v, ElementType::U32), Splat{ElementType::U32, false, 0, static_cast<std::int64_t>(x & kWord)}, v.location());
  }
  // Operands in braces: they are evaluated, and emitted, from left to right.
  using Operands = std::initializer_list<ValueId>;
  ValueId op(Visit& v, OpKind kind, Operands operands) const { return v.out.emit(kind, operands, type(v, ElementType::U32), {}, v.location()); }
  ValueId compare(Visit& v, const char* direction, Operands operands, bool is_signed = false) const {
    graph::Module& m = v.out.module();
    const AttrId dict = m.dictionary({{"comparison_direction", m.enum_attr("comparison_direction", direction)},
                                      {"compare_type", m.enum_attr("comparison_type", is_signed ? "SIGNED" : "UNSIGNED")}});
    return v.out.emit(OpKind::Compare, operands, type(v, ElementType::I1), dict, v.location());
  }
  ValueId as_signed(Visit& v, ValueId word) const { return v.out.emit(OpKind::Convert, {word}, type(v, ElementType::I32), {}, v.location()); }
  ValueId select(Visit& v, Operands operands) const { return v.out.emit(OpKind::Select, operands, type(v, ElementType::U32), {}, v.location()); }

  Words split(Visit& v, ElementType e) {
    switch (v.kind()) {
      case OpKind::Constant: return constant(v);
      case OpKind::Iota: return iota(v);
      case OpKind::Convert: return widen(v);
      case OpKind::BitcastConvert: return from_words(v);
      case OpKind::BroadcastInDim:
      case OpKind::Reshape:
      case OpKind::Transpose:
      case OpKind::Slice:
      case OpKind::Reverse:
      case OpKind::Concatenate:
      case OpKind::Pad:
      case OpKind::Select: return moved(v);
      case OpKind::DynamicSlice:
      case OpKind::Gather:
      case OpKind::DynamicUpdateSlice: return inputs_[0] ? moved(v) : Words();
      case OpKind::And:
      case OpKind::Or:
      case OpKind::Xor: return bitwise(v);
      case OpKind::Add: return add(v, *inputs_[0], *inputs_[1]);
      case OpKind::Subtract: return subtract(v, *inputs_[0], *inputs_[1]);
      case OpKind::Multiply: return multiply(v);
      case OpKind::Maximum:
      case OpKind::Minimum: return extreme(v, e);
      case OpKind::ShiftLeft:
      case OpKind::ShiftRightLogical:
      case OpKind::ShiftRightArithmetic: return shift(v, e);
      default: return {};
    }
  }

  Words constant(Visit& v) {
    graph::Module& m = v.out.module();
    const graph::Constant& c = m.constant(m.attribute(v.attr("value")).constant);
    if (c.bytes.size() % 8 != 0) return {};
    const std::size_t n = c.bytes.size() / 8;
    std::vector<std::byte> low(n * 4), high(n * 4);
    std::uint64_t most = 0;
    for (std::size_t i = 0; i < n; ++i) {
      std::uint64_t x;
      std::memcpy(&x, c.bytes.data() + i * 8, 8);
      most = std::max(most, x);
      const auto l = static_cast<std::uint32_t>(x), h = static_cast<std::uint32_t>(x >> 32);
      std::memcpy(low.data() + i * 4, &l, 4);
      std::memcpy(high.data() + i * 4, &h, 4);
    }
    const bool splat = c.splat;
    const auto plane = [&](std::vector<std::byte> bytes) {
      graph::Attribute literal;
      literal.kind = graph::AttrKind::Constant;
      literal.constant = m.own_constant(type(v, ElementType::U32), splat, std::move(bytes));
      const AttrId dict = m.dictionary({{"value", m.intern(std::move(literal))}});
      return v.out.emit(OpKind::Constant, {}, type(v, ElementType::U32), dict, v.location());
    };
    return {plane(std::move(low)), plane(std::move(high)), most};
  }

  Words iota(Visit& v) {
    const auto dim = static_cast<std::size_t>(v.out.module().attribute(v.attr("iota_dimension")).integer);
    const std::int64_t n = shape_[dim];
    if (n > static_cast<std::int64_t>(kWord)) return {};
    const ValueId low = v.out.emit(OpKind::Iota, {}, type(v, ElementType::U32), v.old.attributes_of(v.op), v.location());
    return {low, number(v, 0), n > 0 ? static_cast<std::uint64_t>(n - 1) : 0};
  }

  static bool is_index(OpKind kind, std::size_t operand) {
    switch (kind) {
      case OpKind::DynamicSlice: return operand >= 1;
      case OpKind::DynamicUpdateSlice: return operand >= 2;
      case OpKind::Gather:
      case OpKind::Scatter: return operand == 1;
      default: return false;
    }
  }

  // A start index as i32: what does not fit saturates, as it is clamped (or is out of bounds) anyhow.
  ValueId index(Visit& v, std::size_t operand) {
    const Words& a = *inputs_[operand];
    const bool is_signed = element(v, v.old.operand(v.op, operand)) == ElementType::I64;
    const std::vector<std::int64_t> result_shape = shape_;
    shape_ = v.out.type(a.low).shape;
    const TypeId i32 = type(v, ElementType::I32);
    ValueId made = as_signed(v, a.low);
    if (a.most > static_cast<std::uint64_t>(INT32_MAX)) {
      const ValueId zero = v.out.constant(i32, 0, v.location());
      const ValueId high = as_signed(v, a.high);
      const ValueId negative = compare(v, "LT", {is_signed ? high : zero, zero}, true);
      const ValueId fill = v.out.emit(OpKind::Select, {negative, v.out.constant(i32, -1, v.location()), zero}, i32, {}, v.location());
      const ValueId same_sign = compare(v, "EQ", {compare(v, "LT", {made, zero}, true), negative});
      const ValueId fits = v.out.emit(OpKind::And, {compare(v, "EQ", {high, fill}, true), same_sign}, type(v, ElementType::I1), {}, v.location());
      const ValueId most = v.out.emit(OpKind::Select, {negative, v.out.constant(i32, INT32_MIN, v.location()), v.out.constant(i32, INT32_MAX, v.location())}, i32, {}, v.location());
      made = v.out.emit(OpKind::Select, {fits, made, most}, i32, {}, v.location());
    }
    shape_ = result_shape;
    return made;
  }

  // Only the index vectors of a scatter are wide.
  bool scatter_by_words(const Visit& v) const {
    const std::size_t at = (inputs_.size() - v.old.capture_count(v.op) - 1) / 2;
    for (ValueId r : v.old.results(v.op))
      if (element(v, r) != ElementType::None) return false;
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      if ((inputs_[i] != nullptr) != (i == at) || (i != at && element(v, v.old.operands(v.op)[i]) != ElementType::None)) return false;
    return true;
  }
  Result<bool> rewrite_scatter(Rewriter& rewriter, Visit& v) {
    std::vector<ValueId> operands;
    for (std::size_t i = 0; i < inputs_.size(); ++i) operands.push_back(inputs_[i] ? index(v, i) : v.operands[i]);
    auto regions = rewriter.rewrite_regions(v);
    if (!regions) return regions.failure();
    std::vector<TypeId> types;
    for (ValueId r : v.old.results(v.op)) types.push_back(v.old.type(r));
    const OpId made = v.out.emit_op(v.kind(), operands, types, v.old.attributes_of(v.op), v.location(), *regions, v.old.capture_count(v.op), v.old.extra_attributes(v.op));
    std::size_t i = 0;
    for (ValueId r : v.old.results(v.op)) v.map[r] = v.out.function().result(made, i++);
    return true;
  }

  // The same movement of both planes.
  Words moved(Visit& v) {
    Words made{{}, {}, 0};
    for (int plane = 0; plane < 2; ++plane) {
      std::vector<ValueId> operands;
      for (std::size_t i = 0; i < inputs_.size(); ++i) {
        if (!inputs_[i] || is_index(v.kind(), i)) {
          operands.push_back(inputs_[i] ? index(v, i) : v.operands[i]);
          continue;
        }
        operands.push_back(plane == 0 ? inputs_[i]->low : inputs_[i]->high);
        made.most = std::max(made.most, inputs_[i]->most);
      }
      (plane == 0 ? made.low : made.high) = v.out.emit(v.kind(), operands, type(v, ElementType::U32), v.old.attributes_of(v.op), v.location());
    }
    if (made.small()) made.high = number(v, 0);
    return made;
  }

  Words bitwise(Visit& v) {
    const Words &a = *inputs_[0], &b = *inputs_[1];
    Words made{op(v, v.kind(), {a.low, b.low}), {}, UINT64_MAX};
    if (v.kind() == OpKind::And) made.most = std::min(a.most, b.most);
    else if (a.small() && b.small()) made.most = kWord;
    made.high = made.small() ? number(v, 0) : op(v, v.kind(), {a.high, b.high});
    return made;
  }

  Words add(Visit& v, const Words& a, const Words& b) {
    Words made{op(v, OpKind::Add, {a.low, b.low}), {}, UINT64_MAX};
    if (a.most <= UINT64_MAX - b.most) made.most = a.most + b.most;
    if (made.small()) {
      made.high = number(v, 0);
      return made;
    }
    const ValueId carry = v.out.emit(OpKind::Convert, {compare(v, "LT", {made.low, a.low})}, type(v, ElementType::U32), {}, v.location());
    made.high = op(v, OpKind::Add, {op(v, OpKind::Add, {a.high, b.high}), carry});
    return made;
  }

  Words subtract(Visit& v, const Words& a, const Words& b) {
    const ValueId borrow = v.out.emit(OpKind::Convert, {compare(v, "LT", {a.low, b.low})}, type(v, ElementType::U32), {}, v.location());
    return {op(v, OpKind::Subtract, {a.low, b.low}), op(v, OpKind::Subtract, {op(v, OpKind::Subtract, {a.high, b.high}), borrow}), UINT64_MAX};
  }

  // low * low in halves of 16 bits, then the cross products, which only reach the upper word.
  Words multiply(Visit& v) {
    const Words &a = *inputs_[0], &b = *inputs_[1];
    Words made{op(v, OpKind::Multiply, {a.low, b.low}), {}, UINT64_MAX};
    if (a.most == 0 || b.most <= UINT64_MAX / a.most) made.most = a.most * b.most;
    if (made.small()) {
      made.high = number(v, 0);
      return made;
    }
    const ValueId half = number(v, 0xFFFF), sixteen = number(v, 16);
    const auto lower = [&](ValueId x) { return op(v, OpKind::And, {x, half}); };
    const auto upper = [&](ValueId x) { return op(v, OpKind::ShiftRightLogical, {x, sixteen}); };
    const ValueId al = lower(a.low), ah = upper(a.low), bl = lower(b.low), bh = upper(b.low);
    const ValueId middle = op(v, OpKind::Add, {op(v, OpKind::Multiply, {ah, bl}), upper(op(v, OpKind::Multiply, {al, bl}))});
    const ValueId cross = op(v, OpKind::Add, {op(v, OpKind::Multiply, {al, bh}), lower(middle)});
    made.high = op(v, OpKind::Add, {op(v, OpKind::Add, {op(v, OpKind::Multiply, {ah, bh}), upper(middle)}), upper(cross)});
    if (!a.small()) made.high = op(v, OpKind::Add, {made.high, op(v, OpKind::Multiply, {a.high, b.low})});
    if (!b.small()) made.high = op(v, OpKind::Add, {made.high, op(v, OpKind::Multiply, {a.low, b.high})});
    return made;
  }

  ValueId less(Visit& v, const Words& a, const Words& b, bool is_signed, const char* strict, const char* low) {
    const ValueId low_less = compare(v, low, {a.low, b.low});
    if (a.small() && b.small()) return low_less;
    const ValueId high_less = is_signed ? compare(v, strict, {as_signed(v, a.high), as_signed(v, b.high)}, true) : compare(v, strict, {a.high, b.high});
    const TypeId flag = type(v, ElementType::I1);
    const ValueId tie = v.out.emit(OpKind::And, {compare(v, "EQ", {a.high, b.high}), low_less}, flag, {}, v.location());
    return v.out.emit(OpKind::Or, {high_less, tie}, flag, {}, v.location());
  }

  Words extreme(Visit& v, ElementType e) {
    const Words &a = *inputs_[0], &b = *inputs_[1];
    const bool max = v.kind() == OpKind::Maximum;
    const ValueId first = less(v, a, b, e == ElementType::I64, max ? "GT" : "LT", max ? "GE" : "LE");
    Words made{select(v, {first, a.low, b.low}), select(v, {first, a.high, b.high}), std::max(a.most, b.most)};
    if (made.small()) made.high = number(v, 0);
    return made;
  }

  Words shift(Visit& v, ElementType e) {
    const Words& a = *inputs_[0];
    const auto low = v.out.splat(inputs_[1]->low), high = v.out.splat(inputs_[1]->high);
    if (!low || !high) return {};  // by a varying amount
    const bool left = v.kind() == OpKind::ShiftLeft, arithmetic = v.kind() == OpKind::ShiftRightArithmetic;
    const std::uint64_t by = high->integer != 0 ? 64 : std::min<std::uint64_t>(64, static_cast<std::uint64_t>(low->integer) & kWord);
    const auto shifted = [&](OpKind kind, ValueId x, std::uint64_t n) { return n == 0 ? x : n >= 32 ? number(v, 0) : op(v, kind, {x, number(v, n)}); };
    if (left) {
      Words made;
      made.low = shifted(OpKind::ShiftLeft, a.low, by);
      made.most = by < 64 && a.most <= (UINT64_MAX >> by) ? a.most << by : UINT64_MAX;
      if (by >= 32)
        made.high = shifted(OpKind::ShiftLeft, a.low, by - 32);
      else if (by == 0)
        made.high = a.high;
      else
        made.high = op(v, OpKind::Or, {shifted(OpKind::ShiftLeft, a.high, by), shifted(OpKind::ShiftRightLogical, a.low, 32 - by)});
      return made;
    }
    ValueId fill = number(v, 0);
    const bool fills = arithmetic && e == ElementType::I64 && a.most > static_cast<std::uint64_t>(INT64_MAX);
    if (fills) fill = select(v, {compare(v, "LT", {as_signed(v, a.high), as_signed(v, number(v, 0))}, true), number(v, kWord), number(v, 0)});
    const auto right_in = [&](ValueId x, std::uint64_t n) {  // fills from above
      if (n == 0) return x;
      if (n >= 32) return fill;
      const ValueId moved = op(v, OpKind::ShiftRightLogical, {x, number(v, n)});
      return fills ? op(v, OpKind::Or, {moved, op(v, OpKind::ShiftLeft, {fill, number(v, 32 - n)})}) : moved;
    };
    Words made;
    made.most = fills ? UINT64_MAX : by >= 64 ? 0 : a.most >> by;
    made.high = made.small() ? number(v, 0) : right_in(a.high, by);
    if (made.most == 0)
      made.low = number(v, 0);
    else if (by >= 32)
      made.low = right_in(a.high, by - 32);
    else if (by == 0 || a.small())
      made.low = shifted(OpKind::ShiftRightLogical, a.low, by);
    else
      made.low = op(v, OpKind::Or, {shifted(OpKind::ShiftRightLogical, a.low, by), shifted(OpKind::ShiftLeft, a.high, 32 - by)});
    return made;
  }

  // bitcast_convert of a trailing dim of two words, or between i64 and ui64.
  Words from_words(Visit& v) {
    if (inputs_[0]) return *inputs_[0];
    if (bit_width(v.out.type(v.operands[0]).element) != 32) return {};
    const ValueId words = Formula(v).bits(v.operands[0], ElementType::U32);
    Moves moves(v);
    const std::size_t dim = shape_.size();
    return {moves.reshape(moves.slice(words, dim, 0, 1), shape_), moves.reshape(moves.slice(words, dim, 1, 2), shape_), UINT64_MAX};
  }

  Words widen(Visit& v) {
    if (inputs_[0]) return *inputs_[0];  // i64 <-> ui64
    const graph::Type& from = v.out.type(v.operands[0]);
    if (!is_integer(from.element) && from.element != ElementType::I1) return {};
    const int bits = bit_width(from.element);
    Words made;
    if (type_class(from.element) == TypeClass::Signed) {
      const ValueId number32 = v.out.emit(OpKind::Convert, {v.operands[0]}, type(v, ElementType::I32), {}, v.location());
      const ValueId zero = v.out.constant(type(v, ElementType::I32), 0, v.location());
      made.low = v.out.emit(OpKind::Convert, {number32}, type(v, ElementType::U32), {}, v.location());
      made.high = select(v, {compare(v, "LT", {number32, zero}, true), number(v, kWord), number(v, 0)});
    } else {
      made.low = v.out.emit(OpKind::Convert, {v.operands[0]}, type(v, ElementType::U32), {}, v.location());
      made.high = number(v, 0);
      made.most = bits >= 32 ? kWord : (std::uint64_t{1} << bits) - 1;
    }
    return made;
  }

  /// An op that takes wide operands and makes a narrow result.
  ValueId narrow(Visit& v) {
    if (!inputs_[0]) {  // only its indices are wide
      std::vector<ValueId> operands(v.operands.begin(), v.operands.end());
      for (std::size_t i = 0; i < inputs_.size(); ++i) {
        if (!inputs_[i]) continue;
        if (!is_index(v.kind(), i)) return {};
        operands[i] = index(v, i);
      }
      return v.out.emit(v.kind(), operands, v.result_type(), v.old.attributes_of(v.op), v.location());
    }
    const ElementType to = v.out.module().type(v.result_type()).element;
    if (v.kind() == OpKind::BitcastConvert && bit_width(to) == 32) {  // a trailing dim of the two words
      Moves moves(v);
      std::vector<std::int64_t> one = v.out.type(inputs_[0]->low).shape;
      one.push_back(1);
      const ValueId words[] = {moves.reshape(inputs_[0]->low, one), moves.reshape(inputs_[0]->high, one)};
      return Formula(v).bits(moves.concatenate(words, static_cast<std::int64_t>(one.size()) - 1), to);
    }
    if (v.kind() == OpKind::Convert) {
      const Words& a = *inputs_[0];
      if (is_integer(to)) return v.out.emit(OpKind::Convert, {a.low}, v.result_type(), {}, v.location());
      if (to == ElementType::I1)
        return compare(v, "NE", {a.small() ? a.low : op(v, OpKind::Or, {a.low, a.high}), number(v, 0)});
      return a.small() ? v.out.emit(OpKind::Convert, {a.low}, v.result_type(), {}, v.location()) : ValueId();
    }
    if (v.kind() == OpKind::Compare) {
      const Words &a = *inputs_[0], &b = *inputs_[1];
      const std::string direction(v.out.module().attribute(v.attr("comparison_direction")).text);
      const bool is_signed = element(v, v.old.operand(v.op, 0)) == ElementType::I64;
      if (direction == "EQ" || direction == "NE") {
        const ValueId low = compare(v, direction.c_str(), {a.low, b.low});
        if (a.small() && b.small()) return low;
        return v.out.emit(direction == "EQ" ? OpKind::And : OpKind::Or, {low, compare(v, direction.c_str(), {a.high, b.high})}, v.result_type(), {}, v.location());
      }
      const std::string strict = direction.substr(0, 1) == "L" ? "LT" : "GT";
      return less(v, a, b, is_signed, strict.c_str(), direction.c_str());
    }
    return {};
  }

  std::list<std::pair<const graph::Function*, Table>> scopes_;  // of the functions with such values
  std::vector<const Words*> inputs_;  // per operand: its words, or null when it is narrow
  std::vector<std::int64_t> shape_;   // of the result
};

}  // namespace

Result<void> split_words(graph::Module& module) {
  bool any = false;
  for (FunctionId f : module.functions())
    for (ValueId value : module.function(f).values()) any = any || is_wide(module.type(module.function(f).type(value)).element);
  if (!any) return {};
  Splitter splitter;
  return Rewriter(module, [&](Rewriter& rewriter, Visit& v) { return splitter.visit(rewriter, v); }).run();
}

}  // namespace openneuron::opt
