// What random_ops_*.cpp build with.
#pragma once
#include <algorithm>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "graph/module.h"
#include "graph/normalise.h"
#include "graph/op_info.h"

namespace openneuron::graph::test {

using Shape = std::vector<std::int64_t>;
using E = ElementType;

struct Builder {
  Module m;
  Function f;
  std::mt19937 random;

  explicit Builder(std::uint32_t seed) : random(seed) {}

  std::int64_t between(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  }
  bool coin() { return between(0, 1) != 0; }
  template <class T>
  T pick(std::initializer_list<T> from) {
    return from.begin()[between(0, static_cast<std::int64_t>(from.size()) - 1)];
  }
  E any_float() { return pick({E::F32, E::F64, E::BF16, E::F16, E::F8E4M3FN, E::F8E5M2}); }
  E any_integer() { return pick({E::I8, E::I16, E::I32, E::I64, E::U8, E::U16, E::U32, E::U64, E::I4, E::U4}); }
  E any_complex() { return pick({E::C64, E::C128}); }
  E float_or_complex() { return coin() ? any_float() : any_complex(); }
  E number() { return coin() ? any_integer() : float_or_complex(); }
  E any() { return between(0, 5) == 0 ? E::I1 : number(); }
  Shape shape(std::int64_t min_rank = 0, std::int64_t max_rank = 4, std::int64_t min_size = 0) {
    Shape s(static_cast<std::size_t>(between(min_rank, max_rank)));
    for (std::int64_t& d : s) d = between(min_size, 5);
    return s;
  }
  /// A random order of 0..n-1.
  Shape permutation(std::size_t n) {
    Shape p(n);
    for (std::size_t i = 0; i < n; ++i) p[i] = static_cast<std::int64_t>(i);
    std::shuffle(p.begin(), p.end(), random);
    return p;
  }
  /// Some of 0..n-1, sorted.
  Shape subset(std::size_t n) {
    Shape s;
    for (std::size_t i = 0; i < n; ++i) {
      if (coin()) s.push_back(static_cast<std::int64_t>(i));
    }
    return s;
  }

  TypeId type(E e, const Shape& s = {}) { return m.tensor(e, s); }
  TypeId token() {
    Type t;
    t.kind = TypeKind::Token;
    return m.intern(std::move(t));
  }
  ValueId input(TypeId t) { return f.add_parameter(t); }
  ValueId input(E e, const Shape& s = {}) { return input(type(e, s)); }
  AttrId ints(const Shape& v) { return m.ints_attr(v); }
  AttrId integer(std::int64_t v) { return m.int_attr(v); }
  AttrId keyword(const char* kind, const char* text) { return m.enum_attr(kind, text); }
  AttrId precisions() {
    const auto one = [&] { return m.enum_attr("precision", pick({"DEFAULT", "HIGH", "HIGHEST"})); };
    const AttrId left = one();
    return m.array_attr({left, one()});
  }
  AttrId literal(TypeId t);
  /// A region: block arguments of these types, then `body` adds ops and returns the values to return.
  template <class Body>
  FunctionId region(const std::vector<TypeId>& arguments, Body body) {
    Function r;
    r.is_region = true;
    std::vector<ValueId> values;
    for (TypeId t : arguments) values.push_back(r.add_parameter(t));
    const std::vector<ValueId> returned = body(r, values);
    r.add_op(OpKind::Return, returned, {});
    return m.add_function(std::move(r));
  }
  /// (E, E) -> E by `kind`.
  FunctionId combiner(E e, OpKind kind = OpKind::Add) {
    const TypeId t = type(e);
    return region({t, t}, [&](Function& r, const std::vector<ValueId>& v) {
      return std::vector<ValueId>{r.result(r.add_op(kind, v, {&t, 1}))};
    });
  }
  FunctionId comparator(const std::vector<TypeId>& arguments) {
    const TypeId flag = type(E::I1);
    const AttrId attributes = m.dictionary({{"comparison_direction", keyword("comparison_direction", "LT")},
                                            {"compare_type", keyword("comparison_type", "NOTYPE")}});
    return region(arguments, [&](Function& r, const std::vector<ValueId>& v) {
      return std::vector<ValueId>{
          r.result(r.add_op(OpKind::Compare, std::vector<ValueId>{v[0], v[1]}, {&flag, 1}, attributes))};
    });
  }

  /// Adds the op with normal attributes; result types are derived when `results` is empty.
  OpId add(OpKind kind, const std::vector<ValueId>& operands, const NamedAttributes& attributes = {},
           std::vector<TypeId> results = {}, const std::vector<FunctionId>& regions = {}, std::uint32_t captures = 0);
  /// Returns all results of `op` from @main and hands the module out.
  Module finish(OpId op);
  Module finish(OpKind kind, const std::vector<ValueId>& operands, const NamedAttributes& attributes = {},
                std::vector<TypeId> results = {}, const std::vector<FunctionId>& regions = {},
                std::uint32_t captures = 0) {
    return finish(add(kind, operands, attributes, std::move(results), regions, captures));
  }
};

bool build_data_op(Builder& b, OpKind kind, Module& out);
bool build_window_op(Builder& b, OpKind kind, Module& out);
bool build_control_op(Builder& b, OpKind kind, Module& out);

}  // namespace openneuron::graph::test
