#include "graph/random_ops.h"

#include <doctest/doctest.h>

#include <cstring>

#include "graph/random_builder.h"
#include "graph/verify.h"
#include "num/convert.h"

namespace openneuron::graph::test {

AttrId Builder::literal(TypeId id) {
  const Type& t = m.type(id);
  const bool splat = coin();
  const std::size_t width = static_cast<std::size_t>(byte_width(t.element));
  const std::size_t count = splat ? 1 : static_cast<std::size_t>(t.element_count());
  std::vector<std::byte> bytes(count * width);
  const bool complex = is_complex(t.element);
  const E part = t.element == E::C64 ? E::F32 : t.element == E::C128 ? E::F64 : t.element;
  for (std::size_t i = 0; i < count * (complex ? 2 : 1); ++i) {
    if (!is_float(part)) {
      store_int(part, bytes.data(), i, between(INT64_MIN, INT64_MAX));
    } else {
      // Any bit pattern of the format, NaNs and infinities too.
      const std::uint64_t bits = static_cast<std::uint64_t>(between(INT64_MIN, INT64_MAX)) &
                                 (bit_width(part) == 64 ? ~0ull : (1ull << bit_width(part)) - 1);
      const std::size_t w = static_cast<std::size_t>(byte_width(part));
      double value = between(-1000, 1000) / 8.0;
      if (coin())
        std::memcpy(bytes.data() + i * w, &bits, w);
      else
        store_double(part, bytes.data(), i, value);
    }
  }
  if (t.element_count() == 0) return m.constant_attr(m.own_constant(id, false, {}));
  return m.constant_attr(m.own_constant(id, splat, std::move(bytes)));
}

OpId Builder::add(OpKind kind, const std::vector<ValueId>& operands, const NamedAttributes& attributes,
                  std::vector<TypeId> results, const std::vector<FunctionId>& regions, std::uint32_t captures) {
  std::vector<TypeId> types;
  for (ValueId v : operands) types.push_back(f.type(v));
  auto normal = normalise(m, kind, attributes, types);
  if (!normal) FAIL(op_name(kind) << ": " << format_diagnostic(normal.diagnostic()));
  if (results.empty()) {
    auto derived = infer_types(m, f, kind, operands, normal->inherent, regions, captures);
    if (!derived) FAIL(op_name(kind) << ": " << format_diagnostic(derived.diagnostic()));
    results = *derived;
  }
  AttrId extra = normal->extra;
  if (between(0, 3) == 0 && kind != OpKind::Return) {
    extra = m.dictionary({{"mhlo.frontend_attributes",
                           m.dictionary({{"a b", m.string_attr("x\n\"\\\x01")}, {"n", m.int_attr(-3, E::I32)}})},
                          {"test.flag", m.unit_attr()},
                          {"test.number", m.float_attr(0.1, E::F32)}});
  }
  LocationId place;
  if (coin()) {
    Location file;
    file.kind = LocationKind::File;
    file.text = "a \"b\".py";
    file.line = static_cast<std::uint32_t>(between(1, 99));
    file.column = 4;
    if (coin()) file.end_line = file.line, file.end_column = 9;
    const LocationId inner = m.intern(std::move(file));
    Location outer;
    outer.kind = pick({LocationKind::Name, LocationKind::CallSite, LocationKind::Fused});
    outer.children = {inner};
    if (outer.kind == LocationKind::Name) outer.text = "jit(f)/add";
    if (outer.kind == LocationKind::CallSite) outer.children.push_back(inner);
    place = m.intern(std::move(outer));
  }
  return f.add_op(kind, operands, results, normal->inherent, place, regions, captures, extra);
}

Module Builder::finish(OpId op) {
  std::vector<ValueId> returned;
  for (ValueId v : f.results(op)) returned.push_back(v);
  f.add_op(OpKind::Return, returned, {});
  f.name = "main";
  f.is_public = true;
  m.add_function(std::move(f));
  return std::move(m);
}

Module random_op(OpKind kind, std::uint32_t seed) {
  Builder b(seed * 7919u + static_cast<std::uint32_t>(kind));
  Module out;
  if (build_data_op(b, kind, out) || build_window_op(b, kind, out) || build_control_op(b, kind, out)) return out;
  FAIL("no generator for " << op_name(kind));
  return out;
}

}  // namespace openneuron::graph::test
