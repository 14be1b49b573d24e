// Files: read whole by mapping, written beside and renamed. Every failure is a coded diagnostic; a write that fails
// or is interrupted leaves neither a changed target nor a leftover.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace openneuron {

/// The content of a file. `owner` keeps `bytes` alive; copies share it.
struct FileBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;

  std::string_view text() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
};

/// Maps a regular file read-only (small ones are read). A directory, a pipe, a symlink loop or a file without read
/// permission is ON-E1001.
Result<FileBytes> read_file(const std::string& path);

/// Pages of mapped files that lie wholly within these bytes leave memory; whoever looks again reads them again. Other
/// bytes stay.
void let_go(std::span<const std::byte> bytes);

/// Replaces `path` by `bytes`, or leaves it as it was: ON-E1002 with the reason (no space, file too large, ...).
/// Devices such as /dev/null are written directly.
Result<void> write_file_atomically(const std::string& path, std::span<const std::byte> bytes);
Result<void> write_file_atomically(const std::string& path, std::string_view text);

/// A file that appears under its name only when `commit` succeeds; for content that is produced piece by piece.
class AtomicFile {
 public:
  static Result<AtomicFile> create(const std::string& path);
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  AtomicFile(const AtomicFile&) = delete;
  ~AtomicFile();  ///< without commit: everything written so far disappears

  Result<void> write(std::span<const std::byte> bytes);
  Result<void> commit();  ///< flushes to the disk, then renames

 private:
  AtomicFile() = default;
  Failure failure(const char* action, int error_number) const;

  std::string path_;       // as the user named it
  std::string target_;     // links resolved
  std::string temporary_;  // empty while the file has no name (O_TMPFILE)
  int descriptor_ = -1;
  int pending_ = -1;     // row in the table of names to remove on Ctrl-C
  bool direct_ = false;  // a device: no rename
};

/// Removes the files that AtomicFile has begun and not finished. Safe in a signal handler.
void remove_unfinished_files() noexcept;

/// Test seam: the n-th write, flush or rename from now (1 = the next) fails with `error_number`, once. 0 switches off.
void fail_nth_write(int n, int error_number);

}  // namespace openneuron
