#include <algorithm>
#include <cctype>
#include <numeric>
#include <string>

#include "opt/apply_region.h"
#include "opt/dot_terms.h"
#include "opt/legalise_rules.h"
#include "opt/moves.h"

namespace openneuron::opt::rules {

using graph::OpKind;

Result<bool> optimization_barrier(Rewriter&, Visit& v) {
  std::size_t i = 0;
  for (ValueId r : v.old.results(v.op)) v.map[r] = v.operands[i++];
  return true;
}

// broadcast prepends dims.
Result<bool> broadcast_op(Rewriter&, Visit& v) {
  const auto rank = v.out.type(v.operands[0]).rank();
  const auto added = v.out.module().type(v.result_type()).rank() - rank;
  std::vector<std::int64_t> dims(static_cast<std::size_t>(rank));
  std::iota(dims.begin(), dims.end(), added);
  return v.replace(broadcast(v, v.operands[0], v.result_type(), dims));
}

// dot contracts the last dim of lhs with the first of rhs.
Result<bool> dot(Rewriter&, Visit& v) {
  graph::Module& m = v.out.module();
  const std::int64_t last = v.out.type(v.operands[0]).rank() - 1;
  const std::int64_t lhs[] = {last}, rhs[] = {0};
  std::vector<std::pair<std::string, AttrId>> pairs = {{"lhs_contracting_dimensions", m.ints_attr(lhs)},
                                                       {"rhs_contracting_dimensions", m.ints_attr(rhs)},
                                                       {"lhs_batching_dimensions", m.ints_attr({})},
                                                       {"rhs_batching_dimensions", m.ints_attr({})}};
  if (v.attr("precision_config").valid()) pairs.push_back({"precision_config", v.attr("precision_config")});
  return v.replace(v.out.emit(OpKind::DotGeneral, v.operands, v.result_type(), m.dictionary(std::move(pairs)), v.location()));
}

// The PE multiplies 32-bit floats with 32-bit floats and small ones with small ones: the narrower operand is widened.
// Integers of more terms than the PE adds up exactly (integer_contraction.h) are multiplied and added up by Vector, in 32 bits, whose lower ones are those of
// every narrower sum. Truths: any pair of which both are.
static Result<bool> integer_dot(Visit& v) {
  const ElementType to = v.out.module().type(v.result_type()).element;
  const bool truth = to == ElementType::I1;
  if (!truth && (!is_integer(to) || bit_width(to) > 32)) return false;
  const ElementType sum = truth ? to : type_class(to) == TypeClass::Signed ? ElementType::I32 : ElementType::U32;
  const DotTerms terms = dot_terms(v);
  Formula f(v);
  const ValueId a = terms.lay(v, f.to(v.operands[0], sum), 0), b = terms.lay(v, f.to(v.operands[1], sum), 1);
  const ValueId product = v.out.emit(OpKind::Multiply, {a, b}, v.out.function().type(a), {}, v.location());
  const std::int64_t last[] = {static_cast<std::int64_t>(terms.shape.size()) - 1};
  return v.replace(f.to(reduce_with(v, truth ? OpKind::Or : OpKind::Add, product, last), to));
}

Result<bool> dot_general(Rewriter&, Visit& v) {
  if (auto done = vector_dot(v); !done || *done) return done;
  const ElementType a = v.out.type(v.operands[0]).element, b = v.out.type(v.operands[1]).element;
  if (!is_float(a) && !is_float(b) && !is_complex(a)) return integer_dot(v);
  if (a == b) return merged_dot(v);
  if (!is_float(a) || !is_float(b)) return false;
  const ElementType wide = bit_width(a) > bit_width(b) ? a : bit_width(b) > bit_width(a) ? b : ElementType::F32;
  const ValueId operands[] = {convert(v, v.operands[0], wide), convert(v, v.operands[1], wide)};
  return v.replace(v.out.emit(OpKind::DotGeneral, operands, v.result_type(), v.old.attributes_of(v.op), v.location()));
}

Result<bool> chlo_constant(Rewriter&, Visit& v) {
  return v.replace(v.out.emit(OpKind::Constant, {}, v.result_type(), v.old.attributes_of(v.op), v.location()));
}

// "ab,bc->ac" and "ab->ba": letters of one operand alone that the result lacks are summed, letters of both that it lacks
// contracted. Diagonals (a letter twice) and ellipses are left.
Result<bool> einsum(Rewriter&, Visit& v) {
  graph::Module& m = v.out.module();
  std::string text;
  for (char c : m.attribute(v.attr("einsum_config")).text)
    if (c != ' ') text.push_back(c);
  const std::size_t arrow = text.find("->"), comma = text.find(',');
  if (arrow == std::string::npos || (comma == std::string::npos) != (v.operands.size() == 1)) return false;
  const std::string out = text.substr(arrow + 2);
  std::vector<std::string> names = {text.substr(0, std::min(comma, arrow))};
  if (v.operands.size() == 2) names.push_back(text.substr(comma + 1, arrow - comma - 1));
  const auto in = [](const std::string& name, char c) { return name.find(c) != std::string::npos; };
  for (std::size_t i = 0; i <= names.size(); ++i) {
    const std::string& name = i < names.size() ? names[i] : out;
    for (std::size_t k = 0; k < name.size(); ++k)
      if (!std::isalpha(static_cast<unsigned char>(name[k])) || name.find(name[k], k + 1) != std::string::npos) return false;
    if (i < names.size() && static_cast<int>(name.size()) != v.out.type(v.operands[i]).rank()) return false;
  }
  for (char c : out)
    if (!in(names[0], c) && !(names.size() == 2 && in(names[1], c))) return false;
  std::vector<ValueId> operands(v.operands.begin(), v.operands.end());
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::vector<std::int64_t> gone;
    std::string kept;
    for (std::size_t k = 0; k < names[i].size(); ++k) {
      const char c = names[i][k];
      if (in(out, c) || (names.size() == 2 && in(names[1 - i], c)))
        kept.push_back(c);
      else
        gone.push_back(static_cast<std::int64_t>(k));
    }
    if (!gone.empty()) operands[i] = reduce_with(v, OpKind::Add, operands[i], gone);
    names[i] = kept;
  }
  std::string made = names[0];
  ValueId value = operands[0];
  if (names.size() == 2) {
    std::vector<std::int64_t> sets[4];  // batch of lhs and rhs, contracted of lhs and rhs
    std::string batch, left, right;
    for (std::size_t k = 0; k < names[0].size(); ++k) {
      const char c = names[0][k];
      if (!in(names[1], c)) {
        left.push_back(c);
        continue;
      }
      const std::size_t set = in(out, c) ? 0 : 2;
      if (set == 0) batch.push_back(c);
      sets[set].push_back(static_cast<std::int64_t>(k));
      sets[set + 1].push_back(static_cast<std::int64_t>(names[1].find(c)));
    }
    for (char c : names[1])
      if (!in(names[0], c)) right.push_back(c);
    made = batch + left + right;
    std::vector<std::int64_t> shape;
    for (char c : made) {
      const std::size_t side = in(names[0], c) ? 0 : 1;
      shape.push_back(v.out.type(operands[side]).shape[names[side].find(c)]);
    }
    if (v.out.type(operands[0]).element != v.out.type(operands[1]).element) return false;
    const AttrId usual = m.enum_attr("precision", "DEFAULT");
    const AttrId attributes = m.dictionary({{"precision_config", m.array_attr({usual, usual})},
                                            {"lhs_batching_dimensions", m.ints_attr(sets[0])},
                                            {"rhs_batching_dimensions", m.ints_attr(sets[1])},
                                            {"lhs_contracting_dimensions", m.ints_attr(sets[2])},
                                            {"rhs_contracting_dimensions", m.ints_attr(sets[3])}});
    const TypeId type = m.tensor(m.type(v.result_type()).element, shape);
    value = v.out.emit(OpKind::DotGeneral, operands, type, attributes, v.location());
  }
  std::vector<std::int64_t> order;
  for (char c : out) order.push_back(static_cast<std::int64_t>(made.find(c)));
  return v.replace(Moves(v).transpose(value, order));
}

}  // namespace openneuron::opt::rules
