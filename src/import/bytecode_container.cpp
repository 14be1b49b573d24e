#include "import/bytecode_container.h"

#include <array>
#include <optional>

namespace openneuron::import::bytecode {
namespace {

enum SectionId : std::uint8_t { kString, kDialect, kAttrType, kAttrTypeOffset, kIr, kResource, kResourceOffset,
                                kDialectVersions, kProperties, kSectionCount };

constexpr std::array<const char*, kSectionCount> kSectionNames = {
    "String", "Dialect", "AttrType", "AttrTypeOffset", "IR", "Resource", "ResourceOffset", "DialectVersions", "Properties"};

using Sections = std::array<std::optional<Range>, kSectionCount>;

class Reader {
 public:
  Reader(Bytes file, Container& out, Problem& problem) : file_(file), out_(out), problem_(problem) {}

  void run() {
    out_.file = file_;
    Cursor cursor(file_, 0, file_.size(), problem_);
    constexpr std::array<std::uint8_t, 4> kMagic = {0x4D, 0x4C, 0xEF, 0x52};
    for (const std::uint8_t expected : kMagic) {
      if (cursor.byte() != expected && cursor.ok()) return cursor.malformed("the file does not begin with 4D 4C EF 52");
    }
    out_.version = cursor.varint();
    out_.producer = cursor.c_string("the producer's name");
    if (!cursor.ok()) return;
    if (out_.version > kNewestVersion) {
      return cursor.fail(Code::BytecodeTooNew, "MLIR bytecode version " + std::to_string(out_.version) +
                                                   " (producer " + std::string(out_.producer) + ") is newer than " +
                                                   std::to_string(kNewestVersion) + ", the newest that is understood");
    }
    Sections sections;
    while (cursor.ok() && !cursor.at_end()) {
      const std::size_t start = cursor.offset();
      const Section section = read_section(cursor);
      if (!cursor.ok()) return;
      Cursor here(file_, start, start, problem_);
      if (section.id >= kSectionCount || section.id == kDialectVersions)
        return here.malformed("section " + std::to_string(section.id) + " is not known");
      if (sections[section.id])
        return here.malformed(std::string("section ") + kSectionNames[section.id] + " comes twice");
      sections[section.id] = section.range;
    }
    for (const SectionId id : {kString, kDialect, kAttrType, kAttrTypeOffset, kIr}) {
      if (!sections[id])
        return cursor.fail(Code::BytecodeTruncated, std::string("section ") + kSectionNames[id] + " is missing");
    }
    if (sections[kResource].has_value() != sections[kResourceOffset].has_value())
      return cursor.malformed("sections Resource and ResourceOffset come only together");
    out_.ir = *sections[kIr];
    read_strings(*sections[kString]);
    read_dialects(*sections[kDialect]);
    read_offsets(*sections[kAttrTypeOffset], *sections[kAttrType]);
    if (sections[kProperties]) read_properties(*sections[kProperties]);
    if (sections[kResource]) read_resources(*sections[kResourceOffset], *sections[kResource]);
  }

 private:
  Cursor in(Range range) { return Cursor(file_, range.begin, range.end, problem_); }

  /// A section must be used up: left-over bytes mean that the reader and the writer disagree.
  static void finish(Cursor& cursor, SectionId id) {
    if (cursor.ok() && !cursor.at_end())
      cursor.malformed(std::to_string(cursor.remaining()) + " bytes are left over in section " + kSectionNames[id]);
  }

  void read_strings(Range range) {
    Cursor cursor = in(range);
    const std::uint32_t n = cursor.count(2, "strings");
    std::vector<std::size_t> sizes(n);
    for (std::size_t i = n; i-- > 0 && cursor.ok();) {  // lengths are stored last string first
      const std::uint64_t size = cursor.varint();
      if (cursor.ok() && (size == 0 || size > cursor.remaining()))
        return cursor.fail(Code::BytecodeTruncated, "a string of " + std::to_string(size) + " bytes does not fit");
      sizes[i] = static_cast<std::size_t>(size);
    }
    out_.strings.reserve(n);
    for (std::size_t i = 0; i < n && cursor.ok(); ++i) {
      const Bytes bytes = cursor.take(sizes[i], "a string");
      if (!cursor.ok()) return;
      if (bytes.back() != std::byte{0}) return cursor.malformed("a string does not end with NUL");
      out_.strings.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size() - 1);
    }
    finish(cursor, kString);
  }

  void read_dialects(Range range) {
    Cursor cursor = in(range);
    const std::uint32_t n = cursor.count(1, "dialects");
    for (std::uint32_t i = 0; i < n && cursor.ok(); ++i) {
      if (out_.version == 0) {
        out_.dialects.push_back(out_.string(cursor));
        continue;
      }
      const std::uint64_t name = cursor.varint();
      if (!cursor.ok()) return;
      if ((name >> 1) >= out_.strings.size())
        return cursor.malformed("string " + std::to_string(name >> 1) + " does not exist");
      out_.dialects.push_back(out_.strings[static_cast<std::size_t>(name >> 1)]);
      if ((name & 1) != 0 && read_section(cursor).id != kDialectVersions)
        return cursor.malformed("a dialect's version is not in a section DialectVersions");
    }
    if (out_.version >= 4) cursor.varint();  // the total number of op names: a hint for the reader's allocation
    while (cursor.ok() && !cursor.at_end()) {
      const std::uint32_t dialect = cursor.index(out_.dialects.size(), "dialect");
      const std::uint32_t names = cursor.count(1, "op names");
      for (std::uint32_t i = 0; i < names && cursor.ok(); ++i) {
        OpName op;
        op.dialect = dialect;
        if (out_.version >= 5) {
          const std::uint64_t name = cursor.varint();
          if (!cursor.ok()) return;
          if ((name >> 1) >= out_.strings.size())
            return cursor.malformed("string " + std::to_string(name >> 1) + " does not exist");
          op.name = out_.strings[static_cast<std::size_t>(name >> 1)];
          op.registered = (name & 1) != 0;
        } else {
          op.name = out_.string(cursor);
        }
        out_.ops.push_back(op);
      }
    }
  }

  void read_offsets(Range offsets, Range data) {
    Cursor cursor = in(offsets);
    const std::uint32_t attributes = cursor.count(1, "attributes");
    const std::uint32_t types = cursor.count(1, "types");
    std::size_t at = data.begin;
    auto read = [&](std::vector<Entry>& entries, std::uint32_t wanted, const char* what) {
      entries.reserve(wanted);
      while (cursor.ok() && entries.size() < wanted) {
        const std::uint32_t dialect = cursor.index(out_.dialects.size(), "dialect");
        const std::uint32_t n = cursor.count(1, what);
        if (n > wanted - entries.size()) return cursor.malformed(std::string("there are more ") + what + " than announced");
        for (std::uint32_t i = 0; i < n && cursor.ok(); ++i) {
          const std::uint64_t size = cursor.varint();
          if (!cursor.ok()) return;
          if ((size >> 1) > data.end - at)
            return cursor.fail(Code::BytecodeTruncated, "section AttrType is shorter than its offsets say");
          Entry entry;
          entry.dialect = dialect;
          entry.custom = (size & 1) != 0;
          entry.range = {at, at + static_cast<std::size_t>(size >> 1)};
          at = entry.range.end;
          entries.push_back(entry);
        }
        if (n == 0 && cursor.at_end()) return cursor.fail(Code::BytecodeTruncated, std::string(what) + " are missing");
      }
    };
    read(out_.attributes, attributes, "attributes");
    read(out_.types, types, "types");
    finish(cursor, kAttrTypeOffset);
    if (cursor.ok() && at != data.end) {
      Cursor rest = in({at, data.end});
      finish(rest, kAttrType);
    }
  }

  void read_properties(Range range) {
    Cursor cursor = in(range);
    const std::uint32_t n = cursor.count(1, "property blobs");
    out_.properties.reserve(n);
    for (std::uint32_t i = 0; i < n && cursor.ok(); ++i) {
      const std::uint64_t size = cursor.varint();
      const std::size_t begin = cursor.offset();
      cursor.take(size, "a property blob");
      out_.properties.push_back({begin, cursor.offset()});
    }
    finish(cursor, kProperties);
  }

  void read_resources(Range offsets, Range data) {
    Cursor cursor = in(offsets);
    const std::uint64_t externals = cursor.varint();
    std::size_t at = data.begin;
    for (std::uint64_t group = 0; cursor.ok() && (group < externals || !cursor.at_end()); ++group) {
      const bool external = group < externals;
      if (external) {
        out_.string(cursor);
      } else {
        cursor.index(out_.dialects.size(), "dialect");
      }
      const std::uint32_t n = cursor.count(3, "resources");
      for (std::uint32_t i = 0; i < n && cursor.ok(); ++i) {
        Resource resource;
        resource.key = out_.string(cursor);
        const std::uint64_t size = cursor.varint();
        const std::uint8_t kind = cursor.byte();
        if (!cursor.ok()) return;
        if (kind > 2) return cursor.malformed("resource kind " + std::to_string(kind) + " is not known");
        if (size > data.end - at)
          return cursor.fail(Code::BytecodeTruncated, "section Resource is shorter than its offsets say");
        resource.kind = static_cast<Resource::Kind>(kind);
        resource.range = {at, at + static_cast<std::size_t>(size)};
        at = resource.range.end;
        if (!external) out_.resources.push_back(resource);
      }
    }
    if (cursor.ok() && at != data.end) {
      Cursor rest = in({at, data.end});
      finish(rest, kResource);
    }
  }

  Bytes file_;
  Container& out_;
  Problem& problem_;
};

}  // namespace

std::string_view Container::string(Cursor& cursor) const {
  const std::uint32_t i = cursor.index(strings.size(), "string");
  return cursor.ok() ? strings[i] : std::string_view();
}

Section read_section(Cursor& cursor) {
  Section section;
  const std::uint8_t head = cursor.byte();
  section.id = head & 0x7F;
  const std::uint64_t size = cursor.varint();
  if ((head & 0x80) != 0) cursor.align(cursor.varint());
  section.range.begin = cursor.offset();
  cursor.take(size, "a section");
  section.range.end = cursor.offset();
  return section;
}

void read_container(Bytes file, Container& container, Problem& problem) { Reader(file, container, problem).run(); }

}  // namespace openneuron::import::bytecode
