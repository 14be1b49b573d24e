// The MLIR bytecode container, versions 0 to 6: sections in any order, the string table, dialects and op names, where
// each attribute and type lies, property blobs and resources. Nothing inside of attributes, types or ops is decoded
// here; everything refers to the file's bytes, which outlive the container.
#pragma once
#include <string_view>
#include <vector>

#include "import/bytecode_cursor.h"

namespace openneuron::import::bytecode {

inline constexpr std::uint64_t kNewestVersion = 6;  ///< newest bytecode version that is understood

struct Range {
  std::size_t begin = 0, end = 0;  ///< byte offsets in the file
};

struct OpName {
  std::uint32_t dialect = 0;
  std::string_view name;  ///< without the dialect's prefix
  bool registered = true;
};

/// Where an attribute or type lies. Not `custom`: NUL-terminated MLIR text.
struct Entry {
  std::uint32_t dialect = 0;
  bool custom = false;
  Range range;
};

struct Resource {
  enum class Kind : std::uint8_t { Blob, Bool, String };
  std::string_view key;
  Kind kind = Kind::Blob;
  Range range;
};

struct Container {
  Bytes file;
  std::uint64_t version = 0;
  std::string_view producer;
  std::vector<std::string_view> strings;
  std::vector<std::string_view> dialects;
  std::vector<OpName> ops;
  std::vector<Entry> attributes;
  std::vector<Entry> types;
  std::vector<Range> properties;
  std::vector<Resource> resources;  ///< of dialect groups: what a resource handle indexes
  Range ir;

  std::string_view dialect(const Entry& entry) const { return dialects[entry.dialect]; }
  std::string_view dialect(const OpName& op) const { return dialects[op.dialect]; }
  /// Reads a string reference.
  std::string_view string(Cursor& cursor) const;
};

/// Header of a section (also of nested ones): id and the range of its data; the cursor moves behind it.
struct Section {
  std::uint8_t id = 0;
  Range range;
};
Section read_section(Cursor& cursor);

/// Fills `container`; problems go to `problem`.
void read_container(Bytes file, Container& container, Problem& problem);

}  // namespace openneuron::import::bytecode
