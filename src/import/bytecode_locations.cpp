// Locations, decoded without recursion: chains of call sites may be long.
#include <algorithm>

#include "import/bytecode_decoder.h"

namespace openneuron::import::bytecode {
namespace {

enum LocationCode : std::uint64_t { kCallSite = 10, kFileLineCol = 11, kFused = 12, kFusedWithMetadata = 13, kName = 14,
                                    kUnknown = 15, kFileLineColRange = 22 };

// Beyond this many parts, counted as often as they occur, a location is dropped: it could not be printed.
constexpr std::uint64_t kMaxParts = 1 << 20;

}  // namespace

LocationId Decoder::location(std::uint32_t index) {
  if (!ok()) return {};
  std::vector<std::uint32_t> pending;
  if (!locations_[index].done) pending.push_back(index);
  while (ok() && !pending.empty()) decode_location(pending.back(), pending);
  return ok() ? locations_[index].id : LocationId{};
}

// Decodes pending.back() and removes it, or puts those of its parts on top that must come first.
void Decoder::decode_location(std::uint32_t index, std::vector<std::uint32_t>& pending) {
  LocationSlot& slot = locations_[index];
  if (slot.done) {
    pending.pop_back();
    return;
  }
  const Entry& entry = container_.attributes[index];
  graph::Location location;
  std::vector<std::uint32_t> parts;
  if (dialect_of(entry) == Dialect::Builtin) {
    Cursor cursor = open(entry);
    const std::uint64_t code = cursor.varint();
    switch (code) {
      case kCallSite:
        location.kind = graph::LocationKind::CallSite;
        parts = {attribute_index(cursor), attribute_index(cursor)};
        break;
      case kFileLineCol:
        location.kind = graph::LocationKind::File;
        location.text = string(attribute_index(cursor));
        location.line = cursor.clamped32();
        location.column = cursor.clamped32();
        break;
      case kFileLineColRange: {
        location.kind = graph::LocationKind::File;
        location.text = string(attribute_index(cursor));
        const std::uint64_t n = cursor.varint();
        if (ok() && n > 4) cursor.malformed("a file range has " + std::to_string(n) + " numbers");
        std::uint32_t numbers[4] = {};
        for (std::uint64_t i = 0; i < n && ok(); ++i) numbers[i] = cursor.clamped32();
        location.line = numbers[0];
        location.column = numbers[1];
        location.end_line = n == 4 ? numbers[2] : n == 3 ? numbers[0] : 0;
        location.end_column = n == 4 ? numbers[3] : n == 3 ? numbers[2] : 0;
        break;
      }
      case kFused:
      case kFusedWithMetadata: {
        location.kind = graph::LocationKind::Fused;
        const std::uint32_t n = cursor.count(1, "locations");
        for (std::uint32_t i = 0; i < n && ok(); ++i) parts.push_back(attribute_index(cursor));
        if (code == kFusedWithMetadata) attribute_index(cursor);
        break;
      }
      case kName:
        location.kind = graph::LocationKind::Name;
        location.text = string(attribute_index(cursor));
        parts = {attribute_index(cursor)};
        break;
      case kUnknown: break;
      default: fail(entry, Code::BytecodeMalformed, "a location is expected"); return;
    }
    finish(cursor, entry, "a location");
  }  // other dialects' locations say nothing to us: unknown
  spend(entry, location.text.size());
  if (!ok()) return;

  std::uint64_t size = 1;
  std::uint32_t depth = 1;
  bool complete = true;
  for (const std::uint32_t part : parts) {
    const LocationSlot& child = locations_[part];
    if (child.done) {
      // Whoever walks a location may recur: parts that nest too deeply are cut off.
      const bool fits = child.depth < kMaxDepth;
      size += fits ? child.size : 1;
      if (fits) depth = std::max(depth, child.depth + 1);
      location.children.push_back(fits ? child.id : LocationId{});
      continue;
    }
    if (child.busy || part == index) {
      fail(entry, Code::BytecodeMalformed, "a location contains itself");
      return;
    }
    pending.push_back(part);
    complete = false;
  }
  slot.busy = !complete;
  if (!complete) return;
  if (location.kind == graph::LocationKind::Name && !location.children[0].valid()) location.children.clear();
  if (size <= kMaxParts) {
    slot.id = module_.intern(std::move(location));
    slot.size = size;
    slot.depth = depth;
  }
  slot.done = true;
  pending.pop_back();
}

}  // namespace openneuron::import::bytecode
