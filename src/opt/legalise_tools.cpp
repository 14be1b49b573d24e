#include "opt/legalise_tools.h"

#include <cmath>

namespace openneuron::opt {

using graph::OpKind;

TypeId with_element(graph::Module& m, TypeId type, ElementType element) {
  const std::vector<std::int64_t> shape = m.type(type).shape;  // a copy: interning may move the table
  return m.tensor(element, shape);
}

ValueId broadcast(Visit& v, ValueId value, TypeId to, std::span<const std::int64_t> dims) {
  if (v.out.function().type(value) == to) return value;
  graph::Module& m = v.out.module();
  const AttrId attrs = m.dictionary({{"broadcast_dimensions", m.ints_attr(dims)}});
  return v.out.emit(OpKind::BroadcastInDim, {value}, to, attrs, v.location());
}

ValueId convert(Visit& v, ValueId value, ElementType to) {
  const TypeId type = with_element(v.out.module(), v.out.function().type(value), to);
  return v.out.emit(OpKind::Convert, {value}, type, {}, v.location());
}

Splat identity_of(OpKind kind, ElementType e) {
  Splat s{e, is_float(e), 0, 0};
  const int width = bit_width(e);
  const bool is_signed = type_class(e) == TypeClass::Signed;
  const std::int64_t most = e == ElementType::I1 ? 1 : is_signed ? (std::int64_t{1} << (width - 1)) - 1 : width >= 64 ? -1 : (std::int64_t{1} << width) - 1;
  switch (kind) {
    case OpKind::Multiply:
      s.real = 1;
      s.integer = 1;
      break;
    case OpKind::Maximum:
      s.real = -INFINITY;
      s.integer = is_signed ? -most - 1 : 0;
      break;
    case OpKind::Minimum:
      s.real = INFINITY;
      s.integer = most;
      break;
    case OpKind::And: s.integer = is_signed ? -1 : most; break;
    default: break;
  }
  return s;
}

bool is_identity(OpKind kind, const Splat& s) {
  if (!reduces(kind)) return false;
  const Splat identity = identity_of(kind, s.type);
  return s.is_float ? s.real == identity.real : s.integer == identity.integer;
}

}  // namespace openneuron::opt
