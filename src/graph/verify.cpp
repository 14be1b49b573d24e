#include "graph/verify.h"

#include <algorithm>

#include "graph/rule.h"

namespace openneuron::graph {
namespace {

bool fits(AttrRule rule, const Attribute& a) {
  switch (rule) {
    case AttrRule::I64: return a.kind == AttrKind::Int && a.element == ElementType::I64;
    case AttrRule::I32:
    case AttrRule::Version: return a.kind == AttrKind::Int && a.element == ElementType::I32;
    case AttrRule::Bool: return a.kind == AttrKind::Bool;
    case AttrRule::F32: return a.kind == AttrKind::Float && a.element == ElementType::F32;
    case AttrRule::String: return a.kind == AttrKind::String;
    case AttrRule::Symbol: return a.kind == AttrKind::Symbol;
    case AttrRule::Ints: return a.kind == AttrKind::Ints && a.shape.empty() && a.element == ElementType::I64;
    case AttrRule::Bools: return a.kind == AttrKind::Bools;
    case AttrRule::Pairs:
      return a.kind == AttrKind::Ints && a.shape.size() == 2 && a.shape[1] == 2 && a.integers.size() % 2 == 0;
    case AttrRule::Groups: return a.kind == AttrKind::Dictionary || (a.kind == AttrKind::Ints && a.shape.size() == 2);
    case AttrRule::Enum: return a.kind == AttrKind::Enum;
    case AttrRule::Symbols:
    case AttrRule::Precisions:
    case AttrRule::Array: return a.kind == AttrKind::Array;
    case AttrRule::Dict:
    case AttrRule::Accuracy: return a.kind == AttrKind::Dictionary;
    case AttrRule::Constant: return a.kind == AttrKind::Constant;
    case AttrRule::Config: return a.kind == AttrKind::String || a.kind == AttrKind::Dictionary;
    case AttrRule::Opaque: return a.kind == AttrKind::Opaque;
    case AttrRule::Any: return true;
  }
  return true;
}

class Verifier {
 public:
  explicit Verifier(const Module& m) : m_(m), checked_dictionary_(m.attribute_count(), kUnchecked) {}

  Result<void> run() {
    ON_TRY(constants());
    for (FunctionId f : m_.functions()) ON_TRY(function(m_.function(f)));
    return calls();
  }

 private:
  static constexpr std::uint16_t kUnchecked = 0xFFFF;

  Failure at(Code code, std::string message, const Function& f, OpId op) {
    Place place = place_of(m_, op.valid() ? f.location_of(op) : f.location);
    if (op.valid()) place.op = std::string(op_name(f.kind(op)));
    return fail(code, std::move(place), std::move(message));
  }

  Result<void> constants() {
    for (std::size_t i = 0; i < m_.constant_count(); ++i) {
      const Constant& c = m_.constant(ConstantId(i));
      const Type& t = m_.type(c.type);
      const std::size_t width = t.element == ElementType::None ? 0 : static_cast<std::size_t>(byte_width(t.element));
      bool good = (t.kind == TypeKind::Tensor || t.kind == TypeKind::Quantized) && width != 0;
      for (std::int64_t d : t.shape) good = good && d >= 0;
      good = good && c.bytes.size() / width == (c.splat ? 1u : static_cast<std::uint64_t>(t.element_count())) &&
             c.bytes.size() % width == 0;
      if (!good)
        return fail(Code::GraphAttribute,
                    "a literal of " + show(m_, t) + " has " + std::to_string(c.bytes.size()) + " bytes.");
    }
    return {};
  }

  Result<void> function(const Function& f) {
    const std::string name = f.is_region ? "a region" : "function @" + f.name;
    if (f.op_count() == 0 || f.kind(f.terminator()) != OpKind::Return)
      return at(Code::GraphOrder, name + " does not end with a return.", f, OpId());
    std::uint32_t defined = static_cast<std::uint32_t>(f.parameter_count());
    for (OpId op : f.ops()) {
      const OpKind kind = f.kind(op);
      if (kind == OpKind::Return && op != f.terminator())
        return at(Code::GraphOrder, "ops stand behind the return of " + name + ".", f, op);
      for (ValueId v : f.operands(op)) {
        if (v.index >= defined) return at(Code::GraphOrder, "a value is used before its definition.", f, op);
      }
      defined += f.results(op).size();
      ON_TRY(this->op(f, op));
    }
    return {};
  }

  Result<void> op(const Function& f, OpId op) {
    const OpKind kind = f.kind(op);
    const OpInfo& info = op_info(kind);
    const auto all = f.operands(op);
    const std::uint32_t captures = f.capture_count(op);
    const auto regions = f.regions(op);
    if (captures > all.size()) return at(Code::GraphRegion, "more captured values than operands.", f, op);
    const std::size_t operands = all.size() - captures;
    if (!info.operands.admits(operands)) {
      return at(Code::GraphOperands,
                "the op has " + std::to_string(operands) + " operands, it takes " +
                    (info.operands.max < 0 ? "at least " : "") + std::to_string(info.operands.min) + ".",
                f, op);
    }
    if (!info.regions.admits(regions.size())) {
      return at(Code::GraphRegion,
                "the op has " + std::to_string(regions.size()) + " regions, it takes " +
                    (info.regions.max < 0 ? "at least " : "") + std::to_string(info.regions.min) + ".",
                f, op);
    }
    ON_TRY(attributes(f, op, info));
    types_.clear();
    for (ValueId v : all) types_.push_back(f.type(v));
    for (FunctionId region : regions) {
      if (region.index >= m_.functions().size() || !m_.function(region).is_region)
        return at(Code::GraphRegion, "a region is missing.", f, op);
      const Function& r = m_.function(region);
      if (&r == &f) return at(Code::GraphRegion, "a region holds itself.", f, op);
      if (r.op_count() == 0 || r.kind(r.terminator()) != OpKind::Return)
        return at(Code::GraphOrder, "a region does not end with a return.", f, op);
      for (std::uint32_t c = 0; c < captures; ++c) {
        const std::size_t parameter = r.parameter_count() - captures + c;
        if (r.parameter_count() < captures || r.type(ValueId(parameter)) != types_[operands + c]) {
          return at(Code::GraphRegion, "a region's captured parameters do not fit the op's captured values.", f, op);
        }
      }
    }
    stated_.clear();
    for (ValueId v : f.results(op)) stated_.push_back(f.type(v));
    Rule rule(m_, kind, std::span(types_).first(operands), f.attributes_of(op), regions, captures, stated_, nullptr);
    if (!apply_rule(rule) || !rule.no_more_results()) {
      Failure failure{Diagnostic(rule.error())};
      failure.diagnostic().place = place_of(m_, f.location_of(op));
      failure.diagnostic().place.op = std::string(info.name);
      return failure;
    }
    return {};
  }

  // Dictionaries are shared: each is checked once per kind of op that has it.
  Result<void> attributes(const Function& f, OpId op, const OpInfo& info) {
    const AttrId id = f.attributes_of(op);
    if (!id.valid()) {
      for (const AttrInfo& a : info.attributes) {
        if (!a.optional) return at(Code::GraphAttribute, "attribute '" + std::string(a.name) + "' is missing.", f, op);
      }
      return {};
    }
    const std::uint16_t kind = static_cast<std::uint16_t>(info.kind);
    if (checked_dictionary_[id.index] == kind) return {};
    const Attribute& d = m_.attribute(id);
    if (d.kind != AttrKind::Dictionary)
      return at(Code::GraphAttribute, "an op's attributes must be a dictionary.", f, op);
    for (const AttrInfo& a : info.attributes) {
      const AttrId value = m_.lookup(id, a.name);
      if (!value.valid()) {
        if (a.optional) continue;
        return at(Code::GraphAttribute, "attribute '" + std::string(a.name) + "' is missing.", f, op);
      }
      const Attribute& v = m_.attribute(value);
      bool good = fits(a.rule, v);
      if (good && a.rule == AttrRule::Enum) {
        const auto keywords = enum_keywords(a.enumeration);
        good = std::find(keywords.begin(), keywords.end(), std::string_view(v.text)) != keywords.end();
      }
      if (!good)
        return at(Code::GraphAttribute,
                  "attribute '" + std::string(a.name) + "' is not of its kind; see the normal form in docs/graph.md.",
                  f, op);
    }
    for (const std::string& name : d.names) {
      if (info.attribute(name) == nullptr)
        return at(Code::GraphAttribute, "attribute '" + name + "' does not belong to the op.", f, op);
    }
    checked_dictionary_[id.index] = kind;
    return {};
  }

  // Functions that call each other in a circle: depth-first without recursion.
  Result<void> calls() {
    enum : char { New, Open, Done };
    const std::size_t count = m_.functions().size();
    std::vector<char> state(count, New);
    struct Frame {
      FunctionId f;
      std::uint32_t op;
      std::uint32_t child;
    };
    std::vector<Frame> stack;
    for (FunctionId start : m_.functions()) {
      if (state[start.index] != New) continue;
      stack.push_back({start, 0, 0});
      state[start.index] = Open;
      while (!stack.empty()) {
        const Frame frame = stack.back();
        const Function& f = m_.function(frame.f);
        if (frame.op >= f.op_count()) {
          state[frame.f.index] = Done;
          stack.pop_back();
          continue;
        }
        const OpId op(std::size_t{frame.op});
        const OpKind kind = f.kind(op);
        const auto regions = f.regions(op);
        FunctionId next;
        if (frame.child < regions.size()) {
          next = regions[frame.child];
          ++stack.back().child;
        } else {
          if (kind == OpKind::Call) next = m_.find(m_.text(f, op, "callee"));
          if (kind == OpKind::Composite) next = m_.find(m_.text(f, op, "decomposition"));
          ++stack.back().op;
          stack.back().child = 0;
        }
        if (!next.valid() || state[next.index] == Done) continue;
        if (state[next.index] == Open) return at(Code::GraphCall, "functions call each other in a circle.", f, op);
        state[next.index] = Open;
        stack.push_back({next, 0, 0});
      }
    }
    return {};
  }

  const Module& m_;
  std::vector<std::uint16_t> checked_dictionary_;
  std::vector<TypeId> types_, stated_;
};

}  // namespace

Place place_of(const Module& module, LocationId location) {
  Place place;
  // Names and call sites may nest: the first child with a line, the callee before its caller; a bounded number of steps.
  std::vector<LocationId> pending = {location};
  for (int step = 0; step < 1000 && !pending.empty(); ++step) {
    const LocationId next = pending.back();
    pending.pop_back();
    if (!next.valid()) continue;
    const Location& l = module.location(next);
    if (l.kind == LocationKind::File) {
      place.file = l.text;
      place.line = l.line;
      place.column = l.column;
      return place;
    }
    pending.insert(pending.end(), l.children.rbegin(), l.children.rend());
  }
  return place;
}

Result<void> verify(const Module& module) { return Verifier(module).run(); }

Result<std::vector<TypeId>> infer_types(Module& module, const Function& function, OpKind kind,
                                        std::span<const ValueId> operands, AttrId attributes,
                                        std::span<const FunctionId> regions, std::uint32_t captures) {
  std::vector<TypeId> types;
  for (ValueId v : operands) types.push_back(function.type(v));
  const OpInfo& info = op_info(kind);
  if (captures > types.size()) return fail(Code::GraphRegion, "more captured values than operands.");
  const std::size_t plain = types.size() - captures;
  if (!info.operands.admits(plain))
    return fail(Code::GraphOperands, std::string(info.name) + " takes another number of operands.");
  if (!info.regions.admits(regions.size()))
    return fail(Code::GraphRegion, std::string(info.name) + " takes another number of regions.");
  for (FunctionId region : regions) {
    if (module.function(region).op_count() == 0) return fail(Code::GraphOrder, "a region is empty.");
  }
  Rule rule(module, kind, std::span(types).first(plain), attributes, regions, captures, {}, &module);
  if (!apply_rule(rule)) {
    Failure failure{Diagnostic(rule.error())};
    failure.diagnostic().place.op = std::string(info.name);
    return failure;
  }
  return std::move(rule.derived());
}

}  // namespace openneuron::graph
