#include "CStateFaults.h"

#if defined(__linux__)

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

// What the kernel is asked is asked directly: the functions of those names are the ones below.

enum fault { NONE, KILL_BEFORE, KILL_WITHIN, KILL_AFTER, FULL, FULL_ONCE, FULL_TORN, BROKEN, BROKEN_ONCE, SIGNAL, CLOCK };

static const struct {
    const char *name;
    enum fault fault;
} names[] = {
    {"kill-before", KILL_BEFORE}, {"kill-within", KILL_WITHIN}, {"kill-after", KILL_AFTER},
    {"full", FULL},               {"full-once", FULL_ONCE},     {"full-torn", FULL_TORN},
    {"broken", BROKEN},           {"broken-once", BROKEN_ONCE}, {"signal", SIGNAL},
    {"clock", CLOCK},
};

static char path[4096];
static size_t path_length;
static size_t folder_length;
static enum fault fault;
static long point;
static long parameter;
static long target;
static int trace = -1;
static atomic_long calls;
static atomic_bool is_ahead;

#define DESCRIPTORS 65536
static atomic_bool watched[DESCRIPTORS];

__attribute__((constructor)) static void begin(void) {
    const char *record = getenv("RECORD_FAULTS_PATH");
    if (!record || strlen(record) >= sizeof path) return;
    strcpy(path, record);
    path_length = strlen(path);
    folder_length = (size_t)(strrchr(path, '/') - path);
    const char *file = getenv("RECORD_FAULTS_TRACE");
    if (file) trace = (int)syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    const char *wanted = getenv("RECORD_FAULTS");
    char name[32];
    if (!wanted || sscanf(wanted, "%31s %ld %ld %ld", name, &point, &parameter, &target) < 2) return;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!strcmp(name, names[i].name)) fault = names[i].fault;
    }
}

static bool is_watched_path(const char *file) { return path_length && !strncmp(file, path, path_length); }

static bool is_folder(const char *file) {
    return path_length && !strncmp(file, path, folder_length) && !file[folder_length];
}

static bool is_watched(int descriptor) {
    return descriptor >= 0 && descriptor < DESCRIPTORS && atomic_load(&watched[descriptor]);
}

static void die(void) { syscall(SYS_kill, syscall(SYS_getpid), SIGKILL); }

enum kind { WRITE, SYNC, OTHER };

/// What is to become of a call: 0 when it is to be made, else the error that it ends with. `half` asks for half a write.
struct fate {
    long number;
    int error;
    bool half;
};

static struct fate next(const char *call, enum kind kind, size_t size) {
    struct fate fate = {atomic_fetch_add(&calls, 1) + 1, 0, false};
    if (trace >= 0) {
        char line[64];
        int length = snprintf(line, sizeof line, "%ld %s %zu\n", fate.number, call, size);
        syscall(SYS_write, trace, line, (size_t)length);
    }
    bool is_here = fate.number == point, has_come = point > 0 && fate.number >= point;
    switch (fault) {
    case KILL_BEFORE:
        if (is_here) die();
        break;
    case KILL_WITHIN: fate.half = is_here && kind == WRITE; break;
    case FULL: fate.error = has_come && kind != SYNC ? ENOSPC : 0; break;
    case FULL_ONCE: fate.error = is_here && kind != SYNC ? ENOSPC : 0; break;
    case FULL_TORN:
        fate.half = is_here && kind == WRITE;
        fate.error = has_come && !fate.half && kind != SYNC ? ENOSPC : 0;
        break;
    case BROKEN: fate.error = has_come ? EIO : 0; break;
    case BROKEN_ONCE: fate.error = is_here ? EIO : 0; break;
    case CLOCK:
        if (has_come) atomic_store(&is_ahead, true);
        break;
    case NONE:
    case KILL_AFTER:
    case SIGNAL: break;
    }
    return fate;
}

static long finish(struct fate fate, long result) {
    int error = errno;
    if (fate.number == point) {
        if (fault == KILL_AFTER || fault == KILL_WITHIN) die();
        if (fault == SIGNAL) syscall(SYS_kill, target ? target : syscall(SYS_getpid), parameter);
    }
    errno = error;
    return result;
}

static long refuse(int error) {
    errno = error;
    return -1;
}

// MARK: Files that are opened

static int opened(const char *file, int flags, mode_t mode) {
    bool is_record = is_watched_path(file);
    if (!is_record && !is_folder(file)) return (int)syscall(SYS_openat, AT_FDCWD, file, flags, mode);
    if (!(flags & O_CREAT)) {
        int descriptor = (int)syscall(SYS_openat, AT_FDCWD, file, flags, mode);
        if (descriptor >= 0 && descriptor < DESCRIPTORS) atomic_store(&watched[descriptor], true);
        return descriptor;
    }
    struct fate fate = next("open", OTHER, 0);
    if (fate.error) return (int)refuse(fate.error);
    int descriptor = (int)syscall(SYS_openat, AT_FDCWD, file, flags, mode);
    if (descriptor >= 0 && descriptor < DESCRIPTORS) atomic_store(&watched[descriptor], true);
    return (int)finish(fate, descriptor);
}

#define OPENING(name)                                                                                                  \
    int name(const char *file, int flags, ...) {                                                                       \
        mode_t mode = 0;                                                                                               \
        if (flags & (O_CREAT | O_TMPFILE)) {                                                                           \
            va_list arguments;                                                                                         \
            va_start(arguments, flags);                                                                                \
            mode = va_arg(arguments, mode_t);                                                                          \
            va_end(arguments);                                                                                         \
        }                                                                                                              \
        return opened(file, flags, mode);                                                                              \
    }
OPENING(open)
OPENING(open64)

int close(int descriptor) {
    if (is_watched(descriptor)) atomic_store(&watched[descriptor], false);
    return (int)syscall(SYS_close, descriptor);
}

// MARK: What is written

static ssize_t written(const char *call, int descriptor, const void *bytes, size_t count, off_t offset) {
    struct fate fate = next(call, WRITE, count);
    if (fate.error) return refuse(fate.error);
    if (fate.half) count /= 2;
    return finish(
        fate, offset < 0 ? syscall(SYS_write, descriptor, bytes, count)
                         : syscall(SYS_pwrite64, descriptor, bytes, count, offset));
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    if (!is_watched(descriptor)) return syscall(SYS_write, descriptor, bytes, count);
    return written("write", descriptor, bytes, count, -1);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    if (!is_watched(descriptor)) return syscall(SYS_pwrite64, descriptor, bytes, count, offset);
    return written("pwrite", descriptor, bytes, count, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off_t offset) {
    return pwrite(descriptor, bytes, count, offset);
}

// MARK: What has no bytes of its own

#define CALL(is_ours, name, kind, size, ...)                                                                           \
    if (!(is_ours)) return (int)syscall(__VA_ARGS__);                                                                  \
    struct fate fate = next(name, kind, size);                                                                         \
    if (fate.error) return (int)refuse(fate.error);                                                                    \
    return (int)finish(fate, syscall(__VA_ARGS__));

int fsync(int descriptor) { CALL(is_watched(descriptor), "fsync", SYNC, 0, SYS_fsync, descriptor) }

int fdatasync(int descriptor) { CALL(is_watched(descriptor), "fdatasync", SYNC, 0, SYS_fdatasync, descriptor) }

int ftruncate(int descriptor, off_t length) {
    CALL(is_watched(descriptor), "ftruncate", OTHER, (size_t)length, SYS_ftruncate, descriptor, length)
}

int ftruncate64(int descriptor, off_t length) { return ftruncate(descriptor, length); }

int unlink(const char *file) { CALL(is_watched_path(file), "unlink", OTHER, 0, SYS_unlinkat, AT_FDCWD, file, 0) }

int rename(const char *from, const char *to) {
    CALL(is_watched_path(to), "rename", OTHER, 0, SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0)
}

int link(const char *from, const char *to) {
    CALL(is_watched_path(to), "link", OTHER, 0, SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0)
}

// MARK: The time of day

int clock_gettime(clockid_t clock, struct timespec *time) {
    long result = syscall(SYS_clock_gettime, clock, time);
    if (!result && clock == CLOCK_REALTIME && atomic_load(&is_ahead)) time->tv_sec += parameter;
    return (int)result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    long result = syscall(SYS_gettimeofday, time, zone);
    if (!result && atomic_load(&is_ahead)) time->tv_sec += parameter;
    return (int)result;
}

time_t time(time_t *place) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (place) *place = now.tv_sec;
    return now.tv_sec;
}

#endif
