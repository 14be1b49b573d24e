#include "opt/integer_contraction.h"

#include <algorithm>

#include "opt/formula.h"
#include "opt/legalise_tools.h"

namespace openneuron::opt {

using graph::OpKind;

namespace {

constexpr std::int64_t kMostTerms = 1024;  // products of two digits are at most 2^14; fp32 adds whole numbers up to 2^24

bool taken(ElementType t) { return is_integer(t) && bit_width(t) >= 8 && bit_width(t) <= 64; }

// The sum of d[i] 256^i is the number modulo 256^most, each d from -128 to 127; `most` is 4 or 8.
std::vector<ValueId> digits(Visit& v, ValueId x, int most) {
  Formula f(v);
  const ElementType from = v.out.type(x).element;
  const int bytes = bit_width(from) / 8;
  const bool ends = type_class(from) == TypeClass::Signed && most == 4;  // the last of 32 bits may wrap there
  const int count = std::min(ends ? bytes : bytes + 1, most);
  const int above = 8 * (most - 1);
  ValueId rest = f.to(x, most == 4 ? ElementType::I32 : ElementType::I64);
  std::vector<ValueId> all;
  for (int i = 0; i < count; ++i) {
    const ValueId eight = f.splat(rest, 8), upper = f.splat(rest, above);
    const ValueId digit = count == 1 ? rest : ValueId(f.op(OpKind::ShiftRightArithmetic, f.left(rest, upper), upper));
    all.push_back(f.to(f.to(digit, ElementType::I32), ElementType::F32));
    if (i + 1 < count) rest = f.op(OpKind::ShiftRightArithmetic, f.sub(rest, digit), eight);
  }
  return all;
}

std::int64_t terms(const Visit& v) {
  const graph::Type& right = v.out.module().type(v.old.type(v.old.operand(v.op, 1)));
  if (v.kind() == OpKind::Convolution) {
    const std::int64_t features = right.shape[static_cast<std::size_t>(v.out.module().integer(v.old, v.op, "kernel_output_feature_dimension", 0))];
    return features == 0 ? 0 : right.element_count() / features;
  }
  std::int64_t count = 1;
  for (std::int64_t d : v.ints("rhs_contracting_dimensions")) count *= right.shape[static_cast<std::size_t>(d)];
  return count;
}

}  // namespace

bool integer_contraction(Visit& v) {
  if (v.kind() != OpKind::DotGeneral && v.kind() != OpKind::Convolution) return false;
  const ElementType to = v.out.module().type(v.result_type()).element;
  if (is_float(to) && is_integer(v.out.type(v.operands[0]).element) && is_integer(v.out.type(v.operands[1]).element)) {
    const ValueId operands[] = {convert(v, v.operands[0], to), convert(v, v.operands[1], to)};
    return v.replace(v.out.emit(v.kind(), operands, v.result_type(), v.old.attributes_of(v.op), v.location()));
  }
  for (ValueId x : v.operands) {
    const graph::Type& t = v.out.type(x);
    if (!taken(t.element) || std::any_of(t.shape.begin(), t.shape.end(), [](std::int64_t n) { return n < 0; })) return false;
  }
  if (!taken(to) || terms(v) > kMostTerms) return false;
  const int most = bit_width(to) > 32 ? 8 : 4;  // digits: what lies above does not reach the result
  if (most == 8 && v.kind() == OpKind::DotGeneral) return false;  // a sum of products of words is shorter
  const std::vector<ValueId> a = digits(v, v.operands[0], most), b = digits(v, v.operands[1], most);
  const ElementType sums = most == 8 ? ElementType::I64 : ElementType::I32;
  const TypeId real = with_element(v.out.module(), v.result_type(), ElementType::F32);
  Formula f(v);
  ValueId sum;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size() && i + j < static_cast<std::size_t>(most); ++j) {
      const ValueId product = v.out.emit(v.kind(), {a[i], b[j]}, real, v.old.attributes_of(v.op), v.location());
      ValueId part = f.to(f.to(product, ElementType::I32), sums);
      if (i + j > 0) part = f.left(part, static_cast<double>(8 * (i + j)));
      sum = sum.valid() ? ValueId(f.add(sum, part)) : part;
    }
  return v.replace(f.to(sum, to));
}

}  // namespace openneuron::opt
