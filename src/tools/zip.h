// Zip archives as numpy writes and reads them: members stored or deflated, ZIP64 where sizes ask for it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/result.h"

namespace openneuron::tools {

struct ZipMember {
  std::string name;
  std::span<const std::byte> bytes;  ///< inside the archive when stored, else in `owner`
  std::shared_ptr<const void> owner;
};

/// All members, checksums verified. A member may not claim more bytes than deflate can make of its data.
/// errors  ON-E2110: not a zip archive, damaged, encrypted or compressed in another way
Result<std::vector<ZipMember>> read_zip(const FileBytes& archive, const std::string& file);

/// Writes members one after the other, stored, with zero dates: equal content gives equal bytes.
class ZipWriter {
 public:
  explicit ZipWriter(AtomicFile& file) : file_(file) {}
  /// A member is the concatenation of `parts`.
  Result<void> add(const std::string& name, std::span<const std::span<const std::byte>> parts);
  Result<void> finish();

 private:
  struct Entry {
    std::string name;
    std::uint32_t crc;
    std::uint64_t size, offset;
  };
  Result<void> put(const std::string& bytes);

  AtomicFile& file_;
  std::vector<Entry> entries_;
  std::uint64_t offset_ = 0;
};

}  // namespace openneuron::tools
