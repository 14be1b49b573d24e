#include "base/files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

namespace openneuron {
namespace {

// Below this a read costs less than a mapping.
constexpr std::size_t kMapFrom = 64 * 1024;

// strerror is not thread-safe; these are the reasons a user meets.
const char* reason(int error_number) {
  switch (error_number) {
    case ENOENT: return "no such file or directory";
    case EACCES:
    case EPERM: return "permission denied";
    case EISDIR: return "it is a directory";
    case ENOTDIR: return "a part of the path is not a directory";
    case ELOOP: return "the symbolic links form a loop";
    case ENAMETOOLONG: return "the name is too long";
    case ENOSPC: return "no space is left on the device";
    case EDQUOT: return "the disk quota is exhausted";
    case EFBIG: return "the file size limit was reached";
    case EROFS: return "the file system is read-only";
    case EIO: return "input/output error";
    case EMFILE:
    case ENFILE: return "too many files are open";
    case ENOMEM: return "not enough memory";
    default: return nullptr;
  }
}

std::string reason_text(int error_number) {
  if (const char* text = reason(error_number)) return text;
  return "error number " + std::to_string(error_number);
}

Failure unreadable(const std::string& path, const std::string& why) {
  Place place;
  place.file = path;
  return fail(Code::FileUnreadable, place, "cannot read the file: " + why);
}

struct Descriptor {
  int number = -1;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

int open_retrying(const char* path, int flags, mode_t mode = 0) {
  int d;
  do d = ::open(path, flags | O_CLOEXEC, mode);
  while (d < 0 && errno == EINTR);
  return d;
}

// The test seam: counts down at each step that can fail, 0 is off.
std::atomic<int> steps_to_failure{0};
std::atomic<int> failure_number{0};

bool step_fails() {
  if (steps_to_failure.load(std::memory_order_relaxed) == 0) return false;
  if (steps_to_failure.fetch_sub(1) != 1) return false;
  errno = failure_number;
  return true;
}

// Names of unfinished files, for the Ctrl-C handler: fixed storage, since a handler may not allocate.
struct Pending {
  std::atomic<bool> taken{false};  // a writer owns the row
  std::atomic<bool> named{false};  // `path` is complete and may be unlinked
  char path[PATH_MAX];
};
constexpr int kMaxPending = 16;
Pending pending_files[kMaxPending];

int remember_pending(const std::string& path) {
  if (path.size() >= PATH_MAX) return -1;
  for (int i = 0; i < kMaxPending; ++i) {
    bool expected = false;
    if (!pending_files[i].taken.compare_exchange_strong(expected, true)) continue;
    std::memcpy(pending_files[i].path, path.c_str(), path.size() + 1);
    pending_files[i].named.store(true, std::memory_order_release);
    return i;
  }
  return -1;
}

void forget_pending(int row) {
  if (row < 0) return;
  pending_files[row].named.store(false, std::memory_order_release);
  pending_files[row].taken.store(false, std::memory_order_release);
}

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Where a link leads, so that writing through a link replaces the file and not the link.
std::string resolved(const std::string& path) {
  char* real = ::realpath(path.c_str(), nullptr);
  if (!real) return path;
  std::string out = real;
  std::free(real);
  return out;
}

std::string beside(const std::string& target, unsigned attempt) {
  return target + ".unfinished-" + std::to_string(::getpid()) + "-" + std::to_string(attempt);
}

std::atomic<unsigned> next_attempt{0};

class MappedFiles {
 public:
  void add(std::span<const std::byte> file) {
    std::lock_guard lock(mutex_);
    files_.push_back(file);
  }
  void remove(const std::byte* begin) {
    std::lock_guard lock(mutex_);
    std::erase_if(files_, [begin](std::span<const std::byte> f) { return f.data() == begin; });
  }
  void let_go(std::span<const std::byte> bytes) {
    std::lock_guard lock(mutex_);
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    for (const std::span<const std::byte> f : files_) {
      const std::byte *begin = std::max(f.data(), bytes.data()),
                      *end = std::min(f.data() + f.size(), bytes.data() + bytes.size());
      if (begin >= end) continue;
      const std::size_t first = (static_cast<std::size_t>(begin - f.data()) + page - 1) / page * page,
                        last = static_cast<std::size_t>(end - f.data()) / page * page;
      if (first < last) ::madvise(const_cast<std::byte*>(f.data()) + first, last - first, MADV_DONTNEED);
    }
  }

 private:
  std::mutex mutex_;
  std::vector<std::span<const std::byte>> files_;
};
MappedFiles& mapped_files() {
  static MappedFiles files;
  return files;
}

}  // namespace

Result<FileBytes> read_file(const std::string& path) {
  if (path.find('\0') != std::string::npos) return unreadable(path, "the name holds a zero byte");
  // O_NONBLOCK: opening a pipe without a writer must not hang.
  Descriptor file{open_retrying(path.c_str(), O_RDONLY | O_NONBLOCK)};
  if (file.number < 0) return unreadable(path, reason_text(errno));
  struct stat status;
  if (::fstat(file.number, &status) != 0) return unreadable(path, reason_text(errno));
  if (S_ISDIR(status.st_mode)) return unreadable(path, reason_text(EISDIR));
  if (!S_ISREG(status.st_mode)) return unreadable(path, "it is not a regular file");

  const auto size = static_cast<std::size_t>(status.st_size);
  if (size >= kMapFrom) {
    void* base = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number, 0);
    if (base == MAP_FAILED) return unreadable(path, reason_text(errno));
    std::shared_ptr<const void> owner(base, [size](const void* p) {
      mapped_files().remove(static_cast<const std::byte*>(p));
      ::munmap(const_cast<void*>(p), size);
    });
    mapped_files().add({static_cast<const std::byte*>(base), size});
    return FileBytes{{static_cast<const std::byte*>(base), size}, std::move(owner)};
  }
  // Files of /proc and /sys claim size 0 and still have content: read until the end.
  auto content = std::make_shared<std::vector<std::byte>>(size + 1);
  std::size_t have = 0;
  for (;;) {
    if (have == content->size()) {
      if (have > 256 * kMapFrom) return unreadable(path, "it grows while it is read");
      content->resize(2 * have);
    }
    const ssize_t n = ::read(file.number, content->data() + have, content->size() - have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return unreadable(path, reason_text(errno));
    if (n == 0) break;
    have += static_cast<std::size_t>(n);
  }
  const std::span<const std::byte> bytes(content->data(), have);
  return FileBytes{bytes, std::move(content)};
}

void let_go(std::span<const std::byte> bytes) { mapped_files().let_go(bytes); }

Failure AtomicFile::failure(const char* action, int error_number) const {
  Place place;
  place.file = path_;
  return fail(Code::FileUnwritable, place, std::string("cannot ") + action + " the file: " + reason_text(error_number));
}

Result<AtomicFile> AtomicFile::create(const std::string& path) {
  AtomicFile file;
  file.path_ = path;
  if (path.empty() || path.find('\0') != std::string::npos) return file.failure("create", ENOENT);
  file.target_ = resolved(path);

  struct stat status;
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) return file.failure("create", EISDIR);
    if (!S_ISREG(status.st_mode)) {
      file.direct_ = true;
      file.descriptor_ = open_retrying(path.c_str(), O_WRONLY | O_NOCTTY);
      if (file.descriptor_ < 0) return file.failure("open", errno);
      return file;
    }
    // Renaming needs no permission on the old file; a file that says "not writable" is kept all the same.
    if (::access(path.c_str(), W_OK) != 0) return file.failure("replace", errno);
  } else if (errno == ELOOP) {
    return file.failure("create", ELOOP);
  }
  if (step_fails()) return file.failure("create", errno);

  // A file without a name vanishes even when the process is killed; not every file system has them.
  file.descriptor_ = open_retrying(directory_of(file.target_).c_str(), O_TMPFILE | O_WRONLY, 0666);
  if (file.descriptor_ >= 0) return file;
  if (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT && errno != EINVAL)
    return file.failure("create", errno);
  for (int tries = 0; tries < 100; ++tries) {
    file.temporary_ = beside(file.target_, next_attempt++);
    file.descriptor_ = open_retrying(file.temporary_.c_str(), O_CREAT | O_EXCL | O_WRONLY, 0666);
    if (file.descriptor_ >= 0) {
      file.pending_ = remember_pending(file.temporary_);
      return file;
    }
    if (errno != EEXIST) break;
  }
  file.temporary_.clear();
  return file.failure("create", errno);
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::move(other.temporary_)),
      descriptor_(other.descriptor_),
      pending_(other.pending_),
      direct_(other.direct_) {
  other.descriptor_ = -1;
  other.pending_ = -1;
  other.temporary_.clear();
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  forget_pending(pending_);
}

Result<void> AtomicFile::write(std::span<const std::byte> bytes) {
  if (descriptor_ < 0) return failure("write", EBADF);
  while (!bytes.empty()) {
    if (step_fails()) return failure("write", errno);
    const ssize_t n = ::write(descriptor_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failure("write", errno);
    if (n == 0) return failure("write", ENOSPC);
    bytes = bytes.subspan(static_cast<std::size_t>(n));  // a short write goes on; the next one tells the reason
  }
  return {};
}

Result<void> AtomicFile::commit() {
  if (descriptor_ < 0) return failure("write", EBADF);
  if (direct_) {
    const int closed = ::close(descriptor_);
    descriptor_ = -1;
    if (closed != 0) return failure("close", errno);
    return {};
  }
  if (step_fails() || ::fsync(descriptor_) != 0) return failure("flush", errno);
  if (temporary_.empty()) {
    const std::string source = "/proc/self/fd/" + std::to_string(descriptor_);
    for (int tries = 0;; ++tries) {
      temporary_ = beside(target_, next_attempt++);
      if (!step_fails() && ::linkat(AT_FDCWD, source.c_str(), AT_FDCWD, temporary_.c_str(), AT_SYMLINK_FOLLOW) == 0)
        break;
      if (errno == EEXIST && tries < 100) continue;
      temporary_.clear();
      return failure("name", errno);
    }
    pending_ = remember_pending(temporary_);
  }
  const int closed = ::close(descriptor_);
  descriptor_ = -1;
  if (closed != 0 && errno != EINTR) return failure("close", errno);
  if (step_fails() || ::rename(temporary_.c_str(), target_.c_str()) != 0) return failure("rename", errno);
  temporary_.clear();
  forget_pending(pending_);
  pending_ = -1;
  return {};
}

Result<void> write_file_atomically(const std::string& path, std::span<const std::byte> bytes) {
  auto file = AtomicFile::create(path);
  if (!file) return file.failure();
  ON_TRY(file->write(bytes));
  return file->commit();
}

Result<void> write_file_atomically(const std::string& path, std::string_view text) {
  return write_file_atomically(path, std::as_bytes(std::span(text.data(), text.size())));
}

void remove_unfinished_files() noexcept {
  for (Pending& row : pending_files)
    if (row.named.load(std::memory_order_acquire)) ::unlink(row.path);
}

void fail_nth_write(int n, int error_number) {
  failure_number = error_number;
  steps_to_failure = n;
}

}  // namespace openneuron
