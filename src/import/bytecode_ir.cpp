#include "import/bytecode_ir.h"

#include <algorithm>

namespace openneuron::import::bytecode {
namespace {

enum MaskBit : std::uint8_t { kAttributes = 1, kResults = 2, kOperands = 4, kSuccessors = 8, kRegions = 16,
                              kUseListOrders = 32, kProperties = 64 };
constexpr std::uint8_t kIrSection = 4;

}  // namespace

std::string IrReader::op_name(const Record& op) const {
  const OpName& name = container_.ops[op.name];
  return std::string(container_.dialect(name)) + "." + std::string(name.name);
}

void IrReader::fail(const Record& op, Code code, std::string message) {
  Cursor(container_.file, op.offset, op.offset, problem_).fail(code, std::move(message));
  if (problem_.op.empty()) problem_.op = op_name(op);
}

void IrReader::run() {
  Cursor cursor(container_.file, container_.ir.begin, container_.ir.end, problem_);
  if (cursor.varint() != 2 && ok()) cursor.malformed("the IR section does not hold exactly one op");
  if (ok()) read_module(cursor);
  if (ok() && !cursor.at_end()) cursor.malformed("bytes are left over behind the module");
}

IrReader::Record IrReader::read_record(Cursor& cursor) {
  Record op;
  op.offset = cursor.offset();
  op.name = cursor.index(container_.ops.size(), "op name");
  const std::uint8_t mask = cursor.byte();
  op.location = cursor.index(container_.attributes.size(), "attribute");
  if ((mask & kAttributes) != 0) op.attributes = cursor.index(container_.attributes.size(), "attribute");
  if ((mask & kProperties) != 0) op.properties = cursor.index(container_.properties.size(), "property blob");
  if ((mask & kResults) != 0) {
    const std::uint32_t n = cursor.count(1, "results");
    for (std::uint32_t i = 0; i < n && ok(); ++i)
      op.result_types.push_back(decoder_.type(cursor.index(container_.types.size(), "type")));
  }
  if ((mask & kOperands) != 0) {
    const std::uint32_t n = cursor.count(1, "operands");
    for (std::uint32_t i = 0; i < n && ok(); ++i) op.operands.push_back(cursor.index(kNone, "value"));
  }
  if ((mask & kSuccessors) != 0 && cursor.varint() != 0)
    fail(op, Code::BytecodeUnsupported, "an op has successor blocks");
  if ((mask & kUseListOrders) != 0) skip_use_list_orders(cursor, op.result_types.size());
  if ((mask & kRegions) != 0) {
    const std::uint64_t n = cursor.varint();
    op.isolated = (n & 1) != 0;
    if (ok() && (n >> 1) > cursor.remaining()) {
      cursor.fail(Code::BytecodeTruncated, std::to_string(n >> 1) + " regions do not fit into what is left");
    }
    op.region_count = ok() ? static_cast<std::uint32_t>(n >> 1) : 0;
  }
  if (ok() && (mask & 0x80) != 0) fail(op, Code::BytecodeMalformed, "an op's mask has an unknown bit");
  return op;
}

// The order of uses is a matter of in-memory lists; it has no meaning.
void IrReader::skip_use_list_orders(Cursor& cursor, std::size_t values) {
  const std::uint64_t n = values == 1 ? 1 : cursor.count(2, "use-list orders");
  for (std::uint64_t i = 0; i < n && ok(); ++i) {
    if (values != 1) cursor.varint();
    const std::uint64_t indices = cursor.varint() >> 1;
    for (std::uint64_t k = 0; k < indices && ok(); ++k) cursor.varint();
  }
}

IrReader::Value IrReader::value(const Record& op, std::uint64_t id) {
  const auto first = levels_.begin() + static_cast<std::ptrdiff_t>(levels_.back().scope_begin);
  auto it = std::upper_bound(first, levels_.end(), id, [](std::uint64_t v, const Level& level) { return v < level.base; });
  // Levels without values share their base with the next one: the last that begins at or before `id` holds it.
  if (it != first) {
    --it;
    const std::uint64_t k = id - it->base;
    if (k < it->values.size()) return it->values[static_cast<std::size_t>(k)];
  }
  fail(op, Code::BytecodeMalformed, "value " + std::to_string(id) + " is used before it is defined");
  return {};
}

ValueId IrReader::use(const Value& value) {
  if (value.level + 1 == levels_.size()) return value.id;
  Level& level = levels_.back();
  const auto [it, added] = level.capture_slot.emplace(value.key(), static_cast<std::uint32_t>(level.captures.size()));
  if (added) level.captures.push_back(value);
  return graph::Function::provisional_capture(it->second);
}

std::uint32_t IrReader::open_region(Cursor& cursor, const Record& owner, bool restart) {
  const std::uint64_t blocks = cursor.varint();
  if (ok() && blocks != 1)
    fail(owner, Code::BytecodeUnsupported, "a region has " + std::to_string(blocks) + " blocks; one is expected");
  Level level;
  level.claimed = cursor.varint();
  if (ok() && level.claimed > cursor.remaining())
    cursor.fail(Code::BytecodeTruncated, std::to_string(level.claimed) + " values do not fit into what is left");
  level.scope_begin = restart || levels_.empty() ? levels_.size() : levels_.back().scope_begin;
  level.base = level.scope_begin == levels_.size() ? 0 : levels_.back().base + levels_.back().claimed;
  level.function.is_region = true;
  const auto index = static_cast<std::uint32_t>(levels_.size());
  const std::uint64_t header = cursor.varint();
  if (ok() && (header >> 1) > cursor.remaining() / 3)
    cursor.fail(Code::BytecodeTruncated, std::to_string(header >> 1) + " ops do not fit into what is left");
  if (!ok()) return 0;
  levels_.push_back(std::move(level));
  if ((header & 1) != 0) {
    const std::uint32_t n = cursor.count(1, "block arguments");
    for (std::uint32_t i = 0; i < n && ok(); ++i) {
      std::uint32_t type_index = 0;
      bool has_location = true;
      if (container_.version < 4) {
        type_index = cursor.index(container_.types.size(), "type");
      } else {
        const std::uint64_t word = cursor.varint();
        has_location = (word & 1) != 0;
        if (ok() && (word >> 1) >= container_.types.size()) cursor.malformed("a block argument's type does not exist");
        type_index = ok() ? static_cast<std::uint32_t>(word >> 1) : 0;
      }
      if (has_location) cursor.index(container_.attributes.size(), "attribute");
      if (!ok()) return 0;
      const TypeId type = decoder_.type(type_index);
      if (!ok()) return 0;
      define({index, levels_.back().function.add_parameter(type), type});
    }
    if (container_.version >= 3 && cursor.byte() != 0) skip_use_list_orders(cursor, n);
  }
  return ok() ? static_cast<std::uint32_t>(header >> 1) : 0;
}

void IrReader::read_ops(Cursor& cursor, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count && ok(); ++i) read_op(cursor);
}

IrReader::Region IrReader::close_region(const Record& owner) {
  Level& level = levels_.back();
  if (level.values.size() != level.claimed)
    fail(owner, Code::BytecodeMalformed, "a region announces " + std::to_string(level.claimed) + " values and has " +
                                             std::to_string(level.values.size()));
  Region region{std::move(level.function), std::move(level.captures)};
  levels_.pop_back();
  return region;
}

void IrReader::read_regions(Cursor& cursor, const Record& op, std::vector<Region>& regions) {
  if (levels_.size() >= static_cast<std::size_t>(kMaxDepth)) {
    fail(op, Code::BytecodeLimit, "regions nest deeper than " + std::to_string(kMaxDepth));
    return;
  }
  // From version 2 on, isolated regions stand in a section of their own, which a reader may skip.
  const bool boxed = op.isolated && container_.version >= 2;
  Range range{cursor.offset(), cursor.offset() + cursor.remaining()};
  if (boxed) {
    const Section section = read_section(cursor);
    if (ok() && section.id != kIrSection) cursor.malformed("regions are not in a section IR");
    range = section.range;
  }
  if (!ok()) return;
  Cursor inner(container_.file, range.begin, range.end, problem_);
  Cursor& at = boxed ? inner : cursor;
  for (std::uint32_t i = 0; i < op.region_count && ok(); ++i) {
    const std::uint32_t ops = open_region(at, op, op.isolated);
    if (!ok()) return;
    read_ops(at, ops);
    if (!ok()) return;
    regions.push_back(close_region(op));
  }
  if (boxed && ok() && !inner.at_end()) inner.malformed("bytes are left over behind the regions");
}

void IrReader::read_op(Cursor& cursor) {
  const Record op = read_record(cursor);
  if (!ok()) return;
  graph::OpKind kind{};
  const VhloOp* row = nullptr;
  if (kind_of(op, kind, row)) {
    if (kind == graph::OpKind::UnrealizedConversionCast) {
      merge_cast(op);
    } else {
      build(cursor, op, kind, row);
    }
  }
  if (!ok() && problem_.op.empty()) problem_.op = op_name(op);
}

}  // namespace openneuron::import::bytecode
