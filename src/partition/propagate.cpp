#include "partition/propagate.h"

#include <algorithm>

#include "graph/op_info.h"

namespace openneuron::partition {
namespace {

using graph::Function;
using graph::OpKind;
using Parts = std::vector<AxisPart>;

constexpr int kMaxDepth = 128;  // nested calls

class Walk {
 public:
  Walk(const graph::Module& module, const Meshes& meshes) : m_(module), meshes_(meshes) {}

  std::vector<AxisSharding> run(const Function& f, std::vector<AxisSharding> arguments) {
    std::vector<AxisSharding> values(f.value_count());
    for (ValueId p : f.parameters())
      if (p.index < arguments.size()) values[p.index] = std::move(arguments[p.index]);
    for (OpId op : f.ops()) visit(f, op, values);
    std::vector<AxisSharding> results;
    for (ValueId v : f.operands(f.terminator())) {
      AxisSharding s = values[v.index];
      keep_even(s, shape(f, v));
      results.push_back(std::move(s));
    }
    return results;
  }

 private:
  using Values = std::vector<AxisSharding>;
  const std::vector<std::int64_t>& shape(const Function& f, ValueId v) const { return m_.value_type(f, v).shape; }

  static void keep_even(AxisSharding& s, const std::vector<std::int64_t>& shape) {
    if (s.dims.size() != shape.size()) s.dims.assign(shape.size(), {});
    for (std::size_t d = 0; d < shape.size(); ++d)
      if (shape[d] <= 0 || shape[d] % s.parts(d) != 0) s.dims[d].clear();
  }
  static bool uses(const AxisSharding& s, const AxisPart& part) {
    for (const Parts& parts : s.dims)
      for (const AxisPart& p : parts)
        if (p.axis == part.axis) return true;
    return false;
  }
  // Dimension `to` of `out` lies as dimension `from` of `in`, unless it is cut already or an axis is taken.
  static void carry(AxisSharding& out, std::size_t to, const AxisSharding& in, std::size_t from) {
    if (from >= in.dims.size() || to >= out.dims.size() || !out.dims[to].empty() || in.dims[from].empty()) return;
    if (out.mesh != nullptr && out.mesh != in.mesh) return;
    for (const AxisPart& p : in.dims[from])
      if (uses(out, p)) return;
    out.mesh = in.mesh;
    out.dims[to] = in.dims[from];
  }

  void visit(const Function& f, OpId op, Values& values) {
    const auto results = f.results(op);
    if (results.size() == 0) return;
    const auto operands = f.operands(op);
    const auto in = [&](std::size_t i) -> const AxisSharding& { return values[operands[i].index]; };
    AxisSharding out;
    out.dims.assign(shape(f, results[0]).size(), {});
    switch (f.kind(op)) {
      case OpKind::SdyShardingConstraint:
      case OpKind::SdyReshard:
        if (auto s = meshes_.sharding(m_.text(f, op, "sharding")); s) out = std::move(*s);
        break;
      case OpKind::SdyManualComputation:
        if (auto s = meshes_.per_value(m_.text(f, op, "out_shardings")); s)
          for (std::size_t i = 0; i < s->size() && i < results.size(); ++i) values[f.result(op, i).index] = (*s)[i];
        return;
      case OpKind::Call:
      case OpKind::Composite: return call(f, op, values);
      case OpKind::While:
      case OpKind::OptimizationBarrier:
        for (std::size_t i = 0; i < results.size(); ++i) values[f.result(op, i).index] = in(i);
        return;
      case OpKind::BroadcastInDim: {
        const auto dims = m_.ints(f, op, "broadcast_dimensions");
        for (std::size_t d = 0; d < dims.size(); ++d)
          if (shape(f, operands[0])[d] > 1) carry(out, static_cast<std::size_t>(dims[d]), in(0), d);
        break;
      }
      case OpKind::Transpose: {
        const auto order = m_.ints(f, op, "permutation");
        for (std::size_t d = 0; d < order.size(); ++d) carry(out, d, in(0), static_cast<std::size_t>(order[d]));
        break;
      }
      case OpKind::Reshape: reshape(out, shape(f, results[0]), in(0), shape(f, operands[0])); break;
      case OpKind::Reduce:
        for (std::size_t i = 0; i < results.size(); ++i) {
          AxisSharding s;
          s.dims.assign(shape(f, f.result(op, i)).size(), {});
          kept_dims(s, in(i), m_.ints(f, op, "dimensions"));
          values[f.result(op, i).index] = std::move(s);
        }
        return;
      case OpKind::DotGeneral: dot(f, op, out, in(0), in(1)); break;
      case OpKind::Convolution: {
        const auto at = [&](const char* name) { return static_cast<std::size_t>(m_.integer(f, op, name, 0)); };
        carry(out, at("output_batch_dimension"), in(0), at("input_batch_dimension"));
        carry(out, at("output_feature_dimension"), in(1), at("kernel_output_feature_dimension"));
        break;
      }
      default:
        // Dimensions that an op leaves as long as they were; of elementwise ops all.
        for (std::size_t r = 0; r < results.size(); ++r) {
          AxisSharding s;
          const auto& to = shape(f, f.result(op, r));
          s.dims.assign(to.size(), {});
          for (std::size_t i = 0; i < operands.size(); ++i) {
            const auto& from = shape(f, operands[i]);
            if (from.size() != to.size()) continue;
            for (std::size_t d = 0; d < to.size(); ++d)
              if (from[d] == to[d]) carry(s, d, in(i), d);
          }
          values[f.result(op, r).index] = std::move(s);
        }
        return;
    }
    values[f.result(op).index] = std::move(out);
  }

  // A dimension that is split keeps its parts on the first of the new ones, dimensions that are merged those of the first.
  static void reshape(AxisSharding& out, const std::vector<std::int64_t>& to, const AxisSharding& in, const std::vector<std::int64_t>& from) {
    std::size_t a = 0, b = 0;
    while (a < from.size() && b < to.size()) {
      std::int64_t left = from[a], right = to[b];
      const std::size_t first_a = a, first_b = b;
      while (left != right && a < from.size() && b < to.size()) {
        if (left < right && a + 1 < from.size()) left *= from[++a];
        else if (right < left && b + 1 < to.size()) right *= to[++b];
        else return;
      }
      if (first_a < in.dims.size() && from[first_a] > 0 && to[first_b] % std::max<std::int64_t>(1, in.parts(first_a)) == 0) carry(out, first_b, in, first_a);
      ++a;
      ++b;
    }
  }

  // What is left of `in` without `dropped`, in order, on the dimensions of `out` from `at` on.
  static std::size_t kept_dims(AxisSharding& out, const AxisSharding& in, std::span<const std::int64_t> dropped, std::size_t at = 0) {
    for (std::size_t d = 0; d < in.dims.size(); ++d)
      if (std::find(dropped.begin(), dropped.end(), static_cast<std::int64_t>(d)) == dropped.end()) carry(out, at++, in, d);
    return at;
  }

  // Batch dimensions, then what is free of the left side, then of the right one.
  void dot(const Function& f, OpId op, AxisSharding& out, const AxisSharding& left, const AxisSharding& right) const {
    const auto left_batch = m_.ints(f, op, "lhs_batching_dimensions"), right_batch = m_.ints(f, op, "rhs_batching_dimensions");
    std::size_t at = 0;
    for (std::size_t i = 0; i < left_batch.size(); ++i, ++at) {
      carry(out, at, left, static_cast<std::size_t>(left_batch[i]));
      carry(out, at, right, static_cast<std::size_t>(right_batch[i]));
    }
    std::vector<std::int64_t> dropped(left_batch.begin(), left_batch.end());
    const auto left_sum = m_.ints(f, op, "lhs_contracting_dimensions"), right_sum = m_.ints(f, op, "rhs_contracting_dimensions");
    dropped.insert(dropped.end(), left_sum.begin(), left_sum.end());
    kept_dims(out, left, dropped, at);
    at += shape(f, f.operand(op, 0)).size() - dropped.size();
    dropped.assign(right_batch.begin(), right_batch.end());
    dropped.insert(dropped.end(), right_sum.begin(), right_sum.end());
    kept_dims(out, right, dropped, at);
  }

  void call(const Function& f, OpId op, Values& values) {
    const FunctionId callee = m_.find(m_.text(f, op, f.kind(op) == OpKind::Call ? "callee" : "decomposition"));
    if (!callee.valid() || depth_ >= kMaxDepth) return;
    ++depth_;
    std::vector<AxisSharding> arguments;
    for (ValueId v : f.operands(op)) arguments.push_back(values[v.index]);
    std::vector<AxisSharding> results = run(m_.function(callee), std::move(arguments));
    for (std::size_t i = 0; i < results.size() && i < f.results(op).size(); ++i) values[f.result(op, i).index] = std::move(results[i]);
    --depth_;
  }

  const graph::Module& m_;
  const Meshes& meshes_;
  int depth_ = 0;
};

}  // namespace

std::vector<AxisSharding> propagate(const graph::Module& module, const Meshes& meshes, const std::vector<AxisSharding>& parameters) {
  return Walk(module, meshes).run(module.function(module.entry()), parameters);
}

}  // namespace openneuron::partition
