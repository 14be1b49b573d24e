#include "opt/counted_while.h"

#include "opt/formula.h"

namespace openneuron::opt {

using graph::OpKind;

Values counted_while(Visit& v, std::int64_t trips, const Values& carried, const Values& captured, const Turn& turn) {
  graph::Module& m = v.out.module();
  Values operands = {v.out.constant(m.tensor(ElementType::I32, {}), 0, v.location())};
  operands.insert(operands.end(), carried.begin(), carried.end());
  operands.insert(operands.end(), captured.begin(), captured.end());
  std::vector<TypeId> types;
  for (ValueId x : operands) types.push_back(v.out.function().type(x));
  const auto region_of = [&](const auto& emit) {
    graph::Function made;
    made.is_region = true;
    Values parameters;
    for (TypeId type : types) parameters.push_back(made.add_parameter(type));
    Builder out(m, made);
    Visit inside{out, v.old, v.op, v.operands, v.map};
    const Values returned = emit(inside, std::span<const ValueId>(parameters));
    made.add_op(OpKind::Return, returned, {}, {}, v.location());
    return m.add_function(std::move(made));
  };
  const FunctionId condition = region_of([&](Visit& inside, std::span<const ValueId> p) {
    Formula f(inside);
    return Values{f.compare(p[0], "LT", static_cast<double>(trips))};
  });
  const FunctionId body = region_of([&](Visit& inside, std::span<const ValueId> p) {
    Values next = turn(inside, p[0], p.subspan(1, carried.size()), p.subspan(1 + carried.size()));
    next.insert(next.begin(), Formula(inside).add(p[0], 1.0));
    return next;
  });
  const FunctionId regions[] = {condition, body};
  const std::size_t own = 1 + carried.size();
  const OpId loop = v.out.emit_op(OpKind::While, operands, std::span(types).first(own), {}, v.location(), regions, static_cast<std::uint32_t>(captured.size()), {});
  Values results;
  for (std::size_t i = 1; i < own; ++i) results.push_back(v.out.function().result(loop, i));
  return results;
}

}  // namespace openneuron::opt
