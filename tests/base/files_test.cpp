#include "base/files.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>

using namespace openneuron;
namespace fs = std::filesystem;

namespace {

struct Folder {
  fs::path path;
  Folder() {
    std::string name = (fs::temp_directory_path() / "openneuron_files_XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~Folder() { fs::remove_all(path); }
  std::string operator/(const char* name) const { return (path / name).string(); }
  int entries() const {
    int n = 0;
    for (auto it = fs::directory_iterator(path); it != fs::directory_iterator(); ++it) ++n;
    return n;
  }
};

Code code_of(const Result<FileBytes>& r) { return r ? Code::Internal : r.diagnostic().code; }

// Runs `body` in a child and returns its exit status.
template <class Body>
int in_child(Body body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("content survives writing and reading at every size around the mapping threshold") {
  Folder folder;
  for (std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{65535}, std::size_t{65536}, std::size_t{300001}}) {
    std::string content(size, 'x');
    if (size) content.back() = 'y';
    REQUIRE(write_file_atomically(folder / "f", content));
    auto read = read_file(folder / "f");
    REQUIRE(read);
    CHECK(read->text() == content);
  }
  CHECK(folder.entries() == 1);
  CHECK(read_file("/proc/self/status"));  // claims size 0
}

TEST_CASE("bytes that were let go are still there") {
  Folder folder;
  std::string content;
  for (int i = 0; i < 100000; ++i) content += static_cast<char>('a' + i % 23);
  REQUIRE(write_file_atomically(folder / "f", content));
  auto read = read_file(folder / "f");
  REQUIRE(read);
  for (const std::size_t first : {0, 1, 4097})
    for (const std::size_t count : {0, 5000, 90000}) {
      let_go(read->bytes.subspan(first, count));
      CHECK(read->text() == content);
    }
  std::string own = content;  // no file's
  let_go(std::as_bytes(std::span(own.data(), own.size())));
  CHECK(own == content);
}

TEST_CASE("what cannot be read is refused with its reason") {
  Folder folder;
  CHECK(code_of(read_file(folder / "missing")) == Code::FileUnreadable);
  auto directory = read_file(folder.path.string());
  REQUIRE(!directory);
  CHECK(directory.diagnostic().message == "cannot read the file: it is a directory");
  REQUIRE(::symlink("b", (folder / "a").c_str()) == 0);
  REQUIRE(::symlink("a", (folder / "b").c_str()) == 0);
  auto loop = read_file(folder / "a");
  REQUIRE(!loop);
  CHECK(loop.diagnostic().message == "cannot read the file: the symbolic links form a loop");
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK(code_of(read_file(folder / "pipe")) == Code::FileUnreadable);  // and does not hang
  CHECK(code_of(read_file(std::string("a\0b", 3))) == Code::FileUnreadable);
  CHECK(code_of(read_file(std::string(5000, 'n'))) == Code::FileUnreadable);
}

TEST_CASE("a file of mode 000 is refused under a dropped uid") {
  Folder folder;
  REQUIRE(write_file_atomically(folder / "secret", std::string_view("x")));
  REQUIRE(::chmod((folder / "secret").c_str(), 0) == 0);
  REQUIRE(::chmod(folder.path.c_str(), 0755) == 0);
  const std::string path = folder / "secret";
  CHECK(in_child([&] {
          if (::getuid() == 0 && ::setuid(65534) != 0) return 2;
          auto read = read_file(path);
          return !read && read.diagnostic().message == "cannot read the file: permission denied" ? 0 : 1;
        }) == 0);
}

TEST_CASE("each failing step of a write leaves the old file and nothing else") {
  Folder folder;
  REQUIRE(write_file_atomically(folder / "f", std::string_view("old")));
  int failures = 0;
  for (int n = 1; n < 20; ++n) {
    fail_nth_write(n, ENOSPC);
    auto written = write_file_atomically(folder / "f", std::string_view("new"));
    fail_nth_write(0, 0);
    if (written) break;
    ++failures;
    CHECK(written.diagnostic().code == Code::FileUnwritable);
    CHECK(written.diagnostic().place.file == folder / "f");
    CHECK(written.diagnostic().message.find("no space is left on the device") != std::string::npos);
    CHECK(read_file(folder / "f")->text() == "old");
    CHECK(folder.entries() == 1);
  }
  CHECK(failures >= 4);  // create, write, flush, rename (and naming, where files can be nameless)
  CHECK(read_file(folder / "f")->text() == "new");
}

TEST_CASE("a file size limit is a coded error") {
  Folder folder;
  const std::string path = folder / "f";
  CHECK(in_child([&] {
          std::signal(SIGXFSZ, SIG_IGN);
          rlimit limit{1000, 1000};
          if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 2;
          auto written = write_file_atomically(path, std::string(5000, 'x'));
          if (written) return 3;
          return written.diagnostic().message == "cannot write the file: the file size limit was reached" ? 0 : 1;
        }) == 0);
  CHECK(folder.entries() == 0);
}

TEST_CASE("a full device is a coded error") {
  if (::access("/dev/full", W_OK) != 0) return;
  auto written = write_file_atomically("/dev/full", std::string_view("x"));
  REQUIRE(!written);
  CHECK(written.diagnostic().message == "cannot write the file: no space is left on the device");
  CHECK(write_file_atomically("/dev/null", std::string_view("x")));
}

TEST_CASE("a link is written through, a directory is refused, permissions follow the umask") {
  Folder folder;
  REQUIRE(write_file_atomically(folder / "target", std::string_view("old")));
  REQUIRE(::symlink("target", (folder / "link").c_str()) == 0);
  REQUIRE(write_file_atomically(folder / "link", std::string_view("new")));
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(read_file(folder / "target")->text() == "new");
  CHECK(!write_file_atomically(folder.path.string(), std::string_view("x")));
  CHECK(!write_file_atomically(folder / "no/such/place", std::string_view("x")));
  CHECK(!write_file_atomically("", std::string_view("x")));
  const mode_t mask = ::umask(027);
  REQUIRE(write_file_atomically(folder / "masked", std::string_view("x")));
  ::umask(mask);
  struct stat status;
  REQUIRE(::stat((folder / "masked").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0640);
}

TEST_CASE("an abandoned file disappears") {
  Folder folder;
  {
    auto file = AtomicFile::create(folder / "f");
    REQUIRE(file);
    REQUIRE(file->write(std::as_bytes(std::span("abc", 3))));
  }
  CHECK(folder.entries() == 0);
  CHECK(in_child([&] {
          auto file = AtomicFile::create(folder / "f");
          if (!file || !file->write(std::as_bytes(std::span("abc", 3)))) return 1;
          remove_unfinished_files();
          return 0;  // _exit: no destructor runs
        }) == 0);
  CHECK(folder.entries() == 0);
}
