#include "graph/rule.h"

#include <algorithm>

namespace openneuron::graph {
namespace {

bool overflow_safe(std::int64_t v) { return v > -(std::int64_t{1} << 60) && v < (std::int64_t{1} << 60); }

}  // namespace

bool apply_rule(Rule& r) {
  switch (r.kind()) {
#define OP(name, text, operands, regions, form, rule, traits, spec, attributes) \
  case OpKind::name:                                                            \
    return infer_##rule(r);
#include "graph/ops.def"
#undef OP
  }
  return r.fail(Code::Internal, "the op has no rule.");
}

std::span<const std::int64_t> Rule::ints(std::string_view name) const {
  const AttrId id = attribute(name);
  return id.valid() ? std::span<const std::int64_t>(m_.attribute(id).integers) : std::span<const std::int64_t>();
}
std::int64_t Rule::integer(std::string_view name) const {
  const AttrId id = attribute(name);
  return id.valid() ? m_.attribute(id).integer : 0;
}
std::string_view Rule::text(std::string_view name) const {
  const AttrId id = attribute(name);
  return id.valid() ? std::string_view(m_.attribute(id).text) : std::string_view();
}

bool Rule::fail(Code code, std::string message) {
  if (!failed_) {
    failed_ = true;
    error_.code = code;
    error_.message = std::move(message);
  }
  return false;
}

bool Rule::tensor(std::size_t i) {
  const TypeKind k = operand(i).kind;
  if (k == TypeKind::Tensor || k == TypeKind::Quantized || k == TypeKind::Buffer) return true;
  return fail(Code::GraphOperands,
              "operand " + std::to_string(i) + " must be a tensor, it is " + show(m_, operand(i)) + ".");
}

bool Rule::tensors() {
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    if (!tensor(i)) return false;
  }
  return true;
}

bool Rule::element(std::size_t i, std::string_view classes) {
  if (operand(i).kind == TypeKind::Quantized) return true;
  char letter = '?';
  switch (type_class(operand(i).element)) {
    case TypeClass::Bool: letter = 'b'; break;
    case TypeClass::Signed: letter = 'i'; break;
    case TypeClass::Unsigned: letter = 'u'; break;
    case TypeClass::Float: letter = 'f'; break;
    case TypeClass::Complex: letter = 'c'; break;
    case TypeClass::None: break;
  }
  if (classes.find(letter) != std::string_view::npos) return true;
  std::string allowed;
  for (char c : classes) {
    allowed += allowed.empty() ? "" : ", ";
    allowed += c == 'b'   ? "i1"
               : c == 'i' ? "signed integers"
               : c == 'u' ? "unsigned integers"
               : c == 'f' ? "floats"
                          : "complex numbers";
  }
  return fail(Code::GraphOperands,
              "operand " + std::to_string(i) + " is " + show(m_, operand(i)) + "; allowed are " + allowed + ".");
}

bool Rule::scalar(std::size_t i) {
  if (!tensor(i)) return false;
  if (operand(i).rank() == 0) return true;
  return fail(Code::GraphOperands,
              "operand " + std::to_string(i) + " must have rank 0, it is " + show(m_, operand(i)) + ".");
}

bool Rule::same_shape(std::size_t i, std::size_t j) {
  if (shapes_agree(operand(i).shape, operand(j).shape)) return true;
  return fail(Code::GraphOperands, "operands " + std::to_string(i) + " and " + std::to_string(j) +
                                       " must have one shape, they are " + show(m_, operand(i)) + " and " +
                                       show(m_, operand(j)) + ".");
}

bool Rule::same_element(std::size_t i, std::size_t j) {
  if (operand(i).kind == TypeKind::Quantized || operand(j).kind == TypeKind::Quantized ||
      operand(i).element == operand(j).element)
    return true;
  return fail(Code::GraphOperands, "operands " + std::to_string(i) + " and " + std::to_string(j) +
                                       " must have one element type, they are " + show(m_, operand(i)) + " and " +
                                       show(m_, operand(j)) + ".");
}

bool Rule::dimension_in(std::string_view name, std::int64_t value, std::size_t rank) {
  if (value >= 0 && value < static_cast<std::int64_t>(rank)) return true;
  return fail(Code::GraphAttribute, "'" + std::string(name) + "' is " + std::to_string(value) + ", the rank is " +
                                        std::to_string(rank) + ".");
}

bool Rule::dimensions(std::string_view name, std::span<const std::int64_t> values, std::size_t rank) {
  std::uint64_t seen = 0;  // ranks are at most 32
  for (std::int64_t v : values) {
    if (!dimension_in(name, v, std::min<std::size_t>(rank, 64))) return false;
    if (seen >> v & 1)
      return fail(Code::GraphAttribute, "'" + std::string(name) + "' names dimension " + std::to_string(v) + " twice.");
    seen |= std::uint64_t{1} << v;
  }
  return true;
}

bool Rule::sorted(std::string_view name, std::span<const std::int64_t> values) {
  return std::is_sorted(values.begin(), values.end()) ||
         fail(Code::GraphAttribute, "'" + std::string(name) + "' must be sorted.");
}

bool Rule::length(std::string_view name, std::span<const std::int64_t> values, std::size_t expected) {
  if (values.size() == expected) return true;
  return fail(Code::GraphAttribute, "'" + std::string(name) + "' has " + std::to_string(values.size()) + " entries, " +
                                        std::to_string(expected) + " are needed.");
}

bool Rule::positive(std::string_view name, std::span<const std::int64_t> values) {
  for (std::int64_t v : values) {
    if (v < 1 || !overflow_safe(v))
      return fail(Code::GraphAttribute,
                  "'" + std::string(name) + "' holds " + std::to_string(v) + "; entries are 1 or more.");
  }
  return true;
}

bool Rule::region_arguments(std::size_t i, std::span<const Type> arguments) {
  const Function& f = region(i);
  const std::string where = "region " + std::to_string(i);
  if (f.parameter_count() != arguments.size() + capture_count_) {
    return fail(Code::GraphRegion,
                where + " has " +
                    std::to_string(f.parameter_count() - std::min<std::size_t>(capture_count_, f.parameter_count())) +
                    " arguments, " + std::to_string(arguments.size()) + " are needed.");
  }
  for (std::size_t a = 0; a < arguments.size(); ++a) {
    const Type& have = m_.type(f.type(ValueId(a)));
    if (!types_agree(have, arguments[a])) {
      return fail(Code::GraphRegion, where + ": argument " + std::to_string(a) + " is " + show(m_, have) +
                                         ", it must be " + show(m_, arguments[a]) + ".");
    }
  }
  return true;
}

std::vector<Type> Rule::region_results(std::size_t i) const {
  std::vector<Type> types;
  const Function& f = region(i);
  for (ValueId v : f.operands(f.terminator())) types.push_back(m_.type(f.type(v)));
  return types;
}

bool Rule::region_signature(std::size_t i, std::span<const Type> arguments, std::span<const Type> results) {
  if (!region_arguments(i, arguments)) return false;
  const std::string where = "region " + std::to_string(i);
  const std::vector<Type> returned = region_results(i);
  if (returned.size() != results.size()) {
    return fail(Code::GraphRegion, where + " returns " + std::to_string(returned.size()) + " values, " +
                                       std::to_string(results.size()) + " are needed.");
  }
  for (std::size_t k = 0; k < results.size(); ++k) {
    if (!types_agree(returned[k], results[k])) {
      return fail(Code::GraphRegion, where + " returns " + show(m_, returned[k]) + " as value " + std::to_string(k) +
                                         ", it must be " + show(m_, results[k]) + ".");
    }
  }
  return true;
}

bool Rule::result_type(const Type& type) {
  const std::size_t k = next_result_++;
  if (derive_into_ != nullptr) {
    derived_.push_back(derive_into_->intern(Type(type)));
    return true;
  }
  if (k >= stated_.size()) return fail(Code::GraphResult, "result " + std::to_string(k) + " is missing.");
  const Type& have = m_.type(stated_[k]);
  if (types_agree(have, type)) return true;
  return fail(Code::GraphResult, "result " + std::to_string(k) + " is stated as " + show(m_, have) + ", the op gives " +
                                     show(m_, type) + ".");
}

bool Rule::result(ElementType element, Shape shape) { return result_type(tensor_type(element, std::move(shape))); }
bool Rule::result_like(std::size_t i) { return result_type(operand(i)); }

const Type* Rule::stated_any() {
  const std::size_t k = next_result_++;
  if (derive_into_ != nullptr) {
    fail(Code::GraphUnderived,
         "the type of result " + std::to_string(k) + " does not follow from operands and attributes.");
    return nullptr;
  }
  if (k >= stated_.size()) {
    fail(Code::GraphResult, "result " + std::to_string(k) + " is missing.");
    return nullptr;
  }
  return &m_.type(stated_[k]);
}

const Type* Rule::stated_tensor() {
  const Type* type = stated_any();
  if (type == nullptr) return nullptr;
  if (type->kind == TypeKind::Tensor || type->kind == TypeKind::Quantized || type->kind == TypeKind::Buffer)
    return type;
  fail(Code::GraphResult,
       "result " + std::to_string(next_result_ - 1) + " must be a tensor, it is " + show(m_, *type) + ".");
  return nullptr;
}

bool Rule::no_more_results() {
  if (derive_into_ != nullptr || next_result_ == stated_.size()) return true;
  return fail(Code::GraphResult,
              std::to_string(stated_.size()) + " results are stated, the op has " + std::to_string(next_result_) + ".");
}

bool shapes_agree(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), sizes_agree);
}

bool types_agree(const Type& a, const Type& b) {
  const bool tensor = a.kind == TypeKind::Tensor || a.kind == TypeKind::Quantized;
  if (!tensor) return a == b;
  if (b.kind != TypeKind::Tensor && b.kind != TypeKind::Quantized) return false;
  if (!shapes_agree(a.shape, b.shape)) return false;
  // The parameters of a quantized element differ freely between operand and result.
  if (a.kind == TypeKind::Quantized || b.kind == TypeKind::Quantized) return true;
  return a.element == b.element;
}

Type tensor_type(ElementType element, Shape shape) {
  Type t;
  t.element = element;
  t.shape = std::move(shape);
  return t;
}
Type scalar_type(ElementType element) { return tensor_type(element, {}); }
Type scalar_of(const Type& type) {
  Type t = type;
  t.shape.clear();
  t.bounds.clear();
  return t;
}

std::string show(const Module& m, const Type& t) {
  switch (t.kind) {
    case TypeKind::Token: return "a token";
    case TypeKind::Tuple: return "a tuple of " + std::to_string(t.members.size());
    case TypeKind::Future: return "a future";
    case TypeKind::Function: return "a function type";
    case TypeKind::Opaque: return t.text;
    default: break;
  }
  (void)m;
  std::string text = t.kind == TypeKind::Buffer ? "memref<" : "tensor<";
  for (std::int64_t d : t.shape) text += d == kDynamic ? "?x" : std::to_string(d) + "x";
  return text + (t.kind == TypeKind::Quantized ? t.text : std::string(type_name(t.element))) + ">";
}

std::int64_t add_sizes(std::int64_t a, std::int64_t b) {
  if (a == kDynamic || b == kDynamic) return kDynamic;
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

std::int64_t window_count(std::int64_t base, std::int64_t base_dilation, std::int64_t low, std::int64_t high,
                          std::int64_t window, std::int64_t window_dilation, std::int64_t stride) {
  if (base == kDynamic || window == kDynamic) return kDynamic;
  const auto dilate = [](std::int64_t n, std::int64_t by) {
    std::int64_t wide = 0;
    if (n == 0) return std::int64_t{0};
    if (__builtin_mul_overflow(n - 1, by, &wide) || wide > (std::int64_t{1} << 60)) return std::int64_t{1} << 60;
    return wide + 1;
  };
  const std::int64_t padded = add_sizes(add_sizes(dilate(base, base_dilation), low), high);
  const std::int64_t wide = dilate(window, window_dilation);
  if (padded <= 0 || wide > padded) return 0;
  return (padded - wide) / stride + 1;
}

}  // namespace openneuron::graph
