// Pretty forms of contractions and of ops with regions.
#include "graph/printer.h"

namespace openneuron::graph {

bool Printer::pretty_dot(const Scope& s, OpId op) {
  const OpKind kind = s.f->kind(op);
  if (s.f->results(op).size() != 1) return false;
  name_and_operands(s, op);
  const AttrId attributes = s.f->attributes_of(op);
  if (kind == OpKind::DotGeneral) {
    const auto pair = [&](std::string_view key, std::string_view left, std::string_view right) {
      out_ += ", ";
      out_ += key;
      out_ += " = ";
      list(m_.ints(*s.f, op, left));
      out_ += " x ";
      list(m_.ints(*s.f, op, right));
    };
    if (!m_.ints(*s.f, op, "lhs_batching_dimensions").empty() ||
        !m_.ints(*s.f, op, "rhs_batching_dimensions").empty()) {
      pair("batching_dims", "lhs_batching_dimensions", "rhs_batching_dimensions");
    }
    pair("contracting_dims", "lhs_contracting_dimensions", "rhs_contracting_dimensions");
  }
  if (const AttrId precision = m_.lookup(attributes, "precision_config"); precision.valid()) {
    const Attribute& p = m_.attribute(precision);
    out_ += ", precision = [";
    for (std::size_t i = 0; i < p.items.size(); ++i) {
      if (i != 0) out_ += ", ";
      out_ += m_.attribute(p.items[i]).text;
    }
    out_ += ']';
  }
  if (const AttrId algorithm = m_.lookup(attributes, "algorithm"); algorithm.valid()) {
    out_ += ", algorithm = ";
    struct_text("<", m_.attribute(algorithm));
  }
  attribute_dictionary(s, op, false);
  functional_type(s, op);
  return true;
}

bool Printer::pretty_convolution(const Scope& s, OpId op) {
  if (s.f->results(op).size() != 1) return false;
  out_ += "stablehlo.convolution(";
  values(s, plain_operands(s, op));
  out_ += ") dim_numbers = ";
  if (!dim_numbers(s.f->attributes_of(op))) return false;
  out_ += ", window = {stride = ";
  list(m_.ints(*s.f, op, "window_strides"));
  const auto padding = m_.ints(*s.f, op, "padding");
  out_ += ", pad = [";
  for (std::size_t i = 0; i + 1 < padding.size(); i += 2) {
    if (i != 0) out_ += ", ";
    list(padding.subspan(i, 2));
  }
  out_ += "], lhs_dilate = ";
  list(m_.ints(*s.f, op, "lhs_dilation"));
  out_ += ", rhs_dilate = ";
  list(m_.ints(*s.f, op, "rhs_dilation"));
  out_ += ", reverse = [";
  const auto reversal = m_.ints(*s.f, op, "window_reversal");
  for (std::size_t i = 0; i < reversal.size(); ++i) {
    if (i != 0) out_ += ", ";
    out_ += reversal[i] != 0 ? "true" : "false";
  }
  out_ += "]}";
  attribute_dictionary(s, op, true);
  functional_type(s, op);
  return true;
}

// One commutative op of two operands on exactly the two arguments, in order: `applies stablehlo.add`.
bool Printer::compact_body(const Scope& s, OpId op, OpKind& body_kind) {
  const Function& body = m_.function(s.f->regions(op)[0]);
  if (plain_operands(s, op).size() != 2 || s.f->capture_count(op) != 0 || s.f->results(op).size() != 1) return false;
  if (body.parameter_count() != 2 || body.op_count() != 2 || body.kind(OpId(1)) != OpKind::Return) return false;
  const OpId first(0), last(1);
  body_kind = body.kind(first);
  const OpInfo& info = op_info(body_kind);
  if (!info.has(kCommutative) || !info.attributes.empty() || body.extra_attributes(first).valid() ||
      body.extra_attributes(last).valid())
    return false;
  if (body.results(first).size() != 1 || body.operands(first).size() != 2 || body.operands(last).size() != 1)
    return false;
  if (body.operand(first, 0) != ValueId(0) || body.operand(first, 1) != ValueId(1) ||
      body.operand(last, 0) != body.result(first))
    return false;
  Type scalar = m_.type(s.f->type(s.f->result(op)));
  if (scalar.kind != TypeKind::Tensor && scalar.kind != TypeKind::Quantized) return false;
  scalar.shape.clear();
  scalar.bounds.clear();
  for (ValueId v : body.values()) {
    if (!(m_.type(body.type(v)) == scalar)) return false;
  }
  return true;
}

bool Printer::pretty_reduce(const Scope& s, OpId op) {
  const auto operands = plain_operands(s, op);
  const std::size_t inputs = operands.size() / 2;
  if (operands.size() % 2 != 0 || inputs == 0) return false;
  const Function& body = m_.function(s.f->regions(op)[0]);
  if (body.parameter_count() != 2 * inputs + s.f->capture_count(op)) return false;
  out_ += "stablehlo.reduce(";
  for (std::size_t i = 0; i < inputs; ++i) {
    if (i != 0) out_ += ", (";
    value(s, operands[i]);
    out_ += " init: ";
    value(s, operands[inputs + i]);
    out_ += ')';
  }
  OpKind body_kind{};
  const bool compact = compact_body(s, op, body_kind);
  if (compact) {
    out_ += " applies ";
    out_ += op_name(body_kind);
  }
  out_ += " across dimensions = ";
  list(m_.ints(*s.f, op, "dimensions"));
  attribute_dictionary(s, op, false);
  functional_type(s, op);
  if (compact) return true;
  out_ += '\n';
  indent();
  out_ += " reducer";
  const Scope inner = open(body, &s, op);
  for (std::size_t i = 0; i < inputs; ++i) {
    out_ += i == 0 ? "(" : " (";
    for (std::size_t side = 0; side < 2; ++side) {
      if (side != 0) out_ += ", ";
      value(inner, ValueId(side * inputs + i));
      out_ += ": ";
      type(body.type(ValueId(side * inputs + i)));
    }
    out_ += ')';
  }
  out_ += ' ';
  print_region(s, op, s.f->regions(op)[0], false);
  return true;
}

bool Printer::pretty_while(const Scope& s, OpId op) {
  const auto operands = plain_operands(s, op);
  const auto regions = s.f->regions(op);
  const auto results = s.f->results(op);
  if (operands.empty() || results.size() != operands.size()) return false;
  for (FunctionId region : regions) {
    const Function& f = m_.function(region);
    if (f.parameter_count() != operands.size() + s.f->capture_count(op)) return false;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (f.type(ValueId(i)) != s.f->type(operands[i])) return false;
    }
  }
  const Scope inner = open(m_.function(regions[0]), &s, op);
  out_ += "stablehlo.while(";
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (s.f->type(operands[i]) != s.f->type(results[i])) return false;
    if (i != 0) out_ += ", ";
    value(inner, ValueId(i));
    out_ += " = ";
    value(s, operands[i]);
  }
  out_ += ") : ";
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (i != 0) out_ += ", ";
    type(s.f->type(operands[i]));
  }
  if (s.f->extra_attributes(op).valid()) {
    out_ += " attributes";
    attribute_dictionary(s, op, false);
  }
  out_ += '\n';
  indent();
  out_ += "cond ";
  print_region(s, op, regions[0], false);
  out_ += " do ";
  print_region(s, op, regions[1], false);
  return true;
}

bool Printer::pretty_sharding(const Scope& s, OpId op) {
  constexpr std::string_view kHead = "#sdy.sharding<";
  const std::string_view text = m_.text(*s.f, op, "sharding");
  if (s.f->results(op).size() != 1 || text.substr(0, kHead.size()) != kHead || !all_types_same(s, op)) return false;
  name_and_operands(s, op);
  out_ += ' ';
  out_ += text.substr(kHead.size() - 1);
  attribute_dictionary(s, op, false);
  out_ += " : ";
  type(s.f->type(s.f->result(op)));
  return true;
}

bool Printer::pretty_manual_computation(const Scope& s, OpId op) {
  constexpr std::string_view kList = "#sdy.sharding_per_value<", kAxes = "#sdy<manual_axes";
  out_ += "sdy.manual_computation(";
  values(s, plain_operands(s, op));
  out_ += ')';
  for (std::string_view name : {"in_shardings", "out_shardings", "manual_axes"}) {
    const std::string_view text = m_.text(*s.f, op, name);
    const std::string_view head = name == "manual_axes" ? kAxes : kList;
    if (text.size() <= head.size() || text.substr(0, head.size()) != head || text.back() != '>') return false;
    out_ += ' ';
    out_ += name;
    out_ += '=';
    out_ += text.substr(head.size(), text.size() - head.size() - 1);
  }
  const Function& body = m_.function(s.f->regions(op)[0]);
  if (body.parameter_count() < s.f->capture_count(op)) return false;
  const Scope inner = open(body, &s, op);
  out_ += " (";
  for (std::size_t i = 0; i < body.parameter_count() - s.f->capture_count(op); ++i) {
    if (i != 0) out_ += ", ";
    value(inner, ValueId(i));
    out_ += ": ";
    type(body.type(ValueId(i)));
  }
  out_ += ") ";
  print_region(s, op, s.f->regions(op)[0], false);
  attribute_dictionary(s, op, false);
  functional_type(s, op);
  return true;
}

}  // namespace openneuron::graph
