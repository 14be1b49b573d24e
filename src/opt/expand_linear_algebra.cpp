#include "opt/expand_linear_algebra.h"

#include "opt/apply_region.h"
#include "opt/counted_while.h"
#include "opt/integer_contraction.h"
#include "opt/legalise_rules.h"
#include "opt/moves.h"

namespace openneuron::opt {

using graph::OpKind;

namespace {

// Arithmetic on batches of matrices [..., rows, columns]; parts of one row or column repeat where they meet larger ones.
class Matrices {
 public:
  explicit Matrices(Visit& v) : v_(v), f_(v), moves_(v) {}

  Formula& formula() { return f_; }
  const Shape& shape(ValueId x) const { return moves_.shape(x); }
  std::int64_t rows(ValueId x) const { return shape(x)[shape(x).size() - 2]; }
  std::int64_t columns(ValueId x) const { return shape(x).back(); }

  ValueId op(OpKind kind, ValueId a, ValueId b) {
    const Shape to = joined(a, b);
    const ValueId first = repeat(a, to);
    return f_.op(kind, first, repeat(b, to));
  }
  ValueId add(ValueId a, ValueId b) { return op(OpKind::Add, a, b); }
  ValueId sub(ValueId a, ValueId b) { return op(OpKind::Subtract, a, b); }
  ValueId mul(ValueId a, ValueId b) { return op(OpKind::Multiply, a, b); }
  ValueId div(ValueId a, ValueId b) { return op(OpKind::Divide, a, b); }
  ValueId select(ValueId condition, ValueId a, ValueId b) {
    Shape to = joined(a, b);
    for (std::size_t d = 0; d < to.size(); ++d) to[d] = std::max(to[d], shape(condition)[d]);
    const ValueId where = repeat(condition, to), first = repeat(a, to);
    return f_.select(where, first, repeat(b, to));
  }
  ValueId number(ValueId like, double x) {  // one element, of the type of `like`
    const ElementType e = moves_.element(like);
    const ValueId real = moves_.splat(is_complex(e) ? ElementType::F32 : e, Shape(shape(like).size(), 1), x);
    return f_.to(real, e);
  }
  bool complex(ValueId x) const { return is_complex(moves_.element(x)); }
  ValueId part(OpKind kind, ValueId x) { return v_.out.emit(kind, {x}, v_.out.module().tensor(ElementType::F32, Shape(shape(x))), {}, v_.location()); }
  ValueId real(ValueId x) { return complex(x) ? part(OpKind::Real, x) : x; }
  ValueId imaginary(ValueId x) { return part(OpKind::Imag, x); }
  ValueId complex_of(ValueId real, ValueId imaginary) {
    return v_.out.emit(OpKind::Complex, {real, imaginary}, v_.out.module().tensor(ElementType::C64, Shape(shape(real))), {}, v_.location());
  }
  ValueId conjugate(ValueId x) {
    const TypeId type = v_.out.function().type(x);
    return complex(x) ? v_.out.emit(OpKind::ChloConj, {x}, type, {}, v_.location()) : x;
  }
  ValueId transpose(ValueId x) {
    Shape order;
    for (std::size_t d = 0; d < shape(x).size(); ++d) order.push_back(static_cast<std::int64_t>(d));
    std::swap(order[order.size() - 1], order[order.size() - 2]);
    return moves_.transpose(x, order);
  }
  /// The sum over rows, which become one.
  ValueId row_sum(ValueId x) {
    if (complex(x)) {
      const ValueId a = row_sum(real(x));
      return complex_of(a, row_sum(imaginary(x)));
    }
    Shape to = shape(x);
    to[to.size() - 2] = 1;
    const std::int64_t dims[] = {static_cast<std::int64_t>(to.size()) - 2};
    return moves_.reshape(reduce_with(v_, OpKind::Add, x, dims), to);
  }
  /// `rows` by `columns` of x from (row, column) on; a size of 0: all.
  ValueId block(ValueId x, ValueId row, ValueId column, std::int64_t rows, std::int64_t columns) {
    Shape sizes = shape(x);
    if (rows > 0) sizes[sizes.size() - 2] = rows;
    if (columns > 0) sizes.back() = columns;
    return moves_.dynamic_slice(x, starts(x, row, column), sizes);
  }
  ValueId with_block(ValueId x, ValueId update, ValueId row, ValueId column) { return moves_.dynamic_update_slice(x, update, starts(x, row, column)); }
  ValueId zero() { return moves_.splat(ElementType::I32, {}, 0); }
  /// [.., n, 1] or [.., 1, n]: the number of each row or column compared with a scalar.
  ValueId where(ValueId like, bool row, const char* direction, ValueId number) {
    Shape to(shape(like).size(), 1);
    const std::size_t d = to.size() - (row ? 2 : 1);
    to[d] = shape(like)[d];
    const ValueId at = moves_.iota(ElementType::I32, to, static_cast<std::int64_t>(d));
    return f_.compare(at, direction, moves_.broadcast(number, to, {}));
  }
  ValueId zeros(ValueId like, const Shape& to) { return f_.to(moves_.splat(complex(like) ? ElementType::F32 : moves_.element(like), to, 0), moves_.element(like)); }

 private:
  Shape joined(ValueId a, ValueId b) const {
    Shape to = shape(a);
    for (std::size_t d = 0; d < to.size(); ++d) to[d] = std::max(to[d], shape(b)[d]);
    return to;
  }
  ValueId repeat(ValueId x, const Shape& to) {
    if (shape(x) == to) return x;
    Shape dims;
    for (std::size_t d = 0; d < to.size(); ++d) dims.push_back(static_cast<std::int64_t>(d));
    return moves_.broadcast(x, to, dims);
  }
  std::vector<ValueId> starts(ValueId x, ValueId row, ValueId column) {
    std::vector<ValueId> at(shape(x).size() - 2, zero());
    at.push_back(row);
    at.push_back(column);
    return at;
  }
  Visit& v_;
  Formula f_;
  Moves moves_;
};

// Column by column: each is divided by the root of its diagonal element, and its outer product leaves the rest. Reads
// the lower triangle.
ValueId cholesky_lower(Visit& v, ValueId a) {
  Matrices out(v);
  const Values carried = {a, out.zeros(a, Shape(out.shape(a)))};
  return counted_while(v, out.columns(a), carried, {}, [](Visit& inside, ValueId k, std::span<const ValueId> now, std::span<const ValueId>) {
    Matrices m(inside);
    const ValueId zero = m.zero(), column = m.block(now[0], zero, k, 0, 1);
    const ValueId diagonal = m.real(m.block(column, k, zero, 1, 0));
    const ValueId root = m.formula().sqrt(diagonal);
    const ValueId divisor = m.formula().to(root, m.complex(column) ? ElementType::C64 : m.formula().element(root));
    const ValueId quotient = m.div(column, divisor), none = m.number(column, 0);
    const ValueId scaled = m.select(m.where(column, true, "GE", k), quotient, none);
    const ValueId factor = m.with_block(now[1], scaled, zero, k);
    return Values{m.sub(now[0], m.mul(scaled, m.transpose(m.conjugate(scaled)))), factor};
  })[1];
}

// a x = b by columns of a, from the first (lower) or the last row on.
ValueId solve(Visit& v, ValueId a, ValueId b, bool lower, bool unit) {
  const std::int64_t n = Matrices(v).rows(b);
  return counted_while(v, n, {b}, {a}, [&](Visit& inside, ValueId k, std::span<const ValueId> now, std::span<const ValueId> given) {
    Matrices m(inside);
    const ValueId zero = m.zero();
    const ValueId row = lower ? k : ValueId(m.formula().sub(static_cast<double>(n - 1), k));
    ValueId x = m.block(now[0], row, zero, 1, 0);
    if (!unit) x = m.div(x, m.block(given[0], row, row, 1, 1));
    const ValueId column = m.block(given[0], zero, row, 0, 1);
    const ValueId none = m.number(column, 0);
    const ValueId rest = m.select(m.where(column, true, lower ? "GT" : "LT", row), column, none);
    const ValueId left = m.sub(now[0], m.mul(rest, x));
    return Values{m.with_block(left, x, row, zero)};
  })[0];
}

// geqrf: R on and above the diagonal, below it the reflectors but for their leading 1; and their factors tau.
Values householder(Visit& v, ValueId a) {
  Matrices out(v);
  Shape taus = out.shape(a);
  const std::int64_t count = std::min(out.rows(a), out.columns(a));
  taus[taus.size() - 2] = 1;
  taus.back() = count;
  const Values carried = {a, out.zeros(a, taus)};
  Values made = counted_while(v, count, carried, {}, [](Visit& inside, ValueId k, std::span<const ValueId> now, std::span<const ValueId>) {
    Matrices m(inside);
    Formula& f = m.formula();
    const ValueId zero = m.zero(), x = m.block(now[0], zero, k, 0, 1), alpha = m.block(x, k, zero, 1, 0);
    const ValueId below = m.where(x, true, "GT", k), at = m.where(x, true, "EQ", k);
    const ValueId tail = m.select(below, x, m.number(x, 0));
    const ValueId sigma = m.row_sum(m.real(m.mul(tail, m.conjugate(tail))));
    const ValueId size = f.sqrt(f.add(m.real(m.mul(alpha, m.conjugate(alpha))), sigma));
    const ValueId head = m.real(alpha);
    const ValueId beta = f.select(f.compare(head, "GE", 0), f.neg(size), size);
    ValueId nothing = f.compare(sigma, "EQ", 0);  // the column is as it should be
    if (m.complex(x)) nothing = f.bit_and(nothing, f.compare(m.imaginary(alpha), "EQ", 0));
    const ValueId safe = f.select(nothing, 1.0, beta);
    const ValueId none = f.splat(safe, 0);
    ValueId tau = f.select(nothing, none, f.div(f.sub(beta, head), safe)), top = f.select(nothing, head, beta);
    if (m.complex(x)) {
      const ValueId turned = f.div(f.neg(m.imaginary(alpha)), safe);
      tau = m.complex_of(tau, turned);
      top = f.to(top, ElementType::C64);
    }
    const ValueId one = m.number(x, 1);
    const ValueId divisor = m.select(nothing, one, m.sub(alpha, top));
    const ValueId reflector = m.select(at, one, m.div(tail, divisor));
    const ValueId products = m.row_sum(m.mul(m.conjugate(reflector), now[0]));
    const ValueId reflected = m.sub(now[0], m.mul(reflector, m.mul(products, m.conjugate(tau))));
    const ValueId rest = m.select(m.where(now[0], false, "GT", k), reflected, now[0]);
    const ValueId column = m.select(below, reflector, m.select(at, top, x));
    const ValueId next = m.with_block(rest, column, zero, k);
    return Values{next, m.with_block(now[1], tau, zero, k)};
  });
  return made;
}

// orgqr: the product of the reflectors, applied to the identity from the last on.
ValueId product_of_reflectors(Visit& v, ValueId a, ValueId taus) {
  Matrices out(v);
  Moves moves(v);
  Formula f(v);
  const Shape shape = out.shape(a);
  Shape row = out.shape(taus);
  const std::int64_t count = row.back();
  row.insert(row.end() - 1, 1);
  const ValueId factors = moves.reshape(taus, row);
  const auto rank = static_cast<std::int64_t>(shape.size());
  const ValueId row_number = moves.iota(ElementType::I32, shape, rank - 2), column_number = moves.iota(ElementType::I32, shape, rank - 1);
  const ValueId diagonal = f.compare(row_number, "EQ", column_number);
  const ValueId identity = f.to(f.to(diagonal, ElementType::F32), moves.element(a));
  return counted_while(v, count, {identity}, {a, factors}, [&](Visit& inside, ValueId turn, std::span<const ValueId> now, std::span<const ValueId> given) {
    Matrices m(inside);
    const ValueId zero = m.zero(), k = m.formula().sub(static_cast<double>(count - 1), turn);
    const ValueId x = m.block(given[0], zero, k, 0, 1), tau = m.block(given[1], zero, k, 1, 1);
    const ValueId none = m.number(x, 0), one = m.number(x, 1);
    const ValueId below = m.select(m.where(x, true, "GT", k), x, none);
    const ValueId reflector = m.select(m.where(x, true, "EQ", k), one, below);
    const ValueId products = m.row_sum(m.mul(m.conjugate(reflector), now[0]));
    return Values{m.sub(now[0], m.mul(reflector, m.mul(products, tau)))};
  })[0];
}

bool takes(ElementType e) { return e == ElementType::C64 || (is_float(e) && bit_width(e) >= 16 && bit_width(e) <= 32); }

Result<bool> visit(Rewriter& rewriter, Visit& v) {
  const OpKind kind = v.kind();
  if (integer_contraction(v)) return true;
  if (kind != OpKind::SelectAndScatter && kind != OpKind::Cholesky && kind != OpKind::TriangularSolve && kind != OpKind::CustomCall) return false;
  graph::Module& m = v.out.module();
  if (v.operands.empty()) return false;
  for (ValueId x : v.operands)
    for (std::int64_t n : v.out.type(x).shape)
      if (n < 0) return false;
  if (kind == OpKind::SelectAndScatter)
    return byte_width(v.out.type(v.operands[0]).element) > 4 ? rules::select_and_scatter(rewriter, v) : Result<bool>(false);
  if (!takes(v.out.type(v.operands[0]).element)) return false;
  Formula f(v);
  Moves moves(v);
  const ElementType given = moves.element(v.operands[0]), wide = is_complex(given) ? given : ElementType::F32;
  const auto operand = [&](std::size_t i) -> ValueId { return f.to(v.operands[i], wide); };
  const auto adjoint = [&](ValueId x) {
    Matrices matrices(v);
    return matrices.conjugate(matrices.transpose(x));
  };
  if (kind == OpKind::Cholesky) {
    if (v.out.type(v.operands[0]).element_count() == 0) return v.replace(v.operands[0]);
    const AttrId lower = v.attr("lower");
    if (lower.valid() && m.attribute(lower).integer != 0) return v.replace(f.to(cholesky_lower(v, operand(0)), given));
    return v.replace(f.to(adjoint(cholesky_lower(v, adjoint(operand(0)))), given));
  }
  if (kind == OpKind::TriangularSolve) {
    if (v.out.type(v.operands[1]).element_count() == 0) return v.replace(v.operands[1]);
    const auto flag = [&](const char* name) { return v.attr(name).valid() && m.attribute(v.attr(name)).integer != 0; };
    const std::string transposed = v.attr("transpose_a").valid() ? m.attribute(v.attr("transpose_a")).text : "NO_TRANSPOSE";
    const bool left = flag("left_side");
    bool lower = flag("lower");
    ValueId a = operand(0), b = operand(1);
    Matrices matrices(v);
    if (transposed == "ADJOINT") a = matrices.conjugate(a);
    if ((transposed == "TRANSPOSE" || transposed == "ADJOINT") == left) {
      a = matrices.transpose(a);
      lower = !lower;
    }
    if (!left) b = matrices.transpose(b);
    ValueId x = solve(v, a, b, lower, flag("unit_diagonal"));
    if (!left) x = matrices.transpose(x);
    return v.replace(f.to(x, given));
  }
  const std::string_view target = m.attribute(v.attr("call_target_name")).text;
  if (target == "Qr" && v.operands.size() == 1 && v.old.results(v.op).size() == 2) {
    const ValueId a = operand(0);
    const Shape taus = m.type(v.result_type(1)).shape;
    const bool empty = v.out.type(a).element_count() == 0;
    const Values made = empty ? Values{a, Matrices(v).zeros(a, taus)} : householder(v, a);
    v.map[v.old.result(v.op, 0)] = f.to(made[0], given);
    v.map[v.old.result(v.op, 1)] = f.to(moves.reshape(made[1], taus), given);
    return true;
  }
  if (target == "ProductOfElementaryHouseholderReflectors" && v.operands.size() == 2) {
    if (v.out.type(v.operands[0]).element_count() == 0) return v.replace(v.operands[0]);
    const ValueId a = operand(0);
    return v.replace(f.to(product_of_reflectors(v, a, operand(1)), given));
  }
  return false;
}

}  // namespace

Result<void> expand_linear_algebra(graph::Module& module) {
  const auto concerns = [&](const graph::Function& f, OpId op) {
    switch (f.kind(op)) {
      case OpKind::Cholesky:
      case OpKind::TriangularSolve:
      case OpKind::SelectAndScatter:
      case OpKind::CustomCall: return true;
      case OpKind::DotGeneral:
      case OpKind::Convolution: return is_integer(module.type(f.type(f.operand(op, 0))).element);
      default: return false;
    }
  };
  for (FunctionId id : module.functions())
    for (OpId op : module.function(id).ops())
      if (concerns(module.function(id), op)) return Rewriter(module, visit).run();
  return {};
}

}  // namespace openneuron::opt
