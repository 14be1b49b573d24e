// Pretty forms, as StableHLO prints them. Each checks that the op has the shape its form can say; else the op prints
// generic, which can say everything.
#include "graph/printer.h"

namespace openneuron::graph {

void Printer::name_and_operands(const Scope& s, OpId op) {
  out_ += op_name(s.f->kind(op));
  const auto operands = plain_operands(s, op);
  if (!operands.empty()) out_ += ' ';
  values(s, operands);
}

void Printer::functional_type(const Scope& s, OpId op) {
  out_ += " : (";
  const auto operands = plain_operands(s, op);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (i != 0) out_ += ", ";
    type(s.f->type(operands[i]));
  }
  out_ += ") -> ";
  const auto results = s.f->results(op);
  if (results.size() != 1) out_ += '(';
  for (std::uint32_t i = 0; i < results.size(); ++i) {
    if (i != 0) out_ += ", ";
    type(s.f->type(results[i]));
  }
  if (results.size() != 1) out_ += ')';
}

bool Printer::all_types_same(const Scope& s, OpId op) const {
  const auto results = s.f->results(op);
  if (results.size() != 1) return false;
  for (ValueId v : plain_operands(s, op)) {
    if (s.f->type(v) != s.f->type(results[0])) return false;
  }
  return true;
}

void Printer::list(std::span<const std::int64_t> values) {
  out_ += '[';
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i != 0) out_ += ", ";
    integer(values[i]);
  }
  out_ += ']';
}

void Printer::clause(std::string_view name, std::span<const std::int64_t> values) {
  out_ += ", ";
  out_ += name;
  out_ += " = ";
  list(values);
}

bool Printer::print_pretty(const Scope& s, OpId op) {
  const OpInfo& info = op_info(s.f->kind(op));
  if (info.form == OpForm::Generic || !info.operands.admits(plain_operands(s, op).size())) return false;
  if (!info.regions.admits(s.f->regions(op).size())) return false;
  switch (info.form) {
    case OpForm::Elementwise:
    case OpForm::Functional:
    case OpForm::Complex:
    case OpForm::Variadic:
    case OpForm::AfterAll:
    case OpForm::Select:
    case OpForm::Tuple: return pretty_types_same(s, op);
    case OpForm::Compare: return pretty_compare(s, op);
    case OpForm::Slice: return pretty_slice(s, op);
    case OpForm::Dot:
    case OpForm::DotGeneral: return pretty_dot(s, op);
    case OpForm::Convolution: return pretty_convolution(s, op);
    case OpForm::Reduce: return pretty_reduce(s, op);
    case OpForm::While: return pretty_while(s, op);
    case OpForm::Return: return pretty_return(s, op);
    case OpForm::Call:
    case OpForm::CustomCall: return pretty_custom_call(s, op);
    case OpForm::Composite: return pretty_composite(s, op);
    case OpForm::ShardingConstraint: return pretty_sharding(s, op);
    case OpForm::ManualComputation: return pretty_manual_computation(s, op);
    case OpForm::Generic: return false;
    default: return pretty_clauses(s, op);
  }
}

// `op %0, %1 : T`, or with all types.
bool Printer::pretty_types_same(const Scope& s, OpId op) {
  const OpKind kind = s.f->kind(op);
  const OpInfo& info = op_info(kind);
  const auto operands = plain_operands(s, op);
  const auto results = s.f->results(op);
  const auto type_of = [&](ValueId v) { return s.f->type(v); };
  if (info.form == OpForm::Variadic) {
    if (operands.empty() || operands.size() != results.size()) return false;
    for (std::uint32_t i = 0; i < results.size(); ++i) {
      if (type_of(operands[i]) != type_of(results[i])) return false;
    }
    out_ += op_name(kind);
    attribute_dictionary(s, op, true);  // StableHLO puts it before the operands here
    out_ += ' ';
    values(s, operands);
    out_ += " : ";
    for (std::uint32_t i = 0; i < results.size(); ++i) {
      if (i != 0) out_ += ", ";
      type(type_of(results[i]));
    }
    return true;
  }
  if (results.size() != 1) return false;
  name_and_operands(s, op);
  attribute_dictionary(s, op, true);
  if (info.form == OpForm::Select) {
    if (type_of(operands[1]) != type_of(operands[2]) || type_of(operands[1]) != type_of(results[0])) return false;
    out_ += " : ";
    type(type_of(operands[0]));
    out_ += ", ";
    type(type_of(results[0]));
    return true;
  }
  if (info.form == OpForm::Complex) {
    const Type& t = m_.type(type_of(results[0]));
    if (!is_complex(t.element)) return false;
    if (type_of(operands[0]) == type_of(results[0])) return false;
    out_ += " : ";
    type(type_of(results[0]));
    return true;
  }
  if (info.form == OpForm::Tuple) {
    out_ += " : ";
    type(type_of(results[0]));
    return true;
  }
  if (op_name(kind).substr(0, 5) == "chlo.") {
    out_ += " : ";
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (i != 0) out_ += ", ";
      type(type_of(operands[i]));
    }
    out_ += " -> ";
    type(type_of(results[0]));
    return true;
  }
  const bool functional = info.form == OpForm::Functional || kind == OpKind::Reshape || !all_types_same(s, op);
  if (info.form == OpForm::AfterAll && functional) return false;
  if (functional && operands.empty() && info.form == OpForm::Functional) return false;
  if (functional) {
    functional_type(s, op);
  } else {
    out_ += " : ";
    type(type_of(results[0]));
  }
  return true;
}

bool Printer::pretty_compare(const Scope& s, OpId op) {
  if (s.f->results(op).size() != 1) return false;
  out_ += "stablehlo.compare ";
  out_ += m_.text(*s.f, op, "comparison_direction");
  out_ += ", ";
  values(s, plain_operands(s, op));
  const std::string_view compare_type = m_.text(*s.f, op, "compare_type");
  if (compare_type != "NOTYPE" && !compare_type.empty()) {
    out_ += ", ";
    out_ += compare_type;
  }
  attribute_dictionary(s, op, false);
  functional_type(s, op);
  return true;
}

bool Printer::pretty_slice(const Scope& s, OpId op) {
  const auto starts = m_.ints(*s.f, op, "start_indices"), limits = m_.ints(*s.f, op, "limit_indices"),
             strides = m_.ints(*s.f, op, "strides");
  if (starts.size() != limits.size() || starts.size() != strides.size()) return false;
  name_and_operands(s, op);
  out_ += " [";
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (i != 0) out_ += ", ";
    integer(starts[i]);
    out_ += ':';
    integer(limits[i]);
    if (strides[i] != 1) {
      out_ += ':';
      integer(strides[i]);
    }
  }
  out_ += ']';
  attribute_dictionary(s, op, false);
  functional_type(s, op);
  return true;
}

// Operands, then `key = value` clauses.
bool Printer::pretty_clauses(const Scope& s, OpId op) {
  const OpKind kind = s.f->kind(op);
  const auto ints = [&](std::string_view name) { return m_.ints(*s.f, op, name); };
  const auto number = [&](std::string_view key, std::string_view name) {
    out_ += plain_operands(s, op).empty() ? " " : ", ";
    out_ += key;
    out_ += " = ";
    integer(m_.integer(*s.f, op, name, 0));
  };
  const auto keyword = [&](std::string_view key, std::string_view name) {
    out_ += ", ";
    out_ += key;
    out_ += " = ";
    out_ += m_.text(*s.f, op, name);
  };
  bool one_type = false;  // the text has one type for operand and result
  if (kind == OpKind::Constant || kind == OpKind::ChloConstant) {
    const AttrId attribute_id = m_.attr(*s.f, op, "value");
    if (s.f->results(op).size() != 1 || !attribute_id.valid() || m_.attribute(attribute_id).kind != AttrKind::Constant)
      return false;
    if (m_.constant(m_.attribute(attribute_id).constant).type != s.f->type(s.f->result(op))) return false;
    out_ += op_name(kind);
    attribute_dictionary(s, op, false);
    out_ += ' ';
    attribute(attribute_id);
    return true;
  }
  if (kind == OpKind::ChloTopK) {
    out_ += "chlo.top_k(";
    values(s, plain_operands(s, op));
    out_ += ", k = ";
    integer(m_.integer(*s.f, op, "k", 0));
    if (m_.integer(*s.f, op, "is_stable", 1) == 0) out_ += ", is_stable = false";
    out_ += ')';
    attribute_dictionary(s, op, false);
    out_ += " : ";
    type(s.f->type(s.f->operand(op, 0)));
    out_ += " -> (";
    for (std::uint32_t i = 0; i < s.f->results(op).size(); ++i) {
      if (i != 0) out_ += ", ";
      type(s.f->type(s.f->results(op)[i]));
    }
    out_ += ')';
    return true;
  }
  name_and_operands(s, op);
  switch (kind) {
    case OpKind::Iota:
      number("dim", "iota_dimension");
      one_type = true;
      break;
    case OpKind::DynamicIota: number("dim", "iota_dimension"); break;
    case OpKind::BroadcastInDim: clause("dims", ints("broadcast_dimensions")); break;
    case OpKind::DynamicBroadcastInDim: {
      clause("dims", ints("broadcast_dimensions"));
      const char* separator = " {";
      for (const char* name : {"known_expanding_dimensions", "known_nonexpanding_dimensions"}) {
        if (ints(name).empty()) continue;
        if (s.f->extra_attributes(op).valid()) return false;
        out_ += separator;
        out_ += name;
        out_ += " = ";
        attribute(m_.attr(*s.f, op, name));
        separator = ", ";
      }
      if (*separator == ',') out_ += '}';
      break;
    }
    case OpKind::Transpose: clause("dims", ints("permutation")); break;
    case OpKind::Reverse:
      clause("dims", ints("dimensions"));
      one_type = true;
      break;
    case OpKind::Broadcast: clause("sizes", ints("broadcast_sizes")); break;
    case OpKind::Concatenate: number("dim", "dimension"); break;
    case OpKind::Pad:
      clause("low", ints("edge_padding_low"));
      clause("high", ints("edge_padding_high"));
      clause("interior", ints("interior_padding"));
      break;
    case OpKind::DynamicSlice: clause("sizes", ints("slice_sizes")); break;
    case OpKind::Einsum:
    case OpKind::UnaryEinsum:
      out_ += ", config = ";
      quoted(m_.text(*s.f, op, "einsum_config"));
      break;
    case OpKind::GetDimensionSize:
    case OpKind::SetDimensionSize: number("dim", "dimension"); break;
    case OpKind::ReducePrecision: {
      const std::int64_t exponent = m_.integer(*s.f, op, "exponent_bits", 0),
                         mantissa = m_.integer(*s.f, op, "mantissa_bits", 0);
      if (exponent < 0 || mantissa < 0) return false;
      out_ += ", format = e";
      integer(exponent);
      out_ += 'm';
      integer(mantissa);
      one_type = true;
      break;
    }
    case OpKind::Fft:
      keyword("type", "fft_type");
      clause("length", ints("fft_length"));
      break;
    case OpKind::Cholesky:
      out_ += m_.integer(*s.f, op, "lower", 0) != 0 ? ", lower = true" : ", lower = false";
      one_type = true;
      break;
    case OpKind::Rng: keyword("distribution", "rng_distribution"); break;
    case OpKind::RngBitGenerator: keyword("algorithm", "rng_algorithm"); break;
    case OpKind::GetTupleElement:
      out_ += '[';
      integer(m_.integer(*s.f, op, "index", 0));
      out_ += ']';
      break;
    case OpKind::UnrealizedConversionCast:
      out_ += " : ";
      for (std::size_t i = 0; i < plain_operands(s, op).size(); ++i) {
        if (i != 0) out_ += ", ";
        type(s.f->type(plain_operands(s, op)[i]));
      }
      out_ += " to ";
      for (std::uint32_t i = 0; i < s.f->results(op).size(); ++i) {
        if (i != 0) out_ += ", ";
        type(s.f->type(s.f->results(op)[i]));
      }
      attribute_dictionary(s, op, false);
      return s.f->results(op).size() != 0;
    default: return false;
  }
  attribute_dictionary(s, op, false);
  if (one_type && all_types_same(s, op)) {
    out_ += " : ";
    type(s.f->type(s.f->result(op)));
  } else {
    functional_type(s, op);
  }
  return true;
}

bool Printer::pretty_return(const Scope& s, OpId op) {
  if (s.f->results(op).size() != 0) return false;
  out_ += return_name_;
  attribute_dictionary(s, op, false);
  const auto operands = plain_operands(s, op);
  if (operands.empty()) return true;
  out_ += ' ';
  values(s, operands);
  out_ += " : ";
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (i != 0) out_ += ", ";
    type(s.f->type(operands[i]));
  }
  return true;
}

bool Printer::pretty_composite(const Scope& s, OpId op) {
  if (!s.f->regions(op).empty()) return false;
  out_ += "stablehlo.composite ";
  quoted(m_.text(*s.f, op, "name"));
  if (!plain_operands(s, op).empty()) out_ += ' ';
  values(s, plain_operands(s, op));
  attribute_dictionary(s, op, true);
  functional_type(s, op);
  return true;
}

// call @f(...) and custom_call @target(...)
bool Printer::pretty_custom_call(const Scope& s, OpId op) {
  if (!s.f->regions(op).empty()) return false;
  const bool call = s.f->kind(op) == OpKind::Call;
  // Inside a region of a stablehlo op the dialect must be named.
  out_ += !call ? "stablehlo.custom_call " : s.f->is_region ? "func.call " : "call ";
  symbol(m_.text(*s.f, op, call ? "callee" : "call_target_name"));
  out_ += '(';
  values(s, plain_operands(s, op));
  out_ += ')';
  attribute_dictionary(s, op, !call);
  functional_type(s, op);
  return true;
}

}  // namespace openneuron::graph
