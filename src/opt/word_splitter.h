// The arithmetic of 64-bit integers in words (split_words.h).
#pragma once
#include "opt/planes.h"

namespace openneuron::opt {

class WordSplitter : public PlaneSplitter {
 protected:
  ElementType part_of(ElementType e) const override {
    return e == ElementType::I64 || e == ElementType::U64 ? ElementType::U32 : ElementType::None;
  }
  const char* name() const override { return "64-bit integers"; }
  Result<bool> compute(Visit& v) override;

 private:
  // Operands in braces: they are evaluated, and emitted, from left to right.
  using Operands = std::initializer_list<ValueId>;
  ValueId op(Visit& v, graph::OpKind kind, Operands operands) const;
  ValueId compare(Visit& v, const char* direction, Operands operands, bool is_signed = false) const;
  ValueId as_signed(Visit& v, ValueId word) const;
  ValueId select(Visit& v, Operands operands) const;
  Planes zero(Visit& v) const { return {number(v, 0), number(v, 0), 0, {}}; }
  Planes all_ones(Visit& v) const { return {number(v, 0xFFFFFFFFu), number(v, 0xFFFFFFFFu), UINT64_MAX, {}}; }
  Planes choose(Visit& v, ValueId condition, const Planes& a, const Planes& b) const;

  /// The words of the visited op's result of type `e`; none when there is no rule.
  Planes split(Visit& v, ElementType e);
  /// An op that takes wide operands and makes a narrow result.
  ValueId narrow(Visit& v);

  Planes iota(Visit& v);
  Planes bitwise(Visit& v);
  Planes add(Visit& v, const Planes& a, const Planes& b);
  Planes subtract(Visit& v, const Planes& a, const Planes& b);
  Planes multiply(Visit& v, const Planes& a, const Planes& b);
  ValueId negative(Visit& v, const Planes& a) const;
  ValueId less(Visit& v, const Planes& a, const Planes& b, bool is_signed, const char* strict, const char* low);
  Planes extreme(Visit& v, graph::OpKind kind, const Planes& a, const Planes& b, ElementType e);
  Planes shift(Visit& v, ElementType e);
  Planes shift_by(Visit& v, ElementType e);
  /// A narrow value as the type `e`.
  Planes widen(Visit& v, ElementType e, ValueId from);

  // -- split_words_numbers.cpp
  Planes magnitude(Visit& v, const Planes& a);
  Planes divide(Visit& v, ElementType e);
  std::pair<Planes, Planes> divide_unsigned(Visit& v, const Planes& a, const Planes& b);
  Planes clamp(Visit& v, ElementType e);
  Planes dot(Visit& v, ElementType e);
  bool top_k(Visit& v);
  ValueId leading_zeros(Visit& v, const Planes& a);
  ValueId to_float(Visit& v, ElementType from, ElementType to);
  Planes from_float(Visit& v, ElementType e, ValueId x);
  Planes from_bits(Visit& v);
  ValueId to_bits(Visit& v, ElementType to);
};

}  // namespace openneuron::opt
