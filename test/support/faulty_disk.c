/* SPDX-License-Identifier: BSL-1.0 */

/* A disk with faults, to be preloaded: the FAULT_AT-th call of the kind that FAULT names fails as it
   says, and so do all later ones, except where a call is only short:
     read-eio, write-eio, write-enospc, sync-eio, reserve-enospc, read-short, write-short.
   With slow each read and write takes FAULT_AT microseconds more.
   Only files whose names hold FAULT_FILE, if it is given, are concerned. */

#undef _FILE_OFFSET_BITS /* pread and pread64 are two names */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int concerned(int file) {
  const char* part = getenv("FAULT_FILE");
  char link[64], name[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, name, sizeof name - 1);
  if (length < 0 || name[0] != '/' || strncmp(name, "/dev/", 5) == 0) return 0;
  name[length] = 0;
  return part == NULL || strstr(name, part) != NULL;
}

/* Whether this call of `kind` is one that fails. */
static int fails(const char* kind, int file) {
  static long calls;
  const char *fault = getenv("FAULT"), *at = getenv("FAULT_AT");
  if (fault == NULL || at == NULL || strcmp(fault, kind) != 0 || !concerned(file)) return 0;
  return __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) >= atol(at);
}

static void wait_if_slow(int file) {
  const char *fault = getenv("FAULT"), *at = getenv("FAULT_AT");
  if (fault != NULL && at != NULL && strcmp(fault, "slow") == 0 && concerned(file))
    usleep((useconds_t)atol(at));
}

#define REAL(name, type) \
  static __typeof__(type) real; \
  if (real == NULL) real = __extension__(__typeof__(type)) dlsym(RTLD_NEXT, name)

static size_t shorter(size_t bytes) { return bytes > 8192 ? 4096 : bytes > 1 ? bytes / 2 : bytes; }

ssize_t pread64(int file, void* data, size_t bytes, off64_t offset) {
  REAL("pread64", ssize_t (*)(int, void*, size_t, off64_t));
  if (fails("read-eio", file)) return errno = EIO, -1;
  if (fails("read-short", file)) bytes = shorter(bytes);
  wait_if_slow(file);
  return real(file, data, bytes, offset);
}
ssize_t pread(int file, void* data, size_t bytes, off_t offset) {
  return pread64(file, data, bytes, offset);
}
ssize_t pwrite64(int file, const void* data, size_t bytes, off64_t offset) {
  REAL("pwrite64", ssize_t (*)(int, const void*, size_t, off64_t));
  if (fails("write-eio", file)) return errno = EIO, -1;
  if (fails("write-enospc", file)) return errno = ENOSPC, -1;
  if (fails("write-short", file)) bytes = shorter(bytes);
  wait_if_slow(file);
  return real(file, data, bytes, offset);
}
ssize_t pwrite(int file, const void* data, size_t bytes, off_t offset) {
  return pwrite64(file, data, bytes, offset);
}
int fdatasync(int file) {
  REAL("fdatasync", int (*)(int));
  if (fails("sync-eio", file)) return errno = EIO, -1;
  return real(file);
}
int posix_fallocate64(int file, off64_t offset, off64_t length) {
  REAL("posix_fallocate64", int (*)(int, off64_t, off64_t));
  return fails("reserve-enospc", file) ? ENOSPC : real(file, offset, length);
}
int posix_fallocate(int file, off_t offset, off_t length) {
  return posix_fallocate64(file, offset, length);
}
