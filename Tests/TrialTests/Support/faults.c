// Makes faults on purpose, in the program as it is: loaded before the system's library, it counts what is done to files
// whose path holds FAULT_ON, and at the FAULT_AT-th time makes a fault of FAULT_KIND:
//   kill   the process is killed before the call
//   torn   half of a write is done, and the process is killed
//   full   this and every later write finds no space
//   error  this call alone fails with an input or output error (also reads)
//   handles  this and every later opening finds no file handle free
// FAULT_COUNT names a file that gets the number of calls counted; FAULT_TRACE one that gets every call with its bytes.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum kind { NONE, KILL, TORN, FULL, ERROR, HANDLES };

static atomic_long count;
static long fault_at = -1;
static enum kind kind = NONE;
static const char *place;
static int trace = -1;
static char count_path[4096];

static ssize_t (*real_pwrite)(int, const void *, size_t, off64_t);
static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_pread)(int, void *, size_t, off64_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_ftruncate)(int, off64_t);
static int (*real_unlink)(const char *);
static int (*real_rename)(const char *, const char *);
static int (*real_open)(const char *, int, ...);

__attribute__((constructor)) static void begin(void) {
  real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
  real_write = dlsym(RTLD_NEXT, "write");
  real_pread = dlsym(RTLD_NEXT, "pread64");
  real_fsync = dlsym(RTLD_NEXT, "fsync");
  real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
  real_ftruncate = dlsym(RTLD_NEXT, "ftruncate64");
  real_unlink = dlsym(RTLD_NEXT, "unlink");
  real_rename = dlsym(RTLD_NEXT, "rename");
  real_open = dlsym(RTLD_NEXT, "open64");
  place = getenv("FAULT_ON");
  if (!place) return;
  const char *at = getenv("FAULT_AT"), *name = getenv("FAULT_KIND"), *path = getenv("FAULT_COUNT");
  if (at) fault_at = atol(at);
  if (name) {
    static const char *names[] = {"", "kill", "torn", "full", "error", "handles"};
    for (int each = KILL; each <= HANDLES; each++) {
      if (!strcmp(name, names[each])) kind = each;
    }
  }
  if (path) snprintf(count_path, sizeof count_path, "%s", path);
  if (getenv("FAULT_TRACE")) trace = real_open(getenv("FAULT_TRACE"), O_WRONLY | O_CREAT | O_APPEND, 0600);
}

__attribute__((destructor)) static void end(void) {
  if (!count_path[0]) return;
  char text[32];
  int length = snprintf(text, sizeof text, "%ld\n", atomic_load(&count));
  int file = real_open(count_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file >= 0 && real_write(file, text, length) == length) close(file);
}

// The last part of a file's name, where it is one that is watched.
static const char *watched(const char *path) {
  if (!place || !path || !strstr(path, place) || strstr(path, "-shm")) return NULL;
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static const char *watched_file(int file, char *buffer, size_t size) {
  if (!place) return NULL;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, buffer, size - 1);
  if (length <= 0) return NULL;
  buffer[length] = 0;
  return watched(buffer);
}

// Counts a call. Gives 1 where it is, or comes after, the one that the fault is made at.
static int reached(int is_exact) {
  long number = atomic_fetch_add(&count, 1) + 1;
  return fault_at > 0 && (is_exact ? number == fault_at : number >= fault_at);
}

static void die(void) { kill(getpid(), SIGKILL); }

static void note(char what, const char *name, long long offset, long long length, const void *bytes) {
  if (trace < 0) return;
  char head[512];
  int size = snprintf(head, sizeof head, "%c %s %lld %lld\n", what, name, offset, length);
  if (real_write(trace, head, size) != size) abort();
  if (bytes && real_write(trace, bytes, length) != length) abort();
}

// Writes at a place of a file; at the file's own place where it is negative.
static ssize_t put(int file, const void *bytes, size_t size, off64_t offset) {
  return offset < 0 ? real_write(file, bytes, size) : real_pwrite(file, bytes, size, offset);
}

static ssize_t write_file(int file, const void *bytes, size_t size, off64_t offset) {
  char buffer[4096];
  const char *name = watched_file(file, buffer, sizeof buffer);
  if (name && kind != HANDLES) {
    int is_now = reached(kind != FULL);
    if (is_now && kind == KILL) die();
    if (is_now && kind == TORN) {
      if (put(file, bytes, size / 2, offset) < 0) abort();
      die();
    }
    if (is_now && kind == FULL) return errno = ENOSPC, -1;
    if (is_now && kind == ERROR) return errno = EIO, -1;
    note('W', name, offset < 0 ? lseek(file, 0, SEEK_CUR) : offset, size, bytes);
  }
  return put(file, bytes, size, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t offset) {
  return write_file(file, bytes, size, offset);
}

ssize_t pwrite(int, const void *, size_t, off_t) __attribute__((alias("pwrite64")));

ssize_t write(int file, const void *bytes, size_t size) { return write_file(file, bytes, size, -1); }

int rename(const char *old, const char *new) {
  const char *name = watched(old);
  if (name && kind != HANDLES && kind != FULL) {
    int is_now = reached(1);
    if (is_now && (kind == KILL || kind == TORN)) die();
    if (is_now && kind == ERROR) return errno = EIO, -1;
  }
  return real_rename(old, new);
}

ssize_t pread64(int file, void *bytes, size_t size, off64_t offset) {
  char buffer[4096];
  if (kind == ERROR && watched_file(file, buffer, sizeof buffer) && reached(1)) return errno = EIO, -1;
  return real_pread(file, bytes, size, offset);
}

ssize_t pread(int, void *, size_t, off_t) __attribute__((alias("pread64")));

static int sync_file(int file, int (*real)(int)) {
  char buffer[4096];
  const char *name = watched_file(file, buffer, sizeof buffer);
  if (name && kind != HANDLES && kind != FULL) {
    int is_now = reached(1);
    if (is_now && (kind == KILL || kind == TORN)) die();
    if (is_now && kind == ERROR) return errno = EIO, -1;
    int result = real(file);
    note('S', name, 0, 0, NULL);
    return result;
  }
  return real(file);
}

int fsync(int file) { return sync_file(file, real_fsync); }
int fdatasync(int file) { return sync_file(file, real_fdatasync); }

int ftruncate64(int file, off64_t size) {
  char buffer[4096];
  const char *name = watched_file(file, buffer, sizeof buffer);
  if (name && kind != HANDLES && kind != FULL) {
    int is_now = reached(1);
    if (is_now && (kind == KILL || kind == TORN)) die();
    if (is_now && kind == ERROR) return errno = EIO, -1;
    note('T', name, size, 0, NULL);
  }
  return real_ftruncate(file, size);
}

int ftruncate(int, off_t) __attribute__((alias("ftruncate64")));

int unlink(const char *path) {
  const char *name = watched(path);
  if (name && kind != HANDLES && kind != FULL) {
    int is_now = reached(1);
    if (is_now && (kind == KILL || kind == TORN)) die();
    note('U', name, 0, 0, NULL);
  }
  return real_unlink(path);
}

int open64(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
  va_end(list);
  if (kind == HANDLES && watched(path) && reached(0)) return errno = EMFILE, -1;
  return real_open(path, flags, mode);
}

int open(const char *, int, ...) __attribute__((alias("open64")));
