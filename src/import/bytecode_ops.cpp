// What the ops of the IR section become: functions, meshes and graph ops.
#include <algorithm>

#include "graph/op_info.h"
#include "import/bytecode_ir.h"

namespace openneuron::import::bytecode {
namespace {

bool is_zero(const graph::Attribute& a) {
  return std::all_of(a.integers.begin(), a.integers.end(), [](std::int64_t v) { return v == 0; });
}

// Properties of ops that are not VHLO's, in wire order.
std::span<const std::string_view> property_names(std::string_view op) {
  static constexpr std::string_view kMesh[] = {"mesh", "sym_name"};
  static constexpr std::string_view kSharding[] = {"sharding"};
  static constexpr std::string_view kManual[] = {"in_shardings", "manual_axes", "out_shardings"};
  if (op == "sdy.mesh") return kMesh;
  if (op == "sdy.sharding_constraint" || op == "sdy.reshard") return kSharding;
  if (op == "sdy.manual_computation") return kManual;
  return {};
}

}  // namespace

void IrReader::read_module(Cursor& cursor) {
  const Record op = read_record(cursor);
  if (!ok()) return;
  if (op_name(op) != "builtin.module") return fail(op, Code::BytecodeUnsupported, "the outermost op is no module");
  if (op.region_count != 1) return fail(op, Code::BytecodeMalformed, "a module has one region");
  graph::NamedAttributes attributes;
  if (op.properties != kNone) {
    const Range range = container_.properties[op.properties];
    Cursor properties(container_.file, range.begin, range.end, problem_);
    for (const bool is_name : {true, false}) {  // sym_name, sym_visibility: optional
      const std::uint64_t word = properties.varint();
      if (!ok() || (word & 1) == 0) continue;
      if ((word >> 1) >= container_.attributes.size()) return properties.malformed("a module's attribute does not exist");
      if (is_name) module_.name = decoder_.string(static_cast<std::uint32_t>(word >> 1));
    }
  }
  if (op.attributes != kNone) {
    for (const auto& [name, index] : decoder_.dictionary(op.attributes)) {
      if (name == "sym_name") {
        module_.name = decoder_.string(index);
      } else if (name != "sym_visibility") {
        attributes.emplace_back(name, decoder_.attribute(index));
      }
      if (!ok()) return;
    }
  }
  module_.attributes = dictionary_or_none(std::move(attributes));

  // The module's region: functions and meshes. It has no values of its own, but keeps a level for the structure.
  const bool boxed = op.isolated && container_.version >= 2;
  Range range{cursor.offset(), cursor.offset() + cursor.remaining()};
  if (boxed) {
    const Section section = read_section(cursor);
    if (ok() && section.id != 4) return cursor.malformed("a module's region is not in a section IR");
    range = section.range;
  }
  if (!ok()) return;
  Cursor inner(container_.file, range.begin, range.end, problem_);
  Cursor& at = boxed ? inner : cursor;
  const std::uint32_t count = open_region(at, op, true);
  for (std::uint32_t i = 0; i < count && ok(); ++i) {
    const Record member = read_record(at);
    if (!ok()) return;
    const std::string name = op_name(member);
    const VhloOp* row = name.rfind("vhlo.", 0) == 0 ? find_vhlo_op(std::string_view(name).substr(5)) : nullptr;
    if (row != nullptr && row->target == "func.func") {
      read_function(at, member, *row);
    } else if (name == "sdy.mesh") {
      read_mesh(member);
    } else {
      graph::OpKind kind{};
      if (kind_of(member, kind, row))
        fail(member, Code::BytecodeUnsupported, "this op stands outside of a function");
    }
    if (!ok() && problem_.op.empty()) problem_.op = name;
  }
  if (ok()) close_region(op);
  if (boxed && ok() && !inner.at_end()) inner.malformed("bytes are left over behind the module's region");
}

AttrId IrReader::dictionary_or_none(graph::NamedAttributes pairs) {
  return pairs.empty() || !ok() ? AttrId{} : module_.dictionary(std::move(pairs));
}

IrReader::RawAttributes IrReader::raw_attributes(const Record& op, const VhloOp* row) {
  RawAttributes result;
  if (op.properties != kNone) {
    const Range range = container_.properties[op.properties];
    Cursor cursor(container_.file, range.begin, range.end, problem_);
    auto next = [&] { return cursor.index(container_.attributes.size(), "attribute"); };
    if (!container_.ops[op.name].registered) {
      result = decoder_.dictionary(next());
    } else if (row != nullptr) {
      const VhloAttribute* attribute = vhlo_attributes(*row);
      for (int i = 0; i < row->attribute_count && ok(); ++i, ++attribute) result.emplace_back(attribute->name, next());
    } else if (const auto names = property_names(op_name(op)); !names.empty()) {
      for (const std::string_view name : names) {
        if (ok()) result.emplace_back(name, next());
      }
    } else {
      result = general_properties(op, cursor);
    }
    if (ok() && !cursor.at_end()) cursor.malformed("bytes are left over behind an op's properties");
  }
  if (op.attributes != kNone) {
    for (const auto& pair : decoder_.dictionary(op.attributes)) result.push_back(pair);
  }
  return result;
}

// Properties of an op whose dialect's writer MLIR generates: by name; those that may be absent carry a flag. An
// attribute that its dialect got later may be missing altogether, so that only the required ones are there.
IrReader::RawAttributes IrReader::general_properties(const Record& op, Cursor& cursor) {
  RawAttributes result;
  graph::OpKind kind{};
  if (!graph::op_from_name(op_name(op), kind)) return result;
  std::vector<graph::AttrInfo> infos = graph::op_info(kind).attributes;
  std::sort(infos.begin(), infos.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  const auto may_lack = [](const graph::AttrInfo& info) { return info.optional || info.has_default; };
  std::size_t words = 0;
  for (Cursor ahead = cursor; ok() && !ahead.at_end(); ++words) ahead.varint();
  if (words != infos.size()) infos.erase(std::remove_if(infos.begin(), infos.end(), may_lack), infos.end());
  if (words != infos.size()) {
    fail(op, Code::BytecodeUnsupported, "the properties of " + op_name(op) + " are not of a form that is read");
    return result;
  }
  for (const graph::AttrInfo& info : infos) {
    std::uint64_t word = cursor.varint();
    if (may_lack(info)) {
      if ((word & 1) == 0) continue;
      word >>= 1;
    }
    if (ok() && word >= container_.attributes.size()) cursor.malformed("an op's attribute does not exist");
    if (!ok()) return result;
    result.emplace_back(info.name, static_cast<std::uint32_t>(word));
  }
  return result;
}

std::vector<AttrId> IrReader::dictionaries(const Record& op, std::uint32_t array, std::size_t count) {
  const std::vector<std::uint32_t> items = decoder_.array(array);
  std::vector<AttrId> result(count);
  if (!ok() || items.empty()) return result;
  if (items.size() != count) {
    fail(op, Code::BytecodeMalformed, std::to_string(items.size()) + " attribute dictionaries for " +
                                          std::to_string(count) + " arguments or results");
    return result;
  }
  for (std::size_t i = 0; i < count && ok(); ++i) {
    const AttrId id = decoder_.attribute(items[i]);
    if (!ok()) return result;
    const graph::Attribute& a = module_.attribute(id);
    if (a.kind != graph::AttrKind::Dictionary) {
      fail(op, Code::BytecodeMalformed, "an argument's or result's attributes are no dictionary");
    } else if (!a.items.empty()) {
      result[i] = id;
    }
  }
  return result;
}

void IrReader::read_function(Cursor& cursor, const Record& op, const VhloOp& row) {
  if (op.region_count != 1) return fail(op, Code::BytecodeMalformed, "a function has one region");
  std::string name, visibility;
  std::uint32_t argument_attributes = kNone, result_attributes = kNone;
  TypeId type;
  graph::NamedAttributes extra;
  for (const auto& [key, index] : raw_attributes(op, &row)) {
    if (key == "sym_name") {
      name = decoder_.string(index);
    } else if (key == "sym_visibility") {
      visibility = decoder_.string(index);
    } else if (key == "function_type") {
      type = decoder_.function_type(index);
    } else if (key == "arg_attrs") {
      argument_attributes = index;
    } else if (key == "res_attrs") {
      result_attributes = index;
    } else {
      extra.emplace_back(key, decoder_.attribute(index));
    }
    if (!ok()) return;
  }
  if (name.empty() || !type.valid()) return fail(op, Code::BytecodeMalformed, "a function has no name or no type");
  if (!function_names_.insert(name).second) return fail(op, Code::BytecodeMalformed, "function @" + name + " is defined twice");
  std::vector<Region> regions;
  read_regions(cursor, op, regions);
  if (!ok()) return;
  if (!regions[0].captures.empty()) return fail(op, Code::BytecodeMalformed, "a function uses values from outside");
  graph::Function function = std::move(regions[0].function);
  function.is_region = false;
  function.name = name;
  function.is_public = visibility.empty() || visibility == "public";
  function.location = decoder_.location(op.location);
  function.attributes = dictionary_or_none(std::move(extra));

  const graph::Type& signature = module_.type(type);
  const std::size_t inputs = signature.input_count, outputs = signature.members.size() - inputs;
  bool agrees = inputs == function.parameter_count() && function.op_count() > 0;
  for (std::size_t i = 0; agrees && i < inputs; ++i) agrees = function.type(ValueId(i)) == signature.members[i];
  if (agrees) {
    const auto returned = function.operands(function.terminator());
    agrees = returned.size() == outputs;
    for (std::size_t i = 0; agrees && i < outputs; ++i)
      agrees = function.type(returned[i]) == signature.members[inputs + i];
  }
  if (!agrees) return fail(op, Code::BytecodeMalformed, "function @" + name + " disagrees with its type");
  if (argument_attributes != kNone)
    function.parameter_attributes = dictionaries(op, argument_attributes, inputs);
  function.result_attributes.resize(outputs);
  if (result_attributes != kNone) function.result_attributes = dictionaries(op, result_attributes, outputs);
  if (ok()) module_.add_function(std::move(function));
}

void IrReader::read_mesh(const Record& op) {
  std::string name, mesh;
  for (const auto& [key, index] : raw_attributes(op, nullptr)) {
    if (key == "sym_name") name = decoder_.string(index);
    if (key == "mesh") mesh = decoder_.mesh_text(index);
  }
  if (op.region_count != 0) return fail(op, Code::BytecodeMalformed, "a mesh has no regions");
  if (ok()) module_.extra_ops.push_back("sdy.mesh @" + name + " = " + mesh);
}

// The graph op that a record stands for; fails when there is none.
bool IrReader::kind_of(const Record& op, graph::OpKind& kind, const VhloOp*& row) {
  const OpName& name = container_.ops[op.name];
  const std::string_view dialect = container_.dialect(name);
  const std::string full = op_name(op);
  if (dialect == "vhlo") {
    row = find_vhlo_op(name.name);
    if (row != nullptr && graph::op_from_name(row->target, kind)) return true;
  } else if (full == "sdy.return") {
    kind = graph::OpKind::Return;
    return true;
  } else if (dialect == "sdy" || dialect == "chlo" || dialect == "builtin") {
    if (graph::op_from_name(full, kind)) return true;
  }
  fail(op, Code::BytecodeUnknownOp, "op " + full + " is not known; the file was made by " + std::string(container_.producer));
  return false;
}

// A cast between VHLO's and the builtin spelling of one type: the value goes on under its old name.
void IrReader::merge_cast(const Record& op) {
  if (op.operands.size() != op.result_types.size() || op.region_count != 0)
    return fail(op, Code::BytecodeUnsupported, "a cast does not turn each operand into one result");
  for (std::size_t i = 0; i < op.operands.size(); ++i) {
    const Value same = value(op, op.operands[i]);
    if (!ok()) return;
    if (same.type != op.result_types[i]) return fail(op, Code::BytecodeUnsupported, "a cast changes a value's type");
    define(same);
  }
}

graph::OpAttributes IrReader::attributes_of(const Record& op, graph::OpKind kind, const VhloOp* row,
                                            std::span<const TypeId> operand_types) {
  // Few distinct attributes serve many ops. Only select_and_scatter's defaults depend on an operand's type.
  const bool typed = kind == graph::OpKind::SelectAndScatter && !operand_types.empty();
  const AttributeKey key = {op.name, op.properties, op.attributes, typed ? operand_types[0].index : 0};
  if (const auto it = attribute_cache_.find(key); it != attribute_cache_.end()) return it->second;
  graph::NamedAttributes pairs;
  for (const auto& [name, index] : raw_attributes(op, row)) {
    AttributeKind how = name == "value" && kind == graph::OpKind::ChloConstant ? AttributeKind::Constant : AttributeKind::Any;
    if (row != nullptr) {
      const VhloAttribute* attribute = vhlo_attributes(*row);
      for (int i = 0; i < row->attribute_count; ++i) {
        if (attribute[i].name == name) how = attribute[i].kind;
      }
    }
    const AttrId id = decoder_.attribute(index, how);
    if (!ok()) return {};
    if (row != nullptr && row->name == "dynamic_conv_v1" && name == "padding") {
      // Version 2 has only the operand, which took the attribute's place already in version 1.
      if (!is_zero(module_.attribute(id)))
        fail(op, Code::BytecodeUnsupported, "dynamic_conv_v1 has a padding attribute beside its padding operand");
      continue;
    }
    if (id.valid()) pairs.emplace_back(name, id);
  }
  auto normal = graph::normalise(module_, kind, std::move(pairs), operand_types);
  if (!normal) {
    fail(op, normal.diagnostic().code, normal.diagnostic().message);
    return {};
  }
  if (ok()) attribute_cache_.emplace(key, *normal);
  return *normal;
}

void IrReader::build(Cursor& cursor, const Record& op, graph::OpKind kind, const VhloOp* row) {
  if (row != nullptr) {
    if (!arity_fits(row->operands, op.operands.size()) || !arity_fits(row->results, op.result_types.size()) ||
        !arity_fits(row->regions, op.region_count)) {
      return fail(op, Code::BytecodeMalformed, "the op has " + std::to_string(op.operands.size()) + " operands, " +
                                                   std::to_string(op.result_types.size()) + " results and " +
                                                   std::to_string(op.region_count) + " regions, which do not fit it");
    }
  }
  std::vector<Region> regions;
  if (op.region_count != 0) read_regions(cursor, op, regions);
  if (!ok()) return;

  std::vector<ValueId> operands;
  std::vector<TypeId> operand_types;
  for (const std::uint32_t id : op.operands) {
    const Value v = value(op, id);
    if (!ok()) return;
    operands.push_back(use(v));
    operand_types.push_back(v.type);
  }
  const graph::OpAttributes attributes = attributes_of(op, kind, row, operand_types);
  if (!ok()) return;

  // All regions of an op get the same captured values: those of the first region in order of use, then the others'.
  std::vector<TypeId> capture_types;
  std::unordered_map<std::uint64_t, std::uint32_t> slot_of;
  for (const Region& region : regions) {
    for (const Value& v : region.captures) {
      if (!slot_of.emplace(v.key(), static_cast<std::uint32_t>(capture_types.size())).second) continue;
      operands.push_back(use(v));
      capture_types.push_back(v.type);
    }
  }
  std::vector<FunctionId> region_ids;
  for (Region& region : regions) {
    std::vector<std::uint32_t> slots;
    for (const Value& v : region.captures) slots.push_back(slot_of[v.key()]);
    region.function.finish_captures(capture_types, slots);
    region_ids.push_back(module_.add_function(std::move(region.function)));
  }
  const LocationId location = decoder_.location(op.location);
  if (!ok()) return;
  graph::Function& function = levels_.back().function;
  const OpId built = function.add_op(kind, operands, op.result_types, attributes.inherent, location, region_ids,
                                     static_cast<std::uint32_t>(capture_types.size()), attributes.extra);
  const auto level = static_cast<std::uint32_t>(levels_.size() - 1);
  for (std::size_t i = 0; i < op.result_types.size(); ++i)
    define({level, function.result(built, i), op.result_types[i]});
}

}  // namespace openneuron::import::bytecode
