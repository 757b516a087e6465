/* Preloaded into a Python under test: the n-th call that changes a file below FAULT_BELOW fails with FAULT_ERRNO.
   `arm(n, number, lasting)` starts the count; lasting: every later call fails too. `calls()` tells how many there were. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static long armed_at, seen, error_number, lasting_from;

void arm(long at, long number, long lasting) { armed_at = at; seen = 0; error_number = number; lasting_from = lasting; }
long calls(void) { return seen; }

__attribute__((constructor)) static void from_environment(void) {
    const char *number = getenv("FAULT_ERRNO");
    if (number) arm(1, atol(number), 1);
}

static int below(const char *path) {
    const char *top = getenv("FAULT_BELOW");
    return top && path && strncmp(path, top, strlen(top)) == 0;
}

static int fails(int concerned) {
    if (!concerned || !armed_at) return 0;
    seen++;
    if (seen != armed_at && !(lasting_from && seen > armed_at)) return 0;
    errno = (int)error_number;
    return 1;
}

static int by_handle(int handle) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return below(path);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int opened(const char *name, const char *path, int flags, mode_t mode) {
    if (fails((flags & (O_WRONLY | O_RDWR | O_CREAT)) && below(path))) return -1;
    return ((int (*)(const char *, int, ...))dlsym(RTLD_NEXT, name))(path, flags, mode);
}

#define OPEN(name) int name(const char *path, int flags, ...) { \
    va_list more; va_start(more, flags); mode_t mode = (flags & O_CREAT) ? va_arg(more, mode_t) : 0; va_end(more); \
    return opened(#name, path, flags, mode); }
OPEN(open)
OPEN(open64)

ssize_t write(int handle, const void *data, size_t size) { return fails(by_handle(handle)) ? -1 : REAL(write)(handle, data, size); }
ssize_t pwrite(int handle, const void *data, size_t size, off_t at) { return fails(by_handle(handle)) ? -1 : REAL(pwrite)(handle, data, size, at); }
ssize_t pwrite64(int handle, const void *data, size_t size, off64_t at) { return fails(by_handle(handle)) ? -1 : REAL(pwrite64)(handle, data, size, at); }
int ftruncate(int handle, off_t size) { return fails(by_handle(handle)) ? -1 : REAL(ftruncate)(handle, size); }
int ftruncate64(int handle, off64_t size) { return fails(by_handle(handle)) ? -1 : REAL(ftruncate64)(handle, size); }
int fsync(int handle) { return fails(by_handle(handle)) ? -1 : REAL(fsync)(handle); }
int fchmod(int handle, mode_t mode) { return fails(by_handle(handle)) ? -1 : REAL(fchmod)(handle, mode); }
int chmod(const char *path, mode_t mode) { return fails(below(path)) ? -1 : REAL(chmod)(path, mode); }
int rename(const char *from, const char *to) { return fails(below(to)) ? -1 : REAL(rename)(from, to); }
int mkdir(const char *path, mode_t mode) { return fails(below(path)) ? -1 : REAL(mkdir)(path, mode); }
int unlink(const char *path) { return fails(below(path)) ? -1 : REAL(unlink)(path); }
