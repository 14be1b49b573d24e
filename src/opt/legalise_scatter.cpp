// Scatter by a region that DMA does not know, or of several operands: a loop over the index vectors that reads a window,
// combines it and writes it back, in order, so that windows named twice are right.
#include <algorithm>

#include "opt/legalise_rules.h"
#include "opt/vectorise.h"

namespace openneuron::opt::rules {

using graph::OpKind;

namespace {

bool has(std::span<const std::int64_t> list, std::size_t x) {
  return std::find(list.begin(), list.end(), static_cast<std::int64_t>(x)) != list.end();
}

// DMA writes rows one after the other, or adds them: what the region must be.
bool dma_does_it(const Visit& v, const graph::Function& region, std::size_t inputs) {
  if (inputs != 1) return false;
  const graph::Type& in = v.out.type(v.operands[0]);
  if (in.element != v.out.module().type(v.result_type()).element) return false;
  if (region.operands(region.terminator())[0] == ValueId(1)) return true;
  OpKind kind;
  return region.parameter_count() == 2 && single_op_region(region, kind) && kind == OpKind::Add && in.element != ElementType::I1;
}

// Everything in one order: index vectors [vectors, components], updates [vectors, window by operand dim].
struct Scattered {
  std::int64_t vectors = 1;
  ValueId indices;
  std::vector<ValueId> updates;
  std::vector<std::size_t> dims;  ///< operand dim of each component
  Shape window;
};

Scattered in_order(Visit& v, std::size_t inputs) {
  Moves moves(v);
  Scattered out;
  const Shape operand = moves.shape(v.operands[0]), index_shape = moves.shape(v.operands[inputs]),
              update_shape = moves.shape(v.operands[inputs + 1]);
  const auto window_dims = v.ints("update_window_dims"), inserted = v.ints("inserted_window_dims"),
             batching = v.ints("input_batching_dims"), index_batching = v.ints("scatter_indices_batching_dims"),
             map = v.ints("scatter_dims_to_operand_dims");
  const auto vector_dim = static_cast<std::size_t>(v.out.module().attribute(v.attr("index_vector_dim")).integer);
  Shape order, batch;
  for (std::size_t d = 0; d < index_shape.size(); ++d)
    if (d != vector_dim) {
      order.push_back(static_cast<std::int64_t>(d));
      batch.push_back(index_shape[d]);
      out.vectors *= index_shape[d];
    }
  const Shape batch_dims = order;
  if (vector_dim < index_shape.size()) order.push_back(static_cast<std::int64_t>(vector_dim));
  std::vector<ValueId> columns;
  if (!map.empty()) {
    const ValueId all = convert(v, moves.transpose(v.operands[inputs], order), ElementType::I32);
    columns.push_back(moves.reshape(all, {out.vectors, static_cast<std::int64_t>(map.size())}));
  }
  for (std::int64_t d : map) out.dims.push_back(static_cast<std::size_t>(d));
  for (std::size_t b = 0; b < batching.size(); ++b) {
    const auto at = std::find(batch_dims.begin(), batch_dims.end(), index_batching[b]) - batch_dims.begin();
    columns.push_back(moves.reshape(moves.iota(ElementType::I32, batch, at), {out.vectors, 1}));
    out.dims.push_back(static_cast<std::size_t>(batching[b]));
  }
  if (columns.empty()) columns.push_back(moves.splat(ElementType::I32, {out.vectors, 1}, 0));  // never looked at
  out.indices = moves.concatenate(columns, 1);
  Shape update_order;
  for (std::size_t d = 0; d < update_shape.size(); ++d)
    if (!has(window_dims, d)) update_order.push_back(static_cast<std::int64_t>(d));
  update_order.insert(update_order.end(), window_dims.begin(), window_dims.end());
  std::size_t w = 0;
  for (std::size_t d = 0; d < operand.size(); ++d)
    out.window.push_back(has(inserted, d) || has(batching, d) ? 1 : update_shape[static_cast<std::size_t>(window_dims[w++])]);
  Shape flat = {out.vectors};
  flat.insert(flat.end(), out.window.begin(), out.window.end());
  for (std::size_t i = 0; i < inputs; ++i)
    out.updates.push_back(moves.reshape(moves.transpose(v.operands[inputs + 1 + i], update_order), flat));
  return out;
}

}  // namespace

Result<bool> scatter(Rewriter& rewriter, Visit& v) {
  graph::Module& m = v.out.module();
  const std::uint32_t captures = v.old.capture_count(v.op);
  const std::size_t inputs = (v.operands.size() - captures - 1) / 2;
  const graph::Function& region = rewriter.old_function(v.old.regions(v.op)[0]);
  if (dma_does_it(v, region, inputs)) return false;
  Moves moves(v);
  std::vector<ValueId> start;
  for (std::size_t i = 0; i < inputs; ++i)
    start.push_back(convert(v, v.operands[i], m.type(v.result_type(i)).element));
  const auto set_results = [&](std::span<const ValueId> values) {
    std::size_t i = 0;
    for (ValueId r : v.old.results(v.op)) v.map[r] = values[i++];
    return true;
  };
  if (v.out.type(v.operands[inputs + 1]).element_count() == 0 || v.out.type(v.operands[0]).element_count() == 0) return set_results(start);
  const Scattered in = in_order(v, inputs);
  const Shape operand = moves.shape(v.operands[0]);

  // Carried: the number of the vector, the operands; captured: index vectors, updates, what the region captures.
  std::vector<ValueId> operands = {moves.splat(ElementType::I32, {}, 0)};
  operands.insert(operands.end(), start.begin(), start.end());
  const std::size_t carried = operands.size();
  operands.push_back(in.indices);
  operands.insert(operands.end(), in.updates.begin(), in.updates.end());
  operands.insert(operands.end(), v.operands.end() - captures, v.operands.end());
  std::vector<TypeId> types;
  for (ValueId x : operands) types.push_back(v.out.function().type(x));

  const auto region_of = [&](const auto& emit) -> Result<FunctionId> {
    graph::Function made;
    made.is_region = true;
    std::vector<ValueId> parameters;
    for (TypeId type : types) parameters.push_back(made.add_parameter(type));
    Builder out(m, made);
    Visit inside{out, v.old, v.op, v.operands, v.map};
    Result<std::vector<ValueId>> returned = emit(inside, parameters);
    if (!returned) return returned.failure();
    made.add_op(OpKind::Return, *returned, {}, {}, v.location());
    return m.add_function(std::move(made));
  };
  auto condition = region_of([&](Visit& inside, std::span<const ValueId> p) -> Result<std::vector<ValueId>> {
    Formula f(inside);
    return std::vector<ValueId>{f.compare(p[0], "LT", static_cast<double>(in.vectors))};
  });
  if (!condition) return condition.failure();
  auto body = region_of([&](Visit& inside, std::span<const ValueId> p) -> Result<std::vector<ValueId>> {
    Formula f(inside);
    Moves at(inside);
    const ValueId zero = at.splat(ElementType::I32, {}, 0);
    const ValueId row_start[] = {p[0], zero};
    const auto components = static_cast<std::int64_t>(std::max<std::size_t>(in.dims.size(), 1));
    const ValueId row = at.dynamic_slice(p[carried], row_start, {1, components});
    std::vector<ValueId> starts(operand.size(), zero);
    ValueId inside_operand;  // the window lies in the operand as a whole
    for (std::size_t c = 0; c < in.dims.size(); ++c) {
      const std::size_t d = in.dims[c];
      const ValueId index = at.reshape(at.slice(row, 1, static_cast<std::int64_t>(c), static_cast<std::int64_t>(c) + 1), {});
      starts[d] = index;
      const ValueId low = f.compare(index, "GE", 0.0), high = f.compare(index, "LE", static_cast<double>(operand[d] - in.window[d]));
      const ValueId both = f.bit_and(low, high);
      inside_operand = inside_operand.valid() ? ValueId(f.bit_and(inside_operand, both)) : both;
    }
    std::vector<ValueId> arguments;
    for (std::size_t i = 0; i < inputs; ++i) arguments.push_back(at.dynamic_slice(p[1 + i], starts, in.window));
    for (std::size_t i = 0; i < inputs; ++i) {
      Shape sizes = {1};
      sizes.insert(sizes.end(), in.window.begin(), in.window.end());
      std::vector<ValueId> update_start(sizes.size(), zero);
      update_start[0] = p[0];
      const ValueId update = at.reshape(at.dynamic_slice(p[carried + 1 + i], update_start, sizes), in.window);
      arguments.push_back(convert(inside, update, m.type(region.type(ValueId(inputs + i))).element));
    }
    const std::vector<ValueId> present(arguments.begin(), arguments.begin() + static_cast<std::ptrdiff_t>(inputs));
    arguments.insert(arguments.end(), p.end() - captures, p.end());
    auto combined = vectorise(rewriter, inside, region, arguments, in.window);
    if (!combined) return combined.failure();
    std::vector<ValueId> next = {f.add(p[0], 1.0)};
    for (std::size_t i = 0; i < inputs; ++i) {
      ValueId window = (*combined)[i];
      if (inside_operand.valid()) window = f.select(at.broadcast(inside_operand, in.window, {}), window, present[i]);
      next.push_back(at.dynamic_update_slice(p[1 + i], window, starts));
    }
    return next;
  });
  if (!body) return body.failure();
  const FunctionId regions[] = {*condition, *body};
  const OpId loop = v.out.emit_op(OpKind::While, operands, std::span(types).first(carried), {}, v.location(), regions,
                                  static_cast<std::uint32_t>(operands.size() - carried), {});
  std::vector<ValueId> results;
  for (std::size_t i = 0; i < inputs; ++i) results.push_back(v.out.function().result(loop, 1 + i));
  return set_results(results);
}

}  // namespace openneuron::opt::rules
