#include "opt/split_dots.h"

#include <algorithm>

#include "opt/moves.h"
#include "opt/rewrite.h"

namespace openneuron::opt {
namespace {

using graph::OpKind;

constexpr std::int64_t kPartMin = 64;  // half of the PE's columns: smaller parts would waste it

struct Part {
  std::size_t dim = 0;
  std::int64_t start = 0, limit = 0;
};

// A sum of a contraction and something that needs no contraction, or the contraction alone.
struct Source {
  OpId dot;
  ValueId other;  // invalid: none
  bool dot_first = true;
};

class Splitter {
 public:
  Result<bool> visit(Rewriter&, Visit& v) {
    if (v.kind() != OpKind::Slice) return false;
    read(v.old);
    const ValueId whole = v.old.operand(v.op, 0);
    Source source;
    Part part;
    if (!find(v.old, whole, source) || !parts(v, whole, part)) return false;
    return replace(v, source, part);
  }

 private:
  // Who reads each value of the function under the walk.
  void read(const graph::Function& f) {
    if (function_ == &f) return;
    function_ = &f;
    readers_.assign(f.value_count(), {});
    for (OpId op : f.ops())
      for (ValueId x : f.operands(op)) readers_[x.index].push_back(op);
  }

  bool find(const graph::Function& f, ValueId x, Source& s) const {
    const OpId op = f.definition(x);
    if (!op.valid()) return false;
    if (f.kind(op) == OpKind::DotGeneral) {
      s.dot = op;
      return true;
    }
    if (f.kind(op) != OpKind::Add) return false;
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
      const OpId dot = f.definition(f.operand(op, i)), other = f.definition(f.operand(op, 1 - i));
      const bool alone = dot.valid() && f.kind(dot) == OpKind::DotGeneral && readers_[f.operand(op, i).index].size() == 1;
      if (!alone || !other.valid() || f.kind(other) != OpKind::BroadcastInDim) continue;
      s = {dot, f.operand(op, 1 - i), i == 0};
      return true;
    }
    return false;
  }

  // The one dim that a slice cuts; false when it cuts none, several, or takes every n-th.
  bool part_of(const graph::Module& m, const graph::Function& f, OpId op, Part& part) const {
    const auto& shape = m.type(f.type(f.operand(op, 0))).shape;
    const auto start = m.ints(f, op, "start_indices"), limit = m.ints(f, op, "limit_indices"), strides = m.ints(f, op, "strides");
    std::size_t cut = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (strides[d] != 1) return false;
      if (start[d] == 0 && limit[d] == shape[d]) continue;
      part = {d, start[d], limit[d]};
      ++cut;
    }
    return cut == 1 && part.limit - part.start >= kPartMin;
  }

  bool parts(const Visit& v, ValueId whole, Part& mine) const {
    const graph::Module& m = v.out.module();
    std::vector<Part> all;
    for (OpId reader : readers_[whole.index]) {
      Part p;
      if (v.old.kind(reader) != OpKind::Slice || !part_of(m, v.old, reader, p)) return false;
      all.push_back(p);
      if (reader == v.op) mine = p;
    }
    std::sort(all.begin(), all.end(), [](const Part& a, const Part& b) { return a.start < b.start; });
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].dim != mine.dim || (i > 0 && all[i].start < all[i - 1].limit)) return false;
    return true;
  }

  bool replace(Visit& v, const Source& s, const Part& part) const {
    const graph::Function& f = v.old;
    graph::Module& m = v.out.module();
    const auto list = [&](std::string_view name) { return m.ints(f, s.dot, name); };
    const std::size_t batch = list("lhs_batching_dimensions").size();
    // The result's dims: batch, then the free ones of each operand in order.
    std::size_t next = batch;
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      const auto batches = list(side == 0 ? "lhs_batching_dimensions" : "rhs_batching_dimensions");
      const auto contracted = list(side == 0 ? "lhs_contracting_dimensions" : "rhs_contracting_dimensions");
      const std::size_t rank = m.type(f.type(f.operand(s.dot, side))).shape.size();
      for (std::size_t d = 0; d < rank; ++d) {
        const auto in = [&](std::span<const std::int64_t> dims) { return std::find(dims.begin(), dims.end(), static_cast<std::int64_t>(d)) != dims.end(); };
        if (in(batches) || in(contracted) || next++ != part.dim) continue;
        return emit(v, s, part, side, d);
      }
    }
    return false;
  }

  bool emit(Visit& v, const Source& s, const Part& part, std::size_t side, std::size_t dim) const {
    const graph::Function& f = v.old;
    graph::Module& m = v.out.module();
    Moves moves(v);
    ValueId operands[] = {v.map[f.operand(s.dot, 0)], v.map[f.operand(s.dot, 1)]};
    operands[side] = moves.slice(operands[side], dim, part.start, part.limit);
    const TypeId type = m.tensor(m.type(f.type(f.result(s.dot))).element, m.type(v.result_type()).shape);
    ValueId made = v.out.emit(OpKind::DotGeneral, operands, type, f.attributes_of(s.dot), f.location_of(s.dot));
    if (s.other.valid()) {
      const ValueId added = moves.slice(v.map[s.other], part.dim, part.start, part.limit);
      const OpId sum = f.definition(f.operand(v.op, 0));
      const ValueId terms[] = {s.dot_first ? made : added, s.dot_first ? added : made};
      made = v.out.emit(OpKind::Add, terms, v.result_type(), f.attributes_of(sum), f.location_of(sum));
    }
    return v.replace(made);
  }

  const graph::Function* function_ = nullptr;
  std::vector<std::vector<OpId>> readers_;  // by ValueId
};

}  // namespace

Result<void> split_dots(graph::Module& module) {
  Splitter splitter;
  return Rewriter(module, [&](Rewriter& r, Visit& v) { return splitter.visit(r, v); }).run();
}

}  // namespace openneuron::opt
