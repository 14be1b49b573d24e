#include "graph/print.h"

#include "graph/printer.h"

namespace openneuron::graph {

std::string print(const Module& module, const PrintOptions& options) { return Printer(module, options).run(); }

std::string Printer::run() {
  const bool wrapped = !m_.name.empty() || m_.attributes.valid() || !m_.extra_ops.empty();
  if (wrapped) {
    out_ += "module";
    if (!m_.name.empty()) {
      out_ += ' ';
      symbol(m_.name);
    }
    if (m_.attributes.valid()) {
      out_ += " attributes ";
      dictionary(m_.attribute(m_.attributes));
    }
    out_ += " {\n";
    ++depth_;
    for (const std::string& text : m_.extra_ops) {
      indent();
      out_ += text;
      out_ += '\n';
    }
  }
  for (FunctionId f : m_.functions()) {
    if (!m_.function(f).is_region) print_function(m_.function(f));
  }
  if (wrapped) out_ += "}\n";
  if (options_.locations) print_location_aliases();
  return std::move(out_);
}

void Printer::indent() { out_.append(static_cast<std::size_t>(2 * depth_), ' '); }

void Printer::print_function(const Function& f) {
  const Scope s = open(f, nullptr, OpId());
  indent();
  out_ += f.is_public ? "func.func " : "func.func private ";
  symbol(f.name);
  out_ += '(';
  for (ValueId p : f.parameters()) {
    if (p.index != 0) out_ += ", ";
    value(s, p);
    out_ += ": ";
    type(f.type(p));
    if (const AttrId a = f.parameter_attributes[p.index]; a.valid()) {
      out_ += ' ';
      dictionary(m_.attribute(a));
    }
  }
  out_ += ')';
  const bool finished = f.op_count() != 0 && f.kind(f.terminator()) == OpKind::Return;
  const std::span<const ValueId> returned = finished ? f.operands(f.terminator()) : std::span<const ValueId>();
  if (!returned.empty()) {
    bool plain = returned.size() == 1;
    for (AttrId a : f.result_attributes) plain &= !a.valid();
    out_ += plain ? " -> " : " -> (";
    for (std::size_t i = 0; i < returned.size(); ++i) {
      if (i != 0) out_ += ", ";
      type(f.type(returned[i]));
      if (i < f.result_attributes.size() && f.result_attributes[i].valid()) {
        out_ += ' ';
        dictionary(m_.attribute(f.result_attributes[i]));
      }
    }
    if (!plain) out_ += ')';
  }
  if (f.attributes.valid()) {
    out_ += " attributes ";
    dictionary(m_.attribute(f.attributes));
  }
  out_ += " {\n";
  ++depth_;
  return_name_ = "return";
  print_ops(s);
  --depth_;
  indent();
  out_ += '}';
  location(f.location);
  out_ += '\n';
}

// Results are numbered through the whole function before the regions of its ops are, so that siblings share numbers.
Printer::Scope Printer::open(const Function& f, const Scope* outer, OpId op) {
  Scope s;
  s.f = &f;
  s.names.resize(f.value_count());
  std::uint32_t argument = outer == nullptr ? 0 : outer->next_argument;
  std::uint32_t number = outer == nullptr ? 0 : outer->next_value;
  std::size_t own = f.parameter_count();
  if (outer != nullptr) {
    const std::size_t captures = outer->f->capture_count(op);
    own -= std::min(captures, own);
    const auto operands = outer->f->operands(op);
    for (std::size_t i = own; i < f.parameter_count(); ++i) {
      s.names[i] = outer->names[operands[operands.size() - (f.parameter_count() - i)].index];
    }
  }
  for (std::size_t i = 0; i < own; ++i) s.names[i] = {argument++, -1, true};
  for (OpId o : f.ops()) {
    const auto results = f.results(o);
    if (results.size() == 0) continue;
    for (std::uint32_t r = 0; r < results.size(); ++r) {
      s.names[results[r].index] = {number, results.size() == 1 ? -1 : static_cast<std::int32_t>(r), false};
    }
    ++number;
  }
  s.next_value = number;
  s.next_argument = argument;
  return s;
}

void Printer::print_ops(const Scope& s) {
  for (OpId op : s.f->ops()) print_op(s, op);
}

void Printer::print_op(const Scope& s, OpId op) {
  indent();
  const auto results = s.f->results(op);
  if (results.size() != 0) {
    const Name& name = s.names[results[0].index];
    out_ += '%';
    integer(name.number);
    if (results.size() > 1) {
      out_ += ':';
      integer(results.size());
    }
    out_ += " = ";
  }
  const std::size_t start = out_.size();
  if (!print_pretty(s, op)) {
    out_.resize(start);
    print_generic(s, op);
  }
  location(s.f->location_of(op));
  out_ += '\n';
}

void Printer::value(const Scope& s, ValueId v) {
  const Name& name = s.names[v.index];
  out_ += name.argument ? "%arg" : "%";
  integer(name.number);
  if (name.part >= 0) {
    out_ += '#';
    integer(name.part);
  }
}

void Printer::values(const Scope& s, std::span<const ValueId> list) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i != 0) out_ += ", ";
    value(s, list[i]);
  }
}

std::span<const ValueId> Printer::plain_operands(const Scope& s, OpId op) const {
  const auto all = s.f->operands(op);
  return all.first(all.size() - s.f->capture_count(op));
}

void Printer::print_generic(const Scope& s, OpId op) {
  out_ += '"';
  out_ += op_name(s.f->kind(op));
  out_ += "\"(";
  values(s, plain_operands(s, op));
  out_ += ')';
  inherent(s, op);
  const auto regions = s.f->regions(op);
  if (!regions.empty()) {
    out_ += " (";
    for (std::size_t i = 0; i < regions.size(); ++i) {
      if (i != 0) out_ += ", ";
      print_region(s, op, regions[i], true);
    }
    out_ += ')';
  }
  if (const AttrId extra = s.f->extra_attributes(op); extra.valid()) {
    out_ += ' ';
    dictionary(m_.attribute(extra));
  }
  functional_type(s, op);
}

void Printer::print_region(const Scope& outer, OpId op, FunctionId region, bool arguments) {
  const Function& f = m_.function(region);
  const Scope s = open(f, &outer, op);
  const std::string_view saved = return_name_;
  return_name_ = outer.f->kind(op) == OpKind::SdyManualComputation ? "sdy.return" : "stablehlo.return";
  out_ += "{\n";
  const std::size_t own = f.parameter_count() - std::min<std::size_t>(outer.f->capture_count(op), f.parameter_count());
  if (arguments && own != 0) {
    indent();
    out_ += "^bb0(";
    for (std::size_t i = 0; i < own; ++i) {
      if (i != 0) out_ += ", ";
      value(s, ValueId(i));
      out_ += ": ";
      type(f.type(ValueId(i)));
    }
    out_ += "):\n";
  }
  ++depth_;
  print_ops(s);
  --depth_;
  indent();
  out_ += '}';
  return_name_ = saved;
}

// Locations are written once, as aliases behind the module: they share parts, and inline text could grow without bound.
void Printer::location(LocationId id) {
  if (!options_.locations || !id.valid()) return;
  out_ += " loc(#loc";
  integer(id.index);
  out_ += ')';
  if (location_used_.size() <= id.index) location_used_.resize(id.index + 1, false);
  location_used_[id.index] = true;
}

void Printer::location_body(LocationId id) {
  if (!id.valid()) {
    out_ += "unknown";
    return;
  }
  out_ += "#loc";
  integer(id.index);
}

void Printer::print_location_aliases() {
  // Children were interned before their parents, so one walk downwards marks all that is reachable.
  for (std::size_t i = location_used_.size(); i-- > 0;) {
    if (!location_used_[i]) continue;
    for (LocationId child : m_.location(LocationId(i)).children) {
      if (child.valid()) location_used_[child.index] = true;
    }
  }
  for (std::size_t i = 0; i < location_used_.size(); ++i) {
    if (!location_used_[i]) continue;
    const Location& l = m_.location(LocationId(i));
    out_ += "#loc";
    integer(static_cast<std::int64_t>(i));
    out_ += " = loc(";
    if (l.kind == LocationKind::File) {
      quoted(l.text);
      out_ += ':';
      integer(l.line);
      out_ += ':';
      integer(l.column);
      if (l.end_line != 0 || l.end_column != 0) {
        out_ += " to ";
        if (l.end_line != l.line) integer(l.end_line);
        out_ += ':';
        integer(l.end_column);
      }
    } else if (l.kind == LocationKind::Name) {
      quoted(l.text);
      if (!l.children.empty()) {
        out_ += '(';
        location_body(l.children[0]);
        out_ += ')';
      }
    } else if (l.kind == LocationKind::CallSite && l.children.size() == 2) {
      out_ += "callsite(";
      location_body(l.children[0]);
      out_ += " at ";
      location_body(l.children[1]);
      out_ += ')';
    } else if (l.kind == LocationKind::Fused) {
      out_ += "fused[";
      for (std::size_t c = 0; c < l.children.size(); ++c) {
        if (c != 0) out_ += ", ";
        location_body(l.children[c]);
      }
      out_ += ']';
    } else {
      out_ += "unknown";
    }
    out_ += ")\n";
  }
}

}  // namespace openneuron::graph
