#include "opt/legalise_collectives.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "graph/op_info.h"
#include "graph/verify.h"
#include "opt/apply_region.h"
#include "opt/legalise_tools.h"

namespace openneuron::opt {
namespace {

using graph::OpKind;
using Shape = std::vector<std::int64_t>;

// What the collective cores call it; empty: they do not combine so.
std::string_view combiner(OpKind kind) {
  switch (kind) {
    case OpKind::Add: return "add";
    case OpKind::Multiply: return "multiply";
    case OpKind::Maximum: return "maximum";
    case OpKind::Minimum: return "minimum";
    case OpKind::And: return "bitwise_and";
    case OpKind::Or: return "bitwise_or";
    case OpKind::Xor: return "bitwise_xor";
    default: return {};
  }
}

class Legaliser {
 public:
  Legaliser(Rewriter& rewriter, Visit& visit) : rewriter_(rewriter), v_(visit), m_(visit.out.module()) {}

  Result<bool> run() {
    switch (v_.kind()) {
      case OpKind::AllReduce: return each([&](ValueId x) { return all_reduce(x); });
      case OpKind::AllGather: return each([&](ValueId x) { return all_gather(x); });
      case OpKind::ReduceScatter: return each([&](ValueId x) { return reduce_scatter(x); });
      case OpKind::AllToAll: return each([&](ValueId x) { return all_to_all(x); });
      case OpKind::CollectivePermute: return each([&](ValueId x) -> Result<ValueId> { return collective("collective_permute", x); });
      case OpKind::CollectiveBroadcast: {
        const AttrId dynamic = v_.attr("has_dynamic_root");
        if (dynamic.valid() && m_.attribute(dynamic).integer != 0)
          return fail(Code::NoLowering, place(), "a root that is not known before the program runs has no lowering");
        return each([&](ValueId x) -> Result<ValueId> { return collective("broadcast", x); });
      }
      case OpKind::ReplicaId:  // a replica is one group of partitions
        return v_.replace(v_.out.splat_constant(v_.result_type(), Splat{ElementType::U32, false, 0, 0}, v_.location()));
      default: return false;
    }
  }

 private:
  Place place() const {
    Place place = graph::place_of(m_, v_.location());
    place.op = std::string(graph::op_name(v_.kind()));
    return place;
  }
  const Shape& shape(ValueId x) const { return v_.out.type(x).shape; }
  ElementType element(ValueId x) const { return v_.out.type(x).element; }
  std::int64_t dim(std::string_view name) const {
    const AttrId id = v_.attr(name);
    return id.valid() ? m_.attribute(id).integer : 0;
  }

  template <class Rule>
  Result<bool> each(const Rule& rule) {
    const std::size_t results = v_.old.results(v_.op).size();
    for (std::size_t i = 0; i < results; ++i) {
      const ValueId result = v_.old.result(v_.op, i);
      ON_TRY(read_groups());
      auto made = rule(v_.operands[i]);
      if (!made) return made.failure();
      v_.map[result] = reshape(*made, m_.type(v_.result_type(i)).shape);
    }
    return true;
  }

  // The table of groups as a constant, and their size.
  Result<void> read_groups() {
    const AttrId id = v_.attr(v_.kind() == OpKind::CollectivePermute ? "source_target_pairs" : "replica_groups");
    std::vector<std::int64_t> numbers;
    std::int64_t columns = v_.kind() == OpKind::CollectivePermute ? 2 : 0;
    if (id.valid()) {
      if (m_.attribute(id).kind != graph::AttrKind::Ints)
        return fail(Code::NoLowering, place(), "replica groups over the axes of a mesh are partitioned first");
      numbers = m_.attribute(id).integers;
      if (m_.attribute(id).shape.size() == 2) columns = m_.attribute(id).shape[1];
    }
    if (numbers.empty() && v_.kind() != OpKind::CollectivePermute) {  // all of them
      const AttrId partitions = m_.lookup(m_.attributes, "mhlo.num_partitions");
      columns = partitions.valid() ? std::max<std::int64_t>(1, m_.attribute(partitions).integer) : 1;
      numbers.resize(static_cast<std::size_t>(columns));
      std::iota(numbers.begin(), numbers.end(), 0);
    }
    if (numbers.empty()) numbers.assign(static_cast<std::size_t>(columns = 2), -1);  // a permutation without pairs
    size_ = columns;
    std::vector<std::byte> bytes;
    for (std::int64_t n : numbers)
      for (int b = 0; b < 4; ++b) bytes.push_back(static_cast<std::byte>(n >> (8 * b)));
    const TypeId type = m_.tensor(ElementType::I32, Shape{static_cast<std::int64_t>(numbers.size()) / columns, columns});
    const AttrId value = m_.constant_attr(m_.own_constant(type, false, std::move(bytes)));
    groups_ = v_.out.emit(OpKind::Constant, {}, type, m_.dictionary({{"value", value}}), v_.location());
    return {};
  }

  ValueId emit(OpKind kind, ValueId x, Shape to, ElementType e, AttrId attributes = {}) {
    return v_.out.emit(kind, {x}, m_.tensor(e, to), attributes, v_.location());
  }
  ValueId reshape(ValueId x, Shape to) { return shape(x) == to ? x : emit(OpKind::Reshape, x, std::move(to), element(x)); }
  // Dimension `from` goes to place `to`, the others keep their order.
  ValueId move(ValueId x, std::size_t from, std::size_t to) {
    Shape order(shape(x).size()), sizes;
    std::iota(order.begin(), order.end(), 0);
    order.erase(order.begin() + static_cast<std::ptrdiff_t>(from));
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(to), static_cast<std::int64_t>(from));
    if (from == to) return x;
    for (std::int64_t d : order) sizes.push_back(shape(x)[static_cast<std::size_t>(d)]);
    return emit(OpKind::Transpose, x, sizes, element(x), m_.dictionary({{"permutation", m_.ints_attr(order)}}));
  }
  // x[.., n, ..] as [S, .., n/S, ..].
  ValueId parts_first(ValueId x, std::size_t d) {
    Shape split = shape(x);
    split[d] /= size_;
    split.insert(split.begin() + static_cast<std::ptrdiff_t>(d), size_);
    return move(reshape(x, split), d, 0);
  }
  // [S, .., n, ..] as [.., S n, ..].
  ValueId parts_joined(ValueId x, std::size_t d) {
    Shape joined = shape(x);
    joined.erase(joined.begin());
    joined[d] *= size_;
    return reshape(move(x, 0, d), joined);
  }

  // The collective itself. Elements of 64 bits are only moved: as two words, complex ones as two numbers.
  ValueId collective(std::string_view kind, ValueId x, std::string_view op = "bypass") {
    const ElementType e = element(x);
    if (e == ElementType::I64 || e == ElementType::U64) {
      Shape words = shape(x);
      words.push_back(2);
      const ValueId moved = plain(kind, emit(OpKind::BitcastConvert, x, words, ElementType::U32), op);
      Shape to = shape(moved);
      to.pop_back();
      return emit(OpKind::BitcastConvert, moved, to, e);
    }
    if (is_complex(e)) {
      const ElementType part = e == ElementType::C64 ? ElementType::F32 : ElementType::F64;
      const ValueId real = plain(kind, emit(OpKind::Real, x, shape(x), part), op);
      const ValueId imaginary = plain(kind, emit(OpKind::Imag, x, shape(x), part), op);
      return v_.out.emit(OpKind::Complex, {real, imaginary}, m_.tensor(e, shape(real)), {}, v_.location());
    }
    return plain(kind, x, op);
  }
  ValueId plain(std::string_view kind, ValueId x, std::string_view op) {
    Shape to = shape(x);
    if (kind == "all_gather") to.insert(to.begin(), size_);
    if (kind == "reduce_scatter") to.erase(to.begin());
    const AttrId attributes = m_.dictionary({{"kind", m_.string_attr(kind)}, {"op", m_.string_attr(op)}});
    return v_.out.emit(OpKind::NeuronCollective, {x, groups_}, m_.tensor(element(x), to), attributes, v_.location());
  }

  // By which op the cores combine; empty: gathered, and combined here.
  std::string_view by(ValueId x) {
    OpKind kind;
    const ElementType e = element(x);
    if (is_complex(e) || bit_width(e) > 32 || !graph::single_op_region(rewriter_.old_function(v_.old.regions(v_.op)[0]), kind)) return {};
    return combiner(kind);
  }
  // The region over the first dimension, from the first member to the last.
  Result<ValueId> fold(ValueId all) {
    Shape one = shape(all), rest(shape(all).begin() + 1, shape(all).end());
    ValueId total;
    for (std::int64_t i = 0; i < size_; ++i) {
      Shape start(one.size(), 0), limit = shape(all), ones(one.size(), 1);
      start[0] = i;
      limit[0] = i + 1;
      one[0] = 1;
      const ValueId slice = emit(OpKind::Slice, all, one, element(all),
                                 m_.dictionary({{"start_indices", m_.ints_attr(start)}, {"limit_indices", m_.ints_attr(limit)}, {"strides", m_.ints_attr(ones)}}));
      const ValueId part = reshape(slice, rest);
      if (i == 0) {
        total = part;
        continue;
      }
      const ValueId pair[] = {total, part};
      auto sum = apply_region(rewriter_, v_, v_.old.regions(v_.op)[0], pair);
      if (!sum) return sum.failure();
      total = (*sum)[0];
    }
    return total;
  }

  Result<ValueId> all_reduce(ValueId x) {
    const std::string_view op = by(x);
    if (!op.empty()) return collective("all_reduce", x, op);
    return fold(collective("all_gather", x));
  }
  Result<ValueId> reduce_scatter(ValueId x) {
    const ValueId parts = parts_first(x, static_cast<std::size_t>(dim("scatter_dimension")));
    const std::string_view op = by(x);
    if (!op.empty()) return collective("reduce_scatter", parts, op);
    return fold(collective("all_to_all", parts));
  }
  Result<ValueId> all_gather(ValueId x) { return parts_joined(collective("all_gather", x), static_cast<std::size_t>(dim("all_gather_dim"))); }
  Result<ValueId> all_to_all(ValueId x) {
    size_ = dim("split_count");
    const ValueId parts = parts_first(x, static_cast<std::size_t>(dim("split_dimension")));
    return parts_joined(collective("all_to_all", parts), static_cast<std::size_t>(dim("concat_dimension")));
  }

  Rewriter& rewriter_;
  Visit& v_;
  graph::Module& m_;
  ValueId groups_;
  std::int64_t size_ = 1;
};

// Most programs have none: they are not copied.
bool has_collectives(const graph::Module& module) {
  for (FunctionId id : module.functions()) {
    const graph::Function& f = module.function(id);
    for (OpId op : f.ops())
      if (graph::op_info(f.kind(op)).has(graph::kCollective) || f.kind(op) == OpKind::ReplicaId) return true;
  }
  return false;
}

}  // namespace

Result<void> legalise_collectives(graph::Module& module) {
  if (!has_collectives(module)) return {};
  return Rewriter(module, [](Rewriter& rewriter, Visit& v) { return Legaliser(rewriter, v).run(); }).run();
}

}  // namespace openneuron::opt
