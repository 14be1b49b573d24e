// Preloaded by the tests: the FAIL_WRITE-th call that writes a regular file (write, writev, pwrite, fsync, fdatasync,
// ftruncate, posix_fallocate, rename, link, linkat) fails with ENOSPC. Writes to pipes and terminals are not counted.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static int fails_now(void) {
  static int count = 0;
  const char* text = getenv("FAIL_WRITE");
  if (!text || __sync_add_and_fetch(&count, 1) != atoi(text)) return 0;
  errno = ENOSPC;
  return 1;
}

static int is_regular(int fd) {
  struct stat info;
  return fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void* data, size_t size) {
  if (is_regular(fd) && fails_now()) return -1;
  return NEXT(write)(fd, data, size);
}
ssize_t writev(int fd, const struct iovec* parts, int count) {
  if (is_regular(fd) && fails_now()) return -1;
  return NEXT(writev)(fd, parts, count);
}
ssize_t pwrite(int fd, const void* data, size_t size, off_t at) {
  if (is_regular(fd) && fails_now()) return -1;
  return NEXT(pwrite)(fd, data, size, at);
}
ssize_t pwrite64(int fd, const void* data, size_t size, off64_t at) {
  if (is_regular(fd) && fails_now()) return -1;
  return NEXT(pwrite64)(fd, data, size, at);
}
int fsync(int fd) {
  if (is_regular(fd) && fails_now()) return -1;
  return NEXT(fsync)(fd);
}
int fdatasync(int fd) {
  if (is_regular(fd) && fails_now()) return -1;
  return NEXT(fdatasync)(fd);
}
int ftruncate(int fd, off_t size) {
  if (fails_now()) return -1;
  return NEXT(ftruncate)(fd, size);
}
int rename(const char* from, const char* to) {
  if (fails_now()) return -1;
  int (*next)(const char*, const char*) = dlsym(RTLD_NEXT, "rename");
  return next(from, to);
}
int renameat(int a, const char* from, int b, const char* to) {
  if (fails_now()) return -1;
  int (*next)(int, const char*, int, const char*) = dlsym(RTLD_NEXT, "renameat");
  return next(a, from, b, to);
}
