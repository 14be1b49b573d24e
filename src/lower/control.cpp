// While, case and if as regions of the sequencers; a while that counts to a known end is a loop. Carried values live in HBM; a body's results are copied into them at
// its end, those that read another carried value by way of a temporary, so that swapped carries are right.
#include <algorithm>

#include "graph/counted_loop.h"
#include "lower/function.h"

namespace openneuron::lower {

using graph::OpKind;
using isa::AluOp;
using isa::Opcode;
using isa::Operand;
using isa::Space;

Result<std::vector<View>> FunctionLowerer::region(FunctionId id, std::vector<View> parameters) {
  FunctionLowerer inner(module_, module_.function(id), store_, report_, std::move(parameters), inner_groups_);
  auto results = inner.run();
  inner_groups_ = inner.inner_groups_;
  return results;
}

// One i1 or integer scalar into a register; `negate` gives 1 for false and 0 for true.
Result<std::int16_t> FunctionLowerer::load_scalar(const View& v, bool negate) {
  Nest nest(store_, {});
  const Roles roles;
  AxisView scalar = over_dims(v);
  scalar.strides.clear();
  if (scalar.kind == ViewKind::Memory) nest.prepare(scalar, roles, false);
  auto value = nest.read(scalar, roles, true);
  if (!value) return value.failure();
  const Operand number = nest.tile_buffer(Space::Sbuf, "selector", ElementType::I32, roles, {});
  if (negate)
    emitter().emit(Opcode::TensorScalar, {number, *value, immediate(0, ElementType::I32), immediate(0, ElementType::I32)},
                   {static_cast<std::int32_t>(AluOp::Equal), 0, static_cast<std::int32_t>(AluOp::Bypass), 0});
  else
    emitter().emit(Opcode::Copy, {number, *value});
  const std::int16_t reg = emitter().new_register();
  emitter().emit(Opcode::RegisterLoad, {register_operand(reg), number});
  return reg;
}

Result<void> FunctionLowerer::lower_while(OpId op) {
  const auto operands = function_.operands(op);
  const std::size_t carried = function_.results(op).size();
  std::vector<View> values, captured;
  std::vector<Form> forms;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (i >= carried) {
      captured.push_back(view(operands[i]));
      continue;
    }
    const View& start = view(operands[i]);
    const View& result = view(function_.result(op, i));
    Form form;
    // One operand may stand for several carried values: only the first may take its memory over.
    bool shared = false;
    for (std::size_t j = 0; j < operands.size(); ++j)
      shared = shared || (j != i && view(operands[j]).kind == ViewKind::Memory && view(operands[j]).home == start.home);
    if (start.kind == ViewKind::Memory && !shared && can_reuse(start) && store_.hbm(start.home)) {
      form = *store_.hbm(start.home);
      store_.add_form(result.home, form);
    } else {
      form = result_in_hbm(op, i);
      ON_TRY(copy_view(store_, start, result, form));
    }
    forms.push_back(form);
    values.push_back(result);
  }
  const auto counted = graph::counted_loop(module_, function_, op, [&](FunctionId id) -> const graph::Function& { return module_.function(id); });
  if (counted && counted->trips == 0) return {};
  LoopId loop;
  if (counted) {
    emitter().begin_loop(counted->trips);
  } else {
    loop = emitter().new_region();
    emitter().emit(Opcode::WhileBegin, {}).loop = loop;
    emitter().push_scope({LoopId(), 1});
    store_.push_scope();
    std::vector<View> parameters = values;
    parameters.insert(parameters.end(), captured.begin(), captured.end());
    auto condition = region(function_.regions(op)[0], parameters);
    if (!condition) return condition.failure();
    auto go_on = load_scalar((*condition)[0], false);
    if (!go_on) return go_on.failure();
    store_.pop_scope();
    emitter().emit(Opcode::WhileTest, {register_operand(*go_on)}).loop = loop;
  }
  store_.push_scope();
  // Inside the body each carried value is a fresh home over the same memory, so that its last use may write in place.
  std::vector<View> inside;
  std::vector<HomeId> inside_homes;
  for (std::size_t i = 0; i < carried; ++i) {
    const Home& outer = store_.home(values[i].home);
    const HomeId home = store_.add(outer.name + "_carried", outer.type, std::vector<std::int64_t>(outer.shape), 0);
    store_.add_form(home, forms[i]);
    View v = values[i];
    v.home = home;
    inside.push_back(v);
    inside_homes.push_back(home);
  }
  inside.insert(inside.end(), captured.begin(), captured.end());
  auto next = region(function_.regions(op)[1], inside);
  if (!next) return next.failure();
  // Results that read a carried home (another one, or their own through a view) go through a temporary first.
  for (std::size_t i = 0; i < carried; ++i) {
    View& v = (*next)[i];
    if (v.kind != ViewKind::Memory) continue;
    const Form* at = store_.hbm(v.home);
    if (is_whole(v, store_) && at && at->buffer == forms[i].buffer) continue;  // already in place
    bool reads_carried = false;
    for (const Form& f : forms) reads_carried = reads_carried || (at && at->buffer == f.buffer);
    if (!reads_carried) continue;
    std::vector<std::int64_t> shape;
    for (const ViewDim& d : v.dims) shape.push_back(d.size);
    const HomeId temporary = store_.add("carried", v.type, shape, 0);
    const Form form = store_.new_hbm(temporary);
    const View whole_view = whole(temporary, v.type, shape);
    ON_TRY(copy_view(store_, v, whole_view, form));
    store_.add_form(temporary, form);
    v = whole_view;
  }
  for (std::size_t i = 0; i < carried; ++i) {
    const View& v = (*next)[i];
    const Form* at = v.kind == ViewKind::Memory ? store_.hbm(v.home) : nullptr;
    if (at && is_whole(v, store_) && at->buffer == forms[i].buffer) continue;
    ON_TRY(copy_view(store_, v, values[i], forms[i]));
  }
  store_.pop_scope();
  if (counted) {
    emitter().end_loop();
  } else {
    emitter().pop_scope();
    emitter().emit(Opcode::WhileEnd, {}).loop = loop;
  }
  return {};
}

Result<void> FunctionLowerer::lower_case(OpId op) {
  const auto operands = function_.operands(op);
  const auto regions = function_.regions(op);
  const bool is_if = function_.kind(op) == OpKind::If;
  auto selector = load_scalar(view(operands[0]), is_if);
  if (!selector) return selector.failure();
  std::vector<Form> forms;
  for (std::size_t i = 0; i < function_.results(op).size(); ++i) forms.push_back(result_in_hbm(op, i));
  std::vector<View> captured;
  for (ValueId v : operands.subspan(1)) captured.push_back(view(v));
  const LoopId id = emitter().new_region();
  emitter().emit(Opcode::CaseBegin, {register_operand(*selector)}, {static_cast<std::int32_t>(regions.size())}).loop = id;
  for (std::size_t r = 0; r < regions.size(); ++r) {
    if (r > 0) emitter().emit(Opcode::CaseNext, {}).loop = id;
    emitter().push_scope({LoopId(), 1});
    store_.push_scope();
    auto results = region(regions[r], captured);
    if (!results) return results.failure();
    for (std::size_t i = 0; i < results->size(); ++i)
      ON_TRY(copy_view(store_, (*results)[i], view(function_.result(op, i)), forms[i]));
    store_.pop_scope();
    emitter().pop_scope();
  }
  emitter().emit(Opcode::CaseEnd, {}).loop = id;
  return {};
}

}  // namespace openneuron::lower
