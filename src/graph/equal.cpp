#include "graph/equal.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "graph/op_info.h"

namespace openneuron::graph {
namespace {

// Interned rows are equal within a module when their ids are, so each id of `a` has one partner in `b`.
class Comparison {
 public:
  Comparison(const Module& a, const Module& b) : a_(a), b_(b) {}

  bool types(TypeId x, TypeId y) {
    if (!x.valid() || !y.valid()) return x.valid() == y.valid();
    const auto known = type_partner_.find(x);
    if (known != type_partner_.end()) return known->second == y;
    const Type &p = a_.type(x), &q = b_.type(y);
    if (p.kind != q.kind || p.element != q.element || p.shape != q.shape || p.bounds != q.bounds || p.text != q.text ||
        p.input_count != q.input_count || p.members.size() != q.members.size()) {
      return false;
    }
    for (std::size_t i = 0; i < p.members.size(); ++i) {
      if (!types(p.members[i], q.members[i])) return false;
    }
    type_partner_.emplace(x, y);
    return true;
  }

  bool attributes(AttrId x, AttrId y) {
    if (!x.valid() || !y.valid()) return x.valid() == y.valid();
    const auto known = attribute_partner_.find(x);
    if (known != attribute_partner_.end()) return known->second == y;
    const Attribute &p = a_.attribute(x), &q = b_.attribute(y);
    if (p.kind != q.kind || p.element != q.element || p.integer != q.integer ||
        std::bit_cast<std::uint64_t>(p.real) != std::bit_cast<std::uint64_t>(q.real) || p.text != q.text ||
        p.dialect_name != q.dialect_name || p.integers != q.integers || p.shape != q.shape || p.names != q.names ||
        p.items.size() != q.items.size() || !types(p.type, q.type) || !constants(p.constant, q.constant)) {
      return false;
    }
    for (std::size_t i = 0; i < p.items.size(); ++i) {
      if (!attributes(p.items[i], q.items[i])) return false;
    }
    attribute_partner_.emplace(x, y);
    return true;
  }

  bool functions(const Function& f, const Function& g) {
    const std::string where = f.is_region ? "a region" : "@" + f.name;
    if (f.name != g.name || f.is_region != g.is_region)
      return differ("functions @" + f.name + " and @" + g.name + " stand in the same place");
    if (!f.is_region && f.is_public != g.is_public) return differ(where + ": visibility");
    if (f.parameter_count() != g.parameter_count()) return differ(where + ": number of parameters");
    if (f.op_count() != g.op_count())
      return differ(where + ": " + std::to_string(f.op_count()) + " and " + std::to_string(g.op_count()) + " ops");
    if (f.value_count() != g.value_count()) return differ(where + ": number of values");
    for (ValueId v : f.values()) {
      if (!types(f.type(v), g.type(v))) return differ(where + ": type of value " + std::to_string(v.index));
    }
    if (!lists(f.parameter_attributes, g.parameter_attributes)) return differ(where + ": parameter attributes");
    if (!lists(f.result_attributes, g.result_attributes)) return differ(where + ": result attributes");
    if (!attributes(f.attributes, g.attributes)) return differ(where + ": attributes");
    for (OpId op : f.ops()) {
      const std::string here = where + ", op " + std::to_string(op.index) + " " + std::string(op_name(f.kind(op)));
      if (f.kind(op) != g.kind(op)) return differ(here + " and " + std::string(op_name(g.kind(op))));
      const auto x = f.operands(op), y = g.operands(op);
      if (!std::equal(x.begin(), x.end(), y.begin(), y.end())) return differ(here + ": operands");
      if (f.results(op).size() != g.results(op).size()) return differ(here + ": number of results");
      if (!attributes(f.attributes_of(op), g.attributes_of(op))) return differ(here + ": attributes");
      if (!attributes(f.extra_attributes(op), g.extra_attributes(op))) return differ(here + ": extra attributes");
      const auto r = f.regions(op), s = g.regions(op);
      if (r.size() != s.size() || f.capture_count(op) != g.capture_count(op))
        return differ(here + ": regions or captures");
      for (std::size_t i = 0; i < r.size(); ++i) {
        if (!functions(a_.function(r[i]), b_.function(s[i]))) return false;
      }
    }
    return true;
  }

  bool differ(std::string text) {
    if (difference_.empty()) difference_ = std::move(text);
    return false;
  }
  const std::string& difference() const { return difference_; }

 private:
  bool constants(ConstantId x, ConstantId y) {
    if (!x.valid() || !y.valid()) return x.valid() == y.valid();
    const Constant &p = a_.constant(x), &q = b_.constant(y);
    return p.splat == q.splat && p.hash == q.hash && types(p.type, q.type) &&
           std::equal(p.bytes.begin(), p.bytes.end(), q.bytes.begin(), q.bytes.end());
  }

  // Per parameter or result: shorter lists go on with none.
  bool lists(const std::vector<AttrId>& x, const std::vector<AttrId>& y) {
    for (std::size_t i = 0; i < std::max(x.size(), y.size()); ++i) {
      if (!attributes(i < x.size() ? x[i] : AttrId(), i < y.size() ? y[i] : AttrId())) return false;
    }
    return true;
  }

  const Module& a_;
  const Module& b_;
  std::unordered_map<TypeId, TypeId> type_partner_;
  std::unordered_map<AttrId, AttrId> attribute_partner_;
  std::string difference_;
};

}  // namespace

bool equal(const Module& a, const Module& b, std::string* difference) {
  Comparison c(a, b);
  std::vector<FunctionId> in_a, in_b;
  for (FunctionId f : a.functions()) {
    if (!a.function(f).is_region) in_a.push_back(f);
  }
  for (FunctionId f : b.functions()) {
    if (!b.function(f).is_region) in_b.push_back(f);
  }
  bool same = c.attributes(a.attributes, b.attributes) || c.differ("module attributes");
  same = same && (a.extra_ops == b.extra_ops || c.differ("module-level ops kept as text"));
  same = same && (in_a.size() == in_b.size() || c.differ("number of functions"));
  for (std::size_t i = 0; same && i < in_a.size(); ++i) same = c.functions(a.function(in_a[i]), b.function(in_b[i]));
  if (!same && difference != nullptr) *difference = c.difference();
  return same;
}

}  // namespace openneuron::graph
